// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a segmented sort once, in guarded buffers, and checks everything that holds for every run: each segment comes out as the standard
// library's stable sort puts it, bit for bit, inputs stay as they are and nothing else is written.
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
                                 const SegmentedSortOptions& options, std::vector<std::byte>* found = nullptr) {
  const uint64_t n = keys.size(), value_bytes = config.value_bytes;
  const std::vector<std::byte> values = numbered_values(n, config.value_bytes);
  const std::vector<std::byte> offset_bytes = bytes_of_lengths(offsets, config.offset);
  GuardedBuffer keys_in(gpu, n * sizeof(T), options.keys_misalignment, std::as_bytes(std::span(keys)));
  GuardedBuffer values_in(gpu, values.size(), options.values_misalignment, values);
  GuardedBuffer offsets_in(gpu, offset_bytes.size(), options.offsets_misalignment, offset_bytes);
  GuardedBuffer keys_out(gpu, n * sizeof(T), options.keys_out_misalignment, {}, options.dirt);
  GuardedBuffer values_out(gpu, values.size(), options.values_out_misalignment, {}, options.dirt);
  GuardedBuffer scratch(gpu, sort.scratch_size(n), 0, {}, options.dirt);
  const GivenCount count(gpu, options.count, offsets.size() - 1), key_count(gpu, options.key_count, n);
  SegmentedSortArgs args{keys_in.range(),  {}, offsets_in.range(), keys_out.range(), {}, scratch.range(), count.count(),
                         key_count.count()};
  if (value_bytes != 0) {
    args.values = values_in.range();
    args.values_out = values_out.range();
  }
  const auto ran = gpu.run([&](VkCommandBuffer commands) { return sort.record(commands, args); });
  if (!ran) return ran.error().message;

  std::vector<std::byte> bytes;
  const auto is_left = [&](GuardedBuffer& buffer, std::span<const std::byte> before) {
    return buffer.read(bytes).empty() && std::ranges::equal(bytes, before);
  };
  if (!is_left(keys_in, std::as_bytes(std::span(keys)))) return "the keys, or what lies around them, were written to";
  if (!is_left(values_in, values)) return "the values, or what lies around them, were written to";
  if (!is_left(offsets_in, offset_bytes)) return "the offsets, or what lies around them, were written to";
  if (const std::string spoilt = scratch.overwritten(); !spoilt.empty()) return "scratch: " + spoilt;
  std::vector<std::byte> moved;
  if (const std::string spoilt = values_out.read(moved); !spoilt.empty()) return "values_out: " + spoilt;
  if (const std::string spoilt = keys_out.read(bytes); !spoilt.empty()) return "keys_out: " + spoilt;
  if (found != nullptr) *found = bytes;
  if (!options.ascending) return {};

  std::vector<std::byte> expected_keys(bytes.size(), std::byte{options.dirt});
  std::vector<std::byte> expected_values(moved.size(), std::byte{options.dirt});
  for (uint64_t s = 0; s < count.obeyed(); ++s) {
    const uint64_t first = std::min(offsets[s], key_count.obeyed());
    const uint64_t end = std::min(offsets[s + 1], key_count.obeyed());
    if (first == end) continue;
    const auto at = [&](uint64_t i) { return keys.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::vector<T> segment(at(first), at(end));
    const std::vector<uint32_t> places =
        sorted_places(segment, segment.size(), {.key = config.key, .order = config.order});
    for (uint64_t i = 0; i < places.size(); ++i) {
      std::memcpy(expected_keys.data() + (first + i) * sizeof(T), &segment[places[i]], sizeof(T));
      if (value_bytes != 0)
        std::memcpy(expected_values.data() + (first + i) * value_bytes,
                    values.data() + (first + places[i]) * value_bytes, value_bytes);
    }
  }
  const auto differ = [](const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    return static_cast<uint64_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  };
  if (bytes != expected_keys)
    return "key " + std::to_string(differ(bytes, expected_keys) / sizeof(T)) + " of " + std::to_string(n) + " is wrong";
  if (moved != expected_values)
    return "value " + std::to_string(differ(moved, expected_values) / value_bytes) + " of " + std::to_string(n) +
           " is wrong";
  return {};
}

/// The sort, built at the first request with the tuning of the environment.
inline const SegmentedSort& made_segmented_sort(Backend& backend, const SegmentedSortConfig& config) {
  return backend.primitive<SegmentedSort>(std::string("SegmentedSort ") + name_of(config.key) + ' ' +
                                              std::to_string(config.value_bytes) + ' ' + name_of(config.order) + ' ' +
                                              name_of(config.offset),
                                          config);
}

/// Runs it, and fails the running test where anything is wrong. Gives the keys that came out.
template <class T>
std::vector<std::byte> check_segmented_sort(Backend& backend, SegmentedSortConfig config, const std::vector<T>& keys,
                                            const Offsets& offsets, const SegmentedSortOptions& options = {}) {
  config.key = type_of<T>;
  CAPTURE(backend.name());
  CAPTURE(std::string(name_of(config.key)) + " by " + name_of(config.offset) + ' ' + name_of(config.order));
  CAPTURE(config.value_bytes);
  CAPTURE(keys.size());
  CAPTURE(offsets.size());
  CAPTURE(options.keys_misalignment);
  CAPTURE(options.offsets_misalignment);
  std::vector<std::byte> found;
  CHECK(wrong_segmented_sort(backend.gpu(), made_segmented_sort(backend, config), config, keys, offsets, options,
                             &found) == "");
  return found;
}

}  // namespace weft::test
