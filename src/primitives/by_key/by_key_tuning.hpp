// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// Sizes that a scan or reduction by key is built with. Rows are vectors of 4 items, with their keys; at most 8.
struct ByKeyTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 2;
  uint32_t rows_wide = 2;   ///< for accumulators of 8 bytes
  uint32_t small_rows = 2;  ///< of calls that are small; no more than the others
  uint32_t groups = 1024;   ///< as ScanTuning's, from here on
  uint32_t spin_limit = 256;
  uint32_t small_kib = 0;  ///< of keys and values
};

inline constexpr runtime::TuningKey<ByKeyTuning> kByKeyTuningKeys[] = {
    {"workgroup", &ByKeyTuning::workgroup, 128, 1024},   {"rows", &ByKeyTuning::rows, 1, 8},
    {"rows_wide", &ByKeyTuning::rows_wide, 1, 8},        {"small_rows", &ByKeyTuning::small_rows, 1, 8},
    {"groups", &ByKeyTuning::groups, 1, 65535},          {"spin_limit", &ByKeyTuning::spin_limit, 1, 1u << 20},
    {"small_kib", &ByKeyTuning::small_kib, 0, 1u << 20},
};

inline const runtime::TuningTable<ByKeyTuning> scan_by_key_tuning("scan_by_key", kByKeyTuningKeys,
                                                                  {.cpu = {.workgroup = 128, .spin_limit = 64},
                                                                   .nvidia = {.rows = 4, .small_kib = 8192}});

inline const runtime::TuningTable<ByKeyTuning> reduce_by_key_tuning("reduce_by_key", kByKeyTuningKeys,
                                                                    {.cpu = {.workgroup = 128, .spin_limit = 64},
                                                                     .nvidia = {.rows = 4, .small_kib = 12288}});

}  // namespace weft::primitives
