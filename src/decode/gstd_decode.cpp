// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gstd_decode.hpp>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "decode/decode_table.hpp"
#include "decode/gstd_decode.h"
#include "decode/gstd_finish.h"
#include "decode/kernel_families.hpp"
#include "primitives/core/pipeline_builder.hpp"

namespace weft {

using decode::kLanes;
using runtime::ContextState;
using runtime::Pipeline;

struct GstdDecode::Plan {
  std::shared_ptr<const ContextState> state;
  GstdDecodeConfig config;
  uint32_t tiles_in_flight = 0;
  uint64_t max_groups = 0;  // that take one tile after another
  // The first dispatch, for few tiles and for many, and the second.
  struct Decode {
    uint32_t workgroup = 32;
    std::shared_ptr<const Pipeline> pipeline;
  };
  Decode few, many;
  std::shared_ptr<const Pipeline> finish;
  // Both for many tiles with scratch of their own: the second begins as the first ends. On NVIDIA's devices alone.
  Decode queued;
  std::shared_ptr<const Pipeline> finish_queued;

  void record_whole(const primitives::RecordCall& call, uint64_t tiles, shader::DecodePush push) const;
  void record_queued(const primitives::RecordCall& call, shader::DecodePush push) const;
};

namespace {

constexpr const char* kName = "GstdDecode";
constexpr uint32_t kManyWorkgroup = 128;  // of the first dispatch for many tiles, where subgroups have 32 lanes
constexpr uint32_t kFewTiles = 2048;
constexpr uint32_t kFinishWorkgroup = 256;  // of the second dispatch, for a tile

// By default about as many groups take one tile after another as an H200 has at work, 3,168: with more the last begin
// when others end. Scratch is for them, and for so many tiles, up to a bound.
constexpr uint64_t kGroups = 3166, kTiles = 1024;
constexpr uint64_t kMaxScratch = uint64_t{1} << 30;

// As in tile_table.glsl: one of the two parts of a tile's scratch, what the first dispatch needs, and both parts.
uint64_t scratch_part(uint32_t tile_bytes) { return (uint64_t{tile_bytes} + 1024 + 511) / 512 * 512; }
uint64_t scratch_work(uint32_t tile_bytes) { return WEFT_GSTD_BLOCK_WORK(tile_bytes) + WEFT_GSTD_BESIDE_WORK; }
uint64_t tile_scratch(uint32_t tile_bytes) {
  return scratch_part(tile_bytes) + std::max(scratch_part(tile_bytes), scratch_work(tile_bytes));
}

// The table of tiles that are given by value, before their scratch.
uint64_t table_scratch(uint64_t tiles) { return primitives::in_vectors(tiles * sizeof(GstdTile)); }

void record_update(const ContextState& state, VkCommandBuffer commands, const BufferRange& range,
                   std::span<const std::byte> bytes) {
  constexpr size_t kMaxUpdated = 65536;  // by one command
  const auto barrier = [&](VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                           VkAccessFlags seen) {
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, seen};
    state.vk().vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
  };
  // The caller's barriers are for shaders; this one orders the updates after what they order.
  barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_ACCESS_TRANSFER_WRITE_BIT);
  for (size_t at = 0; at < bytes.size(); at += kMaxUpdated) {
    const auto piece = bytes.subspan(at, std::min(bytes.size() - at, kMaxUpdated));
    state.vk().vkCmdUpdateBuffer(commands, range.buffer, range.offset + at, piece.size(), piece.data());
  }
  barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
          VK_ACCESS_SHADER_READ_BIT);
}

}  // namespace

