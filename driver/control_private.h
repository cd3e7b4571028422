/* SPDX-License-Identifier: BSD-2-Clause */
/* struct control and what driver/control*.c share; for those files only. */
#ifndef MODERATO_DRIVER_CONTROL_PRIVATE_H
#define MODERATO_DRIVER_CONTROL_PRIVATE_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "driver/capture.h"
#include "driver/control.h"
#include "driver/control_text.h"
#include "driver/daemon.h"
#include "driver/pktgen.h"

#define CONTROL_CONNS_MAX 32
#define CONTROL_FDS_MAX	  3
/* A client that leaves so much unread is dropped; from half of it on it gets no statistics. */
#define CONTROL_QUEUE_MAX (1u << 20)
/* From here on its requests wait until it has read its replies. */
#define CONTROL_QUEUE_BUSY (256u << 10)
/* Lines served before other work gets a turn: a round of the loop stays near a millisecond. */
#define CONTROL_LINES_PER_ROUND 4

/* A line that the socket would not take at once. */
struct control_chunk {
	STAILQ_ENTRY(control_chunk) link;
	char *line;
	size_t len, sent;
	int fds[CONTROL_FDS_MAX]; /* the daemon's own, not closed here */
	unsigned fd_count;
};

struct control_conn {
	LIST_ENTRY(control_conn) link;
	struct control *control;
	struct loop_fd source;
	pid_t pid;
	char command[16]; /* name of the process, for sentences about it */
	char *input;	  /* CONTROL_LINE_MAX bytes */
	size_t input_len;
	bool skipping; /* the rest of an over-long line */
	bool ended;    /* the client sends no more */
	bool dropped;  /* to be closed at the next settling */
	STAILQ_HEAD(control_queue, control_chunk) queue;
	size_t queue_bytes;
	bool events;				 /* subscribed */
	uint64_t stats_interval_ns, stats_at_ns; /* 0 and TIME_NEVER: none */
};

/* A restart or reset under way, asked for by a client. */
struct control_operation {
	bool active;
	const char *method;
	struct control_conn *conn; /* NULL: gone meanwhile */
	json_t *id;		   /* NULL: not answered */
	pid_t pid;
	char command[16];
	uint64_t started_ns;
	struct settings before; /* requested settings, for the event */
};

enum control_lease_state {
	LEASE_NONE,
	LEASE_HELD,
	LEASE_ENDING,	  /* its settings wait for a reset under way to end */
	LEASE_RESTARTING, /* a restart puts its settings back */
};

struct control_lease {
	enum control_lease_state state;
	struct control_conn *conn; /* NULL once the connection is gone */
	pid_t pid;
	struct loop_fd process; /* its pidfd, watched while the lease is held */
	char holder[96];	/* "name (pid n)" */
	bool restore;
	uint64_t ttl_ns;	       /* 0: as long as the connection */
	uint64_t expires_ns;	       /* TIME_NEVER without ttl */
	struct settings saved, before; /* to go back to; in force when that began */
	bool pktgen, source, sink;     /* started by the holder */
	bool answer;		       /* lease.release waits for its reply */
	json_t *answer_id;
	char why[96]; /* it ends */
};

/* A set that waits for its confirmation. */
struct control_revert {
	bool active;
	uint64_t at_ns;
	struct settings old; /* of the changed knobs */
};

struct control {
	struct daemon *daemon;
	char path[108];
	dev_t path_dev;
	ino_t path_ino;
	struct loop_fd listener;
	uint64_t accept_at_ns; /* TIME_NEVER: accepting; else when to try again */
	LIST_HEAD(control_conns, control_conn) conns;
	unsigned conn_count;
	struct control_operation operation;
	struct control_lease lease;
	struct control_revert revert;
	char failure[256]; /* detail of the last event that a start or its settings failed */
	struct pktgen_stats pktgen_last;
	bool pktgen_ever;
	bool stopping; /* shutdown was asked for */
	bool reap;     /* a connection was dropped and waits to be closed */
};

/* What a handler works on. */
struct control_call {
	struct control *control;
	struct control_conn *conn;
	const struct control_request *request;
	uint64_t now_ns;
	int fds[CONTROL_FDS_MAX]; /* to pass with the reply */
	unsigned fd_count;
};

/* A handler fills @result and returns 0, or returns CONTROL_LATER and answers later, or returns
 * negative with @failure filled. */
typedef int (*control_handler)(
	struct control_call *call, json_t *result, struct control_failure *failure);
#define CONTROL_LATER 1

