// SPDX-License-Identifier: MIT OR Apache-2.0
#include "selftest.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "environment.hpp"
#include "self_test.hpp"
#include "selftest_builds.hpp"
#include "selftest_journal.hpp"
#include "selftest_load.hpp"
#include "support/call_bound.hpp"
#include "support/options.hpp"
#include "support/progress.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using Ending = SelftestEntry::Ending;
using test::Outcome;
using test::Simpler;
using test::Trial;

// Items of a random case until its speed is known: the largest have ten times as many.
constexpr uint64_t kFirstItems = 20'000;
constexpr uint32_t kMostTries = 30;  // of making a case simpler

struct Choice {
  const char* name;
  bool Simpler::*member;
};
constexpr Choice kChoices[] = {{"plain", &Simpler::plain},
                               {"aligned", &Simpler::aligned},
                               {"host_count", &Simpler::host_count},
                               {"clean", &Simpler::clean}};

/// "items=17,plain,aligned"; empty: as drawn.
std::string text_of(const Simpler& simpler) {
  std::string text;
  if (simpler.items != ~uint64_t{0}) text = fmt::format("items={}", simpler.items);
  for (const Choice& choice : kChoices)
    if (simpler.*choice.member) text += (text.empty() ? "" : ",") + std::string(choice.name);
  return text;
}

std::optional<Simpler> parse_simpler(std::string_view text) {
  constexpr std::string_view kItems = "items=";
  Simpler simpler;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const auto choice = std::ranges::find_if(kChoices, [&](const Choice& one) { return part == one.name; });
    if (choice != std::end(kChoices)) {
      simpler.*choice->member = true;
      continue;
    }
    if (!part.starts_with(kItems)) return std::nullopt;
    const auto [end, code] = std::from_chars(part.data() + kItems.size(), part.data() + part.size(), simpler.items);
    if (code != std::errc{} || end != part.data() + part.size()) return std::nullopt;
  }
  return simpler;
}

/// A case that fails, as simple as a few tries find.
struct Smallest {
  Simpler simpler;
  Outcome outcome;
};

Smallest shrink(const Trial& trial, uint64_t seed, Simpler simpler, Outcome outcome) {
  Smallest smallest{simpler, std::move(outcome)};
  uint32_t tries = 0;
  const auto fails = [&](const Simpler& tried) {
    if (tries++ == kMostTries || smallest.outcome.lost) return false;
    Outcome result = trial.run(seed, tried);
    if (result.passed) return false;
    smallest = {tried, std::move(result)};
    return true;
  };
  for (const Choice& choice : kChoices) {
    Simpler tried = smallest.simpler;
    tried.*choice.member = true;
    fails(tried);
  }
  // Half as many, and so on between what passes and what fails.
  for (uint64_t passing = 0; passing + 1 < smallest.outcome.items && tries < kMostTries;) {
    Simpler tried = smallest.simpler;
    tried.items = passing + (smallest.outcome.items - passing) / 2;
    if (!fails(tried)) passing = tried.items;
  }
  return smallest;
}

std::string command_of(const std::string& name, uint64_t seed, const Simpler& simpler) {
  const std::string how = text_of(simpler);
  return fmt::format("weft-bench selftest --case \"{}\" --seed {}{}{}", name, seed, how.empty() ? "" : " --simpler ",
                     how);
}

class Selftest {
 public:
  Selftest(const SelftestOptions& options, Json head, std::string device, SelftestJournal journal,
           std::vector<Trial> trials, SelftestLoad& load)
      : options_(options),
        head_(std::move(head)),
        device_(std::move(device)),
        journal_(std::move(journal)),
        trials_(std::move(trials)),
        load_(load),
        progress_(options.minutes * 60) {}

  int run();

 private:
  void take_up();
  bool is_over() const { return stopped_ || elapsed_s() >= options_.minutes * 60; }
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// A case to run.
  struct Due {
    const Trial* trial;
    uint64_t seed;
    bool loaded;
  };
  /// First those that one of has ended an earlier run, to find out which.
  std::vector<Due> due_in(uint64_t round) const;
  /// Whether any case was left to run.
  bool run_round(uint64_t round);
  /// Begins to build the pipelines of those from `first` on.
  void build_ahead(const std::vector<Due>& due, size_t& first);
  void note_built(const std::vector<std::string>& names);
  void run_case(const Due& due);
  void fail(const Due& due, Smallest smallest);
  void keep(const Status& status);
  void print_look_back() const;
  int verdict() const;
  std::string case_file() const;

