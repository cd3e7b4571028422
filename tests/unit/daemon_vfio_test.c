/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole daemon on a pretend kernel: the kernel's notices and signals at any moment. Each run is a child
 * process, since a daemon drops rights that it never gets back.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/control_client.h"
#include "driver/daemon.h"
#include "tests/lib/fake_vfio.h"
#include "tests/lib/need_tap.h"

#define STUCK_S	  60 /* a run that hangs ends here, as a failure */
#define POLL_US	  100 /* between two looks while the chip's requests end */
#define STEPS	  14
#define ROUND_CALLS 700 /* most that a step of the bring-up touches */

static struct fake_vfio *fake;
static unsigned calls_at_act;
static unsigned frozen_at; /* calls that had reached the device when the bus reported an error */

static void notify(unsigned index)
{
	calls_at_act = fake->calls;
	if (fake->notice_on[index])
		(void)eventfd_write(fake->notice_fd[index], 1);
}

/* Before the daemon has asked to be told, the kernel cannot; it tries again later. */
static void request_back(struct fake_vfio *f)
{
	if (f->notice_on[VFIO_PCI_REQ_IRQ_INDEX])
		notify(VFIO_PCI_REQ_IRQ_INDEX);
	else
		f->act_in = 1;
}

static void bus_error(struct fake_vfio *f)
{
	if (f->notice_on[VFIO_PCI_ERR_IRQ_INDEX])
		notify(VFIO_PCI_ERR_IRQ_INDEX);
	else
		f->act_in = 1;
	frozen_at = f->device_calls;
}

static void terminate(struct fake_vfio *f)
{
	calls_at_act = f->calls;
	(void)kill(getpid(), SIGTERM);
}

static void on_usr1(int number)
{
	notify(VFIO_PCI_REQ_IRQ_INDEX);
}

/* Why a run was wrong; the child's exit code. */
enum verdict { RIGHT, WRONG_RESULT, WRONG_SENTENCE, LEAKED, CLOSED_ACTIVE, UNMAPPED_ACTIVE, TOOK_LONG, TOUCHED };

static void new_kernel(void)
{
	fake = fake_vfio_new();
	fake_vfio_chip(fake);
	fake->real_eventfds = true;
}

static int run_daemon(const char *socket_path, int ready_fd, struct error *err)
{
	struct daemon_options options = {
		.device = "0000:03:00.0",
		.name = "test",
		.socket_path = socket_path,
		.cpu = -1,
		.no_fifo = true,
		.ready_fd = ready_fd,
		.sys = &fake->sys,
	};

	path_options_default(&options.path);
	(void)alarm(STUCK_S);
	return daemon_run(&options, err);
}

/* What holds however the daemon ended. */
static enum verdict judge_end(void)
{
	if (fake_vfio_leaks(fake) || fake->order_errors)
		return LEAKED;
	if (frozen_at) /* what one round of the event loop still does, before it sees the notice */
		return fake->device_calls - frozen_at > ROUND_CALLS ? TOUCHED : RIGHT;
	if (fake->closed_active)
		return CLOSED_ACTIVE;
	if (fake->unmapped_active || fake->unmapped_with_master)
		return UNMAPPED_ACTIVE;
	/* Waits are polls of the chip: these bound the time by which the kernel's unbind has to wait. */
	if ((fake->calls - calls_at_act) * POLL_US > 1000000 / 2)
		return TOOK_LONG;
	return RIGHT;
}

/* --- runs --- */

struct run {
	pid_t pid;
	int ready; /* the line that the daemon writes when it is up */
	char path[96];
};

static unsigned *calls_of_child; /* shared: how many a run took */

/* The child's verdict is its exit code. @part: in the sentence, NULL: none is expected. */
static void begin_run(struct run *run, int code, const char *part)
{
	int ends[2];

	(void)snprintf(run->path, sizeof(run->path), "%s/daemon.sock", fake->root);
	assert_int_equal(pipe(ends), 0);
	run->ready = ends[0];
	run->pid = fork();
	assert_true(run->pid >= 0);
	if (run->pid == 0) {
		struct error err = {0};
		enum verdict verdict;
		int r;

		(void)close(ends[0]);
		(void)signal(SIGUSR1, on_usr1);
		r = run_daemon(run->path, ends[1], &err);
		*calls_of_child = fake->calls;
		verdict = r != code ? WRONG_RESULT : part && !strstr(err.text, part) ? WRONG_SENTENCE : judge_end();
		if (verdict)
			fprintf(stderr, "%d: %s\n", r, err.text);
		_exit(verdict);
	}
	(void)close(ends[1]);
}

