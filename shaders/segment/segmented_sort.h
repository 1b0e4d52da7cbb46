// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of segmented_sort_tiles.comp, segmented_sort_merge.comp, and segmented_sort_upsweep.comp,
// segmented_sort_scan.comp and segmented_sort_downsweep.comp.
#ifndef WEFT_SEGMENTED_SORT_H
#define WEFT_SEGMENTED_SORT_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct SegmentedSortTilesPush {
  weft_address offsets;  // count + 1 offsets
  // Words, all 0: runs of long segments, segments of more than one run, and, written, where all segments end; then
  // segments of middle length. After them two words for each of these: where it begins and ends. From the next multiple
  // of 16 bytes on a vector for each run, and after all a word for each segment of more than one.
  weft_address totals;
  weft_address keys;
  weft_address values;
  weft_address keys_out;
  weft_address values_out;
  weft_address count;  // 0: use count_value
  weft_address key_count;
  weft_u64 count_value;      // the number of segments, or its maximum
  weft_u32 key_count_value;  // likewise of keys
  weft_u32 count_words;      // words at `count`: 1 or 2
  weft_u32 key_count_words;
  weft_u32 group_segments;  // of a workgroup
  weft_u32 middle_keys;     // longer segments are cut into runs
  weft_u32 run_keys;        // of so many keys, or fewer
  weft_u32 max_middle;      // segments of middle length that there is room for
  weft_u32 max_runs;        // likewise runs
  weft_u32 max_split;       // likewise segments of more than one
  weft_u32 flip_high;       // as below
  weft_u32 flip_low;
  weft_u32 flip_negative_high;
  weft_u32 flip_negative_low;
  weft_u32 padding;
};

struct SegmentedSortMergePush {
  weft_address keys;
  weft_address values;
  weft_address keys_out;
  weft_address values_out;
  weft_address keys_between;  // as much room as the outputs have
  weft_address values_between;
  weft_address totals;  // as above
  weft_address middle;
  weft_u32 max_middle;
  weft_u32 max_keys;  // of a segment
};

struct SegmentedSortPush {
  weft_address keys;  // what this pass reads
  weft_address values;
  weft_address keys_out;
  weft_address values_out;
  weft_address totals;  // as above
  weft_address runs;
  weft_address table;   // keys of each run and digit
  weft_u32 shift;       // of the digit in the ordered key
  weft_u32 digit_mask;  // below the number of bins
  weft_u32 flip_high;   // bits of the key's high word (or its only one) that make it ordered
  weft_u32 flip_low;
  weft_u32 flip_negative_high;  // more such bits of keys whose sign is set
  weft_u32 flip_negative_low;
  weft_u32 max_runs;
  weft_u32 max_split;
};
WEFT_STRUCT_END

#endif
