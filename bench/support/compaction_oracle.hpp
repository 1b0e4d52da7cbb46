// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <weft/status.hpp>

#include "support/expected.hpp"

// What the CPU says of primitives whose outputs are fewer than their inputs, or follow runs of keys. As oracle.hpp.
namespace weft::bench {

/// An item of 4 * `words` bytes.
template <size_t words>
using Words = std::array<uint32_t, words>;

template <class T>
std::span<const T> items_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// f(null pointer to a type of `bytes` bytes), which is 1, 2, 4, 8, 16 or 48.
template <class F>
Verdict with_item(uint32_t bytes, const F& f) {
  switch (bytes) {
    case 1: return f(static_cast<uint8_t*>(nullptr));
    case 2: return f(static_cast<uint16_t*>(nullptr));
    case 4: return f(static_cast<uint32_t*>(nullptr));
    case 8: return f(static_cast<uint64_t*>(nullptr));
    case 16: return f(static_cast<Words<4>*>(nullptr));
    case 48: return f(static_cast<Words<12>*>(nullptr));
    default: return oracle::no_oracle();
  }
}

/// f(null pointer to the unsigned key of 4 or 8 bytes).
template <class F>
Verdict with_key(uint32_t bytes, const F& f) {
  return bytes == 4 ? f(static_cast<uint32_t*>(nullptr)) : f(static_cast<uint64_t*>(nullptr));
}

namespace oracle {

/// Whether item `i` begins a run.
template <class T>
bool is_head(std::span<const T> items, uint64_t i) {
  return i == 0 || items[i] != items[i - 1];
}

/// Whether it is the last of its run.
template <class T>
bool is_end(std::span<const T> items, uint64_t i) {
  return i + 1 == items.size() || items[i] != items[i + 1];
}

/// Of the items for which keep(i), and the count of them.
template <class T, class Keep>
Verdict check_select(std::span<const T> items, const Keep& keep, const FetchOutputs& fetch, uint64_t found_count) {
  uint64_t count = 0;
  const Verdict outputs = check_kept<T>(
      "item", items.size(), [&](uint64_t i) { return items[i]; }, keep, fetch, count);
  return first_bad(same_count(count, found_count), outputs);
}

/// Of the first item of each run, and the count of them.
template <class T>
Verdict check_unique(std::span<const T> items, const FetchOutputs& fetch, uint64_t found_count) {
  return check_select(
      items, [&](uint64_t i) { return is_head(items, i); }, fetch, found_count);
}

/// Compares outputs that walk(begin, end, state, out) makes of items, going on from `state`. `out` is null if only the
/// state after them is asked for; `alone` is the state that has seen nothing of the items before.
template <class Out, class State, class Walk, class Join>
Verdict check_walk(const char* what, uint64_t n, State alone, const Walk& walk, const Join& join,
                   const FetchOutputs& fetch, uint64_t* count = nullptr) {
  return check_blocks<Out>(
      what, n, State{}, [&](uint64_t begin, uint64_t end) { return walk(begin, end, alone, nullptr); }, join, walk,
      fetch, count);
}

/// Of make(first, end) of each run with wanted(its last item), where `end` is one after that item, and the number of
/// these runs.
template <class Out, class T, class Wanted, class Make>
Verdict check_runs(const char* what, std::span<const T> items, const Wanted& wanted, const Make& make,
                   const FetchOutputs& fetch, uint64_t found_count) {
  struct State {
    uint64_t outputs = 0;
    uint64_t first = 0;  // of the run that the next item is in
  };
  constexpr uint64_t kNone = ~uint64_t{0};
  const auto walk = [&](uint64_t begin, uint64_t end, State state, Out* out) {
    for (uint64_t i = begin; i < end; ++i) {
      if (!is_end(items, i)) continue;
      if (wanted(i)) {
        if (out) *out++ = make(state.first, i + 1);
        ++state.outputs;
      }
      state.first = i + 1;
    }
    return state;
  };
  const auto join = [](State before, State block) {
    return State{before.outputs + block.outputs, block.first == kNone ? before.first : block.first};
  };
  uint64_t count = 0;
  const Verdict outputs = check_walk<Out>(what, items.size(), State{0, kNone}, walk, join, fetch, &count);
  return first_bad(same_count(count, found_count), outputs);
}

/// Of the sums of values up to each item for which is_output(i), its own included, that begin anew at heads.
/// heads(begin) makes a test of the items from `begin` on, in order.
template <class V, class Heads, class IsOutput>
Verdict check_sums(std::span<const V> values, const Heads& heads, const IsOutput& is_output,
                   const FetchOutputs& fetch) {
  struct Sums {
    uint64_t outputs = 0;
    V sum{};  // since the last head
    bool has_head = false;
  };
  const auto walk = [&](uint64_t begin, uint64_t end, Sums state, V* out) {
    auto is_head = heads(begin);
    for (uint64_t i = begin; i < end; ++i) {
      const bool head = is_head(i);
      state.has_head = state.has_head || head;
      state.sum = static_cast<V>(head ? values[i] : state.sum + values[i]);
      if (!is_output(i)) continue;
      if (out) *out++ = state.sum;
      ++state.outputs;
    }
    return state;
  };
  const auto join = [](const Sums& before, const Sums& block) {
    return Sums{before.outputs + block.outputs, static_cast<V>(block.has_head ? block.sum : before.sum + block.sum),
                before.has_head || block.has_head};
  };
  return check_walk<V>("sum", values.size(), Sums{}, walk, join, fetch);
}

/// Whether a VkDispatchIndirectCommand has as many workgroups as a count needs, and less than a row more.
inline Verdict check_dispatch(uint64_t count, uint32_t items_per_workgroup, const std::array<uint32_t, 3>& command) {
  const auto [x, y, z] = command;
  const uint64_t groups = (count + items_per_workgroup - 1) / items_per_workgroup, dispatched = uint64_t{x} * y * z;
  if (dispatched >= groups && dispatched < groups + std::max(y, 1u)) return right();
  return wrong(0, std::to_string(groups) + " workgroups", std::to_string(dispatched));
}

/// Follows the segments of items from `begin` on, in order; offsets begin with 0 and end with the number of items.
class SegmentCursor {
 public:
  SegmentCursor(std::span<const uint32_t> offsets, uint64_t begin)
      : offsets_(offsets),
        segment_(static_cast<uint64_t>(std::upper_bound(offsets.begin(), offsets.end(), begin) - offsets.begin()) - 1) {
  }
  /// The segment that item `i` is in.
  uint64_t at(uint64_t i) {
    while (offsets_[segment_ + 1] <= i) ++segment_;
    return segment_;
  }

 private:
  std::span<const uint32_t> offsets_;
  uint64_t segment_;
};

}  // namespace oracle
}  // namespace weft::bench
