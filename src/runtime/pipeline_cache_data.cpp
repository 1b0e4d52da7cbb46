// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/pipeline_cache_data.hpp"

#include <cstring>

namespace weft::runtime {
namespace {

// Before the contents, little-endian, without padding.
struct Envelope {
  char magic[8];
  uint32_t version;
  uint32_t pointer_bytes;   // 32- and 64-bit drivers share UUIDs, and not always contents
  uint32_t driver_version;  // a driver may change and keep its UUID
  uint32_t reserved;        // 0
  uint64_t length;          // of the contents
  uint64_t checksum;        // of the contents
};
static_assert(sizeof(Envelope) == 40);

constexpr char kMagic[8] = {'w', 'e', 'f', 't', 'p', 'i', 'p', 'e'};
constexpr uint32_t kVersion = 1;

// FNV-1a, 64 bits: it detects damage, not an attacker.
uint64_t checksum_of(std::span<const std::byte> bytes) noexcept {
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

// The header that Vulkan puts before every driver's contents names this device.
bool is_of_device(std::span<const std::byte> contents, const DeviceFacts& facts) noexcept {
  VkPipelineCacheHeaderVersionOne header;
  if (contents.size() < sizeof header) return false;
  std::memcpy(&header, contents.data(), sizeof header);
  return header.headerSize >= sizeof header && header.headerSize <= contents.size() &&
         header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && header.vendorID == facts.vendor_id &&
         header.deviceID == facts.device_id &&
         std::memcmp(header.pipelineCacheUUID, facts.pipeline_cache_uuid.data(), VK_UUID_SIZE) == 0;
}

}  // namespace

std::vector<std::byte> wrap_pipeline_cache(std::span<const std::byte> contents, const DeviceFacts& facts) {
  Envelope envelope{};
  std::memcpy(envelope.magic, kMagic, sizeof kMagic);
  envelope.version = kVersion;
  envelope.pointer_bytes = sizeof(void*);
  envelope.driver_version = facts.driver_version;
  envelope.length = contents.size();
  envelope.checksum = checksum_of(contents);
  std::vector<std::byte> data(sizeof envelope + contents.size());
  std::memcpy(data.data(), &envelope, sizeof envelope);
  if (!contents.empty()) std::memcpy(data.data() + sizeof envelope, contents.data(), contents.size());
  return data;
}

std::span<const std::byte> unwrap_pipeline_cache(std::span<const std::byte> data, const DeviceFacts& facts) noexcept {
  Envelope envelope;
  if (data.size() < sizeof envelope) return {};
  std::memcpy(&envelope, data.data(), sizeof envelope);
  const std::span<const std::byte> contents = data.subspan(sizeof envelope);
  const bool intact = std::memcmp(envelope.magic, kMagic, sizeof kMagic) == 0 && envelope.version == kVersion &&
                      envelope.pointer_bytes == sizeof(void*) && envelope.driver_version == facts.driver_version &&
                      envelope.reserved == 0 && envelope.length == contents.size() &&
                      envelope.checksum == checksum_of(contents);
  return intact && is_of_device(contents, facts) ? contents : std::span<const std::byte>{};
}

}  // namespace weft::runtime
