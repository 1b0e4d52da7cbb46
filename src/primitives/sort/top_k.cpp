// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/top_k.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "primitives/core/prefix_pass.hpp"
#include "primitives/sort/radix_passes.hpp"
#include "runtime/kernel_families.hpp"
#include "runtime/tuning.hpp"
#include "sort/top_k.h"

namespace weft {

using primitives::PrefixPass;
using runtime::ContextState;
using runtime::Pipeline;

namespace {

constexpr const char* kTopKName = "TopK";
constexpr uint64_t kTopKMaxKeys = uint64_t{1} << 32;  // a call takes fewer
constexpr uint32_t kDigitBits = 8;
constexpr uint32_t kBins = 1u << kDigitBits;
constexpr uint32_t kCountRows = 8;      // as in top_k.comp
constexpr uint64_t kGatheredShare = 8;  // candidates are gathered once they are one key of so many

struct TopKTuning {
  uint32_t workgroup = 256;
  uint32_t groups = 1024;          ///< at most this many workgroups count; in the pass that moves keys as in ScanTuning
  uint32_t count_workgroup = 256;  ///< of the dispatches that count digits
  uint32_t copies = 8;             ///< of each counter there: a power of two, at most 8
  uint32_t spin_limit = 256;       ///< as in ScanTuning
  uint32_t small_kib = 0;          ///< likewise
};

constexpr runtime::TuningKey<TopKTuning> kTopKTuningKeys[] = {
    {"workgroup", &TopKTuning::workgroup, 128, 1024},
    {"groups", &TopKTuning::groups, 1, 65535},
    {"count_workgroup", &TopKTuning::count_workgroup, 128, 1024},
    {"copies", &TopKTuning::copies, 1, 8},
    {"spin_limit", &TopKTuning::spin_limit, 1, 1u << 20},
    {"small_kib", &TopKTuning::small_kib, 0, 1u << 20},
};

const runtime::TuningTable<TopKTuning> top_k_tuning(
    "top_k", kTopKTuningKeys,
    {.cpu = {.workgroup = 128, .groups = 64, .count_workgroup = 128, .copies = 1, .spin_limit = 4},
     .nvidia = {.groups = 528, .count_workgroup = 512, .small_kib = 8192}});

}  // namespace

struct TopK::Plan {
  std::shared_ptr<const ContextState> state;
  TopKConfig config;
  uint32_t passes = 0, groups = 0, count_tile = 0;
  primitives::ClearPass clear;
  std::shared_ptr<const Pipeline> count;
  PrefixPass move;

