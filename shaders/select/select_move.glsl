// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What Select and Partition do with a tile once the counts of all before it are known.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_SELECT_MOVE_GLSL
#define WEFT_SELECT_MOVE_GLSL

#include "select/select_direct.glsl"
#include "select/select_staged.glsl"

// How many items of the whole range went to each partition before some position.
struct SelectTargets {
  uvec2 first, second, third;
};

// From the counts of the chunk's tiles before this one.
SelectTargets select_targets(TileRange range, SelectTile tile, Accumulator prefix) {
  SelectTargets targets;
  select_carried(targets.first, targets.second);
  targets.first = word64_add(targets.first, first_count(prefix));
  targets.second = word64_add(targets.second, second_count(prefix));
  targets.third = uvec2(0u);
  if (kSplits) {
    const uvec2 before = word64_add(select_first_position(range, tile), tile.present.x);
    targets.third = word64_subtract(word64_subtract(before, targets.first), targets.second);
  }
  return targets;
}

// ---- through shared memory ----

void select_flush_output(uvec2 first_position, bool values, uvec2 out_address, uvec2 index_address, uvec2 before,
                         uint begin, uint count, uint from) {
  // The part of [begin, begin + count) that is in the round.
  const uint lower = max(begin, from);
  const uint upper = min(begin + count, from + stage_entries(values));
  if (lower >= upper) return;
  const uvec2 at = word64_add(before, lower - begin);
  if (values) {
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
    select_flush_values(word64_add(out_address, word64_times(at, WEFT_ITEM_BYTES)), lower - from, upper - lower);
#endif
  } else {
    if (kIndexWords != 0u)
      select_flush_indices(word64_add(index_address, word64_times(at, kIndexWords * 4u)), lower - from, upper - lower,
                           first_position);
    // Of one partition, gathered items go to the second output where tested ones go to the first.
    const uvec2 target = kMovesTested ? push.out_1 : out_address;
    if (kGathers)
      select_flush_gathered(word64_add(target, word64_times(at, kMovedBytes)), lower - from, upper - lower,
                            word64_add(push.moved, word64_times(first_position, kMovedBytes)));
  }
}

