// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sound calls of primitives, and what breaks them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
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
  static constexpr VkDeviceSize kAround = 1 << 18;

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
  BufferRange write_optional(const char* name, VkDeviceSize bytes) {
    return add({.name = name, .range = create(bytes), .alignment = 4, .written = true, .may_be_null = true});
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

/// Puts another object's bytes in place of those that begin `before` bytes before `range`, in arguments that have it.
void change(std::span<std::byte> args, const Ranges::Range& range, std::span<const std::byte> changed,
            size_t before = 0);

/// `sound` with another object in place of `range`.
template <class Args>
Args with_changed(const Args& sound, const Ranges::Range& range, const BufferRange& changed) {
  static_assert(std::is_trivially_copyable_v<Args>);
  Args args = sound;
  change(std::as_writable_bytes(std::span(&args, 1)), range, std::as_bytes(std::span(&changed, 1)));
  return args;
}

/// The error, if any, of a call with arguments of these bytes, after checking that with an error nothing was recorded.
using RecordBytes = std::function<std::optional<Error>(std::span<const std::byte> args)>;

/// Breaks what every range and every count must be, one thing at a time, and checks that each call is refused by the
/// argument's name. One function for the arguments of all primitives: of bytes, since a copy for each is large.
void check_standard_refusals(const std::string& primitive, std::span<const std::byte> sound, const Ranges& ranges,
                             const RecordBytes& record);

/// record(args): as RecordBytes.
template <class Args, class Record>
void check_standard_refusals(const std::string& primitive, const Args& sound, const Ranges& ranges,
                             const Record& record) {
  static_assert(std::is_trivially_copyable_v<Args>);
  check_standard_refusals(primitive, std::as_bytes(std::span(&sound, 1)), ranges,
                          RecordBytes([&](std::span<const std::byte> bytes) {
                            Args args = sound;
                            std::memcpy(&args, bytes.data(), bytes.size());
                            return record(args);
                          }));
}

}  // namespace weft::test
