/* SPDX-License-Identifier: BSD-2-Clause */
/* TAP interfaces in a namespace of their own: frames, offload headers, drops, error sentences. */
#include "driver/tap.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <cap-ng.h>

#include "driver/netns.h"
#include "driver/rtnl.h"
#include "tests/lib/need_tap.h"

#define FRAME_BYTES 66048

static const uint8_t own_mac[6] = {2, 0, 0, 0, 0, 1}, peer_mac[6] = {2, 0, 0, 0, 0, 2};

struct fixture {
	int netns, sock;
	struct tap_options options;
	struct tap tap;
	struct vnet vnet;
	uint8_t frame[FRAME_BYTES];
};

static struct in_addr address(const char *text)
{
	struct in_addr a = {.s_addr = inet_addr(text)};

	return a;
}

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	if (!fix)
		return -1;
	fix->netns = fix->sock = fix->tap.fd = fix->tap.sock = -1;
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	tap_close(&fix->tap);
	if (fix->sock >= 0)
		(void)close(fix->sock);
	if (fix->netns >= 0)
		(void)close(fix->netns);
	free(fix);
	return 0;
}

/* A TAP with address 192.0.2.1, a static neighbour 192.0.2.2, and a UDP socket connected to that.
 */
static void open_tap(struct fixture *fix, bool offloads, unsigned queue_len)
{
	struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(9)};
	struct error err = {0};

	need_tap();
	assert_int_equal(netns_new(&fix->netns, &err), 0);
	fix->options = (struct tap_options){.name = "test%d",
		.netns_fd = fix->netns,
		.mtu = 2000,
		.mac = own_mac,
		.offloads = offloads,
		.queue_len = queue_len};
	if (tap_open(&fix->tap, &fix->options, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(tap_set_address(&fix->tap, address("192.0.2.1"), 24, &err), 0);
	assert_int_equal(tap_set_up(&fix->tap, true, &err), 0);
	assert_int_equal(tap_add_neighbour(&fix->tap, address("192.0.2.2"), peer_mac, &err), 0);
	fix->sock = socket_in(fix->netns, AF_INET, SOCK_DGRAM);
	peer.sin_addr = address("192.0.2.2");
	assert_int_equal(connect(fix->sock, (struct sockaddr *)&peer, sizeof(peer)), 0);
}

static int read_frame(struct fixture *fix)
{
	return tap_read(&fix->tap, &fix->vnet, fix->frame, sizeof(fix->frame));
}

/* The kernel starts a queue some time after carrier came; until then it drops in silence. */
static int send_until_read(struct fixture *fix)
{
	int len = -EAGAIN;

	for (int i = 0; i < 2000 && len == -EAGAIN; i++) {
		(void)send(fix->sock, "hello", 5, 0);
		len = read_frame(fix);
		if (len < 0)
			(void)usleep(1000);
	}
	return len;
}

static void kernel_frames_arrive_without_any_chatter(void **state)
{
	struct fixture *fix = *state;

	open_tap(fix, true, 0);
	assert_string_equal(fix->tap.name, "test0");
	assert_int_equal(read_frame(fix), -EAGAIN);
	assert_int_equal(send(fix->sock, "hello", 5, 0), 5);
	assert_int_equal(read_frame(fix), 14 + 20 + 8 + 5);
	assert_memory_equal(fix->frame, peer_mac, 6);
	assert_memory_equal(fix->frame + 6, own_mac, 6);
	assert_memory_equal(fix->frame + 42, "hello", 5);
	assert_int_equal(read_frame(fix), -EAGAIN);
}

static void checksum_is_left_to_us_only_with_offloads(void **state)
{
	struct fixture *fix = *state;
	struct frame_info info;
	int len;

	open_tap(fix, true, 0);
	assert_true(fix->tap.offloads != 0);
	assert_int_equal(send(fix->sock, "hello", 5, 0), 5);
	len = read_frame(fix);
	assert_int_equal(fix->vnet.flags, VNET_NEEDS_CSUM);
	assert_true(frame_parse(fix->frame, (uint32_t)len, &info));
	assert_false(frame_csum_ok(fix->frame, &info));
	assert_true(vnet_complete_csum(fix->frame, (uint32_t)len, &fix->vnet));
	assert_true(frame_csum_ok(fix->frame, &info));

	tear_down(state);
	set_up(state);
	fix = *state;
	open_tap(fix, false, 0);
	assert_int_equal(fix->tap.offloads, 0);
	assert_int_equal(send(fix->sock, "hello", 5, 0), 5);
	len = read_frame(fix);
	assert_int_equal(fix->vnet.flags, 0);
	assert_true(frame_parse(fix->frame, (uint32_t)len, &info));
	assert_true(frame_csum_ok(fix->frame, &info));
}

/* The answer to the frame last read, with a wrong checksum. */
static int answer_frame(struct fixture *fix, int len)
{
	uint8_t mac[6], ip[4], port[2];

	memcpy(mac, fix->frame, 6);
	memcpy(fix->frame, fix->frame + 6, 6);
	memcpy(fix->frame + 6, mac, 6);
	memcpy(ip, fix->frame + 26, 4);
	memcpy(fix->frame + 26, fix->frame + 30, 4);
	memcpy(fix->frame + 30, ip, 4);
	memcpy(port, fix->frame + 34, 2);
	memcpy(fix->frame + 34, fix->frame + 36, 2);
	memcpy(fix->frame + 36, port, 2);
	fix->frame[40] ^= 0x55;
	return len;
}

static int write_frame(struct fixture *fix, int len)
{
	struct iovec iov[2] = {{&fix->vnet, sizeof(fix->vnet)}, {fix->frame, (size_t)len}};

	return tap_writev(&fix->tap, iov, 2);
}

static void verified_frame_is_not_summed_by_the_kernel(void **state)
{
	struct fixture *fix = *state;
	struct frame_info info;
	char text[8];
	int len;

	open_tap(fix, false, 0);
	assert_int_equal(send(fix->sock, "hello", 5, 0), 5);
	len = answer_frame(fix, read_frame(fix));
	memset(&fix->vnet, 0, sizeof(fix->vnet));
	assert_int_equal(write_frame(fix, len), 0);
	assert_int_equal(recv(fix->sock, text, sizeof(text), 0), -1);
	assert_int_equal(errno, EAGAIN);

	assert_true(frame_parse(fix->frame, (uint32_t)len, &info));
	vnet_mark_verified(fix->frame, (uint32_t)len, &info, &fix->vnet);
	assert_int_equal(write_frame(fix, len), 0);
	assert_int_equal(recv(fix->sock, text, sizeof(text), 0), 5);
	assert_memory_equal(text, "hello", 5);
}

static void full_queue_is_counted_as_drops(void **state)
{
	struct fixture *fix = *state;
	int kept = 0;

	open_tap(fix, true, 16);
	assert_int_equal(tap_drops(&fix->tap), 0);
	for (int i = 0; i < 50; i++)
		(void)send(fix->sock, "hello", 5, 0);
	while (read_frame(fix) > 0)
		kept++;
	assert_int_equal(kept, 16);
	assert_int_equal(tap_drops(&fix->tap), 50 - 16);
}

static void truncated_read_is_an_error(void **state)
{
	struct fixture *fix = *state;

	open_tap(fix, true, 0);
	assert_int_equal(send(fix->sock, "hello", 5, 0), 5);
	assert_int_equal(tap_read(&fix->tap, &fix->vnet, fix->frame, 40), -EMSGSIZE);
}

static void refused_write_is_counted(void **state)
{
	struct fixture *fix = *state;
	struct error err = {0};

	open_tap(fix, true, 0);
	assert_int_equal(tap_set_up(&fix->tap, false, &err), 0);
	assert_int_equal(write_frame(fix, 60), -EIO);
	assert_int_equal(fix->tap.write_drops, 1);
}

static void carrier_follows_the_link_and_keeps_the_neighbour(void **state)
{
	struct fixture *fix = *state;

	open_tap(fix, true, 0);
	assert_true(has_carrier(fix->sock, fix->tap.name));
	assert_int_equal(tap_set_carrier(&fix->tap, false), 0);
	assert_false(has_carrier(fix->sock, fix->tap.name));
	assert_int_equal(tap_set_carrier(&fix->tap, true), 0);
	assert_true(has_carrier(fix->sock, fix->tap.name));
	assert_int_equal(send_until_read(fix), 47); /* no ARP request instead */
}

static void interface_goes_with_its_descriptor(void **state)
{
	struct fixture *fix = *state;
	int sock;
	unsigned index;

	open_tap(fix, true, 0);
	sock = rtnl_in(fix->netns);
	assert_int_equal(rtnl_link_index(sock, "test0", &index), 0);
	assert_int_equal(index, fix->tap.index);
	tap_close(&fix->tap);
	assert_int_equal(rtnl_link_index(sock, "test0", &index), -ENODEV);
	(void)close(sock);
}

static void taken_name_is_told(void **state)
{
	struct fixture *fix = *state;
	struct error err = {0};
	struct tap second;

	open_tap(fix, true, 0);
	fix->options.name = "test0";
	assert_true(tap_open(&second, &fix->options, &err) < 0);
	assert_non_null(strstr(err.text, "test0 exists already"));
	assert_int_equal(second.fd, -1);
	fix->options.name = "lo"; /* no TAP at all */
	assert_true(tap_open(&second, &fix->options, &err) < 0);
	assert_non_null(strstr(err.text, "lo exists already"));
	fix->options.name = "a-name-that-is-too-long";
	assert_true(tap_open(&second, &fix->options, &err) < 0);
	assert_true(err.usage);
	fix->options.name = "a/b";
	assert_int_equal(tap_open(&second, &fix->options, &err), -EINVAL);
	assert_null(strstr(err.text, "exists already"));
}

static void impossible_mtu_leaves_no_interface(void **state)
{
	struct fixture *fix = *state;
	struct error err = {0};
	struct tap second;

	open_tap(fix, true, 0);
	fix->options.name = "test7";
	fix->options.mtu = 70000;
	assert_int_equal(tap_open(&second, &fix->options, &err), -EINVAL);
	assert_non_null(strstr(err.text, "70000"));
	fix->options.mtu = 1500;
	assert_int_equal(tap_open(&second, &fix->options, &err), 0);
	assert_int_equal(second.mtu, 1500);
	tap_close(&second);
}

/* Runs in a child, because rights and mounts do not come back. */
static int open_without(void (*prepare)(void), const char *expected)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct tap_options options = {.name = "moderatotest", .netns_fd = -1, .mtu = 1500};
		struct error err = {0};
		struct tap tap;

		prepare();
		if (tap_open(&tap, &options, &err) == 0)
			_exit(1);
		print_message("%s\n", err.text);
		_exit(strstr(err.text, expected) ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WEXITSTATUS(status);
}

static void hide_device(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("tmpfs", "/dev/net", "tmpfs", 0, NULL) < 0)
		_exit(3);
}

