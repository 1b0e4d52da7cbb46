// SPDX-License-Identifier: MIT OR Apache-2.0
#include "decode.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "decode_cases.hpp"
#include "decode_malformed.hpp"
#include "git_commit.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kNameColumns = 46;
constexpr uint64_t kSweep[] = {uint64_t{1} << 16, uint64_t{1} << 20, 10'000'000};

/// A row, and what only rows about decoding have.
struct DecodeRow {
  Row row;
  uint32_t copies = 0;
  uint64_t bytes = 0;       // of a copy
  uint64_t compressed = 0;  // of a copy; 0: none
};

class DecodeBench {
 public:
  DecodeBench(const DecodeOptions& options, DecodeDevice opened)
      : options_(options),
        out_(options.json == "-" ? stderr : stdout),
        driver_(opened.driver),
        driver_absent_(std::move(opened.driver_absent)),
        source_(ItemSource::random()),
        max_call_ms_(opened.gpu.info().kind == GpuKind::software ? std::numeric_limits<double>::infinity()
                                                                 : kMaxCallMs),
        session_(std::move(opened.gpu), source_,
                 {options.repeats, options.warm_up_ms, max_call_ms_, Verification::full}) {}

  bool run();

 private:
  bool load_gds();
  bool run_file(const std::string& path);
  bool run_malformed_tiles(const DecodeInput& input);
  DecodeCases cases_of(const DecodeInput& input) const;
  bool run_case(DecodeCase& decode_case);
  void print_head();
  void print_row(const DecodeRow& row) const;
  Json json();
  bool write_json();

  const DecodeOptions& options_;
  std::FILE* out_;
  std::optional<DriverDecompression> driver_;
  std::string driver_absent_;
  ItemSource source_;
  double max_call_ms_;
  Session session_;
  std::map<std::string, GdFile> gds_;  // by the data's name
  std::vector<DecodeRow> rows_;
  ReportClock clock_;
  std::map<std::pair<std::string, uint64_t>, double> copy_gbps_;  // by data and bytes of output
};

bool DecodeBench::load_gds() {
  for (const std::string& text : options_.gd) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return print_message("--gd " + text + ": write NAME=FILE.gd");
    auto file = load_gd(text.substr(equals + 1));
    if (!file) return print_message(file.error().message);
    gds_.insert_or_assign(text.substr(0, equals), *std::move(file));
  }
  return true;
}

void DecodeBench::print_head() {
  const GpuInfo& info = session_.gpu().info();
  if (info.kind == GpuKind::software) fmt::print(out_, "{}\n", kSoftwareDevice);
  fmt::print(out_, "weft-bench decode ({:.12})\n", kGitCommit);
  print_wrapped(out_, fmt::format("{}, {}, subgroups of {}, {}", info.name, info.driver,
                                  session_.gpu().context().subgroup_size(), name_of(info.kind)));
  if (!gds_.empty() && !driver_)
    print_wrapped(out_, fmt::format("note: no rows of gdeflate_driver: {}", driver_absent_));
  fmt::print(out_, "GB/s: 10^9 bytes of output a second, in rows of copy too. Of copy: against a copy of as many.\n\n");
  fmt::print(out_, "{} {:>11} {:>8} {:>9} {:>7} {:>7} {:>6}\n", name_cell("primitive variant", kNameColumns), "output",
             "ratio", "ms", "GB/s", "of copy", "noise");
}

void DecodeBench::print_row(const DecodeRow& decoded) const {
  const Row& row = decoded.row;
  const std::string begin = fmt::format("{} {:>11}", name_cell(row.primitive + ' ' + row.variant, kNameColumns), row.n);
  if (!row.ms) {
    fmt::print(out_, "{}\n", begin);
    print_wrapped(out_, "    " + row.problem, 4);
  } else {
    const auto ratio =
        static_cast<double>(decoded.bytes) / static_cast<double>(std::max<uint64_t>(decoded.compressed, 1));
    fmt::print(out_, "{} {:>8} {:>9} {:>7.1f} {:>7} {:>6}\n", begin,
               decoded.compressed == 0 ? "-" : fmt::format("{:.4f}", ratio), ms_text(row.ms->median), row.gbps,
               row.copy_fraction ? percent_text(*row.copy_fraction, 1) : "-", noise_text(*row.ms));
  }
  std::fflush(out_);
}

