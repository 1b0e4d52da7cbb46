// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/radix_sort.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "primitives/core/look_back_tuning.hpp"
#include "primitives/core/prefix_pass.hpp"
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

using primitives::RadixMoves;
using primitives::RadixSizes;
using primitives::RadixSortTuning;
using primitives::RecordCall;
using runtime::ContextState;
using runtime::Pipeline;

namespace {

constexpr const char* kRadixSortName = "RadixSort";
constexpr uint64_t kRadixSortMaxKeys = uint64_t{1} << 32;  // a call takes fewer
constexpr uint32_t kRadixSortScanWorkgroup = 256;
constexpr uint64_t kMaxSweepKeys = uint64_t{1} << 30;  // a tile state has 30 bits for a number of keys
constexpr uint32_t kCountedWords = 4096;  // of shared memory, mostly, where digits of all passes are counted

uint64_t tiles_of(const RadixSizes& sizes, uint64_t count) { return primitives::divided_up(count, sizes.tile_keys); }

// The passes of reduce_then_scan in one size of tiles.
struct Form {
  RadixSizes sizes;
  uint32_t groups = 0;
  uint32_t direct_groups = 0;  // up to so many the downsweep sums the table itself
  std::shared_ptr<const Pipeline> upsweep, scan, downsweep;

  uint32_t bins() const { return 1u << sizes.digit_bits; }
  /// Workgroups of upsweep and downsweep.
  uint32_t groups_of(uint64_t count) const { return primitives::groups_of(tiles_of(sizes, count), groups); }
  uint64_t table_bytes(uint64_t count) const {
    return uint64_t{bins()} * 4 * ((groups_of(count) + 3) / 4 * 4 + 1) + 16;
  }
  void record(const RecordCall& call, uint64_t count, VkDeviceAddress scratch, const RadixMoves& moves,
              shader::RadixSortPush push) const;
};

void Form::record(const RecordCall& call, uint64_t count, VkDeviceAddress scratch, const RadixMoves& moves,
                  shader::RadixSortPush push) const {
  push.table = scratch;
  push.groups = groups_of(count);
  push.table_row = (push.groups + 3) / 4 * 4;
  if (push.groups > direct_groups) push.totals = scratch + uint64_t{bins()} * 4 * push.table_row;
  for (uint32_t pass = 0; pass < sizes.passes; ++pass) {
    moves.push_pass(push, pass, sizes.passes);
    if (pass != 0) call.barrier();
    call.dispatch(*upsweep, push, push.groups);
    call.barrier();
    if (push.totals != 0) {
      call.dispatch(*scan, push, bins());
      call.barrier();
    }
    call.dispatch(*downsweep, push, push.groups);
  }
}

// Those of look_back.
struct Sweep {
  RadixSizes sizes;
  uint32_t groups = 0;  // that count
  primitives::ClearPass clear;
  std::shared_ptr<const Pipeline> totals, sweep;

  uint32_t bins() const { return 1u << sizes.digit_bits; }
  /// Scratch: totals of all passes and their tickets, then tile states of two passes, if there are two: each clears
  /// those of the next.
  uint64_t states_at() const { return primitives::in_vectors(uint64_t{sizes.passes} * (bins() + 1) * 4); }
  uint64_t states_bytes(uint64_t count) const { return primitives::in_vectors(tiles_of(sizes, count) * bins() * 4); }
  uint64_t bytes(uint64_t count) const { return states_at() + std::min(sizes.passes, 2u) * states_bytes(count); }
  /// `push`: as the totals take it, but for scratch.
  void record(const RecordCall& call, uint64_t count, VkDeviceAddress scratch, const RadixMoves& moves,
              shader::RadixSortPush push, shader::RadixSortSweepPush sweep_push) const;
};

void Sweep::record(const RecordCall& call, uint64_t count, VkDeviceAddress scratch, const RadixMoves& moves,
                   shader::RadixSortPush push, shader::RadixSortSweepPush sweep_push) const {
  const uint64_t tiles = tiles_of(sizes, count), bytes_of_states = states_bytes(count);
  const VkDeviceAddress tickets = scratch + uint64_t{sizes.passes} * bins() * 4, states = scratch + states_at();
  clear.record(call, scratch, states_at() + bytes_of_states);
  call.barrier();
  push.totals = scratch;
  push.groups = primitives::groups_of(tiles, groups);
  call.dispatch(*totals, push, push.groups);
  sweep_push.count = push.count;
  sweep_push.count_maximum = push.count_maximum;
  sweep_push.count_words = push.count_words;
  for (uint32_t pass = 0; pass < sizes.passes; ++pass) {
    moves.push_pass(sweep_push, pass, sizes.passes);
    sweep_push.states = states + pass % 2 * bytes_of_states;
    sweep_push.next_states = pass + 1 < sizes.passes ? states + (pass + 1) % 2 * bytes_of_states : 0;
    sweep_push.totals = scratch + uint64_t{pass} * bins() * 4;
    sweep_push.ticket = tickets + uint64_t{pass} * 4;
    call.barrier();
    call.dispatch(*sweep, sweep_push, tiles);
  }
}

// Makes the pipelines of all forms, which share kernels and constants.
class FormBuilder {
 public:
  /// `config`: its end_bit is not 0.
  FormBuilder(const ContextState& state, const RadixSortConfig& config, const RadixSortTuning& tuning)
      : state_(state), config_(config), tuning_(tuning), builder_(state, runtime::kernels::radix_sort(), 0) {
    builder_.set(shader::radix_sort_digits::kKeyWords, size_of(config.key) / 4)
        .set(shader::radix_sort_digits::kFlips, primitives::key_flips(config.key, config.order).any());
  }

