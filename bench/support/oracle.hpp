// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <weft/reduce.hpp>
#include <weft/scan.hpp>
#include <weft/status.hpp>
#include <weft/types.hpp>

#include "support/half.hpp"

// What the CPU says the results are, by the standard library's algorithms. Header-only and free of the weft library, so
// that programs that measure peers check them by the same words.
namespace weft::bench {

/// The first output that differs.
struct Mismatch {
  uint64_t index = 0;
  std::string expected;
  std::string found;
};

/// Gives outputs [first, first + count) of the device. Valid until the next call.
using FetchOutputs = std::function<Result<std::span<const std::byte>>(uint64_t first, uint64_t count)>;

namespace oracle {

/// The type in which items are combined: itself, but f32 for f16.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, Half>, float, T>;

template <class C, class T>
C convert(T item) noexcept {
  if constexpr (std::is_same_v<T, Half>)
    return static_cast<C>(to_float(item));
  else if constexpr (std::is_same_v<T, C>)
    return item;
  else
    return static_cast<C>(item);
}

template <class T, class C>
T store(C value) noexcept {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(value);
  else
    return value;
}

template <class T>
std::string text(T item) {
  if constexpr (std::is_same_v<T, Half>)
    return std::to_string(to_float(item));
  else if constexpr (std::is_same_v<T, U32x2>)
    return '(' + std::to_string(item.x) + ", " + std::to_string(item.y) + ')';
  else
    return std::to_string(item);
}

/// Equal in value. f16 may be off by one in the last place: Vulkan lets a device round conversions either way.
template <class T>
bool same(T expected, T found) noexcept {
  if constexpr (std::is_same_v<T, Half>) {
    const auto ordered = [](Half h) { return h.bits & 0x8000 ? -(h.bits & 0x7fff) : int{h.bits}; };
    return std::abs(ordered(expected) - ordered(found)) <= 1;
  } else {
    return expected == found;
  }
}

/// Calls f(identity, function) with the operator on values of type C. False: C has no such operator.
template <class C, class F>
bool with_operator(Op op, F&& f) {
  if constexpr (std::is_same_v<C, U32x2>) {
    if (op != Op::affine) return false;
    f(C{1, 0}, [](C a, C b) { return C{a.x * b.x, b.x * a.y + b.y}; });
    return true;
  } else {
    using Limits = std::numeric_limits<C>;
    constexpr C kLeast = std::is_floating_point_v<C> ? -Limits::infinity() : Limits::lowest();
    constexpr C kGreatest = std::is_floating_point_v<C> ? Limits::infinity() : Limits::max();
    switch (op) {
      case Op::add:
        if constexpr (std::is_integral_v<C>) {  // wraps, which signed types must not
          using U = std::make_unsigned_t<C>;
          f(C{0}, [](C a, C b) { return static_cast<C>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b))); });
        } else {
          f(C{0}, [](C a, C b) { return a + b; });
        }
        return true;
      case Op::multiply:
        if constexpr (std::is_integral_v<C>) {
          f(C{1}, [](C a, C b) { return static_cast<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); });
        } else {
          f(C{1}, [](C a, C b) { return a * b; });
        }
        return true;
      case Op::min: f(kGreatest, [](C a, C b) { return std::min(a, b); }); return true;
      case Op::max: f(kLeast, [](C a, C b) { return std::max(a, b); }); return true;
      default: break;
    }
    if constexpr (std::is_integral_v<C>) {
      switch (op) {
        case Op::bit_and: f(static_cast<C>(~C{0}), [](C a, C b) { return static_cast<C>(a & b); }); return true;
        case Op::bit_or: f(C{0}, [](C a, C b) { return static_cast<C>(a | b); }); return true;
        case Op::bit_xor: f(C{0}, [](C a, C b) { return static_cast<C>(a ^ b); }); return true;
        default: break;
      }
    }
    return false;
  }
}

/// Calls f with a null pointer to the C++ type of the items.
template <class F>
void with_type(Type type, F&& f) {
  switch (type) {
    case Type::u8: f(static_cast<uint8_t*>(nullptr)); break;
    case Type::u16: f(static_cast<uint16_t*>(nullptr)); break;
    case Type::u32: f(static_cast<uint32_t*>(nullptr)); break;
    case Type::u64: f(static_cast<uint64_t*>(nullptr)); break;
    case Type::i32: f(static_cast<int32_t*>(nullptr)); break;
    case Type::i64: f(static_cast<int64_t*>(nullptr)); break;
    case Type::f16: f(static_cast<Half*>(nullptr)); break;
    case Type::f32: f(static_cast<float*>(nullptr)); break;
    case Type::f64: f(static_cast<double*>(nullptr)); break;
    case Type::u32x2: f(static_cast<U32x2*>(nullptr)); break;
  }
}

/// Whether outputs of type A can be made of items of type T: the same type, or a wider one of the same kind.
template <class T, class A>
inline constexpr bool kCombines = std::is_same_v<T, A> || (std::is_same_v<T, Half> && std::is_same_v<A, float>) ||
                                  (std::is_arithmetic_v<T> && std::is_arithmetic_v<A> && sizeof(T) < sizeof(A) &&
                                   std::is_floating_point_v<T> == std::is_floating_point_v<A> &&
                                   std::is_signed_v<T> == std::is_signed_v<A>);

