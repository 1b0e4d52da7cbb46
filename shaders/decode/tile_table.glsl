// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The table of tiles of GstdDecode, and the position of a tile's scratch.
#ifndef WEFT_GSTD_TILE_TABLE_GLSL
#define WEFT_GSTD_TILE_TABLE_GLSL

#include "decode/decode_table.glsl"
#include "decode/gstd_decode.h"

const uint kGstdBadEntry = 9u, kGstdChecksum = 10u;
const uint kRaw = 0u, kFill = 1u, kCompressed = 2u;

struct Tile {
  uvec2 source, target;  // addresses
  uint words, bytes, kind, checksum, first, count;
  bool has_checksum;
  bool valid;
};

Tile load_tile(uint index) {
  Words entry = Words(word64_add(push.entries, word64_multiply(index, 40u)));
  const uvec2 source = uvec2(lanes_uniform(entry.at[0]), lanes_uniform(entry.at[1]));
  const uvec2 target = uvec2(lanes_uniform(entry.at[2]), lanes_uniform(entry.at[3]));
  Tile tile;
  tile.words = lanes_uniform(entry.at[4]);
  tile.bytes = lanes_uniform(entry.at[5]);
  const uint kind = lanes_uniform(entry.at[6]);
  tile.kind = kind & 0xffffu;
  tile.has_checksum = kind >> 16 != 0u;
  tile.checksum = lanes_uniform(entry.at[7]);
  tile.first = lanes_uniform(entry.at[8]);
  tile.count = lanes_uniform(entry.at[9]);
  const uint most = tile.bytes / 4u + ((tile.bytes & 3u) != 0u ? 1u : 0u);
  tile.valid = tile.bytes != 0u && tile.bytes <= push.max_bytes && tile.kind <= kCompressed &&
               (tile.kind == kRaw    ? tile.words == most
                : tile.kind == kFill ? tile.words == 1u
                                     : tile.words != 0u && tile.words < most) &&
               tile.first <= tile.bytes && tile.count <= tile.bytes - tile.first && (source.x & 3u) == 0u &&
               lies_within(source, word64_multiply(tile.words, 4u), push.source_bytes) &&
               lies_within(target, uvec2(tile.count, 0u), push.output_bytes);
  tile.source = word64_add(push.source, source);
  tile.target = word64_add(push.outputs, target);
  return tile;
}

// What the first dispatch reports of a tile that is to be finished, what is there before, and what it reports of a tile
// that other dispatches take: no verdicts.
const uint kGstdDecoded = ~0u, kGstdPending = ~0u - 1u, kGstdLater = ~0u - 2u;

// A tile's two parts of scratch, in bytes. Each is enough for 16-bit numbers, which are padded for each of up to 64
// numbers of an element; the second, for what gstd_tile_decode() takes too.
uint scratch_part() { return (push.max_bytes + 1024u + 511u) / 512u * 512u; }
uint scratch_work() { return WEFT_GSTD_BLOCK_WORK + WEFT_GSTD_BESIDE_WORK; }
uvec2 scratch_of(uint slot) {
  const uint both = scratch_part() + max(scratch_part() + WEFT_GSTD_APART, scratch_work());
  return word64_add(push.scratch, word64_times(uvec2(both, 0u), slot));
}

// Regions, less than 4 GiB, and after them the bits of those that are free.
uvec2 region_at(uint region) { return word64_add(push.scratch, region * push.region_bytes); }
uvec2 regions_end() { return region_at(push.regions); }
uint region_words() { return (push.regions + 31u) / 32u; }
// Frees up to 31 that have their bits in one word.
void free_region(uint first, uint count) {
  Words scratch = Words(regions_end());
  atomicOr(scratch.at[WEFT_GSTD_FREE + first / 32u], ((1u << count) - 1u) << (first & 31u));
}

// Whether all of a tile is requested, in whole words.
bool is_whole(Tile tile) {
  return tile.first == 0u && tile.count == tile.bytes && ((tile.target.x | tile.bytes) & 3u) == 0u;
}
bool is_part(Tile tile) { return tile.valid && tile.kind == kCompressed && !is_whole(tile); }
// Whether these dispatches take a tile. Where no parts are to come, they refuse them.
bool is_taken(Tile tile) {
  return push.form == WEFT_GSTD_ALL || push.parts == 0u || is_part(tile) == (push.form == WEFT_GSTD_PARTS);
}

#endif
