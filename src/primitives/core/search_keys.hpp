// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <weft/status.hpp>
#include <weft/types.hpp>

namespace weft::primitives {

/// A count that the kernels of searches take is below this: what they compute with are words.
constexpr uint64_t kMaxSearchKeys = uint64_t{1} << 32;

/// Lanes that find one cut of a merge path: as in shaders/weft/lanes_merge_path.glsl.
constexpr uint64_t kMergePathLanes = 4;

/// Refuses keys that searches do not compare.
inline Status check_search_key(const char* primitive, Type key) {
  switch (key) {
    case Type::u32:
    case Type::u64:
    case Type::i32:
    case Type::i64:
    case Type::f32:
    case Type::f64: return {};
    default:
      return Error{ErrorCode::unsupported,
                   std::string(primitive) + ": keys are u32, i32, f32, u64, i64 or f64, not " + name_of(key)};
  }
}

/// As kKeyOrder of shaders/weft/ordered_key.glsl.
constexpr uint32_t key_order(Type key) { return is_float(key) ? 2 : key == Type::i32 || key == Type::i64 ? 1 : 0; }
/// That of floats of which -0 is 0, for shaders/merge/merge_key.glsl; ordered_key.glsl knows no other.
constexpr uint32_t kNumberOrder = 3;

}  // namespace weft::primitives
