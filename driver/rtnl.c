/* SPDX-License-Identifier: BSD-2-Clause */
/* Route netlink by libmnl: build one message, wait for its answer. */
#include "driver/rtnl.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <libmnl/libmnl.h>

/* A link message with statistics is about 2 KiB. */
#define ANSWER_BYTES 16384

/* Room for the requests below; the longest is a link with an interface name. */
union request {
	struct nlmsghdr header;
	char bytes[256];
};

static int open_socket(int type, uint32_t groups, int *ret_sock)
{
	struct sockaddr_nl local = {.nl_family = AF_NETLINK, .nl_groups = groups};
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | type, NETLINK_ROUTE);

	if (sock < 0)
		return -errno;
	if (bind(sock, (struct sockaddr *)&local, sizeof(local)) < 0) {
		int r = -errno;

		(void)close(sock);
		return r;
	}
	*ret_sock = sock;
	return 0;
}

int rtnl_open(int *ret_sock)
{
	return open_socket(0, 0, ret_sock);
}

int rtnl_open_events(int *ret_sock)
{
	return open_socket(SOCK_NONBLOCK, RTMGRP_LINK, ret_sock);
}

/* More than fit into the socket's buffer are lost, which it says by ENOBUFS once. */
void rtnl_drain(int sock)
{
	char message[ANSWER_BYTES];

	while (recv(sock, message, sizeof(message), 0) >= 0 || errno == ENOBUFS)
		;
}

static void *request_init(union request *request, uint16_t type, uint16_t flags, size_t extra)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(request->bytes);

	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST | flags;
	return mnl_nlmsg_put_extra_header(header, extra);
}

/* @parse: called with each message that is no acknowledgement; may be NULL. The kernel has answered
 * when send() returns, so that waiting takes no time. */
static int request_send(int sock, union request *request, mnl_cb_t parse, void *ctx)
{
	static _Thread_local uint32_t sequence;
	char answer[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	ssize_t n;
	int r;

	request->header.nlmsg_seq = ++sequence;
	if (send(sock, request, request->header.nlmsg_len, 0) < 0)
		return -errno;
	do {
		n = recv(sock, answer, sizeof(answer), 0);
		if (n < 0)
			return -errno;
		r = mnl_cb_run(answer, (size_t)n, sequence, 0, parse, ctx);
	} while (r > MNL_CB_STOP);
	return r < 0 ? -errno : 0;
}

static int parse_index(const struct nlmsghdr *message, void *ctx)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(message);
	unsigned *index = ctx;

	*index = (unsigned)link->ifi_index;
	return MNL_CB_STOP;
}

int rtnl_link_index(int sock, const char *name, unsigned *ret_index)
{
	union request request;
	unsigned index = 0;
	int r;

	(void)request_init(&request, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(&request.header, IFLA_IFNAME, name);
	r = request_send(sock, &request, parse_index, &index);
	if (r < 0)
		return r;
	*ret_index = index;
	return 0;
}

static int parse_link(const struct nlmsghdr *message, void *ctx)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(message);
	struct rtnl_link *link = ctx;
	const struct nlattr *attr;

	link->flags = info->ifi_flags;
	mnl_attr_for_each(attr, message, sizeof(*info))
		if (mnl_attr_get_type(attr) == IFLA_ADDRESS &&
		    mnl_attr_get_payload_len(attr) == sizeof(link->mac))
			memcpy(link->mac, mnl_attr_get_payload(attr), sizeof(link->mac));
	return MNL_CB_STOP;
}

int rtnl_link_get(int sock, unsigned index, struct rtnl_link *ret_link)
{
	union request request;
	struct ifinfomsg *link = request_init(&request, RTM_GETLINK, 0, sizeof(*link));

	link->ifi_index = (int)index;
	mnl_attr_put_u32(&request.header, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS); /* summed over all CPUs */
	return request_send(sock, &request, parse_link, ret_link);
}

int rtnl_link_set_up(int sock, unsigned index, bool up)
{
	union request request;
	struct ifinfomsg *link = request_init(&request, RTM_NEWLINK, NLM_F_ACK, sizeof(*link));

	link->ifi_index = (int)index;
	link->ifi_flags = up ? IFF_UP : 0;
	link->ifi_change = IFF_UP;
	return request_send(sock, &request, NULL, NULL);
}

int rtnl_link_set_limits(int sock, unsigned index, unsigned mtu, unsigned queue_len)
{
	union request request;
	struct ifinfomsg *link = request_init(&request, RTM_NEWLINK, NLM_F_ACK, sizeof(*link));

	link->ifi_index = (int)index;
	mnl_attr_put_u32(&request.header, IFLA_MTU, mtu);
	mnl_attr_put_u32(&request.header, IFLA_TXQLEN, queue_len);
	return request_send(sock, &request, NULL, NULL);
}

static int parse_tx_dropped(const struct nlmsghdr *message, void *ctx)
{
	const struct nlattr *attr;
	uint64_t *dropped = ctx;

	mnl_attr_for_each(attr, message, sizeof(struct ifinfomsg))
	{
		struct rtnl_link_stats64 stats = {0};
		size_t len = mnl_attr_get_payload_len(attr);

		if (mnl_attr_get_type(attr) != IFLA_STATS64)
			continue;
		/* The kernel's struct may be longer or shorter than the one of our headers. */
		memcpy(&stats, mnl_attr_get_payload(attr),
			len < sizeof(stats) ? len : sizeof(stats));
		*dropped = stats.tx_dropped;
	}
	return MNL_CB_STOP;
}

int rtnl_link_tx_dropped(int sock, unsigned index, uint64_t *ret_dropped)
{
	union request request;
	struct ifinfomsg *link = request_init(&request, RTM_GETLINK, 0, sizeof(*link));
	uint64_t dropped = 0;
	int r;

	link->ifi_index = (int)index;
	r = request_send(sock, &request, parse_tx_dropped, &dropped);
	if (r < 0)
		return r;
	*ret_dropped = dropped;
	return 0;
}

int rtnl_address_add(int sock, unsigned index, struct in_addr address, unsigned prefix_len)
{
	union request request;
	struct ifaddrmsg *message = request_init(
		&request, RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, sizeof(*message));

	message->ifa_family = AF_INET;
	message->ifa_prefixlen = (uint8_t)prefix_len;
	message->ifa_index = index;
	mnl_attr_put_u32(&request.header, IFA_LOCAL, address.s_addr);
	mnl_attr_put_u32(&request.header, IFA_ADDRESS, address.s_addr);
	return request_send(sock, &request, NULL, NULL);
}

int rtnl_neighbour_add(int sock, unsigned index, struct in_addr address, const uint8_t mac[6])
{
	union request request;
	struct ndmsg *message = request_init(
		&request, RTM_NEWNEIGH, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, sizeof(*message));

	message->ndm_family = AF_INET;
	message->ndm_ifindex = (int)index;
	message->ndm_state = NUD_PERMANENT;
	mnl_attr_put_u32(&request.header, NDA_DST, address.s_addr);
	mnl_attr_put(&request.header, NDA_LLADDR, 6, mac);
	return request_send(sock, &request, NULL, NULL);
}