/* control.c */
/** control_notify() - an event to subscribers but @except; @pid 0: by the daemon or the device. */
void control_notify(struct control *control, const struct control_conn *except, const char *name,
	pid_t pid, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/** control_is_busy() - does a reset, a restart, or the end of a lease keep settings in motion? */
bool control_is_busy(const struct control *control);

/* control_conn.c */
/** control_conn_new() - serve an accepted socket (taken over, closed on failure too). */
int control_conn_new(struct control *control, int fd);
/** control_conn_free() - close and forget; leases and operations must have let go of it. */
void control_conn_free(struct control_conn *conn);
/** control_conn_send() - a line (freed here) at once or queued; a connection whose queue is full is
 * marked dropped. @fds go with its first byte. */
void control_conn_send(
	struct control_conn *conn, char *line, size_t len, const int *fds, unsigned fd_count);
/** control_conn_answer() - the result (taken over, stamped with the time) or, when NULL, the
 * failure. Nothing is sent when @id is NULL. */
void control_conn_answer(struct control_conn *conn, json_t *id, json_t *result,
	const struct control_failure *failure, const int *fds, unsigned fd_count);
/** control_conn_serve() - lines that wait in the input. Return: true when some are left. */
bool control_conn_serve(struct control_conn *conn, uint64_t now_ns);
/** control_conn_is_done() - the client sends no more and nothing is left to tell it. */
bool control_conn_is_done(const struct control_conn *conn);

/* control_methods.c */
void control_dispatch(
	struct control_conn *conn, const struct control_request *request, uint64_t now_ns);
/** control_has_method() - does this daemon's device have it? */
bool control_has_method(const struct control *control, const char *name);
/** control_method_handler() - for the test that the tables agree; NULL: none. */
control_handler control_method_handler(const char *name);
/** control_stats_send() - the notification due on @conn, skipped while half its queue is full. */
void control_stats_send(struct control_conn *conn, uint64_t now_ns);
/** control_capture_end() - close a capture that still runs. */
void control_capture_end(struct control *control);

/* control_info.c */
int control_info(struct control_call *call, json_t *result, struct control_failure *failure);
int control_regs(struct control_call *call, json_t *result, struct control_failure *failure);

/* control_settings.c */
int control_get(struct control_call *call, json_t *result, struct control_failure *failure);
int control_set(struct control_call *call, json_t *result, struct control_failure *failure);
int control_restart(struct control_call *call, json_t *result, struct control_failure *failure);
int control_reset(struct control_call *call, json_t *result, struct control_failure *failure);
/** control_operation_run() - answer a restart that has ended. */
void control_operation_run(struct control *control, uint64_t now_ns);
/** control_operation_abort() - answer it now, with why. */
void control_operation_abort(struct control *control, const char *why);
/** control_revert_run() - put an unconfirmed change back when its time has come. Return: deadline.
 */
uint64_t control_revert_run(struct control *control, uint64_t now_ns);
/** control_notify_settings() - event settings-changed when @before differs from what is requested.
 */
void control_notify_settings(struct control *control, const struct control_conn *except, pid_t pid,
	const char *who, const struct settings *before);
/** control_settings_live() - those of @settings that need no restart. */
void control_settings_live(const struct settings *settings, struct settings *ret_live);
/** control_settings_need_restart() - does going to @wanted change a restart knob? Return: that knob
 * or NULL. */
const struct knob *control_settings_need_restart(
	const struct settings *now, const struct settings *wanted);

/* control_sim.c */
int control_pktgen_start(
	struct control_call *call, json_t *result, struct control_failure *failure);
int control_pktgen_stop(struct control_call *call, json_t *result, struct control_failure *failure);
int control_sim_fault(struct control_call *call, json_t *result, struct control_failure *failure);
int control_sim_source(struct control_call *call, json_t *result, struct control_failure *failure);
int control_sim_sink(struct control_call *call, json_t *result, struct control_failure *failure);
/** control_pktgen_end() - stop the generator, if one runs, and keep its figures. */
void control_pktgen_end(struct control *control, uint64_t now_ns);
/** control_traffic_end() - stop generator, source and sink that the lease's holder started. */
void control_traffic_end(struct control *control, uint64_t now_ns);

/* control_lease.c */
int control_lease_take(struct control_call *call, json_t *result, struct control_failure *failure);
int control_lease_keep(struct control_call *call, json_t *result, struct control_failure *failure);
int control_lease_commit(
	struct control_call *call, json_t *result, struct control_failure *failure);
int control_lease_release(
	struct control_call *call, json_t *result, struct control_failure *failure);
/** control_lease_refuses() - may @conn not call a guarded @method now? Fills @failure if so. */
bool control_lease_refuses(const struct control *control, const struct control_conn *conn,
	const char *method, struct control_failure *failure);
/** control_lease_holds() - does @conn hold the lease? */
bool control_lease_holds(const struct control *control, const struct control_conn *conn);
/** control_lease_run() - ttl, and the steps of putting settings back. Return: deadline. */
uint64_t control_lease_run(struct control *control, uint64_t now_ns);
/** control_lease_forget() - @conn ends: so does a lease it holds. */
void control_lease_forget(
	struct control *control, const struct control_conn *conn, uint64_t now_ns);
/** control_lease_abort() - the daemon ends: nothing is put back, a release that waits is answered.
 */
void control_lease_abort(struct control *control, const char *why);
/** control_lease_info() - the member `lease` of info; new reference. */
json_t *control_lease_info(const struct control *control, uint64_t now_ns);

#endif
