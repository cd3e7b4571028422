/* SPDX-License-Identifier: BSD-2-Clause */
/* bindings.json in the state directory: an object, one member an address. */
#include "tuner/nic_records.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/json.h"
#include "tuner/state_dir.h"

static void file_name(char path[PATH_MAX], const struct host *host, const char *name)
{
	(void)snprintf(path, PATH_MAX, "%s/%s", host->state_dir, name);
}

int nic_records_read(const struct host *host, json_t **ret_records, struct error *err)
{
	char path[PATH_MAX];
	json_t *records;
	int r;

	file_name(path, host, "bindings.json");
	if (access(path, F_OK) && errno == ENOENT)
		records = json_object();
	else if ((r = json_read_file(path, &records, err)))
		return r;
	if (!json_is_object(records)) {
		json_decref(records);
		return error_set(err, -EBADMSG, "%s is not a list of bindings; move it away", path);
	}
	*ret_records = records;
	return 0;
}

int nic_records_lock(const struct host *host, struct error *err)
{
	char path[PATH_MAX];
	int r = state_dir_make(host->state_dir, err), fd;

	if (r)
		return r;
	file_name(path, host, "bindings.lock");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_sys(err, -errno, "%s", path);
	if (flock(fd, LOCK_EX)) {
		r = error_sys(err, -errno, "%s", path);
		(void)close(fd);
		return r;
	}
	return fd;
}

int nic_records_write(const struct host *host, json_t *records, struct error *err)
{
	char path[PATH_MAX];

	file_name(path, host, "bindings.json");
	return json_write_file(records, path, err);
}

static void copy_member(const json_t *entry, const char *name, char *ret, size_t size)
{
	const char *text = json_string_value(json_object_get(entry, name));

	(void)snprintf(ret, size, "%s", text ? text : "");
}

int nic_records_get(const json_t *records, const char *address, struct nic_record *ret_record)
{
	const json_t *entry = json_object_get(records, address);

	if (!json_is_object(entry))
		return -ENOENT;
	(void)snprintf(ret_record->address, sizeof(ret_record->address), "%s", address);
	copy_member(entry, "driver", ret_record->driver, sizeof(ret_record->driver));
	copy_member(entry, "taken_for", ret_record->taken_for, sizeof(ret_record->taken_for));
	return 0;
}

void nic_records_put(json_t *records, const struct nic_record *record)
{
	(void)json_object_set_new(records, record->address,
		json_pack("{s:s, s:s}", "driver", record->driver, "taken_for", record->taken_for));
}

void nic_records_drop(json_t *records, const char *address)
{
	(void)json_object_del(records, address);
}
