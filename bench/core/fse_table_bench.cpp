// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <bit>

#include "support/table_case.hpp"

namespace weft::bench {
namespace {

// RFC 8878, section 4.1.1, one state after the other.
std::vector<uint32_t> table_of(std::span<const int32_t> weights, uint32_t accuracy) {
  std::vector<uint32_t> next = shared_out(weights, 1u << accuracy);
  const uint32_t size = 1u << accuracy;
  std::vector<uint32_t> table(size);
  uint32_t end = size, position = 0;
  for (uint32_t symbol = 0; symbol < weights.size(); ++symbol)
    if (weights[symbol] == 0) table[--end] = symbol;
  for (uint32_t symbol = 0; symbol < weights.size(); ++symbol)
    for (uint32_t i = 0; weights[symbol] > 0 && i < next[symbol]; ++i) {
      table[position] = symbol;
      do position = (position + (size >> 1) + (size >> 3) + 3) & (size - 1);
      while (position >= end);
    }
  for (uint32_t& entry : table) {
    const uint32_t symbol = entry, state = next[symbol]++;
    const uint32_t bits = accuracy + 1 - static_cast<uint32_t>(std::bit_width(state));
    entry = symbol | bits << 8 | ((state << bits) - size) << 16;
  }
  return table;
}

Result<Kernel> create_fse(const Gpu& gpu, uint32_t push_bytes, uint32_t workgroup, uint32_t symbols,
                          uint32_t accuracy) {
  // As weft/fse.glsl says, beside what subgroups meet in.
  const uint32_t marks = accuracy == 12 ? 97 + 288 : accuracy == 11 ? 97 + 96 : 97;
  const uint32_t bytes = 4 * (workgroup / 32 * ((1u << accuracy) + 2 * symbols + marks) + workgroup);
  const auto properties_of = reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(
      gpu.get_instance_proc_addr()(gpu.instance(), "vkGetPhysicalDeviceProperties"));
  VkPhysicalDeviceProperties properties{};
  properties_of(gpu.physical_device(), &properties);
  if (bytes > properties.limits.maxComputeSharedMemorySize)
    return Error{ErrorCode::unsupported,
                 "a table of accuracy " + std::to_string(accuracy) + " does not fit into the device's shared memory"};
  return Kernel::create(gpu, "fse_table", push_bytes, KernelShape{workgroup, {symbols, accuracy}});
}

/// A table of FSE, by weft/fse.glsl, in shared memory.
TableKind fse_table(uint32_t symbols, uint32_t accuracy) {
  TableKind kind{"fse_table", accuracy, symbols};
  // Of few states not all are taken by symbols that are hardly there.
  kind.most_present = std::min(symbols, 1u << (accuracy - 1));
  kind.table_bytes = 4u << accuracy;
  kind.create = [=](const Gpu& gpu, uint32_t push_bytes, uint32_t workgroup) {
    return create_fse(gpu, push_bytes, workgroup, symbols, accuracy);
  };
  // Normalized counts. What has less than a state of its own is less than one.
  kind.described = [=](std::span<const int32_t> weights) {
    std::vector<uint32_t> counts = shared_out(weights, 1u << accuracy);
    for (size_t symbol = 0; symbol < weights.size(); ++symbol)
      if (weights[symbol] == 0) counts[symbol] = static_cast<uint32_t>(-1);
    return counts;
  };
  kind.table = [=](std::span<const int32_t> weights) { return table_of(weights, accuracy); };
  return kind;
}

const Rows fse_table_rows("fse_table", 91, [](const Matrix& matrix, Cases& cases) {
  if (matrix.essential) return;
  const Sizes counts = table_counts(matrix);
  Sizes one = counts;
  if (!matrix.every_size && counts.size() > 1) one = {counts[counts.size() - 2]};
  // Symbols of literal and match lengths in Zstandard, and of offsets in Gstd.
  for (const uint32_t symbols : {36u, 53u, 78u}) cases.add_case<TableCase>(fse_table(symbols, 9), counts);
  for (uint32_t accuracy = 5; accuracy <= 12; ++accuracy)
    if (accuracy != 9) cases.add_case<TableCase>(fse_table(53, accuracy), one);
});

}  // namespace
}  // namespace weft::bench
