# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# time limit: 240 s
# The README's commands, as printed there, one after the other.

readme=$PWD/README.md
cd "$T" || exit 1

block() { # heading: the commands of its last sh block, comments cut off
	awk -v heading="## $1" '
		$0 == heading { inside = 1; next }
		/^## / { inside = 0 }
		inside && /^```sh/ { code = 1; text = ""; next }
		/^```/ { code = 0 }
		inside && code { sub(/ +# .*/, ""); text = text $0 "\n" }
		END { printf "%s", text }' "$readme" | grep '^moderato'
}

run_block() { # heading
	local command
	while read -r command; do
		case $command in
		"moderato sweep"*"--resume") check_measured "$1: $command" bash -c "$command" ;;
		"moderato sweep"*)
			# a disturbed machine may end it early: that is what the next line of the page is for
			bash -c "$command" > sweep.out 2>&1 || grep -q -- --resume sweep.out ||
				not_ok "$1: $command" "$(tail -n 1 sweep.out)"
			;;
		*) check "$1: $command" bash -c "$command" ;;
		esac
	done < <(block "$1")
}

run_block "Try it without hardware"
wait_for 5 nothing_left
run_block "Tune"
run_block "Read a result"
check "the chart is there" test -s charts/throughput.png
check "the profile claims nothing" test "$(jq '[.effects[] | select(.proven)] | length' profile.json)" -eq 0
check "nothing is left" nothing_left
