// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Inverse filters of Gstd by a workgroup (docs/gstd-format.md, "Filters"): from a tile's decoded bytes,
// in scratch, to its content.
//   gstd_content_of()      what is known of a tile, and which bytes gstd_rows_store() is to sum up after
//   gstd_content_begin()   which parts planes or sums numbers, in scratch
//   gstd_content_ready()   after both
//   gstd_content_at()      then returns up to four bytes of the content to any lane
//   gstd_content_store()   then stores a part of the content, and sums it up
// One prefix sum over all planes inverts the differences. In each plane it exceeds the plane's own sums by the sum
// before its first byte, which is subtracted when a byte is fetched.
//
// Who calls: every invocation of the workgroup, of any size, in workgroup-uniform control flow, with the same
// arguments. In gstd_content_at() nothing crosses lanes. All of them see the decoded bytes. Scratch: the two parts of
// tile_table.glsl.
#ifndef WEFT_GSTD_FILTERS_GLSL
#define WEFT_GSTD_FILTERS_GLSL

#include "weft/lanes.glsl"
#include "weft/word64.glsl"
#include "weft/workgroup_add.glsl"

#include "decode/gstd_bytes.glsl"
#include "decode/gstd_checksum.glsl"
#include "decode/gstd_rows.glsl"

struct GstdContent {
  Words decoded;  // the tile's bytes, later their sums
  Words aside;    // 16-bit numbers, or the planes of a tile that has none
  uvec2 planes;   // the address of either: of the one that has the planes
  uint summed;    // bytes of it that are summed up
  uint tile_filter, stride;
  uint bytes;
  uint elements;    // bytes / stride, rounded down
  uint rest;        // bytes after them
  uint reciprocal;  // of the stride
  uint pitch;       // of planes in `aside`: of 16-bit numbers, or bytes
};

// For each plane: its begin in 24 bits, then the excess of its sums. Of 16-bit numbers, its byte after whole elements.
shared uint weft_gstd_planes[128];

void gstd_filter_barrier() {
  memoryBarrierBuffer();
  barrier();
}

uint gstd_divided_by_stride(GstdContent content, uint at) {
  if (content.stride == 1u) return at;
  uint high, low;
  umulExtended(at, content.reciprocal, high, low);
  return high;
}

uint gstd_plane_begin(GstdContent content, uint plane) { return plane * content.elements + min(plane, content.rest); }

// Splits the content in `decoded` into planes in `aside`, 4 bytes of 4 elements at a time. Planes begin at multiples of
// `pitch`, and zeros are between them.
void gstd_part_planes(GstdContent content) {
  const uint columns = (content.stride + 3u) / 4u;
  const uint rows = content.pitch / 4u;
  [[dont_unroll]] for (uint i = lanes_position(); i < columns * rows; i += kWorkgroupSize) {
    const uint row = i / columns, column = i - row * columns;
    uvec4 elements = uvec4(0u);
    [[unroll]] for (uint e = 0; e < 4u; ++e) {
      const uint at = (4u * row + e) * content.stride + 4u * column;
      const uint left = content.bytes - min(at, content.bytes);
      if (left != 0u) elements[e] = gstd_bytes_of(content.decoded, at);
      if (left < 4u) elements[e] &= (1u << (8u * left)) - 1u;
    }
    const uvec4 planes = gstd_transposed(elements);
    [[unroll]] for (uint p = 0; p < 4u; ++p) {
      if (4u * column + p < content.stride) content.aside.at[(4u * column + p) * rows + row] = planes[p];
    }
  }
  gstd_filter_barrier();
}

// Reads 16-bit numbers from their planes, inverts their zigzag code and sums them `order` times. A subgroup has one
// position in the element at a time, and of its numbers four a lane.
void gstd_sum_numbers(GstdContent content, uint order) {
  const uint positions = content.stride / 2u;
  const uint numbers = content.bytes / 2u;
  for (uint begin = 0u; lanes_uniform(begin < positions); begin += kSubgroupCount) {
    const uint position = begin + subgroup_index();
    const uint count = position < min(positions, numbers) ? (numbers - 1u - position) / positions + 1u : 0u;
    const uint low = gstd_plane_begin(content, 2u * position);
    const uint high = gstd_plane_begin(content, 2u * position + 1u);
    uvec3 carry = uvec3(0u);
    for (uint first = 0u; lanes_uniform(first * positions < numbers); first += 4u * kSubgroupSize) {
      const uint at = first + 4u * subgroup_lane();
      uvec4 sums = uvec4(0u);
      if (at < count) {
        const uint lows = gstd_bytes_of(content.decoded, low + at);
        const uint highs = gstd_bytes_of(content.decoded, high + at);
        [[unroll]] for (uint i = 0; i < 4u; ++i) {
          const uint folded = (lows >> (8u * i) & 255u) | (highs >> (8u * i) & 255u) << 8;
          sums[i] = folded >> 1 ^ (folded & 1u) * 0xffffu;
        }
      }
      [[unroll]] for (uint o = 0; o < 3u; ++o) {
        if (lanes_uniform(o < order)) {
          [[unroll]] for (uint i = 1; i < 4u; ++i) sums[i] += sums[i - 1u];
          const uint through = carry[o] + subgroup_inclusive_add(sums[3]);
          carry[o] = subgroup_broadcast(through, kSubgroupSize - 1u);
          sums += uvec4(through - sums[3]);
        }
      }
      if (at < count) {
        const uint to = (position * content.pitch + at) / 2u;
        content.aside.at[to] = (sums[0] & 0xffffu) | sums[1] << 16;
        content.aside.at[to + 1u] = (sums[2] & 0xffffu) | sums[3] << 16;
      }
    }
  }
}

