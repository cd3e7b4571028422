/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of settings: every line is judged or kept with a reason, none is fatal. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/explain/report.h"

static json_t *read_as(const char *format, const char *name, const char *driver, const char *text)
{
	struct explain_input input = {.name = name, .text = text, .driver = driver};
	struct error err = {0};
	json_t *report;

	if (explain_read(&input, format, &report, &err))
		fail_msg("%s", err.text);
	return report;
}

static json_t *read_any(const char *driver, const char *text)
{
	return read_as(NULL, "a file", driver, text);
}

static const char *member(const json_t *row, const char *name)
{
	return json_string_value(json_object_get(row, name));
}

/* The row of a key, and of a scope unless that is NULL. */
static json_t *find(json_t *report, const char *scope, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(report, "rows"), i, row)
		if (!strcmp(member(row, "key"), key) &&
			(!scope || !strcmp(member(row, "scope"), scope)))
			return row;
	fail_msg("no row %s of %s", key, scope ? scope : "any");
	return NULL;
}

static void assert_row(json_t *report, const char *scope, const char *key, const char *value,
	const char *verdict, const char *word)
{
	json_t *row = find(report, scope, key);

	if (strcmp(member(row, "value"), value) != 0 || strcmp(member(row, "verdict"), verdict) != 0 ||
		!strstr(member(row, "effect"), word))
		fail_msg("%s = %s: %s, %s", key, member(row, "value"), member(row, "verdict"),
			member(row, "effect"));
}

static bool noted(const json_t *report, const char *word)
{
	json_t *note;
	size_t i;

	json_array_foreach (json_object_get(report, "notes"), i, note)
		if (strstr(json_string_value(note), word))
			return true;
	return false;
}

/* --- ethtool --- */

static const char readout[] =
	"Coalesce parameters for lan0:\n"
	"Adaptive RX: off  TX: n/a\n"
	"rx-usecs:\t3\n"
	"rx-frames:\tn/a\n"
	"tx-usecs:\t3\n"
	"rx-frame-low:\tn/a\n"
	"CQE mode RX: n/a  TX: n/a\n"
	"tx-aggr-max-bytes:\tn/a\n"
	"tx-aggr-time-usecs\tn/a\n"
	"rx-cqe-nsecs:\t\tn/a\n"
	"something-new-in-2027:\t7\n";

/* C05: new lines, two values in a line, a missing colon, names that are set otherwise. */
static void a_readout_with_new_lines_is_read_to_its_end(void **state)
{
	json_t *report = read_any("igb", readout);

	assert_string_equal(member(report, "format"), "ethtool");
	assert_int_equal(json_array_size(json_object_get(report, "rows")), 12);
	assert_row(report, "lan0", "adaptive-rx", "off", "not supported", "igb has no such");
	assert_row(report, "lan0", "adaptive-tx", "n/a", "not supported", "not the same as 0");
	assert_row(report, "lan0", "rx-usecs", "3", "mode", "dynamic conservative, not 3 us");
	assert_row(report, "lan0", "tx-usecs", "3", "mode", "dynamic conservative");
	assert_row(report, "lan0", "rx-frames-low", "n/a", "not supported", "");
	assert_row(report, "lan0", "cqe-mode-tx", "n/a", "not supported", "");
	assert_row(report, "lan0", "tx-aggr-time-usecs", "n/a", "not supported", "");
	assert_row(report, "lan0", "something-new-in-2027", "7", "unknown key", "kept");
	assert_true(noted(report, "tuned gives up on tx-aggr lines"));
	json_decref(report);
	report = read_any("igc", readout);
	assert_row(report, "lan0", "rx-usecs", "3", "mode", "not 3 us");
	json_decref(report);
}

static void without_a_driver_numbers_are_not_judged(void **state)
{
	json_t *report = read_any(NULL, readout);

	assert_row(report, "lan0", "rx-usecs", "3", "as read", "--driver");
	json_decref(report);
}

