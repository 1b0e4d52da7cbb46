// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_sort.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "primitives/by_key/segments.hpp"
#include "primitives/core/prefix_pass.hpp"
#include "primitives/merge/merge_keys.hpp"
#include "primitives/segment/segment_tuning.hpp"
#include "primitives/sort/radix_passes.hpp"
#include "runtime/kernel_families.hpp"
#include "segment/segmented_sort.h"
#include "segment/segmented_sort_merge.h"
#include "segment/segmented_sort_tiles.h"
#include "sort/radix_sort_count.h"
#include "sort/radix_sort_digits.h"
#include "sort/radix_sort_move.h"
#include "weft/ordered_key.h"

namespace weft {

using primitives::DispatchSize;
using primitives::divided_up;
using primitives::PipelineBuilder;
using primitives::RadixMoves;
using primitives::RecordCall;
using runtime::ContextState;
using runtime::Pipeline;

struct SegmentedSort::Plan {
  std::shared_ptr<const ContextState> state;
  SegmentedSortConfig config;
  uint32_t short_keys = 0;
  uint32_t block_keys = 0;
  uint32_t blocks = 0;  // of short segments that a workgroup sorts at a time
  uint32_t middle_tile_keys = 0;
  uint32_t max_middle_keys = 0;
  uint32_t middle_groups = 0;
  uint32_t digit_bits = 0;
  uint32_t passes = 0;
  uint32_t tile_keys = 0;
  uint32_t groups = 0;
  primitives::ClearPass clear;
  std::shared_ptr<const Pipeline> tiles, merge, upsweep, scan, downsweep;

