#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What the gstd command does with packs: files, links, interruptions, other readers.
#   pack_cli_test.sh GSTD PYTHON    GSTD: the command; PYTHON: an interpreter for read_pack.py
set -uo pipefail

gstd=$(realpath "$1")
python=$2
reader=$(realpath "$(dirname "$0")")/read_pack.py
. "$(dirname "$(realpath "$0")")/../gstd_cli/checks.sh"
room=$(mktemp -d)
trap 'chmod -R u+w "$room"; rm -rf "$room"' EXIT
cd "$room" || exit 1

same() {
  ((++checks))
  diff -r "$2" "$3" >differences || fail "$1: $2 and $3 differ: $(head -c 300 differences)"
}

# Files of all kinds: $1 is the directory.
make_files() {
  mkdir -p "$1/maps/deep/er" "$1/ordner größe" "$1/empty folder"
  for size in 0 1 4095 4096 4097 70000; do
    head -c "$size" /dev/urandom >"$1/maps/random-$size"
    yes "some text of $size" | head -c "$size" >"$1/maps/deep/text-$size"
  done
  yes 'a line of a large file' | head -c 12000000 >"$1/ordner größe/large.txt"
  head -c 9000000 /dev/urandom >"$1/ordner größe/large.bin"
  printf '\x28\xb5\x2f\xfd\x04\x00\x09\x00\x00\x61\xfc\x5e\xcc\x62' >"$1/maps/deep/er/a.zst"
  # A texture of 256 x 256 in BC1 with 9 levels and 2 layers.
  {
    printf 'DDS \x7c\0\0\0\x07\x10\x02\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\x09\0\0\0'
    head -c 44 /dev/zero
    printf '\x20\0\0\0\x04\0\0\0DX10'
    head -c 40 /dev/zero
    printf '\x47\0\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0'
    yes 'blocks of a texture ....' | head -c $((2 * (32768 + 8192 + 2048 + 512 + 128 + 32 + 8 + 8 + 8)))
  } >"$1/maps/texture.dds"
}

make_files files
rmdir 'files/empty folder'
cp -r files before

# Pack, list, verify, unpack; another reader gets the same.
expect 0 "pack" "$gstd" pack files -o game.wpk -T2
says "pack" "gained"
expect 0 "verify" "$gstd" verify game.wpk
says "verify" "good, 16 files"
expect 0 "unpack" "$gstd" unpack game.wpk -o unpacked
same "unpack" files unpacked
expect 0 "read_pack.py" "$python" "$reader" game.wpk by_python "$gstd"
same "read_pack.py" files by_python
expect 0 "list" "$gstd" list game.wpk
for line in '^gstd .* 256x256/9\*2 .* maps/texture.dds$' '^raw .* maps/random-0$' '^zst .* maps/deep/er/a.zst$' \
            '^gstd .* ordner größe/large.txt$' '^raw .* ordner größe/large.bin$' '^16 files'; do
  ((++checks))
  grep -qE "$line" out || fail "list has no line like $line: $(cat out)"
done
expect 0 "list --json" "$gstd" list --json game.wpk
cp out list.json
expect 0 "list --json is JSON" "$python" -c 'import json, sys
entries = json.load(open("list.json"))
assert len(entries) == 16 and [e["path"] for e in entries] == sorted(e["path"] for e in entries)
texture, = [e["image"] for e in entries if "image" in e]
assert texture == dict(file="dds", vk_format=133, width=256, height=256, depth=1, levels=9, layers=2, faces=1)'
if command -v file >/dev/null; then
  expect 0 "file" file -b -m "$(dirname "$reader")/../../tools/gstd/gstd.magic" game.wpk
  grep -qx 'weft pack, version 1' out || fail "file(1) says $(cat out)"
fi

