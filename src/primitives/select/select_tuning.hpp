// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// Sizes that select, partition and run-length encoding are built with.
struct SelectTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 4;         ///< 16-byte vectors per lane and tile, at most 4 and as many as make 32 items
  uint32_t direct_rows = 4;  ///< likewise, of items of one or two words that need no shared memory, at most 8
  uint32_t groups = 1024;    ///< as in ScanTuning
  uint32_t spin_limit = 256;
  uint32_t small_kib = 0;
  uint32_t small_workgroup = 128;  ///< of calls that are small, with tiles of 4 rows
  uint32_t tiny_kib = 0;           ///< of the small those up to this have tiles of fewer
  uint32_t tiny_rows = 2;          ///< there, and as many as make 16 items
  uint32_t rows_ahead = 0;         ///< by look-back, as kRowsAhead of select/select.h
  uint32_t chunk_tiles = ~0u;      ///< tiles that are done at a time, where those of 2^31 items are more
};

inline constexpr runtime::TuningKey<SelectTuning> kSelectTuningKeys[] = {
    {"workgroup", &SelectTuning::workgroup, 128, 1024},
    {"rows", &SelectTuning::rows, 1, 4},
    {"direct_rows", &SelectTuning::direct_rows, 1, 8},
    {"groups", &SelectTuning::groups, 1, 65535},
    {"spin_limit", &SelectTuning::spin_limit, 1, 1u << 20},
    {"small_kib", &SelectTuning::small_kib, 0, 1u << 20},
    {"small_workgroup", &SelectTuning::small_workgroup, 128, 1024},
    {"tiny_kib", &SelectTuning::tiny_kib, 0, 1u << 20},
    {"tiny_rows", &SelectTuning::tiny_rows, 1, 8},
    {"rows_ahead", &SelectTuning::rows_ahead, 0, 1, false},
    {"chunk_tiles", &SelectTuning::chunk_tiles, 1, ~0u, false},
};

inline const runtime::TuningTable<SelectTuning> select_tuning(
    "select", kSelectTuningKeys,
    {.cpu = {.workgroup = 128, .spin_limit = 64},
     .nvidia = {.direct_rows = 8, .small_kib = 8192, .tiny_kib = 1024, .rows_ahead = 1}});

}  // namespace weft::primitives
