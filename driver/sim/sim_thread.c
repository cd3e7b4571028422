/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device thread. It runs at normal priority on the CPU of the driver thread, which preempts it
 * the moment an eventfd is written; all that it does is therefore dated by time stamps: it lets the
 * model do what has become due, however late that is.
 */
#include "driver/sim/sim_thread.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/gro.h"

/* A sleeper wakes 20 to 50 us late on a virtual machine: sleep until shortly before an event, spin
 * for the rest, and do not sleep at all in a pause that is shorter than a burst's round trip. */
#define SPIN_BEFORE_NS (60 * NS_PER_US)
#define SPIN_AFTER_NS  (2 * NS_PER_MS)
/* The model is let off in steps of at most this much, so that the lock is free in between. Where
 * the model is slower than time (a sanitizer, a slow machine) each advance would otherwise take
 * longer than the one before, and nobody else would ever get the lock. */
#define STEP_NS (100 * NS_PER_US)
/* The peer's next frame is fetched when the wire can take it soon ... */
#define WIRE_SOON_NS (30 * NS_PER_US)
/* ... and looked for seldom while the frame source fills the wire. */
#define SOURCE_POLL_NS (20 * NS_PER_US)
/* Longer than any frame that a TAP gives: 64 KiB and headers. */
#define READ_BYTES 66048

struct worker {
	struct sim_device *device;
	struct sim_out out;
	uint64_t next_ns;   /* the model's next event */
	uint64_t active_ns; /* when there was something to do */
	bool sleep;	    /* this round found nothing to do for long enough */

	/* towards the chip */
	bool wire_idle, source_on;
	uint64_t wire_free_ns;
	uint64_t empty_ns; /* the peer's TAP was last seen empty */
	uint64_t poll_ns;  /* when to look at it again */
	uint8_t *read_buffer;

	/* from the chip */
	struct gro gro;
	uint64_t flush_ns; /* when held frames go up; TIME_NEVER: none are held */
	unsigned held;
	uint8_t *held_storage; /* SIM_OUT_FRAMES frames, only with peer_usecs */
};

/* --- the shared device --- */

int sim_device_init(struct sim_device *device)
{
	pthread_mutexattr_t attr;
	int r;

	device->peer = (struct tap){.fd = -1, .sock = -1};
	device->bell_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++)
		device->irq_fd[v] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++)
		if (device->irq_fd[v] < 0 || device->bell_fd < 0)
			return -EMFILE;
	(void)pthread_mutexattr_init(&attr);
	/* The driver may preempt the device thread while that holds the lock; without inheritance
	 * it would then wait until every other process of normal priority has had its turn. */
	r = pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (r == 0)
		r = pthread_mutex_init(&device->lock, &attr);
	(void)pthread_mutexattr_destroy(&attr);
	return -r;
}

void sim_device_fini(struct sim_device *device)
{
	(void)pthread_mutex_destroy(&device->lock);
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++)
		if (device->irq_fd[v] >= 0)
			(void)close(device->irq_fd[v]);
	if (device->bell_fd >= 0)
		(void)close(device->bell_fd);
}

void sim_device_lock(struct sim_device *device)
{
	(void)pthread_mutex_lock(&device->lock);
}

void sim_device_unlock(struct sim_device *device)
{
	(void)pthread_mutex_unlock(&device->lock);
}

static void ring(int fd, uint64_t count)
{
	/* Fails only when the counter is at its limit: the reader has been told long ago. */
	if (write(fd, &count, sizeof(count)) < 0)
		return;
}

void sim_device_unlock_changed(struct sim_device *device)
{
	bool sleeping = device->sleeping;

	device->sleeping = false;
	(void)pthread_mutex_unlock(&device->lock);
	if (sleeping)
		ring(device->bell_fd, 1);
}

/* --- from the chip to the peer --- */

static void peer_receive(struct worker *w, uint8_t *data, uint32_t len)
{
	struct frame_info info;

	/* The peer's NIC verifies checksums; a wrong one goes up as it is and the stack counts it.
	 */
	(void)frame_parse(data, len, &info);
	gro_receive(&w->gro, data, len, info.l4_proto && frame_csum_ok(data, &info));
}

static void flush_held(struct worker *w)
{
	gro_flush(&w->gro);
	w->held = 0;
	w->flush_ns = TIME_NEVER;
}

