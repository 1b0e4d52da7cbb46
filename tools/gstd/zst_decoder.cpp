// SPDX-License-Identifier: MIT OR Apache-2.0
#include "zst_decoder.hpp"

#include <algorithm>
#include <string>

// For ZSTD_d_forceIgnoreChecksum.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

namespace gstd_tool {

using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

ZstDecoder::ZstDecoder(const Options& options)
    : stream_(ZSTD_createDCtx(), ZSTD_freeDCtx),
      content_(std::max(ZSTD_DStreamOutSize(), size_t{1} << 20)),
      room_(options.limit) {
  if (stream_ == nullptr) return;
  ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, options.window_log);
  if (!options.verify) ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_forceIgnoreChecksum, ZSTD_d_ignoreChecksum);
}

Error ZstDecoder::error(size_t code) const {
  const ZSTD_ErrorCode kind = ZSTD_getErrorCode(code);
  if (kind == ZSTD_error_memory_allocation) return {ErrorCode::out_of_host_memory, "the host is out of memory"};
  return {ErrorCode::corrupt_stream,
          "the frame at byte " + std::to_string(frame_at_) + ": " + ZSTD_getErrorName(code) +
              (kind == ZSTD_error_frameParameter_windowTooLarge ? " (--long allows it)" : "")};
}

Result<size_t> ZstDecoder::write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) {
  if (stream_ == nullptr) return Error{ErrorCode::out_of_host_memory, "the host is out of memory"};
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (bool goes_on = !bytes.empty(); goes_on;) {
    ZSTD_outBuffer out{content_.data(), content_.size(), 0};
    const size_t missing = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(missing) != 0) return error(missing);
    if (out.pos > room_) return Error{ErrorCode::over_limit, "there is more content than --limit allows"};
    room_ -= out.pos;
    if (out.pos != 0)
      if (const Status status = sink(std::span(content_).first(out.pos)); !status) return status.error();
    in_frame_ = missing != 0;
    // Output that fills its room may go on without more input.
    goes_on = in_frame_ && (in.pos < in.size || out.pos == out.size);
  }
  read_ += in.pos;
  if (!in_frame_) frame_at_ = read_;
  return in.pos;
}

void ZstDecoder::pass(uint64_t position, uint64_t content) {
  read_ = frame_at_ = position;
  room_ -= content;
}

Status ZstDecoder::finish() const {
  if (read_ != 0 && !in_frame_) return {};
  return Error{ErrorCode::corrupt_stream, "the frame at byte " + std::to_string(frame_at_) + ": it is cut off"};
}

Status ZstConverter::write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) {
  while (!bytes.empty()) {
    const Result<size_t> taken = decoder_.write(bytes, sink);
    if (!taken) return taken.error();
    bytes = bytes.subspan(*taken);
  }
  return {};
}

}  // namespace gstd_tool
