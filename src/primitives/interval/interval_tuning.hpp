// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "interval/interval.h"
#include "runtime/tuning.hpp"

namespace weft::primitives {

/// RunLengthDecode (and IntervalExpand), LoadBalanceSearch and IntervalMove, each by itself. Workgroup and rows are
/// rounded down to powers of two.
struct IntervalTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 8;     ///< 16-byte vectors of output per lane and segment, at most 32 and as many as make 2^14 items
  uint32_t vectors = 1;  ///< of 4 intervals per lane and tile, 1 or 2
  uint32_t short_vectors = 1;  ///< the same in calls whose intervals are short; another number has pipelines of its own
  uint32_t groups = 1024;      ///< at most this many workgroups sum counts
  uint32_t direct_intervals = 1u << 15;  ///< given by offsets: so many or fewer take one dispatch; 0: none do
  uint32_t direct_tiles = 16;  ///< given by counts: so many or fewer take one dispatch, in which all workgroups sum all
  uint32_t single_tiles = 4;   ///< so many or fewer are summed by one workgroup, which saves a dispatch
};

inline constexpr runtime::TuningKey<IntervalTuning> kIntervalTuningKeys[] = {
    {"workgroup", &IntervalTuning::workgroup, 128, 256},
    {"rows", &IntervalTuning::rows, 1, 32},
    {"vectors", &IntervalTuning::vectors, 1, 2},
    {"groups", &IntervalTuning::groups, 1, 65535},
    {"direct_intervals", &IntervalTuning::direct_intervals, 0, 1u << 20},
    {"single_tiles", &IntervalTuning::single_tiles, 0, 1024},
    {"direct_tiles", &IntervalTuning::direct_tiles, 0, shader::kMaxDirectTiles},
    {"short_vectors", &IntervalTuning::short_vectors, 1, 2},
};

inline constexpr runtime::TuningByClass<IntervalTuning> kIntervalSizes{
    .cpu = {.workgroup = 128, .rows = 4, .direct_intervals = 1024, .direct_tiles = 2, .single_tiles = 2},
    .nvidia = {
        .workgroup = 128, .rows = 16, .short_vectors = 2, .groups = 1056, .direct_tiles = 32, .single_tiles = 8}};
inline const runtime::TuningTable<IntervalTuning> decode_tuning("decode", kIntervalTuningKeys, kIntervalSizes);
inline const runtime::TuningTable<IntervalTuning> load_balance_tuning("load_balance", kIntervalTuningKeys,
                                                                      kIntervalSizes);
inline const runtime::TuningTable<IntervalTuning> move_tuning(
    "move", std::span(kIntervalTuningKeys).first(6),
    {.cpu = {.workgroup = 128, .rows = 4, .direct_intervals = 1024, .single_tiles = 2},
     .nvidia = {.workgroup = 128, .rows = 16, .groups = 1056, .single_tiles = 8}});

}  // namespace weft::primitives
