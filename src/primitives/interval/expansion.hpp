// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/interval_expand.hpp>

#include "primitives/interval/interval_plan.hpp"

namespace weft::primitives {

/// Values repeated by counts, under the names that a primitive gives them: what IntervalExpand and RunLengthDecode record alike.
struct Expansion {
  const char* values_name;
  uint32_t value_bytes = 0;
  IntervalPlan plan;

  Status record(VkCommandBuffer commands, const IntervalExpandArgs& args) const;
};

}  // namespace weft::primitives
