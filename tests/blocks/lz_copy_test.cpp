// SPDX-License-Identifier: MIT OR Apache-2.0
//
// shaders/weft/lz_copy.glsl by itself: sequences at random and at the ends of what there can be, against copies byte by
// byte. Outputs lie beside each other at any byte, so that words are shared.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "shaders/self_test.h"
#include "support/device.hpp"
#include "support/draws.hpp"
#include "support/guarded_buffer.hpp"
#include "support/kernel.hpp"

namespace weft::test::lz_copy_tests {
namespace {

struct Sequence {
  uint32_t literals = 0, match = 0, offset = 1;
};

constexpr uint32_t kBatch = 64;  // sequences

/// What one group writes: batches of up to 64 sequences.
struct Output {
  std::vector<std::vector<Sequence>> batches;
  uint32_t split = 0;  // sixteenths of a batch that the first of two calls writes
  std::vector<std::byte> literals, bytes;

  void add(const Sequence& sequence, uint64_t seed) {
    if (batches.empty() || batches.back().size() == kBatch) batches.emplace_back();
    batches.back().push_back(sequence);
    for (uint32_t i = 0; i < sequence.literals; ++i) {
      literals.push_back(static_cast<std::byte>(random_word(seed, literals.size())));
      bytes.push_back(literals.back());
    }
    for (uint32_t i = 0; i < sequence.match; ++i) bytes.push_back(bytes[bytes.size() - sequence.offset]);
  }
};

/// A sequence of any kind that may follow `position` bytes.
Sequence random_sequence(Draws& draws, uint64_t position) {
  Sequence sequence;
  const auto length = [&](uint64_t most) {
    return static_cast<uint32_t>(draws.one_in(40) ? draws.of_any_magnitude(3000) : draws.below(most));
  };
  if (!draws.one_in(4)) sequence.literals = length(draws.one_in(2) ? 4 : 30);
  position += sequence.literals;
  if (position == 0 || draws.one_in(20)) return sequence;
  sequence.match = length(draws.one_in(2) ? 8 : 60);
  const uint64_t furthest = draws.one_in(3) ? std::min<uint64_t>(position, 9) : position;
  sequence.offset = static_cast<uint32_t>(draws.one_in(8) ? furthest : draws.of_any_magnitude(furthest));
  return sequence;
}

std::vector<Output> random_outputs(uint64_t count) {
  std::vector<Output> outputs(count);
  for (uint64_t i = 0; i < count; ++i) {
    Draws draws(77, i);
    Output& output = outputs[i];
    output.split = static_cast<uint32_t>(draws.below(17));
    // The last batch may have fewer than 64.
    for (uint64_t left = 1 + draws.below(200); left != 0; --left)
      output.add(random_sequence(draws, output.bytes.size()), i);
  }
  return outputs;
}

/// Literals alone, and each small period and length around the window's, after as many literals as it takes.
std::vector<Output> extreme_outputs() {
  std::vector<Output> outputs(1);
  outputs[0].add({5000, 0, 1}, 1);
  for (const uint32_t length : {1u, 3u, 4u, 5u, 895u, 896u, 897u, 4096u})
    for (const uint32_t offset : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 31u, 892u, 896u, 1000u}) {
      Output& output = outputs.emplace_back();
      output.add({offset, length, offset}, length);
      // Matches of what was just written, each of which waits for the one before.
      for (uint32_t i = 1; i < kBatch; ++i) output.add({0, 3 + i % 2, 1 + i % 5}, length);
      output.add({2, length, static_cast<uint32_t>(output.bytes.size()) + 2}, length);
    }
  return outputs;
}

void check_outputs(Backend& backend, std::vector<Output> outputs) {
  // A group is a workgroup where it is wider than a subgroup, and where subgroups are emulated.
  const uint32_t width = backend.context().subgroup_size();
  const uint32_t subgroup = backend.is_emulated() ? std::min(width, 32u) : width;
  const uint32_t workgroup = std::max(subgroup, 32u);
  const Kernel kernel(backend.gpu(),
                      std::string("lz_copy_self_test") + (backend.is_emulated() ? ".emulated" : ".native"), workgroup,
                      subgroup, {});
  while (outputs.size() % (workgroup / 32) != 0) outputs.emplace_back();

  constexpr uint32_t kHead = 4, kBatchWords = 3 * kBatch;
  size_t region_words = 0;
  for (const Output& output : outputs)
    region_words = std::max(region_words, kHead + kBatchWords * output.batches.size() + output.literals.size() / 4 + 3);
  std::vector<uint32_t> inputs(region_words * outputs.size(), 0xdbdbdbdb);
  std::vector<std::byte> expected;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    uint32_t* region = inputs.data() + i * region_words;
    const size_t literals_at = kHead + kBatchWords * output.batches.size() + 1;
    region[0] = static_cast<uint32_t>(expected.size());
    region[1] = static_cast<uint32_t>(output.batches.size());
    region[2] = static_cast<uint32_t>(literals_at);
    region[3] = output.split;
    for (size_t batch = 0; batch < output.batches.size(); ++batch) {
      uint32_t* word = region + kHead + batch * kBatchWords;
      for (size_t slot = 0; slot < kBatch; ++slot) {
        const auto& sequences = output.batches[batch];
        const Sequence sequence = slot < sequences.size() ? sequences[slot] : Sequence{};
        *word++ = sequence.literals;
        *word++ = sequence.match;
        *word++ = sequence.offset;
      }
    }
    if (!output.literals.empty()) std::memcpy(region + literals_at, output.literals.data(), output.literals.size());
    expected.insert(expected.end(), output.bytes.begin(), output.bytes.end());
  }

  GuardedBuffer given(backend.gpu(), inputs.size() * 4, 4, std::as_bytes(std::span(inputs)));
  GuardedBuffer results(backend.gpu(), expected.size(), 3, {});
  shader::SelfTestPush push{};
  push.inputs = given.address();
  push.results = results.address();
  push.lane = static_cast<uint32_t>(region_words);
  const auto ran = run_timed(backend.gpu(), [&](VkCommandBuffer commands) {
    kernel.record(commands, push, static_cast<uint32_t>(outputs.size() / (workgroup / 32)));
    return Status{};
  });
  if (!ran) FAIL(ran.error().message);
  std::vector<std::byte> found;
  CHECK(results.read(found) == "");
  REQUIRE(found.size() == expected.size());
  const auto differs = static_cast<size_t>(std::ranges::mismatch(found, expected).in1 - found.begin());
  if (differs == found.size()) return;
  size_t index = 0, begin = 0;
  while (begin + outputs[index].bytes.size() <= differs) begin += outputs[index++].bytes.size();
  CAPTURE(index);
  CAPTURE(differs - begin);
  CHECK(std::to_integer<int>(found[differs]) == std::to_integer<int>(expected[differs]));
}

}  // namespace

TEST_SUITE("lz_copy") {
  TEST_CASE("sequences at random make what copies byte by byte make, beside others' bytes") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      check_outputs(*backend, random_outputs(backend->is_emulated() ? 60 : 400));
    }
  }

  TEST_CASE("every small period, lengths around the window's, and matches that each wait for the one before") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      check_outputs(*backend, extreme_outputs());
    }
  }
}

}  // namespace weft::test::lz_copy_tests
