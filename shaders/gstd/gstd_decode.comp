// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GstdDecode: each group of 32 lanes takes one tile after the other, decodes it and tells its verdict. A tile that has no filter and is
// asked for whole is decoded to where it belongs; others pass through the group's scratch.
#version 460
#extension GL_GOOGLE_include_directive : require
layout(constant_id = 3) const bool kReduceUniform = false;
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "weft/gstd_filters.glsl"
#include "weft/gstd_tile.glsl"
#include "gstd/gstd_decode.h"

layout(constant_id = 2) const bool kVerify = true;

const uint kTileItems = 1u;
#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { GstdDecodePush push; };

const uint kGstdBadEntry = 9u, kGstdChecksum = 10u;
const uint kRaw = 0u, kFill = 1u, kCompressed = 2u;

struct Tile {
  uvec2 source, target;  // addresses
  uint words, bytes, kind, checksum, first, count;
  bool has_checksum;
  bool valid;
};

// Whether [at, at + bytes) is in a range of `size` bytes.
bool lies_within(uvec2 at, uvec2 bytes, uvec2 size) {
  return !word64_less(size, bytes) && !word64_less(word64_subtract(size, bytes), at);
}

Tile load_tile(uint index) {
  Words entry = Words(word64_add(push.tiles, word64_multiply(index, 40u)));
  const uvec2 source = uvec2(lanes_uniform(entry.at[0]), lanes_uniform(entry.at[1]));
  const uvec2 target = uvec2(lanes_uniform(entry.at[2]), lanes_uniform(entry.at[3]));
  Tile tile;
  tile.words = lanes_uniform(entry.at[4]);
  tile.bytes = lanes_uniform(entry.at[5]);
  const uint kind = lanes_uniform(entry.at[6]);
  tile.kind = kind & 0xffffu;
  tile.has_checksum = kVerify && kind >> 16 != 0u;
  tile.checksum = lanes_uniform(entry.at[7]);
  tile.first = lanes_uniform(entry.at[8]);
  tile.count = lanes_uniform(entry.at[9]);
  const uint most = tile.bytes / 4u + ((tile.bytes & 3u) != 0u ? 1u : 0u);
  tile.valid = tile.bytes != 0u && tile.bytes <= push.most_bytes && tile.kind <= kCompressed &&
               (tile.kind == kRaw    ? tile.words == most
                : tile.kind == kFill ? tile.words == 1u
                                     : tile.words != 0u && tile.words <= most) &&
               tile.first <= tile.bytes && tile.count <= tile.bytes - tile.first && (source.x & 3u) == 0u &&
               lies_within(source, word64_multiply(tile.words, 4u), push.source_bytes) &&
               lies_within(target, uvec2(tile.count, 0u), push.output_bytes);
  tile.source = word64_add(push.source, source);
  tile.target = word64_add(push.outputs, target);
  return tile;
}

// A tile that is stored as it is, or as four bytes that repeat: `content_word` is a word of its content.
uint stored_word(Tile tile, uint word) {
  Words words = Words(tile.source);
  return words.at[tile.kind == kFill ? 0u : word];
}

void store_stored(Tile tile) {
  const uint skew = tile.target.x & 3u;
  Words words = Words(uvec2(tile.target.x - skew, tile.target.y));
  const uint end = skew + tile.count;
  for (uint own = 4u * lanes_lane(); own < end; own += 128u) {
    const uint from = max(own, skew);
    const uint to = min(own + 4u, end);
    const uint at = tile.first + from - skew;
    const uint shift = 8u * (at & 3u);
    uint bytes = stored_word(tile, at >> 2) >> shift;
    if ((at & 3u) + to - from > 4u) bytes |= (stored_word(tile, (at >> 2) + 1u) << 1) << (31u - shift);
    const uint mask = (to - from >= 4u ? ~0u : (1u << (8u * (to - from))) - 1u) << (8u * (from - own));
    merge_word(words, own >> 2, bytes << (8u * (from - own)), mask);
  }
}

