#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run the end-to-end tests (all, or those named), each in namespaces of its own and under a time limit.
#
# A test is tests/cli/NAME.sh; it prints "ok - ", "not ok - " and "skip - " lines. Its mount, PID and
# network namespaces make sure that nothing outlives it and that other daemons are not in the way.
# usage: BUILD=build/release tests/cli/run.sh [NAME...]
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(realpath "${BUILD:-build/release}")
export BUILD

if [ $# -eq 0 ]; then
	for file in tests/cli/*.sh; do
		case $file in */run.sh | */lib.sh) ;; *) set -- "$@" "$(basename "$file" .sh)" ;; esac
	done
fi

why_not=
[ "$(id -u)" -eq 0 ] || why_not="needs root"
[ -c /dev/net/tun ] || why_not="needs /dev/net/tun"

passed=0 failed=0 skipped=0 bad=
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for name in "$@"; do
	file=tests/cli/$name.sh
	[ -f "$file" ] || { echo "$0: no test $file" >&2; exit 2; }
	start=$SECONDS code=0
	if [ -n "$why_not" ]; then
		echo "skip - $name: $why_not" | tee "$log"
	else
		limit=$(sed -n 's/^# time limit: \([0-9]*\) s.*/\1/p' "$file")
		# shellcheck disable=SC2016 # expanded by the inner shell
		timeout -k 5 "${limit:-120}" unshare --mount --pid --net --fork --kill-child --mount-proc \
			bash -c '. tests/cli/lib.sh; setup; . "$1"; finish' "$name" "$file" 2>&1 < /dev/null |
			tee "$log"
		code=${PIPESTATUS[0]}
	fi
	p=$(grep -c '^ok - ' "$log")
	f=$(grep -c '^not ok - ' "$log")
	s=$(grep -c '^skip - ' "$log")
	if [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		[ "$code" -eq 124 ] && echo "not ok - $name: over its time limit of ${limit:-120} s"
	fi
	[ $((p + f + s)) -eq 0 ] && f=1
	[ "$f" -gt 0 ] && bad="$bad $name"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	echo "$name: $p ok, $f not ok, exit $code, $((SECONDS - start)) s"
done
[ -n "$bad" ] && echo "failed:$bad"
if [ $skipped -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
