// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/table_case.hpp"

// The codec's own builder of tables.
#include "coding.hpp"

namespace weft::bench {
namespace {

/// A table of a field of Gstd's sequences, by decode/gstd_tables.glsl, in device memory. Of the field's symbols, the
/// first `symbols` may be there.
TableKind rans_table(gstd::Field field, uint32_t symbols) {
  const uint32_t all_symbols = gstd::kFieldSymbols[field];
  TableKind kind{"rans_table", 9, symbols, symbols, gstd::kRansSlots + 4 * all_symbols};
  kind.create = [=](const Gpu& gpu, uint32_t push_bytes, uint32_t workgroup) {
    // As GstdDecode has it.
    constexpr uint32_t kNvidia = 0x10de;
    return Kernel::create(gpu, "rans_table", push_bytes,
                          KernelShape{workgroup, {gpu.info().vendor_id == kNvidia ? 1u : 0u, field}});
  };
  // The weight, and in bit 16 whether the symbol is there.
  kind.described = [=](std::span<const int32_t> weights) {
    std::vector<uint32_t> words(all_symbols);
    for (size_t symbol = 0; symbol < weights.size(); ++symbol)
      if (weights[symbol] != kNoWeight) words[symbol] = static_cast<uint32_t>(weights[symbol]) | 1u << 16;
    return words;
  };
  kind.table = [=](std::span<const int32_t> weights) {
    std::vector<gstd::Weight> coded(all_symbols);
    for (size_t symbol = 0; symbol < weights.size(); ++symbol)
      if (weights[symbol] != kNoWeight) coded[symbol] = gstd::weight_of(static_cast<uint32_t>(weights[symbol]));
    std::vector<uint16_t> frequencies(all_symbols);
    gstd::RansTable table;
    if (gstd::frequencies_of(coded, frequencies)) table.set(frequencies);
    // Slots, four to a word; then of each symbol its frequency and, from bit 10, its first slot.
    std::vector<uint32_t> words(gstd::kRansSlots / 4);
    for (uint32_t slot = 0; slot < gstd::kRansSlots; ++slot)
      words[slot / 4] |= uint32_t{table.symbol[slot]} << (8 * (slot % 4));
    for (uint32_t symbol = 0; symbol < all_symbols; ++symbol)
      words.push_back(table.frequency[symbol] | uint32_t{table.base[symbol]} << 10);
    return words;
  };
  kind.group_bytes = 7680;  // room for all tables of a tile
  return kind;
}

const Rows rans_table_rows("rans_table", 92, [](const Matrix& matrix, Cases& cases) {
  if (matrix.essential) return;
  const Sizes counts = table_counts(matrix);
  cases.add_case<TableCase>(rans_table(gstd::kLiteralLength, 36), counts);
  cases.add_case<TableCase>(rans_table(gstd::kMatchLength, 53), counts);
  cases.add_case<TableCase>(rans_table(gstd::kOffset, 78), counts);
});

}  // namespace
}  // namespace weft::bench
