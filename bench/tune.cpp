// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/options.hpp"
#include "support/progress.hpp"
#include "support/rank_test.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using Settings = std::map<std::string, uint32_t>;  // by key

/// A difference below it is none: a file of it would be of noise.
constexpr double kMargin = 0.02;
/// A row that takes so much longer than the best ends a value's trial.
constexpr double kHopeless = 1.2;

/// The primitives of the rows that a group of keys is measured by.
struct Group {
  std::string_view name;  // before the dot
  std::vector<std::string_view> primitives;
};
Group group_called(std::string_view name) {
  // Those that are not the one of the same name.
  static const std::map<std::string_view, std::vector<std::string_view>> others{
      {"select", {"select_if", "unique", "partition", "run_length_encode"}},
      {"scan_by_key", {"scan_by_key", "segmented_scan"}},
      {"decode", {"run_length_decode", "interval_expand"}},
      {"load_balance", {"load_balance_search", "transform_lbs"}},
      {"move", {"interval_gather", "interval_move", "batched_copy"}},
      {"bulk", {"bulk_insert", "bulk_remove"}},
      {"merge", {"merge_keys", "merge_pairs", "sorted_search"}},
      {"set_operation", {"set_union_keys"}},
      {"search", {"binary_search"}},
  };
  const auto found = others.find(name);
  return {name, found != others.end() ? found->second : std::vector<std::string_view>{name}};
}
std::string_view group_of(std::string_view key) { return key.substr(0, key.find('.')); }

/// What a sweep tries of a key: every value of a few, else the halves and doubles around the one in use.
std::vector<uint32_t> values_to_try(const TuningValue& key) {
  constexpr uint32_t kFew = 16;
  std::vector<uint32_t> values;
  const auto add = [&](uint64_t value) {
    if (value >= key.min && value <= key.max && value != key.value) values.push_back(static_cast<uint32_t>(value));
  };
  if (key.max - key.min < kFew) {
    for (uint64_t value = key.min; value <= key.max; ++value) add(value);
    // The nearest first: they are likely to be good, and bad ones end early.
    std::ranges::stable_sort(values, {},
                             [&](uint32_t value) { return std::max(value, key.value) - std::min(value, key.value); });
    return values;
  }
  const uint64_t now = key.value;
  if (now == 0)
    for (const uint64_t value : {1u << 10, 1u << 13, 1u << 16, 1u << 20}) add(value);
  else
    for (const uint64_t value : {now * 2, now / 2, now * 4, now / 4}) add(value);
  if (key.min == 0 && now > 1) add(0);
  return values;
}

/// The times of all rows under one choice of values.
struct Trial {
  std::vector<Row> rows;
  bool complete = false;  // no row was refused, wrong or hopeless
};

std::string name_of(const Row& row) {
  return fmt::format("{} {} {} {}", row.primitive, row.variant, row.type, size_text(row.n));
}

