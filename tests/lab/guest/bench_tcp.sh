# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# TCP through our driver and through the kernel's on the same NIC: interleaved pairs in one boot.
# time limit: 900 s
#
# Both in the same interrupt mode, at a rate that the models keep (QEMU moderates by 500 units or more), with the
# same congestion control; the order within a pair is drawn. IOMMU in pass-through for the kernel. CPU is what
# the whole guest used: program, stack and drivers of both ends, so that only the driver under test differs.
# LAB_PAIRS (10) pairs of LAB_BENCH_SECONDS (3); /out/figures has the ratios, /out/pairs every run.

driven bench || return 0
pairs=${LAB_PAIRS:-10} seconds=${LAB_BENCH_SECONDS:-3}
itr=500 usecs=128 # in units of 256 ns and in microseconds the same 7812 interrupts a second
RANDOM=${LAB_SEED:-1}

busy_ticks() { # of all CPUs, in 1/100 s: user, nice, system, irq, softirq
	awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 }' /proc/stat
}

# one_run SIDE NAMESPACE_COMMAND tx|rx: a line "side direction Mbit/s CPU-seconds-per-Gbit retransmits"
one_run() {
	local side=$1 near=$2 direction=$3 option='' before after result
	[ "$direction" = tx ] || option=-R
	far iperf3 -s -1 -p 5301 > /dev/null 2>&1 &
	wait_for 5 listening far 5301
	before=$(busy_ticks)
	# shellcheck disable=SC2086 # a word or none
	result=$($near timeout $((seconds + 20)) iperf3 -c "$FAR_IP" -p 5301 -t "$seconds" -C cubic $option -J)
	after=$(busy_ticks)
	wait $!
	jq -r --arg side "$side" --arg direction "$direction" --argjson cpu $((after - before)) \
		'.end | [$side, $direction, .sum_received.bits_per_second / 1e6,
		$cpu / 100 / (.sum_received.bytes * 8 / 1e9), .sum_sent.retransmits] | join(" ")' <<< "$result"
}

both_directions() { # SIDE NAMESPACE_COMMAND
	one_run "$1" "$2" tx
	one_run "$1" "$2" rx
}

kernel_side() {
	kernel_up > /dev/null && near ethtool -C near0 rx-usecs $usecs &&
		wait_for 15 near ping -q -c 1 -W 1 "$FAR_IP" && both_directions kernel near
	kernel_down
}

our_side() {
	give "$DUT" vfio-pci && moderato up "$DUT" --set "intmode=$mode,$throttle" > /dev/null &&
		wait_for 15 ours ping -q -c 1 -W 1 "$FAR_IP" && both_directions ours ours
	moderato stats --json > /out/our-stats.json
	moderato down > /dev/null && give "$DUT" ""
}

# ratios FIELD DIRECTION: ours over kernel, sorted, one a pair
ratios() {
	awk -v field="$1" -v direction="$2" '$2 == direction && $1 == "ours" { ours[++n] = $field }
		$2 == direction && $1 == "kernel" { kernel[++m] = $field }
		END { for (i = 1; i <= n && i <= m; i++) if (kernel[i] > 0) print ours[i] / kernel[i] }' /out/pairs | sort -g
}

# figure NAME FIELD DIRECTION TARGET: the median of the ratios; of ten, the second and ninth bound it at 97.9 %
figure() {
	ratios "$2" "$3" | awk -v name="$1" -v target="$4" '{ r[NR] = $1 } END {
		if (!NR) exit 1
		median = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
		limit = substr(target, 3) + 0
		met = substr(target, 1, 1) == ">" ? median >= limit : median <= limit
		low = NR > 9 ? r[2] : r[1]; high = NR > 9 ? r[NR - 1] : r[NR]
		printf "figure\t%s, median of %d pairs\t%.3f\tratio\t%s\t%s\n", name, NR, median, target, met ? "met" : "missed"
		printf "figure\t%s, interval\t%.3f to %.3f\tratio\t-\t-\n", name, low, high }'
}

case $MODEL in
e1000e) mode=msix throttle="EITR0=$itr,EITR1=$itr" ;;
*) mode=intx throttle="ITR=$itr" ;;
esac
check "the far end is up" far_up
far ethtool -C far0 rx-usecs $usecs
: > /out/pairs
for _ in $(seq "$pairs"); do
	if [ $((RANDOM % 2)) -eq 0 ]; then
		our_side >> /out/pairs
		kernel_side >> /out/pairs
	else
		kernel_side >> /out/pairs
		our_side >> /out/pairs
	fi
done
same "every run has a result" $((4 * pairs)) "$(awk 'NF == 5 && $3 > 0' /out/pairs | wc -l)"
awk '{ k = $1 " " $2; n[k]++; sum[k] += $3; cpu[k] += $4; retransmits[k] += $5 }
	END { for (k in n) printf "    %s: mean %.0f Mbit/s, %.2f CPU s/Gbit, %d retransmits\n",
		k, sum[k] / n[k], cpu[k] / n[k], retransmits[k] }' /out/pairs | sort
what="$MODEL, $mode at 7812/s, ours over the kernel's driver"
{
	figure "TCP out of the guest, $what" 3 tx ">=0.80"
	figure "TCP into the guest, $what" 3 rx ">=0.80"
	figure "CPU per Gbit out, $what" 4 tx "<=1.5"
	figure "CPU per Gbit in, $what" 4 rx "<=1.5"
} > /out/figures
check "figures" test -s /out/figures
