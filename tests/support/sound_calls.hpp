// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One sound call of every primitive, with every range that it can have, counts on the device and
// optional outputs included. What each range is called, how many bytes it needs, where it may begin and
// whether it is written stands here once.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <weft/weft.hpp>

#if WEFT_TEST_GSTD_DECODE
#include <weft/gstd_decode.hpp>
#endif

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

/// A set for TransformLbs, which has no kernel of its own. The null driver runs none.
inline KernelSet set_of(const char* primitive) {
  static constexpr uint32_t kCode[] = {0x07230203, 0, 0, 0, 0};
  const KernelCode kernels[] = {{"transform_lbs.native", kCode}, {"transform_lbs.emulated", kCode}};
  return KernelSet("nothing", primitive, kernels);
}

/// name, config() and args(primitive, ranges), of n items each.
template <class Primitive>
struct SoundCall;

inline constexpr uint64_t kCalled = 1000;  // items of a call

template <>
struct SoundCall<BinarySearch> {
  static constexpr const char* name = "BinarySearch";
  static BinarySearchConfig config() { return {}; }
  static BinarySearchArgs args(const BinarySearch&, Ranges& r, uint64_t n = kCalled) {
    return {r.read("needles", 4 * n), r.read("haystack", 4 * n), r.write("output", 4 * n), r.count("needle_count", n),
            r.count("haystack_count", n)};
  }
};
template <>
struct SoundCall<BulkInsert> {
  static constexpr const char* name = "BulkInsert";
  static BulkInsertConfig config() { return {}; }
  static BulkInsertArgs args(const BulkInsert& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("items", 4 * n),   r.read("inserted", 4 * n),   r.read("positions", 4 * n),
            r.write("output", 8 * n), r.write("total", 8),         r.scratch(p.scratch_size(n, n)),
            r.count("count", n),      r.count("inserted_count", n)};
  }
};
template <>
struct SoundCall<BulkRemove> {
  static constexpr const char* name = "BulkRemove";
  static BulkRemoveConfig config() { return {}; }
  static BulkRemoveArgs args(const BulkRemove& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("items", 4 * n),       r.read("indices", 4 * n), r.write("output", 4 * n), r.write("kept", 8),
            r.scratch(p.scratch_size(n)), r.count("count", n),      r.count("index_count", n)};
  }
};
template <>
struct SoundCall<DispatchArguments> {
  static constexpr const char* name = "DispatchArguments";
  static DispatchArgumentsConfig config() { return {}; }
  static DispatchArgumentsArgs args(const DispatchArguments&, Ranges& r, uint64_t n = kCalled) {
    return {r.count("count", n), 64, r.write("output", sizeof(VkDispatchIndirectCommand))};
  }
};
template <>
struct SoundCall<Histogram> {
  static constexpr const char* name = "Histogram";
  static HistogramConfig config() { return {HistogramKind::levels, Type::u32, 16}; }
  static HistogramArgs args(const Histogram&, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n), r.write("output", 4 * 16), r.count("count", n), 0, 0, r.read("levels", 4 * 17)};
  }
};
template <>
struct SoundCall<IntervalExpand> {
  static constexpr const char* name = "IntervalExpand";
  static IntervalExpandConfig config() { return {IntervalsBy::offsets, Type::u64, 12}; }
  static IntervalExpandArgs args(const IntervalExpand& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("values", 12 * n), r.read("counts", 8 * (n + 1)), r.write("output", 12 * n), r.write("total", 8),
            r.write("status", 4),     r.scratch(p.scratch_size(n)),  r.count("count", n),       n};
  }
};
template <>
struct SoundCall<IntervalMove> {
  static constexpr const char* name = "IntervalMove";
  static IntervalMoveConfig config() {
    return {.by = IntervalsBy::offsets, .count = Type::u64, .offset = Type::u64, .item_bytes = 12};
  }
  static IntervalMoveArgs args(const IntervalMove& p, Ranges& r, uint64_t n = kCalled) {
    return {r.any_size("input", 12 * n, 4, false, false),
            r.read("counts", 8 * (n + 1)),
            r.read("gather", 8 * n),
            r.read("scatter", 8 * n),
            r.any_size("output", 12 * n, 4, true, false),
            r.write("total", 8),
            r.write("status", 8),
            r.scratch(p.scratch_size(n)),
            r.count("count", n),
            n};
  }
};
template <>
struct SoundCall<LoadBalanceSearch> {
  static constexpr const char* name = "LoadBalanceSearch";
  static LoadBalanceSearchConfig config() { return {.by = IntervalsBy::offsets, .ranks = true}; }
  static LoadBalanceSearchArgs args(const LoadBalanceSearch& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("counts", 4 * (n + 1)), r.write("sources", 4 * n),    r.write("ranks", 4 * n), r.write("total", 8),
            r.write("status", 4),          r.scratch(p.scratch_size(n)), r.count("count", n),     n};
  }
};
template <>
struct SoundCall<Merge> {
  static constexpr const char* name = "Merge";
  static MergeConfig config() { return {.value_bytes = 2, .indices = true}; }
  static MergeArgs args(const Merge& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys_a", 4 * n),       r.read("keys_b", 4 * n),         r.write("keys_out", 8 * n),
            r.read("values_a", 2 * n, 2),  r.read("values_b", 2 * n, 2),    r.write("values_out", 4 * n, 2),
            r.write("indices_out", 8 * n), r.scratch(p.scratch_size(n, n)), r.count("count_a", n),
            r.count("count_b", n)};
  }
};
template <>
struct SoundCall<MergeSort> {
  static constexpr const char* name = "MergeSort";
  static MergeSortConfig config() { return {.value_bytes = 2, .indices = true}; }
  static MergeSortArgs args(const MergeSort& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),
            r.write("keys_out", 4 * n),
            r.read("values", 2 * n, 2),
            r.write("values_out", 2 * n, 2),
            r.write("indices_out", 4 * n),
            r.scratch(p.scratch_size(n)),
            r.count("count", n)};
  }
};
template <>
struct SoundCall<Partition> {
  static constexpr const char* name = "Partition";
  static PartitionConfig config() {
    return {.partitions = 3, .criterion = Criterion::inside, .moved_bytes = 4, .indices = true};
  }
  static PartitionArgs args(const Partition& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n),
            r.read("moved", 4 * n),
            {r.write("outputs[0]", 4 * n), r.write("outputs[1]", 4 * n), r.write("outputs[2]", 4 * n)},
            {r.write("indices[0]", 4 * n), r.write("indices[1]", 4 * n), r.write("indices[2]", 4 * n)},
            r.write_counts("counts", 3),
            r.scratch(p.scratch_size(n)),
            r.count("count", n)};
  }
};
template <>
struct SoundCall<RadixSort> {
  static constexpr const char* name = "RadixSort";
  static RadixSortConfig config() { return {.value_bytes = 8}; }
  static RadixSortArgs args(const RadixSort& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),        r.read("values", 8 * n),      r.write("keys_out", 4 * n),
            r.write("values_out", 8 * n), r.scratch(p.scratch_size(n)), r.count("count", n)};
  }
};
template <>
struct SoundCall<Reduce> {
  static constexpr const char* name = "Reduce";
  static ReduceConfig config() { return {}; }
  static ReduceArgs args(const Reduce& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n), r.write("output", 4), r.scratch(p.scratch_size(n)), r.count("count", n), {}};
  }
};
template <>
struct SoundCall<ReduceByKey> {
  static constexpr const char* name = "ReduceByKey";
  static ReduceByKeyConfig config() { return {}; }
  static ReduceByKeyArgs args(const ReduceByKey& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),        r.read("values", 4 * n),     r.write("keys_out", 4 * n),
            r.write("values_out", 4 * n), r.write_counts("count_out"), r.scratch(p.scratch_size(n)),
            r.count("count", n)};
  }
};
template <>
struct SoundCall<RunLengthDecode> {
  static constexpr const char* name = "RunLengthDecode";
  static RunLengthDecodeConfig config() { return {}; }
  // Runs long enough for tiles of the usual size, which have the most scratch.
  static RunLengthDecodeArgs args(const RunLengthDecode& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("symbols", 4 * n), r.read("lengths", 4 * n),     r.write("output", 32 * n), r.write("total", 8),
            r.write("status", 4),     r.scratch(p.scratch_size(n)), r.count("count", n),       8 * n};
  }
};
template <>
struct SoundCall<RunLengthEncode> {
  static constexpr const char* name = "RunLengthEncode";
  static RunLengthEncodeConfig config() { return {.offsets = true}; }
  static RunLengthEncodeArgs args(const RunLengthEncode& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n),    r.write("symbols", 4 * n),   r.write("lengths", 4 * n),
            r.write("offsets", 4 * n), r.write_counts("run_count"), r.scratch(p.scratch_size(n)),
            r.count("count", n)};
  }
};
template <>
struct SoundCall<Scan> {
  static constexpr const char* name = "Scan";
  static ScanConfig config() { return {}; }
  static ScanArgs args(const Scan& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n),
            r.write("output", 4 * n, 4, "input"),
            r.scratch(p.scratch_size(n)),
            r.count("count", n),
            {}};
  }
};
template <>
struct SoundCall<ScanByKey> {
  static constexpr const char* name = "ScanByKey";
  static ScanByKeyConfig config() { return {}; }
  static ScanByKeyArgs args(const ScanByKey& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),        r.read("values", 4 * n), r.write("output", 4 * n, 4, "values"),
            r.scratch(p.scratch_size(n)), r.count("count", n),     {}};
  }
};
template <>
struct SoundCall<SegmentedReduce> {
  static constexpr const char* name = "SegmentedReduce";
  static SegmentedReduceConfig config() { return {}; }
  static SegmentedReduceArgs args(const SegmentedReduce& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("items", 4 * n),   r.read("offsets", 4 * (n + 1)),
            r.write("output", 4 * n), r.scratch(p.scratch_size(n, n)),
            r.count("count", n),      r.count("item_count", n)};
  }
};
template <>
struct SoundCall<SegmentedScan> {
  static constexpr const char* name = "SegmentedScan";
  static SegmentedScanConfig config() { return {}; }
  static SegmentedScanArgs args(const SegmentedScan& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("items", 4 * n),
            r.read("offsets", 4 * (n + 1)),
            r.write("output", 4 * n, 4, "items"),
            r.scratch(p.scratch_size(n)),
            r.count("count", n),
            r.count("item_count", n),
            {}};
  }
};
template <>
struct SoundCall<SegmentedSort> {
  static constexpr const char* name = "SegmentedSort";
  static SegmentedSortConfig config() { return {.value_bytes = 8}; }
  static SegmentedSortArgs args(const SegmentedSort& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),      r.read("values", 8 * n),      r.read("offsets", 4 * (n + 1)),
            r.write("keys_out", 4 * n), r.write("values_out", 8 * n), r.scratch(p.scratch_size(n)),
            r.count("count", n),        r.count("key_count", n)};
  }
};
template <>
struct SoundCall<Select> {
  static constexpr const char* name = "Select";
  static SelectConfig config() {
    SelectConfig config = SelectConfig::unique_by_key(Type::u32, 2);
    config.indices = true;
    return config;
  }
  static SelectArgs args(const Select& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n),       r.read("moved", 2 * n, 2),
            r.write("output", 4 * n),     r.write("moved_output", 2 * n, 2),
            r.write("indices", 4 * n),    r.write_counts("kept"),
            r.scratch(p.scratch_size(n)), r.count("count", n)};
  }
};
template <>
struct SoundCall<SetOperation> {
  static constexpr const char* name = "SetOperation";
  static SetOperationConfig config() { return {.value_bytes = 2, .indices = true}; }
  static SetOperationArgs args(const SetOperation& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys_a", 4 * n),         r.read("keys_b", 4 * n),      r.write("keys_out", 8 * n),
            r.read("values_a", 2 * n, 2),    r.read("values_b", 2 * n, 2), r.write("values_out", 4 * n, 2),
            r.write("indices_out", 8 * n),   r.write_counts("total"),      r.write("status", 4),
            r.scratch(p.scratch_size(n, n)), r.count("count_a", n),        r.count("count_b", n)};
  }
};
template <>
struct SoundCall<SortedSearch> {
  static constexpr const char* name = "SortedSearch";
  static SortedSearchConfig config() { return {}; }
  static SortedSearchArgs args(const SortedSearch& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("needles", 4 * n),        r.read("haystack", 4 * n),  r.write("output", 4 * n),
            r.scratch(p.scratch_size(n, n)), r.count("needle_count", n), r.count("haystack_count", n)};
  }
};
template <>
struct SoundCall<TopK> {
  static constexpr const char* name = "TopK";
  static TopKConfig config() { return {.value_bytes = 8}; }
  static TopKArgs args(const TopK& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),        r.read("values", 8 * n),      r.write("keys_out", 4 * n),
            r.write("values_out", 8 * n), r.scratch(p.scratch_size(n)), r.count("count", n),
            static_cast<uint32_t>(n)};
  }
};
template <>
struct SoundCall<TransformLbs> {
  static constexpr const char* name = "TransformLbs";
  static TransformLbsConfig config() { return {.own_kernels = set_of("transform_lbs")}; }
  static TransformLbsArgs args(const TransformLbs& p, Ranges& r, uint64_t n = kCalled) {
    const auto own = [&] { return r.any_size("buffers", 8 * n, 4, false, true); };
    return {r.read("counts", 4 * n),       r.write("total", 8), r.write("status", 4),
            r.scratch(p.scratch_size(n)),  r.count("count", n), n,
            {{own(), own(), own(), own()}}};
  }
};
#if WEFT_TEST_GSTD_DECODE
template <>
struct SoundCall<GstdDecode> {
  static constexpr const char* name = "GstdDecode";
  static GstdDecodeConfig config() { return {.tile_bytes = gstd::kMinTileBytes, .tiles_in_flight = 1}; }
  static GstdDecodeArgs args(const GstdDecode& p, Ranges& r, uint64_t tiles = 20) {
    return {r.read("tiles", tiles * sizeof(GstdTile), 8),
            r.count("tile_count", tiles),
            r.any_size("source", 8 * kCalled, 4, false, false),
            r.any_size("output", 8 * kCalled, 1, true, false),
            r.write("status", 4 * (1 + tiles)),
            r.scratch(p.scratch_size(tiles))};
  }
};
#endif

/// Calls visit.operator()<Primitive>(name, config, args_of) for each; args_of(primitive, ranges) makes sound arguments,
/// and args_of(primitive, ranges, n) those of n items.
template <class Visit>
void for_every_primitive(const Visit& visit) {
  const auto visit_each = [&]<class... Primitives>() {
    (visit.template operator()<Primitives>(
         SoundCall<Primitives>::name, SoundCall<Primitives>::config(),
         [](const Primitives& p, Ranges& ranges, auto... n) { return SoundCall<Primitives>::args(p, ranges, n...); }),
     ...);
  };
  visit_each
      .template operator()<BinarySearch, BulkInsert, BulkRemove, DispatchArguments, Histogram, IntervalExpand,
                           IntervalMove, LoadBalanceSearch, Merge, MergeSort, Partition, RadixSort, Reduce, ReduceByKey,
                           RunLengthDecode, RunLengthEncode, Scan, ScanByKey, SegmentedReduce, SegmentedScan,
                           SegmentedSort, Select, SetOperation, SortedSearch, TopK, TransformLbs>();
#if WEFT_TEST_GSTD_DECODE
  visit_each.template operator()<GstdDecode>();
#endif
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
