// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What look-back asks of a device: messages between workgroups arrive whole, and a workgroup that has begun goes on
// while later ones wait for it. The first is a promise of Vulkan. The second is none, so that it is probed and not
// required.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "shaders/litmus.h"
#include "support/device.hpp"
#include "support/guarded_buffer.hpp"
#include "support/kernel.hpp"

namespace weft::test::litmus_tests {
namespace {

using shader::LitmusCounters;
using shader::LitmusPush;

constexpr uint32_t kInvocations = 128;
constexpr uint32_t kPolls = 64;
// Below what lavapipe takes for a hang.
constexpr uint32_t kMostPolls = 1u << 14;
// A dispatch is followed by one of four times as many polls only if it is far from what systems take for a hang.
constexpr double kLongMs = 20;

std::string name_of(const Backend& backend, uint32_t form) {
  return std::string(form == kLitmusWord64 ? "litmus_64" : "litmus") +
         (backend.is_emulated() ? ".emulated" : ".native");
}

/// Dispatches of one form of messages on one backend's device.
class Litmus {
 public:
  Litmus(Backend& backend, uint32_t form)
      : gpu_(backend.gpu()),
        workgroups_(backend.is_software() ? 64 : 2048),
        kernel_(gpu_, name_of(backend, form), kInvocations, gpu_.context().subgroup_size(), std::array{form}),
        counters_(gpu_, sizeof(LitmusCounters), 0, {}),
        slots_(gpu_, uint64_t{8} * workgroups_ * kInvocations, 0, {}, 0) {}

  /// One dispatch, of a round of its own. Sets last_ms().
  LitmusCounters run(uint32_t polls, uint32_t work) {
    const LitmusCounters zero{};
    const Status cleared = gpu_.upload(counters_.range(), std::as_bytes(std::span(&zero, 1)));
    if (!cleared) FAIL(cleared.error().message);
    round_ = round_ % 255 + 1;
    const LitmusPush push{counters_.address(), slots_.address(), round_, polls, work, 0};
    const auto ran = run_timed(gpu_, [&](VkCommandBuffer commands) {
      kernel_.record(commands, push, workgroups_);
      return Status{};
    });
    if (!ran) FAIL(ran.error().message);
    last_ms_ = ran->device_ms.value_or(ran->host_ms);
    std::vector<std::byte> bytes;
    CHECK(counters_.read(bytes) == "");
    CHECK(slots_.overwritten() == "");
    LitmusCounters counters;
    std::memcpy(&counters, bytes.data(), sizeof counters);
    CHECK(counters.ticket == workgroups_);
    return counters;
  }
  double last_ms() const { return last_ms_; }
  uint64_t messages() const { return uint64_t{workgroups_ - 1} * kInvocations; }

 private:
  Gpu& gpu_;
  uint32_t workgroups_;
  Kernel kernel_;
  GuardedBuffer counters_, slots_;
  uint32_t round_ = 0;
  double last_ms_ = 0;
};

void check_messages(uint32_t form) {
  for (Backend* backend : native_backends()) {
    if (form == kLitmusWord64 && !has_look_back(backend->context())) continue;
    CAPTURE(backend->name());
    Litmus litmus(*backend, form);
    uint64_t sent = 0, waited = 0, stale = 0;
    for (const uint32_t work : {0u, 16u, 256u})
      for (uint32_t run = 0; run < (backend->is_software() ? 8u : 64u); ++run) {
        const LitmusCounters counters = litmus.run(kPolls, work);
        sent += litmus.messages() - counters.ran_out;
        waited += counters.waited;
        stale += counters.stale;
      }
    MESSAGE(sent, " messages received, ", waited, " waited for, ", stale, " stale");
    CHECK(sent > 0);
    CHECK(stale == 0);
  }
}

}  // namespace

TEST_SUITE("litmus") {
  TEST_CASE("a value and its flag in one word of 64 bits arrive together") { check_messages(kLitmusWord64); }
  TEST_CASE("a value and its flag in one word of 32 bits arrive together") { check_messages(kLitmusWord32); }
  TEST_CASE("what was written before a flag is there after it") { check_messages(kLitmusFlag); }
}

TEST_SUITE("forward_progress") {
  TEST_CASE("a workgroup goes on while later ones wait for it") {
    for (Backend* backend : native_backends()) {
      CAPTURE(backend->name());
      Litmus litmus(*backend, kLitmusWord32);
      uint64_t waits = 0, ran_out = 0;
      for (const uint32_t work : {16u, 256u, 2048u}) {
        uint32_t polls = kPolls;
        LitmusCounters counters = litmus.run(polls, work);
        while (counters.ran_out > 0 && polls < kMostPolls && litmus.last_ms() < kLongMs)
          counters = litmus.run(polls *= 4, work);
        waits += litmus.messages();
        ran_out += counters.ran_out;
      }
      MESSAGE(waits, " waits, of which ", ran_out, " ran out");
      WARN(ran_out == 0);
    }
  }
}
}  // namespace weft::test::litmus_tests
