// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/options.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Key = std::tuple<std::string, std::string, std::string, uint64_t>;  // primitive, variant, type, n

struct Measured {
  Key key;
  double median = 0;
  double gbps = 0;
  bool verified = false;
  std::string data;
};

struct Report {
  std::string path;
  std::string device;
  std::vector<Measured> rows;
};

std::optional<Report> measured_in(const std::string& path) {
  Result<Json> read = read_report(path);
  if (!read) {
    print_message(read.error().message);
    return std::nullopt;
  }
  const Json& json = *read;
  const auto text = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                                                 : std::string();
  };
  const auto number = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0.0;
  };
  Report report;
  report.path = path;
  if (json.contains("device")) report.device = text(json["device"], "name");
  for (const Json& row : json["results"]) {
    if (!row.is_object() || !row.contains("ms") || !row.contains("n") || !row["n"].is_number_unsigned()) continue;
    Measured measured;
    measured.key = {text(row, "primitive"), text(row, "variant"), text(row, "type"), row["n"].get<uint64_t>()};
    measured.median = number(row["ms"], "median");
    measured.gbps = number(row, "gbps");
    measured.verified = row.contains("verified") && row["verified"] == true;
    measured.data = text(row, "data");
    if (measured.median > 0) report.rows.push_back(std::move(measured));
  }
  return report;
}

std::string speed_text(const Measured& row) {
  return row.gbps > 0 ? fmt::format("{:.1f}", row.gbps) : std::string("-");
}

}  // namespace

int run_compare(const std::string& first, const std::string& second, double percent) {
  const auto a = measured_in(first);
  const auto b = measured_in(second);
  if (!a || !b) return 1;
  fmt::print("a: {} ({})\nb: {} ({})\n", a->path, a->device, b->path, b->device);
  if (a->device != b->device) fmt::print("note: measured on different devices\n");
  size_t width = 7;
  for (const Measured& row : a->rows) width = std::max(width, std::get<1>(row.key).size());
  fmt::print("\n{:<17} {:<{}} {:<6} {:>9} {:>10} {:>10} {:>9} {:>9}  {:>8}\n", "primitive", "variant", width, "type",
             "n", "a ms", "b ms", "a GB/s", "b GB/s", "a vs b");

  std::map<Key, const Measured*> in_b;
  for (const Measured& row : b->rows) in_b[row.key] = &row;
  std::map<std::string, std::pair<double, int>> logs;  // by primitive: sum of the ratios' logarithms, rows
  std::set<Key> matched;
  int slower = 0;
  for (const Measured& row : a->rows) {
    const auto found = in_b.find(row.key);
    if (found == in_b.end()) continue;
    const Measured& other = *found->second;
    matched.insert(row.key);
    const double ratio = other.median / row.median;
    const auto& [primitive, variant, type, n] = row.key;
    std::string remark;
    if (!row.verified || !other.verified) remark += "  (not verified)";
    const bool is_slower = ratio > 1 + percent / 100;
    if (is_slower) remark += "  SLOWER";
    slower += is_slower ? 1 : 0;
    if (row.data != other.data) remark += fmt::format("  (data: {} against {})", row.data, other.data);
    fmt::print("{:<17} {:<{}} {:<6} {:>9} {:>10.4f} {:>10.4f} {:>9} {:>9}  {:>6.3f} x{}\n", primitive, variant, width,
               type, size_text(n), row.median, other.median, speed_text(row), speed_text(other), ratio, remark);
    auto& [sum, count] = logs[primitive];
    sum += std::log(ratio);
    ++count;
  }
  if (matched.empty()) {
    fmt::print(stderr, "weft-bench: the reports have no row in common\n");
    return 1;
  }
  fmt::print("\na vs b: b's median time over a's, so above 1 where a is faster. Geometric means:\n");
  double all_sum = 0;
  int all_count = 0;
  for (const auto& [primitive, entry] : logs) {
    fmt::print("  {:<17} {:>6.3f} x of {} rows\n", primitive, std::exp(entry.first / entry.second), entry.second);
    // The yardstick and the floor are no part of what is compared.
    if (primitive == "copy" || primitive == "empty") continue;
    all_sum += entry.first;
    all_count += entry.second;
  }
  if (all_count > 0) {
    fmt::print("  {:<17} {:>6.3f} x of {} rows, without copy and empty\n", "all", std::exp(all_sum / all_count),
               all_count);
  }
  fmt::print("Slower in b by more than {} %: {} rows.\n", percent, slower);
  fmt::print("Rows without a partner: {} in a, {} in b.\n", a->rows.size() - matched.size(),
             b->rows.size() - matched.size());
  return 0;
}

}  // namespace weft::bench
