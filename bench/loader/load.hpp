// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::bench {

/// Options of `weft-bench load`: files as a pack, brought to device memory by weft::Loader, and beside it.
struct LoadOptions {
  std::vector<std::string> files;  ///< and directories, of which all files are taken
  std::string device;
  std::string folder = ".";  ///< for packs; on the disk that is measured
  uint64_t first_bytes = uint64_t{1} << 28;
  int level = 3;
  std::vector<uint32_t> depths = {1, 8, 32, 128};
  std::vector<uint64_t> stagings;  ///< empty: 16, 64 and 256 MiB
  std::vector<uint64_t> assets;    ///< empty: 64 KiB, 1 and 16 MiB
  uint64_t device_bytes = 0;       ///< of a Loader; 0: 64 MiB on a software device, else 768 MiB
  uint32_t threads = 0;            ///< of a Loader and of peers; 0: as many as the machine runs at once
  uint32_t repeats = 10;
  uint32_t latencies = 1000;  ///< assets that are loaded one by one
  std::string json;           ///< a file's name, "-" or empty
  bool uuid = true;           ///< whether that has the device's UUID
};

/// The exit status: 0, or 1 where a result was wrong or nothing could be measured.
int run_load(const LoadOptions& options);

}  // namespace weft::bench
