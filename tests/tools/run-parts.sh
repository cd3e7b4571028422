#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run parts "name=command" one after the other, add up their "N passed, N failed" lines, print the total.
# A part without such a line counts as one test by its exit code.
set -u

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
