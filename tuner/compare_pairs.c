/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of values out of a store, matched by pair or block number. */
#include "tuner/compare_pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is known of one pair while the trials are read. */
struct half {
	bool seen, present, open;
	double value;
	int64_t trial;
};
struct slot {
	unsigned number;
	struct half a, b;
};
struct collector {
	int64_t cell, config_a, config_b;
	struct slot slot[PAIRS_MAX];
	unsigned slots;
	bool overflow;
};

static struct slot *find_slot(struct collector *collector, unsigned number)
{
	for (unsigned i = 0; i < collector->slots; i++)
		if (collector->slot[i].number == number)
			return &collector->slot[i];
	if (collector->slots == PAIRS_MAX) {
		collector->overflow = true;
		return NULL;
	}
	collector->slot[collector->slots] = (struct slot){.number = number};
	return &collector->slot[collector->slots++];
}

static int visit_value(void *context, const struct store_value *value)
{
	struct collector *collector = context;
	bool is_a = value->config == collector->config_a;
	struct slot *slot;

	if (value->cell != collector->cell || (!is_a && value->config != collector->config_b))
		return 0;
	slot = find_slot(collector, value->pair ? value->pair : value->block);
	if (slot)
		*(is_a ? &slot->a : &slot->b) = (struct half){
			.seen = true,
			.present = value->present,
			.open = value->status == TRIAL_PLANNED || value->status == TRIAL_RUNNING,
			.value = value->value,
			.trial = value->trial,
		};
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void take_slot(struct compare_pairs *pairs, const struct slot *slot)
{
	if (slot->a.open || slot->b.open) {
		pairs->open++;
	} else if (slot->a.present && slot->b.present) {
		pairs->pair[pairs->count] = (struct pair){slot->a.value, slot->b.value};
		pairs->number[pairs->count] = slot->number;
		pairs->trial_a[pairs->count] = slot->a.trial;
		pairs->trial_b[pairs->count] = slot->b.trial;
		pairs->count++;
	} else if (slot->a.seen && slot->b.seen) {
		pairs->lost++;
	}
}

int compare_pairs_read(struct store *store, int64_t sweep, int64_t cell, int64_t config_a,
	int64_t config_b, const char *metric, struct compare_pairs *ret_pairs, struct error *err)
{
	struct collector *collector = calloc(1, sizeof(*collector));
	int r;

	if (!collector)
		return error_set(err, -ENOMEM, "out of memory for pairs");
	collector->cell = cell;
	collector->config_a = config_a;
	collector->config_b = config_b;
	r = store_each_value(store, sweep, metric, visit_value, collector, err);
	if (r == 0 && collector->overflow)
		r = error_set(
			err, -E2BIG, "more than %d pairs in %s", PAIRS_MAX, store_path(store));
	if (r == 0) {
		memset(ret_pairs, 0, sizeof(*ret_pairs));
		qsort(collector->slot, collector->slots, sizeof(collector->slot[0]),
			compare_numbers);
		for (unsigned i = 0; i < collector->slots; i++)
			take_slot(ret_pairs, &collector->slot[i]);
	}
	free(collector);
	return r;
}

int compare_pairs_check_held(
	struct store *store, const struct compare_pairs *pairs, struct error *err)
{
	for (unsigned i = 0; i < pairs->count; i++) {
		json_t *a = NULL, *b = NULL;
		bool equal;
		int r = store_read_state(store, pairs->trial_a[i], NULL, &a, NULL, err);

		if (r == 0)
			r = store_read_state(store, pairs->trial_b[i], NULL, &b, NULL, err);
		equal = r == 0 && a && b && json_equal(a, b);
		json_decref(a);
		json_decref(b);
		if (r < 0)
			return r;
		if (equal)
			return error_set(err, -ENOTUNIQ,
				"not a comparison: both sides ran with the same values, the "
				"settings of pair %u read back equal",
				pairs->number[i]);
	}
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
	if (count == 0)
		return NAN;
	qsort(values, count, sizeof(*values), compare_doubles);
	return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}

void compare_pairs_medians(const struct compare_pairs *pairs, double *ret_a, double *ret_b)
{
	double values[PAIRS_MAX];

	for (unsigned i = 0; i < pairs->count; i++)
		values[i] = pairs->pair[i].a;
	*ret_a = median(values, pairs->count);
	for (unsigned i = 0; i < pairs->count; i++)
		values[i] = pairs->pair[i].b;
	*ret_b = median(values, pairs->count);
}
