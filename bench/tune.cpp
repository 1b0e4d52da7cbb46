// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/options.hpp"
#include "support/progress.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<Tuning>;

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

class Sweep {
 public:
  Sweep(const Options& options, ItemSource source)
      : options_(options), source_(std::move(source)), out_(options.json == "-" ? stderr : stdout) {}

  int run();

 private:
  // False: there is no device.
  bool run(const Family& family, const Values& values);
  bool measure(const Family& family, const std::string& candidate);
  Matrix matrix(bool is_software);
  void rank_rows();
  void rank_candidates();
  void complain(const std::string& what) {
    progress_->clear();
    print_message(what);
  }

  const Options& options_;
  ItemSource source_;
  std::FILE* out_;
  std::optional<Progress> progress_;
  bool failed_ = false;
  std::vector<Trial> trials_;
  Json head_, results_ = Json::array(), overall_ = Json::array();
  std::map<std::string, size_t> tables_;  // of each primitive
  // Of (primitive, tuning): the sum of logarithms of time over best time, and rows.
  std::map<std::pair<std::string, std::string>, std::pair<double, size_t>> distances_;
};

Matrix Sweep::matrix(bool is_software) {
  Matrix matrix;
  matrix.source = &source_;
  matrix.sizes = !options_.sizes.empty() ? options_.sizes
                 : is_software           ? Sizes{1u << 16, 1u << 20}
                                         : Sizes{1u << 16, 1u << 20, 1u << 24, 1u << 28};
  std::sort(matrix.sizes.begin(), matrix.sizes.end());
  matrix.every_size = true;
  return matrix;
}

bool Sweep::measure(const Family& family, const std::string& candidate) {
  // A combination that the library refuses is one result of the sweep; without a device there is none.
  const bool goes_on = !candidate.empty();
  auto opened = open_gpu(options_);
  if (!opened) {
    complain(fmt::format("{}: {}", shown(candidate), opened.error().message));
    return goes_on;
  }
  for (const std::string& warning : opened->warnings()) complain(fmt::format("{}: {}", shown(candidate), warning));
  if (!opened->warnings().empty()) return goes_on;  // else the sweep would measure something else than it says
  Session session(std::move(opened).value(), source_, session_config(options_));
  const GpuInfo& info = session.gpu().info();
  const bool is_software = info.kind == GpuKind::software;
  if (head_.is_null()) {
    head_ = report_head(session.gpu(), options_.uuid);
    progress_->clear();
    fmt::print(out_, "Tuning on {}, {}{}\n", info.name, info.driver,
               is_software ? " (SOFTWARE device: of no use for GPUs)" : "");
  }
  Cases cases = Rows::cases(matrix(is_software), family.primitives);
  select(cases, options_.filters.empty() ? family.filters : options_.filters, options_.types);
  for (const auto& bench_case : cases) {
    const auto on_row = [&](const Row& row) {
      if (row.failed && !row.ms) {
        complain(fmt::format("{} {}: {}: {}", bench_case->name(), size_text(row.n), shown(candidate), row.problem));
        failed_ = failed_ || row.problem.starts_with("WRONG");
      }
      trials_.push_back({candidate, row});
    };
    const Status status = session.run(*bench_case, bench_case->prepare(session.gpu()), on_row);
    if (status) continue;
    complain(fmt::format("{}: {}: {}", shown(candidate), bench_case->name(), status.error().message));
    failed_ = true;
    if (status.error().code == ErrorCode::device_lost) break;
  }
  return true;
}

bool Sweep::run(const Family& family, const Values& values) {
  const char* const inherited = std::getenv(kVariable);
  const std::string base = inherited ? inherited : "";
  const std::vector<std::string> candidates = combinations(values);
  progress_.emplace(static_cast<double>(candidates.size()));
  bool has_device = true;
  for (const std::string& candidate : candidates) {
    progress_->show(fmt::format("{}: {}", family.key, shown(candidate)));
    progress_->advance(1);
    set_variable(base.empty() || candidate.empty() ? base + candidate : base + ',' + candidate);
    has_device = measure(family, candidate);
    if (!has_device) break;
  }
  set_variable(base);
  progress_->clear();
  return has_device;
}

