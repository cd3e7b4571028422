/* SPDX-License-Identifier: BSD-2-Clause */
/* Every method of the control protocol over a socket, its reply checked against the tables. */
#include "tests/unit/control_rig_client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "driver/control_private.h"

/* --- info, get, stats, regs --- */

static void info_describes_the_device_from_the_tables(void **state)
{
	json_t *info = client_ok(&client, "info", NULL), *itr, *mode;

	assert_int_equal(int_of(info, "protocol"), 1);
	assert_string_equal(string_of(info, "name"), "sim-82574L");
	assert_string_equal(string_of(info, "state"), "running");
	assert_string_equal(string_of(json_object_get(info, "chip"), "name"), "82574L");
	assert_string_equal(string_of(json_object_get(info, "path"), "local"), "198.18.0.1");
	assert_string_equal(string_of(json_object_get(info, "path"), "peer_runs"), "local");
	assert_true(json_is_true(json_object_get(json_object_get(info, "link"), "full_duplex")));
	itr = named(json_object_get(info, "knobs"), "ITR");
	assert_string_equal(string_of(itr, "register"), "ITR");
	assert_int_equal(int_of(itr, "unit_ps"), 256000);
	assert_int_equal(int_of(itr, "max"), 65535);
	mode = named(json_object_get(info, "knobs"), "intmode");
	assert_int_equal(json_array_size(json_object_get(mode, "values")), 3);
	assert_string_equal(string_of(mode, "initial"), "msi");
	assert_non_null(named(json_object_get(info, "counters"), "rx_frames"));
	assert_true(holds_string(json_object_get(info, "events"), "link-up"));
	assert_true(holds_string(json_object_get(info, "events"), "settings-changed"));
	assert_true(holds_string(json_object_get(info, "methods"), "sim.fault"));
	assert_null(json_object_get(info, "fds"));
	json_decref(info);
}

static void info_passes_the_namespaces_as_descriptors(void **state)
{
	static const char line[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"info\",\"params\":{\"fds\":true}}\n";
	char space[CMSG_SPACE(3 * sizeof(int))], data[256];
	struct iovec iov = {.iov_base = data, .iov_len = sizeof(data)};
	struct msghdr message = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	json_t *info;
	int fds[2];

	rig.daemon.path.netns_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	rig.daemon.userns_fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	client_write(&client, line, strlen(line));
	assert_true(recvmsg(client.fd, &message, MSG_CMSG_CLOEXEC) > 0);
	assert_non_null(CMSG_FIRSTHDR(&message));
	assert_int_equal(CMSG_FIRSTHDR(&message)->cmsg_len, CMSG_LEN(2 * sizeof(int)));
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fds));
	(void)close(fds[0]);
	(void)close(fds[1]);
	while (recv(client.fd, data, sizeof(data), 0) > 0) /* the rest of that line */
		;

	info = client_ok(&client, "info", json_pack("{s:b}", "fds", 1));
	assert_int_equal(json_array_size(json_object_get(info, "fds")), 2);
	assert_true(holds_string(json_object_get(info, "fds"), "netns"));
	assert_true(holds_string(json_object_get(info, "fds"), "userns"));
	json_decref(info);
	(void)close(rig.daemon.path.netns_fd);
	(void)close(rig.daemon.userns_fd);
}

static void stats_have_every_counter(void **state)
{
	json_t *stats = client_ok(&client, "stats", NULL);
	json_t *counters = json_object_get(stats, "counters");

#define COUNTER(name, unit, meaning) assert_true(json_is_integer(json_object_get(counters, #name)));
#include "driver/counters.def"
#undef COUNTER
	assert_int_equal(
		json_array_size(json_object_get(stats, "batch_histogram")), NIC_BATCH_BUCKETS);
	assert_int_equal(int_of(json_object_get(stats, "sim"), "sink_frames"), 7);
	assert_null(json_object_get(stats, "pktgen"));
	json_decref(stats);
}

