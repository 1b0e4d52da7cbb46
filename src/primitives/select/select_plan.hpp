// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include <weft/select.hpp>

#include "primitives/select/compaction.hpp"

namespace weft::primitives {

/// What Select and Partition are made of.
struct SelectPlan {
  std::shared_ptr<const runtime::ContextState> state;
  const char* name = "";
  uint32_t partitions = 1;
  SelectConfig config;
  Compaction pass;
  bool flagged = false;
  bool moves_tested = false;
  bool gathers = false;
  uint32_t vector_bytes = 0;  // of tested items that are loaded as vectors; 0: others
  uint32_t item_bytes = 0;    // from one tested item to the next; 0: bits
  uint32_t gathered_bytes = 0;
  uint32_t index_words = 0;

  static Result<std::shared_ptr<const SelectPlan>> create(const Context& context, const char* name, uint32_t partitions,
                                                          const SelectConfig& config);
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept { return pass.scratch_size(max_count); }
  /// Of one partition: outputs[0] is what moved items go to; what tested ones do, and what is dispatched, is in `one`.
  Status record(VkCommandBuffer commands, const PartitionArgs& args, const SelectArgs& one = {}) const;
};

}  // namespace weft::primitives
