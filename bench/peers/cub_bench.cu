// SPDX-License-Identifier: MIT OR Apache-2.0
// CUB's primitives, on the data and in the rows of weft-bench, for `weft-bench compare`. See README.md here.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#include <nlohmann/json.hpp>

#include "peers/cuda_peer.hpp"
#include "support/by_key_works.hpp"
#include "support/histogram_works.hpp"
#include "support/interval_works.hpp"
#include "support/merge_works.hpp"
#include "support/report.hpp"
#include "support/sampling.hpp"
#include "support/scan_works.hpp"
#include "support/segment_works.hpp"
#include "support/select_works.hpp"
#include "support/sort_works.hpp"

namespace weft::bench {
namespace {

constexpr double kWarmUpMs = 200;
// All commands of a batch must fit the driver's queue while the gate holds them back.
constexpr uint32_t kMaxBatch = 32;

struct Options {
  Sizes sizes{1u << 16, 1u << 20, 1u << 24, 1u << 28};
  bool every_size = false;
  bool quick = false;
  bool queued = true;
  uint32_t repeats = 0;
  std::vector<std::string> filters;
  std::string input;
  std::string json;
};

// Holds the stream until the host opens it, so that what is timed is enqueued by then and launching it costs nothing,
// as in a Vulkan submission. Gives up after a second rather than hang.
__global__ void gate(const volatile int* open) {
  uint64_t start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (*open == 0 && now - start < 1000000000ull);
}

__global__ void nothing() {}

// As shaders/copy.comp.
__global__ __launch_bounds__(256) void copy_vectors(const uint4* __restrict__ from, uint4* __restrict__ to,
                                                    uint32_t count) {
  const uint32_t first = blockIdx.x * 1024 + threadIdx.x;
  uint4 vectors[4];
  if (first + 3 * 256 < count) {
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) vectors[i] = from[first + i * 256];
#pragma unroll
    for (uint32_t i = 0; i < 4; ++i) to[first + i * 256] = vectors[i];
  } else {
    for (uint32_t i = 0; i < 4; ++i) {
      if (first + i * 256 < count) to[first + i * 256] = from[first + i * 256];
    }
  }
}

// Of a launch for what was selected.
__global__ void dispatch_arguments(const uint32_t* count, uint32_t items, uint32_t* command) {
  command[0] = (*count + items - 1) / items;
  command[1] = 1;
  command[2] = 1;
}

struct ComposeAffine {
  __host__ __device__ uint2 operator()(uint2 f, uint2 g) const { return {f.x * g.x, g.x * f.y + g.y}; }
};

/// Keeps u32 items below a bound.
struct Below {
  uint32_t bound;
  __host__ __device__ bool operator()(uint32_t item) const { return item < bound; }
};

/// Keeps u32 items up to a last one.
struct UpTo {
  uint32_t last;
  __host__ __device__ bool operator()(uint32_t item) const { return item <= last; }
};

/// Keeps u32 items in [first, last].
struct Inside {
  uint32_t first;
  uint32_t last;
  __host__ __device__ bool operator()(uint32_t item) const { return first <= item && item <= last; }
};

/// Address of a byte.
struct AddressOf {
  std::byte* base;
  __host__ __device__ void* operator()(uint32_t offset) const { return base + offset; }
};

/// A value for every output of an interval.
struct Repeated {
  __host__ __device__ thrust::constant_iterator<uint32_t> operator()(uint32_t value) const {
    return thrust::constant_iterator<uint32_t>(value);
  }
};

/// Where an interval's outputs begin.
struct OutputAt {
  uint32_t* base;
  __host__ __device__ uint32_t* operator()(uint32_t offset) const { return base + offset; }
};

/// A call on `n` items, whose arrays are in device memory; they are null while only the scratch is asked for.
struct Call {
  std::vector<void*> inputs = std::vector<void*>(4);
  std::vector<void*> outputs = std::vector<void*>(4);
  void* scratch = nullptr;
  size_t bytes = 0;  // of scratch: with scratch null the call sets them, as CUB's calls do
  uint64_t n = 0;
  cudaStream_t stream = nullptr;

  template <class T = uint32_t>
  const T* in(size_t i = 0) const {
    return static_cast<const T*>(inputs[i]);
  }
  template <class T = uint32_t>
  T* out(size_t i = 0) const {
    return static_cast<T*>(outputs[i]);
  }
  // CUB's 32-bit offsets, its faster ones.
  int count() const { return static_cast<int>(n); }
};

struct Case {
  Work work;
  Sizes sizes;
  std::function<cudaError_t(Call& call)> run;
};

/// What a call wrote.
class DeviceOutputs final : public Outputs {
 public:
  DeviceOutputs(const Call& call, const Sizes& sizes) : call_(call), sizes_(sizes) {}

  FetchOutputs fetch(size_t output, uint64_t item_bytes) override {
    return [from = call_.out<std::byte>(output), item_bytes, chunk = std::vector<std::byte>()](uint64_t first,
                                                                                               uint64_t count) mutable {
      chunk.resize(count * item_bytes);
      CUDA_CHECK(cudaMemcpy(chunk.data(), from + first * item_bytes, chunk.size(), cudaMemcpyDeviceToHost));
      return Result<std::span<const std::byte>>(chunk);
    };
  }

