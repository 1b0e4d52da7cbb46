#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What gstd does with packs, for a build for another system, in the current directory:
#   check_packs.sh COMMAND...    COMMAND: the program, or what runs it and the program
set -euo pipefail

gstd=("$@")
# Debian has wine's 64-bit program under another name if the 32-bit one is not installed.
if [[ ${gstd[0]} == wine ]] && ! command -v wine >/dev/null; then gstd[0]=/usr/lib/wine/wine64; fi
rm -rf files copy again nul packs.wpk*
mkdir -p "files/карты/deep"
head -c 300000 /dev/urandom >"files/карты/random"
seq 1 2000000 >"files/карты/deep/large"
printf x >files/small
"${gstd[@]}" pack -q files -o packs.wpk
"${gstd[@]}" verify -q packs.wpk
"${gstd[@]}" list packs.wpk | grep -q 'карты/deep/large'
"${gstd[@]}" unpack -q packs.wpk -o copy
diff -r files copy
# A second pack over it is refused; an update changes what has changed.
if "${gstd[@]}" pack -q files -o packs.wpk 2>/dev/null; then exit 1; fi
if "${gstd[@]}" unpack -q packs.wpk -o copy 2>/dev/null; then exit 1; fi
printf more >>files/small
rm "files/карты/random"
"${gstd[@]}" update -q files -o packs.wpk
"${gstd[@]}" update -q --compact files -o packs.wpk
"${gstd[@]}" pack -q -f files -o fresh.wpk
cmp packs.wpk fresh.wpk
"${gstd[@]}" unpack -q packs.wpk -o again
diff -r files again
# What an interruption leaves is gone on with.
"${gstd[@]}" pack -q -22 --segment=1M -T1 files -o killed.wpk &
for ((i = 0; i < 1000; ++i)); do
  [[ -s killed.wpk.journal || -e killed.wpk ]] && break
  sleep 0.02
done
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
[[ -e killed.wpk ]] || "${gstd[@]}" pack -q -22 --segment=1M -T1 files -o killed.wpk
"${gstd[@]}" verify -q killed.wpk
printf 'packs: good\n'
