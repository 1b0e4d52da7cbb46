// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <future>
#include <span>

#include <weft/gpu.hpp>

#include "support/oracle.hpp"

namespace weft::bench {

/// The u32 that a primitive wrote as its output's count.
Result<uint32_t> read_count(Gpu& gpu, const BufferRange& range);

/// Reads a buffer front to back in chunks, and downloads as much again as the last one while the caller looks at that.
/// `sampled`: reads here and there.
class OutputReader {
 public:
  OutputReader(Gpu& gpu, const BufferRange& range, uint64_t item_size, bool sampled)
      : gpu_(gpu), range_(range), item_size_(item_size), sampled_(sampled) {}
  ~OutputReader();
  OutputReader(const OutputReader&) = delete;
  OutputReader& operator=(const OutputReader&) = delete;

  /// Items [first, first + count), which must follow those of the last call unless sampled. Valid until the next call.
  Result<std::span<const std::byte>> fetch(uint64_t first, uint64_t count);
  /// The same as a function, for as long as the reader lives.
  FetchOutputs fetcher() {
    return {[this](uint64_t first, uint64_t count) { return fetch(first, count); }, sampled_};
  }

 private:
  Status download(uint64_t offset, uint64_t size, std::byte* into);

  Gpu& gpu_;
  BufferRange range_;
  uint64_t item_size_;
  bool sampled_;
  ByteArray current_;
  ByteArray next_;
  std::future<Status> pending_;
};

}  // namespace weft::bench
