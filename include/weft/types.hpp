// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <weft/export.h>

#include <vulkan/vulkan_core.h>

namespace weft {

/// Item type in a buffer. Items are little-endian and tightly packed.
/// Headers that say so take 64-bit types without the device feature.
enum class Type : uint8_t {
  u8,
  u16,
  u32,
  u64,  ///< needs shaderInt64
  i32,
  i64,  ///< needs shaderInt64
  f16,  ///< IEEE 754 binary16 in memory, combined in f32, rounded once when stored; needs no device feature
  f32,
  f64,    ///< needs shaderFloat64
  u32x2,  ///< two u32, for Op::affine
};

/// Associative operator. Integers wrap.
enum class Op : uint8_t {
  add,
  multiply,
  min,      ///< floats: if items include NaN, the result is an unspecified one of the items
  max,      ///< floats: as min
  bit_and,  ///< integers only
  bit_or,   ///< integers only
  bit_xor,  ///< integers only
  affine,   ///< u32x2 only: (a, b) is the map x -> a*x + b mod 2^32; f ∘ g applies f, then g; not commutative
  arg_min,  ///< Reduce only: the smallest item and the index of its first occurrence
  arg_max,  ///< Reduce only: the largest item and the index of its first occurrence
};

/// How a primitive carries prefixes between tiles.
enum class Strategy : uint8_t {
  /// The Context's choice: ContextConfig::strategy, WEFT_STRATEGY if the environment is used, or the device's kind.
  automatic,
  /// Two passes over the input. Needs no device feature.
  reduce_then_scan,
  /// One pass: each tile reads the states of earlier tiles; a fallback pass recomputes states that were not ready.
  /// Needs shaderBufferInt64Atomics, except for RadixSort.
  look_back,
};

/// Position returned by a search if the haystack has keys equal to the needle.
enum class Bound : uint8_t {
  lower,  ///< before them: the number of keys less than the needle
  upper,  ///< after them: the number of keys less than or equal to the needle
};

/// Order of keys that are sorted or merged. Equal keys keep their order in both.
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

/// The enumerator's name, e.g. "u8", "add", "automatic", "lower", "ascending".
WEFT_API const char* name_of(Type type) noexcept;
WEFT_API const char* name_of(Op op) noexcept;
WEFT_API const char* name_of(Strategy strategy) noexcept;
WEFT_API const char* name_of(Bound bound) noexcept;
WEFT_API const char* name_of(SortOrder order) noexcept;

/// Item of Op::affine.
struct U32x2 {
  uint32_t x, y;
  bool operator==(const U32x2&) const = default;
};

/// Item type of a C++ type: `type_of<float>` is Type::f32. Type::f16 has no C++20 type.
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
  /// The item's bytes, little-endian, zero-extended.
  uint64_t bits = 0;

  /// The bits of `item`, e.g. Value::of(0.5f).
  template <class T>
  static Value of(T item) noexcept {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    Value value;
    std::memcpy(&value.bits, &item, sizeof(T));
    return value;
  }
};
static_assert(std::endian::native == std::endian::little, "weft's host code assumes a little-endian machine");

/// Bytes [offset, offset + size) of a buffer, or of memory at a device address.
///
/// - Given are either `buffer` or `address`.
/// - The buffer needs STORAGE_BUFFER and SHADER_DEVICE_ADDRESS usage.
/// - `size` is a number of bytes. VK_WHOLE_SIZE is refused, also where no byte is used.
/// - Ranges of which a byte is used are refused if they reach past the buffer's end.
/// - An address is used as it is: weft asks Vulkan nothing, and the caller answers for the memory.
///   What is copied or updated by commands of Vulkan needs a buffer: ranges of Gpu and Loader, and the scratch of
///   GstdDecode with tiles by value.
/// - 1- and 2-byte items are accessed as aligned 32-bit words: the buffer must extend to the end of the last word.
///   Bytes of such a word outside the range keep their values.
/// - Aliasing and barriers: docs/integration.md.
struct BufferRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
  VkDeviceAddress address = 0;

  /// The `size` bytes at `address`.
  static constexpr BufferRange at(VkDeviceAddress address, VkDeviceSize size) noexcept {
    return {VK_NULL_HANDLE, 0, size, address};
  }
  /// Whether it has a buffer or an address.
  constexpr bool is_given() const noexcept { return buffer != VK_NULL_HANDLE || address != 0; }
};

/// Number of items of a call: a value, or read from a buffer on the device when the call executes.
class Count {
 public:
  constexpr Count(uint64_t value = 0) noexcept : maximum_(value) {}

  /// The count is the u32 (range.size 4) or u64 (range.size 8) at `range`, 4-byte aligned.
  /// A count above `maximum` is clamped to it.
  static constexpr Count on_device(BufferRange range, uint64_t maximum) noexcept {
    Count count(maximum);
    count.range_ = range;
    count.is_on_device_ = true;
    return count;
  }

  constexpr bool is_on_device() const noexcept { return is_on_device_; }
  /// The value, or the declared upper bound.
  constexpr uint64_t maximum() const noexcept { return maximum_; }
  constexpr const BufferRange& range() const noexcept { return range_; }

 private:
  uint64_t maximum_;
  BufferRange range_{};
  bool is_on_device_ = false;
};

}  // namespace weft