  void build(Form& form, const RadixSortTuning& tuning);
  Status build(Sweep& sweep);
  const Status& status() const { return builder_.status(); }

 private:
  RadixSizes set_sizes(const RadixSortTuning& tuning);
  // Moves and counts have constants of the same ids.
  void set_move(const RadixSizes& sizes) {
    builder_.workgroup(sizes.workgroup)
        .set(shader::radix_sort_move::kRows, sizes.rows)
        .set(shader::radix_sort_move::kValueWords, config_.value_bytes / 4)
        .set(shader::radix_sort_move::kPartRows, sizes.part_rows);
  }
  uint32_t counting_workgroup(uint32_t wanted) const {
    return std::min(wanted, state_.traits().max_workgroup_invocations);
  }

  const ContextState& state_;
  const RadixSortConfig& config_;
  const RadixSortTuning& tuning_;
  primitives::PipelineBuilder builder_;
};

RadixSizes FormBuilder::set_sizes(const RadixSortTuning& tuning) {
  const RadixSizes sizes = primitives::radix_sizes(state_, tuning, size_of(config_.key), config_.value_bytes,
                                                   config_.end_bit - config_.begin_bit);
  builder_.set(shader::radix_sort_digits::kDigitBits, sizes.digit_bits)
      .set(shader::radix_sort_digits::kTileKeys, sizes.tile_keys);
  return sizes;
}

void FormBuilder::build(Form& form, const RadixSortTuning& tuning) {
  form.groups = tuning.groups;
  form.direct_groups = tuning.direct_groups;
  form.sizes = set_sizes(tuning);
  builder_.workgroup(kRadixSortScanWorkgroup)
      .build(form.scan, "radix_sort_scan")
      .workgroup(counting_workgroup(tuning.count_workgroup))
      .set(shader::radix_sort_count::kCopies, std::bit_floor(tuning.copies))
      .build(form.upsweep, "radix_sort_upsweep");
  set_move(form.sizes);
  builder_.build(form.downsweep, "radix_sort_downsweep");
}

Status FormBuilder::build(Sweep& sweep) {
  const bool has_values = config_.value_bytes != 0;
  RadixSortTuning tuning = tuning_;
  tuning.workgroup = has_values ? tuning.sweep_pairs_workgroup : tuning.sweep_workgroup;
  tuning.rows = has_values ? tuning.sweep_pairs_rows : tuning.sweep_rows;
  tuning.part_words = has_values ? tuning.sweep_pairs_part_words : tuning.sweep_part_words;
  sweep.groups = tuning.sweep_groups;
  sweep.sizes = set_sizes(tuning);
  const uint32_t counters = sweep.sizes.passes * sweep.bins();
  const uint32_t copies = std::min(tuning.sweep_copies, std::max(1u, kCountedWords / counters));
  builder_.workgroup(counting_workgroup(tuning.sweep_count_workgroup))
      .set(shader::radix_sort_count::kCopies, std::bit_floor(copies))
      .set(shader::radix_sort_totals::kBeginBit, config_.begin_bit)
      .set(shader::radix_sort_totals::kEndBit, config_.end_bit)
      .set(shader::radix_sort_totals::kPasses, sweep.sizes.passes)
      .build(sweep.totals, "radix_sort_totals");
  set_move(sweep.sizes);
  const primitives::LookBackTuning look_back = primitives::look_back_tuning.of(state_);
  builder_.set(shader::radix_sort_look_back::kSpinLimit, tuning.spin_limit)
      .set(shader::radix_sort_look_back::kFault, look_back.fault)
      .set(shader::radix_sort_look_back::kSight, tuning.sight)
      .set(shader::radix_sort_look_back::kTickets, look_back.tickets != 0)
      .set(shader::radix_sort_look_back::kReadsAhead, tuning.sweep_pairs_ahead != 0)
      .build(sweep.sweep, "radix_sort_sweep");
  return sweep.clear.create(state_);
}

}  // namespace

