// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <weft/gpu.hpp>

namespace weft::bench {

/// What a kernel is made for that includes weft/subgroup.glsl.
struct KernelShape {
  uint32_t workgroup = 0;           ///< invocations: a multiple of the Context's subgroup size
  std::vector<uint32_t> constants;  ///< specialization constants from 2 on
};

/// A pipeline of the bench's own, of a kernel of kernels.cmake, by a few Vulkan calls on the Gpu's
/// device. Goes before the Gpu does.
class Kernel {
 public:
  /// `name`: the shader's file without its ending. It pushes `push_bytes`. `shape`: of a kernel that includes
  /// weft/subgroup.glsl, on the Context's subgroups.
  static Result<Kernel> create(const Gpu& gpu, std::string_view name, uint32_t push_bytes,
                               const std::optional<KernelShape>& shape = {});
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;
  ~Kernel();

  VkDeviceAddress address_of(const BufferRange& range) const;
  /// Dispatches at least `workgroups` workgroups, in two dimensions, and at least one.
  template <class Push>
  void record(VkCommandBuffer commands, const Push& push, uint64_t workgroups) const {
    record(commands, &push, sizeof push, workgroups);
  }
  /// Makes what was written by kernels before visible to those after.
  void barrier(VkCommandBuffer commands) const;

 private:
  struct State;
  explicit Kernel(std::unique_ptr<State> state);
  void record(VkCommandBuffer commands, const void* push, uint32_t push_bytes, uint64_t workgroups) const;
  std::unique_ptr<State> state_;
};

/// shaders/copy.comp.
Result<Kernel> create_copy(const Gpu& gpu);
/// Copies `bytes`, rounded up to 16, from the start of one range to that of the other. Both start at multiples of 16.
/// 0 bytes: one workgroup that does nothing.
void record_copy(const Kernel& copy, VkCommandBuffer commands, const BufferRange& from, const BufferRange& to,
                 uint64_t bytes);

}  // namespace weft::bench
