// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <vulkan/vulkan_core.h>

namespace weft {

/// The type of an item in a buffer. Items are little-endian and tightly packed.
enum class Type : uint8_t {
  u8,
  u16,
  u32,
  u64,  ///< needs shaderInt64
  i32,
  i64,  ///< needs shaderInt64
  f16,  ///< IEEE binary16 in memory; combined in f32 and rounded once, when stored, so no device feature is needed
  f32,
  f64,    ///< needs shaderFloat64
  u32x2,  ///< two u32, for Op::affine
};

/// An associative operator. Integers wrap.
enum class Op : uint8_t {
  add,
  multiply,
  min,      ///< floats: where items hold NaN the result is one of the items, unspecified which
  max,      ///< floats: as min
  bit_and,  ///< integers only
  bit_or,   ///< integers only
  bit_xor,  ///< integers only
  affine,   ///< u32x2 only: (a, b) is the map x -> a*x + b mod 2^32; f ∘ g applies f, then g. Does not commute.
  arg_min,  ///< Reduce only: the smallest item and the index of its first occurrence
  arg_max,  ///< Reduce only: the largest item and the index of its first occurrence
};

/// How a primitive that carries a prefix between tiles does so.
enum class Strategy : uint8_t {
  automatic,  ///< the better of the two on this device; WEFT_STRATEGY in the environment decides instead when set
  reduce_then_scan,  ///< two passes over the input; needs nothing of the device
  /// One pass: each tile looks back at the states of earlier tiles; what is not ready is recomputed. Needs
  /// shaderBufferInt64Atomics. RadixSort does not need it.
  look_back,
};

/// Which place a search gives where the haystack has keys equal to the needle.
enum class Bound : uint8_t {
  lower,  ///< before them: the number of keys less than the needle
  upper,  ///< behind them: the number of keys that are not greater
};

/// Of keys that are sorted or merged; equal ones keep their order in either.
enum class SortOrder : uint8_t {
  ascending,
  descending,
};

/// Bytes of one item.
constexpr uint32_t size_of(Type type) noexcept {
  switch (type) {
    case Type::u8: return 1;
    case Type::u16:
    case Type::f16: return 2;
    case Type::u32:
    case Type::i32:
    case Type::f32: return 4;
    case Type::u64:
    case Type::i64:
    case Type::f64:
    case Type::u32x2: return 8;
  }
  return 0;
}

constexpr bool is_float(Type type) noexcept { return type == Type::f16 || type == Type::f32 || type == Type::f64; }

const char* name_of(Type type) noexcept;          ///< "u8", ...
const char* name_of(Op op) noexcept;              ///< "add", ...
const char* name_of(Strategy strategy) noexcept;  ///< "automatic", ...
const char* name_of(Bound bound) noexcept;        ///< "lower", "upper"
const char* name_of(SortOrder order) noexcept;    ///< "ascending", "descending"

/// Two u32 words: the item of Op::affine.
struct U32x2 {
  uint32_t x, y;
  bool operator==(const U32x2&) const = default;
};

/// The item type of a C++ type: `type_of<float>` is Type::f32. (Type::f16 has no C++20 type of its own.)
template <class T>
inline constexpr Type type_of = [] {
  if constexpr (std::is_same_v<T, uint8_t>)
    return Type::u8;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return Type::u16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return Type::u32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return Type::u64;
  else if constexpr (std::is_same_v<T, int32_t>)
    return Type::i32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return Type::i64;
  else if constexpr (std::is_same_v<T, float>)
    return Type::f32;
  else if constexpr (std::is_same_v<T, double>)
    return Type::f64;
  else if constexpr (std::is_same_v<T, U32x2>)
    return Type::u32x2;
  else
    static_assert(sizeof(T) == 0, "no weft item type holds this C++ type");
}();

/// One item as bits, for arguments whose type is chosen at run time.
struct Value {
  uint64_t bits = 0;  ///< the item's bytes, little-endian, zero above

  template <class T>
  static Value of(T item) noexcept {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    Value value;
    std::memcpy(&value.bits, &item, sizeof(T));
    return value;
  }
};
static_assert(std::endian::native == std::endian::little, "weft's host side assumes a little-endian machine");

/// Bytes [offset, offset + size) of a buffer created with STORAGE_BUFFER and SHADER_DEVICE_ADDRESS usage.
/// How ranges may lie to each other, and barriers around them: docs/integration.md.
/// `size` is a number of bytes: VK_WHOLE_SIZE and ranges past the buffer's end are refused.
/// Ranges of 1- and 2-byte items are read and written as whole aligned 32-bit words: the buffer must extend to the end of
/// the last word. Bytes of such a word outside the range keep their values.
struct BufferRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
};

/// How many items a call works on: known to the host, or read by the device when it runs.
class Count {
 public:
  constexpr Count(uint64_t value = 0) noexcept : maximum_(value) {}

  /// The count is the u32 (range.size 4) or u64 (range.size 8) at `range`, aligned to 4; a larger one is taken as `maximum`.
  static constexpr Count on_device(BufferRange range, uint64_t maximum) noexcept {
    Count count(maximum);
    count.range_ = range;
    count.is_on_device_ = true;
    return count;
  }

  constexpr bool is_on_device() const noexcept { return is_on_device_; }
  /// The value, or the declared maximum.
  constexpr uint64_t maximum() const noexcept { return maximum_; }
  constexpr const BufferRange& range() const noexcept { return range_; }

 private:
  uint64_t maximum_;
  BufferRange range_{};
  bool is_on_device_ = false;
};

}  // namespace weft
