# SPDX-License-Identifier: BSD-2-Clause
common_sources := common/error.c common/log.c common/json.c common/control.c common/control_client.c \
	common/chips/regs.c common/chips/knob.c common/chips/settings.c common/chips/chip.c \
	common/chips/effective.c common/chips/card.c common/nearest.c common/pci.c
common_sources += common/vfio_holder.c
