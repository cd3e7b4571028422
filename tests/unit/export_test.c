/* SPDX-License-Identifier: BSD-2-Clause */
/* Exported lines: values the drivers take, nothing dropped in silence, and the real consumers
 * agree. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiles/export.h"
#include "profiles/export_private.h"

#define DATA "tests/unit/data/profiles/"

static const struct export_options one_port = {.interface = "eth0", .ports = 1};

static void read_data(const char *file, struct profile *profile)
{
	struct error err = {0};
	char path[256];

	(void)snprintf(path, sizeof(path), DATA "%s", file);
	if (profile_read_file(path, profile, &err))
		fail_msg("%s", err.text);
}

static char *export_text(const struct profile *profile, enum export_target target,
	const struct export_options *options)
{
	struct error err = {0};
	char *text = NULL;

	if (profile_export(profile, target, options, &text, &err))
		fail_msg("%s", err.text);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

/* All lines that are not comments. */
static char *commands_of(const char *text)
{
	char *out = calloc(1, strlen(text) + 1), *end = out;

	assert_non_null(out);
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (*text != '#') {
			memcpy(end, text, n);
			end += n;
			*end++ = '\n';
		}
		text += n + (text[n] == '\n');
	}
	return out;
}

static void put(struct profile *profile, enum knob_id knob, uint32_t value)
{
	settings_put(&profile->setting.values, knob, value);
}

static void usecs_come_out_as_the_driver_takes_them(void **state)
{
	static const struct {
		uint32_t itr, usecs;
	} worked[] = {
		{0, 0}, {39, 10}, {195, 50}, {488, 125}, {558, 143}, {1500, 384}, {39062, 10000}};
	uint32_t usecs;

	for (size_t i = 0; i < sizeof(worked) / sizeof(worked[0]); i++) {
		assert_true(export_itr_to_usecs(worked[i].itr, &usecs));
		assert_int_equal(usecs, worked[i].usecs);
		if (usecs)
			assert_int_equal(export_rate_to_itr(1000000 / usecs), worked[i].itr);
	}
	assert_false(export_itr_to_usecs(20, &usecs));
	assert_int_equal(usecs, 10);
	assert_false(export_itr_to_usecs(65535, &usecs));
	assert_int_equal(usecs, 10000);
}

static void no_interval_ever_becomes_a_refused_value_or_a_mode(void **state)
{
	for (uint32_t itr = 0; itr <= 65535; itr++) {
		uint32_t usecs, rate;
		bool fits = export_itr_to_usecs(itr, &usecs);

		assert_false(export_usecs_refused(usecs));
		assert_false(export_usecs_is_mode(usecs));
		if (fits && itr)
			assert_true(labs((long)usecs * 1000 - (long)itr * 256) <= 1500);
		if (export_itr_to_rate(itr, &rate) && itr) {
			assert_true(rate >= 100 && rate <= 100000);
			assert_int_equal(rate % 4, 0);
		}
	}
}

static void rates_come_out_as_multiples_of_four_that_give_the_value_back(void **state)
{
	static const uint32_t exact[] = {39, 195, 488, 558, 651, 976, 1500};
	uint32_t rate;

	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		assert_true(export_itr_to_rate(exact[i], &rate));
		assert_int_equal(export_rate_to_itr(rate), exact[i]);
	}
	assert_true(export_itr_to_rate(0, &rate));
	assert_int_equal(rate, 0);
	assert_false(export_itr_to_rate(20, &rate));
	assert_false(export_itr_to_rate(65535, &rate));
}

static void ethtool_sets_the_throttle_alone_and_says_what_it_cannot(void **state)
{
	struct profile profile;
	char *text, *commands;

	read_data("good-sim-82574l.json", &profile);
	text = export_text(&profile, EXPORT_ETHTOOL, &one_port);
	commands = commands_of(text);
	assert_has(commands, "ethtool -C \"$iface\" rx-usecs 384 ||");
	assert_has(commands, "iface='eth0'\n");
	assert_lacks(commands, "375");
	assert_lacks(commands, "tx-usecs");
	assert_has(text,
		"# RDTR 375 (384.000 us): not expressible by ethtool; module parameter RxIntDelay");
	assert_has(text, "# TIDV 375 (384.000 us): not written: TX side not transferable until "
			 "verified there");
	assert_has(text, "simulated");
	free(commands);
	free(text);
	profile_fini(&profile);
}

