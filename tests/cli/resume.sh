# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# time limit: 400 s
# Sweep and daemon are killed at twenty random instants; each loses at most the trial in flight, the
# settings come back, and --resume completes the same plan.

store=$T/kill.db
query() {
	sqlite3 -cmd ".timeout 3000" "$store" "$1"
}
plan_of() { # everything that was fixed before the first trial
	query "SELECT position, config, cell, block FROM trial WHERE attempt = 1 ORDER BY position"
}
finished() { # trials that count, with all their figures
	query "SELECT t.id, t.position, t.attempt, m.name, m.value FROM trial t JOIN metric m ON m.trial = t.id
		WHERE t.status = 'ok' ORDER BY t.id, m.name"
}
settings() {
	echo "$(readback ITR) $(readback RDTR) $(readback TIDV)"
}
restored() {
	[ "$(settings)" = "$before" ]
}
planned() {
	[ -n "$(plan_of)" ]
}
no_traffic() {
	! pgrep -x iperf3 && [ "$(pgrep -x moderato | wc -l)" -eq 0 ]
}
begin=(moderato sweep --out "$store" --set "ITR=0,651 RDTR=0,100" --buffers "1k,128k" --dirs "rx,tx"
	--blocks 2 --seed 7)

moderato up sim:82574L > /dev/null
moderato set ITR=333 RDTR=5 TIDV=9 > /dev/null
before=$(settings)
lost=0 vanished=0 unrestored=0 left=0 silent=0 plan='' done_before=''
RANDOM=42
for round in $(seq 20); do
	if [ "$round" -eq 1 ]; then
		"${begin[@]}" > "$T/out" 2> "$T/err" &
	else
		moderato sweep --out "$store" --resume > "$T/out" 2> "$T/err" &
	fi
	sweep=$!
	sleep "$((RANDOM % 2)).$((RANDOM % 10))$((RANDOM % 10))"
	[ "$round" -eq 1 ] && wait_for 5 planned
	if [ $((round % 2)) -eq 1 ]; then
		kill -9 $sweep 2> /dev/null
		wait $sweep 2> /dev/null
		wait_for 5 restored || unrestored=$((unrestored + 1))
	else
		pid=$(daemon_pid sim-82574L)
		kill -9 "$pid"
		wait $sweep
		# the sweep ends by itself: exit code 1 (or 0 when it was done already), saying how to go on
		code=$?
		[ $code -eq 0 ] || { [ $code -eq 1 ] && grep -q -- "--resume" "$T/err"; } || silent=$((silent + 1))
		wait_for 5 gone "$pid"
		moderato up sim:82574L > /dev/null
		moderato set ITR=333 RDTR=5 TIDV=9 > /dev/null
	fi
	wait_for 5 no_traffic || left=$((left + 1))
	[ -z "$plan" ] && plan=$(plan_of)
	[ "$(query "SELECT count(*) FROM trial WHERE status = 'running'")" -le 1 ] || lost=$((lost + 1))
	now=$(finished)
	[ -z "$(comm -23 <(sort <<< "$done_before") <(sort <<< "$now"))" ] || vanished=$((vanished + 1))
	done_before=$now
done
same "at most one trial was in flight at each kill" 0 $lost
same "no finished trial or figure was ever lost" 0 $vanished
same "a killed sweep's settings were put back every time" 0 $unrestored
same "a killed daemon ended the sweep with a word how to go on" 0 $silent
same "no traffic process outlived a kill" 0 $left
check "some trials were done under fire" test "$(query "SELECT count(*) FROM trial WHERE status = 'ok'")" -ge 5
check_measured "the last resume completes" moderato sweep --out "$store" --resume
same "the plan is the one of the first minute" "$plan" "$(plan_of)"
same "every position has a result" 0 "$(query "SELECT count(*) FROM
	(SELECT position FROM trial GROUP BY position HAVING sum(status IN ('ok', 'void', 'failed')) = 0)")"
same "32 positions" 32 "$(query "SELECT count(DISTINCT position) FROM trial")"
same "settings are back at the end" "$before" "$(settings)"
same "the store is sound" ok "$(query "PRAGMA integrity_check")"
moderato down > /dev/null
check "nothing is left" nothing_left
