// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One call of every primitive, with every range that it can have, counts on the device and optional outputs included.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include <weft/weft.hpp>

#if WEFT_TEST_GSTD_DECODE
#include <weft/gstd_decode.hpp>
#endif

#include "null_driver.hpp"

namespace weft::test {

/// A Gpu of the null driver.
inline Gpu open_null_gpu() {
  GpuConfig config;
  config.get_instance_proc_addr = null_driver::get_instance_proc_addr;
  Result<Gpu> gpu = Gpu::open(config);
  if (!gpu) FAIL(gpu.error().message);
  return *std::move(gpu);
}

/// Buffers, one for each range.
class Ranges {
 public:
  explicit Ranges(Gpu& gpu) : gpu_(gpu) {}

  BufferRange operator()(VkDeviceSize bytes) {
    Result<Buffer> buffer = gpu_.create_buffer(bytes);
    if (!buffer) FAIL(buffer.error().message);
    buffers_.push_back(*std::move(buffer));
    return buffers_.back().range(0, bytes);
  }
  Count count(uint64_t maximum) { return Count::on_device((*this)(4), maximum); }
  size_t size() const { return buffers_.size(); }
  bool has(VkBuffer buffer) const {
    for (const Buffer& made : buffers_)
      if (made.handle() == buffer) return true;
    return false;
  }

