// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <weft/status.hpp>
#include <weft/types.hpp>

#include "support/parallel.hpp"

namespace weft::bench {

/// Word `index` of the random data: a hash, so that every program that measures works on the same items.
constexpr uint32_t random_word(uint64_t index, uint32_t seed = 0x77656674) noexcept {
  // The constants are those of "lowbias32", found by Chris Wellons's search for integer hashes of low bias.
  const auto mix = [](uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
  };
  return mix(static_cast<uint32_t>(index) ^ mix(static_cast<uint32_t>(index >> 32) ^ seed));
}

/// What the items of an array are.
struct Data {
  enum class Kind : uint8_t {
    stream,  ///< the source's own: random bytes, or a file's
    runs,    ///< equal items in runs, whatever the source
    flags,   ///< bytes 1 and 0, whatever the source
    noise,   ///< random bytes, whatever the source
    sorted,  ///< unsigned numbers of noise in ascending order: those of another count are others
  };
  Kind kind = Kind::stream;
  uint32_t mean_run = 0;  ///< runs: lengths are uniform in [1, 2 * mean_run - 1]
  double share = 0;       ///< flags: of ones
  uint32_t seed = 0;      ///< differs between arrays of a kind in one row, e.g. of values and of keys

  static constexpr Data stream() { return {}; }
  static constexpr Data runs(uint32_t mean) { return {Kind::runs, mean, 0, 0}; }
  static constexpr Data flags(double share) { return {Kind::flags, 0, share, 0}; }
  static constexpr Data noise(uint32_t seed) { return {Kind::noise, 0, 0, seed}; }
  static constexpr Data sorted(uint32_t seed) { return {Kind::sorted, 0, 0, seed}; }
  bool operator==(const Data&) const = default;
};

/// Items on the host. Arrays of one `id` begin alike, as far as both go.
struct HostArray {
  std::span<const std::byte> bytes;
  uint64_t id = 0;

  bool operator==(const HostArray& other) const { return id == other.id && bytes.size() == other.bytes.size(); }
};

/// The first bytes of a file, at most so many. Errors: not_found.
Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t most = UINT64_MAX);

/// The data that is measured on, the same in every program that measures. Integers of every width are cut from one
/// stream of bytes, random or a file's, the file repeated as often as needed. Floats take the low 3 bits of the item at
/// their index in that stream as a magnitude (f16: the lowest bit) and a random sign: sums over any range then stay
/// small integers that float arithmetic adds without rounding, so that results can be compared for equality whatever
/// the order of additions, and no item is a NaN.
///
/// Items are made on all cores. The arrays of the last kArrays requests that differ are kept, and valid as long; and
/// those before them while all are no longer than kKeptBytes, so that rows share them.
class ItemSource {
 public:
  static ItemSource random();
  /// Errors: not_found (cannot be read), invalid_argument (empty).
  static Result<ItemSource> file(const std::string& path);

  static constexpr size_t kArrays = 4;
  static constexpr uint64_t kKeptBytes = uint64_t{1} << 31;

  const std::string& name() const noexcept { return name_; }  ///< "random", or the file's name without its folder
  bool is_file() const noexcept { return !file_.empty(); }
  /// How a row is called that works on the stream where others work on runs of some length: "random" or "file".
  const char* stream_name() const noexcept { return is_file() ? "file" : "random"; }

  /// The first `count` items of the stream. A longer call extends a shorter one's items.
  HostArray items(Type type, uint64_t count);
  /// The first `count` items, of any size that is a power of two or a multiple of 4, at most 64 bytes. Two runs that
  /// are neighbours differ. A run that meets a multiple of 2^20 items ends there. What is sorted is of 4 or 8 bytes.
  HostArray array(const Data& data, uint32_t item_bytes, uint64_t count);

  /// A T(id, args...) of the program's own, kept as arrays are; the last two at least. Its arrays may have the ids from
  /// `id` to `id` + 3, and its bytes() are what it takes.
  template <class T, class... Args>
  T& cached(const Args&... args) {
    using Key = std::pair<T*, std::tuple<Args...>>;  // T*: distinguishes types
    const Key key{nullptr, {args...}};
    auto at = std::find_if(cached_.begin(), cached_.end(), [&](const Cached& entry) {
      const Key* const other = std::any_cast<Key>(&entry.key);
      return other && *other == key;
    });
    if (at == cached_.end()) {
      cached_.push_back({key, std::make_shared<T>(next_id_, args...),
                         [](const void* value) { return static_cast<const T*>(value)->bytes(); }});
      next_id_ += 4;
      at = cached_.end() - 1;
    }
    std::rotate(at, at + 1, cached_.end());
    drop_oldest(cached_, 2, [](const Cached& entry) { return entry.bytes_of(entry.value.get()); });
    return *static_cast<T*>(cached_.back().value.get());
  }

  /// The share of items that begin a run. Counted in the stream of a file; of all else what is to be expected.
  double run_share(const Data& data, uint32_t item_bytes) const;
  /// A bound for unsigned numbers of 1, 2, 4 or 8 bytes, which lie at every multiple of `stride` bytes of the stream,
  /// and the share that is below it.
  struct Bound {
    uint64_t value = 0;
    double share = 0;
  };
  /// The one whose share is nearest to `share`. With `share` 1 and numbers of less than 8 bytes all are below it.
  Bound bound_below(double share, uint32_t bytes = 4, uint32_t stride = 4) const;

 private:
  struct Kept {
    Data data;
    Type float_type = Type::u32;  // u32: bytes as they come
    uint32_t item_bytes = 1;      // of runs and what is sorted; 1: any
    uint64_t count = 0;           // of what is sorted; 0: any
    uint64_t id = 0;
    ByteArray bytes;
  };
  struct Cached {
    std::any key;
    std::shared_ptr<void> value;
    uint64_t (*bytes_of)(const void*);
  };
  /// Entries that were asked for last are at the end; `least` stay.
  template <class Entry, class BytesOf>
  static void drop_oldest(std::vector<Entry>& entries, size_t least, const BytesOf& bytes_of) {
    uint64_t bytes = 0;
    size_t stay = 0;
    while (stay < entries.size()) {
      bytes += bytes_of(entries[entries.size() - 1 - stay]);
      if (stay >= least && bytes > kKeptBytes) break;
      ++stay;
    }
    entries.erase(entries.begin(), entries.end() - static_cast<ptrdiff_t>(stay));
  }

  Kept& kept(const Data& data, Type float_type, uint32_t item_bytes, uint64_t count);
  void extend_stream(ByteArray& bytes, uint32_t seed, size_t size) const;
  template <class T>
  void extend_floats(ByteArray& floats, std::span<const std::byte> stream, size_t size) const;

  std::string name_;
  std::vector<std::byte> file_;  // empty: random
  std::vector<Kept> arrays_;
  std::vector<Cached> cached_;
  uint64_t next_id_ = 1;
};

}  // namespace weft::bench
