// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/adjacent_difference.hpp>

#include <algorithm>

#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "runtime/kernel_families.hpp"
#include "runtime/tuning.hpp"
#include "scan/adjacent_difference.h"
#include "weft/tile.h"

namespace weft {

using runtime::ContextState;

struct AdjacentDifference::Plan {
  std::shared_ptr<const ContextState> state;
  uint32_t item_bytes = 0;
  uint32_t tile_items = 0;
  std::shared_ptr<const runtime::Pipeline> differences;
};

namespace {

constexpr const char* kAdjacentDifferenceName = "AdjacentDifference";
constexpr uint64_t kAdjacentDifferenceMaxTiles = uint64_t{1} << 31;
constexpr uint32_t kVectorBytes = 16;

struct Tuning {
  uint32_t workgroup = 256;
  uint32_t rows = 2;  ///< vectors of 16 bytes that a lane has of a tile
};
constexpr runtime::TuningKey<Tuning> kTuningKeys[] = {{"workgroup", &Tuning::workgroup, 128, 1024},
                                                      {"rows", &Tuning::rows, 1, 8}};
const runtime::TuningTable<Tuning> adjacent_difference_tuning("adjacent_difference", kTuningKeys,
                                                              {.cpu = {.workgroup = 128, .rows = 4}});

/// Integers of a size have one kernel.
const char* kernel_type(Type item) {
  switch (item) {
    case Type::i32: return name_of(Type::u32);
    case Type::u64:
    case Type::i64: return name_of(Type::u32x2);
    default: return name_of(item);
  }
}

}  // namespace

const char* name_of(Neighbour neighbour) noexcept { return neighbour == Neighbour::left ? "left" : "right"; }

Result<AdjacentDifference> AdjacentDifference::create(const Context& context,
                                                      const AdjacentDifferenceConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (config.item == Type::u32x2) return Error{ErrorCode::unsupported, "AdjacentDifference: u32x2 has no difference"};
  if (config.item == Type::f64)
    if (const Status status = state.check_type(config.item); !status) return status.error();

  Tuning tuning = adjacent_difference_tuning.of(state);
  tuning.workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->item_bytes = size_of(config.item);
  plan->tile_items = tuning.workgroup * tuning.rows * kVectorBytes / plan->item_bytes;
  const std::string type = kernel_type(config.item);
  primitives::PipelineBuilder builder(state, runtime::kernels::adjacent_difference(), tuning.workgroup);
  builder.set(shader::tile::kRows, tuning.rows)
      .set(shader::adjacent_difference::kRight, config.neighbour == Neighbour::right)
      .build(plan->differences, "adjacent_difference." + type + "." + type);
  if (!builder.status()) return builder.status().error();
  return AdjacentDifference(std::move(plan));
} catch (...) {
  return runtime::caught();
}

AdjacentDifference::AdjacentDifference(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t AdjacentDifference::tile_items() const noexcept { return plan_->tile_items; }

Status AdjacentDifference::record(VkCommandBuffer commands, const AdjacentDifferenceArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t maximum = args.count.maximum();
  const uint32_t alignment = std::min(plan.item_bytes, 4u);

  shader::AdjacentDifferencePush push{};
  primitives::RecordCall call(*plan.state, kAdjacentDifferenceName, commands);
  if (maximum / plan.tile_items >= kAdjacentDifferenceMaxTiles)
    call.refuse("count", "is more than 2^31 tiles hold: " + std::to_string(maximum));
  call.read("input", args.input, maximum * plan.item_bytes, alignment, push.items)
      .write("output", args.output, maximum * plan.item_bytes, alignment, push.outputs)
      .count("count", args.count, push.count, push.count_value, push.count_words);
  if (!call.accepted()) return call.status();
  if (maximum == 0) return {};

  push.head = primitives::head_items(push.items, kVectorBytes, plan.item_bytes);
  call.dispatch(*plan.differences, push, (maximum + push.head + plan.tile_items - 1) / plan.tile_items);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