/* The frames' memory is the model's and is used again by the next advance. */
static void hold_frame(struct worker *w, const struct sim_frame *frame)
{
	uint8_t *copy = w->held_storage + (size_t)w->held * SIM_FRAME_BYTES;

	if (w->held == 0)
		w->flush_ns = frame->at_ns + w->device->peer_usecs * NS_PER_US;
	memcpy(copy, frame->data, frame->len);
	peer_receive(w, copy, frame->len);
	if (++w->held == SIM_OUT_FRAMES)
		flush_held(w);
}

static void give_out(struct worker *w, uint64_t now_ns)
{
	if (w->device->peer.fd < 0)
		return;
	for (unsigned i = 0; i < w->out.frame_count; i++) {
		const struct sim_frame *frame = &w->out.frame[i];

		if (w->held_storage)
			hold_frame(w, frame);
		else
			peer_receive(w, frame->data, frame->len);
	}
	if (!w->held_storage || now_ns >= w->flush_ns)
		flush_held(w);
}

/* --- from the peer to the chip --- */

/*
 * A frame found in the TAP was ready at the latest when the TAP was last seen empty or, if that is
 * later, when the wire became free (the model takes the later one). Dating it "now" would add the
 * thread's own delay between all frames: 925 instead of 941 Mbit/s.
 */
static void feed_wire(struct worker *w, uint64_t now_ns)
{
	struct sim_device *device = w->device;
	struct vnet vnet;
	int len;

	if (device->peer.fd < 0 || !w->wire_idle || w->wire_free_ns > now_ns + WIRE_SOON_NS)
		return;
	if (w->source_on) {
		if (now_ns < w->poll_ns)
			return;
		w->poll_ns = now_ns + SOURCE_POLL_NS;
	}
	len = tap_read(&device->peer, &vnet, w->read_buffer, READ_BYTES);
	if (len < 0) {
		w->empty_ns = now_ns;
		return;
	}
	sim_device_lock(device);
	(void)sim_rx_offer(device->sim, w->read_buffer, (uint32_t)len, &vnet, w->empty_ns);
	sim_device_unlock(device);
	w->active_ns = now_ns;
	w->sleep = false;
}

/* --- the round --- */

static void note_lateness(struct worker *w, uint64_t now_ns)
{
	_Atomic uint64_t *max = &w->device->late_ns_max;

	if (now_ns > w->next_ns &&
		now_ns - w->next_ns > atomic_load_explicit(max, memory_order_relaxed))
		atomic_store_explicit(max, now_ns - w->next_ns, memory_order_relaxed);
}

/* Under the lock, so that a change made after it finds `sleeping` set. */
static bool may_sleep(struct worker *w, uint64_t now_ns)
{
	uint64_t due_ns = MIN(w->next_ns, w->flush_ns);

	if (w->out.raised || w->out.frame_count)
		w->active_ns = now_ns;
	return now_ns > w->active_ns + SPIN_AFTER_NS &&
	       (due_ns == TIME_NEVER || due_ns > now_ns + SPIN_BEFORE_NS);
}

/* Nothing happens before next_ns, so that the time up to there costs nothing. */
static uint64_t step_end(const struct worker *w, uint64_t now_ns)
{
	if (w->next_ns >= now_ns || now_ns - w->next_ns < STEP_NS)
		return now_ns;
	return w->next_ns + STEP_NS;
}

static void advance(struct worker *w, uint64_t now_ns)
{
	struct sim_device *device = w->device;
	uint64_t end_ns = step_end(w, now_ns);

	note_lateness(w, now_ns);
	sim_device_lock(device);
	w->next_ns = sim_advance(device->sim, end_ns, true, &w->out);
	w->wire_idle = sim_rx_idle(device->sim, &w->wire_free_ns);
	w->source_on = device->source_on;
	w->sleep = may_sleep(w, now_ns);
	device->sleeping = w->sleep;
	sim_device_unlock(device);
}

/* On the driver's CPU each of these writes is where the driver takes over. */
static void raise_interrupts(struct worker *w)
{
	for (uint32_t raised = w->out.raised; raised; raised &= raised - 1) {
		int v = __builtin_ctz(raised);

		ring(w->device->irq_fd[v], w->out.raise_count[v]);
	}
}