  const SelftestOptions& options_;
  Json head_;
  std::string device_;
  SelftestJournal journal_;
  std::vector<Trial> trials_;
  SelftestLoad& load_;
  SelftestBuilds builds_;
  Progress progress_;
  Clock::time_point start_ = Clock::now();
  std::set<std::pair<std::string, uint64_t>> ended_;  // case and seed
  std::set<std::string> left_out_;                    // cases that failed or ended a process
  std::set<std::string> suspects_;                    // cases of which one ended a process: yet to be tried
  std::map<std::string, CallSpeed> speeds_;           // of random cases
  double longest_ms_ = 0;                             // submission
  bool stopped_ = false;
};

// What earlier runs did.
void Selftest::take_up() {
  suspects_ = {journal_.suspects().begin(), journal_.suspects().end()};
  if (!suspects_.empty()) {
    fmt::print("An earlier run ended while {} cases were in work, in one of them. Each is tried alone first:\n",
               suspects_.size());
    for (const std::string& name : suspects_) fmt::print("  {}\n", name);
  }
  if (journal_.entries().empty()) return;
  for (const SelftestEntry& entry : journal_.entries()) {
    ended_.emplace(entry.name, entry.seed);
    if (entry.ending != Ending::pass) left_out_.insert(entry.name);
    if (entry.ending == Ending::unended || entry.ending == Ending::lost)
      fmt::print("An earlier run {} in case \"{}\", seed {}: left out from now on.\n",
                 entry.ending == Ending::lost ? "lost the device" : "ended", entry.name, entry.seed);
  }
  fmt::print("{} has {} cases; this run goes on after them.\n", options_.file, journal_.entries().size());
}

void Selftest::keep(const Status& status) {
  if (status || stopped_) return;
  print_message(status.error().message);
  stopped_ = true;
}

// FILE-case-N.json, the first that is not there.
std::string Selftest::case_file() const {
  const std::filesystem::path path = options_.file;
  for (uint32_t i = 1;; ++i) {
    const std::filesystem::path file = path.parent_path() / fmt::format("{}-case-{}.json", path.stem().string(), i);
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return file.string();
  }
}

void Selftest::fail(const Due& due, Smallest smallest) {
  const Trial& trial = *due.trial;
  const uint64_t seed = due.seed;
  load_.set(due.loaded ? trial.gpu : nullptr);
  if (trial.is_random && !smallest.outcome.lost)
    smallest = shrink(trial, seed, smallest.simpler, std::move(smallest.outcome));
  load_.set(nullptr);
  const Outcome& outcome = smallest.outcome;
  const std::string file = case_file(), how = text_of(smallest.simpler);
  const std::string command = command_of(trial.name, seed, smallest.simpler);
  Json found{{"case", trial.name},         {"seed", seed},         {"simpler", how},
             {"items", outcome.items},     {"loaded", due.loaded}, {"verdict", outcome.lost ? "lost" : "fail"},
             {"problem", outcome.problem}, {"command", command}};
  keep(journal_.add({{"smallest", found}, {"file", file}}));
  found["head"] = head_;
  keep(write_text(file, found.dump(1, ' ', false, Json::error_handler_t::replace) + '\n'));
  progress_.clear();
  fmt::print("FAILED {}: {}\n", trial.name, outcome.problem);
  if (trial.is_random)
    fmt::print("  smallest: {} items, seed {}{}\n", outcome.items, seed, due.loaded ? ", under load" : "");
  fmt::print("  again: {}\n  file: {}\n", command, file);
  stopped_ = stopped_ || outcome.lost;
  if (outcome.lost) fmt::print("The device was lost in case \"{}\". The same command goes on after it.\n", trial.name);
}

