// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a merge sort once, in guarded buffers, and checks everything that holds for every run: all outputs are what the
// standard library's stable sort makes, inputs stay as they are and nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <numeric>

#include <weft/merge_sort.hpp>

#include "support/merge_run.hpp"

namespace weft::test {

struct MergeSortOptions {
  VkDeviceSize keys_misalignment = 0, out_misalignment = 0;
  VkDeviceSize values_misalignment = 0;  ///< the output's is another, a multiple of this one's lowest bit
  std::optional<DeviceCount> device_count{};
  bool ordered = true;  ///< whether the order is one; else outputs are only to be some of the inputs
  uint8_t dirt = 0xdb;
};

/// Gives what is wrong, or nothing; `found`: all keys, or, where they are not written, all indices. `key_is_less`: the
/// order of ascending keys.
template <class T, class Less>
std::string wrong_merge_sort_by(const Less& key_is_less, Gpu& gpu, const MergeSort& sort, const MergeSortConfig& config,
                                const std::vector<T>& keys, const MergeSortOptions& options, Bytes* found = nullptr) {
  const uint64_t n = keys.size(), count = obeyed(options.device_count, n);
  const VkDeviceSize off = options.values_misalignment;
  const Bytes values = random_bytes(n * config.value_bytes, 7);
  PrimitiveCall call(gpu, options.dirt);
  MergeSortArgs args{.keys = call.input("keys", keys, options.keys_misalignment),
                     .scratch = call.scratch(sort.scratch_size(n)),
                     .count = call.count(options.device_count, n)};
  // From where each output comes.
  std::vector<uint32_t> origins(count);
  std::iota(origins.begin(), origins.end(), 0u);
  if (options.ordered)
    std::ranges::stable_sort(origins, [&](uint32_t a, uint32_t b) {
      return config.order == SortOrder::descending ? key_is_less(keys[b], keys[a]) : key_is_less(keys[a], keys[b]);
    });
  if (config.keys) {
    args.keys_out = call.output("keys_out", n * sizeof(T), options.out_misalignment);
    call.expect("keys_out", gathered(std::as_bytes(std::span(keys)), sizeof(T), origins), sizeof(T));
  }
  if (config.indices) {
    args.indices_out = call.output("indices_out", n * 4, options.out_misalignment / 4 * 4);
    call.expect("indices_out", origins);
  }
  if (config.value_bytes != 0) {
    args.values = call.input("values", values, off);
    args.values_out = call.output("values_out", values.size(), 5 * off % 16);
    call.expect("values_out", gathered(values, config.value_bytes, origins), config.value_bytes);
  }
  if (!options.ordered) expect_any_items<T>(call, config, count);
  const std::string wrong = wrong_indices(call, config, call.wrong(sort, args), count, count);
  if (found != nullptr) *found = found_outputs(call, config);
  return wrong;
}

template <class T>
std::string wrong_merge_sort(Gpu& gpu, const MergeSort& sort, const MergeSortConfig& config, const std::vector<T>& keys,
                             const MergeSortOptions& options, Bytes* found = nullptr) {
  return wrong_merge_sort_by(merge_less<T>, gpu, sort, config, keys, options, found);
}

inline std::string text_of(const MergeSortConfig& config) { return config_text(config); }

/// The sort, built at the first request with the tuning of the environment.
inline const MergeSort& create_merge_sort(Backend& backend, const MergeSortConfig& config) {
  return create<MergeSort>(backend, config);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
Bytes check_merge_sort(Backend& backend, MergeSortConfig config, const std::vector<T>& keys,
                       const MergeSortOptions& options = {}) {
  config.key = item_type<T>();
  CAPTURE(backend.name());
  CAPTURE(text_of(config));
  Bytes found;
  CHECK(wrong_merge_sort<T>(backend.gpu(), create_merge_sort(backend, config), config, keys, options, &found) == "");
  return found;
}

}  // namespace weft::test
