// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// Sizes that a segmented reduction is built with. Rows are vectors of 4 items, at most 8.
struct SegmentedTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 4;
  uint32_t rows_wide = 2;      ///< for accumulators of 8 bytes
  uint32_t groups = 1024;      ///< at most this many workgroups
  uint32_t direct_rows = 4;    ///< of segments that have workgroups of their own
  uint32_t short_rows = 2;     ///< there, of mean lengths below 2,048
  uint32_t direct_mean = 512;  ///< from this mean length on each segment has one
  uint32_t direct_items = 0;   ///< and up to so many items in all, of mean lengths from 16 on
  uint32_t few_rows = 4;       ///< of segments that have subgroups of their own
  uint32_t few_items = 0;      ///< each has one up to so many items and segments in all
  uint32_t few_mean = 128;     ///< and mean lengths below this
  uint32_t slice_log = 15;     ///< a longer segment is shared out in slices of 2 to this items, between 6 and 20
};

inline constexpr runtime::TuningKey<SegmentedTuning> kSegmentedTuningKeys[] = {
    {"workgroup", &SegmentedTuning::workgroup, 128, 256},   {"rows", &SegmentedTuning::rows, 1, 8},
    {"rows_wide", &SegmentedTuning::rows_wide, 1, 8},       {"groups", &SegmentedTuning::groups, 1, 65535},
    {"direct_rows", &SegmentedTuning::direct_rows, 1, 8},   {"short_rows", &SegmentedTuning::short_rows, 1, 8},
    {"direct_mean", &SegmentedTuning::direct_mean, 1, ~0u}, {"direct_items", &SegmentedTuning::direct_items, 0, ~0u},
    {"few_rows", &SegmentedTuning::few_rows, 1, 8},         {"few_items", &SegmentedTuning::few_items, 0, 1u << 30},
    {"few_mean", &SegmentedTuning::few_mean, 1, ~0u},       {"slice_log", &SegmentedTuning::slice_log, 6, 20},
};

inline const runtime::TuningTable<SegmentedTuning> segmented_reduce_tuning(
    "segmented_reduce", kSegmentedTuningKeys,
    {.cpu = {.workgroup = 128, .rows = 2},
     .nvidia = {.groups = 2112, .direct_rows = 8, .direct_items = 1 << 17, .few_items = 1 << 16}});

/// SegmentedSort; what is not here is RadixSort's.
struct SegmentedSortTuning {
  uint32_t workgroup = 128;         ///< of the dispatch that sorts short segments, of keys of one word alone
  uint32_t workgroup_wide = 128;    ///< the same where keys have two words, or values
  uint32_t short_keys = 256;        ///< longest short segment: a power of two, at most half of what it sorts at a time
  uint32_t block_keys = 8;          ///< of a block that a lane sorts there, at most 16, of keys of one word alone
  uint32_t block_keys_wide = 8;     ///< the same where keys have two words, or values
  uint32_t middle_workgroup = 256;  ///< of the dispatch that sorts segments of middle length
  uint32_t middle_keys = 8;         ///< there, of a tile for each lane, of one word alone, at most 32
  uint32_t middle_keys_wide = 4;    ///< the same where keys have two words, or values
  uint32_t middle_tiles = 16;       ///< of the longest segment of middle length, of keys of one word alone
  uint32_t middle_tiles_wide = 8;   ///< the same where keys have two words, or values
  uint32_t middle_groups = 4096;    ///< at most this many workgroups
  uint32_t long_workgroup = 256;    ///< of the dispatches that sort long segments
  uint32_t long_rows = 16;          ///< there, of keys of one word, at most 16; of two words half as many
};

inline constexpr runtime::TuningKey<SegmentedSortTuning> kSegmentedSortTuningKeys[] = {
    {"workgroup", &SegmentedSortTuning::workgroup, 32, 1024},
    {"workgroup_wide", &SegmentedSortTuning::workgroup_wide, 32, 1024},
    {"short_keys", &SegmentedSortTuning::short_keys, 32, 8192},
    {"block_keys", &SegmentedSortTuning::block_keys, 2, 16},
    {"block_keys_wide", &SegmentedSortTuning::block_keys_wide, 2, 16},
    {"middle_workgroup", &SegmentedSortTuning::middle_workgroup, 128, 256},
    {"middle_keys", &SegmentedSortTuning::middle_keys, 1, 32},
    {"middle_keys_wide", &SegmentedSortTuning::middle_keys_wide, 1, 32},
    {"middle_tiles", &SegmentedSortTuning::middle_tiles, 1, 64},
    {"middle_tiles_wide", &SegmentedSortTuning::middle_tiles_wide, 1, 64},
    {"middle_groups", &SegmentedSortTuning::middle_groups, 1, 65535},
    {"long_workgroup", &SegmentedSortTuning::long_workgroup, 128, 1024},
    {"long_rows", &SegmentedSortTuning::long_rows, 1, 16},
};
// Positions in a tile have 13 bits beside a key of a word: merge/merge_element.glsl.
static_assert(runtime::largest(kSegmentedSortTuningKeys, &SegmentedSortTuning::middle_workgroup) *
                  runtime::largest(kSegmentedSortTuningKeys, &SegmentedSortTuning::middle_keys_wide) <=
              1u << 13);

inline constexpr SegmentedSortTuning kSegmentedSortOnCpu = {.short_keys = 128,
                                                            .middle_workgroup = 128,
                                                            .middle_keys = 4,
                                                            .middle_tiles = 4,
                                                            .middle_tiles_wide = 4,
                                                            .long_workgroup = 128,
                                                            .long_rows = 4};
inline constexpr SegmentedSortTuning kSegmentedSortOnNvidia = {.workgroup = 32,
                                                               .workgroup_wide = 64,
                                                               .block_keys = 16,
                                                               .middle_workgroup = 128,
                                                               .middle_keys = 16,
                                                               .middle_keys_wide = 8,
                                                               .long_workgroup = 512};
inline const runtime::TuningTable<SegmentedSortTuning> segmented_sort_tuning("segmented_sort", kSegmentedSortTuningKeys,
                                                                             {.cpu = kSegmentedSortOnCpu,
                                                                              .nvidia = kSegmentedSortOnNvidia});

}  // namespace weft::primitives