static void malformed_lines_have_number_key_and_reason(void **state)
{
	json_t *report = read_any("e1000e", "Coalesce parameters for a:\n"
					    "rx-usecs: fast\n"
					    "rx-frames:\n"
					    "tx-usecs: 1 2\n"
					    ": 7\n"
					    "rx-usecs-irq: -4\n");

	assert_row(report, "a", "rx-usecs", "fast", "malformed", "neither a number");
	assert_row(report, "a", "rx-frames", "", "malformed", "no value");
	assert_row(report, "a", "tx-usecs", "", "malformed", "more than one value");
	assert_row(report, "a", ": 7", "", "malformed", "a key, a colon");
	assert_row(report, "a", "rx-usecs-irq", "-4", "malformed", "neither a number");
	assert_int_equal(json_integer_value(json_object_get(find(report, "a", "tx-usecs"), "line")), 4);
	json_decref(report);
}

static void a_device_without_coalescing_is_told_from_one_with_zeros(void **state)
{
	json_t *report = read_as("ethtool", "-", NULL, "netlink error: Operation not supported\n");

	assert_int_equal(json_array_size(json_object_get(report, "rows")), 0);
	assert_true(noted(report, "no coalescing at all"));
	json_decref(report);
	report = read_any("e1000e", "Coalesce parameters for a:\nrx-usecs: 0\nrx-frames: 0\n");
	assert_row(report, "a", "rx-usecs", "0", "off", "no throttle");
	assert_row(report, "a", "rx-frames", "0", "not supported", "print 0 for n/a");
	json_decref(report);
}

static void json_readouts_of_old_and_new_versions_are_read(void **state)
{
	json_t *report = read_any("mlx5_core",
		"[ {\n\"ifname\": \"eth0\", \"rx\": false, \"tx\": true, \"rx-usecs\": 33,\n"
		"\"rx\" : true, \"tx\": false, \"new\": [1], \"tx-frame-low\": null }, \n"
		"{ \"ifname\": \"eth1\", \"adaptive-rx\": true, \"rx-usecs\": \"n/a\" } ]");

	assert_row(report, "eth0", "adaptive-rx", "off", "applied", "off");
	assert_row(report, "eth0", "adaptive-tx", "on", "applied", "on");
	assert_row(report, "eth0", "cqe-mode-rx", "on", "applied", "on");
	assert_row(report, "eth0", "cqe-mode-tx", "off", "applied", "off");
	assert_row(report, "eth0", "rx-usecs", "33", "applied", "33 us");
	assert_row(report, "eth0", "new", "a structure", "malformed", "");
	assert_row(report, "eth0", "tx-frames-low", "n/a", "not supported", "");
	assert_row(report, "eth1", "adaptive-rx", "on", "applied", "on");
	assert_row(report, "eth1", "rx-usecs", "n/a", "not supported", "");
	json_decref(report);
}

