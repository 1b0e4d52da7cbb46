// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/loader.hpp>

#include <cstdint>
#include <functional>
#include <span>

#include "loader/request.hpp"

namespace weft::loader {

/// Tiles, frames or pages of a submission; those of a file with more have their table in its staging.
constexpr uint32_t kMaxEntries = 4096;
/// An entry, its status and size, and what a call of its own would add.
constexpr uint64_t kTableBytes = sizeof(GstdTile) + 24;
inline bool has_own_table(const Piece& piece) noexcept { return piece.is_file() && piece.entries() > kMaxEntries; }

/// What a Loader does on a device. Calls must not coincide, but for the const ones and signal().
class Device {
 public:
  virtual ~Device() = default;
  /// Where files are read to.
  virtual std::span<std::byte> staging() const noexcept = 0;
  virtual bool imports_staging() const noexcept = 0;
  /// The same in the device's memory, at positions that follow those of staging(). Empty: there is none.
  virtual std::span<std::byte> window() const noexcept = 0;
  /// Device and staging memory, in bytes.
  virtual uint64_t bytes() const noexcept = 0;
  virtual bool can_decode(uint32_t tile_bytes) const noexcept = 0;
  /// Bytes of content that the decoder works on at once.
  virtual uint64_t decoded_at_once() const noexcept = 0;
  /// Whether a piece with so many stored bytes, decoded to an image of `image_bytes` (else 0), fits what a submission
  /// has.
  virtual bool fits(uint64_t stored_bytes, uint64_t image_bytes) const noexcept = 0;
  virtual bool has_queue() const noexcept = 0;
  /// That it has taken, and not given back.
  virtual uint32_t pieces() const noexcept = 0;
  /// Whether submit() would take a piece.
  virtual bool has_room() const noexcept = 0;

  /// Takes pieces from the front as far as there is room, and submits their commands. On failure, those taken end so.
  virtual void submit(PieceList& pieces, PieceList& ended) noexcept = 0;
  /// The same into the host's commands. Returns the submission's number, 0: none.
  virtual Result<uint64_t> record(VkCommandBuffer commands, PieceList& pieces, PieceList& ended) noexcept = 0;
  virtual void retire(uint64_t number) noexcept = 0;
  /// Appends pieces whose commands have run, with their status.
  virtual void reap(PieceList& ended) noexcept = 0;
  virtual bool signal(const LoadSignal& signal) const noexcept = 0;
};

/// Bytes of content that a copy to the image takes, each layer directly after the other. 0: the format is unknown, or
/// the numbers are too large.
uint64_t image_bytes(const ImageDestination& image) noexcept;
/// Of a texel block.
uint32_t block_bytes(VkFormat format) noexcept;

}  // namespace weft::loader
