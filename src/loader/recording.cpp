// SPDX-License-Identifier: MIT OR Apache-2.0
#include "loader/recording.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "loader/space.hpp"

namespace weft::loader {

namespace {

constexpr uint64_t aligned(uint64_t value) noexcept {
  return (value + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
}

constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

ZstdBounds sum_of(const ZstdBounds& a, const ZstdBounds& b) {
  return {a.blocks + b.blocks, a.literals + b.literals, a.sequences + b.sequences};
}

uint64_t content_of(const Piece& piece) { return piece.is_file() ? piece.output_bytes : piece.request->count; }

// From positions in staging and in the destination to those in the ranges of a call.
template <class Entry>
Entry moved(Entry entry, uint64_t from, uint64_t base) {
  entry.source -= from;
  entry.output += base;
  return entry;
}
template <class Entry>
void append(std::vector<Entry>& entries, const std::vector<Entry>& more, uint64_t from, uint64_t base) {
  for (const Entry& entry : more) entries.push_back(moved(entry, from, base));
}

const ImageDestination* image_of(const Piece& piece) { return std::get_if<ImageDestination>(&piece.request->to); }

}  // namespace

BufferRange Recording::at(uint64_t position) const {
  if (position < staging_.size) return {staging_.buffer, staging_.offset + position, staging_.size - position};
  position -= staging_.size;
  return {window_.buffer, position, window_.size - position};
}

// Whether the image's bytes are to be brought to temporary memory first: decoded there, or not aligned in staging.
bool Recording::needs_image_room(const Piece& piece) const {
  const ImageDestination* const image = image_of(piece);
  if (image == nullptr) return false;
  if (piece.entries() != 0) return true;
  const uint64_t alignment = std::lcm(4u, std::max(block_bytes(image->format), 1u));
  return at(piece.copies.front().from).offset % alignment != 0;
}

bool Recording::place(Piece& piece, uint32_t& entries) {
  piece.has_image = needs_image_room(piece);
  uint64_t compressed = compressed_bytes_, images = image_bytes_;
  piece.compressed_at = slot_.temporary.offset + compressed;
  piece.image_at = images;
  if (copies_source(piece)) compressed += piece.read_bytes;
  if (piece.has_image)
    images = aligned(images + (piece.copies.empty() ? content_of(piece) : piece.copies.front().bytes));
  const uint64_t more = has_own_table(piece) ? 0 : piece.entries();
  if (entries + more > kMaxEntries || aligned(compressed) + images > slot_.temporary.size) return false;
  entries += static_cast<uint32_t>(more);
  compressed_bytes_ = compressed;
  image_bytes_ = images;
  return true;
}

void Recording::take(PieceList& pieces, PieceList& ended) {
  uint32_t entries = 0;
  while (!pieces.empty()) {
    Piece& piece = *pieces.begin();
    const bool fits = place(piece, entries);
    if (!fits && !slot_.pieces.empty()) break;
    if (!fits) piece.status = RequestStatus::out_of_memory;
    (fits ? slot_.pieces : ended).push_back(pieces.pop_front());
  }
  // Images are behind all compressed bytes.
  const uint64_t images = aligned(slot_.temporary.offset + aligned(compressed_bytes_));
  for (Piece& piece : slot_.pieces) piece.image_at += images;
}

void Recording::begin_label(VkCommandBuffer commands, const char* name) const {
  if (functions_.begin_label == nullptr) return;
  VkDebugUtilsLabelEXT label{};
  label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  label.pLabelName = name;
  functions_.begin_label(commands, &label);
}

void Recording::end_label(VkCommandBuffer commands) const {
  if (functions_.end_label != nullptr) functions_.end_label(commands);
}

void Recording::barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
                        VkPipelineStageFlags to, VkAccessFlags seen) const {
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, seen};
  state_.vk().vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

Status Recording::record(VkCommandBuffer commands, const CopyLane* lane) {
  if (slot_.pieces.empty()) return {};
  // After the submission before, whose scratch this one uses, and what the destinations were used for.
  barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, kTransfer | kCompute,
          VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | kShader);
  const VkCommandBuffer copies = lane != nullptr ? lane->commands : commands;
  begin_label(copies, "weft loader: copies");
  record_copies(copies);
  end_label(copies);
  slot_.has_copies = !copied_.empty();
  if (lane != nullptr && slot_.has_copies) change_owner(commands, *lane);
  group_entries();
  if (!slot_.decodings.empty()) {
    barrier(commands, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, kCompute, kShader);
    if (Status status = record_decodings(commands); !status) return status;
  }
  begin_label(commands, "weft loader: images");
  record_images(commands);
  end_label(commands);
  // What another queue has written counts with this one's commands.
  VkPipelineStageFlags from = kTransfer | kCompute;
  VkAccessFlags written = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  if (lane != nullptr && slot_.has_copies) {
    from = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    written = VK_ACCESS_MEMORY_WRITE_BIT;
  }
  barrier(commands, from, written, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
  return {};
}

void Recording::copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::span<const VkBufferCopy> regions) {
  state_.vk().vkCmdCopyBuffer(commands, from, to, static_cast<uint32_t>(regions.size()), regions.data());
  for (const VkBufferCopy& region : regions) {
    VkBufferMemoryBarrier range{};
    range.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    range.buffer = to;
    range.offset = region.dstOffset;
    range.size = region.size;
    copied_.push_back(range);
  }
}

