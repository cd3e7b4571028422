/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of words in one string, as the tables write them. */
#ifndef MODERATO_COMMON_LIST_H
#define MODERATO_COMMON_LIST_H

#include <stdbool.h>
#include <string.h>

/** list_has() - is @word one of the words of @list, which @separator divides? Case matters. */
static inline bool list_has(const char *list, const char *word, char separator)
{
	size_t len = strlen(word);

	while (*list) {
		const char *end = strchrnul(list, separator);

		if ((size_t)(end - list) == len && !memcmp(list, word, len))
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

/** list_allows() - "": every word; "A,B": these; "!A,B": all but these. */
static inline bool list_allows(const char *list, const char *word)
{
	if (*list == '!')
		return !list_has(list + 1, word, ',');
	return !*list || list_has(list, word, ',');
}

#endif
