# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Life and death of daemons: second start, stale socket, kill -9 of daemon and of a lease's holder.

check "up" moderato up sim:82574L
refuse "the same name again is refused" 1 "already runs" moderato up sim:82574L
refuse "also by moderatod itself" 1 "sim-82574L" moderatod sim:82574L
check "another name goes" moderato up sim:82574L --name second
refuse "several daemons: one must be named" 2 "second" moderato get
check "named" moderato get --name second
check "down by name" moderato down second

pid=$(daemon_pid sim-82574L)
kill -9 "$pid"
wait_for 5 gone "$pid"
nothing_but_socket() {
	local left
	left=$(pgrep -x moderatod; ip -o link show type tun; lsns -n -t net -o NS | sort -u | tail -n +2)
	[ -z "$left" ] || { echo "left behind: $left"; return 1; }
}
check "kill -9 of the daemon leaves no process, interface or namespace" nothing_but_socket
same "its socket is stale" 1 "$(find /run/moderato -type s | wc -l)"
refuse "nobody answers there" 1 "" moderato get --name sim-82574L
check "up replaces the stale socket" moderato up sim:82574L
check "and traffic flows" moderato ns -- ping -q -c 2 -i 0.2 -W 2 198.18.0.2

# A lease held by a raw connection, whose process is killed.
moderato set ITR=651 RDTR=0 > /dev/null
socket=/run/moderato/sim-82574L.sock
mkfifo "$T/requests"
socat - UNIX-CONNECT:$socket < "$T/requests" > "$T/replies" &
holder=$!
exec 7> "$T/requests"
say() {
	echo "$1" >&7
}
say '{"jsonrpc":"2.0","id":1,"method":"lease.take","params":{"holder":"kill-test"}}'
say '{"jsonrpc":"2.0","id":2,"method":"set","params":{"knobs":{"ITR":5000,"RDTR":375}}}'
check "the lease's holder sets" wait_for 5 grep -q '"id": *2' "$T/replies"
same "in force" 5000 "$(readback ITR)"
refuse "another writer is refused and told the holder" 1 "kill-test" moderato set ITR=1
kill -9 $holder
exec 7>&-
back() {
	[ "$(readback ITR) $(readback RDTR)" = "651 0" ]
}
check "kill -9 of the holder puts the old settings back" wait_for 5 back
check "and frees the lease" moderato set ITR=500

check "set --revert-after" moderato set ITR=1000 --revert-after 300ms
reverted() {
	[ "$(readback ITR)" = 500 ]
}
check "reverts by itself" wait_for 5 reverted
moderato set ITR=1000 --revert-after 400ms > /dev/null
check "confirm" moderato set --confirm
sleep 0.7
same "a confirmed set stays" 1000 "$(readback ITR)"

pid=$(daemon_pid sim-82574L)
kill -TERM "$pid"
check "SIGTERM ends it" wait_for 5 gone "$pid"
check "and leaves nothing" nothing_left
