# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Frames of 9000 bytes on the emulated NIC, both ways, and an MTU that the chip does not take.
# time limit: 120 s

driven jumbo || return 0
check "the far end is up" far_up
check "with MTU 9000" far ip link set far0 mtu 9000
check "vfio-pci takes the NIC" give "$DUT" vfio-pci
check "moderato up --mtu 17000 is refused" eval '! moderato up "$DUT" --mtu 17000'
check "moderato up --mtu 9000" moderato up "$DUT" --mtu 9000
check "8972 bytes in one frame answer" wait_for 10 ours ping -q -c 1 -W 1 -M do -s 8972 "$FAR_IP"
check "4 MiB out have the same SHA-256" transfer ours far "$FAR_IP" 4
check "4 MiB in have the same SHA-256" transfer far ours "$NEAR_IP" 4
check "moderato down" moderato down
check "the NIC goes back" give "$DUT" ""
