# SPDX-License-Identifier: BSD-2-Clause
docs_sources := docs/describe.c docs/describe_tables.c docs/describe_man.c docs/describe_chips.c
