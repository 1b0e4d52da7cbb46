// SPDX-License-Identifier: MIT OR Apache-2.0
// Memory of the Loader: every allocation fails in turn, and what is loaded for long leaves nothing.
#include <weft/gpu.hpp>
#include <weft/loader.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

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

/// Faults of the system, in turn.
class Faults {
 public:
  /// Of a read: one in eight.
  int64_t read(int64_t result) {
    switch (reads_++ % 40) {
      case 5: return -EIO;
      case 13: return -EINTR;
      case 21: return result > 1 ? result / 2 : result;
      case 29: return 0;
      case 37: return -ENOSPC;
      default: return result;
    }
  }
  bool submission() { return submissions_++ % 50 == 49; }
  /// Which allocation of a thread's next load fails; 0: none.
  uint64_t allocation() {
    const uint64_t load = loads_++;
    return load % 5 == 4 ? load % 97 + 1 : 0;
  }

 private:
  std::atomic<uint64_t> reads_ = 0, submissions_ = 0, loads_ = 0;
};

/// What is made and not given back.
struct Held {
  Held() {
    WEFT_REPLACE(shim, vkAllocateMemory,
                 [this](PFN_vkAllocateMemory real, VkDevice device, const VkMemoryAllocateInfo* info,
                        const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
                   ++memories;
                   return real(device, info, callbacks, memory);
                 });
    WEFT_REPLACE(
        shim, vkFreeMemory,
        [this](PFN_vkFreeMemory real, VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
          if (memory != VK_NULL_HANDLE) --memories;
          real(device, memory, callbacks);
        });
  }

  void* allocate(size_t bytes, size_t alignment) {
    ++staging;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void free(void* memory) {
    --staging;
    std::free(memory);
  }

  test::VulkanShim shim;
  std::atomic<int64_t> memories = 0, staging = 0;
};

/// Between loads.
struct Sample {
  uint64_t budget = 0;
  int64_t allocations = 0, memories = 0, staging = 0;
  uint64_t resident = 0;
};

/// Of the process, in memory.
uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// How requests have ended.
struct Ends {
  std::string text() const {
    std::string text;
    for (size_t status = 0; status < of.size(); ++status)
      if (of[status] != 0)
        text += std::to_string(of[status]) + ' ' + name_of(static_cast<RequestStatus>(status)) + ", ";
    return text + std::to_string(refused) + " refused";
  }

