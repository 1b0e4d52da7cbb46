// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// Merge and SortedSearch. Keys a lane are rounded down to powers of two.
struct MergeTuning {
  uint32_t workgroup = 256;
  uint32_t keys = 8;          ///< a lane merges, at most 32
  uint32_t keys_indices = 8;  ///< the same where indices, or values of more than 4 bytes, are written
  uint32_t keys_wide = 8;     ///< the same of elements of more than a word: keys of 8 bytes, keys with positions
  uint32_t direct_tiles =
      1024;  ///< so many or fewer take one dispatch, and find where they are cut themselves; 0: none do
  uint32_t direct_tiles_wide = 256;  ///< of elements of more than a word
  uint32_t few = 1u << 16;           ///< so many keys in all or fewer do too, with sizes of their own; 0: none do
  uint32_t few_keys = 4;             ///< there, a lane merges
  uint32_t few_keys_wide = 4;        ///< likewise
  uint32_t form = 0;                 ///< 0: registers, 1: streaming
  uint32_t stream_keys = 4;          ///< streaming: a lane merges in a step, at most 16 and as many as make 8 KiB
  uint32_t stream_steps = 16;        ///< of a tile
};

inline constexpr runtime::TuningKey<MergeTuning> kMergeTuningKeys[] = {
    {"workgroup", &MergeTuning::workgroup, 128, 256},
    {"keys", &MergeTuning::keys, 1, 32},
    {"keys_indices", &MergeTuning::keys_indices, 1, 32},
    {"keys_wide", &MergeTuning::keys_wide, 1, 32},
    {"direct_tiles", &MergeTuning::direct_tiles, 0, ~0u},
    {"direct_tiles_wide", &MergeTuning::direct_tiles_wide, 0, ~0u},
    {"few", &MergeTuning::few, 0, ~0u},
    {"few_keys", &MergeTuning::few_keys, 1, 32},
    {"few_keys_wide", &MergeTuning::few_keys_wide, 1, 32},
    {"form", &MergeTuning::form, 0, 1},
    {"stream_keys", &MergeTuning::stream_keys, 1, 16},
    {"stream_steps", &MergeTuning::stream_steps, 1, 256},
};

inline const runtime::TuningTable<MergeTuning> merge_tuning(
    "merge", kMergeTuningKeys,
    {.cpu = {.workgroup = 128,
             .keys = 4,
             .keys_indices = 4,
             .keys_wide = 4,
             .direct_tiles = 0,
             .direct_tiles_wide = 0,
             .few = 2048,
             .few_keys = 2,
             .few_keys_wide = 2,
             .stream_steps = 3},
     .nvidia = {.keys = 32, .keys_indices = 16, .direct_tiles = 8192, .direct_tiles_wide = 1024, .few = 1u << 18}});

/// SetOperation. Keys a lane are at most 31 and as many as make 12 KiB.
struct SetOperationTuning {
  uint32_t workgroup = 256;
  uint32_t keys = 7;       ///< a lane has of a tile
  uint32_t keys_wide = 5;  ///< of two words; half as many of more
  uint32_t groups = 1024;  ///< at most this many workgroups, except where their shares would be very long
};

inline constexpr runtime::TuningKey<SetOperationTuning> kSetOperationTuningKeys[] = {
    {"workgroup", &SetOperationTuning::workgroup, 128, 256},
    {"keys", &SetOperationTuning::keys, 1, 31},
    {"keys_wide", &SetOperationTuning::keys_wide, 1, 31},
    {"groups", &SetOperationTuning::groups, 1, 65535},
};

inline const runtime::TuningTable<SetOperationTuning> set_operation_tuning(
    "set_operation", kSetOperationTuningKeys,
    {.cpu = {.workgroup = 128, .keys = 4, .keys_wide = 3, .groups = 64}, .nvidia = {.workgroup = 128, .groups = 1056}});

}  // namespace weft::primitives
