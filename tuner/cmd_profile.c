/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato profile: write one from a store, show it, export it to the system it is for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/export.h"
#include "common/list.h"
#include "tuner/command.h"
#include "tuner/options.h"
#include "tuner/profile_build.h"

#define OBJECTIVES "throughput|latency|efficiency|balanced"

static int write_profile(int argc, char **argv, struct error *err)
{
	struct profile_request request = {.objective = "balanced"};
	const char *out = NULL;
	const struct option_row rows[] = {
		OPT_STRING("setting", 's', &request.setting, "NAME",
			"the setting it is about, by its name in the table"),
		OPT_STRING("baseline", 'b', &request.baseline, "NAME",
			"what it is compared with (default: the sweep's baseline)"),
		OPT_STRING("objective", 'O', &request.objective, OBJECTIVES,
			"what it was chosen for (default balanced)"),
		OPT_STRING("out", 'o', &out, "FILE", "file to write"), OPT_END};
	struct options options = {.rows = rows, .operands_min = 1, .operands_max = 1};
	struct store *store;
	struct profile profile;
	int rc = options_parse(&options, argc, argv, err);

	if (rc)
		return rc;
	if (!request.setting || !out)
		return error_usage(err, "profile write needs --setting NAME and --out FILE");
	if (!list_has(OBJECTIVES, request.objective, '|'))
		return error_usage(
			err, "objective \"%.40s\": it may be " OBJECTIVES, request.objective);
	rc = store_open(options.operand[0], STORE_READ, &store, err);
	if (rc)
		return rc;
	rc = profile_build(store, &request, &profile, err);
	store_close(store);
	if (rc)
		return rc;
	rc = profile_write_file(&profile, out, err);
	if (!rc)
		printf("%s: %s against %s, %zu effects\n", out, profile.setting.name,
			profile.baseline.name, profile.effect_count);
	profile_fini(&profile);
	return rc;
}

static int show_profile(int argc, char **argv, struct error *err)
{
	const struct option_row rows[] = {OPT_END};
	struct options options = {.rows = rows, .operands_min = 1, .operands_max = 1};
	struct profile profile;
	int rc = options_parse(&options, argc, argv, err);

	rc = rc ? rc : profile_read_file(options.operand[0], &profile, err);
	if (rc)
		return rc;
	profile_print(&profile, stdout);
	profile_fini(&profile);
	return 0;
}

static int export_profile(int argc, char **argv, struct error *err)
{
	struct export_options export_options = {.ports = 1};
	const char *to = NULL;
	int64_t ports = 1;
	const struct option_row rows[] = {
		OPT_STRING("to", 't', &to, "ethtool|modprobe.d|json", "form of the output"),
		OPT_STRING("interface", 'i', &export_options.interface, "NAME",
			"ethtool: the interface (default: the script's argument)"),
		OPT_INT("ports", 'p', &ports, "N", 1, EXPORT_PORTS_MAX,
			"modprobe.d: values of each parameter, one a port (default 1)"),
		OPT_END};
	struct options options = {.rows = rows, .operands_min = 1, .operands_max = 1};
	enum export_target target;
	struct profile profile;
	char *text;
	int rc = options_parse(&options, argc, argv, err);

	if (rc)
		return rc;
	if (!to)
		return error_usage(err, "profile export needs --to ethtool, modprobe.d or json");
	rc = export_target_parse(to, &target, err);
	rc = rc ? rc : profile_read_file(options.operand[0], &profile, err);
	if (rc)
		return rc;
	export_options.ports = (unsigned)ports;
	rc = profile_export(&profile, target, &export_options, &text, err);
	profile_fini(&profile);
	if (rc)
		return rc;
	fputs(text, stdout);
	free(text);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv, struct error *err);
} actions[] = {{"write", write_profile}, {"show", show_profile}, {"export", export_profile}};

static void print_help(void)
{
	printf("usage: moderato profile write FILE.db --setting NAME --out FILE [options]\n"
	       "       moderato profile show FILE\n"
	       "       moderato profile export FILE --to ethtool|modprobe.d|json [options]\n\n"
	       "Write a profile from results, show it, export it.\n"
	       "\"moderato profile write --help\" and so on list the options.\n");
}

int cmd_profile(int argc, char **argv, struct error *err)
{
	const char *wanted = argc > 1 ? argv[1] : "";

	if (!strcmp(wanted, "--help") || !strcmp(wanted, "-h")) {
		print_help();
		return 0;
	}
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!strcmp(wanted, actions[i].name)) {
			argv[1] = argv[0];
			return actions[i].run(argc - 1, argv + 1, err);
		}
	}
	return error_usage(err, "say \"profile write\", \"profile show\" or \"profile export\"");
}
