// SPDX-License-Identifier: MIT OR Apache-2.0
// CUB's primitives, on the data and in the rows of weft-bench, for `weft-bench compare`. See README.md here.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>

#include "support/compaction_oracle.hpp"
#include "support/interval_counts.hpp"
#include "support/item_source.hpp"
#include "support/merge_input.hpp"
#include "support/oracle.hpp"
#include "support/sampling.hpp"
#include "support/segmented_sort_input.hpp"
#include "support/sort_keys.hpp"

namespace {

using weft::Op;
using weft::ScanKind;
using weft::Type;
using weft::bench::Data;
using weft::bench::FetchOutputs;
using weft::bench::HostArray;
using weft::bench::IntervalCounts;
using weft::bench::IntervalPlaces;
using weft::bench::ItemSource;
using weft::bench::items_of;
using weft::bench::MergeInput;
using weft::bench::MergeOutput;
using weft::bench::MergeSpread;
using weft::bench::Mismatch;
using weft::bench::Spread;
using weft::bench::Summary;

#define CUDA_CHECK(call)                                                                        \
  do {                                                                                          \
    const cudaError_t cuda_check_error = (call);                                                \
    if (cuda_check_error != cudaSuccess) {                                                      \
      std::fprintf(stderr, "cub-bench: %s: %s\n", #call, cudaGetErrorString(cuda_check_error)); \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (0)

constexpr double kWarmUpMs = 200;
// All commands of a batch must fit the driver's queue while the gate holds them back.
constexpr uint32_t kMaxBatch = 32;

struct Options {
  std::vector<uint64_t> sizes{1u << 16, 1u << 20, 1u << 24, 1u << 28};
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

/// What a call works on, all in device memory. The arrays are null while only the scratch is asked for.
struct Memory {
  std::vector<void*> inputs = std::vector<void*>(4);
  std::vector<void*> outputs = std::vector<void*>(4);
  void* scratch = nullptr;
  size_t scratch_bytes = 0;

  template <class T = uint32_t>
  const T* in(size_t i = 0) const {
    return static_cast<const T*>(inputs[i]);
  }
  template <class T = uint32_t>
  T* out(size_t i = 0) const {
    return static_cast<T*>(outputs[i]);
  }
};

/// An array that a call reads.
struct Input {
  Data data;
  Type type = Type::u32;
  uint64_t count = 0;
  std::function<HostArray()> make{};  // where it is no data of the source

  HostArray array(ItemSource& source) const {
    if (make) return make();
    return data == Data::stream() ? source.items(type, count) : source.array(data, weft::size_of(type), count);
  }
};

/// One call at one size.
struct Work {
  std::string primitive;
  std::string variant;
  Type item = Type::u32;
  uint64_t n = 0;
  std::vector<Input> inputs;
  std::vector<uint64_t> outputs;  // bytes of each
  uint64_t moved_bytes = 0;
  // With scratch null it only sets the bytes of scratch it needs, as CUB's calls do.
  std::function<cudaError_t(const Memory&, void* scratch, size_t& scratch_bytes, cudaStream_t)> call;
  std::function<std::optional<Mismatch>(const Memory&, const std::vector<HostArray>&)> check;

  /// What the row's data column says.
  std::string data(const ItemSource& source) const {
    return !inputs.empty() && inputs[0].data.kind == Data::Kind::runs ? "runs" : source.name();
  }
};

struct Row {
  Work work;
  bool verified = false;
  Summary ms;
  double wall_ms = 0;
  double gbps = 0;
  double copy_fraction = 0;
};

const char* type_name(Type type) {
  switch (type) {
    case Type::u8: return "u8";
    case Type::u16: return "u16";
    case Type::u32: return "u32";
    case Type::u64: return "u64";
    case Type::i32: return "i32";
    case Type::i64: return "i64";
    case Type::f16: return "f16";
    case Type::f32: return "f32";
    case Type::f64: return "f64";
    case Type::u32x2: return "u32x2";
  }
  return "";
}

std::optional<Mismatch> take(weft::Result<std::optional<Mismatch>> result) {
  if (!result) {
    std::fprintf(stderr, "cub-bench: %s\n", result.error().message.c_str());
    std::exit(1);
  }
  return *result;
}

/// Reads outputs of `item_bytes` from the device.
FetchOutputs fetcher(const void* outputs, size_t item_bytes) {
  return [outputs, item_bytes, chunk = std::vector<std::byte>()](uint64_t first, uint64_t count) mutable {
    chunk.resize(count * item_bytes);
    CUDA_CHECK(cudaMemcpy(chunk.data(), static_cast<const std::byte*>(outputs) + first * item_bytes, chunk.size(),
                          cudaMemcpyDeviceToHost));
    return weft::Result<std::span<const std::byte>>(chunk);
  };
}

uint32_t read_word(const uint32_t* word) {
  uint32_t value = 0;
  CUDA_CHECK(cudaMemcpy(&value, word, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

uint64_t expected(double share, uint64_t n) {
  return static_cast<uint64_t>(std::llround(share * static_cast<double>(n)));
}

std::string kept_name(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "kept=%g", share);
  return text;
}

// T and A are the items' and outputs' types on the device; call(in, out, n, scratch, bytes, stream) is CUB's.
template <class T, class A, class Call>
Work scan_work(const char* variant, ScanKind kind, Op op, Type item, Type accumulator, uint64_t n, Call call) {
  Work work{"scan", variant, item, n, {{Data::stream(), item, n}}, {n * sizeof(A)}, n * (sizeof(T) + sizeof(A)),
            {},     {}};
  work.call = [n, call](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return call(memory.in<T>(), memory.out<A>(), static_cast<int>(n), scratch, bytes, stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_scan(kind, op, item, accumulator, inputs[0].bytes,
                                        fetcher(memory.out<A>(), sizeof(A))));
  };
  return work;
}

template <class T>
Work adjacent_difference(Type item, uint64_t n) {
  Work work{"adjacent_difference", "left", item, n, {{Data::stream(), item, n}}, {n * sizeof(T)}, 2 * n * sizeof(T),
            {}, {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceAdjacentDifference::SubtractLeftCopy(scratch, bytes, memory.in<T>(), memory.out<T>(),
                                                           static_cast<int>(n), cuda::std::minus<>{}, stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_adjacent_difference(item, inputs[0].bytes, fetcher(memory.out<T>(), sizeof(T))));
  };
  return work;
}

template <class T, class A, class Call>
Work reduce_work(const char* variant, Op op, Type item, Type accumulator, uint64_t n, Call call) {
  Work work{"reduce", variant, item, n, {{Data::stream(), item, n}}, {sizeof(weft::ArgResult)}, n * sizeof(T), {}, {}};
  work.call = [n, call](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return call(memory.in<T>(), memory.out<A>(), static_cast<int>(n), scratch, bytes, stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>& inputs) {
    std::byte found[sizeof(weft::ArgResult)]{};
    const size_t size = op == Op::arg_min ? sizeof found : sizeof(A);
    CUDA_CHECK(cudaMemcpy(found, memory.outputs[0], size, cudaMemcpyDeviceToHost));
    return take(
        weft::bench::check_reduce(op, item, accumulator, inputs[0].bytes, std::span<const std::byte>(found, size)));
  };
  return work;
}

template <class Keep>
Work select_if_work(double share, double share_kept, Keep keep, uint64_t n) {
  Work work{"select_if",
            kept_name(share),
            Type::u32,
            n,
            {{Data::stream(), Type::u32, n}},
            {n * 4, 4},
            4 * n + 4 * expected(share_kept, n),
            {},
            {}};
  work.call = [n, keep](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceSelect::If(scratch, bytes, memory.in(), memory.out(0), memory.out(1), static_cast<int>(n), keep,
                                 stream);
  };
  work.check = [keep](const Memory& memory, const std::vector<HostArray>& inputs) {
    const auto items = items_of<uint32_t>(inputs[0].bytes);
    return take(weft::bench::check_select(items, [&](uint64_t i) { return keep(items[i]); },
                                          fetcher(memory.outputs[0], 4), read_word(memory.out(1))));
  };
  return work;
}

Work select_if(const ItemSource& source, double share, uint64_t n) {
  const auto bound = source.bound_below(share);
  if (bound.value >> 32) return select_if_work(share, bound.share, UpTo{~uint32_t{0}}, n);
  return select_if_work(share, bound.share, Below{static_cast<uint32_t>(bound.value)}, n);
}

Work select_flagged(double share, uint64_t n) {
  Work work{"select_flagged",
            kept_name(share) + " u8 flags",
            Type::u32,
            n,
            {{Data::stream(), Type::u32, n}, {Data::flags(share), Type::u8, n}},
            {n * 4, 4},
            5 * n + 4 * expected(share, n),
            {},
            {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceSelect::Flagged(scratch, bytes, memory.in(0), memory.in<uint8_t>(1), memory.out(0),
                                      memory.out(1), static_cast<int>(n), stream);
  };
  work.check = [](const Memory& memory, const std::vector<HostArray>& inputs) {
    const auto flags = items_of<uint8_t>(inputs[1].bytes);
    return take(weft::bench::check_select(items_of<uint32_t>(inputs[0].bytes),
                                          [&](uint64_t i) { return flags[i] != 0; }, fetcher(memory.outputs[0], 4),
                                          read_word(memory.out(1))));
  };
  return work;
}

/// What rows on runs are about: runs of some mean length, or those of the source's own items.
struct Runs {
  Data data;
  std::string name;

  static Runs of(uint32_t mean) { return {Data::runs(mean), "runs=" + std::to_string(mean)}; }
  static Runs of(const ItemSource& source) { return {Data::stream(), source.stream_name()}; }
};

/// Address of a byte.
struct AddressOf {
  std::byte* base;
  __host__ __device__ void* operator()(uint32_t offset) const { return base + offset; }
};

/// The one that was asked for last.
const IntervalPlaces& places_of(const Spread& spread, uint64_t bytes) {
  static IntervalPlaces places;
  if (places.id() != IntervalCounts::id_of(spread, bytes)) places = IntervalPlaces(spread, bytes);
  return places;
}

// Addresses are made of offsets of 4 bytes on the fly, so that CUB too reads 12 bytes a buffer.
Work batched_copy(const Spread& spread, uint64_t n) {
  const uint64_t buffers = IntervalCounts::number(spread, n);
  const Data items = Data::noise(11);
  const auto input = [=](HostArray (IntervalPlaces::*array)() const) {
    return Input{{}, Type::u32, buffers, [=] { return (places_of(spread, n).*array)(); }};
  };
  Work work{"batched_copy",
            spread.name(),
            Type::u8,
            n,
            {input(&IntervalPlaces::counts_array), input(&IntervalPlaces::gather_array), {items, Type::u32, n / 4},
             input(&IntervalPlaces::scatter_array)},
            {n},
            2 * n + 12 * buffers,
            {},
            {}};
  work.call = [buffers](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    const auto addresses = [](const uint32_t* offsets, void* base) {
      return thrust::make_transform_iterator(offsets, AddressOf{static_cast<std::byte*>(base)});
    };
    return cub::DeviceMemcpy::Batched(scratch, bytes, addresses(memory.in(1), memory.inputs[2]),
                                      addresses(memory.in(3), memory.outputs[0]), memory.in(0),
                                      static_cast<uint32_t>(buffers), stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>& inputs) {
    const auto input = items_of<uint32_t>(inputs[2].bytes);
    const IntervalPlaces& places = places_of(spread, n);
    return take(weft::bench::oracle::check_pieces<uint32_t>(
        "word", buffers, [&](uint64_t k) { return places.count(places.scattered(k)) / 4; },
        [&](uint64_t k, uint64_t j) { return input[places.gather()[places.scattered(k)] / 4 + j]; },
        fetcher(memory.outputs[0], 4)));
  };
  return work;
}

/// Offsets of segments, made when they are asked for.
const IntervalCounts& counts_of(const Spread& spread, uint64_t n) {
  static IntervalCounts counts;
  if (counts.id() != IntervalCounts::id_of(spread, n)) counts = IntervalCounts(spread, n);
  return counts;
}

Work segmented_reduce(const Spread& spread, uint64_t n) {
  const uint64_t segments = IntervalCounts::number(spread, n);
  const Input offsets{{}, Type::u32, segments + 1, [=] { return counts_of(spread, n).offsets_array(); }};
  Work work{"segmented_reduce",
            "add " + spread.name(),
            Type::u32,
            n,
            {{Data::stream(), Type::u32, n}, offsets},
            {segments * 4},
            4 * n + 8 * segments,
            {},
            {}};
  work.call = [segments](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceSegmentedReduce::Sum(scratch, bytes, memory.in(0), memory.out(0), static_cast<int>(segments),
                                           memory.in(1), memory.in(1) + 1, stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_segmented_reduce(items_of<uint32_t>(inputs[0].bytes),
                                                    counts_of(spread, n).offsets(), fetcher(memory.outputs[0], 4)));
  };
  return work;
}

/// The keys and values that were asked for last.
weft::bench::SortInput& sort_input() {
  static weft::bench::SortInput input;
  return input;
}

/// By digits, or by comparisons.
template <class Key>
Work sort(bool by_digits, Type type, bool pairs, weft::bench::Keys kind, uint64_t n) {
  const auto keys = [=] { return sort_input().keys(kind, sizeof(Key), n); };
  Work work{by_digits ? "radix_sort" : "merge_sort", weft::bench::sort_variant(pairs, kind), type, n,
            {{{}, type, n, keys}}, {n * sizeof(Key)}, 2 * n * (sizeof(Key) + (pairs ? 4 : 0)), {}, {}};
  if (pairs) {
    work.inputs.push_back({{}, Type::u32, n, [=] { return sort_input().values(n); }});
    work.outputs.push_back(n * 4);
  }
  work.call = [=](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    const auto count = static_cast<int64_t>(n);
    if (!by_digits && pairs)
      return cub::DeviceMergeSort::SortPairsCopy(scratch, bytes, memory.in<Key>(0), memory.in(1), memory.out<Key>(0),
                                                 memory.out(1), count, cuda::std::less<>{}, stream);
    if (!by_digits)
      return cub::DeviceMergeSort::SortKeysCopy(scratch, bytes, memory.in<Key>(0), memory.out<Key>(0), count,
                                                cuda::std::less<>{}, stream);
    if (pairs)
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, memory.in<Key>(0), memory.out<Key>(0), memory.in(1),
                                             memory.out(1), static_cast<int>(n), 0, static_cast<int>(8 * sizeof(Key)),
                                             stream);
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, memory.in<Key>(0), memory.out<Key>(0), static_cast<int>(n), 0,
                                          static_cast<int>(8 * sizeof(Key)), stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>&) {
    keys();
    const FetchOutputs fetch = fetcher(memory.outputs[0], sizeof(Key));
    return take(pairs ? sort_input().check_pairs<Key>(fetch, fetcher(memory.outputs[1], 4))
                      : sort_input().check_keys<Key>(fetch));
  };
  return work;
}

template <class Key>
Work segmented_sort(const weft::bench::SegmentLengths& lengths, Type type, bool pairs, uint64_t n) {
  const Spread spread = lengths.spread(n);
  const uint64_t segments = lengths.number(n);
  const auto keys = [=] { return sort_input().keys(weft::bench::Keys::random, sizeof(Key), n); };
  const Input offsets{{}, Type::u32, segments + 1, [=] { return counts_of(spread, n).offsets_array(); }};
  Work work{"segmented_sort", weft::bench::segmented_sort_variant(pairs, lengths), type, n,
            {{{}, type, n, keys}, offsets}, {n * sizeof(Key)},
            2 * n * (sizeof(Key) + (pairs ? 4 : 0)) + 4 * segments, {}, {}};
  if (pairs) {
    work.inputs.push_back({{}, Type::u32, n, [=] { return sort_input().values(n); }});
    work.outputs.push_back(n * 4);
  }
  work.call = [=](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    if (pairs)
      return cub::DeviceSegmentedSort::StableSortPairs(
          scratch, bytes, memory.in<Key>(0), memory.out<Key>(0), memory.in(2), memory.out(1), static_cast<int>(n),
          static_cast<int>(segments), memory.in(1), memory.in(1) + 1, stream);
    return cub::DeviceSegmentedSort::StableSortKeys(scratch, bytes, memory.in<Key>(0), memory.out<Key>(0),
                                                    static_cast<int>(n), static_cast<int>(segments), memory.in(1),
                                                    memory.in(1) + 1, stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>&) {
    keys();
    const FetchOutputs fetch = fetcher(memory.outputs[0], sizeof(Key));
    const std::vector<uint32_t>& ends = counts_of(spread, n).offsets();
    return take(pairs ? weft::bench::check_segment_pairs<Key>(sort_input(), ends, fetch, fetcher(memory.outputs[1], 4))
                      : weft::bench::check_segments<Key>(sort_input(), ends, fetch));
  };
  return work;
}

/// T: of keys. Values are u32.
template <class T>
Work merge(MergeOutput output, MergeSpread spread, Type key, uint64_t n) {
  const bool pairs = output == MergeOutput::pairs;
  const uint64_t a = weft::bench::merge_count(spread, n, 0), b = n - a;
  const auto keys = [=](uint32_t sequence) {
    return [=] {
      static MergeInput input;
      static ItemSource source = ItemSource::random();
      return input.keys<T>(source, spread, n, sequence);
    };
  };
  Work work{weft::bench::name_of(output),
            weft::bench::name_of(spread),
            key,
            n,
            {{{}, key, a, keys(0)}, {{}, key, b, keys(1)}},
            {n * sizeof(T)},
            2 * n * (sizeof(T) + (pairs ? 4 : 0)),
            {},
            {}};
  if (pairs) {
    work.inputs.push_back({weft::bench::merge_values(0), Type::u32, a});
    work.inputs.push_back({weft::bench::merge_values(1), Type::u32, b});
    work.outputs.push_back(4 * n);
  }
  work.call = [=](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    const auto count_a = static_cast<int64_t>(a), count_b = static_cast<int64_t>(b);
    if (pairs)
      return cub::DeviceMerge::MergePairs(scratch, bytes, memory.in<T>(0), memory.in(2), count_a, memory.in<T>(1),
                                          memory.in(3), count_b, memory.out<T>(0), memory.out(1),
                                          cuda::std::less<>{}, stream);
    return cub::DeviceMerge::MergeKeys(scratch, bytes, memory.in<T>(0), count_a, memory.in<T>(1), count_b,
                                       memory.out<T>(0), cuda::std::less<>{}, stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_merge<T>(output, inputs, fetcher(memory.outputs[0], sizeof(T)),
                                            pairs ? fetcher(memory.outputs[1], 4) : FetchOutputs{}));
  };
  return work;
}

Work unique(const ItemSource& source, const Runs& runs, uint64_t n) {
  const uint64_t kept = expected(source.run_share(runs.data, 4), n);
  Work work{"unique", runs.name, Type::u32, n, {{runs.data, Type::u32, n}}, {n * 4, 4}, 4 * n + 4 * kept, {}, {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceSelect::Unique(scratch, bytes, memory.in(), memory.out(0), memory.out(1), static_cast<int>(n),
                                     stream);
  };
  work.check = [](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_unique(items_of<uint32_t>(inputs[0].bytes), fetcher(memory.outputs[0], 4),
                                          read_word(memory.out(1))));
  };
  return work;
}

Work unique_by_key(const ItemSource& source, const Runs& runs, uint64_t n) {
  const uint64_t kept = expected(source.run_share(runs.data, 4), n);
  Work work{"unique_by_key",
            runs.name,
            Type::u32,
            n,
            {{runs.data, Type::u32, n}, {Data::stream(), Type::u32, n}},
            {n * 4, n * 4, 4},
            8 * n + 8 * kept,
            {},
            {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceSelect::UniqueByKey(scratch, bytes, memory.in(0), memory.in(1), memory.out(0), memory.out(1),
                                          memory.out(2), static_cast<int>(n), stream);
  };
  work.check = [](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_unique_by_key(
        items_of<uint32_t>(inputs[0].bytes), items_of<uint32_t>(inputs[1].bytes), fetcher(memory.outputs[0], 4),
        fetcher(memory.outputs[1], 4), read_word(memory.out(2))));
  };
  return work;
}

// CUB writes both partitions into one array, the other items from its end on and so in reverse.
Work partition(const ItemSource& source, double share, uint64_t n) {
  const Below keep{static_cast<uint32_t>(source.bound_below(share).value)};
  Work work{"partition", kept_name(share), Type::u32, n, {{Data::stream(), Type::u32, n}}, {n * 4, 4}, 8 * n, {}, {}};
  work.call = [n, keep](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DevicePartition::If(scratch, bytes, memory.in(), memory.out(0), memory.out(1), static_cast<int>(n),
                                    keep, stream);
  };
  work.check = [keep](const Memory& memory, const std::vector<HostArray>& inputs) {
    const auto items = items_of<uint32_t>(inputs[0].bytes);
    const uint64_t kept = std::min<uint64_t>(read_word(memory.out(1)), items.size());
    return take(weft::bench::check_partition(items, [&](uint64_t i) { return keep(items[i]); },
                                             fetcher(memory.out(0), 4), fetcher(memory.out(0) + kept, 4), true, kept));
  };
  return work;
}

Work partition_three_ways(const ItemSource& source, uint64_t n) {
  const auto low = static_cast<uint32_t>(source.bound_below(1.0 / 3).value);
  const auto high = static_cast<uint32_t>(source.bound_below(2.0 / 3).value - 1);
  const Below first{low};
  const Inside second{low, high};
  Work work{"partition",
            "3-way",
            Type::u32,
            n,
            {{Data::stream(), Type::u32, n}},
            {n * 4, n * 4, n * 4, 8},
            8 * n,
            {},
            {}};
  work.call = [=](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DevicePartition::If(scratch, bytes, memory.in(), memory.out(0), memory.out(1), memory.out(2),
                                    memory.out(3), static_cast<int>(n), first, second, stream);
  };
  work.check = [=](const Memory& memory, const std::vector<HostArray>& inputs) {
    const auto items = items_of<uint32_t>(inputs[0].bytes);
    const auto side = [&](uint64_t i) { return first(items[i]) ? 0u : second(items[i]) ? 1u : 2u; };
    return take(weft::bench::check_three_way_partition(
        items, side,
        {fetcher(memory.outputs[0], 4), fetcher(memory.outputs[1], 4), fetcher(memory.outputs[2], 4)},
        {read_word(memory.out(3)), read_word(memory.out(3) + 1)}));
  };
  return work;
}

template <class T>
Work run_length_encode(const ItemSource& source, const Runs& runs, Type type, uint64_t n) {
  const uint64_t count = expected(source.run_share(runs.data, sizeof(T)), n);
  Work work{"run_length_encode",
            runs.name,
            type,
            n,
            {{runs.data, type, n}},
            {n * sizeof(T), n * 4, 4},
            n * sizeof(T) + count * (sizeof(T) + 4),
            {},
            {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceRunLengthEncode::Encode(scratch, bytes, memory.in<T>(), memory.out<T>(0), memory.out(1),
                                              memory.out(2), static_cast<int>(n), stream);
  };
  work.check = [](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_run_lengths(items_of<T>(inputs[0].bytes), fetcher(memory.outputs[0], sizeof(T)),
                                               fetcher(memory.outputs[1], 4), read_word(memory.out(2))));
  };
  return work;
}

// Lengths of runs are uniform in [1, 2 * mean - 1].
template <class T>
Work non_trivial_runs(const ItemSource& source, uint32_t mean, Type type, uint64_t n) {
  const Runs runs = Runs::of(mean);
  const double share = source.run_share(runs.data, sizeof(T)) * (2.0 * mean - 2) / (2.0 * mean - 1);
  Work work{"run_length_encode",
            "nontrivial " + runs.name,
            type,
            n,
            {{runs.data, type, n}},
            {n / 2 * 4, n / 2 * 4, 4},
            n * sizeof(T) + expected(share, n) * 8,
            {},
            {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceRunLengthEncode::NonTrivialRuns(scratch, bytes, memory.in<T>(), memory.out(0), memory.out(1),
                                                      memory.out(2), static_cast<int>(n), stream);
  };
  work.check = [](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_non_trivial_runs(items_of<T>(inputs[0].bytes), fetcher(memory.outputs[0], 4),
                                                    fetcher(memory.outputs[1], 4), read_word(memory.out(2))));
  };
  return work;
}

Work scan_by_key(const Runs& runs, uint64_t n) {
  Work work{"scan_by_key",
            "inclusive add " + runs.name,
            Type::u32,
            n,
            {{runs.data, Type::u32, n}, {Data::stream(), Type::u32, n}},
            {n * 4},
            12 * n,
            {},
            {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceScan::InclusiveSumByKey(scratch, bytes, memory.in(0), memory.in(1), memory.out(0),
                                              static_cast<int>(n), cuda::std::equal_to<>{}, stream);
  };
  work.check = [](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_scan_by_key(items_of<uint32_t>(inputs[0].bytes),
                                               items_of<uint32_t>(inputs[1].bytes), fetcher(memory.outputs[0], 4)));
  };
  return work;
}

Work reduce_by_key(const ItemSource& source, const Runs& runs, uint64_t n) {
  const uint64_t count = expected(source.run_share(runs.data, 4), n);
  Work work{"reduce_by_key",
            "add " + runs.name,
            Type::u32,
            n,
            {{runs.data, Type::u32, n}, {Data::stream(), Type::u32, n}},
            {n * 4, n * 4, 4},
            8 * n + 8 * count,
            {},
            {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceReduce::ReduceByKey(scratch, bytes, memory.in(0), memory.out(0), memory.in(1), memory.out(1),
                                          memory.out(2), cuda::std::plus<>{}, static_cast<int>(n), stream);
  };
  work.check = [](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_reduce_by_key(
        items_of<uint32_t>(inputs[0].bytes), items_of<uint32_t>(inputs[1].bytes), fetcher(memory.outputs[0], 4),
        fetcher(memory.outputs[1], 4), read_word(memory.out(2))));
  };
  return work;
}

// 256 bins over all values of the type: bin i holds the items whose highest byte is i. Levels are of a
// type that holds the upper one.
template <class T, class Level>
Work histogram(Type type, uint64_t n) {
  constexpr uint64_t kBins = 256;
  constexpr uint64_t kUpper = uint64_t{1} << 8 * sizeof(T);
  Work work{"histogram", "even bins=256", type, n, {{Data::stream(), type, n}}, {kBins * 4}, n * sizeof(T), {}, {}};
  work.call = [n](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, memory.in<T>(), memory.out(0),
                                               static_cast<int>(kBins + 1), Level{0}, static_cast<Level>(kUpper),
                                               static_cast<int>(n), stream);
  };
  work.check = [](const Memory& memory, const std::vector<HostArray>& inputs) {
    return take(weft::bench::check_histogram(items_of<T>(inputs[0].bytes), kBins,
                                             [](T item) { return uint64_t{item} * kBins / kUpper; },
                                             fetcher(memory.outputs[0], 4)));
  };
  return work;
}

Work copy_work(const char* variant, uint64_t n, bool by_kernel) {
  Work work{"copy", variant, Type::u32, n, {{Data::stream(), Type::u32, n}}, {n * 4}, n * 8, {}, {}};
  work.call = [n, by_kernel](const Memory& memory, void* scratch, size_t& bytes, cudaStream_t stream) {
    bytes = 16;
    if (scratch == nullptr) return cudaSuccess;
    if (!by_kernel)
      return cudaMemcpyAsync(memory.outputs[0], memory.inputs[0], n * 4, cudaMemcpyDeviceToDevice, stream);
    const auto vectors = static_cast<uint32_t>((n + 3) / 4);
    copy_vectors<<<(vectors + 1023) / 1024, 256, 0, stream>>>(memory.in<uint4>(), memory.out<uint4>(), vectors);
    return cudaGetLastError();
  };
  work.check = [n](const Memory& memory, const std::vector<HostArray>& inputs) {
    std::vector<std::byte> found(n * 4);
    CUDA_CHECK(cudaMemcpy(found.data(), memory.outputs[0], found.size(), cudaMemcpyDeviceToHost));
    if (std::memcmp(found.data(), inputs[0].bytes.data(), found.size()) == 0) return std::optional<Mismatch>();
    return std::optional(Mismatch{0, "the input", "something else"});
  };
  return work;
}

Work empty_work(const char* variant, bool dispatch) {
  Work work{"empty", variant, Type::u32, 0, {}, {}, 0, {}, {}};
  work.call = [dispatch](const Memory&, void* scratch, size_t& bytes, cudaStream_t stream) {
    bytes = 16;
    if (scratch != nullptr && dispatch) nothing<<<1, 256, 0, stream>>>();
    return cudaGetLastError();
  };
  work.check = [](const Memory&, const std::vector<HostArray>&) { return std::optional<Mismatch>(); };
  return work;
}

template <class T>
Work exclusive_sum(Type type, uint64_t n) {
  return scan_work<T, T>("exclusive add", ScanKind::exclusive, Op::add, type, type, n,
                         [](auto in, auto out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
                           return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count, stream);
                         });
}

// The accumulator of CUB's sums of uint8_t is int, as C++ adds them, also where the outputs are bytes. Sums modulo 2^32
// are what weft gives, too.
template <class T, class A>
Work inclusive_sum(const char* variant, Type item, Type accumulator, uint64_t n) {
  return scan_work<T, A>(variant, ScanKind::inclusive, Op::add, item, accumulator, n,
                         [](auto in, auto out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
                           return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, count, stream);
                         });
}

template <class T, class A>
Work sum(const char* variant, Type item, Type accumulator, uint64_t n) {
  return reduce_work<T, A>(variant, Op::add, item, accumulator, n,
                           [](auto in, auto out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
                             return cub::DeviceReduce::Sum(scratch, bytes, in, out, count, stream);
                           });
}

// The rows of the benches of select, partition, run_length_encode, histogram, scan_by_key and reduce_by_key.
void add_compaction_works(const Options& options, const ItemSource& source, const std::vector<uint64_t>& some,
                          std::vector<Work>& works) {
  const auto& sizes = options.sizes;
  const auto add = [&](const std::vector<uint64_t>& counts, const auto& make) {
    for (const uint64_t n : counts) works.push_back(make(n));
  };
  add(sizes, [&](uint64_t n) { return select_if(source, 0.5, n); });
  add(sizes, [&](uint64_t n) { return unique(source, Runs::of(8), n); });
  add(sizes, [&](uint64_t n) { return partition(source, 0.5, n); });
  add(sizes, [&](uint64_t n) { return run_length_encode<uint32_t>(source, Runs::of(8), Type::u32, n); });
  add(sizes, [&](uint64_t n) { return run_length_encode<uint8_t>(source, Runs::of(8), Type::u8, 4 * n); });
  add(sizes, [&](uint64_t n) { return scan_by_key(Runs::of(8), n); });
  add(sizes, [&](uint64_t n) { return reduce_by_key(source, Runs::of(8), n); });
  add(sizes, [&](uint64_t n) { return histogram<uint32_t, uint64_t>(Type::u32, n); });
  add(sizes, [&](uint64_t n) { return histogram<uint8_t, int>(Type::u8, 4 * n); });
  if (options.quick) return;
  for (const double share : {0.0, 0.1, 0.9, 1.0}) add(some, [&](uint64_t n) { return select_if(source, share, n); });
  add(sizes, [&](uint64_t n) { return select_flagged(0.5, n); });
  add(sizes, [&](uint64_t n) { return unique_by_key(source, Runs::of(8), n); });
  add(sizes, [&](uint64_t n) { return partition_three_ways(source, n); });
  for (const uint32_t mean : {1u, 100u, 10000u})
    add(some, [&](uint64_t n) { return unique(source, Runs::of(mean), n); });
  std::vector<Runs> more{Runs::of(1), Runs::of(100), Runs::of(10000), Runs::of(source)};
  for (const Runs& runs : more) {
    add(some, [&](uint64_t n) { return run_length_encode<uint32_t>(source, runs, Type::u32, n); });
    add(some, [&](uint64_t n) { return run_length_encode<uint8_t>(source, runs, Type::u8, 4 * n); });
  }
  add(some, [&](uint64_t n) { return non_trivial_runs<uint32_t>(source, 8, Type::u32, n); });
  add(some, [&](uint64_t n) { return non_trivial_runs<uint8_t>(source, 8, Type::u8, 4 * n); });
  // Of random data every item is a run to these, as in runs=1; a file has runs of its own.
  if (!source.is_file()) return;
  const Runs own = Runs::of(source);
  add(some, [&](uint64_t n) { return unique(source, own, n); });
  add(some, [&](uint64_t n) { return unique_by_key(source, own, n); });
  add(some, [&](uint64_t n) { return scan_by_key(own, n); });
  add(some, [&](uint64_t n) { return reduce_by_key(source, own, n); });
}

// The rows of weft-bench that CUB has, but f16: CUB adds __half in __half, which is another operation.
std::vector<Work> primitive_works(const Options& options, const ItemSource& source) {
  std::vector<Work> works;
  const auto& sizes = options.sizes;
  std::vector<uint64_t> some = sizes;
  if (!options.every_size && sizes.size() > 2) some = {sizes.end() - 2, sizes.end()};

  for (const uint64_t n : sizes) works.push_back(exclusive_sum<uint32_t>(Type::u32, n));
  for (const uint64_t n : sizes) works.push_back(adjacent_difference<uint32_t>(Type::u32, n));
  if (!options.quick) {
    for (const uint64_t n : sizes)
      works.push_back(inclusive_sum<uint32_t, uint32_t>("inclusive add", Type::u32, Type::u32, n));
  }
  for (const uint64_t n : sizes)
    works.push_back(inclusive_sum<uint8_t, uint8_t>("inclusive add", Type::u8, Type::u8, 4 * n));
  for (const uint64_t n : sizes) {
    works.push_back(inclusive_sum<uint8_t, uint32_t>("inclusive add to u32", Type::u8, Type::u32, 4 * n));
  }
  if (!options.quick) {
    for (const uint64_t n : some) works.push_back(adjacent_difference<uint8_t>(Type::u8, 4 * n));
    for (const uint64_t n : some) works.push_back(adjacent_difference<uint16_t>(Type::u16, n));
    for (const uint64_t n : some) works.push_back(adjacent_difference<uint64_t>(Type::u64, n));
    for (const uint64_t n : some) works.push_back(adjacent_difference<float>(Type::f32, n));
    for (const uint64_t n : some) works.push_back(adjacent_difference<double>(Type::f64, n));
    for (const uint64_t n : some) works.push_back(exclusive_sum<uint16_t>(Type::u16, n));
    for (const uint64_t n : some) works.push_back(exclusive_sum<uint64_t>(Type::u64, n));
    for (const uint64_t n : some) works.push_back(exclusive_sum<int32_t>(Type::i32, n));
    for (const uint64_t n : some) works.push_back(exclusive_sum<float>(Type::f32, n));
    for (const uint64_t n : some) works.push_back(exclusive_sum<double>(Type::f64, n));
    for (const uint64_t n : some) {
      works.push_back(scan_work<uint32_t, uint32_t>(
          "exclusive min", ScanKind::exclusive, Op::min, Type::u32, Type::u32, n,
          [](auto in, auto out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
            return cub::DeviceScan::ExclusiveScan(scratch, bytes, in, out, cuda::minimum<>{}, ~uint32_t{0}, count,
                                                  stream);
          }));
    }
    for (const uint64_t n : some) {
      works.push_back(scan_work<uint32_t, uint32_t>(
          "inclusive min", ScanKind::inclusive, Op::min, Type::u32, Type::u32, n,
          [](auto in, auto out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
            return cub::DeviceScan::InclusiveScan(scratch, bytes, in, out, cuda::minimum<>{}, count, stream);
          }));
    }
    for (const uint64_t n : some) {
      works.push_back(scan_work<uint32_t, uint32_t>(
          "exclusive bit_xor", ScanKind::exclusive, Op::bit_xor, Type::u32, Type::u32, n,
          [](auto in, auto out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
            return cub::DeviceScan::ExclusiveScan(scratch, bytes, in, out, cuda::std::bit_xor<>{}, uint32_t{0}, count,
                                                  stream);
          }));
    }
    for (const uint64_t n : some) {
      works.push_back(scan_work<uint2, uint2>(
          "inclusive affine", ScanKind::inclusive, Op::affine, Type::u32x2, Type::u32x2, n,
          [](auto in, auto out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
            return cub::DeviceScan::InclusiveScan(scratch, bytes, in, out, ComposeAffine{}, count, stream);
          }));
    }
  }

  for (const uint64_t n : sizes) works.push_back(sum<uint32_t, uint32_t>("add", Type::u32, Type::u32, n));
  if (!options.quick) {
    for (const uint64_t n : sizes) works.push_back(sum<uint8_t, uint32_t>("add to u32", Type::u8, Type::u32, 4 * n));
    for (const uint64_t n : some) works.push_back(sum<float, float>("add", Type::f32, Type::f32, n));
    for (const uint64_t n : some) works.push_back(sum<uint64_t, uint64_t>("add", Type::u64, Type::u64, n));
    for (const uint64_t n : some) {
      works.push_back(reduce_work<uint32_t, uint32_t>(
          "max", Op::max, Type::u32, Type::u32, n,
          [](auto in, auto out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
            return cub::DeviceReduce::Max(scratch, bytes, in, out, count, stream);
          }));
    }
    for (const uint64_t n : some) {
      works.push_back(reduce_work<uint32_t, uint64_t>(
          "arg_min", Op::arg_min, Type::u32, Type::u32, n,
          [](const uint32_t* in, uint64_t* out, int count, void* scratch, size_t& bytes, cudaStream_t stream) {
            // In the layout of ArgResult: the index, then the value, whose upper half main() has cleared.
            return cub::DeviceReduce::ArgMin(scratch, bytes, in, reinterpret_cast<uint32_t*>(out + 1),
                                             reinterpret_cast<int64_t*>(out), static_cast<int64_t>(count), stream);
          }));
    }
  }
  add_compaction_works(options, source, some, works);
  for (const uint64_t n : sizes)
    works.push_back(merge<uint32_t>(MergeOutput::keys, MergeSpread::random, Type::u32, n));
  if (!options.quick) {
    for (const MergeSpread spread :
         {MergeSpread::interleaved, MergeSpread::disjoint, MergeSpread::one_sided, MergeSpread::ties,
          MergeSpread::reduced})
      for (const uint64_t n : some) works.push_back(merge<uint32_t>(MergeOutput::keys, spread, Type::u32, n));
    for (const uint64_t n : some)
      works.push_back(merge<uint64_t>(MergeOutput::keys, MergeSpread::random, Type::u64, n));
    for (const MergeSpread spread : {MergeSpread::random, MergeSpread::interleaved, MergeSpread::disjoint,
                                     MergeSpread::one_sided, MergeSpread::ties, MergeSpread::reduced})
      for (const uint64_t n : some) works.push_back(merge<uint32_t>(MergeOutput::pairs, spread, Type::u32, n));
  }
  for (const uint32_t mean : {25u, 5u, 1000u, 5000u}) {
    if (options.quick && mean != 25) continue;
    for (const uint64_t n : mean == 25 ? sizes : some)
      works.push_back(segmented_reduce({Spread::Kind::uniform, mean}, n));
  }
  for (const bool by_digits : {true, false}) {
    for (const bool pairs : {false, true}) {
      for (const uint64_t n : sizes)
        works.push_back(sort<uint32_t>(by_digits, Type::u32, pairs, weft::bench::Keys::random, n));
      if (options.quick) continue;
      for (const uint64_t n : some)
        works.push_back(sort<uint64_t>(by_digits, Type::u64, pairs, weft::bench::Keys::random, n));
      for (const weft::bench::Keys kind : weft::bench::kSkewedKeys)
        for (const uint64_t n : some) works.push_back(sort<uint32_t>(by_digits, Type::u32, pairs, kind, n));
    }
  }
  for (const weft::bench::SegmentLengths& lengths : weft::bench::segment_lengths(options.quick))
    for (const bool pairs : {false, true}) {
      for (const uint64_t n : lengths.mean == weft::bench::kEssentialMean ? sizes : some)
        works.push_back(segmented_sort<uint32_t>(lengths, Type::u32, pairs, n));
      if (options.quick) continue;
      for (const uint64_t n : some) works.push_back(segmented_sort<uint64_t>(lengths, Type::u64, pairs, n));
    }
  for (const Spread& buffers : weft::bench::batched_copy_spreads(options.quick))
    for (const uint64_t n : buffers.mean == 1024 ? sizes : some) works.push_back(batched_copy(buffers, 4 * n));
  std::erase_if(works, [&](const Work& work) {
    const std::string name = work.primitive + ' ' + work.variant + ' ' + type_name(work.item);
    return !options.filters.empty() &&
           std::none_of(options.filters.begin(), options.filters.end(),
                        [&](const auto& filter) { return name.find(filter) != std::string::npos; });
  });
  return works;
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

Row measure(const Work& work, Timer& timer, const Memory& memory, uint32_t repeats) {
  const auto call = [&] {
    size_t bytes = memory.scratch_bytes;
    return work.call(memory, memory.scratch, bytes, timer.stream());
  };
  Row row;
  row.work = work;
  const auto time_batch = [&](uint32_t count) { return std::optional(timer.time(count, call)); };
  // While a CUDA context exists the driver keeps the clocks up.
  row.ms = weft::bench::summarize(
      *weft::bench::take_samples({repeats, kWarmUpMs, kMaxBatch}, kWarmUpMs / 10, time_batch, [] { return true; }));
  std::vector<double> walls;
  for (uint32_t i = 0; i < std::min(5u, repeats); ++i) {
    const auto start = std::chrono::steady_clock::now();
    CUDA_CHECK(call());
    CUDA_CHECK(cudaStreamSynchronize(timer.stream()));
    walls.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  row.wall_ms = weft::bench::summarize(std::move(walls)).median;
  if (row.ms.median > 0) row.gbps = static_cast<double>(work.moved_bytes) / row.ms.median * 1e-6;
  return row;
}

std::vector<uint64_t> input_sizes(const Work& work) {
  std::vector<uint64_t> sizes;
  for (const Input& input : work.inputs) sizes.push_back(input.count * weft::size_of(input.type));
  return sizes;
}

// Puts arrays of those sizes one after the other from `base` on, each at a multiple of 256 bytes.
// Gives the bytes of all, never 0.
uint64_t lay_out(const std::vector<uint64_t>& sizes, std::byte* base, std::vector<void*>& arrays) {
  uint64_t offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    arrays[i] = base + offset;
    offset += (sizes[i] + 255) / 256 * 256;
  }
  return std::max<uint64_t>(offset, 256);
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

void write_json(std::FILE* file, const std::vector<Row>& rows, const ItemSource& source, const Options& options) {
  cudaDeviceProp properties{};
  int device = 0, driver = 0, runtime = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  CUDA_CHECK(cudaDriverGetVersion(&driver));
  CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  double copy_gbps = 0;
  for (const Row& row : rows) {
    if (row.work.primitive == "copy" && row.work.variant == "kernel") copy_gbps = std::max(copy_gbps, row.gbps);
  }
  std::fprintf(
      file,
      "{\n \"schema\": 1,\n \"weft_version\": null,\n \"commit\": null,\n \"peer\": \"CUB %d.%d.%d, %s\",\n"
      " \"device\": {\"name\": %s, \"vendor_id\": 4318, \"driver\": \"CUDA driver %d.%d\", \"api\": \"CUDA %d.%d\", "
      "\"subgroup_size\": %d, \"software\": false},\n \"timer\": \"device\",\n \"copy_gbps\": %.6g,\n \"results\": [",
      CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION,
      options.queued ? "calls enqueued ahead" : "calls enqueued as they run", json_text(properties.name).c_str(),
      driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, properties.warpSize, copy_gbps);
  const char* separator = "\n";
  for (const Row& row : rows) {
    const Work& work = row.work;
    std::fprintf(file,
                 "%s  {\"primitive\": \"%s\", \"variant\": \"%s\", \"type\": \"%s\", \"n\": %llu, \"data\": %s, "
                 "\"strategy\": \"cub\", \"verified\": %s, \"ms\": {\"median\": %.6g, \"p5\": %.6g, \"p95\": %.6g, "
                 "\"min\": %.6g}, \"wall_ms\": %.6g, \"gbps\": %.6g, \"copy_fraction\": ",
                 separator, work.primitive.c_str(), work.variant.c_str(), type_name(work.item),
                 static_cast<unsigned long long>(work.n), json_text(work.data(source)).c_str(),
                 row.verified ? "true" : "false", row.ms.median, row.ms.p5, row.ms.p95, row.ms.min, row.wall_ms,
                 row.gbps);
    if (row.copy_fraction > 0)
      std::fprintf(file, "%.6g}", row.copy_fraction);
    else
      std::fputs("null}", file);
    separator = ",\n";
  }
  std::fputs("\n ]\n}\n", file);
}

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
        const std::string size = text.substr(at, next - at);
        const bool power = size.rfind("2^", 0) == 0;
        const uint64_t number = std::strtoull(size.c_str() + (power ? 2 : 0), nullptr, 10);
        if (number == 0 || (power && number > 28) || (!power && number > 1u << 28)) usage(2);
        options.sizes.push_back(power ? uint64_t{1} << number : number);
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

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  auto source = options.input.empty() ? weft::Result<weft::bench::ItemSource>(weft::bench::ItemSource::random())
                                      : weft::bench::ItemSource::file(options.input);
  if (!source) {
    std::fprintf(stderr, "cub-bench: %s\n", source.error().message.c_str());
    return 1;
  }
  std::vector<Work> primitives = primitive_works(options, *source);
  std::vector<uint64_t> copies;
  for (const Work& work : primitives) copies.push_back(weft::bench::copy_items(work.moved_bytes));
  copies.insert(copies.end(), options.sizes.begin(), options.sizes.end());
  std::sort(copies.begin(), copies.end());
  copies.erase(std::unique(copies.begin(), copies.end()), copies.end());
  std::vector<Work> works{empty_work("nothing", false), empty_work("dispatch", true)};
  for (const uint64_t n : copies) works.push_back(copy_work("kernel", n, true));
  for (const uint64_t n : copies) works.push_back(copy_work("memcpy", n, false));
  for (Work& work : primitives) works.push_back(std::move(work));

  Memory memory;
  uint64_t input_bytes = 16, output_bytes = 16;
  for (const Work& work : works) {
    input_bytes = std::max(input_bytes, lay_out(input_sizes(work), nullptr, memory.inputs));
    output_bytes = std::max(output_bytes, lay_out(work.outputs, nullptr, memory.outputs));
    size_t bytes = 0;
    CUDA_CHECK(work.call(Memory{}, nullptr, bytes, nullptr));
    memory.scratch_bytes = std::max(memory.scratch_bytes, bytes);
  }
  std::byte* input = nullptr;
  std::byte* output = nullptr;
  CUDA_CHECK(cudaMalloc(&input, input_bytes));
  CUDA_CHECK(cudaMalloc(&output, output_bytes));
  CUDA_CHECK(cudaMalloc(&memory.scratch, memory.scratch_bytes));

  Timer timer(options.queued);
  std::FILE* const out = options.json == "-" ? stderr : stdout;
  std::fprintf(out, "%-17s %-26s %-6s %11s %10s %9s %8s %8s %7s\n", "primitive", "variant", "type", "n", "ms", "GB/s",
               "of copy", "verified", "noise");
  std::vector<Row> rows;
  std::map<uint64_t, double> copy_gbps;
  bool failed = false;
  std::vector<HostArray> held;  // in `input`, where the layout of as many arrays of as many bytes puts them
  for (const Work& work : works) {
    std::vector<HostArray> arrays;
    for (const Input& array : work.inputs) arrays.push_back(array.array(*source));
    lay_out(input_sizes(work), input, memory.inputs);
    const uint64_t written = lay_out(work.outputs, output, memory.outputs);
    // A longer array serves where it lies alone.
    const bool holds = arrays.size() == held.size() &&
                       std::equal(arrays.begin(), arrays.end(), held.begin(), [&](const auto& a, const auto& b) {
                         return a.id == b.id && (arrays.size() == 1 ? a.bytes.size() <= b.bytes.size()
                                                                    : a.bytes.size() == b.bytes.size());
                       });
    if (!holds) {
      for (size_t i = 0; i < arrays.size(); ++i)
        CUDA_CHECK(
            cudaMemcpy(memory.inputs[i], arrays[i].bytes.data(), arrays[i].bytes.size(), cudaMemcpyHostToDevice));
      held = arrays;
    }
    // Poisoned, but for the upper half of an ArgResult's value, which ArgMin does not write.
    CUDA_CHECK(cudaMemset(output, 0xa5, written));
    if (work.variant == "arg_min") CUDA_CHECK(cudaMemset(output + 12, 0, 4));
    size_t bytes = memory.scratch_bytes;
    CUDA_CHECK(work.call(memory, memory.scratch, bytes, timer.stream()));
    CUDA_CHECK(cudaStreamSynchronize(timer.stream()));
    if (const auto mismatch = work.check(memory, arrays)) {
      std::fprintf(stderr, "cub-bench: %s %s %s %llu: WRONG at %llu: expected %s, found %s\n", work.primitive.c_str(),
                   work.variant.c_str(), type_name(work.item), static_cast<unsigned long long>(work.n),
                   static_cast<unsigned long long>(mismatch->index), mismatch->expected.c_str(),
                   mismatch->found.c_str());
      failed = true;
      continue;
    }
    Row row = measure(work, timer, memory, options.repeats);
    row.verified = true;
    if (work.primitive == "copy" && work.variant == "kernel") copy_gbps[work.n] = row.gbps;
    const auto copy = copy_gbps.find(weft::bench::copy_items(work.moved_bytes));
    if (copy != copy_gbps.end() && copy->second > 0) row.copy_fraction = row.gbps / copy->second;
    std::fprintf(out, "%-17s %-26s %-6s %11llu %10.4f %9.1f %6.1f %% %8s %5.0f %%\n", work.primitive.c_str(),
                 work.variant.c_str(), type_name(work.item), static_cast<unsigned long long>(work.n), row.ms.median,
                 row.gbps, row.copy_fraction * 100, "yes", row.ms.noise() * 100);
    std::fflush(out);
    rows.push_back(std::move(row));
  }
  if (!options.json.empty()) {
    std::FILE* const file = options.json == "-" ? stdout : std::fopen(options.json.c_str(), "wb");
    if (file == nullptr) {
      std::fprintf(stderr, "cub-bench: cannot write %s\n", options.json.c_str());
      return 1;
    }
    write_json(file, rows, *source, options);
    if (file != stdout && std::fclose(file) != 0) failed = true;
  }
  return failed ? 1 : 0;
}
