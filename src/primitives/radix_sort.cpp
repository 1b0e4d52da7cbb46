// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/radix_sort.hpp>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "primitives/arguments.hpp"
#include "primitives/radix_passes.hpp"
#include "primitives/radix_sort.h"
#include "primitives/search_keys.hpp"
#include "runtime/tuning.hpp"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

namespace {

// The passes in one size of tiles.
struct Form {
  primitives::RadixSizes sizes;
  uint32_t groups = 0;
  std::shared_ptr<const Pipeline> upsweep, scan, downsweep;

  uint32_t bins() const { return 1u << sizes.digit_bits; }
  uint64_t tiles(uint64_t count) const { return count / sizes.tile_keys + (count % sizes.tile_keys != 0 ? 1 : 0); }
  /// Workgroups of upsweep and downsweep. They take turns of a bounded length, whatever the tuning says.
  uint32_t groups_of(uint64_t count) const;
  uint64_t table_bytes(uint64_t count) const;
};

}  // namespace

struct RadixSort::Plan {
  std::shared_ptr<const ContextState> state;
  RadixSortConfig config;      // end_bit is not 0 where it stands for all
  uint32_t direct_groups = 0;  // up to so many the downsweep sums the table itself

  Form few;
  std::optional<Form> many;  // for calls on at least many_from keys
  uint64_t many_from = 0;

  const Form& form_of(uint64_t count) const { return many && count >= many_from ? *many : few; }
  /// What scratch begins with: the table and the totals, of whichever form has more.
  uint64_t table_bytes(uint64_t count) const {
    return std::max(few.table_bytes(count), many ? many->table_bytes(count) : uint64_t{0});
  }
  uint64_t keys_bytes(uint64_t count) const;
};

namespace {

constexpr const char* kName = "RadixSort";
constexpr uint64_t kMaxKeys = uint64_t{1} << 32;  // a call takes fewer
constexpr uint32_t kMaxGroups = 65535;
constexpr uint64_t kMaxTilesOfGroup = 16384;
constexpr uint32_t kScanWorkgroup = 256;

}  // namespace

uint32_t Form::groups_of(uint64_t count) const {
  const uint64_t all = tiles(count);
  const uint64_t wanted = std::clamp<uint64_t>(all / kMaxTilesOfGroup + 1, groups, kMaxGroups);
  return static_cast<uint32_t>(std::clamp<uint64_t>(all, 1, wanted));
}

uint64_t Form::table_bytes(uint64_t count) const {
  return uint64_t{bins()} * 4 * ((groups_of(count) + 3) / 4 * 4 + 1) + 16;
}

uint64_t RadixSort::Plan::keys_bytes(uint64_t count) const {
  return primitives::in_vectors(count * size_of(config.key));
}

Result<RadixSort> RadixSort::create(const Context& context, const RadixSortConfig& config) {
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
  const Result<runtime::Tuning> tunings = runtime::tuning_of(state.traits());
  if (!tunings) return tunings.error();
  const runtime::RadixSortTuning& tuning = tunings->radix_sort;

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->config.end_bit = end_bit;
  plan->direct_groups = tuning.direct_groups;

  const uint32_t flips = primitives::key_flips(config.key, config.order).any() ? 1 : 0;
  Status status;
  const auto build = [&](const primitives::RadixSizes& sizes, std::shared_ptr<const Pipeline>& pipeline,
                         const char* kernel, uint32_t size, std::initializer_list<uint32_t> more) {
    if (!status) return;
    std::vector<uint32_t> constants = {key_bytes / 4, sizes.digit_bits, sizes.tile_keys, flips};
    constants.insert(constants.end(), more);
    Result<std::shared_ptr<const Pipeline>> built = state.pipeline(kernel, size, constants);
    if (built)
      pipeline = *std::move(built);
    else
      status = built.error();
  };
  const uint32_t limit = state.traits().max_workgroup_invocations;
  const auto build_form = [&](Form& form, const runtime::RadixSortTuning& of_form) {
    form.groups = of_form.groups;
    form.sizes = primitives::radix_sizes(state, of_form, key_bytes, config.value_bytes, end_bit - config.begin_bit);
    build(form.sizes, form.upsweep, "radix_sort_upsweep", std::min(of_form.count_workgroup, limit),
          {std::bit_floor(of_form.copies)});
    build(form.sizes, form.scan, "radix_sort_scan", kScanWorkgroup, {});
    build(form.sizes, form.downsweep, "radix_sort_downsweep", form.sizes.workgroup,
          {form.sizes.rows, config.value_bytes / 4, form.sizes.part_rows});
  };
  build_form(plan->few, tuning);
  if (config.value_bytes != 0 && tuning.many_pairs != 0) {
    runtime::RadixSortTuning of_many = tuning;
    of_many.workgroup = tuning.many_workgroup;
    of_many.part_words = tuning.many_part_words;
    plan->many_from = tuning.many_pairs;
    build_form(plan->many.emplace(), of_many);
  }
  if (!status) return status.error();
  return RadixSort(std::move(plan));
}

RadixSort::RadixSort(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t RadixSort::tile_keys() const noexcept { return plan_->few.sizes.tile_keys; }

VkDeviceSize RadixSort::scratch_size(uint64_t max_count) const noexcept {
  // No call takes more.
  const uint64_t count = std::min(max_count, kMaxKeys - 1);
  return plan_->table_bytes(count) +
         (std::max(plan_->few.sizes.passes, plan_->many ? plan_->many->sizes.passes : 0) > 1
              ? plan_->keys_bytes(count) + primitives::in_vectors(count * plan_->config.value_bytes)
              : 0);
}

Status RadixSort::record(VkCommandBuffer commands, const RadixSortArgs& args) const {
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

  const Form& form = plan.form_of(count);
  const uint32_t groups = form.groups_of(count), passes = form.sizes.passes;
  push.table = scratch;
  push.groups = groups;
  push.table_row = (groups + 3) / 4 * 4;
  if (groups > plan.direct_groups) push.totals = scratch + uint64_t{form.bins()} * 4 * push.table_row;
  between.keys = scratch + plan.table_bytes(count);
  between.values = between.keys + plan.keys_bytes(count);
  push.count_maximum = static_cast<uint32_t>(count);
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  primitives::push_flips(push, plan.config.key, plan.config.order);

  const uint32_t bits = plan.config.end_bit - plan.config.begin_bit;
  Place from = input;
  for (uint32_t pass = 0; pass < passes; ++pass) {
    const Place to = (passes - 1 - pass) % 2 == 0 ? output : between;
    primitives::push_digit(push, plan.config.begin_bit, bits, pass, passes);
    push.keys = from.keys;
    push.values = from.values;
    push.keys_out = to.keys;
    push.values_out = to.values;
    from = to;
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
}

}  // namespace weft
