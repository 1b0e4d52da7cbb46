// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One call of a primitive in guarded buffers and on dirty scratch. What it must leave is said per range; everything
// that holds for every call is checked here: it records without error, leaves its inputs alone, and writes nothing but
// what is expected.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <weft/types.hpp>

#include "support/device.hpp"
#include "support/guarded_buffer.hpp"

namespace weft::test {

using Bytes = std::vector<std::byte>;

/// A count that is read by the device.
struct DeviceCount {
  uint64_t value;      ///< what lies in the buffer; the number of items given is the maximum
  uint32_t bytes = 4;  ///< of the count: 4 or 8
};

/// How many items are looked at.
inline uint64_t obeyed(const std::optional<DeviceCount>& on_device, uint64_t maximum) {
  return on_device ? std::min(on_device->value, maximum) : maximum;
}

/// Counts of both widths below, at and above a maximum, and `others`, where they fit.
inline std::vector<DeviceCount> edge_counts(uint64_t maximum, std::initializer_list<uint64_t> others = {}) {
  std::vector<DeviceCount> counts;
  for (const uint32_t bytes : {4u, 8u}) {
    const uint64_t all_bits = ~uint64_t{0} >> (64 - 8 * bytes);
    std::set<uint64_t> values = {0, 1, maximum / 2, maximum - 1, maximum, maximum + 1, all_bits};
    values.insert(others);
    for (const uint64_t value : values)
      if (value <= all_bits) counts.push_back({value, bytes});
  }
  return counts;
}

template <class T>
Bytes bytes_of(const std::vector<T>& items) {
  const auto bytes = std::as_bytes(std::span(items));
  return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> items_of(std::span<const std::byte> bytes) {
  std::vector<T> items(bytes.size() / sizeof(T));
  if (!items.empty()) std::memcpy(static_cast<void*>(items.data()), bytes.data(), items.size() * sizeof(T));
  return items;
}

class PrimitiveCall {
 public:
  /// `dirt`: what every byte of outputs and scratch is before.
  explicit PrimitiveCall(Gpu& gpu, uint8_t dirt = 0xdb) : gpu_(gpu), dirt_(dirt) {}

  /// Each makes a range whose address is `misalignment` modulo 16.
  BufferRange input(const char* name, std::span<const std::byte> contents, VkDeviceSize misalignment = 0) {
    return add(name, contents.size(), misalignment, contents);
  }
  template <class T>
  BufferRange input(const char* name, const std::vector<T>& items, VkDeviceSize misalignment = 0) {
    return input(name, std::as_bytes(std::span(items)), misalignment);
  }
  BufferRange output(const char* name, VkDeviceSize bytes, VkDeviceSize misalignment = 0) {
    return add(name, bytes, misalignment, {});
  }
  BufferRange scratch(VkDeviceSize bytes) {
    output("scratch", bytes);
    return expect_any("scratch", bytes);
  }
  /// A value, or what the device reads, at a multiple of 4 that is none of 8.
  Count count(const std::optional<DeviceCount>& on_device, uint64_t maximum, VkDeviceSize misalignment = 4);

  /// What the range holds after the call, in items of `item_bytes`; after it what it held before. Without a word of
  /// this: what it held before. Gives the range.
  BufferRange expect(const char* name, std::span<const std::byte> contents, uint64_t item_bytes = 1);
  template <class T>
  BufferRange expect(const char* name, const std::vector<T>& items) {
    return expect(name, std::as_bytes(std::span(items)), sizeof(T));
  }
  /// The arguments of an indirect dispatch for `count` items. Of 0 a workgroup: no range.
  BufferRange expect_dispatch(uint64_t count, uint32_t items_per_workgroup);
  /// The first bytes may be anything.
  BufferRange expect_any(const char* name, uint64_t bytes);

  /// Runs the call, and gives what is wrong, or nothing.
  template <class Primitive, class Args>
  std::string wrong(const Primitive& primitive, const Args& args) {
    const auto ran = run_timed(gpu_, [&](VkCommandBuffer commands) { return primitive.record(commands, args); });
    if (!ran) return ran.error().message;
    return wrong_after();
  }

  /// After a call that has been recorded and run elsewhere.
  std::string wrong_after();

  /// From now on the first byte of item `item` of each output is taken to be another, for a test of what looks for
  /// faults. None: of no output.
  static void plant(const std::optional<uint64_t>& item);

  VkDeviceSize bytes(const char* name) { return range(name).expected.size(); }
  /// What the range holds after the call.
  const Bytes& found(const char* name) { return range(name).found; }

 private:
  struct Range {
    std::string name;
    GuardedBuffer buffer;
    Bytes expected;
    bool by_address;   ///< every other range is, so that all calls are made of both kinds
    uint64_t any = 0;  ///< bytes that are not compared
    uint64_t item_bytes = 1;
    bool is_expected = false;  ///< to be what the call makes
    Bytes found{};

    BufferRange given() const {
      const BufferRange range = buffer.range();
      return by_address ? BufferRange::at(buffer.address(), range.size) : range;
    }
  };

  BufferRange add(const char* name, VkDeviceSize bytes, VkDeviceSize misalignment, std::span<const std::byte> contents);
  Range& range(const char* name);

  Gpu& gpu_;
  uint8_t dirt_;
  std::deque<Range> ranges_;
};

}  // namespace weft::test
