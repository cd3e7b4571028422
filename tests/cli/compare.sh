# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# time limit: 120 s
# Comparisons and tables by the commands: pairs run, resumed and read again, refusals, four formats.

compare() { # further words
	moderato compare "$@"
}
table() { # further words
	moderato table "$T/sweep.db" "$@"
}

moderato up sim:82574L > /dev/null
moderato set ITR=444 > /dev/null
refuse "one side alone" 2 "two settings" compare ITR=0
refuse "both sides the same to the chip" 2 "not a comparison" compare "RDTR=0 RADV=0" "RDTR=0 RADV=128"
refuse "a number of pairs without a look" 2 "7, 10, 15, 20" compare ITR=0 ITR=1500 --pairs 12
refuse "unknown metric, nearest named" 2 "goodput_mbps" compare ITR=0 ITR=1500 -m godput_mbps
refuse "metric without a better side" 2 "no better" compare ITR=0 ITR=1500 -m window_s

compare ITR=0 ITR=1500 -w rr:64 --pairs 1 --seed 1 > "$T/out" 2> /dev/null
same "one pair is run" 0 $?
check "and proves nothing" grep -q "n = 1, no verdict" "$T/out"
same "settings are back" 444 "$(readback ITR)"
check "seven pairs of a clear difference" compare ITR=0 ITR=1500 -w rr:64 --pairs 7 --out "$T/rr.db"
same "are a verdict" worse "$(compare "$T/rr.db" --json | jq -r '.[0].result.verdict')"
same "with the delay as ratio" true "$(compare "$T/rr.db" --json | jq '.[0].result.low > 3')"
same "the other way round it is better" better \
	"$(compare "$T/rr.db" ITR=1500 ITR=0 --json | jq -r '.[0].result.verdict')"
same "the look is in the store" 7 "$(sqlite3 "$T/rr.db" "SELECT pairs FROM look")"
refuse "settings that the store lacks" 2 "ITR=1500" compare "$T/rr.db" ITR=0 ITR=7
refuse "a store that is not there" 1 "no store" compare "$T/none.db" ITR=0 ITR=7
refuse "a comparison is not resumed as a sweep" 1 "compare" moderato sweep --out "$T/rr.db" --resume

timeout --foreground --preserve-status -s INT 2 moderato compare ITR=0 ITR=1500 --pairs 7 --out "$T/cut.db" > "$T/out" 2> "$T/err"
same "Ctrl-C ends a comparison with exit code 1" 1 $?
check "and says how to go on" grep -q -- "compare --resume" "$T/err"
same "settings are back after it" 444 "$(readback ITR)"
check "resume completes it" compare --resume --out "$T/cut.db" -m irq_per_s
same "with seven pairs" 7 "$(sqlite3 "$T/cut.db" "SELECT max(pairs) FROM look")"

check "a sweep for the table" moderato sweep --out "$T/sweep.db" --set "low: ITR=0" --set "high: ITR=1500" \
	--buffers 4k,128k --dirs rx --workload rr:64
table > "$T/out"
check "text has the settings side by side" grep -qE "^ +low +high$" "$T/out"
check "and says that one trial proves nothing" grep -q "n = 1, no verdicts" "$T/out"
table --format md > "$T/out"
check "Markdown has a row for each buffer" grep -qE "^\| 128k \| [0-9.]+ \| [0-9.]+ \|$" "$T/out"
same "CSV has a line for each figure" 7 "$(table --format csv | wc -l)"
same "JSON has a table for each kind of traffic" 2 "$(table --format json | jq length)"
same "and every cell" 6 "$(table --format json | jq '[.[].cells[]] | length')"
check "another metric" table -m irq_per_s -m driver_cpu_per_gbit_s --verdicts --spread
refuse "unknown format" 2 "csv" table --format xml
refuse "a metric that nothing has" 1 "jitter_us" table -m jitter_us
moderato down > /dev/null
check "tables need no daemon" table
check "nothing is left" nothing_left
