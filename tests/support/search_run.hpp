// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a search once, in guarded buffers, and checks everything that holds for every run: all outputs are what the
// standard library's searches say, nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <weft/binary_search.hpp>
#include <weft/sorted_search.hpp>

#include "support/config_text.hpp"
#include "support/fuzz_subject.hpp"
#include "support/primitive_call.hpp"
#include "support/random.hpp"

namespace weft::test {

/// The order of keys: numbers by `<`, and NaN outside of them by sign.
template <class T>
bool key_less(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (std::isnan(a) || std::isnan(b)) return std::is_lt(std::strong_order(a, b));
  return a < b;
}

/// `count` keys, in no order: any bits, or, where `values` is not 0, of about so many values, which
/// differ in high and low words.
template <class T>
std::vector<T> drawn_keys(uint64_t count, uint64_t seed, uint64_t values = 0) {
  std::vector<T> keys(count);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t word = random_word(seed, i);
    if (values != 0) word = (word >> 20) % values * (sizeof(T) == 8 ? 0x4000000080000001u : 0x20000001u);
    std::memcpy(static_cast<void*>(&keys[i]), &word, sizeof(T));
  }
  return keys;
}

template <class T>
std::vector<T> sorted(std::vector<T> keys) {
  std::ranges::sort(keys, key_less<T>);
  return keys;
}

template <class T>
std::vector<T> sorted_keys(uint64_t count, uint64_t seed, uint64_t values = 0) {
  return sorted(drawn_keys<T>(count, seed, values));
}

template <class T>
uint32_t bound_of(const std::vector<T>& haystack, uint64_t count, T needle, Bound bound) {
  const auto end = haystack.begin() + static_cast<std::ptrdiff_t>(count);
  const auto at = bound == Bound::lower ? std::lower_bound(haystack.begin(), end, needle, key_less<T>)
                                        : std::upper_bound(haystack.begin(), end, needle, key_less<T>);
  return static_cast<uint32_t>(at - haystack.begin());
}

struct SearchOptions {
  VkDeviceSize needles_misalignment = 0, haystack_misalignment = 0, output_misalignment = 0;
  std::optional<DeviceCount> needle_count{}, haystack_count{};
  bool sorted = true;  ///< else nothing is expected but that all else stays as it is
  uint8_t dirt = 0xdb;
};

/// Primitive: SortedSearch or BinarySearch. Gives what is wrong, or nothing; `found`: all outputs.
template <class Primitive, class T>
std::string wrong_search(Gpu& gpu, const Primitive& search, Bound bound, const std::vector<T>& needles,
                         const std::vector<T>& haystack, const SearchOptions& options, Bytes* found = nullptr) {
  PrimitiveCall call(gpu, options.dirt);
  using Args = std::conditional_t<std::is_same_v<Primitive, SortedSearch>, SortedSearchArgs, BinarySearchArgs>;
  Args args;
  args.needles = call.input("needles", needles, options.needles_misalignment);
  args.haystack = call.input("haystack", haystack, options.haystack_misalignment);
  args.output = call.output("output", needles.size() * 4, options.output_misalignment);
  args.needle_count = call.count(options.needle_count, needles.size());
  args.haystack_count = call.count(options.haystack_count, haystack.size());
  if constexpr (std::is_same_v<Primitive, SortedSearch>)
    args.scratch = call.scratch(search.scratch_size(needles.size(), haystack.size()));
  const uint64_t count = obeyed(options.needle_count, needles.size());
  const uint64_t haystack_count = obeyed(options.haystack_count, haystack.size());
  std::vector<uint32_t> bounds;
  for (uint64_t i = 0; options.sorted && i < count; ++i)
    bounds.push_back(bound_of(haystack, haystack_count, needles[i], bound));
  call.expect("output", bounds);
  if (!options.sorted) call.expect_any("output", needles.size() * 4);
  const std::string wrong = call.wrong(search, args);
  if (found != nullptr) *found = call.found("output");
  return wrong;
}

