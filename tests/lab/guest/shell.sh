# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What "make lab LAB_SHELL=1" gives: the far end in its namespace, the other NIC bound to vfio-pci.
# shellcheck source=tests/lab/guest/lib.sh
. /lab/lib.sh
PS1='lab# '
setup
set +u
far_up && give "$DUT" vfio-pci
cat << END

$MODEL at $DUT is bound to vfio-pci, the far end is $FAR_IP in namespace "far":
  moderato up $DUT
  moderato ns -- ping -c 3 $FAR_IP
  far iperf3 -s -D; moderato ns -- iperf3 -c $FAR_IP
"exit" powers the guest off; Ctrl-a x ends it at once.

END
