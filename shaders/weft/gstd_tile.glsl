// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Gstd's decoder: 32 lanes decode a tile (docs/gstd-format.md, chapter Tiles), as many tiles at once as the workgroup has groups of 32.
//   gstd_tile_header()     what the first word says, so that the caller knows of a filter (gstd_header.glsl)
//   gstd_tile_decode()     all but the filter, into device memory; the verdict
// gstd_filters.glsl has the filters. A shader of one's own can decode a tile and go on with its bytes: after gstd_tile_decode() all lanes
// of the group see them.
//
// A batch of up to 32 sequences is decoded at a time, one a lane; offsets that repeat are found by a scan over how each sequence changes
// their order. Then come its literals, up to 256 at a time, and its output, a window of 1 KiB at a time, which is made in shared memory: each
// lane copies its literals, then its match, as soon as all that the match copies is there; what is longer than 32 bytes all lanes copy
// together. Every word of the output is stored once.
//
// Any words whatever may be given: no other source is read, nothing is written outside of the output's bytes, every loop is bounded by
// sizes that were checked, and the verdict is that of the scalar decoder. Words beside the output's first and last byte are merged.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow; with subgroups of 32 lanes or more, native ones, each group
// may have a tile of another size. Shared memory of a group: 2.2 KiB.
#ifndef WEFT_GSTD_TILE_GLSL
#define WEFT_GSTD_TILE_GLSL

#include "weft/gstd_header.glsl"
#include "weft/gstd_tables.glsl"

const uint kGstdMostTileBytes = 1u << 20;
const uint kGstdRoundLiterals = 256u;

// Of the batch's sequences, and behind them: where matches begin and end, in bytes of the tile, and the literals up to each match.
shared uint weft_gstd_matches[kLanesGroupCount * 33u];
shared uint weft_gstd_ends[kLanesGroupCount * 33u];
shared uint weft_gstd_literal_ends[kLanesGroupCount * 33u];
// A round's literals, four to a word, and behind them the window of the output; between calls its first word has the bytes of a word that is
// begun, and all others are 0.
const uint kGstdWindowBytes = 1024u;
const uint kGstdLiteralWords = kGstdRoundLiterals / 4u + 1u;
const uint kGstdStageWords = kGstdLiteralWords + kGstdWindowBytes / 4u + 2u;
shared uint weft_gstd_stage[kLanesGroupCount * kGstdStageWords];

// The output as words of device memory. `skew`: bytes of the first word in front of the tile's first byte.
struct GstdOutput {
  Words words;
  uint skew;
};

uint gstd_length_extra(uint symbol, uint direct_log) {
  const uint direct = 1u << direct_log;
  return symbol < direct ? 0u : ((symbol - direct) >> 1) + direct_log - 1u;
}
uint gstd_length_base(uint symbol, uint direct_log) {
  return symbol < 1u << direct_log ? symbol : (2u + (symbol & 1u)) << gstd_length_extra(symbol, direct_log);
}

// ---- the order of offsets, as a function of that before: three bytes, each the place it comes from, or 3 + the lane whose offset it is ----

const uint kGstdSameOrder = 0x020100u;

// First `first`, then `second`.
uint gstd_order_after(uint first, uint second) {
  uint both = 0u;
  [[unroll]] for (uint i = 0; i < 3u; ++i) {
    const uint from = second >> (8u * i) & 255u;
    both |= (from < 3u ? first >> (8u * from) & 255u : from) << (8u * i);
  }
  return both;
}

// What a sequence does: moves the offset at `place` to the front, or, place 3, puts its own there.
uint gstd_order_of(uint place) {
  return place == 0u   ? kGstdSameOrder
         : place == 1u ? 0x020001u
         : place == 2u ? 0x010002u
                       : 0x010000u | (3u + lanes_lane());
}

