#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Make the initramfs of the lab's guest: modules and tools once, our programs and tests every time.
#
# usage: image.sh KERNEL_DIR BUILD_DIR OUT_DIR     makes OUT_DIR/base.cpio and OUT_DIR/initramfs
# The kernel takes several archives in one file, so that the slow part is cached as base.cpio.
set -eu
cd "$(dirname "$0")/../.."

kernel=$1 build=$2 out=$3
modules="vfio-pci vfio_iommu_type1 e1000 e1000e igb tun af_packet pktgen virtio_pci virtio_console"
modules="$modules sch_fq sch_fq_codel ipv6"
tools="bash jq sqlite3 iperf3 ethtool ip ss tc tcpdump socat ping nsenter unshare setpriv timeout sha256sum cmp
stat ps find awk sed grep sort"
optional_tools="strace perf dpdk-testpmd"

# copy_program ROOT FILE [NAME]: with the shared libraries it is linked with, under their own paths
copy_program() {
	install -D -m 755 "$2" "$1/usr/bin/${3:-$(basename "$2")}"
	ldd "$2" | sed -n 's|^[^/]*\(/[^ ]*\) (0x.*|\1|p' | while read -r library; do
		[ -e "$1$library" ] && continue
		mkdir -p "$1$(dirname "$library")"
		cp -L "$library" "$1$library"
	done
}

new_root() { # DIR: with the merged /usr that library paths of Debian count on
	rm -rf "$1"
	mkdir -p "$1/usr/bin" "$1/usr/lib" "$1/usr/lib64"
	ln -s usr/bin "$1/bin"
	ln -s usr/bin "$1/sbin"
	ln -s usr/lib "$1/lib"
	ln -s usr/lib64 "$1/lib64"
}

archive() { # DIR FILE: owned by root, whoever builds
	(cd "$1" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) > "$2.part"
	mv "$2.part" "$2"
}

make_base() {
	local root=$out/base module file tool release
	release=$(cat "$kernel/release")
	new_root "$root"
	mkdir -p "$root"/{dev,proc,sys,run,tmp,root,etc,out,var/lib,lib/modules/"$release"}
	for module in $modules; do
		modprobe -d "$kernel/modules" -S "$release" --show-depends "$module"
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r file; do
		install -D -m 644 "$file" "$root/${file#"$kernel"/modules/}"
	done
	cp "$kernel/modules/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} "$root/lib/modules/$release/"
	depmod -b "$root" "$release" 2> /dev/null

	install -m 755 "$(command -v busybox)" "$root/usr/bin/busybox"
	for tool in $(busybox --list); do
		ln -s busybox "$root/usr/bin/$tool" 2> /dev/null || true
	done
	for tool in $tools $optional_tools kmod; do
		file=$(PATH=$PATH:/usr/sbin:/sbin command -v "$tool") || case " $optional_tools " in
		*" $tool "*) continue ;;
		*) echo "$0: the guest needs $tool, which is not installed" >&2; return 1 ;;
		esac
		rm -f "$root/usr/bin/$tool"
		copy_program "$root" "$(realpath "$file")" "$tool"
	done
	for tool in modprobe insmod rmmod lsmod; do
		ln -sf kmod "$root/usr/bin/$tool"
	done
	printf 'root:x:0:0::/root:/bin/bash\nnobody:x:65534:65534::/tmp:/bin/bash\n' > "$root/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' > "$root/etc/group"
	printf '127.0.0.1 localhost\n' > "$root/etc/hosts"
	archive "$root" "$out/base.cpio"
	rm -rf "$root"
}

kernel=$(realpath "$kernel")
mkdir -p "$out"
out=$(realpath "$out")
if [ ! -s "$out/base.cpio" ] || [ "$0" -nt "$out/base.cpio" ] ||
	[ "$kernel/release" -nt "$out/base.cpio" ]; then
	make_base
fi
new_root "$out/ours"
copy_program "$out/ours" "$build/moderato"
copy_program "$out/ours" "$build/moderatod"
mkdir "$out/ours/lab"
cp tests/lab/guest/* "$out/ours/lab/"
cp tests/lab/guest/init "$out/ours/init"
chmod 755 "$out/ours/init"
archive "$out/ours" "$out/ours.cpio"
cat "$out/base.cpio" "$out/ours.cpio" > "$out/initramfs.part"
mv "$out/initramfs.part" "$out/initramfs"
rm -rf "$out/ours" "$out/ours.cpio"