static void ethtool_says_what_rounding_and_reading_back_do(void **state)
{
	struct profile profile;
	char *text;

	read_data("good-sim-82574l.json", &profile);
	put(&profile, KNOB_ITR, 1502);
	text = export_text(&profile, EXPORT_ETHTOOL, &one_port);
	assert_has(text,
		"ITR 1502 (384.512 us): rounded: the driver turns rx-usecs 385 into ITR 1504");
	free(text);
	put(&profile, KNOB_ITR, 35156);
	text = export_text(&profile, EXPORT_ETHTOOL, &one_port);
	assert_has(text, "rx-usecs 9000");
	assert_has(text, "multiple of 4: reads back as rx-usecs 9259");
	free(text);
	put(&profile, KNOB_ITR, 0);
	text = export_text(&profile, EXPORT_ETHTOOL, &one_port);
	assert_has(text, "rx-usecs 0 switches the throttle off");
	assert_has(text, "\nethtool -C \"$iface\" rx-usecs 0 ||");
	free(text);
	profile_fini(&profile);
}

static void ethtool_writes_no_value_that_would_be_another_setting(void **state)
{
	static const uint32_t itrs[] = {4, 8, 12, 16, 20, 35, 40000, 65535};
	struct profile profile;

	read_data("good-sim-82574l.json", &profile);
	for (size_t i = 0; i < sizeof(itrs) / sizeof(itrs[0]); i++) {
		char *text;

		put(&profile, KNOB_ITR, itrs[i]);
		text = export_text(&profile, EXPORT_ETHTOOL, &one_port);
		assert_lacks(text, "\nethtool -C");
		assert_has(text, "not expressible: the driver takes rx-usecs 0 and 10 to 10000");
		free(text);
	}
	profile_fini(&profile);
}

static void in_msix_every_vector_gets_one_value_and_others_are_named(void **state)
{
	struct profile profile;
	char *text;

	read_data("good-sim-82574l.json", &profile);
	(void)strcpy(profile.chip.intmode, "msix");
	put(&profile, KNOB_INTMODE, INTMODE_MSIX);
	put(&profile, KNOB_EITR0, 195);
	put(&profile, KNOB_EITR1, 195);
	put(&profile, KNOB_EITR2, 0);
	text = export_text(&profile, EXPORT_ETHTOOL, &one_port);
	assert_has(text, "\nethtool -C \"$iface\" rx-usecs 50 ||");
	assert_has(text, "EITR1 195 (49.920 us): comes with EITR0");
	assert_has(text, "EITR2 0 (0.000 us): not expressible");
	assert_has(text, "ITR 1500 (384.000 us): without effect in msix");
	free(text);
	text = export_text(&profile, EXPORT_MODPROBE, &one_port);
	assert_has(text, "IntMode=2 InterruptThrottleRate=20032");
	free(text);
	profile_fini(&profile);
}

static void a_setting_from_the_kernels_own_driver_takes_its_transmit_side_along(void **state)
{
	struct profile profile;
	char *text;

	read_data("good-kernel-82574l.json", &profile);
	put(&profile, KNOB_TX_RING, 512);
	text = export_text(&profile, EXPORT_MODPROBE, &one_port);
	assert_has(text, "\noptions e1000e IntMode=1 InterruptThrottleRate=2604 RxIntDelay=375 "
			 "RxAbsIntDelay=375 TxIntDelay=375 TxAbsIntDelay=375\n");
	assert_has(text, "tx-ring 512: not by module parameter; `ethtool -G` sets it");
	free(text);
	text = export_text(&profile, EXPORT_ETHTOOL, &one_port);
	assert_has(text, "\nethtool -G \"$iface\" tx 512 ||");
	free(text);
	profile_fini(&profile);
}

