// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "converter.hpp"
#include "options.hpp"

struct ZSTD_DCtx_s;

namespace gstd_tool {

/// Frames of Zstandard one after the other, decoded by libzstd. Errors have the position of the frame.
class ZstDecoder {
 public:
  explicit ZstDecoder(const Options& options);

  /// Decodes to the end of a frame or of the bytes. Returns how many of them it took.
  weft::Result<size_t> write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink);
  /// Error: the last frame is cut off, or there is none.
  weft::Status finish() const;

  /// Whether a frame has begun and not ended.
  bool is_in_frame() const { return in_frame_; }
  /// Bytes of content that --limit leaves.
  uint64_t room() const { return room_; }
  /// Of the frame, or of the next one.
  uint64_t position() const { return frame_at_; }
  /// The next frame is at that position of the input. What was decoded elsewhere before it has so much content.
  void pass(uint64_t position, uint64_t content);

 private:
  weft::Error error(size_t code) const;

  std::unique_ptr<ZSTD_DCtx_s, size_t (*)(ZSTD_DCtx_s*)> stream_;
  std::vector<std::byte> content_;
  uint64_t room_;
  uint64_t read_ = 0, frame_at_ = 0;
  bool in_frame_ = false;
};

/// The content of frames, by the CPU.
class ZstConverter final : public Converter {
 public:
  explicit ZstConverter(const Options& options) : decoder_(options) {}
  weft::Status write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) override;
  weft::Status finish(const weft::gstd::Sink&) override { return decoder_.finish(); }

 private:
  ZstDecoder decoder_;
};

}  // namespace gstd_tool
