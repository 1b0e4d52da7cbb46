// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What a tile of Gstd needs of device memory while it is decoded: twice gstd_scratch_part() bytes, aligned to 16.
#ifndef WEFT_GSTD_SCRATCH_GLSL
#define WEFT_GSTD_SCRATCH_GLSL

// For a tile of `bytes`, at least 2^14: tables of codes are no larger, and numbers of 16 bits begin anew for up to 64
// places of an element.
uint gstd_scratch_part(uint bytes) { return (bytes + 1024u + 511u) / 512u * 512u; }

#endif
