// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "core/dispatch_arguments_calls.hpp"
#include "primitives/core/arguments.hpp"
#include "support/config_text.hpp"
#include "support/primitive_call.hpp"
#include "support/refusals.hpp"

namespace weft::test::dispatch_arguments_tests {
namespace {

using Command = std::array<uint32_t, 3>;

/// Checks what is written for a count on the device, or, of no bytes, for a value.
std::string wrong_arguments(Backend& backend, uint64_t count, uint32_t count_bytes, uint64_t maximum,
                            uint32_t items_per_workgroup, const Command& expected, VkDeviceSize misalignment = 4) {
  PrimitiveCall call(backend.gpu());
  const std::optional<DeviceCount> on_device =
      count_bytes == 0 ? std::nullopt : std::optional(DeviceCount{count, count_bytes});
  const DispatchArgumentsArgs args{call.count(on_device, maximum, misalignment), items_per_workgroup,
                                   call.output("output", sizeof(Command), misalignment)};
  call.expect("output", std::vector(expected.begin(), expected.end()));
  return call.wrong(create<DispatchArguments>(backend, DispatchArgumentsConfig{}), args);
}

Command expected_for(const Backend& backend, uint64_t groups) {
  const auto size = primitives::dispatch_size(groups, backend.context().state()->traits().max_workgroup_count_x);
  return {size.x, size.y, 1};
}

}  // namespace

TEST_SUITE("dispatch_arguments") {
  TEST_CASE("counts on the device become as many workgroups as the host would dispatch [widths]") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      const uint64_t max_x = backend->context().state()->traits().max_workgroup_count_x;
      for (const uint32_t items : {1u, 3u, 256u, 0x80000001u, ~0u})
        for (const uint64_t groups : {uint64_t{0}, uint64_t{1}, uint64_t{2}, max_x - 1, max_x, max_x + 1, 2 * max_x,
                                      2 * max_x + 1, 1000 * uint64_t{65535} + 7, ~uint32_t{0} - uint64_t{2}})
          for (const uint32_t bytes : {0u, 4u, 8u}) {
            const uint64_t least = groups == 0 ? 0 : (groups - 1) * items + 1;
            for (const uint64_t count : {least, groups * items}) {
              if (groups >= max_x * 65535 || (bytes == 4 && count > ~0u)) continue;
              CAPTURE(items);
              CAPTURE(count);
              CAPTURE(bytes);
              CHECK(wrong_arguments(*backend, count, bytes, count, items, expected_for(*backend, groups)) == "");
            }
          }
    }
  }

  TEST_CASE("a count above its maximum is taken as the maximum") {
    Backend& backend = first_backend();
    CHECK(wrong_arguments(backend, 1001, 4, 1000, 10, {100, 1, 1}) == "");
    CHECK(wrong_arguments(backend, ~uint64_t{0}, 8, 1000, 10, {100, 1, 1}) == "");
    CHECK(wrong_arguments(backend, ~uint64_t{0}, 8, 0, 10, {0, 1, 1}) == "");
  }

  TEST_CASE("count and output begin at any word") {
    for (VkDeviceSize misalignment = 0; misalignment < 16; misalignment += 4)
      for (const uint32_t bytes : {4u, 8u})
        CHECK(wrong_arguments(first_backend(), 77, bytes, 100, 7, {11, 1, 1}, misalignment) == "");
  }

  TEST_CASE("what is written dispatches") {
    Backend& backend = first_backend();
    Gpu& gpu = backend.gpu();
    const auto& arguments = create<DispatchArguments>(backend, DispatchArgumentsConfig{});
    auto buffer = gpu.create_buffer(64);
    REQUIRE(buffer);
    // Three workgroups write the arguments of an indirect dispatch each anew, which is as much as one can see of them
    // here: the pipeline that is bound is that of DispatchArguments, and what it pushed last still is.
    const auto indirect = device_function<PFN_vkCmdDispatchIndirect>(gpu, "vkCmdDispatchIndirect");
    const auto pipeline_barrier = device_function<PFN_vkCmdPipelineBarrier>(gpu, "vkCmdPipelineBarrier");
    const auto ran = run_timed(gpu, [&](VkCommandBuffer commands) {
      Status status = arguments.record(commands, {30, 10, buffer->range(0, 12)});
      if (!status) return status;
      const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                    VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
      pipeline_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
      status = arguments.record(commands, {50, 10, buffer->range(16, 12)});
      indirect(commands, buffer->handle(), 0);
      return status;
    });
    REQUIRE(ran);
    std::array<uint32_t, 7> words{};
    REQUIRE(gpu.download(buffer->range(), std::as_writable_bytes(std::span(words))).ok());
    CHECK(Command{words[0], words[1], words[2]} == Command{3, 1, 1});
    CHECK(Command{words[4], words[5], words[6]} == Command{5, 1, 1});
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<DispatchArguments> test;
    test.check({{"items_per_workgroup", "none", [](auto& a) { a.items_per_workgroup = 0; }},
                {"count", "of more groups than there can be", [](auto& a) { a.count = uint64_t{64} << 32; }}});
  }
}

}  // namespace weft::test::dispatch_arguments_tests
