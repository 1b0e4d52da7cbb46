// SPDX-License-Identifier: MIT OR Apache-2.0
// Memory of the Loader: every allocation fails in turn, and what is loaded for long leaves nothing.
#include <weft/gpu.hpp>
#include <weft/loader.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "contract/failing_allocation.hpp"
#include "contract/null_driver.hpp"
#include "gstd/gdeflate_maker.hpp"
#include "loader/loader_device.hpp"
#include "support/vulkan_shim.hpp"

using namespace weft;
using test::Bytes;
using test::FailingAllocation;

namespace {

// A tile stream of a page of zeros.
Bytes gdeflate_file() {
  std::vector<uint32_t> words = {0x0001fb04u, 1u};
  const std::vector<uint32_t> page = gdeflate::test::page_of_zeros();
  words.push_back(static_cast<uint32_t>(4 * page.size()));
  words.insert(words.end(), page.begin(), page.end());
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::map<std::string, Bytes> every_path() {
  Bytes mixed = test::noise(5u << 18);  // longer than a piece
  mixed.resize(6u << 18);
  return {{"slope", test::slope(90000)},
          {"noise", test::noise(5000)},
          {"long noise", test::noise(9u << 18, 2)},
          {"mixed", mixed},
          {"a.zst", test::zstd_of(test::slope(70000))},
          {"b.gdeflate", gdeflate_file()},
          {"cube.dds", test::cube_of(64)}};
}

LoaderConfig config_of(bool on_device) {
  LoaderConfig config;
  config.staging_bytes = 8u << 20;
  config.device_bytes = 24u << 20;
  config.budget_bytes = 80u << 20;
  config.tiles_in_flight = 32;
  config.decode_on_device = on_device;
  config.host_decode_bytes = 0;
  return config;
}

/// Requests for all files to host memory, all to a buffer, and a level to an image.
class Requests {
 public:
  Requests(const std::map<std::string, Bytes>& files, VkBuffer buffer, VkImage image) : files_(files) {
    for (const auto& [path, file] : files) {
      const Bytes content = path == "a.zst" ? test::slope(70000) : path == "b.gdeflate" ? Bytes(65536) : file;
      expected_.push_back(content);
      outputs_.emplace_back(content.size());
    }
    uint32_t i = 0;
    uint64_t at = 0;
    for (const auto& [path, file] : files) {
      LoadRequest request;
      request.path = path;
      request.to = std::span<std::byte>(outputs_[i]);
      requests_.push_back(request);
      if (buffer != VK_NULL_HANDLE) {
        request.to = BufferRange{buffer, at, expected_[i].size()};
        requests_.push_back(request);
        at += expected_[i].size();
      }
      ++i;
    }
    if (image == VK_NULL_HANDLE) return;
    ImageDestination to;
    to.image = image;
    to.format = VK_FORMAT_BC7_UNORM_BLOCK;
    to.layers = 6;
    to.extent = {64, 64, 1};
    LoadRequest request;
    request.path = "cube.dds";
    request.level = 0;
    request.to = to;
    requests_.push_back(request);
  }

  std::span<LoadRequest> of(const LoaderPack& pack) {
    for (LoadRequest& request : requests_) request.pack = pack;
    return requests_;
  }
  void forget_pack() {
    for (LoadRequest& request : requests_) request.pack = {};
  }
  size_t size() const { return requests_.size(); }
  const LoadRequest& at(size_t i) const { return requests_[i]; }
  bool is_right(const LoadRequest& request) const {
    const auto* const to = std::get_if<std::span<std::byte>>(&request.to);
    if (to == nullptr) return true;
    const auto index = std::distance(files_.begin(), files_.find(std::string(request.path)));
    return std::ranges::equal(*to, expected_[static_cast<size_t>(index)]);
  }

 private:
  const std::map<std::string, Bytes>& files_;
  std::vector<Bytes> expected_, outputs_;
  std::vector<LoadRequest> requests_;
};

/// What a Loader's life came to.
struct Life {
  std::optional<ErrorCode> refused;
  std::array<RequestStatus, 16> statuses{};
};

/// Of one Loader, from its creation to its end. Without a lent queue the host records.
void live(const Context& context, const LoaderDevice& device, const LoaderConfig& config, const std::string& path,
          Requests& requests, Life& life) {
  auto loader = Loader::create(context, device, config);
  if (!loader) {
    life.refused = loader.error().code;
    return;
  }
  const auto pack = loader->open_pack(path);
  const auto batch = pack ? loader->submit(requests.of(*pack)) : Result<LoadBatch>(Error{pack.error().code, {}});
  if (!batch) {
    life.refused = batch.error().code;
    return;
  }
  for (int round = 0; round < 100000 && !batch->done(); ++round) {
    if (device.queue != VK_NULL_HANDLE) {
      loader->wait(*batch, std::chrono::milliseconds(10));
      continue;
    }
    while (loader->pump()) {
    }
    const auto number = loader->record(VK_NULL_HANDLE);
    if (number) loader->retire(*number);
  }
  for (uint32_t i = 0; i < batch->size(); ++i) life.statuses[i] = batch->status(i);
}

}  // namespace

TEST_SUITE_BEGIN("loader memory");

TEST_CASE("every allocation fails in turn: each request ends with its own status, and nothing leaks") {
  const auto files = every_path();
  const test::TemporaryFile file(test::pack_of_files(files));
  GpuConfig gpu_config;
  gpu_config.get_instance_proc_addr = test::null_driver::get_instance_proc_addr;
  auto gpu = Gpu::open(gpu_config);
  REQUIRE(gpu.ok());
  const auto buffer = gpu->create_buffer(8u << 20);
  REQUIRE(buffer.ok());
  int handle = 0;
  Requests requests(files, buffer->handle(), reinterpret_cast<VkImage>(&handle));
  LoaderDevice device;
  device.instance = gpu->instance();
  device.physical_device = gpu->physical_device();
  device.get_instance_proc_addr = gpu->get_instance_proc_addr();
  for (const bool has_queue : {true, false}) {
    device.queue = has_queue ? gpu->queue() : VK_NULL_HANDLE;
    const LoaderConfig config = config_of(has_queue);
    Life whole;
    live(gpu->context(), device, config, file.path(), requests, whole);  // what is made once is made
    requests.forget_pack();
    uint64_t n = 0;
    bool reached = true;
    std::array<uint64_t, 2> ended{};  // refused; with some requests out of memory
    while (reached) {
      const int64_t live_before = FailingAllocation::live(), objects = test::null_driver::live_objects();
      Life life;
      {
        const FailingAllocation failing(++n);
        live(gpu->context(), device, config, file.path(), requests, life);
        requests.forget_pack();
        reached = FailingAllocation::allocations() >= n;
      }
      const int64_t live_after = FailingAllocation::live();
      CAPTURE(n);
      REQUIRE(live_after == live_before);
      REQUIRE(test::null_driver::live_objects() == objects);
      if (life.refused) {
        REQUIRE(reached);
        REQUIRE(*life.refused == ErrorCode::out_of_host_memory);
        ++ended[0];
        continue;
      }
      bool all_ok = true;
      for (uint32_t i = 0; i < requests.size(); ++i) {
        CAPTURE(i);
        const RequestStatus status = life.statuses[i];
        CAPTURE(name_of(status));
        all_ok &= status == RequestStatus::ok;
        if (status == RequestStatus::ok) REQUIRE(requests.is_right(requests.at(i)));
        if (status != RequestStatus::ok) REQUIRE(status == RequestStatus::out_of_memory);
      }
      ended[1] += all_ok ? 0 : 1;
      if (!reached) CHECK(all_ok);
    }
    CHECK(ended[0] > 50);
    CHECK(ended[1] > 50);
  }
}

TEST_CASE("a Loader that loads for long takes no more memory than at first") {
  // WEFT_LOADER_SECONDS=600: ten minutes.
  const char* const wanted = std::getenv("WEFT_LOADER_SECONDS");
  const std::chrono::duration<double> seconds(wanted != nullptr ? std::atof(wanted) : 3);
  test::VulkanShim shim;
  std::atomic<int64_t> device_memory = 0;
  WEFT_REPLACE(shim, vkAllocateMemory,
               [&](PFN_vkAllocateMemory real, VkDevice device, const VkMemoryAllocateInfo* info,
                   const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
                 ++device_memory;
                 return real(device, info, callbacks, memory);
               });
  WEFT_REPLACE(
      shim, vkFreeMemory,
      [&](PFN_vkFreeMemory real, VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
        if (memory != VK_NULL_HANDLE) --device_memory;
        real(device, memory, callbacks);
      });
  const test::LoaderHost host(shim.get_instance_proc_addr());
  const auto files = every_path();
  const test::TemporaryFile file(test::pack_of_files(files));
  std::atomic<int64_t> staging = 0;
  LoaderConfig config = config_of(true);
  config.threads = 2;
  config.allocate = [&](size_t bytes, size_t alignment) {
    ++staging;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  };
  config.free = [&](void* memory) {
    --staging;
    std::free(memory);
  };
  const vk::BoundBuffer buffer = host.buffer(8u << 20);
  Requests requests(files, buffer.buffer.get(), VK_NULL_HANDLE);
  auto loader = Loader::create(host.context(), host.loader_device(), config);
  REQUIRE(loader.ok());
  const auto pack = loader->open_pack(file.path());
  REQUIRE(pack.ok());
  uint64_t rounds = 0;
  const auto load = [&] {
    const auto batch = loader->submit(requests.of(*pack));
    REQUIRE(batch.ok());
    REQUIRE(loader->wait(*batch));
    for (uint32_t i = 0; i < batch->size(); ++i) REQUIRE(batch->status(i) == RequestStatus::ok);
    ++rounds;
  };
  for (int i = 0; i < 3; ++i) load();
  const int64_t allocations = FailingAllocation::live(), device_before = device_memory, staging_before = staging;
  const LoaderUsage usage = loader->usage();
  int64_t most = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < seconds) {
    load();
    most = std::max(most, FailingAllocation::live() - allocations);
    REQUIRE(device_memory == device_before);
    REQUIRE(staging == staging_before);
    REQUIRE(loader->usage().now == usage.now);
    REQUIRE(loader->usage().staging_now == 0);
  }
  MESSAGE(rounds, " rounds of ", requests.size(), " requests; at most ", most, " more allocations than after three");
  // What threads hold for a moment, however many rounds there were.
  CHECK(most < 256);
  CHECK(rounds > 4);
}

TEST_SUITE_END();
