#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sizes of C files and functions; fails when a file is over 450 lines (a test: 700) or a function over 80.
#
# usage: size-report.sh [--all] FILE...    (--all prints the distribution too)
set -u
all=
if [ "${1:-}" = --all ]; then
	all=1
	shift
fi
awk -v all="$all" '
	# Kernel style: only a function has its opening brace alone in column one.
	FNR == 1 { if (file) files[file] = lines; file = FILENAME; start = 0 }
	{ lines = FNR }
	/^[a-zA-Z_].*\(/ && !/;$/ { signature = FNR; name = $0 }
	/^{$/ { start = signature }
	/^}$/ && start {
		length_now = FNR - start + 1
		sizes[++count] = length_now
		if (length_now > 80) {
			sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
			printf "%s:%d: function %s has %d lines\n", file, start, name, length_now
			bad = 1
		}
		start = 0
	}
	END {
		files[file] = lines
		for (f in files) {
			total += files[f]; n++
			if (files[f] > (f ~ /^tests\// ? 700 : 450)) { printf "%s: %d lines\n", f, files[f]; bad = 1 }
		}
		if (all && count) {
			for (i = 1; i <= count; i++) { if (sizes[i] > 40) over40++; sum += sizes[i] }
			printf "%d files, %d lines; %d functions, mean %.1f lines, %d over 40\n",
				n, total, count, sum / count, over40
		}
		exit bad
	}' "$@"
