# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Injected faults: each is found, counted and survived, or said to be the end.

flood() { # keeps frames coming both ways for a while
	moderato ns -- ping -q -f -w "$1" 198.18.0.2 > /dev/null 2>&1
}
grown() { # counter before
	[ "$(counter "$1")" -gt "$2" ]
}

moderato up sim:82574L > /dev/null
moderato set ITR=700 > /dev/null

n=$(counter tx_hangs)
check "tx-hang: injected" moderato fault tx-hang
flood 3
check "tx-hang: the watchdog finds it" wait_for 10 grown tx_hangs "$n"
check "tx-hang: traffic flows again" wait_for 10 answers
same "tx-hang: settings are back" 700 "$(readback ITR)"

n=$(counter link_changes)
check "link-flap: injected" moderato fault link-flap
check "link-flap: noticed" wait_for 10 grown link_changes "$n"
check "link-flap: traffic flows again" wait_for 10 answers

check "lost-interrupt: injected" moderato fault lost-interrupt
flood 1
check "lost-interrupt: traffic flows again" wait_for 10 answers

# Found by missed frames: large ones, so that the packet buffer is full at once.
moderato set RDTR=50 > /dev/null
n=$(counter rx_hangs)
check "rx-hang: injected" moderato fault rx-hang
at peer ping -q -f -s 1400 -w 4 198.18.0.1 > /dev/null 2>&1
check "rx-hang: the watchdog finds it" wait_for 10 grown rx_hangs "$n"
moderato set RDTR=0 > /dev/null
check "rx-hang: traffic flows again" wait_for 10 answers

check "stuck-reset: injected" moderato fault stuck-reset
refuse "stuck-reset: the restart says why" 1 "reset" moderato restart
check "stuck-reset: a second restart works" moderato restart
check "stuck-reset: traffic flows again" wait_for 10 answers

check "all-ones: injected" moderato fault all-ones --count 1000000
device_gone() {
	[ "$(moderato info --json | jq -r .state)" = gone ]
}
flood 1
check "all-ones: the device counts as gone" wait_for 10 device_gone
check "all-ones: the daemon still answers and ends" moderato down
check "nothing is left" nothing_left
