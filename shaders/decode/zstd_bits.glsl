// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Bytes and bits of Zstandard's frames, read by one lane: forwards of a section, and backwards of a stream.
#ifndef WEFT_ZSTD_BITS_GLSL
#define WEFT_ZSTD_BITS_GLSL

#include "decode/zstd_frames.glsl"

// Turns of one loop: drivers may end it after 65,535.
const uint kZstdTurns = 1u << 12;

// Bytes at any address; `base` is aligned to 4.
struct ZstdSection {
  uvec2 base;
  uint first, bytes;
};

ZstdSection zstd_section(uvec2 address, uint bytes) {
  return ZstdSection(uvec2(address.x & ~3u, address.y), address.x & 3u, bytes);
}

uint zstd_section_word(ZstdSection section, uint word) {
  uint value = 0u;
  if (word < (section.first + section.bytes + 3u) >> 2) {
    Words words = Words(word64_add(section.base, word64_multiply(word, 4u)));
    value = words.at[0];
  }
  return value;
}

// The four bytes from byte `at` on. Those after the section's last are any.
uint zstd_bytes(ZstdSection section, uint at) {
  const uint byte = section.first + at, shift = 8u * (byte & 3u);
  return zstd_section_word(section, byte >> 2) >> shift | (zstd_section_word(section, (byte >> 2) + 1u) << 1)
                                                              << (31u - shift);
}

// Whether the dictionary is a trained one, and its number; others have 0.
bool zstd_is_trained() {
  return push.dictionary_bytes >= 8u &&
         zstd_bytes(zstd_section(push.dictionary, push.dictionary_bytes), 0u) == 0xec30a437u;
}
uint zstd_dictionary_number() {
  return zstd_is_trained() ? zstd_bytes(zstd_section(push.dictionary, push.dictionary_bytes), 4u) : 0u;
}

// At least 25 bits from bit `at` on.
uint zstd_bits(ZstdSection section, uint at) { return zstd_bytes(section, at >> 3) >> (at & 7u); }

// The bits of a stream, which is read from its last one on: those from `begin` on and before `end`, of words from
// `base` on, which is aligned to 4, up to `last`. `end` is -1 if the stream is empty or its last byte is 0.
struct ZstdSpan {
  uvec2 base;
  uint last;
  int begin, end;
};

// Of `bytes` bytes, at most 2^27.
ZstdSpan zstd_span(uvec2 address, uint bytes) {
  const uint first = address.x & 3u;
  ZstdSpan span = ZstdSpan(uvec2(address.x & ~3u, address.y), 0u, int(8u * first), -1);
  if (bytes != 0u) {
    span.last = (first + bytes - 1u) >> 2;
    Words words = Words(span.base);
    const uint byte = words.at[span.last] >> (8u * ((first + bytes - 1u) & 3u)) & 255u;
    if (byte != 0u) span.end = int(8u * (first + bytes - 1u)) + findMSB(byte);
  }
  return span;
}

// The 32 bits from `at` on, a bit of words up to the last. Those of words after it are any.
uint zstd_bits_from(ZstdSpan span, int at) {
  Words words = Words(span.base);
  const uint word = uint(at) >> 5;
  const uint low = words.at[word], high = words.at[min(word + 1u, span.last)];
  return (low >> (at & 31)) + high * (2u << (~at & 31));
}

// A stream as a lane reads it by itself. `count` bits come from the top of `high`, then of `low`, and are followed by
// 0; before the first bit there are any.
struct ZstdStream {
  uvec2 base;  // aligned to 4
  uint word;   // words before `ahead`
  uint ahead;  // the next word, which is loaded long before it is needed
  uint high, low, count;
  int left;  // bits of the stream that are not yet used; negative if more were
};

void zstd_load_ahead(inout ZstdStream stream) {
  stream.ahead = 0u;
  if (stream.word != 0u) {
    --stream.word;
    Words words = Words(stream.base);
    stream.ahead = words.at[stream.word];
  }
}

// Makes 32 bits available.
void zstd_refill(inout ZstdStream stream) {
  if (stream.count < 32u) {
    stream.high |= stream.ahead >> stream.count;
    stream.low = (stream.ahead << 1) << (31u - stream.count);
    stream.count += 32u;
    zstd_load_ahead(stream);
  }
}

// Drops `taken` bits, up to 31, that are available.
void zstd_drop(inout ZstdStream stream, uint taken) {
  stream.high = stream.high << taken | (stream.low >> 1) >> (31u - taken);
  stream.low <<= taken;
  stream.count -= taken;
  stream.left -= int(taken);
}

// `count` bits, up to 31, after the first `from`: together at most 32, and available.
uint zstd_peek(ZstdStream stream, uint from, uint count) {
  return ((stream.high << (from & 31u)) >> 1) >> (31u - count);
}

uint zstd_take(inout ZstdStream stream, uint count) {
  const uint value = zstd_peek(stream, 0u, count);
  zstd_drop(stream, count);
  return value;
}

// `left` is -1 if there is no stream.
ZstdStream zstd_stream(uvec2 address, uint bytes) {
  const ZstdSpan span = zstd_span(address, bytes);
  ZstdStream stream = ZstdStream(span.base, 0u, 0u, 0u, 0u, 0u, -1);
  if (span.end >= 0) {
    Words words = Words(stream.base);
    stream.word = uint(span.end) >> 5;
    stream.count = uint(span.end) & 31u;
    if (stream.count != 0u) stream.high = words.at[stream.word] << (32u - stream.count);
    stream.left = span.end - span.begin;
  }
  zstd_load_ahead(stream);
  zstd_refill(stream);
  return stream;
}

#endif