# Parts of a pack; files that are there.
expect 0 "unpack a path and a folder" "$gstd" unpack game.wpk -o part maps/texture.dds "ordner größe/"
same "a path" files/maps/texture.dds part/maps/texture.dds
same "a folder" "files/ordner größe" "part/ordner größe"
((++checks))
[[ ! -e part/maps/random-1 ]] || fail "unpack writes what was not asked for"
expect 1 "unpack a path that is not there" "$gstd" unpack game.wpk -o part2 nothing
says "unpack a path that is not there" "no such path"
expect 1 "unpack --limit" "$gstd" unpack --fsync --limit=10M game.wpk -o limited
says "unpack --limit" "large.txt: has more content than --limit allows"
((++checks))
[[ -e "limited/ordner größe/large.bin" && ! -e "limited/ordner größe/large.txt" ]] || fail "--limit keeps others back"
expect 1 "unpack over files" "$gstd" unpack game.wpk -o part maps/texture.dds
says "unpack over files" "already exists"
echo changed >part/maps/texture.dds
expect 0 "unpack -f" "$gstd" unpack -f game.wpk -o part maps/texture.dds
same "unpack -f" files/maps/texture.dds part/maps/texture.dds
((++checks))
[[ -z $(find . -name '.gstd-*') ]] || fail "unpack leaves unfinished files"

# Nothing is written outside of the directory.
mkdir outside target
ln -s ../outside target/maps
expect 1 "unpack through a link" "$gstd" unpack game.wpk -o target maps/texture.dds
says "unpack through a link" "or a link to one"
mkdir target2 target2/maps
ln -s ../../outside/texture target2/maps/texture.dds
expect 1 "unpack onto a link" "$gstd" unpack game.wpk -o target2 maps/texture.dds
expect 0 "unpack -f onto a link" "$gstd" unpack -f game.wpk -o target2 maps/texture.dds
((++checks))
[[ -z $(ls outside) && ! -L target2/maps/texture.dds ]] || fail "unpack follows a link"

# The same bytes by any number of threads, whatever the order of the directory.
for threads in 1 3; do
  mkdir "copy$threads"
  (cd files && find . -type f -print0 | sort -zR | xargs -0 cp --parents -t "../copy$threads")
  expect 0 "pack -T$threads" "$gstd" pack "copy$threads/" -T$threads -o "t$threads.wpk"
  same "pack -T$threads" game.wpk "t$threads.wpk"
done
expect 0 "pack into the directory itself" "$gstd" pack copy1 -o copy1/game.wpk
same "pack into the directory itself" game.wpk copy1/game.wpk
expect 0 "pack -f into the directory itself" "$gstd" pack -f copy1 -o copy1/game.wpk
same "pack -f into the directory itself" game.wpk copy1/game.wpk

# What no pack can have.
expect 1 "pack over a pack" "$gstd" pack files -o game.wpk
says "pack over a pack" "already exists"
mkdir strange
ln -s /etc/passwd strange/link
mkfifo strange/pipe
echo good >strange/good
expect 0 "pack leaves links out" "$gstd" pack strange -o strange.wpk
says "pack leaves links out" "a symbolic link"
says "pack leaves links out" "no regular file"
echo bad >'strange/a\b'
expect 1 "pack of a strange name" "$gstd" pack strange -o strange2.wpk
says "pack of a strange name" 'a\b: the path has'
expect 1 "pack of nothing" "$gstd" pack missing -o missing.wpk
expect 1 "pack of a file" "$gstd" pack list.json -o missing.wpk
mkdir nothing
expect 0 "pack of an empty directory" "$gstd" pack nothing -o nothing.wpk
expect 0 "verify an empty pack" "$gstd" verify nothing.wpk
for arguments in "pack files" "pack -o x.wpk" "pack files strange -o x.wpk" "list" "verify game.wpk game.wpk" \
                 "pack -d files -o x.wpk" "pack -c files -o x.wpk" "unpack" "pack --json files -o x.wpk" \
                 "pack --compact files -o x.wpk" "--compact list.json" "verify -o x game.wpk" \
                 "update files -o none.wpk" "pack --tile=1000 files -o x.wpk" "pack --gpu files -o x.wpk"; do
  # shellcheck disable=SC2086 # words are wanted
  expect 1 "$arguments" "$gstd" $arguments
  says "$arguments" "gstd: "
