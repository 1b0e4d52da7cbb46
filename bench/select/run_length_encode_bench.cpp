// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>
#include <weft/run_length_encode.hpp>
#include <weft/scan.hpp>

#include "support/bench_case.hpp"
#include "support/select_works.hpp"

namespace weft::bench {
namespace {

/// What RunLengthEncode does as one call with offsets and RunLengthEncodeArgs::dispatch, by one call for each.
class RunRangesCase final : public BenchCase {
 public:
  using BenchCase::BenchCase;

  Status prepare(Gpu& gpu) override {
    if (const Status status = assign(copy_, create_copy(gpu)); !status) return status;
    if (const Status status = assign(encode_, RunLengthEncode::create(gpu.context(), {})); !status) return status;
    if (const Status status = assign(scan_, Scan::create(gpu.context(), {})); !status) return status;
    return assign(arguments_, DispatchArguments::create(gpu.context()));
  }
  void release() override {
    copy_.reset();
    encode_.reset();
    scan_.reset();
    arguments_.reset();
  }
  std::string strategy() const override { return name_of(encode_->strategy()); }
  uint64_t scratch_size(uint64_t n) const override {
    return std::max(encode_->scratch_size(n), scan_->scratch_size(n));
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    RunLengthEncodeArgs encode;
    encode.input = buffers.inputs[0];
    encode.symbols = buffers.outputs[0];
    encode.lengths = buffers.outputs[1];
    encode.run_count = buffers.outputs[2];
    encode.scratch = buffers.scratch;
    encode.count = n;
    if (Status status = encode_->record(commands, encode); !status) return status;
    copy_->barrier(commands);
    const Count runs = Count::on_device(buffers.outputs[2], n);
    const ScanArgs scan{buffers.outputs[1], buffers.outputs[3], buffers.scratch, runs, {}};
    if (Status status = scan_->record(commands, scan); !status) return status;
    return arguments_->record(commands, {runs, kDispatchedItems, buffers.outputs[4]});
  }

 private:
  std::optional<Kernel> copy_;  // for its barrier
  std::optional<RunLengthEncode> encode_;
  std::optional<Scan> scan_;
  std::optional<DispatchArguments> arguments_;
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
      if (buffers.outputs.size() > 3) {
        args.offsets = buffers.outputs[3];
        args.dispatch = buffers.outputs[4];
        args.items_per_workgroup = kDispatchedItems;
      }
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
  for (const RunData& runs : chain_runs()) {
    const Work chain = run_ranges_work(*matrix.source, runs);
    Work separate = chain;
    separate.variant += " by separate calls";
    add(chain, matrix.sizes, {.offsets = true});
    cases.add_case<RunRangesCase>(std::move(separate), matrix.sizes);
  }
  for (const Type symbol : {Type::u16, Type::u64}) add(work_of(symbol, eight), some);
  for (const Type symbol : {Type::u32, Type::u8})
    add(non_trivial_runs_work(*matrix.source, symbol, 8), some,
        {.symbols = false, .offsets = true, .non_trivial = true});
});

}  // namespace
}  // namespace weft::bench
