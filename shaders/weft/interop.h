// SPDX-License-Identifier: MIT OR Apache-2.0
// Lets one header declare a push-constant struct for GLSL and for C++. Members are scalars, widest first, and the
// struct's size is a multiple of 8 without hidden padding, so that GLSL and C++ agree; the layout test compares them.
//
// Likewise specialization constants, each declared once:
//
//   WEFT_CONSTANTS_BEGIN(scope)
//   WEFT_CONSTANT(id, type, name, default)
//   WEFT_CONSTANTS_END
//
// with ids from 2 to 99, unique in a kernel, and type uint or bool. GLSL has the constant, C++ has
// weft::shader::<scope>::<name>, which PipelineBuilder gives a value.
#ifndef WEFT_INTEROP_H
#define WEFT_INTEROP_H

#ifdef __cplusplus

#include <cstdint>

namespace weft::shader {
using weft_address = uint64_t;  // VkDeviceAddress
using weft_u64 = uint64_t;
using weft_u32 = uint32_t;

/// A specialization constant of a kernel.
template <class T>
struct Constant {
  uint32_t id;
};
}  // namespace weft::shader

#define WEFT_CONSTANTS_BEGIN(scope) \
  namespace weft::shader::scope {   \
  using uint = uint32_t;
#define WEFT_CONSTANT(identifier, type, name, value) inline constexpr Constant<type> name{identifier};
#define WEFT_CONSTANTS_END }
#define WEFT_STRUCT_BEGIN namespace weft::shader {
#define WEFT_STRUCT_END }

#else

// 64-bit values are pairs of words, low first: devices without shaderInt64 read them too.
#define weft_address uvec2
#define weft_u64 uvec2
#define weft_u32 uint

#define WEFT_CONSTANTS_BEGIN(scope)
#define WEFT_CONSTANT(identifier, type, name, value) layout(constant_id = identifier) const type name = value;
#define WEFT_CONSTANTS_END
#define WEFT_STRUCT_BEGIN
#define WEFT_STRUCT_END

#endif
#endif