static void sleep_until_due(struct worker *w, uint64_t now_ns)
{
	struct pollfd fds[2] = {
		{.fd = w->device->bell_fd, .events = POLLIN},
		/* A frame that the wire cannot take yet must not keep us awake. */
		{.fd = w->wire_idle ? w->device->peer.fd : -1, .events = POLLIN},
	};
	uint64_t due_ns = MIN(w->next_ns, w->flush_ns), left_ns, rings;
	struct timespec timeout;

	left_ns = due_ns - now_ns - SPIN_BEFORE_NS;
	timeout.tv_sec = (time_t)(left_ns / NS_PER_S);
	timeout.tv_nsec = (long)(left_ns % NS_PER_S);
	(void)ppoll(fds, 2, due_ns == TIME_NEVER ? NULL : &timeout, NULL);
	if (fds[0].revents & POLLIN && read(w->device->bell_fd, &rings, sizeof(rings)) < 0)
		return;
	/* A frame that came while nobody looked came now. */
	w->empty_ns = clock_now_ns();
}

static void run(struct worker *w)
{
	while (!atomic_load_explicit(&w->device->stop, memory_order_relaxed)) {
		uint64_t now_ns = clock_now_ns();

		advance(w, now_ns);
		raise_interrupts(w);
		give_out(w, now_ns);
		feed_wire(w, now_ns);
		if (w->sleep)
			sleep_until_due(w, now_ns);
	}
	gro_flush(&w->gro);
}

/* --- life cycle --- */

static void worker_free(struct worker *w)
{
	if (!w)
		return;
	sim_out_fini(&w->out);
	free(w->read_buffer);
	free(w->held_storage);
	free(w);
}

static struct worker *worker_new(struct sim_device *device)
{
	struct worker *w = calloc(1, sizeof(*w));
	bool hold = device->peer_usecs > 0;

	if (!w)
		return NULL;
	w->device = device;
	w->next_ns = w->flush_ns = TIME_NEVER;
	w->active_ns = w->empty_ns = clock_now_ns();
	gro_init(&w->gro, tap_writev, &device->peer);
	w->read_buffer = malloc(READ_BYTES);
	if (hold)
		w->held_storage = malloc((size_t)SIM_OUT_FRAMES * SIM_FRAME_BYTES);
	if (!w->read_buffer || (hold && !w->held_storage) || sim_out_init(&w->out) < 0) {
		worker_free(w);
		return NULL;
	}
	return w;
}

static void *thread_main(void *arg)
{
	struct worker *w = arg;

	(void)prctl(PR_SET_NAME, "sim-device");
	(void)prctl(PR_SET_TIMERSLACK, 1);
	run(w);
	w->device->final_cpu_ns = clock_thread_cpu_ns();
	worker_free(w);
	return NULL;
}

/* Normal priority whatever the caller has, and on @cpu from the first instruction. */
static int create_thread(struct sim_device *device, struct worker *w, int cpu)
{
	struct sched_param param = {.sched_priority = 0};
	sigset_t all, old;
	pthread_attr_t attr;
	cpu_set_t cpus;
	int r;

	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	(void)pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
	(void)pthread_attr_setschedparam(&attr, &param);
	if (cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		(void)pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	}
	/* Signals are the driver thread's. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&device->thread, &attr, thread_main, w);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)pthread_attr_destroy(&attr);
	return -r;
}

int sim_thread_start(struct sim_device *device, int cpu, struct error *err)
{
	struct worker *w;
	int r;

	if (device->running)
		return error_set(err, -EBUSY, "simulated device: started already");
	w = worker_new(device);
	if (!w)
		return error_set(err, -ENOMEM, "simulated device: out of memory");
	atomic_store(&device->stop, false);
	r = create_thread(device, w, cpu);
	if (r < 0) {
		worker_free(w);
		if (cpu >= 0)
			return error_sys(
				err, r, "simulated device: cannot run its thread on CPU %d", cpu);
		return error_sys(err, r, "simulated device: cannot start its thread");
	}
	device->running = true;
	return 0;
}

void sim_thread_stop(struct sim_device *device)
{
	if (!device->running)
		return;
	atomic_store(&device->stop, true);
	ring(device->bell_fd, 1);
	(void)pthread_join(device->thread, NULL);
	device->running = false;
}

uint64_t sim_thread_cpu_ns(const struct sim_device *device)
{
	clockid_t clock;

	if (!device->running)
		return device->final_cpu_ns;
	if (pthread_getcpuclockid(device->thread, &clock) != 0)
		return 0;
	return clock_read_ns(clock);
}
