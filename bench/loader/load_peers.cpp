// SPDX-License-Identifier: MIT OR Apache-2.0
#include "load_peers.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace weft::bench {
namespace {

constexpr uint64_t kBlock = 4096;

Error failure(const char* what) { return {ErrorCode::driver_error, std::string(what) + " failed"}; }

/// Calls `work(index)` for each index below `count`, by threads; false ends all.
template <class Work>
bool for_all(uint32_t threads, size_t count, const Work& work) {
  std::atomic<size_t> next{0};
  std::atomic<bool> good{true};
  const auto run = [&] {
    for (size_t i = next++; i < count && good; i = next++)
      if (!work(i)) good = false;
  };
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
  return good;
}

struct Room {
  explicit Room(size_t bytes) : memory(std::aligned_alloc(kBlock, (bytes + kBlock - 1) / kBlock * kBlock)) {}
  ~Room() { std::free(memory); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  void* memory;
};

bool read_exactly(int file, void* to, uint64_t bytes, uint64_t position, uint64_t least) {
  uint64_t done = 0;
  while (done < least) {
    const ssize_t count =
        ::pread(file, static_cast<std::byte*>(to) + done, bytes - done, static_cast<off_t>(position + done));
    if (count <= 0) return false;
    done += static_cast<uint64_t>(count);
  }
  return true;
}

class VulkanPeers final : public Peers {
 public:
  explicit VulkanPeers(Gpu& gpu) : gpu_(gpu), device_(gpu.context().device()) {}
  ~VulkanPeers() override;

  Status open(uint64_t bytes);
  Status load(const PeerFile& peer, bool compressed, bool direct, uint32_t threads, VkBuffer to) override;
  Status copy(uint64_t bytes, VkBuffer to) override { return submit(std::vector<VkBufferCopy>{{0, 0, bytes}}, to); }
  Status load_one(int file, uint64_t position, uint64_t bytes, VkBuffer to) override {
    if (!read_exactly(file, mapped_, bytes, position, bytes)) return failure("pread");
    return copy(bytes, to);
  }

 private:
  template <class F>
  F function(const char* name) const {
    const auto get = reinterpret_cast<PFN_vkGetDeviceProcAddr>(
        gpu_.get_instance_proc_addr()(gpu_.instance(), "vkGetDeviceProcAddr"));
    return reinterpret_cast<F>(get(device_, name));
  }
  Status submit(const std::vector<VkBufferCopy>& regions, VkBuffer to);