  uint32_t bins() const { return 1u << digit_bits; }
  /// Where scratch has what, in bytes.
  struct Layout {
    uint64_t middle = 0, runs = 0, table = 0, keys = 0, values = 0, end = 0;
    uint32_t max_middle = 0, max_runs = 0, max_split = 0;
  };
  Layout layout(uint64_t count) const;
  /// Segments that a workgroup of the first dispatch has in a call of up to so many segments and keys.
  uint32_t group_segments(uint64_t segments, uint64_t keys) const;
  /// Longest segment of middle length in a call of up to `count` keys. One workgroup is slow with a large part of them.
  uint32_t middle_keys(uint64_t count) const;
  /// Longer segments have more than one run.
  uint32_t run_keys(uint64_t count) const;
  /// Sorts the long segments, which are listed.
  void record_passes(const RecordCall& call, const RadixMoves& moves, shader::SegmentedSortPush push) const;
};

namespace {

constexpr const char* kSegmentedSortName = "SegmentedSort";
constexpr uint64_t kMaxKeys = uint64_t{1} << 32;  // a call takes fewer
constexpr uint64_t kSegmentedSortMaxSegments = uint64_t{1} << 40;
constexpr uint64_t kTotalsBytes = 16;
constexpr uint32_t kScanWorkgroup = 256;
constexpr uint32_t kScanDigits = 16;  // as in shaders/segment/segmented_sort_scan.comp
constexpr uint32_t kScanGroups = 64;  // for each kScanDigits, at most: mostly there is little to scan

constexpr uint64_t kTilesAtOnce = 4096;  // from so many on a workgroup has more than one
constexpr uint64_t kGroupTiles = 4;      // at most
constexpr uint64_t kMaxTileGroups = 1u << 24;

constexpr uint64_t kMiddleParts = 64;  // of a call's keys, that a segment of middle length has one of at most

}  // namespace

uint32_t SegmentedSort::Plan::middle_keys(uint64_t count) const {
  return std::max(static_cast<uint32_t>(std::min<uint64_t>(count / kMiddleParts, max_middle_keys)), middle_tile_keys);
}

SegmentedSort::Plan::Layout SegmentedSort::Plan::layout(uint64_t count) const {
  Layout at;
  at.middle = at.end = kTotalsBytes;
  if (count <= short_keys) return at;
  at.max_middle = static_cast<uint32_t>(count / (short_keys + 1));
  at.runs = at.keys = at.middle + primitives::in_vectors(uint64_t{8} * at.max_middle);
  if (count > middle_keys(count)) {
    // Of a segment of one run a long one's keys are more than middle_tile_keys; a segment of more has more than a tile,
    // and less than three entries for each length of a run.
    at.max_runs = static_cast<uint32_t>(count / std::max(1u, std::min(middle_tile_keys + 1, tile_keys / 3)));
    at.max_split = static_cast<uint32_t>(std::min<uint64_t>(count / tile_keys, primitives::kMaxGroups));
    at.table = at.runs + uint64_t{16} * at.max_runs + primitives::in_vectors(uint64_t{4} * at.max_split);
    at.keys = at.table + primitives::in_vectors(uint64_t{4} * bins() * at.max_runs);
  }
  at.values = at.keys + primitives::in_vectors(count * size_of(config.key));
  at.end = at.values + primitives::in_vectors(count * config.value_bytes);
  return at;
}

uint32_t SegmentedSort::Plan::group_segments(uint64_t segments, uint64_t keys) const {
  const uint64_t tile = uint64_t{blocks} * block_keys;
  const uint64_t group_tiles = std::clamp<uint64_t>(keys / tile / kTilesAtOnce, 1, kGroupTiles);
  // A quarter of a tile is for what lengths vary by. The last block of a segment is half full.
  const uint64_t fit = segments * (tile * group_tiles - tile / 4) / (keys + segments * block_keys / 2);
  // Short segments fill no more than a tile if all have the most keys.
  const uint64_t group = std::clamp<uint64_t>(fit, tile / short_keys, blocks);
  return static_cast<uint32_t>(std::max(group, divided_up(segments, kMaxTileGroups)));
}

uint32_t SegmentedSort::Plan::run_keys(uint64_t count) const {
  const uint64_t all_tiles = divided_up(count, tile_keys);
  return static_cast<uint32_t>(
      std::min(std::max<uint64_t>(divided_up(all_tiles, primitives::groups_of(all_tiles, groups)), 1) * tile_keys,
               kMaxKeys - 1));
}

void SegmentedSort::Plan::record_passes(const RecordCall& call, const RadixMoves& moves,
                                        shader::SegmentedSortPush push) const {
  const uint32_t run_groups = primitives::groups_of(push.max_runs, groups);
  const uint32_t digit_groups = bins() / std::min(bins(), kScanDigits);
  for (uint32_t pass = 0; pass < passes; ++pass) {
    moves.push_pass(push, pass, passes);
    // The first pass counts keys of the input, beside the dispatch that sorts segments of middle length.
    if (pass != 0) call.barrier();
    call.dispatch(*upsweep, push, run_groups);
    call.barrier();
    if (push.max_split != 0) {
      call.dispatch(*scan, push, DispatchSize{std::min(push.max_split, kScanGroups), digit_groups});
      call.barrier();
    }
    call.dispatch(*downsweep, push, run_groups);
  }
}

Result<SegmentedSort> SegmentedSort::create(const Context& context, const SegmentedSortConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_radix_config(kSegmentedSortName, config.key, config.value_bytes); !status)
    return status.error();
  if (const Status status = primitives::check_offset(kSegmentedSortName, config.offset); !status) return status.error();
  const primitives::SegmentedSortTuning tuning = primitives::segmented_sort_tuning.of(state);
  primitives::RadixSortTuning radix = primitives::radix_sort_tuning.of(state);
  radix.workgroup = tuning.long_workgroup;
  radix.rows = tuning.long_rows;

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->groups = radix.groups;
  const uint32_t key_words = size_of(config.key) / 4, value_words = config.value_bytes / 4;
  const primitives::RadixSizes sizes =
      primitives::radix_sizes(state, radix, 4 * key_words, config.value_bytes, 32 * key_words);
  plan->digit_bits = sizes.digit_bits;
  plan->tile_keys = sizes.tile_keys;
  plan->passes = sizes.passes;

