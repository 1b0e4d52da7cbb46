#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# What the gstd command does with files, pipes, terminals and signals.
#   gstd_cli_test.sh GSTD FAILING_FSYNC    GSTD: the command; FAILING_FSYNC: failing_fsync.cpp as a library. Also needs
#   script (bsdutils), env and cmp; of zstd what is there.
set -uo pipefail

gstd=$(realpath "$1")
failing_fsync=$(realpath "$2")
root=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$(realpath "$0")")/checks.sh"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1

# quiet WHAT: the last command said nothing on standard error.
quiet() {
  ((++checks))
  [[ ! -s err ]] || fail "$1: says '$(head -c 300 err)'"
}

same() {
  ((++checks))
  cmp -s "$2" "$3" || fail "$1: $2 and $3 differ"
}

there() {
  local what=$1 file
  shift
  for file in "$@"; do
    ((++checks))
    [[ -e $file ]] || fail "$what: $file is not there"
  done
}

# absent WHAT FILE...
absent() {
  local what=$1 file
  shift
  for file in "$@"; do
    ((++checks))
    [[ ! -e $file ]] || fail "$what: $file is there"
  done
}

unfinished() { compgen -G '.gstd-*' >/dev/null; }

# on_terminal COMMAND: standard output (and all else) of a shell's command is a terminal.
on_terminal() { script -qec "$1" /dev/null </dev/null; }

# Content with tiles that compress, that do not, and that repeat.
{
  for ((i = 0; i < 6000; ++i)); do
    printf 'line %d of some text that repeats itself, more or less: %d\n' "$i" $((i * i))
  done
  head -c 150000 /dev/urandom
  head -c 200000 /dev/zero
} >content
cp content original

# Files.
expect 0 "compress" "$gstd" content
there "compress" content content.gst
says "compress" "content: "
same "sources are kept" content original
expect 1 "an output that is there" "$gstd" content </dev/null
says "an output that is there" "content.gst: already exists"
expect 0 "overwrite" "$gstd" -f content
rm content
expect 0 "decompress" "$gstd" -d content.gst
same "decompress" content original
there "decompress keeps" content.gst
expect 1 "decompress onto a file" "$gstd" -d content.gst </dev/null
expect 0 "quiet" "$gstd" -q -f content
quiet "-q"
expect 0 "-o" "$gstd" content -o other.gst
same "-o" content.gst other.gst
expect 0 "combined letters" "$gstd" -dfkqo back content.gst
quiet "combined letters"
same "combined letters" back original
expect 0 "long options" "$gstd" --decompress --force --keep --quiet --output=back2 content.gst
same "long options" back2 original
chmod 640 content
touch -d '2001-02-03 04:05:06' content
expect 0 "mode and times" "$gstd" -f content
[[ $(stat -c '%a %Y' content.gst) == $(stat -c '%a %Y' content) ]] || fail "mode and times are not the source's"

expect 1 "an output that is the input" "$gstd" -f content -o ./content
says "an output that is the input" "the output is the input"
same "an output that is the input" content original

# Pipes.
expect 0 "through pipes" bash -c "'$gstd' <original | '$gstd' -d >piped"
quiet "through pipes"
same "through pipes" piped original
expect 0 "-c" "$gstd" -c content
same "-c writes what a file would have" out content.gst
head -c 150000 original >few
expect 0 "few bytes" "$gstd" few
expect 0 "few bytes of a pipe have a known size" bash -c "cat few | '$gstd' | cmp - few.gst"
expect 0 "with --segment more" bash -c "cat original | '$gstd' --segment=64M | cmp - content.gst"
# The pipe stays open, with 256 KiB more than what has to come out.
mkfifo slow
"$gstd" -q <slow | "$gstd" -qd >passed &
exec {to_slow}>slow
head -c 524288 original >&"$to_slow"
for ((i = 0; i < 200 && $(wc -c <passed) < 262144; ++i)); do sleep 0.1; done
((++checks))
(($(wc -c <passed) >= 262144)) || fail "a pipe passes on what it has: only $(wc -c <passed) bytes"
exec {to_slow}>&-
wait $!
same "a pipe passes on what it has" passed <(head -c 524288 original)
expect 0 "a file that does not report its size" bash -c "'$gstd' -c /proc/version | '$gstd' -d | cmp - /proc/version"
expect 0 "- is standard input" bash -c "'$gstd' -d - <content.gst >piped"
same "- is standard input" piped original
expect 0 "standard input to a file" bash -c "cat original | '$gstd' -T2 -o piped.gst"
expect 0 "and back" "$gstd" -dc piped.gst
same "and back" out original
cat content.gst other.gst >both.gst
cat original original >twice
expect 0 "streams one after the other" "$gstd" -dc both.gst
same "streams one after the other" out twice
# Skippable frames: one without data, one of 4 bytes, and one that is longer than what a pipe passes on at once.
printf '\x5f\x2a\x4d\x18\0\0\0\0\x50\x2a\x4d\x18\4\0\0\0GSTD' >short_frames
{
  printf '\x51\x2a\x4d\x18\0\0\x50\0'
  head -c 5242880 /dev/zero
} >long_frame
cat short_frames content.gst long_frame other.gst short_frames >framed.gst
expect 0 "skippable frames" "$gstd" -dc framed.gst
same "skippable frames" out twice
expect 0 "skippable frames of a pipe" bash -c "cat framed.gst | '$gstd' -dc"
same "skippable frames of a pipe" out twice
cat long_frame content.gst >late.gst
expect 0 "a long skippable frame first" "$gstd" -dc late.gst
same "a long skippable frame first" out original
expect 0 "-l of skippable frames" "$gstd" -lv framed.gst late.gst
grep -q 'streams: 2, skippable frames: 5$' out || fail "-l does not count skippable frames: $(cat out)"
grep -q 'streams: 3, skippable frames: 6$' out || fail "-l does not count all skippable frames: $(cat out)"
if command -v zstd >/dev/null; then
  zstd -q -c content >content.zst
  cat short_frames content.zst >framed.zst
  expect 0 "skippable frames before Zstandard's" bash -c "cat framed.zst | '$gstd' -dc"
  same "skippable frames before Zstandard's" out original
