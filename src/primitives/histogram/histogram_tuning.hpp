// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

struct HistogramTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 4;            ///< 16-byte vectors per lane and tile, at most 8
  uint32_t groups = 512;        ///< at most this many workgroups, each with a table in shared memory
  uint32_t table_words = 2048;  ///< of that table, at most; more bins are counted in the output
};

inline constexpr runtime::TuningKey<HistogramTuning> kHistogramTuningKeys[] = {
    {"workgroup", &HistogramTuning::workgroup, 128, 1024},
    {"rows", &HistogramTuning::rows, 1, 8},
    {"groups", &HistogramTuning::groups, 1, 65535},
    {"table_words", &HistogramTuning::table_words, 256, 16384},
};

inline const runtime::TuningTable<HistogramTuning> histogram_tuning(
    "histogram", kHistogramTuningKeys,
    {.cpu = {.workgroup = 128, .groups = 64, .table_words = 4096},
     .nvidia = {.workgroup = 512, .groups = 528, .table_words = 4096}});

}  // namespace weft::primitives
