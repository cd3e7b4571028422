/* SPDX-License-Identifier: BSD-2-Clause */
/* A TAP interface: made, configured, read and written. */
#include "driver/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>

#include "common/log.h"
#include "driver/netns.h"
#include "driver/rtnl.h"

#define TUN_DEVICE "/dev/net/tun"

static int device_error(int code, struct error *err)
{
	struct stat st;

	if (code == -ENOENT || code == -ENODEV || code == -ENXIO)
		return error_set(err, code,
			"%s is missing: load the kernel's tun module (modprobe tun), or pass the "
			"device "
			"into this container",
			TUN_DEVICE);
	if ((code == -EACCES || code == -EPERM) && stat(TUN_DEVICE, &st) == 0)
		return error_set(err, code,
			"%s is closed to user %u (mode %04o, owner %u): run as root, or open it "
			"with chmod "
			"0666 %s",
			TUN_DEVICE, geteuid(), st.st_mode & 07777, st.st_uid, TUN_DEVICE);
	return error_sys(err, code, "cannot open %s", TUN_DEVICE);
}

/* Interface and netlink socket belong to the namespace in which their files are opened. */
static int open_files(void *ctx, struct error *err)
{
	struct tap *tap = ctx;
	int r;

	r = rtnl_open(&tap->sock);
	if (r < 0)
		return error_sys(err, r, "cannot open a netlink socket");
	tap->fd = open(TUN_DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return tap->fd < 0 ? device_error(-errno, err) : 0;
}

static int create_error(const struct tap *tap, const char *name, int code, struct error *err)
{
	unsigned index;

	if ((code == -EBUSY || code == -EINVAL || code == -EEXIST) &&
		rtnl_link_index(tap->sock, name, &index) == 0)
		return error_set(err, code,
			"interface %s exists already: stop the daemon that uses it, or choose "
			"another name "
			"with --interface",
			name);
	if (code == -EPERM)
		return error_set(err, code,
			"no right to make interface %s: CAP_NET_ADMIN is needed in its network "
			"namespace "
			"(run as root, or use --netns own)",
			name);
	return error_sys(err, code, "cannot make TAP interface %s", name);
}

static int create_interface(struct tap *tap, const char *name, struct error *err)
{
	struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
	int header = sizeof(struct vnet), r;

	if (strlen(name) >= sizeof(request.ifr_name))
		return error_usage(err, "interface name %s is longer than %zu characters", name,
			sizeof(request.ifr_name) - 1);
	memcpy(request.ifr_name, name, strlen(name));
	if (ioctl(tap->fd, TUNSETIFF, &request) < 0)
		return create_error(tap, name, -errno, err);
	memcpy(tap->name, request.ifr_name, sizeof(tap->name)); /* %d filled in */
	if (ioctl(tap->fd, TUNSETVNETHDRSZ, &header) < 0)
		return error_sys(err, -errno, "%s: no vnet header of %d bytes", tap->name, header);
	r = rtnl_link_index(tap->sock, tap->name, &tap->index);
	return r < 0 ? error_sys(err, r, "cannot find new interface %s", tap->name) : 0;
}

/* What the kernel may leave to us. Older kernels know fewer bits and refuse a set as a whole. */
static unsigned probe_offloads(int fd)
{
	static const unsigned sets[] = {
		TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6,
		TUN_F_CSUM | TUN_F_TSO4,
		TUN_F_CSUM,
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (ioctl(fd, TUNSETOFFLOAD, sets[i]) == 0)
			return sets[i];
	return 0;
}

/* On the TAP's own descriptor, where it needs no capability. */
static int set_mac(struct tap *tap, const uint8_t mac[6])
{
	struct ifreq request = {.ifr_hwaddr.sa_family = ARPHRD_ETHER};

	memcpy(request.ifr_name, tap->name, sizeof(request.ifr_name));
	memcpy(request.ifr_hwaddr.sa_data, mac, 6);
	return ioctl(tap->fd, SIOCSIFHWADDR, &request) < 0 ? -errno : 0;
}

static int configure(struct tap *tap, const struct tap_options *options, struct error *err)
{
	unsigned queue_len = options->queue_len ? options->queue_len : TAP_QUEUE_LEN;
	int r;

	if (options->offloads)
		tap->offloads = probe_offloads(tap->fd);
	if (options->mac) {
		r = set_mac(tap, options->mac);
		if (r < 0)
			return error_sys(err, r, "%s: cannot set its Ethernet address", tap->name);
	}
	r = rtnl_link_set_limits(tap->sock, tap->index, options->mtu, queue_len);
	if (r < 0)
		return error_sys(err, r, "%s: cannot set MTU %u and queue length %u", tap->name,
			options->mtu, queue_len);
	tap->mtu = options->mtu;
	return 0;
}

int tap_open(struct tap *tap, const struct tap_options *options, struct error *err)
{
	int r;

	*tap = (struct tap){.fd = -1, .sock = -1};
	r = netns_run(options->netns_fd, open_files, tap, err);
	if (r == 0)
		r = create_interface(tap, options->name, err);
	if (r == 0)
		r = configure(tap, options, err);
	if (r < 0)
		tap_close(tap);
	return r;
}

void tap_close(struct tap *tap)
{
	if (tap->fd >= 0)
		(void)close(tap->fd);
	if (tap->sock >= 0)
		(void)close(tap->sock);
	tap->fd = tap->sock = -1;
}

int tap_set_address(struct tap *tap, struct in_addr address, unsigned prefix_len, struct error *err)
{
	int r = rtnl_address_add(tap->sock, tap->index, address, prefix_len);

	return r < 0 ? error_sys(err, r, "%s: cannot set its address", tap->name) : 0;
}

int tap_add_neighbour(
	struct tap *tap, struct in_addr address, const uint8_t mac[6], struct error *err)
{
	int r = rtnl_neighbour_add(tap->sock, tap->index, address, mac);

	return r < 0 ? error_sys(err, r, "%s: cannot add a static neighbour", tap->name) : 0;
}

int tap_set_up(struct tap *tap, bool up, struct error *err)
{
	int r = rtnl_link_set_up(tap->sock, tap->index, up);

	return r < 0 ? error_sys(err, r, "%s: cannot set it %s", tap->name, up ? "up" : "down") : 0;
}

int tap_set_carrier(struct tap *tap, bool on)
{
	int carrier = on;

	return ioctl(tap->fd, TUNSETCARRIER, &carrier) < 0 ? -errno : 0;
}

uint64_t tap_drops(struct tap *tap)
{
	uint64_t dropped = 0;
	int r = rtnl_link_tx_dropped(tap->sock, tap->index, &dropped);

	if (r < 0)
		log_debug("%s: cannot read its drops: %s", tap->name, strerror(-r));
	return dropped;
}

int tap_read(struct tap *tap, struct vnet *ret_vnet, uint8_t *data, uint32_t size)
{
	struct vnet vnet;
	struct iovec iov[2] = {{&vnet, sizeof(vnet)}, {data, size}};
	ssize_t n = readv(tap->fd, iov, 2);

	if (n < 0)
		return -errno;
	if (n < (ssize_t)sizeof(vnet))
		return -EIO;
	if ((size_t)n == sizeof(vnet) + size)
		return -EMSGSIZE;
	*ret_vnet = vnet;
	return (int)((size_t)n - sizeof(vnet));
}

int tap_writev(void *tap, const struct iovec *iov, int count)
{
	struct tap *self = tap;

	if (writev(self->fd, iov, count) < 0) {
		self->write_drops++;
		return -errno;
	}
	return 0;
}
