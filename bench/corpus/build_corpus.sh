#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds the corpus that compression is measured on, 242 MB of real game assets from Debian packages: maps, models, raw
# textures and sounds of OpenArena, each kind in one file, and Freedoom's archive.
#   build_corpus.sh DIRECTORY
# Needs apt, unzip, a gigabyte of disk and the network. Packages are downloaded, not installed.
set -euo pipefail
export LC_ALL=C

sums=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/SHA256SUMS
mkdir -p "${1:?usage: build_corpus.sh DIRECTORY}"
corpus=$(cd "$1" && pwd)
if (cd "$corpus" && sha256sum --check --status "$sums" 2>/dev/null); then
  echo "the corpus is in $corpus already"
  exit
fi

work=$(mktemp -d "$corpus/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir assets
apt-get -qq download openarena-data openarena-081-maps openarena-081-players openarena-081-textures freedoom
for package in ./*.deb; do dpkg -x "$package" installed; done
while read -r archive; do
  unzip -qo "$archive" -d "assets/$(basename "$archive" .pk3)"
done < <(find installed -name '*.pk3' -not -path '*missionpack*' | sort)

# gather NAME PATTERN STEP: every STEP-th file in byte order of the paths, one after the other, cut at 64 MiB.
gather() {
  # (head closes the pipe early.)
  { find assets -type f -iname "$2" | sort | awk -v step="$3" 'NR % step == 0' | tr '\n' '\0' |
    xargs -0 cat 2>/dev/null || true; } | head -c $((64 << 20)) >"$corpus/$1"
}
gather bsp.bin '*.bsp' 2
gather md3.bin '*.md3' 1
gather tga.bin '*.tga' 3
gather wav.bin '*.wav' 1
cp installed/usr/share/games/doom/freedoom2.wad "$corpus/wad.bin"

cd "$corpus"
sha256sum --check "$sums"