class Sweep {
 public:
  Sweep(const Options& options, ItemSource source)
      : options_(options),
        source_(std::move(source)),
        out_(stdout_is_taken(options) ? stderr : stdout),
        deadline_(Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.minutes * 60))),
        progress_(options.minutes * 60) {}

  int run();

 private:
  static bool stdout_is_taken(const Options& options) { return options.json == "-" || options.tuning_output == "-"; }

  bool open();
  std::string file_text(const Settings& settings) const;
  std::optional<Session> session_with(const Settings& settings, std::string& why);
  Cases cases_of(const Group& group);
  /// `best`: the rows of the values in use, against which a hopeless one ends the trial. Null: all rows are measured.
  Trial measure(const Group& group, const Settings& settings, const Trial* best);
  bool wins(const Trial& before, const Trial& after) const;
  void sweep_group(const Group& group, Clock::time_point until);
  void sweep_key(const Group& group, const TuningValue& key, Clock::time_point until, Trial& best);
  void record(const std::string& key, uint32_t value, const Trial& trial, const char* result);
  bool write();
  std::vector<uint32_t> candidates(const TuningValue& key) const;
  bool is_wanted_key(const TuningValue& key) const;
  double seconds_left(Clock::time_point until) const {
    return std::chrono::duration<double>(until - Clock::now()).count();
  }
  void show(const std::string& what) {
    progress_.set(options_.minutes * 60 - seconds_left(deadline_));
    progress_.show(what);
  }
  void say(const std::string& what) {
    progress_.clear();
    print_wrapped(out_, what, 4);
    std::fflush(out_);
  }
  bool complain(const std::string& what) {
    progress_.clear();
    return print_message(what);
  }

  const Options& options_;
  ItemSource source_;
  std::FILE* out_;
  Clock::time_point deadline_;
  Progress progress_;
  GpuInfo info_;
  /// Open for the whole sweep: NVIDIA's driver cannot be loaded again after some dozens of times.
  std::optional<Gpu> gpu_;
  std::vector<TuningValue> keys_;
  Settings chosen_;  // that differ from what is built in or given by --tuning
  std::vector<std::string> not_tried_;
  bool failed_ = false;
  bool measured_ = false;
  Json head_, results_ = Json::array();
};

std::string Sweep::file_text(const Settings& settings) const {
  std::string text = fmt::format("weft-tuning 1\ndevice={}\ndriver={}\n", info_.name, info_.driver);
  if (options_.uuid) text += fmt::format("uuid={}\n", uuid_string(info_).data());
  for (const auto& [key, value] : settings) text += fmt::format("{}={}\n", key, value);
  return text;
}

bool Sweep::open() {
  if (const char* const set = std::getenv("WEFT_TUNE"); set != nullptr && *set != '\0')
    return complain("WEFT_TUNE is set, and would override what is tried");
  auto gpu = open_gpu(options_);
  if (!gpu) return complain(gpu.error().message);
  for (const std::string& warning : gpu->warnings()) complain(warning);
  info_ = gpu->info();
  auto keys = gpu->context().tuning();
  if (!keys) return complain(keys.error().message);
  keys_ = *std::move(keys);
  // A file given is where the sweep starts, and its values stay in the one that is written.
  Options built_in = options_;
  built_in.tuning.clear();
  if (auto plain = open_gpu(built_in); plain && !options_.tuning.empty()) {
    const auto values = plain->context().tuning();
    for (size_t i = 0; values && i < keys_.size(); ++i)
      if (keys_[i].value != (*values)[i].value) chosen_[keys_[i].key] = keys_[i].value;
  }
  for (const auto& [key, values] : options_.try_only) {
    const auto known = std::ranges::find(keys_, key, &TuningValue::key);
    if (known == keys_.end() || !known->swept) return complain(fmt::format("'{}' is no key that can be tried", key));
  }
  head_ = report_head(*gpu, options_.uuid);
  gpu_ = *std::move(gpu);
  if (info_.kind == GpuKind::software) fmt::print(out_, "{}\n", kSoftwareDevice);
  say(fmt::format(
      "Tuning on {}, {}, for {:.3g} minutes. A value wins if no row takes longer by more than {:.0f} %, and "
      "some row takes less by more, by a rank test, twice.",
      info_.name, info_.driver, options_.minutes, kMargin * 100));
  return true;
}

std::optional<Session> Sweep::session_with(const Settings& settings, std::string& why) {
  Options options = options_;
  options.tuning = file_text(settings);
  auto gpu = open_gpu(options);
  if (!gpu) why = gpu.error().message;
  // Else the sweep would measure something else than it says.
  if (gpu && !gpu->warnings().empty()) why = gpu->warnings().front();
  if (!why.empty()) return std::nullopt;
  SessionConfig config = session_config(options_);
  if (options_.repeats == 0) config.repeats = kQuickRepeats;
  if (!options_.warm_up_ms) config.warm_up_ms = info_.kind == GpuKind::software ? 0 : 50;
  config.full_bytes = kQuickBytes;
  return Session(*std::move(gpu), source_, config);
}

