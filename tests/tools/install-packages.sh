#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install the packages of packages.txt that are missing; --check only names them and fails.
#
# usage: install-packages.sh [--check] SECTION...
set -u
cd "$(dirname "$0")/../.." || exit 1

check=
if [ "${1:-}" = --check ]; then
	check=1
	shift
fi
[ $# -gt 0 ] || { echo "usage: $0 [--check] SECTION..." >&2; exit 2; }

# Is there what the package brings? Also true for a library that was built by hand.
is_there() { # package probe
	case $2 in
	-) ;;
	*.h)
		for dir in /usr/include /usr/include/*-linux-gnu /usr/local/include; do
			[ -e "$dir/$2" ] && return 0
		done
		[ -n "${CPATH:-}" ] && [ -e "$CPATH/$2" ] && return 0
		;;
	*) PATH=$PATH:/usr/sbin:/sbin command -v "$2" > /dev/null && return 0 ;;
	esac
	dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null | grep -qx installed
}

missing=
for section in "$@"; do
	grep -q "^$section " packages.txt || { echo "$0: no section '$section' in packages.txt" >&2; exit 2; }
	while read -r in_section package probe purpose; do
		[ "$in_section" = "$section" ] || continue
		is_there "$package" "$probe" && continue
		missing="$missing $package"
		[ -n "$check" ] && echo "missing package: $package ($purpose)" >&2
	done < packages.txt
done
[ -z "$missing" ] && exit 0
if [ -n "$check" ]; then
	echo "install with: tests/tools/install-packages.sh $*" >&2
	exit 1
fi

if ! command -v apt-get > /dev/null; then
	echo "install by hand what this system calls:$missing" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo > /dev/null || {
		echo "as root, run: apt-get install$missing" >&2
		exit 1
	}
	sudo="sudo"
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# The lists may be absent or old: refresh them once when the first try fails.
# shellcheck disable=SC2086 # one word a package
install() {
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
		-o DPkg::Lock::Timeout=300 $missing > "$log" 2>&1 < /dev/null
}
if ! install; then
	if ! { $sudo apt-get update > "$log" 2>&1 && install; }; then
		tail -n 20 "$log" >&2
		echo "could not install:$missing" >&2
		exit 1
	fi
fi
