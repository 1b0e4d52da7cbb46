// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Gstd's filters undone by 32 lanes (docs/gstd-format.md, "Filters"): from a tile's bytes as they were decoded, in scratch, to its content.
//   gstd_filter_prepare()   the sums, in scratch
//   gstd_content_at()       then, up to four bytes of the content, by any lane
//   gstd_content_store()    then, a part of the content to where it belongs
// Differences are undone by one prefix sum over all planes together; what a plane has too much by then is the sum in front of its
// first byte, and is subtracted where a byte is fetched.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow, but for gstd_content_at(), in which nothing crosses
// lanes. Scratch: the two parts of gstd_scratch.glsl.
#ifndef WEFT_GSTD_FILTERS_GLSL
#define WEFT_GSTD_FILTERS_GLSL

#include "weft/buffers.glsl"
#include "weft/gstd_scratch.glsl"
#include "weft/lanes.glsl"
#include "weft/word64.glsl"

struct GstdContent {
  Words decoded;  // as the tile has it, then with sums
  Words aside;    // numbers of 16 bits, or planes that the tile does not have
  uint tile_filter, stride;
  uint bytes;
  uint elements;    // bytes / stride, rounded down
  uint rest;        // bytes behind them
  uint reciprocal;  // of the stride
  uint pitch;       // numbers from one place of an element to the next, in `aside`
};

uint gstd_add_bytes(uint a, uint b) { return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u); }

uint gstd_byte_of(Words words, uint at) { return words.at[at >> 2] >> (8u * (at & 3u)) & 255u; }
uint gstd_bytes_of(Words words, uint at) {
  const uint shift = 8u * (at & 3u);
  return words.at[at >> 2] >> shift | (words.at[(at >> 2) + 1u] << 1) << (31u - shift);
}

uint gstd_divided_by_stride(GstdContent content, uint at) {
  if (content.stride == 1u) return at;
  uint high, low;
  umulExtended(at, content.reciprocal, high, low);
  return high;
}

uint gstd_plane_begin(GstdContent content, uint plane) { return plane * content.elements + min(plane, content.rest); }

// Sums over all of the first `bytes` bytes, mod 256, in place. What lies behind them up to a multiple of 512 is overwritten.
void gstd_sum_bytes(Words words, uint bytes) {
  uint carry = 0u;
  for (uint first = 0u; lanes_uniform(first < (bytes + 3u) / 4u); first += 128u) {
    const uint at = first + 4u * lanes_lane();
    uint sums[4];
    [[unroll]] for (uint i = 0; i < 4u; ++i) sums[i] = words.at[at + i];
    uint total = 0u;
    [[unroll]] for (uint i = 0; i < 4u; ++i) {
      sums[i] = gstd_add_bytes(sums[i], sums[i] << 8);
      sums[i] = gstd_add_bytes(sums[i], sums[i] << 16);
      sums[i] = gstd_add_bytes(sums[i], total * 0x01010101u);
      total = sums[i] >> 24;
    }
    const uint through = carry + lanes_inclusive_add(total);
    const uint before = through - total & 255u;
    [[unroll]] for (uint i = 0; i < 4u; ++i) words.at[at + i] = gstd_add_bytes(sums[i], before * 0x01010101u);
    carry = lanes_broadcast(through, 31u);
  }
  lanes_buffer_barrier();
}

// Content in `decoded`, byte after byte, goes to `aside` in planes.
void gstd_part_planes(GstdContent content) {
  for (uint word = lanes_lane(); word < (content.bytes + 3u) / 4u; word += 32u) {
    uint bytes = 0u;
    [[dont_unroll]] for (uint i = 0u; i < 4u; ++i) {
      const uint at = 4u * word + i;
      // The planes in front of `rest` have a byte more.
      const uint longer = content.rest * (content.elements + 1u);
      uint plane, element;
      if (at < longer) {
        plane = at / (content.elements + 1u);
        element = at - plane * (content.elements + 1u);
      } else {
        plane = content.rest + (at - longer) / max(content.elements, 1u);
        element = at - gstd_plane_begin(content, plane);
      }
      if (at < content.bytes) bytes |= gstd_byte_of(content.decoded, element * content.stride + plane) << (8u * i);
    }
    content.aside.at[word] = bytes;
  }
  lanes_buffer_barrier();
}

