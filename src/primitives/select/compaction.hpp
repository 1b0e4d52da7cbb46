// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>

#include "primitives/core/prefix_pass.hpp"
#include "select/select.h"

namespace weft::primitives {

/// The pass of Select, Partition and RunLengthEncode. Chunks have less than 2^31 items, so that kernels count in 32
/// bits.
class Compaction {
 public:
  struct Desc {
    std::string stem;   // of the kernels
    std::string types;  // the variant, e.g. ".u32.u32"
    Strategy strategy = Strategy::automatic;
    uint32_t vector_items = 0;       // items a lane takes at a time
    uint32_t vector_bytes = 0;       // of the input
    bool direct = false;             // as in select_direct.glsl; otherwise a lane has at most 4 vectors and 32 items
    uint32_t accumulator_words = 1;  // of what is published
  };
  /// `builder` has the constants of select/select.h.
  static Result<Compaction> create(const Context& context, PipelineBuilder builder, const Desc& desc);

  Strategy strategy() const noexcept { return pass_.strategy(); }
  uint32_t tile_items() const noexcept { return pass_.tile_items(); }
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept { return pass_.scratch_size(max_count); }

  /// Refuses more items than tiles can be numbered for.
  void check_count(RecordCall& call, uint64_t max_count) const;
  void record(const RecordCall& call, const shader::SelectPush& push, uint64_t max_count, uint32_t head) const;

 private:
  PrefixPass pass_;
};

}  // namespace weft::primitives
