// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>

#include <weft/run_length_encode.hpp>
#include <weft/scan.hpp>

#include "support/bench_case.hpp"
#include "support/encode_runs.hpp"
#include "support/kernel.hpp"

namespace weft::bench {
namespace {

/// Items to a symbol and a u32 length for each run, by any means. Base: BenchCase, or what derives from it.
template <class Base>
class EncodeCase : public Base {
 public:
  /// `reported`: the fraction of all runs that is written. `more`: of Base, before and after the sizes.
  EncodeCase(const Matrix& matrix, const std::string& variant, Type symbol, const RunData& runs, double reported,
             const Sizes& sizes) requires(std::is_same_v<Base, BenchCase>)
      : Base("run_length_encode", variant, symbol, sizes_for(sizes, size_of(symbol))),
        runs_(runs),
        run_share_(reported * matrix.source->run_share(runs.data, size_of(symbol))) {}
  template <class Config>
  EncodeCase(const Matrix& matrix, const std::string& variant, Type symbol, const RunData& runs, double reported,
             const Sizes& sizes, const Config& config, std::optional<Strategy> forced)
      : Base("run_length_encode", variant, symbol, config, sizes_for(sizes, size_of(symbol)), forced),
        runs_(runs),
        run_share_(reported * matrix.source->run_share(runs.data, size_of(symbol))) {}

  std::string data() const override { return runs_.row_data(); }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.array(runs_.data, this->item_bytes(), n)};
  }
  Sizes outputs(uint64_t n) const override { return {n * this->item_bytes(), n * sizeof(uint32_t), sizeof(uint32_t)}; }
  uint64_t moved_bytes(uint64_t n) const override {
    return n * this->item_bytes() + runs_of(n) * (this->item_bytes() + sizeof(uint32_t));
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_small_item(this->item_bytes(), [&]<class T>(T*) {
      return check_run_lengths(items_of<T>(inputs(source, n)[0].bytes), found.fetch(0, sizeof(T)),
                               found.fetch(1, sizeof(uint32_t)), found.count(2));
    });
  }

 protected:
  uint64_t runs_of(uint64_t n) const { return share_of(run_share_, n); }

 private:
  RunData runs_;
  double run_share_;
};

class RunLengthEncodeCase : public EncodeCase<CaseOf<RunLengthEncodeCase, RunLengthEncode>> {
 public:
  RunLengthEncodeCase(const Matrix& matrix, Type symbol, const RunData& runs, const Sizes& sizes,
                      std::optional<Strategy> forced)
      : EncodeCase(matrix, runs.name, symbol, runs, 1, sizes, Config{.symbol = symbol}, forced) {}

  // The first output is of symbols or of offsets.
  RunLengthEncodeArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    RunLengthEncodeArgs args;
    args.input = buffers.inputs[0];
    (config().symbols ? args.symbols : args.offsets) = buffers.outputs[0];
    args.lengths = buffers.outputs[1];
    args.run_count = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = n;
    return args;
  }

 protected:
  using EncodeCase::EncodeCase;
};

/// Where the runs of two or more items begin, and how long they are; what CUB gives of them.
class NonTrivialCase : public RunLengthEncodeCase {
 public:
  // Lengths are uniform in [1, 2 * mean - 1].
  NonTrivialCase(const Matrix& matrix, Type symbol, uint32_t mean, const Sizes& sizes)
      : RunLengthEncodeCase(matrix, "nontrivial " + RunData::of(mean).name, symbol, RunData::of(mean),
                            (2.0 * mean - 2) / (2.0 * mean - 1), sizes,
                            Config{.symbol = symbol, .symbols = false, .offsets = true, .non_trivial = true},
                            std::nullopt) {}

  Sizes outputs(uint64_t n) const override {
    return {n / 2 * sizeof(uint32_t), n / 2 * sizeof(uint32_t), sizeof(uint32_t)};
  }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes() + runs_of(n) * 2 * sizeof(uint32_t); }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_small_item(item_bytes(), [&]<class T>(T*) {
      return check_non_trivial_runs(items_of<T>(inputs(source, n)[0].bytes), found.fetch(0, sizeof(uint32_t)),
                                    found.fetch(1, sizeof(uint32_t)), found.count(2));
    });
  }
};

/// The classic pipeline of four kernels, to see what the fused one gains: a mask of run heads, its exclusive scan, the
/// heads' positions compacted, symbols and lengths by those. u32 items.
class FourKernelsCase : public EncodeCase<BenchCase> {
 public:
  FourKernelsCase(const Matrix& matrix, const RunData& runs, const Sizes& sizes)
      : EncodeCase(matrix, "four kernels " + runs.name, Type::u32, runs, 1, sizes) {}

