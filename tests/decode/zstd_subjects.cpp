// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Subjects of the fuzz test and of the self-test: frames that libzstd writes, and that are broken.
#include "decode/zstd_run.hpp"
#include "support/config_text.hpp"
#include "support/draws.hpp"
#include "support/fuzz_subject.hpp"

namespace weft::test::zstd_decode_tests {
namespace {

void check_drawn_frames(Backend& backend, const ZstdDecodeConfig& config, Draws& draw) {
  FrameBatch batch;
  Random random(draw.word());
  for (uint64_t wanted = draw.at_most(1 + draw.below(4)); batch.frames.size() < 10 * wanted;)
    add_samples(batch, draw.pick({1u, 100u, 1021u, 5000u}), random);
  check_frames(backend, batch, {.verify = config.verify, .dirt = draw.dirt()});
}

void check_mutated_frames(Backend& backend, const ZstdDecodeConfig& config, Draws& draw) {
  FrameBatch batch;
  const uint32_t bytes = draw.pick({203u, 1000u, 3001u});
  const auto frames = static_cast<uint32_t>(draw.at_most(1 + draw.below(200)));
  add_broken(batch, bytes, draw.word(), frames);
  check_frames(backend, batch, {.verify = config.verify, .dirt = draw.dirt()});
}

const FuzzSubjects fuzzed("zstd_decode", [] {
  const ZstdDecodeConfig config{};
  return std::vector<FuzzSubject>{{config, "", check_drawn_frames},
                                  {config, "", check_mutated_frames, "mutated frames"}};
});

}  // namespace
}  // namespace weft::test::zstd_decode_tests
