// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/select.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "select/partition_calls.hpp"
#include "select/select_calls.hpp"
#include "support/device.hpp"
#include "support/faults.hpp"
#include "support/fuzz_subject.hpp"
#include "support/item_runs.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/run_select.hpp"
#include "support/sizes.hpp"

namespace weft::test::select_tests {
namespace {

constexpr Criterion kComparisons[] = {
    Criterion::less,      Criterion::less_equal, Criterion::greater, Criterion::greater_equal, Criterion::equal,
    Criterion::not_equal, Criterion::inside,     Criterion::outside, Criterion::nonzero,       Criterion::zero};
constexpr Criterion kBitTests[] = {Criterion::any_bit, Criterion::no_bit, Criterion::all_bits};

/// What is compared: f16 as f32.
template <class T>
auto number_of(T item) {
  if constexpr (std::is_same_v<T, F16>)
    return float_of(item);
  else
    return item;
}

template <class T>
bool holds(Criterion criterion, T item, T constant_a, T constant_b) {
  const auto x = number_of(item), a = number_of(constant_a), b = number_of(constant_b);
  switch (criterion) {
    case Criterion::less: return x < a;
    case Criterion::less_equal: return x <= a;
    case Criterion::greater: return x > a;
    case Criterion::greater_equal: return x >= a;
    case Criterion::equal: return x == a;
    case Criterion::not_equal: return !(x == a);
    case Criterion::inside: return a <= x && x <= b;
    case Criterion::outside: return !(a <= x && x <= b);
    case Criterion::nonzero: return !(x == 0);
    case Criterion::zero: return x == 0;
    default: break;
  }
  if constexpr (!is_float_item<T>) {
    if (criterion == Criterion::any_bit) return (item & constant_a) != 0;
    if (criterion == Criterion::no_bit) return (item & constant_a) == 0;
    if (criterion == Criterion::all_bits) return (item & constant_a) == constant_a;
  }
  FAIL("no oracle for this criterion");
  return false;
}

/// Items among which every value that a comparison may trip over comes often.
template <class T>
std::vector<T> edgy_items(uint64_t n, uint64_t seed) {
  std::vector<T> special;
  if constexpr (is_float_item<T>) {
    using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
    constexpr Bits kInfinity = sizeof(T) == 2   ? 0x7c00
                               : sizeof(T) == 4 ? 0x7f800000
                                                : static_cast<Bits>(0x7ff0000000000000);
    for (const Bits bits :
         {Bits{0}, Bits{1}, kInfinity, static_cast<Bits>(kInfinity - 1), static_cast<Bits>(kInfinity + 1)})
      for (const Bits sign : {Bits{0}, kSign}) special.push_back(std::bit_cast<T>(static_cast<Bits>(bits | sign)));
  } else {
    special = {T{0},
               T{1},
               std::numeric_limits<T>::max(),
               std::numeric_limits<T>::min(),
               static_cast<T>(-1),
               static_cast<T>(std::numeric_limits<T>::max() / 2)};
  }
  std::vector<T> items(n);
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t word = random_word(seed, i);
    if (word % 3 == 0) {
      items[i] = special[(word >> 8) % special.size()];
    } else {
      std::memcpy(static_cast<void*>(&items[i]), &word, sizeof(T));
    }
  }
  return items;
}

template <class T>
Selection selection_by(const std::vector<T>& items, Criterion criterion, T a, T b) {
  Selection selection{bytes_of(items), {}, {}};
  for (const T item : items) selection.partitions.push_back(holds(criterion, item, a, b) ? 0 : 1);
  return selection;
}

/// Sides given; the tested items are flags, what is moved is random.
Selection flagged_selection(std::vector<uint8_t> partitions, uint32_t moved_bytes, std::optional<Type> flags,
                            uint64_t seed) {
  Selection selection;
  const uint64_t n = partitions.size();
  if (!flags) {
    std::vector<uint32_t> words((n + 31) / 32);
    for (uint64_t i = 0; i < n; ++i)
      if (partitions[i] == 0) words[i / 32] |= 1u << (i % 32);
    // What lies after the last item is nobody's.
    if (n % 32 != 0) words.back() |= ~0u << (n % 32);
    selection.tested = bytes_of(words);
  } else if (*flags == Type::u8) {
    for (uint64_t i = 0; i < n; ++i)
      selection.tested.push_back(static_cast<std::byte>(partitions[i] == 0 ? 1 + random_word(seed, i) % 255 : 0));
  } else {
    std::vector<uint32_t> words(n);
    for (uint64_t i = 0; i < n; ++i)
      words[i] = partitions[i] == 0 ? static_cast<uint32_t>(random_word(seed, i)) | 1u << 31 : 0;
    selection.tested = bytes_of(words);
  }
  selection.moved.resize(n * moved_bytes);
  for (size_t i = 0; i < selection.moved.size(); ++i)
    selection.moved[i] = static_cast<std::byte>(random_word(seed + 1, i / 8) >> (8 * (i % 8)));
  selection.partitions = std::move(partitions);
  return selection;
}

std::vector<uint8_t> random_partitions(uint64_t n, uint64_t seed, double kept = 0.5, uint8_t partitions = 2) {
  std::vector<uint8_t> result(n);
  for (uint64_t i = 0; i < n; ++i) {
    const double draw = static_cast<double>(random_word(seed, i) >> 11) * 0x1p-53;
    result[i] = draw < kept ? uint8_t{0} : static_cast<uint8_t>(1 + random_word(seed + 9, i) % (partitions - 1));
  }
  return result;
}

std::vector<uint8_t> run_heads(const std::vector<std::byte>& items, size_t stride, size_t offset, size_t bytes) {
  std::vector<uint8_t> partitions(items.size() / stride);
  for (size_t i = 0; i < partitions.size(); ++i)
    partitions[i] =
        i == 0 || std::memcmp(&items[i * stride + offset], &items[(i - 1) * stride + offset], bytes) != 0 ? 0 : 1;
  return partitions;
}

/// A comparison that keeps about half of random words.
template <class T>
constexpr T middle() {
  return static_cast<T>(std::numeric_limits<T>::max() / 2);
}

void check(const Device& device, const SelectConfig& config, const Selection& selection,
           const SelectRunOptions& options = {}) {
  CAPTURE(device.name());
  CAPTURE(std::string(name_of(config.criterion)) + " " + name_of(config.item));
  CAPTURE(selection.partitions.size());
  CHECK(check_selection(device.gpu(), create<Select>(device, config), config, selection, options) == "");
}

void check(const Device& device, const PartitionConfig& config, const Selection& selection,
           const SelectRunOptions& options = {}) {
  CAPTURE(device.name());
  CAPTURE(std::string(name_of(config.criterion)) + " " + name_of(config.item) + " partitions " +
          std::to_string(config.partitions));
  CAPTURE(selection.partitions.size());
  CHECK(check_selection(device.gpu(), create<Partition>(device, config), config, selection, options) == "");
}

template <class Test>
void for_every_tested_type(const Test& test) {
  test.template operator()<uint8_t>();
  test.template operator()<uint16_t>();
  test.template operator()<uint32_t>();
  test.template operator()<uint64_t>();
  test.template operator()<int32_t>();
  test.template operator()<int64_t>();
  test.template operator()<F16>();
  test.template operator()<float>();
  test.template operator()<double>();
}

/// u32 items kept where they are below the middle.
void check_u32(const Device& device, uint64_t n, const SelectRunOptions& given = {}) {
  SelectRunOptions options = given;
  options.a = Value::of(middle<uint32_t>());
  const auto items = random_items<uint32_t>(n, n + 3);
  Selection selection = selection_by(items, Criterion::less, middle<uint32_t>(), 0u);
  if (options.device_count) selection.partitions.resize(std::min<uint64_t>(n, options.device_count->value));
  check(device, SelectConfig::select_if(Type::u32, Criterion::less), selection, options);
}

/// Config: of Select or Partition. T: of what is tested.
template <class T, class Config>
FuzzSubject subject_of(Config given, Strategy strategy, const char* tuning = "") {
  given.strategy = strategy;
  const auto draw_case = [](Backend& backend, const Config& config, Draws& draw) {
    const Device device(backend, config.strategy);
    uint32_t partitions = 1;
    uint64_t n = 0;
    if constexpr (std::is_same_v<Config, PartitionConfig>) {
      partitions = config.partitions;
      n = draw.count(create<Partition>(device, config).tile_items());
    } else {
      n = draw.count(create<Select>(device, config).tile_items());
    }
    const bool flagged = config.criterion == Criterion::flagged;
    const uint64_t stride = config.member.stride != 0 ? config.member.stride : sizeof(T);
    SelectRunOptions options{
        .tested_misalignment = draw.misalignment(flagged ? 4 : stride),
        .moved_misalignment = draw.misalignment(std::max(config.moved_bytes, 1u)),
        .output_misalignment = draw.misalignment(config.moved_bytes != 0 ? config.moved_bytes : stride),
        .device_count = draw.device_count(n),
        .wide_counts = draw.one_in(3),
        .items_per_workgroup = static_cast<uint32_t>(draw.below(1000)),
        .dirt = draw.dirt()};
    // Tested items and moved ones go to outputs of one misalignment.
    if (config.items && config.moved_bytes != 0)
      options.output_misalignment &= ~(std::min<VkDeviceSize>(stride, 4) - 1);
    const auto items = draw.items<T>(flagged ? (n + 31) / 32 : n * stride / sizeof(T));
    T a = Draws::item_of<T>(draw.word()), b = Draws::item_of<T>(draw.word());
    if (!items.empty() && draw.one_in(2)) a = items[draw.below(items.size())];
    if (a > b) std::swap(a, b);
    options.a = Value::of(a);
    options.b = Value::of(b);
    Selection selection{bytes_of(items), bytes_of(draw.bytes(n * config.moved_bytes)), {}};
    const auto is_kept = [&](Criterion criterion, uint64_t i) {
      T item;
      std::memcpy(&item, &selection.tested[i * stride + config.member.offset], sizeof item);
      return holds(criterion, item, a, b);
    };
    const uint64_t looked_at = obeyed(options.device_count, n);
    if (config.criterion == Criterion::run_head) {
      selection.partitions = run_heads(selection.tested, stride, config.member.offset,
                                       config.member.bytes != 0 ? config.member.bytes : sizeof(T));
      selection.partitions.resize(looked_at);
    }
    for (uint64_t i = selection.partitions.size(); i < looked_at; ++i) {
      if (flagged)
        selection.partitions.push_back((std::to_integer<uint32_t>(selection.tested[i / 8]) >> i % 8 & 1) != 0 ? 0 : 1);
      else if (partitions == 3)
        selection.partitions.push_back(is_kept(Criterion::less, i) ? 0 : is_kept(Criterion::inside, i) ? 1 : 2);
      else
        selection.partitions.push_back(is_kept(config.criterion, i) ? 0 : 1);
    }
    check(device, config, selection, options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed_selections("select", [] {
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan, kLookBack = Strategy::look_back;
  const auto with_member = [](SelectConfig config, const Member& member) {
    config.member = member;
    return config;
  };
  SelectConfig indices = SelectConfig::select_if(Type::i32, Criterion::less);
  indices.indices = true;
  return std::vector{
      subject_of<uint32_t>(SelectConfig::select_if(Type::u32, Criterion::less), kLookBack, "select.rows_ahead=1"),
      subject_of<uint8_t>(SelectConfig::select_if(Type::u8, Criterion::inside), kReduceThenScan, "select.rows=1"),
      subject_of<int32_t>(indices, kReduceThenScan, "select.groups=3"),
      subject_of<float>(SelectConfig::select_if(Type::f32, Criterion::not_equal), kLookBack, "select.direct_rows=1"),
      subject_of<uint16_t>(SelectConfig::unique(Type::u16), kLookBack,
                           "select.chunk_tiles=3,look_back.tickets=0,subgroup.shuffled_sums=1"),
      subject_of<uint32_t>(SelectConfig::unique_by_key(Type::u32, 2), kReduceThenScan),
      subject_of<uint8_t>(SelectConfig::select_flagged(12, Type::u8), kLookBack, "select.spin_limit=1"),
      subject_of<uint32_t>(SelectConfig::select_flagged(1), kReduceThenScan, "select.workgroup=256"),
      subject_of<uint32_t>(with_member(SelectConfig::select_if(Type::u32, Criterion::any_bit), {20, 8, 0}), kLookBack),
      subject_of<uint16_t>(with_member(SelectConfig::unique(Type::u16), {12, 2, 2}), kReduceThenScan),
  };
});

const FuzzSubjects fuzzed_partitions("partition", [] {
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan, kLookBack = Strategy::look_back;
  return std::vector{
      subject_of<uint32_t>(PartitionConfig{.criterion = Criterion::less}, kLookBack),
      subject_of<uint32_t>(PartitionConfig{.partitions = 3, .criterion = Criterion::inside}, kLookBack,
                           "select.rows_ahead=1"),
      subject_of<uint8_t>(
          PartitionConfig{.criterion = Criterion::nonzero, .item = Type::u8, .items = false, .moved_bytes = 16},
          kReduceThenScan, "select.chunk_tiles=2"),
      subject_of<uint16_t>(
          PartitionConfig{.partitions = 3, .criterion = Criterion::inside, .item = Type::u16, .indices = true},
          kLookBack),
      subject_of<uint32_t>(PartitionConfig{.partitions = 3, .criterion = Criterion::inside, .indices = true},
                           kReduceThenScan, "select.rows=2"),
  };
});

}  // namespace

TEST_SUITE("select") {
  TEST_CASE("every criterion keeps the items of every type for which it holds [types]") {
    uint32_t combination = 0;
    const std::vector<Device> devices = every_device();
    for_every_tested_type([&]<class T>() {
      const auto run = [&](Criterion criterion) {
        if (!is_in_share(++combination)) return;
        // Pipelines differ by type and kind of test only, so constants are many and devices taken in turn.
        const Device& device = devices[combination / 3 % devices.size()];
        const SelectConfig config = SelectConfig::select_if(item_type<T>(), criterion);
        const uint64_t tile = create<Select>(device, config).tile_items();
        const auto constants = edgy_items<T>(4, combination);
        const auto items = edgy_items<T>(tile + tile / 2 + 3, combination + 1);
        for (const auto& [a, b] : {std::pair(constants[0], constants[1]), std::pair(constants[2], constants[3]),
                                   std::pair(items[7], items[8])})
          check(device, config, selection_by(items, criterion, a, b), {.a = Value::of(a), .b = Value::of(b)});
      };
      for (const Criterion criterion : kComparisons) run(criterion);
      if constexpr (!is_float_item<T>)
        for (const Criterion criterion : kBitTests) run(criterion);
    });
  }

  TEST_CASE("counts at and around every edge are selected from whole [widths]") {
    for (const Device& device : every_device()) {
      const uint64_t tile = create<Select>(device, SelectConfig::select_if(Type::u32, Criterion::less)).tile_items();
      for (const uint64_t n : edges(device.backend(), tile, 4)) check_u32(device, n);
    }
  }

  TEST_CASE("narrow items at and around every edge are selected from whole [forms]") {
    for (const Device& device : every_device()) {
      const SelectConfig config = SelectConfig::select_if(Type::u8, Criterion::any_bit);
      for (const uint64_t n : edges(device.backend(), create<Select>(device, config).tile_items(), 1)) {
        const auto items = random_items<uint8_t>(n, n);
        check(device, config, selection_by<uint8_t>(items, Criterion::any_bit, 3, 0), {.a = Value::of(uint8_t{3})});
      }
    }
  }

  TEST_CASE("nothing, all, one item and every other item are kept") {
    for (const Device& device : every_device()) {
      const SelectConfig config = SelectConfig::select_if(Type::u32, Criterion::nonzero);
      const uint64_t n = 2 * create<Select>(device, config).tile_items() + 7;
      for (const int kind : {0, 1, 2, 3, 4}) {
        std::vector<uint32_t> items(n);
        for (uint64_t i = 0; i < n; ++i) {
          const bool kept =
              kind == 1 || (kind == 2 && i == n - 1) || (kind == 3 && i % 2 == 0) || (kind == 4 && i == 0);
          items[i] = kept ? static_cast<uint32_t>(i) + 1 : 0;
        }
        CAPTURE(kind);
        check(device, config, selection_by(items, Criterion::nonzero, 0u, 0u));
      }
    }
  }

  TEST_CASE("any displacement of input and output is served, and bytes beside an output stay [widths]") {
    for (const Device& device : every_device()) {
      const SelectConfig narrow = SelectConfig::select_if(Type::u8, Criterion::less);
      const uint64_t n = create<Select>(device, narrow).tile_items() + 21;
      for (const uint64_t in : {1u, 6u, 15u})
        for (const uint64_t out : {0u, 3u, 10u}) {
          const auto items = random_items<uint8_t>(n, in);
          check(device, narrow, selection_by<uint8_t>(items, Criterion::less, 100, 0),
                {.tested_misalignment = in, .output_misalignment = out, .a = Value::of(uint8_t{100})});
        }
      for (const uint64_t in : {4u, 12u})
        check_u32(device, 5000, {.tested_misalignment = in, .output_misalignment = 8});
      const SelectConfig wide = SelectConfig::select_if(Type::u64, Criterion::less);
      for (const uint64_t in : {4u, 8u, 12u}) {
        const auto items = random_items<uint64_t>(3000, in);
        check(device, wide, selection_by<uint64_t>(items, Criterion::less, middle<uint64_t>(), 0),
              {.tested_misalignment = in, .output_misalignment = 4, .a = Value::of(middle<uint64_t>())});
      }
    }
  }

  TEST_CASE("counts on the device are taken up to the declared maximum") {
    for (const Device& device : every_device())
      for (const uint64_t value :
           {uint64_t{0}, uint64_t{1}, uint64_t{4097}, uint64_t{9000}, uint64_t{9001}, uint64_t{1} << 40})
        for (const uint32_t bytes : {4u, 8u}) {
          if (value >> 32 != 0 && bytes == 4) continue;
          check_u32(device, 9000, {.device_count = DeviceCount{value, bytes}, .wide_counts = bytes == 8});
        }
  }

  TEST_CASE("items, indices and both are written, indices of either width [types]") {
    uint32_t combination = 0;
    for (const Device& device : every_device())
      for (const Type index : {Type::u32, Type::u64})
        for (const bool items : {false, true}) {
          if (!takes_turn(combination++)) continue;
          SelectConfig config = SelectConfig::select_if(Type::u16, Criterion::greater);
          config.items = items;
          config.indices = true;
          config.index = index;
          const uint64_t n = 2 * create<Select>(device, config).tile_items() + 9;
          const auto values = random_items<uint16_t>(n, 5);
          check(device, config, selection_by<uint16_t>(values, Criterion::greater, 20000, 0),
                {.tested_misalignment = 2, .output_misalignment = 12, .a = Value::of(uint16_t{20000})});
        }
  }

  TEST_CASE("flags of every form move payloads of every size [types]") {
    const std::vector<Device> devices = every_device();
    uint32_t combination = 0;
    for (const std::optional<Type> flags : {std::optional<Type>{}, std::optional(Type::u8), std::optional(Type::u32)})
      for (const uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u, 48u}) {
        if (!takes_turn(++combination)) continue;
        const Device& device = devices[combination / 3 % devices.size()];
        const SelectConfig config = SelectConfig::select_flagged(bytes, flags);
        const uint64_t tile = create<Select>(device, config).tile_items();
        for (const uint64_t n : {uint64_t{0}, uint64_t{1}, uint64_t{33}, tile, 2 * tile + 77})
          check(device, config, flagged_selection(random_partitions(n, n + bytes), bytes, flags, n),
                {.tested_misalignment = flags == Type::u8 ? 3u : 4u,
                 .moved_misalignment = std::min(bytes, 4u),
                 .output_misalignment = bytes == 1   ? 3u
                                        : bytes == 2 ? 6u
                                                     : 12u});
      }
  }

  TEST_CASE("items whose flag is not set are kept by not_flagged") {
    for (const Device& device : every_device()) {
      SelectConfig config = SelectConfig::select_flagged(4);
      config.criterion = Criterion::not_flagged;
      std::vector<uint8_t> partitions = random_partitions(10000, 3);
      Selection selection = flagged_selection(partitions, 4, std::nullopt, 1);
      for (uint8_t& partition : selection.partitions) partition = partition == 0 ? 1 : 0;
      check(device, config, selection);
    }
  }

  TEST_CASE("unique keeps the first of each run, of every size of item and wherever runs break [widths]") {
    const std::vector<Device> devices = every_device();
    const auto run = [&]<class T>(const Device& device) {
      const SelectConfig config = SelectConfig::unique(item_type<T>());
      const uint64_t tile = create<Select>(device, config).tile_items();
      for (const uint64_t longest : {uint64_t{1}, uint64_t{3}, uint64_t{40}, 3 * tile})
        for (const uint64_t n : {uint64_t{0}, uint64_t{1}, uint64_t{2}, tile - 1, tile + 1, 3 * tile + 5}) {
          const auto items = items_in_runs<T>(n, n + longest, longest);
          Selection selection{bytes_of(items), {}, {}};
          selection.partitions = run_heads(selection.tested, sizeof(T), 0, sizeof(T));
          check(device, config, selection, {.tested_misalignment = (longest * sizeof(T)) % 16});
        }
    };
    uint32_t combination = 0;
    for (const Device& device : devices) {
      run.operator()<uint32_t>(device);
      if (device.backend().is_emulated()) continue;
      if (takes_turn(combination++)) run.operator()<uint8_t>(device);
      if (takes_turn(combination++)) run.operator()<uint16_t>(device);
      if (takes_turn(combination++)) run.operator()<uint64_t>(device);
      ++combination;  // the other strategy's turns are other ones
    }
  }

  TEST_CASE("unique_by_key keeps the first key of each run and the value beside it [types]") {
    uint32_t combination = 0;
    for (const Device& device : every_device()) {
      ++combination;  // each strategy's turns are other ones
      for (const uint32_t bytes : {2u, 4u, 20u}) {
        if (!takes_turn(combination++)) continue;
        const SelectConfig config = SelectConfig::unique_by_key(Type::u32, bytes);
        const uint64_t n = 2 * create<Select>(device, config).tile_items() + 11;
        Selection selection = flagged_selection(random_partitions(n, 1), bytes, Type::u32, 4);
        selection.tested = bytes_of(items_in_runs<uint32_t>(n, 8, 9));
        selection.partitions = run_heads(selection.tested, 4, 0, 4);
        check(device, config, selection, {.tested_misalignment = 8, .output_misalignment = 4});
      }
    }
  }

  TEST_CASE("structs are selected by a member, and by runs of one or of the whole") {
    struct Hit {
      float distance;
      uint32_t triangle;
      uint16_t material, flags;
    };
    static_assert(sizeof(Hit) == 12);
    for (const Device& device : every_device()) {
      SelectConfig config = SelectConfig::select_if(Type::f32, Criterion::less);
      config.member = {sizeof(Hit), 0, 0};
      config.indices = true;
      const uint64_t tile = create<Select>(device, config).tile_items();
      const uint64_t n = 3 * tile + 2;
      std::vector<Hit> hits(n);
      for (uint64_t i = 0; i < n; ++i) {
        const uint64_t word = random_word(7, i);
        hits[i] = {static_cast<float>(word % 1000), static_cast<uint32_t>(word >> 10),
                   static_cast<uint16_t>(word >> 40 & 3), static_cast<uint16_t>(word >> 50 & 1)};
      }
      Selection selection{bytes_of(hits), {}, {}};
      for (const Hit& hit : hits) selection.partitions.push_back(hit.distance < 500.0f ? 0 : 1);
      check(device, config, selection, {.tested_misalignment = 4, .output_misalignment = 8, .a = Value::of(500.0f)});

      SelectConfig narrow = SelectConfig::select_if(Type::u16, Criterion::equal);
      narrow.member = {sizeof(Hit), 10, 0};
      for (uint64_t i = 0; i < n; ++i) selection.partitions[i] = hits[i].flags == 1 ? 0 : 1;
      check(device, narrow, selection, {.a = Value::of(uint16_t{1})});

      SelectConfig by_material = SelectConfig::unique(Type::u16);
      by_material.member = {sizeof(Hit), 8, 0};
      selection.partitions = run_heads(selection.tested, sizeof(Hit), 8, 2);
      check(device, by_material, selection, {});

      SelectConfig whole = SelectConfig::unique(Type::u32);
      whole.member = {sizeof(Hit), 0, sizeof(Hit)};
      for (uint64_t i = 1; i < n; ++i)
        if (random_word(3, i) % 2 == 0) hits[i] = hits[i - 1];
      selection.tested = bytes_of(hits);
      selection.partitions = run_heads(selection.tested, sizeof(Hit), 0, sizeof(Hit));
      check(device, whole, selection, {});
    }
  }

  TEST_CASE("a partition in two keeps the order of both partitions [widths]") {
    uint32_t combination = 0;
    for (const Device& device : every_device()) {
      PartitionConfig config;
      config.criterion = Criterion::less;
      config.indices = true;
      const uint64_t tile = create<Partition>(device, config).tile_items();
      for (const uint64_t n : around({0, 2, tile, 3 * tile})) {
        const auto items = random_items<uint32_t>(n, n);
        check(device, config, selection_by(items, Criterion::less, middle<uint32_t>() / 2, 0u),
              {.tested_misalignment = 4, .a = Value::of(middle<uint32_t>() / 2)});
      }
      ++combination;
      if (takes_turn(combination)) {
        PartitionConfig flags;
        flags.criterion = Criterion::flagged;
        flags.moved_bytes = 12;
        flags.items = false;
        check(device, flags, flagged_selection(random_partitions(20000, 2, 0.9), 12, std::nullopt, 6),
              {.moved_misalignment = 8});
      }
      if (!takes_turn(combination + 1)) continue;
      PartitionConfig narrow;
      narrow.item = Type::u8;
      narrow.criterion = Criterion::zero;
      std::vector<uint8_t> bytes = random_items<uint8_t>(30000, 4);
      for (uint8_t& byte : bytes) byte = byte < 80 ? 0 : byte;
      check(device, narrow, selection_by<uint8_t>(bytes, Criterion::zero, 0, 0),
            {.tested_misalignment = 5, .output_misalignment = 7});
    }
  }

  TEST_CASE("a partition in three splits below, inside and above [types]") {
    uint32_t combination = 0;
    for (const Device& device : every_device()) {
      const auto run = [&]<class T>(T a, T b) {
        PartitionConfig config;
        config.partitions = 3;
        config.criterion = Criterion::inside;
        config.item = item_type<T>();
        config.indices = sizeof(T) == 4;
        const uint64_t tile = create<Partition>(device, config).tile_items();
        for (const uint64_t n : {uint64_t{0}, uint64_t{1}, tile, 2 * tile + 13}) {
          const auto items = random_items<T>(n, n);
          Selection selection{bytes_of(items), {}, {}};
          for (const T x : items) selection.partitions.push_back(x < a ? 0 : x <= b ? 1 : 2);
          check(device, config, selection,
                {.tested_misalignment = 16 - sizeof(T),
                 .wide_counts = sizeof(T) == 1,
                 .a = Value::of(a),
                 .b = Value::of(b)});
        }
      };
      run.operator()<uint32_t>(0x30000000u, 0xb0000000u);
      if (device.backend().is_emulated()) continue;
      ++combination;
      if (takes_turn(combination)) run.operator()<uint8_t>(10, 90);
      if (takes_turn(combination + 1)) run.operator()<int64_t>(-(int64_t{1} << 61), int64_t{1} << 60);
    }
  }

  TEST_CASE("chunks carry their counts on [widths]") {
    uint32_t combination = 0;
    for (const char* tuning : {"select.chunk_tiles=1", "select.chunk_tiles=3"}) {
      const ScopedTuning overrides(tuning);
      for (const Device& device : every_device()) {
        if (!takes_turn(combination++)) continue;
        SelectConfig config = SelectConfig::select_if(Type::u32, Criterion::less);
        config.indices = true;
        const uint64_t tile = create<Select>(device, config).tile_items();
        for (const uint64_t n : {uint64_t{0}, 3 * tile, 3 * tile + 1, 7 * tile + 100}) {
          const auto items = random_items<uint32_t>(n, n);
          Selection selection = selection_by(items, Criterion::less, middle<uint32_t>(), 0u);
          check(device, config, selection, {.tested_misalignment = 4, .a = Value::of(middle<uint32_t>())});
          // Chunks that the device's count leaves empty.
          const uint64_t some = n / 2;
          selection.partitions.resize(some);
          check(device, config, selection, {.device_count = DeviceCount{some}, .a = Value::of(middle<uint32_t>())});
        }
        PartitionConfig three;
        three.partitions = 3;
        three.criterion = Criterion::inside;
        const auto items = random_items<uint32_t>(5 * tile + 3, 9);
        Selection selection{bytes_of(items), {}, {}};
        for (const uint32_t x : items) selection.partitions.push_back(x < 1000000000u ? 0 : x <= 3000000000u ? 1 : 2);
        check(device, three, selection, {.a = Value::of(1000000000u), .b = Value::of(3000000000u)});
      }
    }
  }

  TEST_CASE("tiles that publish with delay, or never, and blocks left open change nothing [faults]") {
    using Kind = LookBackFault::Kind;
    uint32_t combination = 0;
    for (const Device& device : every_look_back())
      for (const auto& [kind, every] : {std::pair(Kind::delay, 3u), std::pair(Kind::omit, 2u),
                                        std::pair(Kind::omit, 1u), std::pair(Kind::open, 1u)}) {
        if (!takes_turn(combination++)) continue;
        const SelectConfig config = SelectConfig::select_if(Type::u32, Criterion::less);
        const Select select = with_fault<Select>(device.backend(), config, {kind, every});
        const uint64_t n = (device.backend().is_emulated() ? 9 : 70) * select.tile_items() + 5;
        CAPTURE(device.name());
        CAPTURE(every);
        const auto items = random_items<uint32_t>(n, 4);
        CHECK(check_selection(device.gpu(), select, config,
                              selection_by(items, Criterion::less, middle<uint32_t>(), 0u),
                              {.a = Value::of(middle<uint32_t>())}) == "");
      }
  }

  TEST_CASE("rows that lanes count before a tile waits change nothing [widths]") {
    const auto run = [&]<class T>(const Device& device) {
      const T a = middle<T>() / 2;
      const auto items = random_items<T>(9001, sizeof(T));
      SelectConfig config = SelectConfig::select_if(item_type<T>(), Criterion::less);
      config.indices = true;
      check(device, config, selection_by(items, Criterion::less, a, T{0}),
            {.tested_misalignment = 16 - sizeof(T), .a = Value::of(a)});
      PartitionConfig three;
      three.partitions = 3;
      three.criterion = Criterion::inside;
      three.item = item_type<T>();
      Selection selection{bytes_of(items), {}, {}};
      for (const T x : items) selection.partitions.push_back(x < a ? 0 : x <= 2 * a ? 1 : 2);
      check(device, three, selection,
            {.tested_misalignment = 16 - sizeof(T), .a = Value::of(a), .b = Value::of(T(2 * a))});
    };
    for (const char* tuning : {"select.rows_ahead=1,select.direct_rows=1", "select.rows_ahead=1"}) {
      const ScopedTuning overrides(tuning);
      for (const Device& device : every_look_back()) {
        run.operator()<uint32_t>(device);
        run.operator()<uint64_t>(device);
        PartitionConfig two;
        two.criterion = Criterion::less;
        const auto items = random_items<uint32_t>(9001, 2);
        check(device, two, selection_by(items, Criterion::less, middle<uint32_t>(), 0u),
              {.tested_misalignment = 4, .a = Value::of(middle<uint32_t>())});
      }
    }
  }

  TEST_CASE("what is kept is dispatched, in as many rows as it takes, or nothing is written") {
    for (const Device& device : every_device())
      for (const uint32_t items : {0u, 1u, 3u, 100000u, ~0u})
        for (const uint64_t n : {uint64_t{0}, uint64_t{1}, uint64_t{300000}})
          check_u32(device, n, {.items_per_workgroup = items});
  }

  TEST_CASE("results do not depend on what scratch and outputs held, nor on the run") {
    for (const Device& device : every_device())
      for (const uint8_t dirt : {uint8_t{0}, uint8_t{0xff}, uint8_t{1}})
        for (int run = 0; run < 2; ++run) check_u32(device, 30001, {.dirt = dirt});
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning :
         {"select.rows=1,select.groups=3", "select.rows=3,select.workgroup=256,select.spin_limit=1"}) {
      const ScopedTuning overrides(tuning);
      for (const Device& device : every_device()) {
        check_u32(device, 50001);
        if (device.backend().is_emulated()) continue;
        const SelectConfig config = SelectConfig::unique(Type::u8);
        const auto items = items_in_runs<uint8_t>(50001, 3, 5);
        Selection selection{bytes_of(items), {}, {}};
        selection.partitions = run_heads(selection.tested, 1, 0, 1);
        check(device, config, selection, {});
      }
    }
  }

  TEST_CASE("ballot compaction: the twelve items of the literature") {
    const std::vector<uint32_t> items = {1, 0, 0, 0, 4, 3, 2, 0, 6, 8, 9, 0};
    const Selection selection = selection_by(items, Criterion::greater, 0u, 0u);
    CHECK(std::ranges::count(selection.partitions, uint8_t{0}) == 7);
    for (const Device& device : every_device())
      check(device, SelectConfig::select_if(Type::u32, Criterion::greater), selection, {.a = Value::of(0u)});
  }

  TEST_CASE("ballot compaction: a subgroup that is kept whole loses nothing") {
    for (const Device& device : every_device()) {
      const SelectConfig config = SelectConfig::select_if(Type::u32, Criterion::nonzero);
      const uint64_t row = 4 * device.context().subgroup_size();
      // Whole rows of vectors are kept, with nothing and with something around them.
      for (const uint64_t first : {uint64_t{0}, row, 2 * row}) {
        std::vector<uint32_t> items(8 * row, 0);
        for (uint64_t i = first; i < first + row; ++i) items[i] = static_cast<uint32_t>(i + 1);
        items[7 * row] = 77;
        check(device, config, selection_by(items, Criterion::nonzero, 0u, 0u));
      }
      std::vector<uint32_t> all(2 * row);
      for (uint64_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint32_t>(i + 1);
      check(device, config, selection_by(all, Criterion::nonzero, 0u, 0u));
    }
  }

  TEST_CASE("compaction of ray hits: structs of twelve words, half of them kept at random") {
    constexpr uint32_t kHitBytes = 48;
    for (const Device& device : every_device()) {
      const SelectConfig config = SelectConfig::select_flagged(kHitBytes, Type::u8);
      check(device, config, flagged_selection(random_partitions(20011, 21), kHitBytes, Type::u8, 5), {});
    }
  }

  TEST_CASE("the strategy asked for is the one in use, and scratch never shrinks with the count") {
    for (const Device& device : every_device()) {
      const Select& select = create<Select>(device, SelectConfig::select_if(Type::u32, Criterion::less));
      CHECK(select.strategy() == device.strategy());
      check_scratch_grows([&](uint64_t n) { return select.scratch_size(n); });
    }
  }

  TEST_CASE("configurations that make no sense are unsupported") {
    const Context& context = first_backend().context();
    std::vector<SelectConfig> nonsense;
    const auto add = [&](const auto& change) {
      SelectConfig config;
      change(config);
      nonsense.push_back(config);
    };
    add([](SelectConfig& c) { c.criterion = Criterion::flagged; });
    add([](SelectConfig& c) { c.item = Type::u32x2; });
    add([](SelectConfig& c) { c.item = Type::f32, c.criterion = Criterion::any_bit; });
    add([](SelectConfig& c) { c.moved_bytes = 3; });
    add([](SelectConfig& c) { c.moved_bytes = 1028; });
    add([](SelectConfig& c) { c.index = Type::u16; });
    add([](SelectConfig& c) { c.member.stride = 6; });
    add([](SelectConfig& c) { c.member = {8, 6, 0}; });
    add([](SelectConfig& c) { c.member = {8, 8, 0}; });
    add([](SelectConfig& c) { c.member = {8, 0, 0}, c.moved_bytes = 4; });
    for (const SelectConfig& config : nonsense) {
      const Result<Select> select = Select::create(context, config);
      REQUIRE(!select);
      CHECK(select.error().code == ErrorCode::unsupported);
    }
    PartitionConfig config;
    config.partitions = 4;
    CHECK(!Partition::create(context, config));
    config.partitions = 3;
    CHECK(!Partition::create(context, config));
    config.partitions = 2;
    config.criterion = Criterion::run_head;
    CHECK(!Partition::create(context, config));
  }

  TEST_CASE("a selection refuses arguments by name and records nothing [refusal]") {
    check_refusals_of_strategies<Select>(SoundCall<Select>::config(), [](const auto&) -> RefusalsOf<Select> {
      return {{"count", "of more than u32 indices reach", [](auto& a) { a.count = (uint64_t{1} << 32) + 1; }},
              {"items_per_workgroup", "none", [](auto& a) { a.items_per_workgroup = 0; }},
              {"count", "of more groups than there can be", [](auto& a) {
                 a.items_per_workgroup = 1;
                 a.count = uint64_t{1} << 32;
               }}};
    });
  }

  TEST_CASE("a partition refuses arguments by name and records nothing [refusal]") {
    PartitionConfig config = SoundCall<Partition>::config();
    config.strategy = strategies_of(first_backend().context()).back();
    RefusalTest<Partition>(config).check();
  }
}

}  // namespace weft::test::select_tests

// Faults that these tests catch: tests/mutants.
// why: a selection of nothing leaves the arguments of its dispatch as they were
// file: shaders/select/select_tile.glsl
// find: if (!kSplits && push.indices_2 != uvec2(0u))
// with: if (!kSplits && push.indices_2 != uvec2(0u) && first != uvec2(0u))
// run: native --test-suite=select
//
// why: rows of a selection overwrite each other
// file: shaders/select/select_move.glsl
// find: before.x += ballot_bit_count(first);
// with: before.x += 0u;
// run: native --test-suite=select
//
// why: rows counted ahead give the second partition the places of the first
// file: shaders/select/select_move.glsl
// find: before.y = subgroup_shuffle(weft_select_ahead.y, row);
// with: before.y = subgroup_shuffle(weft_select_ahead.x, row);
// run: native --test-suite=select
//
// why: what lies beside the range is selected with it
// file: shaders/select/select_direct.glsl
// find: masks.first |= present ? own.first : 0u;
// with: masks.first |= own.first;
// run: native --test-suite=select
