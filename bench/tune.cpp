// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weft/version.hpp>

#include "git_commit.hpp"
#include "support/options.hpp"
#include "support/progress.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<std::pair<std::string, std::vector<uint32_t>>>;

constexpr const char* kVariable = "WEFT_TUNE";
constexpr const char* kBuiltIn = "(built in)";

// What one group of keys tunes.
struct Family {
  std::string key;  // before the dot
  std::vector<std::string_view> primitives;
  std::vector<uint32_t> rows;        // tried unless --set says what to try
  std::vector<std::string> filters;  // the rows measured unless --filter says which
};

std::vector<Family> families() {
  return {
      {"scan", {"scan"}, {1, 2, 4, 6, 8}, {"scan exclusive add u32", "scan inclusive add u8"}},
      {"reduce", {"reduce"}, {1, 2, 4, 6, 8}, {"reduce add u32"}},
      {"select",
       {"select", "partition", "run_length_encode"},
       {1, 2, 3, 4},
       {"select_if kept=0.5 u32", "unique runs=8 u32", "partition kept=0.5 u32", "run_length_encode runs=8 u"}},
  };
}

Values default_values(const Family& family) {
  return {{family.key + ".workgroup", {128, 256, 512}}, {family.key + ".rows", family.rows}};
}

void set_variable(const std::string& value) {
#ifdef _WIN32
  _putenv_s(kVariable, value.c_str());
#else
  if (value.empty())
    unsetenv(kVariable);
  else
    setenv(kVariable, value.c_str(), 1);
#endif
}

// Every combination of the values, as WEFT_TUNE is written, after the library's own choice.
std::vector<std::string> combinations(const Values& values) {
  std::vector<std::string> all{""};
  for (const auto& [key, choices] : values) {
    std::vector<std::string> longer;
    for (const std::string& start : all) {
      for (const uint32_t choice : choices) {
        longer.push_back(fmt::format("{}{}{}={}", start, start.empty() ? "" : ",", key, choice));
      }
    }
    all = std::move(longer);
  }
  if (!values.empty()) all.insert(all.begin(), "");
  return all;
}

struct Trial {
  std::string tuning;  // as WEFT_TUNE; empty: built in
  Row row;
};

const char* shown(const std::string& tuning) { return tuning.empty() ? kBuiltIn : tuning.c_str(); }

}  // namespace