static void wait_until_ready(struct run *run)
{
	char line[256] = "";

	if (read(run->ready, line, sizeof(line) - 1) <= 0 || strncmp(line, "ready", 5) != 0)
		fail_msg("not ready: %s", line);
}

static void end_run(struct run *run, unsigned n)
{
	int status;

	assert_int_equal(waitpid(run->pid, &status, 0), run->pid);
	(void)close(run->ready);
	if (WIFSIGNALED(status))
		fail_msg("call %u: the daemon ended by signal %d", n, WTERMSIG(status));
	if (WEXITSTATUS(status) != RIGHT)
		fail_msg("call %u: verdict %d", n, WEXITSTATUS(status));
	fake_vfio_free(fake);
}

/* @act at one call after the other, from opening to a device that runs. */
static void act_at_any_moment(void (*act)(struct fake_vfio *), int code, const char *part)
{
	struct run run;
	unsigned total;

	new_kernel();
	begin_run(&run, 0, NULL);
	wait_until_ready(&run);
	(void)kill(run.pid, SIGTERM);
	end_run(&run, 0);
	total = *calls_of_child;
	assert_true(total > 100);
	for (unsigned i = 0; i < STEPS; i++) {
		new_kernel();
		fake->act = act;
		fake->act_in = 1 + i * (total - 50) / STEPS;
		begin_run(&run, code, part);
		end_run(&run, 1 + i * (total - 50) / STEPS);
	}
}

static void request_at_any_moment_gives_the_device_back_in_time(void **state)
{
	need_tap();
	act_at_any_moment(request_back, -ENODEV, "wants the device back (unbind or unplug)");
}

static void bus_error_at_any_moment_gives_the_device_back_untouched(void **state)
{
	need_tap();
	act_at_any_moment(bus_error, -EIO, "given back untouched");
}

static void sigterm_at_any_moment_leaves_the_device_quiet(void **state)
{
	need_tap();
	act_at_any_moment(terminate, 0, NULL);
}

static void request_while_the_chip_never_ends_its_requests_is_in_time_too(void **state)
{
	struct run run;

	need_tap();
	new_kernel();
	fake->regs[REG_STATUS / 4] |= STATUS_GIO_MASTER_ENABLE;
	begin_run(&run, -ENODEV, "wants the device back");
	wait_until_ready(&run);
	(void)kill(run.pid, SIGUSR1);
	end_run(&run, 0);
}

/* Reads what the daemon said before it ended: was the event there, with @part in its sentence? */
static bool was_told(struct control_client *client, const char *name, const char *part)
{
	json_t *message;
	bool told = false;

	while (control_next_notification(client, 10000, &message, NULL) == 0) {
		const json_t *params = json_object_get(message, "params");
		const char *got = json_string_value(json_object_get(params, "name")),
			   *detail = json_string_value(json_object_get(params, "detail"));

		told |= got && !strcmp(got, name) && detail && strstr(detail, part);
		json_decref(message);
	}
	return told;
}

/* The lease's settings go with the device; its holder is told why, and sees the end at once. */
static void request_while_a_client_holds_the_lease_does_not_wait_for_it(void **state)
{
	struct control_client *client;
	struct error err = {0};
	struct run run;
	int r;

	need_tap();
	new_kernel();
	begin_run(&run, -ENODEV, "wants the device back");
	wait_until_ready(&run);
	assert_int_equal(control_connect(run.path, &client, &err), 0);
	r = control_call(client, "lease.take", json_pack("{s:b, s:i}", "restore", 1, "ttl_ms", 60000), NULL, 0,
		&err);
	if (r == 0)
		r = control_call(client, "subscribe", NULL, NULL, 0, &err);
	if (r == 0)
		r = control_call(client, "restart", json_pack("{s:{s:i}}", "knobs", "rx-ring", 512), NULL, 0, &err);
	if (r < 0)
		fail_msg("%s", err.text);
	(void)kill(run.pid, SIGUSR1);
	end_run(&run, 0);
	assert_true(was_told(client, "gone", "wants the device back"));
	assert_int_equal(control_call(client, "get", NULL, NULL, 0, &err), -EPIPE);
	control_disconnect(client);
}

static int share_calls(void **state)
{
	calls_of_child = mmap(NULL, sizeof(*calls_of_child), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	return calls_of_child == MAP_FAILED ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_at_any_moment_gives_the_device_back_in_time),
		cmocka_unit_test(bus_error_at_any_moment_gives_the_device_back_untouched),
		cmocka_unit_test(sigterm_at_any_moment_leaves_the_device_quiet),
		cmocka_unit_test(request_while_the_chip_never_ends_its_requests_is_in_time_too),
		cmocka_unit_test(request_while_a_client_holds_the_lease_does_not_wait_for_it),
	};

	return cmocka_run_group_tests(tests, share_calls, NULL);
}
