// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Gstd's tables (docs/gstd-format.md, "Literal tables" and "Tables of fields"), built and used by 32 lanes:
//   gstd_fields_...  rANS tables of the four fields of sequences: a symbol for each slot, four to a word, and for each
//                    symbol its frequency and first slot
//   gstd_codes_...   up to 8 canonical codes of bytes: one look-up table of 2^kGstdCodeLog entries for the short codes
//                    of all; for longer ones the bytes in the order of codes, and where each length begins
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

#ifndef WEFT_GSTD_CODE_LOG
#define WEFT_GSTD_CODE_LOG 10u
#endif
const uint kGstdMaxCodeBits = 11u;
const uint kGstdMaxCodes = 8u;
const uint kGstdCodeLog = WEFT_GSTD_CODE_LOG;
const uint kGstdLongCode = 15u;

// Positions in a group's tables, in words.
// For each field the symbol of each slot, four to a word.
const uint kGstdSlots = 0u, kGstdFieldSlotWords = kLaneRansSlots / 4u;
// Weight and, in bit 16, presence of a symbol while a table is read; then its frequency and, from bit 10, first slot.
const uint kGstdSymbolsAt = kGstdSlots + 4u * kGstdFieldSlotWords;
// Entries of codes, two to a word: the length, the byte from bit 4; kGstdLongCode if a code is longer than the index.
const uint kGstdCodesAt = kGstdSymbolsAt + kGstdSymbols, kGstdCodeWords = (1u << kGstdCodeLog) / 2u;
// For each code the bytes in the order of codes, four to a word.
const uint kGstdOrderedAt = kGstdCodesAt + kGstdCodeWords;
// For each code and length: the first code, shifted to 11 bits, and from bit 12 how many bytes have shorter codes.
const uint kGstdBeginsAt = kGstdOrderedAt + kGstdMaxCodes * 64u;
// The last lengths that were read: 4 bits for each byte, 8 to a word.
const uint kGstdLengthsAt = kGstdBeginsAt + kGstdMaxCodes * 16u;
const uint kGstdTableWords = kGstdLengthsAt + 32u;

// Shared memory to build tables in: kGstdMakingWords words from gstd_making() on, 0 between calls. An includer that has
// such words defines their array, and gstd_making().
const uint kGstdMakingWords = kGstdFieldSlotWords;
#ifndef WEFT_GSTD_MAKING
#define WEFT_GSTD_MAKING weft_gstd_making
shared uint weft_gstd_making[kLanesGroupCount * kGstdMakingWords];
uint gstd_making() { return lanes_group() * kGstdMakingWords; }
#endif

// The symbol at `slot` of a model, and its frequency and first slot.
struct GstdModelSymbol {
  uint symbol, frequency, base;
};
GstdModelSymbol gstd_model_symbol(uvec4 model, uint slot) {
  GstdModelSymbol found;
  found.symbol = 0u;
  found.base = 0u;
  uint end = kLaneRansSlots;
  for (uint w = 0u; w < WEFT_LOOP_END(4u); ++w) {
    [[unroll]] for (uint i = 0; i < 3u; ++i) {
      const uint bound = model.x >> (10u * i) & 1023u;
      const bool passed = bound <= slot;
      found.symbol += passed ? 1u : 0u;
      found.base = passed ? bound : found.base;
      end = passed ? end : min(end, bound);
    }
    model = model.yzwx;
  }
  found.frequency = end - found.base;
  return found;
}

// Reads the symbols' weights for all fields whose bit in `own` is set, with `lanes` lanes.
void gstd_fields_read(Words tables, inout LaneWords words, inout LaneBits bits, inout uint state, uint lanes,
                      uint own) {
  uint count = 0u;
  [[unroll]] for (uint f = 0; f < 4u; ++f) count += (own >> f & 1u) * gstd_field_symbols(f);
  for (uint first = 0u; lanes_uniform(first < count); first += lanes) {
    const bool decodes = lanes_lane() < lanes && first + lanes_lane() < count;
    lane_words_refill(words, bits, decodes, 12u);
    if (decodes) {
      // Its index among the symbols of all fields, those without a table in the tile included.
      uint place = first + lanes_lane();
      [[unroll]] for (uint f = 0; f < 4u; ++f)
        place += place >= gstd_field_first(f) && (own >> f & 1u) == 0u ? gstd_field_symbols(f) : 0u;
      const GstdModelSymbol found = gstd_model_symbol(kGstdWeightModels[place], lane_rans_slot(state));
      lane_rans_advance(state, bits, found.frequency, found.base);
      const uint octave = max(found.symbol, 2u) - 2u;
      const uint extra_bits = min(octave, 3u);
      const uint extra = lane_bits_take(bits, extra_bits);
      const uint weight = found.symbol < 2u ? 0u : (1u << octave) + (extra << (octave - extra_bits));
      tables.at[kGstdSymbolsAt + place] = weight | (found.symbol != 0u ? 1u << 16 : 0u);
    }
  }
  lanes_buffer_barrier();
}