#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
void select_move_row(SelectTile tile, uvec2 first_position, SelectMasks masks, SelectRanks ranks, uint row_index,
                     uint words[WEFT_VECTOR_INPUT_WORDS], inout SelectTargets targets) {
#else
void select_move_row(SelectTile tile, uvec2 first_position, SelectMasks masks, SelectRanks ranks, uint row_index,
                     inout SelectTargets targets) {
#endif
  const SelectRow row = select_row_of(tile, ranks, row_index);
  const uint staged = row.first + row.second + row.third;
  [[unroll]] for (uint pass = 0u; pass < 2u; ++pass) {
    const bool values = pass == 0u;
    if (values ? !kMovesTested : !kPlaces) continue;
    for (uint from = 0u; from < kRowItems; from += stage_entries(values)) {
#if !WEFT_SUBGROUP_EMULATED
      if (from >= staged) break;
#endif
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
      select_stage(tile, masks, ranks, row, values, from, words);
#else
      select_stage(tile, masks, ranks, row, values, from);
#endif
      subgroup_shared_barrier();
      select_flush_output(first_position, values, push.out_0, push.indices_0, targets.first, 0u, row.first, from);
      if (kThreePartitions)
        select_flush_output(first_position, values, push.out_1, push.indices_1, targets.second, row.first, row.second,
                            from);
      if (kSplits)
        select_flush_output(first_position, values, kThreePartitions ? push.out_2 : push.out_1,
                          kThreePartitions ? push.indices_2 : push.indices_1, targets.third, row.first + row.second,
                          row.third, from);
      subgroup_shared_barrier();
    }
  }
  targets.first = word64_add(targets.first, row.first);
  if (kThreePartitions) targets.second = word64_add(targets.second, row.second);
  if (kSplits) targets.third = word64_add(targets.third, row.third);
}

void select_move_staged(SelectTile tile, uvec2 first_position, SelectWords words, inout SelectTargets targets) {
  const SelectMasks masks = select_masks(tile, words);
  const SelectRanks ranks = select_ranks(masks);
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  if (tile.fast) {
#define WEFT_MOVE_ROW(i)                                                      \
  if (i < kRows) {                                                            \
    vector_unpack(words.row_##i, vector);                                     \
    select_move_row(tile, first_position, masks, ranks, i, vector, targets);     \
  }
    WEFT_FOR_SELECT_ROWS(WEFT_MOVE_ROW)
#undef WEFT_MOVE_ROW
    return;
  }
  [[dont_unroll]] for (uint row = 0u; row < kRows; ++row) {
    if (kMovesTested) tile_load_vector(tile.source, tile.present, tile_vector(row), vector);
    select_move_row(tile, first_position, masks, ranks, row, vector, targets);
  }
#else
  [[dont_unroll]] for (uint row = 0u; row < kRows; ++row)
    select_move_row(tile, first_position, masks, ranks, row, targets);
#endif
}

// ---- straight to its position ----

#ifdef WEFT_SELECT_DIRECT

// What takes several lanes, or less than a word, goes through shared memory.
bool select_is_direct() { return !kGathers || ((kMovedBytes & 3u) == 0u && kMovedBytes <= 16u); }

// Where a partition's items go, and how many of the subgroup's have gone there.
struct SelectOutput {
  uvec2 items;
  uvec2 gathered;
  uvec2 indices;
  uint rank;
};

struct SelectOutputs {
  SelectOutput first, second, third;
};

SelectOutput select_output_at(uvec2 items, uvec2 indices, uvec2 before) {
  SelectOutput target;
  target.items = word64_add(items, word64_times(before, WEFT_ITEM_BYTES));
  // Of one partition, gathered items go to the second output where tested ones go to the first.
  target.gathered = word64_add(kMovesTested ? push.out_1 : items, word64_times(before, kMovedBytes));
  target.indices = word64_add(indices, word64_times(before, kIndexWords * 4u));
  target.rank = 0u;
  return target;
}

SelectOutput select_either(bool choice, SelectOutput a, SelectOutput b) {
  return SelectOutput(mix(b.items, a.items, bvec2(choice)), mix(b.gathered, a.gathered, bvec2(choice)),
                    mix(b.indices, a.indices, bvec2(choice)), mix(b.rank, a.rank, choice));
}

void select_store(SelectOutput target, uint rank, SelectWord word, uint position, uvec2 first_position) {
  if (kMovesTested) direct_store(target.items, rank, word);
  if (kIndexWords != 0u) {
    Words indices = Words(target.indices);
    const uvec2 index = word64_add(first_position, position);
    indices.at[rank * kIndexWords] = index.x;
    if (kIndexWords == 2u) indices.at[rank * 2u + 1u] = index.y;
  }
  if (kGathers) {
    Words source = Words(word64_add(push.moved, word64_times(first_position, kMovedBytes)));
    Words values = Words(target.gathered);
    const uint words = kMovedBytes / 4u;
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
      if (i < words) values.at[rank * words + i] = source.at[position * words + i];
  }
}

// Which of a partition's items this lane's is, and `before` moved on past the row.
uint select_rank(bool takes_part, inout uint before) {
  const uvec4 lanes = subgroup_ballot(takes_part);
  const uint rank = before + subgroup_rank(lanes);
  before += ballot_bit_count(lanes);
  return rank;
}

// A row's items. `full`: all are there.
void select_move_row_direct(SelectTile tile, uvec2 first_position, uint position, SelectWord word, bool full,
                            inout SelectWord carried, inout SelectOutputs outputs) {
  const bool is_there = position_is_present(tile, position);
  const bool present = full || is_there;
  const uint partition_index = mix(3u, direct_partition_index(tile, position, word, full, carried), present);
  const bool in_first = partition_index == 0u;
  const uint first = select_rank(in_first, outputs.first.rank);
  if (!kSplits) {
    if (in_first) select_store(outputs.first, first, word, position, first_position);
    return;
  }
  const bool in_third = partition_index == (kThreePartitions ? 2u : 1u);
  const uint third = select_rank(in_third, outputs.third.rank);
  SelectOutput target = select_either(in_first, outputs.first, outputs.third);
  uint rank = mix(third, first, in_first);
  if (kThreePartitions) {
    const bool in_second = partition_index == 1u;
    const uint second = select_rank(in_second, outputs.second.rank);
    target = select_either(in_second, outputs.second, target);
    rank = mix(rank, second, in_second);
  }
  if (full)
    select_store(target, rank, word, position, first_position);
  else if (present)
    select_store(target, rank, word, position, first_position);
}

void select_move_direct(SelectTile tile, uvec2 first_position, SelectPart first_part, SelectTargets targets) {
  SelectOutputs outputs;
  outputs.first = select_output_at(push.out_0, push.indices_0, targets.first);
  outputs.second = select_output_at(push.out_1, push.indices_1, targets.second);
  outputs.third = select_output_at(kThreePartitions ? push.out_2 : push.out_1,
                                   kThreePartitions ? push.indices_2 : push.indices_1, targets.third);
  SelectWord carried = direct_before(tile);
  if (tile.fast) {
    SelectPart words = first_part;
    [[dont_unroll]] for (uint part = 0u; part < kParts; ++part) {
      if (part != 0u) part_load(tile, part, words);
#define WEFT_MOVE_ROW(i)                                                                                              \
  select_move_row_direct(tile, first_position, part_position(part) + i * kSubgroupSize, words.row_##i, true, carried, \
                         outputs);
      WEFT_FOR_PART_ROWS(WEFT_MOVE_ROW)
#undef WEFT_MOVE_ROW
    }
  } else {
    [[dont_unroll]] for (uint row = 0u; row < kLaneItems; ++row) {
      const uint position = part_position(0u) + row * kSubgroupSize;
      select_move_row_direct(tile, first_position, position, direct_item(tile, position), false, carried, outputs);
    }
  }
}

Accumulator compact_aggregate(SelectTile tile) {
  if (select_is_direct()) return direct_aggregate(tile);
  return select_aggregate(tile);
}

#define SelectHeld SelectPart
void select_fetch(SelectTile tile, inout SelectPart words) {
  if (select_is_direct() && tile.fast) part_load(tile, 0u, words);
}

#else

Accumulator compact_aggregate(SelectTile tile) { return select_aggregate(tile); }

#define SelectHeld SelectWords
void select_fetch(SelectTile tile, inout SelectWords words) { select_load(tile, words); }

#endif

// The chunk's last tile hands on the counts, and writes them as the call's: a later chunk that has tiles writes them
// anew.
void select_hand_on(TileRange range, SelectTile tile, Accumulator total, SelectTargets targets) {
  const uint next = tile.index - push.first_tile + 1u;
  if (select_tile_exists(range, next) || gl_LocalInvocationIndex != 0u) return;
  const uvec2 first = word64_add(targets.first, first_count(total));
  const uvec2 second = word64_add(targets.second, second_count(total));
  const uint rest = tile.present.y - tile.present.x - first_count(total) - second_count(total);
  select_carry(first, second);
  select_write_counts(first, second, word64_add(targets.third, rest));
}

// `prefix`: counts of the chunk's tiles before this one; `before`: of the tile's subgroups before this one; `total`: of
// the tile. `held`: what select_fetch() gave.
void compact_tile(TileRange range, SelectTile tile, SelectHeld held, Accumulator prefix, Accumulator before,
                  Accumulator total) {
  const SelectTargets tile_targets = select_targets(range, tile, prefix);
  const uvec2 first_position = select_first_position(range, tile);
  SelectTargets targets = tile_targets;
  targets.first = word64_add(targets.first, first_count(before));
  targets.second = word64_add(targets.second, second_count(before));
  if (kSplits) {
    const uint from = clamp(subgroup_index() * kRows * kRowItems, tile.present.x, tile.present.y) - tile.present.x;
    targets.third = word64_add(targets.third, from - first_count(before) - second_count(before));
  }
#ifdef WEFT_SELECT_DIRECT
  if (select_is_direct()) {
    select_move_direct(tile, first_position, held, targets);
  } else {
    SelectWords words;
    select_load(tile, words);
    select_move_staged(tile, first_position, words, targets);
  }
#else
  select_move_staged(tile, first_position, held, targets);
#endif
  select_hand_on(range, tile, total, tile_targets);
}

#endif
