# SPDX-License-Identifier: BSD-2-Clause
# The only makefile. Each folder's files.mk lists its sources; objects go to build/<CONFIG>/.
#
# CONFIG=release (default), debug, asan, tsan, fuzz.  V=1 shows the commands.  WERROR=1 in CI.
# CC, CFLAGS, CPPFLAGS and LDFLAGS are yours: they come last and are never overwritten.
CONFIG  ?= release
B       := build/$(CONFIG)
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
PKG_CONFIG ?= pkg-config
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
MANDIR  ?= $(PREFIX)/share/man
DOCDIR  ?= $(PREFIX)/share/doc/moderato

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
folders := common driver bench tuner profiles plots docs tests
include $(folders:%=%/files.mk)

# The last: the kernel's VFIO structures end in arrays and are meant to be followed by their elements.
warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Wundef \
            -Wpointer-arith -Wno-unused-parameter -Wno-missing-field-initializers \
            -Wno-gnu-variable-sized-type-not-at-end
opt_release := -O2 -g
opt_debug   := -O0 -g3
# gcc's flow warnings are wrong about instrumented code.
opt_sanitize := -O1 -g -fno-omit-frame-pointer -Wno-format-truncation -Wno-maybe-uninitialized \
               -Wno-unknown-warning-option
opt_asan    := $(opt_sanitize) -fsanitize=address,undefined -fno-sanitize-recover=undefined
opt_tsan    := $(opt_sanitize) -fsanitize=thread
opt_fuzz    := -O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-omit-frame-pointer
base_cflags := -std=gnu11 -I. -D_GNU_SOURCE $(warnings) $(opt_$(CONFIG)) $(if $(WERROR),-Werror)
# Evaluated only where something is linked, so that help and clean need no package.
base_libs    = $(shell $(PKG_CONFIG) --libs jansson) -lpthread -lm
driver_libs  = $(shell $(PKG_CONFIG) --libs libmnl libpcap libseccomp libcap-ng)
tuner_libs   = -liperf $(shell $(PKG_CONFIG) --libs sqlite3 zlib libmnl ncurses nlopt)
install_packages := tests/tools/install-packages.sh

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)')
link = $(Q)mkdir -p $(@D) && $(CC) $(opt_$(CONFIG)) -rdynamic -o $@ $(filter %.o %.a,$^)

obj = $(patsubst %.c,$(B)/%.o,$(1))
common_objs := $(call obj,$(common_sources))
driver_objs := $(call obj,$(driver_sources) $(sim_sources)) $(common_objs)
tuner_objs  := $(call obj,$(tuner_sources) $(bench_sources) $(profile_sources) $(plot_sources)) $(common_objs)

programs := $(B)/moderatod $(B)/moderato
all: $(programs) ## build the two programs (default)

$(B)/moderatod: $(call obj,driver/main.c) $(driver_objs)
	$(call say,LINK,$@)
	$(link) $(driver_libs) $(base_libs) $(LDFLAGS)
$(B)/moderato: $(call obj,tuner/main.c) $(tuner_objs)
	$(call say,LINK,$@)
	$(link) $(tuner_libs) $(base_libs) $(LDFLAGS)

# A changed flag rebuilds: the flags are a file, written when they differ from those of last time.
flags_now := $(strip $(CC) $(base_cflags) $(CPPFLAGS) $(CFLAGS))
ifneq ($(file <$(B)/flags),$(flags_now))
$(shell mkdir -p $(B))
$(file >$(B)/flags,$(flags_now))
endif
$(B)/flags: ;

# Names the missing package instead of a compiler error.
$(B)/packages: packages.txt $(install_packages)
	$(Q)$(install_packages) --check build
	$(Q)mkdir -p $(@D) && touch $@
$(B)/%.o: %.c $(B)/flags | $(B)/packages
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(base_cflags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
-include $(shell test -d $(B) && find $(B) -name '*.d')

# --- tests: one program a file, linked with everything but the two mains ---
$(B)/libmoderato.a: $(sort $(driver_objs) $(tuner_objs))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
# An archive, so that a program takes only what it uses (some need cmocka, figures do not).
$(B)/libtest.a: $(call obj,$(test_lib_sources))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
test_libs = $(driver_libs) $(tuner_libs) $(base_libs)
unit_programs := $(patsubst tests/unit/%.c,$(B)/tests/%,$(unit_sources))
perf_programs := $(patsubst tests/perf/%.c,$(B)/perf/%,$(perf_sources))
fuzz_programs := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(fuzz_sources))
$(B)/tests/%: $(B)/tests/unit/%.o $(B)/libtest.a $(B)/libmoderato.a
	$(call say,LINK,$@)
	$(link) -lcmocka $(test_libs) $(LDFLAGS)
