#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Static checks and house rules, one "ok" or "not ok" line each; what is wrong is printed above its line.
#
# usage: lint.sh [CHECK...]    CHECK is the name of a check_ function below
set -u
cd "$(dirname "$0")/../.." || exit 1
cflags=(-std=gnu11 -I. -D_GNU_SOURCE)

if git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
	mapfile -t files < <(git ls-files)
else
	mapfile -t files < <(find . -type f -not -path './build/*' -not -path './out/*' | sed 's|^\./||')
fi
select_files() { # regular expression on the name
	printf '%s\n' "${files[@]}" | grep -E "$1"
}
mapfile -t sources < <(select_files '\.c$')
mapfile -t headers < <(select_files '\.h$')
mapfile -t scripts < <(printf '%s\n' "${files[@]}" | xargs grep -lE '^#!.*(/sh|bash)$' 2> /dev/null)
mapfile -t pages < <(select_files '\.md$')
jobs=$(nproc)

# Succeeds when nothing comes in; else shows it.
nothing() {
	local text
	text=$(cat)
	[ -z "$text" ] || { echo "$text" | head -n 40; return 1; }
}

check_spdx() { # every file that can hold a comment names its licence near the top
	select_files '' | grep -vE '(^LICENSE|^\.gitignore|\.json|\.png|\.svg|\.pcap)$|^tests/fuzz/.*_seeds/' |
		while read -r file; do
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-2-Clause' || echo "$file"
		done | nothing
}

check_purpose() { # the second line of a source says what the file is for
	for file in "${sources[@]}" "${headers[@]}"; do
		sed -n 2p "$file" | grep -qE '^/\*' || echo "$file"
	done | nothing
}

check_headers() { # every header compiles alone
	for file in "${headers[@]}"; do
		${CC:-gcc} "${cflags[@]}" -fsyntax-only -x c "$file" 2>&1 | head -n 3
	done | nothing
}

check_chips() { # code asks what a chip has or suffers from, never which one it is
	select_files '\.[ch]$' | grep -vE '^(common/chips|docs|tests)/' | xargs grep -nE \
		'"82[0-9]{3}[A-Z]{0,2}"|chip->(name|device) *[!=]=' |
		grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/\*|\*)' | nothing
}

check_sizes() { # files to 450 lines (tests to 700), functions to 80
	tests/tools/size-report.sh --all "${sources[@]}" "${headers[@]}"
}

check_todo() { # nothing is left open in the tree
	printf '%s\n' "${sources[@]}" "${headers[@]}" "${scripts[@]}" Makefile | grep -v '^tests/tools/lint.sh$' |
		xargs grep -nE '\b(TODO|FIXME|XXX)\b' | nothing
}

check_paths() { # no path of somebody's machine
	select_files '' | grep -vE '^tests/tools/lint\.sh$|\.(png|svg|pcap)$' |
		xargs grep -nIE '(^|[^A-Za-z0-9_.])/(home|root|work|Users)/' | nothing
}

check_shell() {
	shellcheck -x "${scripts[@]}" tests/cli/*.sh
}

check_spelling() {
	codespell --quiet-level 2 --ignore-regex '\\[nt]' --ignore-words-list 'ro,wont,inout,ser,te,trys,ND,fo,nd' \
		--skip '*.png,*.svg,*.pcap,*_seeds' "${files[@]}"
}

check_cppcheck() {
	local code
	mapfile -t code < <(printf '%s\n' "${sources[@]}" | grep -v '^tests/')
	# cppcheck does not read system headers: the list macros in members need a meaning.
	cppcheck --quiet --std=c11 --language=c -j "$jobs" -I. -D_GNU_SOURCE \
		--library=tests/tools/cppcheck.cfg \
		--enable=warning,performance,portability --inline-suppr \
		--suppress=missingInclude --suppress=unknownMacro --error-exitcode=1 \
		"${code[@]}" 2>&1 | nothing
}

check_tidy() {
	select_files '\.c$' | grep -v '^tests/' | xargs -P "$jobs" -n 4 sh -c \
		'clang-tidy --quiet "$@" -- -std=gnu11 -I. -D_GNU_SOURCE 2> /dev/null' sh |
		grep -A 3 -E ': (error|warning): ' | nothing
}

check_docs() { # generated pages are what the tables say
	make --no-print-directory build/release/describe > /dev/null || return 1
	for page in control knobs counters metrics chips; do
		build/release/describe $page | diff -u "docs/$page.md" - | head -n 20
	done | nothing
}

check_man() { # man pages are well formed
	make --no-print-directory man > /dev/null || return 1
	# Paragraph macros are scdoc's way of writing; dates and other systems' pages are not ours.
	mandoc -T lint -W warning build/release/man/* 2>&1 | grep -v 'skipping paragraph macro' | nothing
}

check_links() { # relative links in the pages lead somewhere
	for page in "${pages[@]}"; do
		grep -oE '\]\([^)# ]+' "$page" | sed 's/^](//' | grep -vE '^(https?|mailto):' | while read -r link; do
			[ -e "$(dirname "$page")/$link" ] || echo "$page: no $link"
		done
	done | nothing
}

check_hardware() { # comments cite sections of docs/hardware.md that exist
	select_files '\.(c|h|def)$' | xargs grep -hoE 'hardware notes [0-9.]+[0-9]' | sort -u | while read -r _ _ section; do
		grep -q "^### $section " docs/hardware.md || echo "no section $section in docs/hardware.md"
	done | nothing
}

check_names() { # every knob and method that the hand-written pages speak of exists, commands too
	local words
	words=$(grep -hoE '`make [a-z0-9-]+' "${pages[@]}" | sed 's/`make //' | sort -u)
	for word in $words; do
		grep -qE "^$word:" Makefile || echo "pages speak of make $word"
	done | nothing
}

checks=("$@")
[ ${#checks[@]} -gt 0 ] || mapfile -t checks < <(sed -n 's/^check_\([a-z]*\)() .*/\1/p' "$0")
passed=0 failed=0
for check in "${checks[@]}"; do
	if "check_$check"; then
		passed=$((passed + 1))
		echo "ok - lint $check"
	else
		failed=$((failed + 1))
		echo "not ok - lint $check"
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
