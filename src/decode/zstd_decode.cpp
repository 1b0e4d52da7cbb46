// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/zstd_decode.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "decode/decode_table.hpp"
#include "decode/kernel_families.hpp"
#include "decode/zstd_decode.h"
#include "decode/zstd_decode_copy.h"
#include "decode/zstd_decode_lanes.h"
#include "primitives/core/pipeline_builder.hpp"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct ZstdDecode::Plan {
  std::shared_ptr<const ContextState> state;
  uint32_t workgroup = 32;
  bool verify = true, dictionary = false;
  std::shared_ptr<const Pipeline> clear, blocks, headers, tables, literals, walk, records, copy, checksum;
};

namespace {

constexpr const char* kZstdDecodeName = "ZstdDecode";
constexpr uint64_t kMaxBlocks = uint64_t{1} << 28, kMaxUnits = ~uint32_t{0};

// Each block begins a unit.
uint64_t record_units(const ZstdBounds& bounds) {
  return std::min(bounds.sequences, kMaxUnits * 32) / 64 + std::min(bounds.blocks, kMaxBlocks);
}
uint64_t literal_units(const ZstdBounds& bounds) {
  return std::min(bounds.literals, kMaxUnits * 128) / 256 + std::min(bounds.blocks, kMaxBlocks);
}

}  // namespace

const char* name_of(ZstdRefusal refusal) noexcept {
  switch (refusal) {
    case ZstdRefusal::none: return "none";
    case ZstdRefusal::inexact: return "inexact";
    case ZstdRefusal::truncated: return "truncated";
    case ZstdRefusal::bad_header: return "bad header";
    case ZstdRefusal::bad_table: return "bad table";
    case ZstdRefusal::bad_literals: return "bad literals";
    case ZstdRefusal::bad_sequences: return "bad sequences";
    case ZstdRefusal::bad_offset: return "bad offset";
    case ZstdRefusal::bad_size: return "bad size";
    case ZstdRefusal::checksum: return "checksum";
    case ZstdRefusal::dictionary: return "dictionary";
    case ZstdRefusal::too_many_blocks: return "too many blocks";
    case ZstdRefusal::too_many_literals: return "too many literals";
    case ZstdRefusal::too_many_sequences: return "too many sequences";
    case ZstdRefusal::bad_entry: return "bad entry";
    case ZstdRefusal::unfinished: return "unfinished";
  }
  return "unknown";
}

Result<ZstdDecode> ZstdDecode::create(const Context& context, const ZstdDecodeConfig& config) noexcept try {
  const ContextState& state = *context.state();
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->workgroup = decode::smallest_workgroup(state);
  plan->verify = config.verify;
  plan->dictionary = config.dictionary;
  primitives::PipelineBuilder builder(state, decode::kernels::zstd_decode(), plan->workgroup);
  builder.set(shader::zstd_decode::kReduceUniform, decode::is_nvidia(state))
      .set(shader::zstd_decode_copy::kDictionary, config.dictionary)
      .build(plan->tables, "zstd_decode_tables")
      .build(plan->records, "zstd_decode_records")
      .build(plan->copy, "zstd_decode_copy");
  const auto build_lanes = [&](std::shared_ptr<const Pipeline>& pipeline, uint32_t stage) {
    builder.set(shader::zstd_decode_lanes::kStage, stage).build(pipeline, "zstd_decode_lanes");
  };
  build_lanes(plan->clear, WEFT_ZSTD_CLEAR);
  build_lanes(plan->blocks, WEFT_ZSTD_BLOCKS);
  build_lanes(plan->headers, WEFT_ZSTD_HEADERS);
  build_lanes(plan->literals, WEFT_ZSTD_LITERALS);
  build_lanes(plan->walk, WEFT_ZSTD_WALK);
  if (config.verify) build_lanes(plan->checksum, WEFT_ZSTD_CHECKSUM);
  if (!builder.status()) return builder.status().error();
  return ZstdDecode(std::move(plan));
} catch (...) {
  return runtime::caught();
}

