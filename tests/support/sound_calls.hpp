// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sound calls of primitives, and what breaks them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <weft/gpu.hpp>
#include <weft/types.hpp>

namespace weft::test {

/// The ranges of a call, each in the middle of a buffer of its own.
class Ranges {
 public:
  /// Bytes on either side of a range.
  static constexpr VkDeviceSize kAround = 1 << 16;

  struct Range {
    std::string name;
    BufferRange range;
    VkDeviceSize alignment;
    bool written = false;
    bool is_count = false;     ///< one u32 or u64, or several
    bool any_size = false;     ///< else no smaller one will do
    bool may_be_null = false;  ///< else it must be there
    std::string may_be{};      ///< the range it may be one with
  };

  explicit Ranges(Gpu& gpu) : gpu_(gpu) {}

  BufferRange read(const char* name, VkDeviceSize bytes, VkDeviceSize alignment = 4) {
    return add({name, create(bytes), alignment});
  }
  /// `may_be`: the range that it may replace.
  BufferRange write(const char* name, VkDeviceSize bytes, VkDeviceSize alignment = 4, const char* may_be = "") {
    return add({.name = name, .range = create(bytes), .alignment = alignment, .written = true, .may_be = may_be});
  }
  BufferRange write_counts(const char* name, uint32_t number = 1) {
    return add({.name = name, .range = create(4 * number), .alignment = 4, .written = true, .is_count = true});
  }
  BufferRange scratch(VkDeviceSize bytes) { return write("scratch", bytes, 16); }
  BufferRange any_size(const char* name, VkDeviceSize bytes, VkDeviceSize alignment, bool written, bool may_be_null) {
    return add({name, create(bytes), alignment, written, false, true, may_be_null});
  }
  Count count(const char* name, uint64_t maximum) {
    return Count::on_device(add({.name = name, .range = create(4), .alignment = 4, .is_count = true}), maximum);
  }

  const std::vector<Range>& all() const { return ranges_; }
  VkDeviceSize buffer_bytes(VkBuffer buffer) const {
    return std::ranges::find(buffers_, buffer, &Buffer::handle)->range().size;
  }

 private:
  BufferRange create(VkDeviceSize bytes) {
    REQUIRE(bytes <= kAround);
    Result<Buffer> buffer = gpu_.create_buffer(kAround + bytes + kAround);
    if (!buffer) FAIL(buffer.error().message);
    // Counts and offsets of sound calls that run are small.
    if (const Status filled = gpu_.fill(buffer->range(), 1); !filled) FAIL(filled.error().message);
    buffers_.push_back(*std::move(buffer));
    return buffers_.back().range(kAround, bytes);
  }
  BufferRange add(Range range) {
    ranges_.push_back(std::move(range));
    return ranges_.back().range;
  }

  Gpu& gpu_;
  std::vector<Buffer> buffers_;
  std::vector<Range> ranges_;
};

/// A primitive's, in <family>/<stem>_calls.hpp:
/// - name, config() and args(primitive, ranges, n), of n items each: one sound call, with every range that it can have,
///   counts on the device and optional outputs included. What each range is called, how many bytes it needs, where it
///   may begin and whether it is written stands there once.
/// - kernels(among): configs that between them use every kernel. kernels_tuning: of those that tuning alone chooses.
template <class Primitive>
struct SoundCall;

inline constexpr uint64_t kCalled = 1000;  // items of a call

/// Those of some types that are asked for by name; without names, all.
class AmongTypes {
 public:
  explicit AmongTypes(std::set<std::string> names = {}) : names_(std::move(names)) {}

  bool all() const { return names_.empty(); }
  std::vector<Type> operator()(std::initializer_list<Type> types = {Type::u8, Type::u16, Type::u32, Type::u64,
                                                                    Type::i32, Type::i64, Type::f16, Type::f32,
                                                                    Type::f64, Type::u32x2}) const {
    std::vector<Type> asked;
    for (const Type type : types)
      if (all() || names_.contains(name_of(type))) asked.push_back(type);
    return asked;
  }