/* C03: one recipe, several drivers, several refusals. */
static void a_request_is_sorted_into_its_answers(void **state)
{
	static const struct {
		const char *driver, *word, *key, *verdict;
	} rows[] = {
		{"igb", "rx-frames=1", "rx-frames", "unsupported parameter"},
		{"igb", "rx-usecs=1", "rx-usecs", "mode"},
		{"igb", "rx-usecs=5", "rx-usecs", "value refused"},
		{"tg3", "rx-usecs=0", "rx-usecs", "value refused"},
		{"vmxnet3", "rx-frames=1", "rx-frames", "unsupported parameter"},
		{"e1000e", "rx-usecs=125", "rx-usecs", "applied"},
		{"e1000e", "rx-usecs=3", "rx-usecs", "already set"},
		{"igb", "rx-usecs=3", "rx-usecs", "already set"},
		{"forcedeth", "rx-usecs=10", "rx-usecs", "unsupported parameter"},
		{"e1000e", "rx-usces=10", "rx-usces", "unknown key"},
		{"e1000e", "rx-usecs=fast", "rx-usecs", "malformed"},
		{"igb", "rx-frame-low=1", "rx-frames-low", "unsupported parameter"},
	};
	struct explain_input current = {.name = "-", .text = readout};
	struct error err = {0};
	json_t *now;

	assert_int_equal(ethtool_current(&current, &now, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct explain_input input = {.driver = rows[i].driver, .current = now};
		char word[40];
		char *words[] = {word, NULL};
		json_t *report;

		(void)snprintf(word, sizeof(word), "%s", rows[i].word);
		if (ethtool_request(&input, words, &report, &err))
			fail_msg("%s", err.text);
		if (strcmp(member(find(report, "", rows[i].key), "verdict"), rows[i].verdict) != 0)
			fail_msg("%s %s: %s", rows[i].driver, rows[i].word,
				member(find(report, "", rows[i].key), "verdict"));
		json_decref(report);
	}
	json_decref(now);
}

/* C04: what is read back is no proof. */
static void measured_rates_say_what_a_setting_came_to(void **state)
{
	json_t *report = read_any(NULL, "requested,readback,interrupts_per_s\n"
					"0,0,125000\n8,8,125000\n64,64,20000\n128,128,11100\n"
					"64,64,9000,on\nx\n64,64,0\n");
	json_t *rows = json_object_get(report, "rows");

	assert_string_equal(member(json_array_get(rows, 0), "verdict"), "special");
	assert_non_null(strstr(member(json_array_get(rows, 0), "effect"), "acts as 8 us"));
	assert_string_equal(member(json_array_get(rows, 1), "verdict"), "applied");
	assert_non_null(strstr(member(json_array_get(rows, 2), "effect"), "acts as 50 us"));
	assert_non_null(strstr(member(json_array_get(rows, 3), "effect"), "acts as 90 us"));
	assert_string_equal(member(json_array_get(rows, 4), "verdict"), "mode");
	assert_string_equal(member(json_array_get(rows, 5), "verdict"), "malformed");
	assert_string_equal(member(json_array_get(rows, 6), "verdict"), "malformed");
	assert_true(noted(report, "0 us and 8 us have no distinct effect"));
	assert_false(noted(report, "64 us and 128 us"));
	json_decref(report);
}

/* --- modprobe.d --- */

/* C02: lists of unequal length, per port. */
static void module_options_are_told_per_port(void **state)
{
	json_t *report = read_any(NULL, "# a comment\n"
					"options e1000e IntMode=1 InterruptThrottleRate=4,4,4\n");

	assert_row(report, "e1000e port 0", "IntMode", "1", "mode", "MSI");
	assert_row(report, "e1000e port 1", "IntMode", "-", "default instead", "no value");
	assert_row(report, "e1000e port 2", "InterruptThrottleRate", "4", "mode", "2000 to 8000");
	assert_true(noted(report, "IntMode has 1 value and the longest list 3: ports 1 to 2"));
	assert_true(noted(report, "order of probing"));
	json_decref(report);
	report = read_any(NULL, "options e1000e InterruptThrottleRate=3001,99,100001,2\n");
	assert_row(report, "e1000e port 0", "InterruptThrottleRate", "3001", "applied", "3000/s");
	assert_row(report, "e1000e port 1", "InterruptThrottleRate", "99", "default instead", "3");
	assert_row(report, "e1000e port 2", "InterruptThrottleRate", "100001", "default instead", "3");
	assert_row(report, "e1000e port 3", "InterruptThrottleRate", "2", "default instead", "3");
	json_decref(report);
	report = read_any(NULL, "options e1000e InterruptThrottleRate=3,0\n");
	assert_row(report, "e1000e port 0", "InterruptThrottleRate", "3", "mode", "conservative");
	assert_row(report, "e1000e port 1", "InterruptThrottleRate", "0", "off", "no throttle");
	json_decref(report);
}

static void module_lines_that_are_wrong_are_kept_with_a_reason(void **state)
{
	json_t *report = read_any(NULL, "options e1000e Frob=3 TxIntDelay=x, \\\n RxIntDelay\n"
					"blacklist e1000\n"
					"bogus line\n"
					"options\n"
					"options e1000e TxIntDelay=70000\n");

	assert_row(report, "e1000e port 0", "Frob", "3", "unknown key", "kept");
	assert_row(report, "e1000e port 0", "TxIntDelay", "x", "malformed", "no whole number");
	assert_row(report, "e1000e port 1", "TxIntDelay", "", "malformed", "no whole number");
	assert_row(report, "e1000e", "RxIntDelay", "", "malformed", "NAME=VALUE");
	assert_row(report, "", "bogus line", "", "malformed", "not a line of modprobe.d");
	assert_int_equal(json_integer_value(json_object_get(find(report, "", "bogus line"), "line")), 4);
	assert_row(report, "", "options", "", "malformed", "no module");
	assert_true(noted(report, "e1000e TxIntDelay is given in line 1 and again in line 6"));
	json_decref(report);
}

static void more_ports_than_the_driver_has_positions_for(void **state)
{
	char text[400] = "options e1000e InterruptThrottleRate=0";
	json_t *report;

	for (unsigned i = 1; i < 34; i++)
		(void)strcat(text, ",0");
	report = read_any(NULL, text);
	assert_row(report, "e1000e port 31", "InterruptThrottleRate", "0", "off", "");
	assert_row(report, "e1000e port 32", "InterruptThrottleRate", "0", "default instead", "32 ports");
	assert_true(noted(report, "refuses lists of more than 33"));
	json_decref(report);
}

static void interrupt_mode_depends_on_the_chip(void **state)
{
	struct explain_input input = {.name = "x", .text = "options e1000e IntMode=2\n"};
	struct error err = {0};
	json_t *report;

	input.card = card_find("I219");
	assert_int_equal(explain_read(&input, NULL, &report, &err), 0);
	assert_true(noted(report, "I219: has no MSI-X: IntMode 2 and the default are MSI"));
	json_decref(report);
	input.card = card_find("82574L");
	assert_int_equal(explain_read(&input, NULL, &report, &err), 0);
	assert_true(noted(report, "82574L: has MSI-X"));
	json_decref(report);
}

/* --- BSD --- */

/* C08: a setting that stood where nobody reads it. */
static void tunables_in_the_wrong_file_are_said_to_do_nothing(void **state)
{
	static const char text[] = "hw.em.rx_int_delay=\"0\"\n"
				   "# comment\n"
				   "hw.igb.max_interrupt_rate=8000\n"
				   "dev.em.0.rx_int_delay=100\n"
				   "hw.em.tx_int_delay: 66\n"
				   "kern.ipc.x=1\n"
				   "dev.em.0.tx_int_delay=0\n"
				   "dev.em.1.tx_int_delay=99999\n"
				   "noise\n"
				   "dev.em.0.itr=\n";
	json_t *report = read_as(NULL, "/etc/sysctl.conf", NULL, text);

	assert_string_equal(member(report, "format"), "sysctl.conf");
	assert_row(report, "freebsd em", "hw.em.rx_int_delay", "0", "not read here", "loader.conf");
	assert_row(report, "freebsd igb", "hw.igb.max_interrupt_rate", "8000", "not read here", "");
	assert_row(report, "freebsd em", "dev.em.0.rx_int_delay", "100", "applied", "register 97");
	assert_row(report, "", "kern.ipc.x", "1", "unknown key", "kept");
	assert_row(report, "freebsd em", "dev.em.0.tx_int_delay", "0", "special", "TIDV becomes 1");
	assert_row(report, "freebsd em", "dev.em.1.tx_int_delay", "99999", "value refused", "EINVAL");
	assert_row(report, "", "noise", "", "malformed", "NAME=VALUE");
	assert_row(report, "", "dev.em.0.itr", "", "malformed", "no value");
	json_decref(report);
	report = read_as(NULL, "/boot/loader.conf", NULL, text);
	assert_row(report, "freebsd em", "hw.em.tx_int_delay", "66", "applied", "67.584 us");
	assert_row(report, "freebsd em", "dev.em.0.rx_int_delay", "100", "not read here", "sysctl.conf");
	json_decref(report);
	report = read_as(NULL, "what", NULL, text);
	assert_true(noted(report, "--format names it"));
	assert_row(report, "freebsd em", "hw.em.rx_int_delay", "0", "applied", "");
	assert_row(report, "freebsd em", "dev.em.0.rx_int_delay", "100", "applied", "");
	json_decref(report);
}

/* --- kernel log --- */

static const char dump_text[] =
	"%s e1000e 0000:00:19.0 eth0: Detected Hardware Unit Hang:\n"
	"%s   TDH                  <13>\n"
	"%s   TDT                  <88>\n"
	"%s   next_to_use          <88>\n"
	"%s   next_to_clean        <7>\n"
	"%s buffer_info[next_to_clean]:\n"
	"%s   time_stamp           <100227358>\n"
	"%s   next_to_watch        <8>\n"
	"%s   jiffies              <%s>\n"
	"%s   next_to_watch.status <0>\n"
	"%s MAC Status             <80083>\n"
	"%s PCI Status             <10>\n";

static void make_dump(char *buf, size_t size, const char *time, const char *jiffies)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)snprintf(buf, size, dump_text, time, time, time, time, time, time, time, time, time,
		jiffies, time, time, time);
