// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan.hpp>

#include <algorithm>

#include "core/look_back.h"
#include "primitives/core/arguments.hpp"
#include "primitives/core/look_back_faults.hpp"
#include "primitives/scan/scan_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "scan/reduce.h"
#include "scan/scan.h"

namespace weft {

using primitives::LocatedRange;
using runtime::ContextState;
using runtime::Pipeline;

struct Scan::Plan {
  std::shared_ptr<const ContextState> state;
  ScanConfig config;  // strategy resolved
  primitives::ScanTuning tuning;
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  uint32_t register_bytes = 0;  // of an accumulator in partials and tile states
  uint32_t vector_items = 0;
  uint32_t tile_items = 0;
  uint32_t state_bytes = 0;  // look_back: of a tile state
  uint32_t block_tiles = 0;  // look_back: tiles of a block
  uint64_t small_items = 0;  // up to this many take reduce_then_scan although the strategy is look_back
  std::shared_ptr<const Pipeline> reset, look_back, fallback, upsweep, downsweep;

  /// Scratch of a look-back over `tiles` that is cleared first, as in weft/look_back.glsl: counters, states of tiles and blocks.
  /// After it a word per tile for those deferred.
  uint64_t look_back_bytes(uint64_t tiles) const {
    const uint64_t blocks = (tiles + block_tiles - 1) / block_tiles;
    return 16 + primitives::in_vectors((tiles + 2 * blocks) * state_bytes);
  }

  uint64_t partials_bytes(uint64_t tiles) const {
    return primitives::in_vectors(std::min<uint64_t>(tiles, tuning.groups) * register_bytes);
  }

  bool uses_look_back(uint64_t count) const { return config.strategy == Strategy::look_back && count > small_items; }

  uint32_t lag_tiles() const {
    return std::max(1u, tuning.lag_kib * 1024 / (tile_items * (item_bytes + accumulator_bytes)));
  }

