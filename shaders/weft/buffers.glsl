// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Memory behind a device address, as words. An includer may define WEFT_BUFFERS_MEMORY as `coherent`.
#ifndef WEFT_BUFFERS_GLSL
#define WEFT_BUFFERS_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

#ifndef WEFT_BUFFERS_MEMORY
#define WEFT_BUFFERS_MEMORY
#endif

layout(buffer_reference, std430, buffer_reference_align = 16) WEFT_BUFFERS_MEMORY buffer Words4 { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) WEFT_BUFFERS_MEMORY buffer Words2 { uvec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) WEFT_BUFFERS_MEMORY buffer Words { uint at[]; };

// Merges the bits of `mask` into a word others may be writing other bits of.
void merge_word(Words target, uint word, uint bits, uint mask) {
  if (mask == ~0u) {
    target.at[word] = bits;
  } else if (mask != 0u) {
    atomicAnd(target.at[word], ~mask);
    atomicOr(target.at[word], bits & mask);
  }
}

#endif
