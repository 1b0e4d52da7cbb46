// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/by_key/segments.hpp"

#include <string>

#include "primitives/core/arguments.hpp"

namespace weft::primitives {

using runtime::ContextState;

// Beside what check_operator() refuses: kernels.cmake has no others.
Status check_segment_values(const ContextState& state, const char* primitive, Op op, Type item, Type accumulator) {
  const std::string name = primitive;
  if (op == Op::affine || op == Op::arg_min || op == Op::arg_max)
    return Error{ErrorCode::unsupported, name + ": " + name_of(op) + " does not combine values of segments"};
  if (Status status = check_operator(state, primitive, op, item, accumulator); !status) return status;
  if (item == Type::f16 || (item == Type::u8 && accumulator == Type::u16))
    return Error{ErrorCode::unsupported,
                 name + ": values of type " + name_of(item) + " are not combined in " + name_of(accumulator) + " here"};
  return {};
}

Status check_offset(const char* primitive, Type offset) {
  if (offset == Type::u32 || offset == Type::u64) return {};
  return Error{ErrorCode::unsupported, std::string(primitive) + ": offsets are u32 or u64, not " + name_of(offset)};
}

}  // namespace weft::primitives
