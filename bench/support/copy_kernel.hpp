// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <utility>

#include "support/kernel.hpp"

namespace weft::bench {

/// shaders/copy.comp.
class CopyKernel {
 public:
  static Result<CopyKernel> create(const Gpu& gpu);

  /// Copies `bytes`, rounded up to 16, from the start of one range to that of the other. Both start at multiples of 16.
  /// 0 bytes: one workgroup that does nothing.
  void record(VkCommandBuffer commands, const BufferRange& from, const BufferRange& to, uint64_t bytes) const;

 private:
  explicit CopyKernel(Kernel kernel) : kernel_(std::move(kernel)) {}
  Kernel kernel_;
};

}  // namespace weft::bench