#pragma GCC diagnostic pop
}

/* C11: two dumps 1.9988 s apart. */
static void a_hang_is_decoded_and_voids_the_run(void **state)
{
	char text[4096];
	json_t *report, *dump;

	make_dump(text, sizeof(text), "[ 9001.123456]", "100227517");
	make_dump(text + strlen(text), sizeof(text) - strlen(text), "[ 9003.122256]", "10022770b");
	report = read_any(NULL, text);
	assert_string_equal(member(report, "format"), "log");
	assert_row(report, "0000:00:19.0 eth0", "unit hang", "status 0x80083", "run void",
		"117 descriptors outstanding (head 0x13, tail 0x88); the oldest is 447 ticks old; link "
		"up, full duplex, 1000 Mb/s");
	assert_int_equal(json_array_size(json_object_get(report, "dumps")), 2);
	dump = json_array_get(json_object_get(report, "dumps"), 1);
	assert_int_equal(json_integer_value(json_object_get(dump, "age_ticks")), 947);
	assert_int_equal(json_integer_value(json_object_get(dump, "PCI Status")), 0x10);
	assert_true(json_is_true(json_object_get(report, "head_stuck")));
	assert_true(json_number_value(json_object_get(report, "ticks_per_s")) == 250);
	assert_true(noted(report, "500 ticks in 1.999 s"));
	assert_true(noted(report, "DMA is stuck, no interrupt was lost"));
	assert_true(noted(report, "receive timer"));
	assert_true(noted(report, "offloads apart"));
	json_decref(report);
}