// Bytes that are copied as they are, and compressed ones to where the device reads them fast.
void Recording::record_copies(VkCommandBuffer commands) {
  for (const Piece& piece : slot_.pieces) {
    const BufferRange source = at(piece.staging);
    if (copies_source(piece)) {
      const VkBufferCopy region{source.offset, piece.compressed_at, piece.read_bytes};
      copy(commands, source.buffer, slot_.temporary.buffer, {&region, 1});
    }
    if (piece.copies.empty()) continue;
    if (image_of(piece) == nullptr) {
      const auto& buffer = std::get<BufferRange>(piece.request->to);
      std::vector<VkBufferCopy> regions;
      for (const Copy& one : piece.copies) regions.push_back({at(one.from).offset, buffer.offset + one.to, one.bytes});
      copy(commands, source.buffer, buffer.buffer, regions);
    } else if (piece.has_image) {
      const Copy& one = piece.copies.front();
      const VkBufferCopy region{at(one.from).offset, piece.image_at, one.bytes};
      copy(commands, source.buffer, slot_.temporary.buffer, {&region, 1});
    }
  }
}

// Releases what the copies have written, and acquires it for what follows, on the other queue. Its family needs nothing
// of what was there before.
void Recording::change_owner(VkCommandBuffer commands, const CopyLane& lane) {
  const bool changes = lane.from_family != lane.to_family;
  for (VkBufferMemoryBarrier& range : copied_) {
    range.srcQueueFamilyIndex = changes ? lane.from_family : VK_QUEUE_FAMILY_IGNORED;
    range.dstQueueFamilyIndex = changes ? lane.to_family : VK_QUEUE_FAMILY_IGNORED;
    range.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  }
  const auto count = static_cast<uint32_t>(copied_.size());
  if (changes)
    state_.vk().vkCmdPipelineBarrier(lane.commands, kTransfer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr,
                                     count, copied_.data(), 0, nullptr);
  for (VkBufferMemoryBarrier& range : copied_) {
    if (changes) range.srcAccessMask = 0;
    range.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  }
  state_.vk().vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                                   0, nullptr, count, copied_.data(), 0, nullptr);
}

