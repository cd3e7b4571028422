#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Unpack Debian's arm64 libraries below a folder, for cross builds; this machine's packages stay as they are.
#
# usage: sysroot.sh DIR     makes DIR/root; a second call does nothing.
set -eu

cd "$(dirname "$0")/../.."
mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ ! -e "$dir/complete" ] || exit 0
packages=$(sed -n 's/^\(build\|test\) *\([^ ]*-dev\) .*/\2/p' packages.txt)
rm -rf "$dir/root" "$dir/apt"
mkdir -p "$dir/root" "$dir/apt/lists/partial" "$dir/apt/archives/partial"
touch "$dir/apt/status"
private_apt() { # apt with its own architecture, lists and status
	apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o Dir::State="$dir/apt" -o Dir::State::lists="$dir/apt/lists" \
		-o Dir::State::status="$dir/apt/status" -o Dir::Cache="$dir/apt" \
		-o Dir::Cache::archives="$dir/apt/archives" -o APT::Sandbox::User=root "$@"
}
# shellcheck disable=SC2086 # one word a package
download() {
	private_apt update && private_apt install -y --download-only --no-install-recommends $packages
}
if ! download > "$dir/apt/log" 2>&1; then
	tail -n 3 "$dir/apt/log" >&2
	echo "$0: cannot download the arm64 libraries: see $dir/apt/log" >&2
	exit 1
fi
for package in "$dir"/apt/archives/*.deb; do
	dpkg-deb -x "$package" "$dir/root"
done
rm -rf "$dir/apt"
touch "$dir/complete"
