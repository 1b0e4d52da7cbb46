// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

#include <algorithm>
#include <numeric>

#include "gstd/guarded.hpp"
#include "gstd/little_endian.hpp"
#include "pack/layout.hpp"

namespace weft::pack {
namespace {

using gstd::store_u32;
using gstd::store_u64;

Error mistake(const std::string& what) { return {ErrorCode::invalid_argument, "pack: " + what}; }

void store_range(const Range& range, std::byte* to) {
  store_u64(to + RangeAt::position, range.position);
  store_u64(to + RangeAt::stored_bytes, range.stored_bytes);
  store_u64(to + RangeAt::content_offset, range.content_offset);
  store_u64(to + RangeAt::slice_bytes, range.slice_bytes);
  store_u64(to + RangeAt::stored_hash, range.stored_hash);
  store_u32(to + RangeAt::level, range.level);
  to[RangeAt::coding] = static_cast<std::byte>(range.coding);
  store_u32(to + RangeAt::table_bytes, range.table_bytes);
  store_u32(to + RangeAt::tile_bytes, range.tile_bytes);
}

// What an entry says of its asset alone.
void store_entry(const Asset& asset, uint64_t path_hash, std::byte* to) {
  store_u64(to + EntryAt::path_hash, path_hash);
  store_u64(to + EntryAt::content_hash, asset.content_hash);
  store_u64(to + EntryAt::content_bytes, asset.content_bytes);
  store_u64(to + EntryAt::position, asset.ranges.empty() ? 0 : asset.ranges.front().position);
  store_u64(to + EntryAt::stored_bytes, asset.stored_bytes());
  store_u32(to + EntryAt::path_bytes, static_cast<uint32_t>(asset.path.size()));
  store_u32(to + EntryAt::ranges, static_cast<uint32_t>(asset.ranges.size()));
  to[EntryAt::kind] = static_cast<std::byte>(asset.kind);
  to[EntryAt::image_file] = static_cast<std::byte>(asset.image.file);
  store_u32(to + EntryAt::slices, asset.slices);
  store_u32(to + EntryAt::vk_format, asset.image.vk_format);
  store_u32(to + EntryAt::width, asset.image.width);
  store_u32(to + EntryAt::height, asset.image.height);
  store_u32(to + EntryAt::depth, asset.image.depth);
  store_u32(to + EntryAt::levels, asset.image.levels);
  store_u32(to + EntryAt::layers, asset.image.layers);
  store_u32(to + EntryAt::faces, asset.image.faces);
}

// Assets by the hashes of their paths.
struct Order {
  std::vector<uint64_t> hashes;
  std::vector<uint32_t> indices;
  uint64_t ranges = 0, name_bytes = 0;
};

Result<Order> order_of(std::span<const Asset> assets) {
  Order order;
  if (assets.size() > UINT32_MAX) return mistake("more than 2^32 - 1 assets");
  order.indices.resize(assets.size());
  std::iota(order.indices.begin(), order.indices.end(), 0u);
  for (const Asset& asset : assets) {
    if (const std::string fault = fault_of_path(asset.path); !fault.empty()) return mistake(asset.path + ": " + fault);
    order.hashes.push_back(hash_of(asset.path));
    order.ranges += asset.ranges.size();
    order.name_bytes += asset.path.size();
  }
  if (order.ranges > UINT32_MAX) return mistake("more than 2^32 - 1 ranges");
  std::ranges::sort(order.indices, {}, [&](uint32_t index) { return order.hashes[index]; });
  for (size_t i = 1; i < assets.size(); ++i) {
    const uint32_t a = order.indices[i - 1], b = order.indices[i];
    if (order.hashes[a] != order.hashes[b]) continue;
    return mistake(assets[a].path + " and " + assets[b].path +
                   (assets[a].path == assets[b].path ? " are the same path" : " have one hash: rename one"));
  }
  return order;
}

std::vector<std::byte> directory_of(std::span<const Asset> assets, const Order& order) {
  std::vector<std::byte> directory(kEntryBytes * assets.size() + kRangeBytes * order.ranges + order.name_bytes);
  std::byte* entry = directory.data();
  std::byte* range = entry + kEntryBytes * assets.size();
  std::byte* const names = range + kRangeBytes * order.ranges;
  uint64_t path_offset = 0, first_range = 0;
  for (const uint32_t index : order.indices) {
    const Asset& asset = assets[index];
    store_entry(asset, order.hashes[index], entry);
    store_u64(entry + EntryAt::path_offset, path_offset);
    store_u32(entry + EntryAt::first_range, static_cast<uint32_t>(first_range));
    for (const Range& of_asset : asset.ranges) {
      store_range(of_asset, range);
      range += kRangeBytes;
    }
    std::ranges::transform(asset.path, names + path_offset, [](char letter) { return static_cast<std::byte>(letter); });
    path_offset += asset.path.size();
    first_range += asset.ranges.size();
    entry += kEntryBytes;
  }
  return directory;
}

}  // namespace

Result<PackEnd> end_pack(std::span<const Asset> assets, uint64_t payload_end, uint64_t generation) noexcept {
  return gstd::guarded([&]() -> Result<PackEnd> {
    if (generation == 0) return mistake("generations begin at 1");
    const Result<Order> order = order_of(assets);
    if (!order) return order.error();
    PackEnd end;
    end.directory_position = rounded_up(std::max(payload_end, kPayloadAt), kBlockBytes);
    end.directory = directory_of(assets, *order);
    end.slot_position = generation % 2 == 1 ? 0 : kBlockBytes;
    end.slot.resize(kBlockBytes);
    std::byte* const slot = end.slot.data();
    store_u64(slot + HeaderAt::magic, kMagic);
    store_u32(slot + HeaderAt::version, kFormatVersion);
    store_u64(slot + HeaderAt::generation, generation);
    store_u64(slot + HeaderAt::directory_position, end.directory_position);
    store_u64(slot + HeaderAt::directory_bytes, end.directory.size());
    store_u64(slot + HeaderAt::pack_bytes, end.directory_position + end.directory.size());
    store_u64(slot + HeaderAt::entries, assets.size());
    store_u64(slot + HeaderAt::ranges, order->ranges);
    store_u64(slot + HeaderAt::name_bytes, order->name_bytes);
    store_u64(slot + HeaderAt::directory_hash, hash_of(end.directory));
    store_u64(slot + HeaderAt::header_hash, hash_of(std::span<const std::byte>(end.slot).first(HeaderAt::header_hash)));
    // A reader checks the rest, of what it will read.
    const uint64_t bytes = end.directory_position + end.directory.size();
    const auto reader = PackReader::open(end.slot, end.directory, bytes);
    if (!reader) return mistake(reader.error().message);
    return end;
  });
}

}  // namespace weft::pack