 private:
  void read_bytes(size_t output, std::span<std::byte> into) override {
    const size_t bytes = std::min<size_t>(into.size(), sizes_[output]);
    CUDA_CHECK(cudaMemcpy(into.data(), call_.outputs[output], bytes, cudaMemcpyDeviceToHost));
  }

  const Call& call_;
  const Sizes& sizes_;
};

/// The rows of weft-bench that CUB has, but f16: CUB adds __half in __half, which is another operation.
class Peer {
 public:
  Peer(const Options& options, ItemSource& source)
      : source_(source),
        matrix_{&source, options.sizes, options.every_size, options.quick},
        some_(some_sizes(matrix_)) {}

  std::vector<Case> cases(const std::vector<std::string>& filters) {
    add_scans();
    add_adjacent_differences();
    add_reductions();
    add_selections();
    add_partitions();
    add_run_lengths();
    add_by_keys();
    add_histograms();
    add_merges();
    add_segments();
    add_sorts_of<uint32_t>(Type::u32);
    add_sorts_of<uint64_t>(Type::u64);
    add_batched_copies();
    add_expand_chains();
    std::erase_if(cases_, [&](const Case& entry) { return !is_wanted(entry.work.name(), filters); });
    return std::move(cases_);
  }

 private:
  void add(const Work& work, const Sizes& sizes, std::function<cudaError_t(Call&)> run) {
    cases_.push_back({work, sizes_for(sizes, work.item.bytes), std::move(run)});
  }
  /// The same, of secondary interest.
  void add(const Work& work, std::function<cudaError_t(Call&)> run) {
    if (!matrix_.essential) add(work, some_, std::move(run));
  }

  template <class T>
  void add_exclusive_sum(Type type, const Sizes& sizes) {
    add(scan_work(ScanKind::exclusive, Op::add, type, type), sizes, [](Call& c) {
      return cub::DeviceScan::ExclusiveSum(c.scratch, c.bytes, c.in<T>(), c.out<T>(), c.count(), c.stream);
    });
  }

  // The accumulator of CUB's sums of uint8_t is int, as C++ adds them, also where the outputs are bytes. Sums modulo
  // 2^32 are what weft gives, too.
  template <class T, class A>
  void add_inclusive_sum(Type item, Type accumulator) {
    add(scan_work(ScanKind::inclusive, Op::add, item, accumulator), matrix_.sizes, [](Call& c) {
      return cub::DeviceScan::InclusiveSum(c.scratch, c.bytes, c.in<T>(), c.out<A>(), c.count(), c.stream);
    });
  }

  template <class T>
  void add_adjacent_difference(Type item, const Sizes& sizes) {
    add(adjacent_difference_work(item), sizes, [](Call& c) {
      return cub::DeviceAdjacentDifference::SubtractLeftCopy(c.scratch, c.bytes, c.in<T>(), c.out<T>(), c.count(),
                                                             cuda::std::minus<>{}, c.stream);
    });
  }

  void add_adjacent_differences() {
    add_adjacent_difference<uint32_t>(Type::u32, matrix_.sizes);
    if (matrix_.essential) return;
    add_adjacent_difference<uint8_t>(Type::u8, some_);
    add_adjacent_difference<uint16_t>(Type::u16, some_);
    add_adjacent_difference<uint64_t>(Type::u64, some_);
    add_adjacent_difference<float>(Type::f32, some_);
    add_adjacent_difference<double>(Type::f64, some_);
  }

  void add_scans() {
    add_exclusive_sum<uint32_t>(Type::u32, matrix_.sizes);
    if (!matrix_.essential) add_inclusive_sum<uint32_t, uint32_t>(Type::u32, Type::u32);
    add_inclusive_sum<uint8_t, uint8_t>(Type::u8, Type::u8);
    add_inclusive_sum<uint8_t, uint32_t>(Type::u8, Type::u32);
    if (matrix_.essential) return;
    add_exclusive_sum<uint16_t>(Type::u16, some_);
    add_exclusive_sum<uint64_t>(Type::u64, some_);
    add_exclusive_sum<int32_t>(Type::i32, some_);
    add_exclusive_sum<float>(Type::f32, some_);
    add_exclusive_sum<double>(Type::f64, some_);
    add(scan_work(ScanKind::exclusive, Op::min, Type::u32, Type::u32), [](Call& c) {
      return cub::DeviceScan::ExclusiveScan(c.scratch, c.bytes, c.in(), c.out(), cuda::minimum<>{}, ~uint32_t{0},
                                            c.count(), c.stream);
    });
    add(scan_work(ScanKind::inclusive, Op::min, Type::u32, Type::u32), [](Call& c) {
      return cub::DeviceScan::InclusiveScan(c.scratch, c.bytes, c.in(), c.out(), cuda::minimum<>{}, c.count(),
                                            c.stream);
    });
    add(scan_work(ScanKind::exclusive, Op::bit_xor, Type::u32, Type::u32), [](Call& c) {
      return cub::DeviceScan::ExclusiveScan(c.scratch, c.bytes, c.in(), c.out(), cuda::std::bit_xor<>{}, uint32_t{0},
                                            c.count(), c.stream);
    });
    add(scan_work(ScanKind::inclusive, Op::affine, Type::u32x2, Type::u32x2), [](Call& c) {
      return cub::DeviceScan::InclusiveScan(c.scratch, c.bytes, c.in<uint2>(), c.out<uint2>(), ComposeAffine{},
                                            c.count(), c.stream);
    });
  }

