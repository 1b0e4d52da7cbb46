// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/interval_expand.hpp>

#include "primitives/interval/interval_plan.hpp"

namespace weft::primitives {

/// IntervalExpand, and RunLengthDecode, which gives the arguments other names.
struct Expansion {
  const char* values_name = "";
  uint32_t value_bytes = 0;
  IntervalPlan plan;

  struct Desc {
    const char* name;  // of the primitive, for errors
    const PackedKernels& kernels;
    const char* kernel;
    const char* values_name;  // for errors
    const char* counts_name;
    IntervalExpandConfig config;
  };
  static Result<Expansion> create(const Context& context, const Desc& desc);

  Status record(VkCommandBuffer commands, const IntervalExpandArgs& args) const;
};

}  // namespace weft::primitives
