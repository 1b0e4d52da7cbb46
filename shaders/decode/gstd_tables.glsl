// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Gstd's tables (docs/gstd-format.md, "Literal tables" and "Tables of fields"), built and used by 32 lanes:
//   gstd_fields_...  rANS tables of the four fields of sequences: a symbol for each slot, four to a word, and for each
//                    symbol its frequency and first slot
//   gstd_code_...    up to 4 canonical codes of bytes, a look-up table each
//
// The tables lie in device memory, kGstdTableWords words for each group at work, where caches hold them: in shared
// memory they would leave room for few tiles at once. Small parts, and those built by atomics, are in shared memory.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow. In gstd_field_decode() and
// gstd_code_decode() nothing crosses lanes. All lanes refuse an invalid table alike, before they use it.
#ifndef WEFT_GSTD_TABLES_GLSL
#define WEFT_GSTD_TABLES_GLSL

#include "decode/gstd_models.glsl"
#include "weft/lane_words.glsl"

const uint kGstdLL = 0u, kGstdOF = 1u, kGstdML = 2u, kGstdLB = 3u;
const uint kGstdSymbols = 184u;  // of all fields

uint gstd_field_symbols(uint field) {
  return field == kGstdLL ? 42u : field == kGstdOF ? 78u : field == kGstdML ? 56u : 8u;
}
uint gstd_field_first(uint field) {
  return field == kGstdLL ? 0u : field == kGstdOF ? 42u : field == kGstdML ? 120u : 176u;
}

const uint kGstdMaxCodeBits = 10u;
const uint kGstdMaxCodes = 4u;

// Positions in a group's tables, in words.
// For each field the symbol of each slot, four to a word.
const uint kGstdSlots = 0u, kGstdFieldSlotWords = kLaneRansSlots / 4u;
// Weight and, in bit 16, presence of a symbol while a table is read; then its frequency, from bit 10 its first slot,
// and from bit 20 its value.
const uint kGstdSymbolsAt = kGstdSlots + 4u * kGstdFieldSlotWords;
// Entries of codes, two to a word, by the next kGstdMaxCodeBits bits: the length, from bit 4 the byte, and from bit 12
// the code of the literal after it.
const uint kGstdCodesAt = kGstdSymbolsAt + kGstdSymbols, kGstdCodeWords = (1u << kGstdMaxCodeBits) / 2u;
// The lengths that were read: 4 bits for each byte, 8 to a word.
const uint kGstdLengthsAt = kGstdCodesAt + kGstdMaxCodes * kGstdCodeWords;
const uint kGstdTableWords = kGstdLengthsAt + 32u;

// Shared memory to build tables in: kGstdMakingWords words from gstd_making() on, 0 between calls. An includer that has
// such words defines their array, and gstd_making().
const uint kGstdMakingWords = kGstdFieldSlotWords;
#ifndef WEFT_GSTD_MAKING
#define WEFT_GSTD_MAKING weft_gstd_making
shared uint weft_gstd_making[kLanesGroupCount * kGstdMakingWords];
uint gstd_making() { return lanes_group() * kGstdMakingWords; }
#endif

// The sum of a model's frequencies of symbols 0 to `last`, at most 11.
uint gstd_model_sum(uvec4 model, uint last) {
  const uint word = last * 11u >> 5;
  const uvec2 pair = word < 2u ? model.xy : model.zw;
  return ((word & 1u) != 0u ? pair.y : pair.x) >> (10u * (last - 3u * word)) & 1023u;
}

// The symbol at `slot` of a model, and its frequency and first slot. Three sums at once are compared: of 512 + slot,
// in 10 bits, the highest stays where the sum that is taken from it is at most slot.
struct GstdModelSymbol {
  uint symbol, frequency, base;
};
GstdModelSymbol gstd_model_symbol(uvec4 model, uint slot) {
  const uint one = 0x100401u, high = one << 9;
  const uvec4 passed = (slot * one + high) - model & high;
  const ivec4 counts = bitCount(passed);
  GstdModelSymbol found;
  found.symbol = uint(counts.x + counts.y + counts.z + counts.w);
  found.base = found.symbol == 0u ? 0u : gstd_model_sum(model, found.symbol - 1u);
  found.frequency = gstd_model_sum(model, found.symbol) - found.base;
  return found;
}

