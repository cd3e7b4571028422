/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPU this is, on x86 and on ARM boards that print no model name. */
#ifndef MODERATO_BENCH_CPU_ID_H
#define MODERATO_BENCH_CPU_ID_H

#define CPU_ID_TEXT 256

struct cpu_id {
	char key[CPU_ID_TEXT];	/* never empty; differs between different parts */
	char name[CPU_ID_TEXT]; /* readable; the key when no better name is known */
	unsigned cpus;		/* "processor" lines, else 0 */
};

/**
 * cpu_id_parse() - from the text of /proc/cpuinfo
 * Key: vendor/family/model/stepping on x86; else implementer/part/variant/revision of every kind of
 * core ("arm-0x41-0xd03-r0p4+arm-0x41-0xd08-r0p2"); else model name; else the device tree's model;
 * else "unknown-<machine>".
 * @dt_model: text of /sys/firmware/devicetree/base/model, or NULL. @machine: uname -m.
 */
void cpu_id_parse(
	const char *cpuinfo, const char *dt_model, const char *machine, struct cpu_id *ret_id);

#endif
