// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/gpu.hpp>

#include "support/item_source.hpp"
#include "support/oracle.hpp"

namespace weft::bench {

/// Ranges as long as the case asked for.
struct CaseBuffers {
  BufferRange input;
  BufferRange output;
  BufferRange scratch;
};

/// One call that is measured, at several sizes.
class BenchCase {
 public:
  BenchCase(std::string primitive, std::string variant, Type item, std::vector<uint64_t> sizes)
      : primitive_(std::move(primitive)), variant_(std::move(variant)), item_(item), sizes_(std::move(sizes)) {}
  virtual ~BenchCase() = default;

  const std::string& primitive() const noexcept { return primitive_; }
  const std::string& variant() const noexcept { return variant_; }
  Type item() const noexcept { return item_; }
  const std::vector<uint64_t>& sizes() const noexcept { return sizes_; }  ///< in items, ascending
  std::string name() const { return primitive_ + ' ' + variant_ + ' ' + name_of(item_); }

  /// Builds the pipelines. Errors missing_feature and unsupported make the case's rows say so.
  virtual Status prepare(Gpu& gpu) = 0;
  /// Gives them back. A case may be prepared again, on another Gpu.
  virtual void release() = 0;

  virtual std::string strategy() const { return {}; }
  virtual uint64_t input_bytes(uint64_t n) const { return n * size_of(item_); }
  virtual uint64_t output_bytes(uint64_t n) const = 0;
  virtual uint64_t scratch_bytes(uint64_t) const { return 0; }
  /// The fewest bytes that any implementation reads and writes.
  virtual uint64_t moved_bytes(uint64_t n) const = 0;

  virtual Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const = 0;
  /// Compares the whole output.
  virtual Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                                 uint64_t n) const = 0;

 private:
  std::string primitive_;
  std::string variant_;
  Type item_;
  std::vector<uint64_t> sizes_;
};

/// What to measure.
struct Matrix {
  std::vector<uint64_t> sizes;  ///< ascending; rows of 1-byte items have four times as many
  bool every_size = false;      ///< rows of secondary interest are measured at all sizes, not just at the last two
  bool essential = false;       ///< leave rows of secondary interest out
  Strategy strategy = Strategy::automatic;  ///< of every row
  std::optional<Strategy> other_strategy;   ///< measured too, in rows of its own
};

using Cases = std::vector<std::unique_ptr<BenchCase>>;

Cases scan_cases(const Matrix& matrix);
Cases reduce_cases(const Matrix& matrix);
/// What a submission costs that does nothing, or next to nothing.
Cases empty_cases();
/// A copy for each number of bytes moved, so that a row is compared with a copy of as many.
std::unique_ptr<BenchCase> copy_case(const std::vector<uint64_t>& moved_bytes);
/// The items of the copy that a row of `moved_bytes` is compared with.
constexpr uint64_t copy_items(uint64_t moved_bytes) { return (moved_bytes + 7) / 8; }

/// The sizes of a row of secondary interest.
inline std::vector<uint64_t> some_sizes(const Matrix& matrix) {
  const auto& sizes = matrix.sizes;
  if (matrix.every_size || sizes.size() <= 2) return sizes;
  return {sizes.end() - 2, sizes.end()};
}

inline std::vector<uint64_t> scaled_sizes(std::vector<uint64_t> sizes, uint64_t factor) {
  for (uint64_t& n : sizes) n *= factor;
  return sizes;
}

}  // namespace weft::bench
