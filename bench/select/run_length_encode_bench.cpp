// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>
#include <weft/run_length_encode.hpp>
#include <weft/scan.hpp>

#include "support/bench_case.hpp"
#include "support/select_works.hpp"

namespace weft::bench {
namespace {

RunLengthEncodeArgs encode_args(const CaseBuffers& buffers, uint64_t n) {
  RunLengthEncodeArgs args;
  args.input = buffers.inputs[0];
  args.symbols = buffers.outputs[0];
  args.lengths = buffers.outputs[1];
  args.run_count = buffers.outputs[2];
  args.scratch = buffers.scratch;
  args.count = n;
  return args;
}

/// What RunLengthEncode does as one call with offsets and RunLengthEncodeArgs::dispatch.
std::vector<Cases> run_ranges_stages(const Work& work) {
  const auto scan = [](const CaseBuffers& buffers, uint64_t n) -> ScanArgs {
    return {buffers.outputs[1], buffers.outputs[3], buffers.scratch, Count::on_device(buffers.outputs[2], n), {}};
  };
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> DispatchArgumentsArgs {
    return {Count::on_device(buffers.outputs[2], n), kDispatchedItems, buffers.outputs[4]};
  };
  std::vector<Cases> stages(2);
  stages[0].add<RunLengthEncode>(work, {{}, encode_args}, {});
  stages[1].add<Scan>(work, {{}, scan}, {});
  stages[1].add<DispatchArguments>(work, {{}, arguments}, {});
  return stages;
}

const Rows run_length_encode_rows("run_length_encode", 22, [](const Matrix& matrix, Cases& cases) {
  const auto work_of = [&](Type symbol, const RunData& runs) {
    return run_length_encode_work(*matrix.source, symbol, runs);
  };
  const auto add = [&](const Work& work, const Sizes& sizes, RunLengthEncodeConfig config = {},
                       std::optional<Strategy> forced = {}) {
    // The first output is of symbols or of offsets.
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      RunLengthEncodeArgs args = encode_args(buffers, n);
      if (!config.symbols) std::swap(args.symbols, args.offsets);
      if (buffers.outputs.size() > 3) {
        args.offsets = buffers.outputs[3];
        args.dispatch = buffers.outputs[4];
        args.items_per_workgroup = kDispatchedItems;
      }
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
    add(chain, matrix.sizes, {.offsets = true});
    cases.add_case<SeparateCalls>(chain, matrix.sizes, run_ranges_stages(chain));
  }
  for (const Type symbol : {Type::u16, Type::u64}) add(work_of(symbol, eight), some);
  for (const Type symbol : {Type::u32, Type::u8})
    add(non_trivial_runs_work(*matrix.source, symbol, 8), some,
        {.symbols = false, .offsets = true, .non_trivial = true});
});

}  // namespace
}  // namespace weft::bench
