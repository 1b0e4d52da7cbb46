// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include <weft/gpu.hpp>

namespace weft::bench {

/// The bench's own pipeline, shaders/copy.comp, by a few Vulkan calls on the Gpu's device. Goes before the Gpu does.
class CopyKernel {
 public:
  static Result<CopyKernel> create(const Gpu& gpu);
  CopyKernel(CopyKernel&&) noexcept;
  CopyKernel& operator=(CopyKernel&&) noexcept;
  ~CopyKernel();

  /// Copies `bytes`, rounded up to 16, from the start of one range to that of the other. Both start at multiples of 16.
  /// 0 bytes: one workgroup that does nothing.
  void record(VkCommandBuffer commands, const BufferRange& from, const BufferRange& to, uint64_t bytes) const;

 private:
  struct State;
  explicit CopyKernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weft::bench