 private:
  std::set<std::string> names_;
};

template <class Config>
std::vector<Config> with_both_strategies(std::vector<Config> configs) {
  const size_t size = configs.size();
  configs.insert(configs.end(), configs.begin(), configs.end());
  for (size_t i = 0; i < configs.size(); ++i)
    configs[i].strategy = i < size ? Strategy::look_back : Strategy::reduce_then_scan;
  return configs;
}

/// The config for items and accumulators of all types, with the operator that stands for all: add, or the type's only
/// one. Some pairs are unsupported.
template <class Config>
std::vector<Config> of_every_pair(const AmongTypes& among, Config config) {
  std::vector<Config> configs;
  for (const Type item : among())
    for (const Type accumulator : among()) {
      config.op = item == Type::u32x2 ? Op::affine : Op::add;
      config.item = item;
      config.accumulator = accumulator;
      configs.push_back(config);
    }
  if constexpr (requires { config.strategy; }) return with_both_strategies(std::move(configs));
  return configs;
}

/// `sound` with another object in place of the one that begins `before` bytes before `range`.
template <class Args, class T>
Args with_changed(const Args& sound, const Ranges::Range& range, const T& changed, size_t before = 0) {
  static_assert(std::is_trivially_copyable_v<Args>);
  Args args = sound;
  char* const bytes = reinterpret_cast<char*>(&args);
  for (size_t i = 0; i + sizeof(BufferRange) <= sizeof(Args); i += alignof(BufferRange)) {
    if (std::memcmp(bytes + i, &range.range.buffer, sizeof(VkBuffer)) != 0) continue;
    std::memcpy(bytes + i - before, &changed, sizeof changed);
    return args;
  }
  FAIL("the arguments have no ", range.name);
  return args;
}

/// Breaks what every range and every count must be, one thing at a time, and checks that each call is refused by the
/// argument's name. record(args): the error, if any, after checking that with an error nothing was recorded.
template <class Args, class Record>
void check_standard_refusals(const std::string& primitive, const Args& sound, const Ranges& ranges,
                             const Record& record) {
  const auto error_with = [&]<class T>(const Ranges::Range& range, const T& changed, const std::string& what,
                                       size_t before = 0) -> std::string {
    const std::optional<Error> error = record(with_changed(sound, range, changed, before));
    REQUIRE_MESSAGE(error, range.name, " ", what, " is taken");
    CHECK(error->code == ErrorCode::invalid_argument);
    return error->message;
  };
  for (const Ranges::Range& range : ranges.all()) {
    const auto refused = [&](const std::string& what, const auto& change, const std::string& words = "") {
      BufferRange changed = range.range;
      change(changed);
      const std::string message = error_with(range, changed, what);
      INFO(range.name, " ", what);
      CHECK_MESSAGE(message.starts_with(primitive + ": " + range.name + ' ' + words), message);
    };
    const VkDeviceSize bytes = range.range.size, whole = ranges.buffer_bytes(range.range.buffer);
    if (!range.may_be_null)
      refused(
          "null", [](BufferRange& r) { r.buffer = VK_NULL_HANDLE; }, range.is_count ? "" : "has no buffer");
    refused("of VK_WHOLE_SIZE", [](BufferRange& r) { r.size = VK_WHOLE_SIZE; });
    refused("of VK_WHOLE_SIZE from 64 on", [](BufferRange& r) { r.offset = 64, r.size = VK_WHOLE_SIZE; });
    refused("with an end that wraps", [&](BufferRange& r) { r.offset = ~VkDeviceSize{0} - bytes / 2 - 15; });
    refused("past the end", [](BufferRange& r) { r.offset = VkDeviceSize{1} << 20; });
    // By 256 bytes more than the buffer has: a driver may round its size up, and then weft cannot know better.
    refused("over the end", [&](BufferRange& r) { r.offset = (whole + 511) / 256 * 256 - bytes; });
    if (!range.any_size)
      for (const VkDeviceSize fewer : {VkDeviceSize{1}, bytes})
        refused("of " + std::to_string(fewer) + " bytes fewer", [&](BufferRange& r) { r.size -= fewer; });
    if (range.is_count)
      for (const VkDeviceSize more : {VkDeviceSize{1}, 2 * bytes})
        refused("of " + std::to_string(more) + " bytes more", [&](BufferRange& r) { r.size += more; });
    for (VkDeviceSize off = 1; off < range.alignment; off *= 2)
      refused(
          "off by " + std::to_string(off), [&](BufferRange& r) { r.offset += off; },
          "does not begin at a multiple of " + std::to_string(range.alignment));
    if (range.is_count && !range.written) {
      // Where a Count has its range: it is the first whose buffer is this one.
      const Count count = Count::on_device(range.range, 1);
      const size_t before =
          static_cast<size_t>(reinterpret_cast<const char*>(&count.range()) - reinterpret_cast<const char*>(&count));
      const std::string message = error_with(range, Count(~uint64_t{0}), "of all bits", before);
      CHECK_MESSAGE(message.starts_with(primitive + ": " + range.name + ' '), message);
    }
    if (!range.written) continue;
    for (const Ranges::Range& other : ranges.all()) {
      if (&other == &range) continue;
      // Both from one byte on; over the other's last items; into the other's first ones.
      const VkDeviceSize last = (other.range.size - 1) / range.alignment * range.alignment;
      const VkDeviceSize first = (bytes - 1) / range.alignment * range.alignment;
      for (const VkDeviceSize offset : {other.range.offset, other.range.offset + last, other.range.offset - first}) {
        if (offset == other.range.offset && other.name == range.may_be) continue;
        const std::string message =
            error_with(range, BufferRange{other.range.buffer, offset, bytes}, "over " + other.name);
        const auto says = [&](const std::string& one, const std::string& another) {
          return (message + ' ').starts_with(primitive + ": " + one + " overlaps " + another + ' ');
        };
        CHECK_MESSAGE((says(range.name, other.name) || says(other.name, range.name)), message);
      }
    }
  }
}

}  // namespace weft::test