  const uint32_t limit = state.traits().max_workgroup_invocations;
  // Keys and their positions, in blocks of a word more, and words about blocks.
  const uint32_t element_words = key_words + (value_words != 0 ? 1 : 0);
  const bool is_wide = element_words != 1;
  const uint32_t wanted = std::bit_floor(is_wide ? tuning.workgroup_wide : tuning.workgroup);
  const uint32_t workgroup = std::max(std::min(wanted, limit), state.subgroup_size());
  const uint32_t shared_bytes = primitives::shared_bytes_of(state, workgroup);
  uint32_t block_keys = std::bit_floor(is_wide ? tuning.block_keys_wide : tuning.block_keys);
  while (block_keys > 2 && workgroup * (4 * element_words * (block_keys + 1) + 8) > shared_bytes) block_keys /= 2;
  plan->block_keys = block_keys;
  plan->blocks = workgroup;
  plan->short_keys = std::min(std::bit_floor(tuning.short_keys), workgroup * block_keys / 2);

  const uint32_t middle_workgroup = std::min(std::bit_floor(tuning.middle_workgroup), limit);
  const primitives::MergeKeys middle =
      primitives::merge_keys(config.key, std::nullopt, value_words != 0, tuning.middle_keys, tuning.middle_keys_wide);
  uint32_t middle_tile = middle_workgroup * middle.keys_per_lane;
  while (middle_tile > middle_workgroup &&
         4 * middle.element_words * middle_tile > primitives::shared_bytes_of(state, middle_workgroup))
    middle_tile /= 2;
  plan->middle_tile_keys = std::max(middle_tile, plan->short_keys);
  plan->max_middle_keys = middle_tile * (is_wide ? tuning.middle_tiles_wide : tuning.middle_tiles);
  plan->middle_groups = tuning.middle_groups;

  const bool flips = primitives::key_flips(config.key, config.order).any();
  const PackedKernels& kernels = runtime::kernels::segmented_sort();
  PipelineBuilder tiles(state, kernels, workgroup);
  // Flips make keys unsigned.
  tiles.set(shader::ordered_key::kKeyWords, key_words)
      .set(shader::ordered_key::kKeyOrder, 0)
      .set(shader::segmented_sort_tiles::kValueWords, value_words)
      .set(shader::segmented_sort_tiles::kFlips, flips)
      .set(shader::segmented_sort_tiles::kShortKeys, plan->short_keys)
      .set(shader::segmented_sort_tiles::kMergeKeys, block_keys)
      .set(shader::segmented_sort_tiles::kOffsetWords, size_of(config.offset) / 4)
      .build(plan->tiles, "segmented_sort_tiles");
  PipelineBuilder merge(state, kernels, middle_workgroup);
  primitives::set_key_constants(merge, config.key, 4 * key_words, config.order)
      .set(shader::segmented_sort_merge::kMergeKeys, middle_tile / middle_workgroup)
      .set(shader::segmented_sort_merge::kHasPositions, value_words != 0)
      .set(shader::segmented_sort_merge::kValueBytes, config.value_bytes)
      .build(plan->merge, "segmented_sort_merge");
  PipelineBuilder pass(state, kernels, kScanWorkgroup);
  pass.set(shader::radix_sort_digits::kKeyWords, key_words)
      .set(shader::radix_sort_digits::kDigitBits, sizes.digit_bits)
      .set(shader::radix_sort_digits::kTileKeys, sizes.tile_keys)
      .set(shader::radix_sort_digits::kFlips, flips)
      .build(plan->scan, "segmented_sort_scan");
  PipelineBuilder upsweep = pass, downsweep = pass;
  upsweep.workgroup(std::min(radix.count_workgroup, limit))
      .set(shader::radix_sort_count::kCopies, std::bit_floor(radix.copies))
      .build(plan->upsweep, "segmented_sort_upsweep");
  downsweep.workgroup(sizes.workgroup)
      .set(shader::radix_sort_move::kRows, sizes.rows)
      .set(shader::radix_sort_move::kValueWords, value_words)
      .set(shader::radix_sort_move::kPartRows, sizes.part_rows)
      .build(plan->downsweep, "segmented_sort_downsweep");
  for (const PipelineBuilder* built : {&tiles, &merge, &pass, &upsweep, &downsweep})
    if (!built->status()) return built->status().error();
  if (const Status status = plan->clear.create(state); !status) return status.error();
  return SegmentedSort(std::move(plan));
} catch (...) {
  return runtime::caught();
}

