// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the decoders share: a table, of tiles, pages or frames, each decoded by a group of lanes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <weft/types.hpp>

#include "decode/decode_table.h"
#include "primitives/core/record_call.hpp"

namespace weft::decode {

constexpr uint32_t kLanes = 32;  // of a group, which decodes an entry
constexpr uint64_t kMaxEntries = uint64_t{1} << 24;

/// A workgroup of one subgroup, which has a group or, if it is wide, several. Emulated subgroups have one: groups
/// diverge and meet at no barrier.
inline uint32_t smallest_workgroup(const runtime::ContextState& state) {
  return std::max(kLanes, state.subgroup_size_in(kLanes));
}

/// Its compiler takes only reductions as uniform (shaders/weft/lanes.glsl).
inline bool is_nvidia(const runtime::ContextState& state) { return state.traits().vendor_id == runtime::kVendorNvidia; }

struct Table {
  const char* name;
  BufferRange range;
  uint64_t entry_bytes;
  const char* count_name;
  Count count;
};

/// Declares all arguments. If there are entries, source, output and status are required, even of 0 bytes.
template <class Args, class Push>
void declare(primitives::RecordCall& call, const Table& table, const Args& args, uint64_t scratch_bytes, Push& push) {
  const uint64_t entries = table.count.maximum();
  const bool any = entries != 0;
  if (entries > kMaxEntries) call.refuse(table.count_name, "is more than 2^24: " + std::to_string(entries));
  call.read(table.name, table.range, entries * table.entry_bytes, 8, push.entries)
      .refuse_if(any && !args.source.is_given(), "source", "has no buffer")
      .read("source", args.source, any ? args.source.size : 0, 4, push.source)
      .refuse_if(any && !args.output.is_given(), "output", "has no buffer")
      .write("output", args.output, any ? args.output.size : 0, 1, push.outputs)
      .write("status", args.status, any ? 4 * (1 + entries) : 0, 4, push.status)
      .scratch(args.scratch, scratch_bytes, push.scratch)
      .count(table.count_name, table.count, push.count, push.maximum, push.count_words);
  push.source_bytes = args.source.size;
  push.output_bytes = args.output.size;
}

/// Calls record() for each batch of up to `in_flight` entries. Batches are of about one size: a small one would leave
/// the device idle.
template <class Record>
void record_batches(const primitives::RecordCall& call, uint64_t entries, uint32_t in_flight, shader::DecodePush& push,
                    const Record& record) {
  const uint64_t batches = (entries + in_flight - 1) / in_flight;
  for (uint64_t batch = 0, first = 0; batch < batches; ++batch, first += push.slots) {
    if (first != 0) call.barrier();
    push.first = static_cast<uint32_t>(first);
    push.slots = static_cast<uint32_t>((entries - first + batches - batch - 1) / (batches - batch));
    record();
  }
}

/// Workgroups with a group for each slot.
inline uint64_t workgroups_for(uint32_t slots, uint32_t workgroup) {
  return (uint64_t{slots} * kLanes + workgroup - 1) / workgroup;
}

}  // namespace weft::decode
