// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a set operation once, in guarded buffers, and checks everything that holds for every run: all outputs are what the standard
// library's algorithm makes, nothing else is written.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
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

/// Indices of what the standard library's algorithm takes of the first `count_a` keys of `a` and the first `count_b` of `b`.
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

/// Gives what is wrong, or nothing; `found`: the bytes of all keys, or, where they are not written, of all indices. `key_is_less`: the
/// order of ascending keys.
template <class T, class Less>
std::string wrong_set_operation_by(const Less& key_is_less, Gpu& gpu, const SetOperation& operation,
                                   const SetOperationConfig& config, const std::vector<T>& a, const std::vector<T>& b,
                                   const SetOptions& options, std::vector<std::byte>* found = nullptr) {
  const uint64_t value_bytes = config.value_bytes;
  std::vector<std::byte> values((a.size() + b.size()) * value_bytes);
  for (uint64_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(random_word(7, i));
  struct Range {
    const char* name;
    std::span<const std::byte> contents;
    GuardedBuffer buffer;
  };
  const auto bytes_of = [](const std::vector<T>& keys) { return std::as_bytes(std::span(keys)); };
  const auto input = [&](const char* name, std::span<const std::byte> bytes, VkDeviceSize misalignment) {
    return Range{name, bytes, GuardedBuffer(gpu, bytes.size(), misalignment, bytes)};
  };
  const VkDeviceSize off = options.values_misalignment;
  Range inputs[] = {input("keys_a", bytes_of(a), options.a_misalignment),
                    input("keys_b", bytes_of(b), options.b_misalignment),
                    input("values_a", std::span(values).first(a.size() * value_bytes), 3 * off % 16),
                    input("values_b", std::span(values).subspan(a.size() * value_bytes), off)};
  const uint64_t most = config.operation == SetOperator::set_intersection ? std::min(a.size(), b.size())
                        : config.operation == SetOperator::set_difference ? a.size()
                                                                          : a.size() + b.size();
  const uint64_t room = std::min(options.max_output.value_or(most), most);
  GuardedBuffer keys_out(gpu, config.keys ? room * sizeof(T) : 0, options.out_misalignment, {}, options.dirt);
  GuardedBuffer values_out(gpu, room * value_bytes, 5 * off % 16, {}, options.dirt);
  GuardedBuffer indices_out(gpu, config.indices ? room * 4 : 0, options.out_misalignment / 4 * 4, {}, options.dirt);
  GuardedBuffer scratch(gpu, operation.scratch_size(a.size(), b.size()), 0, {}, options.dirt);
  GuardedBuffer total_out(gpu, options.total_bytes, 4, {}, options.dirt), status(gpu, 4, 8, {}, options.dirt);
  const GivenCount count_a(gpu, options.count_a, a.size()), count_b(gpu, options.count_b, b.size());
  SetOperationArgs args{.keys_a = inputs[0].buffer.range(),
                        .keys_b = inputs[1].buffer.range(),
                        .total = total_out.range(),
                        .status = status.range(),
                        .scratch = scratch.range(),
                        .count_a = count_a.count(),
                        .count_b = count_b.count()};
  if (options.max_output) args.max_output = *options.max_output;
  if (config.keys) args.keys_out = keys_out.range();
  if (config.indices) args.indices_out = indices_out.range();
  if (value_bytes != 0) {
    args.values_a = inputs[2].buffer.range();
    args.values_b = inputs[3].buffer.range();
    args.values_out = values_out.range();
  }
  const auto ran = gpu.run([&](VkCommandBuffer commands) { return operation.record(commands, args); });
  if (!ran) return ran.error().message;

  std::vector<std::byte> bytes;
  for (Range& range : inputs)
    if (!range.buffer.read(bytes).empty() || !std::ranges::equal(bytes, range.contents))
      return std::string(range.name) + ", or what lies around it, was written to";
  if (const std::string spoilt = scratch.overwritten(); !spoilt.empty()) return "scratch: " + spoilt;

  const auto less = [&](const T& x, const T& y) {
    return config.order == SortOrder::descending ? key_is_less(y, x) : key_is_less(x, y);
  };
  const uint64_t obeyed_a = count_a.obeyed(), obeyed_b = count_b.obeyed();
  // The algorithms look at sequences in order only.
  std::vector<uint32_t> origins;
  if (options.sorted) origins = set_origins(config.operation, less, a, obeyed_a, b, obeyed_b);
  if (const std::string spoilt = total_out.read(bytes); !spoilt.empty()) return "total: " + spoilt;
  uint64_t total = 0;
  std::memcpy(&total, bytes.data(), options.total_bytes);
  if (options.sorted && total != origins.size())
    return "the total is " + std::to_string(total) + " instead of " + std::to_string(origins.size());
  if (const std::string spoilt = status.read(bytes); !spoilt.empty()) return "status: " + spoilt;
  const uint32_t told = items_of<uint32_t>(bytes)[0];
  if (told != (total > room ? 1u : 0u)) return "the status is " + std::to_string(told);
  const uint64_t written = std::min(total, room);

  const auto compare = [&](const char* name, GuardedBuffer& buffer, uint64_t item_bytes,
                           const std::function<const void*(uint64_t)>& expected) -> std::string {
    if (const std::string spoilt = buffer.read(bytes); !spoilt.empty()) return name + (": " + spoilt);
    for (uint64_t i = written * item_bytes; i < bytes.size(); ++i)
      if (bytes[i] != std::byte{options.dirt}) return std::string(name) + " was written to behind its last item";
    for (uint64_t i = 0; options.sorted && item_bytes != 0 && i < written && !bytes.empty(); ++i)
      if (std::memcmp(bytes.data() + i * item_bytes, expected(i), item_bytes) != 0)
        return std::string(name) + ": item " + std::to_string(i) + " of " + std::to_string(total) + " is wrong";
    return {};
  };
  const auto input_of = [&](uint64_t i) { return origins[i] < obeyed_a ? 0 : 1; };
  const auto place_of = [&](uint64_t i) { return origins[i] - (origins[i] < obeyed_a ? 0 : obeyed_a); };
  std::string wrong = compare("indices_out", indices_out, 4, [&](uint64_t i) { return &origins[i]; });
  // Also of sequences that are not sorted.
  if (config.indices) {
    const std::vector<uint32_t> indices = items_of<uint32_t>(bytes);
    for (uint64_t i = 0; i < written; ++i)
      if (indices[i] >= obeyed_a + obeyed_b) return "an index is " + std::to_string(indices[i]);
  }
  if (found != nullptr && !config.keys) *found = bytes;
  if (wrong.empty())
    wrong = compare("values_out", values_out, value_bytes,
                    [&](uint64_t i) { return inputs[2 + input_of(i)].contents.data() + place_of(i) * value_bytes; });
  // As bits: NaN is not equal to itself.
  if (wrong.empty())
    wrong = compare("keys_out", keys_out, sizeof(T),
                    [&](uint64_t i) { return inputs[input_of(i)].contents.data() + place_of(i) * sizeof(T); });
  if (found != nullptr && config.keys) *found = bytes;
  return wrong;
}

template <class T>
std::string wrong_set_operation(Gpu& gpu, const SetOperation& operation, const SetOperationConfig& config,
                                const std::vector<T>& a, const std::vector<T>& b, const SetOptions& options,
                                std::vector<std::byte>* found = nullptr) {
  return wrong_set_operation_by(merge_less<T>, gpu, operation, config, a, b, options, found);
}

/// What a config asks for, in words.
inline std::string text_of(const SetOperationConfig& config) {
  return std::string(name_of(config.operation)) + ' ' +
         text_of(MergeConfig{.key = config.key,
                             .order = config.order,
                             .keys = config.keys,
                             .value_bytes = config.value_bytes,
                             .indices = config.indices,
                             .own_kernels = config.own_kernels});
}

/// The operation, built at the first request with the tuning of the environment.
inline const SetOperation& made_set_operation(Backend& backend, const SetOperationConfig& config) {
  return backend.primitive<SetOperation>("SetOperation " + text_of(config), config);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
std::vector<std::byte> check_set_operation(Backend& backend, SetOperationConfig config, const std::vector<T>& a,
                                           const std::vector<T>& b, const SetOptions& options = {}) {
  config.key = item_type<T>();
  CAPTURE(backend.name());
  CAPTURE(text_of(config));
  CAPTURE(a.size());
  CAPTURE(b.size());
  CAPTURE(options.a_misalignment);
  CAPTURE(options.b_misalignment);
  CAPTURE(options.out_misalignment);
  CAPTURE(options.values_misalignment);
  std::vector<std::byte> found;
  CHECK(wrong_set_operation<T>(backend.gpu(), made_set_operation(backend, config), config, a, b, options, &found) ==
        "");
  return found;
}

}  // namespace weft::test
