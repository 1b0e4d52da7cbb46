// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gstd_decode.hpp>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "decode/gstd_decode.h"
#include "decode/kernel_families.hpp"
#include "primitives/core/arguments.hpp"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct GstdDecode::Plan {
  std::shared_ptr<const ContextState> state;
  GstdDecodeConfig config;
  uint32_t workgroup = 32;  // of the first dispatch
  uint32_t tiles_in_flight = 0;
  std::shared_ptr<const Pipeline> decode, finish;
};

namespace {

constexpr const char* kName = "GstdDecode";
constexpr uint32_t kLanes = 32;             // of a group, which decodes a tile
constexpr uint32_t kFinishWorkgroup = 256;  // of the second dispatch, for a tile
constexpr uint64_t kMostTiles = uint64_t{1} << 24;

// Tiles that a large device decodes at once, and the scratch that they may take together.
constexpr uint32_t kMostInFlight = 4096, kLeastInFlight = 64;
constexpr uint64_t kMostScratch = uint64_t{1} << 30;

// Two parts of gstd_scratch.glsl.
uint64_t tile_scratch(uint32_t tile_bytes) { return 2 * ((uint64_t{tile_bytes} + 1024 + 511) / 512 * 512); }

// Of tiles that are given by value, in front of theirs.
uint64_t table_scratch(uint64_t tiles) { return primitives::in_vectors(tiles * sizeof(GstdTile)); }

void record_update(const ContextState& state, VkCommandBuffer commands, const BufferRange& range,
                   std::span<const std::byte> bytes) {
  constexpr size_t kMostUpdated = 65536;  // by one command
  const auto barrier = [&](VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                           VkAccessFlags seen) {
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, seen};
    state.vk().vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
  };
  // The caller's barriers are for shaders: what they put before these is before the updates too.
  barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_ACCESS_TRANSFER_WRITE_BIT);
  for (size_t at = 0; at < bytes.size(); at += kMostUpdated) {
    const auto piece = bytes.subspan(at, std::min(bytes.size() - at, kMostUpdated));
    state.vk().vkCmdUpdateBuffer(commands, range.buffer, range.offset + at, piece.size(), piece.data());
  }
  barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
          VK_ACCESS_SHADER_READ_BIT);
}

}  // namespace

Result<GstdDecode> GstdDecode::create(const Context& context, const GstdDecodeConfig& config) noexcept try {
  const ContextState& state = *context.state();
  if (!std::has_single_bit(config.tile_bytes) || config.tile_bytes < gstd::kLeastTileBytes ||
      config.tile_bytes > gstd::kMostTileBytes)
    return primitives::argument_error(kName, "tile_bytes", "is no size of tiles: " + std::to_string(config.tile_bytes));

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  // A subgroup for each group, where there are such; else wide ones hold several. (Emulated ones never do: groups part ways, and meet at no
  // barrier.)
  plan->workgroup = std::max(kLanes, state.subgroup_size_in(kLanes));
  const uint64_t fitting = kMostScratch / tile_scratch(config.tile_bytes);
  plan->tiles_in_flight = config.tiles_in_flight != 0
                              ? config.tiles_in_flight
                              : static_cast<uint32_t>(std::clamp<uint64_t>(fitting, kLeastInFlight, kMostInFlight));
  // NVIDIA's compiler believes reductions alone (shaders/weft/lanes.glsl).
  const uint32_t constants[] = {state.traits().vendor_id == runtime::kVendorNvidia ? 1u : 0u, config.verify ? 1u : 0u};
  Result<std::shared_ptr<const Pipeline>> decode =
      state.pipeline(decode::kernels::gstd_decode(), "gstd_decode", plan->workgroup, std::span(constants).first(1));
  if (!decode) return decode.error();
  Result<std::shared_ptr<const Pipeline>> finish =
      state.pipeline(decode::kernels::gstd_decode(), "gstd_finish", kFinishWorkgroup, constants);
  if (!finish) return finish.error();
  plan->decode = *std::move(decode);
  plan->finish = *std::move(finish);
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
  if (args.tiles.buffer != VK_NULL_HANDLE)
    return primitives::argument_error(kName, "tiles", "are given by value, and in a buffer too");
  if (args.tile_count.is_on_device() || args.tile_count.maximum() != 0)
    return primitives::argument_error(kName, "tile_count",
                                      "is given beside tiles by value, which are as many as they are");
  if (tiles.size() > kMostTilesByValue)
    return primitives::argument_error(kName, "tiles", "are more than 2^16 by value: " + std::to_string(tiles.size()));
  GstdDecodeArgs counted = args;
  counted.tile_count = tiles.size();
  return record_tiles(commands, tiles, counted);
} catch (...) {
  return runtime::caught();
}

// The tiles are `values`, or, where there are none, those of args.tiles.
Status GstdDecode::record_tiles(VkCommandBuffer commands, std::span<const GstdTile> values,
                                const GstdDecodeArgs& args) const {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint64_t tiles = args.tile_count.maximum();

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (tiles > kMostTiles)
    return primitives::argument_error(kName, "tile_count", "is more than 2^24: " + std::to_string(tiles));
  shader::GstdDecodePush push{};
  primitives::RangeChecks ranges(state, kName);
  const uint64_t table_bytes = table_scratch(values.size());
  if (tiles != 0) {
    if (values.empty()) push.tiles = ranges.read("tiles", args.tiles, tiles * sizeof(GstdTile), 8);
    push.source = ranges.read("source", args.source, args.source.size, 4);
    push.outputs = ranges.write("output", args.output, args.output.size, 1);
    push.status = ranges.write("status", args.status, 4 * (1 + tiles), 4);
    push.scratch = ranges.scratch(args.scratch, table_bytes + scratch_size(tiles));
  }
  push.tile_count = ranges.count(args.tile_count, "tile_count");
  if (Status status = ranges.finish(); !status) return status;
  if (tiles == 0) return {};

  if (!values.empty()) {
    record_update(state, commands, args.scratch, std::as_bytes(values));
    push.tiles = push.scratch;
    push.scratch += table_bytes;
  }
  push.source_bytes = args.source.size;
  push.output_bytes = args.output.size;
  push.tile_maximum = static_cast<uint32_t>(tiles);
  push.tile_count_words = static_cast<uint32_t>(args.tile_count.range().size / 4);
  push.most_bytes = plan.config.tile_bytes;
  for (uint64_t first = 0; first < tiles; first += plan.tiles_in_flight) {
    if (first != 0) primitives::barrier_between(state, commands);
    push.first_tile = static_cast<uint32_t>(first);
    push.slots = static_cast<uint32_t>(std::min<uint64_t>(tiles - first, plan.tiles_in_flight));
    const uint64_t workgroups = (uint64_t{push.slots} * kLanes + plan.workgroup - 1) / plan.workgroup;
    const uint32_t most = state.traits().max_workgroup_count_x;
    primitives::dispatch(state, commands, *plan.decode, push, primitives::dispatch_size(workgroups, most));
    primitives::barrier_between(state, commands);
    primitives::dispatch(state, commands, *plan.finish, push, primitives::dispatch_size(push.slots, most));
  }
  return {};
}

}  // namespace weft
