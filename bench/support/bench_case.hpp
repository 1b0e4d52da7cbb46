// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/gpu.hpp>

#include "support/kernel.hpp"
#include "support/output_reader.hpp"
#include "support/work.hpp"

namespace weft::bench {

/// A Work by one means, at several sizes.
class BenchCase {
 public:
  BenchCase(Work work, Sizes sizes) : work_(std::move(work)), sizes_(std::move(sizes)) {}
  virtual ~BenchCase() = default;
  BenchCase(const BenchCase&) = delete;
  BenchCase& operator=(const BenchCase&) = delete;

  const Work& work() const noexcept { return work_; }
  uint32_t item_bytes() const noexcept { return work_.item.bytes; }
  const Sizes& sizes() const noexcept { return sizes_; }  ///< in items, ascending
  std::string name() const { return work_.name(); }

  /// Builds the pipelines. Errors missing_feature and unsupported make the case's rows say so.
  virtual Status prepare(Gpu& gpu) = 0;
  /// Gives them back. A case may be prepared again, on another Gpu.
  virtual void release() = 0;

  virtual std::string strategy() const { return {}; }
  /// As Work has them. Each input is uploaded to a range of its own.
  virtual Arrays inputs(ItemSource& source, uint64_t n) const { return work_.inputs(source, n); }
  virtual Sizes outputs(uint64_t n) const { return work_.outputs(n); }
  virtual uint64_t scratch_size(uint64_t) const { return 0; }
  uint64_t moved_bytes(uint64_t n) const { return work_.moved_bytes(n); }

  /// How many items a call on the first n works on, where it has units of more.
  virtual uint64_t items_of_call(uint64_t n) const { return n; }
  /// `n` may be less than what the buffers were made for: then it is the first n items of each input.
  virtual Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const = 0;
  /// Of cases that work on the CPU alone, for comparison, and record nothing: does all the work of one call on `n`
  /// items and returns its milliseconds.
  virtual double run_on_host(ItemSource&, uint64_t) { return 0; }
  virtual bool is_on_host() const { return false; }
  /// The same work by other means that write the same outputs of the same inputs, e.g. by another strategy. Null: there
  /// are none.
  virtual std::unique_ptr<BenchCase> other_means() const { return nullptr; }
  virtual Verdict verify(GpuOutputs& found, ItemSource& source, uint64_t n) const {
    return work_.check({source, inputs(source, n), n}, found);
  }

 private:
  Work work_;
  Sizes sizes_;
};

/// By other means, which the row's name says.
inline Work varied(Work work, const std::string& means) {
  work.variant += means;
  return work;
}

/// Sets what prepare() makes.
template <class T>
Status assign(std::optional<T>& to, Result<T> created) {
  if (!created) return created.error();
  to = std::move(created).value();
  return {};
}

template <class Primitive, class Config>
Config config_of(Result<Primitive> (*create)(const Context&, const Config&) noexcept);
template <class Primitive, class Args>
Args args_of(Status (Primitive::*record)(VkCommandBuffer, const Args&) const noexcept);

/// How a primitive does a Work.
template <class Primitive>
struct Call {
  using Config = decltype(config_of(&Primitive::create));
  using Args = decltype(args_of(&Primitive::record));

  Config config{};
  std::function<Args(const CaseBuffers& buffers, uint64_t n)> args;
  /// None: scratch_size(n), if the primitive has it.
  std::function<uint64_t(const Primitive& primitive, uint64_t n)> scratch{};
  /// As BenchCase::other_means. None: by the other strategy, if the primitive has strategies.
  std::function<std::unique_ptr<BenchCase>()> other{};
};

constexpr Strategy other_than(Strategy strategy) {
  return strategy == Strategy::look_back ? Strategy::reduce_then_scan : Strategy::look_back;
}

/// A Work by a primitive.
template <class Primitive>
class CaseOf final : public BenchCase {
 public:
  /// `sizes`: in words; see sizes_for(). `forced`: a strategy that is not the Gpu's own choice, which the row's name
  /// then says.
  CaseOf(const Work& work, Call<Primitive> call, const Sizes& sizes, std::optional<Strategy> forced = {})
      : BenchCase(forced ? varied(work, std::string(" ") + name_of(*forced)) : work, sizes_for(sizes, work.item.bytes)),
        call_(std::move(call)) {
    if constexpr (kHasStrategy) call_.config.strategy = forced.value_or(Strategy::automatic);
  }

