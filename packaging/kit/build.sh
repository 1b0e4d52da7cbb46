#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds the kit, weft-bench and gstd for Linux and for Windows on x86-64, and checks both archives.
#   build.sh WORK KERNELS
#   build.sh WORK KERNELS windows
# The second, a test of the tree's, builds the libraries, gstd and the tests that need no device for Windows alone, in
# the shortest time, runs these, and parses weft-bench; its exit status is 77 if what it needs is missing. WORK is kept
# for the next time; the archives are written there. KERNELS is a build whose packed kernels are taken. Needs apt,
# debootstrap (as root, or by sudo), mingw-w64, wine and the network: see kit_needs in ./run.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
mkdir -p "${1:?usage: build.sh WORK KERNELS}"
work=$(cd "$1" && pwd)
only=${3:-}
optimization=-O3
if [[ $only == windows ]]; then
  optimization=-O1
  for program in apt-get x86_64-w64-mingw32-g++-posix /usr/lib/wine/wine64; do
    command -v "$program" >/dev/null || { echo "$program is not installed"; exit 77; }
  done
fi
kernels=$(cd "${2:?usage: build.sh WORK KERNELS}" && pwd)
# The Debian that the programs for Linux are linked with and tried on, and the newest glibc that they may ask for.
sysroot_suite=bullseye
glibc=2.28

