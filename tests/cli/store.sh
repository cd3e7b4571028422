# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# time limit: 180 s
# What happens to a store: full disk, other version, not a store, no directory, two sweeps at once,
# Ctrl-C; nothing that was measured before is lost.

sweep() { # store, further options
	local store=$1
	shift
	moderato sweep --out "$store" --set "ITR=0,651" --buffers 128k --dirs rx --seed 3 "$@"
}
count() { # store status
	sqlite3 -cmd ".timeout 3000" "$1" "SELECT count(*) FROM trial WHERE status = '$2'"
}

moderato up sim:82574L > /dev/null
moderato set ITR=444 > /dev/null
check "a sweep of two trials" sweep "$T/a.db"
same "both count" 2 "$(count "$T/a.db" ok)"
same "settings are back" 444 "$(readback ITR)"
check "resume of a complete plan is no failure" moderato sweep --out "$T/a.db" --resume
same "and measures nothing again" 2 "$(count "$T/a.db" ok)"

refuse "no store named" 2 "out" moderato sweep --set ITR=0
refuse "nothing to sweep" 2 "set|preset" moderato sweep --out "$T/x.db"
refuse "unknown knob" 2 "ITR" moderato sweep --out "$T/x.db" --set "ITX=0,1"
refuse "unknown preset, nearest named" 2 "netbsd-new" moderato sweep --out "$T/x.db" --preset netbsd-knew
refuse "value out of range" 2 "65535" moderato sweep --out "$T/x.db" --set "ITR=0,70000"
refuse "bad buffer" 2 "buffer|size" moderato sweep --out "$T/x.db" --set ITR=0 --buffers 12q
refuse "bad direction" 2 "rx" moderato sweep --out "$T/x.db" --set ITR=0 --dirs up
refuse "bad workload" 2 "workload|udp" moderato sweep --out "$T/x.db" --set ITR=0 --workload udp:rx:1k
refuse "unknown baseline" 2 "base|nosuch" moderato sweep --out "$T/x.db" --set ITR=0 --baseline nosuch
refuse "a directory that does not exist" 1 "nonexistent" sweep /nonexistent/x.db
same "none of these left a file" "" "$(ls "$T"/x.db* 2> /dev/null)"

echo "this is a letter, not a database, and long enough to be looked at as one" > "$T/letter.db"
refuse "not a store" 1 "letter.db" sweep "$T/letter.db"
check "and it is untouched" grep -q "a letter" "$T/letter.db"
cp "$T/a.db" "$T/future.db"
sqlite3 "$T/future.db" "PRAGMA user_version = 99"
refuse "a store of another version" 1 "version" sweep "$T/future.db"
refuse "also for reading" 1 "version" moderato table "$T/future.db"

moderato sweep --out "$T/busy.db" --set "ITR=0,651" --buffers 128k --dirs rx --blocks 20 > /dev/null 2>&1 &
first=$!
in_flight() {
	[ "$(count "$T/busy.db" running)" = 1 ]
}
wait_for 10 in_flight
refuse "a second sweep into the same store" 1 "pid|lease|runs" moderato sweep --out "$T/busy.db" --resume
refuse "a second sweep of the same device" 1 "lease|hold|sweep" sweep "$T/other.db"
refuse "set while a sweep runs names the holder" 1 "sweep" moderato set ITR=1
kill -INT $first
wait $first
same "Ctrl-C ends it with exit code 1" 1 $?
same "and its settings are back" 444 "$(readback ITR)"
same "the interrupted trial is planned again" 0 "$(count "$T/busy.db" running)"

mkdir "$T/small"
mount -t tmpfs -o size=420k tmpfs "$T/small"
refuse "disk full" 1 "full|space" sweep "$T/small/full.db" --blocks 60
done_before=$(count "$T/small/full.db" ok)
check "what was measured before is there" test "$done_before" -ge 1
same "settings are back after it" 444 "$(readback ITR)"
mount -o remount,size=20m "$T/small"
timeout --foreground -s INT 6 moderato sweep --out "$T/small/full.db" --resume > /dev/null 2>&1
check "with room it goes on" test "$(count "$T/small/full.db" ok)" -gt "$done_before"
umount -l "$T/small"

refuse "the daemon is named and absent" 1 "nobody" moderato sweep --name nobody --out "$T/y.db" --set ITR=0
moderato down > /dev/null
refuse "no daemon runs" 1 "moderato up" sweep "$T/y.db"
check "nothing is left" nothing_left