// All tiles that are requested whole, by as many groups as the scratch of tiles in flight is enough for.
void GstdDecode::Plan::record_whole(const primitives::RecordCall& call, uint64_t tiles, shader::DecodePush push) const {
  const uint64_t scratch = tile_scratch(config.tile_bytes) * tiles_in_flight;
  const auto groups = [&](uint64_t of, uint64_t each, uint64_t most) {
    return static_cast<uint32_t>(std::min({tiles, of / each, most}));
  };
  push.form = WEFT_GSTD_WHOLE;
  call.dispatch(*finish, push, 1);  // of no slots
  call.barrier();
  push.slots = static_cast<uint32_t>(tiles);
  push.groups = groups(scratch - WEFT_GSTD_COUNTER, scratch_work(config.tile_bytes), max_groups);
  call.dispatch(*many.pipeline, push, decode::workgroups_for(push.groups, many.workgroup));
  call.barrier();
  push.groups = groups(scratch, 2 * scratch_part(config.tile_bytes), UINT32_MAX);
  call.dispatch(*finish, push, push.groups);
}

// A batch by a queue of its decoded tiles. Nothing waits: the second dispatch takes those that are decoded when it
// looks, and the third, after a barrier, the others.
void GstdDecode::Plan::record_queued(const primitives::RecordCall& call, shader::DecodePush push) const {
  shader::DecodePush clear = push;
  clear.groups = push.slots;
  clear.slots = 0;
  call.dispatch(*finish_queued, clear, (push.slots + kFinishWorkgroup - 1) / kFinishWorkgroup);
  call.barrier();
  call.dispatch(*queued.pipeline, push, decode::workgroups_for(push.slots, queued.workgroup));
  call.dispatch(*finish_queued, push, push.slots);
  call.barrier();
  call.dispatch(*finish_queued, push, push.slots);
}

Result<GstdDecode> GstdDecode::create(const Context& context, const GstdDecodeConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (!std::has_single_bit(config.tile_bytes) || config.tile_bytes < gstd::kMinTileBytes ||
      config.tile_bytes > gstd::kMaxTileBytes)
    return primitives::argument_error(kName, "tile_bytes", "is no size of tiles: " + std::to_string(config.tile_bytes));

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->few.workgroup = decode::smallest_workgroup(state);
  const bool is_native = state.subgroup_backend() == SubgroupBackend::native;
  // Native subgroups of 32 lanes each have a group. Several in a workgroup are shared out evenly among the parts of a
  // multiprocessor; few tiles are better shared out among multiprocessors.
  const bool packs = is_native && state.subgroup_size_in(kManyWorkgroup) == kLanes &&
                     state.traits().max_workgroup_invocations >= kManyWorkgroup;
  const uint64_t wanted = std::max(kTiles, kGroups * scratch_work(config.tile_bytes) / tile_scratch(config.tile_bytes));
  plan->tiles_in_flight = config.tiles_in_flight != 0
                              ? config.tiles_in_flight
                              : static_cast<uint32_t>(std::min(wanted, kMaxScratch / tile_scratch(config.tile_bytes)));
  // Software stops an invocation after so many iterations. Intel's compiler would spill more registers.
  const bool loops =
      state.traits().type != VK_PHYSICAL_DEVICE_TYPE_CPU && state.traits().vendor_id != runtime::kVendorIntel;
  if (loops) plan->max_groups = config.tiles_in_flight != 0 ? UINT32_MAX : kGroups;
  const bool is_nvidia = decode::is_nvidia(state);
  const char* const kernel = is_nvidia && is_native && state.traits().int64 ? "gstd_decode_optimized" : "gstd_decode";
  primitives::PipelineBuilder builder(state, decode::kernels::gstd_decode(), plan->few.workgroup);
  builder.set(shader::gstd_decode::kReduceUniform, is_nvidia)
      .set(shader::gstd_decode::kLoops, loops)
      .set(shader::gstd_decode::kQueued, false)
      .build(plan->few.pipeline, kernel);
  plan->many = plan->few;
  if (packs) builder.workgroup(plan->many.workgroup = kManyWorkgroup).build(plan->many.pipeline, kernel);
  builder.workgroup(kFinishWorkgroup)
      .set(shader::gstd_finish::kVerify, config.verify)
      .build(plan->finish, "gstd_finish");
  if (is_nvidia && is_native && plan->tiles_in_flight > kFewTiles) {
    builder.build(plan->finish_queued, "gstd_finish_queued");
    builder.workgroup(plan->queued.workgroup = plan->many.workgroup)
        .set(shader::gstd_decode::kLoops, false)
        .set(shader::gstd_decode::kQueued, true)
        .build(plan->queued.pipeline, kernel);
  }
  if (!builder.status()) return builder.status().error();
  return GstdDecode(std::move(plan));
} catch (...) {
  return runtime::caught();
}

