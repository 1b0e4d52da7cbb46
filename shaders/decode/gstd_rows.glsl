// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Inverse filters of Gstd for elements of up to 4 bytes, in one pass from a tile's decoded bytes to its content:
//   gstd_has_rows()     whether a filter can be inverted so; others are left to gstd_filters.glsl
//   gstd_rows_store()   does it, and sums the content up
// An invocation has a row at a time: four elements, or 16 of one byte. Differences are inverted by sums of bytes, four
// to a word: in the row, over the workgroup, and over the rows before it.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow, with the same arguments. All of them
// see the decoded bytes. Up to five words after these are read.
#ifndef WEFT_GSTD_ROWS_GLSL
#define WEFT_GSTD_ROWS_GLSL

#include "decode/gstd_bytes.glsl"
#include "decode/gstd_checksum.glsl"
#include "weft/lanes.glsl"
#include "weft/workgroup_add.glsl"

bool gstd_has_rows(uint tile_filter, uint stride) {
  return (tile_filter >= 1u && tile_filter <= 3u || tile_filter == 7u) && stride <= 4u;
}

uint gstd_row_words(uint stride) { return stride == 1u ? 4u : stride; }

// The bytes of a row's words, an element to a word, and back.
uvec4 gstd_row_parted(uvec4 words, uint stride) {
  if (stride == 2u) return uvec4(words.x & 0xffffu, words.x >> 16, words.y & 0xffffu, words.y >> 16);
  if (stride != 3u) return words;
  return uvec4(words.x, words.x >> 24 | words.y << 8, words.y >> 16 | words.z << 16, words.z >> 8) & 0xffffffu;
}
uvec4 gstd_row_joined(uvec4 elements, uint stride) {
  if (stride == 2u) return uvec4(elements.x | elements.y << 16, elements.z | elements.w << 16, 0u, 0u);
  if (stride != 3u) return elements;
  return uvec4(elements.x | elements.y << 24, elements.y >> 8 | elements.z << 16,
               elements.z >> 16 | elements.w << 8, 0u);
}

// A row's bytes from its words or, if they are in `planes`, from these: the first `rest` of them have a byte more than
// the others.
uvec4 gstd_row_load(Words decoded, bool planes, uint stride, uint row, uint elements, uint rest) {
  uvec4 words = uvec4(0u);
  if (planes) {
    [[unroll]] for (uint i = 0; i < 4u; ++i)
      if (i < stride) words[i] = gstd_bytes_of(decoded, i * elements + min(i, rest) + 4u * row);
    return gstd_transposed(words);
  }
  const uint count = gstd_row_words(stride);
  [[unroll]] for (uint i = 0; i < 4u; ++i)
    if (i < count) words[i] = decoded.at[count * row + i];
  return gstd_row_parted(words, stride);
}

// Adds to each element of a row those before it. `carry`: the sums of the workgroup's rows before; then of these too.
uvec4 gstd_row_summed(uvec4 row, bool bytes, uint slot, inout uint carry) {
  if (bytes) {
    [[unroll]] for (uint i = 0; i < 4u; ++i) {
      row[i] = gstd_add_bytes(row[i], row[i] << 8);
      row[i] = gstd_add_bytes(row[i], row[i] << 16);
      if (i != 0u) row[i] = gstd_add_bytes(row[i], (row[i - 1u] >> 24) * 0x01010101u);
    }
  } else {
    [[unroll]] for (uint i = 1; i < 4u; ++i) row[i] = gstd_add_bytes(row[i], row[i - 1u]);
  }
  const uint own = bytes ? row.w >> 24 : row.w;
  // Two bytes to a word: sums of 256 fit in 16 bits.
  uvec2 all;
  const uvec2 sums = workgroup_inclusive_add(uvec2(own, own >> 8) & 0x00ff00ffu, slot, all) & 0x00ff00ffu;
  uint before = gstd_add_bytes(carry, gstd_subtract_bytes(sums.x | sums.y << 8, own));
  if (bytes) before = (before & 255u) * 0x01010101u;
  all &= 0x00ff00ffu;
  carry = gstd_add_bytes(carry, all.x | all.y << 8);
  [[unroll]] for (uint i = 0; i < 4u; ++i) row[i] = gstd_add_bytes(row[i], before);
  return row;
}

// Stores a row's words, but for one that is not whole in the content; that one is the result, with its terms of the
// checksum added too.
uint gstd_row_store(uvec4 row, uint first, uint count, uint bytes, uvec2 output_at, inout uint sum) {
  if (count == 4u && 4u * first + 16u <= bytes && (output_at.x & 15u) == 0u) {
    Words4 fours = Words4(output_at);
    fours.at[first / 4u] = row;
    [[unroll]] for (uint i = 0; i < 4u; ++i) sum += gstd_checksum_term(row[i], first + i);
    return 0u;
  }
  Words words = Words(output_at);
  uint last = 0u;
  [[unroll]] for (uint i = 0; i < 4u; ++i) {
    const uint at = 4u * (first + i);
    if (i < count && at < bytes) {
      if (at + 4u <= bytes) {
        words.at[first + i] = row[i];
      } else {
        last = row[i] & (1u << (8u * (bytes - at))) - 1u;
        row[i] = last;
      }
      sum += gstd_checksum_term(row[i], first + i);
    }
  }
  return last;
}

// Stores the content of a tile that has rows, of `bytes` bytes, at `output_at`, aligned to 4. Returns this invocation's
// terms of the checksum.
uint gstd_rows_store(uint tile_filter, uint stride, uint bytes, uvec2 decoded, uvec2 output_at) {
  const uint count = gstd_row_words(stride);
  const uint rows = (bytes + 4u * count - 1u) / (4u * count);
  const uint elements = bytes / stride;
  uint sum = 0u, carry = 0u, last = 0u, slot = 0u;
  for (uint first = 0u; lanes_uniform(first < rows); first += kWorkgroupSize) {
    const uint own = first + lanes_position();
    uvec4 row = uvec4(0u);
    if (own < rows)
      row = gstd_row_load(Words(decoded), tile_filter != 1u, stride, own, elements, bytes - elements * stride);
    if (lanes_uniform(tile_filter != 2u)) row = gstd_row_summed(row, stride == 1u, slot, carry);
    slot ^= 1u;
    if (tile_filter == 7u) {
      [[unroll]] for (uint i = 0; i < 4u; ++i)
        if (4u * own + i < elements) row[i] = gstd_add_bytes(row[i], (row[i] >> 8 & 255u) * 0x00010001u);
    }
    if (own < rows) last |= gstd_row_store(gstd_row_joined(row, stride), count * own, count, bytes, output_at, sum);
  }
  if ((bytes & 3u) != 0u && lanes_position() == (rows - 1u) % kWorkgroupSize) {
    Words words = Words(output_at);
    merge_word(words, bytes >> 2, last, (1u << (8u * (bytes & 3u))) - 1u);
  }
  return sum;
}

#endif
