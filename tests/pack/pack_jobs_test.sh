#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# A pack's jobs by xargs, make and, where it is, GNU parallel: interrupted, done again, with files and options changed.
#   pack_jobs_test.sh GSTD    GSTD: the command
set -uo pipefail

gstd=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/../gstd_cli/checks.sh"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1

same() {
  ((++checks))
  cmp "$2" "$3" >differences 2>&1 || fail "$1: $2 and $3 differ: $(cat differences)"
}

# list ARGUMENTS...: the names of jobs that are not done, in `jobs`.
list() {
  expect 0 "--jobs-list $*" "$gstd" pack "$@"
  cp out jobs
}

count() {
  ((++checks))
  (($(wc -l <jobs) == $2)) || fail "$1: $(wc -l <jobs) jobs, not $2"
}

mkdir -p files/deep/er
for i in {1..40}; do yes "file $i of some, of which each has lines" | head -c $((i * 9000)) >"files/file $i"; done
head -c 3000000 /dev/urandom >files/deep/noise
yes 'a line of a large file' | head -c 12000000 >files/deep/er/large.txt
: >files/empty
options=(-9 -T1 -q)
expect 0 "pack" "$gstd" pack "${options[@]}" files -o whole.wpk

# With xargs. The folder of jobs may lie in the directory that is packed.
list "${options[@]}" files -o files/x.wpk --jobs-list=1M
all=$(wc -l <jobs)
((all >= 8)) || fail "only $all jobs"
expect 0 "xargs" xargs -P2 -I{} "$gstd" pack "${options[@]}" files -o files/x.wpk --job={} -q <jobs
list "${options[@]}" files -o files/x.wpk --jobs-list=1M
count "xargs" 0
expect 0 "pack what jobs did" "$gstd" pack "${options[@]}" -v files -o files/x.wpk
says "pack what jobs did" "taking what $all jobs did"
same "xargs" whole.wpk files/x.wpk
((++checks))
[[ ! -e files/x.wpk.jobs ]] || fail "jobs are left behind"
mv files/x.wpk .

# Half of them, one of which is killed: the others are listed, and those that are done are not done again.
list "${options[@]}" files -o half.wpk --jobs-list=1M
head -n $((all / 2)) jobs >half
expect 0 "half of the jobs" xargs -I{} "$gstd" pack "${options[@]}" files -o half.wpk --job={} <half
"$gstd" pack "${options[@]}" files -o half.wpk --job="$(tail -n 1 jobs)" &
sleep 0.02
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
touch -d 2001-01-01 half.wpk.jobs/*.wpk
list "${options[@]}" files -o half.wpk --jobs-list=1M
((++checks))
(($(wc -l <jobs) <= all - all / 2)) || fail "done jobs are listed again"
expect 0 "the other half" xargs -P2 -I{} "$gstd" pack "${options[@]}" files -o half.wpk --job={} <jobs
expect 0 "a job that is done" "$gstd" pack "${options[@]}" files -o half.wpk --job="$(head -n 1 half)"
((++checks))
(($(find half.wpk.jobs -name '*.wpk' ! -newermt 2002-01-01 | wc -l) >= all / 2)) || fail "done jobs are done again"
# Two processes with the same job end with it once.
rm half.wpk.jobs/"$(head -n 1 half)".wpk
expect 0 "a job twice" xargs -P2 -I{} "$gstd" pack "${options[@]}" files -o half.wpk --job={} <<<"$(head -n 1 half)
$(head -n 1 half)"
expect 0 "pack after an interruption" "$gstd" pack "${options[@]}" files -o half.wpk
same "pack after an interruption" whole.wpk half.wpk

# Without all jobs, pack does the rest.
list "${options[@]}" files -o few.wpk --jobs-list=1M
expect 0 "one job" "$gstd" pack "${options[@]}" files -o few.wpk --job="$(head -n 1 jobs)"
expect 0 "pack of one job" "$gstd" pack "${options[@]}" -v files -o few.wpk
says "pack of one job" "taking what 1 jobs did"
same "pack of one job" whole.wpk few.wpk

# make: a target for each job.
list "${options[@]}" files -o make.wpk --jobs-list=1M
cat >Makefile <<EOF
make.wpk: \$(patsubst %,make.wpk.jobs/%.wpk,\$(shell cat jobs))
	$gstd pack ${options[*]} files -o \$@
make.wpk.jobs/%.wpk:
	$gstd pack ${options[*]} files -o make.wpk --job=\$*
EOF
if command -v make >/dev/null; then
  expect 0 "make" make -j2 make.wpk
  same "make" whole.wpk make.wpk
fi
if command -v parallel >/dev/null; then
  list "${options[@]}" files -o parallel.wpk --jobs-list=1M
  expect 0 "parallel" parallel -j2 "$gstd" pack "${options[@]}" files -o parallel.wpk --job={} :::: jobs
  expect 0 "pack after parallel" "$gstd" pack "${options[@]}" files -o parallel.wpk
  same "parallel" whole.wpk parallel.wpk
else
  printf 'GNU parallel is not there, and not tried\n' >&2
fi

# Other options are other jobs. A file that changes changes its own, as far as sizes allow, and no other.
list "${options[@]}" files -o other.wpk --jobs-list
count "jobs of 64 MiB" 1
list "${options[@]}" files -o other.wpk --jobs-list=1
count "jobs of a file" 42  # one has the empty file too
expect 0 "jobs of a file" xargs -I{} "$gstd" pack "${options[@]}" files -o other.wpk --job={} <jobs
first=$(head -n 1 jobs)
printf x >>'files/file 7'
list "${options[@]}" files -o other.wpk --jobs-list=1
count "one file changed" 1
name=$(cat jobs)
expect 1 "a job that is no longer" "$gstd" pack "${options[@]}" files -o other.wpk --job=0123456789abcdef
printf y >>'files/file 7'
expect 1 "a file that changed after the list" "$gstd" pack "${options[@]}" files -o other.wpk --job="$name"
says "a file that changed after the list" "changed while it was packed"
printf 'xz' >'files/file 7'
head -c 63001 /dev/zero >'files/file 7'
expect 1 "a file that changed at its size" "$gstd" pack "${options[@]}" files -o other.wpk --job="$name"
says "a file that changed at its size" "changed since jobs were listed"
expect 1 "a job with other options" "$gstd" pack -3 -T1 -q files -o other.wpk --job="$first"
says "a job with other options" "is damaged, or of other options"
expect 0 "pack with files that changed" "$gstd" pack "${options[@]}" files -o other.wpk
expect 0 "pack anew" "$gstd" pack "${options[@]}" files -o anew.wpk
same "pack with files that changed" anew.wpk other.wpk
list "${options[@]}" files -o damaged.wpk --jobs-list=1M
name=$(head -n 1 jobs)
spoil "damaged.wpk.jobs/$name.list" 3
expect 1 "a damaged list" "$gstd" pack "${options[@]}" files -o damaged.wpk --job="$name"
expect 1 "a name that is none" "$gstd" pack "${options[@]}" files -o damaged.wpk --job=../x
expect 1 "--job without pack" "$gstd" --job="$name" files
expect 1 "--jobs-list without pack" "$gstd" update files -o damaged.wpk --jobs-list

end_checks
