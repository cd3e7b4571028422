/* SPDX-License-Identifier: BSD-2-Clause */
/* The path between two namespaces, with a bus that only remembers its peer TAP. */
#include "driver/path.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <dirent.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "driver/gro.h"
#include "driver/netns.h"
#include "driver/rtnl.h"
#include "tests/lib/need_tap.h"

static const uint8_t local_mac[6] = {2, 0, 0, 0, 0, 1};

struct fixture {
	struct bus bus;
	struct tap peer; /* as attached */
	struct path_options options;
	struct path path;
	struct vnet vnet;
	uint8_t frame[66048];
};

static void attach_peer(struct bus *bus, struct tap *peer)
{
	struct fixture *fix = (struct fixture *)(void *)bus;

	fix->peer = *peer;
}

static void get_mac_of_peer(struct bus *bus, uint8_t ret_mac[6])
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 2};

	memcpy(ret_mac, mac, 6);
}

static const struct bus_sim_ops sim_ops = {
	.attach_peer = attach_peer,
	.get_mac_of_peer = get_mac_of_peer,
};
static const struct bus_ops simulated = {.scheme = "sim", .sim = &sim_ops};
static const struct bus_ops real = {.scheme = "pci"};

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	if (!fix)
		return -1;
	fix->bus.ops = &simulated;
	fix->peer.fd = fix->peer.sock = -1;
	fix->path =
		(struct path){.tap = {.fd = -1, .sock = -1}, .netns_fd = -1, .peer_netns_fd = -1};
	path_options_default(&fix->options);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	path_close(&fix->path);
	tap_close(&fix->peer);
	free(fix);
	return 0;
}

static void open_path(struct fixture *fix)
{
	struct error err = {0};

	need_tap();
	if (path_open(&fix->path, &fix->options, &fix->bus, local_mac, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(tap_set_carrier(&fix->path.tap, true), 0);
}

static struct sockaddr_in endpoint(struct in_addr address, uint16_t port)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = address};

	return a;
}

/* A listening and a connecting TCP socket, ends in the two namespaces. */
static void tcp_pair(struct fixture *fix, int *ret_listener, int *ret_client)
{
	struct sockaddr_in peer = endpoint(fix->options.peer, 5201);

	*ret_listener = socket_in(fix->path.peer_netns_fd, AF_INET, SOCK_STREAM);
	*ret_client = socket_in(fix->path.netns_fd, AF_INET, SOCK_STREAM);
	assert_int_equal(bind(*ret_listener, (struct sockaddr *)&peer, sizeof(peer)), 0);
	assert_int_equal(listen(*ret_listener, 1), 0);
	assert_int_equal(connect(*ret_client, (struct sockaddr *)&peer, sizeof(peer)), -1);
	assert_int_equal(errno, EINPROGRESS);
}

/* A wire without any cost; returns the frames it carried. Super-frames travel as they are. */
static unsigned relay_plain(struct fixture *fix, struct tap *from, struct tap *to)
{
	unsigned frames = 0;
	int len;

	while ((len = tap_read(from, &fix->vnet, fix->frame, sizeof(fix->frame))) > 0) {
		struct iovec iov[2] = {{&fix->vnet, sizeof(fix->vnet)}, {fix->frame, (size_t)len}};

		assert_int_equal(tap_writev(to, iov, 2), 0);
		frames++;
	}
	return frames;
}

/* The same through receive offload, 32 frames at a time, checksums verified by ourselves. */
static unsigned relay_gro(struct gro *gro, struct tap *from)
{
	static uint8_t frames[32][2048];
	struct frame_info info;
	struct vnet vnet;
	unsigned count = 0;
	int len;

	while (count < 32 && (len = tap_read(from, &vnet, frames[count], sizeof(frames[0]))) > 0) {
		assert_int_equal(vnet.flags, 0);
		assert_true(len <= 1514);
		(void)frame_parse(frames[count], (uint32_t)len, &info);
		gro_receive(gro, frames[count], (uint32_t)len, frame_csum_ok(frames[count], &info));
		count++;
	}
	gro_flush(gro);
	return count;
}

#define TRANSFER_BYTES 4000000

