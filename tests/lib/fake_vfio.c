/* SPDX-License-Identifier: BSD-2-Clause */
/* The pretend kernel below the VFIO backend. */
#include "tests/lib/fake_vfio.h"

#include <errno.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/util.h"
#include "tests/lib/fake_vfio_private.h"

#define FD_BASE	  5000
#define CONFIG_AT ((uint64_t)VFIO_PCI_CONFIG_REGION_INDEX << 40)
#define IO_REGION 2
#define PCIE_CAP  0xe0

/* Counts every call; true: this is the one that fails. */
static bool fails(struct fake_vfio *f)
{
	f->calls++;
	if (f->act_in && --f->act_in == 0)
		f->act(f);
	return f->fail_at && --f->fail_at == 0;
}

int fake_new_fd(struct fake_vfio *f, enum fake_kind kind)
{
	for (int i = 0; i < FAKE_FDS; i++) {
		if (f->fd[i] != FAKE_CLOSED)
			continue;
		f->fd[i] = kind;
		f->number[i] = f->real_eventfds && kind == FAKE_EVENTFD ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) :
									 FD_BASE + i;
		return f->number[i];
	}
	return -EMFILE;
}

/* Place of a descriptor that is open; -1: not one of ours. */
static int slot_of(const struct fake_vfio *f, int fd)
{
	for (int i = 0; i < FAKE_FDS; i++)
		if (f->fd[i] != FAKE_CLOSED && f->number[i] == fd)
			return i;
	return -1;
}

enum fake_kind fake_kind_of(const struct fake_vfio *f, int fd)
{
	int slot = slot_of(f, fd);

	return slot < 0 ? FAKE_CLOSED : f->fd[slot];
}

static bool is_device(const struct fake_vfio *f, int fd)
{
	return fake_kind_of(f, fd) == FAKE_DEVICE || (fake_kind_of(f, fd) == FAKE_CDEVICE && f->bound);
}

static int fake_open(void *ctx, const char *path, int flags)
{
	struct fake_vfio *f = ctx;
	bool container = !strcmp(path, "/dev/vfio/vfio");

	if (fails(f))
		return -EIO;
	if (!strcmp(path, "/dev/iommu"))
		return f->iommufd_error ? f->iommufd_error : fake_new_fd(f, FAKE_IOMMUFD);
	if (!strcmp(path, "/dev/vfio/devices/vfio" FAKE_CDEV))
		return f->cdev_error ? f->cdev_error : fake_new_fd(f, FAKE_CDEVICE);
	if (container)
		return f->container_error ? f->container_error : fake_new_fd(f, FAKE_CONTAINER);
	if (strcmp(path, "/dev/vfio/14"))
		return -ENOENT;
	return f->group_error ? f->group_error : fake_new_fd(f, FAKE_GROUP);
}

/* Closing does not fail: nobody could do anything about it. */
static int fake_close(void *ctx, int fd)
{
	struct fake_vfio *f = ctx;
	int slot = slot_of(f, fd);

	switch (fake_kind_of(f, fd)) {
	case FAKE_CLOSED:
		f->order_errors++;
		return -EBADF;
	case FAKE_CDEVICE:
		f->bound = f->pt_attached = false;
		/* fall through */
	case FAKE_DEVICE:
		f->closed_active |= f->device_active(f);
		f->config[PCI_COMMAND] &= (uint8_t)~PCI_COMMAND_MASTER;
		f->irq_mode = -1;
		break;
	case FAKE_IOMMUFD: /* an address space that a device is behind must not go first */
		f->order_errors += f->pt_attached;
		f->ioas = 0;
		memset(f->map, 0, sizeof(f->map));
		break;
	case FAKE_GROUP:
		f->attached = f->iommu_on = false;
		break;
	case FAKE_CONTAINER:
		memset(f->map, 0, sizeof(f->map));
		break;
	case FAKE_EVENTFD:
		if (f->number[slot] < FD_BASE)
			(void)close(f->number[slot]);
		break;
	}
	f->fd[slot] = FAKE_CLOSED;
	return 0;
}

static int fake_eventfd(void *ctx)
{
	return fails(ctx) ? -EIO : fake_new_fd(ctx, FAKE_EVENTFD);
}

