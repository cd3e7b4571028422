/* SPDX-License-Identifier: BSD-2-Clause */
/* The daemon: opens the device, brings its parts together, serves until told to stop. */
#include "driver/daemon.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "driver/bridge.h"
#include "driver/control.h"
#include "driver/follow.h"
#include "driver/harden.h"
#include "driver/netns.h"
#include "driver/sys.h"

struct daemon_run {
	struct daemon daemon;
	struct loop_fd signals;
	struct loop_fd request, bus_error; /* the bus's notices */
	bool started, ready_told;
	struct error failure;
};

static void daemon_tell(struct daemon_run *run, const char *text)
{
	int fd = run->daemon.options->ready_fd;

	if (run->ready_told || fd < 0)
		return;
	run->ready_told = true;
	if (write(fd, text, strlen(text)) < 0 || write(fd, "\n", 1) < 0)
		log_debug("nobody listens for readiness");
	(void)close(fd);
}

static void daemon_nic_event(void *ctx, enum nic_event event, const char *detail)
{
	struct daemon_run *run = ctx;
	struct daemon *d = &run->daemon;
	struct error err = {0};

	log_info("%s: %s", nic_event_name(event), detail);
	switch (event) {
	case NIC_EVENT_STOPPING:
		if (d->bridge)
			bridge_unwatch(d->bridge);
		break;
	case NIC_EVENT_STARTED:
		run->started = true;
		if (d->bridge && bridge_rearm(d->bridge, &err) < 0)
			log_error("%s", err.text);
		break;
	case NIC_EVENT_START_FAILED:
		if (!run->started) {
			run->failure = (struct error){.code = -EIO};
			(void)error_set(&run->failure, -EIO, "%s", detail);
			loop_quit(d->loop);
		}
		break;
	case NIC_EVENT_LINK_UP:
		(void)tap_set_carrier(&d->path.tap, true);
		daemon_tell(run, "ready");
		break;
	case NIC_EVENT_LINK_DOWN:
		(void)tap_set_carrier(&d->path.tap, false);
		break;
	case NIC_EVENT_TX_HANG:
	case NIC_EVENT_RX_HANG:
	case NIC_EVENT_LIVELOCK_ON:
	case NIC_EVENT_LIVELOCK_OFF:
	case NIC_EVENT_GONE:
	case NIC_EVENT_SETTINGS_LOST:
		break;
	}
	if (d->control)
		control_event(d->control, nic_event_name(event), detail);
}

static uint64_t daemon_run_nic(void *ctx, uint64_t now_ns)
{
	struct daemon_run *run = ctx;

	return nic_run(run->daemon.nic, now_ns);
}

static void daemon_signal(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	struct daemon_run *run = source->ctx;
	struct signalfd_siginfo info;

	if (read(source->fd, &info, sizeof(info)) == sizeof(info))
		loop_quit(run->daemon.loop);
}

/* Before the device is touched: a signal during bring-up ends by the clean path too. */
static void daemon_block_signals(sigset_t *ret_set)
{
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(ret_set);
	(void)sigaddset(ret_set, SIGINT);
	(void)sigaddset(ret_set, SIGTERM);
	(void)sigaddset(ret_set, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, ret_set, NULL);
}

static int daemon_watch_signals(struct daemon_run *run, struct error *err)
{
	sigset_t set;
	int r;

	daemon_block_signals(&set);
	run->signals = (struct loop_fd){.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
					.ready = daemon_signal,
					.ctx = run};
	if (run->signals.fd < 0)
		return error_sys(err, -errno, "signalfd");
	r = loop_watch(run->daemon.loop, &run->signals, 1 /* EPOLLIN */);
	return r < 0 ? error_sys(err, r, "cannot watch signals") : 0;
}

/* Clients learn why the device goes before the daemon does. */
static void daemon_give_back(struct daemon_run *run)
{
	if (run->daemon.control)
		control_event(run->daemon.control, nic_event_name(NIC_EVENT_GONE), run->failure.text);
	loop_quit(run->daemon.loop);
}

/* The kernel waits for us: whoever writes "unbind" is blocked until the descriptors are closed. */
static void daemon_bus_request(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	struct daemon_run *run = source->ctx;

	(void)error_set(&run->failure, -ENODEV,
			"%s: the kernel wants the device back (unbind or unplug): stopped and given back",
			run->daemon.bus->name);
	daemon_give_back(run);
}

static void daemon_bus_error(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	struct daemon_run *run = source->ctx;

	run->daemon.bus->dead = run->daemon.bus->frozen = true;
	(void)error_set(&run->failure, -EIO,
			"%s: the PCIe bus reports an uncorrectable error (see the kernel's log): the device is "
			"given back untouched", run->daemon.bus->name);
	daemon_give_back(run);
}

static int daemon_watch_bus(struct daemon_run *run, struct error *err)
{
	struct bus *bus = run->daemon.bus;
	int r = 0;

	run->request = (struct loop_fd){.fd = bus->request_fd, .ready = daemon_bus_request, .ctx = run};
	run->bus_error = (struct loop_fd){.fd = bus->error_fd, .ready = daemon_bus_error, .ctx = run};
	if (bus->request_fd >= 0)
		r = loop_watch(run->daemon.loop, &run->request, 1 /* EPOLLIN */);
	if (r == 0 && bus->error_fd >= 0)
		r = loop_watch(run->daemon.loop, &run->bus_error, 1 /* EPOLLIN */);
	return r < 0 ? error_sys(err, r, "%s: cannot watch the bus", bus->name) : 0;
}