// The content of a tile with `bytes` bytes in `decoded`.
GstdContent gstd_content_of(uint tile_filter, uint stride, uint bytes, uvec2 decoded, uvec2 aside) {
  GstdContent content;
  content.decoded = Words(decoded);
  content.aside = Words(aside);
  content.tile_filter = tile_filter;
  content.stride = stride;
  content.bytes = bytes;
  content.reciprocal = stride < 2u ? 0u : ~0u / stride + 1u;
  content.elements = bytes / stride;
  content.rest = bytes - content.elements * stride;
  content.pitch = ((bytes / 2u) / max(stride / 2u, 1u) + 1u + 3u) & ~3u;
  content.planes = decoded;
  content.summed = tile_filter == 1u || tile_filter == 3u || tile_filter == 7u ? bytes : 0u;
  if (tile_filter == 1u && stride != 1u) {
    content.pitch = (content.elements + min(content.rest, 1u) + 3u) & ~3u;
    content.planes = aside;
    content.summed = stride * content.pitch;
  }
  return content;
}

// The part of scratch that all of the content may be stored to.
uvec2 gstd_content_part(uint tile_filter, uint stride, uvec2 decoded, uvec2 aside) {
  return tile_filter == 1u && stride != 1u || tile_filter >= 4u && tile_filter <= 6u ? decoded : aside;
}

void gstd_content_begin(GstdContent content) {
  if (lanes_uniform(content.tile_filter == 1u && content.stride != 1u)) {
    gstd_part_planes(content);
  } else if (lanes_uniform(content.tile_filter >= 4u && content.tile_filter <= 6u)) {
    gstd_sum_numbers(content, content.tile_filter - 3u);
  }
}

void gstd_content_ready(GstdContent content) {
  gstd_filter_barrier();
  const uint tile_filter = content.tile_filter, stride = content.stride;
  for (uint plane = lanes_position(); plane < stride; plane += kWorkgroupSize) {
    const uint begin =
        tile_filter == 1u && stride != 1u ? plane * content.pitch : gstd_plane_begin(content, plane);
    uint excess = 0u;
    if (begin != 0u && (tile_filter == 1u || tile_filter == 3u || tile_filter == 7u))
      excess = gstd_byte_of(Words(content.planes), begin - 1u);
    weft_gstd_planes[plane] = begin | excess << 24;
    if (tile_filter >= 4u && tile_filter <= 6u)
      weft_gstd_planes[plane] = gstd_byte_of(content.decoded, begin + content.elements);
  }
  barrier();
}

// Of a filter of texture blocks, the width of each field, a hexadecimal digit, the first in the lowest.
uint gstd_field_widths(uint tile_filter) {
  switch (tile_filter) {
    case 8u: return 0x422u;
    case 9u: return 0x4228u;
    case 10u: return 0x422611u;
    case 11u: return 0x611u;
    case 12u: return 0x611611u;
    default: return 0x444211u;
  }
}
uint gstd_block_bytes(uint tile_filter) { return tile_filter == 8u || tile_filter == 11u ? 8u : 16u; }

// A texture block, of 8 or 16 bytes.
uvec4 gstd_block_of_fields(GstdContent content, uint block) {
  const uint widths = gstd_field_widths(content.tile_filter);
  const uint blocks = content.bytes / gstd_block_bytes(content.tile_filter);
  uvec4 made = uvec4(0u);
  uint first = 0u, within = 0u;
  [[dont_unroll]] for (uint left = widths; left != 0u; left >>= 4) {
    const uint width = left & 15u;
    const uint at = first + block * width;
    [[unroll]] for (uint part = 0u; part < 8u; part += 4u) {
      if (part < width) {
        uint bytes = gstd_bytes_of(content.decoded, at + part);
        if (width - part < 4u) bytes &= (1u << (8u * (width - part))) - 1u;
        const uint word = within + part >> 2, shift = 8u * (within + part & 3u);
        const uint above = (bytes >> 1) >> (31u - shift);
        [[unroll]] for (uint i = 0u; i < 4u; ++i)
          made[i] |= i == word ? bytes << shift : i == word + 1u ? above : 0u;
      }
    }
    first += blocks * width;
    within += width;
  }
  return made;
}

