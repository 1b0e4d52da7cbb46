// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Bytes in words: what inverse filters are made of.
#ifndef WEFT_GSTD_BYTES_GLSL
#define WEFT_GSTD_BYTES_GLSL

#include "weft/buffers.glsl"

// Of each of several numbers in a word. `top`: the highest bit of each.
uint gstd_packed_add(uint top, uint a, uint b) { return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top); }
uint gstd_packed_subtract(uint top, uint a, uint b) { return ((a | top) - (b & ~top)) ^ ((a ^ ~b) & top); }
uint gstd_add_bytes(uint a, uint b) { return gstd_packed_add(0x80808080u, a, b); }
uint gstd_subtract_bytes(uint a, uint b) { return gstd_packed_subtract(0x80808080u, a, b); }

uint gstd_byte_of(Words words, uint at) { return words.at[at >> 2] >> (8u * (at & 3u)) & 255u; }
// Four bytes; the word after them is read too.
uint gstd_bytes_of(Words words, uint at) {
  const uint shift = 8u * (at & 3u);
  return words.at[at >> 2] >> shift | (words.at[(at >> 2) + 1u] << 1) << (31u - shift);
}

// Sixteen bytes; up to four after them are read too. Words are at an address aligned to 16.
uvec4 gstd_sixteen_bytes(uvec2 address, uint at) {
  if ((at & 15u) == 0u) {
    Words4 vectors = Words4(address);
    return vectors.at[at >> 4];
  }
  Words words = Words(address);
  const uint shift = 8u * (at & 3u);
  uvec4 bytes;
  uint word = words.at[at >> 2];
  [[unroll]] for (uint i = 0; i < 4u; ++i) {
    const uint next = words.at[(at >> 2) + i + 1u];
    bytes[i] = word >> shift | (next << 1) << (31u - shift);
    word = next;
  }
  return bytes;
}

// Transposes 4 by 4 bytes.
uvec4 gstd_transposed(uvec4 rows) {
  const uvec4 pairs =
      uvec4((rows.x & 0x00ff00ffu) | (rows.y & 0x00ff00ffu) << 8, (rows.x >> 8 & 0x00ff00ffu) | (rows.y & 0xff00ff00u),
            (rows.z & 0x00ff00ffu) | (rows.w & 0x00ff00ffu) << 8, (rows.z >> 8 & 0x00ff00ffu) | (rows.w & 0xff00ff00u));
  return uvec4((pairs.x & 0xffffu) | pairs.z << 16, (pairs.y & 0xffffu) | pairs.w << 16,
               pairs.x >> 16 | (pairs.z & 0xffff0000u), pairs.y >> 16 | (pairs.w & 0xffff0000u));
}

// Four rows or planes of 16 bytes: byte i of each to a word.
struct GstdRows {
  uvec4 at[4];
};
GstdRows gstd_sixteen_transposed(GstdRows planes) {
  GstdRows rows;
  [[unroll]] for (uint r = 0; r < 4u; ++r)
    rows.at[r] = gstd_transposed(uvec4(planes.at[0][r], planes.at[1][r], planes.at[2][r], planes.at[3][r]));
  return rows;
}

#endif
