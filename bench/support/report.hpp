// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <weft/status.hpp>

#include "support/row.hpp"

namespace weft::bench {

/// "2^24", or the number where it is no power of two.
std::string size_text(uint64_t n);
/// "2^16", "65536". Errors: invalid_argument.
Result<uint64_t> parse_size(const std::string& text);

/// Every line of a table and of what stands above it has at most so many columns, so that it pastes into an issue.
inline constexpr size_t kTableColumns = 100;

/// `text` in lines of at most `columns`, broken between words, or within one that is longer than a line.
/// Lines after the first begin with `indent` spaces. Precondition: indent < columns.
std::vector<std::string> wrapped(std::string_view text, size_t columns, size_t indent = 0);
/// A table's first column: `name`, wrapped, its last line padded to `columns`.
std::string name_cell(std::string_view name, size_t columns);
/// Prints lines of at most kTableColumns.
void print_wrapped(std::FILE* out, std::string_view text, size_t indent = 0);
/// "0.0042", with fewer decimals from a thousand on.
std::string ms_text(double ms);
/// "12.3 %". From a thousand percent on a multiple, "12.3 x", which takes no more columns.
std::string percent_text(double fraction, int decimals);
/// "12 %", and a mark where samples spread.
std::string noise_text(const Summary& ms);

/// The table of results, row by row as they come. The strategy is in JSON and CSV alone.
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

nlohmann::ordered_json row_json(const Row& row);
/// All of a run: the members of `head`, which say what was measured, then timer, copy_gbps, results and skipped.
nlohmann::ordered_json report_json(nlohmann::ordered_json head, const char* timer, const std::vector<Row>& rows);
std::string report_csv(const std::vector<Row>& rows);

/// Says when rows so far are to be written, so that a run that does not end leaves its results: once a second.
class ReportClock {
 public:
  /// `path`: as of write_text. Empty: no report is written.
  bool is_due(const std::string& path);

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A report that weft-bench or a peer wrote: an object that has `results`, an array. `path` is set to the file's name.
/// Errors: system_error (the file cannot be read), invalid_argument (it is no report).
Result<nlohmann::ordered_json> read_report(const std::string& path);

/// Writes to a file, or to stdout for "-".
Status write_text(const std::string& path, const std::string& text);

}  // namespace weft::bench
