// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Third pass of RunLengthDecode: a workgroup fills a segment. The first as many workgroups as there are tiles of runs have their first
// segments; those after them have the extra ones, and search for the tile of theirs.
//
// The workgroup lists the symbols of the segment's runs in shared memory, empty runs left out, and marks in a bit for each output
// where a run begins. How many bits are set up to an output then says where in the list its symbol is. Outputs have places that
// count from the whole line of vectors in which the segment begins.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/run_length_decode_tiles.glsl"

const uint kLine = 8u * kVectorSymbols;
const uint kSymbolWords = kSymbolBytes < 4u ? 1u : kSymbolBytes / 4u;
const bool kListsSymbols = kSymbolBytes <= 4u;  // or else their places in the tile

// Words of bits that a lane counts, and all of them.
const uint kLaneWords = ((kSegment + kLine + 31u) / 32u + kWorkgroupSize - 1u) / kWorkgroupSize;
const uint kWords = kWorkgroupSize * kLaneWords;

shared uint weft_begins[kWords];
shared uint weft_begins_before[kWords];  // how many are set in the words before
shared uint weft_list[kTileRuns];
shared uvec2 weft_run_sums[kSubgroupCount];

// ---- which segment ----

RunsBefore run_tile_before(uint tile) {
  return runs_before_add(runs_before_load(tile >> push.span_shift), runs_before_load(runs_before_of(tile)));
}

// As all lanes have it alike.
RunsBefore runs_before_uniform(RunsBefore before) {
  return RunsBefore(subgroup_uniform(before.outputs), subgroup_uniform(before.extra));
}

shared uint weft_tile_found;

// The last tile with `extra` or fewer extra segments before it; every invocation probes one in each step. (Without subgroup
// operations: drivers would take more care in all others for the sake of those in this loop.)
uint run_tile_of_extra(uint extra, uint run_tiles) {
  uint low = 0u;
  uint high = run_tiles;
  // Of 2^31 tiles, 128 invocations leave one in 5 steps.
  for (uint i = 0u; i < 5u && high - low > 1u; ++i) {
    if (gl_LocalInvocationIndex == 0u) weft_tile_found = low;
    barrier();
    const uint stride = (high - low + kWorkgroupSize - 1u) / kWorkgroupSize;
    const uint probe = low + (run_place() + 1u) * stride;
    if (probe < high && run_tile_before(probe).extra <= extra) atomicMax(weft_tile_found, probe);
    barrier();
    low = weft_tile_found;
    high = min(high, low + stride);
    barrier();
  }
  return low;
}

// ---- its runs ----

// The sums over the invocations before this one, and of all. A kernel calls it once. Holds one barrier.
uvec2 workgroup_exclusive_add(uvec2 v, out uvec2 total) {
  const uvec2 inclusive = uvec2(subgroup_inclusive_add(v.x), subgroup_inclusive_add(v.y));
  if (subgroup_lane() == kSubgroupSize - 1u) weft_run_sums[subgroup_index()] = inclusive;
  barrier();
  uvec2 before = inclusive - v;
  total = uvec2(0u);
  for (uint i = 0u; i < kSubgroupCount; ++i) {
    const uvec2 sum = weft_run_sums[i];
    before += mix(uvec2(0u), sum, bvec2(i < subgroup_index()));
    total += sum;
  }
  return before;
}

// The outputs of the tile's lanes before this one. Uses the list's memory.
uvec2 run_tile_outputs_before(uvec2 own) {
  const uint place = run_place();
  uvec2 before = uvec2(0u);
  for (uint delta = 1u; delta < 2u * kWorkgroupSize; delta <<= 1) {
    weft_list[place] = own.x;
    weft_list[kWorkgroupSize + place] = own.y;
    barrier();
    // Shifted by one at last.
    const uint back = delta < kWorkgroupSize ? delta : 1u;
    before = uvec2(0u);
    if (place >= back) before = uvec2(weft_list[place - back], weft_list[kWorkgroupSize + place - back]);
    own = word64_add_saturated(before, own);
    barrier();
  }
  return before;
}

// How many of the outputs before `place` lie in the segment that begins at `first`.
uint outputs_in_segment(uvec2 place, uvec2 first) {
  if (word64_less(place, first)) return 0u;
  const uvec2 inside = word64_subtract(place, first);
  return inside.y != 0u ? kSegment : min(inside.x, kSegment);
}

// The lengths of 4 runs as far as they lie in the segment that begins at `first`; `start` moves on over all of them.
uvec4 lengths_in_segment(RunVector runs, uvec2 first, inout uvec2 start) {
  uvec4 lengths;
  uint begin = outputs_in_segment(start, first);
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    start = word64_add_saturated(start, run_length(runs, k));
    const uint end = outputs_in_segment(start, first);
    lengths[k] = end - begin;
    begin = end;
  }
  return lengths;
}

// The same in a tile's first segment, or more where the segment is full without it.
uvec4 lengths_in_first_segment(RunVector runs) {
  return mix(min(runs.low, uvec4(kSegment)), uvec4(kSegment), notEqual(runs.high, uvec4(0u)));
}

