// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Gstd's decoder: a group of 32 lanes decodes a tile (docs/gstd-format.md, chapter Tiles).
//   gstd_tile_header()   reads the first word, so that the caller has the filter (gstd_header.glsl)
//   gstd_tile_decode()   decodes all but the filter into device memory and returns the verdict
// gstd_filters.glsl inverts the filters. After gstd_tile_decode() all lanes of the group see the bytes, so that a
// user's shader can go on with them.
//
// A batch has up to 32 sequences, one a lane. Repeat offsets are resolved by a prefix scan: each sequence permutes the
// offset history, and permutations compose. Then come its literals, up to 256 at a time, and the output that they allow
// (weft/lz_copy.glsl).
//
// Any words are allowed: the decoder reads no other source, writes nothing outside of the output's bytes,
// bounds every loop by checked sizes and returns the scalar decoder's verdict. It merges its bytes into the
// output's first and last word.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow. With native subgroups of 32 lanes or
// more, each group may have a tile of another size. Shared memory of a group: 2 KiB.
#ifndef WEFT_GSTD_TILE_GLSL
#define WEFT_GSTD_TILE_GLSL

#include "weft/lanes.glsl"

// A round's literals, four to a word, with a word before and after them.
const uint kGstdRoundLiterals = 256u;
const uint kGstdLiteralWords = kGstdRoundLiterals / 4u + 2u;
shared uint weft_gstd_literals[kLanesGroupCount * kGstdLiteralWords];
#define WEFT_LZ_LITERALS(WORD) weft_gstd_literals[WORD]
#include "weft/lz_copy.glsl"

// Tables are built in the window, but for its first word: between calls, the others are 0.
#define WEFT_GSTD_MAKING weft_lz_window
uint gstd_making() { return lz_window() + 1u; }

#include "decode/gstd_header.glsl"
#include "decode/gstd_tables.glsl"

const uint kGstdMaxTileBytes = 1u << 20;

// For each sequence of the batch, and after the last: where its match begins in the tile, and the literals up to it.
shared uint weft_gstd_matches[kLanesGroupCount * 33u];
shared uint weft_gstd_literal_ends[kLanesGroupCount * 33u];

uint gstd_length_extra(uint symbol, uint direct_log) {
  const uint direct = 1u << direct_log;
  return symbol < direct ? 0u : ((symbol - direct) >> 1) + direct_log - 1u;
}
uint gstd_length_base(uint symbol, uint direct_log) {
  return symbol < 1u << direct_log ? symbol : (2u + (symbol & 1u)) << gstd_length_extra(symbol, direct_log);
}

// ---- permutations of the offset history: three fields of 10 bits, each 10 times the entry that it takes, or 30 + the
// lane whose offset it takes ----

const uint kGstdSameOrder = 10u << 10 | 20u << 20;

// Applies `first`, then `second`.
uint gstd_order_after(uint first, uint second) {
  uint both = 0u;
  [[unroll]] for (uint i = 0; i < 3u; ++i) {
    const uint from = second >> (10u * i) & 1023u;
    both |= mix(from, first >> (from & 31u) & 1023u, from < 30u) << (10u * i);
  }
  return both;
}

// A sequence's permutation: moves the entry at `place` to the front or, for position 3, inserts its own offset there.
uint gstd_order_of(uint place) {
  const uint repeated = mix(mix(20u | 10u << 20, 10u | 20u << 20, place == 1u), kGstdSameOrder, place == 0u);
  return mix(repeated, (30u + lanes_lane()) | 10u << 20, place > 2u);
}

// An offset of the history, or else `other`, one of the batch.
uint gstd_offset_from(uint from, uvec3 history, uint other) {
  return mix(mix(mix(other, history.z, from == 20u), history.y, from == 10u), history.x, from == 0u);
}

// Scans the batch, whose first `count` lanes have sequences: returns the permutation up to each lane's, and makes
// `lengths` their inclusive sums. `symbol` below 3 repeats an offset.
uint gstd_scan(uint symbol, bool no_literals, uint count, inout uvec2 lengths) {
  const uint lane = lanes_lane();
  // Without literals before it, a sequence does not repeat the last offset: it takes the next.
  const uint repeats = mix(symbol, mix(symbol + 1u, 0u, symbol == 2u), no_literals);
  uint order = mix(kGstdSameOrder, gstd_order_of(mix(repeats, 3u, symbol > 2u)), lane < count);
  for (uint step = 0u; step < WEFT_LOOP_END(5u); ++step) {
    const uint delta = 1u << step;
    const uint earlier = lanes_shuffle_up(order, delta);
    if (kSubgroupSize >= 32u) {
      const uvec2 before = uvec2(lanes_shuffle_up(lengths.x, delta), lanes_shuffle_up(lengths.y, delta));
      lengths += lane >= delta ? before : uvec2(0u);
    }
    order = mix(order, gstd_order_after(earlier, order), lane >= delta);
  }
  if (kSubgroupSize < 32u) lengths = uvec2(lanes_inclusive_add(lengths.x), lanes_inclusive_add(lengths.y));
  return order;
}

