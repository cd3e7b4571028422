/* SPDX-License-Identifier: BSD-2-Clause */
/* The method info: daemon, chip, knobs, path, all from the tables; and regs, registers by name. */
#include "driver/control_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/chips/regs.h"
#include "common/json.h"
#include "common/util.h"
#include "common/version.h"

/* --- chip and knobs --- */

static json_t *intmodes_json(unsigned intmodes)
{
	json_t *array = json_array();

	for (unsigned mode = 0; mode < INTMODE_COUNT; mode++)
		if (intmodes & INTMODE_BIT(mode))
			json_array_append_new(array, json_string(intmode_name(mode)));
	return array;
}

static json_t *quirks_json(const struct chip *chip)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < QUIRK_COUNT; i++) {
		const struct quirk_info *quirk = &quirk_table[i];

		if (chip_has_quirk(chip, 1u << i))
			json_array_append_new(
				array, json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", quirk->name,
					       "symptom", quirk->symptom, "parts", quirk->parts,
					       "remedy", quirk->remedy, "source", quirk->source));
	}
	return array;
}

static json_t *chip_json(const struct chip *chip)
{
	return json_pack("{s:s, s:i, s:i, s:s, s:o, s:i, s:i, s:i, s:o, s:s}", "name", chip->name,
		"vendor", chip->vendor, "device", chip->device, "family",
		chip_family_name(chip->family), "intmodes", intmodes_json(chip->intmodes),
		"msix_vectors", (int)chip->msix_vectors, "ring_max", (int)chip->ring_max,
		"max_frame", (int)chip->max_frame, "quirks", quirks_json(chip), "source",
		chip->source);
}

static uint32_t knob_max(const struct chip *chip, const struct knob *knob)
{
	if (knob->id == KNOB_RX_RING || knob->id == KNOB_TX_RING)
		return MIN(knob->max, chip->ring_max);
	return knob->max;
}

static json_t *knob_json(const struct chip *chip, const struct knob *knob, json_t *initial)
{
	const struct reg_info *reg = knob->kind == KNOB_KIND_REGISTER ? reg_at(knob->reg) : NULL;
	json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:I, s:O, s:b, s:s, s:s, s:s}", "name",
		knob->name, "kind", knob->kind == KNOB_KIND_REGISTER ? "register" : "driver",
		"unit_ps", (json_int_t)knob->unit_ps, "min", (json_int_t)knob->min, "max",
		(json_int_t)knob_max(chip, knob), "initial", json_object_get(initial, knob->name),
		"restart", knob->restart, "meaning", knob->meaning, "hazard", knob->hazard,
		"source", knob->source);

	if (reg) {
		json_object_set_new(object, "register", json_string(reg->name));
		json_object_set_new(object, "bits", json_string("15:0"));
	}
	if (knob->id == KNOB_INTMODE)
		json_object_set_new(object, "values", intmodes_json(chip->intmodes));
	return object;
}

static json_t *knobs_json(const struct chip *chip)
{
	json_t *array = json_array(), *initial;
	struct settings settings;

	chip_initial_settings(chip, &settings);
	initial = json_settings(&settings);
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (chip_has_knob(chip, id))
			json_array_append_new(array, knob_json(chip, &knob_table[id], initial));
	json_decref(initial);
	return array;
}

/* --- the path --- */

static json_t *offloads_json(unsigned offloads)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {
		{TUN_F_CSUM, "csum"},
		{TUN_F_TSO4, "tso4"},
		{TUN_F_TSO6, "tso6"},
		{TUN_F_TSO_ECN, "tso-ecn"},
	};
	json_t *array = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (offloads & names[i].bit)
			json_array_append_new(array, json_string(names[i].name));
	return array;
}

static json_t *address_json(struct in_addr address)
{
	char text[INET_ADDRSTRLEN];

	return json_string(inet_ntop(AF_INET, &address, text, sizeof(text)));
}

static json_t *mac_json(const uint8_t *mac)
{
	char text[18];

	(void)snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		mac[3], mac[4], mac[5]);
	return json_string(text);
}

