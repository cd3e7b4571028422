# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# A real sweep over the wire: settings against an iperf3 server at the far end, store and table.
# time limit: 200 s

driven sweep || return 0
store=/out/sweep.db
case $MODEL in
e1000-82544gc) settings=TIDV=8,64 ;; # the chip has no ITR
*) settings=ITR=500,2000 ;;
esac
check "the far end is up" far_up
check "vfio-pci takes the NIC" give "$DUT" vfio-pci
check "moderato up" moderato up "$DUT"
check "the far end answers" wait_for 10 ours ping -q -c 1 -W 1 "$FAR_IP"
far iperf3 -s > "$T/server" 2>&1 &
server=$!
check "the far end listens" wait_for 10 listening far 5201
check "sweep of $settings" moderato sweep --out $store --set "$settings" --buffers 1k,16k --dirs rx,tx \
	--seconds 1 --seed 1
moderato table $store > /out/table.txt 2>&1
code=$?
same "table" 0 $code
sed 's/^/    /' /out/table.txt
# A busy host may void one trial, which is said in the table; that is no fault of the driver.
measured=$(sqlite3 $store "select count(*) from trial where status = 'ok'")
check "most trials were measured ($measured of 8)" test "$measured" -ge 6
same "no trial failed" 0 "$(sqlite3 $store "select count(*) from trial where status = 'failed'")"
check "moderato down" moderato down
kill $server
check "the NIC goes back" give "$DUT" ""