// Reads the symbols' weights for all fields whose bit in `own` is set, with `lanes` lanes. The second set of models
// describes those in `sparse`, the third, of one model, those in `rare`.
void gstd_fields_read(Words tables, inout LaneWords words, inout LaneBits bits, inout uint state, uint lanes, uint own,
                      uint sparse, uint rare) {
  uint count = 0u;
  [[unroll]] for (uint f = 0; f < 4u; ++f) count += (own >> f & 1u) * gstd_field_symbols(f);
  for (uint first = 0u; lanes_uniform(first < count); first += lanes) {
    const bool decodes = lanes_lane() < lanes && first + lanes_lane() < count;
    lane_words_refill(words, bits, decodes, 12u);
    if (decodes) {
      // Its index among the symbols of all fields, those without a table in the tile included.
      uint position = first + lanes_lane();
      [[unroll]] for (uint f = 0; f < 4u; ++f)
        position += position >= gstd_field_first(f) && (own >> f & 1u) == 0u ? gstd_field_symbols(f) : 0u;
      uint field = 0u;
      [[unroll]] for (uint f = 1; f < 4u; ++f) field += position >= gstd_field_first(f) ? 1u : 0u;
      const uint set = (sparse >> field & 1u) + 2u * (rare >> field & 1u);
      const uint model = min(position + set * kGstdSymbols, 2u * kGstdSymbols);
      const GstdModelSymbol found = gstd_model_symbol(kGstdWeightModels[model], lane_rans_slot(state));
      lane_rans_advance(state, bits, found.frequency, found.base);
      const uint octave = max(found.symbol, 2u) - 2u;
      const uint extra_bits = min(octave, 3u);
      const uint extra = lane_bits_take(bits, extra_bits);
      const uint weight = found.symbol < 2u ? 0u : (1u << octave) + (extra << (octave - extra_bits));
      tables.at[kGstdSymbolsAt + position] = weight | (found.symbol != 0u ? 1u << 16 : 0u);
    }
  }
  lanes_buffer_barrier();
}

// What a symbol means: a number of extra bits and, from bit 5, what is above them. An offset that is repeated has bit
// 11, and which. Lengths are their own symbols below 2^direct_log. From there on an octave has two, but with fine
// lengths the first has eight and the second four.
uint gstd_field_value(uint field, uint symbol, bool fine) {
  if (field == kGstdLB) return symbol << 5;
  if (field == kGstdOF) {
    const uint bits = symbol < 10u ? 0u : (symbol - 6u) >> 2;
    return symbol < 3u ? 1u << 11 | symbol << 5 : bits | (symbol - 2u - 4u * bits) << 5;
  }
  const uint direct_log = field == kGstdLL ? 4u : 5u;
  if (symbol < 1u << direct_log) return symbol << 5;
  const uint at = symbol - (1u << direct_log);
  const uint octave = !fine ? at >> 1 : at < 8u ? 0u : at < 12u ? 1u : (at - 8u) >> 1;
  const uint bits_above = fine && octave < 2u ? 3u - octave : 1u;
  return direct_log + octave - bits_above | (1u << bits_above | bitfieldExtract(symbol, 0, int(bits_above))) << 5;
}

