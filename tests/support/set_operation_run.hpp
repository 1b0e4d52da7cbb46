// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a set operation once, in guarded buffers, and checks everything that holds for every run: all outputs are what
// the standard library's algorithm makes, nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <weft/set_operation.hpp>

#include "support/merge_run.hpp"

namespace weft::test {

inline constexpr std::array kSetOperators = {SetOperator::set_union, SetOperator::set_intersection,
                                             SetOperator::set_difference, SetOperator::set_symmetric_difference};

struct SetOptions {
  VkDeviceSize a_misalignment = 0, b_misalignment = 0, out_misalignment = 0;
  VkDeviceSize values_misalignment = 0;  ///< as in MergeOptions
  std::optional<DeviceCount> count_a{}, count_b{};
  std::optional<uint64_t> max_output{};  ///< else outputs have room for all there can be
  uint32_t total_bytes = 4;
  bool sorted = true;  ///< as in MergeOptions
  uint8_t dirt = 0xdb;
};

/// Indices of what the standard library's algorithm takes of the first `count_a` keys of `a`
/// and the first `count_b` of `b`.
template <class T, class Less>
std::vector<uint32_t> set_origins(SetOperator operation, const Less& less, const std::vector<T>& a, uint64_t count_a,
                                  const std::vector<T>& b, uint64_t count_b) {
  std::vector<uint32_t> of_a(count_a), of_b(count_b), taken;
  std::iota(of_a.begin(), of_a.end(), 0u);
  std::iota(of_b.begin(), of_b.end(), static_cast<uint32_t>(count_a));
  const auto key = [&](uint32_t i) -> const T& { return i < count_a ? a[i] : b[i - count_a]; };
  const auto before = [&](uint32_t i, uint32_t j) { return less(key(i), key(j)); };
  const auto out = std::back_inserter(taken);
  switch (operation) {
    case SetOperator::set_union: std::ranges::set_union(of_a, of_b, out, before); break;
    case SetOperator::set_intersection: std::ranges::set_intersection(of_a, of_b, out, before); break;
    case SetOperator::set_difference: std::ranges::set_difference(of_a, of_b, out, before); break;
    case SetOperator::set_symmetric_difference: std::ranges::set_symmetric_difference(of_a, of_b, out, before); break;
  }
  return taken;
}

/// Gives what is wrong, or nothing; `found`: the bytes of all keys, or, where they are not written, of all indices.
/// `key_is_less`: the order of ascending keys.
template <class T, class Less>
std::string wrong_set_operation_by(const Less& key_is_less, Gpu& gpu, const SetOperation& operation,
                                   const SetOperationConfig& config, const std::vector<T>& a, const std::vector<T>& b,
                                   const SetOptions& options, Bytes* found = nullptr) {
  const uint64_t most = config.operation == SetOperator::set_intersection ? std::min(a.size(), b.size())
                        : config.operation == SetOperator::set_difference ? a.size()
                                                                          : a.size() + b.size();
  const uint64_t room = std::min(options.max_output.value_or(most), most);
  PrimitiveCall call(gpu, options.dirt);
  SetOperationArgs args = pair_args<SetOperationArgs>(call, config, a, b, room, options);
  args.total = call.output("total", options.total_bytes, 4);
  args.status = call.output("status", 4, 8);
  args.scratch = call.scratch(operation.scratch_size(a.size(), b.size()));
  if (options.max_output) args.max_output = *options.max_output;
  const auto less = [&](const T& x, const T& y) {
    return config.order == SortOrder::descending ? key_is_less(y, x) : key_is_less(x, y);
  };
  const uint64_t count_a = obeyed(options.count_a, a.size()), count_b = obeyed(options.count_b, b.size());
  std::vector<uint32_t> origins;
  if (options.sorted) {
    origins = set_origins(config.operation, less, a, count_a, b, count_b);
    call.expect("total", bytes_of_lengths(std::vector<uint64_t>{origins.size()},
                                          options.total_bytes == 4 ? Type::u32 : Type::u64));
    call.expect("status", std::vector{origins.size() > room ? 1u : 0u});
    expect_pair(call, config, a, count_a, b, std::span(origins).first(std::min(origins.size(), room)));
  } else {
    // The algorithms look at sequences in order only.
    expect_any_items<T>(call, config, room);
    call.expect_any("total", options.total_bytes);
    call.expect_any("status", 4);
  }
  std::string wrong = call.wrong(operation, args);
  uint64_t total = 0;
  std::memcpy(&total, call.found("total").data(), options.total_bytes);
  const uint64_t written = std::min(total, room);
  if (wrong.empty() && items_of<uint32_t>(call.found("status"))[0] != (total > room ? 1u : 0u))
    wrong = "the status is wrong of a total of " + std::to_string(total);
  const auto has_tail = [&](const char* name, uint64_t item_bytes) {
    if (wrong.empty() && std::ranges::any_of(std::span(call.found(name)).subspan(written * item_bytes),
                                             [&](std::byte byte) { return byte != std::byte{options.dirt}; }))
      wrong = std::string(name) + " was written to behind its last item";
  };
  if (config.keys) has_tail("keys_out", sizeof(T));
  if (config.indices) has_tail("indices_out", 4);
  if (config.value_bytes != 0) has_tail("values_out", config.value_bytes);
  if (found != nullptr) *found = found_outputs(call, config);
  return wrong_indices(call, config, wrong, written, count_a + count_b);
}

template <class T>
std::string wrong_set_operation(Gpu& gpu, const SetOperation& operation, const SetOperationConfig& config,
                                const std::vector<T>& a, const std::vector<T>& b, const SetOptions& options,
                                Bytes* found = nullptr) {
  return wrong_set_operation_by(merge_less<T>, gpu, operation, config, a, b, options, found);
}

inline std::string text_of(const SetOperationConfig& config) { return config_text(config); }

/// The operation, built at the first request with the tuning of the environment.
inline const SetOperation& create_set_operation(Backend& backend, const SetOperationConfig& config) {
  return create<SetOperation>(backend, config);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
Bytes check_set_operation(Backend& backend, SetOperationConfig config, const std::vector<T>& a, const std::vector<T>& b,
                          const SetOptions& options = {}) {
  config.key = item_type<T>();
  CAPTURE(backend.name());
  CAPTURE(text_of(config));
  Bytes found;
  CHECK(wrong_set_operation<T>(backend.gpu(), create_set_operation(backend, config), config, a, b, options, &found) ==
        "");
  return found;
}

}  // namespace weft::test