GstdDecode::GstdDecode(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

VkDeviceSize GstdDecode::scratch_size(uint64_t tiles) const noexcept {
  return tile_scratch(plan_->config.tile_bytes) * std::min<uint64_t>(tiles, plan_->tiles_in_flight);
}

VkDeviceSize GstdDecode::scratch_size_by_value(uint64_t tiles) const noexcept {
  return table_scratch(tiles) + scratch_size(tiles);
}

Status GstdDecode::record(VkCommandBuffer commands, const GstdDecodeArgs& args) const noexcept try {
  return record_tiles(commands, {}, args);
} catch (...) {
  return runtime::caught();
}

Status GstdDecode::record(VkCommandBuffer commands, std::span<const GstdTile> tiles,
                          const GstdDecodeArgs& args) const noexcept try {
  if (args.tiles.is_given())
    return primitives::argument_error(kName, "tiles", "are given by value, and in a buffer too");
  if (args.tile_count.is_on_device() || args.tile_count.maximum() != 0)
    return primitives::argument_error(kName, "tile_count",
                                      "is given beside tiles by value, which are as many as they are");
  if (tiles.size() > kMaxTilesByValue)
    return primitives::argument_error(kName, "tiles", "are more than 2^16 by value: " + std::to_string(tiles.size()));
  GstdDecodeArgs counted = args;
  counted.tile_count = tiles.size();
  return record_tiles(commands, tiles, counted);
} catch (...) {
  return runtime::caught();
}

// Takes the tiles of `values` or, if it is empty, those of args.tiles.
Status GstdDecode::record_tiles(VkCommandBuffer commands, std::span<const GstdTile> values,
                                const GstdDecodeArgs& args) const {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint64_t tiles = args.tile_count.maximum();

  shader::DecodePush push{};
  primitives::RecordCall call(state, kName, commands);
  const uint64_t table_bytes = table_scratch(values.size());
  // Tiles by value are in no range of the caller's.
  const uint64_t entry_bytes = values.empty() ? sizeof(GstdTile) : 0;
  decode::declare(call, {"tiles", args.tiles, entry_bytes, "tile_count", args.tile_count}, args,
                  table_bytes + scratch_size(tiles), push);
  if (!call.accepted()) return call.status();
  if (!values.empty() && args.scratch.buffer == VK_NULL_HANDLE)
    return primitives::argument_error(kName, "scratch", "has no buffer, which tiles by value are written to");

  if (!values.empty()) {
    record_update(state, commands, args.scratch, std::as_bytes(values));
    push.entries = push.scratch;
    push.scratch += table_bytes;
  }
  push.max_bytes = plan.config.tile_bytes;
  if (tiles > plan.tiles_in_flight && plan.max_groups != 0) {
    plan.record_whole(call, tiles, push);
    push.form = WEFT_GSTD_PARTS;
    const auto is_part = [](const GstdTile& tile) { return tile.count != tile.bytes; };
    if (!values.empty() && std::ranges::none_of(values, is_part)) return {};
    call.barrier();
  }
  decode::record_batches(call, tiles, plan.tiles_in_flight, push, [&] {
    if (plan.queued.pipeline && push.form == WEFT_GSTD_ALL && push.slots > kFewTiles)
      return plan.record_queued(call, push);
    const Plan::Decode& first = push.slots <= kFewTiles ? plan.few : plan.many;
    call.dispatch(*first.pipeline, push, decode::workgroups_for(push.slots, first.workgroup));
    call.barrier();
    call.dispatch(*plan.finish, push, push.slots);
  });
  return {};
}

}  // namespace weft
