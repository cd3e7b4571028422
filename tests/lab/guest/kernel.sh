# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# The guest itself: IOMMU, both NICs with their kernel drivers, TCP between them, binding to VFIO and back.
# time limit: 120 s

throughput() { # Mbit/s in three seconds, from near to far
	far iperf3 -s -1 -p 5301 > /dev/null 2>&1 &
	wait_for 5 listening far 5301
	near iperf3 -c "$FAR_IP" -p 5301 -t 3 -J | jq '.end.sum_received.bits_per_second / 1e6 | floor'
}

kernel_driver=$(driver_of "$DUT")
check "the IOMMU has a group for the NIC" test -e "/sys/bus/pci/devices/$DUT/iommu_group"
check "the NIC has a kernel driver ($kernel_driver)" test -n "$kernel_driver"
check "the far end is up" far_up
check "the near end is up" kernel_up
check "kernel driver to kernel driver answers" wait_for 10 near ping -q -c 1 -W 1 "$FAR_IP"
rate=$(throughput)
check "TCP flows: ${rate:-0} Mbit/s" test "${rate:-0}" -gt 10
kernel_down
check "vfio-pci takes the NIC" give "$DUT" vfio-pci
check "the group has its node" test -c "/dev/vfio/$(basename "$(readlink "/sys/bus/pci/devices/$DUT/iommu_group")")"
check "the NIC goes back" give "$DUT" ""
same "to the driver it came from" "$kernel_driver" "$(driver_of "$DUT")"
