// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <weft/gpu.hpp>

namespace weft::test {

/// A pipeline of a kernel of tests/kernels.cmake, which weft itself does not know. Must not outlive the Gpu.
class Kernel {
 public:
  /// `name` is the full name, with the backend's suffix. Specialization constants: id 0 `workgroup_size`, id 1
  /// `subgroup_size`, id 2 + i constants[i]. `set_layout`: of descriptor set 0, where the kernel has one. A failure
  /// fails the running test and ends it.
  Kernel(const Gpu& gpu, std::string_view name, uint32_t workgroup_size, uint32_t subgroup_size,
         std::span<const uint32_t> constants, VkDescriptorSetLayout set_layout = VK_NULL_HANDLE);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  VkPipelineLayout layout() const noexcept { return layout_; }

  /// Binds the pipeline, pushes `push` and dispatches `workgroups`.
  template <class Push>
  void record(VkCommandBuffer commands, const Push& push, uint32_t workgroups) const {
    record(commands, &push, sizeof(Push), workgroups);
  }

 private:
  void record(VkCommandBuffer commands, const void* push, uint32_t push_size, uint32_t workgroups) const;

  const Gpu& gpu_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace weft::test
