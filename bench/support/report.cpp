// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/report.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kNameColumns = 46;
constexpr const char* kColumns = "{} {:>10} {:>9} {:>7} {:>7}  {:<8} {:>6}\n";

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// Six significant digits: more are noise, and make files differ.
double six_digits(double value) { return std::stod(fmt::format("{:.6g}", value)); }

}  // namespace

const char* name_of(Verification verification) noexcept {
  constexpr const char* kNames[] = {"automatic", "full", "sampled", "none"};
  return kNames[static_cast<size_t>(verification)];
}

Result<uint64_t> parse_size(const std::string& text) {
  uint64_t n = 0;
  const bool power = text.starts_with("2^");
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + (power ? 2 : 0), end, n);
  if (error != std::errc() || at != end || n == 0 || (power && n > 40))
    return Error{ErrorCode::invalid_argument, "'" + text + "' is no size: write 65536 or 2^16"};
  return power ? uint64_t{1} << n : n;
}

std::string size_text(uint64_t n) {
  return n > 1 && std::has_single_bit(n) ? fmt::format("2^{}", std::countr_zero(n)) : std::to_string(n);
}

std::vector<std::string> wrapped(std::string_view text, size_t columns, size_t indent) {
  std::vector<std::string> lines{""};
  bool begins = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!begins && lines.back().size() + 1 + word.size() > columns) {
      lines.emplace_back(indent, ' ');
      begins = true;
    }
    if (!begins) lines.back() += ' ';
    begins = false;
    for (const char c : word) {
      if (lines.back().size() == columns) lines.emplace_back(indent, ' ');
      lines.back() += c;
    }
  }
  return lines;
}

std::string name_cell(std::string_view name, size_t columns) {
  std::string cell;
  std::vector<std::string> lines = wrapped(name, columns, 2);
  lines.back().resize(columns, ' ');
  for (const std::string& line : lines) cell += (cell.empty() ? "" : "\n") + line;
  return cell;
}

void print_wrapped(std::FILE* out, std::string_view text, size_t indent) {
  for (const std::string& line : wrapped(text, kTableColumns, indent)) fmt::print(out, "{}\n", line);
}

std::string ms_text(double ms) { return fmt::format("{:.{}f}", ms, ms < 1000 ? 4 : ms < 1e6 ? 1 : 0); }

std::string percent_text(double fraction, int decimals) {
  if (fraction < 9.995) return fmt::format("{:.{}f} %", fraction * 100, decimals);
  return fmt::format("{:.{}f} x", fraction, fraction < 99.95 ? decimals : 0);
}

std::string noise_text(const Summary& ms) { return percent_text(ms.noise(), 0) + (ms.noise() > kNoisy ? '!' : ' '); }

void Table::header() {
  fmt::print(out_, kColumns, name_cell("primitive variant type", kNameColumns), "n", "ms", "GB/s", "of copy",
             "verified", "noise");
}

// Rows of one case that cannot be had for one reason take one line.
bool Table::same_problem(const Row& row) const {
  return !row.problem.empty() && !row.failed && row.problem == last_.problem && row.primitive == last_.primitive &&
         row.variant == last_.variant && row.type == last_.type;
}

void Table::row(const Row& row) {
  const bool repeats = same_problem(row);
  last_ = row;
  if (repeats) return;
  std::string name = row.primitive;
  for (const std::string* part : {&row.variant, &row.type})
    if (!part->empty()) name += ' ' + *part;
  if (!row.ms || row.failed) {
    const std::string begin = fmt::format("{} {:>10}", name_cell(name, kNameColumns), size_text(row.n));
    if (kNameColumns + 13 + row.problem.size() <= kTableColumns) {
      fmt::print(out_, "{}  {}\n", begin, row.problem);
    } else {
      fmt::print(out_, "{}\n", begin);
      print_wrapped(out_, "    " + row.problem, 4);
    }
  } else {
    const bool moves = row.gbps > 0;
    fmt::print(out_, kColumns, name_cell(name, kNameColumns), size_text(row.n), ms_text(row.ms->median),
               moves ? fmt::format("{:.1f}", row.gbps) : "-",
               row.copy_fraction ? percent_text(*row.copy_fraction, 1) : "-",
               row.verified && moves ? name_of(row.verification) : "-", noise_text(*row.ms));
  }
  std::fflush(out_);
}

