// SPDX-License-Identifier: MIT OR Apache-2.0
// Lets one header declare a push-constant struct for GLSL and for C++. Members are scalars, widest first, and the struct's
// size is a multiple of 8 without hidden padding, so that both sides agree; the layout test compares them.
#ifndef WEFT_INTEROP_H
#define WEFT_INTEROP_H

#ifdef __cplusplus

#include <cstdint>

namespace weft::shader {
using weft_address = uint64_t;  // VkDeviceAddress
using weft_u64 = uint64_t;
using weft_u32 = uint32_t;
}  // namespace weft::shader

#define WEFT_STRUCT_BEGIN namespace weft::shader {
#define WEFT_STRUCT_END }

#else

// 64-bit values are pairs of words, low first: devices without shaderInt64 read them too.
#define weft_address uvec2
#define weft_u64 uvec2
#define weft_u32 uint

#define WEFT_STRUCT_BEGIN
#define WEFT_STRUCT_END

#endif
#endif