  Gpu& gpu_;
  VkDevice device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
};

VulkanPeers::~VulkanPeers() {
  function<PFN_vkDestroyBuffer>("vkDestroyBuffer")(device_, buffer_, nullptr);
  function<PFN_vkFreeMemory>("vkFreeMemory")(device_, memory_, nullptr);
}

Status VulkanPeers::open(uint64_t bytes) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  if (function<PFN_vkCreateBuffer>("vkCreateBuffer")(device_, &info, nullptr, &buffer_) != VK_SUCCESS)
    return failure("vkCreateBuffer");
  VkMemoryRequirements needs{};
  function<PFN_vkGetBufferMemoryRequirements>("vkGetBufferMemoryRequirements")(device_, buffer_, &needs);
  VkPhysicalDeviceMemoryProperties memory{};
  reinterpret_cast<PFN_vkGetPhysicalDeviceMemoryProperties>(gpu_.get_instance_proc_addr()(
      gpu_.instance(), "vkGetPhysicalDeviceMemoryProperties"))(gpu_.physical_device(), &memory);
  constexpr VkMemoryPropertyFlags kNeeded = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  int best = -1;
  for (uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    if ((needs.memoryTypeBits >> type & 1) == 0 || (flags & kNeeded) != kNeeded) continue;
    const int score = ((flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0 ? 2 : 0) +
                      ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0 ? 1 : 0);
    if (score <= best) continue;
    best = score;
    allocate.memoryTypeIndex = type;
  }
  if (function<PFN_vkAllocateMemory>("vkAllocateMemory")(device_, &allocate, nullptr, &memory_) != VK_SUCCESS)
    return failure("vkAllocateMemory");
  void* mapped = nullptr;
  if (function<PFN_vkBindBufferMemory>("vkBindBufferMemory")(device_, buffer_, memory_, 0) != VK_SUCCESS ||
      function<PFN_vkMapMemory>("vkMapMemory")(device_, memory_, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
    return failure("vkMapMemory");
  mapped_ = static_cast<std::byte*>(mapped);
  return {};
}

Status VulkanPeers::submit(const std::vector<VkBufferCopy>& regions, VkBuffer to) {
  const auto copy = function<PFN_vkCmdCopyBuffer>("vkCmdCopyBuffer");
  return gpu_
      .run([&](VkCommandBuffer commands) -> Status {
        copy(commands, buffer_, to, static_cast<uint32_t>(regions.size()), regions.data());
        return {};
      })
      .status();
}

// Threads read and decode; this thread copies what is ready, while they go on.
Status VulkanPeers::load(const PeerFile& peer, bool compressed, bool direct, uint32_t threads, VkBuffer to) {
  const int file = ::open(peer.file.path().c_str(), O_RDONLY | (direct ? O_DIRECT : 0));
  if (file < 0) return failure("open");
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<VkBufferCopy> ready;
  bool ended = false, good = true;
  std::thread pool([&] {
    const bool all = for_all(threads, peer.chunks.size(), [&](size_t i) {
      const Chunk& chunk = peer.chunks[i];
      const uint64_t from = direct ? chunk.stored_at / kBlock * kBlock : chunk.stored_at;
      const uint64_t least = chunk.stored_at + chunk.stored_bytes - from;
      const uint64_t bytes = direct ? (least + kBlock - 1) / kBlock * kBlock : least;
      // Memory of the driver may not take direct reads: through the thread's own, like compressed bytes.
      if (compressed || direct) {
        static thread_local Room room(4 << 20);
        if (!read_exactly(file, room.memory, bytes, from, least)) return false;
        const std::byte* const stored = static_cast<std::byte*>(room.memory) + (chunk.stored_at - from);
        if (!compressed)
          std::copy_n(stored, chunk.bytes, mapped_ + chunk.at);
        else if (ZSTD_decompress(mapped_ + chunk.at, chunk.bytes, stored, chunk.stored_bytes) != chunk.bytes)
          return false;
      } else if (!read_exactly(file, mapped_ + chunk.at, bytes, from, least)) {
        return false;
      }
      const std::lock_guard lock(mutex);
      ready.push_back({chunk.at, chunk.at, chunk.bytes});
      changed.notify_one();
      return true;
    });
    const std::lock_guard lock(mutex);
    ended = true;
    good = all;
    changed.notify_one();
  });
  Status status;
  for (;;) {
    std::vector<VkBufferCopy> regions;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return ended || !ready.empty(); });
      regions.swap(ready);
      if (regions.empty()) break;
    }
    if (status) status = submit(regions, to);
  }
  pool.join();
  ::close(file);
  if (!good) return failure("reading or decoding");
  return status;
}

}  // namespace

Result<std::unique_ptr<Peers>> Peers::create(Gpu& gpu, uint64_t content_bytes) {
  auto peers = std::make_unique<VulkanPeers>(gpu);
  if (Status status = peers->open(content_bytes); !status) return status.error();
  return std::unique_ptr<Peers>(std::move(peers));
}

Status read_all(const std::string& path, bool direct, uint32_t threads) {
  constexpr uint64_t kPiece = 1 << 20;
  const int file = ::open(path.c_str(), O_RDONLY | (direct ? O_DIRECT : 0));
  if (file < 0) return failure("open");
  const auto size = static_cast<uint64_t>(::lseek(file, 0, SEEK_END));
  const bool good = for_all(threads, (size + kPiece - 1) / kPiece, [&](size_t i) {
    static thread_local Room room(kPiece);
    return read_exactly(file, room.memory, kPiece, i * kPiece, std::min(kPiece, size - i * kPiece));
  });
  ::close(file);
  if (!good) return failure("pread");
  return {};
}

}  // namespace weft::bench
