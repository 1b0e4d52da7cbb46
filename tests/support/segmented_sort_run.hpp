// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a segmented sort once, in guarded buffers, and checks everything that holds for every run: each segment comes
// out as the standard library's stable sort puts it, bit for bit, inputs stay as they are and nothing else is written.
#pragma once

#include <weft/segmented_sort.hpp>

#include "support/segmented_run.hpp"
#include "support/sort_run.hpp"

namespace weft::test {

struct SegmentedSortOptions {
  VkDeviceSize keys_misalignment = 0, values_misalignment = 0, offsets_misalignment = 0;
  VkDeviceSize keys_out_misalignment = 0, values_out_misalignment = 0;
  std::optional<DeviceCount> count{}, key_count{};
  bool ascending = true;  ///< else nothing is expected of the outputs, but that all else stays as it is
  uint8_t dirt = 0xdb;
};

/// Gives what is wrong, or nothing; `found`: all keys that came out.
template <class T>
std::string wrong_segmented_sort(Gpu& gpu, const SegmentedSort& sort, const SegmentedSortConfig& config,
                                 const std::vector<T>& keys, const Offsets& offsets,
                                 const SegmentedSortOptions& options, Bytes* found = nullptr) {
  const uint64_t n = keys.size(), count = obeyed(options.key_count, n);
  const Bytes values = numbered_values(n, config.value_bytes);
  PrimitiveCall call(gpu, options.dirt);
  SegmentedSortArgs args{call.input("keys", keys, options.keys_misalignment),
                         {},
                         call.input("offsets", bytes_of_lengths(offsets, config.offset), options.offsets_misalignment),
                         call.output("keys_out", n * sizeof(T), options.keys_out_misalignment),
                         {},
                         call.scratch(sort.scratch_size(n)),
                         call.count(options.count, offsets.size() - 1),
                         call.count(options.key_count, n)};
  if (config.value_bytes != 0) {
    args.values = call.input("values", values, options.values_misalignment);
    args.values_out = call.output("values_out", values.size(), options.values_out_misalignment);
  }
  // Items outside of all segments stay as they were.
  Bytes keys_out(n * sizeof(T), std::byte{options.dirt}), values_out(values.size(), std::byte{options.dirt});
  for (uint64_t s = 0; options.ascending && s < obeyed(options.count, offsets.size() - 1); ++s) {
    const uint64_t first = std::min(offsets[s], count), end = std::min(offsets[s + 1], count);
    const std::vector<T> segment(keys.begin() + static_cast<std::ptrdiff_t>(first),
                                 keys.begin() + static_cast<std::ptrdiff_t>(end));
    const std::vector<uint32_t> positions =
        sorted_positions(segment, segment.size(), {.key = config.key, .order = config.order});
    const auto put = [&](Bytes& out, std::span<const std::byte> in, uint64_t item_bytes) {
      std::ranges::copy(gathered(in, item_bytes, positions),
                        out.begin() + static_cast<std::ptrdiff_t>(first * item_bytes));
    };
    put(keys_out, std::as_bytes(std::span(segment)), sizeof(T));
    put(values_out, std::span(values).subspan(first * config.value_bytes), config.value_bytes);
  }
  call.expect("keys_out", keys_out, sizeof(T));
  if (config.value_bytes != 0) call.expect("values_out", values_out, config.value_bytes);
  if (!options.ascending) {
    call.expect_any("keys_out", n * sizeof(T));
    if (config.value_bytes != 0) call.expect_any("values_out", values.size());
  }
  const std::string wrong = call.wrong(sort, args);
  if (found != nullptr) *found = call.found("keys_out");
  return wrong;
}

/// Runs it, and fails the running test where anything is wrong. Gives the keys that came out.
template <class T>
Bytes check_segmented_sort(Backend& backend, SegmentedSortConfig config, const std::vector<T>& keys,
                           const Offsets& offsets, const SegmentedSortOptions& options = {}) {
  config.key = type_of<T>;
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  Bytes found;
  CHECK(wrong_segmented_sort(backend.gpu(), create<SegmentedSort>(backend, config), config, keys, offsets, options,
                             &found) == "");
  return found;
}

}  // namespace weft::test
