// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/gdeflate.hpp>
#include <weft/types.hpp>

#include <span>
#include <vector>

namespace weft {

/// Entry of a page table in a device buffer: 24 bytes, little-endian.
struct GdeflatePage {
  /// Byte position of the page's words in `source`, a multiple of 4.
  uint64_t source = 0;
  /// Byte position of its content in `output`. Any alignment.
  uint64_t output = 0;
  /// Number of words of 4 bytes, at most gdeflate::kMaxPageWords. Those after the last block are ignored.
  uint32_t words = 0;
  /// Size of the content in bytes, 1 to gdeflate::kPageBytes.
  uint32_t bytes = 0;
};
static_assert(sizeof(GdeflatePage) == 24);

struct GdeflateDecodeConfig {
  /// Pages decoded at once, each with 174.75 KiB of scratch. Calls with fewer pages need less.
  /// 0: 4,096, which take 699 MiB. 1,024 take 175 MiB.
  /// Fewer pages than the device runs at once leave it idle.
  uint32_t pages_in_flight = 0;
};

/// Arguments of GdeflateDecode::record. No range that is written may overlap another one, or a count on the device.
struct GdeflateDecodeArgs {
  /// `page_count` entries GdeflatePage, 8-byte aligned.
  BufferRange pages;
  /// At most 2^24.
  Count page_count;
  /// Compressed bytes of any number of pages, 4-byte aligned.
  BufferRange source;
  /// Receives the content. Any alignment.
  BufferRange output;
  /// 1 + `page_count` u32, 4-byte aligned: the number of refused pages is added to the first; then a status per page.
  BufferRange status;
  /// scratch_size(page_count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
};

/// Decodes pages of GDeflate 1.0, each independently by 32 lanes, many at once.
///
///     output[page.output + i] = content(page)[i]      for i < page.bytes
///     status[0] += pages refused,  status[1 + p] = gdeflate::Refusal
///
/// - Pages may be of any number of streams and files. gdeflate_pages() makes the table of a tile stream.
/// - status[0] is not cleared: the caller does that.
/// - Bytes around a page's output, in the same words, keep their values.
/// - Bytes where outputs of two pages overlap, and those of a refused page, are unspecified. For a bad entry nothing is
///   written.
/// - All others, and statuses, are bit-identical on every run and device.
/// - Safe for untrusted data, table included: accesses nothing outside the ranges, writes only `output`, `status` and
///   `scratch`. The work of a page is bounded by the bytes it declares and by gdeflate::kMaxBlocks.
/// - Statuses are those of gdeflate::decode_page if the device runs shaders to their end. lavapipe stops an invocation
///   after 65,535 loop iterations, which pages of hundreds of blocks with codes of their own take.
/// - Cost: reads the source once. Writes literals and 8 bytes a match to scratch and reads them. Writes the output once
///   and reads matches back. One or two dispatches per pages_in_flight pages: few pages are decoded in less time each.
/// - Needs neither 8-bit storage nor shaderInt64.
/// - Subgroups have 32 lanes if the device supports that, whatever the Context's size.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API GdeflateDecode {
 public:
  /// Builds the pipelines. Errors: out_of_{host,device}_memory, device_lost, driver_error.
  static Result<GdeflateDecode> create(const Context& context, const GdeflateDecodeConfig& config = {}) noexcept;

  /// Scratch bytes that suffice for any call with at most `pages` pages.
  VkDeviceSize scratch_size(uint64_t pages) const noexcept;

  /// Records the decoding; nothing if there are no pages. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^24 pages).
  Status record(VkCommandBuffer commands, const GdeflateDecodeArgs& args) const noexcept;

 private:
  struct Plan;
  explicit GdeflateDecode(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

/// Returns the page table of a tile stream (gdeflate.hpp).
///
/// - `source`: byte position of the stream in the source range, a multiple of 4.
/// - `output`: byte position of the content in the output range.
/// - Reads and checks the header and its table only.
/// - Errors: as gdeflate::pages, corrupt_stream (a page at no multiple of 4), and invalid_argument.
WEFT_API Result<std::vector<GdeflatePage>> gdeflate_pages(std::span<const std::byte> stream, uint64_t source,
                                                          uint64_t output) noexcept;

}  // namespace weft
