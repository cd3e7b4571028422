/* SPDX-License-Identifier: BSD-2-Clause */
/* Leases: one connection is the only writer, and its end puts the settings back, verified. */
#include "driver/control_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/util.h"

/* --- the end of a lease --- */

static void lease_answer(
	struct control *control, json_t *result, const struct control_failure *failure)
{
	struct control_lease *lease = &control->lease;
	struct control_conn *conn = lease->answer ? lease->conn : NULL;
	json_t *id = lease->answer_id;

	lease->answer = false;
	lease->answer_id = NULL;
	control_conn_answer(conn, id, result, failure, NULL, 0);
	json_decref(id);
}

static void lease_clear(struct control *control)
{
	control->lease.state = LEASE_NONE;
	control->lease.conn = NULL;
	control->lease.expires_ns = TIME_NEVER;
}

static void lease_done(struct control *control, bool restored)
{
	struct control_lease *lease = &control->lease;

	control_notify(control, lease->conn, "lease-ended", lease->pid, "lease of %s ended, %s: %s",
		lease->holder, lease->why,
		restored ? "its settings are back" : "settings stay as they are");
	lease_answer(control, json_pack("{s:b}", "restored", restored), NULL);
	lease_clear(control);
}

static void lease_failed(struct control *control, int number, const char *why)
{
	struct control_lease *lease = &control->lease;
	struct control_failure failure = {.number = number};

	(void)control_fail(&failure, CONTROL_ERR_FAILED,
		"lease of %s ended, %s, but its settings could not be put back: %s", lease->holder,
		lease->why, why);
	control_notify(control, NULL, "restore-failed", lease->pid, "%s", failure.text);
	lease_answer(control, NULL, &failure);
	lease_clear(control);
}

static void lease_notify_settings(struct control *control, const struct settings *before)
{
	char who[160];

	(void)snprintf(
		who, sizeof(who), "moderatod at the end of the lease of %s", control->lease.holder);
	control_notify_settings(control, NULL, 0, who, before);
}

/* Only a start brings a failed device's registers to the wanted values. */
static bool lease_needs_start(const struct control *control)
{
	const struct nic *nic = control->daemon->nic;
	enum nic_state state = nic_state(nic);

	return state == NIC_FAILED || state == NIC_STOPPED ||
	       control_settings_need_restart(nic_requested(nic), &control->lease.saved);
}

static void lease_restore(struct control *control, uint64_t now_ns)
{
	struct control_lease *lease = &control->lease;
	struct nic *nic = control->daemon->nic;
	struct settings before = *nic_requested(nic), live;
	struct error err = {0};

	if (nic_state(nic) == NIC_GONE) {
		lease_failed(control, ENODEV, "the device is gone");
	} else if (lease_needs_start(control)) {
		control->failure[0] = '\0';
		lease->state = LEASE_RESTARTING;
		lease->before = before;
		if (nic_start(nic, &lease->saved, now_ns, &err))
			lease_failed(control, -err.code, err.text);
	} else {
		/* all of them, also those not changed: writing and reading back is the proof */
		control_settings_live(&lease->saved, &live);
		if (nic_set(nic, &live, &err)) {
			lease_failed(control, -err.code, err.text);
			return;
		}
		lease_notify_settings(control, &before);
		lease_done(control, true);
	}
}

static void lease_restarted(struct control *control)
{
	enum nic_state state = nic_state(control->daemon->nic);

	lease_notify_settings(control, &control->lease.before);
	if ((state == NIC_RUNNING || state == NIC_LINK_WAIT) && !control->failure[0])
		lease_done(control, true);
	else
		lease_failed(control, state == NIC_GONE ? ENODEV : EIO,
			control->failure[0] ? control->failure : "the device did not start");
}

/* One step if nothing under way forbids it. */
static void lease_step(struct control *control, uint64_t now_ns)
{
	struct control_lease *lease = &control->lease;

	if (control->operation.active || nic_state(control->daemon->nic) == NIC_RESETTING)
		return;
	if (lease->state == LEASE_RESTARTING)
		lease_restarted(control);
	else if (lease->state == LEASE_ENDING && lease->restore)
		lease_restore(control, now_ns);
	else if (lease->state == LEASE_ENDING)
		lease_done(control, false);
}

static void process_forget(struct control *control)
{
	struct loop_fd *process = &control->lease.process;

	if (!process->events)
		return;
	(void)loop_watch(control->daemon->loop, process, 0);
	(void)close(process->fd);
}

static void lease_end(struct control *control, uint64_t now_ns, const char *why)
{
	struct control_lease *lease = &control->lease;

	lease->state = LEASE_ENDING;
	lease->expires_ns = TIME_NEVER;
	process_forget(control);
	(void)snprintf(lease->why, sizeof(lease->why), "%s", why);
	control_traffic_end(control, now_ns);
	/* what is put back covers an unconfirmed change too */
	if (lease->restore)
		control->revert.active = false;
	lease_step(control, now_ns);
}

uint64_t control_lease_run(struct control *control, uint64_t now_ns)
{
	struct control_lease *lease = &control->lease;
	char why[64];

	if (lease->state == LEASE_HELD && lease->expires_ns <= now_ns) {
		(void)snprintf(why, sizeof(why), "its %llu ms ran out",
			(unsigned long long)(lease->ttl_ns / NS_PER_MS));
		lease_end(control, now_ns, why);
	} else {
		lease_step(control, now_ns);
	}
	return lease->expires_ns;
}

static void process_ended(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	lease_end(source->ctx, now_ns, "its process ended");
}

/*
 * Children that a killed client leaves behind may hold its connection open, so the process itself
 * is watched too. Where the kernel does not allow it the connection alone tells.
 */
