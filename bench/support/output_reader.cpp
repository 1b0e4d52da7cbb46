// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/output_reader.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

namespace weft::bench {
namespace {

/// Reads a buffer front to back in chunks, and downloads as much again as the last one while the caller looks at that.
/// `sampled`: reads here and there.
class OutputReader {
 public:
  OutputReader(Gpu& gpu, const BufferRange& range, uint64_t item_size, bool sampled)
      : gpu_(gpu), range_(range), item_size_(item_size), sampled_(sampled) {}
  ~OutputReader() {
    if (pending_.valid()) pending_.wait();
  }
  OutputReader(const OutputReader&) = delete;
  OutputReader& operator=(const OutputReader&) = delete;

  /// Items [first, first + count), which must follow those of the last call unless sampled. Valid until the next call.
  Result<std::span<const std::byte>> fetch(uint64_t first, uint64_t count) {
    const uint64_t offset = first * item_size_, size = count * item_size_;
    uint64_t have = 0;
    if (pending_.valid()) {
      if (const Status status = pending_.get(); !status) return status.error();
      std::swap(current_, next_);
      have = std::min<uint64_t>(size, current_.size());
    }
    current_.resize(size);
    if (have < size)
      if (const Status status = download(offset + have, size - have, current_.data() + have); !status)
        return status.error();
    const uint64_t end = offset + size;
    const uint64_t next_size = sampled_ ? 0 : std::min(size, range_.size - end);
    if (next_size > 0) {
      next_.resize(next_size);
      pending_ = std::async(std::launch::async, [=, this] { return download(end, next_size, next_.data()); });
    }
    return std::span<const std::byte>(current_);
  }

 private:
  Status download(uint64_t offset, uint64_t size, std::byte* into) {
    return gpu_.download({range_.buffer, range_.offset + offset, size}, {into, size});
  }

  Gpu& gpu_;
  BufferRange range_;
  uint64_t item_size_;
  bool sampled_;
  ByteArray current_, next_;
  std::future<Status> pending_;
};

}  // namespace

Result<uint32_t> read_word(Gpu& gpu, const BufferRange& range, uint64_t index) {
  uint32_t word = 0;
  const BufferRange from{range.buffer, range.offset + index * sizeof word, sizeof word};
  const Status status = gpu.download(from, std::as_writable_bytes(std::span(&word, 1)));
  if (!status) return status.error();
  return word;
}

FetchOutputs GpuOutputs::fetch(size_t output, uint64_t item_bytes) {
  const auto reader = std::make_shared<OutputReader>(gpu_, range(output), item_bytes, buffers_.sampled);
  return {[reader](uint64_t first, uint64_t count) { return reader->fetch(first, count); }, buffers_.sampled};
}

void GpuOutputs::read_bytes(size_t output, std::span<std::byte> into) {
  BufferRange from = range(output);
  from.size = std::min<uint64_t>(from.size, into.size());
  if (const Status status = gpu_.download(from, into.first(from.size)); !status) error_ = status.error();
}

}  // namespace weft::bench
