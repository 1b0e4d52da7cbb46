// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Inverse filters of Gstd for elements of up to 4 bytes, in one pass from a tile's decoded bytes to its content:
//   gstd_is_narrow()    whether a filter can be inverted so; others are left to gstd_filters.glsl
//   gstd_rows_store()   does it, and sums the content up
// An invocation has four rows at a time: 16 elements, or 64 of one byte. Differences are inverted by sums of bytes,
// four to a word: in the rows, over the workgroup, and over the rows before it.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow, with the same arguments. All of them
// see the decoded bytes, at an address aligned to 16. Up to 64 bytes after these are read.
#ifndef WEFT_GSTD_ROWS_GLSL
#define WEFT_GSTD_ROWS_GLSL

#include "decode/gstd_bytes.glsl"
#include "decode/gstd_checksum.glsl"
#include "weft/lanes.glsl"
#include "weft/workgroup_add.glsl"

bool gstd_is_narrow(uint tile_filter, uint stride) {
  return (tile_filter <= 3u || tile_filter == 7u) && stride <= 4u;
}

// Vectors of 16 bytes that four rows take: 4, or the stride.
uint gstd_row_vectors(uint stride) { return stride == 1u ? 4u : stride; }

// Elements of 2 or 3 bytes from their vectors, and back.
GstdRows gstd_rows_parted(GstdRows packed, uint stride) {
  GstdRows rows = packed;
  if (stride == 2u) {
    [[unroll]] for (uint r = 0; r < 4u; ++r) {
      const uvec2 words = (r & 1u) == 0u ? packed.at[r / 2u].xy : packed.at[r / 2u].zw;
      rows.at[r] = uvec4(words.x & 0xffffu, words.x >> 16, words.y & 0xffffu, words.y >> 16);
    }
  } else if (stride == 3u) {
    const uvec4 x = packed.at[0], y = packed.at[1], z = packed.at[2];
    const uvec3 words[4] = uvec3[](x.xyz, uvec3(x.w, y.xy), uvec3(y.zw, z.x), z.yzw);
    [[unroll]] for (uint r = 0; r < 4u; ++r) {
      const uvec3 w = words[r];
      rows.at[r] = uvec4(w.x, w.x >> 24 | w.y << 8, w.y >> 16 | w.z << 16, w.z >> 8) & 0xffffffu;
    }
  }
  return rows;
}
GstdRows gstd_rows_packed(GstdRows rows, uint stride) {
  GstdRows packed = rows;
  if (stride == 2u) {
    uvec2 words[4];
    [[unroll]] for (uint r = 0; r < 4u; ++r)
      words[r] = uvec2(rows.at[r].x | rows.at[r].y << 16, rows.at[r].z | rows.at[r].w << 16);
    packed.at[0] = uvec4(words[0], words[1]);
    packed.at[1] = uvec4(words[2], words[3]);
  } else if (stride == 3u) {
    uvec3 words[4];
    [[unroll]] for (uint r = 0; r < 4u; ++r) {
      const uvec4 e = rows.at[r];
      words[r] = uvec3(e.x | e.y << 24, e.y >> 8 | e.z << 16, e.z >> 16 | e.w << 8);
    }
    packed.at[0] = uvec4(words[0], words[1].x);
    packed.at[1] = uvec4(words[1].yz, words[2].xy);
    packed.at[2] = uvec4(words[2].z, words[3]);
  }
  return packed;
}

// Rows from 4 * `row` on, from their vectors or, if they are in `planes`, from these: the first `rest` of them have a
// byte more than the others.
GstdRows gstd_rows_load(uvec2 decoded, bool planes, uint stride, uint row, uint elements, uint rest) {
  GstdRows rows = GstdRows(uvec4[](uvec4(0u), uvec4(0u), uvec4(0u), uvec4(0u)));
  if (planes) {
    [[unroll]] for (uint i = 0; i < 4u; ++i)
      if (i < stride) rows.at[i] = gstd_sixteen_bytes(decoded, i * elements + min(i, rest) + 16u * row);
    return gstd_sixteen_transposed(rows);
  }
  Words4 vectors = Words4(decoded);
  const uint count = gstd_row_vectors(stride);
  [[unroll]] for (uint i = 0; i < 4u; ++i)
    if (i < count) rows.at[i] = vectors.at[count * row + i];
  return gstd_rows_parted(rows, stride);
}

