// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GstdDecode, second dispatch: each workgroup inverts a tile's filter and sums its rows up, or copies a stored tile,
// compares the checksum and counts the tile if it is refused. Tiles that were decoded to the output are copied to a
// region of scratch for that.
//
// The second form follows the first dispatch without a barrier, and takes what is decoded when it looks, if there is a
// free region; the first form takes the others, in a third dispatch (docs/decisions/gstd-two-dispatches.md):
// kernel: TYPES :
// kernel: SUFFIX _early NATIVE DEFINES WEFT_GSTD_EARLY
//
// family: gstd_decode
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "decode/gstd_decode.h"
#include "decode/gstd_finish.h"
#ifdef WEFT_GSTD_EARLY
#define WEFT_BUFFERS_MEMORY coherent
#endif
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gstd_columns.glsl"
#include "decode/gstd_filters.glsl"
#include "decode/gstd_header.glsl"
#include "decode/gstd_rows.glsl"
#include "decode/gstd_wide.glsl"
#include "decode/tile_table.glsl"

// A word of the content of a raw tile, or of one that repeats four bytes.
uint stored_word(Tile tile, uint word) {
  Words words = Words(tile.source);
  return words.at[tile.kind == kFill ? 0u : word];
}

// Copies it, or a part of it, to the output.
void store_stored(Tile tile) {
  const uint skew = tile.target.x & 3u;
  Words words = Words(uvec2(tile.target.x - skew, tile.target.y));
  const uint end = skew + tile.count;
  for (uint own = 4u * lanes_position(); own < end; own += 4u * kWorkgroupSize) {
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

// This invocation's terms of the checksum of a tile that is whole in the output.
uint output_sum(Tile tile) {
  uint sum = 0u;
  uint summed = 0u;  // words, by four at a time
  if ((tile.target.x & 15u) == 0u) {
    Words4 fours = Words4(tile.target);
    summed = tile.bytes / 16u * 4u;
    for (uint four = lanes_position(); 4u * four < summed; four += kWorkgroupSize) {
      const uvec4 words = fours.at[four];
      [[unroll]] for (uint i = 0; i < 4u; ++i) sum += gstd_checksum_term(words[i], 4u * four + i);
    }
  }
  Words words = Words(tile.target);
  for (uint word = summed + lanes_position(); 4u * word < tile.bytes; word += kWorkgroupSize)
    sum += gstd_checksum_term(words.at[word], word);
  return sum;
}

// Copies it to scratch, most of it with four loads of an invocation at a time.
void copy_output(Tile tile, uvec2 scratch) {
  uint copied = 0u;  // words
  if ((tile.target.x & 15u) == 0u) {
    Words4 from = Words4(tile.target), to = Words4(scratch);
    const uint turn = 4u * kWorkgroupSize;
    copied = tile.bytes / (16u * turn) * 4u * turn;
    for (uint four = lanes_position(); 4u * four < copied; four += turn) {
      uvec4 own[4];
      [[unroll]] for (uint i = 0u; i < 4u; ++i) own[i] = from.at[four + i * kWorkgroupSize];
      [[unroll]] for (uint i = 0u; i < 4u; ++i) to.at[four + i * kWorkgroupSize] = own[i];
    }
  }
  Words from = Words(tile.target), to = Words(scratch);
  for (uint word = copied + lanes_position(); 4u * word < tile.bytes; word += kWorkgroupSize)
    to.at[word] = from.at[word];
  gstd_filter_barrier();
}

// Rows of a part of a tile, or of one that begins inside of a word, are summed up in scratch.
bool is_aligned(Tile tile) { return tile.count == tile.bytes && (tile.target.x & 3u) == 0u; }
uvec2 content_part(GstdTileHeader header, uvec2 scratch) {
  return gstd_content_part(header.tile_filter, header.stride, scratch, word64_add(scratch, uvec2(scratch_part(), 0u)));
}

// Stores the content of a tile with a filter, or a part of a tile; or, with rows, all that they are to be summed up of.
// Returns this invocation's terms of the checksum, which mean something if `sums`, without rows.
uint store_filtered(Tile tile, GstdTileHeader header, uvec2 scratch, bool sums) {
  if (push.form == WEFT_GSTD_WHOLE) copy_output(tile, scratch);
  const uvec2 second = word64_add(scratch, uvec2(scratch_part(), 0u));
  const bool whole = is_aligned(tile);
  if (lanes_uniform(whole && gstd_is_wide(header.tile_filter, header.stride, tile.bytes)))
    return gstd_wide_store(header.tile_filter, header.stride, tile.bytes, scratch, tile.target);
  const bool is_narrow = lanes_uniform(whole && gstd_is_narrow(header.tile_filter, header.stride));
  GstdContent content = gstd_content_of(header.tile_filter, header.stride, tile.bytes, scratch, second);
  if (!is_narrow) gstd_content_begin(content);
  uint sum = 0u;
  if (is_narrow || lanes_uniform(content.summed != 0u))
    sum = gstd_rows_store(is_narrow ? header.tile_filter : 1u, is_narrow ? header.stride : 1u,
                          is_narrow ? tile.bytes : content.summed, is_narrow ? scratch : content.planes,
                          is_narrow ? tile.target : content.planes);
  if (is_narrow) return sum;
  gstd_content_ready(content);
  const bool aside = header.has_rows && !whole;
  sum = gstd_content_store(content, aside ? 0u : tile.first, aside ? tile.bytes : tile.count,
                           aside ? content_part(header, scratch) : tile.target);
  if (whole || lanes_uniform(!sums || aside)) return sum;
  sum = 0u;
  for (uint word = lanes_position(); 4u * word < tile.bytes; word += kWorkgroupSize)
    sum += gstd_checksum_term(gstd_content_at(content, 4u * word, min(tile.bytes - 4u * word, 4u)), word);
  return sum;
}

// Sums up rows of what store_filtered() stored. Returns this invocation's terms of the checksum.
uint sum_rows(Tile tile, uvec2 scratch) {
  Words source = Words(tile.source);
  const GstdTileHeader header = gstd_tile_header(lanes_uniform(source.at[0]));
  const uint row_words = lanes_uniform(source.at[1]);
  const uvec2 target = is_aligned(tile) ? tile.target : content_part(header, scratch);
  const uint sum = gstd_columns_sum(header.tile_filter, row_words, tile.bytes, target);
  if (lanes_uniform(!is_aligned(tile))) {
    gstd_filter_barrier();
    Tile summed = tile;
    summed.source = target;
    store_stored(summed);
  }
  return sum;
}

void finish(uint slot, uvec2 scratch) {
  const uint index = push.first + slot;
  const uint lane = lanes_position();
  Words status = Words(push.status);
  const Tile tile = load_tile(index);
  uint verdict = 0u;
  uint sum = 0u;
  const uint words = (tile.bytes + 3u) / 4u;
  const bool sums = kVerify && tile.has_checksum;
  if (lanes_uniform(tile.kind != kCompressed)) {
    const uint rest = tile.bytes & 3u;
    if (tile.kind == kRaw && rest != 0u && stored_word(tile, tile.words - 1u) >> (8u * rest) != 0u) {
      verdict = kGstdBadPadding | (tile.words - 1u) << 8;
    } else {
      store_stored(tile);
      for (uint word = lane; sums && word < words; word += kWorkgroupSize) {
        const uint left = tile.bytes - 4u * word;
        const uint mask = left >= 4u ? ~0u : (1u << (8u * left)) - 1u;
        sum += gstd_checksum_term(stored_word(tile, word) & mask, word);
      }
    }
  } else {
    Words source = Words(tile.source);
    const GstdTileHeader header = gstd_tile_header(lanes_uniform(source.at[0]));
    if (lanes_uniform(header.tile_filter == 0u && !header.has_rows && is_whole(tile))) {
      if (sums) sum = output_sum(tile);
    } else {
      sum = store_filtered(tile, header, scratch, sums);
      // (All is loaded once more, rather than kept.)
      if (lanes_uniform(header.has_rows)) sum = sum_rows(load_tile(index), scratch);
    }
  }
  if (lanes_uniform(sums)) {
    uint whole;
    barrier();  // sums of rows may still be read
    workgroup_inclusive_add(sum, 0u, whole);
    whole += gstd_checksum_mix(tile.bytes);
    if (verdict == 0u && whole != tile.checksum) verdict = kGstdChecksum;
  }
  if (lane == 0u && verdict != 0u) {
    status.at[1u + index] = verdict;
    atomicAdd(status.at[0], 1u);
  }
}

// Regions that a tile takes.
uint tile_regions() { return (2u * scratch_part() + push.region_bytes - 1u) / push.region_bytes; }

#ifdef WEFT_GSTD_EARLY
const uint kNoRegion = ~0u;
shared uint weft_gstd_region;

// Takes `count` neighbouring regions that are free, with bits in one word, and returns the first.
uint take_region(uint count) {
  Words scratch = Words(regions_end());
  for (uint look = 0u; look < region_words(); ++look) {
    const uint at = (workgroup_number() + look) % region_words();
    uint free = atomicOr(scratch.at[WEFT_GSTD_FREE + at], 0u);
    for (;;) {
      uint runs = free;
      for (uint i = 1u; i < count; ++i) runs &= runs >> 1;
      if (runs == 0u) break;
      const uint first = uint(findLSB(runs));
      const uint mask = ((1u << count) - 1u) << first;
      const uint before = atomicAnd(scratch.at[WEFT_GSTD_FREE + at], ~mask);
      if ((before & mask) == mask) return 32u * at + first;
      atomicOr(scratch.at[WEFT_GSTD_FREE + at], before & mask);
      free = before & ~mask;
    }
  }
  return kNoRegion;
}

// Takes a tile if it is decoded, with a free region if it needs one.
bool takes(uint slot) {
  if (lanes_position() == 0u) {
    weft_gstd_region = kNoRegion;  // (here: lavapipe's other subgroups missed it when it was stored after the loop)
    Words status = Words(push.status);
    const uint at = 1u + push.first + slot;
    uint verdict = kGstdPending;
    for (uint look = 0u; look < kLooks && verdict == kGstdPending; ++look)
      verdict = atomicLoad(status.at[at], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    uint region = kNoRegion;
    if (verdict == kGstdDecoded) region = push.form == WEFT_GSTD_WHOLE ? take_region(tile_regions()) : 0u;
    if (region != kNoRegion) {
      weft_gstd_region = region;
      status.at[at] = 0u;
      Words words = Words(regions_end());
      if (push.form == WEFT_GSTD_WHOLE) atomicAdd(words.at[WEFT_GSTD_LEFT], ~0u);
    }
  }
  barrier();
  memoryBarrierBuffer();
  return lanes_uniform(weft_gstd_region != kNoRegion);
}

void clear(uint own) {
  Words status = Words(push.status), scratch = Words(regions_end());
  if (entry_is_there(own)) status.at[1u + push.first + own] = kGstdPending;
  if (push.regions == 0u || own >= WEFT_GSTD_FREE + region_words()) return;
  uint bits = 0u;
  for (uint bit = 0u; own >= WEFT_GSTD_FREE && bit < 32u; ++bit) {
    const uint region = 32u * (own - WEFT_GSTD_FREE) + bit;
    if (region >= push.groups && region < push.regions) bits |= 1u << bit;
  }
  scratch.at[own] = bits;
}

void main() {
  const uint slot = workgroup_number();
  if (push.form == WEFT_GSTD_CLEAR) {
    clear(slot * kWorkgroupSize + lanes_position());
    return;
  }
  if (lanes_uniform(!entry_is_there(slot))) return;
  if (!takes(slot)) return;
  const uint region = lanes_uniform(weft_gstd_region);
  uvec2 scratch = scratch_of(slot);
  if (push.form == WEFT_GSTD_WHOLE) scratch = region_at(region);
  finish(slot, scratch);
  if (push.form != WEFT_GSTD_WHOLE) return;
  memoryBarrierBuffer();
  barrier();
  if (lanes_position() == 0u) free_region(region, tile_regions());
}
#else
// Takes a tile if it is decoded.
bool takes(uint slot) {
  Words status = Words(push.status);
  const uint index = 1u + push.first + slot;
  const bool is_decoded = lanes_uniform(status.at[index] == kGstdDecoded);
  barrier();
  if (is_decoded && lanes_position() == 0u) status.at[index] = 0u;
  return is_decoded;
}

// What is kept from turn to turn: in a scalar register it would make some devices spill others.
shared uint weft_gstd_slot;

void main() {
  if (kLeft && workgroup_number() >= push.groups) return;
  if (lanes_position() == 0u) {
    Words words = Words(regions_end());
    weft_gstd_slot = kLeft && words.at[WEFT_GSTD_LEFT] == 0u ? ~0u : workgroup_number();
  }
  barrier();
  while (lanes_uniform(entry_is_there(weft_gstd_slot))) {
    const uint slot = lanes_uniform(weft_gstd_slot);
    if (takes(slot)) {
      if (kLeft) {
        finish(slot, region_at(workgroup_number() * tile_regions()));
      } else {
        finish(slot, scratch_of(slot));
      }
    }
    if (!kLeft) return;
    barrier();
    if (lanes_position() == 0u) weft_gstd_slot += push.groups;
    barrier();
  }
}
#endif
