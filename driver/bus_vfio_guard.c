/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGBUS guard of the mapped registers: a device that went away must not take the daemon along. */
#include "driver/bus_vfio_private.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

/* A signal handler has no argument of ours: the one range of this process. */
static struct vfio_bus *guarded;
static struct sigaction sigbus_before;

/* Puts memory full of ones in place of the registers, so that the driver sees what an unplugged PCI
 * device answers, at every touch after this one too. */
static void guard_sigbus(int number, siginfo_t *info, void *context)
{
	struct vfio_bus *self = guarded;
	uint8_t *at = info->si_addr, *bar = self ? self->bar : NULL;

	if (bar && at >= bar && at < bar + self->bar_bytes &&
	    mmap(bar, self->bar_bytes, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) != MAP_FAILED) {
		memset(bar, 0xff, self->bar_bytes);
		self->bus.dead = true;
		return;
	}
	(void)sigaction(SIGBUS, &sigbus_before, NULL); /* not ours: the access repeats and ends as it would */
}

void vfio_guard_start(struct vfio_bus *self)
{
	struct sigaction action = {.sa_sigaction = guard_sigbus, .sa_flags = SA_SIGINFO};

	guarded = self;
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGBUS, &action, &sigbus_before);
}

void vfio_guard_stop(struct vfio_bus *self)
{
	if (guarded != self)
		return;
	(void)sigaction(SIGBUS, &sigbus_before, NULL);
	guarded = NULL;
}