  template <class T, class A>
  void add_sum(Type item, Type accumulator, const Sizes& sizes) {
    add(reduce_work(Op::add, item, accumulator), sizes,
        [](Call& c) { return cub::DeviceReduce::Sum(c.scratch, c.bytes, c.in<T>(), c.out<A>(), c.count(), c.stream); });
  }

  void add_reductions() {
    add_sum<uint32_t, uint32_t>(Type::u32, Type::u32, matrix_.sizes);
    if (matrix_.essential) return;
    add_sum<uint8_t, uint32_t>(Type::u8, Type::u32, matrix_.sizes);
    add_sum<float, float>(Type::f32, Type::f32, some_);
    add_sum<uint64_t, uint64_t>(Type::u64, Type::u64, some_);
    add(reduce_work(Op::max, Type::u32, Type::u32),
        [](Call& c) { return cub::DeviceReduce::Max(c.scratch, c.bytes, c.in(), c.out(), c.count(), c.stream); });
    // In the layout of ArgResult: the index, then the value, whose upper half prepare() has cleared.
    add(reduce_work(Op::arg_min, Type::u32, Type::u32), [](Call& c) {
      return cub::DeviceReduce::ArgMin(c.scratch, c.bytes, c.in(), c.out() + 2, c.out<int64_t>(),
                                       static_cast<int64_t>(c.n), c.stream);
    });
  }

  void add_select_if(double kept, const Sizes& sizes) {
    const BelowBound below(source_, Type::u32, kept);
    const auto value = static_cast<uint32_t>(below.value);
    add(select_if_work(Type::u32, kept, below), sizes, [value, is_all = below.is_all](Call& c) {
      const auto select = [&](auto keep) {
        return cub::DeviceSelect::If(c.scratch, c.bytes, c.in(), c.out(0), c.out(1), c.count(), keep, c.stream);
      };
      return is_all ? select(UpTo{value}) : select(Below{value});
    });
  }

  void add_select_chain(double kept) {
    const BelowBound below(source_, Type::u32, kept);
    const Below keep{static_cast<uint32_t>(below.value)};
    add(select_chain_work(kept, below), matrix_.sizes, [keep](Call& c) {
      const cudaError_t selected =
          cub::DeviceSelect::If(c.scratch, c.bytes, c.in(), c.out(0), c.out(1), c.count(), keep, c.stream);
      if (c.scratch == nullptr || selected != cudaSuccess) return selected;
      dispatch_arguments<<<1, 1, 0, c.stream>>>(c.out(1), kDispatchedItems, c.out(2));
      return cudaGetLastError();
    });
  }

  void add_unique(const RunData& runs, const Sizes& sizes) {
    add(unique_work(source_, Type::u32, runs), sizes, [](Call& c) {
      return cub::DeviceSelect::Unique(c.scratch, c.bytes, c.in(), c.out(0), c.out(1), c.count(), c.stream);
    });
  }

  void add_unique_by_key(const RunData& runs, const Sizes& sizes) {
    add(unique_by_key_work(source_, runs), sizes, [](Call& c) {
      return cub::DeviceSelect::UniqueByKey(c.scratch, c.bytes, c.in(0), c.in(1), c.out(0), c.out(1), c.out(2),
                                            c.count(), c.stream);
    });
  }

  void add_selections() {
    add_select_if(0.5, matrix_.sizes);
    add_unique(RunData::of(8), matrix_.sizes);
    if (matrix_.essential) return;
    for (const double kept : {0.0, 0.1, 0.9, 1.0}) add_select_if(kept, some_);
    add_select_chain(0.5);
    add(select_flagged_work(Type::u32, 0.5), matrix_.sizes, [](Call& c) {
      return cub::DeviceSelect::Flagged(c.scratch, c.bytes, c.in(1), c.in<uint8_t>(0), c.out(0), c.out(1), c.count(),
                                        c.stream);
    });
    add_unique_by_key(RunData::of(8), matrix_.sizes);
    for (const uint32_t mean : {1u, 100u, 10000u}) add_unique(RunData::of(mean), some_);
    // Of random data every item is a run to these, as in runs=1; a file has runs of its own.
    if (!source_.is_file()) return;
    add_unique(RunData::of(source_), some_);
    add_unique_by_key(RunData::of(source_), some_);
  }

