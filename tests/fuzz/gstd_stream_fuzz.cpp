// SPDX-License-Identifier: MIT OR Apache-2.0
// Any bytes as a stream: both decoders, at once and piece by piece, agree on verdict and
// content, and stay below the limit.
#include <algorithm>
#include <span>
#include <vector>

#include <weft/gstd.hpp>

#include "fuzz_target.hpp"

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMaxContent = 1 << 22;
  const auto stream = std::as_bytes(std::span(data, size));
  gstd::Verdict fast_verdict, reference_verdict;
  gstd::DecompressConfig config;
  config.max_content = kMaxContent;
  config.verdict = &fast_verdict;
  const auto fast = gstd::decompress(stream, config);
  config.reference = true;
  config.verdict = &reference_verdict;
  const auto reference = gstd::decompress(stream, config);
  fuzz::require(fast.ok() == reference.ok() && fast_verdict == reference_verdict, "both decoders have one verdict");
  if (!fast) {
    fuzz::require(fast_verdict.fault != gstd::Fault::none && fast_verdict.position <= size, "a refusal has a position");
    return 0;
  }
  fuzz::require(*fast == *reference, "both decoders have one result");
  fuzz::require(fast->size() <= kMaxContent, "the limit on content holds");

  // Without checksums: what they would have reported must not be what keeps decoders safe.
  config = {};
  config.max_content = kMaxContent;
  config.verify = false;
  const auto unverified = gstd::decompress(stream, config);
  fuzz::require(unverified.ok() && *unverified == *fast, "a valid stream is one without its checksums too");

  auto streaming = gstd::Decompressor::create(config);
  fuzz::require(streaming.ok(), "a decompressor is made");
  std::vector<std::byte> pieces;
  const gstd::Sink sink = [&](std::span<const std::byte> content) {
    pieces.insert(pieces.end(), content.begin(), content.end());
    return Status();
  };
  for (size_t at = 0, step = 1; at < size; at += step, step = step % 997 + 3)
    fuzz::require(streaming->write(stream.subspan(at, std::min(step, size - at)), sink).ok(), "a piece is taken");
  fuzz::require(streaming->finish(sink).ok() && pieces == *fast, "piece by piece gives the same");

  const auto declared = gstd::decompressed_size(stream, config);
  fuzz::require(declared.ok() && *declared == fast->size(), "the size is as declared");
  const size_t first = fast->size() / 3, count = fast->size() / 2;
  std::vector<std::byte> part(count);
  fuzz::require(gstd::decompress_range(stream, first, part, config).ok() &&
                    std::equal(part.begin(), part.end(), fast->begin() + static_cast<std::ptrdiff_t>(first)),
                "a range is a part of the whole");
  return 0;
}
