// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of Merge in its streaming form: a workgroup walks through a tile in steps. Of each input the next keys
// lie in a circular buffer in shared memory, from which a step takes kStepKeys keys of the merge: each lane cuts and
// merges a few of them, one after the other, and records where they lie. Then all lanes store by these records, and the
// positions of what was taken, no others, are loaded anew. (Hwu, Kirk and El Hajj, Programming Massively Parallel
// Processors, 4th edition, chapter 12.)
#version 460
#extension GL_GOOGLE_include_directive : require
#include "merge/merge_stream.h"
#include "merge/merge_ranges.glsl"
#include "weft/merge_path.glsl"
#include "merge/merge_store.glsl"

const uint kStepKeys = kWorkgroupSize * kStepLaneKeys;

#if WEFT_MERGE_OWN
const uint kStreamKeyWords = WEFT_ITEM_WORDS;
#else
const uint kStreamKeyWords = kKeyWords;
#endif

// Both buffers, A's before B's.
shared uint weft_stream_keys[2u * kStepKeys * kStreamKeyWords];
// Of each key of a step where it lies among the keys that the buffer holds, and whether of B.
shared uint weft_stream_notes[kStepKeys];
shared uint weft_stream_taken_a;

const uint kOfB = 0x80000000u;

// Where the keys that a buffer holds begin, and how many there are.
struct MergeStreamBuffer {
  uint head, count;
};

uint merge_stream_slot(MergeStreamBuffer buffer_of, uint i) {
  const uint position = buffer_of.head + i;
  return position < kStepKeys ? position : position - kStepKeys;
}

MergeKey merge_stream_key(uint slot) {
#if WEFT_MERGE_OWN
  MergeKey key;
  [[unroll]] for (uint w = 0; w < kStreamKeyWords; ++w) key.words[w] = weft_stream_keys[slot * kStreamKeyWords + w];
  return key;
#else
  if (kKeyWords == 1u) return uvec2(weft_stream_keys[slot], 0u);
  return uvec2(weft_stream_keys[2u * slot], weft_stream_keys[2u * slot + 1u]);
#endif
}

void merge_stream_store_key(uint slot, MergeKey key) {
#if WEFT_MERGE_OWN
  [[unroll]] for (uint w = 0; w < kStreamKeyWords; ++w) weft_stream_keys[slot * kStreamKeyWords + w] = key.words[w];
#else
  weft_stream_keys[slot * kKeyWords] = key.x;
  if (kKeyWords == 2u) weft_stream_keys[2u * slot + 1u] = key.y;
#endif
}

// What both buffers hold.
struct MergeStreamStep {
  MergeStreamBuffer a, b;
};

MergeKey merge_stream_key_a(MergeStreamStep step, uint i) { return merge_stream_key(merge_stream_slot(step.a, i)); }
MergeKey merge_stream_key_b(MergeStreamStep step, uint i) {
  return merge_stream_key(kStepKeys + merge_stream_slot(step.b, i));
}

bool merge_path_a_first(MergeStreamStep step, uint a, uint b) {
  return !merge_key_less(merge_stream_key_b(step, b), merge_stream_key_a(step, a));
}

WEFT_MERGE_PATH(MergeStreamStep)

// After what the buffers hold, the next keys at `keys_a` and `keys_b`: as many as there is room for, of `left_a` and
// `left_b`.
void merge_stream_fill(inout MergeStreamStep step, uvec2 keys_a, uvec2 keys_b, uint left_a, uint left_b) {
  const uint load_a = min(left_a, kStepKeys - step.a.count);
  const uint load_b = min(left_b, kStepKeys - step.b.count);
  // Two rounds at first, one for what a step has taken.
  for (uint done = 0u; done < load_a + load_b; done += kStepKeys) {
    MergeKey loaded[kStepLaneKeys];
    [[unroll]] for (uint r = 0; r < kStepLaneKeys; ++r) {
      const uint i = done + r * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane();
      if (i < load_a)
        loaded[r] = merge_key_at(keys_a, i);
      else if (i < load_a + load_b)
        loaded[r] = merge_key_at(keys_b, i - load_a);
    }
    [[unroll]] for (uint r = 0; r < kStepLaneKeys; ++r) {
      const uint i = done + r * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane();
      if (i < load_a)
        merge_stream_store_key(merge_stream_slot(step.a, step.a.count + i), loaded[r]);
      else if (i < load_a + load_b)
        merge_stream_store_key(kStepKeys + merge_stream_slot(step.b, step.b.count + i - load_a), loaded[r]);
    }
  }
  step.a.count += load_a;
  step.b.count += load_b;
}

