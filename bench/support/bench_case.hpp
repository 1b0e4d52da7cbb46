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

/// Ranges as long as the case asked for, each at a multiple of 256 bytes.
struct CaseBuffers {
  std::vector<BufferRange> inputs;   ///< one for each of the case's inputs()
  std::vector<BufferRange> outputs;  ///< one for each of the case's outputs()
  BufferRange scratch;
  bool sampled = false;  ///< verification compares some of the outputs
};

/// An item as a row names it: a Type, or a struct of words.
struct ItemType {
  std::string name;
  uint32_t bytes = 0;

  static ItemType of(Type type) { return {name_of(type), size_of(type)}; }
  static ItemType words(uint32_t count) { return {"u32x" + std::to_string(count), count * 4}; }
};

/// Of 1, 2, 4 or 8 bytes.
constexpr Type unsigned_type(uint32_t bytes) {
  return bytes == 1 ? Type::u8 : bytes == 2 ? Type::u16 : bytes == 4 ? Type::u32 : Type::u64;
}

constexpr Strategy other_than(Strategy strategy) {
  return strategy == Strategy::look_back ? Strategy::reduce_then_scan : Strategy::look_back;
}

/// What rows on runs are about: runs of some mean length, or those of the source's own items.
struct RunData {
  Data data;
  std::string name;

  static RunData of(uint32_t mean) { return {Data::runs(mean), "runs=" + std::to_string(mean)}; }
  static RunData of(const ItemSource& source) { return {Data::stream(), source.stream_name()}; }
};

/// One call that is measured, at several sizes.
class BenchCase {
 public:
  BenchCase(std::string primitive, std::string variant, Type item, std::vector<uint64_t> sizes)
      : BenchCase(std::move(primitive), std::move(variant), name_of(item), size_of(item), std::move(sizes)) {
    item_ = item;
  }
  /// Of items that are bytes to the call, of no Type.
  BenchCase(std::string primitive, std::string variant, std::string type, uint32_t item_bytes,
            std::vector<uint64_t> sizes)
      : primitive_(std::move(primitive)),
        variant_(std::move(variant)),
        type_(std::move(type)),
        item_bytes_(item_bytes),
        sizes_(std::move(sizes)) {}
  virtual ~BenchCase() = default;

  const std::string& primitive() const noexcept { return primitive_; }
  const std::string& variant() const noexcept { return variant_; }
  const std::string& type() const noexcept { return type_; }  ///< the name of the items' type
  uint32_t item_bytes() const noexcept { return item_bytes_; }
  const std::vector<uint64_t>& sizes() const noexcept { return sizes_; }  ///< in items, ascending
  std::string name() const { return primitive_ + ' ' + variant_ + ' ' + type_; }

  /// Builds the pipelines. Errors missing_feature and unsupported make the case's rows say so.
  virtual Status prepare(Gpu& gpu) = 0;
  /// Gives them back. A case may be prepared again, on another Gpu.
  virtual void release() = 0;

  virtual std::string strategy() const { return {}; }
  /// What rows say of their data where it is not the source's stream, e.g. "runs"; empty: the source's name.
  virtual std::string data() const { return {}; }
  /// The arrays that a call on `n` items reads. Each is uploaded to a range of its own.
  virtual std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const {
    return {source.items(item_.value_or(Type::u8), item_ ? n : n * item_bytes_)};
  }
  /// Bytes of each array that it writes. Verification reads them back, e.g. by an OutputReader of each.
  virtual std::vector<uint64_t> outputs(uint64_t n) const = 0;
  virtual uint64_t scratch_bytes(uint64_t) const { return 0; }
  /// The fewest bytes that any implementation reads and writes.
  virtual uint64_t moved_bytes(uint64_t n) const = 0;

