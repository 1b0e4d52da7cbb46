// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>
#include <weft/select.hpp>

#include "support/bench_case.hpp"
#include "support/select_works.hpp"
#include "weft_kernels/below.hpp"

namespace weft::bench {
namespace {

/// The indices of u32 items below a bound, without the items.
Work indices_work(double kept, const BelowBound& below) {
  return kept_work("select_if", kept_name(kept) + " indices", Type::u32, {{Data::stream()}}, {4}, below.share,
                   [=](const Inputs& in, Outputs& out, uint64_t found) {
                     uint64_t count = 0;
                     const Verdict indices = oracle::check_kept<uint32_t>(
                         "index", in.n, [](uint64_t i) { return static_cast<uint32_t>(i); },
                         [&](uint64_t i) { return below(in.as()[i]); }, out.fetch(0), count);
                     return oracle::first_bad(oracle::same_count(count, found), indices);
                   });
}

Work flagged_by_bits_work() {
  constexpr uint32_t kSeed = 1;
  return kept_work("select_flagged", "kept=0.5 bit flags", Type::u32, {{Data::noise(kSeed), 0}, {Data::stream()}}, {4},
                   0.5, [](const Inputs& in, Outputs& out, uint64_t found) {
                     const auto words = in.as(0);
                     return oracle::check_select(
                         in.as(1), [&](uint64_t i) { return (words[i / 32] >> i % 32 & 1) != 0; }, out.fetch(0), found);
                   });
}

/// What Select does as one call with SelectArgs::dispatch: flags, which are the further output, selection, arguments.
std::vector<Cases> select_chain_stages(const Work& work, uint64_t bound) {
  struct Push {
    VkDeviceAddress items, flags;
    uint32_t vector_count, bound;
  };
  const auto flags = [](const Gpu& gpu) { return Kernel::create(gpu, "flags", sizeof(Push)); };
  const auto record = [=](const Kernel& kernel, VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) {
    const uint64_t vectors = (n + 3) / 4;
    kernel.record(commands,
                  Push{kernel.address_of(buffers.inputs[0]), kernel.address_of(buffers.outputs[3]),
                       static_cast<uint32_t>(vectors), static_cast<uint32_t>(bound)},
                  (vectors + 255) / 256);
  };
  const auto select = [](const CaseBuffers& buffers, uint64_t n) {
    SelectArgs args;
    args.input = buffers.outputs[3];
    args.moved = buffers.inputs[0];
    args.moved_output = buffers.outputs[0];
    args.kept = buffers.outputs[1];
    args.scratch = buffers.scratch;
    args.count = n;
    return args;
  };
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> DispatchArgumentsArgs {
    return {Count::on_device(buffers.outputs[1], n), kDispatchedItems, buffers.outputs[2]};
  };
  std::vector<Cases> stages(3);
  stages[0].add_case<KernelCase>(work, Sizes{}, flags, record);
  stages[1].add<Select>(work, {SelectConfig::select_flagged(4, Type::u8), select}, {});
  stages[2].add<DispatchArguments>(work, {{}, arguments}, {});
  return stages;
}

SelectConfig unique_config(const ItemType& item) {
  if (item.bytes <= 8) return SelectConfig::unique(unsigned_type(item.bytes));
  SelectConfig config = SelectConfig::unique(Type::u32);
  config.member = {item.bytes, 0, item.bytes};
  return config;
}

const Rows select_rows("select", 20, [](const Matrix& matrix, Cases& cases) {
  const ItemSource& source = *matrix.source;
  const auto add = [&](const Work& work, const SelectConfig& config, const Sizes& sizes, uint64_t bound = 0,
                       std::optional<Strategy> forced = {}) {
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      SelectArgs args;
      args.input = buffers.inputs[0];
      if (buffers.inputs.size() > 1) args.moved = buffers.inputs[1];
      size_t output = 0;
      if (config.items) args.output = buffers.outputs[output++];
      if (config.moved_bytes != 0) args.moved_output = buffers.outputs[output++];
      if (config.indices) args.indices = buffers.outputs[output++];
      args.kept = buffers.outputs[output++];
      if (output < buffers.outputs.size()) args.dispatch = buffers.outputs[output];
      args.items_per_workgroup = kDispatchedItems;
      args.scratch = buffers.scratch;
      args.count = n;
      args.a.bits = bound;
      return args;
    };
    cases.add<Select>(work, {config, arguments}, sizes, forced);
  };
  const auto add_if = [&](const ItemType& item, double kept, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    const BelowBound below(source, item, kept);
    SelectConfig config = SelectConfig::select_if(unsigned_type(below.tested_bytes),
                                                  below.is_all ? Criterion::less_equal : Criterion::less);
    if (item.bytes > 8) config.member.stride = item.bytes;
    add(select_if_work(item, kept, below), config, sizes, below.value, forced);
  };
  const auto add_unique = [&](const ItemType& item, const RunData& runs, const Sizes& sizes) {
    add(unique_work(source, item, runs), unique_config(item), sizes);
  };
  const auto add_unique_by_key = [&](const RunData& runs, const Sizes& sizes) {
    add(unique_by_key_work(source, runs), SelectConfig::unique_by_key(Type::u32, 4), sizes);
  };
  const auto add_flagged = [&](const ItemType& item, const Sizes& sizes) {
    add(select_flagged_work(item, 0.5), SelectConfig::select_flagged(item.bytes, Type::u8), sizes);
  };
  const Sizes &sizes = matrix.sizes, some = some_sizes(matrix);
  add_if(Type::u32, 0.5, sizes);
  if (matrix.other_strategy) add_if(Type::u32, 0.5, sizes, matrix.other_strategy);
  add_unique(Type::u32, RunData::of(8), sizes);
  if (matrix.essential) return;

  for (const double kept : {0.0, 0.1, 0.9, 1.0}) add_if(Type::u32, kept, some);
  for (const ItemType& item : other_items()) add_if(item, 0.5, some);
  const BelowBound below(source, Type::u32, 0.5);
  SelectConfig config = SelectConfig::select_if(Type::u32, Criterion::less);
  const Work chain = select_chain_work(0.5, below);
  add(chain, config, sizes, below.value);
  cases.add_case<SeparateCalls>(chain, sizes, select_chain_stages(chain, below.value),
                                [](uint64_t n) { return (n + 3) / 4 * 4; });
  // By a snippet, to be as fast as the built-in criterion.
  Work own = select_if_work(Type::u32, 0.5, below);
  own.variant = "own " + own.variant;
  config.own_kernels = own::below();
  add(own, config, sizes, below.value);
  config = SelectConfig::select_if(Type::u32, Criterion::less);
  config.items = false;
  config.indices = true;
  add(indices_work(0.5, below), config, some, below.value);
  add_flagged(Type::u32, sizes);
  for (const ItemType& item : other_items()) add_flagged(item, some);
  add(flagged_by_bits_work(), SelectConfig::select_flagged(4), some);
  for (const uint32_t mean : {1u, 100u, 10000u}) add_unique(Type::u32, RunData::of(mean), some);
  for (const ItemType& item : other_items()) add_unique(item, RunData::of(8), some);
  add_unique_by_key(RunData::of(8), sizes);
  if (!source.is_file()) return;
  for (const Type item : {Type::u32, Type::u8}) add_unique(item, RunData::of(source), some);
  add_unique_by_key(RunData::of(source), some);
});

}  // namespace
}  // namespace weft::bench
