// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the primitives must yield, in the plainest C++: one item after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// Of each segment by itself; heads[i]: whether item i begins one.
template <class A, class T>
std::vector<A> scan_by_key_of(const std::vector<T>& values, const std::vector<bool>& heads, ScanKind kind, Op op,
                              std::optional<A> initial) {
  using R = Register<A>;
  std::vector<A> result(values.size());
  const R start = initial ? register_of<A>(*initial) : identity_of<R>(op);
  R running = start;
  for (size_t i = 0; i < values.size(); ++i) {
    if (heads[i]) running = start;
    const R after = combined(op, running, register_of<A>(values[i]));
    result[i] = stored<A>(kind == ScanKind::exclusive ? running : after);
    running = after;
  }
  return result;
}

/// What a reduction by key writes.
template <class A>
struct Reduced {
  std::vector<std::byte> keys;  ///< room and all
  std::vector<A> values;
  uint64_t count;
};

/// Outputs after the last run stay `dirt`.
template <class A, class T>
Reduced<A> reduce_by_key_of(const std::vector<T>& values, const std::vector<bool>& heads,
                            const std::vector<std::byte>& keys, uint32_t key_bytes, Op op, uint64_t count,
                            uint8_t dirt) {
  using R = Register<A>;
  Reduced<A> result{std::vector<std::byte>(keys.size(), std::byte{dirt}), std::vector<A>(values.size()), 0};
  if (!values.empty()) std::memset(result.values.data(), dirt, result.values.size() * sizeof(A));
  R running{};
  for (uint64_t i = 0; i < count; ++i) {
    if (heads[i]) {
      std::memcpy(&result.keys[result.count * key_bytes], &keys[i * key_bytes], key_bytes);
      ++result.count;
      running = register_of<A>(values[i]);
    } else {
      running = combined(op, running, register_of<A>(values[i]));
    }
    result.values[result.count - 1] = stored<A>(running);
  }
  return result;
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

/// 2^64 - 1 where the sum of the lengths is more than that.
inline uint64_t total_of(std::span<const uint64_t> lengths) {
  uint64_t total = 0;
  for (const uint64_t length : lengths) total = total + length < total ? ~uint64_t{0} : total + length;
  return total;
}

/// Each symbol as often as its length says, up to `room` of them.
inline std::vector<std::byte> decode_of(std::span<const std::byte> symbols, uint32_t symbol_bytes,
                                        std::span<const uint64_t> lengths, uint64_t room) {
  std::vector<std::byte> output(std::min(total_of(lengths), room) * symbol_bytes);
  for (uint64_t r = 0, at = 0; r < lengths.size() && at < room; ++r)
    for (const uint64_t end = lengths[r] > room - at ? room : at + lengths[r]; at < end; ++at)
      std::memcpy(&output[at * symbol_bytes], &symbols[r * symbol_bytes], symbol_bytes);
  return output;
}

/// Lengths as they lie in memory.
inline std::vector<std::byte> bytes_of_lengths(std::span<const uint64_t> lengths, Type type) {
  std::vector<std::byte> bytes(lengths.size() * size_of(type));
  for (size_t r = 0; r < lengths.size(); ++r) std::memcpy(&bytes[r * size_of(type)], &lengths[r], size_of(type));
  return bytes;
}

/// The items at these positions, one after the other.
inline std::vector<std::byte> gathered(std::span<const std::byte> items, uint64_t item_bytes,
                                       std::span<const uint32_t> taken) {
  std::vector<std::byte> result(taken.size() * item_bytes);
  for (size_t i = 0; item_bytes != 0 && i < taken.size(); ++i)
    std::memcpy(&result[i * item_bytes], &items[taken[i] * item_bytes], item_bytes);
  return result;
}

/// What levels are of: narrow items are compared as u32.
template <class T>
using Level = std::conditional_t<sizeof(T) < 4, uint32_t, T>;

/// How a histogram bins: by bounds, or by levels where there are any.
template <class T>
struct Bins {
  double lower = 0, upper = 0;
  std::vector<Level<T>> levels;
};

/// The item's bin by the formulas of the header; none outside of all.
template <class T>
std::optional<uint32_t> bin_of(T item, uint32_t bins, const Bins<T>& by) {
  if (!by.levels.empty()) {
    const auto above = std::upper_bound(by.levels.begin(), by.levels.end(), static_cast<Level<T>>(item));
    if (item != item || above == by.levels.begin() || above == by.levels.end()) return std::nullopt;
    return static_cast<uint32_t>(above - by.levels.begin()) - 1;
  }
  if (!(static_cast<double>(item) >= by.lower && static_cast<double>(item) < by.upper)) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    const float lower = static_cast<float>(by.lower), upper = static_cast<float>(by.upper);
    const auto scale = static_cast<float>(bins / (static_cast<double>(upper) - static_cast<double>(lower)));
    const float above = item - lower;
    const float scaled = above * scale;
    return std::min(static_cast<uint32_t>(scaled), bins - 1);
  } else {
    const auto lower = static_cast<int64_t>(by.lower), upper = static_cast<int64_t>(by.upper);
    return static_cast<uint32_t>(static_cast<uint64_t>(int64_t{item} - lower) * bins /
                                 static_cast<uint64_t>(upper - lower));
  }
}

template <class T>
std::vector<uint32_t> counted(std::span<const T> items, uint32_t bins, const Bins<T>& by) {
  std::vector<uint32_t> counters(bins);
  for (const T item : items)
    if (const auto bin = bin_of(item, bins, by)) ++counters[*bin];
  return counters;
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

/// The first position where the bits differ, in words; empty where there is none.
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
