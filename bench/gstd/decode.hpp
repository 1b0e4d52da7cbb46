// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::bench {

/// Options of `weft-bench decode`: each file compressed once, then decoded on the device and beside it.
struct DecodeOptions {
  std::string device;
  std::vector<std::string> files;     ///< content, or streams of gstd or zstd, which are taken as they are
  uint64_t first_bytes = UINT64_MAX;  ///< of each file's content
  std::optional<int> level;           ///< 19 without; of a stream that is given it only names the rows
  uint32_t tile_bytes = 1u << 16;
  std::string filters = "auto";           ///< "auto": filters and contexts, "none": neither
  bool checksums = true;                  ///< whether the device compares those of tiles
  std::vector<uint32_t> copies = {1, 8};  ///< of a file that are decoded at once
  /// Tiles decoded at once, 0: as many as gstd thinks best. Of others than the first gstd alone has rows.
  std::vector<uint32_t> in_flight = {0};
  bool largest_first = true;        ///< whether the devices' decoders get tiles in that order, or in the content's
  std::vector<std::string> gd;      ///< NAME=FILE.gd: the same data for the driver's decoder
  std::vector<std::string> stages;  ///< "entropy", "copy": also these of gstd's first dispatch, by themselves
  std::vector<int> zstd;            ///< levels at which content is compressed to a frame of zstd a tile
  bool single_tile = false;
  bool size_sweep = false;
  bool cpu = true;
  uint64_t malformed = 0;  ///< mutated tiles of each file that are compared with the reference decoder
  uint64_t seed = 1;       ///< of the mutations
  uint32_t repeats = 30;
  double warm_up_ms = 200;
  std::string json;  ///< a file's name, "-" or empty
  bool uuid = true;  ///< whether that has the device's UUID
};

/// The exit status: 0, or 1 where a result was wrong or nothing could be measured.
int run_decode(const DecodeOptions& options);

}  // namespace weft::bench
