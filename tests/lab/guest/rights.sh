# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Our driver as an ordinary user: the group's node and a limit on locked memory are all it takes.
# time limit: 120 s

driven rights || return 0
export XDG_RUNTIME_DIR=$T/run XDG_STATE_HOME=$T/state

as_nobody() {
	setpriv --reuid nobody --regid nogroup --clear-groups --bounding-set -all --inh-caps -all "$@"
}

# as_nobody_with KIB COMMAND...: with that much locked memory
as_nobody_with() {
	local kib=$1
	shift
	(ulimit -l "$kib" && as_nobody "$@")
}

refused_with() { # WORDS COMMAND...
	local words=$1
	shift
	"$@" > "$T/refused.out" 2>&1 && return 1
	grep -qF -- "$words" "$T/refused.out"
}

mkdir -p "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME"
chown -R nobody "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME"
chmod 755 "$T"
chmod 666 /dev/net/tun
check "the far end is up" far_up
check "vfio-pci takes the NIC" give "$DUT" vfio-pci
group=$(basename "$(readlink "/sys/bus/pci/devices/$DUT/iommu_group")")
check "without the node" refused_with "no right to open /dev/vfio/$group" as_nobody_with 8192 moderato up "$DUT"
check "the node is given" chown nobody "/dev/vfio/$group"
check "1 MiB is too little, which is said" refused_with "RLIMIT_MEMLOCK allows 1024 KiB" \
	as_nobody_with 1024 moderato up "$DUT"
check "8 MiB are enough" as_nobody_with 8192 moderato up "$DUT"
check "the far end answers" wait_for 15 as_nobody moderato ns -- ping -q -c 1 -W 1 "$FAR_IP"
check "a ring that is over the limit is refused" refused_with "RLIMIT_MEMLOCK allows 8192 KiB" \
	as_nobody moderato restart rx-ring=4096
check "and the one that runs goes on" as_nobody moderato ns -- ping -q -c 1 -W 5 "$FAR_IP"
check "moderato down" as_nobody moderato down
check "the NIC goes back" give "$DUT" ""
