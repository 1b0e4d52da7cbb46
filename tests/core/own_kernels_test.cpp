// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/kernels.hpp>
#include <weft/reduce_by_key.hpp>
#include <weft/run_length_encode.hpp>
#include <weft/scan_by_key.hpp>
#include <weft/segmented_reduce.hpp>
#include <weft/segmented_scan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/primitive_call.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/run_select.hpp"
#include "support/segmented_run.hpp"
#include "support/segments.hpp"
#include "support/sizes.hpp"
#include "weft_kernels/by_key_best.hpp"
#include "weft_kernels/by_key_matrix.hpp"
#include "weft_kernels/by_key_tally.hpp"
#include "weft_kernels/by_key_triangle.hpp"
#include "weft_kernels/encode_decade.hpp"
#include "weft_kernels/encode_first_of_key.hpp"
#include "weft_kernels/encode_near.hpp"
#include "weft_kernels/encode_within.hpp"
#include "weft_kernels/partition_order.hpp"
#include "weft_kernels/partition_shell.hpp"
#include "weft_kernels/partition_third.hpp"
#include "weft_kernels/reduce_best.hpp"
#include "weft_kernels/reduce_matrix.hpp"
#include "weft_kernels/reduce_saturating.hpp"
#include "weft_kernels/reduce_tally.hpp"
#include "weft_kernels/reduce_triangle.hpp"
#include "weft_kernels/scan_best.hpp"
#include "weft_kernels/scan_matrix.hpp"
#include "weft_kernels/scan_saturating.hpp"
#include "weft_kernels/scan_tally.hpp"
#include "weft_kernels/scan_triangle.hpp"
#include "weft_kernels/segments_best.hpp"
#include "weft_kernels/segments_tally.hpp"
#include "weft_kernels/segments_triangle.hpp"
#include "weft_kernels/select_ascending.hpp"
#include "weft_kernels/select_inside.hpp"
#include "weft_kernels/select_residue.hpp"
#include "weft_kernels/sums_best.hpp"
#include "weft_kernels/sums_tally.hpp"
#include "weft_kernels/sums_triangle.hpp"
#include "weft_kernels/unique_decade.hpp"
#include "weft_kernels/unique_first_of_key.hpp"
#include "weft_kernels/unique_near.hpp"

