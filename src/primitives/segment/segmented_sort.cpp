// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_sort.hpp>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/look_back.h"
#include "primitives/by_key/keyed_plan.hpp"
#include "primitives/core/arguments.hpp"
#include "primitives/core/search_keys.hpp"
#include "primitives/segment/segment_tuning.hpp"
#include "primitives/sort/radix_passes.hpp"
#include "runtime/kernel_families.hpp"
#include "segment/segmented_sort.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct SegmentedSort::Plan {
  std::shared_ptr<const ContextState> state;
  SegmentedSortConfig config;
  uint32_t short_keys = 0;
  uint32_t digit_bits = 0;
  uint32_t passes = 0;
  uint32_t tile_keys = 0;
  uint32_t groups = 0;
  std::shared_ptr<const Pipeline> clear, heads, tiles, upsweep, scan, downsweep;

  uint32_t bins() const { return 1u << digit_bits; }
  /// Where scratch has what, in bytes.
  struct Layout {
    uint64_t heads = 0, runs = 0, table = 0, keys = 0, values = 0, end = 0;
    uint32_t max_runs = 0, max_split = 0;
  };
  Layout layout(uint64_t count) const;
  /// Longer segments have more than one run.
  uint32_t run_keys(uint64_t count) const;
};

namespace {

constexpr const char* kName = "SegmentedSort";
constexpr uint64_t kMaxKeys = uint64_t{1} << 32;  // a call takes fewer
constexpr uint64_t kMaxSegments = uint64_t{1} << 40;
constexpr uint64_t kTotalsBytes = 16;
constexpr uint32_t kHeadsWorkgroup = 128;
constexpr uint32_t kLaneOffsets = 4;  // as in shaders/segment/segmented_sort_heads.comp
constexpr uint32_t kScanWorkgroup = 256;
constexpr uint32_t kScanDigits = 16;  // as in shaders/segment/segmented_sort_scan.comp
constexpr uint32_t kScanGroups = 64;  // for each kScanDigits, at most: mostly there is little to scan
constexpr uint32_t kMaxGroups = 65535;
constexpr uint64_t kMaxTilesOfRun = 16384, kMaxRunsOfGroup = 16384;

uint64_t divided_up(uint64_t n, uint64_t by) { return n / by + (n % by != 0 ? 1 : 0); }

}  // namespace

SegmentedSort::Plan::Layout SegmentedSort::Plan::layout(uint64_t count) const {
  Layout at;
  at.heads = kTotalsBytes;
  at.end = at.heads + primitives::in_vectors(divided_up(count, 32) * 4);
  if (count <= short_keys) return at;
  // Of a segment of one run a long one's keys are more than short_keys; a segment of more has more than a tile, and less than three
  // entries for each length of a run.
  at.max_runs = static_cast<uint32_t>(count / std::max(1u, std::min(short_keys + 1, tile_keys / 3)));
  at.max_split = static_cast<uint32_t>(std::min<uint64_t>(count / tile_keys, kMaxGroups));
  at.runs = at.end;
  at.table = at.runs + uint64_t{16} * at.max_runs + primitives::in_vectors(uint64_t{4} * at.max_split);
  at.keys = at.table + uint64_t{4} * bins() * at.max_runs;
  at.values = at.keys + primitives::in_vectors(count * size_of(config.key));
  at.end = at.values + primitives::in_vectors(count * config.value_bytes);
  return at;
}

uint32_t SegmentedSort::Plan::run_keys(uint64_t count) const {
  const uint64_t all_tiles = divided_up(count, tile_keys);
  const uint64_t runs = std::clamp<uint64_t>(all_tiles / kMaxTilesOfRun + 1, groups, kMaxGroups);
  return static_cast<uint32_t>(std::min(std::max<uint64_t>(divided_up(all_tiles, runs), 1) * tile_keys, kMaxKeys - 1));
}

