// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Checks that arguments which break a precondition are refused by name, before anything is recorded.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/recorded_commands.hpp"
#include "support/sound_calls.hpp"

namespace weft::test {

/// One thing done to sound arguments, and the name the error must hold.
template <class Args>
struct Refusal {
  const char* name;
  const char* description;
  std::function<void(Args&)> breach;
};

/// A device on which recorded commands are noted, with current_tuning().
class RecordingGpu {
 public:
  RecordingGpu() : backend_(open(messages_)) {}

  Gpu& gpu() noexcept { return backend_.gpu(); }
  const Context& context() const { return backend_.context(); }

  Buffer create(VkDeviceSize bytes) {
    Result<Buffer> buffer = gpu().create_buffer(bytes);
    if (!buffer) FAIL(buffer.error().message);
    return std::move(*buffer);
  }

  /// Dispatches of a call that need not wait for the one before, and so have no barrier between them.
  int64_t dispatches_side_by_side = 0;

  /// Records with `args`; the error, if any. Checks that a refusal leaves nothing in the command buffer, and that
  /// all other dispatches that follow each other have a barrier between them.
  template <class Primitive, class Args>
  std::optional<Error> record(const Primitive& primitive, const Args& args, bool null_commands = false) {
    std::optional<Error> error;
    const auto ran = gpu().run([&](VkCommandBuffer commands) {
      take_recorded();
      const Status status = primitive.record(null_commands ? VK_NULL_HANDLE : commands, args);
      recorded_ = take_recorded();
      if (!status) error = status.error();
      return Status{};
    });
    if (!ran) FAIL(ran.error().message);
    if (error) CHECK(recorded_ == "");
    CHECK(missing_barriers(recorded_) == (recorded_.empty() ? 0 : dispatches_side_by_side));
    return error;
  }
  /// Dispatches of the last call.
  int64_t dispatches() const { return std::ranges::count(recorded_, 'd'); }

  /// Records the sound arguments, and then each breach of them.
  template <class Primitive, class Args>
  void check_refused(const Primitive& primitive, const Args& sound, const std::vector<Refusal<Args>>& refusals) {
    CHECK(!record(primitive, sound));
    CHECK(dispatches() > 0);
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
    CHECK(error->code == ErrorCode::invalid_argument);
    CHECK(error->message.find("commands") != std::string::npos);
    CHECK(messages_.all().empty());
  }

 private:
  static Gpu open(Messages& messages) {
    GpuConfig config;
    config.get_instance_proc_addr = recording_entry_point();
    config.on_message = messages.sink();
    Result<Gpu> gpu = Gpu::open(config);
    if (!gpu) FAIL(gpu.error().message);
    return std::move(*gpu);
  }

  Messages messages_;
  Backend backend_;
  std::string recorded_;
};

/// A sound call on a device on which recorded commands are noted.
template <class Primitive>
struct RefusalTest {
  using Config = decltype(SoundCall<Primitive>::config());
  using Args = decltype(SoundCall<Primitive>::args(std::declval<const Primitive&>(), std::declval<Ranges&>()));

  explicit RefusalTest(const Config& config = SoundCall<Primitive>::config())
      : primitive(create(recording, config)),
        ranges(recording.gpu()),
        sound(SoundCall<Primitive>::args(primitive, ranges)) {}

  /// What every range and every count must be, and breaches of what is particular to the primitive.
  void check(const std::vector<Refusal<Args>>& particular = {}) {
    recording.check_refused(primitive, sound, particular);
    // Into one command buffer, which nothing is recorded into.
    const auto ran = recording.gpu().run([&](VkCommandBuffer commands) {
      check_standard_refusals(SoundCall<Primitive>::name, sound, ranges, [&](const Args& args) {
        take_recorded();
        const Status status = primitive.record(commands, args);
        CHECK(take_recorded() == "");
        return status ? std::nullopt : std::optional(status.error());
      });
      return Status{};
    });
    CHECK_MESSAGE(ran, ran.error().message);
  }
  /// That sound arguments so changed are taken.
  template <class Change>
  void check_taken(const Change& change) {
    Args args = sound;
    change(args);
    const std::optional<Error> error = recording.record(primitive, args);
    CHECK_MESSAGE(!error, error->message);
  }

  static Primitive create(const RecordingGpu& recording, const Config& config) {
    Result<Primitive> primitive = Primitive::create(recording.context(), config);
    if (!primitive) FAIL(primitive.error().message);
    return *std::move(primitive);
  }

  RecordingGpu recording;
  Primitive primitive;
  Ranges ranges;
  Args sound;
};

template <class Primitive>
using RefusalsOf = std::vector<Refusal<typename RefusalTest<Primitive>::Args>>;

/// RefusalTest::check() with each strategy. `particular`: of the primitive's.
template <class Primitive>
void check_refusals_of_strategies(typename RefusalTest<Primitive>::Config config,
                                  const std::function<RefusalsOf<Primitive>(const Primitive&)>& particular) {
  for (const Strategy strategy : strategies_of(first_backend().context())) {
    config.strategy = strategy;
    RefusalTest<Primitive> test(config);
    test.check(particular(test.primitive));
  }
}

}  // namespace weft::test