static void regs_leaves_out_what_a_read_would_change(void **state)
{
	json_t *reply = client_ok(&client, "regs", NULL);
	json_t *regs = json_object_get(reply, "regs");

	assert_non_null(named(regs, "CTRL"));
	assert_non_null(named(regs, "IMS"));
	assert_null(named(regs, "ICR"));
	assert_null(named(regs, "MPC"));
	assert_null(named(regs, "EERD"));
	assert_null(named(regs, "IMC"));
	json_decref(reply);
	json_decref(client_ok(&client, "set", rig_knob("ITR", 777)));
	reply = client_ok(&client, "regs", json_pack("{s:[s]}", "names", "ITR"));
	assert_int_equal(json_array_size(json_object_get(reply, "regs")), 1);
	assert_int_equal(int_of(json_array_get(json_object_get(reply, "regs"), 0), "value"), 777);
	json_decref(reply);
	client_fails(&client, "regs", json_pack("{s:[s]}", "names", "ICR"), CONTROL_ERR_PARAMS,
		"has an effect");
	client_fails(&client, "regs", json_pack("{s:[s]}", "names", "NOPE"), CONTROL_ERR_PARAMS,
		"no register");
	client_fails(
		&client, "regs", json_pack("{s:[i]}", "names", 3), CONTROL_ERR_PARAMS, "strings");
}

/* --- capture, subscribe, pktgen, sim --- */

static void a_capture_writes_a_new_file_only(void **state)
{
	char path[96];
	json_t *reply;

	(void)snprintf(path, sizeof(path), "%s/x.pcap", rig.dir);
	client_fails(&client, "capture.stop", NULL, CONTROL_ERR_FAILED, "no capture");
	client_fails(&client, "capture.start", json_pack("{s:s}", "path", "x.pcap"),
		CONTROL_ERR_PARAMS, "absolute");
	json_decref(client_ok(&client, "capture.start", json_pack("{s:s}", "path", path)));
	assert_non_null(rig_capture);
	client_fails(&client, "capture.start", json_pack("{s:s}", "path", path), CONTROL_ERR_FAILED,
		"already");
	capture_frame(rig_capture, rig.now, (const uint8_t *)"0123456789abcdef", 16);
	reply = client_ok(&client, "capture.stop", NULL);
	assert_null(rig_capture);
	assert_int_equal(int_of(reply, "frames"), 1);
	json_decref(reply);
	client_fails(&client, "capture.start", json_pack("{s:s}", "path", path), CONTROL_ERR_FAILED,
		"exists");
	client_fails(&client, "capture.start", json_pack("{s:s}", "path", "/nonexistent/dir/x"),
		CONTROL_ERR_FAILED, "No such file");
	assert_int_equal(unlink(path), 0);
}

/* A limit on the file's size stands for a full disk. */
static void a_capture_that_cannot_be_written_ends_with_the_reason(void **state)
{
	struct rlimit old, small;
	uint8_t frame[1500] = {0};
	char path[96];
	json_t *reply, *data;

	(void)snprintf(path, sizeof(path), "%s/full.pcap", rig.dir);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){.rlim_cur = 4096, .rlim_max = old.rlim_max};
	json_decref(client_ok(&client, "capture.start", json_pack("{s:s}", "path", path)));
	(void)setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 1000; i++)
		capture_frame(rig_capture, rig.now, frame, sizeof(frame));
	reply = client_call(&client, "capture.stop", NULL);
	(void)setrlimit(RLIMIT_FSIZE, &old);
	data = json_object_get(json_object_get(reply, "error"), "data");
	assert_int_equal(int_of(data, "errno"), EFBIG);
	json_decref(reply);
	client_fails(&client, "capture.stop", NULL, CONTROL_ERR_FAILED, "no capture");
	assert_int_equal(unlink(path), 0);
}

static void subscribers_get_statistics_at_their_interval(void **state)
{
	size_t count = 0, i;
	json_t *message;

	json_decref(client_ok(
		&client, "subscribe", json_pack("{s:b, s:i}", "events", 0, "stats_ms", 100)));
	client_forget(&client);
	rig_pass(&rig, 1000);
	assert_null(client_reply(&client, 0));
	json_array_foreach (client.notifications, i, message)
		count += !strcmp(string_of(message, "method"), "stats");
	assert_in_range(count, 9, 11);
	assert_int_equal(json_array_size(client.notifications), count); /* no events */
	json_decref(client_ok(&client, "subscribe", json_pack("{s:i}", "stats_ms", 0)));
	client_forget(&client);
	rig_pass(&rig, 500);
	client_forget(&client);
}