// Numbers of 16 bits from their planes, with their signs, summed up `order` times.
void gstd_sum_numbers(GstdContent content, uint order) {
  const uint places = content.stride / 2u;
  const uint numbers = content.bytes / 2u;
  for (uint place = 0u; lanes_uniform(place < places); ++place) {
    const uint count = place < numbers ? (numbers - 1u - place) / places + 1u : 0u;
    const uint low = gstd_plane_begin(content, 2u * place);
    const uint high = gstd_plane_begin(content, 2u * place + 1u);
    uvec3 carry = uvec3(0u);
    for (uint first = 0u; lanes_uniform(first < count); first += 128u) {
      const uint at = first + 4u * lanes_lane();
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
          const uint through = carry[o] + lanes_inclusive_add(sums[3]);
          sums += uvec4(through - sums[3]);
          carry[o] = lanes_broadcast(through, 31u);
        }
      }
      if (at < count) {
        const uint to = (place * content.pitch + at) / 2u;
        content.aside.at[to] = (sums[0] & 0xffffu) | sums[1] << 16;
        content.aside.at[to + 1u] = (sums[2] & 0xffffu) | sums[3] << 16;
      }
    }
  }
  lanes_buffer_barrier();
}

// The content of a tile of `bytes` bytes that were decoded to `decoded`.
GstdContent gstd_filter_prepare(uint tile_filter, uint stride, uint bytes, uvec2 decoded, uvec2 aside) {
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
  if (lanes_uniform(tile_filter == 1u)) {
    gstd_part_planes(content);
    gstd_sum_bytes(content.aside, bytes);
  } else if (lanes_uniform(tile_filter == 3u || tile_filter == 7u)) {
    gstd_sum_bytes(content.decoded, bytes);
  } else if (lanes_uniform(tile_filter >= 4u && tile_filter <= 6u)) {
    gstd_sum_numbers(content, tile_filter - 3u);
  }
  return content;
}

// Where a byte of texture blocks lies, whose fields' widths are a hexadecimal digit each, the first lowest.
uint gstd_place_in_fields(uint at, uint bytes, uint widths, uint width) {
  const uint blocks = bytes / width;
  const uint block = at / width;
  uint within = at - block * width;
  if (block >= blocks) return at;
  uint first = 0u;
  [[unroll]] for (uint i = 0; i < 6u; ++i) {
    const uint field = widths >> (4u * i) & 15u;
    if (within < field) return first + block * field + within;
    within -= field;
    first += blocks * field;
  }
  return at;
}

// The byte of plane `plane` in `element`, sums taken apart.
uint gstd_plane_byte(GstdContent content, Words planes, uint plane, uint element) {
  const uint begin = gstd_plane_begin(content, plane);
  const uint sum = gstd_byte_of(planes, begin + element);
  return begin == 0u || content.tile_filter == 2u ? sum : sum - gstd_byte_of(planes, begin - 1u) & 255u;
}

