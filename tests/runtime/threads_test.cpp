// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Many threads build pipelines, create, record and use a Gpu at once. The thread sanitizer runs the tests of this file.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <weft/gpu.hpp>
#include <weft/reduce.hpp>
#include <weft/scan.hpp>

#include "runtime/context_state.hpp"
#include "runtime/kernel_families.hpp"
#include "support/device.hpp"
#include "support/host_device.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/recorder.hpp"
#include "support/vulkan_shim.hpp"

namespace weft::test {
namespace {

constexpr uint64_t kCount = 30000;
constexpr int kThreads = 8;

/// Memory for one thread's calls.
struct Share {
  Buffer input, output, sum, scan_scratch, reduce_scratch;

  static std::optional<Share> create(Gpu& gpu, const Scan& scan, const Reduce& reduce) {
    auto input = gpu.create_buffer(4 * kCount), output = gpu.create_buffer(4 * kCount), sum = gpu.create_buffer(16);
    auto scan_scratch = gpu.create_buffer(scan.scratch_size(kCount));
    auto reduce_scratch = gpu.create_buffer(reduce.scratch_size(kCount));
    if (!input || !output || !sum || !scan_scratch || !reduce_scratch) return std::nullopt;
    return Share{std::move(*input), std::move(*output), std::move(*sum), std::move(*scan_scratch),
                 std::move(*reduce_scratch)};
  }

  Status record(VkCommandBuffer commands, const Scan& scan, const Reduce& reduce) const {
    if (Status status = scan.record(commands, {input.range(), output.range(), scan_scratch.range(), kCount, {}});
        !status)
      return status;
    return reduce.record(commands, {input.range(), sum.range(), reduce_scratch.range(), kCount, {}});
  }

  /// Where the results differ from the oracle's, in words.
  std::string difference_on(Gpu& gpu, const std::vector<uint32_t>& items) const {
    std::vector<uint32_t> scanned(kCount);
    uint32_t total = 0;
    if (!gpu.download(output.range(), std::as_writable_bytes(std::span(scanned)))) return "no download";
    if (!gpu.download(sum.range(), std::as_writable_bytes(std::span(&total, 1)))) return "no download";
    if (total != reduce_of<uint32_t>(std::span(items), Op::add)) return "the sum is wrong";
    return difference(scanned, scan_of<uint32_t>(std::span(items), ScanKind::exclusive, Op::add));
  }
};

void run_threads(const std::function<std::string(int)>& body) {
  std::vector<std::string> errors(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { errors[static_cast<size_t>(i)] = body(i); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) CHECK(error == "");
}

}  // namespace

TEST_SUITE("host recording") {
  TEST_CASE("one primitive records on many threads at once") {
    Gpu& gpu = first_backend().gpu();
    for (const Strategy strategy : strategies_of(gpu.context())) {
      const Scan& scan = create<Scan>(first_backend(), {ScanKind::exclusive, Op::add, Type::u32, Type::u32, strategy});
      const Reduce& reduce = create<Reduce>(first_backend());
      std::vector<Share> shares;
      std::vector<std::unique_ptr<Recorder>> recorders;
      std::vector<std::vector<uint32_t>> items;
      for (uint64_t i = 0; i < kThreads; ++i) {
        auto share = Share::create(gpu, scan, reduce);
        REQUIRE(share);
        shares.push_back(std::move(*share));
        recorders.push_back(std::make_unique<Recorder>(gpu));
        REQUIRE(recorders.back()->ok());
        items.push_back(random_items<uint32_t>(kCount, i));
        REQUIRE(gpu.upload(shares[i].input.range(), std::as_bytes(std::span(items[i]))).ok());
      }
      run_threads([&](int thread) {
        const auto i = static_cast<size_t>(thread);
        std::string error;
        for (int round = 0; round < 50 && error.empty(); ++round)
          error =
              recorders[i]->record([&](VkCommandBuffer commands) { return shares[i].record(commands, scan, reduce); });
        return error;
      });
      for (size_t i = 0; i < kThreads; ++i) {
        REQUIRE(recorders[i]->submit() == VK_SUCCESS);
        CHECK(shares[i].difference_on(gpu, items[i]) == "");
      }
    }
  }

  TEST_CASE("primitives are created on many threads at once and share their pipelines") {
    Gpu& gpu = first_backend().gpu();
    run_threads([&](int thread) -> std::string {
      for (const Op op : {Op::add, thread % 2 == 0 ? Op::min : Op::max}) {
        const Result<Scan> scan =
            Scan::create(gpu.context(), {ScanKind::exclusive, op, Type::u32, Type::u32, Strategy::automatic});
        if (!scan) return scan.error().message;
        const Result<Reduce> reduce = Reduce::create(gpu.context(), {op, Type::u32, Type::u32});
        if (!reduce) return reduce.error().message;
      }
      return {};
    });
  }

  TEST_CASE("primitives are built on a program's threads, and each is tried") {
    Gpu& gpu = first_backend().gpu();
    const Context& context = gpu.context();
    std::optional<Scan> scan, impossible;
    std::optional<Reduce> reduce;
    const Prewarm work[] = {prewarm_of(scan, ScanConfig{}),
                            [](const Context&) -> Status { throw std::runtime_error("of a program's own"); },
                            prewarm_of(impossible, ScanConfig{.op = Op::arg_min}), prewarm_of(reduce, ReduceConfig{})};
    std::vector<std::thread::id> threads(std::size(work));
    const RunTasks run = [&](uint32_t count, const std::function<void(uint32_t)>& task) {
      std::vector<std::thread> started;
      for (uint32_t i = 0; i < count; ++i)
        started.emplace_back([&, i] {
          threads[i] = std::this_thread::get_id();
          task(i);
        });
      for (std::thread& thread : started) thread.join();
    };
    const Status status = context.prewarm(work, run);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::system_error);
    CHECK(status.error().message == "of a program's own");
    CHECK(std::ranges::count(threads, std::this_thread::get_id()) == 0);
    CHECK(scan.has_value());
    CHECK_FALSE(impossible.has_value());
    CHECK(reduce.has_value());
    CHECK(context.prewarm(std::span(work).subspan(2), {}).error().code == ErrorCode::unsupported);
    CHECK(context.prewarm(std::span(work).last(1), {}).ok());
    // Tasks that were not run, and an executor that throws.
    reduce.reset();
    CHECK(context.prewarm(std::span(work).last(1), [](uint32_t, const auto&) {}).error().code ==
          ErrorCode::system_error);
    CHECK_FALSE(reduce.has_value());
    CHECK(context.prewarm(work, [](uint32_t, const auto&) { throw std::bad_alloc(); }).error().code ==
          ErrorCode::out_of_host_memory);
    CHECK(context.prewarm({}, run).ok());
  }