fi
expect 0 "several files to standard output" bash -c "'$gstd' -c content original | '$gstd' -dc"
same "several files to standard output" out twice
: >empty
"$gstd" -q <empty >empty.gst
expect 0 "nothing" bash -c "'$gstd' <empty | '$gstd' -d"
same "nothing" out empty
expect 0 "a device" "$gstd" -f content -o /dev/null
[[ -c /dev/null ]] || fail "/dev/null was replaced"

# Threads and levels.
for level in 1 3 9 22 -fast -fast=3 -fast=5; do
  expect 0 "level $level" "$gstd" -"$level" -T1 -fo "one.gst" content
  expect 0 "level $level, threads" "$gstd" -"$level" -T3 -fo "many.gst" content
  same "threads make no difference" one.gst many.gst
  expect 0 "level $level back" "$gstd" -dcT3 many.gst
  same "level $level back" out original
done
expect 0 "--fast without a number" "$gstd" --fast -fo one.gst content
expect 0 "--fast=1" "$gstd" --fast=1 -fo other.one.gst content
same "--fast without a number" one.gst other.one.gst
expect 0 "--fast=1000" "$gstd" --fast=1000 -fo many.gst content
expect 0 "--fast=5" "$gstd" --fast=5 -fo other.one.gst content
same "--fast=1000" many.gst other.one.gst
(($(stat -c %s many.gst) >= $(stat -c %s one.gst))) || fail "--fast=5 is smaller than --fast"
for number in 0 x ""; do expect 1 "--fast=$number" "$gstd" --fast="$number" content; done
for weight in "" =0 =1 =2 =16; do
  expect 0 "--fast-decode$weight" "$gstd" -14 --fast-decode"$weight" -fo "weight$weight.gst" content
  expect 0 "--fast-decode$weight back" "$gstd" -dc "weight$weight.gst"
  same "--fast-decode$weight" out original
done
same "--fast-decode without a number" weight.gst weight=2.gst
expect 0 "-14" "$gstd" -14 -fo other.one.gst content
same "--fast-decode=1" weight=1.gst other.one.gst
(($(stat -c %s weight=16.gst) > $(stat -c %s weight=1.gst))) || fail "--fast-decode=16 takes no more bytes than 1"
for number in 17 -1 x ""; do
  expect 1 "--fast-decode=$number" "$gstd" --fast-decode="$number" content
  says "--fast-decode=$number" "--fast-decode=$number: not a number from 0 to 16"
done
for options in --tile=16K "--tile=1M --segment=1M" --filter=none --filter=delta:3 --filter=zigzag-planes:4 --no-check \
               --no-contexts --ultra --threads=2 "--tile 128K"; do
  # shellcheck disable=SC2086 # words are wanted
  expect 0 "$options" "$gstd" $options -fo with.gst content
  expect 0 "$options back" "$gstd" -dc with.gst
  same "$options" out original
done

# Names.
cp original ./-dash
expect 0 "names after --" "$gstd" -f -- -dash
there "names after --" ./-dash.gst
expect 0 "names after -- back" "$gstd" -dfc -- -dash.gst
same "names after --" out original
cp original 'with space'
expect 0 "several files" "$gstd" -f content 'with space'
there "several files" 'with space.gst'
expect 1 "an unknown suffix" "$gstd" -d original
says "an unknown suffix" "original: its name does not end in .gst"
cp content.gst .gst
expect 1 "a name that is only the suffix" "$gstd" -d .gst
rm .gst

# --rm.
cp original gone
expect 0 "--rm" "$gstd" --rm gone
absent "--rm" gone
there "--rm" gone.gst
expect 0 "--rm back" "$gstd" -d --rm gone.gst
absent "--rm back" gone.gst
same "--rm back" gone original
expect 0 "--rm and standard output" "$gstd" -c --rm gone
there "--rm and standard output" gone
expect 0 "--rm and a device" "$gstd" -f --rm gone -o /dev/null
there "--rm and a device" gone
expect 0 "-k after --rm" "$gstd" --rm -k -f gone
there "-k after --rm" gone
# --fsync: the file's, then its directory's, and only then --rm.
failing_call() { env LD_PRELOAD="$failing_fsync" FSYNC_FAILS="$1" "${@:2}"; }
for call in 1 2; do
  rm -f synced.gst
  cp original synced
  expect 1 "--fsync that fails" failing_call $call "$gstd" --fsync --rm synced
  says "--fsync that fails" "synced: cannot finish its output: Input/output error"
  there "--fsync that fails" synced
