#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Compresses a sample of the corpus again and compares sizes with the table that is kept.
#   ratio_test.sh GSTD_RATIO_TEST TABLE BUILD_CORPUS DIRECTORY
# The corpus is built in DIRECTORY if it is not there. Exit status 77, "skipped", where its packages cannot be had: that
# is no fault of the codec.
set -euo pipefail
program=$1 table=$2 build_corpus=$3 corpus=$4

if ! "$build_corpus" "$corpus"; then
  probe=$(mktemp -d)
  trap 'rm -rf "$probe"' EXIT
  if ! (cd "$probe" && command -v unzip && apt-get -qq download freedoom openarena-data) >/dev/null 2>&1; then
    echo "skipped: the corpus's packages cannot be downloaded here"
    exit 77
  fi
  exit 1
fi
exec "$program" "$table" "$corpus"
