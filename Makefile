# SPDX-License-Identifier: BSD-2-Clause
# The only makefile. Each folder's files.mk lists its sources; objects go to build/<CONFIG>/.
#
# CONFIG = release (default), debug, asan, tsan, fuzz.  V=1 shows the commands.  WERROR=1 in CI.
CONFIG  ?= release
B       := build/$(CONFIG)
CC      ?= cc
PKG_CONFIG ?= pkg-config
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib/moderato
DATADIR ?= $(PREFIX)/share/moderato
MANDIR  ?= $(PREFIX)/share/man
DOCDIR  ?= $(PREFIX)/share/doc/moderato

.DEFAULT_GOAL := all
include common/files.mk driver/files.mk bench/files.mk tuner/files.mk profiles/files.mk plots/files.mk tests/files.mk

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Wundef \
            -Wpointer-arith -Wno-unused-parameter -Wno-missing-field-initializers
opt_release := -O2 -g
opt_debug   := -O0 -g3
opt_asan    := -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
opt_tsan    := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
opt_fuzz    := -O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-omit-frame-pointer
base_cflags := -std=gnu11 -I. -D_GNU_SOURCE $(warnings) $(opt_$(CONFIG)) $(if $(WERROR),-Werror) \
               -DMODERATO_DATADIR='"$(DATADIR)"' -DMODERATO_LIBDIR='"$(LIBDIR)"'
base_libs   := -ljansson -lpthread -lm
driver_libs := -lmnl -lpcap -lseccomp -lcap-ng
tuner_libs  := -liperf -lsqlite3 -lmnl -lncurses -ltinfo

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)')

obj = $(patsubst %.c,$(B)/%.o,$(1))

common_objs := $(call obj,$(common_sources))
driver_objs := $(call obj,$(driver_sources))
sim_objs    := $(call obj,$(sim_sources))
bench_objs  := $(call obj,$(bench_sources))
tuner_objs  := $(call obj,$(tuner_sources))
profile_objs := $(call obj,$(profile_sources))
plot_objs   := $(call obj,$(plot_sources))

programs := $(B)/moderatod $(B)/moderato
all: $(programs) ## build the two programs (default)

$(B)/moderatod: $(call obj,driver/main.c) $(driver_objs) $(sim_objs) $(common_objs)
	$(call say,LINK,$@)
	$(Q)$(CC) $(opt_$(CONFIG)) -o $@ $^ $(driver_libs) $(base_libs) $(LDFLAGS)

$(B)/moderato: $(call obj,tuner/main.c) $(tuner_objs) $(bench_objs) $(profile_objs) $(plot_objs) $(common_objs)
	$(call say,LINK,$@)
	$(Q)$(CC) $(opt_$(CONFIG)) -rdynamic -o $@ $^ $(tuner_libs) $(base_libs) $(LDFLAGS)

# Flags are a prerequisite: a changed flag rebuilds.
flags_now := $(CC) $(base_cflags) $(CFLAGS) $(CPPFLAGS)
$(B)/flags: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(flags_now)' | cmp -s - $@ || echo '$(flags_now)' > $@
FORCE:

$(B)/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(base_cflags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell test -d $(B) && find $(B) -name '*.d')

# Unit tests: one program a file, cmocka; tests/files.mk says which object groups each links.
unit_programs := $(patsubst tests/unit/%.c,$(B)/tests/%,$(unit_sources))
all_lib_objs := $(driver_objs) $(sim_objs) $(bench_objs) $(tuner_objs) $(profile_objs) $(plot_objs) $(common_objs)
$(B)/libmoderato.a: $(all_lib_objs)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(B)/tests/%: $(B)/tests/unit/%.o $(B)/libmoderato.a
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(opt_$(CONFIG)) -rdynamic -o $@ $^ -lcmocka $(driver_libs) $(tuner_libs) $(base_libs) $(LDFLAGS)
unit: $(unit_programs) ## build and run the unit and virtual-time tests (no root needed)
	$(Q)tests/run-unit.sh $(unit_programs)

.PHONY: all unit clean help FORCE
clean: ## remove everything that was built
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 20
