// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/gpu.hpp>

#include "support/compaction_oracle.hpp"
#include "support/item_source.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {

using Sizes = std::vector<uint64_t>;

/// An item as a row names it: a Type, or a struct of words.
struct ItemType {
  std::string name;
  uint32_t bytes = 0;
  std::optional<Type> type;

  ItemType(Type item) : name(name_of(item)), bytes(size_of(item)), type(item) {}
  ItemType(std::string item, uint32_t item_bytes) : name(std::move(item)), bytes(item_bytes) {}
  static ItemType words(uint32_t count) { return {"u32x" + std::to_string(count), count * 4}; }
};

/// What rows measure beside u32.
inline std::vector<ItemType> other_items() {
  return {Type::u8, Type::u16, Type::u64, ItemType::words(4), ItemType::words(12)};
}

/// "kept=0.5": of a share in tenths.
inline std::string kept_name(double share) {
  const auto tenths = std::lround(10 * share);
  return "kept=" + std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "");
}

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
  /// As BenchCase::data().
  std::string row_data() const { return data.kind == Data::Kind::runs ? "runs" : ""; }
};

/// Of `parts` that make up `all` items, as many as make up about `n`.
inline uint64_t part_of(uint64_t parts, uint64_t n, uint64_t all) {
  const double share = static_cast<double>(n) / static_cast<double>(std::max<uint64_t>(all, 1));
  return n == all ? parts : static_cast<uint64_t>(static_cast<double>(parts) * share);
}

/// That share of `n`, rounded.
inline uint64_t share_of(double share, uint64_t n) {
  return static_cast<uint64_t>(std::llround(share * static_cast<double>(n)));
}

/// What prepare() made: a primitive, or a kernel. A copy of a case is not prepared.
template <class T>
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) {}
  Status assign(Result<T> created) {
    if (!created) return created.error();
    created_ = std::move(created).value();
    return {};
  }
  void reset() { created_.reset(); }
  const T& operator*() const { return *created_; }
  const T* operator->() const { return &*created_; }

 private:
  std::optional<T> created_;
};

/// One call that is measured, at several sizes.
class BenchCase {
 public:
  BenchCase(std::string primitive, std::string variant, ItemType item, Sizes sizes)
      : primitive_(std::move(primitive)),
        variant_(std::move(variant)),
        item_(std::move(item)),
        sizes_(std::move(sizes)) {}
  virtual ~BenchCase() = default;

  const std::string& primitive() const noexcept { return primitive_; }
  const std::string& variant() const noexcept { return variant_; }
  const std::string& type() const noexcept { return item_.name; }
  uint32_t item_bytes() const noexcept { return item_.bytes; }
  const Sizes& sizes() const noexcept { return sizes_; }  ///< in items, ascending
  std::string name() const { return primitive_ + ' ' + variant_ + ' ' + item_.name; }

  /// Builds the pipelines. Errors missing_feature and unsupported make the case's rows say so.
  virtual Status prepare(Gpu& gpu) = 0;
  /// Gives them back. A case may be prepared again, on another Gpu.
  virtual void release() = 0;

  virtual std::string strategy() const { return {}; }
  /// What rows say of their data where it is not the source's stream, e.g. "runs"; empty: the source's name.
  virtual std::string data() const { return {}; }
  /// The arrays that a call on `n` items reads. Each is uploaded to a range of its own.
  virtual std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const {
    return {source.items(item_.type.value_or(Type::u8), item_.type ? n : n * item_bytes())};
  }
  /// Bytes of each array that it writes.
  virtual Sizes outputs(uint64_t n) const = 0;
  virtual uint64_t scratch_size(uint64_t) const { return 0; }
  /// Minimum bytes moved: what any implementation reads and writes.
  virtual uint64_t moved_bytes(uint64_t n) const = 0;

  /// `n` may be less than what the buffers were made for: then it is the first n items of each input.
  virtual Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const = 0;
  /// Of cases that work on the CPU alone, for comparison, and record nothing: does all the work of one call on `n`
  /// items and returns its milliseconds.
  virtual double run_on_host(ItemSource&, uint64_t) { return 0; }
  virtual bool is_on_host() const { return false; }
  /// The same work by other means that write the same outputs of the same inputs, e.g. by another strategy. Null: there
  /// are none.
  virtual std::unique_ptr<BenchCase> other_means() const { return nullptr; }
  /// Compares the whole output, or samples of it.
  virtual Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const = 0;

 private:
  std::string primitive_;
  std::string variant_;
  ItemType item_;
  Sizes sizes_;
};

template <class Primitive, class Config>
Config config_of(Result<Primitive> (*create)(const Context&, const Config&) noexcept);
template <class Primitive, class Args>
Args args_of(Status (Primitive::*record)(VkCommandBuffer, const Args&) const noexcept);

