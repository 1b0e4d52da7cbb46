// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// BulkRemove and BulkInsert.
struct BulkTuning {
  uint32_t workgroup = 256;
  uint32_t words = 16;  ///< a lane moves, at most 16; of items of less than a word as many as make 8 KiB
};

inline constexpr runtime::TuningKey<BulkTuning> kBulkTuningKeys[] = {
    {"workgroup", &BulkTuning::workgroup, 128, 256},
    {"words", &BulkTuning::words, 1, 16},
};

inline const runtime::TuningTable<BulkTuning> bulk_tuning("bulk", kBulkTuningKeys,
                                                          {.cpu = {.workgroup = 128, .words = 8},
                                                           .nvidia = {.workgroup = 128}});

}  // namespace weft::primitives
