#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Make the lab's guest and run it: a smoke test or a shell on one model, or every test on all models.
#
# usage: BUILD=build/release run.sh one|all
# LAB_NIC     the model under test (one: e1000e; all: those the emulator has)
# LAB_SHELL=1 a prompt in the guest instead of tests; LAB_TESTS="a b" picks tests;
# LAB_QEMU names another emulator, such as the one that qemu.sh unpacks (for igb);
# LAB_MEGABYTES of each transfer (16); LAB_SECONDS time limit of one guest (600). Files go to build/lab.
set -u
cd "$(dirname "$0")/../.." || exit 1

what=${1:-}
build=${BUILD:-build/release} lab=build/lab
qemu=${LAB_QEMU:-qemu-system-x86_64}
known="e1000e igb e1000 e1000-82544gc e1000-82545em"
smoke="kernel bind bringup"
every="kernel bind bringup jumbo filter rights unplug sweep"

has_model() {
	"$qemu" -device "$1,help" 2> /dev/null | grep -q "^  netdev="
}

case $what in
one) models=${LAB_NIC:-e1000e} tests=${LAB_TESTS:-$smoke} ;;
all) models=${LAB_NIC:-$known} tests=${LAB_TESTS:-$every} ;;
*) sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2 ;;
esac
there='' absent=''
for model in $models; do
	case " $known " in
	*" $model "*) ;;
	*) echo "$0: LAB_NIC=$model is no model of the lab; it has: $known" >&2; exit 2 ;;
	esac
	if has_model "$model"; then
		there="$there $model"
	else
		absent="$absent $model"
	fi
done
version=$("$qemu" --version | sed -n 's/.* version \([0-9.]*\).*/\1/p')
if [ -n "$absent" ] && [ "$what" = one ]; then
	echo "$0: QEMU $version has no$absent; igb needs 8 or newer:" \
		"tests/lab/qemu.sh build/lab/qemu, then LAB_QEMU=build/lab/qemu/qemu" >&2
	exit 1
fi
for name in $tests; do
	[ -f "tests/lab/guest/$name.sh" ] || { echo "$0: no test tests/lab/guest/$name.sh" >&2; exit 2; }
done

tests/lab/kernel.sh $lab/kernel && tests/lab/image.sh $lab/kernel "$build" $lab || exit 1
if [ "${LAB_SHELL:-}" = 1 ]; then
	# shellcheck disable=SC2086 # exactly one model
	exec tests/lab/boot.sh $lab $there $lab/out/shell 0
fi

export LAB_WORDS="lab.megabytes=${LAB_MEGABYTES:-16} ${LAB_WORDS:-}"
passed=0 failed=0 skipped=0
for model in $there; do
	out=$lab/out/$model start=$SECONDS
	# shellcheck disable=SC2086 # one word a test
	tests/lab/boot.sh $lab "$model" "$out" "${LAB_SECONDS:-600}" $tests
	if [ -s "$out/result.json" ]; then
		read -r p f s < <(jq -r '"\(.passed) \(.failed) \(.skipped)"' "$out/result.json")
	else
		p=0 f=1 s=0
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	echo "== $model: $p ok, $f not ok, $s skipped, $((SECONDS - start)) s, results in $out"
done
for model in $absent; do
	echo "skip - lab $model: QEMU $version does not have it"
	skipped=$((skipped + 1))
done
echo "models tested with QEMU $version:${there:- none}${absent:+; not tested:$absent}"
if [ $skipped -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