  Status prepare(Gpu& gpu) override {
    if (const Status status = scan_.assign(Scan::create(gpu.context(), {})); !status) return status;
    for (const char* name : {"run_length_encode_mask", "run_length_encode_compact", "run_length_encode_scatter"}) {
      auto kernel = Kernel::create(gpu, name, sizeof(Push));
      if (!kernel) return kernel.error();
      kernels_.push_back(std::move(kernel).value());
    }
    return {};
  }
  void release() override {
    scan_.reset();
    kernels_.clear();
  }
  std::string strategy() const override { return name_of(scan_->strategy()); }
  uint64_t scratch_size(uint64_t n) const override { return 3 * array_bytes(n) + scan_->scratch_size(n); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    auto array = [&, at = buffers.scratch.offset](uint64_t bytes) mutable {
      const BufferRange range{buffers.scratch.buffer, at, bytes};
      at += array_bytes(n);
      return range;
    };
    const BufferRange mask = array(n * sizeof(uint32_t)), positions = array(n * sizeof(uint32_t)),
                      heads = array((n + 1) * sizeof(uint32_t)), scan_scratch = array(scan_->scratch_size(n));
    const Kernel& first = kernels_[0];
    const Push push{first.address_of(buffers.inputs[0]),
                    first.address_of(mask),
                    first.address_of(positions),
                    first.address_of(heads),
                    first.address_of(buffers.outputs[0]),
                    first.address_of(buffers.outputs[1]),
                    first.address_of(buffers.outputs[2]),
                    static_cast<uint32_t>(n),
                    0};
    const uint64_t by_four = (n + 4 * kWorkgroup - 1) / (4 * kWorkgroup);
    kernels_[0].record(commands, push, by_four);
    first.barrier(commands);
    const Status status = scan_->record(commands, {mask, positions, scan_scratch, n, std::nullopt});
    if (!status) return status;
    first.barrier(commands);
    kernels_[1].record(commands, push, by_four);
    first.barrier(commands);
    kernels_[2].record(commands, push, (n + kWorkgroup - 1) / kWorkgroup);
    return {};
  }

 private:
  struct Push {  // as in shaders/run_length_encode.glsl
    VkDeviceAddress items, mask, positions, heads, symbols, lengths, run_count;
    uint32_t count;
    uint32_t padding;
  };
  static constexpr uint64_t kWorkgroup = 256;

  // With room for one more than there are items, which `heads` has.
  static uint64_t array_bytes(uint64_t n) { return ((n + 1) * sizeof(uint32_t) + 255) / 256 * 256; }

  Prepared<Scan> scan_;
  std::vector<Kernel> kernels_;
};

/// One core of the machine's CPU, which literature likes to compare with.
template <class T>
class OneCoreCase : public EncodeCase<BenchCase> {
 public:
  OneCoreCase(const Matrix& matrix, const RunData& runs, const Sizes& sizes)
      : EncodeCase(matrix, "one CPU core " + runs.name, type_of<T>, runs, 1, sizes) {}

  Status prepare(Gpu&) override { return {}; }
  void release() override {
    symbols_ = {};
    lengths_ = {};
  }
  std::string strategy() const override { return "cpu"; }
  Status record(VkCommandBuffer, const CaseBuffers&, uint64_t) const override { return {}; }
  bool is_on_host() const override { return true; }
  double run_on_host(ItemSource& source, uint64_t n) override {
    const auto items = items_of<T>(inputs(source, n)[0].bytes);
    symbols_.resize(n);
    lengths_.resize(n);
    const auto start = std::chrono::steady_clock::now();
    count_ = encode_runs(items, symbols_.data(), lengths_.data());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  Verdict verify(Outputs&, ItemSource& source, uint64_t n) const override {
    const auto fetch = [](const auto& items) -> FetchOutputs {
      return [bytes = std::as_bytes(std::span(items))](uint64_t first, uint64_t count) {
        constexpr size_t kBytes = sizeof(items[0]);
        return Result<std::span<const std::byte>>(bytes.subspan(first * kBytes, count * kBytes));
      };
    };
    return check_run_lengths(items_of<T>(inputs(source, n)[0].bytes), fetch(symbols_), fetch(lengths_), count_);
  }

 private:
  std::vector<T> symbols_;
  std::vector<uint32_t> lengths_;
  uint64_t count_ = 0;
};

const Rows run_length_encode_rows("run_length_encode", 22, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](Type symbol, const RunData& runs, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    cases.add<RunLengthEncodeCase>(matrix, symbol, runs, sizes, forced);
  };
  const Sizes some = some_sizes(matrix);
  for (const Type symbol : {Type::u32, Type::u8}) add(symbol, RunData::of(8), matrix.sizes);
  if (matrix.essential) return;
  if (matrix.other_strategy) add(Type::u32, RunData::of(8), matrix.sizes, matrix.other_strategy);
  for (const RunData& runs : {RunData::of(1), RunData::of(100), RunData::of(10000), RunData::of(*matrix.source)})
    for (const Type symbol : {Type::u32, Type::u8}) add(symbol, runs, some);
  for (const Type symbol : {Type::u16, Type::u64}) add(symbol, RunData::of(8), some);
  for (const Type symbol : {Type::u32, Type::u8}) cases.add<NonTrivialCase>(matrix, symbol, 8, some);
  cases.add<FourKernelsCase>(matrix, RunData::of(8), some);
  cases.add<OneCoreCase<uint32_t>>(matrix, RunData::of(8), some);
  cases.add<OneCoreCase<uint8_t>>(matrix, RunData::of(8), some);
});

}  // namespace
}  // namespace weft::bench
