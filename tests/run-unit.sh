#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Run cmocka programs one after the other, each with a time limit; last line: N passed, N failed.
# RUNNER names a program that runs them, such as an emulator.
set -u
# The distribution's own tools come first: packages.txt installs what belongs to them.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
passed=0 failed=0 skipped=0 bad=
for program in "$@"; do
	log=$(mktemp)
	# shellcheck disable=SC2086 # a word or none
	timeout "${TEST_TIMEOUT:-120}" ${RUNNER:-} "$program" > "$log" 2>&1
	code=$?
	p=$(grep -c '^\[       OK \]' "$log")
	s=$(grep '^\[  SKIPPED \] [a-zA-Z]' "$log" | sort -u | wc -l)
	f=$(sed -n 's/^ *\([0-9][0-9]*\) FAILED TEST.*/\1/p' "$log" | tail -n 1)
	f=${f:-0}
	if [ $code -ne 0 ]; then
		[ "$f" -eq 0 ] && f=1
		bad="$bad $(basename "$program")"
		cat "$log"
	fi
	# cmocka names a skipped test twice; the reason is what the test printed before
	grep '^\[  SKIPPED \] [a-zA-Z]' "$log" | sort -u | while read -r _ _ _ test_name; do
		reason=$(sed -n "/^\[ RUN      \] $test_name\$/{n;p;}" "$log" | head -n 1)
		echo "skip - $(basename "$program")/$test_name: $reason"
	done
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	printf '%-28s %3d passed %s\n' "$(basename "$program")" "$p" "$([ $code -eq 0 ] || echo FAILED)"
	rm -f "$log"
done
[ -n "$bad" ] && echo "failed:$bad"
if [ $skipped -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
