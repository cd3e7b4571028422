# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Predictions: a table, a fit that sees one column only and can be repeated, recipes, bad input.

hosts=$(realpath profiles/hosts) recipes=$(realpath profiles/recipes)
check "a table" moderato predict --host iq80321 --chip 82544GC --set RDTR=0 --set RDTR=375 --buffers 4k,128k
check "figures of two kinds" moderato predict --host pc2008 --chip 82574L --preset netbsd-new -w rr:64 -m rr_p50_us -m irq_per_s
check "timers" moderato predict --host pc2008 --imtimer 0,125 --buffers 128k

# The other columns become noise: the fit of "old" must not notice.
jq '.claims |= map(if .setting == "old" then . else .value = 7 + (.value * 37 % 101) end)' \
	"$recipes/r1.json" > "$T/noise.json"
fit() { # recipe file
	moderato calibrate "$1" --setting old --host "$hosts/iq80321.json" --peer --evaluations 60 --out "$2"
}
check "a short fit" fit "$recipes/r1.json" "$T/a.json"
check "the same with noise in the other columns" fit "$T/noise.json" "$T/b.json"
same "and the same constants" "$(jq -c '[.costs, .peer]' "$T/a.json")" "$(jq -c '[.costs, .peer]' "$T/b.json")"
check "the fitted file can be used" moderato recipe r1 --host "$T/a.json"
for recipe in r1 r2 r3 c01 c08; do
	check "recipe $recipe" moderato recipe $recipe
done
check "what a model was fitted to counts apart" eval \
	'moderato recipe r1 | grep -q "^fitted to them: [0-9]* of 12 " && moderato recipe r1 | grep -q "^predicted: [0-9]* of 24 "'
check "on another model every claim is a prediction" eval \
	'moderato recipe r1 --host pc2008 | grep -q "^predicted: [0-9]* of 36 "'

jq 'del(.costs.frame_us)' "$hosts/pc2008.json" > "$T/missing.json"
jq '.costs.frame_us.value = -1' "$hosts/pc2008.json" > "$T/negative.json"
jq '.claims |= map(select(.workload | test("tcp:tx:[34]")))' "$recipes/r1.json" > "$T/few.json"
refuse "host file without a cost" 2 "frame_us is missing" moderato recipe r3 --host "$T/missing.json"
refuse "negative cost" 2 "negative" moderato recipe r3 --host "$T/negative.json"
refuse "too few cells" 1 "cannot settle" moderato calibrate "$T/few.json" --setting old --host iq80321
refuse "chip without a model" 2 "no model of a chip" moderato predict --host pc2008 --chip 82599 --set ITR=1
jq '.fitted = "older"' "$recipes/r1.json" > "$T/fitted.json"
refuse "fitted to no setting" 2 "no setting is called" moderato recipe "$T/fitted.json"
refuse "no host" 2 "host model" moderato predict --chip 82574L --set ITR=1
refuse "unknown host" 2 "nobody" moderato predict --host nobody --chip 82574L --set ITR=1
refuse "unknown figure" 2 "goodput_mbps" moderato predict --host pc2008 --chip 82574L --set ITR=1 -m goodput_mbp