Result<SegmentedSort> SegmentedSort::create(const Context& context, const SegmentedSortConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_search_key(kName, config.key); !status) return status.error();
  if (const Status status = primitives::check_offset(kName, config.offset); !status) return status.error();
  if (config.value_bytes != 0 && config.value_bytes != 4 && config.value_bytes != 8)
    return Error{ErrorCode::unsupported, "SegmentedSort: values have 4 or 8 bytes, or there are none, not " +
                                             std::to_string(config.value_bytes)};
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
  const uint32_t workgroup = std::min(std::bit_floor(tuning.workgroup), limit);
  // Keys, their places, and words about segments; emulated subgroups and the driver take some too.
  const uint32_t element_words = key_words + (value_words != 0 ? 1 : 0);
  const uint32_t reserved = 2048 + (state.subgroup_backend() == SubgroupBackend::emulated ? 8 * workgroup : 0);
  const uint32_t shared_bytes = std::max(state.traits().shared_memory_bytes, reserved) - reserved;
  uint32_t rows = std::bit_floor(element_words == 1 ? tuning.rows : tuning.rows_wide);
  while (rows > 1 && workgroup * rows * (4 * element_words + 1) > shared_bytes) rows /= 2;
  plan->short_keys = workgroup * rows / 2;

  const uint32_t flips = primitives::key_flips(config.key, config.order).any() ? 1 : 0;
  Status status;
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const char* kernel, uint32_t size,
                         const std::vector<uint32_t>& constants,
                         const PackedKernels& kernels = runtime::kernels::segmented_sort()) {
    if (!status) return;
    Result<std::shared_ptr<const Pipeline>> built = state.pipeline(kernels, kernel, size, constants);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  const auto of_pass = [&](std::initializer_list<uint32_t> more) {
    std::vector<uint32_t> constants = {key_words, sizes.digit_bits, sizes.tile_keys, flips};
    constants.insert(constants.end(), more);
    return constants;
  };
  build(plan->clear, "look_back_reset", primitives::kResetWorkgroup, {}, runtime::kernels::look_back());
  build(plan->heads, "segmented_sort_heads", kHeadsWorkgroup, {size_of(config.offset) / 4});
  build(plan->tiles, "segmented_sort_tiles", workgroup, {key_words, value_words, rows, flips});
  build(plan->upsweep, "segmented_sort_upsweep", std::min(radix.count_workgroup, limit),
        of_pass({std::bit_floor(radix.copies)}));
  build(plan->scan, "segmented_sort_scan", kScanWorkgroup, of_pass({}));
  build(plan->downsweep, "segmented_sort_downsweep", sizes.workgroup,
        of_pass({sizes.rows, value_words, sizes.part_rows}));
  if (!status) return status.error();
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
  const ContextState& state = *plan.state;
  const uint64_t count = args.count.maximum(), keys = args.key_count.maximum();
  const bool has_values = plan.config.value_bytes != 0;

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (keys >= kMaxKeys)
    return primitives::argument_error(kName, "key_count", "is 2^32 or more: " + std::to_string(keys));
  if (count >= kMaxSegments)
    return primitives::argument_error(kName, "count", "is 2^40 or more: " + std::to_string(count));
  // Where keys and values lie: in the input, the output, or scratch.
  struct Place {
    VkDeviceAddress keys = 0, values = 0;
  } input, output, between;
  shader::SegmentedSortHeadsPush heads{};
  primitives::RangeChecks ranges(state, kName);
  heads.count = ranges.count(args.count);
  heads.key_count = ranges.count(args.key_count, "key_count");
  VkDeviceAddress scratch = 0;
  if (count != 0 && keys != 0) {
    const uint64_t key_bytes = keys * size_of(plan.config.key), value_bytes = keys * plan.config.value_bytes;
    input.keys = ranges.read("keys", args.keys, key_bytes, 4);
    if (has_values) input.values = ranges.read("values", args.values, value_bytes, 4);
    heads.offsets = ranges.read("offsets", args.offsets, (count + 1) * size_of(plan.config.offset), 4);
    output.keys = ranges.write("keys_out", args.keys_out, key_bytes, 4);
    if (has_values) output.values = ranges.write("values_out", args.values_out, value_bytes, 4);
    scratch = ranges.scratch(args.scratch, scratch_size(keys));
  }
  if (Status status = ranges.finish(); !status) return status;
  if (count == 0 || keys == 0) return {};

  const Plan::Layout at = plan.layout(keys);
  heads.totals = scratch;
  heads.heads = scratch + at.heads;
  heads.runs = scratch + at.runs;
  heads.count_value = count;
  heads.key_count_value = static_cast<uint32_t>(keys);
  heads.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  heads.key_count_words = static_cast<uint32_t>(args.key_count.range().size / 4);
  heads.short_keys = plan.short_keys;
  heads.run_keys = plan.run_keys(keys);
  heads.max_runs = at.max_runs;
  heads.max_split = at.max_split;
  const uint32_t max_x = state.traits().max_workgroup_count_x;
  const auto vectors = static_cast<uint32_t>((kTotalsBytes + primitives::in_vectors(divided_up(keys, 32) * 4)) / 16);
  primitives::dispatch(state, commands, *plan.clear, shader::LookBackResetPush{scratch, vectors, 0},
                       primitives::dispatch_size(divided_up(vectors, primitives::kResetWorkgroup), max_x));
  primitives::barrier_between(state, commands);
  primitives::dispatch(state, commands, *plan.heads, heads,
                       primitives::dispatch_size(count / (kHeadsWorkgroup * kLaneOffsets) + 1, max_x));
  primitives::barrier_between(state, commands);

  shader::SegmentedSortPush push{};
  push.keys = input.keys;
  push.values = input.values;
  push.keys_out = output.keys;
  push.values_out = output.values;
  push.totals = scratch;
  push.heads = heads.heads;
  push.runs = heads.runs;
  push.table = scratch + at.table;
  push.max_runs = at.max_runs;
  push.max_split = at.max_split;
  primitives::push_flips(push, plan.config.key, plan.config.order);
  primitives::dispatch(state, commands, *plan.tiles, push,
                       primitives::dispatch_size(divided_up(keys, plan.short_keys), max_x));
  if (at.max_runs == 0) return {};

  const uint64_t wanted = std::clamp<uint64_t>(at.max_runs / kMaxRunsOfGroup + 1, plan.groups, kMaxGroups);
  const auto groups = static_cast<uint32_t>(std::min<uint64_t>(at.max_runs, wanted));
  const uint32_t digit_groups = plan.bins() / std::min(plan.bins(), kScanDigits);
  between.keys = scratch + at.keys;
  between.values = scratch + at.values;
  Place from = input;
  for (uint32_t pass = 0; pass < plan.passes; ++pass) {
    const Place to = (plan.passes - 1 - pass) % 2 == 0 ? output : between;
    primitives::push_digit(push, 0, 8 * size_of(plan.config.key), pass, plan.passes);
    push.keys = from.keys;
    push.values = from.values;
    push.keys_out = to.keys;
    push.values_out = to.values;
    from = to;
    primitives::barrier_between(state, commands);
    primitives::dispatch(state, commands, *plan.upsweep, push, {groups, 1});
    primitives::barrier_between(state, commands);
    if (at.max_split != 0) {
      primitives::dispatch(state, commands, *plan.scan, push, {std::min(at.max_split, kScanGroups), digit_groups});
      primitives::barrier_between(state, commands);
    }
    primitives::dispatch(state, commands, *plan.downsweep, push, {groups, 1});
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
