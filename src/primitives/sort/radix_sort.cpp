// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/radix_sort.hpp>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/look_back.h"
#include "primitives/by_key/keyed_plan.hpp"
#include "primitives/core/arguments.hpp"
#include "primitives/core/look_back_faults.hpp"
#include "primitives/core/search_keys.hpp"
#include "primitives/sort/radix_passes.hpp"
#include "primitives/sort/sort_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "sort/radix_sort.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

namespace {

constexpr const char* kName = "RadixSort";
constexpr uint64_t kMaxKeys = uint64_t{1} << 32;  // a call takes fewer
constexpr uint32_t kMaxGroups = 65535;
constexpr uint64_t kMaxTilesOfGroup = 16384;
constexpr uint32_t kScanWorkgroup = 256;
constexpr uint64_t kMaxSweepKeys = uint64_t{1} << 30;  // a post has 30 bits for a number of keys
constexpr uint32_t kCountedWords = 4096;  // of shared memory, mostly, where digits of all passes are counted

uint64_t tiles_of(const primitives::RadixSizes& sizes, uint64_t count) {
  return count / sizes.tile_keys + (count % sizes.tile_keys != 0 ? 1 : 0);
}

/// Workgroups that have shares of `tiles` tiles. They take turns of a bounded length, whatever the tuning says.
uint32_t groups_of(uint64_t tiles, uint32_t groups) {
  const uint64_t wanted = std::clamp<uint64_t>(tiles / kMaxTilesOfGroup + 1, groups, kMaxGroups);
  return static_cast<uint32_t>(std::clamp<uint64_t>(tiles, 1, wanted));
}

// The passes of reduce_then_scan in one size of tiles.
struct Form {
  primitives::RadixSizes sizes;
  uint32_t groups = 0;
  std::shared_ptr<const Pipeline> upsweep, scan, downsweep;

  uint32_t bins() const { return 1u << sizes.digit_bits; }
  /// Workgroups of upsweep and downsweep.
  uint32_t groups_of(uint64_t count) const { return weft::groups_of(tiles_of(sizes, count), groups); }
  uint64_t table_bytes(uint64_t count) const {
    return uint64_t{bins()} * 4 * ((groups_of(count) + 3) / 4 * 4 + 1) + 16;
  }
};

// Those of look_back.
struct Sweep {
  primitives::RadixSizes sizes;
  uint32_t groups = 0;  // that count
  std::shared_ptr<const Pipeline> clear, totals, sweep;

  uint32_t bins() const { return 1u << sizes.digit_bits; }
  /// Scratch: totals of all passes and their tickets, then posts of two passes, if there are two: each clears the next one's.
  uint64_t posts_at() const { return primitives::in_vectors(uint64_t{sizes.passes} * (bins() + 1) * 4); }
  uint64_t posts_bytes(uint64_t count) const { return primitives::in_vectors(tiles_of(sizes, count) * bins() * 4); }
  uint64_t bytes(uint64_t count) const { return posts_at() + std::min(sizes.passes, 2u) * posts_bytes(count); }
};

}  // namespace

struct RadixSort::Plan {
  std::shared_ptr<const ContextState> state;
  RadixSortConfig config;      // end_bit is not 0 where it stands for all; strategy resolved
  uint32_t direct_groups = 0;  // up to so many the downsweep sums the table itself

  Form few;
  std::optional<Form> many;  // for calls on at least many_from keys
  uint64_t many_from = 0;
  std::optional<Sweep> sweep;  // for calls on at least sweep_from keys, and less than kMaxSweepKeys
  uint64_t sweep_from = 0;

  const Form& form_of(uint64_t count) const { return many && count >= many_from ? *many : few; }
  bool sweeps(uint64_t count) const { return sweep && count >= sweep_from && count < kMaxSweepKeys; }
  /// What scratch begins with, of whichever form has most.
  uint64_t table_bytes(uint64_t count) const;
  uint64_t keys_bytes(uint64_t count) const { return primitives::in_vectors(count * size_of(config.key)); }
};