static void events_tell_others_who_changed_what(void **state)
{
	struct rig_client other;
	json_t *event;

	client_open(&other, &rig);
	json_decref(client_ok(&client, "subscribe", NULL));
	json_decref(client_ok(&other, "subscribe", NULL));
	json_decref(client_ok(&other, "set", rig_knob("ITR", 1500)));
	event = client_event(&client, "settings-changed");
	assert_non_null(event);
	assert_int_equal(int_of(event, "pid"), getpid());
	assert_non_null(strstr(string_of(event, "detail"), "ITR 0 to 1500"));
	assert_null(client_event(&other, "settings-changed")); /* it did it itself */
	client_forget(&client);
	json_decref(client_ok(&other, "set", rig_knob("ITR", 1500)));
	assert_null(client_event(&client, "settings-changed")); /* nothing changed */
	null_bus_poke(rig.daemon.bus, REG_STATUS, STATUS_FD);
	rig_pass(&rig, 3000);
	assert_int_equal(int_of(client_event(&client, "link-down"), "pid"), 0);
	client_close(&other);
}

static void pktgen_runs_and_reports(void **state)
{
	json_t *reply;

	client_fails(&client, "pktgen.stop", NULL, CONTROL_ERR_FAILED, "no generator");
	client_fails(&client, "pktgen.start", json_pack("{s:b, s:b}", "transmit", 0, "count_rx", 0),
		CONTROL_ERR_PARAMS, "nothing to do");
	json_decref(client_ok(&client, "pktgen.start",
		json_pack("{s:i, s:f, s:i}", "frame_bytes", 128, "rate_pps", 1000.0, "count", 5)));
	assert_non_null(rig_pktgen);
	client_fails(&client, "pktgen.start", NULL, CONTROL_ERR_FAILED, "already");
	for (int i = 0; i < 10; i++) {
		rig_pass(&rig, 1);
		(void)pktgen_run(rig_pktgen, rig.now);
		(void)null_bus_transmit(rig.daemon.bus);
	}
	pktgen_received(rig_pktgen, 3);
	reply = client_ok(&client, "stats", NULL);
	assert_int_equal(int_of(json_object_get(reply, "pktgen"), "sent"), 5);
	assert_true(json_is_false(json_object_get(json_object_get(reply, "pktgen"), "running")));
	json_decref(reply);
	/* one that is done makes way */
	json_decref(client_ok(&client, "pktgen.start", json_pack("{s:b}", "transmit", 0)));
	pktgen_received(rig_pktgen, 3);
	rig_pass(&rig, 10);
	reply = client_ok(&client, "pktgen.stop", NULL);
	assert_null(rig_pktgen);
	assert_int_equal(int_of(reply, "received"), 3);
	assert_in_range(int_of(reply, "elapsed_ns"), 10 * NS_PER_MS, 13 * NS_PER_MS);
	json_decref(reply);
	reply = client_ok(&client, "stats", NULL);
	assert_int_equal(int_of(json_object_get(reply, "pktgen"), "received"), 3);
	json_decref(reply);
}

static void the_simulated_device_takes_faults_source_and_sink(void **state)
{
	json_decref(client_ok(&client, "sim.fault", json_pack("{s:s}", "name", "rx-hang")));
	assert_string_equal(rig_sim.fault, "rx-hang");
	assert_int_equal(rig_sim.fault_count, 1);
	json_decref(client_ok(
		&client, "sim.fault", json_pack("{s:s, s:i}", "name", "rx-hang", "count", 0)));
	assert_int_equal(rig_sim.fault_count, 0);
	client_fails(&client, "sim.fault", json_pack("{s:s}", "name", "flood"), CONTROL_ERR_PARAMS,
		"unknown fault");
	json_decref(client_ok(&client, "sim.source",
		json_pack("{s:b, s:i, s:f, s:i, s:i}", "on", 1, "frame_bytes", 1518, "rate_pps",
			12.5, "count", 3, "burst", 2)));
	assert_true(rig_sim.source.on);
	assert_int_equal(rig_sim.source.frame_bytes, 1518);
	assert_int_equal(rig_sim.source.burst, 2);
	rig_sim.refuse = true;
	client_fails(&client, "sim.source", json_pack("{s:b}", "on", 1), CONTROL_ERR_FAILED,
		"does not start");
	json_decref(client_ok(&client, "sim.sink", json_pack("{s:b}", "on", 1)));
	assert_true(rig_sim.sink);
}