// Each lane's offset, by the permutation up to it. `own`: the offset of a lane that does not repeat one. `history`
// becomes that after the batch.
uint gstd_offset(uint order, uint own, inout uvec3 history) {
  const uint front = order & 1023u;
  const uint offset = gstd_offset_from(front, history, lanes_shuffle(own, front - 30u));
  const uint last = lanes_broadcast(order, 31u);
  uvec3 after;
  [[unroll]] for (uint i = 0; i < 3u; ++i) {
    const uint from = last >> (10u * i) & 1023u;
    after[i] = gstd_offset_from(from, history, lanes_shuffle(own, from - 30u));
  }
  history = after;
  return offset;
}

// ---- a tile ----

// Decodes `count` words at `source`, aligned to 4, to `bytes` bytes at `output_at`, of any alignment, but leaves the
// filter. `tables_at`: the group's kGstdTableWords words, aligned to 4. Returns 0, or a verdict and from bit 8 the word
// where it was detected, to all lanes of the group.
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
  if (lanes_uniform(!header.valid || bytes == 0u || bytes > kGstdMaxTileBytes))
    return kGstdBadHeader | words.position << 8;
  const uint lanes = header.lanes;
  const bool decodes = lane < lanes;
  lane_words_refill(words, bits, decodes, kLaneStateLog);
  if (lanes_uniform(lane_words_truncated(words))) return kGstdTruncated | count << 8;
  if (decodes) state |= lane_bits_take(bits, kLaneStateLog);

  // The output as words of device memory, and the bytes of the first word before the tile's first byte.
  const uint skew = output_at.x & 3u;
  Words target = Words(uvec2(output_at.x - skew, output_at.y));
  lz_begin();

  uvec3 history = uvec3(1u, 4u, 8u);
  uint done = 0u;
  uint reason = 0u;
  bool codes_known = false;  // whether there are lengths that a relative code can refer to
  uint contexts_known = 0u;  // of the current codes
  uint code_log = kGstdCodeLog;
  uvec2 map = uvec2(0u);   // the code of each context, 3 bits each
  uint fields_known = 0u;  // bits
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

    // Checks of the modes of tables.
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
    if (reason == 0u && ((modes & modes >> 1 & 0x55u) != 0u || (sequences == 0u && modes != 0u)))
      reason = kGstdBadHeader;
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
          if (c == 0u ? (word >> 24 & 1u) != relative || word >> 24 >> codes != 0u : word >> 24 != 0u)
            reason = kGstdBadHeader;
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
        if (low_bits == 2u && (gstd_field_has(tables, kGstdLB, 4u) || gstd_field_has(tables, kGstdLB, 5u) ||
                               gstd_field_has(tables, kGstdLB, 6u) || gstd_field_has(tables, kGstdLB, 7u)))
          reason = kGstdBadTable;
      }
      if (low_mode != 0u && low_bits_known != low_bits) reason = kGstdBadTable;
      if (lanes_uniform(reason != 0u)) break;
      fields_known |= 7u | (low_mode != 0u ? 8u : 0u);
    }

    // Batches.
    const uint reciprocal = parameter < 2u ? 0u : ~0u / parameter + 1u;
    const bool coded = literals_mode != 0u;
    const uint longest = coded ? kGstdMaxCodeBits : 8u;
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
        const uint high = lane_bits_take(bits, has ? high_bits : 0u);
        own_offset = ((of - 2u - 4u * offset_bits) << offset_bits) + ((high << (offset_bits - high_bits)) | lb);
        const uint literal_bits = gstd_length_extra(ll, 4u);
        const uint match_bits = gstd_length_extra(ml, 5u);
        lane_words_refill(words, bits, has, literal_bits + match_bits);
        const uint literal_low = lane_bits_take(bits, has ? literal_bits : 0u);
        const uint match_low = lane_bits_take(bits, has ? match_bits : 0u);
        literal_count = has ? gstd_length_base(ll, 4u) + literal_low : 0u;
        match_length = has ? gstd_length_base(ml, 5u) + match_low + 3u : 0u;
      }
      uvec2 lengths = uvec2(literal_count, literal_count + match_length);
      const uint order = gstd_scan(of, literal_count == 0u, here, lengths);
      const uint offset = gstd_offset(order, own_offset, history);

      // Positions, and their checks. A truncated tile comes first: words past the last are
      // read as 0 and cause other faults.
      if (lane_words_truncated(words)) reason = kGstdTruncated;
      if (lanes_uniform(last_block && last_batch && header.releases)) {
        const bool full = lanes_any(decodes && bits.count > 52u);
        if (reason == 0u && full) reason = kGstdBadFinalState;
        if (decodes) {
          bits.low = bits.low >> 12 | bits.high << 20;
          bits.high = bits.high >> 12 | state << 20;
          bits.count += kLaneStateLog;
        }
      }
      const uint literal_end = lengths.x;
      const uint sequence_end = done + lengths.y;
      const uint batch_end = lanes_broadcast(sequence_end, 31u);
      if (reason == 0u && batch_end > end) reason = kGstdBadLength;
      const bool too_far = lanes_any(has && offset > sequence_end - match_length);
      if (reason == 0u && too_far) reason = kGstdBadOffset;
      if (lanes_uniform(reason != 0u)) break;
      uint total = lanes_broadcast(literal_end, 31u);
      const uint made = last_batch ? end : batch_end;
      const uint match = has ? sequence_end - match_length : end;
      // The first lane without a sequence has the literals after the last match.
      LzSequence own_sequence;
      own_sequence.begin = skew + (has ? match - literal_count : lane == here ? batch_end : end);
      own_sequence.match = skew + match;
      own_sequence.end = skew + (has ? sequence_end : end);
      own_sequence.offset = has ? offset : 1u;
      // A literal's number minus its position.
      uint own_number = literal_end - skew - (has ? match : batch_end);
      lanes_shared_barrier();
      // After the last one, literals without a match.
      weft_gstd_matches[table_base + lane] = match;
      weft_gstd_literal_ends[table_base + lane] = has ? literal_end : ~0u;
      if (lane == 0u) {
        weft_gstd_matches[table_base + 32u] = end;
        weft_gstd_literal_ends[table_base + 32u] = ~0u;
      }
      const uint after_number = total - skew - batch_end;
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
          if (lanes_uniform((step & 1u) == 0u))
            lane_words_refill(words, bits, step < own_count, longest * min(2u, own_count - min(step, own_count)));
          if (step < own_count) {
            uint context = 0u;
            if (context_mode == 1u) {
              const uint number = decoded + own_first + step;
              for (uint i = 0u; i < WEFT_LOOP_END(33u) && sequence < 32u; ++i) {
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
        // Stores them to shared memory, in words.
        lanes_shared_barrier();
        uint word = packed.x << ((8u << log) * (lane & (3u >> log)) & 31u);
        const uint neighbour = lanes_shuffle_xor(word, 1u);
        word |= log < 2u ? neighbour : 0u;
        const uint neighbours = lanes_shuffle_xor(word, 2u);
        word |= log == 0u ? neighbours : 0u;
        const uint literals_at = lanes_group() * kGstdLiteralWords + 1u;
        const uint at = literals_at + (log == 3u ? 2u * lane : lane >> (2u - log));
        if ((lane & (3u >> log)) == 0u) weft_gstd_literals[at] = word;
        if (log == 3u) weft_gstd_literals[at + 1u] = packed.y;
        lanes_shared_barrier();
        if (lanes_uniform(lane_words_truncated(words))) {
          reason = kGstdTruncated;
          break;
        }

        // Output up to the first literal that is not decoded yet.
        const uint next = decoded + round;
        const uint whole = bitCount(lanes_ballot(has && literal_end <= next));
        const uint behind = lanes_shuffle(sequence_end - literal_end, whole - 1u);
        const uint reach = next == total ? made : next + (whole == 0u ? done : behind);
        // Where 32 lanes have sequences, the literals after them follow by themselves.
        const uint literal_byte = 4u * literals_at - decoded;
        do {
          const bool after = here == 32u && emitted >= batch_end;
          if (after) {
            own_sequence.begin = skew + (lane == 0u ? batch_end : end);
            own_sequence.match = skew + end;
            own_sequence.end = skew + end;
            own_number = after_number;
          }
          own_sequence.literals = own_number + literal_byte;
          const uint to = here == 32u && !after ? min(reach, batch_end) : reach;
          lz_copy(target, skew, own_sequence, skew + emitted, skew + to);
          emitted = to;
        } while (lanes_uniform(emitted < reach));
        decoded = next;
      } while (lanes_uniform(decoded < total));
      if (lanes_uniform(reason != 0u)) break;
      done = made;
      batch += here;
    } while (lanes_uniform(batch < sequences));
  }

  if (lanes_uniform(reason == 0u)) {
    // Final states and padding.
    const bool states_left = lanes_any(decodes && state != 1u << kLaneStateLog);
    const bool bits_left = lanes_any((bits.high | bits.low) != 0u);
    reason = !header.releases && states_left             ? kGstdBadFinalState
             : bits_left || words.position != count ? kGstdBadPadding
                                                         : 0u;
  }
  if (lanes_uniform(reason != 0u)) return reason | (reason == kGstdTruncated ? count : words.position) << 8;

  lz_end(target, skew, skew + bytes);
  return 0u;
}

#endif