uint64_t RadixSort::Plan::table_bytes(uint64_t count) const {
  uint64_t bytes = std::max(few.table_bytes(count), many ? many->table_bytes(count) : uint64_t{0});
  if (sweep && count >= sweep_from) bytes = std::max(bytes, sweep->bytes(std::min(count, kMaxSweepKeys - 1)));
  return bytes;
}

Result<RadixSort> RadixSort::create(const Context& context, const RadixSortConfig& config) noexcept try {
  return create(context, config, 0);
} catch (...) {
  return runtime::caught();
}

Result<RadixSort> RadixSort::create(const Context& context, const RadixSortConfig& config, uint32_t fault) {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_search_key(kName, config.key); !status) return status.error();
  if (config.value_bytes != 0 && config.value_bytes != 4 && config.value_bytes != 8)
    return Error{ErrorCode::unsupported,
                 "RadixSort: values have 4 or 8 bytes, or there are none, not " + std::to_string(config.value_bytes)};
  const uint32_t key_bytes = size_of(config.key);
  const uint32_t end_bit = config.end_bit != 0 ? config.end_bit : 8 * key_bytes;
  if (config.begin_bit >= end_bit || end_bit > 8 * key_bytes)
    return Error{ErrorCode::unsupported, "RadixSort: keys of type " + std::string(name_of(config.key)) +
                                             " have no bits from " + std::to_string(config.begin_bit) + " to " +
                                             std::to_string(end_bit)};
  const primitives::RadixSortTuning tuning = primitives::radix_sort_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->config.end_bit = end_bit;
  plan->direct_groups = tuning.direct_groups;
  const bool has_values = config.value_bytes != 0;
  if (config.strategy == Strategy::automatic) {
    plan->config.strategy = state.strategy();
    if (!state.strategy_is_forced()) plan->sweep_from = has_values ? tuning.sweep_pairs_from : tuning.sweep_from;
  }

  const uint32_t flips = primitives::key_flips(config.key, config.order).any() ? 1 : 0;
  Status status;
  const auto build = [&](const primitives::RadixSizes& sizes, std::shared_ptr<const Pipeline>& pipeline,
                         const char* kernel, uint32_t size, std::initializer_list<uint32_t> more) {
    if (!status) return;
    std::vector<uint32_t> constants = {key_bytes / 4, sizes.digit_bits, sizes.tile_keys, flips};
    constants.insert(constants.end(), more);
    Result<std::shared_ptr<const Pipeline>> built =
        state.pipeline(runtime::kernels::radix_sort(), kernel, size, constants);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  const uint32_t limit = state.traits().max_workgroup_invocations;
  const uint32_t bits = end_bit - config.begin_bit;
  const auto build_form = [&](Form& form, const primitives::RadixSortTuning& of_form) {
    form.groups = of_form.groups;
    form.sizes = primitives::radix_sizes(state, of_form, key_bytes, config.value_bytes, bits);
    build(form.sizes, form.upsweep, "radix_sort_upsweep", std::min(of_form.count_workgroup, limit),
          {std::bit_floor(of_form.copies)});
    build(form.sizes, form.scan, "radix_sort_scan", kScanWorkgroup, {});
    build(form.sizes, form.downsweep, "radix_sort_downsweep", form.sizes.workgroup,
          {form.sizes.rows, config.value_bytes / 4, form.sizes.part_rows});
  };
  build_form(plan->few, tuning);
  if (has_values && tuning.many_pairs != 0) {
    primitives::RadixSortTuning of_many = tuning;
    of_many.workgroup = tuning.many_workgroup;
    of_many.part_words = tuning.many_part_words;
    plan->many_from = tuning.many_pairs;
    build_form(plan->many.emplace(), of_many);
  }
  if (plan->config.strategy == Strategy::look_back) {
    primitives::RadixSortTuning of_sweep = tuning;
    of_sweep.workgroup = has_values ? tuning.sweep_pairs_workgroup : tuning.sweep_workgroup;
    of_sweep.rows = has_values ? tuning.sweep_pairs_rows : tuning.sweep_rows;
    of_sweep.part_words = has_values ? tuning.sweep_pairs_part_words : tuning.sweep_part_words;
    Sweep& sweep = plan->sweep.emplace();
    sweep.groups = tuning.sweep_groups;
    sweep.sizes = primitives::radix_sizes(state, of_sweep, key_bytes, config.value_bytes, bits);
    const uint32_t counters = sweep.sizes.passes * sweep.bins();
    const uint32_t copies = std::min(tuning.sweep_copies, std::max(1u, kCountedWords / counters));
    build(sweep.sizes, sweep.totals, "radix_sort_totals", std::min(tuning.sweep_count_workgroup, limit),
          {std::bit_floor(copies), config.begin_bit, end_bit, sweep.sizes.passes});
    build(sweep.sizes, sweep.sweep, "radix_sort_sweep", sweep.sizes.workgroup,
          {sweep.sizes.rows, config.value_bytes / 4, sweep.sizes.part_rows, tuning.spin_limit, fault, tuning.sight,
           tuning.tickets});
    if (status) {
      Result<std::shared_ptr<const Pipeline>> built =
          state.pipeline(runtime::kernels::look_back(), "look_back_reset", primitives::kResetWorkgroup, {});
      if (!built) return built.error();
      sweep.clear = *std::move(built);
    }
  }
  if (!status) return status.error();
  return RadixSort(std::move(plan));
}

