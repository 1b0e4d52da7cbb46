// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/table_case.hpp"

// The codec's own builder of tables.
#include "coding.hpp"

namespace weft::bench {
namespace {

/// A table of a field of Gstd's sequences, by decode/gstd_tables.glsl, in device memory.
class RansTableCase : public TableCase {
 public:
  /// Of the field's symbols, the first `symbols` may be there.
  RansTableCase(gstd::Field field, uint32_t symbols, Sizes sizes)
      : TableCase("rans_table", "symbols=" + std::to_string(symbols) + " accuracy=9",
                  {symbols, symbols, gstd::kRansSlots + 4 * gstd::kFieldSymbols[field]}, std::move(sizes)),
        field_(field) {}

 private:
  Result<Kernel> create_kernel(const Gpu& gpu, uint32_t push_bytes, uint32_t workgroup) const override {
    // As GstdDecode has it.
    constexpr uint32_t kNvidia = 0x10de;
    return Kernel::create(gpu, "rans_table", push_bytes,
                          {workgroup, {gpu.info().vendor_id == kNvidia ? 1u : 0u, field_}});
  }

  // The weight, and in bit 16 whether the symbol is there.
  std::vector<uint32_t> described(std::span<const int32_t> weights) const override {
    std::vector<uint32_t> words(gstd::kFieldSymbols[field_]);
    for (size_t symbol = 0; symbol < weights.size(); ++symbol)
      if (weights[symbol] != kNoWeight) words[symbol] = static_cast<uint32_t>(weights[symbol]) | 1u << 16;
    return words;
  }

  std::vector<uint32_t> table_of(std::span<const int32_t> weights) const override {
    const uint32_t symbols = gstd::kFieldSymbols[field_];
    std::vector<gstd::Weight> coded(symbols);
    for (size_t symbol = 0; symbol < weights.size(); ++symbol)
      if (weights[symbol] != kNoWeight) coded[symbol] = gstd::weight_of(static_cast<uint32_t>(weights[symbol]));
    std::vector<uint16_t> frequencies(symbols);
    gstd::RansTable table;
    if (gstd::frequencies_of(coded, frequencies)) table.set(frequencies);
    // Slots, four to a word; then of each symbol its frequency and, from bit 10, its first slot.
    std::vector<uint32_t> words(gstd::kRansSlots / 4);
    for (uint32_t slot = 0; slot < gstd::kRansSlots; ++slot)
      words[slot / 4] |= uint32_t{table.symbol[slot]} << (8 * (slot % 4));
    for (uint32_t symbol = 0; symbol < symbols; ++symbol)
      words.push_back(table.frequency[symbol] | uint32_t{table.base[symbol]} << 10);
    return words;
  }

  // Room for all tables of a tile.
  uint32_t place_bytes() const override { return 7680; }

  gstd::Field field_;
};

const Rows rans_table_rows("rans_table", 92, [](const Matrix& matrix, Cases& cases) {
  if (matrix.essential) return;
  const Sizes counts = table_counts(matrix);
  cases.add<RansTableCase>(gstd::kLiteralLength, 36, counts);
  cases.add<RansTableCase>(gstd::kMatchLength, 53, counts);
  cases.add<RansTableCase>(gstd::kOffset, 78, counts);
});

}  // namespace
}  // namespace weft::bench