done
((++checks))
[[ ! -e x.wpk && ! -e none.wpk ]] || fail "a refused command leaves a pack"
echo content >pack
expect 0 "a file of that name" "$gstd" -q ./pack
((++checks))
[[ -e pack.gst ]] || fail "a file called pack is not compressed"

# Damage is found and named.
cp game.wpk damaged.wpk
# spoil_asset PACK PATH: inverts one of its stored bytes.
spoil_asset() {
  "$gstd" list --json "$1" >list.json
  spoil "$1" "$("$python" -c 'import json, sys
print([e["position"] + 2000 for e in json.load(open("list.json")) if e["path"] == sys.argv[1]][0])' "$2")"
}
spoil_asset damaged.wpk "ordner größe/large.txt"
expect 1 "verify finds damage" "$gstd" verify damaged.wpk
says "verify finds damage" "ordner größe/large.txt: byte "
expect 1 "unpack finds damage" "$gstd" unpack damaged.wpk -o damaged
((++checks))
[[ ! -e "damaged/ordner größe/large.txt" && -e "damaged/ordner größe/large.bin" ]] ||
  fail "unpack leaves a damaged file, or stops at it"
head -c 100000 game.wpk >short.wpk
expect 1 "a short pack" "$gstd" list short.wpk
says "a short pack" "byte 100000: the pack has"
expect 1 "no pack" "$gstd" verify list.json
expect 1 "a pack from a pipe" "$gstd" list -
spoil damaged.wpk $(($(stat -c %s damaged.wpk) - 5))
expect 1 "a damaged directory" "$gstd" unpack damaged.wpk -o damaged2
says "a damaged directory" "the directory is damaged"

# update: what has not changed stays where it is.
cp game.wpk updated.wpk
expect 0 "update of nothing" "$gstd" update files -o updated.wpk
says "update of nothing" "nothing has changed"
same "update of nothing" game.wpk updated.wpk
touch "files/ordner größe/large.txt"
echo more >>files/maps/random-4097
echo new >files/new
rm files/maps/random-70000
expect 0 "update" "$gstd" update files -o updated.wpk
says "update" "2 files written, 14 kept"
expect 0 "verify an update" "$gstd" verify updated.wpk
expect 0 "unpack an update" "$gstd" unpack updated.wpk -o unpacked2
same "unpack an update" files unpacked2
expect 0 "read_pack.py of an update" "$python" "$reader" updated.wpk by_python2 "$gstd"
same "read_pack.py of an update" files by_python2
((checks += 2))
cmp -s -i 8192 -n $(($(stat -c %s game.wpk) - 8192)) game.wpk updated.wpk || fail "update rewrites what has not changed"
(($(stat -c %s updated.wpk) < $(stat -c %s game.wpk) + 100000)) || fail "update writes more than what has changed"
# Until its header is written, an update has changed nothing: the later header is of the second slot.
cp updated.wpk torn.wpk
spoil torn.wpk 4200
expect 0 "unpack a torn update" "$gstd" unpack torn.wpk -o torn
same "unpack a torn update" before torn
expect 0 "update a torn update" "$gstd" update files -o torn.wpk
same "update a torn update" updated.wpk torn.wpk
cp before/maps/random-4097 files/maps
cp -p updated.wpk third.wpk
expect 0 "a second update" "$gstd" update files -o third.wpk
expect 0 "unpack a second update" "$gstd" unpack third.wpk -o unpacked3
same "unpack a second update" files unpacked3
# Compacted, it is what pack makes.
expect 0 "update --compact" "$gstd" update --compact files -o third.wpk
expect 0 "pack for comparison" "$gstd" pack files -o fresh.wpk
same "update --compact" fresh.wpk third.wpk
spoil_asset third.wpk "ordner größe/large.txt"
cp third.wpk third_before.wpk
expect 1 "update --compact of a damaged pack" "$gstd" update --compact files -o third.wpk
same "update --compact of a damaged pack" third_before.wpk third.wpk

