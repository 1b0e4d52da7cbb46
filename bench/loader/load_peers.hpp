// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <weft/gpu.hpp>

#include "load_input.hpp"

namespace weft::bench {

/// What a program without a loader does: threads read, decode by libzstd if need be, and write to memory that the
/// device copies from, one submission for all that is ready.
class Peers {
 public:
  /// With memory for all of the content.
  static Result<std::unique_ptr<Peers>> create(Gpu& gpu, uint64_t content_bytes);
  virtual ~Peers() = default;

  /// Brings a peer's file to the buffer and waits. `direct`: reads bypass the page cache.
  virtual Status load(const PeerFile& peer, bool compressed, bool direct, uint32_t threads, VkBuffer to) = 0;
  /// Copies so many bytes to the buffer and waits.
  virtual Status copy(uint64_t bytes, VkBuffer to) = 0;
  /// Reads a part of a file and copies it to the buffer.
  virtual Status load_one(int file, uint64_t position, uint64_t bytes, VkBuffer to) = 0;
};

/// Reads all of a file, by threads, in pieces of 1 MiB.
Status read_all(const std::string& path, bool direct, uint32_t threads);

}  // namespace weft::bench