Cases Sweep::cases_of(const Group& group) {
  const bool is_software = info_.kind == GpuKind::software;
  Matrix matrix;
  matrix.source = &source_;
  matrix.sizes = !options_.sizes.empty() ? options_.sizes
                 : is_software           ? Sizes{1u << 16}
                                         : Sizes{1u << 16, 1u << 20, 1u << 24, 1u << 26};
  std::ranges::sort(matrix.sizes);
  matrix.every_size = true;
  matrix.essential = true;
  Cases cases = Rows::cases(matrix);
  std::erase_if(cases, [&](const auto& bench_case) {
    return std::ranges::find(group.primitives, bench_case->work().primitive) == group.primitives.end();
  });
  select(cases, options_.filters, options_.types);
  return cases;
}

Trial Sweep::measure(const Group& group, const Settings& settings, const Trial* best) {
  Trial trial;
  std::string why;
  auto session = session_with(settings, why);
  if (!session) {
    complain(why);
    return trial;
  }
  trial.complete = true;
  size_t at = 0;
  for (const auto& bench_case : cases_of(group)) {
    const auto on_row = [&](const Row& row) {
      measured_ = measured_ || row.ms;
      if (row.failed) complain(fmt::format("{}: {}", name_of(row), row.problem));
      // A wrong result is a fault of weft's, whatever the values are; a refusal is one result of the sweep.
      failed_ = failed_ || row.problem.starts_with("WRONG");
      trial.complete = trial.complete && !row.failed;
      if (best != nullptr && at < best->rows.size()) {
        const Row& other = best->rows[at];
        if (row.ms.has_value() != other.ms.has_value()) trial.complete = false;
        if (row.ms && other.ms && row.ms->median > kHopeless * other.ms->median) trial.complete = false;
      }
      trial.rows.push_back(row);
      ++at;
    };
    const Status status = session->run(*bench_case, bench_case->prepare(session->gpu()), on_row);
    if (!status) {
      trial.complete = false;
      complain(fmt::format("{}: {}", bench_case->name(), status.error().message));
      failed_ = failed_ || status.error().code == ErrorCode::device_lost;
    }
    if (best != nullptr && !trial.complete) break;
  }
  return trial;
}

bool Sweep::wins(const Trial& before, const Trial& after) const {
  if (!after.complete || before.rows.size() != after.rows.size()) return false;
  bool faster = false;
  for (size_t i = 0; i < before.rows.size(); ++i) {
    const Row &a = before.rows[i], &b = after.rows[i];
    if (!a.ms || !b.ms) continue;
    const Difference difference = difference_of(a.ms->samples, b.ms->samples, kMargin);
    if (difference == Difference::slower || b.ms->median > a.ms->median * (1 + 2 * kMargin)) return false;
    faster = faster || difference == Difference::faster;
  }
  return faster;
}

void Sweep::record(const std::string& key, uint32_t value, const Trial& trial, const char* result) {
  Json entry{{"key", key}, {"value", value}, {"result", result}, {"rows", Json::array()}};
  for (const Row& row : trial.rows) entry["rows"].push_back(row_json(row));
  results_.push_back(std::move(entry));
}

std::vector<uint32_t> Sweep::candidates(const TuningValue& key) const {
  for (const auto& [name, values] : options_.try_only)
    if (name == key.key) return values;
  return values_to_try(key);
}

bool Sweep::is_wanted_key(const TuningValue& key) const {
  return key.swept && (options_.try_only.empty() ||
                       std::ranges::find(options_.try_only, key.key, &Tuning::first) != options_.try_only.end());
}

