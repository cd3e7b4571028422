# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# time limit: 240 s
# Bytes arrive unchanged: TCP and UDP, both ways, every interrupt mode, both chips, with and without
# offloads. TCP sends odd sizes through TSO and GRO; UDP sends whole datagrams and fragmented ones.

head -c 15000013 /dev/urandom > "$T/tcp.bin"
head -c 700001 /dev/urandom > "$T/udp.bin"

tcp() { # receiver's side, sender's side, receiver's address
	at "$1" socat -u TCP-LISTEN:6000,reuseaddr "OPEN:$T/got,creat,trunc" &
	local receiver=$!
	wait_for 5 listening "$1" t 6000
	at "$2" timeout 20 socat -u "$T/tcp.bin" "TCP:$3:6000"
	wait $receiver
	cmp -s "$T/tcp.bin" "$T/got"
}

# The queues hold the whole file, so nothing may be lost: 1:33 is SO_RCVBUFFORCE.
udp() { # receiver's side, sender's side, receiver's address, datagram size
	at "$1" timeout 20 socat -u -T 0.5 -b 65536 \
		"UDP-RECV:6001,setsockopt-listen=1:33:i16777216" "OPEN:$T/got,creat,trunc" &
	local receiver=$!
	wait_for 5 listening "$1" u 6001
	at "$2" socat -u -b "$4" "$T/udp.bin" "UDP-SENDTO:$3:6001"
	wait $receiver
	cmp -s "$T/udp.bin" "$T/got"
}

transfers() { # what
	check "$1: TCP out" tcp peer local 198.18.0.2
	check "$1: TCP in" tcp local peer 198.18.0.1
	check "$1: UDP out" udp peer local 198.18.0.2 1400
	check "$1: UDP in" udp local peer 198.18.0.1 1400
	check "$1: fragments out" udp peer local 198.18.0.2 8000
	check "$1: fragments in" udp local peer 198.18.0.1 8000
	same "$1: no frame had a wrong checksum" 0 "$(counter rx_csum_bad)"
}

for offloads in "" --no-offloads; do
	for device in sim:82574L sim:82545EM; do
		moderato up $device ${offloads:+"$offloads"} > "$T/up" 2>&1 || not_ok "$device $offloads: up" "$(head -n 1 "$T/up")"
		for mode in $(moderato info --json | jq -r '.chip.intmodes[]'); do
			moderato restart "intmode=$mode" > /dev/null || not_ok "$device $mode: restart"
			transfers "$device $mode${offloads:+ $offloads}"
		done
		if [ -z "$offloads" ]; then
			check "$device: the chip segmented" test "$(counter tx_super)" -gt 0
			check "$device: GRO merged" test "$(counter rx_gro_merged)" -gt 0
		else
			same "$device: nothing to segment" 0 "$(counter tx_super)"
		fi
		moderato down > /dev/null
	done
done
check "nothing is left" nothing_left