$(B)/perf/%: $(B)/tests/perf/%.o $(B)/libtest.a $(B)/libmoderato.a
	$(call say,LINK,$@)
	$(link) $(test_libs) $(LDFLAGS)
$(B)/fuzz/%: $(B)/tests/fuzz/%.o $(B)/libmoderato.a
	$(call say,LINK,$@)
	$(link) -fsanitize=fuzzer $(test_libs) $(LDFLAGS)
.SECONDARY:

unit-programs: $(unit_programs)
unit: $(if $(UNIT),$(UNIT:%=$(B)/tests/%),$(unit_programs)) ## unit and virtual-time tests (no root needed; UNIT="a_test b_test" picks some)
	$(Q)tests/run-unit.sh $^
cli: all man ## end-to-end tests in namespaces (root and /dev/net/tun; CLI="a b" picks some)
	$(Q)BUILD=$(B) tests/cli/run.sh $(CLI)
check-asan: ## unit tests and a few end-to-end ones with address and undefined-behaviour sanitizer
	$(Q)$(MAKE) --no-print-directory CONFIG=asan all unit-programs
	$(Q)tests/tools/run-parts.sh "asan unit=$(MAKE) --no-print-directory CONFIG=asan unit" \
		"asan cli=BUILD=build/asan tests/cli/run.sh $(sanitized_cli)"
check-tsan: ## the real-time device and its threads, alone and under traffic, with thread sanitizer
	$(Q)$(MAKE) --no-print-directory CONFIG=tsan all $(tsan_tests:%=build/tsan/tests/%)
	$(Q)tests/tools/run-parts.sh \
		"tsan unit=$(MAKE) --no-print-directory CONFIG=tsan unit UNIT='$(tsan_tests)'" \
		"tsan cli=BUILD=build/tsan tests/cli/run.sh $(sanitized_cli)"
fuzz-programs: $(fuzz_programs)
fuzz-smoke: ## every fuzz target for FUZZ_SECONDS (30) seconds
	$(Q)$(MAKE) --no-print-directory CONFIG=fuzz CC=clang fuzz-programs
	$(Q)tests/fuzz/run.sh build/fuzz/fuzz

# --- the other architecture: cross-built against Debian's arm64 libraries, unpacked below build ---
arm64_root := $(CURDIR)/build/sysroot-arm64/root
arm64_libs := $(arm64_root)/usr/lib/aarch64-linux-gnu
arm64_cc   := aarch64-linux-gnu-gcc --sysroot=$(arm64_root) -isystem $(arm64_root)/usr/include/aarch64-linux-gnu \
              -L$(arm64_libs) -Wl,-rpath-link,$(arm64_libs):$(arm64_root)/lib/aarch64-linux-gnu
arm64: ## cross-build programs and unit tests for arm64, into build/arm64
	$(Q)$(install_packages) build arm64
	$(Q)tests/arm64/sysroot.sh build/sysroot-arm64
	$(Q)PKG_CONFIG_LIBDIR=$(arm64_libs)/pkgconfig PKG_CONFIG_SYSROOT_DIR=$(arm64_root) \
		$(MAKE) --no-print-directory B=build/arm64 CC='$(arm64_cc)' AR=aarch64-linux-gnu-ar all unit-programs
check-arm64: ## unit and virtual-time tests as arm64 programs, under qemu-user
	$(Q)$(MAKE) --no-print-directory arm64
	$(Q)tests/arm64/run.sh build/sysroot-arm64/root build/arm64

lint: ## static checks and house rules
	$(Q)$(install_packages) build test optional
	$(Q)tests/tools/lint.sh
check: ## install what is missing, build, run every test (README's test command)
	$(Q)$(install_packages) build run test
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all man unit-programs
	$(Q)tests/tools/run-parts.sh "unit=$(MAKE) --no-print-directory unit" \
		"cli=$(MAKE) --no-print-directory cli"

# --- real drivers in a virtual machine; LAB_NIC, LAB_SHELL, LAB_TESTS: see tests/lab/run.sh ---
lab: ## boot a guest with an emulated NIC: smoke test on LAB_NIC (e1000e), LAB_SHELL=1 for a prompt
	$(Q)$(install_packages) build run test lab
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all
	$(Q)BUILD=$(B) tests/lab/run.sh one
check-lab: ## the driver suite in a guest, on every NIC model that the installed QEMU has
	$(Q)$(install_packages) build run test lab
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all
	$(Q)BUILD=$(B) tests/lab/run.sh all

