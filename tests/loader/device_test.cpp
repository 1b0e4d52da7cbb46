// SPDX-License-Identifier: MIT OR Apache-2.0
// The Loader on a device: buffers and images get what unpack gives, by every path; signals, records, and lost devices.
#include <weft/gstd_decode.hpp>
#include <weft/ktx2.hpp>
#include <weft/loader.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "decode/zstd_maker.hpp"
#include "gstd/gdeflate_maker.hpp"
#include "loader/loader_device.hpp"
#include "support/vulkan_shim.hpp"

using namespace weft;
using test::Bytes;
using test::load_one;
using test::LoaderHost;

namespace {

LoaderConfig small_config() {
  LoaderConfig config;
  config.staging_bytes = 12u << 20;
  config.device_bytes = 24u << 20;
  config.budget_bytes = 80u << 20;
  config.tiles_in_flight = 32;
  config.host_decode_bytes = 0;
  return config;
}

Loader opened(const LoaderHost& host, const LoaderDevice& device, const LoaderConfig& config) {
  auto loader = Loader::create(host.context(), device, config);
  REQUIRE_MESSAGE(loader.ok(), (loader.ok() ? "" : loader.error().message));
  return *std::move(loader);
}

LoaderPack pack_at(Loader& loader, const std::string& path) {
  auto pack = loader.open_pack(path);
  REQUIRE_MESSAGE(pack.ok(), (pack.ok() ? "" : pack.error().message));
  return *std::move(pack);
}

/// All files behind each other in one buffer, at odd offsets.
struct AllFiles {
  AllFiles(const LoaderHost& host, const LoaderPack& pack) {
    uint64_t at = 3;
    for (auto& [path, content] : files) {
      if (path == "text.zst") content = test::slope(700000, 5);
      LoadRequest request;
      request.pack = pack;
      request.path = path;
      request.stored = path == "data.gdeflate";
      request.to = BufferRange{VK_NULL_HANDLE, at, content.size()};
      requests.push_back(request);
      at += content.size() + 5;
    }
    buffer = host.buffer(at);
    for (LoadRequest& request : requests) std::get<BufferRange>(request.to).buffer = buffer.buffer.get();
  }

  // What lies between them keeps its bytes.
  void check(const LoadBatch& batch, bool on_device) const {
    const auto* const mapped = static_cast<const std::byte*>(buffer.mapped);
    uint64_t at = 0;
    for (uint32_t i = 0; i < requests.size(); ++i) {
      const std::string path(requests[i].path);
      CAPTURE(path);
      const Bytes& content = files.at(path);
      const auto& range = std::get<BufferRange>(requests[i].to);
      for (; at < range.offset; ++at) CHECK(mapped[at] == std::byte{0xa5});
      CHECK_MESSAGE(batch.status(i) == RequestStatus::ok, name_of(batch.status(i)), ": ", batch.report(i).reason);
      const bool equal = std::equal(content.begin(), content.end(), mapped + range.offset);
      CHECK(equal);
      at += content.size();
      const auto kind = requests[i].pack.directory().find(path)->kind;
      const LoadPath path_taken = batch.report(i).path;
      if (content.empty()) continue;
      if (kind == pack::Kind::gstd && path != "cube.dds")
        CHECK(path_taken == (on_device ? LoadPath::device_decode : LoadPath::host_decode));
      else if (kind == pack::Kind::raw)
        CHECK(path_taken == LoadPath::copy);
      else if (kind == pack::Kind::gstd || (kind == pack::Kind::zst && !on_device))
        CHECK(path_taken == LoadPath::host_decode);
      else if (kind == pack::Kind::zst)  // lavapipe does not finish every frame of this size
        CHECK((path_taken == LoadPath::device_decode || path_taken == LoadPath::host_decode));
    }
  }

  std::map<std::string, Bytes> files = test::loader_files();
  std::vector<LoadRequest> requests;
  vk::BoundBuffer buffer;
};

}  // namespace

TEST_SUITE_BEGIN("loader");

TEST_CASE("every kind of asset comes to buffers as unpack gives it, by every path, within the budget") {
  const LoaderHost host;
  const test::TemporaryFile file(test::loader_pack());
  struct Way {
    bool on_device, imports, copies_source, direct;
    uint32_t threads;
  };
  for (const Way& way : {Way{true, true, false, false, 0}, Way{true, false, true, true, 2},
                         Way{true, true, true, true, 1}, Way{false, false, false, false, 1}}) {
    CAPTURE(way.on_device);
    CAPTURE(way.copies_source);
    const loader::Hooks hooks{{}, {}, way.copies_source};
    std::atomic<int> locks = 0, submissions = 0;
    LoaderDevice device = host.loader_device();
    device.external_memory_host &= way.imports;
    device.lock = [&] {
      CHECK(++locks == 1);
      ++submissions;
    };
    device.unlock = [&] { CHECK(--locks == 0); };
    LoaderConfig config = small_config();
    config.decode_on_device = way.on_device;
    config.direct = way.direct;
    config.threads = way.threads;
    config.hooks = &hooks;
    Loader loader = opened(host, device, config);
    const LoaderPack pack = pack_at(loader, file.path());
    const AllFiles all(host, pack);
    const auto batch = loader.submit(all.requests);
    REQUIRE(batch.ok());
    REQUIRE(loader.wait(*batch, std::chrono::seconds(300)));
    all.check(*batch, way.on_device);
    CHECK(submissions > 1);
    const LoaderUsage usage = loader.usage();
    CHECK(usage.peak <= usage.budget);
    CHECK(usage.staging_now == 0);
  }
}

