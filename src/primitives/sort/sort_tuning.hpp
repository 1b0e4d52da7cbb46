// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// MergeSort. Keys a lane are rounded down to powers of two; fewer are sorted where shared memory has no room.
struct MergeSortTuning {
  uint32_t workgroup = 256;
  uint32_t keys = 8;                 ///< a lane sorts, at most 32
  uint32_t keys_wide = 4;            ///< the same of more than a word, as in MergeTuning
  uint32_t merge_keys = 8;           ///< a lane merges in a pass, at most 32 and twice as many as it sorts
  uint32_t merge_keys_wide = 8;      ///< likewise
  uint32_t direct_tiles = 1024;      ///< of a pass, as in MergeTuning
  uint32_t direct_tiles_wide = 256;  ///< likewise
  uint32_t few = 1u << 16;           ///< likewise
  uint32_t few_keys = 4;             ///< there, a lane merges in a pass, as merge_keys
  uint32_t few_keys_wide = 4;        ///< likewise
};

inline constexpr runtime::TuningKey<MergeSortTuning> kMergeSortTuningKeys[] = {
    {"workgroup", &MergeSortTuning::workgroup, 128, 256},
    {"keys", &MergeSortTuning::keys, 1, 32},
    {"keys_wide", &MergeSortTuning::keys_wide, 1, 32},
    {"merge_keys", &MergeSortTuning::merge_keys, 1, 32},
    {"merge_keys_wide", &MergeSortTuning::merge_keys_wide, 1, 32},
    {"direct_tiles", &MergeSortTuning::direct_tiles, 0, ~0u},
    {"direct_tiles_wide", &MergeSortTuning::direct_tiles_wide, 0, ~0u},
    {"few", &MergeSortTuning::few, 0, ~0u},
    {"few_keys", &MergeSortTuning::few_keys, 1, 32},
    {"few_keys_wide", &MergeSortTuning::few_keys_wide, 1, 32},
};
// Positions in a block have 13 bits beside a key of a word: merge/merge_element.glsl.
static_assert(runtime::largest(kMergeSortTuningKeys, &MergeSortTuning::workgroup) *
                  runtime::largest(kMergeSortTuningKeys, &MergeSortTuning::keys_wide) <=
              1u << 13);

inline const runtime::TuningTable<MergeSortTuning> merge_sort_tuning("merge_sort", kMergeSortTuningKeys,
                                                                     {.cpu = {.workgroup = 128,
                                                                              .keys = 4,
                                                                              .merge_keys = 4,
                                                                              .merge_keys_wide = 4,
                                                                              .direct_tiles = 0,
                                                                              .direct_tiles_wide = 0,
                                                                              .few = 2048,
                                                                              .few_keys = 2,
                                                                              .few_keys_wide = 2},
                                                                      .nvidia = {.keys = 16,
                                                                                 .keys_wide = 8,
                                                                                 .merge_keys = 32,
                                                                                 .direct_tiles = 8192,
                                                                                 .direct_tiles_wide = 1024,
                                                                                 .few = 1u << 18}});

struct RadixSortTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 16;          ///< keys of 4 bytes a lane has of a tile, at most 16; of 8 bytes half as many
  uint32_t part_words = 2048;  ///< of shared memory that a tile passes through, part by part
  uint32_t many_pairs = 0;     ///< from so many keys with values on both are as follows; 0: never
  uint32_t many_workgroup = 256;
  uint32_t many_part_words = 2048;
  uint32_t groups = 1024;          ///< at most this many workgroups, except where their shares would be very long
  uint32_t direct_groups = 64;     ///< so many or fewer sum each other's counts, without a dispatch in between
  uint32_t count_workgroup = 256;  ///< of the dispatch that counts digits
  uint32_t copies = 8;             ///< of each counter there: a power of two, at most 8
  // look_back, from here on.
  uint32_t sweep_workgroup = 256;
  uint32_t sweep_rows = 16;  ///< likewise
  uint32_t sweep_part_words = 2048;
  uint32_t sweep_pairs_workgroup = 256;  ///< with values, and so on
  uint32_t sweep_pairs_rows = 16;
  uint32_t sweep_pairs_part_words = 2048;
  uint32_t sweep_groups = 512;  ///< at most this many workgroups count the digits of all passes, but as above
  uint32_t sweep_count_workgroup = 256;
  uint32_t sweep_copies = 2;       ///< of each counter there: a power of two, at most 8
  uint32_t sweep_pairs_ahead = 0;  ///< as kReadsAhead of sort/radix_sort_look_back.h
  uint32_t sight = 4;              ///< tile states that a lane reads at a time, at most 8
  uint32_t spin_limit = 256;       ///< polls of a tile state before a workgroup counts that tile's digits itself
  uint32_t sweep_from = 1 << 20;   ///< automatic, where that is look_back: from so many keys on
  uint32_t sweep_pairs_from = 1 << 20;
};

