// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/ktx2.hpp>

#include <string>

#include "gstd/guarded.hpp"
#include "ktx2/containers.hpp"

namespace weft::ktx2 {
namespace {

Error error_of(const Fault& fault) {
  return {fault.is_unsupported ? ErrorCode::unsupported : ErrorCode::corrupt_stream,
          "byte " + std::to_string(fault.position) + ": " + fault.reason};
}

}  // namespace

Result<Header> read_header(std::span<const std::byte> head) noexcept {
  return gstd::guarded([&]() -> Result<Header> {
    Header header;
    const Fault fault = is_ktx2(head)  ? read_ktx2_header(head, header)
                        : is_dds(head) ? read_dds_header(head, header)
                                       : corrupt(0, "neither a KTX2 file nor a DDS file");
    if (fault) return error_of(fault);
    return header;
  });
}

Result<std::vector<Level>> read_levels(const Header& header, std::span<const std::byte> head,
                                       uint64_t file_bytes) noexcept {
  return gstd::guarded([&]() -> Result<std::vector<Level>> {
    std::vector<Level> levels;
    const Fault fault = header.container == Container::ktx2 ? read_ktx2_levels(header, head, file_bytes, levels)
                                                            : read_dds_levels(header, head, file_bytes, levels);
    if (fault) return error_of(fault);
    return levels;
  });
}

}  // namespace weft::ktx2
