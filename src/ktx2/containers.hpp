// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/ktx2.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::ktx2 {

/// Why a file is refused, and where. Becomes an Error in read.cpp alone.
struct Fault {
  const char* reason = nullptr;
  uint64_t position = 0;
  bool is_unsupported = false;

  explicit operator bool() const noexcept { return reason != nullptr; }
};

inline Fault corrupt(uint64_t position, const char* reason) noexcept { return {reason, position, false}; }
inline Fault unsupported(uint64_t position, const char* reason) noexcept { return {reason, position, true}; }

// What read_header() and read_levels() do for each container. `levels`: empty at first. May throw bad_alloc.

bool is_ktx2(std::span<const std::byte> head) noexcept;
Fault read_ktx2_header(std::span<const std::byte> head, Header& header) noexcept;
Fault read_ktx2_levels(const Header& header, std::span<const std::byte> head, uint64_t file_bytes,
                       std::vector<Level>& levels);

bool is_dds(std::span<const std::byte> head) noexcept;
Fault read_dds_header(std::span<const std::byte> head, Header& header) noexcept;
Fault read_dds_levels(const Header& header, std::span<const std::byte> head, uint64_t file_bytes,
                      std::vector<Level>& levels);

}  // namespace weft::ktx2