// One table a row of the bench, fastest first.
void Sweep::rank_rows() {
  std::map<std::tuple<std::string, std::string, std::string, uint64_t>, std::vector<const Trial*>> tables;
  for (const Trial& trial : trials_)
    if (trial.row.ms) tables[{trial.row.primitive, trial.row.variant, trial.row.type, trial.row.n}].push_back(&trial);
  for (auto& [key, entries] : tables) {
    const auto median = [](const Trial* trial) { return std::max(trial->row.ms->median, 1e-9); };
    std::sort(entries.begin(), entries.end(), [&](const Trial* a, const Trial* b) { return median(a) < median(b); });
    const auto& [primitive, variant, type, n] = key;
    ++tables_[primitive];
    fmt::print(out_, "\n{} {} {} {}\n{:>10} {:>9} {:>7}  {:<17} tuning\n", primitive, variant, type, size_text(n), "ms",
               "GB/s", "noise", "strategy");
    for (const Trial* trial : entries) {
      const Row& row = trial->row;
      const bool is_best = trial == entries.front();
      fmt::print(out_, "{:>10.4f} {:>9.1f} {:>5.0f} %  {:<17} {}{}\n", row.ms->median, row.gbps, row.ms->noise() * 100,
                 row.strategy, shown(trial->tuning), is_best ? "  <- best" : "");
      auto& [sum, count] = distances_[{primitive, trial->tuning}];
      sum += std::log(median(trial) / median(entries.front()));
      ++count;
      Json json = row_json(row);
      json["tuning"] = trial->tuning;
      json["best"] = is_best;
      results_.push_back(std::move(json));
    }
  }
}

// Every candidate's mean distance from the best of each row.
void Sweep::rank_candidates() {
  for (const auto& [primitive, table_count] : tables_) {
    std::vector<std::pair<double, std::string>> ranking;
    for (const auto& [key, entry] : distances_)
      // A candidate that some row refused cannot stand for all of them.
      if (key.first == primitive && entry.second == table_count)
        ranking.emplace_back(std::exp(entry.first / static_cast<double>(entry.second)), key.second);
    std::sort(ranking.begin(), ranking.end());
    fmt::print(out_, "\n{} over all rows above: geometric mean of time over the best time of each row\n", primitive);
    for (const auto& [ratio, tuning] : ranking) {
      fmt::print(out_, "{:>10.3f}  {}{}\n", ratio, shown(tuning), tuning == ranking.front().second ? "  <- best" : "");
      overall_.push_back({{"primitive", primitive}, {"tuning", tuning}, {"time_over_best", ratio}});
    }
  }
}

int Sweep::run() {
  for (const Family& family : families()) {
    Values values;
    for (const Tuning& entry : options_.tuning)
      if (entry.first.starts_with(family.key + '.')) values.push_back(entry);
    if (options_.tuning.empty()) values = default_values(family);
    if (!values.empty() && !run(family, values)) return 1;
  }
  rank_rows();
  rank_candidates();
  if (tables_.empty()) {
    print_message("nothing could be measured");
    return 1;
  }
  if (options_.json.empty()) return failed_ ? 1 : 0;
  head_["results"] = std::move(results_);
  head_["overall"] = std::move(overall_);
  const Status status = write_text(options_.json, head_.dump(1) + '\n');
  return (status || print_message(status.error().message)) && !failed_ ? 0 : 1;
}

}  // namespace

int run_tune(const Options& options) {
  auto source = source_of(options);
  return source ? Sweep(options, *std::move(source)).run() : 1;
}

}  // namespace weft::bench
