// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/context_state.hpp"

namespace weft::runtime {

/// Sizes a scan is built with. Rows are 16-byte vectors per lane and tile, at most 8.
struct ScanTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 4;
  uint32_t rows_wide = 4;     ///< the same for accumulators of 8 bytes, or wider than items
  uint32_t groups = 1024;     ///< reduce_then_scan: at most this many workgroups
  uint32_t spin_limit = 256;  ///< look_back: polls of a state that is not ready before the tile is deferred
  uint32_t lag_kib = 4096;  ///< look_back: input and output between what a workgroup combines and scans; fits the cache
  uint32_t small_kib = 0;   ///< automatic, where that is look_back: inputs up to this take reduce_then_scan
};

/// Sizes that a scan or reduction by key is built with. Rows are vectors of 4 items, with their keys; at most 8.
struct ByKeyTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 2;
  uint32_t rows_wide = 2;   ///< for accumulators of 8 bytes
  uint32_t small_rows = 2;  ///< of calls that are small; no more than the others
  uint32_t groups = 1024;   ///< as ScanTuning's, from here on
  uint32_t spin_limit = 256;
  uint32_t lag_kib = 4096;
  uint32_t small_kib = 0;  ///< of keys and values
};

/// Sizes that a segmented reduction is built with. Rows are vectors of 4 items, at most 8.
struct SegmentedTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 4;
  uint32_t rows_wide = 2;           ///< for accumulators of 8 bytes
  uint32_t groups = 1024;           ///< at most this many workgroups
  uint32_t direct_workgroup = 128;  ///< of a segment, if each has one of its own
  uint32_t direct_rows = 4;         ///< there
  uint32_t short_rows = 2;          ///< there, of mean lengths below 2,048
  uint32_t direct_mean = 512;       ///< from this mean length on each segment has one
  uint32_t direct_items = 0;        ///< and up to so many items in all, of mean lengths from 16 on
  uint32_t slice_log = 15;          ///< a longer segment is shared out in slices of 2 to this items, between 6 and 20
};

struct ReduceTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 8;
  uint32_t groups = 1024;  ///< at most this many workgroups
};

/// Sizes that select, partition and run-length encoding are built with.
struct SelectTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 4;         ///< 16-byte vectors per lane and tile, at most 4 and as many as make 32 items
  uint32_t direct_rows = 4;  ///< likewise, of items of one or two words that need no shared memory: 4, 8, 12 or 16
  uint32_t groups = 1024;    ///< as in ScanTuning
  uint32_t spin_limit = 256;
  uint32_t lag_kib = 4096;  ///< look_back: input between what a workgroup counts and moves
  uint32_t small_kib = 0;
  uint32_t small_workgroup = 128;  ///< of calls that are small, with tiles of 4 rows
  uint32_t chunk_tiles = ~0u;      ///< tiles that are done at a time, where those of 2^31 items are more
};

/// RunLengthDecode (and IntervalExpand), LoadBalanceSearch and IntervalMove, each by itself. Workgroup and rows are rounded down to powers of two.
struct IntervalTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 8;     ///< 16-byte vectors of output per lane and segment, at most 32 and as many as make 2^14 items
  uint32_t vectors = 1;  ///< of 4 intervals per lane and tile, 1 or 2
  uint32_t short_vectors = 1;  ///< the same in calls whose intervals are short; another number has pipelines of its own
  uint32_t groups = 1024;      ///< at most this many workgroups sum counts
  uint32_t direct_intervals = 1u << 15;  ///< told by offsets: so many or fewer take one dispatch; 0: none do
  uint32_t single_tiles = 4;             ///< so many or fewer are summed by one workgroup, which saves a dispatch
};

struct HistogramTuning {
  uint32_t workgroup = 256;
  uint32_t rows = 4;            ///< 16-byte vectors per lane and tile, at most 8
  uint32_t groups = 512;        ///< at most this many workgroups, each with a table in shared memory
  uint32_t table_words = 2048;  ///< of that table, at most; more bins are counted in the output
};

/// SortedSearch; of BinarySearch the workgroup.
struct SearchTuning {
  uint32_t workgroup = 256;
  uint32_t keys = 7;     ///< of a tile for each lane, at most 31 and as many as make 12 KiB; of 8 bytes half as many
  uint32_t by_rows = 0;  ///< 1: tiles are searched for rows of needles; 0: merged
};

