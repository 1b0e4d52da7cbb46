// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, stage of checksums: XXH64 of a frame's content, whose low word is in the frame. Each of four lanes has
// one of its sums; the first combines them.
#ifndef WEFT_ZSTD_CHECKSUM_GLSL
#define WEFT_ZSTD_CHECKSUM_GLSL

#include "decode/zstd_bits.glsl"

const uvec2 kXxhPrime1 = uvec2(0x85ebca87u, 0x9e3779b1u), kXxhPrime2 = uvec2(0x27d4eb4fu, 0xc2b2ae3du),
            kXxhPrime3 = uvec2(0x9e3779f9u, 0x165667b1u), kXxhPrime4 = uvec2(0xc2b2ae63u, 0x85ebca77u),
            kXxhPrime5 = uvec2(0x165667c5u, 0x27d4eb2fu);

shared uvec2 weft_xxh_sums[kWorkgroupSize];

uvec2 xxh_multiply(uvec2 a, uvec2 b) {
  uvec2 product = word64_multiply(a.x, b.x);
  product.y += a.x * b.y + a.y * b.x;
  return product;
}
// `bits` is 1 to 31.
uvec2 xxh_rotate(uvec2 a, uint bits) {
  return uvec2(a.x << bits | a.y >> (32u - bits), a.y << bits | a.x >> (32u - bits));
}
uvec2 xxh_round(uvec2 sum, uvec2 value) {
  return xxh_multiply(xxh_rotate(word64_add(sum, xxh_multiply(value, kXxhPrime2)), 31u), kXxhPrime1);
}

uvec2 xxh_eight_bytes(ZstdSection content, uint at) {
  return uvec2(zstd_bytes(content, at), zstd_bytes(content, at + 4u));
}

// The sum of every fourth 8 bytes, from those of `lane` on.
uvec2 xxh_sum(ZstdSection content, uint lane) {
  uvec2 sum = lane == 0u   ? word64_add(kXxhPrime1, kXxhPrime2)
              : lane == 1u ? kXxhPrime2
              : lane == 2u ? uvec2(0u)
                           : word64_subtract(uvec2(0u), kXxhPrime1);
  const uint end = content.bytes & ~31u;
  for (uint at = 0u; at < end;)
    for (uint turn = 0u; turn < kZstdTurns && at < end; ++turn, at += 32u)
      sum = xxh_round(sum, xxh_eight_bytes(content, at + 8u * lane));
  return sum;
}

// Combines the four sums, from shared memory at `sums` on, and the bytes that are left.
uint xxh_finish(ZstdSection content, uint sums) {
  const uint bytes = content.bytes;
  uvec2 hash = kXxhPrime5;
  if (bytes >= 32u) {
    hash = word64_add(word64_add(xxh_rotate(weft_xxh_sums[sums], 1u), xxh_rotate(weft_xxh_sums[sums + 1u], 7u)),
                      word64_add(xxh_rotate(weft_xxh_sums[sums + 2u], 12u), xxh_rotate(weft_xxh_sums[sums + 3u], 18u)));
    for (uint i = 0u; i < 4u; ++i)
      hash = word64_add(xxh_multiply(hash ^ xxh_round(uvec2(0u), weft_xxh_sums[sums + i]), kXxhPrime1), kXxhPrime4);
  }
  hash = word64_add(hash, bytes);
  uint at = bytes & ~31u;
  for (; at + 8u <= bytes; at += 8u) {
    hash ^= xxh_round(uvec2(0u), xxh_eight_bytes(content, at));
    hash = word64_add(xxh_multiply(xxh_rotate(hash, 27u), kXxhPrime1), kXxhPrime4);
  }
  if (at + 4u <= bytes) {
    hash ^= xxh_multiply(uvec2(zstd_bytes(content, at), 0u), kXxhPrime1);
    hash = word64_add(xxh_multiply(xxh_rotate(hash, 23u), kXxhPrime2), kXxhPrime3);
    at += 4u;
  }
  for (; at < bytes; ++at) {
    hash ^= xxh_multiply(uvec2(zstd_bytes(content, at) & 255u, 0u), kXxhPrime5);
    hash = xxh_multiply(xxh_rotate(hash, 11u), kXxhPrime1);
  }
  hash = xxh_multiply(hash ^ uvec2(hash.y >> 1, 0u), kXxhPrime2);
  hash = xxh_multiply(hash ^ word64_shift_right(hash, 29u), kXxhPrime3);
  return hash.x ^ hash.y;
}

// Every invocation of the workgroup calls, each with a quarter of the frame `index`, if it is `there`.
void zstd_check_frame(uint index, uint lane, bool there) {
  Words frame = Words(zstd_frame_at(there ? index : 0u));
  bool checks = false;
  if (there) checks = frame.at[kFrameWalked] == 2u;
  ZstdSection content = ZstdSection(uvec2(0u), 0u, 0u);
  if (checks) {
    const FrameEntry entry = load_frame_entry(index);
    content = zstd_section(entry.target, frame.at[kFrameContent]);
    weft_xxh_sums[gl_LocalInvocationIndex] = xxh_sum(content, lane);
  }
  barrier();
  if (checks && lane == 0u) {
    if (xxh_finish(content, gl_LocalInvocationIndex) == frame.at[kFrameChecksum])
      zstd_accept(index, content.bytes);
    else
      zstd_refuse(index, kZstdChecksum);
  }
}

#endif
