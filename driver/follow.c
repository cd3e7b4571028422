/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a TAP's flags, address and multicast list, and sets the NIC's filter by them. */
#include "driver/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <net/if.h>

#include "common/clock.h"
#include "common/log.h"
#include "driver/loop.h"
#include "driver/netns.h"
#include "driver/nic.h"
#include "driver/nic_filter.h"
#include "driver/rtnl.h"
#include "driver/tap.h"

#define LOOK_NS	   (250 * NS_PER_MS)
#define FULL_LOOKS 8	 /* every so many also for what changed without a notice and without a group */
#define LIST_BYTES 32768 /* of the namespace's list; a row is some 50 */

struct follow {
	struct loop *loop;
	struct nic *nic;
	struct tap *tap;
	struct loop_fd events; /* readable: a link of the namespace changed */
	int list;	       /* its multicast addresses, -1: not to be had */
	uint64_t next_ns;
	unsigned looks;
	bool warned;
	ssize_t bytes; /* of the list as last read, -1: it could not be */
	char text[LIST_BYTES];
};

/* Both belong to the namespace of the thread that opens them; /proc/net would be that of the first one. */
static int open_files(void *ctx, struct error *err)
{
	struct follow *follow = ctx;
	int r = rtnl_open_events(&follow->events.fd);

	follow->list = open("/proc/thread-self/net/dev_mcast", O_RDONLY | O_CLOEXEC);
	return r < 0 ? error_sys(err, r, "%s: cannot listen to changes of it", follow->tap->name) : 0;
}

/* The file is made anew by each read from its start. Return: is it another list than before? */
static bool read_list(struct follow *follow)
{
	char text[LIST_BYTES];
	size_t used = 0;
	ssize_t n, bytes;
	bool other;

	do {
		n = follow->list < 0 ? -1 : pread(follow->list, text + used, LIST_BYTES - 1 - used, (off_t)used);
		used += n > 0 ? (size_t)n : 0;
	} while (n > 0 && used < LIST_BYTES - 1);
	text[used] = '\0';
	bytes = n < 0 ? -1 : (ssize_t)used;
	other = bytes != follow->bytes || memcmp(text, follow->text, used) != 0;
	memcpy(follow->text, text, used + 1);
	follow->bytes = bytes;
	return other;
}

/* "3 eth0 1 0 01005e000001": interface number and name, users, users by hand, address. */
static void add_group(struct nic_filter *filter, unsigned index, const char *row)
{
	uint8_t *g = filter->group[filter->group_count];
	unsigned row_index;

	if (sscanf(row, "%u %*s %*u %*u %2hhx%2hhx%2hhx%2hhx%2hhx%2hhx", &row_index, &g[0], &g[1], &g[2], &g[3],
		   &g[4], &g[5]) == 7 &&
	    row_index == index)
		filter->group_count++;
}

/* What cannot be listed is received whole: all multicast frames. */
static void read_groups(struct follow *follow, struct nic_filter *filter)
{
	const char *row = follow->text;

	if (follow->bytes < 0 && !follow->warned)
		log_warning("%s: its multicast list cannot be read: all multicast frames are received",
			    follow->tap->name);
	follow->warned |= follow->bytes < 0;
	filter->all_multicast |= follow->bytes < 0 || follow->bytes == LIST_BYTES - 1;
	while (!filter->all_multicast && *row) {
		if (filter->group_count == NIC_GROUPS_MAX)
			filter->all_multicast = true;
		else
			add_group(filter, follow->tap->index, row);
		row += strcspn(row, "\n");
		row += *row == '\n';
	}
	if (filter->all_multicast)
		filter->group_count = 0;
}

static void look(struct follow *follow)
{
	struct rtnl_link link = {0};
	struct nic_filter filter = {0};

	if (rtnl_link_get(follow->tap->sock, follow->tap->index, &link) < 0)
		return;
	memcpy(filter.mac, link.mac, sizeof(filter.mac));
	filter.promiscuous = (link.flags & IFF_PROMISC) != 0;
	filter.all_multicast = (link.flags & IFF_ALLMULTI) != 0;
	read_groups(follow, &filter);
	if (memcmp(&filter, nic_filter_of(follow->nic), sizeof(filter)) != 0)
		(void)nic_set_filter(follow->nic, &filter);
}

static void events_ready(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	rtnl_drain(source->fd);
	(void)read_list(source->ctx);
	look(source->ctx);
}

static uint64_t follow_run(void *ctx, uint64_t now_ns)
{
	struct follow *follow = ctx;

	if (now_ns >= follow->next_ns) {
		follow->next_ns = now_ns + LOOK_NS;
		if (read_list(follow) || ++follow->looks % FULL_LOOKS == 0)
			look(follow);
	}
	return follow->next_ns;
}

int follow_start(struct loop *loop, struct nic *nic, struct tap *tap, int netns_fd, struct follow **ret_follow,
		 struct error *err)
{
	struct follow *follow = calloc(1, sizeof(*follow));
	int r;

	if (!follow)
		return error_set(err, -ENOMEM, "%s: out of memory", tap->name);
	follow->loop = loop;
	follow->nic = nic;
	follow->tap = tap;
	follow->list = -1;
	follow->events = (struct loop_fd){.fd = -1, .ready = events_ready, .ctx = follow};
	r = netns_run(netns_fd, open_files, follow, err);
	if (r == 0)
		r = loop_watch(loop, &follow->events, EPOLLIN);
	if (r == 0)
		r = loop_add_runner(loop, follow_run, follow);
	if (r < 0) {
		follow_stop(follow);
		return err && err->code ? r : error_sys(err, r, "%s: cannot watch it", tap->name);
	}
	(void)read_list(follow);
	look(follow);
	*ret_follow = follow;
	return 0;
}

void follow_stop(struct follow *follow)
{
	if (!follow)
		return;
	if (follow->events.fd >= 0) {
		(void)loop_watch(follow->loop, &follow->events, 0);
		(void)close(follow->events.fd);
	}
	if (follow->list >= 0)
		(void)close(follow->list);
	free(follow);
}
