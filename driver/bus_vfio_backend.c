/* SPDX-License-Identifier: BSD-2-Clause */
/* Which way leads to the device: group and container, or iommufd; and the sentences that both need. */
#include "driver/bus_vfio_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/vfio_holder.h"

static const struct vfio_backend *const backends[] = {&vfio_group_backend, &vfio_iommufd_backend};

const struct vfio_backend *vfio_backend_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

int vfio_backend_open(struct vfio_bus *self, struct error *err)
{
	bool asked = self->backend != NULL;
	int r;

	if (!asked)
		self->backend = &vfio_group_backend;
	r = self->backend->open(self, err);
	if (r == 0 || asked || !self->no_group || pci_vfio_number(self->sys->sysfs, self->pci.address) < 0)
		return r;
	self->backend->close(self);
	self->backend = &vfio_iommufd_backend;
	if (err)
		*err = (struct error){0};
	return self->backend->open(self, err);
}

int vfio_node_refused(struct vfio_bus *self, int r, const char *node, struct error *err)
{
	struct vfio_holder holder;

	if (r == -EBUSY && vfio_holder_find(self->sys->proc, node, &holder))
		return error_set(err, r, "%s: %s is in use by process %d (%s): stop that first", self->bus.name,
			node, holder.pid, holder.name);
	if (r == -EBUSY)
		return error_set(err, r, "%s: %s is in use by another process, which only root can see: stop that "
			"first", self->bus.name, node);
	if (r == -EACCES || r == -EPERM)
		return error_set(err, r, "%s: no right to open %s: chown it to this user (as root: chown %u %s), "
			"or run as root", self->bus.name, node, (unsigned)getuid(), node);
	return error_sys(err, r, "%s: %s", self->bus.name, node);
}

int vfio_not_viable(struct vfio_bus *self, struct error *err)
{
	struct pci_device member[PCI_GROUP_MEMBERS];
	char names[320] = "";
	int n = pci_group_read(self->sys->sysfs, self->pci.group, member, PCI_GROUP_MEMBERS, NULL);

	for (int i = 0; i < n; i++) {
		size_t used = strlen(names);

		if (!pci_hinders_group(&member[i]))
			continue;
		if (used + PCI_ADDRESS_BYTES + PCI_DRIVER_BYTES + 8 > sizeof(names))
			break;
		(void)sprintf(names + used, "%s%.15s (%.31s)", used ? ", " : "", member[i].address,
			member[i].driver);
	}
	return error_set(err, -EPERM,
		"%s: IOMMU group %d cannot be used while a kernel driver holds other members of it: %s; "
		"\"moderato bind --group %s\" moves them too, or take a slot with a group of its own",
		self->bus.name, self->pci.group, names[0] ? names : "see moderato devices", self->bus.name);
}

int vfio_unsafe_interrupts(struct vfio_bus *self, const char *module, struct error *err)
{
	return error_set(err, -EPERM,
		"%s: the IOMMU does not remap interrupts, so a device could forge them: switch interrupt "
		"remapping on in the firmware, or accept that risk with \"echo 1 > "
		"/sys/module/%s/parameters/allow_unsafe_interrupts\"", self->bus.name, module);
}
