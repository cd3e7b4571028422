/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato recipe: a public claim beside what the predictor finds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/command.h"
#include "tuner/options.h"
#include "tuner/predict/recipe.h"

static const char *const relations[] = {
	[RECIPE_ABOUT] = "", [RECIPE_AT_LEAST] = ">= ", [RECIPE_AT_MOST] = "<= "};

struct tally {
	unsigned agreed, claims, about;
	double square; /* of log(found / said), over the claims that give a value */
};

static void count_claim(struct tally *tally, const struct recipe_claim *claim, double found)
{
	tally->claims++;
	tally->agreed += recipe_agrees(claim, found);
	if (claim->relation == RECIPE_ABOUT && found > 0) {
		tally->about++;
		tally->square += log(found / claim->value) * log(found / claim->value);
	}
}

static int print_claim(const struct recipe *recipe, const struct recipe_claim *claim,
	const struct host *host, struct tally *tally, struct error *err)
{
	struct predict_job job;
	struct predict_result result;
	char said[32];
	double found = 0;
	int r;

	recipe_job(recipe, claim, host, &job);
	r = predict_run(&job, &result, err);
	r = r ?: recipe_metric(&result, claim->metric, &found, err);
	if (r)
		return r;
	count_claim(tally, claim, found);
	(void)snprintf(said, sizeof(said), "%s%.6g", relations[claim->relation], claim->value);
	printf("%-22s %-26s %-13s %10s %10.6g  %-5s %-8s %s\n",
		recipe->setting[claim->setting].name, claim->workload_text, claim->metric, said,
		found, recipe_agrees(claim, found) ? "yes" : "no", predict_bound_name(result.bound), claim->why);
	return 0;
}

static void print_tally(const struct tally *tally, const char *what)
{
	if (!tally->claims)
		return;
	printf("%s: %u of %u claims agree", what, tally->agreed, tally->claims);
	if (tally->about > 1)
		printf("; RMS of log(found / said) over %u values %.3f", tally->about,
			sqrt(tally->square / tally->about));
	printf("\n");
}

/* @fitted: the host model is the recipe's own, which was made from the claims of one setting. */
static int run_recipe(const struct recipe *recipe, const struct host *host, bool fitted,
	struct error *err)
{
	struct tally known = {0}, predicted = {0};
	int r = 0;

	printf("%s\n%s\n%s\n\n", recipe->title, recipe->source, recipe->intro);
	printf("%-22s %-26s %-13s %10s %10s  %-5s %-8s %s\n", "setting", "workload", "figure",
		"said", "found", "agree", "bound", "why");
	for (unsigned i = 0; !r && i < recipe->claim_count; i++) {
		const struct recipe_claim *claim = &recipe->claim[i];
		bool own = fitted && (int)claim->setting == recipe->fitted;

		r = print_claim(recipe, claim, host, own ? &known : &predicted, err);
	}
	if (r)
		return r;
	printf("\nhost model %s, chip %s, in virtual time\n", host->name,
		recipe->chip ? recipe->chip->name : "with a timer");
	print_tally(&known, "fitted to them");
	print_tally(&predicted, "predicted");
	return 0;
}

int cmd_recipe(int argc, char **argv, struct error *err)
{
	const char *host_name = NULL;
	const struct option_row rows[] = {
		OPT_STRING("host", 'H', &host_name, "HOST",
			"another host model than the recipe's: a shipped one or a file"),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_min = 1, .operands_max = 1};
	struct recipe recipe;
	struct host host;
	int r = options_parse(&options, argc, argv, err);

	if (r == 0)
		r = recipe_load(options.operand[0], &recipe, err);
	if (r == 0)
		r = host_load(host_name ? host_name : recipe.host, &host, err);
	if (r)
		return r;
	r = run_recipe(&recipe, &host, !host_name, err);
	host_clear(&host);
	return r;
}
