// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of BulkInsert: a workgroup fills a tile of outputs. A marked one is the next of the items that come in, any
// other the next of the items that were there.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bulk/bulk_marks.glsl"

uvec2 bulk_positions(BulkCounts counts) { return word64_add(counts.items, counts.indices); }
uint bulk_head() { return bulk_head_of(push.outputs); }

uint bulk_position(BulkTile tile, uint i, uvec2 index) {
  return word64_min(index, tile.items).x + tile.first.x + i - tile.begin.x + tile.present.x;
}

// The tile's part of both: where it begins, and items that may be read from there on.
struct BulkSource {
  uvec2 address;
  uint items;
};

// `items` items of less than a word, from item `first` of a source on, in the low bits. Words
// without any of them are not read.
uint source_word(BulkSource source, uint first, uint items) {
  items = min(items, source.items - min(first, source.items));
  if (items == 0u) return 0u;
  const uvec2 address = word64_add(source.address, first * kItemBytes);
  const uint low = 8u * (address.x & 3u);
  Words words = Words(uvec2(address.x & ~3u, address.y));
  uint bits = words.at[0] >> low;
  if (low + items * kItemBits > 32u) bits |= words.at[1] << (32u - low);
  return bits;
}

// Word `word` of the tile, some of whose positions may be before the first item or after the last.
uint output_word(BulkTile tile, BulkSource inserted, BulkSource items, uint word) {
  const uint position = word * kWordItems;
  const uint skipped = max(position, tile.present.x) - position;  // less than a word
  const uint end = min(tile.present.y - position, kWordItems);
  const uint marks = marks_of(position, kWordItems) >> skipped;
  const uint before = marks_before(position);
  const uint coming = uint(bitCount(marks));
  uint coming_bits = source_word(inserted, before, coming);
  uint item_bits = source_word(items, position + skipped - tile.present.x - before, end - skipped - coming);
  uint bits = 0u;
  [[unroll]] for (uint k = 0; k < kWordItems; ++k) {
    const bool is_marked = ((marks >> k) & 1u) != 0u;
    bits |= ((is_marked ? coming_bits : item_bits) & word_mask_of(1u)) << (k * kItemBits);
    coming_bits >>= is_marked ? kItemBits : 0u;
    item_bits >>= is_marked ? 0u : kItemBits;
  }
  return bits << (skipped * kItemBits);
}

void main() {
  const BulkCounts counts = bulk_counts();
  const TileRange range = tile_range(bulk_positions(counts), bulk_head());
  const uint index = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (!tile_exists(range, index)) return;
  const BulkTile tile = bulk_tile(counts, range, index);

  marks_clear();
  barrier();
  bulk_mark(tile);
  barrier();
  workgroup_marks_count();

  const uvec2 first_item = word64_subtract(tile.begin, tile.first);
  const uvec2 left = word64_subtract(counts.items, first_item);
  const BulkSource inserted = BulkSource(bulk_address(push.inserted, tile.first), tile.indices);
  const BulkSource items = BulkSource(bulk_address(push.items, first_item), left.y != 0u ? ~0u : left.x);
  const uvec2 target = word64_subtract(bulk_address(push.outputs, tile.begin), uvec2(tile.present.x * kItemBytes, 0u));
  if (kNarrow) {
    uint words[kRows];
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      words[row] = 0u;
      if (bulk_unit(row) * kWordItems < tile.present.y) words[row] = output_word(tile, inserted, items, bulk_unit(row));
    }
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      if (bulk_unit(row) * kWordItems < tile.present.y)
        word_store(target, bulk_unit(row), tile.present.x, tile.present.y, words[row]);
    }
    return;
  }

  const uint units = tile.present.y * kItemUnits;
  const bool whole_sources = bulk_has_whole_units(push.inserted | push.items);
  const bool whole_target = bulk_has_whole_units(push.outputs);
  uvec4 words[kRows];
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint unit = bulk_unit(row);
    const uint position = bulk_item(unit);
    const uint marked = marks_before(position);
    const bool is_marked = marks_at(position);
    const uint from = is_marked ? marked : position - marked;
    words[row] = uvec4(0u);
    // Of positions that are not in order, there may be fewer marks than items that come in.
    if (unit < units && from < (is_marked ? inserted.items : items.items)) {
      const uvec2 address = is_marked ? inserted.address : items.address;
      words[row] = unit_load(address, unit + (from - position) * kItemUnits, whole_sources);
    }
  }
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    if (bulk_unit(row) < units) unit_store(target, bulk_unit(row), whole_target, words[row]);
  }
}
