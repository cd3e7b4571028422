/* SPDX-License-Identifier: BSD-2-Clause */
/* Recipes: a public claim as data, so that one command can run it and say whether it holds here. */
#ifndef MODERATO_TUNER_PREDICT_RECIPE_H
#define MODERATO_TUNER_PREDICT_RECIPE_H

#include "tuner/predict/engine.h"

#define RECIPE_SCHEMA	    "moderato-recipe-1"
#define RECIPE_SETTINGS_MAX 16
#define RECIPE_CLAIMS_MAX   128

struct recipe_setting {
	char name[64];
	struct settings settings; /* complete */
	int imtimer_us;
};

enum recipe_relation { RECIPE_ABOUT, RECIPE_AT_LEAST, RECIPE_AT_MOST };

/* "setting, workload: metric was value". */
struct recipe_claim {
	unsigned setting;
	struct workload workload;
	char workload_text[WORKLOAD_TEXT_MAX];
	char metric[32];
	enum recipe_relation relation;
	double value;
	double tolerance; /* RECIPE_ABOUT: relative */
	char why[256];	  /* what explains it, or why it is not explained */
};

struct recipe {
	char name[64], title[160], source[256], host[64], device[256];
	char intro[1024]; /* what the recipe assumes and does not cover */
	const struct chip *chip; /* NULL: moderated by a timer */
	int fitted; /* setting whose claims the host model was fitted to: no test of it; -1: none */
	unsigned setting_count, claim_count;
	struct recipe_setting setting[RECIPE_SETTINGS_MAX];
	struct recipe_claim claim[RECIPE_CLAIMS_MAX];
};

/** recipe_load() - by name (one of those shipped) or path. Errors name file and member. */
int recipe_load(const char *name, struct recipe *ret_recipe, struct error *err);
/** recipe_job() - what the predictor runs for a claim, on @host. */
void recipe_job(const struct recipe *recipe, const struct recipe_claim *claim,
	const struct host *host, struct predict_job *ret_job);
/** recipe_metric() - a claim's figure out of a result; 0 or a usage error for an unknown name. */
int recipe_metric(const struct predict_result *result, const char *metric, double *ret,
	struct error *err);
/** recipe_agrees() - does @found satisfy the claim? */
bool recipe_agrees(const struct recipe_claim *claim, double found);

#endif