static void intx_unmask(struct fake_vfio *f)
{
	f->unmasks++;
	f->intx_masked = false;
}

static int fake_signal(void *ctx, int fd)
{
	struct fake_vfio *f = ctx;

	if (fails(f))
		return -EIO;
	if (fake_kind_of(f, fd) != FAKE_EVENTFD)
		return -EBADF;
	if (fd == f->unmask_fd)
		intx_unmask(f);
	return 0;
}

bool fake_vfio_interrupt(struct fake_vfio *fake)
{
	if (fake->irq_mode != VFIO_PCI_INTX_IRQ_INDEX || fake->intx_masked)
		return false;
	fake->intx_masked = true;
	return true;
}

/* --- device --- */

/* One area from the start of the region, behind a capability of another kind. */
static void list_area(const struct fake_vfio *f, struct vfio_region_info *info)
{
	struct {
		struct vfio_region_info info;
		struct vfio_info_cap_header other;
		struct vfio_region_info_cap_sparse_mmap cap;
		struct vfio_region_sparse_mmap_area area;
	} full = {
		.other = {.id = VFIO_REGION_INFO_CAP_MSIX_MAPPABLE},
		.cap = {.header = {.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP}, .nr_areas = 1},
		.area = {.size = f->mappable},
	};

	info->flags |= VFIO_REGION_INFO_FLAG_CAPS;
	info->cap_offset = (uint32_t)((char *)&full.other - (char *)&full);
	full.other.next = (uint32_t)((char *)&full.cap - (char *)&full);
	full.info = *info;
	if (info->argsz >= sizeof(full))
		memcpy(info, &full, sizeof(full));
}

static int region_info(const struct fake_vfio *f, struct vfio_region_info *info)
{
	info->offset = (uint64_t)info->index << 40;
	info->size = 0;
	info->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	if (info->index == VFIO_PCI_BAR0_REGION_INDEX) {
		info->size = REG_SPACE_BYTES;
		info->flags |= f->no_mmap ? 0 : VFIO_REGION_INFO_FLAG_MMAP;
		if (f->mappable)
			list_area(f, info);
	} else if (info->index == IO_REGION && f->io_bar) {
		info->size = 64;
	} else if (info->index == VFIO_PCI_CONFIG_REGION_INDEX) {
		info->size = sizeof(f->config);
	}
	return info->index > VFIO_PCI_CONFIG_REGION_INDEX ? -EINVAL : 0;
}

static int set_irqs(struct fake_vfio *f, const struct vfio_irq_set *set)
{
	bool notice = set->index >= VFIO_PCI_ERR_IRQ_INDEX;

	if (set->index >= VFIO_PCI_NUM_IRQS || set->argsz < sizeof(*set) ||
	    ((set->flags & VFIO_IRQ_SET_DATA_EVENTFD) && set->argsz < sizeof(*set) + 4 * set->count) ||
	    set->start + set->count > f->irq_count[set->index])
		return -EINVAL;
	if (set->flags & VFIO_IRQ_SET_ACTION_UNMASK) {
		if (set->index != VFIO_PCI_INTX_IRQ_INDEX || f->irq_mode != VFIO_PCI_INTX_IRQ_INDEX ||
		    ((set->flags & VFIO_IRQ_SET_DATA_EVENTFD) && f->no_unmask_fd))
			return -ENOTTY;
		if (set->flags & VFIO_IRQ_SET_DATA_EVENTFD)
			f->unmask_fd = ((const int32_t *)set->data)[0];
		else
			intx_unmask(f);
		return 0;
	}
	if (notice) {
		f->notice_on[set->index] = set->count > 0;
		f->notice_fd[set->index] = set->count ? ((const int32_t *)set->data)[0] : -1;
		return 0;
	}
	if (set->count == 0) {
		f->unmask_fd = -1;
		f->irq_mode = f->irq_mode == (int)set->index ? -1 : f->irq_mode;
		return 0;
	}
	if (f->irq_mode >= 0) /* one mode at a time, and the number of vectors is fixed */
		return -EINVAL;
	for (unsigned i = 0; i < set->count; i++)
		if (fake_kind_of(f, ((const int32_t *)set->data)[i]) != FAKE_EVENTFD)
			return -EBADF;
	if (f->irq_grant && (int)set->count > f->irq_grant)
		return f->irq_grant;
	f->irq_mode = (int)set->index;
	f->intx_masked = false;
	f->irq_vectors = set->count;
	return 0;
}