static void other_hangs_and_events_are_told_apart(void **state)
{
	json_t *report = read_any(NULL,
		"igb 0000:01:00.0 lan1: Detected Tx Unit Hang\n"
		"  TDH                  <f0>\n  TDT                  <10>\n"
		"MAC Status             <80041>\n"
		"igb 0000:01:00.0 lan2: Detected Tx Unit Hang\n"
		"  TDH                  <5>\n  TDT                  <5>\n"
		"MAC Status             <80053>\n"
		"e1000e 0000:00:19.0 eth0: Detected Hardware Unit Hang:\n"
		"[1.5] e1000e 0000:00:19.0 eth0: Reset adapter unexpectedly\n"
		"e1000e 0000:00:19.0 eth0: NIC Link is Down\n"
		"e1000e 0000:00:19.0 eth0: NIC Link is Up 1000 Mbps Full Duplex\n"
		"NETDEV WATCHDOG: eth0 (e1000e): transmit queue 0 timed out\n");

	assert_row(report, "0000:01:00.0 lan1", "unit hang", "status 0x80041", "run void",
		"32 descriptors outstanding (head 0xf0, tail 0x10; a ring of 256 assumed); link down, "
		"full duplex, 100 Mb/s");
	assert_row(report, "0000:01:00.0 lan2", "unit hang", "status 0x80053", "run void",
		"false alarm of the chip, completions were not taken; link up, full duplex, 100 Mb/s, "
		"paused by flow control");
	assert_row(report, "0000:00:19.0 eth0", "unit hang", "", "run void", "incomplete");
	assert_row(report, "0000:00:19.0 eth0", "reset", "", "run void", "resets");
	assert_row(report, "0000:00:19.0 eth0", "link down", "", "run void", "");
	assert_row(report, "0000:00:19.0 eth0", "link up", "", "event", "");
	assert_row(report, "", "transmit time-out", "", "run void", "");
	json_decref(report);
}