TEST_CASE("files are read to the memory that is asked for, and the report says so") {
  const LoaderHost host;
  const test::TemporaryFile file(test::loader_pack());
  for (const StagingMemory memory : {StagingMemory::host, StagingMemory::imported, StagingMemory::device}) {
    for (const bool copies_source : {false, true}) {
      if (memory == StagingMemory::imported && !host.has_import()) continue;
      CAPTURE(name_of(memory));
      const loader::Hooks hooks{{}, {}, copies_source};
      LoaderConfig config = small_config();
      config.budget_bytes = 96u << 20;
      config.staging = memory;
      config.threads = 1;
      config.hooks = &hooks;
      Loader loader = opened(host, host.loader_device(), config);
      const LoaderPack pack = pack_at(loader, file.path());
      const AllFiles all(host, pack);
      const auto batch = loader.submit(all.requests);
      REQUIRE(batch.ok());
      REQUIRE(loader.wait(*batch, std::chrono::seconds(300)));
      all.check(*batch, true);
      uint32_t in_device = 0;
      for (uint32_t i = 0; i < batch->size(); ++i) {
        const RequestReport& report = batch->report(i);
        if (report.bytes == 0) continue;
        CAPTURE(std::string(all.requests[i].path));
        const bool is_for_device = memory == StagingMemory::device && report.path == LoadPath::device_decode;
        // The device's part may be full.
        if (is_for_device && report.staging == StagingMemory::device)
          ++in_device;
        else
          CHECK(report.staging == (memory == StagingMemory::device ? StagingMemory::host : memory));
      }
      CHECK((in_device >= 4) == (memory == StagingMemory::device));
      const LoaderUsage usage = loader.usage();
      CHECK(usage.peak <= usage.budget);
      CHECK(usage.staging_now == 0);
    }
  }
}

TEST_CASE("staging is device memory if the host sees enough of it, and only what the device reads") {
  for (const uint64_t heap : {uint64_t{256} << 20, uint64_t{1} << 30}) {
    test::VulkanShim shim;
    WEFT_REPLACE(shim, vkGetPhysicalDeviceMemoryProperties,
                 [&](PFN_vkGetPhysicalDeviceMemoryProperties real, VkPhysicalDevice device,
                     VkPhysicalDeviceMemoryProperties* memory) {
                   real(device, memory);
                   for (VkMemoryHeap& one : memory->memoryHeaps) one.size = heap;
                 });
    const LoaderHost host(shim.get_instance_proc_addr());
    const test::TemporaryFile file(test::loader_pack());
    const loader::Hooks hooks{{}, {}, true};
    LoaderDevice device = host.loader_device();
    device.external_memory_host = false;
    LoaderConfig config = small_config();
    config.budget_bytes = 96u << 20;
    config.hooks = &hooks;
    const vk::BoundBuffer buffer = host.buffer(1 << 20);
    const auto staging_of = [&](const char* path, uint64_t bytes) {
      Loader loader = opened(host, device, config);
      LoadRequest request;
      request.pack = pack_at(loader, file.path());
      request.path = path;
      request.to = BufferRange{buffer.buffer.get(), 0, bytes};
      RequestReport report;
      CHECK(load_one(loader, request, &report) == RequestStatus::ok);
      return report.staging;
    };
    const bool is_enough = heap > 256u << 20;
    const StagingMemory expected = is_enough ? StagingMemory::device : StagingMemory::host;
    CHECK(staging_of("slope/65536", 65536) == expected);
    CHECK(staging_of("noise/65536", 65536) == StagingMemory::host);  // the CPU compares its hash
    config.verify = false;
    CHECK(staging_of("noise/65536", 65536) == expected);
    config.direct = true;
    CHECK(staging_of("slope/65536", 65536) == StagingMemory::host);
    config.direct = false;
    config.budget_bytes = 74u << 20;  // all taken
    CHECK(staging_of("slope/65536", 65536) == StagingMemory::host);
    config.staging = StagingMemory::device;
    const auto refused = Loader::create(host.context(), device, config);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == (is_enough ? ErrorCode::invalid_argument : ErrorCode::unsupported));
    config.staging = StagingMemory::imported;
    CHECK(Loader::create(host.context(), device, config).error().code == ErrorCode::unsupported);
  }
}

namespace {

// What the Loader does with two queues. Where the device has one family only, the second is a pretended family 7 with
// the same queue, of which the driver hears nothing.
class TwoQueues {
 public:
  static constexpr uint32_t kPretended = 7;

  TwoQueues() {
    WEFT_REPLACE(shim_, vkCmdPipelineBarrier,
                 [this](PFN_vkCmdPipelineBarrier real, VkCommandBuffer commands, VkPipelineStageFlags from,
                        VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t memory_count,
                        const VkMemoryBarrier* memory, uint32_t count, const VkBufferMemoryBarrier* barriers,
                        uint32_t image_count, const VkImageMemoryBarrier* images) {
                   std::vector<VkBufferMemoryBarrier> real_ones(barriers, barriers + count);
                   for (VkBufferMemoryBarrier& one : real_ones) {
                     changes[commands].emplace_back(one.buffer, one.offset, one.size, one.srcQueueFamilyIndex,
                                                    one.dstQueueFamilyIndex);
                     if (pretends()) one.srcQueueFamilyIndex = one.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
                   }
                   real(commands, from, to, flags, memory_count, memory, count, real_ones.data(), image_count, images);
                 });
    WEFT_REPLACE(shim_, vkCreateCommandPool,
                 [this](PFN_vkCreateCommandPool real, VkDevice device, const VkCommandPoolCreateInfo* info,
                        const VkAllocationCallbacks* callbacks, VkCommandPool* pool) {
                   VkCommandPoolCreateInfo real_one = *info;
                   if (real_one.queueFamilyIndex == kPretended && pretends())
                     real_one.queueFamilyIndex = host->instance().queue_family();
                   return real(device, &real_one, callbacks, pool);
                 });
    WEFT_REPLACE(shim_, vkCreateBuffer,
                 [this](PFN_vkCreateBuffer real, VkDevice device, const VkBufferCreateInfo* info,
                        const VkAllocationCallbacks* callbacks, VkBuffer* buffer) {
                   VkBufferCreateInfo real_one = *info;
                   if (real_one.sharingMode == VK_SHARING_MODE_CONCURRENT) ++shared_buffers;
                   if (pretends()) real_one.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
                   return real(device, &real_one, callbacks, buffer);
                 });
    WEFT_REPLACE(
        shim_, vkQueueSubmit,
        [this](PFN_vkQueueSubmit real, VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
          if (infos->waitSemaphoreCount != 0 && fails-- > 0) {
            changes.erase(infos->pCommandBuffers[0]);
            return VK_ERROR_OUT_OF_DEVICE_MEMORY;
          }
          if (infos->signalSemaphoreCount != 0) {
            signalled = infos->pSignalSemaphores[0];
            released = std::exchange(changes[infos->pCommandBuffers[0]], {});
            ++copies;
          } else if (infos->waitSemaphoreCount != 0) {
            CHECK(infos->pWaitSemaphores[0] == signalled);
            CHECK(std::exchange(changes[infos->pCommandBuffers[0]], {}) == released);
            ++joins;
          }
          return real(queue, count, infos, fence);
        });
    WEFT_REPLACE(shim_, vkQueueWaitIdle, [this](PFN_vkQueueWaitIdle real, VkQueue queue) {
      ++waits;
      return real(queue);
    });
    host.emplace(shim_.get_instance_proc_addr());
  }

