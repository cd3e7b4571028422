/* SPDX-License-Identifier: BSD-2-Clause */
/* Dropping capabilities (libcap-ng) and system calls (libseccomp). */
#include "driver/harden.h"

#include <cap-ng.h>
#include <errno.h>
#include <seccomp.h>
#include <sys/prctl.h>

#include "common/util.h"

static const unsigned kept_capabilities[] = {
	CAP_NET_ADMIN,	  /* carrier and statistics of the TAP */
	CAP_DAC_OVERRIDE, /* a capture into a directory of the user who asked */
	CAP_IPC_LOCK,	  /* rings that a restart makes larger are locked memory */
	CAP_SYS_NICE,	  /* SCHED_FIFO stays in force */
};

/* Refused, not killed: a library that tries one gets an error it can report. */
static const int refused_calls[] = {
	SCMP_SYS(execve),      SCMP_SYS(execveat),
	SCMP_SYS(mount),       SCMP_SYS(umount2),	 SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),      SCMP_SYS(setns),		 SCMP_SYS(unshare),
	SCMP_SYS(init_module), SCMP_SYS(finit_module),	 SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load),  SCMP_SYS(kexec_file_load), SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open), SCMP_SYS(process_vm_writev), SCMP_SYS(reboot),
	SCMP_SYS(swapon),      SCMP_SYS(add_key),	 SCMP_SYS(keyctl),
};

static int harden_capabilities(struct error *err)
{
	if (capng_get_caps_process() < 0)
		return error_set(err, -EPERM, "capabilities cannot be read: none was dropped");
	if (!capng_have_capabilities(CAPNG_SELECT_CAPS))
		return 0;
	for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++) {
		bool kept = false;

		for (unsigned i = 0; i < ARRAY_SIZE(kept_capabilities); i++)
			kept |= kept_capabilities[i] == cap;
		if (!kept)
			(void)capng_update(CAPNG_DROP,
					   CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_INHERITABLE, cap);
	}
	if (capng_apply(CAPNG_SELECT_CAPS) < 0)
		return error_set(err, -EPERM, "capabilities could not be dropped");
	return 0;
}

static int harden_calls(struct error *err)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int r = ctx ? 0 : -ENOMEM;

	for (unsigned i = 0; r == 0 && i < ARRAY_SIZE(refused_calls); i++)
		r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), refused_calls[i], 0);
	if (r == 0)
		r = seccomp_load(ctx);
	if (ctx)
		seccomp_release(ctx);
	return r < 0 ? error_sys(err, r, "system-call filter could not be loaded") : 0;
}

int harden_process(struct error *err)
{
	int r = harden_capabilities(err);

	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_sys(err, -errno, "no_new_privs");
	return harden_calls(err);
}
