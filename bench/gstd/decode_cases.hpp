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

  std::string data() const override { return input_.name; }
  std::vector<HostArray> inputs(ItemSource&, uint64_t) const override { return {}; }
  std::vector<uint64_t> outputs(uint64_t) const override { return {}; }
  uint64_t moved_bytes(uint64_t n) const override { return n; }

 protected:
  const DecodeInput& input() const noexcept { return input_; }
  const DecodeSlice& slice() const noexcept { return slice_; }
  std::span<const std::byte> content() const { return std::span(input_.content).subspan(slice_.begin, slice_.bytes()); }
  /// From the beginning of a copy of so many bytes to that of the next.
  static uint64_t stride_of(uint64_t bytes) { return (bytes + 255) / 256 * 256; }
  uint64_t output_stride() const { return stride_of(slice_.bytes()); }
  uint64_t output_bytes() const { return output_stride() * (copies_ - 1) + slice_.bytes(); }
  /// Compares every copy of `range`.
  Verdict verify_copies(Gpu& gpu, const BufferRange& range) const;

 private:
  const DecodeInput& input_;
  DecodeSlice slice_;
  uint32_t copies_;
};

using DecodeCases = std::vector<std::unique_ptr<DecodeCase>>;

/// Rows `copy`: a kernel that reads and writes as many bytes as the others write.
std::unique_ptr<DecodeCase> copy_of_output_case(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies,
                                                const std::string& note);

/// Rows `gstd_decode`. `verify`: whether checksums of tiles are compared.
std::unique_ptr<DecodeCase> gstd_decode_case(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies,
                                             const DecodeOptions& options, const std::string& note);

/// Rows `gdeflate_driver`: the tiles of `gd` that have the slice's content. `indirect`: regions and their number from a
/// buffer.
std::unique_ptr<DecodeCase> gdeflate_case(const DecodeInput& input, const DecodeSlice& slice, uint32_t copies,
                                          const GdFile& gd, const DriverDecoder& driver, const DecodeOptions& options,
                                          bool indirect, const std::string& note);

/// Rows `cpu_gstd` and `cpu_zstd`, by one thread or by all cores; zstd in pieces of a tile's size at `level`.
std::unique_ptr<DecodeCase> cpu_gstd_case(const DecodeInput& input, const DecodeSlice& slice, uint32_t threads);
std::unique_ptr<DecodeCase> cpu_zstd_case(const DecodeInput& input, const DecodeSlice& slice, uint32_t threads,
                                          int level);

}  // namespace weft::bench
