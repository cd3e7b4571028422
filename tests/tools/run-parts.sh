#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run parts "name=command" one after the other, add up their "N passed, N failed" lines, print the total.
# A part without such a line counts as one test by its exit code. A line "skip - NAME: reason" whose NAME
# is not in FILE counts as a failure when --expected-skips is given.
# usage: run-parts.sh [--expected-skips FILE] NAME=COMMAND...
set -u

expected=
if [ "${1:-}" = --expected-skips ]; then
	expected=$2
	shift 2
fi
passed=0 failed=0 skipped=0 bad=
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

for part in "$@"; do
	name=${part%%=*} command=${part#*=}
	echo "== $name: $command"
	start=$SECONDS
	bash -c "$command" 2>&1 < /dev/null | tee "$log"
	code=${PIPESTATUS[0]}
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1)
	if [ -n "$line" ]; then
		read -r p f s < <(sed -E 's/ passed, / /; s/ failed(, )?/ /; s/ skipped//' <<< "$line")
	elif [ "$code" -eq 0 ]; then
		p=1 f=0 s=0
	else
		p=0 f=1 s=0
	fi
	[ "$code" -ne 0 ] && [ "$f" -eq 0 ] && f=1
	if [ -n "$expected" ]; then
		while read -r test_name; do
			grep -qxF "$test_name" "$expected" && continue
			echo "unexpected skip: $test_name"
			f=$((f + 1))
		done < <(sed -n 's/^skip - \([^:]*\):.*/\1/p' "$log")
	fi
	[ "$f" -gt 0 ] && bad="$bad $name"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
	echo "== $name: exit $code after $((SECONDS - start)) s"
done

[ -n "$bad" ] && echo "failed parts:$bad"
if [ $skipped -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