 private:
  Gpu& gpu_;
  std::vector<Buffer> buffers_;
};

inline constexpr uint64_t kCalled = 1000;              // items of a call
inline constexpr uint64_t kBytes = 8 * kCalled + 256;  // enough for any of its inputs and outputs

/// A set for TransformLbs, which has no kernel of its own. The null driver runs none.
inline KernelSet set_of(const char* primitive) {
  static constexpr uint32_t kCode[] = {0x07230203, 0, 0, 0, 0};
  const KernelCode kernels[] = {{"transform_lbs.native", kCode}, {"transform_lbs.emulated", kCode}};
  return KernelSet("nothing", primitive, kernels);
}

/// Calls visit.operator()<Primitive>(name, config, args_of) for each; args_of(primitive, ranges) makes sound arguments.
template <class Visit>
void for_every_primitive(const Visit& visit) {
  const auto n = kCalled;
  visit.template operator()<BinarySearch>("BinarySearch", BinarySearchConfig{}, [=](const BinarySearch&, Ranges& r) {
    return BinarySearchArgs{r(kBytes), r(kBytes), r(kBytes), r.count(n), r.count(n)};
  });
  visit.template operator()<BulkInsert>("BulkInsert", BulkInsertConfig{}, [=](const BulkInsert& p, Ranges& r) {
    return BulkInsertArgs{r(kBytes),  r(kBytes), r(kBytes), r(kBytes), r(8), r(p.scratch_size(n, n)),
                          r.count(n), r.count(n)};
  });
  visit.template operator()<BulkRemove>("BulkRemove", BulkRemoveConfig{}, [=](const BulkRemove& p, Ranges& r) {
    return BulkRemoveArgs{r(kBytes), r(kBytes), r(kBytes), r(8), r(p.scratch_size(n)), r.count(n), r.count(n)};
  });
  visit.template operator()<DispatchArguments>(
      "DispatchArguments", DispatchArgumentsConfig{}, [=](const DispatchArguments&, Ranges& r) {
        return DispatchArgumentsArgs{r.count(n), 64, r(sizeof(VkDispatchIndirectCommand))};
      });
  visit.template operator()<Histogram>(
      "Histogram", HistogramConfig{HistogramKind::levels, Type::u32, 16},
      [=](const Histogram&, Ranges& r) { return HistogramArgs{r(kBytes), r(64), r.count(n), 0, 0, r(kBytes)}; });
  visit.template operator()<IntervalExpand>(
      "IntervalExpand", IntervalExpandConfig{}, [=](const IntervalExpand& p, Ranges& r) {
        return IntervalExpandArgs{r(kBytes), r(kBytes), r(kBytes), r(8), r(4), r(p.scratch_size(n)), r.count(n), n};
      });
  visit.template operator()<IntervalMove>("IntervalMove", IntervalMoveConfig{}, [=](const IntervalMove& p, Ranges& r) {
    return IntervalMoveArgs{r(kBytes),  r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(8), r(8), r(p.scratch_size(n)),
                            r.count(n), n};
  });
  LoadBalanceSearchConfig sources;
  sources.ranks = true;
  visit.template operator()<LoadBalanceSearch>(
      "LoadBalanceSearch", sources, [=](const LoadBalanceSearch& p, Ranges& r) {
        return LoadBalanceSearchArgs{r(kBytes), r(kBytes), r(kBytes), r(8), r(4), r(p.scratch_size(n)), r.count(n), n};
      });
  MergeConfig merge;
  merge.value_bytes = 4;
  merge.indices = true;
  visit.template operator()<Merge>("Merge", merge, [=](const Merge& p, Ranges& r) {
    return MergeArgs{r(kBytes),  r(kBytes), r(kBytes), r(kBytes),
                     r(kBytes),  r(kBytes), r(kBytes), r(p.scratch_size(n, n)),
                     r.count(n), r.count(n)};
  });
  MergeSortConfig merge_sort;
  merge_sort.value_bytes = 4;
  merge_sort.indices = true;
  visit.template operator()<MergeSort>("MergeSort", merge_sort, [=](const MergeSort& p, Ranges& r) {
    return MergeSortArgs{r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(p.scratch_size(n)), r.count(n)};
  });
  visit.template operator()<Partition>(
      "Partition", PartitionConfig{.sides = 3, .criterion = Criterion::inside, .moved_bytes = 4, .indices = true},
      [=](const Partition& p, Ranges& r) {
        PartitionArgs args;
        args.input = r(kBytes);
        args.moved = r(kBytes);
        args.outputs = {r(kBytes), r(kBytes), r(kBytes)};
        args.indices = {r(kBytes), r(kBytes), r(kBytes)};
        args.counts = r(12);
        args.scratch = r(p.scratch_size(n));
        args.count = r.count(n);
        return args;
      });
  RadixSortConfig radix_sort;
  radix_sort.value_bytes = 4;
  visit.template operator()<RadixSort>("RadixSort", radix_sort, [=](const RadixSort& p, Ranges& r) {
    return RadixSortArgs{r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(p.scratch_size(n)), r.count(n)};
  });
  visit.template operator()<Reduce>("Reduce", ReduceConfig{}, [=](const Reduce& p, Ranges& r) {
    return ReduceArgs{r(kBytes), r(4), r(p.scratch_size(n)), r.count(n), {}};
  });
  visit.template operator()<ReduceByKey>("ReduceByKey", ReduceByKeyConfig{}, [=](const ReduceByKey& p, Ranges& r) {
    return ReduceByKeyArgs{r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(4), r(p.scratch_size(n)), r.count(n)};
  });
  visit.template operator()<RunLengthDecode>(
      "RunLengthDecode", RunLengthDecodeConfig{}, [=](const RunLengthDecode& p, Ranges& r) {
        return RunLengthDecodeArgs{r(kBytes), r(kBytes), r(kBytes), r(8), r(4), r(p.scratch_size(n)), r.count(n), n};
      });
  RunLengthEncodeConfig encode;
  encode.offsets = true;
  visit.template operator()<RunLengthEncode>("RunLengthEncode", encode, [=](const RunLengthEncode& p, Ranges& r) {
    return RunLengthEncodeArgs{r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(4), r(p.scratch_size(n)), r.count(n)};
  });
  visit.template operator()<Scan>("Scan", ScanConfig{}, [=](const Scan& p, Ranges& r) {
    return ScanArgs{r(kBytes), r(kBytes), r(p.scratch_size(n)), r.count(n), {}};
  });
  visit.template operator()<ScanByKey>("ScanByKey", ScanByKeyConfig{}, [=](const ScanByKey& p, Ranges& r) {
    return ScanByKeyArgs{r(kBytes), r(kBytes), r(kBytes), r(p.scratch_size(n)), r.count(n), {}};
  });
  visit.template operator()<SegmentedReduce>(
      "SegmentedReduce", SegmentedReduceConfig{}, [=](const SegmentedReduce& p, Ranges& r) {
        return SegmentedReduceArgs{r(kBytes), r(kBytes), r(kBytes), r(p.scratch_size(n, n)), r.count(n), r.count(n)};
      });
  visit.template operator()<SegmentedScan>(
      "SegmentedScan", SegmentedScanConfig{}, [=](const SegmentedScan& p, Ranges& r) {
        return SegmentedScanArgs{r(kBytes), r(kBytes), r(kBytes), r(p.scratch_size(n)), r.count(n), r.count(n), {}};
      });
  SegmentedSortConfig segmented_sort;
  segmented_sort.value_bytes = 4;
  visit.template operator()<SegmentedSort>("SegmentedSort", segmented_sort, [=](const SegmentedSort& p, Ranges& r) {
    return SegmentedSortArgs{r(kBytes),  r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(p.scratch_size(n)),
                             r.count(n), r.count(n)};
  });
  SelectConfig select = SelectConfig::unique_by_key(Type::u32, 4);
  select.indices = true;
  visit.template operator()<Select>("Select", select, [=](const Select& p, Ranges& r) {
    return SelectArgs{r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(kBytes), r(4), r(p.scratch_size(n)), r.count(n)};
  });
  SetOperationConfig set_operation;
  set_operation.value_bytes = 4;
  set_operation.indices = true;
  visit.template operator()<SetOperation>("SetOperation", set_operation, [=](const SetOperation& p, Ranges& r) {
    return SetOperationArgs{r(kBytes),     r(kBytes),     r(2 * kBytes), r(kBytes), r(kBytes),
                            r(2 * kBytes), r(2 * kBytes), r(4),          r(4),      r(p.scratch_size(n, n)),
                            r.count(n),    r.count(n)};
  });
  visit.template operator()<SortedSearch>("SortedSearch", SortedSearchConfig{}, [=](const SortedSearch& p, Ranges& r) {
    return SortedSearchArgs{r(kBytes), r(kBytes), r(kBytes), r(p.scratch_size(n, n)), r.count(n), r.count(n)};
  });
  TransformLbsConfig transform;
  transform.own_kernels = set_of("transform_lbs");
  visit.template operator()<TransformLbs>("TransformLbs", transform, [=](const TransformLbs& p, Ranges& r) {
    return TransformLbsArgs{
        r(kBytes), r(8), r(4), r(p.scratch_size(n)), r.count(n), n, {{r(kBytes), r(kBytes), r(kBytes), r(kBytes)}}};
  });
#if WEFT_TEST_GSTD_DECODE
  visit.template operator()<GstdDecode>("GstdDecode", GstdDecodeConfig{}, [](const GstdDecode& p, Ranges& r) {
    constexpr uint64_t kTiles = 20;
    return GstdDecodeArgs{r(kTiles * sizeof(GstdTile)), r.count(kTiles),          r(kBytes), r(kBytes),
                          r(4 * (1 + kTiles)),          r(p.scratch_size(kTiles))};
  });
#endif
}

}  // namespace weft::test