done
expect 0 "without --fsync" failing_call 1 "$gstd" -f synced
expect 0 "--fsync" failing_call 3 "$gstd" --fsync -f --rm synced
absent "--fsync and --rm" synced
expect 0 "--fsync and a pipe" bash -c "'$gstd' -dc --fsync synced.gst | cmp - original"
head -c 1000 gone.gst >cut.gst
# Of a damaged file all that is before the damage comes out, by any number of threads.
head -c $(($(stat -c %s many.gst) * 2 / 3)) many.gst >"cut off.gst"
cp many.gst spoilt.gst
spoil spoilt.gst $(($(stat -c %s many.gst) * 2 / 3))
for damage in "cut off" spoilt; do
  expect 1 "-dc of what is $damage" "$gstd" -dcT1 "$damage.gst"
  mv out by_one
  cmp -s -n "$(stat -c %s by_one)" by_one original || fail "-dc of what is $damage: not the content's beginning"
  ((++checks))
  (($(stat -c %s by_one) > $(stat -c %s original) / 2)) || fail "-dc of what is $damage: $(stat -c %s by_one) bytes"
  for threads in 2 3 8; do
    expect 1 "-dc of what is $damage, $threads threads" "$gstd" -dcT$threads "$damage.gst"
    same "-dc of what is $damage, $threads threads" out by_one
  done
done
expect 1 "--rm of what is damaged" "$gstd" -d --rm cut.gst
there "--rm of what is damaged" cut.gst
absent "--rm of what is damaged" cut

# -r.
mkdir -p tree/below
cp original tree/one
cp original tree/below/two
ln -s ../content tree/link
expect 1 "a directory" "$gstd" tree
says "a directory" "tree: is a directory; -r works on what is in it"
expect 0 "-r" "$gstd" -rq tree
there "-r" tree/one.gst tree/below/two.gst
absent "-r" tree/link.gst
expect 0 "-r a second time leaves .gst alone" "$gstd" -rqf tree
absent "-r a second time" tree/one.gst.gst
rm tree/one tree/below/two
expect 0 "-r back" "$gstd" -dr tree
same "-r back" tree/below/two original
expect 0 "-rt" "$gstd" -rt tree
touch tree/.gstd-1-0.unfinished
expect 0 "-r and an unfinished file" "$gstd" -rf tree
says "-r and an unfinished file" "gstd: tree/.gstd-1-0.unfinished: is skipped"
absent "-r and an unfinished file" tree/.gstd-1-0.unfinished.gst
expect 1 "-r with -o" "$gstd" -r tree -o x

