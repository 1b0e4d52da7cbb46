// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include <weft/kernels.hpp>
#include <weft/scan_by_key.hpp>

#include "by_key/scan_by_key.h"
#include "primitives/by_key/by_key_tuning.hpp"
#include "primitives/by_key/segments.hpp"
#include "primitives/core/arguments.hpp"
#include "primitives/core/prefix_pass.hpp"

namespace weft::primitives {

/// What ScanByKey and ReduceByKey build and record alike: items with keys beside them, in vectors of 4.
struct KeyedPlan {
  struct Desc {
    const char* name;              // of the primitive, for errors
    const PackedKernels& kernels;  // the family of all but the upsweep
    const char* stem;              // of its kernels
    const ByKeyTuning& tuning;
    SegmentsBy segments;
    Type key;
    Op op;
    Type item, accumulator;
    Strategy strategy;
    bool inclusive;
    bool reduces;          // counts heads
    const KernelSet* own;  // where its kernels are, and op, item and accumulator are not looked at; null: weft's own
  };

  std::shared_ptr<const runtime::ContextState> state;
  PrefixPass pass;
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  uint32_t key_bytes = 0;  // of a key or a flag; bits: 0

  static Result<KeyedPlan> create(const Context& context, const Desc& desc);

  /// Of `count` keys or flags.
  uint64_t keys_bytes(uint64_t count) const { return key_bytes == 0 ? (count + 31) / 32 * 4 : count * key_bytes; }
  uint32_t key_alignment() const { return key_bytes == 0 ? 4 : std::min(key_bytes, 4u); }
  /// Items absent before the first value, so that vectors of values lie on their boundaries.
  uint32_t head_of(VkDeviceAddress values) const {
    if (item_bytes == 12)
      return static_cast<uint32_t>(values / 4 % 4 * 3 % 4);  // 12 * that falls short of 16 as values does
    return head_items(values, std::min(16u, kSegmentVectorItems * item_bytes), item_bytes);
  }

  /// `Push` has the members that both primitives have; those of the pass are set here.
  template <class Push>
  void record(const RecordCall& call, uint64_t maximum, VkDeviceAddress scratch, const Push& push) const {
    const auto set = [](auto& pass_push, const PrefixPass::Chunk& chunk) {
      pass_push.scratch = chunk.scratch;
      pass_push.tile_capacity = chunk.tiles;
      pass_push.tiles_per_workgroup = chunk.tiles_per_workgroup;
    };
    const auto push_of = [&](const PrefixPass::Chunk& chunk) {
      Push pass_push = push;
      set(pass_push, chunk);
      return pass_push;
    };
    const auto upsweep_push_of = [&](const PrefixPass::Chunk& chunk) {
      shader::ScanByKeyPush pass_push{};
      pass_push.keys = push.keys;
      pass_push.items = push.items;
      pass_push.count = push.count;
      pass_push.count_value = push.count_value;
      pass_push.count_words = push.count_words;
      pass_push.head = push.head;
      set(pass_push, chunk);
      return pass_push;
    };
    pass.record(call, maximum, push.head, scratch, push_of, upsweep_push_of);
  }
};

}  // namespace weft::primitives
