# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# The kernel asks for the NIC while our driver has it: the daemon must let go, or the request hangs.
# time limit: 120 s

driven unplug || return 0
unplug() {
	timeout 60 bash -c "echo 1 > /sys/bus/pci/devices/$DUT/remove"
}

kernel_driver=$(driver_of "$DUT")
check "vfio-pci takes the NIC" give "$DUT" vfio-pci
check "moderato up" moderato up "$DUT"
pid=$(moderato info --json | jq .pid)
check "the unplug request is answered" unplug
check "the NIC is gone" test ! -e "/sys/bus/pci/devices/$DUT"
check "the daemon ended" wait_for 10 gone "$pid"
echo 1 > /sys/bus/pci/rescan
same "a rescan finds it for its kernel driver" "$kernel_driver" "$(driver_of "$DUT")"