  // CUB writes both partitions into one array, the other items from its end on and so in reverse.
  void add_partitions() {
    const BelowBound below(source_, Type::u32, 0.5);
    Work work = partition_work(kept_name(0.5), Type::u32, {2, below, below}, 1);
    work.outputs = writes({4}, {4});
    work.check = [below](const Inputs& in, Outputs& out) {
      const auto items = in.as();
      const uint64_t n = items.size(), kept = std::min<uint64_t>(out.read(1), n);
      const FetchOutputs fetch = out.fetch(0);
      const auto others = [&](uint64_t first, uint64_t count) { return fetch(kept + first, count); };
      uint64_t count = 0;
      return oracle::first_bad(oracle::check_select(
                                   items, [&](uint64_t i) { return below(items[i]); }, fetch, kept),
                               oracle::check_kept<uint32_t>(
                                   "other item", n, [&](uint64_t i) { return items[n - 1 - i]; },
                                   [&](uint64_t i) { return !below(items[n - 1 - i]); }, FetchOutputs(others), count));
    };
    const Below keep{static_cast<uint32_t>(below.value)};
    add(work, matrix_.sizes, [keep](Call& c) {
      return cub::DevicePartition::If(c.scratch, c.bytes, c.in(), c.out(0), c.out(1), c.count(), keep, c.stream);
    });
    if (matrix_.essential) return;
    const Bounds bounds{3, BelowBound(source_, Type::u32, 1.0 / 3), BelowBound(source_, Type::u32, 2.0 / 3)};
    const auto low = static_cast<uint32_t>(bounds.low.value), high = static_cast<uint32_t>(bounds.high.value - 1);
    add(partition_work("3-way", Type::u32, bounds, 2), matrix_.sizes, [=](Call& c) {
      return cub::DevicePartition::If(c.scratch, c.bytes, c.in(), c.out(0), c.out(1), c.out(2), c.out(3), c.count(),
                                      Below{low}, Inside{low, high}, c.stream);
    });
  }

  template <class T>
  void add_run_length_encode(Type symbol, const RunData& runs, const Sizes& sizes) {
    add(run_length_encode_work(source_, symbol, runs), sizes, [](Call& c) {
      return cub::DeviceRunLengthEncode::Encode(c.scratch, c.bytes, c.in<T>(), c.out<T>(0), c.out(1), c.out(2),
                                                c.count(), c.stream);
    });
  }

  template <class T>
  void add_non_trivial_runs(Type symbol) {
    add(non_trivial_runs_work(source_, symbol, 8), [](Call& c) {
      return cub::DeviceRunLengthEncode::NonTrivialRuns(c.scratch, c.bytes, c.in<T>(), c.out(0), c.out(1), c.out(2),
                                                        c.count(), c.stream);
    });
  }

  // CUB takes counts from the host, and how many runs there are is known to the device alone: it scans as many lengths
  // as there is room for.
  void add_run_ranges(const RunData& runs) {
    add(run_ranges_work(source_, runs), matrix_.sizes, [](Call& c) {
      size_t encode_bytes = c.bytes, scan_bytes = c.bytes;
      const cudaError_t encoded = cub::DeviceRunLengthEncode::Encode(c.scratch, encode_bytes, c.in(), c.out(0),
                                                                     c.out(1), c.out(2), c.count(), c.stream);
      if (encoded != cudaSuccess) return encoded;
      const cudaError_t scanned =
          cub::DeviceScan::ExclusiveSum(c.scratch, scan_bytes, c.out(1), c.out(3), c.count(), c.stream);
      if (c.scratch == nullptr) c.bytes = std::max(encode_bytes, scan_bytes);
      if (c.scratch == nullptr || scanned != cudaSuccess) return scanned;
      dispatch_arguments<<<1, 1, 0, c.stream>>>(c.out(2), kDispatchedItems, c.out(4));
      return cudaGetLastError();
    });
  }

  void add_run_lengths() {
    const auto add_both = [&](const RunData& runs, const Sizes& sizes) {
      add_run_length_encode<uint32_t>(Type::u32, runs, sizes);
      add_run_length_encode<uint8_t>(Type::u8, runs, sizes);
    };
    add_both(RunData::of(8), matrix_.sizes);
    if (matrix_.essential) return;
    for (const uint32_t mean : {1u, 100u, 10000u}) add_both(RunData::of(mean), some_);
    add_both(RunData::of(source_), some_);
    for (const RunData& runs : chain_runs()) add_run_ranges(runs);
    add_non_trivial_runs<uint32_t>(Type::u32);
    add_non_trivial_runs<uint8_t>(Type::u8);
  }

  void add_by_keys() {
    const auto add_both = [&](const RunData& runs, const Sizes& sizes) {
      add(scan_by_key_work(runs), sizes, [](Call& c) {
        return cub::DeviceScan::InclusiveSumByKey(c.scratch, c.bytes, c.in(0), c.in(1), c.out(0), c.count(),
                                                  cuda::std::equal_to<>{}, c.stream);
      });
      add(reduce_by_key_work(source_, runs), sizes, [](Call& c) {
        return cub::DeviceReduce::ReduceByKey(c.scratch, c.bytes, c.in(0), c.out(0), c.in(1), c.out(1), c.out(2),
                                              cuda::std::plus<>{}, c.count(), c.stream);
      });
    };
    add_both(RunData::of(8), matrix_.sizes);
    if (matrix_.essential) return;
    for (const uint32_t mean : {1u, 100u}) add_both(RunData::of(mean), matrix_.sizes);
    // Of random data every item is a run to these, as in runs=1; a file has runs of its own.
    if (source_.is_file()) add_both(RunData::of(source_), some_);
  }