// Offsets of the batch's first `count` lanes. `symbol` below 3 repeats; others are `own`. `history` is that before, and then that after.
uint gstd_resolve_offsets(uint symbol, bool no_literals, uint own, uint count, inout uvec3 history) {
  const uint lane = lanes_lane();
  uint place = 3u;
  if (symbol < 3u) place = no_literals ? (symbol == 2u ? 0u : symbol + 1u) : symbol;
  uint order = lane < count ? gstd_order_of(place) : kGstdSameOrder;
  for (uint delta = 1u; lanes_uniform(delta < 32u); delta <<= 1) {
    const uint earlier = lanes_shuffle_up(order, delta);
    if (lane >= delta) order = gstd_order_after(earlier, order);
  }
  const uint front = order & 255u;
  const uint other = lanes_shuffle(own, front - 3u);
  const uint offset = front < 3u ? (front == 0u ? history.x : front == 1u ? history.y : history.z) : other;

  const uint last = lanes_uniform(lanes_broadcast(order, 31u));
  uvec3 after;
  [[unroll]] for (uint i = 0; i < 3u; ++i) {
    const uint from = last >> (8u * i) & 255u;
    const uint of_lane = lanes_uniform(lanes_broadcast(own, from - 3u));
    after[i] = from < 3u ? (from == 0u ? history.x : from == 1u ? history.y : history.z) : of_lane;
  }
  history = after;
  return offset;
}

// ---- output ----

// The first sequences of the batch that end behind two positions.
uvec2 gstd_sequences_at(uvec2 positions) {
  const uint base = lanes_group() * 33u;
  uvec2 index = uvec2(0u);
  for (uint step = 16u; step != 0u; step >>= 1) {
    index.x += weft_gstd_ends[base + index.x + step - 1u] <= positions.x ? step : 0u;
    index.y += weft_gstd_ends[base + index.y + step - 1u] <= positions.y ? step : 0u;
  }
  return index;
}

// What is copied to the window: words from `near` on are in the stage from `near_base` on, others in device memory.
struct GstdSource {
  Words words;
  uint near, near_base;
};

uint gstd_source_word(GstdSource source, uint word) {
  uint value;
  if (word >= source.near) {
    value = weft_gstd_stage[source.near_base + word - source.near];
  } else {
    value = source.words.at[word];
  }
  return value;
}

// Copies `count` bytes from byte `from` of the source to byte `to` of the stage, by this lane alone. They are all there.
void gstd_copy(GstdSource source, uint from, uint to, uint count) {
  const uint from_shift = 8u * (from & 3u);
  const uint to_shift = 8u * (to & 3u);
  uint word = from >> 2;
  uint at = to >> 2;
  uint low = 0u;
  if (count != 0u) low = gstd_source_word(source, word);
  uint rest = 0u;
  for (uint left = count; left != 0u; left -= min(left, 4u)) {
    uint high = 0u;
    ++word;
    if ((from & 3u) + left > 4u) high = gstd_source_word(source, word);
    uint bytes = low >> from_shift | (high << 1) << (31u - from_shift);
    if (left < 4u) bytes &= (1u << (8u * left)) - 1u;
    atomicOr(weft_gstd_stage[at], rest | bytes << to_shift);
    rest = (bytes >> 1) >> (31u - to_shift);
    ++at;
    low = high;
  }
  if (rest != 0u) atomicOr(weft_gstd_stage[at], rest);
}

// The same by all lanes, each a word at a time.
void gstd_copy_together(GstdSource source, uint from, uint to, uint count) {
  const uint begin = to & 3u;
  for (uint byte = 4u * lanes_lane(); byte < begin + count; byte += 128u) {
    const uint first = max(byte, begin);
    const uint own = min(byte + 4u, begin + count) - first;
    const uint at = from + first - begin;
    const uint shift = 8u * (at & 3u);
    uint bytes = gstd_source_word(source, at >> 2) >> shift;
    if ((at & 3u) + own > 4u) bytes |= (gstd_source_word(source, (at >> 2) + 1u) << 1) << (31u - shift);
    if (own < 4u) bytes &= (1u << (8u * own)) - 1u;
    atomicOr(weft_gstd_stage[(to + byte) >> 2], bytes << (8u * (first - byte)));
  }
}

