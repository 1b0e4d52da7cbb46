// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/by_key/keyed_plan.hpp"

#include <string>

#include "primitives/by_key/segments.hpp"
#include "runtime/kernel_families.hpp"
#include "weft/operator.h"
#include "weft/segment.h"
#include "weft/tile_heads.h"

namespace weft {

const char* name_of(SegmentsBy segments) noexcept {
  switch (segments) {
    case SegmentsBy::keys: return "keys";
    case SegmentsBy::head_bits: return "head_bits";
    case SegmentsBy::head_bytes: return "head_bytes";
    case SegmentsBy::head_words: return "head_words";
  }
  return "?";
}

namespace primitives {
namespace {

/// kSegmentsBy of weft/tile_heads.glsl.
uint32_t segments_constant(SegmentsBy segments, uint32_t key_bytes) {
  switch (segments) {
    case SegmentsBy::keys: return key_bytes == 1 ? 0 : key_bytes == 2 ? 1 : key_bytes == 4 ? 2 : 3;
    case SegmentsBy::head_bits: return 4;
    case SegmentsBy::head_bytes: return 5;
    case SegmentsBy::head_words: return 6;
  }
  return 0;
}

uint32_t key_bytes_of(SegmentsBy segments, Type key) {
  switch (segments) {
    case SegmentsBy::keys: return size_of(key);
    case SegmentsBy::head_bits: return 0;
    case SegmentsBy::head_bytes: return 1;
    case SegmentsBy::head_words: return 4;
  }
  return 0;
}

}  // namespace

Result<KeyedPlan> KeyedPlan::create(const Context& context, const Desc& desc) {
  const runtime::ContextState& state = *context.state();
  const KernelSet* own = desc.own;
  if (const Status status = own != nullptr
                                ? check_own_kernels(desc.name, *own, desc.stem)
                                : check_segment_values(state, desc.name, desc.op, desc.item, desc.accumulator);
      !status)
    return status.error();

  KeyedPlan plan;
  plan.state = context.state();
  plan.item_bytes = own != nullptr ? own->item_bytes() : size_of(desc.item);
  plan.accumulator_bytes = own != nullptr ? own->accumulator_bytes() : size_of(desc.accumulator);
  plan.key_bytes = key_bytes_of(desc.segments, desc.key);
  const ByKeyTuning& tuning = desc.tuning;
  uint32_t rows = plan.accumulator_bytes >= 8 ? tuning.rows_wide : tuning.rows;
  // A tile is held in registers: as many words a lane as the widest of weft's own.
  if (own != nullptr)
    rows = std::min(rows, 128 / (kSegmentVectorItems * std::max(plan.item_bytes, plan.accumulator_bytes)));

  const std::string types =
      own != nullptr ? ".own.own" : std::string(".") + name_of(desc.item) + "." + name_of(desc.accumulator);
  const std::string stem = desc.stem;
  PipelineBuilder builder(state, desc.kernels, tuning.workgroup, own);
  builder.set(shader::combine::kOp, static_cast<uint32_t>(desc.op))
      .set(shader::scan_by_key::kInclusive, desc.inclusive)
      .set(shader::tile_heads::kSegmentsBy, segments_constant(desc.segments, plan.key_bytes))
      .set(shader::segment::kCountsHeads, desc.reduces);
  Result<PrefixPass> pass =
      PrefixPass::create(context, builder,
                         {.strategy = desc.strategy,
                          .look_back = stem + "_look_back" + types,
                          .upsweep = "scan_by_key_upsweep" + types,
                          .downsweep = stem + "_downsweep" + types,
                          .upsweep_kernels = own != nullptr ? nullptr : &runtime::kernels::by_key(),
                          .vector_items = kSegmentVectorItems,
                          .input_bytes = kSegmentVectorItems * (plan.key_bytes + plan.item_bytes),
                          .value_bytes = std::max(4u, plan.accumulator_bytes) + 4,  // an accumulator and heads
                          .value_counts = true,
                          .workgroup = tuning.workgroup,
                          .rows = rows,
                          .groups = tuning.groups,
                          .spin_limit = tuning.spin_limit,
                          .small_kib = tuning.small_kib,
                          .small_rows = tuning.small_rows});
  if (!pass) return pass.error();
  plan.pass = *std::move(pass);
  return plan;
}

}  // namespace primitives
}  // namespace weft
