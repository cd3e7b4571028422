/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: any bytes as a line of the control protocol; what comes out must hold together. */
#include "driver/control_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
	if (!held)
		abort();
}

/* What goes out is one line that a JSON reader takes. */
static void check_line(char *line, size_t len)
{
	json_t *message;

	must(line && len && strlen(line) == len);
	must(strchr(line, '\n') == line + len - 1);
	message = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	must(json_is_object(message));
	json_decref(message);
	free(line);
}

static void check_failure(
	const struct control_request *request, const struct control_failure *failure)
{
	size_t len = 0;
	char *line;

	must(failure->code < 0 && failure->text[0]);
	must(!failure->knob || knob_find(failure->knob));
	if (!request->id)
		return;
	line = control_text_failure(request->id, failure, &len);
	check_line(line, len);
}

/* Whatever was let through is within the tables. */
static void check_request(const struct control_request *request)
{
	const char *name;
	json_t *value;

	must(request->method && control_method_find(request->method->name) == request->method);
	must(json_is_object(request->params));
	json_object_foreach (request->params, name, value) {
		const struct control_range *range = control_range_find(request->method->name, name);
		json_int_t number = json_integer_value(value);

		if (range && json_is_integer(value))
			must((range->zero && number == 0) ||
				(number >= range->min && number <= range->max));
	}
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(&request->knobs, id))
			must(request->knobs.value[id] >= knob_table[id].min &&
				request->knobs.value[id] <= knob_table[id].max);
}

/* The same request, written by us, is taken again. */
static void check_again(const struct control_request *request)
{
	json_t *message = json_pack("{s:s, s:s, s:O, s:O*}", "jsonrpc", "2.0", "method",
		request->method->name, "params", request->params, "id", request->id);
	char *text = json_dumps(message, JSON_COMPACT);
	struct control_request again;
	struct control_failure failure;

	must(text);
	/* escapes may make it longer than a line may be */
	if (strlen(text) < CONTROL_LINE_MAX) {
		must(control_request_parse(text, strlen(text), &again, &failure) == 0);
		must(again.method == request->method);
		must(settings_equal(&again.knobs, &request->knobs));
		control_request_fini(&again);
	}
	free(text);
	json_decref(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct control_request request;
	struct control_failure failure;

	if (control_request_parse((const char *)data, size, &request, &failure)) {
		check_failure(&request, &failure);
	} else {
		check_request(&request);
		check_again(&request);
	}
	control_request_fini(&request);
	return 0;
}