namespace weft::test::own_kernels_tests {
namespace {

constexpr ScanKind kBothKinds[] = {ScanKind::exclusive, ScanKind::inclusive};

uint32_t random_u32(uint64_t seed, uint64_t i) { return static_cast<uint32_t>(random_word(seed, i)); }

// What the snippets of tests/shaders/own are, on the host.

struct Triangle {
  struct Item {
    uint32_t a, b, c;
    bool operator==(const Item&) const = default;
  };
  using Accumulator = Item;
  static constexpr const char* kName = "triangle";
  static const KernelSet& scan_kernels() { return own::scan_triangle(); }
  static const KernelSet& reduce_kernels() { return own::reduce_triangle(); }
  static Item random(uint64_t i) { return {random_u32(1, i) | 1, random_u32(2, i), random_u32(3, i) | 1}; }
  static Item identity() { return {1, 0, 1}; }
  static Item accumulator_of(Item item) { return item; }
  static Item combine(Item x, Item y) { return {x.a * y.a, x.a * y.b + x.b * y.c, x.c * y.c}; }
};

struct Matrix {
  struct Item {
    uint32_t a, b, c, d;
    bool operator==(const Item&) const = default;
  };
  using Accumulator = Item;
  static constexpr const char* kName = "matrix";
  static const KernelSet& scan_kernels() { return own::scan_matrix(); }
  static const KernelSet& reduce_kernels() { return own::reduce_matrix(); }
  static Item random(uint64_t i) {
    return {random_u32(1, i) | 1, random_u32(2, i), 2 * random_u32(3, i), random_u32(4, i) | 1};
  }
  static Item identity() { return {1, 0, 0, 1}; }
  static Item accumulator_of(Item item) { return item; }
  static Item combine(Item x, Item y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

struct Best {
  struct Item {
    float key;
    uint32_t payload;
    bool operator==(const Item&) const = default;
  };
  using Accumulator = Item;
  static constexpr const char* kName = "best";
  static const KernelSet& scan_kernels() { return own::scan_best(); }
  static const KernelSet& reduce_kernels() { return own::reduce_best(); }
  // Records get rarer, and most are met again.
  static Item random(uint64_t i) {
    return {static_cast<float>(random_u32(1, i) % (i / 8 + 4)), static_cast<uint32_t>(i)};
  }
  static Item identity() { return {-1, 0xffffffff}; }
  static Item accumulator_of(Item item) { return item; }
  static Item combine(Item earlier, Item later) { return later.key > earlier.key ? later : earlier; }
};

struct Saturating {
  using Item = uint32_t;
  using Accumulator = Item;
  static constexpr const char* kName = "saturating";
  static const KernelSet& scan_kernels() { return own::scan_saturating(); }
  static const KernelSet& reduce_kernels() { return own::reduce_saturating(); }
  static Item random(uint64_t i) { return random_u32(1, i) >> 11; }
  static Item identity() { return 0; }
  static Item accumulator_of(Item item) { return item; }
  static Item combine(Item a, Item b) { return a + std::min(b, ~a); }
};

struct Tally {
  using Item = uint32_t;
  using Accumulator = std::array<uint32_t, 8>;
  static constexpr const char* kName = "tally";
  static const KernelSet& scan_kernels() { return own::scan_tally(); }
  static const KernelSet& reduce_kernels() { return own::reduce_tally(); }
  static Item random(uint64_t i) { return random_u32(1, i); }
  static Accumulator identity() { return {}; }
  static Accumulator accumulator_of(Item item) {
    Accumulator counts{};
    counts[item % 8] = 1;
    return counts;
  }
  static Accumulator combine(Accumulator a, const Accumulator& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
};

template <class Test>
void for_every_snippet(const Test& test) {
  test.template operator()<Triangle>();
  test.template operator()<Matrix>();
  test.template operator()<Best>();
  test.template operator()<Saturating>();
  test.template operator()<Tally>();
}

template <class Own>
std::vector<typename Own::Item> items_for(uint64_t n) {
  std::vector<typename Own::Item> items(n);
  for (uint64_t i = 0; i < n; ++i) items[i] = Own::random(i + n);
  return items;
}

template <class Own>
std::vector<typename Own::Accumulator> scan_of(const std::vector<typename Own::Item>& items, ScanKind kind) {
  std::vector<typename Own::Accumulator> outputs(items.size());
  auto running = Own::identity();
  for (size_t i = 0; i < items.size(); ++i) {
    const auto next = Own::combine(running, Own::accumulator_of(items[i]));
    outputs[i] = kind == ScanKind::inclusive ? next : running;
    running = next;
  }
  return outputs;
}

template <class A>
size_t first_difference(const std::vector<A>& actual, const std::vector<A>& expected) {
  REQUIRE(actual.size() == expected.size());
  return static_cast<size_t>(std::ranges::mismatch(actual, expected).in1 - actual.begin());
}

struct OwnByKeyOptions {
  VkDeviceSize key_misalignment = 0;
  VkDeviceSize value_misalignment = 0;
  VkDeviceSize output_misalignment = 0;
  bool in_place = false;
};

const ScanByKey& create_scan_by_key(const Device& device, const KernelSet& own, ScanByKeyConfig config) {
  config.own_kernels = own;
  return create<ScanByKey>(device, config);
}

/// Scans `n` items by segments of such runs, and compares all that it writes.
template <class Own>
void check_scan_by_key(const Device& device, const ScanByKey& scan, const ScanByKeyConfig& config, uint64_t n,
                       Runs runs, const OwnByKeyOptions& options = {}) {
  CAPTURE(device.name());
  CAPTURE(std::string(Own::kName));
  CAPTURE(name_of(config.kind));
  CAPTURE(name_of(config.segments));
  CAPTURE(n);
  CAPTURE(text_of(runs));
  using Accumulator = typename Own::Accumulator;
  std::vector<typename Own::Item> items(n);
  for (uint64_t i = 0; i < n; ++i) items[i] = Own::random(i + n);
  const std::vector<bool> heads = heads_of(n, runs, n);
  std::vector<Accumulator> expected(n);
  auto running = Own::identity();
  for (uint64_t i = 0; i < n; ++i) {
    if (heads[i]) running = Own::identity();
    const auto next = Own::combine(running, Own::accumulator_of(items[i]));
    expected[i] = config.kind == ScanKind::inclusive ? next : running;
    running = next;
  }
  PrimitiveCall call(device.gpu());
  ScanByKeyArgs args{
      call.input("keys", marks_of(heads, config.segments, size_of(config.key)), options.key_misalignment),
      call.input("values", items, options.value_misalignment),
      {},
      call.scratch(scan.scratch_size(n)),
      n,
      std::nullopt};
  const char* const output = options.in_place ? "values" : "output";
  if (!options.in_place) call.output(output, n * sizeof(Accumulator), options.output_misalignment);
  args.output = call.expect_any(output, n * sizeof(Accumulator));
  CHECK(call.wrong(scan, args) == "");
  CHECK(first_difference(items_of<Accumulator>(call.found(output)), expected) == n);
}

/// Reduces `n` items by keys of such runs, and compares all that it writes.
template <class Own>
void check_reduce_by_key(const Device& device, const ReduceByKey& reduce, const ReduceByKeyConfig& config, uint64_t n,
                         Runs runs, const OwnByKeyOptions& options = {}) {
  CAPTURE(device.name());
  CAPTURE(std::string(Own::kName));
  CAPTURE(n);
  CAPTURE(text_of(runs));
  using Accumulator = typename Own::Accumulator;
  std::vector<typename Own::Item> items(n);
  for (uint64_t i = 0; i < n; ++i) items[i] = Own::random(i + n);
  const std::vector<bool> heads = heads_of(n, runs, n);
  const uint32_t key_bytes = size_of(config.key);
  const std::vector<std::byte> key_of_item = marks_of(heads, SegmentsBy::keys, key_bytes);
  std::vector<Accumulator> expected;
  std::vector<std::byte> expected_keys;
  for (uint64_t i = 0; i < n; ++i) {
    const Accumulator value = Own::accumulator_of(items[i]);
    if (!heads[i]) {
      expected.back() = Own::combine(expected.back(), value);
      continue;
    }
    expected.push_back(value);
    expected_keys.insert(expected_keys.end(), key_of_item.begin() + static_cast<ptrdiff_t>(i * key_bytes),
                         key_of_item.begin() + static_cast<ptrdiff_t>((i + 1) * key_bytes));
  }
  PrimitiveCall call(device.gpu());
  const ReduceByKeyArgs args{call.input("keys", key_of_item, options.key_misalignment),
                             call.input("values", items, options.value_misalignment),
                             call.output("keys_out", n * key_bytes),
                             call.output("values_out", n * sizeof(Accumulator), options.output_misalignment),
                             call.output("count_out", 4),
                             call.scratch(reduce.scratch_size(n)),
                             n};
  // Room for more runs than there are stays as it was.
  call.expect("keys_out", expected_keys, key_bytes);
  call.expect_any("values_out", expected.size() * sizeof(Accumulator));
  call.expect("count_out", std::vector{static_cast<uint32_t>(expected.size())});
  CHECK(call.wrong(reduce, args) == "");
  std::vector<Accumulator> actual = items_of<Accumulator>(call.found("values_out"));
  actual.resize(expected.size());
  CHECK(first_difference(actual, expected) == expected.size());
}

/// Reduces all segments, and compares all that it writes.
template <class Own>
void check_segmented_reduce(Backend& backend, const SegmentedReduce& reduce, const SegmentedReduceConfig& config,
                            const Offsets& offsets, VkDeviceSize misalignment = 0) {
  CAPTURE(backend.name());
  CAPTURE(std::string(Own::kName));
  CAPTURE(offsets.size());
  CAPTURE(offsets.back());
  CAPTURE(misalignment);
  using Accumulator = typename Own::Accumulator;
  const auto items = items_for<Own>(offsets.back() + 2);
  const uint64_t segments = offsets.size() - 1;
  PrimitiveCall call(backend.gpu());
  const auto args = segmented_args<Accumulator, SegmentedReduceArgs>(
      call, items, offsets, config.offset, segments, reduce.scratch_size(segments, items.size()),
      {.items_misalignment = misalignment, .output_misalignment = misalignment});
  call.expect_any("output", segments * sizeof(Accumulator));
  std::vector<Accumulator> expected(segments, Own::identity());
  for (uint64_t s = 0; s < segments; ++s)
    for (uint64_t i = offsets[s]; i < offsets[s + 1]; ++i)
      expected[s] = Own::combine(expected[s], Own::accumulator_of(items[i]));
  CHECK(call.wrong(reduce, args) == "");
  CHECK(first_difference(items_of<Accumulator>(call.found("output")), expected) == segments);
}

const Scan& create_scan(const Device& device, const KernelSet& own, ScanKind kind) {
  return create<Scan>(device, {.kind = kind, .own_kernels = own});
}

/// What is split, of `n` items, and by the oracle: `partition_index(items, i)`.
template <class Item, class Random, class PartitionIndex>
Selection split_of(uint64_t n, const Random& random, const PartitionIndex& partition_index) {
  std::vector<Item> items(n);
  for (uint64_t i = 0; i < n; ++i) items[i] = random(i);
  Selection selection;
  const auto bytes = std::as_bytes(std::span(items));
  selection.tested.assign(bytes.begin(), bytes.end());
  for (uint64_t i = 0; i < n; ++i) selection.partitions.push_back(static_cast<uint8_t>(partition_index(items, i)));
  return selection;
}

/// What is selected from `n` items, and by the oracle: `keeps(items, i)`.
template <class Item, class Random, class Keeps>
Selection selection_of(uint64_t n, const Random& random, const Keeps& keeps) {
  return split_of<Item>(n, random, [&](const auto& items, uint64_t i) { return keeps(items, i) ? 0 : 1; });
}

struct OwnSelection {
  const KernelSet& own;
  uint32_t item_bytes;
  Selection (*of)(uint64_t n);
};

/// The snippets of select and unique, with what they are on the host.
std::vector<OwnSelection> own_selections() {
  return {
      {own::select_residue(), 4,
       [](uint64_t n) {
         return selection_of<uint32_t>(
             n, [](uint64_t i) { return random_u32(1, i); },
             [](const auto& items, uint64_t i) { return items[i] % 7 == 3; });
       }},
      {own::select_ascending(), 8,
       [](uint64_t n) {
         return selection_of<std::array<int32_t, 2>>(
             n,
             [](uint64_t i) {
               return std::array{static_cast<int32_t>(random_u32(1, i)), static_cast<int32_t>(random_u32(2, i))};
             },
             [](const auto& items, uint64_t i) { return items[i][0] < items[i][1]; });
       }},
      {own::select_inside(), 12,
       [](uint64_t n) {
         return selection_of<std::array<float, 3>>(
             n,
             [](uint64_t i) {
               return std::array{static_cast<float>(random_u32(1, i) % 128), static_cast<float>(random_u32(2, i) % 128),
                                 static_cast<float>(random_u32(3, i) % 128)};
             },
             [](const auto& items, uint64_t i) {
               const auto& p = items[i];
               return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 10000;
             });
       }},
      {own::unique_decade(), 4,
       [](uint64_t n) {
         return selection_of<uint32_t>(
             n, [](uint64_t i) { return static_cast<uint32_t>(i * 3 + random_u32(1, i) % 2); },
             [](const auto& items, uint64_t i) { return i == 0 || items[i] / 10 != items[i - 1] / 10; });
       }},
      {own::unique_first_of_key(), 8,
       [](uint64_t n) {
         return selection_of<std::array<uint32_t, 2>>(
             n,
             [](uint64_t i) {
               return std::array{random_u32(1, i / 4) % 3, random_u32(2, i)};
             },
             [](const auto& items, uint64_t i) { return i == 0 || items[i][0] != items[i - 1][0]; });
       }},
      {own::unique_near(), 16,
       [](uint64_t n) {
         return selection_of<std::array<uint32_t, 4>>(
             n,
             [](uint64_t i) {
               return std::array{static_cast<uint32_t>(4 * i) + random_u32(1, i) % 4, random_u32(2, i),
                                 random_u32(3, i), random_u32(4, i)};
             },
             [](const auto& items, uint64_t i) { return i == 0 || items[i][0] - items[i - 1][0] > 5; });
       }},
  };
}

/// The snippets of partition in three, with what they are on the host.
std::vector<OwnSelection> own_splits() {
  return {
      {own::partition_third(), 4,
       [](uint64_t n) {
         return split_of<uint32_t>(
             n, [](uint64_t i) { return random_u32(1, i) >> 1; },
             [](const auto& items, uint64_t i) { return std::min((items[i] + 3) % 7, 2u); });
       }},
      {own::partition_order(), 8,
       [](uint64_t n) {
         return split_of<std::array<int32_t, 2>>(
             n,
             [](uint64_t i) {
               return std::array{static_cast<int32_t>(random_u32(1, i) % 5) - 2,
                                 static_cast<int32_t>(random_u32(2, i) % 5) - 2};
             },
             [](const auto& items, uint64_t i) {
               return items[i][0] < items[i][1] ? 0 : items[i][0] == items[i][1] ? 1 : 2;
             });
       }},
      {own::partition_shell(), 12,
       [](uint64_t n) {
         return split_of<std::array<float, 3>>(
             n,
             [](uint64_t i) {
               return std::array{static_cast<float>(random_u32(1, i) % 128), static_cast<float>(random_u32(2, i) % 128),
                                 static_cast<float>(random_u32(3, i) % 128)};
             },
             [](const auto& items, uint64_t i) {
               const auto& p = items[i];
               const float square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
               return square < 6000 ? 0 : square < 15000 ? 1 : 2;
             });
       }},
  };
}

/// Items as words, and where the oracle has runs begin.
struct OwnRuns {
  std::vector<uint32_t> words;
  std::vector<uint64_t> heads;
};

template <class Item, class Random, class Same>
OwnRuns own_runs_of(uint64_t n, const Random& random, const Same& same) {
  std::vector<Item> items(n);
  for (uint64_t i = 0; i < n; ++i) items[i] = random(i);
  OwnRuns runs;
  runs.words = items_of<uint32_t>(std::as_bytes(std::span(items)));
  for (uint64_t i = 0; i < n; ++i)
    if (i == 0 || !same(items[i - 1], items[i])) runs.heads.push_back(i);
  return runs;
}

struct OwnEncoding {
  const KernelSet& own;
  uint32_t item_words;
  OwnRuns (*of)(uint64_t n, uint64_t longest);
};

/// The snippets of run_length_encode, with what they are on the host. Runs are of about `longest` / 2 items.
std::vector<OwnEncoding> own_encodings() {
  return {
      {own::encode_decade(), 1,
       [](uint64_t n, uint64_t longest) {
         return own_runs_of<uint32_t>(
             n, [=](uint64_t i) { return 10 * (random_u32(2, i / (longest / 2 + 1)) % 9999) + random_u32(1, i) % 10; },
             [](uint32_t a, uint32_t b) { return a / 10 == b / 10; });
       }},
      {own::encode_first_of_key(), 2,
       [](uint64_t n, uint64_t longest) {
         return own_runs_of<std::array<uint32_t, 2>>(
             n,
             [=](uint64_t i) {
               return std::array{random_u32(1, i / (longest / 2 + 1)) % 3, random_u32(2, i)};
             },
             [](const auto& a, const auto& b) { return a[0] == b[0]; });
       }},
      {own::encode_near(), 4,
       [](uint64_t n, uint64_t longest) {
         return own_runs_of<std::array<uint32_t, 4>>(
             n,
             [=](uint64_t i) {
               const uint64_t jumps = i / (longest / 2 + 1);
               return std::array{static_cast<uint32_t>(4 * i + 9 * jumps) + random_u32(1, i) % 2, random_u32(2, i),
                                 random_u32(3, i), random_u32(4, i)};
             },
             [](const auto& a, const auto& b) { return b[0] - a[0] <= 5; });
       }},
      {own::encode_within(), 3,
       [](uint64_t n, uint64_t longest) {
         struct Point {
           float x;
           uint32_t a;
           int32_t b;
         };
         return own_runs_of<Point>(
             n,
             [=](uint64_t i) {
               return Point{static_cast<float>(random_u32(1, i / (longest / 2 + 1)) % 8 * 4 + random_u32(2, i) % 2),
                            random_u32(3, i), static_cast<int32_t>(random_u32(4, i))};
             },
             [](const Point& a, const Point& b) { return std::abs(b.x - a.x) <= 1.5f; });
       }},
  };
}

/// The first thing that is not as expected of an encoding's symbols, lengths and offsets.
std::string check_own_encoding(Gpu& gpu, const RunLengthEncode& encode, const RunLengthEncodeConfig& config,
                               const OwnEncoding& encoding, const OwnRuns& runs, VkDeviceSize misalignment) {
  const uint64_t item_words = encoding.item_words;
  const uint64_t n = runs.words.size() / item_words;
  const uint64_t length_words = size_of(config.length) / 4;
  std::vector<uint32_t> symbols, lengths, offsets;
  for (size_t r = 0; r < runs.heads.size(); ++r) {
    const uint64_t begin = runs.heads[r];
    const uint64_t length = (r + 1 < runs.heads.size() ? runs.heads[r + 1] : n) - begin;
    if (config.non_trivial && length < 2) continue;
    for (uint64_t word = 0; word < item_words; ++word) symbols.push_back(runs.words[begin * item_words + word]);
    for (uint64_t word = 0; word < length_words; ++word) {
      lengths.push_back(static_cast<uint32_t>(length >> 32 * word));
      offsets.push_back(static_cast<uint32_t>(begin >> 32 * word));
    }
  }
  const uint64_t room = config.non_trivial ? n / 2 : n;
  PrimitiveCall call(gpu);
  RunLengthEncodeArgs args{call.input("input", runs.words, misalignment),
                           call.output("symbols", 4 * item_words * room, 12),
                           call.output("lengths", 4 * length_words * room, 4),
                           call.output("offsets", 4 * length_words * room, 8),
                           call.output("run_count", 4, 4),
                           call.scratch(encode.scratch_size(n)),
                           n};
  args.a = Value::of(1.5f);
  call.expect("symbols", symbols);
  call.expect("lengths", lengths);
  call.expect("offsets", offsets);
  call.expect("run_count", std::vector{static_cast<uint32_t>(lengths.size() / length_words)});
  return call.wrong(encode, args);
}

/// `config` with the set; check_selection() takes the size of items from the member.
template <class Config>
Config with_own(Config config, const Device& device, const OwnSelection& selection) {
  config.strategy = device.strategy();
  config.own_kernels = selection.own;
  config.member.stride = selection.item_bytes;
  return config;
}

const Reduce& create_reduce(Backend& backend, const KernelSet& own) {
  return create<Reduce>(backend, {.own_kernels = own});
}

template <class Own>
void check_scan(const Device& device, const Scan& scan, ScanKind kind, uint64_t n, const RunOptions& options = {}) {
  CAPTURE(device.name());
  CAPTURE(std::string(Own::kName));
  CAPTURE(name_of(kind));
  CAPTURE(n);
  CAPTURE(options.in_place);
  CAPTURE(options.input_misalignment);
  CAPTURE(options.output_misalignment);
  const auto items = items_for<Own>(n);
  const auto expected = scan_of<Own>(items, kind);
  const auto actual = scan_on<typename Own::Accumulator>(device.gpu(), scan, items, options);
  CHECK(first_difference(actual, expected) == n);
}

template <class Own>
void check_reduce(Backend& backend, const Reduce& reduce, uint64_t n, const RunOptions& options = {}) {
  CAPTURE(backend.name());
  CAPTURE(std::string(Own::kName));
  CAPTURE(n);
  CAPTURE(options.input_misalignment);
  const auto items = items_for<Own>(n);
  const auto scanned = scan_of<Own>(items, ScanKind::inclusive);
  const auto expected = n == 0 ? Own::identity() : scanned.back();
  CHECK((reduce_on<typename Own::Accumulator>(backend.gpu(), reduce, items, options) == expected));
}

}  // namespace

TEST_SUITE("own kernels") {
  TEST_CASE(
      "items of one to four words and results of one to eight are scanned whole, at and around every edge [types]") {
    // Snippets meet kinds in registers and strategies around them, so that kinds take turns. Emulated backends are slow
    // to build for, and see words only: three of them by either strategy, eight by one.
    uint32_t combination = 0;
    const std::vector<Device> devices = every_device();
    for_every_snippet([&]<class Own>() {
      ++combination;
      for (size_t d = 0; d < devices.size(); ++d) {
        const Device& device = devices[d];
        const bool is_native = !device.backend().is_emulated();
        const bool emulates = std::is_same_v<Own, Triangle> ||
                              (std::is_same_v<Own, Tally> && device.strategy() == Strategy::reduce_then_scan);
        if ((!is_native && !emulates) || !takes_turn(combination + static_cast<uint32_t>(d))) continue;
        const ScanKind kind = kBothKinds[(combination + d) % 2];
        const Scan& scan = create_scan(device, Own::scan_kernels(), kind);
        const uint64_t tile = scan.tile_items();
        for (const uint64_t n : few_edges(tile)) check_scan<Own>(device, scan, kind, n);
        if (is_native)
          for (const uint64_t n : around({4, device.context().subgroup_size(), 2 * tile, 33 * tile}))
            check_scan<Own>(device, scan, kind, n);
      }
    });
  }

  TEST_CASE("any multiple of four bytes will do as an address, and equal addresses scan in place [widths]") {
    for (Backend* backend : every_backend()) {
      uint32_t combination = 0;
      for_every_snippet([&]<class Own>() {
        if (backend->is_emulated() || !takes_turn(combination++)) return;
        const Device device(*backend, Strategy::reduce_then_scan);
        const Scan& scan = create_scan(device, Own::scan_kernels(), ScanKind::inclusive);
        const uint64_t n = 2 * scan.tile_items() + 3;
        for (const VkDeviceSize offset : {4, 8, 12}) {
          check_scan<Own>(device, scan, ScanKind::inclusive, n, {.input_misalignment = offset});
          check_scan<Own>(device, scan, ScanKind::inclusive, n, {.output_misalignment = offset});
          if (sizeof(typename Own::Item) == sizeof(typename Own::Accumulator))
            check_scan<Own>(device, scan, ScanKind::inclusive, n, {.input_misalignment = offset, .in_place = true});
        }
      });
    }
  }

  TEST_CASE("a count on the device is scanned so far") {
    for (const Device& device : every_device()) {
      if (device.backend().is_emulated()) continue;
      const Scan& scan = create_scan(device, own::scan_triangle(), ScanKind::exclusive);
      const uint64_t n = 2 * scan.tile_items() + 5;
      const auto items = items_for<Triangle>(n);
      const auto expected = scan_of<Triangle>(items, ScanKind::exclusive);
      for (const uint64_t count : {uint64_t{0}, uint64_t{1}, scan.tile_items() + uint64_t{1}, n}) {
        RunOptions options;
        options.device_count = DeviceCount{count, 4};
        const auto actual = scan_on<Triangle::Item>(device.gpu(), scan, items, options);
        CHECK(static_cast<uint64_t>(std::ranges::mismatch(actual, expected).in1 - actual.begin()) >= count);
        if (count < n) CHECK(actual[count].a == 0xdbdbdbdb);
      }
    }
  }

  TEST_CASE("look-back finishes what is not published in time [faults]") {
    const ScopedTuning one_spin("scan.spin_limit=1");
    for (const Device& device : every_look_back()) {
      if (device.backend().is_emulated()) continue;
      const Scan& scan = create_scan(device, own::scan_best(), ScanKind::inclusive);
      check_scan<Best>(device, scan, ScanKind::inclusive, 9 * scan.tile_items() + 5);
    }
  }

  TEST_CASE("items are reduced whole and in order [widths]") {
    for (Backend* backend : every_backend())
      for_every_snippet([&]<class Own>() {
        const Reduce& reduce = create_reduce(*backend, Own::reduce_kernels());
        const uint64_t tile = reduce.tile_items();
        for (const uint64_t n : few_edges(tile)) check_reduce<Own>(*backend, reduce, n);
        check_reduce<Own>(*backend, reduce, 2 * tile + 3, {.input_misalignment = 4});
        check_reduce<Own>(*backend, reduce, 2 * tile + 3, {.input_misalignment = 8});
      });
  }

  TEST_CASE(
      "items that a predicate keeps, and the first of each run of same ones, are selected at and around every edge "
      "[widths]") {
    uint32_t combination = 0;
    for (const OwnSelection& selection : own_selections())
      for (const Device& device : every_device()) {
        // Emulated backends are slow to build for, and see bits only.
        ++combination;
        if ((device.backend().is_emulated() && combination % 4 != 0) || !takes_turn(combination)) continue;
        CAPTURE(device.name());
        CAPTURE(selection.own.name());
        const SelectConfig config = with_own(SelectConfig{}, device, selection);
        const Result<Select> select = Select::create(device.context(), config);
        if (!select) FAIL(select.error().message);
        const uint64_t tile = select->tile_items();
        SelectRunOptions options;
        options.a = Value::of(3u);
        options.b = Value::of(7u);
        for (const uint64_t n : few_edges(tile)) {
          CAPTURE(n);
          CHECK(check_selection(device.gpu(), *select, config, selection.of(n), options) == "");
        }
        for (const VkDeviceSize offset : {4, 8, 12}) {
          CAPTURE(offset);
          options.tested_misalignment = offset;
          options.output_misalignment = (offset + 4) % 16;
          CHECK(check_selection(device.gpu(), *select, config, selection.of(2 * tile + 3), options) == "");
        }
      }
  }

  TEST_CASE("a predicate splits a range in two, and moves other items and indices [forms]") {
    const Device device(first_backend(), Strategy::reduce_then_scan);
    SelectRunOptions options;
    options.a = Value::of(3u);
    options.b = Value::of(7u);
    for (const OwnSelection& selection : own_selections()) {
      if (selection.own.primitive() != "select") continue;
      CAPTURE(selection.own.name());
      PartitionConfig config = with_own(PartitionConfig{}, device, selection);
      config.indices = true;
      const Result<Partition> partition = Partition::create(device.context(), config);
      if (!partition) FAIL(partition.error().message);
      const Selection split = selection.of(partition->tile_items() + 77);
      CHECK(check_selection(device.gpu(), *partition, config, split, options) == "");
      config.partitions = 3;
      CHECK(Partition::create(device.context(), config).error().message ==
            "Partition: own_kernels '" + selection.own.name() + "' are made for select, and not for partition");

      SelectConfig moving = with_own(SelectConfig{}, device, selection);
      moving.items = false;
      moving.moved_bytes = 20;
      const Result<Select> select = Select::create(device.context(), moving);
      if (!select) FAIL(select.error().message);
      Selection moved = split;
      for (size_t i = 0; i < 20 * split.partitions.size(); ++i)
        moved.moved.push_back(static_cast<std::byte>(i * i >> 3));
      CHECK(check_selection(device.gpu(), *select, moving, moved, options) == "");
    }
    PartitionConfig config;
    config.own_kernels = own::unique_decade();
    CHECK(Partition::create(device.context(), config).error().message ==
          "Partition: own_kernels 'unique_decade' are made for unique, and not for select");
    SelectConfig select;
    select.own_kernels = own::scan_triangle();
    CHECK(Select::create(device.context(), select).error().message ==
          "Select: own_kernels 'scan_triangle' are made for scan, and not for select");
  }

  TEST_CASE("items go to the three partitions that a snippet names, at and around every edge [types]") {
    uint32_t combination = 0;
    for (const OwnSelection& selection : own_splits())
      for (const Device& device : every_device()) {
        ++combination;
        if (device.backend().is_emulated() ? combination % 4 != 0 : !takes_turn(combination)) continue;
        CAPTURE(device.name());
        CAPTURE(selection.own.name());
        PartitionConfig config = with_own(PartitionConfig{}, device, selection);
        config.partitions = 3;
        config.indices = true;
        const Result<Partition> partition = Partition::create(device.context(), config);
        if (!partition) FAIL(partition.error().message);
        const uint64_t tile = partition->tile_items();
        SelectRunOptions options;
        options.a = Value::of(3u);
        options.b = Value::of(7u);
        for (const uint64_t n : few_edges(tile)) {
          CAPTURE(n);
          CHECK(check_selection(device.gpu(), *partition, config, selection.of(n), options) == "");
        }
        options.tested_misalignment = 4;
        options.output_misalignment = 12;
        CHECK(check_selection(device.gpu(), *partition, config, selection.of(9 * tile + 3), options) == "");
      }
    PartitionConfig config;
    config.own_kernels = own::partition_third();
    CHECK(Partition::create(first_backend().context(), config).error().message ==
          "Partition: own_kernels 'partition_third' are made for partition, and not for select");
    SelectConfig select;
    select.own_kernels = own::partition_third();
    CHECK(Select::create(first_backend().context(), select).error().message ==
          "Select: own_kernels 'partition_third' are made for partition, and not for select");
  }

  TEST_CASE("runs of items that a snippet calls the same are encoded, all of them or the longer ones [types]") {
    uint32_t combination = 0;
    for (const OwnEncoding& encoding : own_encodings())
      for (const Device& device : every_device())
        for (const bool non_trivial : {false, true}) {
          ++combination;
          if (device.backend().is_emulated() ? combination % 8 != 0 : !takes_turn(combination)) continue;
          CAPTURE(device.name());
          CAPTURE(encoding.own.name());
          CAPTURE(non_trivial);
          RunLengthEncodeConfig config;
          config.offsets = true;
          config.non_trivial = non_trivial;
          config.length = combination % 3 == 0 ? Type::u64 : Type::u32;
          config.own_kernels = encoding.own;
          const RunLengthEncode& encode = create<RunLengthEncode>(device, config);
          const uint64_t tile = encode.tile_items();
          const auto check = [&](uint64_t n, uint64_t longest, VkDeviceSize misalignment) {
            CAPTURE(n);
            CAPTURE(longest);
            CAPTURE(misalignment);
            CHECK(check_own_encoding(device.gpu(), encode, config, encoding, encoding.of(n, longest), misalignment) ==
                  "");
          };
          for (const uint64_t n : few_edges(tile)) check(n, 4, 0);
          check(2 * tile + 3, 1, 4);
          check(2 * tile + 3, 3, 8);
          check(9 * tile + 5, 3 * tile, 12);
        }
    RunLengthEncodeConfig config;
    config.own_kernels = own::unique_decade();
    const auto refused = RunLengthEncode::create(first_backend().context(), config);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().message ==
          "RunLengthEncode: own_kernels 'unique_decade' are made for unique, and not for run_length_encode");
  }

  TEST_CASE("chunks carry open runs of the user's own on [widths]") {
    const ScopedTuning overrides("select.chunk_tiles=1");
    const Device device(first_backend(), strategies_of(first_backend().context()).back());
    uint32_t combination = 0;
    for (const OwnEncoding& encoding : own_encodings())
      for (const bool non_trivial : {false, true}) {
        if (!takes_turn(combination++)) continue;
        CAPTURE(encoding.own.name());
        CAPTURE(non_trivial);
        RunLengthEncodeConfig config;
        config.offsets = true;
        config.non_trivial = non_trivial;
        config.own_kernels = encoding.own;
        const RunLengthEncode& encode = create<RunLengthEncode>(device, config);
        const uint64_t tile = encode.tile_items();
        for (const uint64_t longest : {uint64_t{2}, 4 * tile})
          CHECK(check_own_encoding(device.gpu(), encode, config, encoding, encoding.of(5 * tile + 7, longest), 4) ==
                "");
      }
  }

  TEST_CASE("items of one to four words and results of one to eight are scanned by key [types]") {
    uint32_t combination = 0;
    const auto run = [&]<class Own>(const KernelSet& own) {
      for (const Device& device : every_device()) {
        ++combination;
        // Emulated backends see words only: the smallest and the largest, by one strategy each.
        if (device.backend().is_emulated() ? (std::is_same_v<Own, Best> || std::is_same_v<Own, Matrix> ||
                                              (device.strategy() == Strategy::look_back) != std::is_same_v<Own, Tally>)
                                           : !takes_turn(combination))
          continue;
        ScanByKeyConfig config;
        config.kind = kBothKinds[combination % 2];
        config.segments = combination % 3 == 0 ? SegmentsBy::head_bits : SegmentsBy::keys;
        config.key = combination % 3 == 1 ? Type::u64 : Type::u8;
        const ScanByKey& scan = create_scan_by_key(device, own, config);
        const uint64_t tile = scan.tile_items();
        for (const uint64_t n : few_edges(tile)) check_scan_by_key<Own>(device, scan, config, n, Runs::mixed);
        check_scan_by_key<Own>(device, scan, config, 9 * tile + 5, Runs::long_);
        check_scan_by_key<Own>(device, scan, config, 3 * tile + 1, Runs::one);
        if (device.backend().is_emulated()) continue;
        check_scan_by_key<Own>(device, scan, config, 2 * tile + 3, Runs::ones);
        for (const VkDeviceSize offset : {4, 8, 12}) {
          check_scan_by_key<Own>(device, scan, config, 2 * tile + 3, Runs::mixed, {.value_misalignment = offset});
          check_scan_by_key<Own>(device, scan, config, 2 * tile + 3, Runs::mixed, {.output_misalignment = offset});
          check_scan_by_key<Own>(device, scan, config, 2 * tile + 3, Runs::mixed,
                                 {.key_misalignment = 8, .value_misalignment = offset});
          if (sizeof(typename Own::Item) == sizeof(typename Own::Accumulator))
            check_scan_by_key<Own>(device, scan, config, 2 * tile + 3, Runs::mixed,
                                   {.value_misalignment = offset, .in_place = true});
        }
      }
    };
    run.operator()<Triangle>(own::by_key_triangle());
    run.operator()<Matrix>(own::by_key_matrix());
    run.operator()<Best>(own::by_key_best());
    run.operator()<Tally>(own::by_key_tally());
  }

  TEST_CASE("items of one to three words and results of two to eight are reduced by key [types]") {
    uint32_t combination = 0;
    const auto run = [&]<class Own>(const KernelSet& own) {
      for (const Device& device : every_device()) {
        ++combination;
        // Emulated backends: the smallest, in the kernels that scans do not share.
        if (device.backend().is_emulated()
                ? (!std::is_same_v<Own, Triangle> || device.strategy() == Strategy::look_back)
                : !takes_turn(combination))
          continue;
        ReduceByKeyConfig config;
        config.key = combination % 3 == 1 ? Type::u64 : combination % 3 == 0 ? Type::u32 : Type::u8;
        config.own_kernels = own;
        const ReduceByKey& reduce = create<ReduceByKey>(device, config);
        const uint64_t tile = reduce.tile_items();
        for (const uint64_t n : few_edges(tile)) check_reduce_by_key<Own>(device, reduce, config, n, Runs::mixed);
        check_reduce_by_key<Own>(device, reduce, config, 9 * tile + 5, Runs::long_);
        check_reduce_by_key<Own>(device, reduce, config, 3 * tile + 1, Runs::one);
        // More runs in a tile than fit its stage.
        check_reduce_by_key<Own>(device, reduce, config, 2 * tile + 3, Runs::ones);
        if (device.backend().is_emulated()) continue;
        for (const VkDeviceSize offset : {4, 8, 12}) {
          check_reduce_by_key<Own>(device, reduce, config, 2 * tile + 3, Runs::mixed, {.value_misalignment = offset});
          check_reduce_by_key<Own>(device, reduce, config, 2 * tile + 3, Runs::mixed, {.output_misalignment = offset});
        }
      }
    };
    run.operator()<Triangle>(own::sums_triangle());
    run.operator()<Best>(own::sums_best());
    run.operator()<Tally>(own::sums_tally());
  }

  TEST_CASE("items of one to three words and results of two to eight are reduced by segments [types]") {
    uint32_t combination = 0;
    const auto run = [&]<class Own>(const KernelSet& own) {
      for (Backend* backend : every_backend()) {
        ++combination;
        // Emulated backends see words only.
        if (backend->is_emulated() ? !std::is_same_v<Own, Triangle> : !takes_turn(combination)) continue;
        SegmentedReduceConfig config;
        config.offset = combination % 2 == 0 ? Type::u32 : Type::u64;
        config.own_kernels = own;
        const SegmentedReduce& reduce = create<SegmentedReduce>(*backend, config);
        const uint64_t tile = reduce.tile_items();
        for (const uint64_t n : {tile / 2, tile, 3 * tile + 5})
          for (const Counts& lengths : hard_lengths(n, n))
            check_segmented_reduce<Own>(*backend, reduce, config, offsets_from(n % 4, lengths));
        for (const VkDeviceSize offset : {4, 8, 12})
          check_segmented_reduce<Own>(*backend, reduce, config, offsets_from(0, random_counts(tile / 10, 20)), offset);
      }
    };
    run.operator()<Triangle>(own::segments_triangle());
    run.operator()<Best>(own::segments_best());
    run.operator()<Tally>(own::segments_tally());
  }

  TEST_CASE("a segmented scan takes a set made for scans by key [forms]") {
    const Device device(first_backend(), Strategy::reduce_then_scan);
    SegmentedScanConfig config;
    config.own_kernels = own::by_key_triangle();
    const SegmentedScan& scan = create<SegmentedScan>(device, config);
    const auto items = items_for<Triangle>(3 * scan.tile_items() + 5);
    const Offsets offsets = offsets_from(0, hard_lengths(items.size(), 1)[1]);
    PrimitiveCall call(device.gpu());
    const auto args = segmented_args<Triangle::Item, SegmentedScanArgs>(
        call, items, offsets, config.offset, items.size(), scan.scratch_size(items.size()), {});
    call.expect_any("output", items.size() * sizeof(Triangle::Item));
    const auto heads = heads_of_offsets(offsets, offsets.size() - 1, items.size());
    std::vector<Triangle::Item> expected(items.size());
    Triangle::Item running{};
    for (size_t i = 0; i < items.size(); ++i) {
      if (heads[i]) running = Triangle::identity();
      expected[i] = running;
      running = Triangle::combine(running, items[i]);
    }
    CHECK(call.wrong(scan, args) == "");
    CHECK(first_difference(items_of<Triangle::Item>(call.found("output")), expected) == items.size());
    SegmentedScanArgs with_initial = args;
    with_initial.initial = Value::of(1u);
    CHECK(scan.record(reinterpret_cast<VkCommandBuffer>(uintptr_t{16}), with_initial).error().message ==
          "SegmentedScan: initial does not go with own_kernels");
    config.own_kernels = own::scan_triangle();
    CHECK(SegmentedScan::create(device.context(), config).error().message ==
          "SegmentedScan: own_kernels 'scan_triangle' are made for scan, and not for scan_by_key");
    SegmentedReduceConfig reduce;
    reduce.own_kernels = own::sums_triangle();
    CHECK(SegmentedReduce::create(device.context(), reduce).error().message ==
          "SegmentedReduce: own_kernels 'sums_triangle' are made for reduce_by_key, and not for segmented_reduce");
  }

  TEST_CASE("look-back by key finishes what is not published in time [faults]") {
    const ScopedTuning one_spin("scan_by_key.spin_limit=1,reduce_by_key.spin_limit=1");
    if (!has_look_back(first_backend().context())) return;
    const Device device(first_backend(), Strategy::look_back);
    if (takes_turn(0)) {
      ReduceByKeyConfig config;
      config.own_kernels = own::sums_triangle();
      const ReduceByKey& reduce = create<ReduceByKey>(device, config);
      check_reduce_by_key<Triangle>(device, reduce, config, 20 * reduce.tile_items() + 5, Runs::long_);
    }
    if (!takes_turn(1)) return;
    const ScanByKey& scan = create_scan_by_key(device, own::by_key_triangle(), {});
    check_scan_by_key<Triangle>(device, scan, {}, 20 * scan.tile_items() + 5, Runs::long_);
  }

  TEST_CASE("scans by key refuse sets of another primitive, and initial values [refusal]") {
    const Context& context = first_backend().context();
    ScanByKeyConfig config;
    config.own_kernels = own::scan_triangle();
    const auto refused = ScanByKey::create(context, config);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().message ==
          "ScanByKey: own_kernels 'scan_triangle' are made for scan, and not for scan_by_key");
    ScanConfig scan;
    scan.own_kernels = own::by_key_triangle();
    CHECK(Scan::create(context, scan).error().message ==
          "Scan: own_kernels 'by_key_triangle' are made for scan_by_key, and not for scan");
    config.own_kernels = own::by_key_best();
    const auto best = ScanByKey::create(context, config);
    REQUIRE(best);
    ScanByKeyArgs args;
    args.initial = Value::of(1u);
    CHECK(best->record(reinterpret_cast<VkCommandBuffer>(uintptr_t{16}), args).error().message ==
          "ScanByKey: initial does not go with own_kernels");
    ReduceByKeyConfig reduce;
    reduce.own_kernels = own::by_key_triangle();
    CHECK(ReduceByKey::create(context, reduce).error().message ==
          "ReduceByKey: own_kernels 'by_key_triangle' are made for scan_by_key, and not for reduce_by_key");
    CHECK(own::by_key_tally().item_bytes() == 4);
    CHECK(own::by_key_tally().accumulator_bytes() == 32);
  }

