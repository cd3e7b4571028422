/* SPDX-License-Identifier: BSD-2-Clause */
/* The few system calls below the VFIO backend, behind pointers so that tests can be the kernel. */
#ifndef MODERATO_DRIVER_SYS_H
#define MODERATO_DRIVER_SYS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Every call returns a negative errno on failure; @ctx is sys->ctx. */
struct sys_ops {
	int (*open)(void *ctx, const char *path, int flags);
	int (*close)(void *ctx, int fd);
	/* Return: what the kernel returned, which may be positive. */
	int (*ioctl)(void *ctx, int fd, unsigned long request, void *arg);
	int (*mmap)(void *ctx, size_t size, int prot, int flags, int fd, uint64_t offset, void **ret_va);
	int (*munmap)(void *ctx, void *va, size_t size);
	int (*mprotect)(void *ctx, void *va, size_t size, int prot);
	ssize_t (*pread)(void *ctx, int fd, void *data, size_t size, uint64_t offset);
	ssize_t (*pwrite)(void *ctx, int fd, const void *data, size_t size, uint64_t offset);
	int (*eventfd)(void *ctx);
	/* Add 1 to an eventfd. */
	int (*signal)(void *ctx, int fd);
	/* Bytes that this process may lock, UINT64_MAX: no limit counts for it. */
	uint64_t (*memlock_limit)(void *ctx);
};

struct sys {
	const struct sys_ops *ops;
	void *ctx;
	const char *sysfs, *proc; /* where they are mounted */
};

/* The running kernel. */
extern const struct sys sys_kernel;

static inline int sys_open(const struct sys *sys, const char *path, int flags)
{
	return sys->ops->open(sys->ctx, path, flags);
}

/** sys_close() - close *@fd unless it is negative, and make it -1. */
static inline void sys_close(const struct sys *sys, int *fd)
{
	if (*fd >= 0)
		(void)sys->ops->close(sys->ctx, *fd);
	*fd = -1;
}

static inline int sys_ioctl(const struct sys *sys, int fd, unsigned long request, void *arg)
{
	return sys->ops->ioctl(sys->ctx, fd, request, arg);
}

#endif
