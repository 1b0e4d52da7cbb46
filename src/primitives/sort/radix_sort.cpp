// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/radix_sort.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "core/look_back.h"
#include "primitives/by_key/keyed_plan.hpp"
#include "primitives/core/look_back_tuning.hpp"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "primitives/core/search_keys.hpp"
#include "primitives/sort/radix_passes.hpp"
#include "primitives/sort/sort_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "sort/radix_sort.h"
#include "sort/radix_sort_count.h"
#include "sort/radix_sort_digits.h"
#include "sort/radix_sort_look_back.h"
#include "sort/radix_sort_move.h"
#include "sort/radix_sort_totals.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

namespace {

constexpr const char* kName = "RadixSort";
constexpr uint64_t kMaxKeys = uint64_t{1} << 32;  // a call takes fewer
constexpr uint32_t kMaxGroups = 65535;
constexpr uint64_t kMaxTilesOfGroup = 16384;
constexpr uint32_t kScanWorkgroup = 256;
constexpr uint64_t kMaxSweepKeys = uint64_t{1} << 30;  // a tile state has 30 bits for a number of keys
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
  /// Scratch: totals of all passes and their tickets, then tile states of two passes, if there are two: each clears
  /// those of the next.
  uint64_t states_at() const { return primitives::in_vectors(uint64_t{sizes.passes} * (bins() + 1) * 4); }
  uint64_t states_bytes(uint64_t count) const { return primitives::in_vectors(tiles_of(sizes, count) * bins() * 4); }
  uint64_t bytes(uint64_t count) const { return states_at() + std::min(sizes.passes, 2u) * states_bytes(count); }
};

}  // namespace

struct RadixSort::Plan {
  std::shared_ptr<const ContextState> state;
  RadixSortConfig config;      // end_bit is not 0 where it stands for all; strategy resolved
  uint32_t direct_groups = 0;  // up to so many the downsweep sums the table itself

  Form small_form;
  std::optional<Form> large_form;  // for calls on at least large_from keys
  uint64_t large_from = 0;
  std::optional<Sweep> sweep;  // for calls on at least sweep_from keys, and less than kMaxSweepKeys
  uint64_t sweep_from = 0;

  const Form& form_of(uint64_t count) const { return large_form && count >= large_from ? *large_form : small_form; }
  bool sweeps(uint64_t count) const { return sweep && count >= sweep_from && count < kMaxSweepKeys; }
  /// What scratch begins with, of whichever form has most.
  uint64_t table_bytes(uint64_t count) const;
  uint64_t keys_bytes(uint64_t count) const { return primitives::in_vectors(count * size_of(config.key)); }
};

uint64_t RadixSort::Plan::table_bytes(uint64_t count) const {
  uint64_t bytes = std::max(small_form.table_bytes(count), large_form ? large_form->table_bytes(count) : uint64_t{0});
  if (sweep && count >= sweep_from) bytes = std::max(bytes, sweep->bytes(std::min(count, kMaxSweepKeys - 1)));
  return bytes;
}