Json row_json(const Row& row) {
  Json json{{"primitive", row.primitive}, {"variant", row.variant},
            {"type", row.type},           {"n", row.n},
            {"data", row.data},           {"strategy", row.strategy},
            {"verified", row.verified},   {"verification", name_of(row.verification)}};
  const auto if_measured = [&](double value) { return row.ms ? Json(six_digits(value)) : Json(); };
  json["ms"] = nullptr;
  if (row.ms) {
    json["ms"] = {{"median", six_digits(row.ms->median)},
                  {"p5", six_digits(row.ms->p5)},
                  {"p95", six_digits(row.ms->p95)},
                  {"min", six_digits(row.ms->min)}};
    for (const double sample : row.ms->samples) json["ms"]["samples"].push_back(six_digits(sample));
  }
  if (row.failed) json["problem"] = row.problem;
  json["wall_ms"] = if_measured(row.wall_ms);
  json["gbps"] = if_measured(row.gbps);
  json["copy_fraction"] = row.copy_fraction ? Json(six_digits(*row.copy_fraction)) : Json();
  return json;
}

Json report_json(Json head, const char* timer, const std::vector<Row>& rows) {
  Json results = Json::array(), skipped = Json::array();
  double copy_gbps = 0;
  for (const Row& row : rows) {
    // A failure stays among the results, verified false, so that no reader of them misses it.
    if (row.ms || row.failed)
      results.push_back(row_json(row));
    else
      skipped.push_back({{"primitive", row.primitive},
                         {"variant", row.variant},
                         {"type", row.type},
                         {"n", row.n},
                         {"reason", row.problem}});
    if (row.primitive == "copy" && row.variant != "memcpy") copy_gbps = std::max(copy_gbps, row.gbps);
  }
  head["timer"] = timer;
  head["copy_gbps"] = six_digits(copy_gbps);
  head["results"] = std::move(results);
  head["skipped"] = std::move(skipped);
  return head;
}

std::string report_csv(const std::vector<Row>& rows) {
  std::string text =
      "primitive,variant,type,n,data,strategy,verified,median_ms,p5_ms,p95_ms,min_ms,wall_ms,gbps,copy_fraction,"
      "problem\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{},", row.primitive, csv_field(row.variant), row.type, row.n,
                        csv_field(row.data), row.strategy, row.verified);
    if (row.ms) {
      text += fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},", row.ms->median, row.ms->p5, row.ms->p95,
                          row.ms->min, row.wall_ms, row.gbps);
    } else {
      text += ",,,,,,";
    }
    if (row.copy_fraction) text += fmt::format("{:.4f}", *row.copy_fraction);
    text += ',' + csv_field(row.problem) + '\n';
  }
  return text;
}

bool ReportClock::is_due(const std::string& path) {
  const auto now = std::chrono::steady_clock::now();
  if (path.empty() || path == "-" || now - last_ < std::chrono::seconds(1)) return false;
  last_ = now;
  return true;
}

Result<Json> read_report(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error{ErrorCode::system_error, "cannot open " + path};
  Json json = Json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("results") || !json["results"].is_array())
    return Error{ErrorCode::invalid_argument, path + " is no report of weft-bench"};
  json["path"] = path.substr(path.find_last_of('/') + 1);
  return json;
}

Status write_text(const std::string& path, const std::string& text) {
  // Whoever reads the file, even if this program does not come to its end, finds one that is whole.
  const std::string unfinished = path + ".part";
  std::FILE* const file = path == "-" ? stdout : std::fopen(unfinished.c_str(), "wb");
  const Error failed{ErrorCode::driver_error, "cannot write " + path};
  if (!file) return failed;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file == stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
  std::error_code error;
  if (file != stdout && written && closed) std::filesystem::rename(unfinished, path, error);
  if (!written || !closed || error) return failed;
  return {};
}

}  // namespace weft::bench
