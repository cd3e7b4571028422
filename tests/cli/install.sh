# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Install into an empty directory, look at what is there, run it from there, remove it again.

root=$T/root
files() {
	(cd "$root" && find . -type f | sort)
}
make_quietly() {
	make --no-print-directory B="$BUILD" DESTDIR="$root" PREFIX=/usr MANDIR=/usr/share/man "$@"
}

check "make install" make_quietly install
wanted="./usr/bin/moderato ./usr/sbin/moderatod ./usr/share/doc/moderato/LICENSE ./usr/share/doc/moderato/README.md
	./usr/share/man/man1/moderato.1 ./usr/share/man/man7/moderato-control.7 ./usr/share/man/man8/moderatod.8"
for file in $wanted; do
	check "installed: $file" test -s "$root/$file"
done
same "nothing outside /usr" "" "$(files | grep -v '^\./usr/')"
same "programs are executable" 755 "$(stat -c %a "$root/usr/bin/moderato")"

PATH=$root/usr/bin:${PATH#"$BUILD":}
same "the installed program is the one that runs" "$root/usr/bin/moderato" "$(command -v moderato)"
same "versions agree" "$(moderato --version | cut -d' ' -f2)" "$("$root/usr/sbin/moderatod" --version | cut -d' ' -f2)"
check "the installed pair brings a device up" moderato up sim:82574L
same "by the installed daemon" "$root/usr/sbin/moderatod" "$(readlink "/proc/$(daemon_pid sim-82574L)/exe")"
check "traffic flows" answers
check "down" moderato down
check "the installed page is readable" mandoc -T ascii "$root/usr/share/man/man1/moderato.1"

check "make uninstall" make_quietly uninstall
same "leaves no file" "" "$(files)"
