# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What the NIC receives follows its TAP: promiscuous mode, a multicast group, another Ethernet address.
# time limit: 180 s

driven filter || return 0
stranger=02:00:00:00:00:99 group=01:00:5e:01:02:03 mac=02:00:00:00:00:42

# arrives ADDRESS FAR_TARGET: does a frame to the Ethernet address come out of our TAP? (-p: tcpdump itself
# asks for nothing)
arrives() {
	far ping -q -i 0.2 -w 20 "$2" > /dev/null 2>&1 &
	local ping=$! code
	ours timeout "${3:-15}" tcpdump -Z root -p -n -c 1 -i moderato0 ether dst "$1" > "$T/tcpdump.out" 2>&1
	code=$?
	kill $ping
	wait $ping 2> /dev/null
	cat "$T/tcpdump.out"
	return $code
}

stays_out() {
	! arrives "$1" "$2" 4 && grep -q "listening on" "$T/tcpdump.out"
}

rctl_bits() { # UPE and MPE
	echo $((($(moderato regs --json | jq '.regs[] | select(.name == "RCTL") | .value') >> 3) & 3))
}

rctl_bits_are() {
	[ "$(rctl_bits)" = "$1" ]
}

check "the far end is up" far_up
check "the far end has a neighbour that is nobody" far ip neigh replace 198.18.0.9 lladdr $stranger dev far0 nud permanent
check "the far end has a way to the group" far ip route replace 239.0.0.0/8 dev far0
check "vfio-pci takes the NIC" give "$DUT" vfio-pci
check "moderato up" moderato up "$DUT"
check "the far end answers" wait_for 10 ours ping -q -c 1 -W 1 "$FAR_IP"
check "no mode at first" rctl_bits_are 0
check "a frame to somebody else stays out" stays_out $stranger 198.18.0.9
check "a frame to a group stays out" stays_out $group 239.1.2.3

check "join the group" ours ip maddress add $group dev moderato0
check "its frames arrive" arrives $group 239.1.2.3
check "no mode for that" rctl_bits_are 0
check "leave the group" ours ip maddress delete $group dev moderato0
sleep 1
check "its frames stay out again" stays_out $group 239.1.2.3

check "promisc on" ours ip link set moderato0 promisc on
check "UPE and MPE" wait_for 5 rctl_bits_are 3
check "a frame to somebody else arrives" arrives $stranger 198.18.0.9
check "promisc off, allmulticast on" ours ip link set moderato0 promisc off allmulticast on
check "MPE alone" wait_for 5 rctl_bits_are 2
check "a frame to a group arrives" arrives $group 239.1.2.3
check "allmulticast off" ours ip link set moderato0 allmulticast off
check "neither" wait_for 5 rctl_bits_are 0

check "another Ethernet address" ours ip link set moderato0 address $mac
same "the daemon has it" $mac "$(sleep 1; moderato info --json | jq -r .path.mac)"
far ip neigh flush dev far0 > /dev/null 2>&1
check "the far end reaches it" wait_for 15 far ping -q -c 1 -W 1 "$NEAR_IP"
check "restart" moderato restart
check "and after a restart" wait_for 15 far ping -q -c 1 -W 1 "$NEAR_IP"
check "moderato down" moderato down
check "the NIC goes back" give "$DUT" ""