uint lengths_sum(uvec4 lengths) { return lengths.x + lengths.y + lengths.z + lengths.w; }
uint lengths_not_empty(uvec4 lengths) { return lengths_sum(min(lengths, uvec4(1u))); }

// What is listed of runs run to run + 3. Runs from `present` on are empty, and not read.
uvec4 run_vector_symbols(uvec2 symbols, uint run, uint present) {
  if (!kListsSymbols) return uvec4(run) + uvec4(0u, 1u, 2u, 3u);
  if (kSymbolBytes == 4u && present == kTileRuns && (symbols.x & 15u) == 0u) return Words4(symbols).at[run / 4u];
  Words source = Words(uvec2(symbols.x & ~3u, symbols.y));
  uvec4 listed = uvec4(0u);
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    const uint byte = (symbols.x & 3u) + (run + k) * kSymbolBytes;
    if (run + k < present) listed[k] = source.at[byte >> 2] >> (8u * (byte & 3u));
  }
  // Narrow symbols fill their word.
  if (kSymbolBytes == 2u) listed = (listed & 0xffffu) * 0x00010001u;
  if (kSymbolBytes == 1u) listed = (listed & 0xffu) * 0x01010101u;
  return listed;
}

// Lists and marks the runs of a vector that begin before output `end` of the segment. `shift`: the place of output 0.
void runs_list(uvec4 lengths, uvec4 symbols, uint shift, uint end, inout uvec2 start) {
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    if (lengths[k] != 0u && start.x < end) {
      const uint place = shift + start.x;
      atomicOr(weft_begins[place >> 5], 1u << (place & 31u));
      weft_list[start.y] = symbols[k];
    }
    start += uvec2(lengths[k], min(lengths[k], 1u));
  }
}

shared uint weft_subgroup_begins[kSubgroupCount];

// Counts the bits in front of each word, after a barrier; a barrier follows.
void begins_count() {
  const uint first = run_place() * kLaneWords;
  uint own = 0u;
  [[unroll]] for (uint i = 0; i < kLaneWords; ++i) own += uint(bitCount(weft_begins[first + i]));
  const uint inclusive = subgroup_inclusive_add(own);
  if (subgroup_lane() == kSubgroupSize - 1u) weft_subgroup_begins[subgroup_index()] = inclusive;
  barrier();
  uint before = inclusive - own;
  for (uint i = 0u; i < kSubgroupCount; ++i) before += mix(0u, weft_subgroup_begins[i], i < subgroup_index());
  [[unroll]] for (uint i = 0; i < kLaneWords; ++i) {
    weft_begins_before[first + i] = before;
    before += uint(bitCount(weft_begins[first + i]));
  }
}

// ---- its outputs ----

// A word of the symbol that the list has at `at`. `symbols`: those of the tile.
uint symbol_word(uvec2 symbols, uint at, uint word) {
  const uint listed = weft_list[at];
  return kListsSymbols ? listed : Words(symbols).at[listed * kSymbolWords + word];
}

// The low bits of word i of a vector that lie before its byte `byte`.
int bits_before(int byte, int i) { return 8 * clamp(byte - 4 * i, 0, 4); }

// Vector v. `edge`: it may have places before the segment, which get its first symbol.
uvec4 vector_of_symbols(uvec2 symbols, uint v, bool edge) {
  const uint word = v * kVectorSymbols / 32u;
  const uint bit = v * kVectorSymbols & 31u;
  const uint begins = weft_begins[word];
  uint at = weft_begins_before[word] + uint(bitCount(begins & ((2u << bit) - 1u)));
  uint rest = (begins >> bit) & ((1u << kVectorSymbols) - 1u) & ~1u;
  if (edge && at == 0u) {
    at = 1u;
    rest &= rest - 1u;
  }
  --at;
  uvec4 words;
  if (kSymbolBytes >= 4u) {
    [[unroll]] for (uint i = 0; i < 4u; ++i) {
      if (i % kSymbolWords == 0u) at += (rest >> (i / kSymbolWords)) & 1u;
      words[i] = symbol_word(symbols, at, i % kSymbolWords);
    }
  } else {
    words = uvec4(symbol_word(symbols, at, 0u));
    // From each further run on, all that follows is its symbol.
    [[dont_unroll]] for (; rest != 0u; rest &= rest - 1u) {
      const int byte = findLSB(rest) * int(kSymbolBytes);
      const uint symbol = symbol_word(symbols, ++at, 0u);
      [[unroll]] for (int i = 0; i < 4; ++i) words[i] = bitfieldInsert(symbol, words[i], 0, bits_before(byte, i));
    }
  }
  return words;
}