// Builds a field's table from the weights that were read or, if `given`, from the format's own frequencies. Returns
// false if all weights are 0.
bool gstd_field_build(Words tables, uint field, bool given) {
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
        tables.at[symbols_at + symbol] = frequency | base << 10;
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

uint gstd_field_decode(Words tables, uint field, inout uint state, inout LaneBits bits) {
  const uint slot = lane_rans_slot(state);
  const uint word = tables.at[kGstdSlots + field * kGstdFieldSlotWords + (slot >> 2)];
  const uint symbol = word >> (8u * (slot & 3u)) & 255u;
  const uint entry = tables.at[kGstdSymbolsAt + gstd_field_first(field) + symbol];
  lane_rans_advance(state, bits, entry & 1023u, entry >> 10);
  return symbol;
}

// ---- codes of literals ----

// log2 of the look-up entries for each of `codes` codes.
uint gstd_code_log(uint codes) { return kGstdCodeLog - uint(findMSB(2u * codes - 1u)); }

// Reads a code's lengths, with `lanes` lanes. `relative`: predicted by the lengths that were read last.
void gstd_lengths_read(Words tables, inout LaneWords words, inout LaneBits bits, inout uint state, uint lanes,
                       bool relative) {
  const bool decodes = lanes_lane() < lanes;
  const uint steps = 256u / lanes;
  const uint first = kGstdLengthsAt + (lanes_lane() & (lanes - 1u)) * (steps / 8u);
  uint before = 12u;
  uint before_reference = 12u;
  uint reference = 0u;
  uint described = 0u;
  for (uint step = 0u; lanes_uniform(step < steps); ++step) {
    if (lanes_uniform(step % 3u == 0u)) lane_words_refill(words, bits, decodes, 9u * min(3u, steps - step));
    if (decodes) {
      const uint at = 4u * (step & 7u);
      if (at == 0u) reference = tables.at[first + step / 8u];
      const uint reference_length = reference >> at & 15u;
      const uint change = before == before_reference ? 0u : before < before_reference ? 1u : 2u;
      const uint model = relative ? 13u + 3u * reference_length + change : before;
      const GstdModelSymbol found = gstd_model_symbol(kGstdLengthModels[model], lane_rans_slot(state));
      lane_rans_advance(state, bits, found.frequency, found.base);
      described |= found.symbol << at;
      before = found.symbol;
      before_reference = reference_length;
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
  return counts[(length - 1u) / 3u] >> (10u * ((length - 1u) % 3u)) & 1023u;
}

uint gstd_ordered_byte(uint making, uint place) {
  return WEFT_GSTD_MAKING[making + (place >> 2)] >> (8u * (place & 3u)) & 255u;
}

// Fills the look-up entries of a code whose ordered bytes are in shared memory. `totals`: bytes of each length.
void gstd_code_fill(Words tables, uint entries_at, uint log, uvec4 totals, bool single) {
  const uint lane = lanes_lane();
  const uint making = gstd_making();
  const uint words = (1u << log) / 2u;
  // Each length's entries, two at a time. A code of a single byte has equal entries.
  uint done = 0u;
  if (single) {
    const uint byte = WEFT_GSTD_MAKING[making] & 255u;
    for (uint w = lane; w < words; w += 32u) tables.at[entries_at + w] = byte << 4 | byte << 20;
    done = words;
  } else {
    uint rank_begin = 0u;
    for (uint length = 1u; length <= log; ++length) {
      const uint shift = log - length;
      const uint bytes = gstd_length_count(totals, length);
      const uint entries = bytes << shift;
      for (uint e = 2u * lane; e < entries; e += 64u) {
        const uint place = rank_begin + (e >> shift);
        const uint word = length | gstd_ordered_byte(making, place) << 4;
        uint other = kGstdLongCode;
        if (e + 1u < entries) other = length | gstd_ordered_byte(making, rank_begin + ((e + 1u) >> shift)) << 4;
        tables.at[entries_at + done + (e >> 1)] = word | other << 16;
      }
      done += (entries + 1u) >> 1;
      rank_begin += bytes;
    }
  }
  for (uint w = done + lane; w < words; w += 32u) tables.at[entries_at + w] = kGstdLongCode | kGstdLongCode << 16;
}

// Builds code number `code`, with a look-up table of `log` bits, from the lengths that were read. Returns false if the
// code is incomplete.
bool gstd_code_build(Words tables, uint code, uint log) {
  const uint lane = lanes_lane();
  const uint ordered_at = kGstdOrderedAt + code * 64u;
  const uint begins_at = kGstdBeginsAt + code * 16u;
  const uint entries_at = kGstdCodesAt + ((code << log) >> 1);
  const uint making = gstd_making();
  const uint lengths = tables.at[kGstdLengthsAt + lane];

  const uvec4 counts = gstd_length_counts(lengths);
  uvec4 through, totals;
  [[unroll]] for (uint w = 0; w < 4u; ++w) {
    through[w] = lanes_inclusive_add(counts[w]);
    totals[w] = lanes_uniform(lanes_broadcast(through[w], 31u));
  }
  const uvec4 before = through - counts;

  uint begin = 0u;
  uint shorter = 0u;
  for (uint length = 1u; length <= WEFT_LOOP_END(kGstdMaxCodeBits); ++length) {
    if (lane == length) {
      tables.at[begins_at + length] = begin | shorter << 12;
      WEFT_GSTD_MAKING[making + 64u + length] = shorter;
    }
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
      uint place = WEFT_GSTD_MAKING[making + 64u + length];
      [[unroll]] for (uint w = 0; w < 4u; ++w) {
        if (length > 3u * w && length <= 3u * w + 3u) {
          const uint shift = 10u * (length - 1u - 3u * w);
          place += rank[w] >> shift & 1023u;
          rank[w] += 1u << shift;
        }
      }
      place = min(place, 255u);
      atomicOr(WEFT_GSTD_MAKING[making + (place >> 2)], (8u * lane + i) << (8u * (place & 3u)));
    }
  }
  lanes_shared_barrier();

  gstd_code_fill(tables, entries_at, log, totals, single);
  tables.at[ordered_at + lane] = WEFT_GSTD_MAKING[making + lane];
  tables.at[ordered_at + lane + 32u] = WEFT_GSTD_MAKING[making + lane + 32u];
  lanes_shared_barrier();
  [[unroll]] for (uint i = 0; i < 4u; ++i) WEFT_GSTD_MAKING[making + lane + 32u * i] = 0u;
  lanes_buffer_barrier();
  return true;
}

// Decodes a lane's next byte by code number `code`. The lane has enough bits.
uint gstd_code_decode(Words tables, uint code, uint log, inout LaneBits bits) {
  const uint next = bits.high >> (32u - kGstdMaxCodeBits);
  const uint at = (code << log) + (next >> (kGstdMaxCodeBits - log));
  const uint entry = tables.at[kGstdCodesAt + (at >> 1)] >> (16u * (at & 1u)) & 0xffffu;
  uint length = entry & 15u;
  uint byte = entry >> 4;
  if (length == kGstdLongCode) {
    const uint begins_at = kGstdBeginsAt + code * 16u;
    // The table has 7 bits or more.
    uint begin = 0u;
    [[unroll]] for (uint l = kGstdCodeLog - 2u; l <= kGstdMaxCodeBits; ++l) {
      const uint longer = tables.at[begins_at + l];
      const bool is_longer = l == log + 1u || (l > log && (longer & 4095u) <= next);
      length = is_longer ? l : length;
      begin = is_longer ? longer : begin;
    }
    const uint place = min((begin >> 12) + ((next - (begin & 4095u)) >> (kGstdMaxCodeBits - length)), 255u);
    byte = tables.at[kGstdOrderedAt + code * 64u + (place >> 2)] >> (8u * (place & 3u)) & 255u;
  }
  lane_bits_take(bits, length);
  return byte;
}

#endif