  TEST_CASE("a Gpu uploads, runs and downloads for many threads") {
    Gpu& gpu = first_backend().gpu();
    const Scan& scan = create<Scan>(first_backend());
    const Reduce& reduce = create<Reduce>(first_backend());
    run_threads([&](int thread) -> std::string {
      for (uint64_t round = 0; round < 3; ++round) {
        const auto items = random_items<uint32_t>(kCount, 100 * static_cast<uint64_t>(thread) + round);
        const auto share = Share::create(gpu, scan, reduce);
        if (!share) return "no memory";
        if (const Status status = gpu.upload(share->input.range(), std::as_bytes(std::span(items))); !status)
          return status.error().message;
        const auto ran = gpu.run([&](VkCommandBuffer commands) { return share->record(commands, scan, reduce); });
        if (!ran) return ran.error().message;
        if (std::string wrong = share->difference_on(gpu, items); !wrong.empty()) return wrong;
      }
      return {};
    });
  }

  TEST_CASE("many threads take turns") {
    Gpu& gpu = first_backend().gpu();
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> threads;
      for (size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          auto buffer = gpu.create_buffer(4096);
          if (!buffer) {
            ++wrong;
            return;
          }
          for (uint32_t turn = 0; turn < 5; ++turn) {
            const std::vector<uint32_t> items(100 + 50 * t, turn + 1);
            const auto sum = gpu.reduce(items);
            if (!sum || *sum != items.size() * (turn + 1)) ++wrong;
            const std::vector<uint8_t> bytes = random_items<uint8_t>(4000 + t, turn);
            std::vector<uint8_t> back(bytes.size());
            if (!gpu.upload(buffer->range(), std::as_bytes(std::span(bytes))) ||
                !gpu.download(buffer->range(), std::as_writable_bytes(std::span(back))) || back != bytes)
              ++wrong;
          }
        });
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_SUITE("host pipelines") {
  TEST_CASE("one pipeline per variant, whichever threads ask and however many at once") {
    const HostInstance host;
    VulkanShim shim;
    std::atomic<int> built = 0;
    WEFT_REPLACE(shim, vkCreateComputePipelines,
                 [&](auto real, VkDevice d, VkPipelineCache c, uint32_t n, auto* info, auto* callbacks, auto* out) {
                   ++built;
                   return real(d, c, n, info, callbacks, out);
                 });
    const Adopted adopted(host);
    ContextConfig config = adopted.config();
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    const auto context = Context::create(config);
    REQUIRE_MESSAGE(context.ok(), context.error().message);
    const runtime::ContextState& state = *context->state();
    constexpr uint32_t kWorkgroups[] = {128, 256};
    std::shared_ptr<const runtime::Pipeline> pipelines[kThreads];
    {
      std::vector<std::jthread> threads;
      for (size_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
          auto pipeline = state.pipeline(runtime::kernels::look_back(), "look_back_reset", kWorkgroups[i % 2], {});
          if (pipeline) pipelines[i] = *std::move(pipeline);
        });
      }
    }
    CHECK(built == 2);
    for (size_t i = 0; i < kThreads; ++i) {
      REQUIRE(pipelines[i] != nullptr);
      CHECK(pipelines[i] == pipelines[i % 2]);
    }
    CHECK(pipelines[0] != pipelines[1]);

    const std::shared_ptr<const runtime::Pipeline> kept = pipelines[0];
    for (auto& pipeline : pipelines) pipeline.reset();
    CHECK(*state.pipeline(runtime::kernels::look_back(), "look_back_reset", 128, {}) == kept);
    CHECK(built == 2);
    CHECK(
        state.pipeline(runtime::kernels::look_back(), "look_back_reset", 256, {}).ok());  // no one held it: built anew
    CHECK(built == 3);
    // A constant that the kernel lacks makes no variant, and one that it has does.
    const runtime::ConstantValue constant{2, 7};
    CHECK(*state.pipeline(runtime::kernels::look_back(), "look_back_reset", 128, {&constant, 1}) == kept);
    CHECK(built == 3);
    const auto variant = [&](uint32_t value) {
      std::vector<runtime::ConstantValue> constants;
      for (uint32_t id = 2; id < 100; ++id) constants.push_back({id, value});
      return state.pipeline(runtime::kernels::binary_search(), "binary_search", 128, constants);
    };
    const auto one = variant(1), two = variant(2);
    REQUIRE(one.ok());
    REQUIRE(two.ok());
    CHECK(*one != *two);
    CHECK(built == 5);
  }
}

}  // namespace weft::test
