#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run the benchmarks of the named groups and print their figures once more at the end.
#
# A benchmark is tests/perf/GROUP_NAME.sh; among its output are lines "figure, name, value, unit, target,
# met|missed" separated by tabs ("-" for none). A missed target fails nothing; a benchmark that could
# not run does.
# usage: BUILD=build/release tests/perf/run.sh [--doc FILE] GROUP...
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(realpath "${BUILD:-build/release}")
export BUILD PATH="$BUILD:$PATH"

doc=
if [ "${1:-}" = --doc ]; then
	doc=$2
	shift 2
fi
[ $# -gt 0 ] || { echo "usage: $0 [--doc FILE] GROUP..." >&2; exit 2; }

groups=("$@")
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
broken=
for group in "$@"; do
	for script in tests/perf/"$group"_*.sh; do
		[ -x "$script" ] || continue
		echo "== $script"
		start=$SECONDS
		"$script" 2>&1 < /dev/null | tee -a "$log"
		[ "${PIPESTATUS[0]}" -eq 0 ] || broken="$broken $script"
		echo "== $script: $((SECONDS - start)) s"
	done
done

machine_line() {
	local cpu compiler
	cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	compiler=$(${CC:-gcc} --version | head -n 1)
	echo "${cpu:-$(uname -m)}, $(nproc) cores, $(uname -sr), $compiler"
}

# Figures as a table; a bar in a name would end its cell.
figure_rows() {
	grep -P '^figure\t' "$log" | sed 's/|/\\|/g' |
		awk -F'\t' '{ printf "| %s | %s | %s | %s | %s |\n", $2, $3, $4, $5, $6 }'
}

write_doc() {
	local target=benchmarks-doc title=Benchmarks targets
	targets=$(printf " \`make bench-%s\`" "${groups[@]}")
	[ "${groups[*]}" != lab ] || target=benchmarks-lab-doc title="Benchmarks in the lab"
	cat <<- PAGE
		<!-- SPDX-License-Identifier: BSD-2-Clause -->
		<!-- Made by \`make $target\`; change the benchmarks, not this page. -->
		# $title

		Every figure is printed by$targets; the scripts are in \`tests/perf/\`. A missed target is printed like
		any other.

		Command: \`make $target\`. Date: $(date -u +%Y-%m-%d). Revision: $(git describe --always 2> /dev/null).
		Machine: $(machine_line).

		| figure | value | unit | target | |
		|---|---:|---|---|---|
		$(figure_rows)
	PAGE
}

if [ -n "$doc" ]; then
	write_doc > "$doc.new" && mv "$doc.new" "$doc"
fi
echo
grep -P '^figure\t' "$log"
[ -z "$broken" ] || { echo "could not run:$broken" >&2; exit 1; }
