// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a segmented reduction or scan once, in guarded buffers, and checks everything that holds for every run: all
// outputs are the oracle's, nothing else is written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/segmented_reduce.hpp>
#include <weft/segmented_scan.hpp>

#include "support/config_text.hpp"
#include "support/draws.hpp"
#include "support/intervals.hpp"
#include "support/oracle.hpp"
#include "support/primitive_call.hpp"
#include "support/random.hpp"

namespace weft::test {

/// Where segments begin, and the last one ends.
using Offsets = std::vector<uint64_t>;

inline Offsets offsets_from(uint64_t first, const Counts& lengths) {
  Offsets offsets = {first};
  for (const uint64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// Lengths of `items` items in all that are hard on whoever divides the work: long and
/// short, none, one with everything.
inline std::vector<Counts> hard_lengths(uint64_t items, uint64_t seed) {
  const auto filled = [&](const auto& length_of) {
    Counts lengths;
    for (uint64_t left = items; left != 0; left -= lengths.back())
      lengths.push_back(std::min<uint64_t>(left, length_of(lengths.size())));
    return lengths;
  };
  Counts lone(1500);
  lone[700] = items;
  Counts ends(3000);
  ends.front() = items / 3;
  ends[1499] = items / 3;
  ends.back() = items - 2 * (items / 3);
  return {filled([](uint64_t) { return 1; }),
          filled([&](uint64_t s) { return random_word(seed, s) % 50; }),
          filled([&](uint64_t s) { return random_word(seed, s) % 5 != 0 ? 0 : random_word(seed, s) / 5 % 9; }),
          filled([&](uint64_t s) { return random_word(seed, s) % 2000; }),
          filled([&](uint64_t s) { return items / (s + 1); }),
          {items},
          lone,
          ends,
          Counts(items / 2)};
}

struct SegmentedOptions {
  VkDeviceSize items_misalignment = 0, offsets_misalignment = 0, output_misalignment = 0;
  std::optional<DeviceCount> count{}, item_count{};
  bool in_place = false;  ///< of a scan
  bool ascending = true;  ///< else of a reduction's output nothing is expected, but that all else stays as it is
  uint8_t dirt = 0xdb;
};

/// The arguments of either, with an output of `outputs` accumulators of type A.
template <class A, class Args, class T>
Args segmented_args(PrimitiveCall& call, const std::vector<T>& items, const Offsets& offsets, Type offset,
                    uint64_t outputs, VkDeviceSize scratch_bytes, const SegmentedOptions& options) {
  Args args;
  args.items = call.input("items", items, options.items_misalignment);
  args.offsets = call.input("offsets", bytes_of_lengths(offsets, offset), options.offsets_misalignment);
  args.output = options.in_place ? args.items : call.output("output", outputs * sizeof(A), options.output_misalignment);
  args.scratch = call.scratch(scratch_bytes);
  args.count = call.count(options.count, offsets.size() - 1);
  args.item_count = call.count(options.item_count, items.size());
  return args;
}

/// Gives what is wrong, or nothing; `found`: all outputs.
template <class A, class T>
std::string wrong_segmented_reduce(Gpu& gpu, const SegmentedReduce& reduce, const SegmentedReduceConfig& config,
                                   const std::vector<T>& items, const Offsets& offsets, const SegmentedOptions& options,
                                   std::vector<A>* found = nullptr) {
  const uint64_t segments = offsets.size() - 1, item_count = obeyed(options.item_count, items.size());
  PrimitiveCall call(gpu, options.dirt);
  const auto args = segmented_args<A, SegmentedReduceArgs>(call, items, offsets, config.offset, segments,
                                                           reduce.scratch_size(segments, items.size()), options);
  std::vector<A> expected;
  for (uint64_t s = 0; options.ascending && s < obeyed(options.count, segments); ++s) {
    const uint64_t first = std::min(offsets[s], item_count), end = std::min(offsets[s + 1], item_count);
    expected.push_back(reduce_of<A>(std::span<const T>(items).subspan(first, end - first), config.op));
  }
  call.expect("output", expected);
  if (!options.ascending) call.expect_any("output", segments * sizeof(A));
  const std::string wrong = call.wrong(reduce, args);
  if (found != nullptr) *found = items_of<A>(call.found("output"));
  return wrong;
}

/// The heads that offsets describe. Where they decrease, each is one all the same.
inline std::vector<bool> heads_of_offsets(const Offsets& offsets, uint64_t count, uint64_t items) {
  std::vector<bool> heads(items);
  if (items != 0) heads[0] = true;
  for (uint64_t s = 0; s <= count; ++s)
    if (offsets[s] < items) heads[offsets[s]] = true;
  return heads;
}

template <class A, class T>
std::string wrong_segmented_scan(Gpu& gpu, const SegmentedScan& scan, const SegmentedScanConfig& config,
                                 const std::vector<T>& items, const Offsets& offsets, const SegmentedOptions& options,
                                 std::optional<A> initial = {}, std::vector<A>* found = nullptr) {
  const uint64_t count = obeyed(options.item_count, items.size());
  PrimitiveCall call(gpu, options.dirt);
  auto args = segmented_args<A, SegmentedScanArgs>(call, items, offsets, config.offset, items.size(),
                                                   scan.scratch_size(items.size()), options);
  if (initial) args.initial = Value::of(*initial);
  const char* const output = options.in_place ? "items" : "output";
  call.expect(output,
              scan_by_key_of<A>(std::vector<T>(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count)),
                                heads_of_offsets(offsets, obeyed(options.count, offsets.size() - 1), count),
                                config.kind, config.op, initial));
  const std::string wrong = call.wrong(scan, args);
  if (found != nullptr) *found = items_of<A>(call.found(output));
  return wrong;
}

template <class T, class A>
SegmentedOptions drawn_segmented_options(Draws& draw, uint64_t n, uint64_t segments) {
  return {.items_misalignment = draw.misalignment(sizeof(T)),
          .offsets_misalignment = draw.misalignment(4),
          .output_misalignment = draw.misalignment(sizeof(A)),
          .count = draw.device_count(segments),
          .item_count = draw.device_count(n),
          .dirt = draw.dirt()};
}

}  // namespace weft::test