  Status prepare(Gpu& gpu) override { return assign(primitive_, Primitive::create(gpu.context(), call_.config)); }
  void release() override { primitive_.reset(); }
  std::string strategy() const override {
    if constexpr (kHasStrategy) return name_of(primitive_->strategy());
    return {};
  }
  uint64_t scratch_size(uint64_t n) const override {
    if (call_.scratch) return call_.scratch(*primitive_, n);
    if constexpr (requires(const Primitive& primitive) { primitive.scratch_size(n); })
      return primitive_->scratch_size(n);
    return 0;
  }
  std::unique_ptr<BenchCase> other_means() const override {
    if (call_.other) return call_.other();
    if constexpr (kHasStrategy)
      return std::make_unique<CaseOf>(work(), call_, Sizes{}, other_than(primitive_->strategy()));
    return nullptr;
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return primitive_->record(commands, call_.args(buffers, n));
  }

 private:
  static constexpr bool kHasStrategy = requires(typename Call<Primitive>::Config & config) { config.strategy; };

  Call<Primitive> call_;
  std::optional<Primitive> primitive_;
};

/// A Work by a kernel of the bench's own.
class KernelCase : public BenchCase {
 public:
  using Create = std::function<Result<Kernel>(const Gpu& gpu)>;
  using Record = std::function<void(const Kernel& kernel, VkCommandBuffer commands, const CaseBuffers&, uint64_t n)>;
  KernelCase(Work work, Sizes sizes, Create create, Record record)
      : BenchCase(std::move(work), std::move(sizes)), create_(std::move(create)), record_(std::move(record)) {}

  Status prepare(Gpu& gpu) override { return assign(kernel_, create_(gpu)); }
  void release() override { kernel_.reset(); }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    record_(*kernel_, commands, buffers, n);
    return {};
  }

 private:
  Create create_;
  Record record_;
  std::optional<Kernel> kernel_;
};

struct Cases : std::vector<std::unique_ptr<BenchCase>> {
  /// A Work by a primitive.
  template <class Primitive>
  void add(const Work& work, Call<Primitive> call, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    push_back(std::make_unique<CaseOf<Primitive>>(work, std::move(call), sizes, forced));
  }
  /// What is no call of a primitive.
  template <class Case, class... Args>
  void add_case(Args&&... args) {
    push_back(std::make_unique<Case>(std::forward<Args>(args)...));
  }
};

/// What one call does, by separate ones, as the row's name says.
class SeparateCalls final : public BenchCase {
 public:
  /// `stages`: calls, with a barrier between two stages. What the Works of these calls say is not asked for.
  /// `between`: bytes of a further output, for what a stage hands to the next.
  SeparateCalls(const Work& work, const Sizes& sizes, std::vector<Cases> stages,
                std::function<uint64_t(uint64_t n)> between = {})
      : BenchCase(varied(work, " by separate calls"), sizes),
        stages_(std::move(stages)),
        between_(std::move(between)) {}

  Status prepare(Gpu& gpu) override {
    for (const Cases& stage : stages_)
      for (const auto& call : stage)
        if (Status status = call->prepare(gpu); !status) return status;
    return assign(copy_, create_copy(gpu));
  }
  void release() override {
    for (const Cases& stage : stages_)
      for (const auto& call : stage) call->release();
    copy_.reset();
  }
  /// Of the first call that has one.
  std::string strategy() const override {
    for (const Cases& stage : stages_)
      for (const auto& call : stage)
        if (std::string name = call->strategy(); !name.empty()) return name;
    return {};
  }
  Sizes outputs(uint64_t n) const override {
    Sizes bytes = BenchCase::outputs(n);
    if (between_) bytes.push_back(between_(n));
    return bytes;
  }
  uint64_t scratch_size(uint64_t n) const override {
    uint64_t most = 0;
    for (const Cases& stage : stages_)
      for (const auto& call : stage) most = std::max(most, call->scratch_size(n));
    return most;
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    for (const Cases& stage : stages_) {
      if (&stage != &stages_.front()) copy_->barrier(commands);
      for (const auto& call : stage)
        if (Status status = call->record(commands, buffers, n); !status) return status;
    }
    return {};
  }

 private:
  std::vector<Cases> stages_;
  std::function<uint64_t(uint64_t n)> between_;
  std::optional<Kernel> copy_;  // for its barrier
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

}  // namespace weft::bench
