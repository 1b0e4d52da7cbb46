// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tiles of runs, as the kernels of RunLengthDecode share them: a lane owns neighbouring runs, a tile is a workgroup's. Lengths and
// their sums are pairs of words; sums stop at 2^64 - 1.
//
// The outputs of a tile are cut, from its first on, into segments of kSegment outputs. Every tile has one segment, if of nothing; those
// that follow it, of tiles with more outputs, are its extra ones.
#ifndef WEFT_RUN_LENGTH_DECODE_TILES_GLSL
#define WEFT_RUN_LENGTH_DECODE_TILES_GLSL

#define WEFT_OP 0  // add
#include "weft/tile.glsl"
#include "weft/workgroup_scan.glsl"
#include "primitives/run_length_decode.h"

// The workgroup's size and kRows are powers of two here.
layout(constant_id = 2) const uint kSymbolBytes = 4;  // 1, 2, 4, 8 or 16
layout(constant_id = 4) const uint kLengthWords = 1;  // 1 or 2
layout(constant_id = 5) const uint kRunVectors = 1;   // of 4 runs a lane owns: 1 or 2

layout(push_constant, std430) uniform Push { RunLengthDecodePush push; };

const uint kLaneRuns = 4u * kRunVectors;
const uint kTileRuns = kWorkgroupSize * kLaneRuns;
const uint kVectorSymbols = 16u / kSymbolBytes;
const uint kSegment = kWorkgroupSize * kRows * kVectorSymbols;  // at most 2^15

// ---- what lies before spans and tiles ----

struct RunsBefore {
  uvec2 outputs;
  uint extra;  // segments, at most kMostExtra
};
const uint kMostExtra = 0x7fffffffu;

RunsBefore runs_before_add(RunsBefore a, RunsBefore b) {
  return RunsBefore(word64_add_saturated(a.outputs, b.outputs), min(a.extra + b.extra, kMostExtra));
}

// What a tile adds to them.
RunsBefore runs_before_of_tile(uvec2 outputs) {
  const uvec2 last = word64_subtract(outputs, uvec2(1u, 0u));
  const uvec2 extra = word64_shift_right(last, uint(findMSB(kSegment)));
  const bool none = outputs == uvec2(0u);
  return RunsBefore(outputs, none ? 0u : extra.y != 0u ? kMostExtra : min(extra.x, kMostExtra));
}

// Of `before` in scratch: first the spans', then what lies before the end, then the tiles', each counted in its span.
RunsBefore runs_before_load(uint at) {
  const uvec4 words = Words4(push.before).at[at];
  return RunsBefore(words.xy, words.z);
}
void runs_before_store(uint at, RunsBefore before) { Words4(push.before).at[at] = uvec4(before.outputs, before.extra, 0u); }

uint runs_before_of_all() { return push.spans; }
uint runs_before_of(uint tile) { return push.spans + 1u + tile; }

uvec2 run_count() { return count_of(push.count, push.count_words, push.count_value); }

uint run_tile_count(uvec2 count) {
  return word64_shift_right(word64_add(count, kTileRuns - 1u), uint(findMSB(kTileRuns))).x;
}

// The runs of a tile that are there.
uint run_tile_present(uvec2 count, uint tile) {
  const uvec2 left = word64_subtract(count, word64_multiply(tile, kTileRuns));
  return left.y != 0u ? kTileRuns : min(left.x, kTileRuns);
}

uvec2 run_tile_lengths(uint tile) {
  return word64_add(push.lengths, word64_multiply(tile, kTileRuns * kLengthWords * 4u));
}

// ---- lengths of 4 neighbouring runs ----

struct RunVector {
  uvec4 low, high;
};

uvec2 run_length(RunVector runs, uint k) { return uvec2(runs.low[k], kLengthWords == 2u ? runs.high[k] : 0u); }

// Only where they lie on a boundary of 16 bytes.
RunVector run_vector_load(uvec2 lengths, uint first) {
  Words4 source = Words4(lengths);
  if (kLengthWords == 1u) return RunVector(source.at[first / 4u], uvec4(0u));
  const uvec4 a = source.at[first / 2u];
  const uvec4 b = source.at[first / 2u + 1u];
  return RunVector(uvec4(a.xz, b.xz), uvec4(a.yw, b.yw));
}

// Lengths of runs from `present` on are 0.
RunVector run_vector_load_present(uvec2 lengths, uint first, uint present) {
  Words source = Words(lengths);
  RunVector runs = RunVector(uvec4(0u), uvec4(0u));
  [[unroll]] for (uint k = 0; k < 4u; ++k) {
    if (first + k >= present) continue;
    runs.low[k] = source.at[(first + k) * kLengthWords];
    if (kLengthWords == 2u) runs.high[k] = source.at[(first + k) * kLengthWords + 1u];
  }
  return runs;
}

// Whether run_vector_load() may load a tile's.
bool run_tile_is_loadable(uvec2 lengths, uint present) { return present == kTileRuns && (lengths.x & 15u) == 0u; }

// A lane's runs; the second vector only where it owns two.
struct LaneRuns {
  RunVector first, second;
};

uint run_place() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

LaneRuns lane_runs_load(uvec2 lengths) {
  LaneRuns runs;
  runs.first = run_vector_load(lengths, run_place() * kLaneRuns);
  if (kRunVectors == 2u) runs.second = run_vector_load(lengths, run_place() * kLaneRuns + 4u);
  return runs;
}

LaneRuns lane_runs_load_present(uvec2 lengths, uint present) {
  LaneRuns runs;
  runs.first = run_vector_load_present(lengths, run_place() * kLaneRuns, present);
  if (kRunVectors == 2u) runs.second = run_vector_load_present(lengths, run_place() * kLaneRuns + 4u, present);
  return runs;
}

uvec2 run_vector_sum(RunVector runs, uvec2 sum) {
  [[unroll]] for (uint k = 0; k < 4u; ++k) sum = word64_add_saturated(sum, run_length(runs, k));
  return sum;
}

uvec2 lane_runs_sum(LaneRuns runs) {
  uvec2 sum = run_vector_sum(runs.first, uvec2(0u));
  if (kRunVectors == 2u) sum = run_vector_sum(runs.second, sum);
  return sum;
}

// The sum over a subgroup, on all of its lanes. In parts of 24 bits, which 128 lanes do not overflow.
uvec2 subgroup_add_saturated(uvec2 v) {
  const uint low = subgroup_add(v.x & 0xffffffu);
  const uint middle = subgroup_add((v.x >> 24) | ((v.y & 0xffffu) << 8)) + (low >> 24);
  // A lane's few lengths of 32 bits end below 2^48.
  uint high = middle >> 24;
  if (kLengthWords == 2u) high += subgroup_add(v.y >> 16);
  if (high > 0xffffu) return uvec2(~0u);
  return uvec2((low & 0xffffffu) | (middle << 24), ((middle >> 8) & 0xffffu) | (high << 16));
}

#endif