// Stores those bytes of vector v of the segment that lie in it.
void store_edge(uvec2 target, uvec2 symbols, uint v, uint shift, uint stop) {
  const uvec4 words = vector_of_symbols(symbols, v, true);
  const int from = (int(shift) - int(v * kVectorSymbols)) * int(kSymbolBytes);
  const int to = (int(stop) - int(v * kVectorSymbols)) * int(kSymbolBytes);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    const uint mask = bitfieldInsert(0u, ~0u, 0, bits_before(to, i)) & ~bitfieldInsert(0u, ~0u, 0, bits_before(from, i));
    merge_word(Words(target), v * 4u + uint(i), words[i], mask);
  }
}

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uvec2 count = run_count();
  const uint run_tiles = run_tile_count(count);
  const bool is_extra = group >= run_tiles;
  uint tile = group;
  if (is_extra) {
    const uint extra = subgroup_uniform(runs_before_load(runs_before_of_all()).extra);
    if (group - run_tiles >= extra) return;
    tile = subgroup_uniform(run_tile_of_extra(group - run_tiles, run_tiles));
  }

  // All loads first.
  const uvec2 lengths = run_tile_lengths(tile);
  const uvec2 symbols = word64_add(push.symbols, word64_multiply(tile, kTileRuns * kSymbolBytes));
  const uint present = run_tile_present(count, tile);
  const uint run = run_place() * kLaneRuns;
  LaneRuns runs;
  if (run_tile_is_loadable(lengths, present))
    runs = lane_runs_load(lengths);
  else
    runs = lane_runs_load_present(lengths, present);
  const uvec4 symbols_0 = run_vector_symbols(symbols, run, present);
  uvec4 symbols_1 = uvec4(0u);
  if (kRunVectors == 2u) symbols_1 = run_vector_symbols(symbols, run + 4u, present);
  const RunsBefore before = runs_before_uniform(run_tile_before(tile));
  const uvec2 outputs = word64_min(subgroup_uniform(runs_before_load(runs_before_of_all()).outputs), push.max_output);
  [[unroll]] for (uint i = 0; i < kLaneWords; ++i) weft_begins[run_place() * kLaneWords + i] = 0u;

  // Places of outputs in the tile, then in the segment.
  uvec4 lengths_0, lengths_1 = uvec4(0u);
  uvec2 begin = before.outputs;
  if (is_extra) {
    const uvec2 first = word64_multiply(group - run_tiles - before.extra + 1u, kSegment);
    begin = word64_add_saturated(begin, first);
    uvec2 start = run_tile_outputs_before(lane_runs_sum(runs));
    lengths_0 = lengths_in_segment(runs.first, first, start);
    if (kRunVectors == 2u) lengths_1 = lengths_in_segment(runs.second, first, start);
  } else {
    lengths_0 = lengths_in_first_segment(runs.first);
    if (kRunVectors == 2u) lengths_1 = lengths_in_first_segment(runs.second);
  }
  if (!word64_less(begin, outputs)) return;

  uvec2 total;
  uvec2 start = workgroup_exclusive_add(
      uvec2(lengths_sum(lengths_0) + lengths_sum(lengths_1), lengths_not_empty(lengths_0) + lengths_not_empty(lengths_1)),
      total);
  const uvec2 room = word64_subtract(outputs, begin);
  const uint end = subgroup_uniform(min(min(total.x, kSegment), room.y != 0u ? kSegment : room.x));
  if (end == 0u) return;
  const uvec2 from_boundary = word64_add(begin, push.head);
  const uint shift = from_boundary.x & (kLine - 1u);
  runs_list(lengths_0, symbols_0, shift, end, start);
  if (kRunVectors == 2u) runs_list(lengths_1, symbols_1, shift, end, start);
  barrier();
  begins_count();
  barrier();

  const uvec2 base = word64_subtract(push.outputs, uvec2(push.head * kSymbolBytes, 0u));
  const uvec2 target = word64_add(base, word64_times(word64_subtract(from_boundary, uvec2(shift, 0u)), kSymbolBytes));
  const uint stop = shift + end;
  const uint first_whole = (shift + kVectorSymbols - 1u) / kVectorSymbols;
  const uint end_whole = stop / kVectorSymbols;
  // At most kRows + 1 rounds. Symbols of less than 8 bytes lie on their boundaries, and so do vectors, thanks to push.head.
  for (uint v = run_place(); v < end_whole; v += kWorkgroupSize) {
    const uvec4 words = vector_of_symbols(symbols, v, false);
    if (v < first_whole) continue;
    if (kSymbolBytes < 8u || (target.x & 15u) == 0u) {
      Words4(target).at[v] = words;
    } else {
      [[unroll]] for (uint i = 0; i < 4u; ++i) Words(target).at[v * 4u + i] = words[i];
    }
  }
  // The first vector and the last, where the segment has a part of them; they may be one.
  const bool begins_inside = (shift & (kVectorSymbols - 1u)) != 0u;
  const bool ends_inside = (stop & (kVectorSymbols - 1u)) != 0u;
  if (run_place() == 0u && begins_inside) store_edge(target, symbols, first_whole - 1u, shift, stop);
  if (run_place() == 1u && ends_inside && !(begins_inside && end_whole < first_whole))
    store_edge(target, symbols, end_whole, shift, stop);
}
