// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/interval/expansion.hpp"

#include <algorithm>
#include <bit>

#include "interval/interval_expand.h"

namespace weft::primitives {

Status Expansion::record(VkCommandBuffer commands, const IntervalExpandArgs& args) const {
  const uint64_t alignment = std::min(value_bytes, 4u);
  const uint64_t maximum = args.count.maximum();
  const IntervalPlan& intervals = plan.of_call(maximum, args.max_output);

  if (commands == VK_NULL_HANDLE) return argument_error(intervals.name, "commands", "is null");
  if (Status status = intervals.check_sizes(maximum, args.max_output); !status) return status;
  shader::RunLengthDecodePush push{};
  RangeChecks ranges(*intervals.state, intervals.name);
  if (maximum != 0) push.symbols = ranges.read(values_name, args.values, maximum * value_bytes, alignment);
  push.counts = intervals.locate_counts(ranges, args.counts, maximum);
  if (args.max_output != 0)
    push.outputs = ranges.write("output", args.output, args.max_output * value_bytes, alignment);
  intervals.locate_rest(ranges, push, {args.total, args.status, args.scratch}, args.count, args.max_output);
  if (Status status = ranges.finish(); !status) return status;
  // Values of 8 and 16 bytes that lie across boundaries of their size are stored by words, and structs always.
  if (value_bytes <= 16 && std::has_single_bit(value_bytes) && push.outputs % value_bytes == 0)
    push.head = head_items(push.outputs, 16, value_bytes);
  intervals.record(commands, push);
  return {};
}

}  // namespace weft::primitives