void Selftest::run_case(const Due& due) {
  const Trial& trial = *due.trial;
  const uint64_t seed = due.seed;
  const double before_s = elapsed_s();
  progress_.show(trial.name);
  if (builds_.has(trial.name)) {
    builds_.take(trial.name);
    note_built({trial.name});
  }
  Json about{{"loaded", due.loaded}};
  if (due.loaded) about["second_queue"] = SelftestLoad::queue_beside(*trial.gpu);
  keep(journal_.begin(trial.name, seed, about));
  if (stopped_) return;
  if (!options_.die_in.empty() && trial.name.find(options_.die_in) != std::string::npos) {
#ifdef _WIN32
    std::abort();
#else
    std::raise(SIGKILL);
#endif
  }
  Simpler simpler;
  const auto speed = speeds_.find(trial.name);
  if (trial.is_random)
    simpler.items =
        affordable_items(speed == speeds_.end() ? std::nullopt : std::optional(speed->second), kMaxCallMs, kFirstItems);
  load_.set(due.loaded ? trial.gpu : nullptr);
  Outcome outcome = trial.run(seed, simpler);
  load_.set(nullptr);
  if (trial.is_random) speeds_[trial.name] = {outcome.items, outcome.longest_ms};
  longest_ms_ = std::max(longest_ms_, outcome.longest_ms);
  const Ending ending = outcome.lost ? Ending::lost : outcome.passed ? Ending::pass : Ending::fail;
  const double case_s = elapsed_s() - before_s;
  Json more{{"ms", case_s * 1000}, {"longest_ms", outcome.longest_ms}};
  if (trial.is_random) more["items"] = outcome.items;
  if (!outcome.note.empty()) more["note"] = outcome.note;
  keep(journal_.end(ending, outcome.held_back, outcome.problem, more));
  ended_.emplace(trial.name, seed);
  suspects_.erase(trial.name);
  if (!outcome.passed) {
    left_out_.insert(trial.name);
    fail(due, {simpler, std::move(outcome)});
  }
  test::release_pipelines();
  progress_.advance(case_s);
}

std::vector<Selftest::Due> Selftest::due_in(uint64_t round) const {
  std::vector<Due> due;
  for (size_t i = 0; i < trials_.size(); ++i) {
    const Trial& trial = trials_[i];
    // What draws nothing is the same in all rounds but for the load: once with it, once without.
    if (!trial.is_random && round >= 2) continue;
    if (!left_out_.contains(trial.name))
      due.push_back({&trial, trial.is_random ? options_.seed + round : round, (i + round) % 2 != 0});
  }
  std::ranges::stable_partition(due, [&](const Due& one) { return suspects_.contains(one.trial->name); });
  return due;
}

void Selftest::note_built(const std::vector<std::string>& names) {
  for (const std::string& name : names) keep(journal_.built(name));
}

void Selftest::build_ahead(const std::vector<Due>& due, size_t& first) {
  note_built(builds_.ended());
  // One that ends the process is found alone.
  if (!suspects_.empty()) return;
  for (; first < due.size() && builds_.has_room() && !stopped_; ++first) {
    const Trial& trial = *due[first].trial;
    if (!trial.build || ended_.contains({trial.name, due[first].seed})) continue;
    keep(journal_.building(trial.name, due[first].seed));
    builds_.begin(trial.name, trial.build);
  }
}

bool Selftest::run_round(uint64_t round) {
  const std::vector<Due> due = due_in(round);
  size_t next_build = 0;
  for (size_t i = 0; i < due.size() && !is_over(); ++i) {
    if (ended_.contains({due[i].trial->name, due[i].seed})) continue;
    next_build = std::max(next_build, i);
    build_ahead(due, next_build);
    run_case(due[i]);
  }
  note_built(builds_.finish());
  return !due.empty();
}

void Selftest::print_look_back() const {
  std::map<std::string, bool> held;  // of what look-back stands on, so far as it was tried
  for (const SelftestEntry& entry : journal_.entries()) {
    const auto trial = std::ranges::find(trials_, entry.name, &Trial::name);
    if (trial == trials_.end() || !trial->concerns_look_back) continue;
    const bool holds = entry.ending == Ending::pass && !entry.held_back;
    held[entry.name] = holds && (!held.contains(entry.name) || held[entry.name]);
  }
  const auto concerned = std::ranges::count_if(trials_, &Trial::concerns_look_back);
  const auto essential = std::ranges::count_if(
      trials_, [](const Trial& trial) { return trial.concerns_look_back && trial.is_essential && trial.is_random; });
  const auto broken = std::ranges::find(held, false, &std::pair<const std::string, bool>::second);
  const auto untried = std::ranges::find_if(trials_, [&](const Trial& trial) {
    return trial.concerns_look_back && trial.is_essential && !held.contains(trial.name);
  });
  if (broken != held.end())
    fmt::print("look-back: NOT safe or not fast here: \"{}\"; reduce_then_scan needs none of it\n", broken->first);
  else if (untried != trials_.end())
    fmt::print("look-back: not shown to be safe yet: \"{}\" was not tried\n", untried->name);
  else if (essential == 0)
    fmt::print("look-back: none of its cases is here: the device has no 64-bit atomics, or --filter leaves them out\n");
  else
    fmt::print(
        "look-back: safe here, in {} of {} cases, all essential ones among them; ask for it by "
        "WEFT_STRATEGY=look_back, or by strategy in ContextConfig\n",
        held.size(), concerned);
}