/* Send a known pattern from client to listener; @gro NULL: the plain wire. */
static void transfer(struct fixture *fix, struct gro *gro)
{
	static uint8_t out[65536], in[65536];
	int listener, client, server = -1;
	size_t sent = 0, received = 0;

	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i ^ i >> 8);
	tcp_pair(fix, &listener, &client);
	for (unsigned idle = 0; received < TRANSFER_BYTES && idle < 20000;) {
		size_t at = sent % sizeof(out);
		ssize_t n = -1;
		unsigned frames = gro ? relay_gro(gro, &fix->path.tap)
				      : relay_plain(fix, &fix->path.tap, &fix->peer);

		frames += relay_plain(fix, &fix->peer, &fix->path.tap);
		if (server < 0)
			server = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (sent < TRANSFER_BYTES)
			n = send(client, out + at, sizeof(out) - at, MSG_NOSIGNAL);
		sent += n > 0 ? (size_t)n : 0;
		n = server < 0 ? -1 : recv(server, in, sizeof(in), 0);
		for (ssize_t i = 0; i < n; i++, received++)
			assert_int_equal(in[i], out[received % sizeof(out)]);
		idle = frames || n > 0 ? 0 : idle + 1;
		if (idle)
			(void)usleep(100);
	}
	assert_true(received >= TRANSFER_BYTES);
	(void)close(server);
	(void)close(client);
	(void)close(listener);
}

static void tcp_crosses_between_the_two_namespaces(void **state)
{
	struct fixture *fix = *state;

	open_path(fix);
	assert_true(fix->path.peer_local);
	assert_string_equal(fix->path.peer_interface, "peer0");
	transfer(fix, NULL);
}

static void tcp_crosses_through_receive_offload(void **state)
{
	struct fixture *fix = *state;
	struct gro gro;

	fix->options.offloads = false;
	open_path(fix);
	gro_init(&gro, tap_writev, &fix->peer);
	transfer(fix, &gro);
	assert_int_equal(gro.output_errors, 0);
	assert_true(gro.merged > 1000);
}

static void nothing_is_sent_without_traffic(void **state)
{
	struct fixture *fix = *state;
	struct pollfd fds[2] = {{.events = POLLIN}, {.events = POLLIN}};

	open_path(fix);
	fds[0].fd = fix->path.tap.fd;
	fds[1].fd = fix->peer.fd;
	assert_int_equal(poll(fds, 2, 300), 0);
}

static void carrier_waits_for_the_link(void **state)
{
	struct fixture *fix = *state;
	struct error err = {0};
	int sock;

	need_tap();
	assert_int_equal(path_open(&fix->path, &fix->options, &fix->bus, local_mac, &err), 0);
	sock = socket_in(fix->path.netns_fd, AF_INET, SOCK_DGRAM);
	assert_false(has_carrier(sock, fix->path.tap.name));
	(void)close(sock);
	sock = socket_in(fix->path.peer_netns_fd, AF_INET, SOCK_DGRAM);
	assert_true(has_carrier(sock, fix->path.peer_interface));
	(void)close(sock);
}

/* Both ends know each other's address beforehand: the first frame is a datagram, not a question. */
static void expect_datagram_first(
	struct fixture *fix, int netns, struct tap *tap, struct in_addr to)
{
	struct sockaddr_in remote = endpoint(to, 9);
	int sock = socket_in(netns, AF_INET, SOCK_DGRAM), len = -EAGAIN;

	assert_int_equal(connect(sock, (struct sockaddr *)&remote, sizeof(remote)), 0);
	for (int i = 0; i < 2000 && len == -EAGAIN; i++) {
		(void)send(sock, "x", 1, 0); /* lost until the kernel has seen the carrier */
		len = tap_read(tap, &fix->vnet, fix->frame, sizeof(fix->frame));
		if (len == -EAGAIN)
			(void)usleep(1000);
	}
	assert_int_equal(len, 43);
	assert_memory_equal(fix->frame + 12, "\x08", 2);
	(void)close(sock);
}

static void neighbours_are_known_beforehand(void **state)
{
	struct fixture *fix = *state;

	open_path(fix);
	expect_datagram_first(fix, fix->path.netns_fd, &fix->path.tap, fix->options.peer);
	expect_datagram_first(fix, fix->path.peer_netns_fd, &fix->peer, fix->options.local);
}

static void host_does_not_see_the_interface(void **state)
{
	struct fixture *fix = *state;
	unsigned index;
	int sock;

	open_path(fix);
	sock = rtnl_in(-1);
	assert_int_equal(rtnl_link_index(sock, fix->path.tap.name, &index), -ENODEV);
	(void)close(sock);
	assert_int_equal(rtnl_link_index(fix->path.tap.sock, fix->path.tap.name, &index), 0);
	assert_int_equal(rtnl_link_index(fix->path.tap.sock, "peer0", &index), -ENODEV);
}

