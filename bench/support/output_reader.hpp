// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include <weft/gpu.hpp>

#include "support/expected.hpp"

namespace weft::bench {

/// Ranges as long as the case asked for, each at a multiple of 256 bytes.
struct CaseBuffers {
  std::vector<BufferRange> inputs;   ///< one for each of the case's inputs()
  std::vector<BufferRange> outputs;  ///< one for each of the case's outputs()
  BufferRange scratch;
  bool sampled = false;  ///< verification compares some of the outputs
};

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

/// What a call wrote. After an error of the device, error() is set, and what is read is 0.
class Outputs {
 public:
  Outputs(Gpu& gpu, const CaseBuffers& buffers) : gpu_(gpu), buffers_(buffers) {}

  /// Of the output of that index, in items.
  FetchOutputs fetch(size_t output, uint64_t item_bytes);
  /// The beginning of an output, as far as it goes.
  template <class T>
  T read(size_t output) {
    T value{};
    BufferRange range = buffers_.outputs[output];
    range.size = std::min<uint64_t>(range.size, sizeof value);
    const Status status = gpu_.download(range, std::as_writable_bytes(std::span(&value, 1)).first(range.size));
    if (!status) error_ = status.error();
    return value;
  }
  uint32_t count(size_t output) { return read<uint32_t>(output); }
  Gpu& gpu() const { return gpu_; }
  const BufferRange& range(size_t output) const { return buffers_.outputs[output]; }
  const std::optional<Error>& error() const { return error_; }

 private:
  Gpu& gpu_;
  const CaseBuffers& buffers_;
  std::optional<Error> error_;
};

}  // namespace weft::bench
