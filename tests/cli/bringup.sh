# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# From up to down on both simulated chips: addresses, ping both ways, settings, registers, capture.

bring_up() { # device
	local device=$1 name=t

	check "$device: up" moderato up "$device" --name $name
	check "$device: list shows it" grep -q "$name *$device" <(moderato list)
	same "$device: state" running "$(moderato info --json | jq -r .state)"
	same "$device: link speed" 1000 "$(moderato info --json | jq .link.speed_mbps)"
	same "$device: no interface of ours in the caller's namespace" "" "$(ip -o link show type tun)"
	check "$device: ping the far end" moderato ns -- ping -q -c 3 -i 0.2 -W 2 198.18.0.2
	check "$device: ping from the far end" moderato ns --peer -- ping -q -c 3 -i 0.2 -W 2 198.18.0.1
	same "$device: no broadcast was needed" 0 \
		"$(moderato ns -- cat /proc/net/snmp | awk '/^Ip:/ && $2 ~ /[0-9]/ { print $5 }')"
	check "$device: counters moved" test "$(moderato stats --json | jq .counters.rx_frames)" -ge 6
	check "$device: set" moderato set ITR=1500 RDTR=0 RADV=128
	same "$device: requested" 1500 "$(moderato get --json | jq .knobs.ITR.requested)"
	same "$device: read back" 1500 "$(readback ITR)"
	same "$device: effective" 384000 "$(moderato get --json | jq .knobs.ITR.effective_ns)"
	same "$device: RADV without RDTR is said to do nothing" false "$(moderato get --json | jq .knobs.RADV.acts)"
	check "$device: and warned of" grep -q "RADV" <(moderato get --json | jq -r '.warnings[]')
	check "$device: a time instead of a value" moderato set ITR=100us
	same "$device: nearest tick" 391 "$(readback ITR)"
	same "$device: registers agree" 391 \
		"$(moderato regs --json | jq '(.regs // .)[] | select(.name == "ITR") | .value')"
	check "$device: reset keeps settings" moderato reset
	same "$device: after the reset" 391 "$(readback ITR)"
	check "$device: ping after the reset" moderato ns -- ping -q -c 2 -i 0.2 -W 2 198.18.0.2
	check "$device: down" moderato down
	check "$device: nothing is left" nothing_left
}

bring_up sim:82574L
bring_up sim:82545EM

check "capture: up" moderato up sim:82574L
check "capture: start" moderato capture start "$T/frames.pcap"
refuse "capture: a second one is refused" 1 "capture" moderato capture start "$T/other.pcap"
moderato ns -- ping -q -c 4 -i 0.05 -s 600 198.18.0.2 > /dev/null
check "capture: stop" moderato capture stop
same "capture: tcpdump reads 8 frames" 8 "$(tcpdump -nr "$T/frames.pcap" icmp 2> /dev/null | wc -l)"
refuse "capture: an existing file is refused" 1 "exists" moderato capture start "$T/frames.pcap"
refuse "capture: stop without start" 1 "capture" moderato capture stop
check "capture: down" moderato down

check "pktgen: up" moderato up sim:82574L
check "pktgen: 2000 frames at 20000/s" moderato pktgen --rate 20000 --count 2000
check "pktgen: the wire saw them" test "$(moderato stats --json | jq .sim.wire_tx_frames)" -ge 2000
check "pktgen: down" moderato down
