// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Whichever allocation of a call fails, the call says out_of_host_memory, leaks nothing, and may be repeated.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "every_primitive.hpp"
#include "failing_allocation.hpp"
#include "support/environment.hpp"

namespace weft::test {
namespace {

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { set_variable(name, value); }
  ~Variable() { set_variable(name_, nullptr); }

 private:
  const char* name_;
};

}  // namespace

TEST_SUITE("host memory") {
  TEST_CASE("a Context is created or there is no memory") {
    const int64_t before = null_driver::live_objects();
    {
      const Gpu gpu = open_null_gpu();
      const Variable strategy("WEFT_STRATEGY", "look_back");
      const Variable subgroups("WEFT_SUBGROUPS", "wide");
      const Variable tuning("WEFT_TUNE", "scan.rows=99");
      ContextConfig config = null_context_config(gpu);
      config.use_environment = true;
      const auto context = with_each_allocation_failing([&]() noexcept { return Context::create(config); });
      REQUIRE_MESSAGE(context.ok(), context.error().message);
      CHECK(context->strategy() == Strategy::look_back);
      CHECK(context->warnings().size() == 2);
      const auto data = with_each_allocation_failing([&]() noexcept { return context->pipeline_cache_data(); });
      REQUIRE(data.ok());
      CHECK(data->size() > 1000);

      // What is refused is so with memory, and without it.
      config.enabled->subgroup_size_control = true;
      const auto refused = with_each_allocation_failing([&]() noexcept { return Context::create(config); });
      CHECK(refused.error().code == ErrorCode::invalid_argument);
      const auto features = with_each_allocation_failing([&]() noexcept {
        return DeviceFeatures::query(gpu.instance(), gpu.physical_device(), null_driver::get_instance_proc_addr,
                                     VK_API_VERSION_1_3);
      });
      REQUIRE(features.ok());
      CHECK(features->support().usable());
    }
    CHECK(null_driver::live_objects() == before);
  }

  TEST_CASE("a Gpu is opened and used, or there is no memory") {
    const int64_t before = null_driver::live_objects();
    const std::string cache =
        (std::filesystem::temp_directory_path() / ("weft_null_cache." + std::to_string(process_id()))).string();
    {
      const Variable device("WEFT_DEVICE", "no such device");
      GpuConfig config;
      config.get_instance_proc_addr = null_driver::get_instance_proc_addr;
      config.pipeline_cache_file = cache;
      auto gpu = with_each_allocation_failing([&]() noexcept { return Gpu::open(config); });
      REQUIRE_MESSAGE(gpu.ok(), gpu.error().message);
      CHECK(gpu->warnings().size() == 1);
      CHECK(with_each_allocation_failing([&]() noexcept {
              return Gpu::list(null_driver::get_instance_proc_addr);
            })->size() == 1);

      const auto buffer = with_each_allocation_failing([&]() noexcept { return gpu->create_buffer(4096); });
      REQUIRE(buffer.ok());
      CHECK(with_each_allocation_failing([&]() noexcept { return gpu->create_buffer(VkDeviceSize{1} << 60); })
                .error()
                .code == ErrorCode::out_of_device_memory);
      std::vector<std::byte> bytes(4096);
      CHECK(with_each_allocation_failing([&]() noexcept { return gpu->upload(buffer->range(), bytes); }).ok());
      CHECK(gpu->download(buffer->range(), bytes).ok());
      CHECK(with_each_allocation_failing([&]() noexcept { return gpu->fill(buffer->range(), 0); }).ok());
      CHECK(with_each_allocation_failing([&]() noexcept { return gpu->upload(buffer->range(0, 8), bytes); })
                .error()
                .code == ErrorCode::invalid_argument);
      const std::function<Status(VkCommandBuffer)> nothing = [](VkCommandBuffer) { return Status{}; };
      CHECK(with_each_allocation_failing([&]() noexcept { return gpu->run(nothing); }).ok());
      const std::function<Status(VkCommandBuffer, uint32_t)> twice = [](VkCommandBuffer, uint32_t) { return Status{}; };
      CHECK(with_each_allocation_failing([&]() noexcept { return gpu->time(300, twice); }).ok());
      const std::vector<uint32_t> items(1000, 1);
      CHECK(with_each_allocation_failing([&]() noexcept { return gpu->exclusive_scan(items); }).ok());
      CHECK(with_each_allocation_failing([&]() noexcept { return gpu->reduce(items); }).ok());
    }
    CHECK(null_driver::live_objects() == before);
    CHECK(std::filesystem::remove(cache));

    // A destructor has nothing to say: it saves no cache where there is no memory, and leaves no other file.
    for (uint64_t n = 1, allocations = n; allocations >= n; ++n) {
      GpuConfig config;
      config.get_instance_proc_addr = null_driver::get_instance_proc_addr;
      config.pipeline_cache_file = cache;
      auto gpu = Gpu::open(config);
      REQUIRE(gpu.ok());
      std::optional<Gpu> closed(*std::move(gpu));
      {
        const FailingAllocation failing(n);
        closed.reset();
        allocations = FailingAllocation::allocations();
      }
      if (allocations < n) CHECK(std::filesystem::exists(cache));
      std::filesystem::remove(cache);
      for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
        CHECK_FALSE(entry.path().string().starts_with(cache));
    }
    CHECK(null_driver::live_objects() == before);
  }

  TEST_CASE("an exception of the caller's own becomes an error, and the Gpu works on") {
    Gpu gpu = open_null_gpu();
    const auto thrown = gpu.run([](VkCommandBuffer) -> Status { throw std::runtime_error("no such thing"); });
    REQUIRE_FALSE(thrown.ok());
    CHECK(thrown.error().code == ErrorCode::system_error);
    CHECK(thrown.error().message == "no such thing");
    CHECK(gpu.run([](VkCommandBuffer) -> Status { throw std::bad_alloc(); }).error().code ==
          ErrorCode::out_of_host_memory);
    CHECK(gpu.time(1, [](VkCommandBuffer, uint32_t) -> Status { throw 7; }).error().code == ErrorCode::system_error);
    CHECK(gpu.run([](VkCommandBuffer) { return Status{}; }).ok());
  }

  TEST_CASE("every primitive is created or there is no memory") {
    const int64_t before = null_driver::live_objects();
    {
      const Gpu gpu = open_null_gpu();
      const int64_t opened = null_driver::live_objects();
      for_every_primitive([&]<class Primitive>(const char* name, const auto& config, const auto&) {
        CAPTURE(std::string(name));
        {
          const auto created =
              with_each_allocation_failing([&]() noexcept { return Primitive::create(gpu.context(), config); });
          CHECK_MESSAGE(created.ok(), created.error().message);
        }
        CHECK(null_driver::live_objects() == opened);
      });
    }
    CHECK(null_driver::live_objects() == before);
  }

  TEST_CASE("record allocates nothing, and refuses without memory for the reason") {
    Gpu gpu = open_null_gpu();
    for_every_primitive(gpu, [&](const char*, const auto& primitive, Ranges& ranges, const auto& args_of) {
      auto args = args_of(primitive, ranges);
      Status status;
      uint64_t allocations = 0;
      {
        const FailingAllocation none(0);
        status = primitive.record(kCommands, args);
        allocations = FailingAllocation::allocations();
      }
      REQUIRE_MESSAGE(status.ok(), status.error().message);
      CHECK(allocations == 0);

      const uint64_t recorded = null_driver::recorded_commands();
      if constexpr (requires { args.scratch; })
        args.scratch.size = VK_WHOLE_SIZE;
      else
        args.output.size = VK_WHOLE_SIZE;
      status = with_each_allocation_failing([&]() noexcept { return primitive.record(kCommands, args); });
      REQUIRE_FALSE(status.ok());
      CHECK(status.error().code == ErrorCode::invalid_argument);
      CHECK(null_driver::recorded_commands() == recorded);
    });
  }

#if WEFT_TEST_GSTD_DECODE
  TEST_CASE("a table of tiles is made or there is no memory") {
    const std::vector<std::byte> content(100000);
    const auto stream = gstd::compress(content);
    REQUIRE(stream.ok());
    const auto tiles = with_each_allocation_failing([&]() noexcept { return gstd_tiles(*stream, 0, 0); });
    REQUIRE(tiles.ok());
    CHECK(tiles->size() == 2);
    const auto of_range =
        with_each_allocation_failing([&]() noexcept { return gstd_tiles_of_range(*stream, 0, 70000, 10, 0); });
    REQUIRE(of_range.ok());
    CHECK(of_range->size() == 1);
    CHECK(with_each_allocation_failing([&]() noexcept { return gstd_tiles(*stream, 2, 0); }).error().code ==
          ErrorCode::invalid_argument);
  }

  TEST_CASE("a table of frames is made or there is no memory") {
    constexpr std::array<uint8_t, 10> kFrame = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x01, 0x09, 0x00, 0x00, 'x'};
    const auto frames =
        with_each_allocation_failing([&]() noexcept { return zstd_frames(std::as_bytes(std::span(kFrame)), 0, 0); });
    REQUIRE(frames.ok());
    CHECK(frames->frames.size() == 1);
    CHECK(with_each_allocation_failing(
              [&]() noexcept { return zstd_frames(std::as_bytes(std::span(kFrame)).first(9), 0, 0); })
              .error()
              .code == ErrorCode::corrupt_stream);
  }
