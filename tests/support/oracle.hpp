// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the primitives must yield, in the plainest C++: one item after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/reduce.hpp>
#include <weft/scan.hpp>
#include <weft/types.hpp>

#include "support/half.hpp"

namespace weft::test {

/// type_of, which F16 has too.
template <class T>
constexpr Type item_type() {
  if constexpr (std::is_same_v<T, F16>)
    return Type::f16;
  else
    return type_of<T>;
}

template <class T>
constexpr bool is_float_item = std::floating_point<T> || std::is_same_v<T, F16>;

/// What an accumulator is combined as: f16 in f32, everything else as itself.
template <class A>
using Register = std::conditional_t<std::is_same_v<A, F16>, float, A>;

template <class A, class T>
Register<A> register_of(T item) {
  if constexpr (std::is_same_v<T, F16>)
    return static_cast<Register<A>>(float_of(item));
  else if constexpr (std::is_same_v<T, U32x2>)
    return item;
  else
    return static_cast<Register<A>>(item);
}

template <class A>
A stored(Register<A> value) {
  if constexpr (std::is_same_v<A, F16>)
    return f16_of(value);
  else
    return value;
}

template <class R>
R identity_of(Op op) {
  if constexpr (std::is_same_v<R, U32x2>) {
    return {1, 0};
  } else {
    using Limits = std::numeric_limits<R>;
    switch (op) {
      case Op::multiply: return R{1};
      case Op::min: return Limits::has_infinity ? Limits::infinity() : Limits::max();
      case Op::max: return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
      case Op::bit_and:
        if constexpr (std::integral<R>)
          return static_cast<R>(~R{0});
        else
          return R{};
      default: return R{0};
    }
  }
}

/// a ∘ b, a being the earlier. Integers wrap.
template <class R>
R combined(Op op, R a, R b) {
  if constexpr (std::is_same_v<R, U32x2>) {
    return {a.x * b.x, b.x * a.y + b.y};
  } else if constexpr (std::floating_point<R>) {
    switch (op) {
      case Op::multiply: return a * b;
      case Op::min: return std::min(a, b);
      case Op::max: return std::max(a, b);
      default: return a + b;
    }
  } else {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    switch (op) {
      case Op::multiply: return static_cast<R>(x * y);
      case Op::min: return std::min(a, b);
      case Op::max: return std::max(a, b);
      case Op::bit_and: return static_cast<R>(x & y);
      case Op::bit_or: return static_cast<R>(x | y);
      case Op::bit_xor: return static_cast<R>(x ^ y);
      default: return static_cast<R>(x + y);
    }
  }
}

template <class A, class T>
std::vector<A> scan_of(std::span<const T> items, ScanKind kind, Op op, std::optional<A> initial = {}) {
  std::vector<A> result(items.size());
  Register<A> running = initial ? register_of<A>(*initial) : identity_of<Register<A>>(op);
  for (size_t i = 0; i < items.size(); ++i) {
    const Register<A> after = combined(op, running, register_of<A>(items[i]));
    result[i] = stored<A>(kind == ScanKind::exclusive ? running : after);
    running = after;
  }
  return result;
}

template <class A, class T>
A reduce_of(std::span<const T> items, Op op, std::optional<A> initial = {}) {
  Register<A> running = initial ? register_of<A>(*initial) : identity_of<Register<A>>(op);
  for (const T& item : items) running = combined(op, running, register_of<A>(item));
  return stored<A>(running);
}

/// An integer whose order is the item's: IEEE totalOrder for floats.
template <class T>
int64_t order_key(T item) {
  if constexpr (std::is_same_v<T, F16>) {
    const auto bits = static_cast<int16_t>(item.bits);
    return bits < 0 ? static_cast<int16_t>(bits ^ 0x7fff) : bits;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto bits = std::bit_cast<int32_t>(item);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
  } else if constexpr (std::is_same_v<T, double>) {
    const auto bits = std::bit_cast<int64_t>(item);
    return bits < 0 ? bits ^ 0x7fffffffffffffff : bits;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<int64_t>(item ^ (uint64_t{1} << 63));
  } else {
    return static_cast<int64_t>(item);
  }
}

template <class T>
ArgResult arg_reduce_of(std::span<const T> items, Op op) {
  if (items.empty()) return {~uint64_t{0}, Value{}};
  uint64_t best = 0;
  for (uint64_t i = 1; i < items.size(); ++i) {
    const int64_t own = order_key(items[i]), so_far = order_key(items[best]);
    if (op == Op::arg_min ? own < so_far : own > so_far) best = i;
  }
  return {best, Value::of(items[best])};
}

template <class T>
std::string text_of(T item) {
  if constexpr (std::is_same_v<T, F16>)
    return std::to_string(float_of(item)) + " (f16)";
  else if constexpr (std::is_same_v<T, U32x2>)
    return "(" + std::to_string(item.x) + ", " + std::to_string(item.y) + ")";
  else
    return std::to_string(item);
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The first place where the bits differ, in words; empty where there is none.
template <class T>
std::string difference(std::span<const T> actual, std::span<const T> expected) {
  if (actual.size() != expected.size())
    return std::to_string(actual.size()) + " items instead of " + std::to_string(expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    if (!same_bits(actual[i], expected[i]))
      return "item " + std::to_string(i) + " of " + std::to_string(actual.size()) + " is " + text_of(actual[i]) +
             " instead of " + text_of(expected[i]);
  return {};
}

template <class T>
std::string difference(const std::vector<T>& actual, const std::vector<T>& expected) {
  return difference(std::span<const T>(actual), std::span<const T>(expected));
}

}  // namespace weft::test
