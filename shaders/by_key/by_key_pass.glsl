// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the prefix passes by key have in common (core/prefix_look_back.glsl, core/prefix_held.glsl,
// core/prefix_downsweep.glsl): a tile of items and keys, which is loaded at once if it is fast, and else row by row.
//
// The includer defines PassHeld and pass_is_fast(), and pass_total_of(), the total of a tile that is loaded.
#ifndef WEFT_BY_KEY_PASS_GLSL
#define WEFT_BY_KEY_PASS_GLSL

#define PassTile SegmentTile

struct PassWords {
  TileWords words;
  TileKeys keys;
};

void pass_fetch(SegmentTile tile, inout PassWords loaded) {
  if (pass_is_fast(tile)) segment_tile_load(tile, loaded.words, loaded.keys);
}

Segment pass_aggregate(SegmentTile tile, uint slot) { return tile_segment(tile, slot); }

Segment pass_total(SegmentTile tile, PassWords loaded, inout PassHeld held) {
  if (pass_is_fast(tile)) return pass_total_of(tile, loaded.words, loaded.keys, held);
  return segments_total_by_rows(tile);
}

Segment pass_take(SegmentTile tile, inout PassWords loaded, inout PassHeld held) {
  if (!pass_is_fast(tile)) return segments_total_by_rows(tile);
  segment_tile_load(tile, loaded.words, loaded.keys);
  return pass_total_of(tile, loaded.words, loaded.keys, held);
}

#endif
