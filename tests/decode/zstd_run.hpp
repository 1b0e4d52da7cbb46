// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A call of ZstdDecode against libzstd: every verdict and every byte.
#pragma once

#include <weft/zstd_decode.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/zstd_decode_calls.hpp"
#include "decode/zstd_maker.hpp"
#include "support/primitive_call.hpp"

namespace weft::test {

using gstd::test::Random;
using gstd::test::Sample;
using gstd::test::samples_of;
using FrameVerdicts = std::map<ZstdRefusal, uint32_t>;

/// What a call works on.
struct FrameBatch {
  std::vector<std::byte> source;
  std::vector<ZstdFrame> frames;
  ZstdBounds bounds;
  uint64_t output_bytes = 0;
  std::vector<std::byte> dictionary;

  /// Adds a frame after all others, `gap` bytes after the last and after its output. The bounds of one that is not
  /// sound are more than such frames have on average, and not much more: most time goes into scratch.
  void add(std::span<const std::byte> frame, uint32_t capacity, uint64_t gap = 0) {
    source.resize(source.size() + gap, std::byte{0x28});
    frames.push_back({source.size(), output_bytes + gap, static_cast<uint32_t>(frame.size()), capacity});
    source.insert(source.end(), frame.begin(), frame.end());
    output_bytes += gap + capacity;
    const auto table = zstd_frames(frame, 0, 0);
    const ZstdBounds own = table ? table->bounds : ZstdBounds{4, 4096, 512};
    bounds.blocks += own.blocks;
    bounds.literals += own.literals;
    bounds.sequences += own.sequences;
  }
  std::span<const std::byte> bytes_of(const ZstdFrame& frame) const {
    return std::span(source).subspan(frame.source, frame.bytes);
  }
  bool has(const ZstdFrame& frame) const {
    const uint64_t bytes = (source.size() + 3) / 4 * 4;
    return frame.bytes <= bytes && frame.source <= bytes - frame.bytes && frame.capacity <= output_bytes &&
           frame.output <= output_bytes - frame.capacity;
  }
};

struct FrameRunOptions {
  VkDeviceSize output_misalignment = 0;
  std::optional<DeviceCount> device_count{};
  bool sizes = true, verify = true;
  uint8_t dirt = 0xdb;
};

/// lavapipe ends an invocation after 65,535 iterations of loops, which large frames take.
inline bool is_lavapipe(const Backend& backend) { return backend.name().find("llvmpipe") != std::string::npos; }

inline bool is_bound(ZstdRefusal verdict) {
  return verdict == ZstdRefusal::too_many_blocks || verdict == ZstdRefusal::too_many_literals ||
         verdict == ZstdRefusal::too_many_sequences;
}

/// What a call has left.
struct FoundFrames {
  std::vector<uint32_t> status, sizes;
  Bytes output;
};

/// A call in guarded buffers and on dirty scratch.
class FrameCall {
 public:
  FrameCall(Backend& backend, const FrameBatch& batch, const FrameRunOptions& options)
      : decode_(create<ZstdDecode>(backend, ZstdDecodeConfig{options.verify, !batch.dictionary.empty()})),
        call_(backend.gpu(), options.dirt) {
    args_.frames = call_.input("frames", batch.frames, 8);
    args_.frame_count = call_.count(options.device_count, batch.frames.size());
    Bytes source = batch.source;
    source.resize((source.size() + 3) / 4 * 4);
    args_.source = call_.input("source", source, 4);
    call_.output("output", batch.output_bytes, options.output_misalignment);
    args_.output = call_.expect_any("output", batch.output_bytes);
    std::vector<uint32_t> status(1 + batch.frames.size(), options.dirt * 0x01010101u);
    status[0] = 77;
    call_.input("status", status, 4);
    args_.status = call_.expect_any("status", 4 * status.size());
    if (options.sizes) {
      call_.output("sizes", 4 * batch.frames.size(), 4);
      args_.sizes = call_.expect_any("sizes", 4 * batch.frames.size());
    }
    args_.bounds = batch.bounds;
    if (!batch.dictionary.empty()) args_.dictionary = call_.input("dictionary", batch.dictionary, 4);
    args_.scratch = call_.scratch(batch.frames.empty() ? 0 : decode_.scratch_size(batch.frames.size(), args_.bounds));
  }

  Status record(VkCommandBuffer commands) const { return decode_.record(commands, args_); }

  /// What it has left, after it ran.
  FoundFrames found() {
    CHECK(call_.wrong_after() == "");
    const bool has_sizes = args_.sizes.is_given();
    return {items_of<uint32_t>(call_.found("status")),
            has_sizes ? items_of<uint32_t>(call_.found("sizes")) : std::vector<uint32_t>{}, call_.found("output")};
  }

