// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/pack.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weft::pack {

/// What the first bytes of a file say of how it is to be stored.
struct Plan {
  Kind kind = Kind::raw;
  Image image;
  uint32_t slices = 0;
  /// Content offset, slice_bytes and level of each, in the order in which they are stored. None of an empty file.
  std::vector<Range> ranges;
};

/// Bytes of a file's beginning that plan_of looks at.
constexpr size_t kHeadBytes = 516;

/// `head`: the content's first kHeadBytes, or all of it. A file whose header is invalid is planned as any other.
Plan plan_of(std::string_view path, std::span<const std::byte> head, uint64_t content_bytes);

}  // namespace weft::pack