static json_t *path_json(const struct path *path, const uint8_t *mac)
{
	const struct path_options *options = &path->options;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:i, s:o}", "kind",
		"tap", "interface", control_text_string(path->tap.name), "peer_interface",
		control_text_string(path->peer_interface), "namespace",
		control_text_string(options->netns ? options->netns : "own"), "local",
		address_json(options->local), "peer", address_json(options->peer), "prefix",
		(int)options->prefix_len, "mtu", (int)options->mtu, "peer_runs",
		path->peer_local ? json_string("local") : address_json(options->peer), "offloads",
		offloads_json(path->tap.offloads), "queue_len", (int)options->queue_len, "mac",
		mac_json(mac));
}

/* --- names --- */

static json_t *methods_json(const struct control *control)
{
	json_t *array = json_array();

	for (size_t i = 0; i < control_method_count; i++)
		if (control_has_method(control, control_method_table[i].name))
			json_array_append_new(array, json_string(control_method_table[i].name));
	return array;
}

#define EVENT(name, meaning) json_array_append_new(array, json_string(name));
static json_t *events_json(void)
{
	json_t *array = json_array();

	for (unsigned event = 0; event < NIC_EVENT_COUNT; event++)
		json_array_append_new(array, json_string(nic_event_name(event)));
#include "common/control.def"
	return array;
}

