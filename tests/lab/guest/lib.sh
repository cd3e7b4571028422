# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Helpers of the tests in the lab's guest: checks, binding of the NIC under test, the far end.

DUT=${LAB_DUT:-} PEER=${LAB_PEER:-} MODEL=${LAB_MODEL:-}
NEAR_IP=198.18.0.1 FAR_IP=198.18.0.2

setup() {
	set -u
	T=$(mktemp -d)
	failures=0
}

finish() {
	rm -rf "$T"
	[ "$failures" -eq 0 ]
	exit
}

ok() {
	echo "ok - $MODEL: $1"
}

not_ok() { # name [detail]
	failures=$((failures + 1))
	echo "not ok - $MODEL: $1${2:+ ($2)}"
}

skip() { # name reason
	echo "skip - $MODEL: $1: $2"
}

# check NAME COMMAND...: passes when the command does; shows its output when it does not
check() {
	local name=$1 code
	shift
	"$@" > "$T/check.out" 2>&1
	code=$?
	if [ $code -eq 0 ]; then
		ok "$name"
		return 0
	fi
	not_ok "$name" "exit $code: $*"
	tail -n 20 "$T/check.out" | sed 's/^/    /'
	return 1
}

# same NAME WANTED GOT
same() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "wanted '$2', got '$3'"
	fi
}

# wait_for SECONDS COMMAND...: until the command succeeds
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# driver_of ADDRESS: the name of the driver that has a PCI device, or nothing
driver_of() {
	basename "$(readlink "/sys/bus/pci/devices/$1/driver")" 2> /dev/null
}

# interface_of ADDRESS: of the kernel driver
interface_of() {
	ls "/sys/bus/pci/devices/$1/net" 2> /dev/null
}

# give ADDRESS DRIVER: an empty DRIVER means the kernel's own choice. A failed probe is not an error of
# the write, so that only the link tells.
give() {
	local device=/sys/bus/pci/devices/$1
	echo "$2" > "$device/driver_override"
	if [ -e "$device/driver" ]; then
		echo "$1" > "$device/driver/unbind"
	fi
	echo "$1" > /sys/bus/pci/drivers_probe
	if [ -n "$2" ]; then
		[ "$(driver_of "$1")" = "$2" ]
	else
		[ -n "$(driver_of "$1")" ] && [ "$(driver_of "$1")" != vfio-pci ]
	fi
}

# far COMMAND...: at the other end of the wire
far() {
	ip netns exec far "$@"
}

# far_up: the peer port with its kernel driver, in a namespace of its own
far_up() {
	local name
	[ -e /run/netns/far ] && return 0
	name=$(interface_of "$PEER")
	ip netns add far && ip link set "$name" netns far && far ip link set lo up &&
		far ip link set "$name" name far0 && far ip address add $FAR_IP/24 dev far0 &&
		far ip link set far0 up
}

# kernel_up: the NIC under test with its kernel driver, in the namespace "near"
kernel_up() {
	local name
	[ "$(driver_of "$DUT")" != vfio-pci ] || give "$DUT" "" || return 1
	name=$(interface_of "$DUT")
	ip netns add near && ip link set "$name" netns near && near ip link set "$name" name near0 &&
		near ip link set lo up && near ip address add $NEAR_IP/24 dev near0 && near ip link set near0 up
}

# kernel_down: back into the first namespace, which is what deleting a namespace does to hardware
kernel_down() {
	ip netns delete near
	wait_for 5 interface_here
}

interface_here() {
	[ -n "$(interface_of "$DUT")" ] && ip link show "$(interface_of "$DUT")"
}

near() {
	ip netns exec near "$@"
}

# listening NAMESPACE_COMMAND PORT
listening() {
	"$1" ss -Hlnt "sport = :$2" | grep -q ":$2"
}

# ours COMMAND...: where our driver's interface lives
ours() {
	moderato ns -- "$@"
}

kernel_answers() {
	kernel_up && wait_for 15 near ping -q -c 1 -W 1 "$FAR_IP"
}

gone() {
	! kill -0 "$1"
}

# bus_master: 1 while the device may write into memory
bus_master() {
	echo $((($(od -An -tu1 -j4 -N1 "/sys/bus/pci/devices/$DUT/config") >> 2) & 1))
}

modes_of_model() {
	case $MODEL in
	e1000e | igb) echo intx msi msix ;;
	*) echo intx ;;
	esac
}

# transfer FROM TO ADDRESS MIB: random bytes over TCP, compared by SHA-256
transfer() {
	local from=$1 to=$2 address=$3 mib=$4 receiver
	[ -s "$T/sent" ] || head -c "$((mib << 20))" /dev/urandom > "$T/sent"
	rm -f "$T/got"
	"$to" timeout 60 socat -u TCP-LISTEN:5555,reuseaddr "OPEN:$T/got,creat,trunc" &
	receiver=$!
	wait_for 10 listening "$to" 5555 &&
		head -c "$((mib << 20))" "$T/sent" | "$from" timeout 60 socat -u STDIN "TCP:$address:5555" &&
		wait $receiver &&
		[ "$(sha256sum < "$T/got")" = "$(head -c "$((mib << 20))" "$T/sent" | sha256sum)" ]
}

# interrupts: of all vectors, as the daemon counted them
interrupts() {
	moderato stats --json | jq .counters.irq_messages
}

# driven: do we drive the chip under test? If not, the rest of the test is skipped by its caller.
driven() {
	local state
	state=$(moderato devices --json | jq -r --arg address "$DUT" '.[] | select(.address == $address) | .support')
	[ "$state" = supported ] && return 0
	skip "$1" "moderato devices says $state"
	return 1
}
