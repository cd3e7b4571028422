# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Helpers of the end-to-end tests: checks, expected refusals, a daemon's start and end.

# Called in fresh mount, PID and network namespaces.
setup() {
	set -u
	mount --make-rprivate /
	mount -t tmpfs tmpfs /run
	mount -t tmpfs tmpfs /var/lib
	T=$(mktemp -d)
	export XDG_RUNTIME_DIR=$T XDG_STATE_HOME=$T HOME=$T
	unset SUDO_USER
	# What a sanitizer build has to say, also of daemons whose exit nobody looks at.
	export ASAN_OPTIONS=log_path=$T/sanitizer UBSAN_OPTIONS=print_stacktrace=1:log_path=$T/sanitizer
	export TSAN_OPTIONS=log_path=$T/sanitizer
	PATH=$BUILD:$PATH:/usr/sbin:/sbin
	ip link set lo up
	failures=0
}

finish() {
	local report
	for report in "$T"/sanitizer.*; do
		[ -s "$report" ] || continue
		# the daemon has given up the right to trace, which the leak check at its exit wants
		grep -q 'LeakSanitizer has encountered a fatal error' "$report" && continue
		not_ok "no sanitizer report"
		head -n 60 "$report" | sed 's/^/    /'
	done
	rm -rf "$T"
	if [ "$failures" -eq 0 ]; then
		exit 0
	fi
	exit 1
}

ok() {
	echo "ok - $1"
}

not_ok() { # name [detail]
	failures=$((failures + 1))
	echo "not ok - $1${2:+ ($2)}"
}

skip() { # name reason
	echo "skip - $1: $2"
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
	head -n 20 "$T/check.out" | sed 's/^/    /'
	moderato stats 2> /dev/null | head -n 60 | sed 's/^/    | /' # what the only daemon counted
	return 1
}

# check_measured NAME COMMAND...: as check; tried again while the machine is too disturbed to measure
check_measured() {
	local name=$1
	shift
	for _ in 1 2 3 4; do
		"$@" > "$T/measured.out" 2>&1 && break
		grep -qE 'hypervisor took|too busy' "$T/measured.out" || break
	done
	check "$name" "$@"
}

# refuse NAME CODE PATTERN COMMAND...: exit code CODE, and one line on stderr that matches PATTERN
refuse() {
	local name=$1 want=$2 pattern=$3 code lines
	shift 3
	if [ "$(type -t "$1")" = function ]; then
		"$@" > "$T/refuse.out" 2> "$T/refuse.err"
	else
		timeout 30 "$@" > "$T/refuse.out" 2> "$T/refuse.err"
	fi
	code=$?
	sed -i '/^\[ *[0-9]*\/[0-9]*\]/d' "$T/refuse.err" # progress is no complaint
	lines=$(wc -l < "$T/refuse.err")
	if [ $code -ne "$want" ]; then
		not_ok "$name" "exit $code instead of $want"
	elif [ "$lines" -ne 1 ]; then
		not_ok "$name" "$lines lines on stderr instead of one sentence"
	elif ! grep -qEi -- "$pattern" "$T/refuse.err"; then
		not_ok "$name" "the sentence does not match /$pattern/"
	else
		ok "$name"
		return 0
	fi
	head -n 5 "$T/refuse.err" | sed 's/^/    /'
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
		sleep 0.05
	done
}

# daemon_pid NAME: process id by the daemon's own word
daemon_pid() {
	moderato info --name "$1" --json | jq .pid
}

# at local|peer COMMAND...: run it at an end of the daemon's path (default daemon)
at() {
	local side=$1
	shift
	if [ "$side" = peer ]; then
		moderato ns --peer -- "$@"
	else
		moderato ns -- "$@"
	fi
}

# listening SIDE t|u PORT
listening() {
	at "$1" ss -Hln"$2" "sport = :$3" | grep -q ":$3"
}

# counter NAME: of the driver, as the daemon counts
counter() {
	moderato stats --json | jq ".counters.$1"
}

# readback KNOB
readback() {
	moderato get --json | jq ".knobs[\"$1\"].readback"
}

answers() {
	at local ping -q -c 1 -W 1 198.18.0.2
}

gone() { # pid
	! kill -0 "$1" 2> /dev/null
}

# nothing_left: no daemon, no interface but loopback, no socket
nothing_left() {
	local left
	left=$(pgrep -x moderatod; ip -o link | grep -v ' lo: '; find /run/moderato -type s)
	[ -z "$left" ] || { echo "left behind: $left"; return 1; }
}