inline constexpr runtime::TuningKey<RadixSortTuning> kRadixSortTuningKeys[] = {
    {"workgroup", &RadixSortTuning::workgroup, 128, 1024},
    {"rows", &RadixSortTuning::rows, 1, 16},
    {"part_words", &RadixSortTuning::part_words, 1, 16384},
    {"many_pairs", &RadixSortTuning::many_pairs, 0, 1u << 30},
    {"many_workgroup", &RadixSortTuning::many_workgroup, 128, 1024},
    {"many_part_words", &RadixSortTuning::many_part_words, 1, 16384},
    {"groups", &RadixSortTuning::groups, 1, 65535},
    {"direct_groups", &RadixSortTuning::direct_groups, 0, 1024},
    {"count_workgroup", &RadixSortTuning::count_workgroup, 128, 1024},
    {"copies", &RadixSortTuning::copies, 1, 8},
    {"sweep_workgroup", &RadixSortTuning::sweep_workgroup, 128, 1024},
    {"sweep_rows", &RadixSortTuning::sweep_rows, 1, 16},
    {"sweep_part_words", &RadixSortTuning::sweep_part_words, 1, 16384},
    {"sweep_pairs_workgroup", &RadixSortTuning::sweep_pairs_workgroup, 128, 1024},
    {"sweep_pairs_rows", &RadixSortTuning::sweep_pairs_rows, 1, 16},
    {"sweep_pairs_part_words", &RadixSortTuning::sweep_pairs_part_words, 1, 16384},
    {"sweep_groups", &RadixSortTuning::sweep_groups, 1, 65535},
    {"sweep_count_workgroup", &RadixSortTuning::sweep_count_workgroup, 128, 1024},
    {"sweep_copies", &RadixSortTuning::sweep_copies, 1, 8},
    {"sweep_pairs_ahead", &RadixSortTuning::sweep_pairs_ahead, 0, 1},
    {"sight", &RadixSortTuning::sight, 1, 8},
    {"spin_limit", &RadixSortTuning::spin_limit, 1, 1u << 20},
    {"sweep_from", &RadixSortTuning::sweep_from, 0, 1u << 30},
    {"sweep_pairs_from", &RadixSortTuning::sweep_pairs_from, 0, 1u << 30},
};

inline const runtime::TuningTable<RadixSortTuning> radix_sort_tuning("radix_sort", kRadixSortTuningKeys,
                                                                     {.cpu = {.workgroup = 128,
                                                                              .rows = 4,
                                                                              .part_words = 1024,
                                                                              .groups = 64,
                                                                              .count_workgroup = 128,
                                                                              .copies = 1,
                                                                              .sweep_workgroup = 128,
                                                                              .sweep_rows = 4,
                                                                              .sweep_part_words = 1024,
                                                                              .sweep_pairs_workgroup = 128,
                                                                              .sweep_pairs_rows = 4,
                                                                              .sweep_pairs_part_words = 1024,
                                                                              .sweep_groups = 64,
                                                                              .sweep_count_workgroup = 128,
                                                                              .sweep_copies = 1,
                                                                              .spin_limit = 4},
                                                                      .nvidia = {.workgroup = 512,
                                                                                 .part_words = 4096,
                                                                                 .many_pairs = 1 << 23,
                                                                                 .many_workgroup = 1024,
                                                                                 .many_part_words = 8192,
                                                                                 .groups = 1056,
                                                                                 .count_workgroup = 512,
                                                                                 .sweep_workgroup = 384,
                                                                                 .sweep_part_words = 3072,
                                                                                 .sweep_pairs_workgroup = 512,
                                                                                 .sweep_pairs_part_words = 4096,
                                                                                 .sweep_groups = 264,
                                                                                 .sweep_count_workgroup = 1024,
                                                                                 .sweep_copies = 4,
                                                                                 .sweep_pairs_ahead = 1,
                                                                                 .sight = 3,
                                                                                 .spin_limit = 1024,
                                                                                 .sweep_from = 0,
                                                                                 .sweep_pairs_from = 1 << 18}});

}  // namespace weft::primitives