Result<RadixSort> RadixSort::create(const Context& context, const RadixSortConfig& config) noexcept try {
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

  const uint32_t limit = state.traits().max_workgroup_invocations;
  const uint32_t bits = end_bit - config.begin_bit;
  primitives::PipelineBuilder builder(state, runtime::kernels::radix_sort(), kScanWorkgroup);
  builder.set(shader::radix_sort_digits::kKeyWords, key_bytes / 4)
      .set(shader::radix_sort_digits::kFlips, primitives::key_flips(config.key, config.order).any());
  const auto set_sizes = [&](const primitives::RadixSizes& sizes) {
    builder.set(shader::radix_sort_digits::kDigitBits, sizes.digit_bits)
        .set(shader::radix_sort_digits::kTileKeys, sizes.tile_keys);
  };
  // Moves and counts have constants of the same ids.
  const auto set_move = [&](const primitives::RadixSizes& sizes) {
    builder.workgroup(sizes.workgroup)
        .set(shader::radix_sort_move::kRows, sizes.rows)
        .set(shader::radix_sort_move::kValueWords, config.value_bytes / 4)
        .set(shader::radix_sort_move::kPartRows, sizes.part_rows);
  };
  const auto build_form = [&](Form& form, const primitives::RadixSortTuning& form_tuning) {
    form.groups = form_tuning.groups;
    form.sizes = primitives::radix_sizes(state, form_tuning, key_bytes, config.value_bytes, bits);
    set_sizes(form.sizes);
    builder.workgroup(kScanWorkgroup)
        .build(form.scan, "radix_sort_scan")
        .workgroup(std::min(form_tuning.count_workgroup, limit))
        .set(shader::radix_sort_count::kCopies, std::bit_floor(form_tuning.copies))
        .build(form.upsweep, "radix_sort_upsweep");
    set_move(form.sizes);
    builder.build(form.downsweep, "radix_sort_downsweep");
  };
  build_form(plan->small_form, tuning);
  if (has_values && tuning.many_pairs != 0) {
    primitives::RadixSortTuning large_tuning = tuning;
    large_tuning.workgroup = tuning.many_workgroup;
    large_tuning.part_words = tuning.many_part_words;
    plan->large_from = tuning.many_pairs;
    build_form(plan->large_form.emplace(), large_tuning);
  }
  if (plan->config.strategy == Strategy::look_back) {
    primitives::RadixSortTuning sweep_tuning = tuning;
    sweep_tuning.workgroup = has_values ? tuning.sweep_pairs_workgroup : tuning.sweep_workgroup;
    sweep_tuning.rows = has_values ? tuning.sweep_pairs_rows : tuning.sweep_rows;
    sweep_tuning.part_words = has_values ? tuning.sweep_pairs_part_words : tuning.sweep_part_words;
    Sweep& sweep = plan->sweep.emplace();
    sweep.groups = tuning.sweep_groups;
    sweep.sizes = primitives::radix_sizes(state, sweep_tuning, key_bytes, config.value_bytes, bits);
    const uint32_t counters = sweep.sizes.passes * sweep.bins();
    const uint32_t copies = std::min(tuning.sweep_copies, std::max(1u, kCountedWords / counters));
    set_sizes(sweep.sizes);
    builder.workgroup(std::min(tuning.sweep_count_workgroup, limit))
        .set(shader::radix_sort_count::kCopies, std::bit_floor(copies))
        .set(shader::radix_sort_totals::kBeginBit, config.begin_bit)
        .set(shader::radix_sort_totals::kEndBit, end_bit)
        .set(shader::radix_sort_totals::kPasses, sweep.sizes.passes)
        .build(sweep.totals, "radix_sort_totals");
    set_move(sweep.sizes);
    builder.set(shader::radix_sort_look_back::kSpinLimit, tuning.spin_limit)
        .set(shader::radix_sort_look_back::kFault, primitives::look_back_tuning.of(state).fault)
        .set(shader::radix_sort_look_back::kSight, tuning.sight)
        .set(shader::radix_sort_look_back::kTickets, tuning.tickets != 0)
        .build(sweep.sweep, "radix_sort_sweep")
        .from(runtime::kernels::look_back())
        .workgroup(primitives::kResetWorkgroup)
        .build(sweep.clear, "look_back_reset");
  }
  if (!builder.status()) return builder.status().error();
  return RadixSort(std::move(plan));
} catch (...) {
  return runtime::caught();
}