/// Merge. Keys a lane are rounded down to powers of two.
struct MergeTuning {
  uint32_t workgroup = 256;
  uint32_t keys = 8;        ///< a lane merges, at most 32
  uint32_t keys_sides = 8;  ///< the same where values or indices are written
  uint32_t keys_wide = 8;   ///< the same of elements of more than a word: keys of 8 bytes, and items with their places
  uint32_t direct_tiles =
      1024;  ///< so many or fewer take one dispatch, and find where they are cut themselves; 0: none do
  uint32_t direct_tiles_wide = 256;  ///< of elements of more than a word
  uint32_t few = 1u << 16;           ///< so many keys in all or fewer do too, with sizes of their own; 0: none do
  uint32_t few_keys = 4;             ///< there, a lane merges
  uint32_t few_keys_wide = 4;        ///< likewise
  uint32_t form = 0;                 ///< MergeForm::automatic is 0: registers, 1: streaming
  uint32_t stream_keys = 4;          ///< streaming: a lane merges in a step, at most 16 and as many as make 8 KiB
  uint32_t stream_steps = 16;        ///< of a tile
};

/// SetOperation. Keys a lane are at most 31 and as many as make 12 KiB.
struct SetOperationTuning {
  uint32_t workgroup = 256;
  uint32_t keys = 7;       ///< a lane has of a tile
  uint32_t keys_wide = 5;  ///< of two words; half as many of more
  uint32_t groups = 1024;  ///< at most this many workgroups, except where their shares would be very long
};

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

/// BulkRemove and BulkInsert.
struct BulkTuning {
  uint32_t workgroup = 256;
  uint32_t words = 16;  ///< a lane moves, at most 16; of items of less than a word as many as make 8 KiB
};

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
  uint32_t sweep_copies = 2;  ///< of each counter there: a power of two, at most 8
  uint32_t sight = 4;         ///< posts that a lane reads at a time, at most 8
  uint32_t spin_limit = 256;  ///< polls of a late post before a workgroup counts that tile's digits itself
  uint32_t tickets = 1;  ///< 0: workgroups start in the order of their numbers, so that these tell which tile one takes
  uint32_t sweep_from = 1 << 20;  ///< automatic, where that is look_back: from so many keys on
  uint32_t sweep_pairs_from = 1 << 20;
};

/// SegmentedSort; what is not here is RadixSort's. Rows are keys a lane has of a tile, a power of two.
struct SegmentedSortTuning {
  uint32_t workgroup = 256;       ///< of the dispatch that sorts short segments
  uint32_t rows = 8;              ///< there, of keys of one word alone, at most 16; segments of half a tile are short
  uint32_t rows_wide = 4;         ///< the same where keys have two words, or values
  uint32_t long_workgroup = 256;  ///< of the dispatches that sort long segments
  uint32_t long_rows = 16;        ///< there, of keys of one word, at most 16; of two words half as many
};

/// Everything that is chosen by measurement rather than by need.
struct Tuning {
  ScanTuning scan;
  ReduceTuning reduce;
  SelectTuning select;
  IntervalTuning decode;
  IntervalTuning load_balance;
  IntervalTuning move;
  HistogramTuning histogram;
  ByKeyTuning scan_by_key;
  ByKeyTuning reduce_by_key;
  SegmentedTuning segmented_reduce;
  SearchTuning search;
  MergeTuning merge;
  SetOperationTuning set_operation;
  MergeSortTuning merge_sort;
  BulkTuning bulk;
  RadixSortTuning radix_sort;
  SegmentedSortTuning segmented_sort;
};

/// The table's entry for the device's class.
const Tuning& tuning_of(const DeviceTraits& traits) noexcept;

/// Applies overrides as WEFT_TUNE has them, e.g. "scan.rows=6,reduce.groups=512" (`weft-bench tune` sweeps them).
/// Errors:
/// invalid_argument (an unknown key, a value out of range); `tuning` then has those before it.
Status apply_tuning_overrides(Tuning& tuning, std::string_view overrides);

}  // namespace weft::runtime
