# SPDX-License-Identifier: MIT OR Apache-2.0
set(scan_types
    u8:u8 u8:u16 u8:u32 u16:u16 u16:u32 u32:u32 u32:u64 u64:u64 i32:i32 i32:i64 i64:i64 f16:f16 f16:f32 f32:f32 f32:f64
    f64:f64 u32x2:u32x2)
set(arg_types u8:arg u16:arg u32:arg u64:arg i32:arg i64:arg f16:arg f32:arg f64:arg)

weft_family(scan REQUIRES look_back)
weft_kernel(scan/scan_look_back.comp TYPES ${scan_types})
weft_kernel(scan/scan_upsweep.comp TYPES ${scan_types})
weft_kernel(scan/scan_downsweep.comp TYPES ${scan_types})

weft_family(reduce)
weft_kernel(scan/reduce.comp TYPES ${scan_types} ${arg_types})

# u32x2 stands for integers of 8 bytes.
weft_family(adjacent_difference)
weft_kernel(scan/adjacent_difference.comp TYPES u8:u8 u16:u16 u32:u32 u32x2:u32x2 f16:f16 f32:f32 f64:f64)