// One of the piece's kind from and to these buffers, with scratch for a frame of `bounds` too.
Decoding& Recording::decoding_for(const Piece& piece, VkBuffer output, const BufferRange& source,
                                  const ZstdBounds& bounds) {
  const Piece* const table_of = has_own_table(piece) ? &piece : nullptr;
  const auto suits = [&](const Decoding& decoding) {
    if (decoding.output != output || decoding.source.buffer != source.buffer || decoding.table_of != table_of)
      return false;
    if (decoding.tiles.empty() != piece.tiles.empty() || decoding.pages.empty() != piece.pages.empty()) return false;
    if (piece.frames.empty()) return true;
    return decoders_.zstd->scratch_size(decoding.frames.size() + 1, sum_of(decoding.bounds, bounds)) <= scratch_.size;
  };
  const auto found = std::ranges::find_if(slot_.decodings, suits);
  if (found != slot_.decodings.end()) return *found;
  Decoding& decoding = slot_.decodings.emplace_back();
  decoding.output = output;
  decoding.source = source;
  decoding.table_of = table_of;
  return decoding;
}

void Recording::group_entries() {
  for (Piece& piece : slot_.pieces) {
    if (piece.entries() == 0) continue;
    VkBuffer output = slot_.temporary.buffer;
    uint64_t base = piece.image_at;
    const uint64_t bytes = content_of(piece);
    if (const auto* buffer = std::get_if<BufferRange>(&piece.request->to)) {
      output = buffer->buffer;
      base = buffer->offset;
    }
    // Compressed bytes are in staging, in the device's part of it, or copied.
    const bool is_copied = copies_source(piece);
    BufferRange source = is_in_window(piece) ? window_ : staging_;
    uint64_t from = is_in_window(piece) ? staging_.size : 0;
    if (has_own_table(piece)) {
      // Its table, which follows in staging, has what is written.
      from = piece.staging;
      source = {at(from).buffer, at(from).offset, piece.read_bytes};
    }
    if (is_copied) {
      source = {slot_.temporary.buffer, slot_.temporary.offset, compressed_bytes_};
      from = piece.staging - (piece.compressed_at - slot_.temporary.offset);
    }
    const auto add = [&](const ZstdBounds& bounds, size_t entries) -> Decoding& {
      Decoding& decoding = decoding_for(piece, output, source, bounds);
      decoding.begin = std::min(decoding.begin, base);
      decoding.end = std::max(decoding.end, base + bytes);
      decoding.bounds = sum_of(decoding.bounds, bounds);
      decoding.owners.insert(decoding.owners.end(), entries, &piece);
      return decoding;
    };
    // As many frames a call as there is scratch for.
    for (size_t i = 0; i < piece.frames.size(); ++i) {
      Decoding& decoding = add(piece.bounds[i], 1);
      if (piece.is_open && i + 1 == piece.frames.size()) decoding.open.push_back(decoding.frames.size());
      decoding.frames.push_back(moved(piece.frames[i], from, base));
    }
    if (!piece.frames.empty()) continue;
    Decoding& decoding = add({}, piece.entries());
    append(decoding.tiles, piece.tiles, from, base);
    append(decoding.pages, piece.pages, from, base);
  }
}

Status Recording::record_decodings(VkCommandBuffer commands) {
  uint64_t control_at = slot_.control.offset, own_at = 0;
  const Piece* table_of = nullptr;  // calls of one piece follow each other
  bool first = true;
  for (Decoding& decoding : slot_.decodings) {
    // Scratch is used again.
    if (!std::exchange(first, false)) barrier(commands, kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, kShader);
    const bool is_own = decoding.table_of != nullptr;
    if (is_own && std::exchange(table_of, decoding.table_of) != decoding.table_of)
      own_at = at(table_of->decoded).offset;
    begin_label(commands, !decoding.frames.empty()  ? "weft loader: decode frames"
                          : !decoding.pages.empty() ? "weft loader: decode pages"
                                                    : "weft loader: decode tiles");
    Status status = record_decoding(commands, decoding, is_own ? own_at : control_at);
    end_label(commands);
    if (!status) return status;
  }
  return {};
}

