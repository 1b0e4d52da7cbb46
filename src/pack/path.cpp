// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

#include <algorithm>

namespace weft::pack {
namespace {

// Length of the well-formed UTF-8 sequence that `text` begins with, or 0.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool fits = !(first == 0xe0 && second < 0xa0) && !(first == 0xed && second > 0x9f);
    return fits && follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool fits = !(first == 0xf0 && second < 0x90) && !(first == 0xf4 && second > 0x8f);
    return fits && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string fault_of_path(std::string_view path) {
  if (path.empty()) return "the path is empty";
  if (path.size() > kMaxPathBytes) return "the path has more than 4095 bytes";
  for (size_t at = 0; at < path.size();) {
    const auto letter = static_cast<unsigned char>(path[at]);
    // A backslash separates names on Windows, and a colon names a drive or a stream there.
    if (letter < 0x20 || letter == 0x7f || letter == '\\' || letter == ':')
      return "the path has a control character, a backslash or a colon";
    const size_t length = utf8_length(path.substr(at));
    if (length == 0) return "the path is not UTF-8";
    at += length;
  }
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.empty()) return "the path begins or ends with a slash, or has two in a row";
    if (name == "." || name == "..") return "the path has a part . or ..";
    at = end + 1;
  }
  return {};
}

}  // namespace weft::pack
