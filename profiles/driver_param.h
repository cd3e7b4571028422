/* SPDX-License-Identifier: BSD-2-Clause */
/* What drivers take as settings and what they make of a value; the rows are in driver_params.def. */
#ifndef MODERATO_PROFILES_DRIVER_PARAM_H
#define MODERATO_PROFILES_DRIVER_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a setting is given. */
enum param_place { PLACE_ETHTOOL, PLACE_MODULE, PLACE_LOADER, PLACE_SYSCTL };

/* How a plain number reaches the chip. */
enum param_conversion {
	CONVERT_FLAG,
	CONVERT_COUNT,
	CONVERT_USECS,	    /* microseconds as they are */
	CONVERT_STEPS_2US,  /* microseconds, rounded down to steps of two */
	CONVERT_FRAMES_4,   /* frames, rounded up to a multiple of four */
	CONVERT_ITR_USECS,  /* microseconds to a whole rate to ITR, units of 256 ns */
	CONVERT_ITR_RATE,   /* interrupts a second to ITR; the two lowest bits are modes */
	CONVERT_ITR_RATE_PLAIN,
	CONVERT_EITR_USECS, /* raw EITR of the 82576 and later: four a microsecond */
	CONVERT_EITR_RATE,
	CONVERT_TICKS,	    /* ticks of 1.024 us */
	CONVERT_US_AS_TICKS, /* called microseconds, written as ticks of 1.024 us */
	CONVERT_US_TO_TICKS, /* microseconds, converted to ticks of 1.024 us */
	CONVERT_US_TO_ITR,   /* microseconds, converted to ticks, times four */
	CONVERT_NFE_US,	     /* microseconds of nForce's timer, below 0: only when busy */
	CONVERT_NFE_TICKS,   /* ticks of 10.24 us */
};

enum param_verdict {
	VERDICT_OFF,	 /* switches something off */
	VERDICT_MODE,	 /* selects a mode */
	VERDICT_SPECIAL, /* means something else than the number says */
	VERDICT_APPLIED, /* the number acts */
	VERDICT_REFUSED, /* an error to the caller, nothing changes */
	VERDICT_DEFAULT, /* not taken: a default acts in its place */
	VERDICT_UNSUPPORTED, /* the driver has no such setting */
	VERDICT_UNKNOWN,     /* not in the tables */
	VERDICT_MALFORMED,   /* no value could be read */
	VERDICT_NOT_READ,    /* right name in the wrong place */
	VERDICT_SAME,	     /* the value in force already */
	VERDICT_ABSENT,	     /* "n/a": the device has no such setting */
	VERDICT_READ,	     /* read, and judged only when the driver is named */
	VERDICT_VOID,	     /* what was measured meanwhile does not count */
	VERDICT_EVENT,	     /* something that happened */
	VERDICT_COUNT,
};

#define NO_DEFAULT (-1)

struct driver_param {
	const char *driver;
	enum param_place place;
	const char *name;
	enum param_conversion conversion;
	int64_t min, max;
	int64_t initial; /* NO_DEFAULT: not one number */
	const char *meaning, *source;
};
extern const struct driver_param driver_param_table[];
extern const size_t driver_param_count;

/* What a value comes to. */
struct param_effect {
	enum param_verdict verdict;
	char text[240];	 /* one line */
	double interval_ns; /* 0: none */
	int64_t raw;	 /* register value, -1: none */
	const char *source;
};

/** param_verdict_name() - "applied", "mode", "refused" ... */
const char *param_verdict_name(enum param_verdict verdict);

/** driver_known() - has the table any row for it? */
bool driver_known(const char *driver);
/** driver_suggest() - nearest name of a driver with `ethtool -C` rows, or NULL. */
const char *driver_suggest(const char *driver);
/** driver_param_find() - a row; @driver NULL: of any driver, by name and place alone. "#" in a row's
 * name stands for a number. */
const struct driver_param *driver_param_find(
	const char *driver, enum param_place place, const char *name);
/** driver_param_elsewhere() - the row of that name in another place than @place, or NULL. */
const struct driver_param *driver_param_elsewhere(enum param_place place, const char *name);

/**
 * driver_param_effect() - what @driver makes of @value
 * @driver: NULL as in driver_param_find(). Rules: the VALUE rows first, then the range, then the
 * conversion. Never fails: what is not in the tables is VERDICT_UNKNOWN or VERDICT_UNSUPPORTED.
 */
void driver_param_effect(const char *driver, enum param_place place, const char *name, int64_t value,
	struct param_effect *ret_effect);

#endif
