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

void select_move_staged(SelectTile tile, uvec2 first_position, SelectTargets targets) {
  const SelectMasks masks = weft_select_masks;
  const SelectRanks ranks = select_ranks(masks);
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  if (tile.fast) {
#define WEFT_MOVE_ROW(i)                                                      \
  if (i < kRows) {                                                            \
    vector_unpack(weft_select_words.row_##i, vector);                         \
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

// A lane's item of a row: whether it moves, to which partition, and which of the subgroup's there it is.
struct SelectRanked {
  bool moves;
  uint partition_index, rank;
};

// Of the rows before row i, how many of the subgroup's items go to the first partition and, of three, to the second; on
// lane i, if counted ahead. A variable of its own, as weft_select_masks is.
uvec2 weft_select_ahead = uvec2(0u);

// `present`: whether there is an item; `present_before`: how many of the subgroup's before it there are. `before`: how
// many of the rows before have gone to the first partition and, of three, to the second.
SelectRanked select_rank_row(uint row, bool present, uint present_before, inout uvec2 before) {
  if (kCountsAhead) {
    direct_pace(row);
    before.x = subgroup_shuffle(weft_select_ahead.x, row);
    if (kThreePartitions) before.y = subgroup_shuffle(weft_select_ahead.y, row);
  }
  const bool in_first = (weft_select_masks.first >> row & 1u) != 0u;
  const uvec4 first = subgroup_ballot(in_first);
  const uint rank = before.x + subgroup_rank(first);
  if (!kCountsAhead) before.x += ballot_bit_count(first);
  if (!kSplits) return SelectRanked(in_first, 0u, rank);
  // What is before an item and goes to no other partition goes to the third.
  if (!kThreePartitions) return SelectRanked(present, in_first ? 0u : 2u, mix(present_before - rank, rank, in_first));
  const bool in_second = (weft_select_masks.second >> row & 1u) != 0u;
  const uvec4 second = subgroup_ballot(in_second);
  const uint second_rank = before.y + subgroup_rank(second);
  if (!kCountsAhead) before.y += ballot_bit_count(second);
  const uint other_rank = mix(present_before - rank - second_rank, second_rank, in_second);
  return SelectRanked(present, in_first ? 0u : in_second ? 1u : 2u, mix(other_rank, rank, in_first));
}

uvec2 select_either(SelectRanked item, uvec2 first, uvec2 second, uvec2 third) {
  if (!kSplits) return first;
  return mix(mix(third, second, bvec2(kThreePartitions && item.partition_index == 1u)), first,
             bvec2(item.partition_index == 0u));
}

// Where a partition's items go.
struct SelectOutput {
  uvec2 items;
  uvec2 gathered;
  uvec2 indices;
};

SelectOutput select_output_at(uvec2 items, uvec2 indices, uvec2 before) {
  SelectOutput target;
  target.items = word64_add(items, word64_times(before, WEFT_ITEM_BYTES));
  // Of one partition, gathered items go to the second output where tested ones go to the first.
  target.gathered = word64_add(kMovesTested ? push.out_1 : items, word64_times(before, kMovedBytes));
  target.indices = word64_add(indices, word64_times(before, kIndexWords * 4u));
  return target;
}

// Writes the index of the item at `position`, and what is gathered for it.
void select_place(uvec2 index_address, uvec2 gathered_address, uint rank, uint position, uvec2 first_position) {
  if (kIndexWords != 0u) {
    Words indices = Words(index_address);
    const uvec2 index = word64_add(first_position, position);
    indices.at[rank * kIndexWords] = index.x;
    if (kIndexWords == 2u) indices.at[rank * 2u + 1u] = index.y;
  }
  if (kGathers) {
    Words source = Words(word64_add(push.moved, word64_times(first_position, kMovedBytes)));
    Words values = Words(gathered_address);
    const uint words = kMovedBytes / 4u;
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
      if (i < words) values.at[rank * words + i] = source.at[position * words + i];
  }
}

void select_move_direct(SelectTile tile, uvec2 first_position, SelectTargets targets) {
  const SelectOutput first = select_output_at(push.out_0, push.indices_0, targets.first);
  const SelectOutput second = select_output_at(push.out_1, push.indices_1, targets.second);
  const SelectOutput third = select_output_at(kThreePartitions ? push.out_2 : push.out_1,
                                              kThreePartitions ? push.indices_2 : push.indices_1, targets.third);
  uvec2 before = uvec2(0u);
#define WEFT_MOVE_ROW(i)                                                                                      \
  if (i < kLaneItems) {                                                                                       \
    const SelectRanked item = select_rank_row(i, true, i * kSubgroupSize + subgroup_lane(), before);          \
    if (item.moves)                                                                                           \
      direct_store(select_either(item, first.items, second.items, third.items), item.rank, weft_select_rows.row_##i); \
  }
  if (kMovesTested && tile.fast) {
    WEFT_FOR_DIRECT_ROWS(WEFT_MOVE_ROW)
  } else if (kMovesTested) {
    [[dont_unroll]] for (uint row = 0u; row < kLaneItems; row += kRowsAtOnce) {
      SelectWord rows[kRowsAtOnce];
      direct_load_rows(tile, row, rows);
      [[unroll]] for (uint k = 0u; k < kRowsAtOnce; ++k) {
        const uint position = direct_position(row + k);
        const SelectRanked item = select_rank_row(row + k, position_is_present(tile, position),
                                                  direct_present_before(tile, position), before);
        if (item.moves)
          direct_store(select_either(item, first.items, second.items, third.items), item.rank, rows[k]);
      }
    }
  }
#undef WEFT_MOVE_ROW
  if (kIndexWords == 0u && !kGathers) return;
  before = uvec2(0u);
  [[dont_unroll]] for (uint row = 0u; row < kLaneItems; ++row) {
    const uint position = direct_position(row);
    const SelectRanked item = select_rank_row(row, tile.fast || position_is_present(tile, position),
                                              direct_present_before(tile, position), before);
    if (item.moves)
      select_place(select_either(item, first.indices, second.indices, third.indices),
                   select_either(item, first.gathered, second.gathered, third.gathered), item.rank, position,
                   first_position);
  }
}

#endif

// ---- a tile ----

// Loads and tests a tile, and counts this subgroup's items of it.
Accumulator compact_take(SelectTile tile) {
#ifdef WEFT_SELECT_DIRECT
  if (select_is_direct())
    direct_take(tile);
  else
#endif
    select_take(tile);
  return select_aggregate(tile);
}

void compact_count_ahead() {
#ifdef WEFT_SELECT_DIRECT
  if (!kCountsAhead || !select_is_direct()) return;
  weft_select_ahead.x = direct_count_ahead(weft_select_masks.first);
  if (kThreePartitions) weft_select_ahead.y = direct_count_ahead(weft_select_masks.second);
#endif
}

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
// the tile. After compact_take().
void compact_tile(TileRange range, SelectTile tile, Accumulator prefix, Accumulator before, Accumulator total) {
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
  if (select_is_direct())
    select_move_direct(tile, first_position, targets);
  else
#endif
    select_move_staged(tile, first_position, targets);
  select_hand_on(range, tile, total, tile_targets);
}

#endif
