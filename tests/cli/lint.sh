# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Settings checked before they are swept.

printf 'chip 82574L\npreset netbsd-old,netbsd-new\nset ITR=0,651 RADV=0,128\n' > "$T/sweep"
check "a sweep file" moderato lint "$T/sweep"
same "dead RADV makes settings the same" 2 \
	"$(moderato lint "$T/sweep" --json | jq '[.findings[].text | select(test("cannot tell"))] | length')"
same "settings, and those the chip can tell apart" "6 4" \
	"$(moderato lint "$T/sweep" --json | jq -r '"\(.settings) \(.distinct)"')"
check "the options of a sweep" moderato lint --chip 82545EM --set "ITR=0,651 RDTR=0,32" --preset netbsd-new
refuse "out of range" 1 "cannot be swept" moderato lint --chip 82574L --set ITR=0,70000
same "by line" "$T/sweep2:2: error" "$(printf 'chip 82574L\nset ITR=70000\n' > "$T/sweep2";
	moderato lint "$T/sweep2" 2> /dev/null | grep -o '^.*: error')"
refuse "no chip" 2 "chip" moderato lint --set ITR=0,1
refuse "nothing to check" 2 "nothing" moderato lint --chip 82574L
refuse "no such file" 1 "No such file" moderato lint "$T/nosuch"
refuse "file and options" 2 "file" moderato lint "$T/sweep" --set ITR=1
refuse "unknown chip, nearest named" 2 "82574L" moderato lint --chip 82574K --set ITR=1

moderato up sim:82574L > /dev/null
moderato sweep --out "$T/a.db" --set "ITR=0,195 RADV=8" --buffers 128k --dirs rx > /dev/null 2>&1
check "the store of a sweep" moderato lint "$T/a.db"
same "its settings" "82574L 2" "$(moderato lint "$T/a.db" --json | jq -r '"\(.chip) \(.distinct)"')"
check "down" moderato down
