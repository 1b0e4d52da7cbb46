// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The checksum of a tile's content (docs/gstd-format.md, "Checksums"): gstd_checksum_mix() of its bytes' number, and a
// term for each word, added in any order.
#ifndef WEFT_GSTD_CHECKSUM_GLSL
#define WEFT_GSTD_CHECKSUM_GLSL

uint gstd_checksum_mix(uint x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Of word number `at`.
uint gstd_checksum_term(uint word, uint at) { return gstd_checksum_mix(word + (at + 1u) * 0x9e3779b9u); }

#endif
