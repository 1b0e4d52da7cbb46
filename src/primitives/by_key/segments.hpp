// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "runtime/context_state.hpp"

namespace weft::primitives {

/// Values of a vector, and so of a lane's row.
inline constexpr uint32_t kSegmentVectorItems = 4;

/// Refuses what kernels on segments are not compiled for: operators, values, and what the device lacks for them.
Status check_segment_values(const runtime::ContextState& state, const char* primitive, Op op, Type item,
                            Type accumulator);

/// Refuses offsets of segments that are neither u32 nor u64.
Status check_offset(const char* primitive, Type offset);

}  // namespace weft::primitives