static int device_ioctl(struct fake_vfio *f, unsigned long request, void *arg)
{
	struct vfio_device_info *info = arg;
	struct vfio_irq_info *irq = arg;

	f->device_calls++;
	switch (request) {
	case VFIO_DEVICE_GET_INFO:
		info->flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
		info->num_irqs = VFIO_PCI_NUM_IRQS;
		return 0;
	case VFIO_DEVICE_GET_REGION_INFO:
		return region_info(f, arg);
	case VFIO_DEVICE_GET_IRQ_INFO:
		irq->count = f->irq_count[irq->index];
		irq->flags = VFIO_IRQ_INFO_EVENTFD;
		return 0;
	case VFIO_DEVICE_SET_IRQS:
		return set_irqs(f, arg);
	case VFIO_DEVICE_RESET:
		f->resets++;
		f->master_at_reset |= (f->config[PCI_COMMAND] & PCI_COMMAND_MASTER) != 0;
		return 0;
	}
	return -ENOTTY;
}

/* The device's own node: nothing works before it is bound. */
static int cdev_ioctl(struct fake_vfio *f, unsigned long request, void *arg)
{
	const struct dev_bind_iommufd *bind = arg;

	switch (request) {
	case DEV_BIND_IOMMUFD:
		if (f->bind_error || fake_kind_of(f, bind->iommufd) != FAKE_IOMMUFD)
			return f->bind_error ? f->bind_error : -EBADF;
		f->bound = true;
		return 0;
	case DEV_ATTACH_PT:
		if (!f->bound || !f->ioas || ((struct dev_attach_pt *)arg)->pt_id != f->ioas)
			return -ENOENT;
		f->pt_attached = true;
		return 0;
	case DEV_DETACH_PT:
		f->pt_attached = false;
		return 0;
	}
	f->order_errors += !f->bound;
	return f->bound ? device_ioctl(f, request, arg) : -EINVAL;
}

static int fake_ioctl(void *ctx, int fd, unsigned long request, void *arg)
{
	struct fake_vfio *f = ctx;

	if (fails(f))
		return -EIO;
	switch (fake_kind_of(f, fd)) {
	case FAKE_CONTAINER:
		return fake_container_ioctl(f, request, arg);
	case FAKE_GROUP:
		return fake_group_ioctl(f, request, arg);
	case FAKE_DEVICE:
		return device_ioctl(f, request, arg);
	case FAKE_CDEVICE:
		return cdev_ioctl(f, request, arg);
	case FAKE_IOMMUFD:
		return fake_iommufd_ioctl(f, request, arg);
	default:
		f->order_errors++;
		return -EBADF;
	}
}

