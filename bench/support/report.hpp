// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <weft/gpu.hpp>

#include "support/row.hpp"

namespace weft::bench {

/// "2^24", or the number where it is no power of two.
std::string size_text(uint64_t n);

/// The table of results, row by row as they come.
class Table {
 public:
  explicit Table(std::FILE* out) : out_(out) {}
  void header();
  void row(const Row& row);

 private:
  std::FILE* out_;
  bool same_problem(const Row& row) const;
  Row last_;
};

/// The device as reports describe it.
nlohmann::ordered_json device_json(Gpu& gpu);
nlohmann::ordered_json row_json(const Row& row);
/// All of a run: {schema, weft_version, commit, device, timer, copy_gbps, results, skipped}.
nlohmann::ordered_json report_json(Gpu& gpu, const char* timer, const std::vector<Row>& rows);
std::string report_text(Gpu& gpu, const char* timer, const std::vector<Row>& rows);
std::string report_csv(const std::vector<Row>& rows);

/// Says when rows so far are to be written, so that a run that does not end leaves its results: once a second.
class ReportClock {
 public:
  /// `path`: as of write_text. Empty: no report is written.
  bool is_due(const std::string& path);

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Writes to a file, or to stdout for "-".
Status write_text(const std::string& path, const std::string& text);

}  // namespace weft::bench
