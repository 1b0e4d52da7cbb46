// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <weft/version.hpp>

#include "git_commit.hpp"
#include "support/clocks.hpp"
#include "support/options.hpp"
#include "support/parallel.hpp"
#include "support/progress.hpp"
#include "support/report.hpp"
#include "support/sampling.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

// What a row costs to measure: bytes to make, upload, check and move, and something whatever the size.
double weight_of(const BenchCase& bench_case, uint64_t n) {
  const auto outputs = bench_case.outputs(n);
  return 0x1p26 + static_cast<double>(std::accumulate(outputs.begin(), outputs.end(), n * bench_case.item_bytes()));
}

// Those of --quick are among the others, so that both kinds of report can be compared.
Sizes default_sizes(const Gpu& gpu, bool quick) {
  const bool software = gpu.info().kind == GpuKind::software;
  if (software) return quick ? Sizes{1u << 16, 1u << 20} : Sizes{1u << 16, 1u << 18, 1u << 20, 1u << 22};
  return quick ? Sizes{1u << 16, 1u << 20, 1u << 24} : Sizes{1u << 16, 1u << 20, 1u << 24, 1u << 28};
}

Matrix matrix_of(const Options& options, ItemSource& source, const Gpu& gpu) {
  Matrix matrix;
  matrix.source = &source;
  matrix.sizes = options.sizes.empty() ? default_sizes(gpu, options.quick) : options.sizes;
  std::sort(matrix.sizes.begin(), matrix.sizes.end());
  matrix.sizes.erase(std::unique(matrix.sizes.begin(), matrix.sizes.end()), matrix.sizes.end());
  matrix.every_size = !options.sizes.empty();
  matrix.essential = options.quick;
  if (options.strategy == Strategy::automatic) matrix.other_strategy = other_than(gpu.context().strategy());
  return matrix;
}

// Those that the options ask for, after the copies that they are compared with.
Cases cases_of(const Options& options, const Matrix& matrix, int copy_bits) {
  Cases primitives = Rows::cases(matrix);
  select(primitives, options.filters, options.types);
  Sizes moved;
  for (const auto& bench_case : primitives)
    for (const uint64_t n : bench_case->sizes()) moved.push_back(bench_case->moved_bytes(n));
  // A filter that names only the copy asks for it alone.
  if (primitives.empty())
    for (const uint64_t n : matrix.sizes) moved.push_back(n * 2 * sizeof(uint32_t));
  Cases copies;
  copies.push_back(copy_case(moved, copy_bits));
  if (primitives.empty()) select(copies, options.filters, options.types);
  Cases cases = empty_cases();
  select(cases, options.filters, options.types);
  for (Cases* more : {&copies, &primitives})
    cases.insert(cases.end(), std::make_move_iterator(more->begin()), std::make_move_iterator(more->end()));
  return cases;
}

class Measurement {
 public:
  Measurement(const Options& options, ItemSource& source, Gpu gpu)
      : options_(options),
        // Whoever reads JSON or CSV from stdout wants nothing else there.
        out_(options.json == "-" || options.csv == "-" ? stderr : stdout),
        is_bounded_(options.quick && options.sizes.empty()),
        copy_bits_(is_bounded_ ? 1 : 4),
        session_config_(config(gpu)),
        session_(std::move(gpu), source, session_config_),
        cases_(cases_of(options, matrix_of(options, source, session_.gpu()), copy_bits_)),
        progress_(total_weight()),
        table_(out_),
        clock_reader_(session_.gpu()) {}

  int run(const std::string& source_name);

 private:
  SessionConfig config(const Gpu& gpu);
  double total_weight() const;
  void print_header(const std::string& source_name);
  void add(const BenchCase& bench_case, Row row);
  void write(const std::string& path, const std::string& text) {
    if (const Status status = write_text(path, text); !status) failed_ = !print_message(status.error().message);
  }
  void write_json() {
    auto head = report_head(session_.gpu(), options_.uuid);
    if (!options_.tuning.empty()) head["tuning"] = options_.tuning;
    clocks_.write(head["device"]);
    write(options_.json, report_json(std::move(head), session_.timer(), rows_).dump(1) + '\n');
  }

  const Options& options_;
  std::FILE* out_;
  bool is_bounded_;  // --quick, at its own sizes
  int copy_bits_;
  SessionConfig session_config_;
  Session session_;
  Cases cases_;
  Progress progress_;
  Table table_;
  std::vector<Row> rows_;
  std::map<uint64_t, double> copy_gbps_;
  ReportClock clock_;
  ClockReader clock_reader_;
  ClockRange clocks_;
  bool failed_ = false;
  bool timer_reported_ = false;
};