  TEST_CASE("a set says what it is made for and what it works on") {
    CHECK(own::unique_near().primitive() == "unique");
    CHECK(own::unique_near().item_bytes() == 16);
    CHECK(own::unique_near().accumulator_bytes() == 0);
    CHECK(own::partition_shell().primitive() == "partition");
    CHECK(own::partition_shell().item_bytes() == 12);
    CHECK(own::partition_shell().accumulator_bytes() == 0);
    CHECK(own::encode_first_of_key().primitive() == "run_length_encode");
    CHECK(own::encode_first_of_key().item_bytes() == 8);
    CHECK(own::encode_first_of_key().kernels().size() == 6);
    const KernelSet& set = own::scan_tally();
    CHECK(set.name() == "scan_tally");
    CHECK(set.primitive() == "scan");
    CHECK(set.item_bytes() == 4);
    CHECK(set.accumulator_bytes() == 32);
    CHECK(own::scan_triangle().item_bytes() == 12);
    CHECK(own::scan_triangle().accumulator_bytes() == 12);
    CHECK(set.kernels().size() == 6);
    CHECK(set.find("scan_look_back.own.own.native").size() > 100);
    CHECK(set.find("scan_look_back.own.own").empty());
    CHECK(set.digest().size() == 64);
    CHECK(set.digest() != own::scan_triangle().digest());
    CHECK(KernelSet("another name", "scan", set.kernels()).digest() == set.digest());
  }

