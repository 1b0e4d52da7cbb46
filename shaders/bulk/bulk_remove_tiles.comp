// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of BulkRemove: a workgroup loads a tile of items, and stores those that are not marked as many positions
// earlier as there are marks before them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bulk/bulk_marks.glsl"

uvec2 bulk_positions(BulkCounts counts) { return counts.items; }
uint bulk_head() { return bulk_head_of(push.items); }

uint bulk_position(BulkTile tile, uint i, uvec2 index) { return index.x - tile.begin.x + tile.present.x; }

// Of items of less than a word: those that stay, closed up.
const uint kStageWords = kNarrow ? kTileUnits + 2u : 1u;
shared uint weft_stage[kStageWords];

// Puts the items that stay of a word of the tile to their positions in weft_stage. `shift`: the position of the first.
void stage_word(BulkTile tile, uint word, uint bits, uint shift, uint kept) {
  const uint position = word * kWordItems;
  const uint marks = marks_of(position, kWordItems);
  uint staying = 0u;
  uint count = 0u;
  [[unroll]] for (uint k = 0; k < kWordItems; ++k) {
    const bool stays = position + k >= tile.present.x && position + k < tile.present.y && ((marks >> k) & 1u) == 0u;
    if (stays) staying |= ((bits >> (k * kItemBits)) & word_mask_of(1u)) << (count * kItemBits);
    count += stays ? 1u : 0u;
  }
  const uint rank = min(max(position, tile.present.x) - tile.present.x - marks_before(position), kept);
  count = min(count, kept - rank);
  staying &= word_mask_of(count);
  const uint at = shift + rank;
  const uint low = at % kWordItems * kItemBits;
  if (count != 0u) atomicOr(weft_stage[at / kWordItems], staying << low);
  if (low + count * kItemBits > 32u) atomicOr(weft_stage[at / kWordItems + 1u], staying >> (32u - low));
}

void main() {
  const BulkCounts counts = bulk_counts();
  const TileRange range = tile_range(bulk_positions(counts), bulk_head());
  const uint index = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (!tile_exists(range, index)) return;

  // All loads first.
  const BulkTile tile = bulk_tile(counts, range, index);
  const uint items = tile.present.y - tile.present.x;
  const uvec2 source = word64_subtract(bulk_address(push.items, tile.begin), uvec2(tile.present.x * kItemBytes, 0u));
  const uint units = kNarrow ? (tile.present.y + kWordItems - 1u) / kWordItems : items * kItemUnits;
  uvec4 words[kRows];
  if (bulk_has_whole_units(source)) {
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      words[row] = uvec4(0u);
      if (bulk_unit(row) < units) words[row] = unit_load(source, bulk_unit(row), true);
    }
  } else {
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      words[row] = uvec4(0u);
      if (bulk_unit(row) < units) words[row] = unit_load(source, bulk_unit(row), false);
    }
  }

  marks_clear();
  if (kNarrow) {
    for (uint i = bulk_lane_position(); i < kStageWords; i += kWorkgroupSize) weft_stage[i] = 0u;
  }
  barrier();
  bulk_mark(tile);
  barrier();
  workgroup_marks_count();

  // The end of this tile's output, where the next tile's begins: of indices that are not distinct, fewer than are not
  // marked.
  const uint kept = items - tile.indices;
  const uvec2 target = bulk_address(push.outputs, word64_subtract(tile.begin, tile.first));
  if (kNarrow) {
    const uint shift = (target.x & 3u) / kItemBytes;
    const uvec2 aligned = uvec2(target.x & ~3u, target.y);
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      if (bulk_unit(row) < units) stage_word(tile, bulk_unit(row), words[row].x, shift, kept);
    }
    barrier();
    // At most kRows + 1 rounds.
    for (uint i = bulk_lane_position(); i * kWordItems < shift + kept; i += kWorkgroupSize)
      word_store(aligned, i, shift, shift + kept, weft_stage[i]);
  } else {
    const bool whole = bulk_has_whole_units(target);
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      const uint unit = bulk_unit(row);
      const uint item = bulk_item(unit);
      const uint marked = marks_before(item);
      if (unit < units && !marks_at(item) && item - marked < kept)
        unit_store(target, unit - marked * kItemUnits, whole, words[row]);
    }
  }
}