uint gstd_content_byte(GstdContent content, uint at) {
  const uint element = gstd_divided_by_stride(content, at);
  const uint plane = at - element * content.stride;
  switch (content.tile_filter) {
    case 0u: return gstd_byte_of(content.decoded, at);
    case 1u: return gstd_plane_byte(content, content.aside, plane, element);
    case 2u:
    case 3u: return gstd_plane_byte(content, content.decoded, plane, element);
    case 4u:
    case 5u:
    case 6u: {
      if (at >= (content.bytes & ~1u)) return gstd_byte_of(content.decoded, gstd_plane_begin(content, plane) + element);
      return gstd_byte_of(content.aside, 2u * ((plane >> 1) * content.pitch + element) + (plane & 1u));
    }
    case 7u: {
      uint byte = gstd_plane_byte(content, content.decoded, plane, element);
      if ((plane & 1u) == 0u && element < content.elements && plane < 3u)
        byte += gstd_plane_byte(content, content.decoded, 1u, element);
      return byte & 255u;
    }
    case 8u: return gstd_byte_of(content.decoded, gstd_place_in_fields(at, content.bytes, 0x422u, 8u));
    case 9u: return gstd_byte_of(content.decoded, gstd_place_in_fields(at, content.bytes, 0x4228u, 16u));
    case 10u: return gstd_byte_of(content.decoded, gstd_place_in_fields(at, content.bytes, 0x422611u, 16u));
    case 11u: return gstd_byte_of(content.decoded, gstd_place_in_fields(at, content.bytes, 0x611u, 8u));
    case 12u: return gstd_byte_of(content.decoded, gstd_place_in_fields(at, content.bytes, 0x611611u, 16u));
    default: return gstd_byte_of(content.decoded, gstd_place_in_fields(at, content.bytes, 0x444211u, 16u));
  }
}

// `count`, 1 to 4, bytes of the content from `at` on; they are there. Those behind are 0.
uint gstd_content_at(GstdContent content, uint at, uint count) {
  uint bytes = 0u;
  [[dont_unroll]] for (uint i = 0u; i < count; ++i) bytes |= gstd_content_byte(content, at + i) << (8u * i);
  return bytes;
}

uint gstd_subtract_bytes(uint a, uint b) { return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u); }

// What the sums of a plane have too much, in every byte.
uint gstd_plane_excess(GstdContent content, Words planes, uint plane) {
  const uint begin = gstd_plane_begin(content, plane);
  uint excess = 0u;
  if (begin != 0u && content.tile_filter != 2u) excess = gstd_byte_of(planes, begin - 1u);
  return excess * 0x01010101u;
}

// Four neighbouring elements' bytes of plane `plane`, from `element` on.
uint gstd_plane_bytes(GstdContent content, Words planes, uint plane, uint element) {
  return gstd_subtract_bytes(gstd_bytes_of(planes, gstd_plane_begin(content, plane) + element), gstd_plane_excess(content, planes, plane));
}

// Rows and columns of bytes change places.
uvec4 gstd_transposed(uvec4 rows) {
  const uvec4 pairs = uvec4((rows.x & 0x00ff00ffu) | (rows.y & 0x00ff00ffu) << 8, (rows.x >> 8 & 0x00ff00ffu) | (rows.y & 0xff00ff00u),
                            (rows.z & 0x00ff00ffu) | (rows.w & 0x00ff00ffu) << 8, (rows.z >> 8 & 0x00ff00ffu) | (rows.w & 0xff00ff00u));
  return uvec4((pairs.x & 0xffffu) | pairs.z << 16, (pairs.y & 0xffffu) | pairs.w << 16, pairs.x >> 16 | (pairs.z & 0xffff0000u),
               pairs.y >> 16 | (pairs.w & 0xffff0000u));
}

