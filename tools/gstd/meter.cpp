// SPDX-License-Identifier: MIT OR Apache-2.0
#include "meter.hpp"

#include <algorithm>
#include <cstdio>

namespace gstd_tool {
namespace {

// Length of a well-formed UTF-8 sequence at `at`, or 0.
size_t utf8_length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at), second = byte(at + 1);
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(at + 1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool fits = !(first == 0xe0 && second < 0xa0) && !(first == 0xed && second > 0x9f);
    return fits && follows(at + 1) && follows(at + 2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool fits = !(first == 0xf0 && second < 0x90) && !(first == 0xf4 && second > 0x8f);
    return fits && follows(at + 1) && follows(at + 2) && follows(at + 3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string shown_bytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1000) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : value < 99.95 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

std::string shown_ratio(uint64_t content, uint64_t compressed) {
  if (compressed == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(content) / static_cast<double>(compressed));
  return text;
}

std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    if (length == 0) {
      result += "\\ufffd";  // a name need not be UTF-8, and JSON has to be
      ++at;
      continue;
    }
    const char letter = text[at];
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(letter));
      result += escaped;
    } else {
      result += text.substr(at, length);
    }
    at += length;
  }
  return result + '"';
}

std::string shown_name(const std::string& name) {
  std::string shown;
  for (const char letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (code >= 32 && code != 127) {
      shown += letter;
      continue;
    }
    char text[8];
    std::snprintf(text, sizeof text, "\\x%02x", code);
    shown += text;
  }
  return shown;
}

Meter::Meter(bool shown, const std::string& name, std::optional<uint64_t> total)
    : shown_(shown), name_(shown_name(name)), total_(total), begin_(Clock::now()), last_(begin_) {}

Meter::~Meter() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Meter::update(uint64_t read, uint64_t content, uint64_t compressed) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  std::string line = name_ + ": " + shown_bytes(read);
  if (total_ && *total_ > 0) {
    const double part = std::min(1.0, static_cast<double>(read) / static_cast<double>(*total_));
    line += " of " + shown_bytes(*total_) + ", " + std::to_string(static_cast<int>(100 * part)) + " %";
    const double rest = part > 0 ? seconds * (1 - part) / part : 0;
    const auto left = static_cast<uint64_t>(std::min(rest, 359999.0));
    char text[64];
    if (left >= 3600)
      std::snprintf(text, sizeof text, ", %llu:%02llu:%02llu left", static_cast<unsigned long long>(left / 3600),
                    static_cast<unsigned long long>(left / 60 % 60), static_cast<unsigned long long>(left % 60));
    else
      std::snprintf(text, sizeof text, ", %llu:%02llu left", static_cast<unsigned long long>(left / 60),
                    static_cast<unsigned long long>(left % 60));
    line += text;
  }
  line += ", " + shown_bytes(static_cast<uint64_t>(static_cast<double>(content) / seconds)) + "/s";
  if (compressed > 0) line += ", ratio " + shown_ratio(content, compressed);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace gstd_tool
