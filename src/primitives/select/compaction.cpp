// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/select/compaction.hpp"

#include "primitives/select/select_tuning.hpp"
#include "weft/operator.h"

namespace weft::primitives {

Result<Compaction> Compaction::create(const Context& context, PipelineBuilder builder, const Desc& desc) {
  const SelectTuning tuning = select_tuning.of(*context.state());
  builder
      .set(shader::combine::kOp, 0)  // add
      .set(shader::select::kRowsAhead, tuning.rows_ahead != 0);
  Result<PrefixPass> pass = PrefixPass::create(
      context, builder,
      {.strategy = desc.strategy,
       .look_back = desc.stem + "_look_back" + desc.types,
       .upsweep = desc.stem + "_upsweep" + desc.types,
       .downsweep = desc.stem + "_downsweep" + desc.types,
       .vector_items = desc.vector_items,
       .input_bytes = desc.vector_bytes,
       .value_bytes = 4 * desc.accumulator_words,
       .value_counts = desc.accumulator_words == 2,
       .carry_bytes = 32,
       .chunk_items = (uint64_t{1} << 31) - 1,
       .chunk_tiles = tuning.chunk_tiles,
       .workgroup = tuning.workgroup,
       .rows = desc.direct ? std::min(tuning.direct_rows, 8u) : std::min({tuning.rows, 4u, 32 / desc.vector_items}),
       .groups = tuning.groups,
       .spin_limit = tuning.spin_limit,
       .small_kib = tuning.small_kib,
       .small_workgroup = tuning.small_workgroup,
       .small_rows = 4,
       .tiny_kib = tuning.tiny_kib,
       .tiny_rows = std::min(tuning.tiny_rows, std::max(1u, 16 / desc.vector_items))});
  if (!pass) return pass.error();
  Compaction compaction;
  compaction.pass_ = *std::move(pass);
  return compaction;
}

void Compaction::check_count(RecordCall& call, uint64_t max_count) const {
  if (max_count / tile_items() >= kMaxTiles - 1)
    call.refuse("count", "is more than 2^31 tiles hold: " + std::to_string(max_count));
}

void Compaction::record(const RecordCall& call, const shader::SelectPush& push, uint64_t max_count,
                        uint32_t head) const {
  const auto push_of = [&](const PrefixPass::Chunk& chunk) {
    shader::SelectPush of_chunk = push;
    of_chunk.first_tile = chunk.first_tile;
    of_chunk.chunk_tiles = chunk.tiles;
    of_chunk.tiles_per_workgroup = chunk.tiles_per_workgroup;
    if (chunk.index % 2 != 0) of_chunk.flags |= shader::kSelectOddChunk;
    return of_chunk;
  };
  pass_.record(call, max_count, head, push.scratch, push_of, push_of);
}

}  // namespace weft::primitives