  TEST_CASE("a set made for something else is refused in words [refusal]") {
    const Context& context = first_backend().context();
    ReduceConfig reduce;
    reduce.own_kernels = own::scan_triangle();
    const auto refused = Reduce::create(context, reduce);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().message == "Reduce: own_kernels 'scan_triangle' are made for scan, and not for reduce");

    ScanConfig scan;
    const uint32_t words[] = {0x07230203, 0x10000, 0, 1, 0, 0xffff0000};
    for (const std::vector<KernelCode>& kernels :
         {std::vector<KernelCode>{}, std::vector<KernelCode>{{"scan_upsweep.own.own.native", words}},
          std::vector<KernelCode>{{"scan_upsweep.own.own.native", std::span(words).first(3)}}}) {
      scan.own_kernels = KernelSet("broken", "scan", kernels);
      CHECK(Scan::create(context, scan).error().message ==
            "Scan: own_kernels 'broken' were not made by weft_add_kernel() or weft::jit");
    }
    scan.own_kernels = KernelSet("half", "scan", own::scan_triangle().kernels().first(1));
    const auto half = Scan::create(context, scan);
    REQUIRE(!half);
    CHECK(half.error().code == ErrorCode::unsupported);
    CHECK(half.error().message.find("own_kernels 'half' have no kernel scan_") == 0);
  }

