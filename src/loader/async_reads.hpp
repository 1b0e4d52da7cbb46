// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/loader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "loader/file.hpp"

namespace weft::loader {

struct Piece;

/// One read of a file, which the system does while the program goes on. The owner keeps it until it is reaped.
struct AsyncRead {
  intptr_t handle = -1;
  uint64_t position = 0;
  std::span<std::byte> to;
  bool direct = false;
  int64_t result = 0;  ///< as File::read has it
  Piece* owner = nullptr;
};

/// A queue of them. Calls must not coincide.
class AsyncReads {
 public:
  virtual ~AsyncReads() = default;
  /// False if the queue is full.
  virtual bool start(AsyncRead& read) = 0;
  /// Hands what was started to the system.
  virtual void flush() = 0;
  /// Up to `room.size()` reads that are done.
  virtual size_t reap(std::span<AsyncRead*> room) = 0;
  virtual ReadBackend backend() const noexcept = 0;
  /// Whether the file's reads belong to this queue from now on, and to no other.
  virtual Result<bool> attach(const File& file) = 0;
};

/// Null if the system has none, or forbids it. `memory`: where most reads go, which may be registered.
std::unique_ptr<AsyncReads> open_async_reads(uint32_t depth, std::span<std::byte> memory);

}  // namespace weft::loader
