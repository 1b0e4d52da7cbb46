// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/recorded_commands.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "support/device.hpp"

namespace weft::test {

namespace {

struct Notes {
  std::mutex mutex;
  std::string commands;
};

Notes& notes() {
  static Notes recorded;
  return recorded;
}

void note(char command) {
  const std::scoped_lock lock(notes().mutex);
  notes().commands += command;
}

PFN_vkGetDeviceProcAddr& next_device_proc_addr() {
  static PFN_vkGetDeviceProcAddr next = nullptr;
  return next;
}

/// A command that is noted by a letter whatever its arguments are.
template <class Function, char kLetter, int kWhich>
struct Noted;

template <char kLetter, int kWhich, class... Arguments>
struct Noted<void(VKAPI_PTR*)(VkCommandBuffer, Arguments...), kLetter, kWhich> {
  using Function = void(VKAPI_PTR*)(VkCommandBuffer, Arguments...);

  static PFN_vkVoidFunction in_front_of(PFN_vkVoidFunction function) {
    next() = reinterpret_cast<Function>(function);
    return reinterpret_cast<PFN_vkVoidFunction>(&call);
  }

 private:
  static Function& next() {
    static Function function = nullptr;
    return function;
  }
  static void VKAPI_PTR call(VkCommandBuffer commands, Arguments... arguments) {
    note(kLetter);
    next()(commands, arguments...);
  }
};

PFN_vkCmdPipelineBarrier& next_barrier() {
  static PFN_vkCmdPipelineBarrier function = nullptr;
  return function;
}

VKAPI_ATTR void VKAPI_CALL noted_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                         VkDependencyFlags flags, uint32_t memory_count, const VkMemoryBarrier* memory,
                                         uint32_t buffer_count, const VkBufferMemoryBarrier* buffers,
                                         uint32_t image_count, const VkImageMemoryBarrier* images) {
  constexpr VkAccessFlags kBoth = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  const auto is_between = [&](VkPipelineStageFlags before, VkAccessFlags written, VkPipelineStageFlags behind,
                              VkAccessFlags seen) {
    const auto covers = [&](const VkMemoryBarrier& one) {
      return (one.srcAccessMask & written) != 0 && (one.dstAccessMask & seen) == seen;
    };
    return (from & before) != 0 && (to & behind) != 0 && std::any_of(memory, memory + memory_count, covers);
  };
  constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                 kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags kShaderWrite = VK_ACCESS_SHADER_WRITE_BIT, kTransferWrite = VK_ACCESS_TRANSFER_WRITE_BIT;
  note(is_between(kCompute, kShaderWrite, kCompute, kBoth)                          ? 'b'
       : is_between(kCompute, kShaderWrite, kTransfer, kTransferWrite)              ? 't'
       : is_between(kTransfer, kTransferWrite, kCompute, VK_ACCESS_SHADER_READ_BIT) ? 'v'
                                                                                    : '.');
  next_barrier()(commands, from, to, flags, memory_count, memory, buffer_count, buffers, image_count, images);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc_addr(VkDevice device, const char* name) {
  const PFN_vkVoidFunction function = next_device_proc_addr()(device, name);
  if (function == nullptr) return nullptr;
  const auto is = [name](const char* command) { return std::strcmp(name, command) == 0; };
  if (is("vkCmdDispatch")) return Noted<PFN_vkCmdDispatch, 'd', 0>::in_front_of(function);
  if (is("vkCmdDispatchIndirect")) return Noted<PFN_vkCmdDispatchIndirect, 'd', 1>::in_front_of(function);
  if (is("vkCmdBindPipeline")) return Noted<PFN_vkCmdBindPipeline, '.', 0>::in_front_of(function);
  if (is("vkCmdPushConstants")) return Noted<PFN_vkCmdPushConstants, '.', 1>::in_front_of(function);
  if (is("vkCmdPipelineBarrier2")) return Noted<PFN_vkCmdPipelineBarrier2, '.', 2>::in_front_of(function);
  if (is("vkCmdFillBuffer")) return Noted<PFN_vkCmdFillBuffer, '.', 3>::in_front_of(function);
  if (is("vkCmdUpdateBuffer")) return Noted<PFN_vkCmdUpdateBuffer, 'u', 0>::in_front_of(function);
  if (is("vkCmdCopyBuffer")) return Noted<PFN_vkCmdCopyBuffer, '.', 4>::in_front_of(function);
  if (is("vkCmdPipelineBarrier")) {
    next_barrier() = reinterpret_cast<PFN_vkCmdPipelineBarrier>(function);
    return reinterpret_cast<PFN_vkVoidFunction>(&noted_barrier);
  }
  return function;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc_addr(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction function = loader_entry_point()(instance, name);
  if (function != nullptr && std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
    next_device_proc_addr() = reinterpret_cast<PFN_vkGetDeviceProcAddr>(function);
    return reinterpret_cast<PFN_vkVoidFunction>(&device_proc_addr);
  }
  if (function != nullptr && std::strcmp(name, "vkGetInstanceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(&instance_proc_addr);
  return function;
}

}  // namespace

PFN_vkGetInstanceProcAddr recording_entry_point() { return &instance_proc_addr; }

std::string take_recorded() {
  const std::scoped_lock lock(notes().mutex);
  return std::exchange(notes().commands, {});
}

int64_t missing_barriers(std::string_view recorded) {
  int64_t missing = 0;
  bool unseen_writes = false, unseen_update = false, may_update = false;
  for (const char command : recorded) {
    if (command == 'd' && (unseen_writes || unseen_update)) ++missing;
    if (command == 'u' && !may_update) ++missing;
    if (command == 'd') unseen_writes = true;
    if (command == 'b') unseen_writes = false;
    if (command == 'u') unseen_update = true;
    if (command == 'v') unseen_update = false;
    if (command == 'd' || command == 't') may_update = command == 't';
  }
  return missing;
}

bool lacks_barrier(std::string_view recorded) { return missing_barriers(recorded) != 0; }

}  // namespace weft::test