// `next`: where in the buffer of staging its table is to be; then that of the next one.
Status Recording::record_decoding(VkCommandBuffer commands, Decoding& decoding, uint64_t& next) {
  const size_t count = decoding.owners.size();
  const auto mapped = [&] { return slot_.mapped + (next - slot_.control.offset); };
  const auto take = [&](uint64_t bytes) {
    const BufferRange range{slot_.control.buffer, next, bytes};
    next += (bytes + 7) / 8 * 8;
    return range;
  };
  std::memset(mapped(), 0, 4);  // refused entries
  decoding.status = take(4 * (1 + uint64_t{count}));
  decoding.sizes = take(decoding.frames.empty() ? 0 : 4 * uint64_t{count});
  // Writes the table, and sets all arguments but those that are a decoder's own.
  const auto prepare = [&](auto& args, auto& table, auto& entries, auto& entry_count) {
    for (auto& entry : entries) entry.output -= decoding.begin;
    const auto bytes = std::as_bytes(std::span(entries));
    std::memcpy(mapped(), bytes.data(), bytes.size());
    table = take(bytes.size());
    entry_count = count;
    args.source = decoding.source;
    args.output = {decoding.output, decoding.begin, decoding.end - decoding.begin};
    args.status = decoding.status;
    args.scratch = scratch_;
    entries.clear();
  };
  if (!decoding.frames.empty()) {
    ZstdDecodeArgs args;
    args.bounds = decoding.bounds;
    args.sizes = decoding.sizes;
    prepare(args, args.frames, decoding.frames, args.frame_count);
    return decoders_.zstd->record(commands, args);
  }
  if (!decoding.pages.empty()) {
    GdeflateDecodeArgs args;
    prepare(args, args.pages, decoding.pages, args.page_count);
    return decoders_.gdeflate->record(commands, args);
  }
  // The largest first, as gstd_largest_first has them, with their owners.
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](uint32_t i) { return decoding.tiles[i].words; });
  std::vector<GstdTile> tiles(count);
  std::vector<Piece*> owners(count);
  for (size_t i = 0; i < count; ++i) {
    tiles[i] = decoding.tiles[order[i]];
    owners[i] = decoding.owners[order[i]];
  }
  decoding.tiles = std::move(tiles);
  decoding.owners = std::move(owners);
  GstdDecodeArgs args;
  prepare(args, args.tiles, decoding.tiles, args.tile_count);
  return decoders_.gstd->record(commands, args);
}

void Recording::record_images(VkCommandBuffer commands) const {
  bool first = true;
  for (const Piece& piece : slot_.pieces) {
    if (image_of(piece) == nullptr) continue;
    if (std::exchange(first, false))
      barrier(commands, kTransfer | kCompute, VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT, kTransfer,
              VK_ACCESS_TRANSFER_READ_BIT);
    record_image(commands, piece);
  }
}

void Recording::record_image(VkCommandBuffer commands, const Piece& piece) const {
  const ImageDestination& image = *image_of(piece);
  VkImageMemoryBarrier change{};
  change.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  change.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  change.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  change.oldLayout = image.old_layout;
  change.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  change.srcQueueFamilyIndex = change.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  change.image = image.image;
  change.subresourceRange = {image.aspect, image.level, 1, image.base_layer, image.layers};
  state_.vk().vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kTransfer, 0, 0, nullptr, 0, nullptr,
                                   1, &change);
  VkBufferImageCopy region{};
  region.bufferOffset = piece.has_image ? piece.image_at : at(piece.copies.front().from).offset;
  region.imageSubresource = {image.aspect, image.level, image.base_layer, image.layers};
  region.imageOffset = image.offset;
  region.imageExtent = image.extent;
  functions_.copy_to_image(commands, piece.has_image ? slot_.temporary.buffer : at(piece.staging).buffer, image.image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  change.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  change.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT;
  change.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  change.newLayout = image.layout;
  state_.vk().vkCmdPipelineBarrier(commands, kTransfer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr,
                                   1, &change);
}

}  // namespace weft::loader
