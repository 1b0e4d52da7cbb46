// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/primitive_call.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

#include "primitives/core/arguments.hpp"

namespace weft::test {
namespace {

std::optional<uint64_t>& planted() {
  static std::optional<uint64_t> item;
  return item;
}

}  // namespace

void PrimitiveCall::plant(const std::optional<uint64_t>& item) { planted() = item; }

BufferRange PrimitiveCall::add(const char* name, VkDeviceSize bytes, VkDeviceSize misalignment,
                               std::span<const std::byte> contents) {
  Bytes before(bytes, std::byte{dirt_});
  std::ranges::copy(contents, before.begin());
  const bool by_address = ranges_.size() % 2 != 0;
  ranges_.push_back({name, GuardedBuffer(gpu_, bytes, misalignment, contents, dirt_), std::move(before), by_address});
  return ranges_.back().given();
}

Count PrimitiveCall::count(const std::optional<DeviceCount>& on_device, uint64_t maximum, VkDeviceSize misalignment) {
  if (!on_device) return maximum;
  const auto bytes = std::as_bytes(std::span(&on_device->value, 1)).first(on_device->bytes);
  return Count::on_device(input("a count", bytes, misalignment), maximum);
}

PrimitiveCall::Range& PrimitiveCall::range(const char* name) {
  const auto found = std::ranges::find(ranges_, name, &Range::name);
  REQUIRE_MESSAGE(found != ranges_.end(), "no range is called ", std::string(name));
  return *found;
}

BufferRange PrimitiveCall::expect(const char* name, std::span<const std::byte> contents, uint64_t item_bytes) {
  Range& expected = range(name);
  REQUIRE_MESSAGE(contents.size() <= expected.expected.size(), expected.name, " has no room for what is expected");
  std::ranges::copy(contents, expected.expected.begin());
  expected.item_bytes = item_bytes;
  expected.is_expected = true;
  return expected.given();
}

BufferRange PrimitiveCall::expect_dispatch(uint64_t count, uint32_t items_per_workgroup) {
  if (items_per_workgroup == 0) return {};
  const uint32_t max_x = gpu_.context().state()->traits().max_workgroup_count_x;
  const auto size = primitives::dispatch_size(primitives::divided_up(count, items_per_workgroup), max_x);
  output("dispatch", sizeof(VkDispatchIndirectCommand), 4);
  return expect("dispatch", std::vector{size.x, size.y, 1u});
}

BufferRange PrimitiveCall::expect_any(const char* name, uint64_t bytes) {
  Range& expected = range(name);
  expected.any = bytes;
  expected.is_expected = bytes > 0 && expected.name != "scratch";
  return expected.given();
}

std::string PrimitiveCall::wrong_after() {
  std::string wrong;
  for (Range& range : ranges_) {
    const std::string spoilt = range.buffer.read(range.found);
    if (const uint64_t at = planted().value_or(0) * range.item_bytes;
        planted() && range.is_expected && at < range.found.size())
      range.found[at] ^= std::byte{1};
    if (!wrong.empty()) continue;
    if (!spoilt.empty()) wrong = range.name + ": " + spoilt + " was written to";
    const auto from = static_cast<std::ptrdiff_t>(range.any);
    const auto differing =
        std::mismatch(range.found.begin() + from, range.found.end(), range.expected.begin() + from).first;
    if (!wrong.empty() || differing == range.found.end()) continue;
    const uint64_t item = static_cast<uint64_t>(differing - range.found.begin()) / range.item_bytes;
    const auto hex = [&](const Bytes& bytes) {
      std::string text = "0x";
      for (uint64_t byte = std::min((item + 1) * range.item_bytes, bytes.size()); byte-- > item * range.item_bytes;) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(bytes[byte]));
        text += digits;
      }
      return text;
    };
    wrong = range.name + ": item " + std::to_string(item) + " of " +
            std::to_string(range.found.size() / range.item_bytes) + " is " + hex(range.found) + " instead of " +
            hex(range.expected);
  }
  if (wrong.empty()) return wrong;
  // How to have it again.
  for (const Range& range : ranges_)
    wrong += "; " + range.name + ": " + std::to_string(range.found.size()) + " bytes at " +
             std::to_string(range.buffer.address() % 16);
  return wrong;
}

}  // namespace weft::test
