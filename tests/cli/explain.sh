# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What a chip or a driver really does with settings, without any device.

explain() {
	moderato explain "$@"
}

# C01: five timers, two of which do nothing
five=(--chip 82574L --intmode msi --speed 1000 ITR=488 TIDV=64 TADV=64 RDTR=0 RADV=64)
check "five timers" explain "${five[@]}"
five_json() {
	explain "${five[@]}" --frame 1518,9234 --json | jq -r "$1"
}
same "RADV is dead, and why" "RDTR is 0" "$(five_json '.knobs[] | select(.name == "RADV").reason')"
same "the throttle is 8004.6/s" 8004.6 "$(five_json '.rate_limit_per_s * 10 | round / 10')"
same "5.3 frames of MTU 1500, 0.9 of MTU 9216" "5.3 0.9" \
	"$(five_json '[.frames[].tx_window_frames * 10 | round / 10 | tostring] | join(" ")')"
same "a receive timer is proposed with its warning only" true \
	"$(five_json '[.candidates[] | select(.settings | test("RDTR=[1-9]")).hazard | test("hang")] | all')"

refuse "no chip" 2 "chip" moderato explain ITR=488
refuse "unknown chip, nearest named" 2 "82574L" moderato explain --chip 82574K ITR=488
refuse "unknown knob, nearest named" 2 "RDTR" moderato explain --chip 82574L RDRT=1
refuse "knob the chip lacks" 2 "82544GC has no ITR" moderato explain --chip 82544GC ITR=1
refuse "mode the chip lacks" 2 "only intx" moderato explain --chip 82545EM --intmode msix
refuse "bad mode" 2 "intmode" moderato explain --chip 82574L --intmode poll
refuse "bad speed" 2 "speed" moderato explain --chip 82574L --speed 250
refuse "bad frame size" 2 "frame" moderato explain --chip 82574L --frame 12
