// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Load-balancing search inside a shader: sources have counts of outputs, which lie one after the other, and whoever
// has an output asks for the source that it is of, and for its rank among that source's. So work of uneven size is
// spread evenly, a lane an output. Counts may be 0. What is asked of outputs that are not there is answered by any
// source and rank.
//
// For a group of 32 lanes, each of which brings a source, there is
//   lanes_balance()               one call for up to 32 outputs, from the sums of the counts before each lane's
// and for a workgroup, each invocation of which brings a source, in steps,
//   workgroup_balance()           from counts
//   workgroup_balance_outputs()   for as many outputs at a time as WEFT_LOAD_BALANCE_OUTPUTS says, of any number
//   workgroup_balance_source()    any invocation, any of these outputs
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow, but for workgroup_balance_source(),
// in which nothing crosses lanes. Sources are in the order of lanes_lane(), or of subgroups laid end to end.
//
// For the workgroup's functions the includer defines WEFT_LOAD_BALANCE_OUTPUTS, a constant multiple of 32. They keep 2
// words for each invocation and 2 for every 32 outputs in shared memory, as weft/marks.glsl, which then is theirs.
#ifndef WEFT_LOAD_BALANCE_GLSL
#define WEFT_LOAD_BALANCE_GLSL

#include "weft/lanes.glsl"

// The lane whose source `output` is of, and in `rank` its rank there. `begin`: the sum of the counts of the lanes
// before this one (lanes_exclusive_add()). Every lane may ask for another output. Five steps of a search, without
// branches; below 32 lanes a subgroup two barriers.
uint lanes_balance(uint begin, uint output_position, out uint rank) {
  // The last lane that begins at or before the output: of several that do at one position, only the last may have any.
  uint source = 0u;
  uint source_begin = 0u;
  if (kSubgroupSize >= 32u) {
    [[unroll]] for (uint step = 16; step != 0u; step >>= 1) {
      const uint other_begin = lanes_shuffle(begin, source + step);
      source += other_begin <= output_position ? step : 0u;
      source_begin = other_begin <= output_position ? other_begin : source_begin;
    }
  } else {
    weft_lanes_words[lanes_position()] = begin;
    barrier();
    [[unroll]] for (uint step = 16; step != 0u; step >>= 1) {
      const uint other_begin = weft_lanes_words[(lanes_position() & ~31u) + source + step];
      source += other_begin <= output_position ? step : 0u;
      source_begin = other_begin <= output_position ? other_begin : source_begin;
    }
    barrier();
  }
  rank = output_position - source_begin;
  return source;
}

#ifdef WEFT_LOAD_BALANCE_OUTPUTS

const uint kMarkPlaces = WEFT_LOAD_BALANCE_OUTPUTS;
#include "weft/marks.glsl"

// Of sources that have outputs, one after the other: which they are, and where they begin.
shared uint weft_balance_sources[kWorkgroupSize];
shared uint weft_balance_begins[kWorkgroupSize];
shared uvec2 weft_balance_sums[kSubgroupCount];
shared uint weft_balance_first;  // of those, the one that the first output asked for is of

struct LoadBalance {
  uint total;   // outputs of all sources
  uint begin;   // outputs of the sources before this invocation's
  uint count;   // its own
  uint listed;  // sources before it that have outputs
  uint first;   // output of those asked for
};

// `count`: outputs of this invocation's source. All together are below 2^32. Holds two barriers, so that the next call
// may follow without one of the caller's.
LoadBalance workgroup_balance(uint count) {
  const uint position = lanes_position();
  const uvec2 own = uvec2(count, min(count, 1u));
  const uvec2 inclusive = uvec2(subgroup_inclusive_add(own.x), subgroup_inclusive_add(own.y));
  // Of a call before, which may have had no outputs, all have read.
  barrier();
  if (subgroup_lane() == kSubgroupSize - 1u) weft_balance_sums[subgroup_index()] = inclusive;
  barrier();
  uvec2 before = inclusive - own;
  uint total = 0u;
  for (uint i = 0u; i < kSubgroupCount; ++i) {
    const uvec2 sum = weft_balance_sums[i];
    before += mix(uvec2(0u), sum, bvec2(i < subgroup_index()));
    total += sum.x;
  }
  if (count != 0u) {
    weft_balance_sources[before.y] = position;
    weft_balance_begins[before.y] = before.x;
  }
  return LoadBalance(total, before.x, count, before.y, 0u);
}

// Makes ready for outputs `first` to first + WEFT_LOAD_BALANCE_OUTPUTS - 1; `first` is below
// balance.total. May be called any number of times, without a barrier of the caller's between what it asks
// and the next call. Holds five barriers.
void workgroup_balance_outputs(inout LoadBalance balance, uint first) {
  balance.first = first;
  barrier();
  marks_clear();
  barrier();
  const uint distance = balance.begin - first;
  if (balance.begin > first && distance < kMarkPlaces && balance.count != 0u) marks_set(distance);
  if (balance.begin <= first && first - balance.begin < balance.count) weft_balance_first = balance.listed;
  barrier();
  workgroup_marks_count();
}

// The position of the invocation whose source `output_place` is of, and in `rank` its rank there. The output is one of
// those made ready for.
uint workgroup_balance_source(LoadBalance balance, uint output_position, out uint rank) {
  const uint position = min(output_position - balance.first, kMarkPlaces - 1u);
  const uint listed = weft_balance_first + marks_before(position) + (marks_at(position) ? 1u : 0u);
  const uint at = min(listed, kWorkgroupSize - 1u);
  rank = output_position - weft_balance_begins[at];
  return weft_balance_sources[at];
}

#endif
#endif
