// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the prefix passes by key have in common (core/prefix_look_back.glsl, core/prefix_downsweep.glsl): a tile of
// items and keys, which is loaded at once if it is fast, and else row by row.
//
// The includer defines PassHeld and pass_is_fast(), and pass_total_of(), the total of a tile that is loaded.
#ifndef WEFT_BY_KEY_PASS_GLSL
#define WEFT_BY_KEY_PASS_GLSL

#define PassTile SegmentTile

struct PassWords {
  TileWords words;
  TileKeys keys;
};

Segment pass_take(SegmentTile tile, inout PassWords loaded, inout PassHeld held) {
  if (!pass_is_fast(tile)) return segments_total_by_rows(tile);
  segment_tile_load(tile, loaded.words, loaded.keys);
  return pass_total_of(tile, loaded.words, loaded.keys, held);
}

#endif
