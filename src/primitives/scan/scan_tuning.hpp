// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// Sizes a scan is built with. Rows are 16-byte vectors per lane and tile, at most 8.
struct ScanTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 4;
  uint32_t groups = 1024;     ///< reduce_then_scan: at most this many workgroups
  uint32_t spin_limit = 256;  ///< look_back: polls of a state that is not ready before the tile is deferred
  uint32_t small_kib = 0;     ///< automatic, where that is look_back: inputs up to this take reduce_then_scan
};

inline constexpr runtime::TuningKey<ScanTuning> kScanTuningKeys[] = {
    {"workgroup", &ScanTuning::workgroup, 128, 1024},   {"rows", &ScanTuning::rows, 1, 8},
    {"groups", &ScanTuning::groups, 1, 65535},          {"spin_limit", &ScanTuning::spin_limit, 1, 1u << 20},
    {"small_kib", &ScanTuning::small_kib, 0, 1u << 20},
};

inline const runtime::TuningTable<ScanTuning> scan_tuning("scan", kScanTuningKeys,
                                                          {.cpu = {.workgroup = 128, .spin_limit = 64},
                                                           .nvidia = {.rows = 8, .small_kib = 8192}});

struct ReduceTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 8;
  uint32_t groups = 1024;  ///< at most this many workgroups
};

inline constexpr runtime::TuningKey<ReduceTuning> kReduceTuningKeys[] = {
    {"workgroup", &ReduceTuning::workgroup, 128, 1024},
    {"rows", &ReduceTuning::rows, 1, 8},
    {"groups", &ReduceTuning::groups, 1, 65535},
};

inline const runtime::TuningTable<ReduceTuning> reduce_tuning("reduce", kReduceTuningKeys,
                                                              {.cpu = {.workgroup = 128, .rows = 4},
                                                               .nvidia = {.rows = 4, .groups = 528}});

}  // namespace weft::primitives
