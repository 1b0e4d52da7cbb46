// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/interval/expansion.hpp"

#include <bit>

#include "interval/interval_expand.h"

namespace weft::primitives {

Result<Expansion> Expansion::create(const Context& context, const Desc& desc) {
  const IntervalExpandConfig& config = desc.config;
  Result<IntervalPlan> intervals =
      IntervalPlan::create(context, {.name = desc.name,
                                     .builder = PipelineBuilder(*context.state(), desc.kernels, 0),
                                     .kernel = desc.kernel,
                                     .tuning = decode_tuning,
                                     .item_bytes = config.value_bytes,
                                     .count = config.count,
                                     .by = config.by,
                                     .counts_name = desc.counts_name});
  if (!intervals) return intervals.error();
  return Expansion{desc.values_name, config.value_bytes, std::move(*intervals)};
}

Status Expansion::record(VkCommandBuffer commands, const IntervalExpandArgs& args) const {
  const uint64_t alignment = alignment_of(value_bytes);
  const uint64_t maximum = args.count.maximum();
  const IntervalPlan& intervals = plan.of_call(maximum, args.max_output);

  shader::RunLengthDecodePush push{};
  RecordCall call(*intervals.state, intervals.name, commands);
  intervals.check_sizes(call, maximum, args.max_output);
  call.read(values_name, args.values, maximum * value_bytes, alignment, push.symbols);
  intervals.read_counts(call, args.counts, maximum, push.counts);
  call.write("output", args.output, args.max_output * value_bytes, alignment, push.outputs);
  intervals.add_rest(call, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (!call.accepted()) return call.status();
  // Values of 8 and 16 bytes that lie across boundaries of their size are stored by words, and structs always.
  if (value_bytes <= 16 && std::has_single_bit(value_bytes) && push.outputs % value_bytes == 0)
    push.head = head_items(push.outputs, 16, value_bytes);
  intervals.record(call, push);
  return {};
}

}  // namespace weft::primitives
