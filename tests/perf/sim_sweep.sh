#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Share of a sweep's time that is not spent measuring, trials of 1 s, from the end of one window to the
# start of the next without settling; with live knobs only, and with two interrupt modes (restarts).
set -u
dir=$(mktemp -d) || exit 1
name=sweep-figure-$$
cleanup() {
	moderato down "$name" > /dev/null 2>&1
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

share() { # text of the figure, knobs
	moderato sweep "$name" --out "$dir/$1.db" --set "$2" --buffers 4k,128k --dirs rx,tx --blocks 2 \
		--seed 1 > "$dir/out" 2> "$dir/err" || { cat "$dir/out" "$dir/err"; return 1; }
	value=$(sed -n 's/.*not measuring: \([0-9.]*\) %.*/\1/p' "$dir/out")
	[ -n "$value" ] || return 1
	verdict=$(awk "BEGIN { print ($value <= 15) ? \"met\" : \"missed\" }")
	printf 'figure\tnot measuring in a sweep, 1 s a trial, %s\t%s\t%%\t<=15\t%s\n' "$1" "$value" "$verdict"
}

moderato up sim:82574L --name "$name" > /dev/null || exit 1
share "live knobs" "ITR=0,1500" && share "two interrupt modes" "ITR=1500 intmode=msi,intx"
