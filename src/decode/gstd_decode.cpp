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
  struct Decode {
    uint32_t workgroup = 32;
    std::shared_ptr<const Pipeline> pipeline;
  };
  // The first dispatch, for few tiles and for many, and the second.
  Decode few, many;
  std::shared_ptr<const Pipeline> finish;
  // The second where it follows without a barrier and `finish` is the third; so it is for many tiles if `is_early`.
  std::shared_ptr<const Pipeline> finish_early;
  bool is_early = false;
  // The first and the third for tiles that are requested whole, with regions of scratch.
  Decode regions;
  std::shared_ptr<const Pipeline> finish_left;

  bool divide(uint64_t tiles, shader::DecodePush& push) const;
  uint64_t tile_regions(const shader::DecodePush& push) const;
  void record_early(const primitives::RecordCall& call, const shader::DecodePush& push, const Decode& decode,
                    uint64_t workgroups, const Pipeline& last, uint64_t last_groups) const;
};

namespace {

constexpr const char* kName = "GstdDecode";
constexpr uint32_t kManyWorkgroup = 128;  // of the first dispatch for many tiles, where subgroups have 32 lanes
constexpr uint32_t kFewTiles = 2048;
constexpr uint32_t kLooks = 1024;           // at a tile, where the first dispatch may be at work
constexpr uint32_t kFinishWorkgroup = 256;  // of the second dispatch, for a tile

// With regions about as many tiles are decoded at once as an H200 has at work, 3,168: with more the last begin when
// others end. By default scratch is for so many, and for a number of tiles, up to a bound.
constexpr uint64_t kGroups = 3168, kTiles = 936;
constexpr uint64_t kMaxScratch = uint64_t{1} << 30;

// As in tile_table.glsl: one of the two parts of a tile's scratch, what the first dispatch needs, and both parts.
constexpr uint64_t kWork = WEFT_GSTD_BLOCK_WORK + WEFT_GSTD_BESIDE_WORK;
uint64_t rounded_up(uint64_t bytes) { return (bytes + 511) / 512 * 512; }
uint64_t scratch_part(uint32_t tile_bytes) { return rounded_up(uint64_t{tile_bytes} + 1024); }
uint64_t tile_scratch(uint32_t tile_bytes) {
  return scratch_part(tile_bytes) + std::max(scratch_part(tile_bytes) + WEFT_GSTD_APART, kWork);
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

// Divides the scratch of tiles in flight into regions. One is for a workgroup of the first dispatch; the second takes
// up to four for a tile. Returns whether there are enough for a tile.
bool GstdDecode::Plan::divide(uint64_t tiles, shader::DecodePush& push) const {
  const uint64_t scratch = std::min<uint64_t>(tile_scratch(config.tile_bytes) * tiles_in_flight, UINT32_MAX);
  const uint64_t each = regions.workgroup / kLanes;
  const uint64_t bytes = std::max(each * kWork, rounded_up(scratch_part(config.tile_bytes) / 2));
  const uint64_t count = (scratch - 4 * (WEFT_GSTD_FREE + (scratch / bytes + 31) / 32)) / bytes;
  push.regions = static_cast<uint32_t>(count);
  push.region_bytes = static_cast<uint32_t>(bytes);
  push.groups = static_cast<uint32_t>(std::min({count, kGroups / each, (tiles + each - 1) / each}));
  return count >= tile_regions(push);
}

uint64_t GstdDecode::Plan::tile_regions(const shader::DecodePush& push) const {
  return (2 * scratch_part(config.tile_bytes) + push.region_bytes - 1) / push.region_bytes;
}

// Nothing waits: the second dispatch takes tiles that are decoded when it looks, and the last, after a barrier, the
// others.
void GstdDecode::Plan::record_early(const primitives::RecordCall& call, const shader::DecodePush& push,
                                    const Decode& decode, uint64_t workgroups, const Pipeline& last,
                                    uint64_t last_groups) const {
  shader::DecodePush clear = push;
  clear.form = WEFT_GSTD_CLEAR;
  const uint64_t cleared = std::max<uint64_t>(push.slots, WEFT_GSTD_FREE + (push.regions + 31) / 32);
  call.dispatch(*finish_early, clear, (cleared + kFinishWorkgroup - 1) / kFinishWorkgroup);
  call.barrier();
  call.dispatch(*decode.pipeline, push, workgroups);
  call.dispatch(*finish_early, push, push.slots);
  call.barrier();
  shader::DecodePush left = push;
  left.groups = static_cast<uint32_t>(last_groups);
  call.dispatch(last, left, last_groups);
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
  const uint64_t wanted = std::max(kTiles, kGroups * kWork / tile_scratch(config.tile_bytes));
  plan->tiles_in_flight = config.tiles_in_flight != 0
                              ? config.tiles_in_flight
                              : static_cast<uint32_t>(std::min(wanted, kMaxScratch / tile_scratch(config.tile_bytes)));
  const bool is_nvidia = decode::is_nvidia(state);
  // Software stops an invocation after so many iterations. Intel's compiler would spill more registers.
  const bool has_regions = is_native && state.traits().type != VK_PHYSICAL_DEVICE_TYPE_CPU &&
                           state.traits().vendor_id != runtime::kVendorIntel;
  const std::string optimized = is_nvidia && is_native && state.traits().int64 ? "_optimized" : "";
  primitives::PipelineBuilder builder(state, decode::kernels::gstd_decode(), plan->few.workgroup);
  builder.set(shader::gstd_decode::kReduceUniform, is_nvidia).build(plan->few.pipeline, "gstd_decode" + optimized);
  plan->many = plan->few;
  if (packs)
    builder.workgroup(plan->many.workgroup = kManyWorkgroup).build(plan->many.pipeline, "gstd_decode" + optimized);
  if (has_regions)
    builder.workgroup(plan->regions.workgroup = plan->many.workgroup)
        .build(plan->regions.pipeline, "gstd_decode_regions" + optimized);
  builder.workgroup(kFinishWorkgroup)
      .set(shader::gstd_finish::kVerify, config.verify)
      .set(shader::gstd_finish::kLeft, false)
      .set(shader::gstd_finish::kLooks, is_nvidia ? kLooks : 1)
      .build(plan->finish, "gstd_finish");
  plan->is_early = is_nvidia && is_native && plan->tiles_in_flight > kFewTiles;
  if (has_regions || plan->is_early) builder.build(plan->finish_early, "gstd_finish_early");
  if (has_regions) builder.set(shader::gstd_finish::kLeft, true).build(plan->finish_left, "gstd_finish");
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
  const auto is_part = [&](const GstdTile& tile) {
    return tile.kind == GstdTileKind::compressed &&
           (tile.count != tile.bytes || ((push.outputs + tile.output) | tile.bytes) % 4 != 0);
  };
  push.parts = !args.only_whole && (values.empty() || std::ranges::any_of(values, is_part)) ? 1 : 0;
  if (tiles > plan.tiles_in_flight && plan.regions.pipeline && plan.divide(tiles, push)) {
    push.form = WEFT_GSTD_WHOLE;
    push.slots = static_cast<uint32_t>(tiles);
    plan.record_early(call, push, plan.regions, push.groups, *plan.finish_left,
                      std::min(push.regions / plan.tile_regions(push), tiles));
    if (push.parts == 0) return {};
    push.form = WEFT_GSTD_PARTS;
    call.barrier();
  }
  decode::record_batches(call, tiles, plan.tiles_in_flight, push, [&] {
    const Plan::Decode& first = push.slots <= kFewTiles ? plan.few : plan.many;
    const uint64_t workgroups = decode::workgroups_for(push.slots, first.workgroup);
    if (plan.is_early && push.form == WEFT_GSTD_ALL && push.slots > kFewTiles)
      return plan.record_early(call, push, first, workgroups, *plan.finish, push.slots);
    call.dispatch(*first.pipeline, push, workgroups);
    call.barrier();
    call.dispatch(*plan.finish, push, push.slots);
  });
  return {};
}

}  // namespace weft