SegmentedSort::SegmentedSort(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t SegmentedSort::short_keys() const noexcept { return plan_->short_keys; }

uint32_t SegmentedSort::tile_keys() const noexcept { return plan_->tile_keys; }

VkDeviceSize SegmentedSort::scratch_size(uint64_t max_keys) const noexcept {
  return plan_->layout(std::min(max_keys, kMaxKeys - 1)).end;  // no call takes more
}

Status SegmentedSort::record(VkCommandBuffer commands, const SegmentedSortArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t count = args.count.maximum(), keys = args.key_count.maximum();

  RadixMoves moves{.end_bit = 8 * size_of(plan.config.key)};
  shader::SegmentedSortTilesPush tiles{};
  RecordCall call(*plan.state, kSegmentedSortName, commands);
  if (keys >= kMaxKeys) call.refuse("key_count", "is 2^32 or more: " + std::to_string(keys));
  if (count >= kSegmentedSortMaxSegments) call.refuse("count", "is 2^40 or more: " + std::to_string(count));
  const bool is_empty = count == 0 || keys == 0;
  const uint64_t key_bytes = is_empty ? 0 : keys * size_of(plan.config.key);
  const uint64_t value_bytes = is_empty ? 0 : keys * plan.config.value_bytes;
  call.count("count", args.count, tiles.count, tiles.count_value, tiles.count_words)
      .count("key_count", args.key_count, tiles.key_count, tiles.key_count_value, tiles.key_count_words)
      .read("keys", args.keys, key_bytes, 4, moves.input.keys)
      .read("values", args.values, value_bytes, 4, moves.input.values)
      .read("offsets", args.offsets, is_empty ? 0 : (count + 1) * size_of(plan.config.offset), 4, tiles.offsets)
      .write("keys_out", args.keys_out, key_bytes, 4, moves.output.keys)
      .write("values_out", args.values_out, value_bytes, 4, moves.output.values)
      .scratch(args.scratch, is_empty ? 0 : scratch_size(keys), tiles.totals);
  if (!call.accepted()) return call.status();
  if (is_empty) return {};

  const Plan::Layout at = plan.layout(keys);
  const VkDeviceAddress scratch = tiles.totals;
  tiles.keys = moves.input.keys;
  tiles.values = moves.input.values;
  tiles.keys_out = moves.output.keys;
  tiles.values_out = moves.output.values;
  tiles.group_segments = plan.group_segments(count, keys);
  tiles.middle_keys = plan.middle_keys(keys);
  tiles.run_keys = plan.run_keys(keys);
  tiles.max_middle = at.max_middle;
  tiles.max_runs = at.max_runs;
  tiles.max_split = at.max_split;
  primitives::push_flips(tiles, plan.config.key, plan.config.order);
  plan.clear.record(call, scratch, kTotalsBytes);
  call.barrier();
  call.dispatch(*plan.tiles, tiles, divided_up(count, tiles.group_segments));

  moves.between = {scratch + at.keys, scratch + at.values};
  // A call that may have long segments may have those of middle length, so that one barrier serves both dispatches.
  if (at.max_middle != 0) {
    call.barrier();
    const shader::SegmentedSortMergePush merge{.keys = moves.input.keys,
                                               .values = moves.input.values,
                                               .keys_out = moves.output.keys,
                                               .values_out = moves.output.values,
                                               .keys_between = moves.between.keys,
                                               .values_between = moves.between.values,
                                               .totals = scratch,
                                               .middle = scratch + at.middle,
                                               .max_middle = at.max_middle,
                                               .max_keys = tiles.middle_keys};
    call.dispatch(*plan.merge, merge, std::min(at.max_middle, plan.middle_groups));
  }
  if (at.max_runs != 0) {
    shader::SegmentedSortPush push{};
    push.totals = scratch;
    push.runs = scratch + at.runs;
    push.table = scratch + at.table;
    push.max_runs = at.max_runs;
    push.max_split = at.max_split;
    primitives::push_flips(push, plan.config.key, plan.config.order);
    plan.record_passes(call, moves, push);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
