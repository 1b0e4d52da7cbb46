// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a segmented reduction or scan once, in guarded buffers, and checks everything that holds for every run: all outputs are
// the oracle's, nothing else is written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/segmented_reduce.hpp>
#include <weft/segmented_scan.hpp>

#include "support/device.hpp"
#include "support/given_count.hpp"
#include "support/guarded_buffer.hpp"
#include "support/intervals.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/run.hpp"

namespace weft::test {

/// Where segments begin, and the last one ends.
using Offsets = std::vector<uint64_t>;

inline Offsets offsets_from(uint64_t first, const Counts& lengths) {
  Offsets offsets = {first};
  for (const uint64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// Lengths of `items` items in all that are hard on whoever divides the work: long and short, none, one with everything.
inline std::vector<Counts> telling_lengths(uint64_t items, uint64_t seed) {
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

/// What beside the output must be left as it was.
struct SegmentedCall {
  template <class T>
  SegmentedCall(Gpu& gpu, const std::vector<T>& items, const Offsets& from, Type offset, VkDeviceSize scratch_bytes,
                const SegmentedOptions& options)
      : item_bytes(std::as_bytes(std::span(items)).begin(), std::as_bytes(std::span(items)).end()),
        offset_bytes(bytes_of_lengths(from, offset)),
        values(gpu, item_bytes.size(), options.items_misalignment, item_bytes),
        offsets(gpu, offset_bytes.size(), options.offsets_misalignment, offset_bytes),
        scratch(gpu, scratch_bytes, 0, {}, options.dirt),
        count(gpu, options.count, from.size() - 1),
        item_count(gpu, options.item_count, items.size()) {}

  std::string spoilt(bool in_place) {
    std::vector<std::byte> left;
    if (!in_place)
      if (!values.read(left).empty() || left != item_bytes)
        return "the items, or what lies around them, were written to";
    if (!offsets.read(left).empty() || left != offset_bytes)
      return "the offsets, or what lies around them, were written to";
    const std::string around = scratch.overwritten();
    return around.empty() ? "" : "scratch: " + around;
  }

  std::vector<std::byte> item_bytes, offset_bytes;
  GuardedBuffer values, offsets, scratch;
  GivenCount count, item_count;
};

/// Gives what is wrong, or nothing; `found`: all outputs.
template <class A, class T>
std::string wrong_segmented_reduce(Gpu& gpu, const SegmentedReduce& reduce, const SegmentedReduceConfig& config,
                                   const std::vector<T>& items, const Offsets& offsets, const SegmentedOptions& options,
                                   std::vector<A>* found = nullptr) {
  const uint64_t segments = offsets.size() - 1;
  SegmentedCall call(gpu, items, offsets, config.offset, reduce.scratch_size(segments, items.size()), options);
  GuardedBuffer output(gpu, segments * sizeof(A), options.output_misalignment, {}, options.dirt);
  const SegmentedReduceArgs args{call.values.range(),  call.offsets.range(), output.range(),
                                 call.scratch.range(), call.count.count(),   call.item_count.count()};
  const auto ran = gpu.run([&](VkCommandBuffer commands) { return reduce.record(commands, args); });
  if (!ran) return ran.error().message;
  if (std::string spoilt = call.spoilt(false); !spoilt.empty()) return spoilt;
  std::vector<std::byte> bytes;
  if (const std::string spoilt = output.read(bytes); !spoilt.empty()) return "output: " + spoilt;
  const std::vector<A> outputs = items_of<A>(bytes);
  if (found != nullptr) *found = outputs;
  if (!options.ascending) return {};
  std::vector<A> expected(segments);
  if (segments != 0) std::memset(expected.data(), options.dirt, segments * sizeof(A));
  for (uint64_t s = 0; s < call.count.obeyed(); ++s) {
    const uint64_t first = std::min(offsets[s], call.item_count.obeyed());
    const uint64_t end = std::min(offsets[s + 1], call.item_count.obeyed());
    expected[s] = reduce_of<A>(std::span<const T>(items).subspan(first, end - first), config.op);
  }
  return difference(outputs, expected);
}

/// The heads that offsets tell. Where they decrease, each is one all the same.
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
  SegmentedCall call(gpu, items, offsets, config.offset, scan.scratch_size(items.size()), options);
  GuardedBuffer apart(gpu, items.size() * sizeof(A), options.output_misalignment, {}, options.dirt);
  GuardedBuffer& output = options.in_place ? call.values : apart;
  const SegmentedScanArgs args{call.values.range(),
                               call.offsets.range(),
                               output.range(),
                               call.scratch.range(),
                               call.count.count(),
                               call.item_count.count(),
                               initial ? std::optional(Value::of(*initial)) : std::nullopt};
  const auto ran = gpu.run([&](VkCommandBuffer commands) { return scan.record(commands, args); });
  if (!ran) return ran.error().message;
  if (std::string spoilt = call.spoilt(options.in_place); !spoilt.empty()) return spoilt;
  std::vector<std::byte> bytes;
  if (const std::string spoilt = output.read(bytes); !spoilt.empty()) return "output: " + spoilt;
  const std::vector<A> outputs = items_of<A>(bytes);
  if (found != nullptr) *found = outputs;
  const uint64_t obeyed = call.item_count.obeyed();
  std::vector<A> expected(items.size());
  if (!items.empty()) std::memset(expected.data(), options.dirt, items.size() * sizeof(A));
  if constexpr (std::is_same_v<A, T>)
    if (options.in_place) expected = items;
  const std::vector<A> scanned =
      scan_by_key_of<A>(std::vector<T>(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(obeyed)),
                        heads_of_offsets(offsets, call.count.obeyed(), obeyed), config.kind, config.op, initial);
  std::ranges::copy(scanned, expected.begin());
  return difference(outputs, expected);
}

}  // namespace weft::test