DecodeCases DecodeBench::cases_of(const DecodeInput& input) const {
  DecodeCases cases;
  const uint64_t bytes = input.content.size();
  const uint64_t unit = std::max(input.tile_bytes, GdFile::kTileBytes);
  const auto gd = gds_.find(input.name);
  const auto add = [&](uint64_t begin, uint64_t end, uint32_t copies, const char* note) {
    add_device_cases(input, slice_of(input, begin, end), copies, options_, note,
                     gd == gds_.end() ? nullptr : &gd->second, driver_ ? &*driver_ : nullptr, cases);
  };
  for (const uint32_t copies : options_.copies) add(0, bytes, copies, "");
  if (options_.single_tile) {
    const uint64_t begin = bytes / unit / 2 * unit;
    add(begin, std::min(begin + unit, bytes), 1, " slice=tile");
  }
  if (options_.size_sweep) {
    for (const uint64_t size : kSweep)
      if (const uint64_t whole = (size + unit - 1) / unit * unit; whole < bytes) add(0, whole, 1, " slice=first");
    add(0, bytes, 1, " slice=all");
  }
  if (options_.cpu) add_host_cases(input, options_.level.value_or(19), cases);
  return cases;
}

bool DecodeBench::run_case(DecodeCase& decode_case) {
  bool good = true;
  const Status status = session_.run(decode_case, decode_case.prepare(session_.gpu()), [&](const Row& measured) {
    DecodeRow row{measured, decode_case.copies(), decode_case.copy_bytes(), decode_case.compressed_bytes()};
    const std::pair key(row.row.data, row.row.n);
    const auto copy = copy_gbps_.find(key);
    if (row.row.primitive == "copy") {
      if (row.row.ms) copy_gbps_[key] = row.row.gbps;
    } else if (row.row.ms && !decode_case.is_on_host() && copy != copy_gbps_.end() && copy->second > 0) {
      row.row.copy_fraction = row.row.gbps / copy->second;
    }
    good = good && !row.row.failed;
    print_row(row);
    rows_.push_back(std::move(row));
    if (clock_.is_due(options_.json)) good = write_json() && good;
  });
  if (!status) return print_message(decode_case.name() + ": " + status.error().message);
  return good;
}

bool DecodeBench::run_malformed_tiles(const DecodeInput& input) {
  const auto report = run_malformed(session_.gpu(), input, options_.malformed, options_.seed, options_.in_flight[0]);
  if (!report) return print_message("malformed tiles of " + input.name + ": " + report.error().message);
  fmt::print(out_, "malformed       data={} seed={}: {} tiles, {} refused, {} mismatches{}{}\n", input.name,
             options_.seed, report->tiles, report->refused, report->mismatches,
             report->first_mismatch.empty() ? "" : "; first: ", report->first_mismatch);
  return report->mismatches == 0;
}

bool DecodeBench::run_file(const std::string& path) {
  uint64_t first_bytes = options_.first_bytes;
  const auto gd = gds_.find(std::filesystem::path(path).stem().string());
  // Both decoders make the same bytes.
  if (gd != gds_.end())
    first_bytes = std::min(first_bytes, gd->second.content_bytes()) / GdFile::kTileBytes * GdFile::kTileBytes;
  const auto input = load_decode_input(path, options_, first_bytes);
  if (!input) return print_message(input.error().message);
  bool good = true;
  for (const auto& decode_case : cases_of(*input)) good = run_case(*decode_case) && good;
  if (options_.malformed > 0) good = run_malformed_tiles(*input) && good;
  return good;
}

Json DecodeBench::json() {
  std::vector<Row> rows;
  for (const DecodeRow& row : rows_) rows.push_back(row.row);
  Json json = report_json(report_head(session_.gpu(), options_.uuid), session_.timer(), rows);
  json["program"] = "weft-bench decode";
  json["gbps_of"] = "output bytes";
  auto result = json["results"].begin();
  for (const DecodeRow& row : rows_) {
    if (!row.row.ms && !row.row.failed) continue;  // among those skipped
    (*result)["copies"] = row.copies;
    (*result)["bytes"] = row.bytes;
    (*result)["compressed_bytes"] = row.compressed == 0 ? Json() : Json(row.compressed);
    ++result;
  }
  return json;
}

bool DecodeBench::write_json() {
  const Status status = write_text(options_.json, json().dump(1) + '\n');
  return status || print_message(status.error().message);
}

bool DecodeBench::run() {
  if (!load_gds()) return false;
  print_head();
  bool good = true;
  for (const std::string& path : options_.files) good = run_file(path) && good;
  if (!session_.timer_problem().empty())
    fmt::print(out_, "note: {}; times are the host's, from submission to completion\n", session_.timer_problem());
  return (options_.json.empty() || write_json()) && good;
}

}  // namespace

int run_decode(const DecodeOptions& options) {
  auto opened = open_decode_device(options.device, !options.gd.empty());
  if (!opened) {
    print_message(opened.error().message);
    return 1;
  }
  DecodeBench bench(options, *std::move(opened));
  return bench.run() ? 0 : 1;
}

}  // namespace weft::bench
