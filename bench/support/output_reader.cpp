// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/output_reader.hpp"

#include <algorithm>
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

Status OutputReader::download(uint64_t offset, uint64_t size, std::vector<std::byte>& into) {
  into.resize(size);
  return gpu_.download({range_.buffer, range_.offset + offset, size}, into);
}

Result<std::span<const std::byte>> OutputReader::fetch(uint64_t first, uint64_t count) {
  const uint64_t offset = first * item_size_;
  const uint64_t size = count * item_size_;
  if (pending_.valid()) {
    const Status status = pending_.get();
    if (!status) return status.error();
    std::swap(current_, next_);
  } else if (const Status status = download(offset, size, current_); !status) {
    return status.error();
  }
  const uint64_t end = offset + size;
  const uint64_t next_size = std::min(size, range_.size - end);
  if (next_size > 0) {
    pending_ = std::async(std::launch::async, [this, end, next_size] { return download(end, next_size, next_); });
  }
  return std::span<const std::byte>(current_).first(size);
}

}  // namespace weft::bench
