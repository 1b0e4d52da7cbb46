// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <weft/export.h>
#include <weft/types.hpp>

#include "primitives/core/arguments.hpp"

namespace weft::primitives {

/// One call of record(): each argument is declared once, with the field of the push constants that takes it, then
/// dispatches are recorded. The first argument that is refused is the call's status; nothing may be recorded then.
///
///     RecordCall call(state, kName, commands);
///     call.read("items", args.items, items * 4, 4, push.items);
///     ...
///     if (!call.accepted()) return call.status();
///     call.dispatch(pipeline, push, workgroups);
///
/// No range that is written may overlap another range of the call.
class RecordCall {
 public:
  RecordCall(const runtime::ContextState& state, const char* primitive, VkCommandBuffer commands)
      : state_(state), primitive_(primitive), commands_(commands) {
    if (commands == VK_NULL_HANDLE) refuse("commands", "is null");
  }

  /// `bytes` of a range, which begins at a multiple of `alignment`. Of a range of which no byte is used, only the size
  /// VK_WHOLE_SIZE is refused.
  RecordCall& read(const char* name, const BufferRange& range, uint64_t bytes, uint64_t alignment, uint64_t& address) {
    return add(name, range, bytes, alignment, false, address);
  }
  RecordCall& write(const char* name, const BufferRange& range, uint64_t bytes, uint64_t alignment, uint64_t& address) {
    return add(name, range, bytes, alignment, true, address);
  }
  /// Likewise; the range may be the very bytes of the one declared before it, but not otherwise overlap it.
  RecordCall& write_over(const char* name, const BufferRange& range, uint64_t bytes, uint64_t alignment,
                         uint64_t& address) {
    const size_t size = size_;
    add(name, range, bytes, alignment, true, address);
    if (size_ != size) entries_[size].may_be_previous = true;
    return *this;
  }
  RecordCall& scratch(const BufferRange& range, uint64_t bytes, uint64_t& address) {
    return add("scratch", range, bytes, 16, true, address);
  }
  /// A count's three fields: where it is on the device, its value or upper bound, and words on the device. The address
  /// of a value is 0.
  WEFT_API RecordCall& count(const char* name, const Count& count, uint64_t& address, uint64_t& value, uint32_t& words);
  /// The same where a value of 2^32 or more is refused.
  RecordCall& count(const char* name, const Count& count, uint64_t& address, uint32_t& value, uint32_t& words) {
    uint64_t wide = 0;
    this->count(name, count, address, wide, words);
    value = static_cast<uint32_t>(wide);
    return *this;
  }
  /// `number` counts to be written, u32 or u64 by the range's size.
  RecordCall& counts(const char* name, const BufferRange& range, uint32_t number, uint64_t& address);

  /// The arguments of an indirect dispatch for a count of at most `maximum`, if the range is given: their address, and
  /// what core/dispatch_arguments.glsl takes beside the count.
  RecordCall& dispatch_arguments(const char* name, const BufferRange& range, uint64_t maximum,
                                 uint32_t items_per_workgroup, uint64_t& address, uint64_t& groups);

  /// Refuses an argument where no other has been refused before.
  WEFT_API RecordCall& refuse(const char* argument, const std::string& what);
  RecordCall& refuse_if(bool wrong, const char* argument, const char* what) {
    return wrong ? refuse(argument, what) : *this;
  }
  RecordCall& require(const Status& status) {
    if (status_ && !status) status_ = status;
    return *this;
  }

  /// Looks for overlaps; to be called once, after all arguments.
  WEFT_API bool accepted();
  const Status& status() const noexcept { return status_; }

  /// In one dimension, or two where one has not room for so many workgroups.
  template <class Push>
  void dispatch(const runtime::Pipeline& pipeline, const Push& push, uint64_t workgroups) const {
    dispatch(pipeline, push, dispatch_size(workgroups, state_.traits().max_workgroup_count_x));
  }
  template <class Push>
  void dispatch(const runtime::Pipeline& pipeline, const Push& push, DispatchSize size) const {
    static_assert(sizeof(Push) <= 128);
    state_.begin_label(commands_, primitive_, pipeline.kernel());
    state_.vk().vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    state_.vk().vkCmdPushConstants(commands_, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Push), &push);
    state_.vk().vkCmdDispatch(commands_, size.x, size.y, 1);
    state_.end_label(commands_);
  }
  /// Makes what was written by dispatches visible to the next.
  WEFT_API void barrier() const;

 private:
  struct Entry {
    LocatedRange range;
    bool written;
    bool may_be_previous = false;
  };
  WEFT_API RecordCall& add(const char* name, const BufferRange& range, uint64_t bytes, uint64_t alignment, bool written,
                           uint64_t& address);

  const runtime::ContextState& state_;
  const char* primitive_;
  VkCommandBuffer commands_;
  std::array<Entry, 16> entries_{};
  size_t size_ = 0;
  Status status_;
};

}  // namespace weft::primitives
