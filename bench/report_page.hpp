// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace weft::bench {

/// Writes a page in one file that shows an array of reports, of read_report, and a comparison of the first two or null.
/// Returns false if it could not, which it has said.
bool write_page(const nlohmann::ordered_json& reports, const nlohmann::ordered_json& comparison,
                const std::string& page);

}  // namespace weft::bench
