// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Inverse filters of Gstd for elements of 2 to 32 whole words, in one pass from a tile's decoded bytes to its content:
//   gstd_is_wide()      whether a filter can be inverted so; others are left to gstd_rows.glsl and gstd_filters.glsl
//   gstd_wide_store()   does it, and sums the content up
// A lane has one word of four elements at a time, and the lanes after it the same word of the elements after these: so
// planes are read line by line, and differences are inverted by a sum over the lanes. Through shared memory content is
// stored line by line too.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow, with the same arguments. All of them
// see the decoded bytes, at an address aligned to 16. Up to 8 bytes after these are read.
#ifndef WEFT_GSTD_WIDE_GLSL
#define WEFT_GSTD_WIDE_GLSL

#include "decode/gstd_bytes.glsl"
#include "decode/gstd_columns.glsl"
#include "decode/gstd_rows.glsl"
#include "weft/lanes.glsl"
#include "weft/workgroup_add.glsl"

// (The last byte of an odd number of bytes is no 16-bit number.)
bool gstd_is_wide(uint tile_filter, uint stride, uint bytes) {
  return (stride & 3u) == 0u && (tile_filter >= 1u && tile_filter <= 3u && stride > 4u ||
                                 tile_filter >= 4u && tile_filter <= 6u && (bytes & 1u) == 0u);
}

// For each word of an element the sum of lanes before its lanes, and of all elements before: the latter for each time
// that they are summed up.
shared uint weft_gstd_before[32], weft_gstd_carries[3u * 32u];

struct GstdWide {
  Words decoded;
  uint tile_filter, stride, bytes;
  uint elements, rest;     // whole ones, and bytes after them
  uint column, row, rows;  // this lane's word of an element, and which four elements of `rows` at a time
  bool has;                // a column
};

// A word holds 4 bytes or 2 numbers, which are added separately. `top`: the highest bit of each.
struct GstdPacked {
  uint top, mask, log;
};
GstdPacked gstd_packed(uint tile_filter) {
  return tile_filter >= 4u ? GstdPacked(0x80008000u, 0x0000ffffu, 16u) : GstdPacked(0x80808080u, 0x00ff00ffu, 8u);
}

// Word `column` of four elements from `element` on, without what is after the content.
uvec4 gstd_wide_load(GstdWide wide, uint element) {
  uvec4 loaded;
  if (wide.tile_filter == 1u) {
    [[unroll]] for (uint e = 0; e < 4u; ++e) {
      const uint at = (element + e) * wide.stride + 4u * wide.column;
      loaded[e] = 0u;
      if (at < wide.bytes) loaded[e] = wide.decoded.at[at >> 2];
    }
    return loaded;
  }
  [[unroll]] for (uint p = 0; p < 4u; ++p) {
    const uint plane = 4u * wide.column + p;
    loaded[p] = gstd_bytes_of(wide.decoded, plane * wide.elements + min(plane, wide.rest) + element);
  }
  loaded = gstd_transposed(loaded);
  if (wide.tile_filter < 4u) return loaded;
  // The sign of a number is its lowest bit.
  return loaded >> 1 & 0x7fff7fffu ^ (loaded & 0x00010001u) * 0xffffu;
}

// Adds to each element those before it. `carry`: the sum of all elements of earlier rounds. The sum after this round is
// stored in weft_gstd_carries from `carries` on. `slot`: of workgroup_inclusive_add().
void gstd_wide_sum(GstdWide wide, GstdPacked packed, uint slot, uint carries, uint carry, inout uvec4 elements) {
  [[unroll]] for (uint e = 1; e < 4u; ++e) elements[e] = gstd_packed_add(packed.top, elements[e], elements[e - 1u]);
  uvec2 all;
  const uint own = elements[3];
  const uvec2 sums = workgroup_inclusive_add(uvec2(own, own >> packed.log) & packed.mask, slot, all) & packed.mask;
  const uint before = gstd_packed_subtract(packed.top, sums.x | sums.y << packed.log, own);
  if (wide.has && wide.row == 0u) weft_gstd_before[wide.column] = before;
  barrier();
  if (!wide.has) return;
  const uint earlier =
      gstd_packed_add(packed.top, carry, gstd_packed_subtract(packed.top, before, weft_gstd_before[wide.column]));
  [[unroll]] for (uint e = 0; e < 4u; ++e) elements[e] = gstd_packed_add(packed.top, elements[e], earlier);
  if (wide.row == wide.rows - 1u) weft_gstd_carries[carries + wide.column] = elements[3];
}

// Stores the content of a wide tile of `bytes` bytes at `output_at`, aligned to 4. Returns this invocation's terms of
// the checksum.
uint gstd_wide_store(uint tile_filter, uint stride, uint bytes, uvec2 decoded, uvec2 output_at) {
  const uint columns = stride / 4u;
  const uint rows = kWorkgroupSize / columns, elements = bytes / stride;
  const uint column = lanes_position() / rows;
  GstdWide wide = GstdWide(Words(decoded), tile_filter, stride, bytes, elements, bytes - elements * stride, column,
                           lanes_position() - column * rows, rows, column < columns);
  const uint step = 4u * wide.rows * stride;  // bytes
  const GstdPacked packed = gstd_packed(tile_filter);
  const uint order = tile_filter == 2u ? 0u : tile_filter >= 4u ? tile_filter - 3u : 1u;
  uint sum = 0u, slot = 0u, element = 4u * wide.row;
  uvec3 carry = uvec3(0u);
  for (uint first = 0u; lanes_uniform(first < bytes); first += step) {
    uvec4 made = uvec4(0u);
    if (wide.has && element * stride < bytes) made = gstd_wide_load(wide, element);
    [[unroll]] for (uint o = 0; o < 3u; ++o) {
      if (lanes_uniform(o < order)) {
        gstd_wide_sum(wide, packed, slot, 32u * o, carry[o], made);
        slot ^= 1u;
      }
    }
    if (wide.has) {
      [[unroll]] for (uint e = 0; e < 4u; ++e)
        weft_gstd_staged[(4u * wide.row + e) * columns + wide.column] = made[e];
    }
    barrier();
    if (wide.has) {
      [[unroll]] for (uint o = 0; o < 3u; ++o)
        if (o < order) carry[o] = weft_gstd_carries[32u * o + wide.column];
    }
    const uint own = 16u * lanes_position(), at = first + own;
    if (own < step && at < bytes) {
      uvec4 row;
      [[unroll]] for (uint i = 0; i < 4u; ++i) row[i] = weft_gstd_staged[own / 4u + i];
      const uint last = gstd_row_store(row, at / 16u, bytes, output_at, sum);
      if ((bytes & 3u) != 0u && at + 16u >= bytes) {
        Words words = Words(output_at);
        merge_word(words, bytes >> 2, last, (1u << (8u * (bytes & 3u))) - 1u);
      }
    }
    barrier();
    element += 4u * wide.rows;
  }
  return sum;
}

#endif