// A lane's sequence in the batch: `literals` is what makes a position among its literals their number.
struct GstdSequence {
  uint begin, match, end, offset, literals;
};

const uint kGstdAlone = 32u;  // bytes that a lane copies by itself

// Makes the bytes [begin, end) of the batch, whose literals from number `first_literal` on are at hand, and stores those of whole words.
// `rest`: where the literals behind the last match begin, and what makes their positions numbers.
void gstd_emit(GstdOutput target, GstdSequence own, uint begin, uint end, uint first_literal, uvec2 rest) {
  const uint lane = lanes_lane();
  const uint literals_base = lanes_group() * kGstdStageWords;
  const uint window_base = literals_base + kGstdLiteralWords;
  GstdSource literals;
  literals.words = target.words;
  literals.near = 0u;
  literals.near_base = literals_base;

  for (uint from = begin; lanes_uniform(from < end);) {
    // The window's first word, and the bytes of the tile that are made.
    const uint first_word = (from + target.skew) >> 2;
    const uint to = min(end, 4u * first_word + kGstdWindowBytes - target.skew);
    const uint stage_byte = 4u * window_base - 4u * first_word + target.skew;  // what makes a position a byte of the stage

    // Literals.
    uint at = max(own.begin, from);
    uint left = min(own.match, to) - min(at, min(own.match, to));
    uint alone = min(left, kGstdAlone);
    gstd_copy(literals, at + own.literals - first_literal, at + stage_byte, alone);
    uint longer = lanes_uniform(lanes_ballot(left > alone));
    for (uint i = 0u; lanes_uniform(i < 32u && longer != 0u); ++i) {
      const uint which = uint(findLSB(longer));
      longer &= longer - 1u;
      const uint first = lanes_shuffle(at + alone, which);
      const uint count = lanes_shuffle(left - alone, which);
      const uint number = first + lanes_shuffle(own.literals, which) - first_literal;
      gstd_copy_together(literals, number, first + stage_byte, count);
    }
    const uint behind = max(rest.x, from);
    if (behind < to) gstd_copy_together(literals, behind + rest.y - first_literal, behind + stage_byte, to - behind);
    lanes_shared_barrier();

    // Matches.
    GstdSource output_words;
    output_words.words = target.words;
    output_words.near = first_word;
    output_words.near_base = window_base;
    at = max(own.match, from);
    left = min(own.end, to) - min(at, min(own.end, to));
    // The sequences of this window whose matches it copies of.
    uint needed = 0u;
    const uint source_begin = max(own.match - own.offset, from);
    const uint source_end = min(at - own.offset + left, own.match);
    if (left != 0u && source_begin < source_end) {
      const uint base = lanes_group() * 33u;
      // (None lies behind the own one, which is the last at most.)
      const uvec2 ends = gstd_sequences_at(uvec2(source_begin, source_end - 1u));
      const uint first = ends.x;
      const uint last = ends.y;
      const uint through = last + (source_end > weft_gstd_matches[base + last] ? 1u : 0u);
      needed = ((1u << min(through, 31u)) - 1u) & ~((1u << min(first, 31u)) - 1u);
    }
    bool waits = left != 0u;
    uint waiting = lanes_uniform(lanes_ballot(waits));
    for (uint turn = 0u; lanes_uniform(turn < 32u && waiting != 0u); ++turn) {
      const bool ready = waits && (needed & waiting) == 0u;
      uint back = own.offset;
      uint most = ready ? min(left, kGstdAlone) : 0u;
      const bool goes_on = ready && left > most;
      // Of a match that overlaps itself, what is there: twice as much each time.
      while (most != 0u) {
        const uint count = min(most, back);
        gstd_copy(output_words, at + target.skew - back, at + stage_byte, count);
        at += count;
        left -= count;
        most -= count;
        back += count;
      }
      lanes_shared_barrier();
      longer = lanes_uniform(lanes_ballot(goes_on));
      for (uint i = 0u; lanes_uniform(i < 32u && longer != 0u); ++i) {
        const uint which = uint(findLSB(longer));
        longer &= longer - 1u;
        uint place = lanes_uniform(lanes_shuffle(at, which));
        uint count = lanes_uniform(lanes_shuffle(left, which));
        const uint offset = lanes_uniform(lanes_shuffle(own.offset, which));
        // The longest whole number of periods that is there.
        uint periods = lanes_uniform(offset * ((place - max(lanes_shuffle(own.match, which), from)) / offset + 1u));
        for (uint turns = 0u; lanes_uniform(turns < 12u && count != 0u); ++turns) {
          const uint now = min(count, periods);
          gstd_copy_together(output_words, place + target.skew - periods, place + stage_byte, now);
          place += now;
          count -= now;
          periods *= 2u;
          lanes_shared_barrier();
        }
      }
      waits = waits && !ready;
      waiting = lanes_uniform(lanes_ballot(waits));
    }

    // Whole words.
    lanes_shared_barrier();
    const uint last_word = (to + target.skew) >> 2;
    uint begun = 0u;
    for (uint word = first_word + lane; word <= last_word; word += 32u) {
      const uint made = weft_gstd_stage[window_base + word - first_word];
      weft_gstd_stage[window_base + word - first_word] = 0u;
      if (word == last_word) {
        begun = made;
      } else if (word == 0u && target.skew != 0u) {
        merge_word(target.words, 0u, made, ~0u << (8u * target.skew));
      } else {
        target.words.at[word] = made;
      }
    }
    lanes_shared_barrier();
    if (((last_word - first_word) & 31u) == lane) weft_gstd_stage[window_base] = begun;
    lanes_buffer_barrier();
    from = to;
  }
}

