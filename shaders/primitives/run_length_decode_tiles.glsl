// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tiles of runs, as the kernels of RunLengthDecode share them: a lane owns neighbouring runs, a tile is a workgroup's. Lengths and
// their sums are pairs of words; sums stop at 2^64 - 1.
#ifndef WEFT_RUN_LENGTH_DECODE_TILES_GLSL
#define WEFT_RUN_LENGTH_DECODE_TILES_GLSL

#define WEFT_OP 0  // add
#include "weft/tile.glsl"
#include "weft/workgroup_scan.glsl"
#include "primitives/run_length_decode.h"

// The workgroup's size, and constant 3, the rows of vectors in a tile of outputs, are powers of two here.
layout(constant_id = 2) const uint kSymbolBytes = 4;  // 1, 2, 4, 8 or 16
layout(constant_id = 4) const uint kLengthWords = 1;  // 1 or 2
layout(constant_id = 5) const uint kRunVectors = 1;   // of 4 runs a lane owns: 1 or 2

layout(push_constant, std430) uniform Push { RunLengthDecodePush push; };

const uint kLaneRuns = 4u * kRunVectors;
const uint kTileRuns = kWorkgroupSize * kLaneRuns;

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

// ---- sums over lanes; called by all invocations, in workgroup-uniform control flow ----

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

uvec2 subgroup_inclusive_add_saturated(uvec2 v) {
  [[unroll]] for (uint delta = 1u; delta < kSubgroupSize; delta <<= 1) {
    const uvec2 earlier = subgroup_shuffle_up(v, delta);
    if (subgroup_lane() >= delta) v = word64_add_saturated(earlier, v);
  }
  return v;
}

shared uvec2 weft_run_sums[kSubgroupCount];
shared uint weft_run_counts[kSubgroupCount];

// The sums over the invocations before this one, of a pair of words and of a small number, and the pairs' total. Holds one barrier;
// a kernel calls it once.
void workgroup_exclusive_add_saturated(uvec2 v, uint n, out uvec2 v_before, out uint n_before, out uvec2 v_total) {
  const uvec2 v_inclusive = subgroup_inclusive_add_saturated(v);
  const uint n_inclusive = subgroup_inclusive_add(n);
  const uvec2 v_shifted = subgroup_shuffle_up(v_inclusive, 1u);
  if (subgroup_lane() == kSubgroupSize - 1u) {
    weft_run_sums[subgroup_index()] = v_inclusive;
    weft_run_counts[subgroup_index()] = n_inclusive;
  }
  barrier();
  v_before = uvec2(0u);
  n_before = 0u;
  v_total = uvec2(0u);
  for (uint i = 0u; i < kSubgroupCount; ++i) {
    if (i == subgroup_index()) v_before = v_total;
    if (i < subgroup_index()) n_before += weft_run_counts[i];
    v_total = word64_add_saturated(v_total, weft_run_sums[i]);
  }
  if (subgroup_lane() != 0u) v_before = word64_add_saturated(v_before, v_shifted);
  n_before += n_inclusive - n;
}

#endif
