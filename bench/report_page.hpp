// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace weft::bench {

/// Writes a page in one file that shows reports, each with its path, and a comparison of the first two or null.
/// Returns false where it could not, which it has said.
bool write_page(std::vector<std::pair<std::string, nlohmann::ordered_json>> reports,
                const nlohmann::ordered_json& comparison, const std::string& page);

}  // namespace weft::bench
