// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a merge sort once, in guarded buffers, and checks everything that holds for every run: all outputs are what the standard
// library's stable sort makes, inputs stay as they are and nothing else is written.
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

/// Gives what is wrong, or nothing; `found`: all keys, or, where they are not written, all indices. `key_is_less`: the order of
/// ascending keys.
template <class T, class Less>
std::string wrong_merge_sort_by(const Less& key_is_less, Gpu& gpu, const MergeSort& sort, const MergeSortConfig& config,
                                const std::vector<T>& keys, const MergeSortOptions& options,
                                std::vector<std::byte>* found = nullptr) {
  const uint64_t n = keys.size(), value_bytes = config.value_bytes;
  std::vector<std::byte> values(n * value_bytes);
  for (uint64_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(random_word(7, i));
  const auto key_bytes = std::as_bytes(std::span(keys));
  const VkDeviceSize off = options.values_misalignment;
  GuardedBuffer keys_in(gpu, key_bytes.size(), options.keys_misalignment, key_bytes);
  GuardedBuffer values_in(gpu, values.size(), off, values);
  GuardedBuffer keys_out(gpu, config.keys ? key_bytes.size() : 0, options.out_misalignment, {}, options.dirt);
  GuardedBuffer values_out(gpu, values.size(), 5 * off % 16, {}, options.dirt);
  GuardedBuffer indices_out(gpu, config.indices ? n * 4 : 0, options.out_misalignment / 4 * 4, {}, options.dirt);
  GuardedBuffer scratch(gpu, sort.scratch_size(n), 0, {}, options.dirt);
  const GivenCount count(gpu, options.device_count, n);
  MergeSortArgs args{.keys = keys_in.range(), .scratch = scratch.range(), .count = count.count()};
  if (config.keys) args.keys_out = keys_out.range();
  if (config.indices) args.indices_out = indices_out.range();
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
  if (!is_left(keys_in, key_bytes)) return "the keys, or what lies around them, were written to";
  if (!is_left(values_in, values)) return "the values, or what lies around them, were written to";
  if (const std::string spoilt = scratch.overwritten(); !spoilt.empty()) return "scratch: " + spoilt;

  // From where each output comes.
  std::vector<uint32_t> origins(count.obeyed());
  std::iota(origins.begin(), origins.end(), 0u);
  const bool descending = config.order == SortOrder::descending;
  if (options.ordered)
    std::ranges::stable_sort(origins, [&](uint32_t a, uint32_t b) {
      return descending ? key_is_less(keys[b], keys[a]) : key_is_less(keys[a], keys[b]);
    });
  const auto compare = [&](const char* name, GuardedBuffer& buffer, uint64_t item_bytes,
                           const std::function<const void*(uint64_t)>& expected) -> std::string {
    if (const std::string spoilt = buffer.read(bytes); !spoilt.empty()) return name + (": " + spoilt);
    for (uint64_t i = origins.size() * item_bytes; i < bytes.size(); ++i)
      if (bytes[i] != std::byte{options.dirt}) return std::string(name) + " was written to behind its last item";
    for (uint64_t i = 0; options.ordered && item_bytes != 0 && i < origins.size() && !bytes.empty(); ++i)
      if (std::memcmp(bytes.data() + i * item_bytes, expected(i), item_bytes) != 0)
        return std::string(name) + ": item " + std::to_string(i) + " of " + std::to_string(origins.size()) +
               " is wrong";
    return {};
  };
  std::string wrong = compare("indices_out", indices_out, 4, [&](uint64_t i) { return &origins[i]; });
  // Also where there is no order.
  if (config.indices) {
    const std::vector<uint32_t> indices = items_of<uint32_t>(bytes);
    for (uint64_t i = 0; i < origins.size(); ++i)
      if (indices[i] >= origins.size())
        return "an index is " + std::to_string(indices[i]) + " of " + std::to_string(origins.size());
  }
  if (found != nullptr && !config.keys) *found = bytes;
  if (wrong.empty())
    wrong = compare("values_out", values_out, value_bytes,
                    [&](uint64_t i) { return values.data() + origins[i] * value_bytes; });
  // As bits: NaN is not equal to itself.
  if (wrong.empty())
    wrong =
        compare("keys_out", keys_out, sizeof(T), [&](uint64_t i) { return key_bytes.data() + origins[i] * sizeof(T); });
  if (found != nullptr && config.keys) *found = bytes;
  return wrong;
}

template <class T>
std::string wrong_merge_sort(Gpu& gpu, const MergeSort& sort, const MergeSortConfig& config, const std::vector<T>& keys,
                             const MergeSortOptions& options, std::vector<std::byte>* found = nullptr) {
  return wrong_merge_sort_by(merge_less<T>, gpu, sort, config, keys, options, found);
}

/// What a config asks for, in words.
inline std::string text_of(const MergeSortConfig& config) {
  return text_of(MergeConfig{.key = config.key,
                             .order = config.order,
                             .keys = config.keys,
                             .value_bytes = config.value_bytes,
                             .indices = config.indices,
                             .own_kernels = config.own_kernels});
}

/// The sort, built at the first request with the tuning of the environment.
inline const MergeSort& made_merge_sort(Backend& backend, const MergeSortConfig& config) {
  return backend.primitive<MergeSort>("MergeSort " + text_of(config), config);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
std::vector<std::byte> check_merge_sort(Backend& backend, MergeSortConfig config, const std::vector<T>& keys,
                                        const MergeSortOptions& options = {}) {
  config.key = item_type<T>();
  CAPTURE(backend.name());
  CAPTURE(text_of(config));
  CAPTURE(keys.size());
  CAPTURE(options.keys_misalignment);
  CAPTURE(options.out_misalignment);
  CAPTURE(options.values_misalignment);
  std::vector<std::byte> found;
  CHECK(wrong_merge_sort<T>(backend.gpu(), made_merge_sort(backend, config), config, keys, options, &found) == "");
  return found;
}

}  // namespace weft::test
