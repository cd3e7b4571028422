# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Without SCHED_FIFO, without root, without a TAP: goes on where it can, one sentence where not.

dropped() { # run without the right to real-time priority
	prlimit --rtprio=0 setpriv --bounding-set -sys_nice --inh-caps -sys_nice "$@"
}

check "without SCHED_FIFO it goes on" dropped moderato up sim:82574L
same "and is marked" other "$(moderato info --json | jq -r .scheduling.driver)"
check "the log says what it costs" grep -q "SCHED_FIFO.*p99" /var/lib/moderato/sim-82574L.log
check "traffic flows" moderato ns -- ping -q -c 2 -i 0.2 -W 2 198.18.0.2
check "down" moderato down
check "with the right to it" moderato up sim:82574L
same "it has SCHED_FIFO" fifo "$(moderato info --json | jq -r .scheduling.driver)"
check "and down" moderato down

# An ordinary user: a private /dev/net decides whether TAPs are open to him.
mkdir -p "$T/user" && chown 65534 "$T/user"
chmod 755 "$T"
mount -t tmpfs -o mode=755 tmpfs /dev/net
mknod -m 600 /dev/net/tun c 10 200
cat > "$T/as_user" << 'USER'
#!/bin/sh
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all \
	env XDG_RUNTIME_DIR="$T/user" XDG_STATE_HOME="$T/user" HOME="$T/user" "$@"
USER
chmod 755 "$T/as_user"
export T
if ! "$T/as_user" unshare --user --map-root-user true 2> /dev/null; then
	skip "ordinary user" "this kernel forbids him user namespaces"
	return
fi
refuse "a closed /dev/net/tun is one sentence that says what to do" 1 "/dev/net/tun" \
	"$T/as_user" moderato up sim:82574L
chmod 666 /dev/net/tun
check "an ordinary user, TAPs allowed: up" "$T/as_user" moderato up sim:82574L
check "he enters the namespace" "$T/as_user" moderato ns -- ping -q -c 2 -i 0.2 -W 2 198.18.0.2
same "his daemon has no real-time priority" other "$("$T/as_user" moderato info --json | jq -r .scheduling.driver)"
check "and down again" "$T/as_user" moderato down
check "nothing is left" nothing_left
