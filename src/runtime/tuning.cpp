// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/tuning.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

namespace weft::runtime {
namespace {

struct ClassTuning {
  bool (*matches)(const DeviceTraits&);
  Tuning tuning;
};

/// First match wins. Measurements behind each entry: docs/performance.md.
constexpr ClassTuning kTable[] = {
    {[](const DeviceTraits& t) { return t.type == VK_PHYSICAL_DEVICE_TYPE_CPU; },
     {.scan = {.workgroup = 128,
               .rows = 4,
               .rows_wide = 4,
               .groups = 1024,
               .spin_limit = 64,
               .lag_kib = 128,
               .small_kib = 0},
      .reduce = {.workgroup = 128, .rows = 4, .groups = 1024},
      .select = {.workgroup = 128, .rows = 4, .groups = 1024, .spin_limit = 64, .lag_kib = 128, .small_kib = 0},
      .decode =
          {.workgroup = 128, .rows = 4, .vectors = 1, .groups = 1024, .direct_intervals = 1024, .single_tiles = 2},
      .load_balance =
          {.workgroup = 128, .rows = 4, .vectors = 1, .groups = 1024, .direct_intervals = 1024, .single_tiles = 2},
      .move = {.workgroup = 128, .rows = 4, .vectors = 1, .groups = 1024, .direct_intervals = 1024, .single_tiles = 2},
      .histogram = {.workgroup = 128, .rows = 4, .groups = 64, .table_words = 4096},
      .scan_by_key = {.workgroup = 128,
                      .rows = 2,
                      .rows_wide = 2,
                      .groups = 1024,
                      .spin_limit = 64,
                      .lag_kib = 128,
                      .small_kib = 0},
      .reduce_by_key = {.workgroup = 128,
                        .rows = 2,
                        .rows_wide = 2,
                        .groups = 1024,
                        .spin_limit = 64,
                        .lag_kib = 128,
                        .small_kib = 0},
      .segmented_reduce = {.workgroup = 128, .rows = 2, .rows_wide = 2, .groups = 1024},
      .search = {.workgroup = 128, .keys = 7},
      .merge = {.workgroup = 128,
                .keys = 4,
                .keys_sides = 4,
                .keys_wide = 4,
                .direct_tiles = 0,
                .direct_tiles_wide = 0,
                .few = 2048,
                .few_keys = 2,
                .few_keys_wide = 2,
                .stream_keys = 4,
                .stream_steps = 3},
      .set_operation = {.workgroup = 128, .keys = 4, .keys_wide = 3, .groups = 64},
      .merge_sort = {.workgroup = 128,
                     .keys = 4,
                     .keys_wide = 4,
                     .merge_keys = 4,
                     .merge_keys_wide = 4,
                     .direct_tiles = 0,
                     .direct_tiles_wide = 0,
                     .few = 2048,
                     .few_keys = 2,
                     .few_keys_wide = 2},
      .bulk = {.workgroup = 128, .words = 8},
      .radix_sort = {.workgroup = 128,
                     .rows = 4,
                     .part_words = 1024,
                     .groups = 64,
                     .direct_groups = 64,
                     .count_workgroup = 128,
                     .copies = 1},
      .segmented_sort = {.workgroup = 128, .rows = 2, .rows_wide = 2, .long_workgroup = 128, .long_rows = 4}}},
    {[](const DeviceTraits& t) { return t.vendor_id == 0x10de; },
     {.scan = {.workgroup = 256,
               .rows = 4,
               .rows_wide = 8,
               .groups = 1024,
               .spin_limit = 256,
               .lag_kib = 12288,
               .small_kib = 8192},
      .reduce = {.workgroup = 256, .rows = 4, .groups = 528},
      .select = {.workgroup = 256,
                 .rows = 4,
                 .direct_rows = 8,
                 .groups = 1024,
                 .spin_limit = 256,
                 .lag_kib = 8192,
                 .small_kib = 8192},
      .decode = {.workgroup = 128,
                 .rows = 16,
                 .vectors = 1,
                 .short_vectors = 2,
                 .groups = 1056,
                 .direct_intervals = 1u << 15,
                 .single_tiles = 8},
      .load_balance = {.workgroup = 128,
                       .rows = 16,
                       .vectors = 1,
                       .short_vectors = 2,
                       .groups = 1056,
                       .direct_intervals = 1u << 15,
                       .single_tiles = 8},
      .move =
          {.workgroup = 128, .rows = 16, .vectors = 1, .groups = 1056, .direct_intervals = 1u << 15, .single_tiles = 8},
      .histogram = {.workgroup = 512, .rows = 4, .groups = 528, .table_words = 4096},
      .scan_by_key = {.workgroup = 256,
                      .rows = 4,
                      .rows_wide = 2,
                      .small_rows = 2,
                      .groups = 1024,
                      .spin_limit = 256,
                      .lag_kib = 12288,
                      .small_kib = 8192},
      .reduce_by_key = {.workgroup = 256,
                        .rows = 4,
                        .rows_wide = 2,
                        .small_rows = 1,
                        .groups = 1024,
                        .spin_limit = 256,
                        .lag_kib = 12288,
                        .small_kib = 2048},
      .segmented_reduce = {.workgroup = 256, .rows = 4, .rows_wide = 2, .groups = 2112},
      .search = {.workgroup = 128, .keys = 15},
      .merge = {.workgroup = 256,
                .keys = 32,
                .keys_sides = 16,
                .keys_wide = 8,
                .direct_tiles = 8192,
                .direct_tiles_wide = 1024,
                .few = 1u << 18,
                .few_keys = 4,
                .few_keys_wide = 4},
      .set_operation = {.workgroup = 128, .keys = 7, .keys_wide = 5, .groups = 1056},
      .merge_sort = {.workgroup = 256,
                     .keys = 16,
                     .keys_wide = 8,
                     .merge_keys = 32,
                     .merge_keys_wide = 8,
                     .direct_tiles = 8192,
                     .direct_tiles_wide = 1024,
                     .few = 1u << 18,
                     .few_keys = 4,
                     .few_keys_wide = 4},
      .bulk = {.workgroup = 128, .words = 16},
      .radix_sort = {.workgroup = 512,
                     .rows = 16,
                     .part_words = 4096,
                     .many_pairs = 1 << 23,
                     .many_workgroup = 1024,
                     .many_part_words = 8192,
                     .groups = 1056,
                     .direct_groups = 64,
                     .count_workgroup = 512,
                     .copies = 8},
      .segmented_sort = {.workgroup = 256, .rows = 8, .rows_wide = 4, .long_workgroup = 512, .long_rows = 8}}},
    {[](const DeviceTraits&) { return true; }, {}},
};

struct Key {
  std::string_view name;
  uint32_t& (*field)(Tuning&);
  uint32_t least, most;
};

constexpr Key kKeys[] = {
    {"scan.workgroup", [](Tuning& t) -> uint32_t& { return t.scan.workgroup; }, 128, 1024},
    {"scan.rows", [](Tuning& t) -> uint32_t& { return t.scan.rows; }, 1, 8},
    {"scan.rows_wide", [](Tuning& t) -> uint32_t& { return t.scan.rows_wide; }, 1, 8},
    {"scan.groups", [](Tuning& t) -> uint32_t& { return t.scan.groups; }, 1, 65535},
    {"scan.spin_limit", [](Tuning& t) -> uint32_t& { return t.scan.spin_limit; }, 1, 1u << 20},
    {"scan.lag_kib", [](Tuning& t) -> uint32_t& { return t.scan.lag_kib; }, 1, 1u << 20},
    {"scan.small_kib", [](Tuning& t) -> uint32_t& { return t.scan.small_kib; }, 0, 1u << 20},
    {"reduce.workgroup", [](Tuning& t) -> uint32_t& { return t.reduce.workgroup; }, 128, 1024},
    {"reduce.rows", [](Tuning& t) -> uint32_t& { return t.reduce.rows; }, 1, 8},
    {"reduce.groups", [](Tuning& t) -> uint32_t& { return t.reduce.groups; }, 1, 65535},
    {"select.workgroup", [](Tuning& t) -> uint32_t& { return t.select.workgroup; }, 128, 1024},
    {"select.rows", [](Tuning& t) -> uint32_t& { return t.select.rows; }, 1, 4},
    {"select.direct_rows", [](Tuning& t) -> uint32_t& { return t.select.direct_rows; }, 4, 16},
    {"select.groups", [](Tuning& t) -> uint32_t& { return t.select.groups; }, 1, 65535},
    {"select.spin_limit", [](Tuning& t) -> uint32_t& { return t.select.spin_limit; }, 1, 1u << 20},
    {"select.lag_kib", [](Tuning& t) -> uint32_t& { return t.select.lag_kib; }, 1, 1u << 20},
    {"select.small_kib", [](Tuning& t) -> uint32_t& { return t.select.small_kib; }, 0, 1u << 20},
    {"select.small_workgroup", [](Tuning& t) -> uint32_t& { return t.select.small_workgroup; }, 128, 1024},
    {"select.chunk_tiles", [](Tuning& t) -> uint32_t& { return t.select.chunk_tiles; }, 1, ~0u},
    {"decode.workgroup", [](Tuning& t) -> uint32_t& { return t.decode.workgroup; }, 128, 256},
    {"decode.rows", [](Tuning& t) -> uint32_t& { return t.decode.rows; }, 1, 32},
    {"decode.vectors", [](Tuning& t) -> uint32_t& { return t.decode.vectors; }, 1, 2},
    {"decode.short_vectors", [](Tuning& t) -> uint32_t& { return t.decode.short_vectors; }, 1, 2},
    {"decode.groups", [](Tuning& t) -> uint32_t& { return t.decode.groups; }, 1, 65535},
    {"decode.direct_intervals", [](Tuning& t) -> uint32_t& { return t.decode.direct_intervals; }, 0, 1u << 20},
    {"decode.single_tiles", [](Tuning& t) -> uint32_t& { return t.decode.single_tiles; }, 0, 1024},
    {"load_balance.workgroup", [](Tuning& t) -> uint32_t& { return t.load_balance.workgroup; }, 128, 256},
    {"load_balance.rows", [](Tuning& t) -> uint32_t& { return t.load_balance.rows; }, 1, 32},
    {"load_balance.vectors", [](Tuning& t) -> uint32_t& { return t.load_balance.vectors; }, 1, 2},
    {"load_balance.short_vectors", [](Tuning& t) -> uint32_t& { return t.load_balance.short_vectors; }, 1, 2},
    {"load_balance.groups", [](Tuning& t) -> uint32_t& { return t.load_balance.groups; }, 1, 65535},
    {"load_balance.direct_intervals", [](Tuning& t) -> uint32_t& { return t.load_balance.direct_intervals; }, 0,
     1u << 20},
    {"load_balance.single_tiles", [](Tuning& t) -> uint32_t& { return t.load_balance.single_tiles; }, 0, 1024},
    {"move.workgroup", [](Tuning& t) -> uint32_t& { return t.move.workgroup; }, 128, 256},
    {"move.rows", [](Tuning& t) -> uint32_t& { return t.move.rows; }, 1, 32},
    {"move.vectors", [](Tuning& t) -> uint32_t& { return t.move.vectors; }, 1, 2},
    {"move.groups", [](Tuning& t) -> uint32_t& { return t.move.groups; }, 1, 65535},
    {"move.direct_intervals", [](Tuning& t) -> uint32_t& { return t.move.direct_intervals; }, 0, 1u << 20},
    {"move.single_tiles", [](Tuning& t) -> uint32_t& { return t.move.single_tiles; }, 0, 1024},
    {"histogram.workgroup", [](Tuning& t) -> uint32_t& { return t.histogram.workgroup; }, 128, 1024},
    {"histogram.rows", [](Tuning& t) -> uint32_t& { return t.histogram.rows; }, 1, 8},
    {"histogram.groups", [](Tuning& t) -> uint32_t& { return t.histogram.groups; }, 1, 65535},
    {"histogram.table_words", [](Tuning& t) -> uint32_t& { return t.histogram.table_words; }, 256, 16384},
    {"scan_by_key.workgroup", [](Tuning& t) -> uint32_t& { return t.scan_by_key.workgroup; }, 128, 1024},
    {"scan_by_key.rows", [](Tuning& t) -> uint32_t& { return t.scan_by_key.rows; }, 1, 8},
    {"scan_by_key.rows_wide", [](Tuning& t) -> uint32_t& { return t.scan_by_key.rows_wide; }, 1, 8},
    {"scan_by_key.small_rows", [](Tuning& t) -> uint32_t& { return t.scan_by_key.small_rows; }, 1, 8},
    {"scan_by_key.groups", [](Tuning& t) -> uint32_t& { return t.scan_by_key.groups; }, 1, 65535},
    {"scan_by_key.spin_limit", [](Tuning& t) -> uint32_t& { return t.scan_by_key.spin_limit; }, 1, 1u << 20},
    {"scan_by_key.lag_kib", [](Tuning& t) -> uint32_t& { return t.scan_by_key.lag_kib; }, 1, 1u << 20},
    {"scan_by_key.small_kib", [](Tuning& t) -> uint32_t& { return t.scan_by_key.small_kib; }, 0, 1u << 20},
    {"reduce_by_key.workgroup", [](Tuning& t) -> uint32_t& { return t.reduce_by_key.workgroup; }, 128, 1024},
    {"reduce_by_key.rows", [](Tuning& t) -> uint32_t& { return t.reduce_by_key.rows; }, 1, 8},
    {"reduce_by_key.rows_wide", [](Tuning& t) -> uint32_t& { return t.reduce_by_key.rows_wide; }, 1, 8},
    {"reduce_by_key.small_rows", [](Tuning& t) -> uint32_t& { return t.reduce_by_key.small_rows; }, 1, 8},
    {"reduce_by_key.groups", [](Tuning& t) -> uint32_t& { return t.reduce_by_key.groups; }, 1, 65535},
    {"reduce_by_key.spin_limit", [](Tuning& t) -> uint32_t& { return t.reduce_by_key.spin_limit; }, 1, 1u << 20},
    {"reduce_by_key.lag_kib", [](Tuning& t) -> uint32_t& { return t.reduce_by_key.lag_kib; }, 1, 1u << 20},
    {"reduce_by_key.small_kib", [](Tuning& t) -> uint32_t& { return t.reduce_by_key.small_kib; }, 0, 1u << 20},
    {"segmented_reduce.workgroup", [](Tuning& t) -> uint32_t& { return t.segmented_reduce.workgroup; }, 128, 256},
    {"segmented_reduce.rows", [](Tuning& t) -> uint32_t& { return t.segmented_reduce.rows; }, 1, 8},
    {"segmented_reduce.rows_wide", [](Tuning& t) -> uint32_t& { return t.segmented_reduce.rows_wide; }, 1, 8},
    {"segmented_reduce.groups", [](Tuning& t) -> uint32_t& { return t.segmented_reduce.groups; }, 1, 65535},
    {"search.workgroup", [](Tuning& t) -> uint32_t& { return t.search.workgroup; }, 128, 256},
    {"search.keys", [](Tuning& t) -> uint32_t& { return t.search.keys; }, 1, 31},
    {"merge.workgroup", [](Tuning& t) -> uint32_t& { return t.merge.workgroup; }, 128, 256},
    {"merge.keys", [](Tuning& t) -> uint32_t& { return t.merge.keys; }, 1, 32},
    {"merge.keys_sides", [](Tuning& t) -> uint32_t& { return t.merge.keys_sides; }, 1, 32},
    {"merge.keys_wide", [](Tuning& t) -> uint32_t& { return t.merge.keys_wide; }, 1, 32},
    {"merge.direct_tiles", [](Tuning& t) -> uint32_t& { return t.merge.direct_tiles; }, 0, ~0u},
    {"merge.direct_tiles_wide", [](Tuning& t) -> uint32_t& { return t.merge.direct_tiles_wide; }, 0, ~0u},
    {"merge.few", [](Tuning& t) -> uint32_t& { return t.merge.few; }, 0, ~0u},
    {"merge.few_keys", [](Tuning& t) -> uint32_t& { return t.merge.few_keys; }, 1, 32},
    {"merge.few_keys_wide", [](Tuning& t) -> uint32_t& { return t.merge.few_keys_wide; }, 1, 32},
    {"set_operation.workgroup", [](Tuning& t) -> uint32_t& { return t.set_operation.workgroup; }, 128, 256},
    {"set_operation.keys", [](Tuning& t) -> uint32_t& { return t.set_operation.keys; }, 1, 31},
    {"set_operation.keys_wide", [](Tuning& t) -> uint32_t& { return t.set_operation.keys_wide; }, 1, 31},
    {"set_operation.groups", [](Tuning& t) -> uint32_t& { return t.set_operation.groups; }, 1, 65535},
    {"merge_sort.workgroup", [](Tuning& t) -> uint32_t& { return t.merge_sort.workgroup; }, 128, 256},
    {"merge_sort.keys", [](Tuning& t) -> uint32_t& { return t.merge_sort.keys; }, 1, 32},
    {"merge_sort.keys_wide", [](Tuning& t) -> uint32_t& { return t.merge_sort.keys_wide; }, 1, 32},
    {"merge_sort.merge_keys", [](Tuning& t) -> uint32_t& { return t.merge_sort.merge_keys; }, 1, 32},
    {"merge_sort.merge_keys_wide", [](Tuning& t) -> uint32_t& { return t.merge_sort.merge_keys_wide; }, 1, 32},
    {"merge_sort.direct_tiles", [](Tuning& t) -> uint32_t& { return t.merge_sort.direct_tiles; }, 0, ~0u},
    {"merge_sort.direct_tiles_wide", [](Tuning& t) -> uint32_t& { return t.merge_sort.direct_tiles_wide; }, 0, ~0u},
    {"merge_sort.few", [](Tuning& t) -> uint32_t& { return t.merge_sort.few; }, 0, ~0u},
    {"merge_sort.few_keys", [](Tuning& t) -> uint32_t& { return t.merge_sort.few_keys; }, 1, 32},
    {"merge_sort.few_keys_wide", [](Tuning& t) -> uint32_t& { return t.merge_sort.few_keys_wide; }, 1, 32},
    {"merge.form", [](Tuning& t) -> uint32_t& { return t.merge.form; }, 0, 1},
    {"merge.stream_keys", [](Tuning& t) -> uint32_t& { return t.merge.stream_keys; }, 1, 16},
    {"merge.stream_steps", [](Tuning& t) -> uint32_t& { return t.merge.stream_steps; }, 1, 256},
    {"bulk.workgroup", [](Tuning& t) -> uint32_t& { return t.bulk.workgroup; }, 128, 256},
    {"bulk.words", [](Tuning& t) -> uint32_t& { return t.bulk.words; }, 1, 16},
    {"radix_sort.workgroup", [](Tuning& t) -> uint32_t& { return t.radix_sort.workgroup; }, 128, 1024},
    {"radix_sort.rows", [](Tuning& t) -> uint32_t& { return t.radix_sort.rows; }, 1, 16},
    {"radix_sort.part_words", [](Tuning& t) -> uint32_t& { return t.radix_sort.part_words; }, 1, 16384},
    {"radix_sort.many_pairs", [](Tuning& t) -> uint32_t& { return t.radix_sort.many_pairs; }, 0, 1u << 30},
    {"radix_sort.many_workgroup", [](Tuning& t) -> uint32_t& { return t.radix_sort.many_workgroup; }, 128, 1024},
    {"radix_sort.many_part_words", [](Tuning& t) -> uint32_t& { return t.radix_sort.many_part_words; }, 1, 16384},
    {"radix_sort.groups", [](Tuning& t) -> uint32_t& { return t.radix_sort.groups; }, 1, 65535},
    {"radix_sort.direct_groups", [](Tuning& t) -> uint32_t& { return t.radix_sort.direct_groups; }, 0, 1024},
    {"radix_sort.count_workgroup", [](Tuning& t) -> uint32_t& { return t.radix_sort.count_workgroup; }, 128, 1024},
    {"radix_sort.copies", [](Tuning& t) -> uint32_t& { return t.radix_sort.copies; }, 1, 8},
    {"segmented_sort.workgroup", [](Tuning& t) -> uint32_t& { return t.segmented_sort.workgroup; }, 128, 1024},
    {"segmented_sort.rows", [](Tuning& t) -> uint32_t& { return t.segmented_sort.rows; }, 1, 16},
    {"segmented_sort.rows_wide", [](Tuning& t) -> uint32_t& { return t.segmented_sort.rows_wide; }, 1, 16},
    {"segmented_sort.long_workgroup", [](Tuning& t) -> uint32_t& { return t.segmented_sort.long_workgroup; }, 128,
     1024},
    {"segmented_sort.long_rows", [](Tuning& t) -> uint32_t& { return t.segmented_sort.long_rows; }, 1, 16},
};

}  // namespace

Status apply_tuning_overrides(Tuning& tuning, std::string_view overrides) {
  while (!overrides.empty()) {
    const std::string_view entry = overrides.substr(0, overrides.find(','));
    overrides.remove_prefix(entry.size() == overrides.size() ? entry.size() : entry.size() + 1);
    const size_t equals = entry.find('=');
    const std::string_view name = entry.substr(0, equals);
    const Key* key = nullptr;
    std::string known;
    for (const Key& candidate : kKeys) {
      if (candidate.name == name) key = &candidate;
      known += (known.empty() ? "" : ", ") + std::string(candidate.name);
    }
    if (key == nullptr)
      return Error{ErrorCode::invalid_argument,
                   "WEFT_TUNE: '" + std::string(name) + "' is no tuning key; there are " + known};
    const std::string_view text = equals == std::string_view::npos ? std::string_view{} : entry.substr(equals + 1);
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < key->least || value > key->most)
      return Error{ErrorCode::invalid_argument, "WEFT_TUNE: " + std::string(name) + " takes a number from " +
                                                    std::to_string(key->least) + " to " + std::to_string(key->most) +
                                                    ", not '" + std::string(text) + "'"};
    key->field(tuning) = value;
  }
  return {};
}

Result<Tuning> tuning_of(const DeviceTraits& traits) {
  Tuning tuning;
  for (const ClassTuning& entry : kTable)
    if (entry.matches(traits)) {
      tuning = entry.tuning;
      break;
    }
  if (const char* overrides = std::getenv("WEFT_TUNE"))
    if (const Status status = apply_tuning_overrides(tuning, overrides); !status) return status.error();
  return tuning;
}

}  // namespace weft::runtime
