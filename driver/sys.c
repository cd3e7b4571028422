/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls of the VFIO backend on the running kernel. */
#include "driver/sys.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/pci.h"
#include "common/vfio_holder.h"

static int kernel_open(void *ctx, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int kernel_close(void *ctx, int fd)
{
	return close(fd) < 0 ? -errno : 0;
}

static int kernel_ioctl(void *ctx, int fd, unsigned long request, void *arg)
{
	int r = ioctl(fd, request, arg);

	return r < 0 ? -errno : r;
}

static int kernel_mmap(void *ctx, size_t size, int prot, int flags, int fd, uint64_t offset, void **ret_va)
{
	void *va = mmap(NULL, size, prot, flags, fd, (off_t)offset);

	if (va == MAP_FAILED)
		return -errno;
	*ret_va = va;
	return 0;
}

static int kernel_munmap(void *ctx, void *va, size_t size)
{
	return munmap(va, size) < 0 ? -errno : 0;
}

static int kernel_mprotect(void *ctx, void *va, size_t size, int prot)
{
	return mprotect(va, size, prot) < 0 ? -errno : 0;
}

static ssize_t kernel_pread(void *ctx, int fd, void *data, size_t size, uint64_t offset)
{
	ssize_t n = pread(fd, data, size, (off_t)offset);

	return n < 0 ? -errno : n;
}

static ssize_t kernel_pwrite(void *ctx, int fd, const void *data, size_t size, uint64_t offset)
{
	ssize_t n = pwrite(fd, data, size, (off_t)offset);

	return n < 0 ? -errno : n;
}

static int kernel_eventfd(void *ctx)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int kernel_signal(void *ctx, int fd)
{
	return eventfd_write(fd, 1) < 0 ? -errno : 0;
}

/* Capabilities count in the first user namespace only, which maps every id to itself. */
static bool in_first_user_namespace(void)
{
	unsigned long inside = 1, outside = 1, count = 0;
	FILE *file = fopen("/proc/self/uid_map", "re");

	if (file) {
		if (fscanf(file, "%lu %lu %lu", &inside, &outside, &count) != 3)
			count = 0;
		(void)fclose(file);
	}
	return inside == 0 && outside == 0 && count == UINT32_MAX;
}

static uint64_t kernel_memlock_limit(void *ctx)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};

	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	if (capng_get_caps_process() == 0 && capng_have_capability(CAPNG_EFFECTIVE, CAP_IPC_LOCK) &&
	    in_first_user_namespace())
		return UINT64_MAX;
	return limit.rlim_cur;
}

static const struct sys_ops kernel_ops = {
	.open = kernel_open,
	.close = kernel_close,
	.ioctl = kernel_ioctl,
	.mmap = kernel_mmap,
	.munmap = kernel_munmap,
	.mprotect = kernel_mprotect,
	.pread = kernel_pread,
	.pwrite = kernel_pwrite,
	.eventfd = kernel_eventfd,
	.signal = kernel_signal,
	.memlock_limit = kernel_memlock_limit,
};

const struct sys sys_kernel = {.ops = &kernel_ops, .sysfs = PCI_SYSFS, .proc = VFIO_HOLDER_PROC};