  bool pretends() const { return host && !host->copy_family(); }
  LoaderDevice loader_device() const {
    LoaderDevice device = host->loader_device();
    device.external_memory_host = false;
    device.copy_queue = pretends() ? host->queue() : host->copy_queue();
    device.copy_queue_family = host->copy_family().value_or(kPretended);
    return device;
  }

  using Change = std::tuple<VkBuffer, VkDeviceSize, VkDeviceSize, uint32_t, uint32_t>;
  std::map<VkCommandBuffer, std::vector<Change>> changes;
  std::vector<Change> released;
  VkSemaphore signalled = VK_NULL_HANDLE;
  int copies = 0, joins = 0, shared_buffers = 0, fails = 0, waits = 0;

 private:
  test::VulkanShim shim_;

 public:
  std::optional<LoaderHost> host;
};

}  // namespace

TEST_CASE("copies run on a queue of another family, which passes on what they have written") {
  TwoQueues queues;
  const test::TemporaryFile file(test::loader_pack());
  const loader::Hooks hooks{{}, {}, true};
  for (const bool on_device : {true, false}) {
    LoaderConfig config = small_config();
    config.staging = StagingMemory::host;
    config.decode_on_device = on_device;
    config.hooks = &hooks;
    LoaderDevice device = queues.loader_device();
    int locked = 0;
    device.copy_lock = [&] { ++locked; };
    queues.copies = queues.joins = queues.shared_buffers = 0;
    Loader loader = opened(*queues.host, device, config);
    CHECK(queues.shared_buffers == 1);  // staging
    const LoaderPack pack = pack_at(loader, file.path());
    const AllFiles all(*queues.host, pack);
    const auto batch = loader.submit(all.requests);
    REQUIRE(batch.ok());
    REQUIRE(loader.wait(*batch, std::chrono::seconds(300)));
    all.check(*batch, on_device);
    CHECK(queues.copies > 1);
    CHECK(queues.joins == queues.copies);
    CHECK(locked == queues.copies);
    REQUIRE_FALSE(queues.released.empty());
    CHECK(std::get<3>(queues.released[0]) == device.copy_queue_family);
    CHECK(std::get<4>(queues.released[0]) == device.queue_family);
  }
}

TEST_CASE("copies whose decoding is not submitted are waited for, and the next ones work") {
  TwoQueues queues;
  const test::TemporaryFile file(test::loader_pack());
  const loader::Hooks hooks{{}, {}, true};
  LoaderConfig config = small_config();
  config.staging = StagingMemory::host;
  config.hooks = &hooks;
  Loader loader = opened(*queues.host, queues.loader_device(), config);
  const vk::BoundBuffer buffer = queues.host->buffer(1 << 20);
  LoadRequest request;
  request.pack = pack_at(loader, file.path());
  request.path = "slope/65536";
  request.to = BufferRange{buffer.buffer.get(), 0, 65536};
  for (int i = 0; i < 4; ++i) {
    queues.fails = 1;
    CHECK(load_one(loader, request) == RequestStatus::out_of_memory);
    CHECK(queues.waits == i + 1);
    queues.fails = 0;
    CHECK(load_one(loader, request) == RequestStatus::ok);
  }
  CHECK(loader.usage().staging_now == 0);
}

TEST_CASE("small requests are decoded on the CPU if few are pending, with the same bytes") {
  const LoaderHost host;
  const test::TemporaryFile file(test::loader_pack());
  LoaderConfig config = small_config();
  config.host_decode_bytes = 65536;
  Loader loader = opened(host, host.loader_device(), config);
  const vk::BoundBuffer buffer = host.buffer(1 << 20);
  LoadRequest request;
  request.pack = pack_at(loader, file.path());
  const auto load = [&](const char* path, uint64_t count, size_t requests) {
    request.path = path;
    request.count = count;
    request.to = BufferRange{buffer.buffer.get(), 4, count};
    const auto batch = loader.submit(std::vector<LoadRequest>(requests, request));
    REQUIRE(batch.ok());
    REQUIRE(loader.wait(*batch));
    for (uint32_t i = 0; i < requests; ++i) CHECK(batch->status(i) == RequestStatus::ok);
    const Bytes content = test::slope(count);
    CHECK(std::memcmp(static_cast<const std::byte*>(buffer.mapped) + 4, content.data(), count) == 0);
    return batch->report(0).path;
  };
  CHECK(load("slope/65536", 65536, 1) == LoadPath::host_decode);
  CHECK(load("slope/65536", 65536, 2) == LoadPath::device_decode);
  CHECK(load("slope/300001", 65536, 1) == LoadPath::host_decode);
  CHECK(load("slope/300001", 65537, 1) == LoadPath::device_decode);
}

