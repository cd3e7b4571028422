/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles as lines for the system that runs in production. */
#ifndef MODERATO_PROFILES_EXPORT_H
#define MODERATO_PROFILES_EXPORT_H

#include "profiles/profile.h"

#define EXPORT_PORTS_MAX 32 /* of the e1000 and e1000e modules' parameter lists */

enum export_target { EXPORT_ETHTOOL, EXPORT_MODPROBE, EXPORT_JSON };

struct export_options {
	const char *interface; /* NULL: the script takes it as its first argument */
	unsigned ports;	       /* positions of a module's parameter lists, 1..EXPORT_PORTS_MAX */
};

/** export_target_parse() - "ethtool", "modprobe.d", "json"; else a usage error listing them. */
int export_target_parse(const char *text, enum export_target *ret_target, struct error *err);

/**
 * profile_export() - the profile's setting for @target
 * What the target cannot express, rounds or must not be given stands in comments; nothing is left
 * out in silence. Transmit knobs of a profile that may not be transferred are never written.
 * @ret_text: free() it.
 * Return: 0, -EINVAL (usage: interface name, ports), -EOPNOTSUPP when the target has no driver for
 * the chip.
 */
int profile_export(const struct profile *profile, enum export_target target,
	const struct export_options *options, char **ret_text, struct error *err);

#endif
