// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Third pass of RunLengthDecode. Outputs are numbered from a vector boundary `head` places before the first, and cut where a
// tile of outputs begins and where a tile of runs begins: such a segment has one tile of either kind, and there are no more
// segments than tiles. A workgroup finds its segment by a search in the merged order of both kinds of beginnings, lists the
// segment's runs in shared memory, empty ones left out, and then every lane fills vectors, each with a search in the list.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/run_length_decode_tiles.glsl"

const uint kVectorSymbols = 16u / kSymbolBytes;
const uint kTileOutputs = kWorkgroupSize * kRows * kVectorSymbols;  // at most 2^15
const uint kSymbolWords = kSymbolBytes < 4u ? 1u : kSymbolBytes / 4u;

// A run of the segment: its first output in the segment, and below 16 bits, its place in the tile of runs. Ascending.
shared uint weft_runs[kTileRuns];
shared uint weft_first_run, weft_last_run;  // what part of weft_runs the segment has

uvec2 run_tile_start(uint tile) {
  Words2 prefixes = Words2(push.prefixes);
  const uvec2 start = word64_add_saturated(prefixes.at[tile / push.tiles_per_span], prefixes.at[push.spans + tile]);
  return word64_add_saturated(start, uvec2(push.head, 0u));
}

uvec2 output_tiles_in(uvec2 outputs) { return word64_shift_right(outputs, uint(findMSB(kTileOutputs))); }

// How many beginnings come before that of a tile of runs in the merged order: equal ones of outputs come after it. Outputs' tile 0,
// which begins first, is left out.
uint run_tile_rank(uint tile, uint output_tiles) {
  const uvec2 start = run_tile_start(tile);
  if (start == uvec2(0u)) return tile;
  const uvec2 before = output_tiles_in(word64_subtract(start, uvec2(1u, 0u)));
  return tile + (before.y != 0u ? output_tiles - 1u : min(before.x, output_tiles - 1u));
}

// How many tiles of runs are among the first `rank` of the merged order; every invocation probes one in each step.
uint run_tiles_among(uint rank, uint run_tiles, uint output_tiles) {
  uint low = rank - min(rank, output_tiles - 1u);
  uint high = min(rank, run_tiles);
  // Of 2^31 tiles, 128 invocations leave less than 1 in 5 steps.
  for (uint i = 0u; i < 5u && low < high; ++i) {
    const uint stride = (high - low + kWorkgroupSize - 1u) / kWorkgroupSize;
    const uint probe = low + (run_place() + 1u) * stride - 1u;
    bool among = false;
    if (probe < high) among = run_tile_rank(probe, output_tiles) < rank;
    low += stride * workgroup_reduce(among ? 1u : 0u, i & 1u);
    high = min(high, low + stride - 1u);
  }
  return low;
}

// Lists a run that begins at `start` of the tile's outputs where it reaches into the segment [first, first + symbols) of them.
void run_list(uvec2 run_length, uint run, uvec2 first, uint symbols, inout uvec2 start, inout uint slot) {
  if (run_length == uvec2(0u)) return;
  const uvec2 end = word64_add_saturated(start, run_length);
  const uvec2 stop = word64_add(first, symbols);
  if (word64_less(first, end) && word64_less(start, stop)) {
    const uint place = word64_less(first, start) ? word64_subtract(start, first).x : 0u;
    weft_runs[slot] = (place << 16) | run;
    if (place == 0u) weft_first_run = slot;
    if (!word64_less(end, stop)) weft_last_run = slot;
  }
  start = end;
  ++slot;
}

uint runs_not_empty(RunVector runs) {
  uint n = 0u;
  [[unroll]] for (uint k = 0; k < 4u; ++k) n += run_length(runs, k) == uvec2(0u) ? 0u : 1u;
  return n;
}

// A word of the symbol of the run listed as `entry`; narrow symbols fill it.
uint symbol_word(uvec2 symbols, uint entry, uint word) {
  const uint run = entry & 0xffffu;
  if (kSymbolBytes >= 4u) return Words(symbols).at[run * kSymbolWords + word];
  const uint byte = (symbols.x & 3u) + run * kSymbolBytes;
  const uint bits = Words(uvec2(symbols.x & ~3u, symbols.y)).at[byte >> 2] >> (8u * (byte & 3u));
  return kSymbolBytes == 2u ? (bits & 0xffffu) * 0x00010001u : (bits & 0xffu) * 0x01010101u;
}

// The low bits of word i of a vector that lie before its byte `byte`.
int bits_before(int byte, int i) { return 8 * clamp(byte - 4 * i, 0, 4); }

