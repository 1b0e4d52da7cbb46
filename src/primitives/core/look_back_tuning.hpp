// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// Of all that looks back.
struct LookBackTuning {
  uint32_t tickets = 1;  ///< 0: workgroups start in the order of their numbers, and take tiles by these
  /// A fault that tests plant, as kFault of weft/look_back.h. Some tiles are published with delay or never, as on a
  /// device that does not run every workgroup on.
  uint32_t fault = 0;
};

inline constexpr runtime::TuningKey<LookBackTuning> kLookBackTuningKeys[] = {
    {"tickets", &LookBackTuning::tickets, 0, 1, false},
    {"fault", &LookBackTuning::fault, 0, ~0u, false},
};

inline const runtime::TuningTable<LookBackTuning> look_back_tuning("look_back", kLookBackTuningKeys,
                                                                   {.nvidia = {.tickets = 0}});

}  // namespace weft::primitives