# --- what a newcomer runs ---
demo: ## install what is missing, build, sweep a simulated NIC, put table, charts, profile into out/
	$(Q)$(install_packages) build run
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all
	$(Q)$(B)/moderato demo $(DEMO)

# --- figures: each target ends with lines "figure name value unit target met|missed" ---
bench-driver: all $(perf_programs) ## figures of rings, descriptors and control socket
	$(Q)BUILD=$(B) tests/perf/run.sh driver
bench-sim: all $(perf_programs) ## figures of the simulated device: goodput, interrupt rates, latency
	$(Q)BUILD=$(B) tests/perf/run.sh sim
bench-predict: all $(perf_programs) ## figures of the predictor: its speed
	$(Q)BUILD=$(B) tests/perf/run.sh predict
bench: all $(perf_programs) ## every figure that needs no hardware
	$(Q)BUILD=$(B) tests/perf/run.sh driver sim predict
benchmarks-doc: all $(perf_programs) ## run every figure and write docs/benchmarks.md
	$(Q)BUILD=$(B) tests/perf/run.sh --doc docs/benchmarks.md driver sim predict
bench-lab: all ## our driver against the kernel's on an emulated NIC, in one boot of the lab's guest
	$(Q)$(install_packages) build run test lab
	$(Q)BUILD=$(B) tests/perf/run.sh lab
benchmarks-lab-doc: all ## run the lab's figures and write docs/benchmarks-lab.md
	$(Q)$(install_packages) build run test lab
	$(Q)BUILD=$(B) tests/perf/run.sh --doc docs/benchmarks-lab.md lab

# --- documents ---
$(B)/describe: $(call obj,$(docs_sources)) $(common_objs)
	$(call say,LINK,$@)
	$(link) $(base_libs) $(LDFLAGS)
generated_docs := docs/control.md docs/knobs.md docs/counters.md docs/metrics.md docs/chips.md
docs: $(B)/describe ## regenerate the documents that are made from the tables
	$(Q)for page in $(generated_docs:docs/%.md=%); do $(B)/describe $$page > docs/$$page.md || exit 1; done
man_pages := $(patsubst docs/man/%.scd,$(B)/man/%,$(wildcard docs/man/*.scd))
man: $(man_pages) ## build the man pages
$(B)/man/%: docs/man/%.scd docs/help.awk $(B)/describe $(B)/moderato
	$(call say,MAN,$@)
	$(Q)mkdir -p $(@D) && $(B)/describe man $< | awk -v program=$(B)/moderato -f docs/help.awk > $@.scd
	$(Q)scdoc < $@.scd > $@ && rm $@.scd

install: all man ## install below DESTDIR and PREFIX (/usr/local)
	$(Q)install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(SBINDIR) $(DESTDIR)$(DOCDIR)
	$(Q)install -m 755 $(B)/moderato $(DESTDIR)$(BINDIR)/
	$(Q)install -m 755 $(B)/moderatod $(DESTDIR)$(SBINDIR)/
	$(Q)install -m 644 LICENSE README.md ARCHITECTURE.md NEWS.md $(generated_docs) $(DESTDIR)$(DOCDIR)/
	$(Q)install -d $(DESTDIR)$(PREFIX)/share/moderato/hosts $(DESTDIR)$(PREFIX)/share/moderato/recipes
	$(Q)install -m 644 profiles/hosts/*.json $(DESTDIR)$(PREFIX)/share/moderato/hosts/
	$(Q)install -m 644 profiles/recipes/*.json $(DESTDIR)$(PREFIX)/share/moderato/recipes/
	$(Q)for page in $(man_pages); do install -D -m 644 $$page \
		$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit 1; done
uninstall: ## remove what install put there
	$(Q)rm -f $(DESTDIR)$(BINDIR)/moderato $(DESTDIR)$(SBINDIR)/moderatod
	$(Q)for page in $(man_pages); do rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; done
	$(Q)rm -rf $(DESTDIR)$(DOCDIR) $(DESTDIR)$(PREFIX)/share/moderato

map: ## one line a file: what it is for
	@git ls-files '*.c' '*.h' '*.def' '*.sh' '*.awk' | while read -r file; do \
		printf '%-36s %s\n' $$file "$$(sed -n '/SPDX/d; s|^#!.*||; /[a-zA-Z]/ { s|^[/ *#]*||; s| \*/$$||; p; q }' $$file)"; done

clean: ## remove everything that was built
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 22

.PHONY: all unit unit-programs cli check check-asan check-tsan fuzz-programs fuzz-smoke \
        arm64 check-arm64 lint lab check-lab demo docs man bench bench-predict bench-driver bench-sim \
        bench-lab benchmarks-doc benchmarks-lab-doc install uninstall map clean help