template <class T, class A, class F>
bool call_combined(T* t, A* a, F&& f) {
  if constexpr (kCombines<T, A>) f(t, a);
  return kCombines<T, A>;
}

/// Calls f with null pointers to the types of items and accumulators. False: they do not go together.
template <class F>
bool with_types(Type item, Type accumulator, F&& f) {
  bool fits = false;
  with_type(item, [&](auto* t) { with_type(accumulator, [&](auto* a) { fits = call_combined(t, a, f); }); });
  return fits;
}

// Not `unsupported`: a row that cannot be checked is a fault of the bench and must not pass for a limit of the device.
inline Error no_oracle() { return Error{ErrorCode::invalid_argument, "no oracle for this operator on these types"}; }

}  // namespace oracle

/// Compares all outputs of a scan of `items`, in chunks, so that outputs larger than the host's memory can be checked.
inline Result<std::optional<Mismatch>> check_scan(ScanKind kind, Op op, Type item, Type accumulator,
                                                  std::span<const std::byte> items, const FetchOutputs& fetch) {
  constexpr uint64_t kChunkItems = uint64_t{1} << 24;
  std::optional<Mismatch> mismatch;
  std::optional<Error> fetch_error;
  bool known = false;
  oracle::with_types(item, accumulator, [&]<class T, class A>(T*, A*) {
    using C = oracle::Computed<A>;
    known = oracle::with_operator<C>(op, [&](C identity, auto combine) {
      const auto on_item = [&](C a, const auto& b) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(b)>, C>)
          return combine(a, b);
        else
          return combine(a, oracle::convert<C>(b));
      };
      const std::span<const T> input(reinterpret_cast<const T*>(items.data()), items.size() / sizeof(T));
      std::vector<C> converted(std::min<uint64_t>(kChunkItems, input.size()));
      std::vector<C> expected(converted.size());
      C carry = identity;
      for (uint64_t first = 0; first < input.size() && !mismatch; first += kChunkItems) {
        const auto chunk = input.subspan(first, std::min<uint64_t>(kChunkItems, input.size() - first));
        const auto end = std::transform(chunk.begin(), chunk.end(), converted.begin(),
                                        [](T value) { return oracle::convert<C>(value); });
        if (kind == ScanKind::inclusive) {
          std::inclusive_scan(converted.begin(), end, expected.begin(), combine, carry);
          carry = expected[chunk.size() - 1];
        } else {
          std::exclusive_scan(converted.begin(), end, expected.begin(), carry, combine);
          carry = on_item(expected[chunk.size() - 1], chunk.back());
        }
        const auto outputs = fetch(first, chunk.size());
        if (!outputs) {
          fetch_error = outputs.error();
          return;
        }
        const auto* found = reinterpret_cast<const A*>(outputs->data());
        for (size_t i = 0; i < chunk.size(); ++i) {
          const A want = oracle::store<A>(expected[i]);
          if (!oracle::same(want, found[i])) {
            mismatch = Mismatch{first + i, oracle::text(want), oracle::text(found[i])};
            return;
          }
        }
      }
    });
  });
  if (fetch_error) return *fetch_error;
  if (!known) return oracle::no_oracle();
  return mismatch;
}

/// Compares the result of a reduction of `items`: an accumulator, or an ArgResult.
inline Result<std::optional<Mismatch>> check_reduce(Op op, Type item, Type accumulator,
                                                    std::span<const std::byte> items,
                                                    std::span<const std::byte> found_bytes) {
  std::optional<Mismatch> mismatch;
  bool known = false;
  oracle::with_types(item, accumulator, [&]<class T, class A>(T*, A*) {
    const std::span<const T> input(reinterpret_cast<const T*>(items.data()), items.size() / sizeof(T));
    using C = oracle::Computed<A>;
    if (op == Op::arg_min || op == Op::arg_max) {
      if constexpr (!std::is_same_v<T, U32x2> && std::is_same_v<T, A>) {
        known = true;
        const auto less = [](T a, T b) { return oracle::convert<C>(a) < oracle::convert<C>(b); };
        // std::max_element gives the first of equal items, as weft does.
        const auto at = op == Op::arg_min ? std::min_element(input.begin(), input.end(), less)
                                          : std::max_element(input.begin(), input.end(), less);
        ArgResult expected{~uint64_t{0}, {}};
        if (at != input.end()) expected = {static_cast<uint64_t>(at - input.begin()), Value::of(*at)};
        ArgResult found{};
        std::memcpy(&found, found_bytes.data(), sizeof found);
        if (found.index != expected.index || found.value.bits != expected.value.bits) {
          const auto text = [](const ArgResult& r) {
            return "index " + std::to_string(r.index) + ", bits " + std::to_string(r.value.bits);
          };
          mismatch = Mismatch{0, text(expected), text(found)};
        }
      }
      return;
    }
    known = oracle::with_operator<C>(op, [&](C identity, auto combine) {
      const C total = std::accumulate(input.begin(), input.end(), identity,
                                      [&](C a, T b) { return combine(a, oracle::convert<C>(b)); });
      const A expected = oracle::store<A>(total);
      A found{};
      std::memcpy(&found, found_bytes.data(), sizeof found);
      if (!oracle::same(expected, found)) mismatch = Mismatch{0, oracle::text(expected), oracle::text(found)};
    });
  });
  if (!known) return oracle::no_oracle();
  return mismatch;
}

}  // namespace weft::bench