// Adds to each element of the rows those before it. `carry`: the sums of the workgroup's rows before; then of these
// too.
void gstd_rows_sum(inout GstdRows rows, bool bytes, uint slot, inout uint carry) {
  uint own = 0u;
  [[unroll]] for (uint r = 0; r < 4u; ++r) {
    [[unroll]] for (uint i = 0; i < 4u; ++i) {
      uint word = rows.at[r][i];
      if (bytes) {
        word = gstd_add_bytes(word, word << 8);
        word = gstd_add_bytes(word, word << 16);
      }
      word = gstd_add_bytes(word, own);
      rows.at[r][i] = word;
      own = bytes ? (word >> 24) * 0x01010101u : word;
    }
  }
  // Two bytes to a word: sums of 256 fit in 16 bits.
  uvec2 all;
  const uvec2 sums = workgroup_inclusive_add(uvec2(own, own >> 8) & 0x00ff00ffu, slot, all) & 0x00ff00ffu;
  const uint before = gstd_add_bytes(carry, gstd_subtract_bytes(sums.x | sums.y << 8, own));
  all &= 0x00ff00ffu;
  carry = gstd_add_bytes(carry, all.x | all.y << 8);
  [[unroll]] for (uint r = 0; r < 4u; ++r)
    [[unroll]] for (uint i = 0; i < 4u; ++i) rows.at[r][i] = gstd_add_bytes(rows.at[r][i], before);
}

// Stores a vector, but for a word that is not whole in the content; that one is the result. Adds the vector's terms of
// the checksum.
uint gstd_row_store(uvec4 row, uint vector, uint bytes, uvec2 output_at, inout uint sum) {
  const uint first = 4u * vector;
  if (4u * first + 16u <= bytes && (output_at.x & 15u) == 0u) {
    Words4 fours = Words4(output_at);
    fours.at[vector] = row;
    [[unroll]] for (uint i = 0; i < 4u; ++i) sum += gstd_checksum_term(row[i], first + i);
    return 0u;
  }
  Words words = Words(output_at);
  uint last = 0u;
  [[unroll]] for (uint i = 0; i < 4u; ++i) {
    const uint at = 4u * (first + i);
    if (at < bytes) {
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

// Stores the content of a narrow tile of `bytes` bytes at `output_at`, aligned to 4; that may be `decoded` if the bytes
// are in no planes. Returns this invocation's terms of the checksum.
uint gstd_rows_store(uint tile_filter, uint stride, uint bytes, uvec2 decoded, uvec2 output_at) {
  const uint count = gstd_row_vectors(stride);
  const uint rows = (bytes + 16u * count - 1u) / (16u * count);  // four each
  const uint elements = bytes / stride;
  uint sum = 0u, carry = 0u, last = 0u, slot = 0u;
  for (uint first = 0u; lanes_uniform(first < rows); first += kWorkgroupSize) {
    const uint own = first + lanes_position();
    GstdRows loaded = GstdRows(uvec4[](uvec4(0u), uvec4(0u), uvec4(0u), uvec4(0u)));
    if (own < rows)
      loaded = gstd_rows_load(decoded, tile_filter > 1u, stride, own, elements, bytes - elements * stride);
    if (lanes_uniform(tile_filter != 2u && tile_filter != 0u)) gstd_rows_sum(loaded, stride == 1u, slot, carry);
    slot ^= 1u;
    if (tile_filter == 7u) {
      [[unroll]] for (uint r = 0; r < 4u; ++r)
        [[unroll]] for (uint i = 0; i < 4u; ++i)
          if (16u * own + 4u * r + i < elements)
            loaded.at[r][i] = gstd_add_bytes(loaded.at[r][i], (loaded.at[r][i] >> 8 & 255u) * 0x00010001u);
    }
    if (own < rows) {
      loaded = gstd_rows_packed(loaded, stride);
      [[unroll]] for (uint v = 0; v < 4u; ++v)
        if (v < count) last |= gstd_row_store(loaded.at[v], count * own + v, bytes, output_at, sum);
    }
  }
  if ((bytes & 3u) != 0u && lanes_position() == (rows - 1u) % kWorkgroupSize) {
    Words words = Words(output_at);
    merge_word(words, bytes >> 2, last, (1u << (8u * (bytes & 3u))) - 1u);
  }
  return sum;
}

#endif
