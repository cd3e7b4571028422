# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# The three interrupt modes under traffic: restarts keep TAP and connections, vectors are the right ones.

stream() { # bytes through a TCP connection from the far end, 0 on success
	at local socat -u TCP-LISTEN:5555,reuseaddr "OPEN:$T/got,creat,trunc" &
	local receiver=$!
	wait_for 5 listening local t 5555
	head -c "$1" /dev/zero | at peer socat -u STDIN TCP:198.18.0.1:5555
	wait $receiver
	[ "$(stat -c %s "$T/got")" -eq "$1" ]
}

trickle() { # 2 MB in two seconds
	for _ in $(seq 40); do
		head -c 50000 /dev/zero
		sleep 0.05
	done
}

survives_restart() {
	at local socat -u TCP-LISTEN:5556,reuseaddr "OPEN:$T/long,creat,trunc" &
	local receiver=$!
	wait_for 5 listening local t 5556
	trickle | at peer socat -u STDIN TCP:198.18.0.1:5556 &
	local sender=$!
	sleep 0.5
	moderato restart intmode=msix rx-ring=512 && wait $sender && wait $receiver &&
		[ "$(stat -c %s "$T/long")" -eq 2000000 ]
}

moderato up sim:82574L > /dev/null
for mode in intx msi msix msi; do
	check "$mode: restart" moderato restart intmode=$mode
	same "$mode: in force" $mode "$(moderato get --json | jq -r .intmode)"
	same "$mode: running again" running "$(moderato info --json | jq -r .state)"
	before=$(counter irq_vector_1)
	check "$mode: 20 MB arrive" stream 20000000
	grew=$(($(counter irq_vector_1) - before))
	if [ $mode = msix ]; then
		check "$mode: transmit has its own vector" test $grew -gt 0
	else
		same "$mode: only vector 0" 0 $grew
	fi
	check "$mode: set under this mode" moderato set ITR=500 EITR0=500
	warned=$(moderato get --json | jq '.knobs | [.ITR.acts, .EITR0.acts] | map(tostring) | join(" ")' -r)
	[ $mode = msix ] && wanted="false true" || wanted="true false"
	same "$mode: which throttle acts" "$wanted" "$warned"
done
check "a connection survives a restart" survives_restart
check "82574L down" moderato down
moderato up sim:82545EM > /dev/null
same "82545EM starts in INTx" intx "$(moderato get --json | jq -r .intmode)"
check "82545EM: 20 MB arrive" stream 20000000
refuse "82545EM has no MSI-X" 2 "82545EM" moderato restart intmode=msix
refuse "82545EM has no EITR0" 2 "EITR0" moderato set EITR0=500
check "82545EM down" moderato down
check "nothing is left" nothing_left