static void a_real_device_has_no_simulated_methods(void **state)
{
	json_t *info, *dma;

	client_close(&client);
	rig_close(&rig);
	rig_open(&rig, "82545EM", false);
	rig.daemon.bus->dma_bytes = 2 << 20;
	rig.daemon.bus->dma_limit = 80 << 20;
	rig.daemon.bus->opened_by = "group";
	client_open(&client, &rig);
	client_fails(&client, "sim.sink", json_pack("{s:b}", "on", 1), CONTROL_ERR_UNAVAILABLE,
		"no such method");
	info = client_ok(&client, "info", NULL);
	assert_false(holds_string(json_object_get(info, "methods"), "sim.sink"));
	assert_null(json_object_get(info, "msix_rx_timers"));
	dma = json_object_get(info, "dma");
	assert_int_equal(json_integer_value(json_object_get(dma, "bytes")), 2 << 20);
	assert_int_equal(json_integer_value(json_object_get(dma, "limit")), 80 << 20);
	assert_string_equal(json_string_value(json_object_get(dma, "by")), "group");
	assert_null(named(json_object_get(info, "knobs"), "EITR0"));
	json_decref(info);
	client_fails(&client, "set", rig_knob("EITR0", 1), CONTROL_ERR_PARAMS, "EITR0");
	client_fails(&client, "restart", json_pack("{s:{s:s}}", "knobs", "intmode", "msix"),
		CONTROL_ERR_PARAMS, "msix");
	client_fails(&client, "get", json_pack("{s:[s]}", "knobs", "EITR0"), CONTROL_ERR_PARAMS,
		"no knob");
}

static void shutdown_answers_and_ends_the_loop(void **state)
{
	json_t *reply;

	client_post(&client, "reset", NULL);
	client_post(&client, "shutdown", NULL);
	reply = client_reply(&client, 0);
	schema_check_reply("shutdown", reply);
	assert_non_null(json_object_get(reply, "result"));
	json_decref(reply);
	assert_true(rig.loop.quit);
	/* what waited is told, and the connection closed */
	rig_stop_control(&rig);
	reply = client_reply(&client, 0);
	assert_non_null(strstr(string_of(json_object_get(reply, "error"), "message"), "ending"));
	json_decref(reply);
	client_read(&client);
	assert_true(client.closed);
	assert_int_equal(access(rig.path, F_OK), -1);
}

static void each_method_has_a_handler(void **state)
{
	for (size_t i = 0; i < control_method_count; i++)
		assert_non_null(control_method_handler(control_method_table[i].name));
	assert_null(control_method_handler("event"));
}

static void every_method_and_field_was_seen(void **state)
{
	json_decref(client_ok(&client, "get", NULL));
	json_decref(client_ok(&client, "restart", NULL));
	json_decref(client_ok(&client, "reset", NULL));
	json_decref(client_ok(&client, "lease.take", NULL));
	json_decref(client_ok(&client, "lease.keep", NULL));
	json_decref(client_ok(&client, "lease.commit", NULL));
	json_decref(client_ok(&client, "lease.release", NULL));
	schema_check_all_seen();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		rig_test(info_describes_the_device_from_the_tables),
		rig_test(info_passes_the_namespaces_as_descriptors),
		rig_test(stats_have_every_counter),
		rig_test(regs_leaves_out_what_a_read_would_change),
		rig_test(a_capture_writes_a_new_file_only),
		rig_test(a_capture_that_cannot_be_written_ends_with_the_reason),
		rig_test(subscribers_get_statistics_at_their_interval),
		rig_test(events_tell_others_who_changed_what),
		rig_test(pktgen_runs_and_reports),
		rig_test(the_simulated_device_takes_faults_source_and_sink),
		rig_test(a_real_device_has_no_simulated_methods),
		rig_test(shutdown_answers_and_ends_the_loop),
		cmocka_unit_test(each_method_has_a_handler),
		rig_test(every_method_and_field_was_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
