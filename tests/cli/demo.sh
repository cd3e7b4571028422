# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# The demo from nothing to its files, its own suggestion, its end by a signal; plots and profiles.
# time limit: 600 s

cd "$T" || exit 1
signature() { head -c 4 "$1" | od -An -tx1 | tr -d ' '; }
has() { [ -s "$1" ] || { echo "$1 is missing or empty"; return 1; }; }

check "demo --quick runs" moderato demo --quick --out out
cp check.out demo.txt
for file in demo.db table.txt table.md table.csv table.json throughput.png throughput.png.gp \
	throughput.svg throughput.svg.gp profile.json; do
	check "demo leaves $file" has "out/$file"
done
same "the chart is a PNG" 89504e47 "$(signature out/throughput.png)"
check "table.json is JSON" jq -e . out/table.json
check "its daemon is gone" nothing_left
# Not that it is proven: seven pairs prove nothing on a machine that does other work meanwhile.
same "the first contrast has its pairs" true \
	"$(jq '[.effects[] | select(.n >= 7 and .metric == "driver_cpu_per_gbit_s")] | length > 0' out/profile.json)"
same "the second contrast has its pairs" true \
	"$(jq '[.effects[] | select(.n >= 7 and .metric == "rr_p50_us")] | length > 0' out/profile.json)"
same "nothing is proven by one trial" 0 \
	"$(jq '[.effects[] | select(.n == 1 and .proven)] | length' out/profile.json)"

# What it suggests works as printed; at small size, since a later option wins.
next=$(sed -n '/^Next/,$p' demo.txt | sed -n 's/^  //; /moderato up/p')
check "the suggested daemon starts" sh -c "$next"
sweep=$(sed -n '/^Next/,$p' demo.txt | tr '\n' ' ' | sed -n "s/.*  \([^ ]*moderato sweep .*'\) .*/\1/p" |
	sed 's/[\\]//g')
check "the suggested sweep has a plan" sh -c "$sweep --dry-run"
check "the suggested sweep runs" sh -c "$sweep --blocks 1 --buffers 128k --dirs rx"
check "the suggested daemon ends" moderato down sim

check "profile show" moderato profile show out/profile.json
moderato profile export out/profile.json --to ethtool --interface lan0 > nic.sh
check "the exported script is one" sh -n nic.sh
same "no transmit timer is exported" 0 "$(moderato profile export out/profile.json --to modprobe.d |
	grep -v '^#' | grep -c 'Tx')"
moderato profile export out/profile.json --to json > again.json
check "the JSON export is the profile" cmp out/profile.json again.json
refuse "profile of an unknown setting" 2 'no setting "solaris"' \
	moderato profile write out/demo.db --setting solaris --out x.json
refuse "profile of a file that is none" 1 'line 1' moderato profile show "$BUILD/../../Makefile"
refuse "export to an unknown target" 2 'ethtool, modprobe.d or json' \
	moderato profile export out/profile.json --to networkd
refuse "unknown preset" 2 'did you mean netbsd-old' moderato preset show netbsd-odl

mkdir bin
ln -s "$BUILD/moderato" bin/moderato
PATH=$T/bin "$BUILD/moderato" plot out/demo.db --out plots > plots.txt 2> plots.err
same "without gnuplot the exit code is its own" 3 $?
same "without gnuplot one line says so" 1 "$(grep -c 'measured, not plotted: gnuplot is not installed' plots.err)"
check "without gnuplot the tables come" grep -q netbsd-new plots.txt
check "without gnuplot the scripts stay" has plots/throughput.png.gp
check "with gnuplot the same is drawn" moderato plot out/demo.db --out plots --format svg
check "the chart is an SVG" grep -q '<svg' plots/throughput.svg

moderato demo --quick --out out2 > stopped.txt 2> stopped.err &
demo=$!
wait_for 20 grep -q 'left' stopped.err
kill -INT $demo
wait $demo
same "a stopped demo fails" 1 $?
check "a stopped demo leaves no daemon" nothing_left
check "a stopped demo says where its results are" grep -q 'demo.db has what was measured' stopped.err
