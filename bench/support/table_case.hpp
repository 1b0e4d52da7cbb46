// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/bench_case.hpp"
#include "support/kernel.hpp"

namespace weft::bench {

/// A symbol that a distribution does not have. (One of weight 0 is there, as rarely as can be.)
inline constexpr int32_t kNoWeight = -1;

/// Counts of a distribution's symbols that sum to `total`, as Gstd has it: one for each that is there, and the others
/// in proportion to the weights.
std::vector<uint32_t> shared_out(std::span<const int32_t> weights, uint32_t total);

/// Decode tables of distributions of `symbols` symbols, many at once. An item is a table.
///
/// There are 4,096 distributions, in turn: weights as they come of the sequences of tiles of 64 KiB, each falling off
/// from some symbol on at a pace of its own, some symbols there but hardly, some absent.
class TableCase : public BenchCase {
 public:
  struct Shape {
    uint32_t symbols = 0;
    uint32_t most_present = 0;  ///< of the symbols, that a distribution has
    uint32_t table_bytes = 0;
  };
  TableCase(const char* primitive, std::string variant, const Shape& shape, Sizes sizes);

  Status prepare(Gpu& gpu) override;
  void release() override;
  std::string data() const override { return "tile-like"; }
  std::vector<HostArray> inputs(ItemSource&, uint64_t n) const override;
  Sizes outputs(uint64_t n) const override;
  uint64_t scratch_size(uint64_t n) const override;
  uint64_t moved_bytes(uint64_t n) const override;
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override;
  Verdict verify(Outputs& found, ItemSource&, uint64_t n) const override;

 protected:
  const Shape& shape() const { return shape_; }

 private:
  virtual Result<Kernel> create_kernel(const Gpu& gpu, uint32_t push_bytes, uint32_t workgroup) const = 0;
  /// A word for each symbol: what the device builds a table from.
  virtual std::vector<uint32_t> described(std::span<const int32_t> weights) const = 0;
  /// All words of the table.
  virtual std::vector<uint32_t> table_of(std::span<const int32_t> weights) const = 0;
  /// In device memory, of each group that is at work.
  virtual uint32_t place_bytes() const { return 0; }

  std::span<const int32_t> weights(uint32_t distribution) const;
  uint64_t workgroups(uint64_t n) const;

  Shape shape_;
  Prepared<Kernel> kernel_;
  uint32_t workgroup_ = 32;  // a group, or what fills a subgroup
  std::vector<int32_t> weights_;
  std::vector<uint32_t> described_;
  std::vector<uint32_t> sums_;  // of each distribution's table, 32
};

/// Tables are built of some 1,000 bytes and more: a 1,024th of the other rows' sizes.
Sizes table_counts(const Matrix& matrix);

}  // namespace weft::bench
