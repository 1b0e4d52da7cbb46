// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <weft/gpu.hpp>

#include "support/work.hpp"

namespace weft::bench {

/// Ranges as long as the case asked for, each at a multiple of 256 bytes.
struct CaseBuffers {
  std::vector<BufferRange> inputs;   ///< one for each of the case's inputs()
  std::vector<BufferRange> outputs;  ///< one for each of the case's outputs()
  BufferRange scratch;
  bool sampled = false;  ///< verification compares some of the outputs
};

/// A u32 of a range.
Result<uint32_t> read_word(Gpu& gpu, const BufferRange& range, uint64_t index = 0);

/// What a call wrote on the device. After an error of the device, error() is set, and what is read is 0.
class GpuOutputs final : public Outputs {
 public:
  GpuOutputs(Gpu& gpu, const CaseBuffers& buffers) : gpu_(gpu), buffers_(buffers) {}

  FetchOutputs fetch(size_t output, uint64_t item_bytes = 4) override;
  Gpu& gpu() const { return gpu_; }
  const BufferRange& range(size_t output) const { return buffers_.outputs[output]; }
  const std::optional<Error>& error() const { return error_; }

 private:
  void read_bytes(size_t output, std::span<std::byte> into) override;

  Gpu& gpu_;
  const CaseBuffers& buffers_;
  std::optional<Error> error_;
};

}  // namespace weft::bench