SessionConfig Measurement::config(const Gpu& gpu) {
  SessionConfig config = session_config(options_);
  // What a CPU takes long for freezes no system. It is left out only where nobody asked for that size.
  const bool skips_long = gpu.info().kind != GpuKind::software || options_.sizes.empty();
  if (!skips_long) config.max_call_ms = std::numeric_limits<double>::infinity();
  if (is_bounded_) {
    config.full_bytes = kQuickBytes;
    config.further_warm_up = 0.25;
    // A CPU's clocks are up before the first row.
    if (gpu.info().kind == GpuKind::software && !options_.warm_up_ms) config.warm_up_ms = 20;
  }
  return config;
}

double Measurement::total_weight() const {
  double total = 0;
  for (const auto& bench_case : cases_)
    for (const uint64_t n : bench_case->sizes()) total += weight_of(*bench_case, n);
  return total;
}

void Measurement::print_header(const std::string& source_name) {
  Gpu& gpu = session_.gpu();
  const GpuInfo& info = gpu.info();
  if (info.kind == GpuKind::software) fmt::print(out_, "{}\n", kSoftwareDevice);
  fmt::print(out_, "weft-bench {}.{}.{} ({:.12})\n", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH,
             kGitCommit);
  print_wrapped(out_, fmt::format("{}, {}, Vulkan {}.{}, subgroups of {}, {}", info.name, info.driver,
                                  VK_API_VERSION_MAJOR(info.api_version), VK_API_VERSION_MINOR(info.api_version),
                                  gpu.context().subgroup_size(), name_of(info.kind)));
  print_wrapped(out_, fmt::format("Data: {}. Strategy: {}, unless a row names another or is small; --json and --csv "
                                  "have each row's. Medians of {} calls on the same "
                                  "buffers; sizes that fit the device's cache are read from it. GB/s: 10^9 bytes a "
                                  "second, of the minimum bytes moved. Of copy: against a copy of about as many bytes.",
                                  source_name, name_of(gpu.context().strategy()), session_config_.repeats));
  fmt::print(out_, "\n");
}

void Measurement::add(const BenchCase& bench_case, Row row) {
  if (row.primitive == "copy" && row.ms) copy_gbps_[row.n] = row.gbps;
  if (row.ms && row.gbps > 0 && !bench_case.is_on_host()) {
    const auto copy = copy_gbps_.find(copy_items(bench_case.moved_bytes(row.n), copy_bits_));
    if (copy != copy_gbps_.end() && copy->second > 0) row.copy_fraction = row.gbps / copy->second;
  }
  failed_ = failed_ || row.failed;
  // Right after the row, before the clocks fall.
  if (row.ms && !bench_case.is_on_host()) clocks_.add(clock_reader_.read());
  rows_.push_back(row);
  if (clock_.is_due(options_.json)) write_json();
  progress_.clear();
  if (!timer_reported_ && !session_.timer_problem().empty()) {
    fmt::print(out_, "note: {}; times are the host's, from submission to completion\n", session_.timer_problem());
    timer_reported_ = true;
  }
  table_.row(row);
  progress_.advance(weight_of(bench_case, row.n));
  progress_.show(bench_case.name());
}

int Measurement::run(const std::string& source_name) {
  if (cases_.empty()) {
    print_message("no row holds any of the --filter texts and --types");
    return 1;
  }
  print_header(source_name);
  table_.header();
  // Drivers compile pipelines on all cores, for as many cases as there are cores.
  const size_t batch = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Status> prepared(cases_.size());
  for (size_t i = 0; i < cases_.size(); ++i) {
    BenchCase& bench_case = *cases_[i];
    progress_.show(bench_case.name());
    if (i % batch == 0)
      for_each_block(std::min(batch, cases_.size() - i),
                     [&](uint64_t k) { prepared[i + k] = cases_[i + k]->prepare(session_.gpu()); });
    const Status status = session_.run(bench_case, prepared[i], [&](const Row& row) { add(bench_case, row); });
    if (!status) {
      progress_.clear();
      failed_ = !print_message(bench_case.name() + ": " + status.error().message);
      break;
    }
  }
  progress_.clear();
  fmt::print(out_, "\n!: the 5th and 95th percentile lie more than {:.0f} % of the median apart.\n", kNoisy * 100);

  if (!options_.json.empty()) write_json();
  if (!options_.csv.empty()) write(options_.csv, report_csv(rows_));
  if (failed_) print_message("FAILED: see the rows marked WRONG or failed, or the error above");
  return failed_ ? 1 : 0;
}

}  // namespace

int run_measure(const Options& given) {
  Options options = given;
  auto source = source_of(options);
  if (!source) return 1;
  auto opened = open_gpu(options);
  if (!opened) {
    print_message(opened.error().message);
    return 1;
  }
  for (const std::string& warning : opened->warnings()) print_message(warning);
  // All rows take a CPU more than nine minutes.
  if (opened->info().kind == GpuKind::software && options.sizes.empty() && options.filters.empty() && !options.quick) {
    options.quick = true;
    print_message("on a software device, the essential rows alone (--quick); --filter or --sizes choose others");
  }
  const std::string name = source->name();
  return Measurement(options, *source, std::move(opened).value()).run(name);
}

}  // namespace weft::bench