// The byte of plane `plane` in `element`, without the excess.
uint gstd_plane_byte(GstdContent content, uint plane, uint element) {
  const uint begin = weft_gstd_planes[plane];
  return gstd_byte_of(Words(content.planes), (begin & 0xffffffu) + element) - (begin >> 24) & 255u;
}

uint gstd_content_byte(GstdContent content, uint at, uint plane, uint element) {
  switch (content.tile_filter) {
    case 0u: return gstd_byte_of(content.decoded, at);
    case 1u:
    case 2u:
    case 3u: return gstd_plane_byte(content, plane, element);
    case 4u:
    case 5u:
    case 6u: {
      if (at >= (content.bytes & ~1u)) return weft_gstd_planes[plane];
      return gstd_byte_of(content.aside, 2u * ((plane >> 1) * content.pitch + element) + (plane & 1u));
    }
    case 7u: {
      uint byte = gstd_plane_byte(content, plane, element);
      if ((plane & 1u) == 0u && element < content.elements && plane < 3u) byte += gstd_plane_byte(content, 1u, element);
      return byte & 255u;
    }
    default: {
      const uint bytes = gstd_block_bytes(content.tile_filter), block = at / bytes, within = at - block * bytes;
      if (block >= content.bytes / bytes) return gstd_byte_of(content.decoded, at);
      const uvec4 made = gstd_block_of_fields(content, block);
      const uvec2 pair = within < 8u ? made.xy : made.zw;
      return ((within & 4u) == 0u ? pair.x : pair.y) >> (8u * (within & 3u)) & 255u;
    }
  }
}

// Bytes [at, at + count) of the content, which exist; the others are 0. `count` is 1 to 4.
uint gstd_content_at(GstdContent content, uint at, uint count) {
  uint bytes = 0u;
  uint element = gstd_divided_by_stride(content, at);
  uint plane = at - element * content.stride;
  [[dont_unroll]] for (uint i = 0u; i < count; ++i) {
    bytes |= gstd_content_byte(content, at + i, plane, element) << (8u * i);
    ++plane;
    if (plane == content.stride) {
      plane = 0u;
      ++element;
    }
  }
  return bytes;
}

// Stores whole texture blocks to an aligned output, and adds their terms to the checksum. Returns how many bytes it
// stored.
uint gstd_content_store_blocks(GstdContent content, uvec2 output_at, inout uint sum) {
  const uint block_bytes = gstd_block_bytes(content.tile_filter);
  const uint bytes = content.bytes / block_bytes * block_bytes;
  for (uint own = lanes_position(); 16u * own < bytes; own += kWorkgroupSize) {
    uvec4 row = gstd_block_of_fields(content, block_bytes == 16u ? own : 2u * own);
    if (block_bytes == 8u && 16u * own + 8u < bytes) row.zw = gstd_block_of_fields(content, 2u * own + 1u).xy;
    gstd_row_store(row, own, bytes, output_at, sum);
  }
  return bytes;
}

// The same for numbers of 2 bytes: four at a time.
uint gstd_content_store_numbers(GstdContent content, Words words, inout uint sum) {
  const uint rows = content.elements / 4u;
  for (uint word = lanes_position(); word < 2u * rows; word += kWorkgroupSize) {
    const uint made = content.aside.at[word];
    words.at[word] = made;
    sum += gstd_checksum_term(made, word);
  }
  return 8u * rows;
}

// Stores `count` bytes of the content from `first` on at `output_at`, of any alignment. Returns this invocation's terms
// of the checksum, which mean something if all of it is stored, aligned to 4.
uint gstd_content_store(GstdContent content, uint first, uint count, uvec2 output_at) {
  uint sum = 0u;
  const uint skew = output_at.x & 3u;
  Words words = Words(uvec2(output_at.x - skew, output_at.y));
  const uint end = skew + count;
  uint begin = 0u;
  if (lanes_uniform(skew == 0u && first == 0u && count == content.bytes)) {
    if (lanes_uniform(content.tile_filter >= 8u)) {
      begin = gstd_content_store_blocks(content, output_at, sum);
    } else if (content.stride == 2u && content.tile_filter >= 4u && content.tile_filter <= 6u) {
      begin = gstd_content_store_numbers(content, words, sum);
    }
  }
  for (uint own = begin + 4u * lanes_position(); own < end; own += 4u * kWorkgroupSize) {
    const uint from = max(own, skew);
    const uint to = min(own + 4u, end);
    const uint shift = 8u * (from - own);
    const uint bytes = gstd_content_at(content, first + from - skew, to - from) << shift;
    const uint mask = (to - from >= 4u ? ~0u : (1u << (8u * (to - from))) - 1u) << shift;
    merge_word(words, own >> 2, bytes, mask);
    sum += gstd_checksum_term(bytes, own >> 2);
  }
  return sum;
}

#endif
