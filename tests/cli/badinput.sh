# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Wrong input gets one sentence: exit code 2 when the words were wrong, 1 when something failed.

refuse "no command" 2 "help" moderato
refuse "unknown command, nearest named" 2 "restart" moderato restrat
refuse "unknown option" 2 "frobnicate" moderato list --frobnicate
refuse "no daemon runs" 1 "moderato up" moderato get
refuse "unknown chip, nearest named" 2 "82574L" moderato up sim:82574K
refuse "unknown scheme" 2 "sim:" moderato up foo:bar
refuse "unknown device option" 2 "colour" moderato up sim:82574L,colour=red
refuse "device option out of range" 2 "speed" moderato up sim:82574L,speed=7
refuse "bad address" 2 "300" moderato up sim:82574L --local 300.1.1.1
refuse "bad MTU" 2 "mtu" moderato up sim:82574L --mtu 5
refuse "bad namespace" 1 "netns" moderato up sim:82574L --netns /nonexistent
refuse "bad name" 2 "name" moderato up sim:82574L --name ../x
refuse "bad setting at start" 2 "ITR" moderato up sim:82574L --set ITR=99999
refuse "bind: an interface's name" 2 "PCI address" moderato bind eth0
refuse "bind: no such device" 1 "no such PCI device" moderato bind 0000:ff:1f.7
refuse "bind: no device given" 2 "bind" moderato bind
refuse "unbind: no such device" 1 "no such PCI device" moderato unbind 0000:ff:1f.7
refuse "moderatod: no device" 2 "device" moderatod
refuse "moderatod: unknown option" 2 "option" moderatod --frob sim:82574L
refuse "moderatod: unknown chip" 2 "82574L" moderatod sim:82574K

moderato up sim:82574L > /dev/null
refuse "unknown knob, nearest named" 2 "RDTR" moderato set RDRT=1
refuse "value out of range" 2 "65535" moderato set ITR=65536
refuse "negative value" 2 "ITR" moderato set ITR=-1
refuse "no number" 2 "ITR" moderato set ITR=fast
refuse "time for a knob without time" 2 "rx-ring" moderato set rx-ring=10us
refuse "ring size not a multiple of 8" 2 "rx-ring" moderato restart rx-ring=81
refuse "unknown mode" 2 "intmode" moderato set intmode=poll
refuse "knob without value" 2 "ITR" moderato set ITR
refuse "unknown knob of get" 2 "FOO" moderato get FOO
refuse "unknown register" 2 "FOO" moderato regs FOO
refuse "unknown fault" 2 "tx-hang" moderato fault smoke
refuse "capture into a missing directory" 1 "/nonexistent" moderato capture start /nonexistent/x.pcap
refuse "command in the namespace does not exist" 1 "frobnicate" moderato ns -- frobnicate
refuse "unknown daemon" 1 "nobody" moderato get --name nobody
same "nothing of this changed a setting" "0 0 256" "$(readback ITR) $(readback RDTR) $(readback rx-ring)"
refuse "all or nothing: one bad knob" 2 "RDTR" moderato set ITR=700 RDTR=70000
same "and the good one was not applied" 0 "$(readback ITR)"
refuse "output cannot be written" 1 "output" bash -c 'moderato info > /dev/full'
check "down" moderato down
