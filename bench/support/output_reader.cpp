// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/output_reader.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace weft::bench {

Result<uint32_t> read_count(Gpu& gpu, const BufferRange& range) {
  uint32_t count = 0;
  const Status status = gpu.download(range, std::as_writable_bytes(std::span(&count, 1)));
  if (!status) return status.error();
  return count;
}

OutputReader::~OutputReader() {
  if (pending_.valid()) pending_.wait();
}

Status OutputReader::download(uint64_t offset, uint64_t size, std::byte* into) {
  return gpu_.download({range_.buffer, range_.offset + offset, size}, {into, size});
}

Result<std::span<const std::byte>> OutputReader::fetch(uint64_t first, uint64_t count) {
  const uint64_t offset = first * item_size_;
  const uint64_t size = count * item_size_;
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
    pending_ =
        std::async(std::launch::async, [this, end, next_size] { return download(end, next_size, next_.data()); });
  }
  return std::span<const std::byte>(current_);
}

FetchOutputs Outputs::fetch(size_t output, uint64_t item_bytes) {
  const auto reader = std::make_shared<OutputReader>(gpu_, buffers_.outputs[output], item_bytes, buffers_.sampled);
  return {[reader](uint64_t first, uint64_t count) { return reader->fetch(first, count); }, buffers_.sampled};
}

}  // namespace weft::bench
