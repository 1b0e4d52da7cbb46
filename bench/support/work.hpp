// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What rows measure, whoever computes it: data, outputs, the bytes that have to be moved, and what the outputs must be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/types.hpp>

#include "support/compaction_oracle.hpp"
#include "support/item_source.hpp"

namespace weft::bench {

using Sizes = std::vector<uint64_t>;
using Arrays = std::vector<HostArray>;

/// An item as a row names it: a Type, or a struct of words.
struct ItemType {
  std::string name;
  uint32_t bytes = 0;
  std::optional<Type> type;

  ItemType(Type item) : name(name_of(item)), bytes(size_of(item)), type(item) {}
  ItemType(std::string item, uint32_t item_bytes) : name(std::move(item)), bytes(item_bytes) {}
  static ItemType words(uint32_t count) { return {"u32x" + std::to_string(count), count * 4}; }
};

/// What a call read.
struct Inputs {
  ItemSource& source;
  Arrays arrays;
  uint64_t n;

  template <class T = uint32_t>
  std::span<const T> as(size_t i = 0) const {
    return items_of<T>(arrays[i].bytes);
  }
};

/// What a call wrote, wherever that is.
class Outputs {
 public:
  virtual ~Outputs() = default;
  /// Of the output of that index, in items.
  virtual FetchOutputs fetch(size_t output, uint64_t item_bytes = 4) = 0;
  /// The beginning of an output, as far as it goes; 0 after its end.
  template <class T = uint32_t>
  T read(size_t output) {
    T value{};
    read_bytes(output, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

 private:
  virtual void read_bytes(size_t output, std::span<std::byte> into) = 0;
};

/// A call on `n` items, as a row names it.
struct Work {
  std::string primitive;
  std::string variant;
  ItemType item;
  /// The arrays that it reads.
  std::function<Arrays(ItemSource& source, uint64_t n)> inputs;
  /// Bytes of each array that it writes.
  std::function<Sizes(uint64_t n)> outputs;
  /// Minimum bytes moved: what any implementation reads and writes.
  std::function<uint64_t(uint64_t n)> moved_bytes;
  /// Compares the whole output, or samples of it.
  std::function<Verdict(const Inputs& in, Outputs& out)> check;
  /// What rows say of their data where it is not the source's stream, e.g. "runs"; empty: the source's name.
  std::string data{};

  std::string name() const { return primitive + ' ' + variant + ' ' + item.name; }
};

/// An array of a Work.
struct Array {
  Data data;
  uint32_t item_bytes = 4;  ///< 0: a bit an item

  uint64_t bytes(uint64_t n) const { return item_bytes == 0 ? (n + 7) / 8 : n * item_bytes; }
};

/// Reads these, an item for each of `n`.
inline auto reads(std::vector<Array> arrays) {
  return [arrays = std::move(arrays)](ItemSource& source, uint64_t n) {
    Arrays read;
    for (const auto& [data, item_bytes] : arrays)
      read.push_back(item_bytes == 0 ? source.array(data, 4, (n + 31) / 32) : source.array(data, item_bytes, n));
    return read;
  };
}

/// Reads the source's items of a type, or its bytes.
inline auto reads_items(const ItemType& item) {
  return [type = item.type.value_or(Type::u8), scale = item.type ? 1 : item.bytes](ItemSource& source, uint64_t n) {
    return Arrays{source.items(type, n * scale)};
  };
}

/// Writes an item of so many bytes to each output for each of `n`, and the further outputs, of those bytes in all.
inline auto writes(Sizes item_bytes, Sizes further = {}) {
  return [item_bytes = std::move(item_bytes), further = std::move(further)](uint64_t n) {
    Sizes bytes;
    for (const uint64_t item : item_bytes) bytes.push_back(n * item);
    bytes.insert(bytes.end(), further.begin(), further.end());
    return bytes;
  };
}

/// Moves so many bytes an item.
inline auto moves(uint64_t item_bytes) {
  return [item_bytes](uint64_t n) { return n * item_bytes; };
}

/// That share of `n`, rounded.
inline uint64_t share_of(double share, uint64_t n) {
  return static_cast<uint64_t>(std::llround(share * static_cast<double>(n)));
}

/// Of `parts` that make up `all` items, as many as make up about `n`.
inline uint64_t part_of(uint64_t parts, uint64_t n, uint64_t all) {
  const double share = static_cast<double>(n) / static_cast<double>(std::max<uint64_t>(all, 1));
  return n == all ? parts : static_cast<uint64_t>(static_cast<double>(parts) * share);
}

/// What rows on runs are about: runs of some mean length, or those of the source's own items.
struct RunData {
  Data data;
  std::string name;

  static RunData of(uint32_t mean) { return {Data::runs(mean), "runs=" + std::to_string(mean)}; }
  static RunData of(const ItemSource& source) { return {Data::stream(), source.stream_name()}; }
  /// As Work::data.
  std::string row_data() const { return data.kind == Data::Kind::runs ? "runs" : ""; }
};

/// The sizes of rows of items of so many bytes: four times as many of 1 byte, as few of large structs as fit in memory.
inline Sizes sizes_for(Sizes sizes, uint32_t item_bytes) {
  for (uint64_t& n : sizes)
    n = item_bytes == 1 ? n * 4 : item_bytes <= 8 ? n : std::max<uint64_t>(n / (item_bytes <= 16 ? 4 : 16), 1);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// What to measure.
struct Matrix {
  ItemSource* source = nullptr;  ///< asked by rows for what their data will be like: bounds and shares
  Sizes sizes;                   ///< ascending; rows of 1-byte items have four times as many
  bool every_size = false;       ///< rows of secondary interest are measured at all sizes, not just at the last two
  bool essential = false;        ///< leave rows of secondary interest out
  std::optional<Strategy> other_strategy{};  ///< measured too, in rows of its own
};

/// The sizes of a row of secondary interest.
inline Sizes some_sizes(const Matrix& matrix) {
  const Sizes& sizes = matrix.sizes;
  if (matrix.every_size || sizes.size() <= 2) return sizes;
  return {sizes.end() - 2, sizes.end()};
}

/// Whether a row's name holds any of the filters, if there are any.
inline bool is_wanted(const std::string& name, const std::vector<std::string>& filters) {
  return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
           return name.find(filter) != std::string::npos;
         });
}

/// An item for an item: the yardstick.
inline Work copy_work(const char* variant) {
  return {
      "copy", variant, Type::u32, reads_items(Type::u32), writes({4}), moves(8), [](const Inputs& in, Outputs& out) {
        return oracle::check_items("item", in.as(), out.fetch(0));
      }};
}

/// Nothing: the floor of a submission.
inline Work empty_work(const char* variant) {
  return {
      "empty", variant, Type::u32, reads({}), writes({}), moves(0), [](const Inputs&, Outputs&) { return right(); }};
}

}  // namespace weft::bench