struct RadixSort::Plan {
  std::shared_ptr<const ContextState> state;
  RadixSortConfig config;  // end_bit is not 0 where it stands for all; strategy resolved

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
  if (const Status status = primitives::check_radix_config(kRadixSortName, config.key, config.value_bytes); !status)
    return status.error();
  const uint32_t key_bits = 8 * size_of(config.key);
  const uint32_t end_bit = config.end_bit != 0 ? config.end_bit : key_bits;
  if (config.begin_bit >= end_bit || end_bit > key_bits)
    return Error{ErrorCode::unsupported, "RadixSort: keys of type " + std::string(name_of(config.key)) +
                                             " have no bits from " + std::to_string(config.begin_bit) + " to " +
                                             std::to_string(end_bit)};
  const RadixSortTuning tuning = primitives::radix_sort_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->config.end_bit = end_bit;
  const bool has_values = config.value_bytes != 0;
  if (config.strategy == Strategy::automatic) {
    plan->config.strategy = state.strategy();
    if (!state.strategy_is_forced()) plan->sweep_from = has_values ? tuning.sweep_pairs_from : tuning.sweep_from;
  }

  FormBuilder builder(state, plan->config, tuning);
  builder.build(plan->small_form, tuning);
  if (has_values && tuning.many_pairs != 0) {
    RadixSortTuning large_tuning = tuning;
    large_tuning.workgroup = tuning.many_workgroup;
    large_tuning.part_words = tuning.many_part_words;
    plan->large_from = tuning.many_pairs;
    builder.build(plan->large_form.emplace(), large_tuning);
  }
  if (plan->config.strategy == Strategy::look_back)
    if (const Status status = builder.build(plan->sweep.emplace()); !status) return status.error();
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
  const uint64_t count = std::min(max_count, kRadixSortMaxKeys - 1);
  return plan_->table_bytes(count) +
         (std::max({plan_->small_form.sizes.passes, plan_->large_form ? plan_->large_form->sizes.passes : 0,
                    plan_->sweep ? plan_->sweep->sizes.passes : 0}) > 1
              ? plan_->keys_bytes(count) + primitives::in_vectors(count * plan_->config.value_bytes)
              : 0);
}

Status RadixSort::record(VkCommandBuffer commands, const RadixSortArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t count = args.count.maximum();

  RadixMoves moves{.begin_bit = plan.config.begin_bit, .end_bit = plan.config.end_bit};
  VkDeviceAddress scratch = 0;
  shader::RadixSortPush push{};
  RecordCall call(*plan.state, kRadixSortName, commands);
  if (count >= kRadixSortMaxKeys) call.refuse("count", "is 2^32 or more: " + std::to_string(count));
  const uint64_t key_bytes = count * size_of(plan.config.key), value_bytes = count * plan.config.value_bytes;
  call.read("keys", args.keys, key_bytes, 4, moves.input.keys)
      .read("values", args.values, value_bytes, 4, moves.input.values)
      .write("keys_out", args.keys_out, key_bytes, 4, moves.output.keys)
      .write("values_out", args.values_out, value_bytes, 4, moves.output.values)
      .scratch(args.scratch, scratch_size(count), scratch)
      .count("count", args.count, push.count, push.count_maximum, push.count_words);
  if (!call.accepted()) return call.status();
  if (count == 0) return {};

  moves.between.keys = scratch + plan.table_bytes(count);
  moves.between.values = moves.between.keys + plan.keys_bytes(count);
  push.keys = moves.input.keys;
  primitives::push_flips(push, plan.config.key, plan.config.order);
  if (plan.sweeps(count)) {
    shader::RadixSortSweepPush sweep_push{};
    primitives::push_flips(sweep_push, plan.config.key, plan.config.order);
    plan.sweep->record(call, count, scratch, moves, push, sweep_push);
  } else {
    plan.form_of(count).record(call, count, scratch, moves, push);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
