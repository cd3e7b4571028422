#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Boot the lab's guest with two NICs on one wire, run tests in it, and hand back its results.
#
# usage: boot.sh LAB_DIR MODEL OUT_DIR SECONDS TEST...    (no TEST: a shell on this terminal)
# OUT_DIR gets console.log, qemu.log and what the guest sent (result.json, dmesg, one log a test).
# Exit code: 0 all tests passed, 1 a test failed or the guest did not answer, 2 usage.
# The emulator is ended by its pid at SECONDS. LAB_QEMU names another emulator, LAB_TRACE events to log.
set -u

[ $# -ge 4 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
lab=$1 model=$2 out=$3 limit=$4
shift 4
qemu=${LAB_QEMU:-qemu-system-x86_64}
rm -rf "$out"
mkdir -p "$out"

dut=0000:00:04.0 dut_bus=pcie.0,addr=4
machine=(-accel "tcg,thread=multi" -M "q35,kernel-irqchip=off" -cpu max -smp 2 -m "${LAB_MEMORY:-1G}"
	-nodefaults -no-user-config -display none -no-reboot
	-device "intel-iommu,intremap=on,caching-mode=on")
if [ "$model" = igb ]; then # its capabilities need a port of its own
	machine+=(-device "pcie-root-port,id=port1,bus=pcie.0,addr=3,chassis=1")
	dut=0000:01:00.0 dut_bus=port1
fi
wire=(-netdev "hubport,id=left,hubid=1" -netdev "hubport,id=right,hubid=1"
	-device "$model,bus=$dut_bus,netdev=left,mac=52:54:00:4d:00:01"
	-device "e1000e,bus=pcie.0,addr=5,netdev=right,mac=52:54:00:4d:00:02")
results=(-device "virtio-serial-pci,bus=pcie.0,addr=6"
	-chardev "file,id=result,path=$out/result.tar" -device "virtserialport,name=lab.result,chardev=result")
words="console=ttyS0 quiet loglevel=3 panic=-1 oops=panic intel_iommu=on iommu=pt"
words="$words lab.model=$model lab.dut=$dut lab.peer=0000:00:05.0 ${LAB_WORDS:-}"
guest=(-kernel "$lab/kernel/vmlinuz" -initrd "$lab/initramfs")
[ -n "${LAB_TRACE:-}" ] && machine+=(-trace "$LAB_TRACE")

if [ $# -eq 0 ]; then
	exec "$qemu" "${machine[@]}" "${wire[@]}" "${results[@]}" "${guest[@]}" -serial mon:stdio \
		-append "$words lab.shell=1"
fi

tests=$*
: > "$out/console.log"
timeout -k 5 "$limit" "$qemu" "${machine[@]}" "${wire[@]}" "${results[@]}" "${guest[@]}" \
	-serial "file:$out/console.log" -append "$words lab.tests=${tests// /,}" \
	> "$out/qemu.log" 2>&1 < /dev/null &
emulator=$!
trap 'kill $emulator 2> /dev/null; wait $emulator; exit 1' INT TERM
tail -n +1 -f --pid=$emulator -s 0.2 "$out/console.log" | tr -d '\r' | grep --line-buffered -aE \
	'^(ok|not ok|skip) - |^    |: [0-9]+ ok, [0-9]+ not ok|panic' &
wait $emulator
code=$?
wait
[ -s "$out/result.tar" ] && tar -xf "$out/result.tar" -C "$out" 2> /dev/null
rm -f "$out/result.tar"
if [ ! -s "$out/result.json" ]; then
	if [ $code -eq 124 ] || [ $code -eq 137 ]; then
		echo "not ok - $model: the guest was over its time limit of $limit s"
	else
		echo "not ok - $model: the guest gave no result, see $out/console.log and $out/qemu.log"
	fi
	exit 1
fi
[ "$(jq .failed "$out/result.json")" -eq 0 ]
