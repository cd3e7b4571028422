#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# TCP through our driver against the kernel's on an emulated 82574L, in one boot of the lab's guest.
#
# The emulator is the newest that Debian has: QEMU 7.2 cuts a TCP super-frame into IP fragments instead of
# segments, so that one lost piece costs 64 KiB.
set -u
lab=build/lab
tests/lab/qemu.sh $lab/qemu > $lab.log 2>&1 || { cat $lab.log; exit 1; }
LAB_QEMU=$lab/qemu/qemu LAB_NIC=e1000e LAB_TESTS=bench_tcp LAB_SECONDS=1000 tests/lab/run.sh one || exit 1
cat $lab/out/e1000e/figures
