// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gpu_zst_converter.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_getFrameHeader
#include <zstd.h>
#include <zstd_errors.h>

namespace gstd_tool {

using weft::ErrorCode;
using weft::Result;
using weft::Status;
using weft::ZstdBounds;
using weft::ZstdFrame;
using weft::ZstdTable;

namespace {

constexpr size_t kMostFrameBytes = size_t{1} << 30;  // of a compressed frame that is kept for the device
constexpr size_t kMostFrames = size_t{1} << 20;      // of a batch

// Whether the CPU's decoder would refuse the frame's window.
bool has_long_window(std::span<const std::byte> frame, int window_log) {
  ZSTD_frameHeader header;
  return ZSTD_getFrameHeader(&header, frame.data(), frame.size()) != 0 || header.windowSize > uint64_t{1} << window_log;
}

ZstdBounds sum_of(const ZstdBounds& a, const ZstdBounds& b) {
  return {a.blocks + b.blocks, a.literals + b.literals, a.sequences + b.sequences};
}

}  // namespace

Status GpuZstConverter::write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) {
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(batch_at_));
  kept_at_ += batch_at_;
  taken_ -= batch_at_;
  batch_at_ = 0;
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
  return take(false, sink);
}

Status GpuZstConverter::finish(const weft::gstd::Sink& sink) {
  if (Status status = take(true, sink); !status) return status;
  if (Status status = decode_batch(sink); !status) return status;
  return host_.finish();
}

// Whole frames go to the batch. A damaged one, or one that is too long to be kept, goes to the CPU as it comes.
Status GpuZstConverter::take(bool is_end, const weft::gstd::Sink& sink) {
  while (taken_ < kept_.size()) {
    const auto rest = std::span<const std::byte>(kept_).subspan(taken_);
    if (!host_.is_in_frame()) {
      const size_t most = static_cast<size_t>(std::min<uint64_t>(options_.memory, kMostFrameBytes));
      if (!is_end && rest.size() < next_search_ && rest.size() <= most) return {};
      const size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
      const bool is_whole = ZSTD_isError(size) == 0;
      next_search_ = is_whole ? 0 : 2 * rest.size();  // so that all searches of a frame together take its length
      if (is_whole) {
        if (Status status = take_frame(rest.first(size), sink); !status) return status;
        continue;
      }
      const bool is_short = ZSTD_getErrorCode(size) == ZSTD_error_srcSize_wrong;
      if (is_short && !is_end && rest.size() <= most) return {};
      if (Status status = decode_batch(sink); !status) return status;
      if (is_short && !is_end) note("it is longer than what is kept of it");
      host_.pass(kept_at_ + taken_, 0);
    }
    const Result<size_t> by_host = host_.write(rest, sink);
    if (!by_host) return by_host.error();
    taken_ += *by_host;
    begin_batch();
    next_search_ = 0;
  }
  return {};
}

// Why a frame is not the device's; empty if it is. Its content may be larger than what is left of --limit: the CPU
// says where it ends.
Result<std::string> GpuZstConverter::why_not(std::span<const std::byte> frame, const ZstdTable& table) {
  if (has_long_window(frame, options_.window_log)) return std::string("its window is longer than --long allows");
  if (table.output_bytes > host_.room()) return std::string("its content may be more than --limit allows");
  const Result<uint64_t> memory = gpu_.memory_for(1, table.bounds, frame.size() + table.output_bytes, options_.verify);
  if (!memory) return memory.error();
  return std::string(*memory > gpu_.most_memory() ? "it takes more memory than the device is asked for" : "");
}