static void process_watch(struct control *control)
{
	struct loop_fd *process = &control->lease.process;
	int fd = -1;

	if (control->lease.pid > 0)
		fd = (int)syscall(SYS_pidfd_open, control->lease.pid, 0);
	if (fd < 0)
		return;
	*process = (struct loop_fd){.fd = fd, .ready = process_ended, .ctx = control};
	if (loop_watch(control->daemon->loop, process, EPOLLIN))
		(void)close(fd);
}

void control_lease_forget(struct control *control, const struct control_conn *conn, uint64_t now_ns)
{
	if (control_lease_holds(control, conn))
		lease_end(control, now_ns, "its connection closed");
}

void control_lease_abort(struct control *control, const char *why)
{
	struct control_failure failure = {.number = ECANCELED};

	if (control->lease.answer) {
		(void)control_fail(
			&failure, CONTROL_ERR_FAILED, "lease.release: not finished: %s", why);
		lease_answer(control, NULL, &failure);
	}
	process_forget(control);
	lease_clear(control);
}

/* --- who holds it --- */

bool control_lease_holds(const struct control *control, const struct control_conn *conn)
{
	return control->lease.state == LEASE_HELD && control->lease.conn == conn;
}

bool control_lease_refuses(const struct control *control, const struct control_conn *conn,
	const char *method, struct control_failure *failure)
{
	const struct control_lease *lease = &control->lease;

	if (lease->state != LEASE_HELD || lease->conn == conn)
		return false;
	failure->number = EBUSY;
	(void)control_fail(failure, CONTROL_ERR_LEASED,
		"%s: refused while %s holds the lease: wait for its end", method, lease->holder);
	return true;
}

json_t *control_lease_info(const struct control *control, uint64_t now_ns)
{
	const struct control_lease *lease = &control->lease;
	uint64_t left_ns = 0;

	if (lease->state == LEASE_NONE)
		return json_pack("{s:b}", "held", 0);
	if (lease->expires_ns != TIME_NEVER && lease->expires_ns > now_ns)
		left_ns = lease->expires_ns - now_ns;
	return json_pack("{s:b, s:o, s:I}", "held", 1, "holder", control_text_string(lease->holder),
		"ttl_ms", (json_int_t)((left_ns + NS_PER_MS - 1) / NS_PER_MS));
}

static int refuse_stranger(struct control_call *call, struct control_failure *failure)
{
	const char *name = call->request->method->name;

	if (control_lease_holds(call->control, call->conn))
		return 0;
	if (control_lease_refuses(call->control, call->conn, name, failure))
		return -EBUSY;
	failure->number = ENOENT;
	return control_fail(failure, CONTROL_ERR_FAILED,
		"%s: this connection holds no lease: it was not taken, or it has ended", name);
}

/* --- methods --- */

static int take_check(struct control_call *call, struct control_failure *failure)
{
	struct control *control = call->control;

	if (control_lease_holds(control, call->conn)) {
		failure->number = EALREADY;
		return control_fail(failure, CONTROL_ERR_FAILED,
			"lease.take: this connection holds the lease already");
	}
	if (!control->revert.active)
		return 0;
	failure->number = EBUSY;
	return control_fail(failure, CONTROL_ERR_BUSY,
		"lease.take: a change waits for its confirmation and may be put back: "
		"confirm it with an empty set, or wait");
}

static void take_holder(
	struct control_lease *lease, const struct control_conn *conn, const char *name)
{
	/* the name is cut before the number is */
	(void)snprintf(lease->holder, sizeof(lease->holder), "%.64s (pid %d)",
		name ? name : conn->command, (int)conn->pid);
}

int control_lease_take(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct control *control = call->control;
	json_t *params = call->request->params;
	const char *holder = NULL;
	bool restore = true;
	int64_t ttl_ms = 0;

	if (take_check(call, failure))
		return -EINVAL;
	(void)json_member_bool(params, "restore", false, &restore, NULL);
	(void)json_member_int(params, "ttl_ms", false, &ttl_ms, NULL);
	(void)json_member_string(params, "holder", false, &holder, NULL);
	control->lease = (struct control_lease){
		.state = LEASE_HELD,
		.conn = call->conn,
		.pid = call->conn->pid,
		.restore = restore,
		.ttl_ns = (uint64_t)ttl_ms * NS_PER_MS,
		.saved = *nic_requested(control->daemon->nic),
	};
	control->lease.expires_ns = ttl_ms ? call->now_ns + control->lease.ttl_ns : TIME_NEVER;
	take_holder(&control->lease, call->conn, holder);
	process_watch(control);
	control_notify(control, call->conn, "lease-taken", call->conn->pid, "lease taken by %s",
		control->lease.holder);
	return 0;
}

int control_lease_keep(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct control_lease *lease = &call->control->lease;

	if (refuse_stranger(call, failure))
		return -EINVAL;
	if (lease->ttl_ns)
		lease->expires_ns = call->now_ns + lease->ttl_ns;
	return 0;
}

int control_lease_commit(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct control *control = call->control;

	if (refuse_stranger(call, failure))
		return -EINVAL;
	if (control_is_busy(control)) {
		failure->number = EBUSY;
		return control_fail(failure, CONTROL_ERR_BUSY,
			"lease.commit: a restart is under way: commit when it is over");
	}
	control->lease.saved = *nic_requested(control->daemon->nic);
	control->revert.active = false;
	return 0;
}

int control_lease_release(
	struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct control_lease *lease = &call->control->lease;

	if (refuse_stranger(call, failure))
		return -EINVAL;
	lease->answer = true;
	lease->answer_id = json_incref(call->request->id);
	lease_end(call->control, call->now_ns, "released");
	return CONTROL_LATER;
}
