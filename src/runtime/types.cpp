// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/types.hpp>

namespace weft {

const char* name_of(Type type) noexcept {
  switch (type) {
    case Type::u8: return "u8";
    case Type::u16: return "u16";
    case Type::u32: return "u32";
    case Type::u64: return "u64";
    case Type::i32: return "i32";
    case Type::i64: return "i64";
    case Type::f16: return "f16";
    case Type::f32: return "f32";
    case Type::f64: return "f64";
    case Type::u32x2: return "u32x2";
  }
  return "unknown";
}

const char* name_of(Op op) noexcept {
  switch (op) {
    case Op::add: return "add";
    case Op::multiply: return "multiply";
    case Op::min: return "min";
    case Op::max: return "max";
    case Op::bit_and: return "bit_and";
    case Op::bit_or: return "bit_or";
    case Op::bit_xor: return "bit_xor";
    case Op::affine: return "affine";
    case Op::arg_min: return "arg_min";
    case Op::arg_max: return "arg_max";
  }
  return "unknown";
}

const char* name_of(Strategy strategy) noexcept {
  switch (strategy) {
    case Strategy::automatic: return "automatic";
    case Strategy::reduce_then_scan: return "reduce_then_scan";
    case Strategy::look_back: return "look_back";
  }
  return "unknown";
}

const char* name_of(Bound bound) noexcept { return bound == Bound::lower ? "lower" : "upper"; }

const char* name_of(SortOrder order) noexcept { return order == SortOrder::ascending ? "ascending" : "descending"; }

}  // namespace weft
