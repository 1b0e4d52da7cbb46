#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Fails if a program asks for a newer glibc, or for a shared library that is none of glibc's.
#   check_glibc.sh VERSION PROGRAM...
set -euo pipefail
export LC_ALL=C

most=${1:?usage: check_glibc.sh VERSION PROGRAM...}
shift
status=0
for program in "$@"; do
  symbols=$(objdump -T "$program")
  versions=$(grep -o 'GLIBC_[0-9.]*' <<<"$symbols" | sed 's/GLIBC_//' | sort -Vu)
  newest=$(tail -n 1 <<<"$versions")
  if [[ -z $newest || $(printf '%s\n%s\n' "$newest" "$most" | sort -V | tail -n 1) != "$most" ]]; then
    echo "$program needs glibc ${newest:-of no version}, and may need $most:"
    grep -F "GLIBC_$newest" <<<"$symbols"
    status=1
  fi
  others=$(objdump -p "$program" | sed -n 's/^ *NEEDED *//p' |
    grep -vE '^(lib(c|m|dl|pthread|rt)\.so\.[0-9]+|ld-linux-x86-64\.so\.2)$' || true)
  if [[ -n $others ]]; then
    echo "$program needs libraries beside glibc: $others"
    status=1
  fi
done
exit $status