#endif

  TEST_CASE("a set of kernels without memory is empty, and refused as such") {
    const Gpu gpu = open_null_gpu();
    static constexpr uint32_t kCode[] = {0x07230203, 0, 0, 0, 0};
    const KernelCode kernels[] = {{"a kernel with a long name", kCode}, {"another kernel with a long name", kCode}};
    int failures = 0;
    for (uint64_t n = 1;; ++n) {
      std::optional<KernelSet> set;
      uint64_t allocations = 0;
      {
        const FailingAllocation failing(n);
        set.emplace("a name that is long enough", "transform_lbs", kernels);
        allocations = FailingAllocation::allocations();
      }
      if (allocations < n) {
        CHECK(set->ok());
        CHECK(set->kernels().size() == 2);
        break;
      }
      ++failures;
      CHECK_FALSE(set->ok());
      CHECK(set->name().empty());
      CHECK(set->primitive().empty());
      CHECK(set->kernels().empty());
      CHECK(set->find(kernels[0].name).empty());
      CHECK(set->item_bytes() == 0);
      TransformLbsConfig transform;
      transform.own_kernels = *set;
      CHECK(TransformLbs::create(gpu.context(), transform).error().code == ErrorCode::out_of_host_memory);
      ScanConfig scan;
      scan.own_kernels = *set;
      CHECK(Scan::create(gpu.context(), scan).error().code == ErrorCode::out_of_host_memory);
    }
    CHECK(failures > 5);
  }
}

}  // namespace weft::test