part() { sed -n "s/^#define WEFT_VERSION_$1 \([0-9]*\)$/\1/p" "$source/include/weft/version.hpp"; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
say() { printf 'kit: %s\n' "$*" >&2; }
# What cannot be fetched is missing, which the test says; a kit fails.
not_fetched() {
  say "cannot fetch $1"
  exit $([[ $only == windows ]] && echo 77 || echo 1)
}
as_root=()
((EUID == 0)) || as_root=(sudo)

# The host's -dev packages, unpacked where no other header of the host's is.
lay_out_dependencies() {
  [[ -f $work/dependencies.done ]] && return
  say "unpacking -dev packages"
  rm -rf "$work/dependencies" "$work/packages"
  mkdir -p "$work/packages"
  (cd "$work/packages" && apt-get -qq download libvulkan-dev libvulkan-volk-dev libzstd-dev liblz4-dev libdeflate-dev \
    libfmt9 libfmt-dev libcli11-dev nlohmann-json3-dev libxxhash-dev libhwy-dev doctest-dev) ||
    not_fetched "-dev packages"
  local package
  for package in "$work"/packages/*.deb; do dpkg -x "$package" "$work/dependencies"; done
  # The one CMake package among them that has its prefix inside.
  sed -i "s|(_IMPORT_PREFIX \"/usr\")|(_IMPORT_PREFIX \"$work/dependencies/usr\")|" \
    "$work/dependencies/usr/lib/cmake/doctest/doctestTargets.cmake"
  touch "$work/dependencies.done"
}

# The older Debian: what the programs are linked with, and the system that they are tried on.
lay_out_sysroot() {
  [[ -f $work/sysroot.done ]] && return
  say "laying out Debian $sysroot_suite"
  "${as_root[@]}" rm -rf "$work/sysroot"
  "${as_root[@]}" debootstrap --variant=minbase --include=libc6-dev,libvulkan1,mesa-vulkan-drivers "$sysroot_suite" \
    "$work/sysroot" >"$work/debootstrap.log"
  # The linker does not see an absolute link's target below the sysroot.
  local link
  find "$work"/sysroot/usr/lib{64,/x86_64-linux-gnu} -maxdepth 1 -lname '/*' | while read -r link; do
    "${as_root[@]}" ln -sfr "$work/sysroot$(readlink "$link")" "$link"
  done
  touch "$work/sysroot.done"
}

# windows_library NAME ARGUMENT...: the arguments are the compiler's.
windows_library() {
  local objects=$work/windows-libraries/objects/$1
  mkdir -p "$objects" "$work/windows-libraries/usr/lib"
  (cd "$objects" && x86_64-w64-mingw32-gcc "$optimization" -DNDEBUG -c "${@:2}")
  x86_64-w64-mingw32-ar rcs "$work/windows-libraries/usr/lib/lib$1.a" "$objects"/*.o
}

# Debian has no libzstd, lz4 and libdeflate for mingw-w64; it has their sources.
build_windows_libraries() {
  [[ -f $work/windows-libraries.done ]] && return
  say "building libzstd, lz4 and libdeflate for Windows"
  local sources=$work/sources
  rm -rf "$sources" "$work/windows-libraries"
  mkdir -p "$sources/lists/partial"
  # A list of sources beside the system's, which stays as it is.
  apt-get indextargets --format 'deb-src $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' \
    'Component: main' | sort -u >"$sources/sources.list"
  local options=(-qq -o "Dir::Etc::sourcelist=$sources/sources.list" -o Dir::Etc::sourceparts=-
                 -o "Dir::State::lists=$sources/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
  fetch() {
    (cd "$sources" && apt-get "${options[@]}" update && apt-get "${options[@]}" source libzstd lz4 libdeflate) >&2
  }
  # A mirror may list a security update before it has its sources: then those of the release serve.
  fetch || { sed -i '/-security /d' "$sources/sources.list" && fetch; } || not_fetched "sources of packages"
  windows_library zstd -DZSTD_DISABLE_ASM "$sources"/libzstd-*/lib/{common,compress,decompress}/*.c
  windows_library lz4 "$sources"/lz4-*/lib/lz4{,hc}.c
  local deflate
  deflate=$(echo "$sources"/libdeflate-*/lib)
  windows_library deflate -I "$deflate/.." "$deflate"/{utils,deflate_compress,deflate_decompress}.c "$deflate"/x86/*.c
  touch "$work/windows-libraries.done"
}

# build SYSTEM TARGET...: in WORK/SYSTEM.
build() {
  # Tests are run where the programs cannot be tried as they are by those of the tree.
  local on_windows=OFF
  if [[ $1 == windows ]]; then on_windows=ON; fi
  say "building for $1"
  cmake -S "$source" -B "$work/$1" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_TOOLCHAIN_FILE=$source/cmake/$1_kit.cmake" "-DWEFT_KIT_WORK=$work" "-DWEFT_KERNELS_FROM=$kernels" \
    -DWEFT_KIT=ON -DWEFT_BENCH_SELFTEST=ON -DWEFT_PACK=ON "-DWEFT_BUILD_TESTS=$on_windows" \
    -DWEFT_JIT=OFF -DWEFT_BUILD_EXAMPLES=OFF -DWEFT_INSTALL=OFF >&2
  cmake --build "$work/$1" --parallel "$(nproc)" --target "${@:2}" >&2
}

# stage SYSTEM SUFFIX: lays out what is packed, in WORK/stage/$name, which it sets.
stage() {
  name=weft-$version-$1-x86_64
  local package stage=$work/stage/$name
  rm -rf "$stage"
  mkdir -p "$stage/licenses"
  cp "$work/$1/bench/weft-bench$2" "$work/$1/tools/gstd$2" "$stage/"
  sed s/LICENSES/licenses/ "$source/LICENSE" >"$stage/LICENSE"
  cp "$source"/LICENSES/*.txt "$stage/licenses/"
  # Of what is inside the programs.
  for package in libzstd-dev liblz4-dev libdeflate-dev libfmt-dev libcli11-dev nlohmann-json3-dev libvulkan-volk-dev \
                 libxxhash-dev libhwy-dev doctest-dev; do
    cp -L "$work/dependencies/usr/share/doc/$package/copyright" "$stage/licenses/$package"
  done
  cp -L "/usr/share/doc/$3/copyright" "$stage/licenses/$3"
  sed "s/@version@/$version/" "$here/README.txt" >"$stage/README.txt"
  if grep -rlaF -e "$source" -e "$work" "$stage"; then
    say "FAILED: a file has a path of this machine inside"
    exit 1
  fi
  # Archives of one commit are the same, but for what compilers write into programs.
  find "$stage" -exec touch -h -d "@$(git -C "$source" log -1 --format=%ct 2>/dev/null || date +%s)" {} +
}

pack_linux() {
  local name
  build linux weft-bench gstd
  stage linux "" gcc-12-base
  "$here/check_glibc.sh" "$glibc" "$work/stage/$name/weft-bench" "$work/stage/$name/gstd"
  tar -C "$work/stage" --sort=name --owner=0 --group=0 --numeric-owner -cJf "$work/$name.tar.xz" "$name"
  check_linux "$work/$name.tar.xz" "$name"
  say "made $work/$name.tar.xz"
}

pack_windows() {
  local name
  build windows weft-bench gstd weft_tests weft_contract_tests gstd_tests loader_host_tests
  stage windows .exe mingw-w64-x86-64-dev
  cp "$here/check.cmd" "$work/stage/$name/"
  sed -i 's/$/\r/' "$work/stage/$name"/{check.cmd,README.txt,LICENSE,licenses/{MIT,Apache-2.0}.txt}
  rm -f "$work/$name.zip"
  (cd "$work/stage" && find "$name" | sort | zip -qX "$work/$name.zip" -@)
  check_windows "$work/$name.zip" "$name"
  say "made $work/$name.zip"
}

# In the older Debian, whose software device has not got Vulkan 1.2; then here, with the whole flow.
check_linux() {
  local room=$work/sysroot/tmp/kit try=$work/try/linux said
  say "checking $1 on Debian $sysroot_suite"
  "${as_root[@]}" rm -rf "$room"
  "${as_root[@]}" mkdir -p "$room"
  "${as_root[@]}" tar -C "$room" -xJf "$1"
  "${as_root[@]}" cp "$source/docs/gstd-format.md" "$room/content"
  "${as_root[@]}" chroot "$work/sysroot" sh -euc "cd /tmp/kit && export PATH=\$PWD/$2:\$PATH && weft-bench --version &&
    weft-bench --list && gstd -q -19 content && gstd -q -d content.gst -o decoded && cmp content decoded" >&2
  # Rather than fail later, it says what is missing.
  said=$("${as_root[@]}" chroot "$work/sysroot" sh -c "cd /tmp/kit && $2/weft-bench 2>&1" || true)
  expect "$said" 'weft needs a device with Vulkan 1.2'
  "${as_root[@]}" rm -rf "$room"

  say "checking $1 here, on a software device"
  rm -rf "$try"
  mkdir -p "$try/elsewhere"
  tar -C "$try" -xJf "$1"
  said=$(cd "$try/elsewhere" && env VK_DRIVER_FILES="$(echo /usr/share/vulkan/icd.d/lvp_icd*.json)" \
    "../$2/weft-bench" 2>&1) || { printf '%s\n' "$said" >&2; exit 1; }
  expect "$said" '^Send  '
  [[ -s $(echo "$try"/elsewhere/weft-results/*.json) && -s $(echo "$try"/elsewhere/weft-results/*.html) ]]
}

# Under wine: first without a device, then on this system's software device, which wine gives where there is a screen.
check_windows() {
  local try=$work/try/windows lavapipe said
  export WINEPREFIX=$work/wine WINEDEBUG=-all LC_ALL=C.UTF-8
  say "checking $1 under wine"
  rm -rf "$try"
  mkdir -p "$try/elsewhere"
  unzip -q "$1" -d "$try"
  wine "$try/$2/weft-bench.exe" --version >&2
  # It says that there is no device, and so does what a double click starts.
  said=$(unset DISPLAY && cd "$try" && wine "$2/weft-bench.exe" 2>&1 || true)
  expect "$said" 'weft needs a device with Vulkan 1.2'
  said=$(unset DISPLAY && cd "$try" && wine cmd /c "$2\\check.cmd" 2>&1 </dev/null || true)
  expect "$said" 'weft needs a device with Vulkan 1.2'

  # What runs on without a screen would be asked for one.
  /usr/lib/wine/wineserver64 -k || true
  start_screen
  lavapipe=$(echo /usr/share/vulkan/icd.d/lvp_icd*.json)
  (
    cd "$try/elsewhere"
    export VK_DRIVER_FILES=$lavapipe VK_ICD_FILENAMES=$lavapipe
    cp "$source/docs/gstd-format.md" "содержание"
    wine "../$2/gstd.exe" -q -19 "содержание"
    wine "../$2/gstd.exe" -q -d "содержание.gst" -o decoded
    cmp "содержание" decoded
    wine "../$2/gstd.exe" -t --gpu "содержание.gst"
    "$here/check_packs.sh" wine "../$2/gstd.exe"
    wine "../$2/weft-bench.exe" check --minutes 0.5 --try litmus --try ": reduce add u32 u32" \
      --filter "scan exclusive add u32" --filter "radix_sort pairs u32" --sizes 2^16
  ) >&2
  [[ -s $(echo "$try"/elsewhere/weft-results/*.json) && -s $(echo "$try"/elsewhere/weft-results/*.html) ]]
  expect "$(cat "$try"/elsewhere/weft-results/*.selftest.jsonl)" '"verdict":"pass"'

  export VK_DRIVER_FILES=$lavapipe VK_ICD_FILENAMES=$lavapipe
  run_windows_tests "tests/weft_tests.exe -ts=host*" tests/contract/weft_contract_tests.exe \
                    tests/gstd/{gstd,loader_host}_tests.exe
}

# run_windows_tests PROGRAM...: each with its arguments, under wine.
run_windows_tests() {
  local tests said
  for tests in "$@"; do
    say "running $tests under wine"
    # A crash ends wine with status 0.
    said=$(wine "$work/windows/"$tests 2>&1 || true)
    expect "$said" '^\[doctest\] Status: SUCCESS'
    grep '^\[doctest\] test cases' <<<"$said" >&2
  done
}

# What the test `windows` does: no screen and no device. Sources are joined, and optimized as compiles fastest: with
# -O0 objects are five times as large, which takes as long. Those of weft-bench are parsed alone: ./run kit links it.
test_windows() {
  export WINEPREFIX=$work/wine WINEDEBUG=-all LC_ALL=C.UTF-8
  unset DISPLAY
  cmake -S "$source" -B "$work/windows" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug \
    "-DCMAKE_CXX_FLAGS_DEBUG=-Og -DXXH_NO_INLINE_HINTS=1 -Wa,-mbig-obj" \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON "-DCMAKE_TOOLCHAIN_FILE=$source/cmake/windows_kit.cmake" \
    "-DWEFT_KIT_WORK=$work" "-DWEFT_KERNELS_FROM=$kernels" -DWEFT_BUILD_TESTS=ON -DWEFT_BUILD_BENCH=ON \
    -DWEFT_BENCH_SELFTEST=OFF -DWEFT_BUILD_EXAMPLES=OFF -DWEFT_JIT=OFF -DWEFT_INSTALL=OFF >&2
  # One core, as other tests run beside this one.
  cmake --build "$work/windows" --parallel 1 --target gstd weft_loader weft_c {gstd,loader_host,pack,ktx2}_tests \
    cmake_object_order_depends_target_weft-bench >&2
  say "parsing weft-bench"
  (cd "$work/windows" && ninja -t commands weft-bench | grep ' -o bench/.* -c ' | sed 's/$/ -fsyntax-only/' | bash -e)
  run_windows_tests tests/gstd/{gstd,loader_host,pack,ktx2}_tests.exe
  mkdir -p "$work/try"
  (cd "$work/try" && "$here/check_packs.sh" wine "$work/windows/tools/gstd.exe")
  # What runs on would keep this script's output open.
  /usr/lib/wine/wineserver64 -k || true
}

# A screen that nobody sees, as long as this script runs.
start_screen() {
  local tries
  : >"$work/display"
  Xvfb -displayfd 1 -screen 0 640x480x24 >"$work/display" 2>/dev/null &
  trap "kill $!" EXIT
  for ((tries = 0; tries < 100; ++tries)); do
    [[ -s $work/display ]] && break
    sleep 0.1
  done
  DISPLAY=:$(<"$work/display")
  export DISPLAY
}

# expect TEXT PATTERN: a line of the text holds the pattern.
expect() {
  grep -q "$2" <<<"$1" && return
  printf '%s\n' "$1" >&2
  say "FAILED: no '$2' in what is above"
  exit 1
}

# Debian has wine's 64-bit program under another name if the 32-bit one is not installed.
wine() {
  if command -v wine64 >/dev/null; then command wine64 "$@"; else /usr/lib/wine/wine64 "$@"; fi
}

lay_out_dependencies
if [[ $only == windows ]]; then
  build_windows_libraries
  test_windows
  exit
fi
lay_out_sysroot
build_windows_libraries
pack_linux
pack_windows
