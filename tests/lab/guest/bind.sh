# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# moderato devices, bind and unbind on a real kernel: what they refuse, take, remember and give back.
# time limit: 60 s

nic() { # MEMBER: of the NIC under test
	moderato devices --json | jq -r --arg address "$DUT" ".[] | select(.address == \$address) | .$1"
}

refused() { # NAME WORD COMMAND...: exit code 1 with the word in the sentence, the driver stays
	local name=$1 word=$2 before code
	shift 2
	before=$(driver_of "$DUT")
	"$@" > "$T/refused.out" 2>&1
	code=$?
	check "$name" grep -qF -- "$word" "$T/refused.out"
	same "$name: exit code, driver" "1 $before" "$code $(driver_of "$DUT")"
}

kernel_driver=$(driver_of "$DUT")
name=$(interface_of "$DUT")
group=$(basename "$(readlink "/sys/bus/pci/devices/$DUT/iommu_group")")
same "devices: driver, interface, group" "$kernel_driver $name $group" "$(nic driver) $(nic interface) $(nic iommu_group)"
if [ "$(nic support)" != supported ]; then
	refused "bind of a chip that is not driven" "cannot be driven" moderato bind "$DUT"
	return 0
fi
ip link set "$name" up
ip address add 192.0.2.1/24 dev "$name"
ip route add default via 192.0.2.2
same "devices: use" "carries the default route" "$(nic use)"
refused "bind of the default route" "carries the default route" moderato bind "$DUT"
ip route delete default
refused "bind of the session's NIC" "this session's connection" \
	env SSH_CONNECTION="192.0.2.2 4711 192.0.2.1 22" moderato bind "$DUT"
refused "the session is found without its variable" "this session's connection" \
	env SSH_CONNECTION="192.0.2.2 4711 192.0.2.1 22" bash -c "env -u SSH_CONNECTION moderato bind $DUT; exit \$?"
refused "bind of something else" "not an Ethernet device" moderato bind 0000:00:00.0
refused "bind without rights" "as root" setpriv --reuid nobody --clear-groups moderato bind "$DUT"

check "bind" moderato bind "$DUT" --user nobody
same "vfio-pci has it, the kernel's driver is remembered" "vfio-pci $kernel_driver" "$(driver_of "$DUT") $(nic taken_from)"
same "the group's node belongs to the user" nobody "$(stat -c %U "/dev/vfio/$group")"
check "bind again" moderato bind "$DUT"
exec 9<> "/dev/vfio/$group"
refused "unbind in use" "(pid $$) has its IOMMU group" moderato unbind "$DUT"
exec 9>&-
check "unbind" moderato unbind "$DUT"
same "the kernel's driver has it, nothing is left over" "$kernel_driver null (null)" \
	"$(driver_of "$DUT") $(nic taken_from) $(cat "/sys/bus/pci/devices/$DUT/driver_override")"
check "its interface is back" wait_for 5 interface_here

check "bind with force over the default route" eval 'ip link set $(interface_of $DUT) up &&
	ip route add default dev $(interface_of $DUT) && moderato bind $DUT --force'
echo "$DUT" > "/sys/bus/pci/devices/$DUT/driver/unbind" # where a crash may leave it
same "half-way: no driver, still remembered" " $kernel_driver" "$(driver_of "$DUT") $(nic taken_from)"
check "unbind from half-way" moderato unbind "$DUT"
same "the kernel's driver is back" "$kernel_driver" "$(driver_of "$DUT")"
refused "unbind of a NIC that is not bound" "is not bound to vfio-pci" moderato unbind "$DUT"