#define COUNTER(name, unit, meaning)                                                               \
	json_array_append_new(array,                                                               \
		json_pack("{s:s, s:s, s:s}", "name", #name, "unit", unit, "meaning", meaning));
static json_t *counters_json(void)
{
	json_t *array = json_array();

#include "driver/counters.def"
	return array;
}
#undef COUNTER

#define SIM_COUNTER(name, meaning)                                                                 \
	json_array_append_new(array, json_pack("{s:s, s:s}", "name", #name, "meaning", meaning));
static json_t *sim_counters_json(void)
{
	json_t *array = json_array();

#include "driver/sim/sim_counters.def"
	return array;
}
#undef SIM_COUNTER

/* --- info --- */

static json_t *daemon_name_json(const struct daemon *daemon)
{
	char name[64];

	if (daemon->options->name)
		return control_text_string(daemon->options->name);
	return control_text_string(
		control_default_name(daemon->options->device, name, sizeof(name)));
}

static json_t *link_json(const struct daemon *daemon)
{
	struct nic *nic = daemon->nic;
	bool readable = !daemon->bus->dead && nic_state(nic) != NIC_RESETTING;
	bool full =
		readable && nic_link_up(nic) && (bus_read32(daemon->bus, REG_STATUS) & STATUS_FD);

	return json_pack("{s:b, s:i, s:b, s:I}", "up", nic_link_up(nic), "speed_mbps",
		(int)nic_speed_mbps(nic), "full_duplex", full, "changes",
		(json_int_t)nic_counters_of(nic)->link_changes);
}

static void info_add_fd(struct control_call *call, json_t *names, int fd, const char *name)
{
	if (fd < 0)
		return;
	call->fds[call->fd_count++] = fd;
	json_array_append_new(names, json_string(name));
}

static void info_add_fds(struct control_call *call, json_t *result)
{
	const struct daemon *daemon = call->control->daemon;
	json_t *names = json_array();

	info_add_fd(call, names, daemon->path.netns_fd, "netns");
	info_add_fd(call, names, daemon->path.peer_netns_fd, "peer_netns");
	info_add_fd(call, names, daemon->userns_fd, "userns");
	json_object_set_new(result, "fds", names);
}

/* Where a bound is kept: on real devices. */
static void info_add_dma(const struct bus *bus, json_t *result)
{
	if (bus->dma_limit)
		json_object_set_new(result, "dma", json_pack("{s:I, s:I, s:s?}", "bytes", (json_int_t)bus->dma_bytes,
			"limit", (json_int_t)bus->dma_limit, "by", bus->opened_by));
}

static void info_add_sim(const struct daemon *daemon, json_t *result)
{
	const struct bus_sim_ops *sim = daemon->bus->ops->sim;

	json_object_set_new(result, "simulated", json_boolean(sim != NULL));
	if (!sim)
		return;
	json_object_set_new(
		result, "msix_rx_timers", json_boolean(sim->msix_rx_timers(daemon->bus)));
	json_object_set_new(result, "sim_counters", sim_counters_json());
}

int control_info(struct control_call *call, json_t *result, struct control_failure *failure)
{
	const struct daemon *daemon = call->control->daemon;
	bool fds = false;

	json_object_set_new(result, "protocol", json_integer(CONTROL_PROTOCOL));
	json_object_set_new(result, "version", json_string(MODERATO_VERSION));
	json_object_set_new(result, "pid", json_integer(getpid()));
	json_object_set_new(result, "name", daemon_name_json(daemon));
	json_object_set_new(result, "device", control_text_string(daemon->options->device));
	info_add_sim(daemon, result);
	info_add_dma(daemon->bus, result);
	json_object_set_new(result, "chip", chip_json(nic_chip(daemon->nic)));
	json_object_set_new(result, "knobs", knobs_json(nic_chip(daemon->nic)));
	json_object_set_new(result, "path", path_json(&daemon->path, nic_mac(daemon->nic)));
	json_object_set_new(result, "methods", methods_json(call->control));
	json_object_set_new(result, "scheduling",
		json_pack("{s:s, s:i, s:i}", "driver", daemon->fifo ? "fifo" : "other", "cpu",
			daemon->cpu, "device_cpu", daemon->device_cpu));
	json_object_set_new(result, "link", link_json(daemon));
	json_object_set_new(result, "state", json_string(nic_state_name(nic_state(daemon->nic))));
	json_object_set_new(result, "lease", control_lease_info(call->control, call->now_ns));
	json_object_set_new(result, "events", events_json());
	json_object_set_new(result, "counters", counters_json());
	(void)json_member_bool(call->request->params, "fds", false, &fds, NULL);
	if (fds)
		info_add_fds(call, result);
	return 0;
}

/* --- regs --- */

/* A read that clears, acknowledges or starts something is not for a look from outside. */
static bool reg_is_harmless(const struct chip *chip, const struct reg_info *reg)
{
	bool harmless = reg->access == REG_RW || reg->access == REG_RO || reg->access == REG_W1S;

	return harmless && (reg->families & chip->family);
}

static json_t *reg_json(struct bus *bus, const struct reg_info *reg)
{
	return json_pack("{s:s, s:I, s:I, s:s}", "name", reg->name, "offset",
		(json_int_t)reg->offset, "value", (json_int_t)bus_read32(bus, reg->offset),
		"meaning", reg->meaning);
}

static int regs_named(
	struct control_call *call, json_t *names, json_t *regs, struct control_failure *failure)
{
	struct daemon *daemon = call->control->daemon;
	const struct chip *chip = nic_chip(daemon->nic);
	json_t *item;
	size_t i;

	json_array_foreach (names, i, item) {
		const char *name = json_string_value(item);
		const struct reg_info *reg = name ? reg_find(name) : NULL;

		if (!name)
			return control_fail(failure, CONTROL_ERR_PARAMS,
				"regs: \"names\" must hold strings only");
		if (!reg || !(reg->families & chip->family))
			return control_fail(failure, CONTROL_ERR_PARAMS,
				"regs: %s has no register \"%.40s\"", chip->name, name);
		if (!reg_is_harmless(chip, reg))
			return control_fail(failure, CONTROL_ERR_PARAMS,
				"regs: %s is not read from here: %s", reg->name,
				reg->access == REG_WO ? "it is write-only"
						      : "a read has an effect");
		json_array_append_new(regs, reg_json(daemon->bus, reg));
	}
	return 0;
}

int control_regs(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct daemon *daemon = call->control->daemon;
	json_t *names = json_object_get(call->request->params, "names");
	enum nic_state state = nic_state(daemon->nic);
	json_t *regs = json_array();

	json_object_set_new(result, "regs", regs);
	if (state == NIC_GONE || state == NIC_RESETTING) {
		failure->number = state == NIC_GONE ? ENODEV : EBUSY;
		return control_fail(failure,
			state == NIC_GONE ? CONTROL_ERR_FAILED : CONTROL_ERR_BUSY,
			"regs: the device is %s: its registers cannot be read",
			nic_state_name(state));
	}
	if (names)
		return regs_named(call, names, regs, failure);
	for (size_t i = 0; i < reg_table_count; i++)
		if (reg_is_harmless(nic_chip(daemon->nic), &reg_table[i]))
			json_array_append_new(regs, reg_json(daemon->bus, &reg_table[i]));
	return 0;
}
