// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converter.hpp"
#include "gpu_decoder.hpp"
#include "zst_decoder.hpp"

namespace gstd_tool {

/// The content of frames of Zstandard, by a device: in batches of kBatchBytes, or of one frame if that is longer. What
/// the device has no memory for, or refuses, the CPU decodes. Results are those of ZstConverter.
class GpuZstConverter final : public Converter {
 public:
  GpuZstConverter(GpuDecoder& decoder, const Options& options) : gpu_(decoder), options_(options), host_(options) {}

  weft::Status write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) override;
  weft::Status finish(const weft::gstd::Sink& sink) override;

 private:
  weft::Status take(bool is_end, const weft::gstd::Sink& sink);
  weft::Status take_frame(std::span<const std::byte> frame, const weft::gstd::Sink& sink);
  weft::Result<std::string> why_not(std::span<const std::byte> frame, const weft::ZstdTable& table);
  weft::Result<bool> has_room(std::span<const std::byte> frame, const weft::ZstdTable& table);
  weft::Status decode_batch(const weft::gstd::Sink& sink);
  weft::Status decode_by_host(std::span<const std::byte> bytes, const weft::gstd::Sink& sink);
  void note(const std::string& reason) const;
  void begin_batch();

  GpuDecoder& gpu_;
  const Options& options_;
  ZstDecoder host_;
  std::vector<std::byte> kept_;  // from `kept_at_` of the input on
  uint64_t kept_at_ = 0;
  size_t taken_ = 0;        // of what is kept: decoded, or in the batch
  size_t batch_at_ = 0;     // the first that is not decoded
  size_t next_search_ = 0;  // as many bytes after `taken_` are worth another search for a frame's end
  weft::ZstdTable batch_;   // source: from `batch_at_` on
};

}  // namespace gstd_tool
