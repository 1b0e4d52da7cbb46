// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/self_test.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <any>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "every_call.hpp"
#include "support/device.hpp"
#include "support/fuzz_subject.hpp"
#include "support/primitive_call.hpp"

namespace weft::test {
namespace {

/// What the running trial came to.
Outcome& outcome() {
  static Outcome current;
  return current;
}

/// What the test case below runs.
std::function<void()>& asked_for() {
  static std::function<void()> current;
  return current;
}

std::vector<Backend*>& opened() {
  static std::vector<Backend*> backends;
  return backends;
}

/// The test cases that a run with `list-test-cases` has found.
std::vector<std::string>& listed() {
  static std::vector<std::string> titles;
  return titles;
}

/// Keeps what a trial says in outcome().
class Collector : public doctest::IReporter {
 public:
  explicit Collector(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData& query) override {
    for (unsigned i = 0; i < query.num_data; ++i) listed().emplace_back(query.data[i]->m_name);
  }
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException& exception) override {
    fail(exception.error_string.c_str());
  }
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& assertion) override {
    if (!assertion.m_failed) return;
    if ((assertion.m_at & doctest::assertType::is_warn) != 0) {
      outcome().held_back = true;
      return;
    }
    fail(assertion.m_threw ? assertion.m_exception.c_str()
                           : std::string(assertion.m_expr) + " is " + assertion.m_decomp.c_str());
  }
  void log_message(const doctest::MessageData& message) override {
    if ((message.m_severity & doctest::assertType::is_warn) == 0) return fail(message.m_string.c_str());
    std::string& note = outcome().note;
    note += (note.empty() ? "" : "; ") + std::string(message.m_string.c_str());
  }
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  static void fail(std::string what) {
    Outcome& result = outcome();
    result.passed = false;
    // As runtime/error.cpp says it.
    result.lost = result.lost || what.find("the device is lost") != std::string::npos;
    if (!result.problem.empty()) return;
    const doctest::IContextScope* const* contexts = get_active_contexts();
    for (int i = 0; i < get_num_active_contexts(); ++i) {
      std::ostringstream stream;
      contexts[i]->stringify(&stream);
      what += "; " + stream.str();
    }
    result.problem = std::move(what);
  }
};

/// The test cases of a suite that fit a pattern.
Outcome run_tests(const char* suite, std::string title, const char* query = nullptr) {
  outcome() = {};
  doctest::Context context;
  context.setOption("reporters", "self_test");
  context.setOption("no-skip", true);
  context.setOption("no-breaks", true);
  const std::array<const char*, 2> arguments{"", query};
  if (query != nullptr) context.applyCommandLine(2, arguments.data());
  context.addFilter("test-suite", suite);
  // A filter is a list, and ? is any character.
  std::ranges::replace(title, ',', '?');
  context.addFilter("test-case", title.c_str());
  forget_longest();
  context.run();
  outcome().longest_ms = longest_ms();
  return std::move(outcome());
}

Outcome run_here(std::function<void()> what) {
  asked_for() = std::move(what);
  return run_tests("self_test", "*");
}

bool is_supported(const FuzzSubject& subject, const Context& context) {
  return std::ranges::all_of(subject.types, [&](Type type) { return context.supports(type); }) &&
         (!subject.needs_look_back || has_look_back(context));
}

/// "native 8", "emulated 32".
std::string short_name(const Backend& backend) {
  return (backend.is_emulated() ? "emulated " : "native ") + std::to_string(backend.context().subgroup_size());
}

void add_tests(std::vector<Trial>& trials, const char* suite, Gpu& gpu, bool is_essential) {
  listed().clear();
  run_tests(suite, "*", "--list-test-cases");
  std::vector<std::string> titles = listed();
  // No block of the library, but arguments that it refuses.
  std::erase_if(titles, [](const std::string& title) { return title.ends_with("[refusal]"); });
  for (const std::string& title : titles) {
    Trial& trial = trials.emplace_back();
    trial.name = std::string(suite) + ": " + title;
    trial.is_essential = trial.concerns_look_back = is_essential;
    trial.gpu = &gpu;
    trial.run = [=](uint64_t, const Simpler&) { return run_tests(suite, title); };
  }
}

Outcome run_subject(const FuzzSubject& subject, Backend& backend, uint64_t seed, const Simpler& simpler) {
  Draws draw(seed, 0, simpler);
  Outcome result = run_here([&] {
    const ScopedTuning tuned(subject.tuning);
    subject.run(backend, draw);
  });
  result.items = draw.most_items();
  return result;
}

/// The subjects of each primitive, one of each in turn, so that a run that is cut short has met all of them.
std::vector<FuzzSubject> subjects_in_turn() {
  std::map<std::string, std::vector<FuzzSubject>> of_primitive;
  size_t most = 0;
  for (FuzzSubject& subject : FuzzSubjects::all()) {
    auto& subjects = of_primitive[subject.name.substr(0, subject.name.find(' '))];
    subjects.push_back(std::move(subject));
    most = std::max(most, subjects.size());
  }
  std::vector<FuzzSubject> in_turn;
  for (size_t i = 0; i < most; ++i)
    for (auto& [primitive, subjects] : of_primitive)
      if (i < subjects.size()) in_turn.push_back(std::move(subjects[i]));
  return in_turn;
}