static void modprobe_lines_leave_the_transmit_side_of_a_tap_out_and_say_so(void **state)
{
	struct export_options three = {.ports = 3};
	struct profile profile;
	char *text, *commands;

	read_data("good-sim-82574l.json", &profile);
	text = export_text(&profile, EXPORT_MODPROBE, &three);
	commands = commands_of(text);
	assert_string_equal(commands,
		"options e1000e IntMode=1,1,1 InterruptThrottleRate=2604,2604,2604 "
		"RxIntDelay=375,375,375 RxAbsIntDelay=375,375,375\n");
	assert_has(text, "TADV 375 (384.000 us): not written: TX side not transferable");
	assert_has(text, "order of probing");
	assert_has(text, "hazard of RxIntDelay");
	free(commands);
	free(text);
	profile_fini(&profile);
}

static void the_older_driver_has_rings_but_no_mode_parameter(void **state)
{
	struct profile profile;
	char *text;

	read_data("good-sim-82545em-arm.json", &profile);
	put(&profile, KNOB_RX_RING, 512);
	text = export_text(&profile, EXPORT_MODPROBE, &one_port);
	assert_has(text,
		"\noptions e1000 InterruptThrottleRate=7000 RxIntDelay=0 RxAbsIntDelay=128 "
		"RxDescriptors=512\n");
	assert_lacks(text, "IntMode=");
	free(text);
	profile_fini(&profile);
}

static void every_knob_of_a_setting_is_named_by_every_target(void **state)
{
	struct profile profile;

	read_data("good-sim-82574l.json", &profile);
	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		if (!settings_has(&profile.setting.values, id))
			put(&profile, id, knob_table[id].initial);
	}
	for (unsigned transfer = 0; transfer < 2; transfer++) {
		profile.tx_transferable = transfer;
		for (unsigned target = 0; target <= EXPORT_JSON; target++) {
			char *text = export_text(&profile, target, &one_port);

			for (unsigned id = 0; id < KNOB_COUNT; id++)
				assert_has(text, knob_table[id].name);
			free(text);
		}
	}
	profile_fini(&profile);
}

static void names_cannot_leave_their_comment_or_quotes(void **state)
{
	struct export_options hostile = {.interface = "e'; reboot; '", .ports = 1};
	struct profile profile;
	struct error err = {0};
	char *text = NULL;

	read_data("good-sim-82574l.json", &profile);
	(void)strcpy(profile.setting.name, "x\nreboot\r\n");
	text = export_text(&profile, EXPORT_ETHTOOL, &one_port);
	assert_has(text, "setting x?reboot??");
	assert_lacks(text, "\nreboot");
	free(text);
	text = NULL;
	assert_int_equal(profile_export(&profile, EXPORT_ETHTOOL, &hostile, &text, &err), -EINVAL);
	assert_true(err.usage);
	assert_null(text);
	hostile.interface = "interface-of-16b";
	assert_int_equal(profile_export(&profile, EXPORT_ETHTOOL, &hostile, &text, &err), -EINVAL);
	profile_fini(&profile);
}