// ---- a tile ----

// Decodes the `count` words at `source` (aligned to 4) to the `bytes` bytes at `output_at` (of any alignment), the filter not undone.
// `tables_at`: the group's kGstdTableWords words, aligned to 4. The result: 0, or a verdict and, from bit 8, the word where it was noticed;
// the same on all lanes of the group.
uint gstd_tile_decode(uvec2 source, uint count, uvec2 output_at, uint bytes, uvec2 tables_at) {
  Words tables = Words(tables_at);
  const uint lane = lanes_lane();
  const uint table_base = lanes_group() * 33u;
  LaneWords words = lane_words_begin(source, count);
  LaneBits bits;
  bits.high = 0u;
  bits.low = 0u;
  bits.count = 0u;
  uint state = 1u << kLaneStateLog;

  const GstdTileHeader header = gstd_tile_header(lane_words_uniform(words));
  if (lanes_uniform(lane_words_truncated(words))) return kGstdTruncated | count << 8;
  if (lanes_uniform(!header.valid || bytes == 0u || bytes > kGstdMostTileBytes)) return kGstdBadHeader | words.position << 8;
  const uint lanes = header.lanes;
  const bool decodes = lane < lanes;
  lane_words_refill(words, bits, decodes, kLaneStateLog);
  if (lanes_uniform(lane_words_truncated(words))) return kGstdTruncated | count << 8;
  if (decodes) state |= lane_bits_take(bits, kLaneStateLog);

  GstdOutput target;
  target.skew = output_at.x & 3u;
  target.words = Words(uvec2(output_at.x - target.skew, output_at.y));
  for (uint word = lane; word < kGstdMakingWords; word += 32u) weft_gstd_making[gstd_making() + word] = 0u;
  for (uint word = lane; word < kGstdStageWords; word += 32u) weft_gstd_stage[lanes_group() * kGstdStageWords + word] = 0u;
  lanes_shared_barrier();

  uvec3 history = uvec3(1u, 4u, 8u);
  uint done = 0u;
  uint reason = 0u;
  bool codes_known = false;   // whether a code was described, which a relative one could be to
  uint contexts_known = 0u;   // of the codes there are
  uint code_log = kGstdCodeLog;
  uvec2 map = uvec2(0u);      // the code of each context, 3 bits for each
  uint fields_known = 0u;     // bits
  uint low_bits_known = 0u;

  for (uint b = 0u; lanes_uniform(b < header.blocks && reason == 0u); ++b) {
    // The header.
    const uint first = lane_words_uniform(words);
    const uint second = lane_words_uniform(words);
    if (lanes_uniform(lane_words_truncated(words))) {
      reason = kGstdTruncated;
      break;
    }
    const bool last_block = b + 1u == header.blocks;
    const uint size = (first & 0x1ffffu) + 1u;
    const uint literals_mode = first >> 17 & 3u;
    const uint modes = first >> 19 & 255u;  // of the fields, 2 bits for each
    const uint low_bits = (first >> 27 & 1u) + 2u;
    const uint context_mode = first >> 28;
    const uint sequences = second & 0xffffu;
    const uint parameter = second >> 16 & 255u;
    const uint codes = (second >> 24 & 7u) + 1u;
    const bool first_relative = (second >> 27 & 1u) != 0u;
    const uint left = bytes - done;
    if (lanes_uniform(second >> 28 != 0u || (last_block ? size != left : size >= left))) {
      reason = kGstdBadHeader;
      break;
    }
    if (lanes_uniform(sequences > size / 3u)) {
      reason = kGstdBadSequence;
      break;
    }
    const uint contexts = context_mode == 0u   ? (parameter == 0u ? 1u : 0u)
                          : context_mode == 1u ? (parameter >= 2u && parameter <= 16u ? parameter : 0u)
                          : context_mode == 2u ? (parameter == 0u ? 8u : 0u)
                                               : 0u;
    const uint end = done + size;

    // What is there of tables.
    if (literals_mode == 0u) {
      if (context_mode != 0u || parameter != 0u || codes != 1u || first_relative) reason = kGstdBadHeader;
    } else if (literals_mode == 1u) {
      if (contexts == 0u || codes > contexts) reason = kGstdBadHeader;
    } else if (literals_mode == 2u) {
      if (contexts == 0u || codes != 1u || first_relative) {
        reason = kGstdBadHeader;
      } else if (contexts != contexts_known) {
        reason = kGstdBadTable;
      }
    } else {
      reason = kGstdBadHeader;
    }
    const uint low_mode = modes >> 6;
    if (reason == 0u && low_bits != 2u && low_mode == 0u) reason = kGstdBadHeader;
    if (reason == 0u && ((modes & modes >> 1 & 0x55u) != 0u || (sequences == 0u && modes != 0u))) reason = kGstdBadHeader;
    if (lanes_uniform(reason != 0u)) break;

    // Codes of literals.
    if (lanes_uniform(literals_mode == 1u)) {
      uint relative = first_relative ? 1u : 0u;
      map = uvec2(0u);
      if (lanes_uniform(codes > 1u)) {
        for (uint c = 0u; lanes_uniform(c < contexts && reason == 0u); c += 8u) {
          const uint word = lane_words_uniform(words);
          if (lanes_uniform(lane_words_truncated(words))) {
            reason = kGstdTruncated;
            break;
          }
          if (c == 0u ? (word >> 24 & 1u) != relative || word >> 24 >> codes != 0u : word >> 24 != 0u) reason = kGstdBadHeader;
          if (c == 0u) relative = word >> 24;
          for (uint i = 0u; i < 8u; ++i) {
            const uint code = word >> (3u * i) & 7u;
            if (c + i < contexts ? code >= codes : code != 0u) reason = kGstdBadHeader;
          }
          if (c == 0u) {
            map.x = word & 0xffffffu;
          } else {
            map.y = word & 0xffffffu;
          }
        }
        if (lanes_uniform(reason != 0u)) break;
      }
      contexts_known = contexts;
      code_log = gstd_code_log(codes);
      for (uint code = 0u; lanes_uniform(code < codes && reason == 0u); ++code) {
        const bool is_relative = (relative >> code & 1u) != 0u;
        if (lanes_uniform(is_relative && !codes_known)) {
          reason = kGstdBadTable;
          break;
        }
        gstd_lengths_read(tables, words, bits, state, lanes, is_relative);
        if (lanes_uniform(lane_words_truncated(words))) {
          reason = kGstdTruncated;
        } else if (lanes_uniform(!gstd_code_build(tables, code, code_log))) {
          reason = kGstdBadTable;
        }
        codes_known = true;
      }
      if (lanes_uniform(reason != 0u)) break;
    }

    // Tables of fields.
    const uint own = (modes & 1u) | (modes >> 1 & 2u) | (modes >> 2 & 4u) | (modes >> 3 & 8u);
    const uint previous = (modes >> 1 & 1u) | (modes >> 2 & 2u) | (modes >> 3 & 4u) | (modes >> 4 & 8u);
    if (lanes_uniform(own != 0u)) gstd_fields_read(tables, words, bits, state, lanes, own);
    if (lanes_uniform(lane_words_truncated(words))) {
      reason = kGstdTruncated;
      break;
    }
    if (lanes_uniform((previous & ~fields_known) != 0u)) {
      reason = kGstdBadTable;
      break;
    }
    if (lanes_uniform(sequences != 0u)) {
      for (uint f = 0u; lanes_uniform(f < 4u && reason == 0u); ++f) {
        const bool described = (own >> f & 1u) != 0u;
        const bool known = !described && ((previous >> f & 1u) != 0u || f == kGstdLB);
        if (lanes_uniform(!known)) {
          if (!gstd_field_build(tables, f, !described)) reason = kGstdBadTable;
        }
      }
      if (lanes_uniform(reason != 0u)) break;
      if ((own & 8u) != 0u) {
        low_bits_known = low_bits;
        if (low_bits == 2u && (gstd_field_has(tables, kGstdLB, 4u) || gstd_field_has(tables, kGstdLB, 5u) || gstd_field_has(tables, kGstdLB, 6u) ||
                               gstd_field_has(tables, kGstdLB, 7u)))
          reason = kGstdBadTable;
      }
      if (low_mode != 0u && low_bits_known != low_bits) reason = kGstdBadTable;
      if (lanes_uniform(reason != 0u)) break;
      fields_known |= 7u | (low_mode != 0u ? 8u : 0u);
    }

    // Batches.
    const uint reciprocal = parameter < 2u ? 0u : ~0u / parameter + 1u;
    const bool coded = literals_mode != 0u;
    const uint longest = coded ? kGstdMostCodeBits : 8u;
    uint batch = 0u;
    do {
      const uint here = min(sequences - batch, lanes);
      const bool has = lane < here;
      const bool last_batch = batch + here == sequences;

      // Sequences.
      uint ll = 0u, of = 0u, ml = 0u, lb = 0u;
      uint own_offset = 0u;
      uint literal_count = 0u;
      uint match_length = 0u;
      if (lanes_uniform(here != 0u)) {
        lane_words_refill(words, bits, has, 27u);
        if (has) {
          ll = gstd_field_decode(tables, kGstdLL, state, bits);
          of = gstd_field_decode(tables, kGstdOF, state, bits);
          ml = gstd_field_decode(tables, kGstdML, state, bits);
        }
        const uint offset_bits = of < 10u ? 0u : (of - 6u) >> 2;
        uint high_bits = offset_bits;
        if (lanes_uniform(low_mode != 0u)) {
          const bool has_low = has && offset_bits >= low_bits;
          lane_words_refill(words, bits, has_low, kLaneRansLog);
          if (has_low) {
            lb = gstd_field_decode(tables, kGstdLB, state, bits);
            high_bits -= low_bits;
          }
        }
        lane_words_refill(words, bits, has, high_bits);
        const uint high = has ? lane_bits_take(bits, high_bits) : 0u;
        own_offset = ((of - 2u - 4u * offset_bits) << offset_bits) + ((high << (offset_bits - high_bits)) | lb);
        const uint literal_bits = gstd_length_extra(ll, 4u);
        const uint match_bits = gstd_length_extra(ml, 5u);
        lane_words_refill(words, bits, has, literal_bits + match_bits);
        if (has) {
          literal_count = gstd_length_base(ll, 4u) + lane_bits_take(bits, literal_bits);
          match_length = gstd_length_base(ml, 5u) + lane_bits_take(bits, match_bits) + 3u;
        }
        if (lanes_uniform(lane_words_truncated(words))) {
          reason = kGstdTruncated;
          break;
        }
      }
      uint offset = 0u;
      if (lanes_uniform(here != 0u)) offset = gstd_resolve_offsets(of, literal_count == 0u, own_offset, here, history);

      // Where everything goes.
      if (lanes_uniform(last_block && last_batch && header.releases)) {
        if (lanes_uniform(lanes_any(decodes && bits.count > 52u))) {
          reason = kGstdBadFinalState;
          break;
        }
        if (decodes) {
          bits.low = bits.low >> 12 | bits.high << 20;
          bits.high = bits.high >> 12 | state << 20;
          bits.count += kLaneStateLog;
        }
      }
      const uint literal_end = lanes_inclusive_add(literal_count);
      const uint sequence_end = done + lanes_inclusive_add(literal_count + match_length);
      const uint batch_end = lanes_uniform(lanes_broadcast(sequence_end, 31u));
      if (lanes_uniform(batch_end > end)) {
        reason = kGstdBadLength;
        break;
      }
      if (lanes_uniform(lanes_any(has && offset > sequence_end - match_length))) {
        reason = kGstdBadOffset;
        break;
      }
      uint total = lanes_uniform(lanes_broadcast(literal_end, 31u));
      const uint made = last_batch ? end : batch_end;
      lanes_shared_barrier();
      // Behind the last one, literals without a match.
      for (uint i = lane; i < 33u; i += 32u) {
        const bool there = i < here;
        weft_gstd_matches[table_base + i] = there ? sequence_end - match_length : end;
        weft_gstd_ends[table_base + i] = there ? sequence_end : ~0u;
        weft_gstd_literal_ends[table_base + i] = there ? literal_end : ~0u;
      }
      GstdSequence own_sequence;
      own_sequence.begin = has ? sequence_end - match_length - literal_count : end;
      own_sequence.match = has ? sequence_end - match_length : end;
      own_sequence.end = has ? sequence_end : end;
      own_sequence.offset = has ? offset : 1u;
      own_sequence.literals = literal_end - own_sequence.match;
      const uvec2 rest = uvec2(batch_end, total - batch_end);
      lanes_shared_barrier();
      total += made - batch_end;

      // Literals, and the output that they allow.
      uint decoded = 0u;
      uint emitted = done;
      do {
        const uint round = min(total - decoded, 8u * lanes);
        uint log = 0u;
        [[unroll]] for (uint i = 0; i < 3u; ++i) log += round > lanes << log ? 1u : 0u;
        const uint own_first = lane << log;
        const uint own_count = decodes ? min(1u << log, max(round, own_first) - own_first) : 0u;
        uvec2 packed = uvec2(0u);
        uint before = 256u;
        uint sequence = 0u;
        if (context_mode == 1u) {
          for (uint step = 16u; step != 0u; step >>= 1)
            sequence += weft_gstd_literal_ends[table_base + sequence + step - 1u] <= decoded + own_first ? step : 0u;
        }
        for (uint step = 0u; lanes_uniform(step < 1u << log && round != 0u); ++step) {
          if (lanes_uniform((step & 1u) == 0u)) lane_words_refill(words, bits, step < own_count, longest * min(2u, own_count - min(step, own_count)));
          if (step < own_count) {
            uint context = 0u;
            if (context_mode == 1u) {
              const uint number = decoded + own_first + step;
              for (uint i = 0u; i < 33u && sequence < 32u; ++i) {
                if (weft_gstd_literal_ends[table_base + sequence] > number) break;
                ++sequence;
              }
              const uint position = number + weft_gstd_matches[table_base + sequence] -
                                    (sequence < here ? weft_gstd_literal_ends[table_base + sequence] : total);
              uint quotient, low;
              umulExtended(position, reciprocal, quotient, low);
              context = position - quotient * parameter;
            } else if (context_mode == 2u) {
              const uint magnitude = before < 128u ? before : 256u - before;
              context = before == 256u ? 0u : min(uint(findMSB(magnitude) + 2), 7u);
            }
            uint byte;
            if (coded) {
              const uint code = (context < 8u ? map.x >> (3u * context) : map.y >> (3u * (context - 8u))) & 7u;
              byte = gstd_code_decode(tables, code, code_log, bits);
            } else {
              byte = lane_bits_take(bits, 8u);
            }
            before = byte;
            if (step < 4u) {
              packed.x |= byte << (8u * step);
            } else {
              packed.y |= byte << (8u * (step - 4u));
            }
          }
        }
        // To shared memory, in words.
        lanes_shared_barrier();
        const uint literals_base = lanes_group() * kGstdStageWords;
        if (lanes_uniform(log == 0u)) {
          uint word = packed.x << (8u * (lane & 3u));
          word |= lanes_shuffle_xor(word, 1u);
          word |= lanes_shuffle_xor(word, 2u);
          if ((lane & 3u) == 0u) weft_gstd_stage[literals_base + (lane >> 2)] = word;
        } else if (lanes_uniform(log == 1u)) {
          uint word = packed.x << (16u * (lane & 1u));
          word |= lanes_shuffle_xor(word, 1u);
          if ((lane & 1u) == 0u) weft_gstd_stage[literals_base + (lane >> 1)] = word;
        } else if (log == 2u) {
          weft_gstd_stage[literals_base + lane] = packed.x;
        } else {
          weft_gstd_stage[literals_base + 2u * lane] = packed.x;
          weft_gstd_stage[literals_base + 2u * lane + 1u] = packed.y;
        }
        lanes_shared_barrier();
        if (lanes_uniform(lane_words_truncated(words))) {
          reason = kGstdTruncated;
          break;
        }

        // Up to the first literal that is not there yet.
        const uint next = decoded + round;
        const uint whole = bitCount(lanes_ballot(has && literal_end <= next));
        const uint behind = lanes_uniform(lanes_shuffle(sequence_end - literal_end, whole - 1u));
        const uint reach = next == total ? made : next + (whole == 0u ? done : behind);
        gstd_emit(target, own_sequence, emitted, reach, decoded, rest);
        emitted = reach;
        decoded = next;
      } while (lanes_uniform(decoded < total));
      if (lanes_uniform(reason != 0u)) break;
      done = made;
      batch += here;
    } while (lanes_uniform(batch < sequences));
  }

  if (lanes_uniform(reason == 0u)) {
    // What lanes end with.
    const bool states_left = lanes_any(decodes && state != 1u << kLaneStateLog);
    const bool bits_left = lanes_any((bits.high | bits.low) != 0u);
    reason = !header.releases && states_left             ? kGstdBadFinalState
             : bits_left || words.position != count ? kGstdBadPadding
                                                         : 0u;
  }
  if (lanes_uniform(reason != 0u)) return reason | (reason == kGstdTruncated ? count : words.position) << 8;

  // Bytes of the last word.
  const uint end_place = bytes + target.skew;
  if (lane == 0u && (end_place & 3u) != 0u) {
    uint mask = (1u << (8u * (end_place & 3u))) - 1u;
    if (end_place < 4u) mask &= ~0u << (8u * target.skew);
    merge_word(target.words, end_place >> 2, weft_gstd_stage[lanes_group() * kGstdStageWords + kGstdLiteralWords], mask);
  }
  lanes_buffer_barrier();
  return 0u;
}

#endif
