#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Plants the faults of mutants.txt, and those at the ends of primitives' tests, one by one in a copy of the tree, and
# says which of them the tests catch.
#   mutants.sh check <sources>                 whether every text to be replaced is there exactly once
#   mutants.sh run <sources> <work> [<word>]   all, or those whose lines hold the word; fails if one is not caught
set -euo pipefail

command=$1
sources=$(realpath "$2")
table=$(cat "$sources/tests/mutants/mutants.txt" \
  && sed -nE 's,^// ((why|file|find|with|run): ),\1,p' "$sources"/tests/*/*_test.cpp)

# Reads the table: calls `$1` for each fault, with the fields in `why`, `file`, `find`, `with` and `run`.
each() {
  local action=$1 line why='' file='' find='' with='' run=''
  while IFS= read -r line || [[ -n $line ]]; do
    case $line in
      '#'*) ;;
      'why: '*) why=${line#why: } ;;
      'file: '*) file=${line#file: } ;;
      'find: '*) find=${line#find: } ;;
      'with: '*) with=${line#with: } ;;
      'run: '*)
        run=${line#run: }
        "$action" </dev/null
        ;;
      '') why='' file='' find='' with='' run='' ;;
      *)
        printf 'mutants.txt: what is "%s"?\n' "$line" >&2
        exit 2
        ;;
    esac
  done <<<"$table"
}

content_of() {
  content=$(cat "$1" && printf x)
  content=${content%x}
}

# How often `find` stands in the file.
occurrences() {
  [[ -f $1 ]] || { printf 0; return; }
  content_of "$1"
  local without=${content//"$find"/}
  printf '%s' $(((${#content} - ${#without}) / ${#find}))
}

faults=0
check() {
  faults=$((faults + 1))
  local found
  found=$(occurrences "$sources/$file")
  if [[ $found != 1 ]]; then
    printf '%s: found %s times, not once: %s\n' "$file" "$found" "$find" >&2
    failed=1
  elif [[ $find == "$with" || -z $why ]]; then
    printf '%s: a fault without an effect or a reason: %s\n' "$file" "$find" >&2
    failed=1
  fi
}

failed=0
each check
if ((faults < 20)); then
  printf 'only %s faults\n' "$faults" >&2
  failed=1
fi
if [[ $command == check || $failed == 1 ]]; then
  exit "$failed"
fi

work=$(realpath -m "$3")
word=${4:-}
tree=$work/tree
build=$work/build
mkdir -p "$tree"
# Files keep their times, so that a later run builds what has changed. A fault that an
# interrupted run has left behind goes.
tar -C "$sources" --exclude=./build --exclude=./.git -c . | tar -C "$tree" -x
cmake -S "$tree" -B "$build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
  -DWEFT_BUILD_BENCH=OFF -DWEFT_BUILD_TOOLS=OFF -DWEFT_BUILD_EXAMPLES=OFF -DWEFT_BUILD_TESTS=ON -DWEFT_JIT=OFF \
  -DWEFT_GSTD=ON >&2
# Compiles the targets given, or every program.
compile() {
  local targets=("$@")
  (($#)) || targets=(weft_tests gstd_tests ktx2_tests pack_tests loader_host_tests loader_device_tests)
  cmake --build "$build" --target "${targets[@]}" >"$work/build.log" 2>&1
}

# lavapipe, 8 lanes wide, or 16 by native16. Tests stop at their first failure.
icd=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1)
export VK_DRIVER_FILES=$icd VK_ICD_FILENAMES=$icd WEFT_TEST_SHARE=14/27
export MESA_SHADER_CACHE_DIR=$work/lavapipe_cache
quick='--test-case-exclude=*[types]*,*[forms]*,*[tuning]*,*[huge]*,*[slow]*'

# Sets `arguments` to the words of `run`, and `program` to what runs them.
read_run() {
  set -f
  eval "arguments=($run)"
  set +f
  case ${arguments[0]} in
    gstd) program=tests/gstd/gstd_tests ;;
    ktx2) program=tests/gstd/ktx2_tests ;;
    pack) program=tests/gstd/pack_tests ;;
    loader) program=tests/gstd/loader_host_tests ;;
    loader_device) program=tests/loader/loader_device_tests ;;
    *) program=tests/weft_tests ;;
  esac
}

# Runs the tests of `run`: 0 if they pass, 1 if one fails. A filter that selects nothing is an error.
tests() {
  local arguments program bits=256 status=0
  read_run
  if [[ ${arguments[0]} == native16 ]]; then
    bits=512
    export WEFT_TEST_BACKENDS=native
  elif [[ $program == tests/weft_tests ]]; then
    export WEFT_TEST_BACKENDS=${arguments[0]}
  fi
  arguments=("${arguments[@]:1}")
  [[ $run == *--test-case=* || $program != tests/weft_tests ]] || arguments+=("$quick")
  export LP_NATIVE_VECTOR_WIDTH=$bits
  timeout 600 "$build/$program" --abort-after=1 "${arguments[@]}" >"$work/tests.log" 2>&1 || status=1
  if ! grep -Eq 'test cases: +[1-9]' "$work/tests.log"; then
    printf 'nothing is tested by: %s\n' "$run" >&2
    exit 2
  fi
  return "$status"
}

selected() { [[ -z $word || "$why $file $run" == *"$word"* ]]; }

declare -A passed
unplanted() {
  selected || return 0
  [[ -z ${passed[$run]:-} ]] || return 0
  passed[$run]=1
  if ! tests; then
    tail -n 30 "$work/tests.log" >&2
    printf 'these tests fail without any fault: %s\n' "$run" >&2
    exit 2
  fi
}

caught=0 survived=0
plant() {
  selected || return 0
  local verdict began=$SECONDS arguments program
  read_run
  content_of "$sources/$file"
  printf '%s' "${content/"$find"/"$with"}" >"$tree/$file"
  if ! compile "${program##*/}"; then
    tail -n 30 "$work/build.log" >&2
    verdict='does not compile'
    survived=$((survived + 1))
  elif tests; then
    verdict='NOT CAUGHT'
    survived=$((survived + 1))
  else
    verdict='caught'
    caught=$((caught + 1))
  fi
  printf '%s' "$content" >"$tree/$file"
  printf '%-16s %4d s  %-46s %s\n' "$verdict" $((SECONDS - began)) "$file" "$why"
}

if ! compile; then
  tail -n 30 "$work/build.log" >&2
  exit 2
fi
each unplanted
each plant
printf '%s faults caught, %s not\n' "$caught" "$survived"
((survived == 0 && caught > 0))