# --filelist and --exclude-compressed.
mkdir listed
cp original listed/one
cp original listed/-two
cp original listed/three.png
printf 'listed/one\n\nlisted/-two' >names
printf 'listed/three.png\n' >more_names
expect 0 "--filelist" "$gstd" --filelist names --filelist=more_names --exclude-compressed
there "--filelist" listed/one.gst listed/-two.gst
absent "--exclude-compressed" listed/three.png.gst
# Each name that the manual lists is skipped, so that nothing is said.
mapfile -t excluded < <(sed -n '/^\.B .*exclude/,/flac/p' "$root/docs/gstd.1" | grep -oE '\.[a-z0-9]+')
((${#excluded[@]} > 20)) || fail "the manual lists few names: ${excluded[*]}"
touch "${excluded[@]/#/listed/x}"
expect 0 "--exclude-compressed of nothing else" "$gstd" --exclude-compressed "${excluded[@]/#/listed/x}"
quiet "--exclude-compressed of nothing else"
expect 0 "--exclude-compressed and -r" "$gstd" -rf --exclude-compressed listed
absent "--exclude-compressed and -r" listed/three.png.gst
expect 0 "a list of nothing" bash -c "'$gstd' --filelist=empty <original"
[[ ! -s out ]] || fail "a list of nothing: standard input was read"
expect 1 "a list that is not there" "$gstd" --filelist=absent
says "a list that is not there" "absent: No such file or directory"

# --output-dir-flat and --output-dir-mirror.
expect 0 "--output-dir-flat" "$gstd" -qr --output-dir-flat flat/new ./tree
there "--output-dir-flat" flat/new/one.gst flat/new/two.gst
expect 1 "--output-dir-flat and an output that is there" "$gstd" --output-dir-flat flat/new tree/one
says "--output-dir-flat and an output that is there" "tree/one: cannot write flat/new/one.gst: already exists"
expect 1 "two inputs with one output" "$gstd" -f --rm --output-dir-flat=flat/new listed/one tree/one
says "two inputs with one output" "tree/one: another input has the output flat/new/one.gst"
absent "two inputs with one output" listed/one
there "two inputs with one output" tree/one
expect 1 "--output-dir-flat of a file's name" "$gstd" --output-dir-flat=original content
says "--output-dir-flat of a file's name" "content: cannot make original: "
expect 0 "--output-dir-mirror" "$gstd" -qr --output-dir-mirror=mirror ./tree "$PWD/tree/one" tree/../listed/-two
there "--output-dir-mirror" mirror/tree/one.gst mirror/tree/below/two.gst mirror/listed/-two.gst
there "--output-dir-mirror of a whole path" "mirror$PWD/tree/one.gst"
expect 0 "--output-dir-mirror back" "$gstd" -dqr --output-dir-mirror back_tree mirror/tree
same "--output-dir-mirror back" back_tree/mirror/tree/below/two original
expect 1 "--output-dir-mirror of .." bash -c "cd tree && '$gstd' --output-dir-mirror=mirror ../original"
says "--output-dir-mirror of .." "../original: begins with"

# --pass-through.
printf 'GST' >short
for plain in original empty short; do
  expect 0 "-dcf of $plain" "$gstd" -dcf "$plain"
  same "-dcf of $plain" out "$plain"
done
expect 0 "-df of a pipe, and a stream beside" bash -c "cat original | '$gstd' -df | cmp - original &&
                                                       '$gstd' -dcf original content.gst | cmp - twice"
cp original plain.gst
expect 1 "-df to a file" "$gstd" -df plain.gst
absent "-df to a file" plain
expect 0 "--pass-through to a file" "$gstd" -d --pass-through plain.gst
same "--pass-through to a file" plain original
expect 1 "--no-pass-through" "$gstd" -dcf --no-pass-through original
says "--no-pass-through" "original: byte 0: not a gstd stream"
expect 1 "--pass-through and --limit" "$gstd" -dcf --limit=1000 original
[[ ! -s out ]] || fail "--pass-through and --limit: something was written"
expect 1 "-tf of something else" "$gstd" -tf original

# -t and -l.
expect 0 "-t" "$gstd" -t content.gst
says "-t" "content.gst: good, $(stat -c %s original) bytes"
expect 0 "-l" "$gstd" -l content.gst other.gst
grep -q 'content.gst$' out || fail "-l does not list content.gst"
# Totals are the numbers that their concatenation has.
"$gstd" -q --no-check --tile=16K -fo third.gst original
cat content.gst third.gst >joined.gst
for verbose in "" -v; do
  # shellcheck disable=SC2086 # none is wanted
  expect 0 "-l of one file" "$gstd" -l $verbose joined.gst
  sed 1d out >one_file
  # shellcheck disable=SC2086 # none is wanted
  expect 0 "-l of several files" "$gstd" -l $verbose content.gst third.gst
  tail -n "$(wc -l <one_file)" out | sed 's/(2 files)/joined.gst/' >totals
  same "-l of several files" totals one_file
done
expect 0 "--json" "$gstd" -l --json content.gst both.gst
if command -v python3 >/dev/null; then
  python3 - "$(stat -c %s original)" "$(stat -c %s both.gst)" <<'EOF' || fail "--json is not what it should be"
import json, sys
first, second = json.load(open("out"))
size, compressed = int(sys.argv[1]), int(sys.argv[2])
assert first["file"] == "content.gst" and first["content_bytes"] == size and first["tile_checksums"] is True
assert second["streams"] == 2 and second["content_bytes"] == 2 * size and second["compressed_bytes"] == compressed
assert first["tiles"] == first["raw_tiles"] + first["fill_tiles"] + first["compressed_tiles"] == -(-size // 65536)
EOF
fi
expect 1 "-l of standard input" bash -c "'$gstd' -l <content.gst"
expect 1 "-l of something else" "$gstd" -l content.gst original
says "-l of something else" "original: byte 0: not a gstd stream"
grep -q 'content.gst$' out || fail "-l does not list the good one"
expect 1 "--json without -l" "$gstd" --json content

# Damage.
size=$(stat -c %s content.gst)
head -c $((size - 1)) content.gst >cut.gst
expect 1 "cut" "$gstd" -d cut.gst
says "cut" "cut.gst: byte $((size - 1)): the stream ends within a segment"
absent "cut" cut
expect 1 "-t cut" "$gstd" -t cut.gst content.gst
says "a good one after a bad one" "content.gst: good"
cp content.gst bad.gst
printf '\x5a' | dd of=bad.gst bs=1 seek=$((size / 2)) conv=notrunc status=none
expect 1 "changed" "$gstd" -d bad.gst
says "changed" "bad.gst: byte "
absent "changed" bad
expect 1 "changed, from a pipe" bash -c "'$gstd' -d <bad.gst"
says "changed, from a pipe" "standard input: byte "
expect 1 "-qq says nothing" "$gstd" -qq -d bad.gst
quiet "-qq"
expect 1 "empty is no stream" "$gstd" -dc empty
expect 1 "what is not there" "$gstd" absent content -fo /dev/null
expect 1 "what is not there" "$gstd" absent
says "what is not there" "absent: No such file or directory"
expect 1 "a place that is not there" "$gstd" content -o absent/place.gst
says "a place that is not there" "absent/place.gst"
expect 1 "a full device" "$gstd" -cf original -o /dev/full
expect 1 "a full device" bash -c "'$gstd' -c original >/dev/full"
says "a full device" "No space left on device"
expect 1 "-l on a full device" bash -c "'$gstd' -l content.gst >/dev/full"
if unfinished; then fail "unfinished files are left"; fi

# Limits.
head -c 3000000 /dev/zero | "$gstd" -q -o zeros.gst
expect 1 "--limit" "$gstd" -dc --limit=2999999 zeros.gst
says "--limit" "more content than the 2999999 bytes that are allowed"
[[ ! -s out ]] || fail "--limit: something was written"
expect 0 "a limit that is kept" "$gstd" -t --limit=3000000 zeros.gst

expect 1 "-M" "$gstd" -M8M -22 -c content
says "-M" "gstd: content: needs more memory than -M allows"
expect 1 "--memory" "$gstd" --memory=300K -c content
says "--memory" "gstd: more memory is needed than there is or -M allows"
expect 0 "a memory limit that is kept" "$gstd" -M32M -22 -fo with.gst content
expect 0 "a memory limit that is kept, back" "$gstd" -dc -M12M with.gst
same "a memory limit that is kept, back" out original

# --gpu: the same content, words and statuses as without it, where there is a device.
expect 1 "--gpu where no device is" env VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null \
       "$gstd" -dc --gpu content.gst
says "--gpu where no device is" "gstd: --gpu: "
[[ ! -s out ]] || fail "--gpu where no device is: something was written"
expect 1 "--gpu of no such device" "$gstd" -dc --gpu=nonesuch content.gst
says "--gpu of no such device" "gstd: --gpu: "
for options in "--gpu content" "-l --gpu content.gst" "-d --gpu= content.gst"; do
  # shellcheck disable=SC2086 # words are wanted
  expect 1 "$options" "$gstd" $options
  says "$options" "gstd: --gpu"
done
# alike WHAT OPTIONS...: with --gpu the command does what it does without: status, output, and what it says.
alike() {
  local what=$1 status
  shift
  "$gstd" "$@" >host.out 2>host.err
  status=$?
  expect "$status" "$what" "$gstd" --gpu "$@"
  ((status != 0)) || same "$what" out host.out
  same "$what: what is said" err host.err
}
# Many files a command, since a software device takes its time for every pipeline. No tile has more than 64 KiB:
# lavapipe ends what has gone through 65,535 iterations of loops.
has_gpu=''
if "$gstd" -t --gpu content.gst 2>err; then
  has_gpu=yes
  printf 'weft and warp, weft and warp, weft!' | "$gstd" -q >small.gst
  cat small.gst short_frames small.gst empty.gst >smalls.gst
  streams=(content.gst both.gst zeros.gst empty.gst smalls.gst framed.gst)
  for options in --tile=16K --segment=1M "--filter=delta:3 -9" "--filter=zigzag-planes:4" --no-check; do
    # shellcheck disable=SC2086 # words are wanted
    expect 0 "$options" "$gstd" $options -fo "with${#streams[@]}.gst" content
    streams+=("with${#streams[@]}.gst")
  done
  last=${streams[-1]}
  # Streams of one file, with checksums and without, are a run of each.
  cat content.gst "$last" content.gst >mixed.gst
  alike "--gpu -d" -dc "${streams[@]}" mixed.gst
  alike "--gpu -t" -t "${streams[@]}"
  expect 0 "--gpu to a file" "$gstd" -d --gpu=0 --rm -fo restored "$last"
  same "--gpu to a file" restored original
  absent "--gpu and --rm" "$last"
  # One tile more than a call takes: streams of a byte each.
  printf a | "$gstd" -q -fo one.gst
  printf b | "$gstd" -q -fo last.gst
  cp one.gst many.gst
  for _ in {1..16}; do
    cat many.gst many.gst >twice.gst
    mv twice.gst many.gst
  done
  cat last.gst >>many.gst
  alike "--gpu of many tiles" -dc many.gst
  (($(stat -c %s out) == 65537)) || fail "--gpu of many tiles: $(stat -c %s out) bytes"
  # Damage is reported in the same words, wherever it is: in headers, tables, and tiles.
  tables=$((56 + 8 * (($(stat -c %s original) + 65535) / 65536) + 4))
  damaged=()
  for at in 5 30 60 $((tables - 3)) "$tables" $((tables + 5)) $((tables + 400)) $((size / 2)) $((size - 2)); do
    cp content.gst "bad$at.gst"
    spoil "bad$at.gst" "$at"
    damaged+=("bad$at.gst")
  done
  # Halves of two files that fit each other are refused by the stream's checksum alone.
  for half in left right; do
    head -c 1500000 /dev/urandom >"$half"
    expect 0 "halves" "$gstd" -q -T1 --segment=1M -fo "$half.gst" "$half"
    begin=$(od -An -tu4 -j28 -N4 "$half.gst" | tr -d ' ')
    head -c "$begin" "$half.gst" >"$half.first"
    tail -c +$((begin + 1)) "$half.gst" >"$half.second"
  done
  cat left.first right.second >spliced.gst
  alike "--gpu of what is damaged" -t "${damaged[@]}" spliced.gst cut.gst empty original content.gst
  says "--gpu of what is damaged" "spliced.gst: byte "
  says "--gpu of what is damaged" "content.gst: good"
  alike "--gpu of what is damaged, unchecked" -t --no-check "${damaged[@]}" spliced.gst
  says "--gpu of what is damaged, unchecked" "spliced.gst: good"
  alike "--gpu beyond a limit" -dc --limit=2999999 zeros.gst
  expect 1 "--gpu of a damaged file" "$gstd" -d --gpu -fo damaged "bad$((size / 2)).gst"
  absent "--gpu of a damaged file" damaged
  expect 1 "--gpu and -M" "$gstd" -dc --gpu -M$((size - 1)) content.gst
  says "--gpu and -M" "content.gst: needs more memory than -M allows"
  expect 0 "--gpu and -M that is kept" "$gstd" -t --gpu -M"$size" content.gst
  if unfinished; then fail "--gpu: unfinished files are left"; fi
else
  grep -q '^gstd: --gpu: ' err || fail "-t --gpu: $(head -c 300 err)"
  printf 'no Vulkan device: --gpu is not tried\n' >&2
fi

# Options that are none.
for options in -x -M -Mx --memory=-1 --nonsense -0 -23 -T300 -Tx --tile=1000 --tile=100K --tile= --segment=1K \
               --filter=best --filter=delta:0 --filter=zigzag-planes:3 --filter=bc1:4 --limit=x --long=40 -o --tile \
               "-b5 -e2" "-c -o x" "-c --output-dir-flat=x" "-o x --output-dir-mirror=x" --output-dir-flat= "-i" "-e" \
               --pass-through "-d --exclude-compressed" "--from-zst --exclude-compressed"; do
  # shellcheck disable=SC2086 # words are wanted
  expect 1 "$options" "$gstd" $options content
  says "$options" "gstd: "
  ((++checks))
  if grep -q 'gstd: gstd:' err; then fail "$options: $(head -c 300 err)"; fi
done
expect 1 "-o with two inputs" "$gstd" content original -o two.gst
absent "-o with two inputs" two.gst
expect 0 "-h" "$gstd" -h
grep -q '^usage: gstd' out || fail "-h has no usage"
# The manual and the completions have every long option of -h.
grep -oE -- '--(\[no-\])?[a-z][a-z-]*' out | sed -E 's/^--\[no-\](.*)/--\1\n--no-\1/' | sort -u >long_options
(($(wc -l <long_options) > 20)) || fail "-h has few long options: $(xargs <long_options)"
for list in docs/gstd.1 tools/gstd/completions/{gstd.bash,_gstd,gstd.fish}; do
  sed 's/\\//g; s/ -l / --/g' "$root/$list" >listed_options
  while read -r option; do
    ((++checks))
    grep -qE -- "$option([^a-z-]|\$)" listed_options || fail "$list lacks $option"
  done <long_options
done
expect 0 "-V" "$gstd" -V
grep -q '^gstd [0-9.]*, format 2' out || fail "-V has no version"

# completes LINE WORD...: bash's completions of the last word of a line are these.
completes() {
  ((++checks))
  local found
  found=$(bash -c 'source "$0" && read -ra COMP_WORDS <<<"$1" && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) &&
                   complete -p gstd >&2 && _gstd && printf "%s\n" "${COMPREPLY[@]}" | sort | xargs' \
               "$root/tools/gstd/completions/gstd.bash" "$1" 2>completed)
  [[ $found == "${*:2}" ]] || fail "completions of '$1' are '$found'"
  grep -q -- '-F _gstd gstd' completed || fail "completions are not registered: $(cat completed)"
}
completes "gstd --fast" --fast --fast-decode
completes "gstd --fi" --filelist --filter
completes "gstd --co" --compact --compress --contexts
completes "gstd unp" unpack
: >game.wpk
completes "gstd list game" game.wpk
completes "gstd --filter = delta" delta delta-planes
completes "gstd --tile 6" 64K
completes "gstd -19 origin" original
: >content.zst
completes "gstd -dk conte" content.gst content.zst
completes "gstd --output-dir-flat = mir" mirror
if command -v zsh >/dev/null; then expect 0 "zsh reads the completions" zsh -n "$root/tools/gstd/completions/_gstd"; fi
if command -v fish >/dev/null; then
  expect 0 "fish's completions" fish -c "source $root/tools/gstd/completions/gstd.fish; complete -C 'gstd --file'"
  grep -q '^--filelist' out || fail "fish's completions: $(cat out)"
fi

# file(1) and tar(1).
if command -v file >/dev/null; then
  expect 0 "file" file -b -m "$root/tools/gstd/gstd.magic" content.gst
  grep -qx "gstd compressed data, format 2, $(stat -c %s original) bytes of content" out || fail "file: $(cat out)"
  for bytes in 0 1 4096 65535 65536; do
    head -c "$bytes" original | "$gstd" -q >sized.gst
    expect 0 "file of $bytes bytes" file -b -m "$root/tools/gstd/gstd.magic" sized.gst
    grep -qx "gstd compressed data, format 2, $bytes bytes of content" out || fail "file of $bytes bytes: $(cat out)"
  done
  head -c 5000000 /dev/zero | "$gstd" -q >unknown.gst
  expect 0 "file of content with an unknown size" file -b -m "$root/tools/gstd/gstd.magic" unknown.gst
  grep -qx "gstd compressed data, format 2" out || fail "file of content with an unknown size: $(cat out)"
fi
if command -v tar >/dev/null; then
  expect 0 "tar" tar -I "$gstd -19" -cf archive.tar.gst original tree
  expect 0 "the archive is compressed" "$gstd" -t archive.tar.gst
  expect 0 "tar back" tar -I "$gstd" -xOf archive.tar.gst original
  same "tar back" out original
fi

# Links are followed where nothing is made beside them.
ln -s original link
expect 1 "a link" "$gstd" link
says "a link" "link: is a symbolic link"
expect 0 "a link to standard output" "$gstd" -c link
expect 0 "a link by force" "$gstd" -fq link
expect 0 "a process's output as a file" bash -c "'$gstd' -c <(cat original) | '$gstd' -dc"
same "a process's output as a file" out original

# Terminals.
if command -v script >/dev/null; then
  cp original shown
  expect 1 "compressed bytes to a terminal" on_terminal "'$gstd' -c original"
  grep -q 'is a terminal' out || fail "a terminal: $(head -c 200 out)"
  expect 1 "content to a terminal" on_terminal "'$gstd' -d <content.gst"
  expect 0 "content to a terminal by -c" on_terminal "'$gstd' -dc zeros.gst"
  expect 1 "from a terminal" on_terminal "'$gstd' -d >x"
  expect 0 "no question where nobody answers" on_terminal "'$gstd' -f shown"
  expect 1 "a question" script -qec "'$gstd' shown" /dev/null <<<n
  grep -q 'overwrite (y/N)?' out || fail "no question: $(head -c 200 out)"
  before=$(stat -c %i shown.gst)
  expect 0 "a question, yes" script -qec "'$gstd' shown" /dev/null <<<y
  [[ $(stat -c %i shown.gst) != "$before" ]] || fail "yes did not overwrite"
else
  printf 'script is not there: terminals are not tried\n' >&2
fi

# A signal leaves nothing behind, and ends the command as signals do.
mkfifo pipe
for signal in INT TERM HUP PIPE; do
  env --default-signal="$signal" "$gstd" -f -o interrupted.gst pipe &
  child=$!
  exec 9>pipe
  head -c 1000000 original >&9
  for ((i = 0; i < 600; ++i)); do
    unfinished && break
    sleep 0.05
  done
  unfinished || fail "$signal: nothing was begun"
  kill -s "$signal" "$child"
  wait "$child"
  status=$?
  exec 9>&-
  ((++checks))
  ((status == 128 + $(kill -l "$signal"))) || fail "$signal: exit status $status"
  if unfinished; then fail "$signal: an unfinished file is left"; fi
  absent "$signal" interrupted.gst
done 2>/dev/null

# --from-zst.
if command -v zstd >/dev/null; then
  zstd -q -19 original -o from.zst
  expect 0 "--from-zst" "$gstd" --from-zst from.zst
  expect 0 "--from-zst back" "$gstd" -dc from.gst
  same "--from-zst" out original
  cat from.zst from.zst >frames.zst
  expect 0 "several frames" bash -c "'$gstd' --from-zst <frames.zst | '$gstd' -d"
  same "several frames" out twice
  head -c 1000 from.zst >half.zst
  expect 1 "half a .zst" "$gstd" --from-zst half.zst
  says "half a .zst" "it is cut off"
  absent "half a .zst" half.gst
  expect 1 "no .zst" "$gstd" --from-zst content -o x.gst
  absent "no .zst" x.gst
  expect 1 "no .zst's name" "$gstd" --from-zst content
  expect 1 "--from-zst beyond a limit" "$gstd" --from-zst -f --limit=1000 from.zst
  expect 0 "--from-zst of nothing" bash -c "zstd -q <empty | '$gstd' --from-zst | '$gstd' -d"
  [[ ! -s out ]] || fail "--from-zst of nothing gives something"
else
  printf 'zstd is not there: --from-zst is not tried\n' >&2
fi

# .zst files: what zstd makes is restored, tested and listed.
# zst_pieces BYTES FILE: a frame of each so many bytes, of one more level each.
zst_pieces() {
  local at
  for ((at = 0; at * $1 < $(stat -c %s "$2"); ++at)); do
    dd if="$2" bs="$1" skip=$at count=1 status=none | zstd -q -$((at % 19 + 1)) --check
  done
}
if command -v zstd >/dev/null; then
  skippable='\x51\x2a\x4d\x18\x05\x00\x00\x00hello'
  zst_pieces 50000 original >pieces.zst
  # shellcheck disable=SC2059 # bytes are wanted
  { printf "$skippable"; cat pieces.zst; printf "$skippable"; } >skipped.zst
  zstd -q -19 original -o 'one frame.zst'
  zstd -q -3 <original >unsized.zst
  zstd -q --no-check <empty >nothing.zst
  expect 0 "-d of a .zst" "$gstd" -d pieces.zst
  same "-d of a .zst" pieces original
  there "-d of a .zst keeps it" pieces.zst
  cp skipped.zst removed.zst
  expect 0 "-d of a .zst, --rm" "$gstd" -d --rm removed.zst
  absent "-d of a .zst, --rm" removed.zst
  same "-d of a .zst, --rm" removed original
  expect 0 ".zst and .gst files" "$gstd" -dc skipped.zst content.gst nothing.zst
  same ".zst and .gst files" out twice
  expect 0 "-dcf of a .zst" "$gstd" -dcf 'one frame.zst' original
  same "-dcf of a .zst" out twice
  expect 0 "a .zst from a pipe" bash -c "'$gstd' -d <unsized.zst"
  same "a .zst from a pipe" out original
  expect 0 "-t of a .zst" "$gstd" -t pieces.zst unsized.zst
  says "-t of a .zst" "unsized.zst: good, $(stat -c %s original) bytes"
  mkdir zst_tree
  cp pieces.zst zst_tree/one.zst
  cp content.gst zst_tree/two.gst
  expect 0 "-dr takes both" "$gstd" -dr zst_tree
  same "-dr takes .zst" zst_tree/one original
  same "-dr takes .gst" zst_tree/two original
  # A window that zstd's default refuses: a frame's header alone says it.
  printf '\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00' >windows.zst
  expect 1 "a long window" "$gstd" -t windows.zst
  says "a long window" "windows.zst: the frame at byte 0: "
  expect 0 "a long window, --long" "$gstd" -t --long=31 windows.zst

  expect 0 "-l of .zst" "$gstd" -lv skipped.zst 'one frame.zst' content.gst
  grep -qE '^ +15 +15 .* - +- +stream +skipped.zst$' out || fail "-l of .zst: $(cat out)"
  grep -q 'skippable frames: 2;' out || fail "-lv of .zst: $(cat out)"
  expect 0 "-l --json of .zst" "$gstd" -l --json skipped.zst 'one frame.zst' content.gst
  if command -v python3 >/dev/null; then
    python3 - "$(stat -c %s original)" "$(stat -c %s skipped.zst)" <<'EOF' || fail "--json of .zst"
import json, sys
skipped, frame, stream = json.load(open("out"))
assert skipped["frames"] == 15 and skipped["skippable_frames"] == 2 and skipped["content_bytes"] is None
assert skipped["compressed_bytes"] == int(sys.argv[2]) and skipped["checksums"] is True
assert frame["frames"] == 1 and frame["content_bytes"] == stream["content_bytes"] == int(sys.argv[1])
EOF
  fi

  # Damage: zstd's verdict, and the frame's position.
  size=$(stat -c %s pieces.zst)
  second=$(head -c 50000 original | zstd -q -1 --check | wc -c)
  damaged=()
  for at in 4 30 $((second + 2)) $((second + 4)) $((second + 9)) $((second + 400)) $((size / 2)) $((size - 2)); do
    cp pieces.zst "zst$at.zst"
    spoil "zst$at.zst" "$at"
    damaged+=("zst$at.zst")
  done
  head -c $((size - 5)) pieces.zst >zst_cut.zst
  { cat pieces.zst; printf 'more'; } >zst_more.zst
  cp original zst_none.zst
  : >void.zst
  damaged+=(zst_cut.zst zst_more.zst zst_none.zst void.zst)
  for file in "${damaged[@]}"; do
    zstd -tq "$file" 2>zstd.err
    expect $? "the verdict of zstd for $file" "$gstd" -t "$file"
  done
  expect 1 "damage in the second frame" "$gstd" -d "zst$((second + 2)).zst"
  says "damage in the second frame" "zst$((second + 2)).zst: the frame at byte $second: "
  absent "damage in the second frame" "zst$((second + 2))"
  expect 1 "a .zst that is cut off" "$gstd" -dc zst_cut.zst
  says "a .zst that is cut off" ": it is cut off"
  expect 1 "--rm of a damaged .zst" "$gstd" -d --rm zst_cut.zst
  there "--rm of a damaged .zst" zst_cut.zst
  expect 1 "-l of a damaged .zst" "$gstd" -l zst_cut.zst
  says "-l of a damaged .zst" "zst_cut.zst: the frame at byte "
  # A checksum alone: --no-check does not compare it.
  expect 1 "a wrong checksum" "$gstd" -t "zst$((size - 2)).zst"
  expect 0 "a wrong checksum, --no-check" "$gstd" -t --no-check "zst$((size - 2)).zst"
  expect 1 "--limit of a .zst" "$gstd" -dc --limit=$(($(stat -c %s original) - 1)) pieces.zst
  says "--limit of a .zst" "more content than --limit allows"
  expect 1 "-M of a .zst" "$gstd" -M2M -dc unsized.zst
  says "-M of a .zst" "more memory"

  if [[ $has_gpu ]]; then
    alike "--gpu of .zst" -dc pieces.zst skipped.zst content.gst nothing.zst 'one frame.zst' unsized.zst
    alike "--gpu of damaged .zst" -t "${damaged[@]}" windows.zst pieces.zst
    says "--gpu of damaged .zst" "pieces.zst: good"
    alike "--gpu of damaged .zst, unchecked" -t --no-check "${damaged[@]}"
    alike "--gpu of a .zst beyond a limit" -dc --limit=$(($(stat -c %s original) - 1)) pieces.zst
    expect 0 "--gpu of .zst to a file" "$gstd" -d --gpu -fo restored skipped.zst
    same "--gpu of .zst to a file" restored original
    # More than a batch has: 70 MB. All of it is decoded on the device.
    head -c 50000 /dev/zero | zstd -q --no-check >zeros.zst
    for ((i = 0; i < 1400; ++i)); do cat zeros.zst; done >many.zst
    expect 0 "--gpu of more than a batch" \
           bash -c "'$gstd' -dcv --gpu skipped.zst many.zst | cmp - <(cat original <(head -c 70000000 /dev/zero))"
    if grep -q 'by the CPU' err; then fail "--gpu of more than a batch: $(head -c 300 err)"; fi
    # What -M does not let be kept is the CPU's.
    expect 0 "--gpu -M of .zst" bash -c "cat pieces.zst | '$gstd' -dv --gpu -M20K | cmp - original"
    says "--gpu -M of .zst" "is decoded by the CPU: it is longer than what is kept of it"
    expect 1 "--gpu of a damaged .zst" "$gstd" -d --gpu -fo damaged zst_cut.zst
    absent "--gpu of a damaged .zst" damaged
    if unfinished; then fail "--gpu of .zst: unfinished files are left"; fi
  fi
else
  printf 'zstd is not there: .zst files are not tried\n' >&2
fi

# -b.
expect 0 "-b" "$gstd" -b1e2i0 content
[[ $(grep -c 'gstd  *[12] ' out) == 2 && $(grep -c 'zstd, ' out) == 4 ]] || fail "-b: $(cat out)"
expect 1 "-b of nothing" "$gstd" -b1i0 empty

end_checks