RadixSort::RadixSort(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy RadixSort::strategy() const noexcept { return plan_->config.strategy; }

uint32_t RadixSort::tile_keys() const noexcept {
  return plan_->sweep && plan_->sweep_from == 0 ? plan_->sweep->sizes.tile_keys : plan_->few.sizes.tile_keys;
}

VkDeviceSize RadixSort::scratch_size(uint64_t max_count) const noexcept {
  // No call takes more.
  const uint64_t count = std::min(max_count, kMaxKeys - 1);
  return plan_->table_bytes(count) +
         (std::max({plan_->few.sizes.passes, plan_->many ? plan_->many->sizes.passes : 0,
                    plan_->sweep ? plan_->sweep->sizes.passes : 0}) > 1
              ? plan_->keys_bytes(count) + primitives::in_vectors(count * plan_->config.value_bytes)
              : 0);
}

Status RadixSort::record(VkCommandBuffer commands, const RadixSortArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint64_t count = args.count.maximum();
  const bool has_values = plan.config.value_bytes != 0;

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (count >= kMaxKeys) return primitives::argument_error(kName, "count", "is 2^32 or more: " + std::to_string(count));
  // Where keys and values lie: in the input, the output, or scratch.
  struct Place {
    VkDeviceAddress keys = 0, values = 0;
  } input, output, between;
  primitives::RangeChecks ranges(state, kName);
  if (count != 0) {
    const uint64_t key_bytes = count * size_of(plan.config.key), value_bytes = count * plan.config.value_bytes;
    input.keys = ranges.read("keys", args.keys, key_bytes, 4);
    if (has_values) input.values = ranges.read("values", args.values, value_bytes, 4);
    output.keys = ranges.write("keys_out", args.keys_out, key_bytes, 4);
    if (has_values) output.values = ranges.write("values_out", args.values_out, value_bytes, 4);
  }
  const VkDeviceAddress scratch = ranges.scratch(args.scratch, scratch_size(count));
  shader::RadixSortPush push{};
  push.count = ranges.count(args.count);
  if (Status status = ranges.finish(); !status) return status;
  if (count == 0) return {};

  between.keys = scratch + plan.table_bytes(count);
  between.values = between.keys + plan.keys_bytes(count);
  push.keys = input.keys;
  push.count_maximum = static_cast<uint32_t>(count);
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  primitives::push_flips(push, plan.config.key, plan.config.order);

  const uint32_t bits = plan.config.end_bit - plan.config.begin_bit;
  const auto push_pass = [&](auto& of_pass, uint32_t pass, uint32_t passes) {
    const auto place_after = [&](uint32_t p) { return (passes - 1 - p) % 2 == 0 ? output : between; };
    const Place from = pass == 0 ? input : place_after(pass - 1), to = place_after(pass);
    primitives::push_digit(of_pass, plan.config.begin_bit, bits, pass, passes);
    of_pass.keys = from.keys;
    of_pass.values = from.values;
    of_pass.keys_out = to.keys;
    of_pass.values_out = to.values;
  };

  if (plan.sweeps(count)) {
    const Sweep& sweep = *plan.sweep;
    const uint32_t passes = sweep.sizes.passes, max_x = state.traits().max_workgroup_count_x;
    const uint64_t tiles = tiles_of(sweep.sizes, count), posts_bytes = sweep.posts_bytes(count);
    const VkDeviceAddress tickets = scratch + uint64_t{passes} * sweep.bins() * 4, posts = scratch + sweep.posts_at();
    const auto vectors = static_cast<uint32_t>((sweep.posts_at() + posts_bytes) / 16);
    primitives::dispatch(state, commands, *sweep.clear, shader::LookBackResetPush{scratch, vectors, 0},
                         primitives::dispatch_size(vectors / primitives::kResetWorkgroup + 1, max_x));
    primitives::barrier_between(state, commands);
    push.totals = scratch;
    push.groups = groups_of(tiles, sweep.groups);
    primitives::dispatch(state, commands, *sweep.totals, push, {push.groups, 1});

    shader::RadixSortSweepPush of_pass{};
    of_pass.count = push.count;
    of_pass.count_maximum = push.count_maximum;
    of_pass.count_words = push.count_words;
    primitives::push_flips(of_pass, plan.config.key, plan.config.order);
    for (uint32_t pass = 0; pass < passes; ++pass) {
      push_pass(of_pass, pass, passes);
      of_pass.posts = posts + pass % 2 * posts_bytes;
      of_pass.next_posts = pass + 1 < passes ? posts + (pass + 1) % 2 * posts_bytes : 0;
      of_pass.totals = scratch + uint64_t{pass} * sweep.bins() * 4;
      of_pass.ticket = tickets + uint64_t{pass} * 4;
      primitives::barrier_between(state, commands);
      primitives::dispatch(state, commands, *sweep.sweep, of_pass, primitives::dispatch_size(tiles, max_x));
    }
    return {};
  }

  const Form& form = plan.form_of(count);
  const uint32_t groups = form.groups_of(count), passes = form.sizes.passes;
  push.table = scratch;
  push.groups = groups;
  push.table_row = (groups + 3) / 4 * 4;
  if (groups > plan.direct_groups) push.totals = scratch + uint64_t{form.bins()} * 4 * push.table_row;
  for (uint32_t pass = 0; pass < passes; ++pass) {
    push_pass(push, pass, passes);
    if (pass != 0) primitives::barrier_between(state, commands);
    primitives::dispatch(state, commands, *form.upsweep, push, {groups, 1});
    primitives::barrier_between(state, commands);
    if (push.totals != 0) {
      primitives::dispatch(state, commands, *form.scan, push, {form.bins(), 1});
      primitives::barrier_between(state, commands);
    }
    primitives::dispatch(state, commands, *form.downsweep, push, {groups, 1});
  }
  return {};
} catch (...) {
  return runtime::caught();
}

namespace primitives {

Result<RadixSort> create_radix_sort_with_fault(const Context& context, const RadixSortConfig& config,
                                               const LookBackFault& fault) {
  return RadixSortWithFault::create(context, config, bits_of(fault));
}

}  // namespace primitives
}  // namespace weft
