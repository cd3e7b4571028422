#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run the unit tests that were cross-built for arm64 under qemu-user; last line: N passed, N failed.
#
# usage: run.sh SYSROOT BUILD_DIR
# Left out, by name: what looks at the kernel around the emulator and not at our code.
set -u
cd "$(dirname "$0")/../.." || exit 1
[ $# -eq 2 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
root=$1 build=$2

declare -A left_out=(
	[bench_path_test]="needs a TAP, which qemu-user's netlink cannot configure"
	[bench_run_test]="times traffic through the kernel"
	[follow_test]="needs a TAP"
	[path_test]="needs a TAP"
	[sim_thread_test]="needs a TAP, and times a thread"
	[tap_test]="needs a TAP"
	[netns_test]="makes user namespaces, which a process with the emulator's threads may not"
	[store_test]="tells a live process by its start time, which qemu-user makes up for a process itself"
	[harden_test]="the system-call filter also holds the emulator's own calls"
)
programs=()
for program in "$build"/tests/*_test; do
	name=$(basename "$program")
	if [ -n "${left_out[$name]:-}" ]; then
		echo "left out: $name: ${left_out[$name]}"
	else
		programs+=("$program")
	fi
done
export QEMU_LD_PREFIX=$root RUNNER=qemu-aarch64-static
exec tests/run-unit.sh "${programs[@]}"