// Builds a field's table from the weights that were read or, if `given`, from the format's own frequencies. Returns
// false if all weights are 0.
bool gstd_field_build(Words tables, uint field, bool given, bool fine) {
  const uint first = gstd_field_first(field);
  const uint symbols = gstd_field_symbols(field);
  const uint symbols_at = kGstdSymbolsAt + first;
  const uint slots_at = kGstdSlots + field * kGstdFieldSlotWords;
  const uint making = gstd_making();
  const uint lane = lanes_lane();

  // Three symbols a lane: lane, lane + 32, lane + 64, if there are so many. The first three rounds compute the sums.
  uint sum = 0u;
  uint count = 0u;
  uint weight_before = 0u;
  uint present_before = 0u;
  for (uint r = 0u; lanes_uniform(r < 6u && (r != 3u || sum != 0u)); ++r) {
    if (r == 3u) weight_before = 0u;
    const uint symbol = lane + 32u * (r < 3u ? r : r - 3u);
    if (lanes_uniform(symbol - lane >= symbols)) continue;
    uint weight = 0u;
    if (symbol < symbols)
      weight = given ? kGstdGivenFrequencies[(first + symbol) / 3u] >> (10u * ((first + symbol) % 3u)) & 1023u
                     : tables.at[symbols_at + symbol];
    const uint present = lanes_uniform(lanes_ballot(!given && (weight >> 16) != 0u));
    weight &= 0xffffu;
    const uint end = lanes_inclusive_add(weight) + weight_before;
    const uint total = lanes_uniform(lanes_broadcast(end, 31u));
    if (r < 3u) {
      sum = total;
      count += bitCount(present);
      weight_before = total;
    } else {
      const uint begin = end - weight;
      uint base = begin;
      uint frequency = weight;
      if (!given) {
        const uint here = present >> lane & 1u;
        const uint shared_out = begin * (kLaneRansSlots - count) / sum;
        base = shared_out + present_before + bitCount(present & lanes_mask_before());
        frequency = here * (1u + end * (kLaneRansSlots - count) / sum - shared_out);
      }
      if (symbol < symbols) {
        tables.at[symbols_at + symbol] = frequency | base << 10 | gstd_field_value(field, symbol, fine) << 20;
        // Each symbol marks its first slot, which is its own.
        if (frequency != 0u) atomicOr(WEFT_GSTD_MAKING[making + (base >> 2)], symbol << (8u * (base & 3u)));
      }
      weight_before = total;
      present_before += bitCount(present);
    }
  }
  if (lanes_uniform(sum == 0u)) return false;
  lanes_shared_barrier();

  // Symbols ascend with slots: a slot's symbol is the largest marked up to it.
  uint largest = 0u;
  for (uint i = 0u; i < WEFT_LOOP_END(4u); ++i) {
    const uint marks = WEFT_GSTD_MAKING[making + 4u * lane + i];
    largest = max(largest, max(max(marks & 255u, marks >> 8 & 255u), max(marks >> 16 & 255u, marks >> 24)));
  }
  const uint through = lanes_inclusive_max(largest);
  const uint before = lanes_shuffle(through, lane - 1u);
  uint symbol = lane == 0u ? 0u : before;
  for (uint i = 0u; i < WEFT_LOOP_END(4u); ++i) {
    const uint marks = WEFT_GSTD_MAKING[making + 4u * lane + i];
    WEFT_GSTD_MAKING[making + 4u * lane + i] = 0u;
    uint filled = 0u;
    [[unroll]] for (uint b = 0; b < 4u; ++b) {
      symbol = max(symbol, marks >> (8u * b) & 255u);
      filled |= symbol << (8u * b);
    }
    tables.at[slots_at + 4u * lane + i] = filled;
  }
  lanes_buffer_barrier();
  return true;
}

// Whether a built field has a symbol.
bool gstd_field_has(Words tables, uint field, uint symbol) {
  return (tables.at[kGstdSymbolsAt + gstd_field_first(field) + symbol] & 1023u) != 0u;
}

// Returns a symbol's value.
uint gstd_field_decode(Words tables, uint field, inout uint state, inout LaneBits bits) {
  const uint slot = lane_rans_slot(state);
  const uint word = tables.at[kGstdSlots + field * kGstdFieldSlotWords + (slot >> 2)];
  const uint symbol = word >> (8u * (slot & 3u)) & 255u;
  const uint entry = tables.at[kGstdSymbolsAt + gstd_field_first(field) + symbol];
  lane_rans_advance(state, bits, entry & 1023u, bitfieldExtract(entry, 10, 10));
  return entry >> 20;
}

// ---- codes of literals ----

// In place of the length before a lane's first.
const uint kGstdNoLength = kGstdMaxCodeBits + 1u, kGstdSetModels = kGstdNoLength + 1u;
const uint kGstdSetsByLength = 8u;  // the others have one model each

