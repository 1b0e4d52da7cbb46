// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/bench_case.hpp"

namespace weft::bench {

/// A symbol that a distribution does not have. (One of weight 0 is there, as rarely as can be.)
inline constexpr int32_t kNoWeight = -1;

/// Counts of a distribution's symbols that sum to `total`, as Gstd has it: one for each that is there, and the others
/// in proportion to the weights.
std::vector<uint32_t> shared_out(std::span<const int32_t> weights, uint32_t total);

/// How decode tables of distributions are built.
struct TableKind {
  const char* primitive = "";
  uint32_t accuracy = 0;
  uint32_t symbols = 0;
  uint32_t most_present = 0;  ///< of the symbols, that a distribution has
  uint32_t table_bytes = 0;
  std::function<Result<Kernel>(const Gpu& gpu, uint32_t push_bytes, uint32_t workgroup)> create{};
  /// A word for each symbol: what the device builds a table from.
  std::function<std::vector<uint32_t>(std::span<const int32_t> weights)> described{};
  /// All words of the table.
  std::function<std::vector<uint32_t>(std::span<const int32_t> weights)> table{};
  uint32_t group_bytes = 0;  ///< in device memory, of each group that is at work
};

/// Decode tables of distributions, many at once. An item is a table.
///
/// There are 4,096 distributions, in turn: weights as they come of the sequences of tiles of 64 KiB, each falling off
/// from some symbol on at a pace of its own, some symbols there but hardly, some absent.
class TableCase : public BenchCase {
 public:
  TableCase(TableKind kind, Sizes sizes);

  Status prepare(Gpu& gpu) override;
  void release() override;
  Arrays inputs(ItemSource&, uint64_t) const override;
  uint64_t scratch_size(uint64_t n) const override;
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override;
  Verdict verify(GpuOutputs& found, ItemSource&, uint64_t n) const override;

 private:
  uint64_t workgroups(uint64_t n) const;

  TableKind kind_;
  std::optional<Kernel> kernel_;
  uint32_t workgroup_ = 32;  // a group, or what fills a subgroup
  std::vector<uint32_t> described_;
  std::vector<uint32_t> sums_;  // of each distribution's table, 32
};

/// Tables are built of some 1,000 bytes and more: a 1,024th of the other rows' sizes.
Sizes table_counts(const Matrix& matrix);

}  // namespace weft::bench