  /// `n` may be less than what the buffers were made for: then it is the first n items of each input.
  virtual Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const = 0;
  /// Of cases that work on the CPU alone, for comparison, and record nothing: does all the work of one call on `n` items and
  /// gives its milliseconds.
  virtual double run_on_host(ItemSource&, uint64_t) { return 0; }
  virtual bool is_on_host() const { return false; }
  /// The same work by other means that write the same outputs of the same inputs, e.g. by another strategy. Null: there
  /// are none.
  virtual std::unique_ptr<BenchCase> other_means() const { return nullptr; }
  /// Compares the whole output, or samples of it.
  virtual Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                                 uint64_t n) const = 0;

 private:
  std::string primitive_;
  std::string variant_;
  std::string type_;
  uint32_t item_bytes_;
  std::optional<Type> item_;
  std::vector<uint64_t> sizes_;
};

/// What to measure.
struct Matrix {
  ItemSource* source = nullptr;  ///< asked by cases for what their data will be like: bounds and shares
  std::vector<uint64_t> sizes;   ///< ascending; rows of 1-byte items have four times as many
  bool every_size = false;       ///< rows of secondary interest are measured at all sizes, not just at the last two
  bool essential = false;        ///< leave rows of secondary interest out
  Strategy strategy = Strategy::automatic;  ///< of every row
  std::optional<Strategy> other_strategy;   ///< measured too, in rows of its own
};

using Cases = std::vector<std::unique_ptr<BenchCase>>;

Cases scan_cases(const Matrix& matrix);
Cases reduce_cases(const Matrix& matrix);
Cases select_cases(const Matrix& matrix);
Cases partition_cases(const Matrix& matrix);
Cases run_length_encode_cases(const Matrix& matrix);
Cases dispatch_arguments_cases(const Matrix& matrix);
Cases histogram_cases(const Matrix& matrix);
Cases run_length_decode_cases(const Matrix& matrix);
Cases load_balance_search_cases(const Matrix& matrix);
Cases interval_expand_cases(const Matrix& matrix);
Cases interval_move_cases(const Matrix& matrix);
Cases transform_lbs_cases(const Matrix& matrix);
Cases scan_by_key_cases(const Matrix& matrix);
Cases reduce_by_key_cases(const Matrix& matrix);
Cases segmented_reduce_cases(const Matrix& matrix);
Cases segmented_scan_cases(const Matrix& matrix);
Cases sorted_search_cases(const Matrix& matrix);
Cases binary_search_cases(const Matrix& matrix);
Cases merge_cases(const Matrix& matrix);
Cases set_operation_cases(const Matrix& matrix);
Cases merge_sort_cases(const Matrix& matrix);
Cases radix_sort_cases(const Matrix& matrix);
Cases segmented_sort_cases(const Matrix& matrix);
/// A kernel that only writes, the limit of what does little else.
Cases fill_cases(const Matrix& matrix);
Cases bulk_remove_cases(const Matrix& matrix);
Cases bulk_insert_cases(const Matrix& matrix);
/// Decode tables of entropy coders, many at once.
Cases fse_table_cases(const Matrix& matrix);
Cases rans_table_cases(const Matrix& matrix);
/// What a submission costs that does nothing, or next to nothing.
Cases empty_cases();
/// A copy for each number of bytes moved, so that a row is compared with a copy of about as many.
std::unique_ptr<BenchCase> copy_case(const std::vector<uint64_t>& moved_bytes);

/// The sizes of a row of secondary interest.
inline std::vector<uint64_t> some_sizes(const Matrix& matrix) {
  const auto& sizes = matrix.sizes;
  if (matrix.every_size || sizes.size() <= 2) return sizes;
  return {sizes.end() - 2, sizes.end()};
}

/// The sizes of rows of items of so many bytes: four times as many of 1 byte, as few of large structs as fit in memory.
inline std::vector<uint64_t> sizes_for(std::vector<uint64_t> sizes, uint32_t item_bytes) {
  for (uint64_t& n : sizes)
    n = item_bytes == 1 ? n * 4 : item_bytes <= 8 ? n : std::max<uint64_t>(n / (item_bytes <= 16 ? 4 : 16), 1);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

inline std::vector<uint64_t> scaled_sizes(std::vector<uint64_t> sizes, uint64_t factor) {
  for (uint64_t& n : sizes) n *= factor;
  return sizes;
}

}  // namespace weft::bench
