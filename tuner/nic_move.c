/* SPDX-License-Identifier: BSD-2-Clause */
/* The writes to sysfs; a probe that fails is no error of its write, so the driver link is read. */
#include "tuner/nic_move.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tuner/nic_scan.h"

static int write_device(const struct host *host, const char *address, const char *name,
	const char *text)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", host->sysfs, address, name);
	return host->write(host->ctx, path, text);
}

/* new_id is no way: it takes every card of the same id. */
static int probe(const struct host *host, const char *address)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/bus/pci/drivers_probe", host->sysfs);
	return host->write(host->ctx, path, address);
}

/* A write of no bytes does not reach the kernel, so that clearing takes an empty line. */
static int clear_override(const struct host *host, const char *address)
{
	return write_device(host, address, "driver_override", "\n");
}

static bool driver_is_loaded(const struct host *host, const char *driver)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/bus/pci/drivers/%s", host->sysfs, driver);
	return access(path, F_OK) == 0;
}

int nic_move_allowed(const struct host *host, const char *address, struct error *err)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/driver_override", host->sysfs,
		address);
	if (access(path, W_OK))
		return error_set(err, -errno,
			"cannot move %s to another driver: %s; run this as root", address,
			strerror(errno));
	return 0;
}

int nic_move_load_vfio(const struct host *host, struct error *err)
{
	if (!driver_is_loaded(host, PCI_DRIVER_VFIO) &&
		(host->load_module(host->ctx, PCI_DRIVER_VFIO) || !driver_is_loaded(host, PCI_DRIVER_VFIO)))
		return error_set(err, -ENOENT,
			"this kernel has no driver " PCI_DRIVER_VFIO
			" and \"modprobe " PCI_DRIVER_VFIO "\" does not help; install the kernel's modules");
	return 0;
}

int nic_move_to_vfio(const struct host *host, const char *address, struct error *err)
{
	struct pci_device now;
	int r = pci_device_read(host->sysfs, address, &now, err);

	if (r)
		return r;
	r = write_device(host, address, "driver_override", PCI_DRIVER_VFIO);
	if (!r && now.driver[0])
		r = write_device(host, address, "driver/unbind", address);
	if (!r)
		r = probe(host, address);
	if (r)
		return error_sys(err, r, "cannot bind %s to " PCI_DRIVER_VFIO, address);
	r = pci_device_read(host->sysfs, address, &now, err);
	if (!r && !pci_is_vfio(&now))
		r = error_set(err, -EIO, PCI_DRIVER_VFIO " did not take %s; the kernel's log says why",
			address);
	return r;
}

/* The driver's module may have been unloaded meanwhile. */
static int probe_loading(const struct host *host, const char *address, const char *driver)
{
	if (driver && !driver_is_loaded(host, driver))
		(void)host->load_module(host->ctx, driver);
	return probe(host, address);
}

static int check_back(const struct host *host, const char *address, const char *driver,
	char ret_driver[PCI_DRIVER_BYTES], struct error *err)
{
	struct pci_device now;
	int r = pci_device_read(host->sysfs, address, &now, err);

	if (r)
		return r;
	if (!now.driver[0] && !(driver && !driver[0]))
		return error_set(err, -EIO,
			"%s is free of " PCI_DRIVER_VFIO ", but %s did not take it; load its module and "
			"run this again",
			address, driver ? driver : "no driver");
	(void)snprintf(ret_driver, PCI_DRIVER_BYTES, "%s", now.driver);
	return 0;
}

int nic_move_back(const struct host *host, const char *address, const char *driver,
	char ret_driver[PCI_DRIVER_BYTES], struct error *err)
{
	bool unbound = driver && !driver[0];
	struct pci_device now;
	int r = pci_device_read(host->sysfs, address, &now, err);

	if (r)
		return r;
	r = clear_override(host, address);
	if (!r && pci_is_vfio(&now)) {
		r = write_device(host, address, "driver/unbind", address);
		now.driver[0] = '\0';
	}
	if (!r && !now.driver[0] && !unbound)
		r = probe_loading(host, address, driver);
	if (r)
		return error_sys(err, r, "cannot give %s back to the kernel", address);
	return check_back(host, address, driver, ret_driver, err);
}