  // 256 bins over all values of the type: bin i holds the items whose highest byte is i. Levels are of a type that has
  // the upper one.
  template <class T, class Level>
  void add_histogram(Type type) {
    constexpr int kBins = 256;
    add(histogram_work(kBins, type), matrix_.sizes, [](Call& c) {
      return cub::DeviceHistogram::HistogramEven(c.scratch, c.bytes, c.in<T>(), c.out(), kBins + 1, Level{0},
                                                 static_cast<Level>(uint64_t{1} << 8 * sizeof(T)), c.count(), c.stream);
    });
  }

  void add_histograms() {
    add_histogram<uint32_t, uint64_t>(Type::u32);
    add_histogram<uint8_t, int>(Type::u8);
  }

  template <class T>
  void add_merge(MergeOutput output, MergeSpread spread, Type key, const Sizes& sizes) {
    add(merge_work(output, spread, key), sizes, [=](Call& c) {
      const auto a = static_cast<int64_t>(merge_count(spread, c.n, 0)), b = static_cast<int64_t>(c.n) - a;
      if (output == MergeOutput::pairs)
        return cub::DeviceMerge::MergePairs(c.scratch, c.bytes, c.in<T>(0), c.in(2), a, c.in<T>(1), c.in(3), b,
                                            c.out<T>(0), c.out(1), cuda::std::less<>{}, c.stream);
      return cub::DeviceMerge::MergeKeys(c.scratch, c.bytes, c.in<T>(0), a, c.in<T>(1), b, c.out<T>(0),
                                         cuda::std::less<>{}, c.stream);
    });
  }

  void add_merges() {
    add_merge<uint32_t>(MergeOutput::keys, MergeSpread::random, Type::u32, matrix_.sizes);
    if (matrix_.essential) return;
    for (const MergeSpread spread : kSkewedSpreads) add_merge<uint32_t>(MergeOutput::keys, spread, Type::u32, some_);
    add_merge<uint64_t>(MergeOutput::keys, MergeSpread::random, Type::u64, some_);
    add_merge<uint32_t>(MergeOutput::pairs, MergeSpread::random, Type::u32, some_);
    for (const MergeSpread spread : kSkewedSpreads) add_merge<uint32_t>(MergeOutput::pairs, spread, Type::u32, some_);
  }

  void add_segments() {
    for (const uint32_t mean : {25u, 5u, 1000u, 5000u}) {
      if (matrix_.essential && mean != 25) continue;
      const Spread spread{Spread::Kind::uniform, mean};
      add(segmented_reduce_work(spread), mean == 25 ? matrix_.sizes : some_, [=](Call& c) {
        return cub::DeviceSegmentedReduce::Sum(c.scratch, c.bytes, c.in(0), c.out(0),
                                               static_cast<int>(spread.number(c.n)), c.in(1), c.in(1) + 1, c.stream);
      });
    }
  }

  template <class T>
  void add_sort(bool by_digits, Type key, bool pairs, Keys kind, const Sizes& sizes) {
    add(sort_work(by_digits ? "radix_sort" : "merge_sort", key, kind, pairs), sizes, [=](Call& c) {
      const auto count = static_cast<int64_t>(c.n);
      constexpr int kBits = 8 * sizeof(T);
      if (!by_digits && pairs)
        return cub::DeviceMergeSort::SortPairsCopy(c.scratch, c.bytes, c.in<T>(0), c.in(1), c.out<T>(0), c.out(1),
                                                   count, cuda::std::less<>{}, c.stream);
      if (!by_digits)
        return cub::DeviceMergeSort::SortKeysCopy(c.scratch, c.bytes, c.in<T>(0), c.out<T>(0), count,
                                                  cuda::std::less<>{}, c.stream);
      if (pairs)
        return cub::DeviceRadixSort::SortPairs(c.scratch, c.bytes, c.in<T>(0), c.out<T>(0), c.in(1), c.out(1),
                                               c.count(), 0, kBits, c.stream);
      return cub::DeviceRadixSort::SortKeys(c.scratch, c.bytes, c.in<T>(0), c.out<T>(0), c.count(), 0, kBits, c.stream);
    });
  }

  template <class T>
  void add_segmented_sort(const SegmentLengths& lengths, Type key, bool pairs, const Sizes& sizes) {
    add(segmented_sort_work(lengths, key, pairs), sizes, [=](Call& c) {
      const auto segments = static_cast<int>(lengths.spread(c.n).number(c.n));
      if (pairs)
        return cub::DeviceSegmentedSort::StableSortPairs(c.scratch, c.bytes, c.in<T>(0), c.out<T>(0), c.in(2), c.out(1),
                                                         c.count(), segments, c.in(1), c.in(1) + 1, c.stream);
      return cub::DeviceSegmentedSort::StableSortKeys(c.scratch, c.bytes, c.in<T>(0), c.out<T>(0), c.count(), segments,
                                                      c.in(1), c.in(1) + 1, c.stream);
    });
  }