void Sweep::sweep_key(const Group& group, const TuningValue& key, Clock::time_point until, Trial& best) {
  const uint32_t before = key.value;
  uint32_t now = before;
  for (const uint32_t value : candidates(key)) {
    if (value == now) continue;
    if (seconds_left(until) <= 0) {
      not_tried_.push_back(fmt::format("{}={}", key.key, value));
      continue;
    }
    if (value < key.min || value > key.max) {
      complain(fmt::format("{} takes a number from {} to {}, not {}", key.key, key.min, key.max, value));
      failed_ = true;
      continue;
    }
    show(fmt::format("{}={}", key.key, value));
    Settings settings = chosen_;
    settings[key.key] = value;
    const Trial trial = measure(group, settings, &best);
    bool won = wins(best, trial);
    if (won) {
      // Clocks may have moved in between: both again, side by side.
      Trial again = measure(group, chosen_, nullptr);
      Trial confirmed = measure(group, settings, nullptr);
      won = wins(again, confirmed);
      best = won ? std::move(confirmed) : std::move(again);
    }
    record(key.key, value, trial, won ? "won" : trial.complete ? "no better" : "ended early");
    if (!won) continue;
    now = value;
    chosen_ = std::move(settings);
  }
  if (now != before) say(fmt::format("{}: {} instead of {}", key.key, now, before));
}

void Sweep::sweep_group(const Group& group, Clock::time_point until) {
  show(std::string(group.name));
  const bool has_time = seconds_left(until) > 0;
  for (const TuningValue& key : keys_)
    if (!has_time && group_of(key.key) == group.name && is_wanted_key(key))
      for (const uint32_t value : candidates(key)) not_tried_.push_back(fmt::format("{}={}", key.key, value));
  if (!has_time) return;
  Trial best = measure(group, chosen_, nullptr);
  if (std::ranges::none_of(best.rows, [](const Row& row) { return row.ms.has_value(); })) {
    say(fmt::format("{}: no row could be measured", group.name));
    return;
  }
  for (const TuningValue& key : keys_)
    if (group_of(key.key) == group.name && is_wanted_key(key)) sweep_key(group, key, until, best);
}

bool Sweep::write() {
  const std::string path = options_.tuning_output.empty() ? "weft-tuning.txt" : options_.tuning_output;
  Status status = write_text(path, file_text(chosen_));
  if (!status) return print_message(status.error().message);
  print_wrapped(out_, fmt::format("{} has {} values; `weft-bench --tuning {}` uses it.", path, chosen_.size(), path));
  if (options_.json.empty()) return true;
  head_["tuning"] = file_text(chosen_);
  head_["trials"] = std::move(results_);
  head_["not_tried"] = not_tried_;
  status = write_text(options_.json, head_.dump(1) + '\n');
  return status || print_message(status.error().message);
}

int Sweep::run() {
  if (!open()) return 1;
  std::vector<Group> groups, wanted;
  for (const TuningValue& key : keys_) {
    const std::string_view name = group_of(key.key);
    if (!is_wanted_key(key) || std::ranges::find(groups, name, &Group::name) != groups.end()) continue;
    const Group& group = groups.emplace_back(group_called(name));
    const bool has_rows = !cases_of(group).empty();
    if (has_rows) wanted.push_back(group);
    if (!has_rows && options_.filters.empty() && options_.types.empty())
      failed_ = !complain(fmt::format("no rows are known for {}", name));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    // What a group does not need of its share goes to those after it.
    const double share = std::max(seconds_left(deadline_), 0.0) / static_cast<double>(wanted.size() - i);
    sweep_group(wanted[i],
                Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(share)));
  }
  progress_.clear();
  if (!measured_) {
    print_message("nothing could be measured");
    return 1;
  }
  if (!not_tried_.empty())
    print_wrapped(out_, fmt::format("{} values were not tried for lack of time, e.g. {}; --json lists them.",
                                    not_tried_.size(), not_tried_.front()));
  return write() && !failed_ ? 0 : 1;
}

}  // namespace

int run_tune(const Options& options) {
  auto source = source_of(options);
  return source ? Sweep(options, *std::move(source)).run() : 1;
}

}  // namespace weft::bench
