// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_encode.hpp>

#include <algorithm>

#include "primitives/core/arguments.hpp"
#include "primitives/core/look_back_faults.hpp"
#include "primitives/select/chunked_pass.hpp"
#include "runtime/kernel_families.hpp"
#include "select/run_length_encode.h"

namespace weft {

using primitives::argument_error;
using primitives::ChunkedPass;
using runtime::ContextState;

struct RunLengthEncode::Plan {
  std::shared_ptr<const ContextState> state;
  RunLengthEncodeConfig config;
  ChunkedPass pass;
  uint32_t symbol_bytes = 0;
  bool has_vectors = true;  // structs are loaded one by one, and begin anywhere
};

namespace {

constexpr const char* kName = "RunLengthEncode";
constexpr const char* kStem = "run_length_encode";

// Of select_tile.glsl.
constexpr uint32_t kTestRunHead = 2, kOrderUnsigned = 0;
constexpr uint32_t kMoveTested = 1;
// Of run_length_encode_tile.glsl.
constexpr uint32_t kMoveLengths = 4;
constexpr uint32_t kMoveOffsets = 8;
constexpr uint32_t kNonTrivial = 16;

}  // namespace

Result<RunLengthEncode> RunLengthEncode::create(const Context& context, const RunLengthEncodeConfig& config) noexcept
    try {
  return create(context, config, 0);
} catch (...) {
  return runtime::caught();
}

Result<RunLengthEncode> RunLengthEncode::create(const Context& context, const RunLengthEncodeConfig& config,
                                                uint32_t fault) {
  if (config.length != Type::u32 && config.length != Type::u64)
    return Error{ErrorCode::unsupported,
                 std::string(kName) + ": lengths and offsets are u32 or u64, not " + name_of(config.length)};
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (own != nullptr) {
    if (const Status status = primitives::check_own_kernels(kName, *own, kStem); !status) return status.error();
  }
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->symbol_bytes = own != nullptr ? own->item_bytes() : size_of(config.symbol);
  plan->has_vectors = plan->symbol_bytes <= 8;

  const uint32_t bytes = plan->symbol_bytes;
  ChunkedPass::Config pass;
  pass.kernels = &runtime::kernels::run_length_encode();
  pass.stem = kStem;
  const char* symbol = bytes == 1 ? "u8" : bytes == 2 ? "u16" : bytes == 4 ? "u32" : "u32x2";
  pass.types = std::string(".") + (own != nullptr ? "own" : symbol) + ".runs";
  pass.strategy = config.strategy;
  pass.vector_items = plan->has_vectors ? 16 / bytes : 1;
  pass.vector_bytes = plan->has_vectors ? 16 : bytes;
  pass.direct = plan->has_vectors && bytes >= 4;
  pass.accumulator_words = 2;
  const uint32_t length_words = !config.lengths && !config.offsets ? 0 : config.length == Type::u64 ? 2 : 1;
  const uint32_t moves = (config.symbols ? kMoveTested : 0) | (config.lengths ? kMoveLengths : 0) |
                         (config.offsets ? kMoveOffsets : 0) | (config.non_trivial ? kNonTrivial : 0);
  pass.constants = {kTestRunHead, kOrderUnsigned, moves, 4, length_words};
  // Of structs: two sides, stride, where what is compared begins, and its bytes.
  if (!plan->has_vectors) pass.constants.insert(pass.constants.end(), {0, bytes, 0, bytes});
  pass.fault = fault;
  pass.own = own;
  Result<ChunkedPass> made = ChunkedPass::create(context.state(), pass);
  if (!made) return made.error();
  plan->pass = *std::move(made);
  return RunLengthEncode(std::move(plan));
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
  const uint32_t alignment = std::min(bytes, 4u);
  const uint32_t length_bytes = size_of(plan.config.length);
  if (commands == VK_NULL_HANDLE) return argument_error(kName, "commands", "is null");
  if (maximum / plan.pass.tile_items() >= ChunkedPass::kMaxTiles - 1)
    return argument_error(kName, "count", "is more than 2^31 tiles hold: " + std::to_string(maximum));

  primitives::RangeChecks ranges(*plan.state, kName);
  shader::RunLengthEncodePush push{};
  push.count_value = maximum;
  push.count = ranges.count(args.count);
  push.counts = ranges.counts("run_count", args.run_count, 1);
  push.scratch = ranges.scratch(args.scratch, scratch_size(maximum));
  if (maximum != 0) {
    push.items = ranges.read("input", args.input, maximum * bytes, alignment);
  }
  if (const uint64_t runs = plan.config.non_trivial ? maximum / 2 : maximum; runs != 0) {
    if (plan.config.symbols) push.out_0 = ranges.write("symbols", args.symbols, runs * bytes, alignment);
    if (plan.config.lengths) push.indices_0 = ranges.write("lengths", args.lengths, runs * length_bytes, 4);
    if (plan.config.offsets) push.indices_1 = ranges.write("offsets", args.offsets, runs * length_bytes, 4);
  }
  if (Status status = ranges.finish(); !status) return status;

  if (plan.config.own_kernels) {
    push.low = args.a.bits;
    push.span = args.b.bits;
  }
  const uint32_t head = plan.has_vectors ? primitives::head_items(push.items, 16, bytes) : 0;
  push.flags = (args.count.range().size == 8 ? shader::kSelectCountIsWide : 0) |
               (args.run_count.size == 8 ? shader::kSelectCountsAreWide : 0) | head << 8;
  plan.pass.record(commands, push, maximum, head, push.scratch);
  return {};
} catch (...) {
  return runtime::caught();
}

namespace primitives {

Result<RunLengthEncode> create_run_length_encode_with_fault(const Context& context, const RunLengthEncodeConfig& config,
                                                            const LookBackFault& fault) {
  return RunLengthEncodeWithFault::create(context, config, static_cast<uint32_t>(fault.kind) | fault.every << 8);
}

}  // namespace primitives
}  // namespace weft