  /// Keys of u32 are essential, and skewed too.
  template <class T>
  void add_sorts_of(Type key) {
    const bool is_first = key == Type::u32;
    if (matrix_.essential && !is_first) return;
    for (const bool pairs : {false, true}) {
      for (const bool by_digits : {true, false}) {
        add_sort<T>(by_digits, key, pairs, Keys::random, is_first ? matrix_.sizes : some_);
        for (const Keys kind : kSkewedKeys)
          if (is_first && !matrix_.essential) add_sort<T>(by_digits, key, pairs, kind, some_);
      }
      for (const SegmentLengths& lengths : segment_lengths(matrix_.essential))
        add_segmented_sort<T>(lengths, key, pairs, is_first && lengths.mean == kEssentialMean ? matrix_.sizes : some_);
    }
  }

  // Addresses are made of offsets of 4 bytes on the fly, so that CUB too reads 12 bytes a buffer.
  void add_batched_copies() {
    for (const Spread& buffers : batched_copy_spreads(matrix_.essential))
      add(interval_move_work("batched_copy", buffers, true, Type::u8, false),
          buffers.mean == 1024 ? matrix_.sizes : some_, [=](Call& c) {
            const auto addresses = [](const uint32_t* offsets, void* base) {
              return thrust::make_transform_iterator(offsets, AddressOf{static_cast<std::byte*>(base)});
            };
            return cub::DeviceMemcpy::Batched(c.scratch, c.bytes, addresses(c.in(1), c.inputs[2]),
                                              addresses(c.in(3), c.outputs[0]), c.in(0),
                                              static_cast<uint32_t>(buffers.number(c.n)), c.stream);
          });
  }

  // As CUB's documentation decodes runs: offsets by a scan, which lie before the scratch of either call, and a batched
  // copy of repeated values.
  void add_expand_chains() {
    if (matrix_.essential) return;
    for (const Spread& spread : chain_spreads())
      add(interval_work("interval_expand", spread, true, IntervalsBy::counts, false), matrix_.sizes, [=](Call& c) {
        const auto number = static_cast<uint32_t>(spread.number(c.n));
        const size_t offsets_bytes = (4 * (size_t{number} + 1) + 255) / 256 * 256;
        auto* const offsets = static_cast<uint32_t*>(c.scratch);
        void* const rest = c.scratch == nullptr ? nullptr : static_cast<std::byte*>(c.scratch) + offsets_bytes;
        size_t scan_bytes = c.bytes - offsets_bytes, copy_bytes = scan_bytes;
        const cudaError_t scanned = cub::DeviceScan::ExclusiveSum(rest, scan_bytes, c.in(0), offsets,
                                                                  static_cast<int>(number) + 1, c.stream);
        if (scanned != cudaSuccess) return scanned;
        const cudaError_t copied = cub::DeviceCopy::Batched(
            rest, copy_bytes, thrust::make_transform_iterator(c.in(1), Repeated{}),
            thrust::make_transform_iterator(offsets, OutputAt{c.out()}), c.in(0), number, c.stream);
        if (c.scratch == nullptr) c.bytes = offsets_bytes + std::max(scan_bytes, copy_bytes);
        return copied;
      });
  }

  ItemSource& source_;
  Matrix matrix_;
  Sizes some_;
  std::vector<Case> cases_;
};

cudaError_t copy(Call& c, bool by_kernel) {
  c.bytes = 16;
  if (c.scratch == nullptr) return cudaSuccess;
  if (!by_kernel) return cudaMemcpyAsync(c.outputs[0], c.inputs[0], c.n * 4, cudaMemcpyDeviceToDevice, c.stream);
  const auto vectors = static_cast<uint32_t>((c.n + 3) / 4);
  copy_vectors<<<(vectors + 1023) / 1024, 256, 0, c.stream>>>(c.in<uint4>(), c.out<uint4>(), vectors);
  return cudaGetLastError();
}

cudaError_t run_empty(Call& c, bool dispatches) {
  c.bytes = 16;
  if (c.scratch != nullptr && dispatches) nothing<<<1, 256, 0, c.stream>>>();
  return cudaGetLastError();
}

/// What does nothing, then the copies that the others are compared with, then those.
std::vector<Case> all_cases(const Options& options, ItemSource& source) {
  std::vector<Case> peers = Peer(options, source).cases(options.filters);
  Sizes copies = options.sizes;
  for (const Case& peer : peers)
    for (const uint64_t n : peer.sizes) copies.push_back(copy_items(peer.work.moved_bytes(n)));
  std::sort(copies.begin(), copies.end());
  copies.erase(std::unique(copies.begin(), copies.end()), copies.end());
  std::vector<Case> cases{{empty_work("nothing"), {0}, [](Call& c) { return run_empty(c, false); }},
                          {empty_work("dispatch"), {0}, [](Call& c) { return run_empty(c, true); }},
                          {copy_work("kernel"), copies, [](Call& c) { return copy(c, true); }},
                          {copy_work("memcpy"), copies, [](Call& c) { return copy(c, false); }}};
  cases.insert(cases.end(), std::make_move_iterator(peers.begin()), std::make_move_iterator(peers.end()));
  return cases;
}

class Timer {
 public:
  Timer(bool queued) : queued_(queued) {
    CUDA_CHECK(cudaStreamCreate(&stream_));
    CUDA_CHECK(cudaHostAlloc(&open_, sizeof *open_, cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_open_), open_, 0));
    for (auto& event : starts_) CUDA_CHECK(cudaEventCreate(&event));
    for (auto& event : stops_) CUDA_CHECK(cudaEventCreate(&event));
  }
  Timer(const Timer&) = delete;