int run_tune(const Options& options) {
  auto source = source_of(options);
  if (!source) {
    fmt::print(stderr, "weft-bench: {}\n", source.error().message);
    return 1;
  }
  const char* const inherited = std::getenv(kVariable);
  const std::string base = inherited ? inherited : "";
  std::FILE* const out = options.json == "-" ? stderr : stdout;
  bool failed = false;
  std::vector<Trial> trials;
  Json device;
  for (const Family& family : families()) {
    Values values;
    for (const auto& entry : options.tuning) {
      if (entry.first.starts_with(family.key + '.')) values.push_back(entry);
    }
    if (options.tuning.empty()) values = default_values(family);
    if (values.empty()) continue;
    const std::vector<std::string> candidates = combinations(values);
    Progress progress(static_cast<double>(candidates.size()));
    for (const std::string& candidate : candidates) {
      progress.show(fmt::format("{}: {}", family.key, shown(candidate)));
      progress.advance(1);
      set_variable(base.empty() || candidate.empty() ? base + candidate : base + ',' + candidate);
      GpuConfig config;
      config.device = options.device;
      config.strategy = options.strategy;
      auto opened = Gpu::open(config);
      if (!opened) {
        progress.clear();
        fmt::print(stderr, "weft-bench: {}: {}\n", shown(candidate), opened.error().message);
        // A combination that the library refuses is one result of the sweep; without a device there is none.
        if (candidate.empty()) return 1;
        continue;
      }
      if (!opened->warnings().empty()) {  // else the sweep would measure something else than it says
        progress.clear();
        for (const std::string& warning : opened->warnings())
          fmt::print(stderr, "weft-bench: {}: {}\n", shown(candidate), warning);
        if (candidate.empty()) return 1;
        continue;
      }
      SessionConfig session_config;
      session_config.repeats = repeats_of(options);
      session_config.warm_up_ms = options.warm_up_ms.value_or(kWarmUpMs);
      session_config.verification = options.verification;
      session_config.faulty_word = options.faulty_word;
      Session session(std::move(opened).value(), *source, session_config);
      const bool software = session.gpu().info().kind == GpuKind::software;
      if (device.is_null()) {
        device = device_json(session.gpu());
        progress.clear();
        fmt::print(out, "Tuning on {}, {}{}\n", session.gpu().info().name, session.gpu().info().driver,
                   software ? " (SOFTWARE device: of no use for GPUs)" : "");
      }
      Matrix matrix;
      matrix.source = &*source;
      matrix.sizes = !options.sizes.empty() ? options.sizes
                     : software             ? std::vector<uint64_t>{1u << 16, 1u << 20}
                                            : std::vector<uint64_t>{1u << 16, 1u << 20, 1u << 24, 1u << 28};
      std::sort(matrix.sizes.begin(), matrix.sizes.end());
      matrix.every_size = true;
      Cases cases = Rows::cases(matrix, family.primitives);
      select(cases, options.filters.empty() ? family.filters : options.filters, options.types);
      for (const auto& bench_case : cases) {
        const Status status = session.run(*bench_case, [&](const Row& row) {
          if (row.failed && !row.ms) {
            progress.clear();
            fmt::print(stderr, "{} {}: {}: {}\n", bench_case->name(), size_text(row.n), shown(candidate), row.problem);
            failed = failed || row.problem.starts_with("WRONG");
          }
          trials.push_back({candidate, row});
        });
        if (!status) {
          progress.clear();
          fmt::print(stderr, "weft-bench: {}: {}: {}\n", shown(candidate), bench_case->name(), status.error().message);
          failed = true;
          if (status.error().code == ErrorCode::device_lost) break;
        }
      }
    }
  }
  set_variable(base);

  // One table a row of the bench, fastest first; then every candidate's mean distance from the best of each.
  using Key = std::tuple<std::string, std::string, std::string, uint64_t>;
  std::map<Key, std::vector<const Trial*>> tables;
  for (const Trial& trial : trials) {
    if (trial.row.ms) tables[{trial.row.primitive, trial.row.variant, trial.row.type, trial.row.n}].push_back(&trial);
  }
  if (tables.empty()) {
    fmt::print(stderr, "weft-bench: nothing could be measured\n");
    return 1;
  }
  Json results = Json::array();
  std::map<std::pair<std::string, std::string>, std::pair<double, size_t>>
      distances;  // (primitive, tuning): sum of logarithms, rows
  std::map<std::string, size_t> table_counts;
  for (auto& [key, entries] : tables) {
    std::sort(entries.begin(), entries.end(),
              [](const Trial* a, const Trial* b) { return a->row.ms->median < b->row.ms->median; });
    const auto& [primitive, variant, type, n] = key;
    ++table_counts[primitive];
    const double best = std::max(entries.front()->row.ms->median, 1e-9);
    fmt::print(out, "\n{} {} {} {}\n{:>10} {:>9} {:>7}  {:<17} tuning\n", primitive, variant, type, size_text(n), "ms",
               "GB/s", "noise", "strategy");
    for (const Trial* trial : entries) {
      const Row& row = trial->row;
      fmt::print(out, "{:>10.4f} {:>9.1f} {:>5.0f} %  {:<17} {}{}\n", row.ms->median, row.gbps, row.ms->noise() * 100,
                 row.strategy, shown(trial->tuning), trial == entries.front() ? "  <- best" : "");
      auto& [sum, count] = distances[{primitive, trial->tuning}];
      sum += std::log(std::max(row.ms->median, 1e-9) / best);
      ++count;
      Json json = row_json(row);
      json["tuning"] = trial->tuning;
      json["best"] = trial == entries.front();
      results.push_back(std::move(json));
    }
  }
  Json overall = Json::array();
  for (const auto& [primitive, table_count] : table_counts) {
    std::vector<std::pair<double, std::string>> ranking;
    for (const auto& [key, entry] : distances) {
      // A candidate that some row refused cannot stand for all of them.
      if (key.first != primitive || entry.second != table_count) continue;
      ranking.emplace_back(std::exp(entry.first / static_cast<double>(entry.second)), key.second);
    }
    std::sort(ranking.begin(), ranking.end());
    fmt::print(out, "\n{} over all rows above: geometric mean of time over the best time of each row\n", primitive);
    for (const auto& [ratio, tuning] : ranking) {
      fmt::print(out, "{:>10.3f}  {}{}\n", ratio, shown(tuning), tuning == ranking.front().second ? "  <- best" : "");
      overall.push_back({{"primitive", primitive}, {"tuning", tuning}, {"time_over_best", ratio}});
    }
  }
  if (!options.json.empty()) {
    const Json report{
        {"schema", 1},
        {"weft_version", fmt::format("{}.{}.{}", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH)},
        {"commit", kGitCommit},
        {"device", device},
        {"results", results},
        {"overall", overall}};
    if (const Status status = write_text(options.json, report.dump(1) + '\n'); !status) {
      fmt::print(stderr, "weft-bench: {}\n", status.error().message);
      failed = true;
    }
  }
  return failed ? 1 : 0;
}

}  // namespace weft::bench
