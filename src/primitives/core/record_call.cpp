// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/core/record_call.hpp"

#include <algorithm>

namespace weft::primitives {

RecordCall& RecordCall::add(const char* name, const BufferRange& range, uint64_t bytes, uint64_t alignment,
                            bool written, uint64_t& address) {
  if (!status_ || (bytes == 0 && range.size != VK_WHOLE_SIZE)) return *this;
  const Result<LocatedRange> located = locate(state_, primitive_, name, range, bytes, alignment);
  if (!located) {
    status_ = located.error();
    return *this;
  }
  entries_.at(size_++) = {*located, written};
  address = located->address;
  return *this;
}

RecordCall& RecordCall::count(const char* name, const Count& count, uint64_t& address, uint64_t& value,
                              uint32_t& words) {
  value = count.maximum();
  if (!count.is_on_device()) return *this;
  const uint64_t bytes = count.range().size;
  if (bytes != 4 && bytes != 8) return refuse(name, "on the device is a u32 or a u64, so its range has 4 or 8 bytes");
  words = static_cast<uint32_t>(bytes / 4);
  return add(name, count.range(), bytes, 4, false, address);
}

RecordCall& RecordCall::counts(const char* name, const BufferRange& range, uint32_t number, uint64_t& address) {
  if (range.is_given() && range.size != uint64_t{4} * number && range.size != uint64_t{8} * number)
    return refuse(name, "takes " + std::to_string(number) + " u32 or u64, so its range has " +
                            std::to_string(4 * number) + " or " + std::to_string(8 * number) + " bytes");
  return add(name, range, range.is_given() ? range.size : 4, 4, true, address);
}

RecordCall& RecordCall::dispatch_arguments(const char* name, const BufferRange& range, uint64_t maximum,
                                           uint32_t items_per_workgroup, uint64_t& address, uint64_t& groups) {
  if (!range.is_given() && range.size == 0) return *this;
  constexpr uint64_t kMinMaxRows = 65535;  // what every device has of maxComputeWorkGroupCount[1]
  const uint64_t max_x = state_.traits().max_workgroup_count_x;
  const uint64_t most_groups = std::min<uint64_t>(max_x * kMinMaxRows, ~uint32_t{0});
  if (items_per_workgroup == 0) return refuse("items_per_workgroup", "is 0");
  if (divided_up(maximum, items_per_workgroup) > most_groups)
    return refuse("count", "makes more workgroups than can be dispatched: " + std::to_string(maximum));
  groups = max_x << 32 | items_per_workgroup;
  return write(name, range, sizeof(VkDispatchIndirectCommand), 4, address);
}

RecordCall& RecordCall::refuse(const char* argument, const std::string& what) {
  if (status_) status_ = argument_error(primitive_, argument, what);
  return *this;
}

void RecordCall::barrier() const {
  const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  state_.vk().vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                   VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

bool RecordCall::accepted() {
  for (size_t i = 0; status_ && i < size_; ++i)
    for (size_t j = 0; status_ && j < i; ++j) {
      const Entry& a = entries_[i];
      const Entry& b = entries_[j];
      if ((!a.written && !b.written) || !overlap(a.range, b.range)) continue;
      const bool in_place = a.may_be_previous && j + 1 == i;
      if (!in_place)
        refuse(a.range.name, std::string("overlaps ") + b.range.name);
      else if (a.range.address != b.range.address || a.range.bytes != b.range.bytes)
        refuse(a.range.name, std::string("overlaps ") + b.range.name + " without being the same bytes");
    }
  return status_.ok();
}

}  // namespace weft::primitives