// Records where the step's keys lie, `keys` of them, and how many are of A: each lane of its neighbouring ones.
void merge_stream_merge(MergeStreamStep step, uint keys) {
  const uint diagonal = min((subgroup_index() * kSubgroupSize + subgroup_lane()) * kStepLaneKeys, keys);
  uint a = merge_path_split(step, diagonal, step.a.count, step.b.count);
  uint b = diagonal - a;
  [[unroll]] for (uint i = 0; i < kStepLaneKeys; ++i) {
    if (diagonal + i >= keys) continue;
    bool from_a = a < step.a.count;
    if (from_a && b < step.b.count) from_a = merge_path_a_first(step, a, b);
    weft_stream_notes[diagonal + i] = from_a ? a : kOfB | b;
    a += from_a ? 1u : 0u;
    b += from_a ? 0u : 1u;
    if (diagonal + i + 1u == keys) weft_stream_taken_a = a;
  }
}

void main() {
  const uint total_a = count_a();
  const uint total = total_a + count_b();
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const uint begin = tile_begin(tile, total);
  const uint keys = tile_begin(tile + 1u, total) - begin;
  Words splits = Words(push.splits);
  // Of ranges that are not sorted, cuts may fall. Each step takes what the buffers hold, whatever that is.
  uint next_a = subgroup_uniform(splits.at[tile]);
  uint next_b = begin - next_a;
  uint left_a = clamp(subgroup_uniform(splits.at[tile + 1u]), next_a, next_a + keys) - next_a;
  uint left_b = keys - left_a;

  MergeStreamStep step = MergeStreamStep(MergeStreamBuffer(0u, 0u), MergeStreamBuffer(0u, 0u));
  // At most kMergeKeys / kStepLaneKeys steps.
  for (uint done = 0u; done < keys; done += kStepKeys) {
    const uint step_keys = min(keys - done, kStepKeys);
    merge_stream_fill(step, merge_key_address(push.keys_a, next_a + step.a.count),
                      merge_key_address(push.keys_b, next_b + step.b.count), left_a - step.a.count,
                      left_b - step.b.count);
    barrier();
    merge_stream_merge(step, step_keys);
    barrier();

    const uint first = begin + done;
    [[unroll]] for (uint r = 0; r < kStepLaneKeys; ++r) {
      const uint i = r * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane();
      const uint note = weft_stream_notes[min(i, step_keys - 1u)];
      const bool of_a = note < kOfB;
      const uint position = note & ~kOfB;
      if (kWritesKeys) {
        MergeKey key;
        if (of_a)
          key = merge_stream_key_a(step, position);
        else
          key = merge_stream_key_b(step, position);
        store_key(merge_key_address(push.keys_out, first), i, step_keys, key);
      }
      if (kWritesIndices) {
        if (i < step_keys)
          Words(word64_add(push.indices_out, word64_multiply(first, 4u))).at[i] =
              of_a ? next_a + position : total_a + next_b + position;
      }
      if (kValueBytes != 0u)
        move_value(value_address(of_a ? push.values_a : push.values_b, of_a ? next_a : next_b), position,
                   value_address(push.values_out, first), i, step_keys);
    }

    const uint taken_a = subgroup_uniform(weft_stream_taken_a);
    const uint taken_b = step_keys - taken_a;
    step = MergeStreamStep(MergeStreamBuffer(merge_stream_slot(step.a, taken_a), step.a.count - taken_a),
                           MergeStreamBuffer(merge_stream_slot(step.b, taken_b), step.b.count - taken_b));
    next_a += taken_a;
    next_b += taken_b;
    left_a -= taken_a;
    left_b -= taken_b;
    barrier();
  }
}
