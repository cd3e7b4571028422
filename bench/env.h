/* SPDX-License-Identifier: BSD-2-Clause */
/* The environment of a number: kernel, CPU, governor, idle states, path, versions. */
#ifndef MODERATO_BENCH_ENV_H
#define MODERATO_BENCH_ENV_H

#include <jansson.h>

#include "bench/bench.h"

/**
 * env_record() - what a reader must know beside a figure
 * {"tool","iperf","time","kernel":{},"cpu":{},"tcp":{},"placement":{},"daemon":{}}; a thing that
 * the machine does not tell is null with no guess. `daemon` is its `info` without the knob
 * descriptions, absent on a plain path.
 * @root: in front of /proc and /sys, "" for this machine (tests pass a directory).
 * @ret_record: new reference.
 */
int env_record(
	const char *root, const struct bench_env *env, json_t **ret_record, struct error *err);

#endif