TEST_CASE("levels come to images, and to buffers by layers and rows") {
  const LoaderHost host;
  const test::TemporaryFile file(test::loader_pack());
  const auto reader = pack::PackReader::open(test::loader_pack());
  REQUIRE(reader.ok());
  for (const bool on_device : {true, false}) {
    for (const bool copies_source : {true, false}) {
      const loader::Hooks hooks{{}, {}, copies_source};
      LoaderConfig config = small_config();
      config.decode_on_device = on_device;
      config.hooks = &hooks;
      LoaderDevice device = host.loader_device();
      if (copies_source) {
        device.copy_queue = host.copy_family() ? host.copy_queue() : host.queue();
        device.copy_queue_family = host.copy_family().value_or(device.queue_family);
      }
      Loader loader = opened(host, device, config);
      const LoaderPack pack = pack_at(loader, file.path());
      for (const char* const path : {"cube.dds", "a.ktx2", "plain.dds", "kept.ktx2"}) {
        const pack::Entry entry = *reader->find(path);
        const uint32_t layers = entry.image.layers * entry.image.faces;
        const auto format = static_cast<VkFormat>(entry.image.vk_format);
        const test::TestImage image(host, format, entry.image.width, entry.image.levels, layers);
        std::vector<LoadRequest> requests;
        for (uint32_t level = 0; level < entry.image.levels; ++level) {
          const uint32_t side = std::max(entry.image.width >> level, 1u);
          ImageDestination to;
          to.image = image.handle();
          to.format = format;
          to.level = level;
          to.layers = layers;
          to.extent = {side, side, 1};
          to.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
          LoadRequest request;
          request.pack = pack;
          request.path = path;
          request.level = level;
          request.to = to;
          requests.push_back(request);
        }
        const auto batch = loader.submit(requests);
        REQUIRE(batch.ok());
        REQUIRE(loader.wait(*batch));
        for (uint32_t level = 0; level < entry.image.levels; ++level) {
          CAPTURE(path);
          CAPTURE(level);
          CHECK_MESSAGE(batch->status(level) == RequestStatus::ok, batch->report(level).reason);
          for (uint32_t i = 0; i < entry.range_count; ++i) {
            const pack::Range range = reader->range(entry, i);
            if (range.level != level) continue;
            Bytes expected(range.slice_bytes * entry.slices);
            REQUIRE(reader->extract(entry, range, expected).ok());
            const uint32_t side = std::max(entry.image.width >> level, 1u);
            if (std::string_view(path) == "kept.ktx2") expected = test::slope(level == 0 ? 4096 : 1024);
            expected.resize(uint64_t{(side + 3) / 4} * ((side + 3) / 4) * 16 * layers);
            CHECK(image.read(level, side, layers, expected.size()) == expected);
            if (range.coding == pack::Coding::gstd || std::string_view(path) == "kept.ktx2")
              CHECK(batch->report(level).path == (on_device ? LoadPath::device_decode : LoadPath::host_decode));
          }
        }
      }
    }
  }
}

TEST_CASE("images that do not fit their level are refused") {
  const LoaderHost host;
  const test::TemporaryFile file(test::loader_pack());
  Loader loader = opened(host, host.loader_device(), small_config());
  const test::TestImage image(host, VK_FORMAT_BC7_UNORM_BLOCK, 256, 1, 6);
  LoadRequest request;
  request.pack = pack_at(loader, file.path());
  request.path = "cube.dds";
  const auto status_of = [&](const auto& change, std::optional<uint32_t> level = 0) {
    ImageDestination to;
    to.image = image.handle();
    to.format = VK_FORMAT_BC7_UNORM_BLOCK;
    to.layers = 6;
    to.extent = {256, 256, 1};
    change(to);
    request.to = to;
    request.level = level;
    return load_one(loader, request);
  };
  CHECK(status_of([](ImageDestination&) {}) == RequestStatus::ok);
  CHECK(status_of([](ImageDestination&) {}, std::nullopt) == RequestStatus::invalid_argument);
  CHECK(status_of([](ImageDestination&) {}, 1) == RequestStatus::invalid_argument);
  CHECK(status_of([](ImageDestination& to) { to.image = VK_NULL_HANDLE; }) == RequestStatus::invalid_argument);
  CHECK(status_of([](ImageDestination& to) { to.layers = 7; }) == RequestStatus::invalid_argument);
  CHECK(status_of([](ImageDestination& to) { to.format = VK_FORMAT_R8G8B8A8_UNORM; }) ==
        RequestStatus::invalid_argument);
  CHECK(status_of([](ImageDestination& to) { to.format = VK_FORMAT_UNDEFINED; }) == RequestStatus::unsupported);
  request.path = "kept.ktx2";
  CHECK(status_of([](ImageDestination&) {}) == RequestStatus::invalid_argument);
}

TEST_CASE("a level whose frame does not declare its size is decoded on the device, if it has that of the level") {
  const LoaderHost host;
  const test::TemporaryFile file(test::pack_of_files(
      {{"open.ktx2", test::zstd_ktx2(2, 4096, false)}, {"short.ktx2", test::zstd_ktx2(2, 4095, false)}}));
  Loader loader = opened(host, host.loader_device(), small_config());
  const test::TestImage image(host, VK_FORMAT_BC7_UNORM_BLOCK, 64, 1, 1);
  const vk::BoundBuffer buffer = host.buffer(4096 + 16);
  LoadRequest request;
  request.pack = pack_at(loader, file.path());
  request.level = 0;
  ImageDestination to;
  to.image = image.handle();
  to.format = VK_FORMAT_BC7_UNORM_BLOCK;
  to.extent = {64, 64, 1};
  to.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  for (const LoadDestination& destination :
       {LoadDestination(to), LoadDestination(BufferRange{buffer.buffer.get(), 0, 4096 + 16})}) {
    request.to = destination;
    request.path = "short.ktx2";
    RequestReport report;
    CHECK(load_one(loader, request, &report) == RequestStatus::corrupt);
    CHECK(report.path == LoadPath::host_decode);
    request.path = "open.ktx2";
    CHECK(load_one(loader, request, &report) == RequestStatus::ok);
    CHECK(report.path == LoadPath::device_decode);
    CHECK(report.bytes == 4096);
  }
  const Bytes expected = test::slope(4096);
  CHECK(image.read(0, 64, 1, 4096) == expected);
  CHECK(std::memcmp(buffer.mapped, expected.data(), expected.size()) == 0);
  CHECK(static_cast<const std::byte*>(buffer.mapped)[4096] == std::byte{0xa5});
}