static int fake_mmap(void *ctx, size_t size, int prot, int flags, int fd, uint64_t offset, void **ret_va)
{
	struct fake_vfio *f = ctx;
	void *va;

	if (fails(f))
		return -EIO;
	va = mmap(NULL, size, prot, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (va == MAP_FAILED)
		return -errno;
	if (is_device(f, fd))
		f->bar = va;
	f->mappings++;
	*ret_va = va;
	return 0;
}

static int fake_munmap(void *ctx, void *va, size_t size)
{
	struct fake_vfio *f = ctx;

	if (va == f->bar)
		f->bar = NULL;
	f->mappings--;
	return munmap(va, size) < 0 ? -errno : 0;
}

static int fake_mprotect(void *ctx, void *va, size_t size, int prot)
{
	if (fails(ctx))
		return -EIO;
	return mprotect(va, size, prot) < 0 ? -errno : 0;
}

static uint64_t fake_memlock_limit(void *ctx)
{
	const struct fake_vfio *f = ctx;

	return f->memlock ? f->memlock : UINT64_MAX;
}

/* Where an access of the device's descriptor lands; NULL: outside. */
static void *device_bytes(struct fake_vfio *f, uint64_t offset, size_t size)
{
	uint64_t region = offset >> 40, at = offset & 0xffffffffffull;

	if (region == VFIO_PCI_CONFIG_REGION_INDEX && at + size <= sizeof(f->config))
		return f->config + at;
	if (region == VFIO_PCI_BAR0_REGION_INDEX && at + size <= sizeof(f->regs))
		return (uint8_t *)f->regs + at;
	if (region == IO_REGION && f->io_bar && at + size <= sizeof(f->io_written))
		return (uint8_t *)f->io_written + at;
	return NULL;
}

static ssize_t fake_pread(void *ctx, int fd, void *data, size_t size, uint64_t offset)
{
	void *bytes = device_bytes(ctx, offset, size);

	if (fails(ctx) || !bytes || !is_device(ctx, fd))
		return -EIO;
	((struct fake_vfio *)ctx)->device_calls++;
	memcpy(data, bytes, size);
	return (ssize_t)size;
}

static ssize_t fake_pwrite(void *ctx, int fd, const void *data, size_t size, uint64_t offset)
{
	void *bytes = device_bytes(ctx, offset, size);

	if (fails(ctx) || !bytes || !is_device(ctx, fd))
		return -EIO;
	((struct fake_vfio *)ctx)->device_calls++;
	memcpy(bytes, data, size);
	fake_vfio_chip_written(ctx, offset);
	return (ssize_t)size;
}

static const struct sys_ops fake_ops = {
	.open = fake_open,
	.close = fake_close,
	.ioctl = fake_ioctl,
	.mmap = fake_mmap,
	.munmap = fake_munmap,
	.mprotect = fake_mprotect,
	.pread = fake_pread,
	.pwrite = fake_pwrite,
	.eventfd = fake_eventfd,
	.signal = fake_signal,
	.memlock_limit = fake_memlock_limit,
};

struct fake_vfio *fake_vfio_new(void)
{
	struct fake_vfio *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	strcpy(f->root, "/tmp/moderato-sysfs-XXXXXX");
	if (!mkdtemp(f->root))
		abort();
	(void)snprintf(f->proc, sizeof(f->proc), "%s/proc", f->root);
	f->sys = (struct sys){.ops = &fake_ops, .ctx = f, .sysfs = f->root, .proc = f->proc};
	f->irq_mode = f->unmask_fd = -1;
	f->device_active = fake_vfio_chip_active;
	f->irq_count[VFIO_PCI_INTX_IRQ_INDEX] = f->irq_count[VFIO_PCI_MSI_IRQ_INDEX] = 1;
	f->irq_count[VFIO_PCI_MSIX_IRQ_INDEX] = 5;
	f->irq_count[VFIO_PCI_ERR_IRQ_INDEX] = f->irq_count[VFIO_PCI_REQ_IRQ_INDEX] = 1;
	f->config[PCI_COMMAND] = PCI_COMMAND_MASTER;
	f->config[PCI_CAPABILITY_LIST] = PCIE_CAP;
	f->config[PCIE_CAP] = PCI_CAP_ID_EXP;
	f->config[PCIE_CAP + PCI_EXP_LNKCTL] = PCI_EXP_LNKCTL_ASPM_L0S | PCI_EXP_LNKCTL_ASPM_L1;
	f->config[PCI_BASE_ADDRESS_0 + 4 * IO_REGION] = PCI_BASE_ADDRESS_SPACE_IO;
	fake_vfio_device(f, "0000:03:00.0", 0x8086, 0x10D3, 0x020000, "vfio-pci", 14);
	return f;
}

void fake_vfio_free(struct fake_vfio *fake)
{
	char command[96];

	(void)snprintf(command, sizeof(command), "rm -r %s", fake->root);
	if (system(command) != 0)
		perror(command);
	free(fake);
}

uint64_t fake_vfio_mapped(const struct fake_vfio *fake)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < FAKE_MAPS; i++)
		bytes += fake->map[i].size;
	return bytes;
}

unsigned fake_vfio_leaks(const struct fake_vfio *fake)
{
	unsigned leaks = fake->mappings + (fake->ioas != 0) + fake->pt_attached;

	for (unsigned i = 0; i < FAKE_FDS; i++)
		leaks += fake->fd[i] != FAKE_CLOSED;
	for (unsigned i = 0; i < FAKE_MAPS; i++)
		leaks += fake->map[i].size != 0;
	return leaks;
}
