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
refuse "nothing at all" 2 "chip" moderato explain
refuse "unknown chip, nearest named" 2 "82574L" moderato explain --chip 82574K ITR=488
refuse "unknown knob, nearest named" 2 "RDTR" moderato explain --chip 82574L RDRT=1
refuse "knob the chip lacks" 2 "82544GC has no ITR" moderato explain --chip 82544GC ITR=1
refuse "mode the chip lacks" 2 "only intx" moderato explain --chip 82545EM --intmode msix
refuse "bad mode" 2 "intmode" moderato explain --chip 82574L --intmode poll
refuse "bad speed" 2 "speed" moderato explain --chip 82574L --speed 250
refuse "bad frame size" 2 "frame" moderato explain --chip 82574L --frame 12

# C02: lists of unequal length
printf 'options e1000e IntMode=1 InterruptThrottleRate=4,4,4,4,4,4,4,4\n' > "$T/modprobe.conf"
check "modprobe.d by file" moderato explain "$T/modprobe.conf"
same "one port has the mode, seven its default" "1 7" "$(moderato explain "$T/modprobe.conf" --json | jq -r \
	'[.rows[] | select(.key == "IntMode")] | [map(select(.verdict == "mode")), map(select(.value == "-"))] | map(length) | join(" ")')"
# C03: one recipe, three drivers
verdict() { # driver word
	moderato explain --driver "$1" "$2" --json | jq -r '.rows[0].verdict'
}
same "igb: frames" "unsupported parameter" "$(verdict igb rx-frames=1)"
same "igb: 1 is a mode" mode "$(verdict igb rx-usecs=1)"
same "igb: 5" "value refused" "$(verdict igb rx-usecs=5)"
same "tg3: 0" "value refused" "$(verdict tg3 rx-usecs=0)"
same "vmxnet3: frames" "unsupported parameter" "$(verdict vmxnet3 rx-frames=1)"
# C05: new lines of ethtool -c, from standard input
printf 'Coalesce parameters for lan0:\nAdaptive RX: off  TX: n/a\nrx-usecs:\t3\nsomething-new:\t7\n' > "$T/coalesce"
from_stdin() {
	moderato explain - --driver igb < "$T/coalesce"
}
check "a read-out from standard input" from_stdin
same "3 is a mode of igb" mode "$(from_stdin | awk '$3 == "rx-usecs" { print $5 }')"
same "what is in force already" "already set" \
	"$(moderato explain --driver igb --current "$T/coalesce" rx-usecs=3 --json | jq -r '.rows[0].verdict')"
# C08: loader-only in sysctl.conf
echo 'hw.em.rx_int_delay=0' > "$T/sysctl.conf"
same "a tunable in the wrong file" "not read here" \
	"$(moderato explain "$T/sysctl.conf" --json | jq -r '.rows[0].verdict')"
same "and in the right one" applied \
	"$(moderato explain "$T/sysctl.conf" --format loader.conf --json | jq -r '.rows[0].verdict')"
refuse "no such file" 1 "No such file" moderato explain "$T/nosuch"
echo hello > "$T/hello"
refuse "a file of no known format" 2 "format" moderato explain "$T/hello"
refuse "unknown format" 2 "none of" moderato explain "$T/hello" --format xml
refuse "unknown driver, nearest named" 2 "igb" moderato explain --driver igd rx-usecs=1
head -c 100 /dev/zero > "$T/zero"
refuse "no text" 2 "no text" moderato explain "$T/zero"
refuse "two files" 2 "one file" moderato explain "$T/hello" "$T/zero"
# chips of another logic
other() { # chip jq-expression words
	moderato explain --chip "$1" "${@:3}" --json | jq -r "$2"
}
same "igb counts microseconds in bits 14:2" 448 "$(other 82576 '.knobs[0].register' EITR0=450)"
same "nForce's timer" 8138 "$(other MCP55 '.rate_limit_per_s | round' imtimer=-125)"
same "Broadcom: time or count" 2 \
	"$(other 5721 '.frames[1].load[0].frames_per_interrupt | round' rx_coal_ticks=20 rx_max_coal_bds=5)"
refuse "setting of another chip" 2 "MCP55 has IMTIMER" moderato explain --chip MCP55 ITR=488
# a system's settings, changed in one knob
same "preset and a knob" "1500 0" "$(moderato explain --chip 82574L --preset netbsd-new RDTR=0 --json |
	jq -r '[.knobs[] | select(.name == "ITR" or .name == "RDTR").requested | tostring] | join(" ")')"
refuse "unknown preset, nearest named" 2 "netbsd-new" moderato explain --chip 82574L --preset netbsd-knew
refuse "preset on another maker's chip" 2 "has others" moderato explain --chip MCP55 --preset netbsd-new
