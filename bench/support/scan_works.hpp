// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "support/oracle.hpp"
#include "support/work.hpp"

namespace weft::bench {

/// What a row of an operator says of types that differ.
inline std::string to_name(Op op, Type item, Type accumulator) {
  return name_of(op) + (item == accumulator ? "" : std::string(" to ") + name_of(accumulator));
}

inline Work scan_work(ScanKind kind, Op op, Type item, Type accumulator) {
  const uint32_t bytes = size_of(accumulator);
  return {"scan",
          (kind == ScanKind::inclusive ? "inclusive " : "exclusive ") + to_name(op, item, accumulator),
          item,
          reads_items(item),
          writes({bytes}),
          moves(size_of(item) + bytes),
          [=](const Inputs& in, Outputs& out) {
            return check_scan(kind, op, item, accumulator, in.arrays[0].bytes, out.fetch(0, bytes));
          }};
}

/// Compares the differences of items and those before them.
inline Verdict check_adjacent_difference(Type item, std::span<const std::byte> items, const FetchOutputs& fetch) {
  Verdict verdict = oracle::no_oracle();
  oracle::with_types(item, item, [&]<class T, class A>(T*, A*) {
    if constexpr (std::is_same_v<T, A> && !std::is_same_v<T, U32x2>) {
      using C = oracle::Computed<T>;
      const std::span<const T> input(reinterpret_cast<const T*>(items.data()), items.size() / sizeof(T));
      const auto value = [&](uint64_t i) {
        if (i == 0) return input[0];
        return oracle::store<T>(static_cast<C>(oracle::convert<C>(input[i]) - oracle::convert<C>(input[i - 1])));
      };
      verdict = oracle::check_each<T>("item", input.size(), value, fetch);
    }
  });
  return verdict;
}

inline Work adjacent_difference_work(Type item) {
  const uint32_t bytes = size_of(item);
  return {"adjacent_difference",
          "left",
          item,
          reads_items(item),
          writes({bytes}),
          moves(2 * bytes),
          [=](const Inputs& in, Outputs& out) {
            return check_adjacent_difference(item, in.arrays[0].bytes, out.fetch(0, bytes));
          }};
}

inline Work reduce_work(Op op, Type item, Type accumulator) {
  const bool is_arg = op == Op::arg_min || op == Op::arg_max;
  return {"reduce",
          to_name(op, item, accumulator),
          item,
          reads_items(item),
          writes({}, {is_arg ? sizeof(ArgResult) : size_of(accumulator)}),
          moves(size_of(item)),
          [=](const Inputs& in, Outputs& out) {
            return check_reduce(op, item, accumulator, in.arrays[0].bytes, out.read<ArgResult>(0));
          }};
}

}  // namespace weft::bench