ZstdDecode::ZstdDecode(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

VkDeviceSize ZstdDecode::scratch_size(uint64_t frames, const ZstdBounds& bounds) const noexcept {
  const uint64_t block_words = WEFT_ZSTD_BLOCK_WORDS + WEFT_ZSTD_TABLE_WORDS;
  return 4 * (WEFT_ZSTD_COUNTER_WORDS + WEFT_ZSTD_FRAME_WORDS * std::min(frames, decode::kMaxEntries) +
              block_words * (std::min(bounds.blocks, kMaxBlocks) + (plan_->dictionary ? 1 : 0)) +
              WEFT_ZSTD_RECORD_UNIT * record_units(bounds) + WEFT_ZSTD_LITERAL_UNIT * literal_units(bounds));
}

Status ZstdDecode::record(VkCommandBuffer commands, const ZstdDecodeArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const uint64_t frames = args.frame_count.maximum();
  const ZstdBounds& bounds = args.bounds;

  shader::ZstdPush push{};
  primitives::RecordCall call(*plan.state, kZstdDecodeName, commands);
  decode::declare(call, {"frames", args.frames, sizeof(ZstdFrame), "frame_count", args.frame_count}, args,
                  frames == 0 ? 0 : scratch_size(frames, bounds), push);
  call.write("sizes", args.sizes, args.sizes.is_given() ? 4 * frames : 0, 4, push.sizes)
      .read("dictionary", args.dictionary, plan.dictionary && frames != 0 ? args.dictionary.size : 0, 4,
            push.dictionary)
      .refuse_if(plan.dictionary && frames != 0 && args.dictionary.size == 0, "dictionary", "is empty")
      .refuse_if(plan.dictionary && args.dictionary.size > kMaxZstdDictionary, "dictionary", "is more than 128 MiB")
      .refuse_if(!plan.dictionary && args.dictionary.is_given(), "dictionary", "is not in the config")
      .refuse_if(args.source.size % 4 != 0, "source", "has a size that is no multiple of 4")
      .refuse_if(bounds.blocks > kMaxBlocks, "bounds", "have more than 2^28 blocks");
  if (!call.accepted()) return call.status();
  if (frames == 0) return {};

  push.slots = push.maximum;
  push.verify = plan.verify;
  push.dictionary_bytes = plan.dictionary ? static_cast<uint32_t>(args.dictionary.size) : 0;
  push.blocks = static_cast<uint32_t>(bounds.blocks);
  push.records = static_cast<uint32_t>(record_units(bounds));
  push.literals = static_cast<uint32_t>(literal_units(bounds));
  const auto workgroups = [&](const Pipeline& pipeline, uint64_t units, uint32_t of_each) {
    if (units != 0) call.dispatch(pipeline, push, primitives::divided_up(units, of_each));
  };
  const auto lanes = [&](const Pipeline& pipeline, uint64_t count) { workgroups(pipeline, count, plan.workgroup); };
  lanes(*plan.clear, WEFT_ZSTD_COUNTER_WORDS);
  call.barrier();
  lanes(*plan.blocks, frames);
  call.barrier();
  const uint64_t slots = bounds.blocks + (plan.dictionary ? 1 : 0);
  workgroups(*plan.headers, slots, WEFT_ZSTD_BLOCKS_TOGETHER);
  call.barrier();
  lanes(*plan.tables, decode::kLanes * slots);
  call.barrier();
  workgroups(*plan.walk, bounds.blocks, WEFT_ZSTD_BLOCKS_TOGETHER);
  lanes(*plan.literals, 4 * bounds.blocks);
  call.barrier();
  if (bounds.sequences != 0) {
    lanes(*plan.records, decode::kLanes * bounds.blocks);
    call.barrier();
  }
  lanes(*plan.copy, decode::kLanes * frames);
  if (plan.verify) {
    call.barrier();
    lanes(*plan.checksum, 4 * frames);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
