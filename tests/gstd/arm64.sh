#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#   arm64.sh WORK [TARGET...]    builds the codec's tests for aarch64 in WORK, and runs gstd_tests under qemu-user
# It needs Debian's g++-aarch64-linux-gnu and qemu-user, and downloads libzstd-dev of that architecture, which it
# unpacks in WORK: nothing is installed.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift

if [[ ! -e $work/arm64/usr/include/zstd.h ]]; then
  mkdir -p "$work/packages/lists/partial" "$work/packages/cache/archives/partial" "$work/arm64"
  options=(-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State::lists=$work/packages/lists"
           -o "Dir::Cache=$work/packages/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -qq)
  apt-get "${options[@]}" update
  (cd "$work/packages" && apt-get "${options[@]}" download libzstd-dev)
  dpkg-deb --extract "$work/packages"/libzstd-dev_*_arm64.deb "$work/arm64"
fi
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -DZstd_INCLUDE_DIR=/usr/include "-DZstd_LIBRARY=$work/arm64/usr/lib/aarch64-linux-gnu/libzstd.a" >/dev/null
ninja -C "$work/build" gstd_tests "$@"
# But the test that takes the time.
qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/build/gstd_tests" -tce="a content of 64 bytes takes microseconds"
