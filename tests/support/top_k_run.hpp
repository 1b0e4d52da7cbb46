// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs TopK once, in guarded buffers, against the standard library's stable sort.
#pragma once

#include <weft/top_k.hpp>

#include "support/sort_run.hpp"

namespace weft::test {

struct TopKOptions {
  VkDeviceSize keys_misalignment = 0, values_misalignment = 0, keys_out_misalignment = 0, values_out_misalignment = 0;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

/// Positions of the keys that are found, in the order of the output.
template <class T>
std::vector<uint32_t> found_positions(const std::vector<T>& keys, uint64_t count, const TopKConfig& config,
                                      uint32_t k) {
  std::vector<uint32_t> positions = sorted_places(keys, count, {.order = config.order});
  positions.resize(std::min<uint64_t>(k, count));
  if (positions.empty()) return positions;
  const uint64_t last = ordered_bits(keys[positions.back()]);
  const auto ties =
      std::ranges::find_if(positions, [&](uint32_t position) { return ordered_bits(keys[position]) == last; });
  std::sort(positions.begin(), ties);
  return positions;
}

/// Gives what is wrong, or nothing; `found`: the keys that came out.
template <class T>
std::string wrong_top_k(Gpu& gpu, const TopK& top_k, const TopKConfig& config, const std::vector<T>& keys, uint32_t k,
                        const TopKOptions& options, Bytes* found = nullptr) {
  const uint64_t n = keys.size(), room = std::min<uint64_t>(k, n);
  const std::vector<uint32_t> positions = found_positions(keys, obeyed(options.device_count, n), config, k);
  PrimitiveCall call(gpu, options.dirt);
  TopKArgs args{call.input("keys", keys, options.keys_misalignment),
                {},
                call.output("keys_out", room * sizeof(T), options.keys_out_misalignment),
                {},
                call.scratch(top_k.scratch_size(n)),
                call.count(options.device_count, n),
                k};
  call.expect("keys_out", gathered(std::as_bytes(std::span(keys)), sizeof(T), positions), sizeof(T));
  if (config.value_bytes != 0) {
    const Bytes values = numbered_values(n, config.value_bytes);
    if (!config.positions) args.values = call.input("values", values, options.values_misalignment);
    args.values_out = call.output("values_out", room * config.value_bytes, options.values_out_misalignment);
    call.expect("values_out", gathered(values, config.value_bytes, positions), config.value_bytes);
  }
  const std::string wrong = call.wrong(top_k, args);
  if (found != nullptr) *found = call.found("keys_out");
  return wrong;
}

}  // namespace weft::test