 private:
  const ZstdDecode& decode_;
  PrimitiveCall call_;
  ZstdDecodeArgs args_;
};

inline FoundFrames run_frames(Backend& backend, const FrameBatch& batch, const FrameRunOptions& options) {
  FrameCall call(backend, batch, options);
  const auto ran = run_timed(backend.gpu(), [&](VkCommandBuffer commands) { return call.record(commands); });
  if (!ran) FAIL(ran.error().message);
  return call.found();
}

/// Checks what a call has left against libzstd; what verdicts there were.
inline FrameVerdicts check_found(const Backend& backend, const FrameBatch& batch, const FrameRunOptions& options,
                                 FoundFrames found) {
  FrameVerdicts verdicts;
  Bytes expected(batch.output_bytes, std::byte{options.dirt});
  uint32_t refused = 77;
  const uint64_t frames = obeyed(options.device_count, batch.frames.size());
  for (size_t f = 0; f < frames; ++f) {
    const ZstdFrame& frame = batch.frames[f];
    const auto verdict = static_cast<ZstdRefusal>(found.status[1 + f]);
    ++verdicts[verdict];
    CAPTURE(f);
    CAPTURE(frame.bytes);
    CAPTURE(frame.capacity);
    CAPTURE(std::string(name_of(verdict)));
    if (!batch.has(frame)) {
      CHECK(verdict == ZstdRefusal::bad_entry);
      ++refused;
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(frame.output);
    const auto content = libzstd_content(batch.bytes_of(frame), frame.capacity, batch.dictionary);
    if (verdict == ZstdRefusal::none) {
      if (options.verify) REQUIRE(content);
      if (content) std::ranges::copy(*content, expected.begin() + first);
      if (content && options.sizes) CHECK(found.sizes[f] == content->size());
      continue;
    }
    ++refused;
    const bool may_be_sound = verdict == ZstdRefusal::inexact || is_bound(verdict) ||
                              (verdict == ZstdRefusal::unfinished && is_lavapipe(backend));
    if (!may_be_sound) CHECK_FALSE(content.has_value());
    if (options.sizes) CHECK(found.sizes[f] == 0);
    std::copy_n(found.output.begin() + first, frame.capacity, expected.begin() + first);
  }
  CHECK(found.status[0] == refused);
  for (size_t f = frames; f < batch.frames.size(); ++f) CHECK(found.status[1 + f] == options.dirt * 0x01010101u);
  const auto wrong = static_cast<uint64_t>(std::ranges::mismatch(found.output, expected).in1 - found.output.begin());
  if (wrong != expected.size()) {
    const auto frame = std::ranges::find_if(
        batch.frames, [&](const ZstdFrame& one) { return wrong >= one.output && wrong - one.output < one.capacity; });
    CAPTURE(wrong);
    CAPTURE(frame - batch.frames.begin());
    const uint64_t byte_of_frame = wrong - (frame != batch.frames.end() ? frame->output : 0);
    CAPTURE(byte_of_frame);
    CHECK(static_cast<uint32_t>(found.output[wrong]) == static_cast<uint32_t>(expected[wrong]));
  }
  return verdicts;
}

inline FrameVerdicts check_frames(Backend& backend, const FrameBatch& batch, const FrameRunOptions& options = {}) {
  return check_found(backend, batch, options, run_frames(backend, batch, options));
}

inline FrameVerdicts all_good(const FrameBatch& batch) {
  return {{ZstdRefusal::none, static_cast<uint32_t>(batch.frames.size())}};
}

/// Adds a frame of each sample of `size` bytes, with options drawn.
inline void add_samples(FrameBatch& batch, uint32_t size, Random& random) {
  for (const Sample& sample : samples_of(size))
    batch.add(zstd_frame(sample.bytes, drawn_options(random, sample.bytes.size())), size + random.below(3),
              random.below(4));
}

/// Adds `count` frames of `bytes` bytes of content, with bits or bytes that are others, or with another's end.
/// The batch's dictionary is theirs, but of every fourth.
inline void add_broken(FrameBatch& batch, uint32_t bytes, uint64_t seed, uint32_t count) {
  Random random(seed);
  std::vector<std::vector<std::byte>> frames;
  for (uint32_t turn = 0; turn < 4; ++turn)
    for (const Sample& sample : samples_of(bytes))
      frames.push_back(zstd_frame(sample.bytes, drawn_options(random, sample.bytes.size()),
                                  turn == 3 ? std::span<const std::byte>() : batch.dictionary));
  const auto any_below = [&](size_t end) { return random.below(static_cast<uint32_t>(end)); };
  for (uint32_t i = 0; i < count; ++i) {
    std::vector<std::byte> frame = frames[any_below(frames.size())];
    const auto flip = [&](size_t from, size_t to) {
      from = std::min(from, frame.size() - 1);
      to = std::clamp(to, from + 1, frame.size());
      frame[from + any_below(to - from)] ^= std::byte{1} << random.below(8);
    };
    switch (random.below(7)) {
      case 0: flip(0, frame.size()); break;
      case 1:
        for (uint32_t bits = 0; bits < 5; ++bits) flip(0, frame.size());
        break;
      case 2: flip(4, 14); break;
      case 3: flip(8, 40); break;
      case 4:
        for (size_t at = any_below(frame.size()); at < frame.size(); ++at) frame[at] = std::byte(random.next());
        break;
      case 5: frame.resize(any_below(frame.size())); break;
      default: {
        const std::vector<std::byte>& other = frames[any_below(frames.size())];
        frame.resize(1 + any_below(frame.size()));
        frame.insert(frame.end(), other.begin() + any_below(other.size()), other.end());
      }
    }
    batch.add(frame, random.one_in(8) ? random.below(2 * bytes) : bytes, i % 4);
  }
}

}  // namespace weft::test
