// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

#include "support/expected.hpp"
#include "support/half.hpp"
#include "support/parallel.hpp"

// What the CPU says the results are. Header-only and free of the weft library, so
// that programs that measure peers check them by the same words.
namespace weft::bench {

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

/// Calls f(identity, function) with the operator on values of type C. False: no row has that operator on C.
/// Items of another type than the accumulator are only ever added.
template <class C, bool kAddsOnly = false, class F>
bool with_operator(Op op, F&& f) {
  if constexpr (std::is_same_v<C, U32x2>) {
    if (op != Op::affine) return false;
    f(C{1, 0}, [](C a, C b) { return C{a.x * b.x, b.x * a.y + b.y}; });
    return true;
  } else {
    using Limits = std::numeric_limits<C>;
    constexpr C kMin = std::is_floating_point_v<C> ? -Limits::infinity() : Limits::lowest();
    constexpr C kGreatest = std::is_floating_point_v<C> ? Limits::infinity() : Limits::max();
    if (op == Op::add) {
      if constexpr (std::is_integral_v<C>) {  // wraps, which signed types must not
        using U = std::make_unsigned_t<C>;
        f(C{0}, [](C a, C b) { return static_cast<C>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b))); });
      } else {
        f(C{0}, [](C a, C b) { return a + b; });
      }
      return true;
    }
    if constexpr (!kAddsOnly) {
      switch (op) {
        case Op::min: f(kGreatest, [](C a, C b) { return std::min(a, b); }); return true;
        case Op::max: f(kMin, [](C a, C b) { return std::max(a, b); }); return true;
        default: break;
      }
      if constexpr (std::is_integral_v<C>) {
        if (op == Op::bit_xor) {
          f(C{0}, [](C a, C b) { return static_cast<C>(a ^ b); });
          return true;
        }
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

}  // namespace oracle

/// Compares all outputs of a scan of `items`, in chunks, so that outputs larger than the host's memory can be checked.
inline Verdict check_scan(ScanKind kind, Op op, Type item, Type accumulator, std::span<const std::byte> items,
                          const FetchOutputs& fetch) {
  Verdict verdict = oracle::no_oracle();
  oracle::with_types(item, accumulator, [&]<class T, class A>(T*, A*) {
    using C = oracle::Computed<A>;
    oracle::with_operator<C, !std::is_same_v<T, A>>(op, [&](C identity, auto combine) {
      struct State {
        uint64_t outputs;
        C total;
      };
      const std::span<const T> input(reinterpret_cast<const T*>(items.data()), items.size() / sizeof(T));
      const auto summary = [&](uint64_t begin, uint64_t end) {
        C total = identity;
        for (uint64_t i = begin; i < end; ++i) total = combine(total, oracle::convert<C>(input[i]));
        return State{end - begin, total};
      };
      const auto join = [&](const State& before, const State& block) {
        return State{before.outputs + block.outputs, combine(before.total, block.total)};
      };
      const auto write = [&](uint64_t begin, uint64_t end, const State& before, A* out) {
        C total = before.total;
        for (uint64_t i = begin; i < end; ++i) {
          const C with_item = combine(total, oracle::convert<C>(input[i]));
          *out++ = oracle::store<A>(kind == ScanKind::inclusive ? with_item : total);
          total = with_item;
        }
      };
      verdict = oracle::check_blocks<A>("item", input.size(), State{0, identity}, summary, join, write, fetch);
    });
  });
  return verdict;
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

/// Compares the result of a reduction of `items`: an accumulator, or an ArgResult.
inline Verdict check_reduce(Op op, Type item, Type accumulator, std::span<const std::byte> items,
                            std::span<const std::byte> found_bytes) {
  Verdict verdict = oracle::no_oracle();
  oracle::with_types(item, accumulator, [&]<class T, class A>(T*, A*) {
    const std::span<const T> input(reinterpret_cast<const T*>(items.data()), items.size() / sizeof(T));
    using C = oracle::Computed<A>;
    const uint64_t blocks = (input.size() + oracle::kBlock - 1) / oracle::kBlock;
    const auto of_block = [&](uint64_t block) {
      return input.subspan(block * oracle::kBlock, std::min(oracle::kBlock, input.size() - block * oracle::kBlock));
    };
    if (op == Op::arg_min || op == Op::arg_max) {
      if constexpr (!std::is_same_v<T, U32x2> && std::is_same_v<T, A>) {
        // The first of equal items, as weft gives it.
        const auto first_of = [&](auto items_of_block, auto value) {
          const auto less = [&](const auto& a, const auto& b) {
            const C x = oracle::convert<C>(value(a)), y = oracle::convert<C>(value(b));
            return op == Op::arg_min ? x < y : y < x;
          };
          return std::min_element(items_of_block.begin(), items_of_block.end(), less);
        };
        std::vector<uint64_t> best(blocks);
        for_each_block(blocks, [&](uint64_t b) {
          const auto found = first_of(of_block(b), [](T value) { return value; });
          best[b] = b * oracle::kBlock + static_cast<uint64_t>(found - of_block(b).begin());
        });
        ArgResult expected{~uint64_t{0}, {}};
        if (blocks > 0) expected.index = *first_of(std::span(best), [&](uint64_t i) { return input[i]; });
        if (blocks > 0) expected.value = Value::of(input[expected.index]);
        ArgResult found{};
        std::memcpy(&found, found_bytes.data(), sizeof found);
        const auto text = [](const ArgResult& r) {
          return "index " + std::to_string(r.index) + ", bits " + std::to_string(r.value.bits);
        };
        verdict = std::optional<Mismatch>();
        if (found.index != expected.index || found.value.bits != expected.value.bits)
          verdict = std::optional(Mismatch{0, text(expected), text(found)});
      }
      return;
    }
    oracle::with_operator<C, !std::is_same_v<T, A>>(op, [&](C identity, auto combine) {
      std::vector<C> totals(blocks);
      for_each_block(blocks, [&](uint64_t b) {
        const auto part = of_block(b);
        totals[b] = std::accumulate(part.begin(), part.end(), identity,
                                    [&](C a, T value) { return combine(a, oracle::convert<C>(value)); });
      });
      const A expected = oracle::store<A>(std::accumulate(totals.begin(), totals.end(), identity, combine));
      A found{};
      std::memcpy(&found, found_bytes.data(), sizeof found);
      verdict = std::optional<Mismatch>();
      if (!oracle::same(expected, found))
        verdict = std::optional(Mismatch{0, oracle::text(expected), oracle::text(found)});
    });
  });
  return verdict;
}

}  // namespace weft::bench
