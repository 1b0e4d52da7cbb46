// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Device memory for decoding a tile of Gstd: twice gstd_scratch_part() bytes, aligned to 16.
#ifndef WEFT_GSTD_SCRATCH_GLSL
#define WEFT_GSTD_SCRATCH_GLSL

// For a tile of `bytes` bytes, at least 2^14. This is enough for tables of codes, and for 16-bit numbers, which are
// padded for each of up to 64 numbers of an element.
uint gstd_scratch_part(uint bytes) { return (bytes + 1024u + 511u) / 512u * 512u; }

#endif
