# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What is known of chips, without any device.

card() { # chip jq-expression
	moderato chips "$1" --json | jq -r "$2"
}

check "the list" moderato chips
same "every chip is in the list once" "$(moderato chips --json | jq length)" \
	"$(moderato chips --json | jq -r '.[].name' | sort -u | wc -l)"
every_card_prints() {
	local name
	while read -r name; do
		moderato chips "$name" > "$T/card" || return 1
		grep -q "Registers of moderation" "$T/card" || return 1
		moderato chips "$name" --json | jq -e '.knobs | length > 0' > "$T/card" || return 1
	done < <(moderato chips --json | jq -r '.[].name')
}
check "a card of every chip, text and JSON" every_card_prints
same "driven" driven "$(card 82574L .state)"
same "recognised" recognised "$(card I219 .state)"
same "knowledge only" "knowledge only" "$(card MCP55 .state)"
same "by PCI ids" MCP55 "$(card 10de:0373 .name)"
same "register of the throttle" 0x00C4 "$(card 82540EM '.knobs[] | select(.name == "ITR").register')"
refuse "unknown chip, nearest named" 2 "82574L" moderato chips 82574K
refuse "unknown chip without neighbour" 2 "moderato chips" moderato chips X540
refuse "two chips" 2 "use for" moderato chips 82574L 82576
check "presets without a word" moderato preset
same "presets of a chip that is only known" "ITR=195 RDTR=0 RADV=8 TIDV=8 TADV=32 intmode=msi" \
	"$(card I219 '.presets[] | select(.name == "linux-static").settings')"
same "the same by preset list" 195 \
	"$(moderato preset list --chip I219 --json | jq '.[] | select(.name == "linux-static").values[0].value')"
refuse "presets of another maker's chip" 2 "moderato chips MCP55" moderato preset --chip MCP55
