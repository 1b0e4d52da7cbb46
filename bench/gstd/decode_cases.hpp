// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode_device.hpp"
#include "decode_input.hpp"
#include "support/bench_case.hpp"

namespace weft::bench {

/// A call that makes the content of a slice, `copies` times at once. Its size, and what it is said to move, is bytes of
/// output: so are its GB/s.
class DecodeCase : public BenchCase {
 public:
  /// `variant`: what follows "data=NAME " in the row.
  DecodeCase(std::string primitive, const DecodeInput& input, const DecodeSlice& slice, uint32_t copies,
             const std::string& variant);

  /// Of one copy; 0: nothing is compressed.
  virtual uint64_t compressed_bytes() const { return 0; }
  uint32_t copies() const noexcept { return copies_; }
  uint64_t copy_bytes() const noexcept { return slice_.bytes(); }

 protected:
  const DecodeInput& input() const noexcept { return input_; }
  const DecodeSlice& slice() const noexcept { return slice_; }
  std::span<const std::byte> content() const { return std::span(input_.content).subspan(slice_.begin, slice_.bytes()); }
  /// From the beginning of a copy of so many bytes to that of the next.
  static uint64_t stride_of(uint64_t bytes) { return (bytes + 255) / 256 * 256; }
  uint64_t output_stride() const { return stride_of(slice_.bytes()); }
  uint64_t output_bytes() const { return output_stride() * (copies_ - 1) + slice_.bytes(); }
  /// Compares one copy's output, which begins at `at` of all outputs.
  static Verdict compare(std::span<const std::byte> found, std::span<const std::byte> expected, uint64_t at);
  /// Compares every copy of `range`.
  Verdict verify_copies(Gpu& gpu, const BufferRange& range, std::span<const std::byte> expected) const;

 private:
  const DecodeInput& input_;
  DecodeSlice slice_;
  uint32_t copies_;
};

using DecodeCases = std::vector<std::unique_ptr<DecodeCase>>;

/// Rows `copy`, a kernel that reads and writes as many bytes as the others write; `gstd_decode`, and of its first
/// dispatch the stages that are asked for; `zstd_decode` at each level, or of a file of zstd; of a `gd` that has the
/// slice's content, `gdeflate_decode`; and, with a `driver`, `gdeflate_driver`.
void add_device_cases(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies, const DecodeOptions& options,
                      const std::string& note, const GdFile* gd, const DriverDecompression* driver, DecodeCases& cases);

/// Rows `cpu_gstd` and `cpu_zstd`, by one thread and by all cores; zstd in pieces of a tile's size at `level`.
void add_host_cases(const DecodeInput& input, int level, DecodeCases& cases);

}  // namespace weft::bench
