#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Download Debian's kernel for the lab's guest and unpack it, without installing it on this machine.
#
# usage: kernel.sh DIR     makes DIR/vmlinuz, DIR/modules/ and DIR/release; a second call does nothing.
# LAB_KERNEL names another kernel package (default: what the one of packages.txt depends on).
set -eu

dir=$1
meta=$(sed -n 's/^guest *\(linux-image[^ ]*\).*/\1/p' "$(dirname "$0")/../../packages.txt")
package=${LAB_KERNEL:-}
if [ -s "$dir/release" ] && { [ -z "$package" ] || [ "$package" = "$(cat "$dir/package")" ]; }; then
	exit 0
fi
resolve() { # the versioned package behind the name in packages.txt
	apt-cache depends "$meta" 2> /dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' |
		head -n 1
}
fetch() { # as the owner of DIR, below DIR
	(cd "$dir/new" && apt-get download "$1" > download.log 2>&1)
}

rm -rf "$dir"
mkdir -p "$dir/new"
package=${package:-$(resolve)}
if [ -z "$package" ] || ! fetch "$package"; then
	# Lists that are old name a package that the archive no longer has.
	[ "$(id -u)" -ne 0 ] || apt-get update > "$dir/new/update.log" 2>&1 || true
	package=${LAB_KERNEL:-$(resolve)}
	fetch "${package:-$meta}" || {
		tail -n 3 "$dir/new/download.log" >&2
		echo "$0: cannot download the guest's kernel: run apt-get update, or name a package in LAB_KERNEL" >&2
		exit 1
	}
fi
dpkg-deb -x "$dir"/new/*.deb "$dir/new/root"
release=$(basename "$dir"/new/root/boot/vmlinuz-* | sed 's/^vmlinuz-//')
for modules in "$dir/new/root/lib/modules/$release" "$dir/new/root/usr/lib/modules/$release"; do
	[ -d "$modules" ] && break
done
mkdir -p "$dir/modules/lib/modules"
mv "$modules" "$dir/modules/lib/modules/$release"
depmod -b "$dir/modules" "$release"
mv "$dir/new/root/boot/vmlinuz-$release" "$dir/vmlinuz"
rm -rf "$dir/new"
echo "$package" > "$dir/package"
echo "$release" > "$dir/release"
