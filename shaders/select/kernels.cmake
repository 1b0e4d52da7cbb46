# SPDX-License-Identifier: MIT OR Apache-2.0
# What is tested, by size, and single words for counts, pairs where there are three partitions.
set(select_types u8:u32 u16:u32 u32:u32 u32x2:u32 bits:u32 struct:u32 u8:counts u16:counts u32:counts u32x2:counts
    struct:counts)
weft_family(select REQUIRES look_back SOURCES select/compaction.cpp)
weft_kernel(select/select_look_back.comp TYPES ${select_types})
weft_kernel(select/select_upsweep.comp TYPES ${select_types})
weft_kernel(select/select_downsweep.comp TYPES ${select_types})

# Symbols by size, and how many runs have begun and where the last one did.
set(run_types u8:runs u16:runs u32:runs u32x2:runs)
weft_family(run_length_encode REQUIRES look_back SOURCES select/compaction.cpp)
weft_kernel(select/run_length_encode_look_back.comp TYPES ${run_types})
weft_kernel(select/run_length_encode_upsweep.comp TYPES ${run_types})
weft_kernel(select/run_length_encode_downsweep.comp TYPES ${run_types})