/* Write @text to DIR/NAME for a program of the system to read. */
static void write_text(const char *dir, const char *name, const char *text, char *path, size_t size)
{
	FILE *file;

	(void)snprintf(path, size, "%s/%s", dir, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int run(const char *fmt, const char *a, const char *b, const char *c)
{
	char command[512];

	(void)snprintf(command, sizeof(command), "%s%s%s%s", fmt, a, b, c);
	return system(command);
}

static void the_script_is_one_that_a_shell_runs_to_the_right_words(void **state)
{
	static const char fake[] = "#!/bin/sh\n"
				   "[ \"$1\" = -i ] && { echo 'driver: e1000e'; exit 0; }\n"
				   "echo \"$@\" >> \"${0%/*}/log\"\nexit 80\n";
	struct export_options any = {.ports = 1};
	char dir[] = "/tmp/moderato-export-XXXXXX", script[64], tool[64];
	struct profile profile;
	char *text;

	assert_non_null(mkdtemp(dir));
	read_data("good-sim-82574l.json", &profile);
	text = export_text(&profile, EXPORT_ETHTOOL, &any);
	write_text(dir, "nic.sh", text, script, sizeof(script));
	write_text(dir, "ethtool", fake, tool, sizeof(tool));
	assert_int_equal(chmod(tool, 0755), 0);
	assert_int_equal(run("sh -n ", script, "", ""), 0);
	assert_int_not_equal(run("sh ", script, " 2> ", "/dev/null"), 0);
	(void)snprintf(script + strlen(script), sizeof(script) - strlen(script), " lan0");
	assert_int_equal(run("PATH=", dir, ":$PATH sh ", script), 0);
	assert_int_equal(run("grep -qx -- '-C lan0 rx-usecs 384' ", dir, "/log", ""), 0);
	(void)run("rm -r ", dir, "", "");
	free(text);
	profile_fini(&profile);
}

static void modprobe_itself_reads_the_options_line(void **state)
{
	char dir[] = "/tmp/moderato-export-XXXXXX", path[64];
	struct profile profile;
	char *text;

	if (system("PATH=$PATH:/usr/sbin:/sbin modprobe --version > /dev/null 2>&1")) {
		print_message("skipped: no modprobe (package kmod)\n");
		skip();
	}
	assert_non_null(mkdtemp(dir));
	read_data("good-sim-82574l.json", &profile);
	text = export_text(&profile, EXPORT_MODPROBE, &one_port);
	write_text(dir, "moderato.conf", text, path, sizeof(path));
	assert_int_equal(run("PATH=$PATH:/usr/sbin:/sbin modprobe -C ", dir,
				 " --showconfig 2>&1 | grep -qx 'options e1000e IntMode=1 "
				 "InterruptThrottleRate=2604 RxIntDelay=375 RxAbsIntDelay=375'",
				 ""),
		0);
	assert_int_not_equal(run("PATH=$PATH:/usr/sbin:/sbin modprobe -C ", dir,
				     " --showconfig 2>&1 | grep -i 'ignoring bad line'", ""),
		0);
	(void)run("rm -r ", dir, "", "");
	free(text);
	profile_fini(&profile);
}

static void a_target_nobody_knows_is_a_usage_error(void **state)
{
	enum export_target target = EXPORT_JSON;
	struct error err = {0};

	assert_int_equal(export_target_parse("modprobe.d", &target, &err), 0);
	assert_int_equal(target, EXPORT_MODPROBE);
	assert_int_equal(export_target_parse("networkd", &target, &err), -EINVAL);
	assert_true(err.usage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usecs_come_out_as_the_driver_takes_them),
		cmocka_unit_test(no_interval_ever_becomes_a_refused_value_or_a_mode),
		cmocka_unit_test(rates_come_out_as_multiples_of_four_that_give_the_value_back),
		cmocka_unit_test(ethtool_sets_the_throttle_alone_and_says_what_it_cannot),
		cmocka_unit_test(ethtool_says_what_rounding_and_reading_back_do),
		cmocka_unit_test(ethtool_writes_no_value_that_would_be_another_setting),
		cmocka_unit_test(in_msix_every_vector_gets_one_value_and_others_are_named),
		cmocka_unit_test(
			a_setting_from_the_kernels_own_driver_takes_its_transmit_side_along),
		cmocka_unit_test(modprobe_lines_leave_the_transmit_side_of_a_tap_out_and_say_so),
		cmocka_unit_test(the_older_driver_has_rings_but_no_mode_parameter),
		cmocka_unit_test(every_knob_of_a_setting_is_named_by_every_target),
		cmocka_unit_test(names_cannot_leave_their_comment_or_quotes),
		cmocka_unit_test(the_script_is_one_that_a_shell_runs_to_the_right_words),
		cmocka_unit_test(modprobe_itself_reads_the_options_line),
		cmocka_unit_test(a_target_nobody_knows_is_a_usage_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
