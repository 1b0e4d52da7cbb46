// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/context_state.hpp"

namespace weft::primitives {

/// `bytes`, rounded up to whole vectors of 16: what lies behind is aligned to as much.
constexpr uint64_t in_vectors(uint64_t bytes) { return (bytes + 15) / 16 * 16; }

/// A range of an args struct, located: what the checks and the kernels work with.
struct LocatedRange {
  const char* name = "";
  VkDeviceAddress address = 0;
  uint64_t bytes = 0;  ///< in use, not as declared
};

/// Refuses ranges that are null, of VK_WHOLE_SIZE, past their buffer's end, smaller than `bytes` or not aligned to
/// `alignment`: every range of every primitive comes through here. Errors carry `primitive` and `name`.
Result<LocatedRange> locate(const runtime::ContextState& state, const char* primitive, const char* name,
                            const BufferRange& range, uint64_t bytes, uint64_t alignment);

/// The count's address; 0 where it is a value. Refuses ranges that hold neither a u32 nor a u64.
Result<VkDeviceAddress> locate_count(const runtime::ContextState& state, const char* primitive, const Count& count,
                                     const char* name = "count");

bool overlap(const LocatedRange& a, const LocatedRange& b);

/// Locates the ranges of one call one after the other; the first that is refused is what finish() reports. No range that is
/// written may overlap another one.
class RangeChecks {
 public:
  RangeChecks(const runtime::ContextState& state, const char* primitive) : state_(state), primitive_(primitive) {}

  /// Each gives the range's address; 0 where it is refused.
  VkDeviceAddress read(const char* name, const BufferRange& range, uint64_t bytes, uint64_t alignment) {
    return add(name, range, bytes, alignment, false);
  }
  VkDeviceAddress write(const char* name, const BufferRange& range, uint64_t bytes, uint64_t alignment) {
    return add(name, range, bytes, alignment, true);
  }
  VkDeviceAddress scratch(const BufferRange& range, uint64_t bytes) { return add("scratch", range, bytes, 16, true); }
  /// 0 for a count that is a value.
  VkDeviceAddress count(const Count& count, const char* name = "count");
  /// `number` counts to be written, u32 or u64 by the range's size.
  VkDeviceAddress counts(const char* name, const BufferRange& range, uint32_t number);

  Status finish();

 private:
  struct Entry {
    LocatedRange range;
    bool written;
  };
  VkDeviceAddress add(const char* name, const BufferRange& range, uint64_t bytes, uint64_t alignment, bool written);

  const runtime::ContextState& state_;
  const char* primitive_;
  std::array<Entry, 16> entries_{};
  size_t size_ = 0;
  Status status_;
};

Error argument_error(const char* primitive, const char* argument, const std::string& what);

/// Refuses a set that is made for another primitive, named as in KernelSet::primitive(), or does not say what it works on.
Status check_own_kernels(const char* primitive, const KernelSet& own, std::string_view wanted);

/// Items of a vector, as in shaders/weft/item.glsl: as many as fill 16 bytes with the wider of item and output, or 1.
uint32_t own_vector_items(uint32_t item_bytes, uint32_t output_bytes);

/// Refuses operators that do not go with the item, and accumulators that are neither it nor a wider one.
Status check_operator(const char* primitive, Op op, Type item, Type accumulator);

/// The bits of the operator's identity as a stored accumulator.
uint64_t identity_bits(Op op, Type accumulator);

/// Bytes one accumulator takes in partials and posts, where narrow ones are widened.
uint32_t register_bytes(Type accumulator);

/// x · y ≥ groups, x within the device's limit.
struct DispatchSize {
  uint32_t x, y;
};
DispatchSize dispatch_size(uint64_t groups, uint32_t max_x);

/// Items absent in front of a range, so that vectors of `vector_bytes` lie on their boundaries.
uint32_t head_items(VkDeviceAddress address, uint32_t vector_bytes, uint32_t item_bytes);

/// Records one dispatch.
template <class Push>
void dispatch(const runtime::ContextState& state, VkCommandBuffer commands, const runtime::Pipeline& pipeline,
              const Push& push, DispatchSize size) {
  static_assert(sizeof(Push) <= 128);
  state.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
  state.vk().vkCmdPushConstants(commands, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Push), &push);
  state.vk().vkCmdDispatch(commands, size.x, size.y, 1);
}

/// Makes one dispatch's writes visible to the next.
void barrier_between(const runtime::ContextState& state, VkCommandBuffer commands);

}  // namespace weft::primitives