  cudaStream_t stream() const { return stream_; }

  // Milliseconds of each of `count` calls, count <= kMaxBatch.
  template <class Call>
  std::vector<double> time(uint32_t count, const Call& call) {
    *open_ = 0;
    if (queued_) gate<<<1, 1, 0, stream_>>>(device_open_);
    for (uint32_t i = 0; i < count; ++i) {
      CUDA_CHECK(cudaEventRecord(starts_[i], stream_));
      CUDA_CHECK(call());
      CUDA_CHECK(cudaEventRecord(stops_[i], stream_));
    }
    *const_cast<volatile int*>(open_) = 1;
    CUDA_CHECK(cudaStreamSynchronize(stream_));
    std::vector<double> samples;
    for (uint32_t i = 0; i < count; ++i) {
      float ms = 0;
      CUDA_CHECK(cudaEventElapsedTime(&ms, starts_[i], stops_[i]));
      samples.push_back(ms);
    }
    return samples;
  }

 private:
  bool queued_;
  cudaStream_t stream_ = nullptr;
  int* open_ = nullptr;
  int* device_open_ = nullptr;
  cudaEvent_t starts_[kMaxBatch]{};
  cudaEvent_t stops_[kMaxBatch]{};
};

/// Device memory that grows.
class Buffer {
 public:
  /// Whether it is another memory now.
  bool ensure(uint64_t bytes) {
    if (bytes <= bytes_) return false;
    CUDA_CHECK(cudaFree(memory_));
    CUDA_CHECK(cudaMalloc(&memory_, bytes));
    bytes_ = bytes;
    return true;
  }
  std::byte* memory() const { return memory_; }

 private:
  std::byte* memory_ = nullptr;
  uint64_t bytes_ = 0;
};

class Measurement {
 public:
  Measurement(const Options& options, ItemSource& source)
      : options_(options), source_(source), timer_(options.queued), table_(options.json == "-" ? stderr : stdout) {
    table_.header();
  }

  bool run(const Case& entry) {
    bool good = true;
    for (const uint64_t n : entry.sizes) {
      Row row = row_of(entry.work, source_);
      row.n = n;
      row.strategy = "cub";
      const Inputs in{source_, entry.work.inputs(source_, n), n};
      const Sizes outputs = entry.work.outputs(n);
      Call call = prepare(entry, in, outputs);
      CUDA_CHECK(entry.run(call));
      CUDA_CHECK(cudaStreamSynchronize(timer_.stream()));
      DeviceOutputs out(call, outputs);
      const Verdict verdict = entry.work.check(in, out);
      row.verified = verdict && !*verdict;
      row.verification = Verification::full;
      if (row.verified)
        measure(entry, call, row);
      else
        row.problem = !verdict ? verdict.error().message
                               : "WRONG at " + std::to_string((*verdict)->index) + ": expected " +
                                     (*verdict)->expected + ", found " + (*verdict)->found;
      row.failed = !row.verified;
      good = good && row.verified;
      table_.row(row);
      rows_.push_back(std::move(row));
    }
    return good;
  }

  nlohmann::ordered_json report() const {
    const std::string cub = "CUB " + std::to_string(CUB_MAJOR_VERSION) + '.' + std::to_string(CUB_MINOR_VERSION) + '.' +
                            std::to_string(CUB_SUBMINOR_VERSION);
    nlohmann::ordered_json head{{"schema", 1}, {"weft_version", nullptr}, {"commit", nullptr}};
    head["peer"] = cub + (options_.queued ? ", calls enqueued ahead" : ", calls enqueued as they run");
    head["device"] = cuda_device_json();
    return report_json(std::move(head), "device", rows_);
  }

 private:
  /// Uploads the inputs that are not there yet, and poisons the outputs.
  Call prepare(const Case& entry, const Inputs& in, const Sizes& outputs) {
    Call call;
    call.n = in.n;
    call.stream = timer_.stream();
    CUDA_CHECK(entry.run(call));
    scratch_.ensure(call.bytes);
    call.scratch = scratch_.memory();
    Sizes inputs;
    for (const HostArray& array : in.arrays) inputs.push_back(array.bytes.size());
    if (input_.ensure(lay_out(inputs, nullptr, call.inputs))) held_.clear();
    lay_out(inputs, input_.memory(), call.inputs);
    // A longer array serves where it lies alone.
    const auto serves = [&](const HostArray& wanted, const HostArray& held) {
      return wanted.id == held.id &&
             (held_.size() == 1 ? wanted.bytes.size() <= held.bytes.size() : wanted.bytes.size() == held.bytes.size());
    };
    if (!std::equal(in.arrays.begin(), in.arrays.end(), held_.begin(), held_.end(), serves)) {
      for (size_t i = 0; i < inputs.size(); ++i)
        CUDA_CHECK(cudaMemcpy(call.inputs[i], in.arrays[i].bytes.data(), inputs[i], cudaMemcpyHostToDevice));
      held_.clear();
      for (const HostArray& array : in.arrays) held_.push_back(array);
    }
    const uint64_t written = lay_out(outputs, nullptr, call.outputs);
    output_.ensure(written);
    lay_out(outputs, output_.memory(), call.outputs);
    CUDA_CHECK(cudaMemset(output_.memory(), 0xa5, written));
    // The upper half of an ArgResult's value, which ArgMin does not write.
    if (entry.work.variant == "arg_min") CUDA_CHECK(cudaMemset(output_.memory() + 12, 0, 4));
    return call;
  }