// Stores whole elements, four at a time, where elements are whole words and the output is aligned; the result: how many bytes.
uint gstd_content_store_words(GstdContent content, Words words) {
  const uint columns = content.stride / 4u;
  const uint rows = content.elements / 4u;
  const bool numbers = content.tile_filter >= 4u && content.tile_filter <= 6u;
  uint column = lanes_lane() % columns;
  uint row = lanes_lane() / columns;
  const uint column_step = 32u % columns;
  const uint row_step = 32u / columns;
  [[dont_unroll]] for (uint i = lanes_lane(); i < columns * rows; i += 32u) {
    uvec4 made;
    if (numbers) {
      const uint low = (2u * column * content.pitch + 4u * row) / 2u;
      const uint high = low + content.pitch / 2u;
      const uvec2 lows = uvec2(content.aside.at[low], content.aside.at[low + 1u]);
      const uvec2 highs = uvec2(content.aside.at[high], content.aside.at[high + 1u]);
      made = uvec4((lows.x & 0xffffu) | highs.x << 16, lows.x >> 16 | (highs.x & 0xffff0000u), (lows.y & 0xffffu) | highs.y << 16,
                   lows.y >> 16 | (highs.y & 0xffff0000u));
    } else {
      uvec4 planes;
      [[unroll]] for (uint p = 0; p < 4u; ++p) {
        if (content.tile_filter == 1u) {
          planes[p] = gstd_plane_bytes(content, content.aside, 4u * column + p, 4u * row);
        } else {
          planes[p] = gstd_plane_bytes(content, content.decoded, 4u * column + p, 4u * row);
        }
      }
      if (content.tile_filter == 7u) planes = uvec4(gstd_add_bytes(planes.x, planes.y), planes.y, gstd_add_bytes(planes.z, planes.y), planes.w);
      made = gstd_transposed(planes);
    }
    [[unroll]] for (uint e = 0; e < 4u; ++e) words.at[(4u * row + e) * columns + column] = made[e];
    column += column_step;
    row += row_step;
    if (column >= columns) {
      column -= columns;
      ++row;
    }
  }
  return 4u * rows * content.stride;
}

// The same for elements of 3 bytes: 12 bytes at a time.
uint gstd_content_store_triples(GstdContent content, Words words) {
  const uint rows = content.elements / 4u;
  for (uint row = lanes_lane(); row < rows; row += 32u) {
    uvec3 planes;
    [[unroll]] for (uint p = 0; p < 3u; ++p) {
      if (content.tile_filter == 1u) {
        planes[p] = gstd_plane_bytes(content, content.aside, p, 4u * row);
      } else {
        planes[p] = gstd_plane_bytes(content, content.decoded, p, 4u * row);
      }
    }
    if (content.tile_filter == 7u) planes = uvec3(gstd_add_bytes(planes.x, planes.y), planes.y, gstd_add_bytes(planes.z, planes.y));
    words.at[3u * row] = (planes.x & 255u) | (planes.y & 255u) << 8 | (planes.z & 255u) << 16 | (planes.x & 0xff00u) << 16;
    words.at[3u * row + 1u] = (planes.y >> 8 & 255u) | (planes.z & 0xff00u) | (planes.x & 0xff0000u) | (planes.y & 0xff0000u) << 8;
    words.at[3u * row + 2u] = (planes.z >> 16 & 255u) | (planes.x >> 16 & 0xff00u) | (planes.y >> 8 & 0xff0000u) | (planes.z & 0xff000000u);
  }
  return 12u * rows;
}

// Stores `count` bytes of the content from `first` on at `output_at`, of any alignment.
void gstd_content_store(GstdContent content, uint first, uint count, uvec2 output_at) {
  const uint skew = output_at.x & 3u;
  Words words = Words(uvec2(output_at.x - skew, output_at.y));
  const uint end = skew + count;
  uint begin = 0u;
  if (skew == 0u && first == 0u && count == content.bytes && content.tile_filter >= 1u && content.tile_filter <= 7u) {
    if ((content.stride & 3u) == 0u) {
      begin = gstd_content_store_words(content, words);
    } else if (content.stride == 3u) {
      begin = gstd_content_store_triples(content, words);
    }
  }
  for (uint own = begin + 4u * lanes_lane(); own < end; own += 128u) {
    const uint from = max(own, skew);
    const uint to = min(own + 4u, end);
    const uint shift = 8u * (from - own);
    const uint bytes = gstd_content_at(content, first + from - skew, to - from) << shift;
    const uint mask = (to - from >= 4u ? ~0u : (1u << (8u * (to - from))) - 1u) << shift;
    merge_word(words, own >> 2, bytes, mask);
  }
}

#endif
