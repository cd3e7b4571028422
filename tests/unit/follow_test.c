/* SPDX-License-Identifier: BSD-2-Clause */
/* The NIC's filter follows a TAP in a namespace of its own: flags, groups, address. */
#include "driver/follow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <net/if_arp.h>

#include "common/clock.h"
#include "driver/loop.h"
#include "driver/nic.h"
#include "driver/nic_filter.h"
#include "driver/tap.h"
#include "tests/lib/need_tap.h"
#include "tests/lib/null_bus.h"

#define PATIENCE_NS (60 * NS_PER_S) /* of a look that never comes; a look takes a quarter of a second */

static const uint8_t own[6] = {2, 0, 0, 0, 0, 1}, other[6] = {2, 0, 0, 0, 0, 0x77},
		     group[6] = {0x01, 0x00, 0x5e, 0x01, 0x02, 0x03};

struct rig {
	int netns, sock;
	struct tap tap;
	struct bus *bus;
	struct nic *nic;
	struct loop *loop;
	struct follow *follow;
	bool (*wanted)(const struct nic_filter *filter);
	uint64_t give_up_ns;
	bool seen;
};

static uint64_t look_for(void *ctx, uint64_t now_ns)
{
	struct rig *rig = ctx;

	rig->seen = rig->wanted(nic_filter_of(rig->nic));
	if (rig->seen || now_ns > rig->give_up_ns) {
		loop_quit(rig->loop);
		return now_ns; /* do not sleep once more */
	}
	return TIME_NEVER;
}

static void open_loop(struct rig *rig)
{
	struct error err = {0};

	assert_int_equal(loop_new(&rig->loop, &err), 0);
	if (follow_start(rig->loop, rig->nic, &rig->tap, rig->netns, &rig->follow, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(loop_add_runner(rig->loop, look_for, rig), 0);
}

static void close_loop(struct rig *rig)
{
	follow_stop(rig->follow);
	loop_free(rig->loop);
}

/* Turns the loop until the filter is @wanted, or for ever so long. */
static bool comes(struct rig *rig, bool (*wanted)(const struct nic_filter *filter))
{
	struct error err = {0};

	rig->wanted = wanted;
	rig->give_up_ns = clock_now_ns() + PATIENCE_NS;
	assert_int_equal(loop_run(rig->loop, &err), 0);
	close_loop(rig); /* a loop that has quit does not run again */
	open_loop(rig);
	return rig->seen;
}

static int set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (!rig)
		return -1;
	rig->netns = rig->sock = rig->tap.fd = rig->tap.sock = -1;
	*state = rig;
	return 0;
}

static struct rig *open_rig(void **state)
{
	struct tap_options options = {.name = "test%d", .mtu = 1500, .mac = own};
	struct rig *rig = *state;
	struct error err = {0};

	need_tap();
	assert_int_equal(netns_new(&rig->netns, &err), 0);
	options.netns_fd = rig->netns;
	if (tap_open(&rig->tap, &options, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(tap_set_up(&rig->tap, true, &err), 0);
	rig->sock = socket_in(rig->netns, AF_INET, SOCK_DGRAM);
	assert_int_equal(null_bus_open("82574L", &rig->bus, &err), 0);
	assert_int_equal(nic_open(rig->bus, NULL, NULL, &rig->nic, &err), 0);
	open_loop(rig);
	return rig;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	if (rig->loop)
		close_loop(rig);
	nic_close(rig->nic);
	bus_close(rig->bus);
	tap_close(&rig->tap);
	if (rig->sock >= 0)
		(void)close(rig->sock);
	if (rig->netns >= 0)
		(void)close(rig->netns);
	free(rig);
	return 0;
}

static void change_flags(struct rig *rig, short set, short clear)
{
	struct ifreq request = {0};

	memcpy(request.ifr_name, rig->tap.name, sizeof(request.ifr_name));
	assert_int_equal(ioctl(rig->sock, SIOCGIFFLAGS, &request), 0);
	request.ifr_flags = (short)((request.ifr_flags | set) & ~clear);
	assert_int_equal(ioctl(rig->sock, SIOCSIFFLAGS, &request), 0);
}

static void change_group(struct rig *rig, unsigned long how, const uint8_t address[6])
{
	struct ifreq request = {.ifr_hwaddr.sa_family = AF_UNSPEC};

	memcpy(request.ifr_name, rig->tap.name, sizeof(request.ifr_name));
	memcpy(request.ifr_hwaddr.sa_data, address, 6);
	assert_int_equal(ioctl(rig->sock, how, &request), 0);
}

static bool has_group(const struct nic_filter *filter)
{
	for (unsigned i = 0; i < filter->group_count; i++)
		if (!memcmp(filter->group[i], group, 6))
			return true;
	return false;
}

static bool lacks_group(const struct nic_filter *filter)
{
	return !has_group(filter);
}

static bool is_promiscuous(const struct nic_filter *filter)
{
	return filter->promiscuous;
}

static bool is_all_multicast(const struct nic_filter *filter)
{
	return filter->all_multicast && !filter->promiscuous;
}

static bool is_neither(const struct nic_filter *filter)
{
	return !filter->all_multicast && !filter->promiscuous;
}

static bool has_other_mac(const struct nic_filter *filter)
{
	return !memcmp(filter->mac, other, 6);
}

static void flags_are_followed(void **state)
{
	struct rig *rig = open_rig(state);

	assert_true(is_neither(nic_filter_of(rig->nic)));
	change_flags(rig, IFF_PROMISC, 0);
	assert_true(comes(rig, is_promiscuous));
	change_flags(rig, IFF_ALLMULTI, IFF_PROMISC);
	assert_true(comes(rig, is_all_multicast));
	change_flags(rig, 0, IFF_ALLMULTI);
	assert_true(comes(rig, is_neither));
}

static void groups_are_followed(void **state)
{
	struct rig *rig = open_rig(state);

	change_group(rig, SIOCADDMULTI, group);
	assert_true(comes(rig, has_group));
	change_group(rig, SIOCDELMULTI, group);
	assert_true(comes(rig, lacks_group));
}

static void more_groups_than_fit_mean_all(void **state)
{
	struct rig *rig = open_rig(state);

	for (unsigned i = 0; i <= NIC_GROUPS_MAX; i++) {
		uint8_t address[6] = {0x33, 0x33, 0, 0, 1, (uint8_t)i};

		change_group(rig, SIOCADDMULTI, address);
	}
	assert_true(comes(rig, is_all_multicast));
	assert_int_equal(nic_filter_of(rig->nic)->group_count, 0);
}

static void another_address_is_followed(void **state)
{
	struct rig *rig = open_rig(state);
	struct ifreq request = {.ifr_hwaddr.sa_family = ARPHRD_ETHER};

	memcpy(request.ifr_name, rig->tap.name, sizeof(request.ifr_name));
	memcpy(request.ifr_hwaddr.sa_data, other, 6);
	assert_int_equal(ioctl(rig->sock, SIOCSIFHWADDR, &request), 0);
	assert_true(comes(rig, has_other_mac));
}

int main(void)
{
#define FOLLOW_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		FOLLOW_TEST(flags_are_followed),
		FOLLOW_TEST(groups_are_followed),
		FOLLOW_TEST(more_groups_than_fit_mean_all),
		FOLLOW_TEST(another_address_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