  // Puts arrays of those sizes one after the other from `base` on, each at a multiple of 256 bytes. Gives the bytes of
  // all, never 0.
  static uint64_t lay_out(const Sizes& sizes, std::byte* base, std::vector<void*>& arrays) {
    uint64_t offset = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      arrays[i] = base + offset;
      offset += (sizes[i] + 255) / 256 * 256;
    }
    return std::max<uint64_t>(offset, 256);
  }

  void measure(const Case& entry, Call& call, Row& row) {
    const size_t bytes = call.bytes;
    const auto run = [&] {
      call.bytes = bytes;
      return entry.run(call);
    };
    const auto time_batch = [&](uint32_t count) { return std::optional(timer_.time(count, run)); };
    // While a CUDA context exists the driver keeps the clocks up.
    row.ms = summarize(
        *take_samples({options_.repeats, kWarmUpMs, kMaxBatch}, kWarmUpMs / 10, time_batch, [] { return true; }));
    std::vector<double> walls;
    for (uint32_t i = 0; i < std::min(5u, options_.repeats); ++i) {
      const auto start = std::chrono::steady_clock::now();
      CUDA_CHECK(run());
      CUDA_CHECK(cudaStreamSynchronize(timer_.stream()));
      walls.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    row.wall_ms = summarize(std::move(walls)).median;
    const uint64_t moved = entry.work.moved_bytes(row.n);
    row.gbps = gbps_of(moved, row.ms->median);
    if (row.primitive == "copy" && row.variant == "kernel") copy_gbps_[row.n] = row.gbps;
    const auto copy = copy_gbps_.find(copy_items(moved));
    if (copy != copy_gbps_.end() && copy->second > 0) row.copy_fraction = row.gbps / copy->second;
  }

  const Options& options_;
  ItemSource& source_;
  Timer timer_;
  Table table_;
  Buffer input_, output_, scratch_;
  Arrays held_;  // in input_, where the layout of as many arrays of as many bytes puts them
  std::map<uint64_t, double> copy_gbps_;
  std::vector<Row> rows_;
};

[[noreturn]] void usage(int status) {
  std::fputs(
      "cub-bench [--sizes 2^16,2^20,...] [--quick] [--filter TEXT]... [--repeats N] [--input FILE] [--json FILE|-]\n"
      "          [--unqueued]\n"
      "CUB in the rows of weft-bench. --unqueued: time calls while they are being launched, launch costs included,\n"
      "rather than enqueue them all first.\n",
      status == 0 ? stdout : stderr);
  std::exit(status);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) usage(2);
      return argv[++i];
    };
    if (name == "--sizes") {
      options.sizes.clear();
      options.every_size = true;
      const std::string text = value();
      for (size_t at = 0; at <= text.size();) {
        const size_t next = std::min(text.find(',', at), text.size());
        const auto size = parse_size(text.substr(at, next - at));
        if (!size || *size > 1u << 28) usage(2);
        options.sizes.push_back(*size);
        at = next + 1;
      }
      std::sort(options.sizes.begin(), options.sizes.end());
    } else if (name == "--quick")
      options.quick = true;
    else if (name == "--unqueued")
      options.queued = false;
    else if (name == "--filter")
      options.filters.push_back(value());
    else if (name == "--repeats")
      options.repeats = static_cast<uint32_t>(std::strtoul(value().c_str(), nullptr, 10));
    else if (name == "--input")
      options.input = value();
    else if (name == "--json")
      options.json = value();
    else
      usage(name == "--help" ? 0 : 2);
  }
  if (options.repeats == 0) options.repeats = options.quick ? 11 : 30;
  return options;
}

int run(const Options& options) {
  auto source = options.input.empty() ? Result<ItemSource>(ItemSource::random()) : ItemSource::file(options.input);
  if (!source) {
    std::fprintf(stderr, "cub-bench: %s\n", source.error().message.c_str());
    return 1;
  }
  Measurement measurement(options, *source);
  bool good = true;
  for (const Case& entry : all_cases(options, *source)) good = measurement.run(entry) && good;
  if (options.json.empty()) return good ? 0 : 1;
  const Status status = write_text(options.json, measurement.report().dump(1) + '\n');
  if (!status) std::fprintf(stderr, "cub-bench: %s\n", status.error().message.c_str());
  return good && status ? 0 : 1;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) { return weft::bench::run(weft::bench::parse(argc, argv)); }
