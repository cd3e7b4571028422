# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Our driver on the emulated NIC: start, ping, transfers by SHA-256, interrupt modes, kill, unplug.
# time limit: 300 s

driven bring-up || return 0
kernel_driver=$(driver_of "$DUT")
check "the far end is up" far_up
check "vfio-pci takes the NIC" give "$DUT" vfio-pci
check "moderato up" moderato up "$DUT"
check "the far end answers" wait_for 10 ours ping -q -c 1 -W 1 "$FAR_IP"
megabytes=${LAB_MEGABYTES:-16}
check "$megabytes MiB out have the same SHA-256" transfer ours far "$FAR_IP" "$megabytes"
check "$megabytes MiB in have the same SHA-256" transfer far ours "$NEAR_IP" "$megabytes"

for mode in $(modes_of_model); do
	check "restart into $mode" moderato restart "intmode=$mode"
	same "$mode is in force" "$mode" "$(moderato get --json | jq -r .intmode)"
	check "$mode: the far end answers" wait_for 10 ours ping -q -c 1 -W 1 "$FAR_IP"
	before=$(interrupts)
	check "$mode: 2 MiB in" transfer far ours "$NEAR_IP" 2
	after=$(interrupts)
	check "$mode: interrupts came ($before to $after)" test "${after:-0}" -gt "${before:-0}"
done

check "moderato down" moderato down
check "the NIC goes back" give "$DUT" ""
same "to the kernel driver it came from" "$kernel_driver" "$(driver_of "$DUT")"
check "the kernel driver works after us" kernel_answers
kernel_down

check "vfio-pci takes the NIC again" give "$DUT" vfio-pci
check "moderato up again" moderato up "$DUT"
check "the far end answers again" wait_for 10 ours ping -q -c 1 -W 1 "$FAR_IP"
pid=$(moderato info --json | jq .pid)
same "its DMA runs" 1 "$(bus_master)"
check "the daemon is killed" kill -9 "$pid"
check "and is gone" wait_for 5 gone "$pid"
same "the kernel stopped its DMA" 0 "$(bus_master)"
check "the killed daemon's NIC goes back" give "$DUT" ""
check "the kernel driver works after the kill" kernel_answers
kernel_down
