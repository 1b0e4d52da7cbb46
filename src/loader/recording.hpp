// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/gdeflate_decode.hpp>
#include <weft/gstd_decode.hpp>
#include <weft/zstd_decode.hpp>

#include "loader/vulkan.hpp"

namespace weft::loader {

/// Bytes of an image in a buffer begin at a multiple of it: of 4, and of every format's texel block.
constexpr uint64_t kImageAlignment = 192;

/// Those that are needed.
struct Decoders {
  std::optional<GstdDecode> gstd;
  std::optional<ZstdDecode> zstd;
  std::optional<GdeflateDecode> gdeflate;
};

/// What one call decodes, from one buffer to one: tiles, frames or pages.
struct Decoding {
  BufferRange source;
  VkBuffer output = VK_NULL_HANDLE;
  uint64_t begin = UINT64_MAX, end = 0;  // of the buffer
  // output: from `begin`, once they are recorded
  std::vector<GstdTile> tiles;
  std::vector<ZstdFrame> frames;
  ZstdBounds bounds;
  std::vector<GdeflatePage> pages;
  std::vector<Piece*> owners;       // in the order of the statuses
  std::vector<size_t> open;         // entries that end a piece whose size is open
  const Piece* table_of = nullptr;  // whose staging has the table; null: the slot's control has it
  BufferRange status, sizes;        // sizes: of frames
};

/// What a submission has of its own.
struct Slot {
  vk::UniqueCommandPool pool;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  vk::UniqueFence fence;
  // With a queue for copies.
  vk::UniqueCommandPool copy_pool;
  VkCommandBuffer copy_commands = VK_NULL_HANDLE;
  VkSemaphore copied = VK_NULL_HANDLE;
  bool has_copies = false;
  uint64_t number = 0;
  BufferRange temporary;  // device memory: compressed bytes, then images' content
  BufferRange control;    // tables, statuses and sizes, in staging
  std::byte* mapped = nullptr;
  PieceList pieces;  // empty: the slot is free
  std::vector<Decoding> decodings;
};

/// Where copies are recorded, if not with the rest.
struct CopyLane {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  uint32_t from_family = 0, to_family = 0;
};

/// Records the commands of one submission.
class Recording {
 public:
  Recording(const runtime::ContextState& state, const Functions& functions, const Decoders& decoders, Slot& slot,
            const BufferRange& staging, const BufferRange& window, const BufferRange& scratch, bool copies_source)
      : state_(state),
        functions_(functions),
        decoders_(decoders),
        slot_(slot),
        staging_(staging),
        window_(window),
        scratch_(scratch),
        copies_source_(copies_source) {}

  /// Moves pieces from the front to the slot, as many as it has room for. Those that no slot has room for end.
  void take(PieceList& pieces, PieceList& ended);
  /// The commands are to wait for the lane's, if slot.has_copies.
  Status record(VkCommandBuffer commands, const CopyLane* lane = nullptr);

 private:
  // A position in staging.
  BufferRange at(uint64_t position) const;
  bool is_in_window(const Piece& piece) const { return piece.staging >= staging_.size; }
  bool copies_source(const Piece& piece) const {
    return copies_source_ && piece.entries() != 0 && !is_in_window(piece);
  }
  bool place(Piece& piece, uint32_t& entries);
  bool needs_image_room(const Piece& piece) const;
  void begin_label(VkCommandBuffer commands, const char* name) const;
  void end_label(VkCommandBuffer commands) const;
  void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
               VkAccessFlags seen) const;
  void copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::span<const VkBufferCopy> regions);
  void record_copies(VkCommandBuffer commands);
  void change_owner(VkCommandBuffer commands, const CopyLane& lane);
  void group_entries();
  Decoding& decoding_for(const Piece& piece, VkBuffer output, const BufferRange& source, const ZstdBounds& bounds);
  Status record_decodings(VkCommandBuffer commands);
  Status record_decoding(VkCommandBuffer commands, Decoding& decoding, uint64_t& next);
  void record_images(VkCommandBuffer commands) const;
  void record_image(VkCommandBuffer commands, const Piece& piece) const;

  const runtime::ContextState& state_;
  const Functions& functions_;
  const Decoders& decoders_;
  Slot& slot_;
  BufferRange staging_, window_, scratch_;
  bool copies_source_;
  uint64_t compressed_bytes_ = 0, image_bytes_ = 0;
  std::vector<VkBufferMemoryBarrier> copied_;  // ranges that copies write
};

}  // namespace weft::loader
