# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(by_key REQUIRES look_back SOURCES by_key/keyed_plan.cpp by_key/segments.cpp)
weft_kernel(by_key/scan_by_key_upsweep.comp TYPES ${by_key_types})

weft_family(scan_by_key REQUIRES by_key)
weft_kernel(by_key/scan_by_key_look_back.comp TYPES ${by_key_types})
weft_kernel(by_key/scan_by_key_downsweep.comp TYPES ${by_key_types})

weft_family(reduce_by_key REQUIRES by_key)
weft_kernel(by_key/reduce_by_key_look_back.comp TYPES ${by_key_types})
weft_kernel(by_key/reduce_by_key_downsweep.comp TYPES ${by_key_types})