  uint64_t tiles(uint64_t count, uint32_t head) const { return (count + head + tile_items - 1) / tile_items; }
};

namespace {

constexpr const char* kName = "Scan";
constexpr uint64_t kMaxTiles = uint64_t{1} << 31;
constexpr uint32_t kResetWorkgroup = 256;
// The fallback pass: so many tiles a workgroup if all are deferred, so that its loops stay short, and no fewer workgroups than this.
constexpr uint32_t kFallbackTiles = 64;
constexpr uint32_t kFallbackWorkgroups = 32;

// Without scratch in use the declared size still is not 0, so that callers need no special case.
constexpr VkDeviceSize kLeastScratch = 16;

Status check_config(const ContextState& state, const ScanConfig& config) {
  if (config.own_kernels) return primitives::check_own_kernels(kName, *config.own_kernels, "scan");
  if (config.op == Op::arg_min || config.op == Op::arg_max)
    return Error{ErrorCode::unsupported, "Scan: arg_min and arg_max are operators of Reduce"};
  if (Status status = primitives::check_operator(kName, config.op, config.item, config.accumulator); !status)
    return status;
  for (const Type type : {config.item, config.accumulator})
    if (Status status = state.check_type(type); !status) return status;
  return {};
}

}  // namespace

const char* name_of(ScanKind kind) noexcept { return kind == ScanKind::exclusive ? "exclusive" : "inclusive"; }

Result<Scan> Scan::create(const Context& context, const ScanConfig& config) noexcept try {
  return create(context, config, 0);
} catch (...) {
  return runtime::caught();
}

Result<Scan> Scan::create(const Context& context, const ScanConfig& config, uint32_t fault) {
  const ContextState& state = *context.state();
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (const Status status = check_config(state, config); !status) return status.error();

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->tuning = primitives::scan_tuning.of(state);
  plan->item_bytes = own != nullptr ? own->item_bytes() : size_of(config.item);
  plan->accumulator_bytes = own != nullptr ? own->accumulator_bytes() : size_of(config.accumulator);
  plan->register_bytes = own != nullptr ? own->accumulator_bytes() : primitives::register_bytes(config.accumulator);
  if (config.strategy == Strategy::automatic) {
    plan->config.strategy = state.strategy();
    if (state.strategy() == Strategy::look_back && !state.strategy_is_forced()) {
      plan->small_items = uint64_t{1024} * plan->tuning.small_kib / plan->item_bytes;
    }
  }
  if (plan->accumulator_bytes >= 8 || plan->accumulator_bytes > plan->item_bytes)
    plan->tuning.rows = plan->tuning.rows_wide;
  plan->tuning.workgroup = std::min(plan->tuning.workgroup, state.traits().max_workgroup_invocations);
  plan->vector_items = own != nullptr ? primitives::own_vector_items(plan->item_bytes, plan->accumulator_bytes)
                                      : 16 / std::max(plan->item_bytes, plan->accumulator_bytes);
  // A tile is held in registers: as many words a lane as the widest of weft's own.
  if (own != nullptr)
    plan->tuning.rows = std::min(plan->tuning.rows, 128 / std::max(16u, plan->vector_items * plan->accumulator_bytes));
  plan->tile_items = plan->tuning.workgroup * plan->tuning.rows * plan->vector_items;

  const std::string types =
      own != nullptr ? ".own.own" : std::string(".") + name_of(config.item) + "." + name_of(config.accumulator);
  const uint32_t constants[] = {own != nullptr ? 0u : static_cast<uint32_t>(config.op), plan->tuning.rows,
                                config.kind == ScanKind::inclusive ? 1u : 0u, plan->tuning.spin_limit, fault};
  const auto build = [&](std::shared_ptr<const Pipeline>& pipeline, const PackedKernels& kernels,
                         const std::string& kernel, uint32_t workgroup, std::span<const uint32_t> values,
                         const KernelSet* set) -> Status {
    Result<std::shared_ptr<const Pipeline>> built = state.pipeline(kernels, kernel, workgroup, values, set);
    if (!built) return built.error();
    pipeline = *std::move(built);
    return {};
  };

  Status status;
  if (plan->config.strategy == Strategy::look_back) {
    // kFallbackPass of weft/look_back.glsl.
    const uint32_t fallback_constants[] = {constants[0], constants[1], constants[2], 0, fault};
    // As in weft/look_back.glsl: 32 bits of value and a flag in 64.
    plan->state_bytes = 2 * plan->register_bytes;
    plan->block_tiles = state.subgroup_backend() == SubgroupBackend::native ? state.subgroup_size() : 1;
    status = state.check_look_back();
    if (status)
      status = build(plan->reset, runtime::kernels::look_back(), "look_back_reset", kResetWorkgroup, {}, nullptr);
    if (status)
      status = build(plan->look_back, runtime::kernels::scan(), "scan_look_back" + types, plan->tuning.workgroup,
                     constants, own);
    if (status)
      status = build(plan->fallback, runtime::kernels::scan(), "scan_look_back" + types, plan->tuning.workgroup,
                     fallback_constants, own);
  }
  if (status && (plan->config.strategy == Strategy::reduce_then_scan || plan->small_items != 0)) {
    status =
        build(plan->upsweep, runtime::kernels::scan(), "scan_upsweep" + types, plan->tuning.workgroup, constants, own);
    if (status)
      status = build(plan->downsweep, runtime::kernels::scan(), "scan_downsweep" + types, plan->tuning.workgroup,
                     constants, own);
  }
  if (!status) return status.error();
  return Scan(std::move(plan));
}

Scan::Scan(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Strategy Scan::strategy() const noexcept { return plan_->config.strategy; }

uint32_t Scan::tile_items() const noexcept { return plan_->tile_items; }

VkDeviceSize Scan::scratch_size(uint64_t max_count) const noexcept {
  const Plan& plan = *plan_;
  VkDeviceSize bytes = kLeastScratch;
  // Where the count decides the strategy, the larger of the two, so that the size never decreases.
  if (plan.downsweep != nullptr)
    bytes = std::max(bytes, plan.partials_bytes(plan.tiles(max_count, plan.vector_items - 1)));
  if (plan.uses_look_back(max_count)) {
    const uint64_t tiles = plan.tiles(max_count, plan.vector_items - 1);
    bytes = std::max(bytes, plan.look_back_bytes(tiles) + primitives::in_vectors(tiles * 4));
  }
  return bytes;
}

Status Scan::record(VkCommandBuffer commands, const ScanArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint32_t item_bytes = plan.item_bytes;
  const uint32_t accumulator_bytes = plan.accumulator_bytes;
  const uint64_t maximum = args.count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (plan.config.own_kernels && args.initial)
    return primitives::argument_error(kName, "initial", "does not go with own_kernels");
  if (maximum / plan.tile_items >= kMaxTiles)
    return primitives::argument_error(kName, "count", "is more than 2^31 tiles hold: " + std::to_string(maximum));
  const Result<VkDeviceAddress> count = primitives::locate_count(state, kName, args.count);
  if (!count) return count.error();
  if (maximum == 0) return {};

  const Result<LocatedRange> input =
      primitives::locate(state, kName, "input", args.input, maximum * item_bytes, std::min(item_bytes, 4u));
  if (!input) return input.error();
  const Result<LocatedRange> output = primitives::locate(state, kName, "output", args.output,
                                                         maximum * accumulator_bytes, std::min(accumulator_bytes, 4u));
  if (!output) return output.error();
  const Result<LocatedRange> scratch =
      primitives::locate(state, kName, "scratch", args.scratch, scratch_size(maximum), 16);
  if (!scratch) return scratch.error();

  const bool in_place = input->address == output->address && item_bytes == accumulator_bytes;
  if (!in_place && primitives::overlap(*input, *output))
    return primitives::argument_error(kName, "output", "overlaps input without being the same bytes");
  for (const LocatedRange* range : {&*input, &*output})
    if (primitives::overlap(*scratch, *range))
      return primitives::argument_error(kName, "scratch", std::string("overlaps ") + range->name);
  if (args.count.is_on_device()) {
    const LocatedRange located{"count", *count, args.count.range().size};
    for (const LocatedRange* range : {&*output, &*scratch})
      if (primitives::overlap(located, *range))
        return primitives::argument_error(kName, "count", std::string("overlaps ") + range->name);
  }

  const uint32_t head = primitives::head_items(input->address, plan.vector_items * item_bytes, item_bytes);
  const uint64_t tiles = plan.tiles(maximum, head);
  shader::ScanPush push{};
  push.items = input->address;
  push.outputs = output->address;
  push.count = *count;
  push.count_value = maximum;
  push.initial = args.initial ? args.initial->bits : primitives::identity_bits(plan.config.op, plan.config.accumulator);
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  push.head = head;
  const uint32_t max_x = state.traits().max_workgroup_count_x;

  if (plan.uses_look_back(maximum)) {
    if (tiles > 1) {
      push.scratch = scratch->address;
      push.tile_capacity = static_cast<uint32_t>(tiles);
      push.lag = plan.lag_tiles();
      const uint32_t vectors = static_cast<uint32_t>(plan.look_back_bytes(tiles) / 16);
      primitives::dispatch(state, commands, *plan.reset, shader::LookBackResetPush{scratch->address, vectors, 0},
                           primitives::dispatch_size((vectors + kResetWorkgroup - 1) / kResetWorkgroup, max_x));
      primitives::barrier_between(state, commands);
    }
    primitives::dispatch(state, commands, *plan.look_back, push, primitives::dispatch_size(tiles + push.lag, max_x));
    if (tiles > 1) {
      primitives::barrier_between(state, commands);
      const uint64_t workgroups = std::max<uint64_t>(kFallbackWorkgroups, tiles / kFallbackTiles);
      primitives::dispatch(state, commands, *plan.fallback, push, primitives::dispatch_size(workgroups, max_x));
    }
    return {};
  }

  const uint64_t tiles_per_workgroup = (tiles + plan.tuning.groups - 1) / plan.tuning.groups;
  const uint32_t workgroups = static_cast<uint32_t>((tiles + tiles_per_workgroup - 1) / tiles_per_workgroup);
  push.scratch = scratch->address;
  push.tiles_per_workgroup = static_cast<uint32_t>(tiles_per_workgroup);
  if (workgroups > 1) {
    shader::ReducePush upsweep{};
    upsweep.items = push.items;
    upsweep.partials = push.scratch;
    upsweep.count = push.count;
    upsweep.count_value = push.count_value;
    upsweep.count_words = push.count_words;
    upsweep.head = push.head;
    upsweep.tiles_per_workgroup = push.tiles_per_workgroup;
    upsweep.partial_count = workgroups;
    primitives::dispatch(state, commands, *plan.upsweep, upsweep, {workgroups, 1});
    primitives::barrier_between(state, commands);
  }
  primitives::dispatch(state, commands, *plan.downsweep, push, {workgroups, 1});
  return {};
} catch (...) {
  return runtime::caught();
}

namespace primitives {

Result<Scan> create_scan_with_fault(const Context& context, const ScanConfig& config, const LookBackFault& fault) {
  return ScanWithFault::create(context, config, bits_of(fault));
}

}  // namespace primitives
}  // namespace weft