// Reads a code's lengths by a set's models, with `lanes` lanes.
void gstd_lengths_read(Words tables, inout LaneWords words, inout LaneBits bits, inout uint state, uint lanes,
                       uint set) {
  const bool decodes = lanes_lane() < lanes;
  const uint steps = 256u / lanes;
  const bool by_length = set < kGstdSetsByLength;
  const uint models = by_length ? set * kGstdSetModels : kGstdSetsByLength * (kGstdSetModels - 1u) + set;
  const uint first = kGstdLengthsAt + (lanes_lane() & (lanes - 1u)) * (steps / 8u);
  uint before = kGstdNoLength;
  uint described = 0u;
  for (uint step = 0u; lanes_uniform(step < steps); ++step) {
    if (lanes_uniform(step % 3u == 0u)) lane_words_refill(words, bits, decodes, 9u * min(3u, steps - step));
    if (decodes) {
      const uint at = 4u * (step & 7u);
      const uvec4 model = kGstdLengthModels[models + (by_length ? before : 0u)];
      const GstdModelSymbol found = gstd_model_symbol(model, lane_rans_slot(state));
      lane_rans_advance(state, bits, found.frequency, found.base);
      described |= found.symbol << at;
      before = found.symbol;
      if (at == 28u) {
        tables.at[first + step / 8u] = described;
        described = 0u;
      }
    }
  }
  lanes_buffer_barrier();
}

// Bytes of each length in the word `lengths`: fields of 10 bits, lengths 1 to 3 in the first word.
uvec4 gstd_length_counts(uint lengths) {
  uvec4 counts = uvec4(0u);
  for (uint i = 0u; i < WEFT_LOOP_END(8u); ++i) {
    const uint length = lengths >> (4u * i) & 15u;
    [[unroll]] for (uint w = 0; w < 4u; ++w)
      counts[w] += length > 3u * w && length <= 3u * w + 3u ? 1u << (10u * (length - 1u - 3u * w)) : 0u;
  }
  return counts;
}

uint gstd_length_count(uvec4 counts, uint length) {
  const uint w = (length - 1u) / 3u;
  const uint word = w == 0u ? counts.x : w == 1u ? counts.y : w == 2u ? counts.z : counts.w;
  return word >> (10u * ((length - 1u) % 3u)) & 1023u;
}

uint gstd_ordered_byte(uint making, uint position) {
  return WEFT_GSTD_MAKING[making + (position >> 2)] >> (8u * (position & 3u)) & 255u;
}

// The context of a literal after `previous`.
uint gstd_literal_context(uint previous) {
  const uint size = previous < 128u ? previous : 255u - previous;
  return uint(size >= 2u) + uint(size >= 8u) + uint(size >= 32u) + 4u * (previous >> 7);
}
uint gstd_code_of(uint map, uint context) { return map >> (2u * context) & 3u; }
uint gstd_code_entry(uint length, uint byte, uint map) {
  return length | byte << 4 | gstd_code_of(map, gstd_literal_context(byte)) << 12;
}

// Fills the look-up entries of a code whose ordered bytes are in shared memory. `totals`: bytes of each length.
void gstd_code_fill(Words tables, uint entries_at, uvec4 totals, bool single, uint map) {
  const uint lane = lanes_lane();
  const uint making = gstd_making();
  if (single) {
    // Equal entries, which take no bits.
    const uint entry = gstd_code_entry(0u, WEFT_GSTD_MAKING[making] & 255u, map);
    for (uint w = lane; w < kGstdCodeWords; w += 32u) tables.at[entries_at + w] = entry | entry << 16;
    return;
  }
  // Each length's entries, two at a time: the code is complete, so that there is an even number of each.
  uint rank_begin = 0u;
  uint done = 0u;
  for (uint length = 1u; length <= kGstdMaxCodeBits; ++length) {
    const uint shift = kGstdMaxCodeBits - length;
    const uint bytes = gstd_length_count(totals, length);
    const uint words = (bytes << shift) / 2u;
    for (uint w = lane; w < words; w += 32u) {
      const uint one = gstd_ordered_byte(making, rank_begin + (2u * w >> shift));
      const uint two = gstd_ordered_byte(making, rank_begin + ((2u * w + 1u) >> shift));
      tables.at[entries_at + done + w] = gstd_code_entry(length, one, map) | gstd_code_entry(length, two, map) << 16;
    }
    done += words;
    rank_begin += bytes;
  }
}

