// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::decode {

struct GdeflateTuning {
  /// Up to so many pages, two groups decode each in one dispatch; of more, one group does in two.
  uint32_t few_pages = 0;
};

inline constexpr runtime::TuningKey<GdeflateTuning> kGdeflateTuningKeys[] = {
    {"few_pages", &GdeflateTuning::few_pages, 0, 1u << 24, false},
};

inline const runtime::TuningTable<GdeflateTuning> gdeflate_tuning("gdeflate", kGdeflateTuningKeys,
                                                                  {.nvidia = {.few_pages = 2560}});

}  // namespace weft::decode