static void a_log_without_news_says_so(void **state)
{
	json_t *report = read_as("log", "-", NULL, "usb 1-1: new device\n");

	assert_true(noted(report, "nothing in it"));
	json_decref(report);
}

static void what_no_reader_knows_is_refused_with_the_formats(void **state)
{
	static const struct {
		const char *text, *format, *driver, *sentence;
	} rows[] = {
		{"hello\n", NULL, NULL, "cannot tell what it is; name it with --format"},
		{"", NULL, NULL, "cannot tell what it is"},
		{"x", "xml", NULL, "--format xml is none of"},
		{"[ {", NULL, NULL, "no JSON: line 1"},
		{"Adaptive RX: off  TX: off\n", NULL, "igd", "did you mean igb?"},
		{"Adaptive RX: off  TX: off\n", NULL, "zzzzzz", "no rules for the driver \"zzzzzz\""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct explain_input input = {
			.name = "f", .text = rows[i].text, .driver = rows[i].driver};
		struct error err = {0};
		json_t *report;

		assert_true(explain_read(&input, rows[i].format, &report, &err) < 0);
		if (!strstr(err.text, rows[i].sentence))
			fail_msg("%s", err.text);
		assert_true(err.usage);
	}
}

static void bytes_that_are_no_text_do_not_end_a_report(void **state)
{
	json_t *report = read_as("modprobe", "f", NULL, "options e1000e \xff\xfe=\x80\nlonely \xc3\n");

	assert_int_equal(json_array_size(json_object_get(report, "rows")), 2);
	json_decref(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_readout_with_new_lines_is_read_to_its_end),
		cmocka_unit_test(without_a_driver_numbers_are_not_judged),
		cmocka_unit_test(malformed_lines_have_number_key_and_reason),
		cmocka_unit_test(a_device_without_coalescing_is_told_from_one_with_zeros),
		cmocka_unit_test(json_readouts_of_old_and_new_versions_are_read),
		cmocka_unit_test(a_request_is_sorted_into_its_answers),
		cmocka_unit_test(measured_rates_say_what_a_setting_came_to),
		cmocka_unit_test(module_options_are_told_per_port),
		cmocka_unit_test(module_lines_that_are_wrong_are_kept_with_a_reason),
		cmocka_unit_test(more_ports_than_the_driver_has_positions_for),
		cmocka_unit_test(interrupt_mode_depends_on_the_chip),
		cmocka_unit_test(tunables_in_the_wrong_file_are_said_to_do_nothing),
		cmocka_unit_test(a_hang_is_decoded_and_voids_the_run),
		cmocka_unit_test(other_hangs_and_events_are_told_apart),
		cmocka_unit_test(a_log_without_news_says_so),
		cmocka_unit_test(what_no_reader_knows_is_refused_with_the_formats),
		cmocka_unit_test(bytes_that_are_no_text_do_not_end_a_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
