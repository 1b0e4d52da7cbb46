// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_encode.hpp>

#include "primitives/core/arguments.hpp"
#include "primitives/select/compaction.hpp"
#include "runtime/kernel_families.hpp"
#include "select/run_length_encode.h"

namespace weft {

using primitives::Compaction;
using runtime::ContextState;

struct RunLengthEncode::Plan {
  std::shared_ptr<const ContextState> state;
  RunLengthEncodeConfig config;
  Compaction pass;
  uint32_t symbol_bytes = 0;
  bool has_vectors = true;  // structs are loaded one by one, and begin anywhere
};

namespace {

constexpr const char* kRunLengthEncodeName = "RunLengthEncode";
constexpr const char* kStem = "run_length_encode";

}  // namespace

Result<RunLengthEncode> RunLengthEncode::create(const Context& context, const RunLengthEncodeConfig& config) noexcept
    try {
  if (config.length != Type::u32 && config.length != Type::u64)
    return Error{ErrorCode::unsupported, std::string(kRunLengthEncodeName) +
                                             ": lengths and offsets are u32 or u64, not " + name_of(config.length)};
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (own != nullptr) {
    if (const Status status = primitives::check_own_kernels(kRunLengthEncodeName, *own, kStem); !status)
      return status.error();
  }
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->symbol_bytes = own != nullptr ? own->item_bytes() : size_of(config.symbol);
  plan->has_vectors = plan->symbol_bytes <= 8;

  const uint32_t bytes = plan->symbol_bytes;
  const uint32_t length_words = !config.lengths && !config.offsets ? 0 : config.length == Type::u64 ? 2 : 1;
  const uint32_t moves = (config.symbols ? shader::kMoveTested : 0) | (config.lengths ? shader::kMoveLengths : 0) |
                         (config.offsets ? shader::kMoveOffsets : 0) |
                         (config.non_trivial ? shader::kMoveNonTrivial : 0);
  primitives::PipelineBuilder builder(*context.state(), runtime::kernels::run_length_encode(), 0, own);
  builder.set(shader::select::kTest, shader::kTestRunHead)
      .set(shader::select::kOrder, shader::kOrderUnsigned)
      .set(shader::select::kMove, moves)
      .set(shader::select::kMovedBytes, 4)
      .set(shader::select::kIndexWords, length_words)
      .set(shader::select::kTwoPartitions, false)
      .set(shader::select::kStride, bytes)
      .set(shader::select::kMember, 0)
      .set(shader::select::kMemberBytes, bytes);
  const char* symbol = bytes == 1 ? "u8" : bytes == 2 ? "u16" : bytes == 4 ? "u32" : "u32x2";
  Result<Compaction> pass = Compaction::create(context, builder,
                                               {.stem = kStem,
                                                .types = std::string(".") + (own != nullptr ? "own" : symbol) + ".runs",
                                                .strategy = config.strategy,
                                                .vector_items = plan->has_vectors ? 16 / bytes : 1,
                                                .vector_bytes = plan->has_vectors ? 16 : bytes,
                                                .direct = plan->has_vectors && bytes >= 4,
                                                .accumulator_words = 2});
  if (!pass) return pass.error();
  plan->pass = *std::move(pass);
  return RunLengthEncode(std::move(plan));
} catch (...) {
  return runtime::caught();
}

RunLengthEncode::RunLengthEncode(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

VkDeviceSize RunLengthEncode::scratch_size(uint64_t max_count) const noexcept {
  return plan_->pass.scratch_size(max_count);
}

Strategy RunLengthEncode::strategy() const noexcept { return plan_->pass.strategy(); }

uint32_t RunLengthEncode::tile_items() const noexcept { return plan_->pass.tile_items(); }

Status RunLengthEncode::record(VkCommandBuffer commands, const RunLengthEncodeArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t maximum = args.count.maximum();
  const uint32_t bytes = plan.symbol_bytes;
  const uint32_t alignment = primitives::alignment_of(bytes);
  const uint32_t length_bytes = size_of(plan.config.length);
  const uint64_t runs = plan.config.non_trivial ? maximum / 2 : maximum;

  shader::RunLengthEncodePush push{};
  uint32_t count_words = 0;
  primitives::RecordCall call(*plan.state, kRunLengthEncodeName, commands);
  plan.pass.check_count(call, maximum);
  call.count("count", args.count, push.count, push.count_value, count_words)
      .dispatch_arguments("dispatch", args.dispatch, runs, args.items_per_workgroup, push.indices_2, push.out_2)
      .counts("run_count", args.run_count, 1, push.counts)
      .scratch(args.scratch, scratch_size(maximum), push.scratch)
      .read("input", args.input, maximum * bytes, alignment, push.items)
      .write("symbols", args.symbols, plan.config.symbols ? runs * bytes : 0, alignment, push.out_0)
      .write("lengths", args.lengths, plan.config.lengths ? runs * length_bytes : 0, 4, push.indices_0)
      .write("offsets", args.offsets, plan.config.offsets ? runs * length_bytes : 0, 4, push.indices_1);
  if (!call.accepted()) return call.status();

  if (plan.config.own_kernels) {
    push.low = args.a.bits;
    push.span = args.b.bits;
  }
  const uint32_t head = plan.has_vectors ? primitives::head_items(push.items, 16, bytes) : 0;
  push.flags = (count_words == 2 ? shader::kSelectCountIsWide : 0) |
               (args.run_count.size == 8 ? shader::kSelectCountsAreWide : 0) | head << 8;
  plan.pass.record(call, push, maximum, head);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