  TEST_CASE("an initial value is refused in words [refusal]") {
    const Device device(first_backend(), Strategy::reduce_then_scan);
    const Scan& scan = create_scan(device, own::scan_saturating(), ScanKind::exclusive);
    const Reduce& reduce = create_reduce(device.backend(), own::reduce_saturating());
    const auto commands = reinterpret_cast<VkCommandBuffer>(uintptr_t{16});  // never looked at
    ScanArgs scan_args;
    scan_args.initial = Value::of(1u);
    CHECK(scan.record(commands, scan_args).error().message == "Scan: initial does not go with own_kernels");
    ReduceArgs reduce_args;
    reduce_args.initial = Value::of(1u);
    CHECK(reduce.record(commands, reduce_args).error().message == "Reduce: initial does not go with own_kernels");
  }

  TEST_CASE("sets on one Context do not mix, and equal ones share") {
    const Device device(first_backend(), Strategy::reduce_then_scan);
    const Scan& triangles = create_scan(device, own::scan_triangle(), ScanKind::inclusive);
    const Scan& matrices = create_scan(device, own::scan_matrix(), ScanKind::inclusive);
    const Scan built_in = create<Scan>(device, {ScanKind::inclusive});
    {
      // The set is gone before the scan is used.
      const KernelSet copy("copy", "scan", own::scan_triangle().kernels());
      const Scan& again = create_scan(device, copy, ScanKind::inclusive);
      check_scan<Triangle>(device, again, ScanKind::inclusive, 1000);
    }
    for (int round = 0; round < 2; ++round) {
      check_scan<Triangle>(device, triangles, ScanKind::inclusive, 1000);
      check_scan<Matrix>(device, matrices, ScanKind::inclusive, 1000);
    }
    const std::vector<uint32_t> ones(1000, 1);
    CHECK(scan_on<uint32_t>(device.gpu(), built_in, ones).back() == 1000);
  }
}

}  // namespace weft::test::own_kernels_tests
