// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report_page.hpp"
#include "support/options.hpp"
#include "support/rank_test.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Key = std::tuple<std::string, std::string, std::string, uint64_t>;  // primitive, variant, type, n

struct Measured {
  Key key;
  double median = 0;
  std::vector<double> samples;  // none in kept files
  bool verified = false;
  std::string data;
};

struct Report {
  std::string path;
  std::string device;
  std::vector<Measured> rows;
  Json json;
};

// A row of both reports. The ratio is b's median over a's.
struct Compared {
  const Measured *a, *b;
  double ratio;
  Difference difference;
};

// The yardstick and the floor are no part of what is compared.
bool is_compared(const Measured& row) {
  const std::string& primitive = std::get<0>(row.key);
  return primitive != "copy" && primitive != "empty";
}

std::optional<Report> measured_in(const std::string& path) {
  Result<Json> read = read_report(path);
  if (!read) {
    print_message(read.error().message);
    return std::nullopt;
  }
  Report report{path, {}, {}, *std::move(read)};
  const Json& json = report.json;
  const auto text = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                                                 : std::string();
  };
  const auto number = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0.0;
  };
  if (json.contains("device")) report.device = text(json["device"], "name");
  for (const Json& row : json["results"]) {
    if (!row.is_object() || !row.contains("ms") || !row.contains("n") || !row["n"].is_number_unsigned()) continue;
    Measured measured;
    measured.key = {text(row, "primitive"), text(row, "variant"), text(row, "type"), row["n"].get<uint64_t>()};
    measured.median = number(row["ms"], "median");
    if (row["ms"].is_object() && row["ms"].contains("samples"))
      for (const Json& sample : row["ms"]["samples"])
        if (sample.is_number()) measured.samples.push_back(sample.get<double>());
    measured.verified = row.contains("verified") && row["verified"] == true;
    measured.data = text(row, "data");
    if (measured.median > 0) report.rows.push_back(std::move(measured));
  }
  return report;
}

std::vector<Compared> common_rows(const Report& a, const Report& b, double percent) {
  std::map<Key, const Measured*> in_b;
  for (const Measured& row : b.rows) in_b[row.key] = &row;
  std::vector<Compared> rows;
  for (const Measured& row : a.rows) {
    const auto found = in_b.find(row.key);
    if (found == in_b.end()) continue;
    const Measured& other = *found->second;
    in_b.erase(found);
    // Without samples the medians decide.
    const bool sampled = !row.samples.empty() && !other.samples.empty();
    rows.push_back({&row, &other, other.median / row.median,
                    sampled ? difference_of(row.samples, other.samples, percent / 100)
                            : difference_of_medians(row.median, other.median, percent / 100)});
  }
  return rows;
}

void print_rows(const std::vector<Compared>& rows) {
  constexpr size_t kNameColumns = 47;
  fmt::print("\n{} {:>10} {:>9} {:>9}  {:>9}  b is\n", name_cell("primitive variant type", kNameColumns), "n", "a ms",
             "b ms", "a vs b");
  for (const Compared& row : rows) {
    const auto& [primitive, variant, type, n] = row.a->key;
    std::string name = primitive;
    for (const std::string* part : {&variant, &type})
      if (!part->empty()) name += ' ' + *part;
    fmt::print("{} {:>10} {:>9} {:>9}  {:>7.3f} x  {}\n", name_cell(name, kNameColumns), size_text(n),
               ms_text(row.a->median), ms_text(row.b->median), row.ratio, name_of(row.difference));
    if (!row.a->verified || !row.b->verified) fmt::print("    (not verified)\n");
    if (row.a->data != row.b->data)
      print_wrapped(stdout, fmt::format("    (data: {} against {})", row.a->data, row.b->data), 4);
  }
}

void print_means(const std::vector<Compared>& rows) {
  std::map<std::string, std::pair<double, int>> means;  // the sum of the ratios' logarithms, and how many there are
  for (const Compared& row : rows) {
    auto& [sum, count] = means[std::get<0>(row.a->key)];
    sum += std::log(row.ratio);
    ++count;
  }
  fmt::print("\na vs b: b's median time over a's, so above 1 where a is faster. Geometric means:\n");
  double all_sum = 0;
  int all_count = 0;
  for (const auto& [primitive, entry] : means) {
    fmt::print("  {:<17} {:>6.3f} x of {} rows\n", primitive, std::exp(entry.first / entry.second), entry.second);
  }
  for (const Compared& row : rows) {
    if (!is_compared(*row.a)) continue;
    all_sum += std::log(row.ratio);
    ++all_count;
  }
  if (all_count > 0) {
    fmt::print("  {:<17} {:>6.3f} x of {} rows, without copy and empty\n", "all", std::exp(all_sum / all_count),
               all_count);
  }
}

Json comparison_json(const std::vector<Compared>& rows, double percent) {
  Json json{{"percent", percent}, {"rows", Json::array()}};
  for (const Compared& row : rows) {
    const auto& [primitive, variant, type, n] = row.a->key;
    json["rows"].push_back({{"primitive", primitive},
                            {"variant", variant},
                            {"type", type},
                            {"n", n},
                            {"a", row.a->median},
                            {"b", row.b->median},
                            {"ratio", row.ratio},
                            {"difference", name_of(row.difference)}});
  }
  return json;
}

}  // namespace

int run_compare(const std::string& first, const std::string& second, double percent, bool fail_unsure,
                const std::string& page) {
  constexpr int kUnusable = 2;
  const std::optional<Report> a = measured_in(first);
  const std::optional<Report> b = measured_in(second);
  if (!a || !b) return kUnusable;
  fmt::print("a: {} ({})\nb: {} ({})\n", a->path, a->device, b->path, b->device);
  if (a->device != b->device) fmt::print("note: measured on different devices\n");
  const std::vector<Compared> rows = common_rows(*a, *b, percent);
  if (rows.empty()) {
    fmt::print(stderr, "weft-bench: the reports have no row in common\n");
    return kUnusable;
  }
  print_rows(rows);
  print_means(rows);
  const auto count = [&](Difference difference) {
    return std::ranges::count_if(
        rows, [&](const Compared& row) { return row.difference == difference && is_compared(*row.a); });
  };
  fmt::print(
      "b is slower by more than {} % in {} rows, faster by more in {}, the same within it in {}, unsure in {}.\n",
      percent, count(Difference::slower), count(Difference::faster), count(Difference::same),
      count(Difference::unsure));
  const auto medians =
      std::ranges::count_if(rows, [](const Compared& row) { return row.a->samples.empty() || row.b->samples.empty(); });
  if (medians != 0) fmt::print("{} rows were decided by medians alone: a report has no samples of them.\n", medians);
  fmt::print("Rows without a partner: {} in a, {} in b.\n", a->rows.size() - rows.size(), b->rows.size() - rows.size());
  if (!page.empty()) {
    const Json comparison = comparison_json(rows, percent);
    if (!write_page(Json::array({a->json, b->json}), comparison, page)) return kUnusable;
  }
  return count(Difference::slower) != 0 || (fail_unsure && count(Difference::unsure) != 0) ? 1 : 0;
}

}  // namespace weft::bench