/// A case of one primitive. `Case`: the class that derives from this; a copy of it, by the other strategy, is the other
/// means of a primitive that has strategies.
template <class Case, class Primitive>
class CaseOf : public BenchCase {
 public:
  using Config = decltype(config_of(&Primitive::create));
  using Args = decltype(args_of(&Primitive::record));

  /// `forced`: a strategy that is not the Gpu's own choice, which the row's name then says.
  CaseOf(std::string primitive, const std::string& variant, ItemType item, Config config, Sizes sizes,
         std::optional<Strategy> forced = {})
      : BenchCase(std::move(primitive), forced ? variant + ' ' + name_of(*forced) : variant, std::move(item),
                  std::move(sizes)),
        config_(std::move(config)) {
    if constexpr (kHasStrategy) config_.strategy = forced.value_or(Strategy::automatic);
  }

  Status prepare(Gpu& gpu) override { return call_.assign(Primitive::create(gpu.context(), config_)); }
  void release() override { call_.reset(); }
  std::string strategy() const override {
    if constexpr (kHasStrategy) return name_of(call().strategy());
    return {};
  }
  uint64_t scratch_size(uint64_t n) const override {
    if constexpr (requires(const Primitive& primitive) { primitive.scratch_size(n); }) return call().scratch_size(n);
    return 0;
  }
  std::unique_ptr<BenchCase> other_means() const override {
    if constexpr (kHasStrategy) {
      auto other = std::make_unique<Case>(static_cast<const Case&>(*this));
      other->config_.strategy = other_than(call().strategy());
      return other;
    }
    return nullptr;
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return call().record(commands, args(buffers, n));
  }

 protected:
  const Config& config() const { return config_; }
  /// Precondition: prepared.
  const Primitive& call() const { return *call_; }
  virtual Args args(const CaseBuffers& buffers, uint64_t n) const = 0;

 private:
  static constexpr bool kHasStrategy = requires(Config & config) { config.strategy; };
  Config config_;
  Prepared<Primitive> call_;
};

/// What to measure.
struct Matrix {
  ItemSource* source = nullptr;  ///< asked by cases for what their data will be like: bounds and shares
  Sizes sizes;                   ///< ascending; rows of 1-byte items have four times as many
  bool every_size = false;       ///< rows of secondary interest are measured at all sizes, not just at the last two
  bool essential = false;        ///< leave rows of secondary interest out
  std::optional<Strategy> other_strategy;  ///< measured too, in rows of its own
};

struct Cases : std::vector<std::unique_ptr<BenchCase>> {
  template <class Case, class... Args>
  void add(Args&&... args) {
    push_back(std::make_unique<Case>(std::forward<Args>(args)...));
  }
};

/// The rows of one primitive: each file of rows has one such object at namespace scope, and nothing else names it.
class Rows {
 public:
  using Add = void (*)(const Matrix& matrix, Cases& cases);
  /// `order`: where the rows stand among all, by families of ten; of equal ones by name.
  Rows(std::string_view name, uint32_t order, Add add) { all().push_back({order, name, add}); }

  /// Of those names, in order; without names, of all.
  static Cases cases(const Matrix& matrix, const std::vector<std::string_view>& names = {}) {
    auto& entries = all();
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return std::pair(a.order, a.name) < std::pair(b.order, b.name); });
    Cases cases;
    for (const Entry& entry : entries)
      if (names.empty() || std::find(names.begin(), names.end(), entry.name) != names.end()) entry.add(matrix, cases);
    return cases;
  }

 private:
  struct Entry {
    uint32_t order;
    std::string_view name;
    Add add;
  };
  static std::vector<Entry>& all() {
    static std::vector<Entry> entries;
    return entries;
  }
};

/// What a submission costs that does nothing, or next to nothing.
Cases empty_cases();
/// A copy for each number of bytes moved, rounded by copy_items() to `bits`, so that a row is compared with a copy of
/// about as many.
std::unique_ptr<BenchCase> copy_case(const Sizes& moved_bytes, int bits);

/// The sizes of a row of secondary interest.
inline Sizes some_sizes(const Matrix& matrix) {
  const Sizes& sizes = matrix.sizes;
  if (matrix.every_size || sizes.size() <= 2) return sizes;
  return {sizes.end() - 2, sizes.end()};
}

/// The sizes of rows of items of so many bytes: four times as many of 1 byte, as few of large structs as fit in memory.
inline Sizes sizes_for(Sizes sizes, uint32_t item_bytes) {
  for (uint64_t& n : sizes)
    n = item_bytes == 1 ? n * 4 : item_bytes <= 8 ? n : std::max<uint64_t>(n / (item_bytes <= 16 ? 4 : 16), 1);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace weft::bench