  // Scratch: states, counters of all passes, gathered keys, and that of the pass that moves keys.
  uint64_t bins_at() const { return uint64_t{passes + 1} * sizeof(shader::TopKState); }
  uint64_t gathered_at() const { return bins_at() + uint64_t{passes} * kBins * 4; }
  uint32_t capacity(uint64_t items) const { return static_cast<uint32_t>(items / kGatheredShare); }
  uint64_t move_at(uint64_t items) const {
    return gathered_at() + primitives::in_vectors(capacity(items) * uint64_t{size_of(config.key)});
  }
};

Result<TopK> TopK::create(const Context& context, const TopKConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (const Status status = primitives::check_radix_config(kTopKName, config.key, config.value_bytes); !status)
    return status.error();
  if (config.positions && config.value_bytes != 4)
    return Error{ErrorCode::unsupported,
                 "TopK: positions are values of 4 bytes, not " + std::to_string(config.value_bytes)};
  const TopKTuning tuning = top_k_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  const uint32_t key_bytes = size_of(config.key);
  plan->passes = 8 * key_bytes / kDigitBits;
  const uint32_t workgroup = std::min(tuning.count_workgroup, state.traits().max_workgroup_invocations);
  plan->count_tile = workgroup * kCountRows;
  plan->groups = tuning.groups;
  primitives::PipelineBuilder builder(state, runtime::kernels::top_k(), workgroup);
  builder.set(shader::top_k::kKeyWords, key_bytes / 4)
      .set(shader::top_k::kFlips, primitives::key_flips(config.key, config.order).any())
      .set(shader::top_k::kValueWords, config.value_bytes / 4)
      .set(shader::top_k::kDigitBits, kDigitBits)
      .set(shader::top_k::kCopies, std::bit_floor(tuning.copies))
      .build(plan->count, "top_k_count");
  if (!builder.status()) return builder.status().error();
  if (const Status status = plan->clear.create(state); !status) return status.error();
  Result<PrefixPass> move = PrefixPass::create(context, builder,
                                               {.strategy = config.strategy,
                                                .look_back = "top_k_look_back.u32.counts",
                                                .upsweep = "top_k_upsweep.u32.counts",
                                                .downsweep = "top_k_downsweep.u32.counts",
                                                .input_bytes = key_bytes,
                                                .value_bytes = 8,
                                                .value_counts = true,
                                                .workgroup = tuning.workgroup,
                                                .rows = 16,
                                                .groups = tuning.groups,
                                                .spin_limit = tuning.spin_limit,
                                                .small_kib = tuning.small_kib,
                                                .small_rows = 8});
  if (!move) return move.error();
  plan->move = *std::move(move);
  return TopK(std::move(plan));
} catch (...) {
  return runtime::caught();
}

TopK::TopK(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy TopK::strategy() const noexcept { return plan_->move.strategy(); }

uint32_t TopK::tile_keys() const noexcept { return plan_->move.tile_items(); }

VkDeviceSize TopK::scratch_size(uint64_t max_count) const noexcept {
  // No call takes more.
  const uint64_t count = std::min(max_count, kTopKMaxKeys - 1);
  return plan_->move_at(count) + plan_->move.scratch_size(count);
}

Status TopK::record(VkCommandBuffer commands, const TopKArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t count = args.count.maximum(), found = std::min<uint64_t>(args.k, count);
  const uint64_t key_bytes = size_of(plan.config.key), value_bytes = plan.config.value_bytes;

  shader::TopKPush push{};
  VkDeviceAddress scratch = 0;
  primitives::RecordCall call(*plan.state, kTopKName, commands);
  if (count >= kTopKMaxKeys) call.refuse("count", "is 2^32 or more: " + std::to_string(count));
  call.read("keys", args.keys, count * key_bytes, 4, push.keys)
      .read("values", args.values, plan.config.positions ? 0 : count * value_bytes, 4, push.values)
      .write("keys_out", args.keys_out, found * key_bytes, 4, push.keys_out)
      .write("values_out", args.values_out, found * value_bytes, 4, push.values_out)
      .scratch(args.scratch, found == 0 ? 0 : scratch_size(count), scratch)
      .count("count", args.count, push.count, push.count_maximum, push.count_words);
  if (!call.accepted()) return call.status();
  if (found == 0) return {};

  primitives::push_flips(push, plan.config.key, plan.config.order);
  push.k = args.k;
  push.state = scratch + uint64_t{plan.passes} * sizeof(shader::TopKState);

  shader::TopKCountPush counting{};
  counting.keys = push.keys;
  counting.count = push.count;
  counting.count_maximum = push.count_maximum;
  counting.count_words = push.count_words;
  counting.candidates = scratch + plan.gathered_at();
  counting.capacity = plan.capacity(count);
  counting.k = args.k;
  primitives::push_flips(counting, plan.config.key, plan.config.order);
  const uint64_t groups = std::min<uint64_t>(plan.groups, primitives::divided_up(count, plan.count_tile));

  plan.clear.record(call, scratch, plan.gathered_at());
  for (uint32_t pass = 0; pass <= plan.passes; ++pass) {
    const bool counts = pass < plan.passes;
    counting.state = scratch + pass * sizeof(shader::TopKState);
    counting.bins = scratch + plan.bins_at() + uint64_t{pass} * kBins * 4;
    counting.first_pass = pass == 0;
    counting.last_shift = counting.shift;
    counting.shift = counts ? 8 * static_cast<uint32_t>(key_bytes) - (pass + 1) * kDigitBits : 0;
    counting.digit_mask = counts ? kBins - 1 : 0;
    call.barrier();
    call.dispatch(*plan.count, counting, counts ? groups : 1);
  }
  call.barrier();

  const auto push_of = [&](const PrefixPass::Chunk& chunk) {
    chunk.set(push);
    return push;
  };
  plan.move.record(call, count, 0, scratch + plan.move_at(count), push_of, push_of);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
