// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks requests, and finds what they are about.
#include <algorithm>

#include "loader/loader_state.hpp"

namespace weft::loader {

namespace {

Outcome refuse(std::string_view reason) { return {RequestStatus::invalid_argument, reason}; }

std::optional<pack::Entry> entry_of(const LoadRequest& asked) {
  const pack::PackReader& directory = asked.pack.directory();
  if (!asked.path.empty()) return directory.find(asked.path);
  if (asked.asset >= directory.size()) return std::nullopt;
  return directory.entry(asked.asset);
}

/// Sets first and count in `bytes` of content.
bool set_interval(const LoadRequest& asked, uint64_t bytes, Request& request) {
  if (asked.first > bytes) return false;
  request.first = asked.first;
  request.count = asked.count == kToEnd ? bytes - asked.first : asked.count;
  return request.count <= bytes - asked.first;
}

Outcome resolve_image(const Engine& engine, Request& request) {
  const auto& image = std::get<ImageDestination>(request.to);
  if (!request.level_range) return refuse("an image takes a level: LoadRequest::level");
  if (image.image == VK_NULL_HANDLE || image.layers == 0) return refuse("the image is null, or has no layers");
  const uint64_t bytes = image_bytes(image);
  if (bytes == 0) return {RequestStatus::unsupported, "the image's format is unknown to the loader"};
  request.whole_piece = true;
  if (request.decoded_whole) {
    request.decoded_room = bytes;
    return {};
  }
  if (bytes > request.count) return refuse("the image takes more bytes than there are of the level");
  request.count = bytes;
  const pack::Range range = request.pack->directory.range(request.entry, *request.level_range);
  request.on_device &= engine.device()->fits(range.stored_bytes, bytes);
  return {};
}

Outcome resolve_destination(const Engine& engine, Request& request) {
  if (const auto* host = std::get_if<std::span<std::byte>>(&request.to)) {
    if (!request.decoded_whole && host->size() < request.count)
      return {RequestStatus::over_limit, "the destination is smaller than the content"};
    return {};
  }
  if (engine.device() == nullptr) return refuse("the Loader has no device");
  // A tile that lies in several slices would be decoded several times.
  const bool contiguous = request.level_range || request.entry.slices <= 1;
  const bool is_compressed = request.entry.kind == pack::Kind::gstd || request.decoded_whole;
  request.on_device = engine.config().decode_on_device && contiguous && is_compressed;
  if (std::holds_alternative<ImageDestination>(request.to)) return resolve_image(engine, request);
  const auto& buffer = std::get<BufferRange>(request.to);
  if (buffer.buffer == VK_NULL_HANDLE || buffer.size == VK_WHOLE_SIZE) return refuse("the buffer range is invalid");
  if (!request.decoded_whole && buffer.size < request.count)
    return {RequestStatus::over_limit, "the destination is smaller than the content"};
  request.decoded_room = request.decoded_whole ? buffer.size : 0;
  return {};
}

}  // namespace

Outcome resolve(const Engine& engine, const LoadRequest& asked, Request& request) {
  if (asked.pack.state() == nullptr) return refuse("the request has no pack");
  request.pack = asked.pack.state();
  request.to = asked.to;
  request.tag = asked.tag;
  request.priority = asked.priority;
  if (asked.deadline) request.deadline = *asked.deadline;
  const auto entry = entry_of(asked);
  if (!entry) return {RequestStatus::not_found, "the pack has no such asset"};
  request.entry = *entry;
  uint64_t bytes = entry->content_bytes;
  if (asked.level) {
    for (uint32_t i = 0; i < entry->range_count && !request.level_range; ++i)
      if (request.pack->directory.range(*entry, i).level == *asked.level) request.level_range = i;
    if (!request.level_range) return refuse("the asset has no such level");
    request.next_range = *request.level_range;
    bytes = content_of(request, request.pack->directory.range(*entry, *request.level_range));
  }
  if (!set_interval(asked, bytes, request)) return refuse("the range is not within the content");
  if (!asked.stored && (entry->kind == pack::Kind::zst || entry->kind == pack::Kind::gdeflate ||
                        (entry->kind == pack::Kind::ktx2 && asked.level))) {
    if (request.first != 0 || request.count != bytes)
      return {RequestStatus::unsupported, "Zstandard and GDeflate are decoded as a whole"};
    request.decoded_whole = request.whole_piece = true;
  }
  request.report.bytes = request.count;
  const Outcome outcome = resolve_destination(engine, request);
  request.report.bytes = request.count;
  return outcome;
}

}  // namespace weft::loader