// Builds code number `code` from the lengths that were read. `map`: the code of each context. Returns false if the code
// is incomplete.
bool gstd_code_build(Words tables, uint code, uint map) {
  const uint lane = lanes_lane();
  const uint making = gstd_making();
  const uint lengths = tables.at[kGstdLengthsAt + lane];

  const uvec4 counts = gstd_length_counts(lengths);
  const uvec4 through = uvec4(lanes_inclusive_add(counts.x), lanes_inclusive_add(counts.y),
                              lanes_inclusive_add(counts.z), lanes_inclusive_add(counts.w));
  const uvec4 totals =
      uvec4(lanes_uniform(lanes_broadcast(through.x, 31u)), lanes_uniform(lanes_broadcast(through.y, 31u)),
            lanes_uniform(lanes_broadcast(through.z, 31u)), lanes_uniform(lanes_broadcast(through.w, 31u)));
  const uvec4 before = through - counts;

  uint begin = 0u;
  uint shorter = 0u;
  for (uint length = 1u; length <= WEFT_LOOP_END(kGstdMaxCodeBits); ++length) {
    if (lane == length) WEFT_GSTD_MAKING[making + 64u + length] = shorter;
    const uint count = gstd_length_count(totals, length);
    begin += count << (kGstdMaxCodeBits - length);
    shorter += count;
  }
  const bool single = shorter == 1u && (totals[0] & 1023u) == 1u;
  if (lanes_uniform(begin != 1u << kGstdMaxCodeBits && !single)) return false;
  lanes_shared_barrier();

  uvec4 rank = before;
  for (uint i = 0u; i < WEFT_LOOP_END(8u); ++i) {
    const uint length = lengths >> (4u * i) & 15u;
    if (length != 0u) {
      uint position = WEFT_GSTD_MAKING[making + 64u + length];
      [[unroll]] for (uint w = 0; w < 4u; ++w) {
        if (length > 3u * w && length <= 3u * w + 3u) {
          const uint shift = 10u * (length - 1u - 3u * w);
          position += rank[w] >> shift & 1023u;
          rank[w] += 1u << shift;
        }
      }
      position = min(position, 255u);
      atomicOr(WEFT_GSTD_MAKING[making + (position >> 2)], (8u * lane + i) << (8u * (position & 3u)));
    }
  }
  lanes_shared_barrier();

  gstd_code_fill(tables, kGstdCodesAt + code * kGstdCodeWords, totals, single, map);
  lanes_shared_barrier();
  [[unroll]] for (uint i = 0; i < 4u; ++i) WEFT_GSTD_MAKING[making + lane + 32u * i] = 0u;
  lanes_buffer_barrier();
  return true;
}

// The entry of a lane's next byte by code number `code`. Bits that the lane does not have are 0. If not `is_coded`, a
// byte is itself.
uint gstd_literal_entry(Words tables, bool is_coded, uint code, LaneBits bits) {
  const uint at = (code << kGstdMaxCodeBits) + (bits.high >> (32u - kGstdMaxCodeBits));
  const uint entry = tables.at[kGstdCodesAt + (at >> 1)] >> (16u * (at & 1u));
  return is_coded ? entry : 8u | bits.high >> 24 << 4;
}

// Decodes a lane's next byte, whose bits it has. `code` becomes that of the literal after it. Unless the lane `has` a
// literal, nothing changes.
uint gstd_literal_decode(Words tables, bool is_coded, bool has, inout uint code, inout LaneBits bits) {
  const uint entry = gstd_literal_entry(tables, is_coded, code, bits);
  lane_bits_take(bits, has ? entry & 15u : 0u);
  code = entry >> 12 & 3u;
  return has ? entry >> 4 & 255u : 0u;
}

#endif