// By Basis Universal 2.10: UASTC of 64 x 64 texels with all levels, of the same pixels with and without Zstandard.
TEST_CASE("a KTX2 file of another encoder has the levels of its plain twin, by the device and by the CPU") {
  const auto read = [](const char* name) {
    std::ifstream file(std::filesystem::path(WEFT_TEST_TEXTURES) / name, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const auto all = std::as_bytes(std::span(bytes));
    return Bytes(all.begin(), all.end());
  };
  const Bytes compressed = read("uastc-zstd.ktx2"), plain = read("uastc-plain.ktx2");
  REQUIRE(compressed.size() == 2117);
  const auto texture = ktx2::read(std::span(compressed).first(ktx2::kHeadBytes), compressed.size());
  const auto twin = ktx2::read(std::span(plain).first(ktx2::kHeadBytes), plain.size());
  REQUIRE(texture.ok());
  REQUIRE(twin.ok());
  CHECK(texture->header.supercompression == ktx2::Supercompression::zstd);
  CHECK(texture->header.color_model == 166);
  REQUIRE(texture->levels.size() == 7);
  const LoaderHost host;
  const test::TemporaryFile file(test::pack_of_files({{"uastc.ktx2", compressed}}));
  const vk::BoundBuffer buffer = host.buffer(4096 + 16);
  for (const bool on_device : {true, false}) {
    LoaderConfig config = small_config();
    config.decode_on_device = on_device;
    Loader loader = opened(host, host.loader_device(), config);
    LoadRequest request;
    request.pack = pack_at(loader, file.path());
    request.path = "uastc.ktx2";
    for (uint32_t level = 0; level < 7; ++level) {
      CAPTURE(level);
      const ktx2::Level& expected = twin->levels[level];
      CHECK(texture->levels[level].slice_bytes == expected.stored_bytes);
      request.level = level;
      request.to = BufferRange{buffer.buffer.get(), 0, expected.stored_bytes};
      RequestReport report;
      CHECK(load_one(loader, request, &report) == RequestStatus::ok);
      CHECK(report.path == (on_device ? LoadPath::device_decode : LoadPath::host_decode));
      CHECK(std::memcmp(buffer.mapped, &plain[expected.position], expected.stored_bytes) == 0);
    }
  }
}

TEST_CASE("a batch's semaphore is signalled when all have ended, with errors among them") {
  const LoaderHost host;
  const test::TemporaryFile file(test::loader_pack());
  Loader loader = opened(host, host.loader_device(), small_config());
  const LoaderPack pack = pack_at(loader, file.path());
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  const test::HostDevice& device = host.device();
  REQUIRE(device.function<PFN_vkCreateSemaphore>("vkCreateSemaphore")(device.handle(), &info, nullptr, &semaphore) ==
          VK_SUCCESS);
  const auto value = [&] {
    uint64_t now = 0;
    device.function<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue")(device.handle(), semaphore, &now);
    return now;
  };
  const vk::BoundBuffer buffer = host.buffer(1 << 20);
  std::vector<LoadRequest> requests(3);
  for (LoadRequest& request : requests) {
    request.pack = pack;
    request.path = "slope/300001";
    request.to = BufferRange{buffer.buffer.get(), 0, 300001};
  }
  requests[1].path = "none";
  const auto batch = loader.submit(requests, {semaphore, 7});
  REQUIRE(batch.ok());
  CHECK(value() == 0);
  REQUIRE(loader.wait(*batch));
  CHECK(value() == 7);
  CHECK(batch->status(0) == RequestStatus::ok);
  CHECK(batch->status(1) == RequestStatus::not_found);
  CHECK(batch->status(2) == RequestStatus::ok);
  REQUIRE(loader.submit({&requests[1], 1}, {semaphore, 9}).ok());
  CHECK(value() == 9);
  REQUIRE(loader.submit({}, {semaphore, 10}).ok());
  CHECK(value() == 10);
  device.function<PFN_vkDestroySemaphore>("vkDestroySemaphore")(device.handle(), semaphore, nullptr);
}

TEST_CASE("a host without a lent queue records the work itself") {
  const LoaderHost host;
  const test::TemporaryFile file(test::loader_pack());
  LoaderDevice device = host.loader_device();
  device.queue = VK_NULL_HANDLE;
  Loader loader = opened(host, device, small_config());
  const LoaderPack pack = pack_at(loader, file.path());
  const AllFiles all(host, pack);
  const auto batch = loader.submit(all.requests);
  REQUIRE(batch.ok());
  uint64_t last = 0;
  for (int frame = 0; frame < 10000 && !batch->done(); ++frame) {
    while (loader.pump()) {
    }
    uint64_t number = 0;
    host.run([&](VkCommandBuffer commands) {
      const auto recorded = loader.record(commands);
      REQUIRE(recorded.ok());
      number = *recorded;
    });
    if (number == 0) continue;
    CHECK(number == ++last);
    CHECK_FALSE(batch->done());
    loader.retire(number);
  }
  REQUIRE(batch->done());
  CHECK(last > 1);
  all.check(*batch, true);
  Loader with_queue = opened(host, host.loader_device(), small_config());
  CHECK(with_queue.record(VK_NULL_HANDLE).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("tiles that the device refuses make their request corrupt, and no other") {
  const LoaderHost host;
  Bytes bytes = test::loader_pack();
  const auto entry = *pack::PackReader::open(bytes)->find("slope/65536");
  bytes[entry.position + entry.stored_bytes / 2] ^= std::byte{4};
  const test::TemporaryFile file(bytes);
  Loader loader = opened(host, host.loader_device(), small_config());
  const vk::BoundBuffer buffer = host.buffer(1 << 20);
  std::vector<LoadRequest> requests(2);
  for (LoadRequest& request : requests) request.pack = pack_at(loader, file.path());
  requests[0].path = "slope/65536";
  requests[0].to = BufferRange{buffer.buffer.get(), 0, 65536};
  requests[1].path = "slope/300001";
  requests[1].to = BufferRange{buffer.buffer.get(), 65536, 300001};
  const auto batch = loader.submit(requests);
  REQUIRE(batch.ok());
  REQUIRE(loader.wait(*batch));
  CHECK(batch->status(0) == RequestStatus::corrupt);
  CHECK(batch->status(1) == RequestStatus::ok);
}

namespace {

constexpr uint64_t kFileRoom = 300000;

// Files of frames and pages, and what is in them. No content: they are damaged.
struct FileCase {
  std::string path;
  Bytes file;
  std::optional<Bytes> content;
  bool on_device = true;
  uint64_t room = kFileRoom;
};

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Bytes tile_stream(std::span<const std::vector<uint32_t>> pages, uint32_t last_bytes) {
  std::vector<uint32_t> words = {0xfb04u | static_cast<uint32_t>(pages.size()) << 16, 1u | last_bytes % 65536 << 2};
  words.push_back(static_cast<uint32_t>(4 * pages.back().size()));
  uint32_t at = 0;
  for (size_t i = 0; i + 1 < pages.size(); ++i) words.push_back(at += static_cast<uint32_t>(4 * pages[i].size()));
  for (const auto& page : pages) words.insert(words.end(), page.begin(), page.end());
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::vector<FileCase> file_cases() {
  // lavapipe finishes frames of this size.
  const Bytes content = test::slope(30000, 3), more = test::slope(20001, 4);
  const test::ZstdOptions checked{3, true}, unsized{3, false, false}, in_blocks{1, false, true, 0, 30};
  const Bytes frame = test::zstd_frame(content, checked), tail = test::zstd_frame(more, {19, true});
  const Bytes skippable = {std::byte{0x53}, std::byte{0x2a}, std::byte{0x4d}, std::byte{0x18}, std::byte{1},
                           std::byte{0},    std::byte{0},    std::byte{0},    std::byte{7}};
  const auto spoilt = [](Bytes file, size_t at) {
    file[at] ^= std::byte{0x24};
    return file;
  };
  gstd::test::Random random(7);
  const Bytes page_content = test::slope(30011, 6);
  const std::vector<std::vector<uint32_t>> pages = {gdeflate::test::page_of_zeros(),
                                                    gdeflate::test::page_of(page_content, random)};
  const Bytes stream = tile_stream(pages, 30011);
  const Bytes none = test::zstd_frame({}, checked), open = test::zstd_frame(content, unsized);
  // More frames than a submission's table has entries, and than its scratch has room for at once; of one kind, the
  // content leaves no room for a table in staging.
  constexpr uint32_t kMany = 4100;
  Bytes many, many_contents, tiny, tiny_contents;
  for (uint32_t i = 0; i < kMany; ++i) {
    const Bytes large = test::slope(64, i), small = test::slope(7, i);
    many = joined({std::move(many), test::zstd_frame(large, {1, i % 2 == 0, i + 1 < kMany})});
    tiny = joined({std::move(tiny), test::zstd_frame(small, {1})});
    many_contents.insert(many_contents.end(), large.begin(), large.end());
    tiny_contents.insert(tiny_contents.end(), small.begin(), small.end());
  }
  return {
      {"frame.zst", frame, content},
      {"frames.zst", joined({frame, none, skippable, tail, skippable, frame}), joined({content, more, content})},
      {"open.zst", open, content},
      {"open_end.zst", joined({frame, skippable, test::zstd_frame(more, {3, true, false}), skippable}),
       joined({content, more})},
      {"open_first.zst", joined({open, tail}), joined({content, more}), false},
      {"open_checksum.zst", spoilt(test::zstd_frame(more, {3, true, false}), 60), std::nullopt},
      {"many.zst", many, many_contents},
      {"tiny.zst", tiny, tiny_contents, false, 50000},
      {"blocks.zst", test::zstd_frame(content, in_blocks), content, false},  // 1,000, for which scratch is too small
      {"checksum.zst", spoilt(frame, frame.size() - 2), std::nullopt},
      {"literals.zst", joined({frame, spoilt(tail, 40)}), std::nullopt},
      {"cut.zst", joined({frame, Bytes(tail.begin(), tail.end() - 9)}), std::nullopt},
      {"pages.gdeflate", stream, joined({Bytes(65536), page_content})},
      {"bad.gdeflate", spoilt(stream, stream.size() / 2), std::nullopt}};
}

}  // namespace

TEST_CASE("files of frames and pages are decoded on the device; what it refuses ends with the CPU's verdict, alone") {
  const LoaderHost host;
  const std::vector<FileCase> cases = file_cases();
  std::map<std::string, Bytes> files = {{"slope", test::slope(70000)}};
  for (const FileCase& one : cases) files[one.path] = one.file;
  const test::TemporaryFile file(test::pack_of_files(files));
  for (const bool copies_source : {false, true}) {
    for (const bool on_device : {true, false}) {
      const loader::Hooks hooks{{}, {}, copies_source};
      LoaderConfig config = small_config();
      config.decode_on_device = on_device;
      config.hooks = &hooks;
      Loader loader = opened(host, host.loader_device(), config);
      const LoaderPack pack = pack_at(loader, file.path());
      const uint64_t room = 4 + kFileRoom;
      const vk::BoundBuffer buffer = host.buffer(room * (cases.size() + 1));
      std::vector<LoadRequest> requests(cases.size() + 1);
      for (size_t i = 0; i < requests.size(); ++i) {
        requests[i].pack = pack;
        requests[i].path = i < cases.size() ? std::string_view(cases[i].path) : "slope";
        requests[i].to =
            BufferRange{buffer.buffer.get(), i * room + i % 4, i < cases.size() ? cases[i].room : kFileRoom};
      }
      const auto batch = loader.submit(requests);
      REQUIRE(batch.ok());
      REQUIRE(loader.wait(*batch, std::chrono::seconds(300)));
      for (uint32_t i = 0; i < cases.size(); ++i) {
        const FileCase& one = cases[i];
        CAPTURE(one.path);
        const RequestReport& report = batch->report(i);
        const auto* const to = static_cast<const std::byte*>(buffer.mapped) + i * room + i % 4;
        CHECK(batch->status(i) == (one.content ? RequestStatus::ok : RequestStatus::corrupt));
        CHECK(report.path == (on_device && one.on_device && one.content ? LoadPath::device_decode  //
                                                                        : LoadPath::host_decode));
        if (!one.content) continue;
        CHECK(report.bytes == one.content->size());
        CHECK(std::equal(one.content->begin(), one.content->end(), to));
        CHECK(to[one.content->size()] == std::byte{0xa5});
        CHECK((i == 0 || to[-1] == std::byte{0xa5}));
      }
      CHECK(batch->status(static_cast<uint32_t>(cases.size())) == RequestStatus::ok);
      // Content that does not fit, or just so.
      for (const uint32_t i : {0u, 2u}) {
        REQUIRE(cases[i].content->size() == 30000);
        requests[i].to = BufferRange{buffer.buffer.get(), 0, 29999};
        CHECK(load_one(loader, requests[i]) == RequestStatus::over_limit);
        requests[i].to = BufferRange{buffer.buffer.get(), 0, 30000};
        RequestReport report;
        CHECK(load_one(loader, requests[i], &report) == RequestStatus::ok);
        CHECK(report.path == (on_device ? LoadPath::device_decode : LoadPath::host_decode));
      }
      const LoaderUsage usage = loader.usage();
      CHECK(usage.peak <= usage.budget);
      CHECK(usage.staging_now == 0);
    }
  }
}

TEST_CASE("on a lost device requests to it end so, and those to host memory go on") {
  for (const VkResult failure : {VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY}) {
    test::VulkanShim shim;
    std::atomic<int> left = 1;
    WEFT_REPLACE(shim, vkQueueSubmit,
                 [&](PFN_vkQueueSubmit real, VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
                   return left-- > 0 ? real(queue, count, infos, fence) : failure;
                 });
    const LoaderHost host(shim.get_instance_proc_addr());
    const test::TemporaryFile file(test::loader_pack());
    Loader loader = opened(host, host.loader_device(), small_config());
    const vk::BoundBuffer buffer = host.buffer(1 << 20);
    Bytes bytes(65536);
    LoadRequest request;
    request.pack = pack_at(loader, file.path());
    request.path = "slope/65536";
    request.to = BufferRange{buffer.buffer.get(), 0, 65536};
    CHECK(load_one(loader, request) == RequestStatus::ok);
    const RequestStatus expected =
        failure == VK_ERROR_DEVICE_LOST ? RequestStatus::device_lost : RequestStatus::out_of_memory;
    for (const char* const path : {"slope/65536", "noise/65536"}) {
      request.path = path;
      CHECK(load_one(loader, request) == expected);
    }
    request.to = std::span<std::byte>(bytes);
    CHECK(load_one(loader, request) == RequestStatus::ok);
    CHECK(bytes == test::noise(65536));
    CHECK(loader.usage().staging_now == 0);
    if (failure != VK_ERROR_DEVICE_LOST) {
      left = 1;
      request.to = BufferRange{buffer.buffer.get(), 0, 65536};
      CHECK(load_one(loader, request) == RequestStatus::ok);
    }
  }
}

TEST_CASE("devices without handles, and too little memory of theirs, are refused") {
  const LoaderHost host;
  const auto is_taken = [&](const LoaderDevice& device, uint64_t device_bytes) {
    LoaderConfig config = small_config();
    config.device_bytes = device_bytes;
    const auto loader = Loader::create(host.context(), device, config);
    if (!loader) CHECK(loader.error().code == ErrorCode::invalid_argument);
    return loader.ok();
  };
  // Besides scratch, three submissions have 4 MiB each.
  GstdDecodeConfig decode;
  decode.tiles_in_flight = small_config().tiles_in_flight;
  const auto decoder = GstdDecode::create(host.context(), decode);
  REQUIRE(decoder.ok());
  const uint64_t least = (decoder->scratch_size(UINT64_MAX) + 4095) / 4096 * 4096 + (12u << 20);
  CHECK(is_taken(host.loader_device(), least));
  CHECK_FALSE(is_taken(host.loader_device(), least - 1));
  for (const int missing : {0, 1, 2}) {
    LoaderDevice device = host.loader_device();
    if (missing == 0) device.instance = VK_NULL_HANDLE;
    if (missing == 1) device.physical_device = VK_NULL_HANDLE;
    if (missing == 2) device.get_instance_proc_addr = nullptr;
    CHECK_FALSE(is_taken(device, least));
  }
}

TEST_CASE("a Loader that gets no device memory is not created, and leaves nothing") {
  std::atomic<int> allocations = 0;
  for (int fails_at = 0;; ++fails_at) {
    test::VulkanShim shim;
    std::atomic<int> calls = 0;
    WEFT_REPLACE(shim, vkAllocateMemory,
                 [&](PFN_vkAllocateMemory real, VkDevice device, const VkMemoryAllocateInfo* info,
                     const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
                   if (calls++ == fails_at) return VK_ERROR_OUT_OF_HOST_MEMORY;
                   ++allocations;
                   return real(device, info, callbacks, memory);
                 });
    WEFT_REPLACE(
        shim, vkFreeMemory,
        [&](PFN_vkFreeMemory real, VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
          if (memory != VK_NULL_HANDLE) --allocations;
          real(device, memory, callbacks);
        });
    const LoaderHost host(shim.get_instance_proc_addr());
    LoaderDevice device = host.loader_device();
    device.external_memory_host = false;
    bool created = false;
    {
      LoaderConfig config = small_config();
      config.staging = StagingMemory::host;
      const auto loader = Loader::create(host.context(), device, config);
      created = loader.ok();
      if (!created) CHECK(loader.error().code == ErrorCode::out_of_host_memory);
      if (created) CHECK(allocations == 2);
    }
    CHECK(allocations == 0);
    CHECK(created == (fails_at == 2));
    if (created) break;
  }
}

TEST_CASE("while the device is busy, half of what it decodes at once is submitted together") {
  test::VulkanShim shim;
  std::atomic<bool> is_busy = true;
  std::vector<uint32_t> dispatched;
  WEFT_REPLACE(shim, vkWaitForFences,
               [&](PFN_vkWaitForFences real, VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                   uint64_t timeout) { return is_busy ? VK_TIMEOUT : real(device, count, fences, all, timeout); });
  WEFT_REPLACE(shim, vkCmdDispatch,
               [&](PFN_vkCmdDispatch real, VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
                 dispatched.push_back(x);
                 real(commands, x, y, z);
               });
  const LoaderHost host(shim.get_instance_proc_addr());
  std::map<std::string, Bytes> files;
  for (int i = 0; i < 40; ++i) files["file" + std::to_string(i)] = test::slope(1 << 17);
  const test::TemporaryFile file(test::pack_of_files(files));
  Loader loader = opened(host, host.loader_device(), small_config());
  const vk::BoundBuffer buffer = host.buffer(40 << 17);
  LoadRequest request;
  request.pack = pack_at(loader, file.path());
  std::vector<LoadRequest> requests;
  for (; request.asset < 40; ++request.asset) {
    request.to = BufferRange{buffer.buffer.get(), uint64_t{request.asset} << 17, 1 << 17};
    requests.push_back(request);
  }
  const auto batch = loader.submit(requests);
  REQUIRE(batch.ok());
  const auto pump = [&] {
    while (loader.pump()) {
    }
  };
  // Of each decoding, the second dispatch has a workgroup for each of two tiles a file.
  const auto tiles = [&] {
    std::vector<uint32_t> of_each;
    for (size_t i = 1; i < dispatched.size(); i += 2) of_each.push_back(dispatched[i]);
    return of_each;
  };
  pump();
  CHECK(tiles() == std::vector<uint32_t>{2, 16, 16});
  CHECK_FALSE(batch->done());
  is_busy = false;
  REQUIRE(loader.wait(*batch, std::chrono::seconds(300)));
  for (uint32_t i = 0; i < batch->size(); ++i) CHECK(batch->status(i) == RequestStatus::ok);
  CHECK(tiles() == std::vector<uint32_t>{2, 16, 16, 23, 23});
}

TEST_CASE("while the device is busy, what has come waits for what has no room yet") {
  test::VulkanShim shim;
  std::atomic<bool> is_busy = true;
  std::atomic<uint32_t> submitted = 0;
  WEFT_REPLACE(shim, vkWaitForFences,
               [&](PFN_vkWaitForFences real, VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                   uint64_t timeout) { return is_busy ? VK_TIMEOUT : real(device, count, fences, all, timeout); });
  WEFT_REPLACE(shim, vkQueueSubmit,
               [&](PFN_vkQueueSubmit real, VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
                 ++submitted;
                 return real(queue, count, infos, fence);
               });
  const LoaderHost host(shim.get_instance_proc_addr());
  constexpr uint64_t kBytes = 1 << 20;
  std::map<std::string, Bytes> files;
  for (int i = 0; i < 16; ++i) files["file" + std::to_string(i)] = test::noise(kBytes, i);
  const test::TemporaryFile file(test::pack_of_files(files));
  Loader loader = opened(host, host.loader_device(), small_config());
  const vk::BoundBuffer buffer = host.buffer(16 * kBytes);
  LoadRequest request;
  request.pack = pack_at(loader, file.path());
  std::vector<LoadRequest> requests;
  for (; request.asset < 16; ++request.asset) {
    request.to = BufferRange{buffer.buffer.get(), request.asset * kBytes, kBytes};
    requests.push_back(request);
  }
  const auto batch = loader.submit(requests);
  REQUIRE(batch.ok());
  while (loader.pump()) {
  }
  CHECK(submitted == 1);
  CHECK(loader.usage().staging_now > (uint64_t{10} << 20));
  is_busy = false;
  REQUIRE(loader.wait(*batch, std::chrono::seconds(300)));
  for (uint32_t i = 0; i < batch->size(); ++i) CHECK(batch->status(i) == RequestStatus::ok);
}

TEST_CASE("an idle device waits for what a thread copies from the page cache") {
  test::VulkanShim shim;
  std::atomic<uint32_t> dispatched = 0;
  WEFT_REPLACE(shim, vkCmdDispatch,
               [&](PFN_vkCmdDispatch real, VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
                 ++dispatched;
                 real(commands, x, y, z);
               });
  const LoaderHost host(shim.get_instance_proc_addr());
  std::map<std::string, Bytes> files;
  for (const char* name : {"a", "b"}) files[name] = test::slope(1 << 17);
  const test::TemporaryFile file(test::pack_of_files(files));
  // The Loader's thread stays in its read.
  std::atomic<bool> is_reading = false, may_go_on = false;
  const std::thread::id here = std::this_thread::get_id();
  loader::Hooks hooks;
  hooks.read_cached = [&](int64_t result) {
    if (std::this_thread::get_id() == here) return result;
    is_reading = true;
    while (!may_go_on) std::this_thread::yield();
    return result;
  };
  LoaderConfig config = small_config();
  config.threads = 1;
  config.hooks = &hooks;
  Loader loader = opened(host, host.loader_device(), config);
  const vk::BoundBuffer buffer = host.buffer(2 << 17);
  // Not in the order of the pack: one read each.
  std::vector<LoadRequest> requests(2);
  for (uint32_t i = 0; i < 2; ++i) {
    requests[i].pack = pack_at(loader, file.path());
    requests[i].asset = 1 - i;
    requests[i].to = BufferRange{buffer.buffer.get(), uint64_t{i} << 17, 1 << 17};
  }
  const auto batch = loader.submit(requests);
  REQUIRE(batch.ok());
  while (!is_reading) std::this_thread::yield();
  while (loader.pump()) {
  }
  CHECK(dispatched == 0);
  may_go_on = true;
  REQUIRE(loader.wait(*batch, std::chrono::seconds(300)));
  for (uint32_t i = 0; i < 2; ++i) CHECK(batch->status(i) == RequestStatus::ok);
  CHECK(dispatched == 2);
}

TEST_CASE("commands have labels, begun and ended in pairs") {
  test::VulkanShim shim;
  std::vector<std::string> labels;
  int open = 0;
  WEFT_REPLACE(shim, vkCmdBeginDebugUtilsLabelEXT,
               [&](PFN_vkCmdBeginDebugUtilsLabelEXT real, VkCommandBuffer commands, const VkDebugUtilsLabelEXT* label) {
                 labels.emplace_back(label->pLabelName);
                 ++open;
                 real(commands, label);
               });
  WEFT_REPLACE(shim, vkCmdEndDebugUtilsLabelEXT, [&](PFN_vkCmdEndDebugUtilsLabelEXT real, VkCommandBuffer commands) {
    --open;
    real(commands);
  });
  const LoaderHost host(shim.get_instance_proc_addr());
  if (!host.instance().has_debug_utils()) return;
  const test::TemporaryFile file(test::loader_pack());
  Loader loader = opened(host, host.loader_device(), small_config());
  const vk::BoundBuffer buffer = host.buffer(1 << 20);
  LoadRequest request;
  request.pack = pack_at(loader, file.path());
  request.to = BufferRange{buffer.buffer.get(), 0, 1 << 20};
  for (const auto& [path, label] :
       {std::pair{"slope/65536", "weft loader: decode tiles"}, std::pair{"text.zst", "weft loader: decode frames"}}) {
    labels.clear();
    request.path = path;
    CHECK(load_one(loader, request) == RequestStatus::ok);
    CHECK(open == 0);
    CHECK(std::ranges::count(labels, label) == 1);
    // And each of the decoder's dispatches has its own.
    CHECK(std::ranges::count_if(labels, [](const std::string& of) { return of.find("_decode") != of.npos; }) != 0);
  }
}

TEST_SUITE_END();
