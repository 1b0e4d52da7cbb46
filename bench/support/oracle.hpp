// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
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
    return to_float(item);
  else
    return C{item};
}

template <class T, class C>
T store(C value) noexcept {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(value);
  else
    return value;
}

/// Calls f(identity, function) with the operator on values of type C. False: no row has that operator on C.
template <class C, class F>
bool with_operator(Op op, F&& f) {
  if constexpr (std::is_same_v<C, U32x2>) {
    if (op == Op::affine) f(C{1, 0}, [](C a, C b) { return C{a.x * b.x, b.x * a.y + b.y}; });
    return op == Op::affine;
  } else {
    using Limits = std::numeric_limits<C>;
    constexpr bool kIsFloat = std::is_floating_point_v<C>;
    const auto add = [](C a, C b) {
      if constexpr (kIsFloat)
        return a + b;
      else
        return static_cast<C>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));  // wraps
    };
    switch (op) {
      case Op::add: f(C{0}, add); return true;
      case Op::min:
        f(kIsFloat ? Limits::infinity() : Limits::max(), [](C a, C b) { return std::min(a, b); });
        return true;
      case Op::max:
        f(kIsFloat ? -Limits::infinity() : Limits::lowest(), [](C a, C b) { return std::max(a, b); });
        return true;
      case Op::bit_xor:
        if constexpr (!kIsFloat) f(C{0}, [](C a, C b) { return static_cast<C>(a ^ b); });
        return !kIsFloat;
      default: return false;
    }
  }
}

/// Calls f with null pointers to the types of items and accumulators. Not if no row has them together.
template <class F>
void with_types(Type item, Type accumulator, F&& f) {
  const auto both = [&]<class T>(T* type) { f(type, type); };
  if (item == Type::u8 && accumulator == Type::u32) f(static_cast<uint8_t*>(nullptr), static_cast<uint32_t*>(nullptr));
  if (item != accumulator) return;
  switch (item) {
    case Type::u8: both(static_cast<uint8_t*>(nullptr)); break;
    case Type::u16: both(static_cast<uint16_t*>(nullptr)); break;
    case Type::u32: both(static_cast<uint32_t*>(nullptr)); break;
    case Type::u64: both(static_cast<uint64_t*>(nullptr)); break;
    case Type::i32: both(static_cast<int32_t*>(nullptr)); break;
    case Type::i64: both(static_cast<int64_t*>(nullptr)); break;
    case Type::f16: both(static_cast<Half*>(nullptr)); break;
    case Type::f32: both(static_cast<float*>(nullptr)); break;
    case Type::f64: both(static_cast<double*>(nullptr)); break;
    case Type::u32x2: both(static_cast<U32x2*>(nullptr)); break;
  }
}

/// The index of the least or the greatest item, of equal ones the first; 2^64 - 1 of none.
template <class T>
uint64_t index_of_best(Op op, std::span<const T> input) {
  using C = Computed<T>;
  const auto best_of = [&](uint64_t begin, uint64_t end, const auto& index) {
    uint64_t best = index(begin);
    for (uint64_t i = begin + 1; i < end; ++i) {
      const C item = convert<C>(input[index(i)]), so_far = convert<C>(input[best]);
      if (op == Op::arg_min ? item < so_far : so_far < item) best = index(i);
    }
    return best;
  };
  std::vector<uint64_t> best((input.size() + kBlock - 1) / kBlock);
  for_each_block(best.size(), [&](uint64_t b) {
    best[b] = best_of(b * kBlock, std::min<uint64_t>(input.size(), (b + 1) * kBlock), [](uint64_t i) { return i; });
  });
  return best.empty() ? ~uint64_t{0} : best_of(0, best.size(), [&](uint64_t b) { return best[b]; });
}

}  // namespace oracle

/// Compares all outputs of a scan of `items`, in chunks, so that outputs larger than the host's memory can be checked.
inline Verdict check_scan(ScanKind kind, Op op, Type item, Type accumulator, std::span<const std::byte> items,
                          const FetchOutputs& fetch) {
  Verdict verdict = oracle::no_oracle();
  oracle::with_types(item, accumulator, [&]<class T, class A>(T*, A*) {
    using C = oracle::Computed<A>;
    oracle::with_operator<C>(op, [&](C identity, auto combine) {
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

/// Compares the result of a reduction of `items`: an accumulator, or an ArgResult.
inline Verdict check_reduce(Op op, Type item, Type accumulator, std::span<const std::byte> items,
                            const ArgResult& found_bytes) {
  Verdict verdict = oracle::no_oracle();
  oracle::with_types(item, accumulator, [&]<class T, class A>(T*, A*) {
    const std::span<const T> input(reinterpret_cast<const T*>(items.data()), items.size() / sizeof(T));
    if (op == Op::arg_min || op == Op::arg_max) {
      if constexpr (!std::is_same_v<T, U32x2>) {
        const uint64_t best = oracle::index_of_best(op, input);
        const ArgResult expected{best, input.empty() ? Value{} : Value::of(input[best])};
        const auto text = [](const ArgResult& r) {
          return "index " + std::to_string(r.index) + ", bits " + std::to_string(r.value.bits);
        };
        const bool same = found_bytes.index == expected.index && found_bytes.value.bits == expected.value.bits;
        verdict = same ? right() : wrong(0, text(expected), text(found_bytes));
      }
      return;
    }
    using C = oracle::Computed<A>;
    oracle::with_operator<C>(op, [&](C identity, auto combine) {
      std::vector<C> totals((input.size() + oracle::kBlock - 1) / oracle::kBlock, identity);
      for_each_block(totals.size(), [&](uint64_t b) {
        for (const T& value : input.subspan(b * oracle::kBlock)
                                  .first(std::min<uint64_t>(oracle::kBlock, input.size() - b * oracle::kBlock)))
          totals[b] = combine(totals[b], oracle::convert<C>(value));
      });
      const A expected = oracle::store<A>(std::accumulate(totals.begin(), totals.end(), identity, combine));
      A found{};
      std::memcpy(static_cast<void*>(&found), &found_bytes, sizeof found);
      verdict = oracle::same(expected, found) ? right() : wrong(0, oracle::text(expected), oracle::text(found));
    });
  });
  return verdict;
}

}  // namespace weft::bench
