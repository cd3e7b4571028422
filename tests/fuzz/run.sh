#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Run each fuzz program of a directory for FUZZ_SECONDS (30) seconds, from its seeds; what breaks it stays
# in that directory.
#
# usage: run.sh DIRECTORY [PROGRAM...]
set -u
here=$(dirname "$0")
programs=$1
shift
[ $# -gt 0 ] || set -- "$programs"/*_fuzz
failed=0
for program in "$@"; do
	name=$(basename "$program")
	seeds=$here/${name%_fuzz}_seeds
	corpus=$(mktemp -d)
	log=$corpus.log
	dictionary=$here/${name%_fuzz}.dict
	set -- "-max_total_time=${FUZZ_SECONDS:-30}" -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
		"-artifact_prefix=$programs/$name-"
	[ -f "$dictionary" ] && set -- "$@" "-dict=$dictionary"
	if "$program" "$@" "$corpus" "$seeds" > "$log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		echo "ok $name: $runs inputs in ${FUZZ_SECONDS:-30} s from $(find "$seeds" -type f | wc -l) seeds"
	else
		tail -n 40 "$log"
		echo "not ok $name: the input is in $programs/$name-*"
		failed=1
	fi
	rm -rf "$corpus" "$log"
done
exit $failed
