/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparison tables: rows buffer sizes, columns settings with the directions under each. */
#ifndef MODERATO_PLOTS_TABLE_H
#define MODERATO_PLOTS_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

#define TABLE_PAGE_WIDTH 100
#define TABLE_NOTES_MAX	 16

enum table_state {
	TABLE_ABSENT,  /* not part of the plan */
	TABLE_MISSING, /* planned, nothing measured yet */
	TABLE_VOID,    /* every trial came out void or failed */
	TABLE_VALUE,
};

/* One setting at one workload. */
struct table_cell {
	enum table_state state;
	unsigned n;		/* trials that count */
	unsigned lost, missing; /* trials that ended void or failed; that are still to run */
	double median, low, high; /* of the n trials; low and high are the smallest and largest */
	bool two_modes;		/* the trials fall into two clusters */
	bool judged;		/* compared with the baseline; the rest is valid then */
	unsigned pairs;
	double ratio;			/* to the baseline */
	double ratio_low, ratio_high;	/* NaN without an interval */
	double confidence;		/* of the interval */
	char verdict[16];		/* "better", "worse", "same", "not proven" */
};

struct table_row {
	uint64_t buffer_bytes;
	char label[16]; /* "128k" */
};

struct table_setting {
	char name[320];
	char knobs[320]; /* "ITR=1500 RDTR=0" */
	bool baseline;
};

/* One metric over one kind of workload. Cells are cell[(row * settings + setting) * directions + d]. */
struct table {
	char metric[64], unit[24], meaning[160];
	char better[16];     /* "more", "less", "" */
	char workload[128];  /* what all cells share: "tcp", "tcp, window 64k" */
	char protocol[8];    /* tcp, udp, rr */
	char device[256], chip[32], intmode[48], cpu[160], path[16], date[24];
	unsigned blocks;     /* planned repetitions */
	bool pairs;	     /* the repetitions are pairs of a comparison */
	struct table_row *rows;
	size_t row_count;
	struct table_setting *settings;
	size_t setting_count;
	char directions[3][8]; /* "rx", "tx", "bidir"; "" for a ping-pong */
	size_t direction_count;
	struct table_cell *cells;
	char *notes[TABLE_NOTES_MAX];
	size_t note_count;
};

enum table_format { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV, TABLE_JSON };

struct table_view {
	enum table_format format;
	bool verdicts; /* marks in the cells, and the list of ratios with their intervals */
	bool spread;   /* smallest and largest trial beside each median */
};

/** table_alloc() - cells of a table whose counts are set; all TABLE_ABSENT. 0 or -ENOMEM. */
int table_alloc(struct table *table);
void table_free(struct table *table);
struct table_cell *table_at(const struct table *table, size_t row, size_t setting, size_t direction);
/** table_add_note() - a sentence below the table; copied, dropped when there are too many. */
void table_add_note(struct table *table, const char *text);

/** table_format_parse() - "text", "md" or "markdown", "csv", "json". 0 or a usage error. */
int table_format_parse(const char *text, enum table_format *ret_format, struct error *err);

/** table_print() - all tables in one document of the format. */
void table_print(const struct table *tables, size_t count, const struct table_view *view, FILE *out);

/* What the renderers share. */
/** table_decimals() - how many digits behind the point fit a whole table. */
int table_decimals(const struct table *table);
/** table_format_cell() - "938.1", "938.1+", "void", "-"; with the view's additions. */
char *table_format_cell(const struct table *table, const struct table_cell *cell,
			const struct table_view *view, char *buf, size_t size);
/** table_trials() - smallest and largest n of the cells that have a value; 0, 0 without any. */
void table_trials(const struct table *table, unsigned *ret_least, unsigned *ret_most);
/** table_format_caption() - metric, unit, what is better, chip, mode, CPU, path, date, blocks. */
char *table_format_caption(const struct table *table, char *buf, size_t size);
/**
 * table_next_judgement() - the next comparison with the baseline, setting after setting, in words:
 * "128k rx, netbsd-new: 0.605 (0.506 to 0.964), worse, 7 pairs"
 * @at: 0 before the first.
 * Return: false after the last.
 */
bool table_next_judgement(const struct table *table, size_t *at, char *buf, size_t size);
/** table_baseline() - name of the baseline, "the baseline" when none is marked. */
const char *table_baseline(const struct table *table);

void table_print_text(const struct table *table, const struct table_view *view, FILE *out);
void table_print_markdown(const struct table *table, const struct table_view *view, FILE *out);
void table_print_csv(const struct table *tables, size_t count, FILE *out);
/** table_json() - one table; new reference. Numbers that do not exist are null. */
json_t *table_json(const struct table *table);

#endif
