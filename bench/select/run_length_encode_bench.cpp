// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <cmath>

#include <weft/run_length_encode.hpp>
#include <weft/scan.hpp>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/encode_runs.hpp"
#include "support/kernel.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

/// Items to a symbol and a u32 length for each run, by any means. `run_share`: runs an item.
class EncodeCase : public BenchCase {
 public:
  EncodeCase(std::string variant, const ItemType& item, RunData runs, double run_share, std::vector<uint64_t> sizes)
      : BenchCase("run_length_encode", std::move(variant), item.name, item.bytes, std::move(sizes)),
        runs_(std::move(runs)),
        run_share_(run_share) {}

  std::string data() const override { return runs_.data.kind == Data::Kind::runs ? "runs" : ""; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.array(runs_.data, item_bytes(), n)};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override {
    return {n * item_bytes(), n * sizeof(uint32_t), sizeof(uint32_t)};
  }
  uint64_t moved_bytes(uint64_t n) const override {
    return n * item_bytes() + runs_told(n) * (item_bytes() + sizeof(uint32_t));
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    OutputReader symbols(gpu, buffers.outputs[0], item_bytes(), buffers.sampled);
    OutputReader lengths(gpu, buffers.outputs[1], sizeof(uint32_t), buffers.sampled);
    const auto count = read_count(gpu, buffers.outputs[2]);
    if (!count) return count.error();
    return with_item(item_bytes(), [&]<class T>(T*) {
      return check_run_lengths(items_of<T>(inputs(source, n)[0].bytes), symbols.fetcher(), lengths.fetcher(), *count);
    });
  }

 protected:
  uint64_t runs_told(uint64_t n) const {
    return static_cast<uint64_t>(std::llround(run_share_ * static_cast<double>(n)));
  }

 private:
  RunData runs_;
  double run_share_;
};

class RunLengthEncodeCase : public EncodeCase {
 public:
  RunLengthEncodeCase(const Matrix& matrix, Type symbol, const RunData& runs, std::vector<uint64_t> sizes,
                      std::optional<Strategy> forced = {})
      : RunLengthEncodeCase(forced ? runs.name + ' ' + name_of(*forced) : runs.name, matrix, symbol, runs, 1,
                            std::move(sizes)) {
    config_.strategy = forced.value_or(matrix.strategy);
  }

  Status prepare(Gpu& gpu) override {
    auto encode = RunLengthEncode::create(gpu.context(), config_);
    if (!encode) return encode.error();
    encode_ = std::move(encode).value();
    return {};
  }
  void release() override { encode_.reset(); }
  std::string strategy() const override { return name_of(encode_->strategy()); }
  std::unique_ptr<BenchCase> other_means() const override {
    std::unique_ptr<RunLengthEncodeCase> other(new RunLengthEncodeCase(*this, config_));
    other->config_.strategy = other_than(encode_->strategy());
    return other;
  }
  uint64_t scratch_bytes(uint64_t n) const override { return encode_->scratch_size(n); }

  // The first output is of symbols or of offsets.
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    RunLengthEncodeArgs args;
    args.input = buffers.inputs[0];
    (config_.symbols ? args.symbols : args.offsets) = buffers.outputs[0];
    args.lengths = buffers.outputs[1];
    args.run_count = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = n;
    return encode_->record(commands, args);
  }

 protected:
  /// `told`: the share of all runs that outputs tell of.
  RunLengthEncodeCase(std::string variant, const Matrix& matrix, Type symbol, const RunData& runs, double told,
                      std::vector<uint64_t> sizes)
      : EncodeCase(std::move(variant), ItemType::of(symbol), runs,
                   told * matrix.source->run_share(runs.data, size_of(symbol)), std::move(sizes)) {
    config_.symbol = symbol;
    config_.strategy = matrix.strategy;
  }
  RunLengthEncodeCase(const EncodeCase& like, const RunLengthEncodeConfig& config)
      : EncodeCase(like), config_(config) {}
  RunLengthEncodeConfig config_;

 private:
  std::optional<RunLengthEncode> encode_;
};

/// Where the runs of two or more items begin, and how long they are; what CUB gives of them.
class NonTrivialCase : public RunLengthEncodeCase {
 public:
  // Lengths are uniform in [1, 2 * mean - 1].
  NonTrivialCase(const Matrix& matrix, Type symbol, uint32_t mean, std::vector<uint64_t> sizes)
      : RunLengthEncodeCase("nontrivial " + RunData::of(mean).name, matrix, symbol, RunData::of(mean),
                            (2.0 * mean - 2) / (2.0 * mean - 1), std::move(sizes)) {
    config_.symbols = false;
    config_.offsets = true;
    config_.non_trivial = true;
  }

