// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::bench {

/// The number of the line that ends in "*", as amdgpu's pp_dpm_sclk has it: "1: 1500Mhz *".
inline std::optional<uint32_t> active_mhz(std::string_view lines) {
  const size_t star = lines.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  std::string_view line = lines.substr(0, star);
  line.remove_prefix(line.rfind('\n') + 1);  // npos + 1 is 0
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  uint32_t mhz = 0;
  const auto [end, code] = std::from_chars(line.data() + colon + 2, line.data() + line.size(), mhz);
  return code == std::errc{} ? std::optional(mhz) : std::nullopt;
}

}  // namespace weft::bench
