// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Inverse row differences of Gstd by a workgroup, in place (docs/gstd-format.md, "Filters"): to each word of the
// content the one a row before it is added, from the first row to the last.
//   gstd_columns_sum()   does it, and sums the content up
// A lane has columns of words, four rows of one at a time. If lanes are more than columns, it has a part of one, in two
// passes: the sum of each part comes first, then, from what is before each part, its sums.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow, with the same arguments. Lanes see
// each other's words of the content after a barrier of the caller's.
#ifndef WEFT_GSTD_COLUMNS_GLSL
#define WEFT_GSTD_COLUMNS_GLSL

#include "weft/lanes.glsl"

#include "decode/gstd_bytes.glsl"
#include "decode/gstd_checksum.glsl"

// Sums of parts of columns. In gstd_wide.glsl: content that waits to be stored.
shared uint weft_gstd_staged[4u * kWorkgroupSize];

bool gstd_is_of_numbers(uint tile_filter) { return tile_filter >= 4u && tile_filter <= 6u; }

struct GstdColumns {
  Words content;
  uint row_words;
  uint top;  // the highest bit of each byte or number in a word
};

// Each lane's `own`, and those of the lanes `apart`, 2 * `apart` and so on before it.
uint gstd_columns_before(uint own, uint apart, uint top) {
  const uint lane = lanes_position();
  weft_gstd_staged[lane] = own;
  barrier();
  uint sum = own;
  for (uint distance = apart; lanes_uniform(distance < kWorkgroupSize); distance *= 2u) {
    const uint earlier = lane >= distance ? weft_gstd_staged[lane - distance] : 0u;
    barrier();
    sum = gstd_packed_add(top, sum, earlier);
    weft_gstd_staged[lane] = sum;
    barrier();
  }
  return lane >= apart ? weft_gstd_staged[lane - apart] : 0u;
}

// Four words of a column, `row_words` apart; 0 from word `end` on.
uvec4 gstd_columns_load(GstdColumns columns, uint at, uint end) {
  uvec4 words = uvec4(0u);
  [[unroll]] for (uint i = 0; i < 4u; ++i)
    if (at + i * columns.row_words < end) words[i] = columns.content.at[at + i * columns.row_words];
  return words;
}

// Adds them to `sum` one by one. If `stores`, stores each sum in its word, and adds its term to the checksum.
void gstd_columns_add(GstdColumns columns, uvec4 words, uint at, uint end, bool stores, inout uint sum,
                      inout uint checksum) {
  [[unroll]] for (uint i = 0; i < 4u; ++i) {
    const uint word = at + i * columns.row_words;
    sum = gstd_packed_add(columns.top, sum, words[i]);
    if (stores && word < end) {
      columns.content.at[word] = sum;
      checksum += gstd_checksum_term(sum, word);
    }
  }
}

// Sums up `count` whole words. Returns this invocation's terms of the checksum.
uint gstd_columns_words(GstdColumns columns, uint count) {
  const uint width = columns.row_words;  // columns, each in so many parts:
  const uint rows = (count + width - 1u) / width, parts = clamp(kWorkgroupSize / width, 1u, rows);
  const uint part_rows = (rows + parts - 1u) / parts;
  const uint part = lanes_position() / width, begin = part * part_rows * width;
  const uint end = part < parts ? min(begin + part_rows * width, count) : 0u;
  uint before = 0u, checksum = 0u;
  [[dont_unroll]] for (uint pass = parts > 1u ? 0u : 1u; lanes_uniform(pass < 2u); ++pass) {
    uint sum = 0u;
    // (With parts a lane has one column.)
    [[dont_unroll]] for (uint first = 0u; lanes_uniform(first < width); first += kWorkgroupSize) {
      const uint column = first + lanes_position() - part * width;
      uint at = column < width ? begin + column : end;
      sum = before;
      [[dont_unroll]] for (uint row = 0u; lanes_uniform(row < part_rows); row += 4u) {
        gstd_columns_add(columns, gstd_columns_load(columns, at, end), at, end, pass == 1u, sum, checksum);
        at += 4u * width;
      }
    }
    if (lanes_uniform(pass == 0u)) before = gstd_columns_before(sum, width, columns.top);
  }
  return checksum;
}

// Sums up the content of a tile, of `bytes` bytes at `address`, aligned to 4. Returns this invocation's terms of the
// checksum.
uint gstd_columns_sum(uint tile_filter, uint row_words, uint bytes, uvec2 address) {
  GstdColumns columns =
      GstdColumns(Words(address), row_words, gstd_is_of_numbers(tile_filter) ? 0x80008000u : 0x80808080u);
  groupMemoryBarrier();
  barrier();
  uint checksum = gstd_columns_words(columns, bytes / 4u);
  groupMemoryBarrier();
  barrier();
  const uint word = bytes >> 2, rest = bytes & 3u;
  if (rest != 0u && lanes_position() == 0u) {
    const uint mask = (1u << (8u * rest)) - 1u;
    // Half of a number stays as it is.
    const uint added = !gstd_is_of_numbers(tile_filter) ? mask : rest == 1u ? 0u : 0xffffu;
    const uint earlier = columns.content.at[word - row_words] & added;
    const uint sum = gstd_packed_add(columns.top, columns.content.at[word], earlier) & mask;
    merge_word(columns.content, word, sum, mask);
    checksum += gstd_checksum_term(sum, word);
  }
  return checksum;
}

#endif