  std::vector<uint64_t> outputs(uint64_t n) const override {
    return {n / 2 * sizeof(uint32_t), n / 2 * sizeof(uint32_t), sizeof(uint32_t)};
  }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes() + runs_told(n) * 2 * sizeof(uint32_t); }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    OutputReader offsets(gpu, buffers.outputs[0], sizeof(uint32_t), buffers.sampled);
    OutputReader lengths(gpu, buffers.outputs[1], sizeof(uint32_t), buffers.sampled);
    const auto count = read_count(gpu, buffers.outputs[2]);
    if (!count) return count.error();
    return with_item(item_bytes(), [&]<class T>(T*) {
      return check_non_trivial_runs(items_of<T>(inputs(source, n)[0].bytes), offsets.fetcher(), lengths.fetcher(),
                                    *count);
    });
  }
};

/// The classic pipeline of four kernels, to see what the fused one gains: a mask of run heads, its exclusive scan, the heads'
/// positions compacted, symbols and lengths by those. u32 items.
class FourKernelsCase : public EncodeCase {
 public:
  FourKernelsCase(const Matrix& matrix, const RunData& runs, std::vector<uint64_t> sizes)
      : EncodeCase("four kernels " + runs.name, ItemType::of(Type::u32), runs, matrix.source->run_share(runs.data, 4),
                   std::move(sizes)),
        config_{ScanKind::exclusive, Op::add, Type::u32, Type::u32, matrix.strategy} {}

  Status prepare(Gpu& gpu) override {
    auto scan = Scan::create(gpu.context(), config_);
    if (!scan) return scan.error();
    scan_ = std::move(scan).value();
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
  uint64_t scratch_bytes(uint64_t n) const override { return 3 * array_bytes(n) + scan_->scratch_size(n); }

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

  ScanConfig config_;
  std::optional<Scan> scan_;
  std::vector<Kernel> kernels_;
};

/// One core of the machine's CPU, which literature likes to compare with.
template <class T>
class OneCoreCase : public EncodeCase {
 public:
  OneCoreCase(const Matrix& matrix, const RunData& runs, std::vector<uint64_t> sizes)
      : EncodeCase("one CPU core " + runs.name, ItemType::of(type_of<T>), runs,
                   matrix.source->run_share(runs.data, sizeof(T)), std::move(sizes)) {}

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
  Result<std::optional<Mismatch>> verify(Gpu&, ItemSource& source, const CaseBuffers&, uint64_t n) const override {
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

}  // namespace

Cases run_length_encode_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](Type symbol, const RunData& runs, const std::vector<uint64_t>& sizes,
                       std::optional<Strategy> forced = {}) {
    cases.push_back(
        std::make_unique<RunLengthEncodeCase>(matrix, symbol, runs, sizes_for(sizes, size_of(symbol)), forced));
  };
  const auto& sizes = matrix.sizes;
  const auto some = some_sizes(matrix);

  add(Type::u32, RunData::of(8), sizes);
  add(Type::u8, RunData::of(8), sizes);
  if (matrix.essential) return cases;
  if (matrix.other_strategy) add(Type::u32, RunData::of(8), sizes, matrix.other_strategy);
  for (const RunData& runs : {RunData::of(1), RunData::of(100), RunData::of(10000), RunData::of(*matrix.source)}) {
    add(Type::u32, runs, some);
    add(Type::u8, runs, some);
  }
  add(Type::u16, RunData::of(8), some);
  add(Type::u64, RunData::of(8), some);
  for (const Type symbol : {Type::u32, Type::u8})
    cases.push_back(std::make_unique<NonTrivialCase>(matrix, symbol, 8, sizes_for(some, size_of(symbol))));
  cases.push_back(std::make_unique<FourKernelsCase>(matrix, RunData::of(8), some));
  cases.push_back(std::make_unique<OneCoreCase<uint32_t>>(matrix, RunData::of(8), some));
  cases.push_back(std::make_unique<OneCoreCase<uint8_t>>(matrix, RunData::of(8), sizes_for(some, 1)));
  return cases;
}

}  // namespace weft::bench
