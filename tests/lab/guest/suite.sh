# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Run the tests that the command line names, each under its time limit, and send the results out.
#
# /out becomes a tar archive on the port "lab.result": result.json, the kernel's log, what tests left.
set -u

send_results() {
	local port
	for port in /sys/class/virtio-ports/*; do
		[ "$(cat "$port/name")" = lab.result ] && tar -c -C /out . > "/dev/$(basename "$port")"
	done
}

passed=0 failed=0 skipped=0
for name in ${LAB_TESTS//,/ }; do
	file=/lab/$name.sh
	limit=$(sed -n 's/^# time limit: \([0-9]*\) s.*/\1/p' "$file")
	start=$SECONDS
	# shellcheck disable=SC2016 # expanded by the inner shell
	timeout -k 5 "${limit:-120}" bash -c '. /lab/lib.sh; setup; . "$1"; finish' "$name" "$file" \
		< /dev/null 2>&1 | tee "/out/$name.log"
	code=${PIPESTATUS[0]}
	p=$(grep -c '^ok - ' "/out/$name.log")
	f=$(grep -c '^not ok - ' "/out/$name.log")
	s=$(grep -c '^skip - ' "/out/$name.log")
	if [ "$code" -ne 0 ] && [ "$f" -eq 0 ] || [ $((p + f + s)) -eq 0 ]; then
		echo "not ok - $name: ended with exit code $code" | tee -a "/out/$name.log"
		f=$((f + 1))
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	echo "$name: $p ok, $f not ok, exit $code, $((SECONDS - start)) s"
	jq -n --arg name "$name" --argjson exit "$code" --argjson seconds $((SECONDS - start)) \
		--argjson passed "$p" --argjson failed "$f" --argjson skipped "$s" '$ARGS.named' >> /tmp/tests.json
done
dmesg > /out/dmesg
jq -s --arg model "$LAB_MODEL" --arg kernel "$(uname -r)" --argjson passed $passed --argjson failed $failed \
	--argjson skipped $skipped '{$model, $kernel, $passed, $failed, $skipped, tests: .}' \
	/tmp/tests.json > /out/result.json
send_results
