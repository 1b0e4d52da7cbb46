// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Checks that arguments which break a precondition are refused by name, before anything is recorded.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/recorded_commands.hpp"

namespace weft::test {

/// One thing done to sound arguments, and the name the error must hold.
template <class Args>
struct Refusal {
  const char* name;
  const char* description;
  std::function<void(Args&)> breach;
};

/// A device on which recorded commands are noted, with current_tuning().
class NotingGpu {
 public:
  NotingGpu() : backend_(open(messages_)) {}

  Gpu& gpu() noexcept { return backend_.gpu(); }
  const Context& context() const { return backend_.context(); }

  Buffer made(VkDeviceSize bytes) {
    Result<Buffer> buffer = gpu().create_buffer(bytes);
    if (!buffer) FAIL(buffer.error().message);
    return std::move(*buffer);
  }

  /// Records with `args`; the error, if any. Checks that a refusal leaves nothing in the command buffer, and that dispatches that
  /// follow each other have a barrier between them.
  template <class Primitive, class Args>
  std::optional<Error> record(const Primitive& primitive, const Args& args, bool null_commands = false) {
    std::optional<Error> error;
    std::string recorded;
    const auto ran = gpu().run([&](VkCommandBuffer commands) {
      take_recorded();
      const Status status = primitive.record(null_commands ? VK_NULL_HANDLE : commands, args);
      recorded = take_recorded();
      if (!status) error = status.error();
      return Status{};
    });
    if (!ran) FAIL(ran.error().message);
    if (error) CHECK(recorded == "");
    CHECK(!lacks_barrier(recorded));
    return error;
  }

  /// Records the sound arguments, and then each breach of them.
  template <class Primitive, class Args>
  void check_refused(const Primitive& primitive, const Args& sound, const std::vector<Refusal<Args>>& refusals) {
    CHECK(!record(primitive, sound));
    for (const Refusal<Args>& refusal : refusals) {
      CAPTURE(std::string(refusal.name));
      CAPTURE(std::string(refusal.description));
      Args args = sound;
      refusal.breach(args);
      const auto error = record(primitive, args);
      REQUIRE(error);
      CHECK(error->code == ErrorCode::invalid_argument);
      CHECK(error->message.find(refusal.name) != std::string::npos);
    }
    const auto error = record(primitive, sound, true);
    REQUIRE(error);
    CHECK(error->message.find("commands") != std::string::npos);
    CHECK(messages_.all().empty());
  }

 private:
  static Gpu open(Messages& messages) {
    GpuConfig config;
    config.get_instance_proc_addr = noting_entry_point();
    config.on_message = messages.sink();
    Result<Gpu> gpu = Gpu::open(config);
    if (!gpu) FAIL(gpu.error().message);
    return std::move(*gpu);
  }

  Messages messages_;
  Backend backend_;
};

}  // namespace weft::test