uint mixed(uint x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// This lane's part of the sum of a tile's content (docs/gstd-format.md, "Checksums").
uint checksum_term(uint word, uint at) { return mixed(word + (at + 1u) * 0x9e3779b9u); }

void main() {
  const uint tiles = count_of(push.tile_count, push.tile_count_words, uvec2(push.tile_maximum, 0u)).x;
  const uint group = lanes_uniform((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * lanes_group_count() + lanes_group());
  if (lanes_uniform(group >= push.groups)) return;
  const uint part = gstd_scratch_part(push.most_bytes);
  const uvec2 scratch = word64_add(push.scratch, word64_times(uvec2(2u * part + 4u * ((kGstdTableWords + 3u) & ~3u), 0u), group));
  const uint lane = lanes_lane();
  Words status = Words(push.status);

  for (uint index = group; lanes_uniform(index < tiles); index += push.groups) {
    const Tile tile = load_tile(index);
    uint verdict = 0u;
    uint sum = 0u;
    if (lanes_uniform(!tile.valid)) {
      verdict = kGstdBadEntry;
    } else if (lanes_uniform(tile.kind != kCompressed)) {
      const uint rest = tile.bytes & 3u;
      if (tile.kind == kRaw && rest != 0u && stored_word(tile, tile.words - 1u) >> (8u * rest) != 0u) {
        verdict = kGstdBadPadding | (tile.words - 1u) << 8;
      } else {
        store_stored(tile);
        if (tile.has_checksum) {
          for (uint word = lane; word < (tile.bytes + 3u) / 4u; word += 32u) {
            const uint left = tile.bytes - 4u * word;
            const uint mask = left >= 4u ? ~0u : (1u << (8u * left)) - 1u;
            sum += checksum_term(stored_word(tile, word) & mask, word);
          }
        }
      }
    } else {
      Words words = Words(tile.source);
      const GstdTileHeader header = gstd_tile_header(lanes_uniform(words.at[0]));
      const bool direct = header.tile_filter == 0u && tile.first == 0u && tile.count == tile.bytes;
      const uvec2 decoded = direct ? tile.target : scratch;
      verdict = gstd_tile_decode(tile.source, tile.words, decoded, tile.bytes, word64_add(scratch, uvec2(2u * part, 0u)));
      if (lanes_uniform(verdict == 0u)) {
        if (lanes_uniform(direct)) {
          if (tile.has_checksum) {
            GstdOutput target;
            target.skew = decoded.x & 3u;
            target.words = Words(uvec2(decoded.x - target.skew, decoded.y));
            for (uint word = lane; word < (tile.bytes + 3u) / 4u; word += 32u) {
              const uint left = min(tile.bytes - 4u * word, 4u);
              const uint mask = left >= 4u ? ~0u : (1u << (8u * left)) - 1u;
              sum += checksum_term(gstd_stored_at(target, 4u * word, left) & mask, word);
            }
          }
        } else {
          GstdContent content = gstd_filter_prepare(header.tile_filter, header.stride, tile.bytes, scratch,
                                                          word64_add(scratch, uvec2(part, 0u)));
          gstd_content_store(content, tile.first, tile.count, tile.target);
          if (tile.has_checksum) {
            for (uint word = lane; word < (tile.bytes + 3u) / 4u; word += 32u)
              sum += checksum_term(gstd_content_at(content, 4u * word, min(tile.bytes - 4u * word, 4u)), word);
          }
        }
      }
    }
    if (lanes_uniform(tile.has_checksum)) {
      const uint whole = mixed(tile.bytes) + lanes_add(sum);
      if (verdict == 0u && whole != tile.checksum) verdict = kGstdChecksum;
    }
    if (lane == 0u) {
      status.at[1u + index] = verdict;
      if (verdict != 0u) atomicAdd(status.at[0], 1u);
    }
    // The next tile uses the same scratch.
    lanes_buffer_barrier();
  }
}