# An interrupted run is gone on with: first one that the disk refuses, then killed ones.
(
  trap '' XFSZ
  ulimit -f 7000
  "$gstd" pack files -o resumed.wpk 2>err
) && fail "pack writes more than the limit"
says "pack beyond a limit" "File too large"
((++checks))
[[ ! -e resumed.wpk && -s resumed.wpk.journal ]] || fail "an interrupted run has no journal, or a pack"
cp resumed.wpk.unfinished other.wpk.unfinished
cp resumed.wpk.journal other.wpk.journal
cp resumed.wpk.unfinished spoilt.wpk.unfinished
cp resumed.wpk.journal spoilt.wpk.journal
expect 0 "pack goes on" "$gstd" pack files -o resumed.wpk
says "pack goes on" "going on after"
same "pack goes on" fresh.wpk resumed.wpk
((++checks))
[[ -z $(ls resumed.wpk.*) ]] 2>/dev/null || fail "a finished run leaves files"
# With other options, or a spoilt journal, it begins anew; with files that changed, from these on.
expect 0 "pack with other options" "$gstd" pack -5 files -o other.wpk
((++checks))
if grep -q 'going on' err; then fail "pack goes on with other options"; fi
expect 0 "pack -5" "$gstd" pack -5 files -o other5.wpk
same "pack with other options" other.wpk other5.wpk
spoil spoilt.wpk.journal 300
expect 0 "pack with a spoilt journal" "$gstd" pack files -o spoilt.wpk
same "pack with a spoilt journal" fresh.wpk spoilt.wpk

mkdir many
for i in {1..60}; do yes "file $i of many, of which each has lines" | head -c 300000 >"many/$i"; done
expect 0 "pack many" "$gstd" pack -22 many -o many.wpk -T1
for delay in 0.05 0.2 0.4 0.7; do
  "$gstd" pack -22 many -o killed.wpk -q -T1 &
  sleep "$delay"
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  [[ ! -e killed.wpk ]] || break
done
[[ -e killed.wpk ]] || expect 0 "pack after kills" "$gstd" pack -22 many -o killed.wpk
same "pack after kills" many.wpk killed.wpk

# Within a large file, too: killed when the journal names a part of it, which is then gone on with.
mkdir long
# Seconds of work: the journal is written after each.
awk 'BEGIN { for (i = 0; i < 200000; ++i) printf "%d item %d of %x\n", i, rand() * 5000, rand() * 65536 }' >long/file
truncate -s 9000000 long/file
options=(-22 --segment=1M -T1)
expect 0 "pack a large file" "$gstd" pack "${options[@]}" long -o long.wpk
"$gstd" pack "${options[@]}" long -o part.wpk -q &
for ((i = 0; i < 3000; ++i)); do
  [[ -s part.wpk.journal || -e part.wpk ]] && break
  sleep 0.01
done
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
((++checks))
[[ ! -e part.wpk && -s part.wpk.journal ]] || fail "the part of a large file is not in the journal"
cp part.wpk.unfinished changed.wpk.unfinished
cp part.wpk.journal changed.wpk.journal
expect 0 "pack goes on within a file" "$gstd" pack "${options[@]}" long -o part.wpk
says "pack goes on within a file" "going on after 0 of 1 files, within the next one"
same "pack goes on within a file" long.wpk part.wpk
# What has changed meanwhile is seen.
printf x | dd of=long/file bs=1 seek=100 conv=notrunc status=none
expect 0 "pack goes on with a changed file" "$gstd" pack "${options[@]}" long -o changed.wpk
expect 0 "unpack a changed file" "$gstd" unpack changed.wpk -o changed
same "pack goes on with a changed file" long changed

end_checks