int Selftest::verdict() const {
  std::map<std::string, Ending> of_case;
  uint64_t runs = 0;
  for (const SelftestEntry& entry : journal_.entries()) {
    ++runs;
    Ending& worst = of_case.try_emplace(entry.name, entry.ending).first->second;
    if (entry.ending != Ending::pass) worst = entry.ending;
  }
  const auto failed =
      static_cast<size_t>(std::ranges::count_if(of_case, [](const auto& one) { return one.second != Ending::pass; }));
  const auto missing = [&](bool essential) {
    return std::ranges::count_if(trials_, [&](const Trial& trial) {
      return !of_case.contains(trial.name) && (trial.is_essential || !essential);
    });
  };
  const auto essential = std::ranges::count_if(trials_, &Trial::is_essential);
  const bool passed = failed == 0 && !stopped_ && runs > 0;
  print_look_back();
  // Every primitive once in both strategies, natively and on emulated subgroups, is among the essential ones.
  fmt::print(
      "{} {}: {} of {} cases failed, {} runs of them; {} of {} essential cases not reached, {} of {} others; longest "
      "call {:.1f} ms; {} copies on a second queue; {:.0f} s\n",
      passed ? "PASS" : "FAIL", device_, failed, of_case.size(), runs, missing(true), essential,
      missing(false) - missing(true), static_cast<std::ptrdiff_t>(trials_.size()) - essential, longest_ms_,
      load_.dispatches(), elapsed_s());
  return passed ? 0 : 1;
}

int Selftest::run() {
  take_up();
  for (uint64_t round = 0; !is_over(); ++round)
    if (!run_round(round)) break;
  progress_.clear();
  return verdict();
}

int run_only(const SelftestOptions& options, const std::vector<Trial>& trials, const Simpler& simpler) {
  const auto trial = std::ranges::find(trials, options.only, &Trial::name);
  if (trial == trials.end()) {
    print_message(fmt::format("no case is called \"{}\"", options.only));
    return 2;
  }
  const Outcome outcome = trial->run(options.seed, simpler);
  test::release_pipelines();
  if (!outcome.note.empty()) fmt::print("{}\n", outcome.note);
  fmt::print("{} {}, seed {}: {} items{}{}\n", outcome.passed ? "PASS" : "FAIL", trial->name, options.seed,
             outcome.items, outcome.passed ? "" : ": ", outcome.problem);
  return outcome.passed ? 0 : 1;
}

// Of a device that a Gpu has been opened on.
int run_on(const SelftestOptions& options, const Simpler& simpler, const std::string& device, const std::string& uuid,
           Json head) {
  // The trials open the device that it names.
  test::set_variable("WEFT_DEVICE", uuid.c_str());
  std::string problem;
  std::vector<Trial> trials = test::every_trial(problem);
  if (!problem.empty()) {
    print_message(problem);
    return 1;
  }
  test::plant_fault(options.faulty_item);
  if (!options.only.empty()) return run_only(options, trials, simpler);
  if (!options.filters.empty())
    std::erase_if(trials, [&](const Trial& trial) {
      return std::ranges::none_of(options.filters,
                                  [&](const std::string& text) { return trial.name.find(text) != std::string::npos; });
    });
  if (trials.empty()) {
    print_message("no case holds any of the --filter texts");
    return 2;
  }
  auto journal = SelftestJournal::open(options.file, head);
  if (!journal) {
    print_message(journal.error().message);
    return 2;
  }
  SelftestLoad load(uuid);
  return Selftest(options, std::move(head), device, *std::move(journal), std::move(trials), load).run();
}

}  // namespace

int run_selftest(const SelftestOptions& options) {
  const std::optional<Simpler> simpler = parse_simpler(options.simpler);
  if (!simpler) {
    print_message(
        fmt::format("--simpler {}: write items=N, plain, aligned, host_count, clean, with commas", options.simpler));
    return 2;
  }
  Options shared;
  shared.device = options.device;
  std::string device, uuid;
  Json head;
  {
    const auto gpu = open_gpu(shared);
    if (!gpu) {
      print_message(gpu.error().message);
      return 1;
    }
    const GpuInfo& info = gpu->info();
    device = info.name + ", " + info.driver;
    uuid = uuid_string(info).data();
    head = report_head(*gpu, options.uuid);
    head["lacks"] = info.support.absent;
    head["strategy"] = name_of(gpu->context().strategy());
    if (info.kind == GpuKind::software) fmt::print("{}\n", kSoftwareDevice);
    fmt::print("{}\n", device);
    for (const std::string& absent : info.support.absent) fmt::print("  without {}\n", absent);
  }
  const int status = run_on(options, *simpler, device, uuid, std::move(head));
  test::end_trials();
  return status;
}

}  // namespace weft::bench
