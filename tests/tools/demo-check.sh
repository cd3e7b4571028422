#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run `make demo` as a newcomer does and look at what it leaves in out/; last line: N passed, N failed.
set -u
cd "$(dirname "$0")/../.." || exit 1

passed=0 failed=0
check() { # name command...
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok - $name"
	else
		failed=$((failed + 1))
		echo "not ok - $name: $*"
	fi
}
is_png() { # at least 400 pixels wide, by its header
	[ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] &&
		[ "$((16#$(od -An -tx1 -j16 -N4 "$1" | tr -d ' \n')))" -ge 400 ]
}
has_rows() { # every buffer size of the matrix has its row
	for size in 32 256 1k 4k 16k 128k; do
		grep -qE "^\| *$size " out/table.md || return 1
	done
}
figures() { # trials that count, by the store itself
	sqlite3 out/demo.db "SELECT count(*) FROM trial WHERE status = 'ok'"
}

rm -rf out
start=$SECONDS
make --no-print-directory demo 2>&1 | tee out.log
check "make demo succeeds" test "${PIPESTATUS[0]}" -eq 0
echo "make demo took $((SECONDS - start)) s"
check "48 trials of the table and 40 of the contrasts are in the store" test "$(figures)" -ge 88
check "the store is sound" test "$(sqlite3 out/demo.db 'PRAGMA integrity_check')" = ok
check "the table has its six rows" has_rows
check "the chart is a picture" is_png out/throughput.png
check "the chart is scalable too" grep -q '</svg>' out/throughput.svg
check "the profile is JSON and names chip and CPU" jq -e '.chip and .cpu' out/profile.json
echo "proven effects: $(jq '[.effects[] | select(.proven)] | length' out/profile.json)"
check "something is proven, by ten pairs" test "$(jq '[.effects[] | select(.proven and .n >= 7)] | length' out/profile.json)" -ge 1
check "nothing is proven by one trial" test "$(jq '[.effects[] | select(.proven and .n == 1)] | length' out/profile.json)" -eq 0
check "verdicts are on screen" grep -q '^Verdicts' out.log
check "the last lines say what to try next" grep -q '^Next' <(tail -n 8 out.log)
check "no daemon is left" test -z "$(pgrep -f 'moderatod sim:82574L --name demo-' || true)"
rm -f out.log
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
