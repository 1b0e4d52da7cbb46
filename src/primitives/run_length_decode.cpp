// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include <algorithm>
#include <bit>

#include "primitives/arguments.hpp"
#include "primitives/run_length_decode.h"
#include "runtime/tuning.hpp"

namespace weft {

using primitives::LocatedRange;
using runtime::ContextState;
using runtime::Pipeline;

struct RunLengthDecode::Plan {
  std::shared_ptr<const ContextState> state;
  RunLengthDecodeConfig config;
  uint32_t groups = 0;
  uint32_t tile_runs = 0;
  uint32_t segment_outputs = 0;
  std::shared_ptr<const Pipeline> sums, offsets, expand;

  uint64_t run_tiles(uint64_t count) const { return count / tile_runs + (count % tile_runs != 0 ? 1 : 0); }
};

namespace {

constexpr const char* kName = "RunLengthDecode";
constexpr uint64_t kMaxTiles = uint64_t{1} << 30;
constexpr uint64_t kBeforeBytes = 16;
constexpr uint32_t kMaxSegment = 1 << 14;  // 16 KiB of shared memory hold what belongs to a segment

}  // namespace

Result<RunLengthDecode> RunLengthDecode::create(const Context& context, const RunLengthDecodeConfig& config) {
  const ContextState& state = *context.state();
  if (!std::has_single_bit(config.symbol_bytes) || config.symbol_bytes > 16)
    return Error{ErrorCode::unsupported,
                 "RunLengthDecode: symbols have 1, 2, 4, 8 or 16 bytes, not " + std::to_string(config.symbol_bytes)};
  if (config.length != Type::u32 && config.length != Type::u64)
    return Error{ErrorCode::unsupported,
                 std::string("RunLengthDecode: lengths are u32 or u64, not ") + name_of(config.length)};
  const Result<runtime::Tuning> tuning = runtime::tuning_of(state.traits());
  if (!tuning) return tuning.error();

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->groups = tuning->decode.groups;
  // Kernels shift where they would divide by the tiles' sizes.
  const uint32_t workgroup =
      std::bit_floor(std::min(tuning->decode.workgroup, state.traits().max_workgroup_invocations));
  const uint32_t row_symbols = workgroup * (16 / config.symbol_bytes);
  const uint32_t rows = std::min(std::bit_floor(tuning->decode.rows), kMaxSegment / row_symbols);
  const uint32_t run_vectors = tuning->decode.run_vectors;
  plan->tile_runs = workgroup * run_vectors * 4;
  plan->segment_outputs = rows * row_symbols;

  const uint32_t constants[] = {config.symbol_bytes, rows, size_of(config.length) / 4, run_vectors};
  for (const auto& [pipeline, stem] :
       {std::pair(&plan->sums, "run_length_decode_sums"), std::pair(&plan->offsets, "run_length_decode_offsets"),
        std::pair(&plan->expand, "run_length_decode_expand")}) {
    Result<std::shared_ptr<const Pipeline>> built = state.pipeline(stem, workgroup, constants);
    if (!built) return built.error();
    *pipeline = *std::move(built);
  }
  return RunLengthDecode(std::move(plan));
}

RunLengthDecode::RunLengthDecode(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t RunLengthDecode::tile_runs() const noexcept { return plan_->tile_runs; }

uint32_t RunLengthDecode::segment_outputs() const noexcept { return plan_->segment_outputs; }

VkDeviceSize RunLengthDecode::scratch_size(uint64_t max_count) const noexcept {
  const uint64_t tiles = std::min(plan_->run_tiles(max_count), kMaxTiles);
  return (std::min<uint64_t>(tiles, plan_->groups) + 1 + tiles) * kBeforeBytes;
}

Status RunLengthDecode::record(VkCommandBuffer commands, const RunLengthDecodeArgs& args) const {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint32_t symbol_bytes = plan.config.symbol_bytes;
  const uint64_t symbol_alignment = std::min(symbol_bytes, 4u);
  const uint64_t maximum = args.count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (plan.run_tiles(maximum) >= kMaxTiles)
    return primitives::argument_error(kName, "count", "is more than 2^30 tiles hold: " + std::to_string(maximum));
  if (args.max_output / plan.segment_outputs >= kMaxTiles)
    return primitives::argument_error(kName, "max_output",
                                      "is more than 2^30 tiles hold: " + std::to_string(args.max_output));
  const Result<VkDeviceAddress> count = primitives::locate_count(state, kName, args.count);
  if (!count) return count.error();

  LocatedRange symbols{"symbols", 0, 0}, lengths{"lengths", 0, 0}, output{"output", 0, 0};
  LocatedRange total, status, scratch;
  struct Wanted {
    LocatedRange& located;
    const char* name;
    const BufferRange& range;
    uint64_t bytes, alignment;
    bool written;
  };
  const Wanted wanted[] = {
      {symbols, "symbols", args.symbols, maximum * symbol_bytes, symbol_alignment, false},
      {lengths, "lengths", args.lengths, maximum * size_of(plan.config.length), 4, false},
      {output, "output", args.output, args.max_output * symbol_bytes, symbol_alignment, true},
      {total, "total", args.total, 8, 4, true},
      {status, "status", args.status, 4, 4, true},
      {scratch, "scratch", args.scratch, scratch_size(maximum), 16, true},
  };
  for (const Wanted& want : wanted) {
    if (want.bytes == 0) continue;
    const Result<LocatedRange> located =
        primitives::locate(state, kName, want.name, want.range, want.bytes, want.alignment);
    if (!located) return located.error();
    want.located = *located;
  }
  const LocatedRange count_range{"count", *count, args.count.is_on_device() ? args.count.range().size : 0};
  for (const Wanted& want : wanted) {
    if (!want.written) continue;
    for (const Wanted& other : wanted) {
      if (&other == &want) break;
      if (primitives::overlap(want.located, other.located))
        return primitives::argument_error(kName, want.name, std::string("overlaps ") + other.name);
    }
    if (primitives::overlap(count_range, want.located))
      return primitives::argument_error(kName, "count", std::string("overlaps ") + want.name);
  }

  const uint64_t run_tiles = plan.run_tiles(maximum);
  const uint64_t tiles_per_span = std::bit_ceil(std::max<uint64_t>(1, (run_tiles + plan.groups - 1) / plan.groups));
  const uint32_t spans = static_cast<uint32_t>((run_tiles + tiles_per_span - 1) / tiles_per_span);
  shader::RunLengthDecodePush push{};
  push.symbols = symbols.address;
  push.lengths = lengths.address;
  push.outputs = output.address;
  push.total = total.address;
  push.status = status.address;
  push.before = scratch.address;
  push.count = *count;
  push.count_value = maximum;
  push.max_output = args.max_output;
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  // Symbols of 8 and 16 bytes that lie across boundaries of their size are stored by words.
  if (output.address % symbol_bytes == 0) push.head = primitives::head_items(output.address, 16, symbol_bytes);
  push.span_shift = static_cast<uint32_t>(std::countr_zero(tiles_per_span));
  push.spans = spans;

  if (spans != 0) {
    primitives::dispatch(state, commands, *plan.sums, push, {spans, 1});
    primitives::barrier_between(state, commands);
  }
  primitives::dispatch(state, commands, *plan.offsets, push, {1, 1});
  if (spans != 0 && args.max_output != 0) {
    // In front of each extra segment lies a full one.
    const uint64_t segments = run_tiles + args.max_output / plan.segment_outputs;
    primitives::barrier_between(state, commands);
    primitives::dispatch(state, commands, *plan.expand, push,
                         primitives::dispatch_size(segments, state.traits().max_workgroup_count_x));
  }
  return {};
}

}  // namespace weft