static void namespace_given_by_path_is_used(void **state)
{
	struct fixture *fix = *state;
	struct error err = {0};
	char name[32];
	unsigned index;
	int netns, sock;

	need_tap();
	assert_int_equal(netns_new(&netns, &err), 0);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", netns);
	fix->options.netns = name;
	open_path(fix);
	sock = rtnl_in(netns);
	assert_int_equal(rtnl_link_index(sock, "moderato0", &index), 0);
	(void)close(sock);
	(void)close(netns);
}

static void real_device_gets_no_peer(void **state)
{
	struct fixture *fix = *state;

	fix->bus.ops = &real;
	open_path(fix);
	assert_false(fix->path.peer_local);
	assert_int_equal(fix->path.peer_netns_fd, -1);
	assert_string_equal(fix->path.peer_interface, "");
}

static unsigned open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	(void)closedir(directory);
	return count;
}

static void expect_refusal(struct fixture *fix, int code, const char *words)
{
	struct error err = {0};
	unsigned before = open_files();

	assert_int_equal(path_open(&fix->path, &fix->options, &fix->bus, local_mac, &err), code);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
	assert_int_equal(open_files(), before);
	path_options_default(&fix->options);
}

static void wrong_options_are_refused_and_leave_nothing(void **state)
{
	struct fixture *fix = *state;

	need_tap();
	fix->options.peer = fix->options.local;
	expect_refusal(fix, -EINVAL, "both 198.18.0.1");
	fix->options.peer.s_addr = inet_addr("10.0.0.1");
	expect_refusal(fix, -EINVAL, "peer 10.0.0.1 is not in the network of 198.18.0.1/24");
	fix->options.prefix_len = 0;
	expect_refusal(fix, -EINVAL, "prefix");
	fix->options.netns = "/nonexistent";
	expect_refusal(fix, -ENOENT, "/nonexistent");
	fix->options.netns = "/dev/null";
	expect_refusal(fix, -EINVAL, "/dev/null is not a network namespace");
	fix->options.interface = "lo";
	expect_refusal(fix, -EINVAL, "lo exists already");
	fix->options.mtu = 20;
	expect_refusal(fix, -EINVAL, "MTU 20");
	assert_int_equal(fix->peer.fd, -1);
}

/* /dev/net/tun as it is on a normal installation: open to everybody. In a mount namespace, for
 * good. */
static void open_device_to_all(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("tmpfs", "/dev/net", "tmpfs", 0, NULL) < 0 ||
		mknod("/dev/net/tun", S_IFCHR, makedev(10, 200)) < 0 ||
		chmod("/dev/net/tun", 0666) < 0)
		_exit(77);
}

static void open_as_user(struct fixture *fix)
{
	struct error err = {0};

	open_device_to_all();
	become_user();
	if (path_open(&fix->path, &fix->options, &fix->bus, local_mac, &err) < 0) {
		print_message("%s\n", err.text);
		_exit(3);
	}
	path_close(&fix->path);
	fix->options.netns = "host";
	if (path_open(&fix->path, &fix->options, &fix->bus, local_mac, &err) != -EPERM)
		_exit(4);
	_exit(strstr(err.text, "--netns own") ? 0 : 5);
}

static void user_without_rights_gets_a_path_of_his_own(void **state)
{
	pid_t child;
	int status;

	need_tap();
	if (geteuid() != 0) {
		print_message("skipped: only root can open the device node to others\n");
		skip();
	}
	child = fork();
	if (child == 0)
		open_as_user(*state);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("skipped: no mount or user namespaces here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void close_gives_every_descriptor_back(void **state)
{
	struct fixture *fix = *state;
	unsigned before = open_files();

	open_path(fix);
	path_close(&fix->path);
	tap_close(&fix->peer);
	assert_int_equal(open_files(), before);
	path_close(&fix->path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tcp_crosses_between_the_two_namespaces),
		TEST(tcp_crosses_through_receive_offload),
		TEST(nothing_is_sent_without_traffic),
		TEST(carrier_waits_for_the_link),
		TEST(neighbours_are_known_beforehand),
		TEST(host_does_not_see_the_interface),
		TEST(namespace_given_by_path_is_used),
		TEST(real_device_gets_no_peer),
		TEST(wrong_options_are_refused_and_leave_nothing),
		TEST(user_without_rights_gets_a_path_of_his_own),
		TEST(close_gives_every_descriptor_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
