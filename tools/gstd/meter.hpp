// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace gstd_tool {

/// "12.3 MB": a number of bytes to read.
std::string shown_bytes(uint64_t bytes);
/// "2.87": bytes by bytes; "-" where there is none.
std::string shown_ratio(uint64_t content, uint64_t compressed);
/// The name with its control characters made visible, for a terminal.
std::string shown_name(const std::string& name);
/// The text as a string of JSON, with quotes.
std::string json_string(const std::string& text);

/// A line on standard error that reports progress on a file, renewed a few times a second.
class Meter {
 public:
  /// `total`: bytes to be read, if known. Not `shown`: does nothing.
  Meter(bool shown, const std::string& name, std::optional<uint64_t> total);
  ~Meter();  ///< clears the line
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Bytes read so far; content and compressed bytes, for the ratio.
  void update(uint64_t read, uint64_t content, uint64_t compressed);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_, drawn_ = false;
  std::string name_;
  std::optional<uint64_t> total_;
  Clock::time_point begin_, last_;
};

}  // namespace gstd_tool
