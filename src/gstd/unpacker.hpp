// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gstd/checksum.hpp"
#include "gstd/container.hpp"
#include "gstd/stored_tile.hpp"
#include "gstd/workers.hpp"

namespace weft::gstd {

/// Consecutive tiles of a segment.
struct TileRun {
  uint32_t first = 0;
  uint32_t count = 0;
  std::span<const std::byte> data;  ///< of all of them
  uint64_t data_at = 0;             ///< in the stream
};

/// Unpacks tiles by several threads and compares their checksums. Keeps its memory from one run to the next.
class Unpacker {
 public:
  explicit Unpacker(const DecompressConfig& config) noexcept
      : verify_(config.verify), reference_(config.reference), workers_(config.threads, config.executor) {}

  uint32_t threads() const noexcept { return workers_.count(); }

  /// Fills `output` with bytes [skip, skip + output.size()) of the run's content, which begin in its first tile and end
  /// in its last. Reports the first refused tile.
  std::optional<Refusal> unpack(const SegmentHeader& header, const Tables& tables, const TileRun& run, uint32_t skip,
                                std::span<std::byte> output);
  /// The number of good tiles before the first refused one.
  uint32_t good_tiles() const noexcept { return static_cast<uint32_t>(refused_); }
  /// The checksums of those tiles, if requested.
  std::span<const uint32_t> sums() const noexcept { return sums_; }

 private:
  void refuse(size_t item, Refusal refusal);

  bool verify_, reference_;
  Workers workers_;
  std::vector<TileUnpacker> unpackers_;  // of workers
  std::vector<uint32_t> sums_;
  std::mutex mutex_;
  std::atomic<size_t> refused_{0};  // the first refused tile of the run; written under mutex_, like the refusal
  std::optional<Refusal> refusal_;
};

/// Compares the checksum of a stream's last segment with all its tiles.
class StreamCheck {
 public:
  explicit StreamCheck(bool verify) noexcept : verify_(verify) {}

  void begin() noexcept { sum_ = {}; }
  void add(std::span<const uint32_t> sums) noexcept {
    for (const uint32_t sum : sums) sum_.add(sum);
  }
  /// Call after the tiles of the segment at `position`.
  std::optional<Refusal> end_segment(const SegmentHeader& header, uint64_t position) const;

 private:
  bool verify_;
  WordSum sum_;
};

}  // namespace weft::gstd
