// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/context_state.hpp"

namespace weft::primitives {

/// `bytes`, rounded up to whole vectors of 16: what follows is aligned to as much.
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

bool overlap(const LocatedRange& a, const LocatedRange& b);

Error argument_error(const char* primitive, const char* argument, const std::string& what);

/// Refuses a set that is made for another primitive, named as in KernelSet::primitive(), or
/// does not say what it works on.
Status check_own_kernels(const char* primitive, const KernelSet& own, std::string_view wanted);

/// Items of a vector, as in shaders/weft/item.glsl: as many as fill 16 bytes with the wider of item and output, or 1.
uint32_t own_vector_items(uint32_t item_bytes, uint32_t output_bytes);

/// Refuses operators that do not go with the item, and accumulators that are neither it nor a wider one.
Status check_operator(const char* primitive, Op op, Type item, Type accumulator);

/// The bits of the operator's identity as a stored accumulator.
uint64_t identity_bits(Op op, Type accumulator);

/// Bytes one accumulator takes in partials and tile states, where narrow ones are widened.
uint32_t register_bytes(Type accumulator);

/// x · y ≥ groups, x within the device's limit.
struct DispatchSize {
  uint32_t x, y;
};
DispatchSize dispatch_size(uint64_t groups, uint32_t max_x);

/// Items absent before a range, so that vectors of `vector_bytes` lie on their boundaries.
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
