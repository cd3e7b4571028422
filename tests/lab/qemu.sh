#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Unpack a newer QEMU from Debian's backports beside the installed one, for the igb model.
#
# usage: qemu.sh DIR     makes DIR/qemu, to be named in LAB_QEMU; a second call does nothing.
# Nothing is installed: package lists of its own, packages unpacked below DIR. The libraries it needs
# are those of the installed qemu-system-x86. LAB_SUITE names another suite.
set -eu

mkdir -p "$1"
dir=$(realpath "$1")
suite=${LAB_SUITE:-$(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release)-backports}
[ -x "$dir/qemu" ] && exit 0
mirror=$(apt-cache policy | sed -n 's|^ *[0-9]* \(http[^ ]*/debian\) .*|\1|p' | head -n 1)
mkdir -p "$dir/apt/parts" "$dir/apt/lists/partial" "$dir/new"
cat > "$dir/apt/parts/lab.sources" << END
Types: deb
URIs: ${mirror:-http://deb.debian.org/debian}
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$dir/apt/parts"
	-o "Dir::State::lists=$dir/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
if ! { apt-get "${options[@]}" update &&
	(cd "$dir/new" && apt-get "${options[@]}" download -t "$suite" \
		qemu-system-x86 qemu-system-common qemu-system-data seabios); } > "$dir/download.log" 2>&1; then
	tail -n 3 "$dir/download.log" >&2
	echo "$0: cannot download QEMU from $suite; install QEMU 8 or newer, or test without igb" >&2
	exit 1
fi
for package in "$dir"/new/*.deb; do
	dpkg-deb -x "$package" "$dir/root"
done
rm -rf "$dir/new" "$dir/apt"
modules=$(dirname "$(find "$dir/root" -name 'accel-*.so' -o -name 'hw-*.so' | head -n 1)")
cat > "$dir/qemu.part" << END
#!/bin/sh
QEMU_MODULE_DIR=$modules exec $dir/root/usr/bin/qemu-system-x86_64 \\
	-L $dir/root/usr/share/qemu -L $dir/root/usr/share/seabios -L /usr/lib/ipxe/qemu "\$@"
END
chmod 755 "$dir/qemu.part"
mv "$dir/qemu.part" "$dir/qemu"