RadixSort::RadixSort(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy RadixSort::strategy() const noexcept { return plan_->config.strategy; }

uint32_t RadixSort::tile_keys() const noexcept {
  return plan_->sweep && plan_->sweep_from == 0 ? plan_->sweep->sizes.tile_keys : plan_->small_form.sizes.tile_keys;
}

VkDeviceSize RadixSort::scratch_size(uint64_t max_count) const noexcept {
  // No call takes more.
  const uint64_t count = std::min(max_count, kMaxKeys - 1);
  return plan_->table_bytes(count) +
         (std::max({plan_->small_form.sizes.passes, plan_->large_form ? plan_->large_form->sizes.passes : 0,
                    plan_->sweep ? plan_->sweep->sizes.passes : 0}) > 1
              ? plan_->keys_bytes(count) + primitives::in_vectors(count * plan_->config.value_bytes)
              : 0);
}

Status RadixSort::record(VkCommandBuffer commands, const RadixSortArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t count = args.count.maximum();

  // Where keys and values are: in the input, the output, or scratch.
  struct Ranges {
    VkDeviceAddress keys = 0, values = 0;
  } input, output, between;
  VkDeviceAddress scratch = 0;
  shader::RadixSortPush push{};
  primitives::RecordCall call(*plan.state, kName, commands);
  if (count >= kMaxKeys) call.refuse("count", "is 2^32 or more: " + std::to_string(count));
  const uint64_t key_bytes = count * size_of(plan.config.key), value_bytes = count * plan.config.value_bytes;
  call.read("keys", args.keys, key_bytes, 4, input.keys)
      .read("values", args.values, value_bytes, 4, input.values)
      .write("keys_out", args.keys_out, key_bytes, 4, output.keys)
      .write("values_out", args.values_out, value_bytes, 4, output.values)
      .scratch(args.scratch, scratch_size(count), scratch)
      .count("count", args.count, push.count, push.count_maximum, push.count_words);
  if (!call.accepted()) return call.status();
  if (count == 0) return {};

  between.keys = scratch + plan.table_bytes(count);
  between.values = between.keys + plan.keys_bytes(count);
  push.keys = input.keys;
  primitives::push_flips(push, plan.config.key, plan.config.order);

  const uint32_t bits = plan.config.end_bit - plan.config.begin_bit;
  const auto push_pass = [&](auto& pass_push, uint32_t pass, uint32_t passes) {
    const auto ranges_after = [&](uint32_t p) { return (passes - 1 - p) % 2 == 0 ? output : between; };
    const Ranges from = pass == 0 ? input : ranges_after(pass - 1), to = ranges_after(pass);
    primitives::push_digit(pass_push, plan.config.begin_bit, bits, pass, passes);
    pass_push.keys = from.keys;
    pass_push.values = from.values;
    pass_push.keys_out = to.keys;
    pass_push.values_out = to.values;
  };

  if (plan.sweeps(count)) {
    const Sweep& sweep = *plan.sweep;
    const uint32_t passes = sweep.sizes.passes;
    const uint64_t tiles = tiles_of(sweep.sizes, count), states_bytes = sweep.states_bytes(count);
    const VkDeviceAddress tickets = scratch + uint64_t{passes} * sweep.bins() * 4, states = scratch + sweep.states_at();
    const auto vectors = static_cast<uint32_t>((sweep.states_at() + states_bytes) / 16);
    call.dispatch(*sweep.clear, shader::LookBackResetPush{scratch, vectors, 0},
                  vectors / primitives::kResetWorkgroup + 1);
    call.barrier();
    push.totals = scratch;
    push.groups = groups_of(tiles, sweep.groups);
    call.dispatch(*sweep.totals, push, push.groups);

    shader::RadixSortSweepPush pass_push{};
    pass_push.count = push.count;
    pass_push.count_maximum = push.count_maximum;
    pass_push.count_words = push.count_words;
    primitives::push_flips(pass_push, plan.config.key, plan.config.order);
    for (uint32_t pass = 0; pass < passes; ++pass) {
      push_pass(pass_push, pass, passes);
      pass_push.states = states + pass % 2 * states_bytes;
      pass_push.next_states = pass + 1 < passes ? states + (pass + 1) % 2 * states_bytes : 0;
      pass_push.totals = scratch + uint64_t{pass} * sweep.bins() * 4;
      pass_push.ticket = tickets + uint64_t{pass} * 4;
      call.barrier();
      call.dispatch(*sweep.sweep, pass_push, tiles);
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
    if (pass != 0) call.barrier();
    call.dispatch(*form.upsweep, push, groups);
    call.barrier();
    if (push.totals != 0) {
      call.dispatch(*form.scan, push, form.bins());
      call.barrier();
    }
    call.dispatch(*form.downsweep, push, groups);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
