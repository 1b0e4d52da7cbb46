// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The header of a tile of Gstd, its first word or two, and verdicts on tiles (docs/gstd-format.md, "The tile").
#ifndef WEFT_GSTD_HEADER_GLSL
#define WEFT_GSTD_HEADER_GLSL

// Verdicts.
const uint kGstdTruncated = 1u, kGstdBadHeader = 2u, kGstdBadTable = 3u, kGstdBadSequence = 4u, kGstdBadOffset = 5u,
           kGstdBadLength = 6u, kGstdBadFinalState = 7u, kGstdBadPadding = 8u;

struct GstdTileHeader {
  uint lanes;
  bool releases;  // final states are released
  uint tile_filter, stride;
  uint blocks;
  bool has_rows;  // whose words the second word is
  bool is_short;  // the only block's header is a word
  bool fine_lengths;
  bool moves_repeats;  // to the front, where they are used
  bool valid;
};

bool gstd_is_filter(uint tile_filter, uint stride) {
  return tile_filter == 0u   ? stride == 1u
         : tile_filter == 1u ? true
         : tile_filter <= 3u ? stride >= 2u
         : tile_filter <= 6u ? stride % 2u == 0u
         : tile_filter == 7u ? stride == 3u || stride == 4u
                             : tile_filter <= 13u && stride == 1u;
}

GstdTileHeader gstd_tile_header(uint word) {
  GstdTileHeader header;
  header.lanes = 1u << min(word & 7u, 5u);
  header.releases = (word & 8u) != 0u;
  header.tile_filter = word >> 4 & 15u;
  header.stride = (word >> 8 & 127u) + 1u;
  header.blocks = (word >> 15 & 1023u) + 1u;
  header.has_rows = (word >> 25 & 1u) != 0u;
  header.is_short = (word >> 26 & 1u) != 0u;
  header.fine_lengths = (word >> 27 & 1u) != 0u;
  header.moves_repeats = (word >> 28 & 1u) != 0u;
  header.valid = (word & 7u) <= 5u && word >> 29 == 0u && gstd_is_filter(header.tile_filter, header.stride) &&
                 !(header.has_rows && header.tile_filter > 7u) && !(header.is_short && header.blocks != 1u) &&
                 !(header.moves_repeats && header.lanes != 1u);
  return header;
}

#endif
