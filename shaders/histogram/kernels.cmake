# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(histogram)
weft_kernel(histogram/histogram_clear.comp)
weft_kernel(histogram/histogram.comp TYPES u8:u32 u16:u32 u32:u32 i32:u32 f32:u32)