/* Driver and simulated device share one CPU: the device stands still while the driver runs and a
 * wake-up costs 2 us instead of 20 to 50. */
static void daemon_place(struct daemon *d)
{
	cpu_set_t allowed, one;

	d->cpu = d->device_cpu = -1;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	if (d->options->cpu >= 0) {
		d->cpu = d->options->cpu;
	} else if (CPU_COUNT(&allowed) > 1) {
		for (int cpu = 0; cpu < CPU_SETSIZE && d->cpu < 0; cpu++)
			if (CPU_ISSET(cpu, &allowed))
				d->cpu = cpu;
	}
	if (d->cpu < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(d->cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0) {
		log_warning("cannot pin to CPU %d: %s; wake-ups will cost more", d->cpu, strerror(errno));
		d->cpu = -1;
	}
}

static void daemon_go_fifo(struct daemon *d)
{
	struct sched_param param = {.sched_priority = 1};

	(void)prctl(PR_SET_TIMERSLACK, 1);
	if (d->options->no_fifo)
		return;
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0) {
		d->fifo = true;
		return;
	}
	log_warning("no SCHED_FIFO (%s): goes on with scheduling=other; p99 objectives are refused and "
		    "rates above 20000/s count as host-bound; run as root or raise RLIMIT_RTPRIO to 1",
		    strerror(errno));
}

static int daemon_open(struct daemon_run *run, struct error *err)
{
	struct daemon *d = &run->daemon;
	const struct daemon_options *o = d->options;
	int r;

	r = netns_become_unprivileged_root(&d->userns_fd, err);
	if (r < 0)
		return r;
	r = bus_open_on(o->sys ? o->sys : &sys_kernel, o->device, &d->bus, err);
	if (r < 0)
		return r;
	r = nic_open(d->bus, daemon_nic_event, run, &d->nic, err);
	if (r < 0)
		return r;
	r = nic_set_mtu(d->nic, o->path.mtu, err);
	if (r < 0)
		return r;
	r = path_open(&d->path, &o->path, d->bus, nic_mac(d->nic), err);
	if (r < 0)
		return r;
	r = loop_new(&d->loop, err);
	if (r < 0)
		return r;
	r = daemon_watch_signals(run, err);
	if (r < 0)
		return r;
	r = daemon_watch_bus(run, err);
	if (r < 0)
		return r;
	r = bridge_new(d->loop, d->nic, &d->path.tap, &d->bridge, err);
	if (r < 0)
		return r;
	r = follow_start(d->loop, d->nic, &d->path.tap, d->path.netns_fd, &d->follow, err);
	if (r < 0)
		return r;
	r = loop_add_runner(d->loop, daemon_run_nic, run);
	if (r < 0)
		return error_sys(err, r, "event loop");
	return control_start(d, &d->control, err);
}

static int daemon_start(struct daemon_run *run, struct error *err)
{
	struct daemon *d = &run->daemon;
	int r;

	daemon_place(d);
	if (d->bus->ops->sim) {
		r = d->bus->ops->sim->start(d->bus, d->cpu, err);
		if (r < 0)
			return r;
		d->device_cpu = d->cpu;
	}
	daemon_go_fifo(d);
	if (harden_process(err) < 0) {
		log_warning("%s; goes on", err->text);
		*err = (struct error){0};
	}
	return nic_start(d->nic, &d->options->initial, clock_now_ns(), err);
}

/* In reverse order of daemon_open(); accepts a half-open daemon. */
static void daemon_close(struct daemon_run *run)
{
	struct daemon *d = &run->daemon;

	control_stop(d->control);
	d->control = NULL;
	if (d->nic)
		nic_stop(d->nic);
	bridge_free(d->bridge);
	d->bridge = NULL;
	follow_stop(d->follow);
	nic_close(d->nic);
	path_close(&d->path);
	bus_close(d->bus);
	loop_free(d->loop);
	if (run->signals.fd > 0)
		(void)close(run->signals.fd);
	if (d->userns_fd >= 0)
		(void)close(d->userns_fd);
}

int daemon_run(const struct daemon_options *options, struct error *err)
{
	struct daemon_run run = {
		.daemon = {.options = options,
			   .userns_fd = -1,
			   .cpu = -1,
			   .device_cpu = -1,
			   .path = {.tap = {.fd = -1, .sock = -1}, .netns_fd = -1, .peer_netns_fd = -1},
			   .started_ns = clock_now_ns()},
		.signals = {.fd = -1},
	};
	sigset_t set;
	int r;

	daemon_block_signals(&set);
	r = daemon_open(&run, err);
	if (r == 0)
		r = daemon_start(&run, err);
	if (r == 0)
		r = loop_run(run.daemon.loop, err);
	if (r == 0 && run.failure.code) {
		*err = run.failure;
		r = err->code;
	}
	if (r < 0)
		daemon_tell(&run, err->text);
	daemon_close(&run);
	return r;
}

void daemon_refresh_counters(struct daemon *daemon)
{
	struct nic_counters *c = nic_counters_of(daemon->nic);
	struct rusage usage;

	c->thread_cpu_ns = clock_thread_cpu_ns();
	if (getrusage(RUSAGE_THREAD, &usage) == 0)
		c->thread_voluntary_switches = (uint64_t)usage.ru_nvcsw;
	c->tap_drops = tap_drops(&daemon->path.tap);
	nic_collect_statistics(daemon->nic);
}