  std::array<std::atomic<uint64_t>, 16> of{};
  std::atomic<uint64_t> refused = 0, wrong = 0;
};

/// All requests once, by one of several threads. Now and then half of them are cancelled.
void load_once(Loader& loader, const std::string& path, Requests& requests, size_t thread, Faults& faults, Ends& ends) {
  const uint64_t tag = 1 + thread;
  std::optional<LoadBatch> batch;
  {
    const uint64_t fails = faults.allocation();
    std::optional<FailingAllocation> failing;
    if (fails != 0) failing.emplace(fails);
    auto pack = loader.open_pack(path);
    if (pack) {
      const auto all = requests.of(*pack);
      for (size_t i = 0; i < all.size(); ++i) {
        all[i].tag = i % 2 == 0 ? tag : 0;
        all[i].priority = static_cast<LoadPriority>(i % 3);
      }
      auto submitted = loader.submit(all);
      if (submitted) batch = *std::move(submitted);
    }
    if (batch && fails == 0 && ends.of[static_cast<size_t>(RequestStatus::ok)] % 3 == 0) loader.cancel(tag);
    while (batch && !loader.wait(*batch)) {
    }
    requests.forget_pack();
  }
  if (!batch) {
    ++ends.refused;
    return;
  }
  for (uint32_t i = 0; i < batch->size(); ++i) {
    const RequestStatus status = batch->status(i);
    ++ends.of[static_cast<size_t>(status)];
    if (status == RequestStatus::ok && !requests.is_right(requests.at(i))) ++ends.wrong;
  }
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

TEST_CASE("a Loader that loads for long takes no more memory than at first, whatever fails") {
  // WEFT_LOADER_SECONDS=600: ten minutes.
  const char* const wanted = std::getenv("WEFT_LOADER_SECONDS");
  const double seconds = wanted != nullptr ? std::atof(wanted) : 4;
  Faults faults;
  Held held;
  const test::LoaderHost host(held.shim.get_instance_proc_addr());
  WEFT_REPLACE(held.shim, vkQueueSubmit,
               [&](PFN_vkQueueSubmit real, VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
                 return faults.submission() ? VK_ERROR_OUT_OF_DEVICE_MEMORY : real(queue, count, infos, fence);
               });
  const auto files = every_path();
  const test::TemporaryFile file(test::pack_of_files(files));
  loader::Hooks hooks;
  hooks.read = [&](uint64_t, size_t, int64_t result) { return faults.read(result); };
  LoaderConfig config = config_of(true);
  config.threads = 2;
  config.hooks = &hooks;
  config.allocate = [&](size_t bytes, size_t alignment) { return held.allocate(bytes, alignment); };
  config.free = [&](void* memory) { held.free(memory); };
  auto loader = Loader::create(host.context(), host.loader_device(), config);
  REQUIRE(loader.ok());
  constexpr size_t kThreads = 3;
  std::vector<vk::BoundBuffer> buffers;
  std::vector<std::unique_ptr<test::TestImage>> images;
  std::vector<std::unique_ptr<Requests>> requests;
  for (size_t i = 0; i < kThreads; ++i) {
    buffers.push_back(host.buffer(8u << 20));
    images.push_back(std::make_unique<test::TestImage>(host, VK_FORMAT_BC7_UNORM_BLOCK, 64, 7, 6));
    requests.push_back(std::make_unique<Requests>(files, buffers.back().buffer.get(), images.back()->handle()));
  }
  Ends ends;
  std::vector<Sample> samples;
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  // The first samples are of what is made once: pipelines, threads, tables that grow.
  constexpr int kSamples = 12, kFirst = 4;
  for (int sample = 0; sample < kSamples; ++sample) {
    const double until = seconds * (sample + 1) / kSamples;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        for (int loads = 0; loads < 4 || passed() < until; ++loads)
          load_once(*loader, file.path(), *requests[i], i, faults, ends);
      });
    for (std::thread& thread : threads) thread.join();
    const LoaderUsage usage = loader->usage();
    CHECK(usage.staging_now == 0);
    CHECK(usage.reads_in_flight == 0);
    CHECK(usage.peak <= usage.budget);
    samples.push_back({usage.now, FailingAllocation::live(), held.memories, held.staging, resident_bytes()});
    const Sample& now = samples.back();
    MESSAGE(passed(), " s: ", ends.text(), "; budget ", now.budget, ", allocations ", now.allocations,
            ", of the device ", now.memories, ", of staging ", now.staging, ", resident ", now.resident >> 10, " KiB");
  }
  CHECK(ends.wrong == 0);
  for (const RequestStatus status : {RequestStatus::ok, RequestStatus::cancelled, RequestStatus::io_error,
                                     RequestStatus::short_read, RequestStatus::out_of_memory}) {
    const std::string name = name_of(status);
    CAPTURE(name);
    CHECK(ends.of[static_cast<size_t>(status)] > 0);
  }
  Sample most = samples[0];
  for (const Sample& first : std::span(samples).first(kFirst)) {
    most.allocations = std::max(most.allocations, first.allocations);
    most.resident = std::max(most.resident, first.resident);
  }
  for (const Sample& later : std::span(samples).subspan(kFirst)) {
    CHECK(later.budget == samples[0].budget);
    CHECK(later.memories == samples[0].memories);
    CHECK(later.staging == samples[0].staging);
    // What tables have grown to, and what the C library keeps of threads that ended.
    CHECK(later.allocations <= most.allocations + 64);
    CHECK(later.resident <= most.resident + (16 << 20));
  }
}

TEST_SUITE_END();
