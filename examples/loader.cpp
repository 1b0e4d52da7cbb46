// SPDX-License-Identifier: MIT OR Apache-2.0
// A pack is streamed to buffers of an engine that has its own allocator, its own queue and a frame graph: the loader
// starts no thread, submits nothing, and its commands are a pass of each frame.
#include <weft/gpu.hpp>
#include <weft/loader.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory_pack.hpp"

namespace {

void check(const weft::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

// The engine: here weft::Gpu gives it a device and memory. An engine with VMA has vmaCreateBuffer in create_buffer,
// with these usages: STORAGE_BUFFER, SHADER_DEVICE_ADDRESS and TRANSFER_DST.
struct Engine {
  weft::Gpu gpu;
  weft::Buffer create_buffer(uint64_t bytes) {
    auto buffer = gpu.create_buffer(bytes);
    check(buffer.status());
    return *std::move(buffer);
  }
};

// README
class Streaming {
 public:
  // Once. The engine's handles stay its own; without LoaderDevice::queue the loader submits nothing.
  Streaming(Engine& engine, const char* path) : engine_(engine) {
    weft::LoaderDevice device;
    device.instance = engine.gpu.instance();
    device.physical_device = engine.gpu.physical_device();
    device.get_instance_proc_addr = engine.gpu.get_instance_proc_addr();
    device.queue_family = engine.gpu.queue_family();
    weft::LoaderConfig config;
    config.budget_bytes = 200u << 20;  // never more, of host and device together
    config.staging_bytes = 32u << 20;
    config.device_bytes = 64u << 20;
    config.threads = 0;  // everything is done in pump(), on threads of the engine's choice
    auto loader = weft::Loader::create(engine.gpu.context(), device, config);
    check(loader.status());
    loader_ = *std::move(loader);
    auto pack = loader_->open_pack(path);
    check(pack.status());
    pack_ = *std::move(pack);
  }

  // When something comes near. Far things have a tag by which they are cancelled when they are not wanted any more.
  weft::LoadBatch load(const std::string& path, const weft::BufferRange& to, weft::LoadPriority priority) {
    weft::LoadRequest request;
    request.pack = pack_;
    request.path = path;
    request.to = to;
    request.priority = priority;
    request.tag = 1;
    auto batch = loader_->submit({&request, 1});
    check(batch.status());
    return *std::move(batch);
  }

  // A pass of the frame graph, before those that read what is loaded. It begins with a barrier of its own, from all
  // that came before, and ends with one to all that follows: the graph needs none for destinations of this pass.
  void record(VkCommandBuffer commands, uint64_t frame) {
    while (loader_->pump()) {  // or a few times, from jobs of the engine
    }
    const auto number = loader_->record(commands);
    check(number.status());
    if (*number != 0) in_flight_.push_back({frame, *number});
  }

  // When the fence of a frame is signalled, as the engine's own resources of the frame are given back.
  void retire(uint64_t frame) {
    for (; !in_flight_.empty() && in_flight_.front().first <= frame; in_flight_.pop_front())
      loader_->retire(in_flight_.front().second);
    loader_->pump();  // batches are done here: their status says how
  }

 private:
  Engine& engine_;
  std::optional<weft::Loader> loader_;
  weft::LoaderPack pack_;
  std::deque<std::pair<uint64_t, uint64_t>> in_flight_;  // a frame and the last number recorded in it
};
// README end

}  // namespace

int main() {
  std::vector<std::byte> content(300000);
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i / 300);
  const char* const path = "loader-example.wpk";
  MemoryPack pack(3);
  check(pack.add("terrain/heights", content));
  check(pack.write(path));

  auto gpu = weft::Gpu::open();
  check(gpu.status());
  Engine engine{*std::move(gpu)};
  const weft::Buffer heights = engine.create_buffer(content.size());
  Streaming streaming(engine, path);
  const weft::LoadBatch batch =
      streaming.load("terrain/heights", heights.range(0, content.size()), weft::LoadPriority::high);
  uint64_t frame = 0;
  for (; !batch.done(); ++frame) {
    // Here a frame is done when run() returns.
    check(engine.gpu
              .run([&](VkCommandBuffer commands) -> weft::Status {
                streaming.record(commands, frame);
                return {};
              })
              .status());
    streaming.retire(frame);
  }
  std::vector<std::byte> loaded(content.size());
  check(engine.gpu.download(heights.range(), loaded));
  std::printf("%s by %s, the content is %s\n", weft::name_of(batch.status(0)), weft::name_of(batch.report(0).path),
              loaded == content ? "what was packed" : "another");
  std::remove(path);
  return 0;
}
