# SPDX-License-Identifier: BSD-2-Clause
profile_sources := profiles/preset.c profiles/field.c profiles/profile.c profiles/profile_read.c \
	profiles/profile_check.c profiles/profile_text.c profiles/export.c profiles/export_rate.c \
	profiles/export_ethtool.c profiles/export_modprobe.c \
	profiles/driver_param.c
