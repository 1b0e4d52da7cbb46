// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Keys that nobody made up for a test: hashes of the words and the lines of texts that every Debian has.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace weft::test {

/// Of the package base-files.
inline constexpr const char* kTexts[] = {"/usr/share/common-licenses/GPL-3", "/usr/share/common-licenses/Apache-2.0"};

/// A hash (FNV-1a) of each word of the text, or of each line; none where it is not there. Words and empty lines come
/// again and again.
inline std::vector<uint64_t> hashes_of_text(const char* path, bool lines) {
  std::ifstream text(path);
  std::vector<uint64_t> hashes;
  for (std::string part; lines ? static_cast<bool>(std::getline(text, part)) : static_cast<bool>(text >> part);) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : part) hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001b3;
    hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace weft::test