Status GpuZstConverter::take_frame(std::span<const std::byte> frame, const weft::gstd::Sink& sink) {
  const Result<ZstdTable> table = weft::zstd_frames(frame, 0, 0);
  if (table && table->frames.empty()) {  // a skippable one
    taken_ += frame.size();
    host_.pass(kept_at_ + taken_, 0);
    if (batch_.frames.empty()) begin_batch();
    return {};
  }
  if (!table && table.error().code != ErrorCode::corrupt_stream) return table.error();
  const Result<std::string> reason = table ? why_not(frame, *table) : table.error().message;
  if (!reason) return reason.error();
  if (!reason->empty()) {
    if (Status status = decode_batch(sink); !status) return status;
    host_.pass(kept_at_ + taken_, 0);
    note(*reason);
    taken_ += frame.size();
    begin_batch();
    return decode_by_host(frame, sink);
  }
  const Result<bool> fits = has_room(frame, *table);
  if (!fits) return fits.error();
  if (!*fits)
    if (Status status = decode_batch(sink); !status) return status;
  ZstdFrame entry = table->frames.front();
  entry.source = taken_ - batch_at_;
  entry.output = batch_.output_bytes;
  batch_.frames.push_back(entry);
  batch_.output_bytes += table->output_bytes;
  batch_.bounds = sum_of(batch_.bounds, table->bounds);
  taken_ += frame.size();
  return {};
}

// Whether the batch may have this frame too.
Result<bool> GpuZstConverter::has_room(std::span<const std::byte> frame, const ZstdTable& table) {
  const uint64_t output = batch_.output_bytes + table.output_bytes;
  const auto memory = gpu_.memory_for(batch_.frames.size() + 1, sum_of(batch_.bounds, table.bounds),
                                      taken_ + frame.size() - batch_at_ + output, options_.verify);
  if (!memory) return memory.error();
  return output <= std::min(kBatchBytes, host_.room()) && *memory <= 4 * kBatchBytes &&
         batch_.frames.size() < kMostFrames;
}

void GpuZstConverter::begin_batch() {
  batch_ = {};
  batch_at_ = taken_;
}

Status GpuZstConverter::decode_batch(const weft::gstd::Sink& sink) {
  const ZstdTable batch = std::exchange(batch_, {});
  const size_t first = std::exchange(batch_at_, taken_);
  if (batch.frames.empty()) return {};
  // A skippable frame that follows is not the device's.
  const uint64_t bytes = batch.frames.back().source + batch.frames.back().bytes;
  const auto stream = std::span<const std::byte>(kept_).subspan(first, bytes);
  const uint64_t stream_at = kept_at_ + first;
  const Result<DecodedFrames> decoded = gpu_.decode(stream, batch, options_.verify);
  if (!decoded && decoded.error().code != ErrorCode::out_of_device_memory) return decoded.error();
  for (size_t i = 0; i < batch.frames.size(); ++i) {
    const ZstdFrame& frame = batch.frames[i];
    if (decoded && decoded->verdicts[i] == 0) {
      const uint32_t size = decoded->sizes[i];
      if (Status status = sink(std::span(decoded->content).subspan(frame.output, size)); !status) return status;
      host_.pass(stream_at + frame.source + frame.bytes, size);
      continue;
    }
    host_.pass(stream_at + frame.source, 0);
    note(decoded ? gpu_.name() + " says: " + reason_of<weft::ZstdRefusal>(decoded->verdicts[i])
                 : decoded.error().message);
    if (Status status = decode_by_host(stream.subspan(frame.source, frame.bytes), sink); !status) return status;
  }
  return {};
}

Status GpuZstConverter::decode_by_host(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) {
  while (!bytes.empty()) {
    const Result<size_t> taken = host_.write(bytes, sink);
    if (!taken) return taken.error();
    bytes = bytes.subspan(*taken);
  }
  return host_.is_in_frame() ? host_.finish() : Status();
}

void GpuZstConverter::note(const std::string& reason) const {
  if (options_.verbosity >= 3)
    std::fprintf(stderr, "gstd: the frame at byte %llu is decoded by the CPU: %s\n",
                 static_cast<unsigned long long>(host_.position()), reason.c_str());
}

}  // namespace gstd_tool