static void become_nobody(void)
{
	if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
		_exit(3);
}

static void drop_net_admin(void)
{
	capng_get_caps_process();
	if (capng_update(CAPNG_DROP, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_NET_ADMIN) < 0 ||
		capng_apply(CAPNG_SELECT_CAPS) < 0)
		_exit(3);
}

static void missing_device_says_what_to_load(void **state)
{
	need_tap();
	assert_int_equal(open_without(hide_device, "modprobe tun"), 0);
}

static void closed_device_says_its_mode(void **state)
{
	struct stat st;

	need_tap();
	if (stat("/dev/net/tun", &st) < 0 || (st.st_mode & 7) == 6 || geteuid() != 0) {
		print_message("skipped: /dev/net/tun is open to everybody, or not root\n");
		skip();
	}
	assert_int_equal(open_without(become_nobody, "mode 0"), 0);
}

static void missing_capability_is_named(void **state)
{
	need_tap();
	assert_int_equal(open_without(drop_net_admin, "CAP_NET_ADMIN"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kernel_frames_arrive_without_any_chatter),
		TEST(checksum_is_left_to_us_only_with_offloads),
		TEST(verified_frame_is_not_summed_by_the_kernel),
		TEST(full_queue_is_counted_as_drops),
		TEST(truncated_read_is_an_error),
		TEST(refused_write_is_counted),
		TEST(carrier_follows_the_link_and_keeps_the_neighbour),
		TEST(interface_goes_with_its_descriptor),
		TEST(taken_name_is_told),
		TEST(impossible_mtu_leaves_no_interface),
		TEST(missing_device_says_what_to_load),
		TEST(closed_device_says_its_mode),
		TEST(missing_capability_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