// Any thread may call the inner function. Contexts read the environment, and are made here, before there are others.
template <class Primitive>
std::function<std::function<void()>()> build_of(const FuzzSubject& subject, Backend& backend,
                                                const ConfigOf<Primitive>& config) {
  const ScopedTuning tuned(subject.tuning);
  const Context& context = backend.context();
  return [&backend, &context, config, tuning = subject.tuning]() -> std::function<void()> {
    Result<Primitive> created = Primitive::create(context, config);
    // The trial's own attempt reports what is wrong.
    if (!created) return [] {};
    return [&backend, config, tuning, built = std::make_shared<const Primitive>(*std::move(created))] {
      const ScopedTuning own(tuning);
      backend.keep<Primitive>(config, built);
    };
  };
}

Trial trial_of(const FuzzSubject& subject, Backend& backend) {
  Trial trial;
  trial.name = short_name(backend) + ": " + subject.name;
  trial.is_random = true;
  trial.concerns_look_back = subject.needs_look_back;
  trial.gpu = &backend.gpu();
  trial.run = [subject, &backend](uint64_t seed, const Simpler& simpler) {
    return run_subject(subject, backend, seed, simpler);
  };
  for_each_primitive([&]<class Primitive>() {
    if (const auto* const config = std::any_cast<ConfigOf<Primitive>>(&subject.config))
      trial.build = build_of<Primitive>(subject, backend, *config);
  });
  return trial;
}

/// The device's own subgroups, and the first that are emulated.
std::vector<Backend*> both_kinds(const std::vector<Backend*>& backends) {
  std::vector<Backend*> both;
  for (Backend* const backend : backends)
    if (both.empty() || backend->is_emulated() != both.front()->is_emulated()) {
      both.push_back(backend);
      if (both.size() == 2) break;
    }
  return both;
}

/// Whether each subject is the first of its primitive, strategy and kind of cases.
std::vector<bool> firsts_of(const std::vector<FuzzSubject>& subjects) {
  std::set<std::string> met;
  std::vector<bool> firsts;
  for (const FuzzSubject& subject : subjects) {
    const std::string primitive = subject.name.substr(0, subject.name.find(' '));
    firsts.push_back(met.insert(primitive + ' ' + name_of(subject.strategy) + ' ' + subject.kind).second);
  }
  return firsts;
}

void add_essentials(std::vector<Trial>& trials, const std::vector<Backend*>& backends) {
  const std::vector<FuzzSubject> subjects = subjects_in_turn();
  const std::vector<bool> firsts = firsts_of(subjects);
  for (size_t s = 0; s < subjects.size(); ++s)
    for (Backend* const backend : both_kinds(backends)) {
      if (!firsts[s] || !is_supported(subjects[s], backend->context())) continue;
      trials.push_back(trial_of(subjects[s], *backend));
      trials.back().is_essential = true;
    }
}

void add_others(std::vector<Trial>& trials, const std::vector<Backend*>& backends) {
  const std::vector<FuzzSubject> subjects = subjects_in_turn();
  const std::vector<bool> firsts = firsts_of(subjects);
  const std::vector<Backend*> both = both_kinds(backends);
  for (size_t turn = 0; turn < backends.size(); ++turn)
    for (size_t s = 0; s < subjects.size(); ++s) {
      // Every subject meets every backend, and each turn has all backends.
      Backend* const backend = backends[(s + turn) % backends.size()];
      const bool is_essential = firsts[s] && std::ranges::find(both, backend) != both.end();
      if (!is_essential && is_supported(subjects[s], backend->context()))
        trials.push_back(trial_of(subjects[s], *backend));
    }
}

}  // namespace

TEST_SUITE("self_test") {
  TEST_CASE("what a program asks for" * doctest::skip()) {
    if (asked_for()) asked_for()();
  }
}

std::vector<Trial> every_trial(std::string& problem) {
  std::vector<Trial> trials, essentials, others;
  std::vector<Backend*>& backends = opened();
  // What may fail does so in a test.
  problem = run_here([&] {
              backends = every_backend();
              add_essentials(essentials, backends);
              add_others(others, backends);
            }).problem;
  if (!problem.empty()) return {};
  Gpu& gpu = backends.front()->gpu();
  for (const char* const suite : {"litmus", "forward_progress"}) add_tests(trials, suite, gpu, true);
  std::ranges::move(essentials, std::back_inserter(trials));
  for (const char* const suite : {"subgroup", "lanes", "workgroup", "fse", "lz_copy", "merge_path", "balanced_path",
                                  "transform_lbs", "dispatch_arguments"})
    add_tests(trials, suite, gpu, false);
  std::ranges::move(others, std::back_inserter(trials));
  return trials;
}

void release_pipelines() {
  for (Backend* const backend : opened()) backend->release_primitives();
}

void plant_fault(const std::optional<uint64_t>& item) { PrimitiveCall::plant(item); }
void end_trials() {
  opened().clear();
  close_devices();
}

}  // namespace weft::test

REGISTER_REPORTER("self_test", 1, weft::test::Collector);
