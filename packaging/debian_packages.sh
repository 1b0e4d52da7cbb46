#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#   debian_packages.sh WORK    builds Debian's packages of the tree's last commit, from the start, in WORK, by
#                              dpkg-buildpackage, and has lintian look at them
# It needs the Build-Depends of packaging/debian/control, and lintian.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$1
version=$(sed -n 's/^weft (\(.*\)) .*/\1/p' "$source/packaging/debian/changelog" | head -1)
tree=$(sed -n 's/^#define WEFT_VERSION_[A-Z]* //p' "$source/include/weft/version.hpp" | paste -sd.)
if [[ $tree != "$version" ]]; then
  echo "packaging/debian/changelog has not the version of include/weft/version.hpp" >&2
  exit 1
fi

rm -rf "$work"
mkdir -p "$work/weft-$version"
git -C "$source" archive HEAD | tar -x -C "$work/weft-$version"
cd "$work/weft-$version"
cp -r packaging/debian debian
dpkg-buildpackage -us -uc -b
cd ..
# Not for the archive: nobody waits for the upload, and the maintainers have no address yet.
not_here=initial-upload-closes-no-bugs,bad-distribution-in-changes-file
not_here+=,bogus-mail-host,bogus-mail-host-in-debian-changelog
lintian --fail-on error,warning --suppress-tags "$not_here" ./*.changes