void main() {
  const uint segment = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uvec2 count = run_count();
  const uint run_tiles = run_tile_count(count);
  Words total = Words(push.total);
  const uvec2 outputs = word64_min(uvec2(total.at[0], total.at[1]), push.max_output);
  if (outputs == uvec2(0u)) return;
  const uvec2 outputs_end = word64_add(outputs, push.head);
  const uint output_tiles = output_tiles_in(word64_add(outputs_end, kTileOutputs - 1u)).x;
  if (segment >= run_tiles + output_tiles - 1u) return;

  const uint tiles_begun = run_tiles_among(segment + 1u, run_tiles, output_tiles);
  const uint run_tile = min(max(tiles_begun, 1u), run_tiles) - 1u;
  const uint output_tile = segment + 1u - tiles_begun;
  const uvec2 run_start = run_tile_start(run_tile);
  const uvec2 tile_start = word64_multiply(output_tile, kTileOutputs);
  const uvec2 begin = word64_max(run_start, tile_start);
  uvec2 end = word64_min(word64_add(tile_start, kTileOutputs), outputs_end);
  if (run_tile + 1u < run_tiles) end = word64_min(end, run_tile_start(run_tile + 1u));
  if (!word64_less(begin, end)) return;

  const uint symbols = word64_subtract(end, begin).x;
  {
    const uvec2 lengths = run_tile_lengths(run_tile);
    const uint present = run_tile_present(count, run_tile);
    LaneRuns runs;
    if (run_tile_is_loadable(lengths, present))
      runs = lane_runs_load(lengths);
    else
      runs = lane_runs_load_present(lengths, present);
    uint listed = runs_not_empty(runs.first);
    if (kRunVectors == 2u) listed += runs_not_empty(runs.second);
    if (gl_LocalInvocationIndex == 0u) weft_first_run = weft_last_run = 0u;

    uvec2 start, unused;
    uint slot;
    workgroup_exclusive_add_saturated(lane_runs_sum(runs), listed, start, slot, unused);
    const uvec2 first = word64_subtract(begin, run_start);
    const uint run = run_place() * kLaneRuns;
    [[unroll]] for (uint k = 0; k < 4u; ++k) run_list(run_length(runs.first, k), run + k, first, symbols, start, slot);
    if (kRunVectors == 2u) {
      [[unroll]] for (uint k = 0; k < 4u; ++k)
        run_list(run_length(runs.second, k), run + 4u + k, first, symbols, start, slot);
    }
    barrier();
  }

  const uint first_run = weft_first_run;
  const uint last_run = weft_last_run;
  const uint widest_step = last_run == first_run ? 0u : 1u << findMSB(last_run - first_run);
  const uvec2 source = word64_add(push.symbols, word64_multiply(run_tile, kTileRuns * kSymbolBytes));
  const uvec2 target = word64_add(word64_subtract(push.outputs, uvec2(push.head * kSymbolBytes, 0u)),
                                  word64_multiply(output_tile, kTileOutputs * kSymbolBytes));
  const uint begin_symbol = word64_subtract(begin, tile_start).x;
  const uint end_symbol = begin_symbol + symbols;

  // From a multiple of 8 vectors on, so that a subgroup's stores fill whole cache lines. At most kRows + 1 rounds.
  for (uint v = ((begin_symbol / kVectorSymbols) & ~7u) + run_place(); v * kVectorSymbols < end_symbol;
       v += kWorkgroupSize) {
    const uint v_begin = v * kVectorSymbols;
    if (v_begin + kVectorSymbols <= begin_symbol) continue;

    // The last run that begins no later than the vector's first symbol of the segment.
    const uint key = (max(v_begin, begin_symbol) - begin_symbol + 1u) << 16;
    uint at = first_run;
    for (uint step = widest_step; step != 0u; step >>= 1)
      if (at + step <= last_run && weft_runs[at + step] < key) at += step;

    uvec4 words;
    uint entry = weft_runs[at];
    uint next = weft_runs[min(at + 1u, last_run)];
    if (kSymbolBytes >= 4u) {
      // Runs in the list are not empty, so that each symbol moves on by one at most.
      [[unroll]] for (uint i = 0; i < 4u; ++i) {
        if (i != 0u && i % kSymbolWords == 0u) {
          const uint place = max(v_begin + i / kSymbolWords, begin_symbol) - begin_symbol;
          if (at < last_run && (next >> 16) <= place) {
            entry = next;
            next = weft_runs[min(++at + 1u, last_run)];
          }
        }
        words[i] = symbol_word(source, entry, i % kSymbolWords);
      }
    } else {
      words = uvec4(symbol_word(source, entry, 0u));
      // From each further run on, all that follows is its symbol.
      for (uint k = 1u; k < kVectorSymbols && at < last_run; ++k) {
        const uint place = (next >> 16) + begin_symbol - v_begin;
        if (place >= kVectorSymbols) break;
        const uint symbol = symbol_word(source, next, 0u);
        [[unroll]] for (int i = 0; i < 4; ++i)
          words[i] = bitfieldInsert(symbol, words[i], 0, bits_before(int(place * kSymbolBytes), i));
        next = weft_runs[min(++at + 1u, last_run)];
      }
    }

    if (v_begin >= begin_symbol && v_begin + kVectorSymbols <= end_symbol && (target.x & 15u) == 0u) {
      Words4(target).at[v] = words;
    } else {
      const int from = (int(begin_symbol) - int(v_begin)) * int(kSymbolBytes);
      const int to = (int(end_symbol) - int(v_begin)) * int(kSymbolBytes);
      [[unroll]] for (int i = 0; i < 4; ++i) {
        const uint mask = bitfieldInsert(0u, ~0u, 0, bits_before(to, i)) & ~bitfieldInsert(0u, ~0u, 0, bits_before(from, i));
        merge_word(Words(target), v * 4u + uint(i), words[i], mask);
      }
    }
  }
}