/// The primitive that searches keys of type T.
template <class Primitive, class T>
const Primitive& create_search(Backend& backend, Bound bound) {
  using Config = std::conditional_t<std::is_same_v<Primitive, SortedSearch>, SortedSearchConfig, BinarySearchConfig>;
  return create<Primitive>(backend, Config{type_of<T>, bound});
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class Primitive, class T>
Bytes check_search(Backend& backend, Bound bound, const std::vector<T>& needles, const std::vector<T>& haystack,
                   const SearchOptions& options = {}) {
  CAPTURE(backend.name());
  CAPTURE(std::string(name_of(type_of<T>)) + ' ' + name_of(bound));
  Bytes found;
  CHECK(wrong_search(backend.gpu(), create_search<Primitive, T>(backend, bound), bound, needles, haystack, options,
                     &found) == "");
  return found;
}

/// Calls `test.operator()<T>()` for every type of keys.
template <class Test>
void for_every_key(const Test& test) {
  test.template operator()<uint32_t>();
  test.template operator()<uint64_t>();
  test.template operator()<int32_t>();
  test.template operator()<int64_t>();
  test.template operator()<float>();
  test.template operator()<double>();
}

/// Haystacks and needles, both sorted, on which bounds go wrong.
template <class T>
std::vector<std::pair<std::vector<T>, std::vector<T>>> hard_keys(uint64_t needles, uint64_t haystack) {
  const T least = sorted_keys<T>(needles + haystack, 5)[0];
  const T greatest = sorted_keys<T>(needles + haystack, 5).back();
  const auto all = [](uint64_t count, T key) { return std::vector<T>(count, key); };
  return {
      {sorted_keys<T>(needles, 6), sorted_keys<T>(haystack, 7)},
      {sorted_keys<T>(needles, 8, 5), sorted_keys<T>(haystack, 9, 5)},
      {sorted_keys<T>(needles, 10, 3), sorted_keys<T>(haystack, 11, 300)},
      {sorted_keys<T>(needles, 12, 300), sorted_keys<T>(haystack, 13, 3)},
      {all(needles, least), sorted_keys<T>(haystack, 5)},
      {all(needles, greatest), sorted_keys<T>(haystack, 5)},
      {sorted_keys<T>(needles, 14), all(haystack, least)},
      {all(needles, greatest), all(haystack, greatest)},
      {all(needles, least), all(haystack, greatest)},
      {all(needles, greatest), all(haystack, least)},
  };
}

template <class Primitive, class T>
FuzzSubject search_subject(Bound bound, const char* tuning = "") {
  constexpr bool kSorted = std::is_same_v<Primitive, SortedSearch>;
  const auto draw_case = [](Backend& backend, const auto& config, Draws& draw) {
    const Primitive& search = create_search<Primitive, T>(backend, config.bound);
    uint64_t tile = 0;
    if constexpr (kSorted)
      tile = search.tile_keys();
    else
      tile = search.tile_needles();
    const uint64_t total = draw.count(tile), n = draw.below(total + 1);
    std::vector<T> needles = draw.items<T>(n);
    const std::vector<T> haystack = sorted(draw.items<T>(total - n));
    // Some of the haystack's own.
    for (uint64_t i = 0; i < n && !haystack.empty(); i += 3) needles[i] = haystack[draw.below(haystack.size())];
    const SearchOptions options{
        draw.misalignment(sizeof(T)), draw.misalignment(sizeof(T)), draw.misalignment(4), draw.device_count(n),
        draw.device_count(total - n), !kSorted || !draw.one_in(10), draw.dirt()};
    if (kSorted && options.sorted) needles = sorted(std::move(needles));
    check_search<Primitive>(backend, config.bound, needles, haystack, options);
  };
  using Config = std::conditional_t<kSorted, SortedSearchConfig, BinarySearchConfig>;
  return {Config{type_of<T>, bound}, tuning, draw_case};
}

}  // namespace weft::test
