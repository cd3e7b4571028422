# SPDX-License-Identifier: BSD-2-Clause
# driver/main.c is linked by the Makefile; here stands what tests may link too.
driver_sources := driver/nic.c driver/nic_start.c driver/nic_settings.c driver/nic_guard.c driver/nic_reset.c driver/nic_statistics.c driver/nic_address.c driver/nic_filter.c driver/follow.c driver/irq.c \
	driver/rx.c driver/tx.c driver/moderation.c driver/bridge.c driver/pktgen.c driver/loop.c \
	driver/daemon.c driver/bus_open.c driver/harden.c driver/vnet.c driver/gro.c driver/tap.c driver/rtnl.c \
	driver/netns.c driver/path.c driver/capture.c driver/control.c driver/control_conn.c driver/control_methods.c \
	driver/control_info.c driver/control_settings.c driver/control_sim.c driver/control_lease.c \
	driver/control_text.c driver/sys.c driver/bus_vfio.c driver/bus_vfio_backend.c driver/bus_vfio_group.c driver/bus_vfio_iommufd.c driver/bus_vfio_dma.c \
	driver/bus_vfio_irq.c driver/bus_vfio_config.c driver/bus_vfio_guard.c
sim_sources := driver/sim/sim.c driver/sim/sim_regs.c driver/sim/sim_moderation.c \
	driver/sim/sim_moderation_regs.c driver/sim/sim_tx.c \
	driver/sim/sim_rx.c driver/sim/sim_wire.c driver/sim/sim_fault.c driver/sim/sim_options.c \
	driver/sim/sim_vbus.c driver/sim/sim_offload.c driver/sim/sim_dma.c \
	driver/sim/sim_source.c driver/sim/sim_link.c driver/sim/sim_bus.c driver/sim/sim_thread.c
