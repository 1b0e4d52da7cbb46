// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>

#include <weft/run_length_encode.hpp>
#include <weft/scan.hpp>

#include "support/bench_case.hpp"
#include "support/encode_runs.hpp"
#include "support/select_works.hpp"

namespace weft::bench {
namespace {

Work with_prefix(const char* prefix, Work work) {
  work.variant = prefix + work.variant;
  return work;
}

/// The classic pipeline of four kernels, to see what the fused one gains: a mask of run heads, its exclusive scan, the
/// heads' positions compacted, symbols and lengths by those. u32 items.
class FourKernelsCase : public BenchCase {
 public:
  FourKernelsCase(const Work& work, const Sizes& sizes) : BenchCase(with_prefix("four kernels ", work), sizes) {}

  Status prepare(Gpu& gpu) override {
    if (const Status status = assign(scan_, Scan::create(gpu.context(), {})); !status) return status;
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
    const auto at = [&](const BufferRange& range) { return kernels_[0].address_of(range); };
    const auto& outputs = buffers.outputs;
    const Push push{
        at(buffers.inputs[0]),    at(mask), at(positions), at(heads), at(outputs[0]), at(outputs[1]), at(outputs[2]),
        static_cast<uint32_t>(n), 0};
    const uint64_t by_four = (n + 4 * kWorkgroup - 1) / (4 * kWorkgroup);
    kernels_[0].record(commands, push, by_four);
    kernels_[0].barrier(commands);
    const Status status = scan_->record(commands, {mask, positions, scan_scratch, n, std::nullopt});
    if (!status) return status;
    kernels_[0].barrier(commands);
    kernels_[1].record(commands, push, by_four);
    kernels_[0].barrier(commands);
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

  std::optional<Scan> scan_;
  std::vector<Kernel> kernels_;
};

/// One core of the machine's CPU, which literature likes to compare with.
template <class T>
class OneCoreCase : public BenchCase {
 public:
  OneCoreCase(const Work& work, const Sizes& sizes)
      : BenchCase(with_prefix("one CPU core ", work), sizes_for(sizes, sizeof(T))) {}

  Status prepare(Gpu&) override { return {}; }
  void release() override { written_ = {}; }
  std::string strategy() const override { return "cpu"; }
  Status record(VkCommandBuffer, const CaseBuffers&, uint64_t) const override { return {}; }
  bool is_on_host() const override { return true; }
  double run_on_host(ItemSource& source, uint64_t n) override {
    const auto items = items_of<T>(inputs(source, n)[0].bytes);
    written_.symbols.resize(n);
    written_.lengths.resize(n);
    const auto start = std::chrono::steady_clock::now();
    written_.count = encode_runs(items, written_.symbols.data(), written_.lengths.data());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  Verdict verify(GpuOutputs&, ItemSource& source, uint64_t n) const override {
    return work().check({source, inputs(source, n), n}, written_);
  }

 private:
  struct Written : Outputs {
    std::span<const std::byte> array(size_t output) const {
      const std::span<const std::byte> arrays[] = {std::as_bytes(std::span(symbols)), std::as_bytes(std::span(lengths)),
                                                   std::as_bytes(std::span(&count, 1))};
      return arrays[output];
    }
    FetchOutputs fetch(size_t output, uint64_t bytes) override {
      return [=, all = array(output)](uint64_t first, uint64_t number) {
        return Result<std::span<const std::byte>>(all.subspan(first * bytes, number * bytes));
      };
    }
    void read_bytes(size_t output, std::span<std::byte> into) override {
      std::memcpy(into.data(), array(output).data(), into.size());
    }

    std::vector<T> symbols;
    std::vector<uint32_t> lengths;
    uint64_t count = 0;
  };
  mutable Written written_;  // which checks read
};

const Rows run_length_encode_rows("run_length_encode", 22, [](const Matrix& matrix, Cases& cases) {
  const auto work_of = [&](Type symbol, const RunData& runs) {
    return run_length_encode_work(*matrix.source, symbol, runs);
  };
  const auto add = [&](const Work& work, const Sizes& sizes, RunLengthEncodeConfig config = {},
                       std::optional<Strategy> forced = {}) {
    // The first output is of symbols or of offsets.
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      RunLengthEncodeArgs args;
      args.input = buffers.inputs[0];
      (config.symbols ? args.symbols : args.offsets) = buffers.outputs[0];
      args.lengths = buffers.outputs[1];
      args.run_count = buffers.outputs[2];
      args.scratch = buffers.scratch;
      args.count = n;
      return args;
    };
    config.symbol = *work.item.type;
    cases.add<RunLengthEncode>(work, {config, arguments}, sizes, forced);
  };
  const RunData eight = RunData::of(8);
  const Sizes some = some_sizes(matrix);
  for (const Type symbol : {Type::u32, Type::u8}) add(work_of(symbol, eight), matrix.sizes);
  if (matrix.essential) return;
  if (matrix.other_strategy) add(work_of(Type::u32, eight), matrix.sizes, {}, matrix.other_strategy);
  for (const RunData& runs : {RunData::of(1), RunData::of(100), RunData::of(10000), RunData::of(*matrix.source)})
    for (const Type symbol : {Type::u32, Type::u8}) add(work_of(symbol, runs), some);
  for (const Type symbol : {Type::u16, Type::u64}) add(work_of(symbol, eight), some);
  for (const Type symbol : {Type::u32, Type::u8})
    add(non_trivial_runs_work(*matrix.source, symbol, 8), some,
        {.symbols = false, .offsets = true, .non_trivial = true});
  cases.add_case<FourKernelsCase>(work_of(Type::u32, eight), some);
  cases.add_case<OneCoreCase<uint32_t>>(work_of(Type::u32, eight), some);
  cases.add_case<OneCoreCase<uint8_t>>(work_of(Type::u8, eight), some);
});

}  // namespace
}  // namespace weft::bench
