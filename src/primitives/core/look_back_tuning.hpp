// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// Of all that looks back: a fault that tests plant, as kFault of weft/look_back.h. Some tiles are published with delay
/// or never, as on a device that does not run every workgroup on.
struct LookBackTuning {
  uint32_t fault = 0;
};

inline constexpr runtime::TuningKey<LookBackTuning> kLookBackTuningKeys[] = {
    {"fault", &LookBackTuning::fault, 0, ~0u, false},
};

inline const runtime::TuningTable<LookBackTuning> look_back_tuning("look_back", kLookBackTuningKeys, {});

}  // namespace weft::primitives
