// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/copy_kernel.hpp"

namespace weft::bench {
namespace {

constexpr uint64_t kWorkgroupVectors = 256 * 4;

struct CopyPush {
  VkDeviceAddress source;
  VkDeviceAddress destination;
  uint32_t vector_count;
  uint32_t padding;
};

}  // namespace

Result<CopyKernel> CopyKernel::create(const Gpu& gpu) {
  auto kernel = Kernel::create(gpu, "copy", sizeof(CopyPush));
  if (!kernel) return kernel.error();
  return CopyKernel(std::move(kernel).value());
}

void CopyKernel::record(VkCommandBuffer commands, const BufferRange& from, const BufferRange& to,
                        uint64_t bytes) const {
  const auto vectors = static_cast<uint32_t>((bytes + 15) / 16);
  const CopyPush push{kernel_.address_of(from), kernel_.address_of(to), vectors, 0};
  kernel_.record(commands, push, (vectors + kWorkgroupVectors - 1) / kWorkgroupVectors);
}

}  // namespace weft::bench
