// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a scan or a reduction once, and draws what goes with their types and operators.
#pragma once

#include <doctest/doctest.h>

#include "support/oracle.hpp"
#include "support/primitive_call.hpp"

namespace weft::test {

struct RunOptions {
  VkDeviceSize input_misalignment = 0;   ///< of the input's address, modulo 16
  VkDeviceSize output_misalignment = 0;  ///< likewise; in place, the input's holds
  bool in_place = false;
  std::optional<DeviceCount> device_count{};
  std::optional<Value> initial{};
  uint8_t dirt = 0xdb;  ///< what every byte of output and scratch is before
};

/// The outputs, `number` of them. Those past a device count are `dirt` (in place: the items).
template <class A, class Args, class Primitive, class T>
std::vector<A> outputs_of(Gpu& gpu, const Primitive& primitive, const std::vector<T>& items, uint64_t number,
                          const RunOptions& options) {
  PrimitiveCall call(gpu, options.dirt);
  Args args{call.input("input", items, options.input_misalignment),
            {},
            call.scratch(primitive.scratch_size(items.size())),
            call.count(options.device_count, items.size()),
            options.initial};
  const char* const output = options.in_place ? "input" : "output";
  if (!options.in_place) call.output(output, number * sizeof(A), options.output_misalignment);
  args.output = call.expect_any(output, number * sizeof(A));
  CHECK(call.wrong(primitive, args) == "");
  return items_of<A>(call.found(output));
}

template <class A, class T>
std::vector<A> scan_on(Gpu& gpu, const Scan& scan, const std::vector<T>& items, const RunOptions& options = {}) {
  return outputs_of<A, ScanArgs>(gpu, scan, items, items.size(), options);
}

/// A: the accumulator, or ArgResult.
template <class A, class T>
A reduce_on(Gpu& gpu, const Reduce& reduce, const std::vector<T>& items, const RunOptions& options = {}) {
  return outputs_of<A, ReduceArgs>(gpu, reduce, items, 1, options)[0];
}

/// Calls `test.operator()<T, A>()` for every item type and accumulator there are.
template <class Test>
void for_every_type(const Test& test) {
  test.template operator()<uint8_t, uint8_t>();
  test.template operator()<uint8_t, uint16_t>();
  test.template operator()<uint8_t, uint32_t>();
  test.template operator()<uint16_t, uint16_t>();
  test.template operator()<uint16_t, uint32_t>();
  test.template operator()<uint32_t, uint32_t>();
  test.template operator()<uint32_t, uint64_t>();
  test.template operator()<uint64_t, uint64_t>();
  test.template operator()<int32_t, int32_t>();
  test.template operator()<int32_t, int64_t>();
  test.template operator()<int64_t, int64_t>();
  test.template operator()<F16, F16>();
  test.template operator()<F16, float>();
  test.template operator()<float, float>();
  test.template operator()<float, double>();
  test.template operator()<double, double>();
  test.template operator()<U32x2, U32x2>();
}

/// The operators that go with items of type T, in scans and plain reductions.
template <class T>
std::vector<Op> operators_of() {
  if constexpr (std::is_same_v<T, U32x2>)
    return {Op::affine};
  else if constexpr (is_float_item<T>)
    return {Op::add, Op::multiply, Op::min, Op::max};
  else
    return {Op::add, Op::multiply, Op::min, Op::max, Op::bit_and, Op::bit_or, Op::bit_xor};
}

/// An accumulator that shows where it is lost or combined in the wrong place, and keeps floats exact.
template <class A>
A distinct_initial(Op op) {
  if constexpr (std::is_same_v<A, U32x2>)
    return {3, 5};
  else if constexpr (std::is_same_v<A, F16>)
    return f16_of(op == Op::multiply ? 4.0f : op == Op::min ? -7.0f : 7.0f);
  else if constexpr (std::floating_point<A>)
    return op == Op::multiply ? A{4} : op == Op::min ? A{-7} : A{7};
  else if (op == Op::min)
    return static_cast<A>(std::numeric_limits<A>::max() / 4 * 3);
  else if (op == Op::bit_and)
    return static_cast<A>(~A{4});
  else
    return A{37};
}

}  // namespace weft::test
