// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weft/version.hpp>

#include "git_commit.hpp"
#include "support/options.hpp"
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

std::vector<uint64_t> default_sizes(const Gpu& gpu) {
  const bool software = gpu.info().kind == GpuKind::software;
  if (software) return {1u << 16, 1u << 18, 1u << 20, 1u << 22};
  return {1u << 16, 1u << 20, 1u << 24, 1u << 28};
}

}  // namespace

int run_measure(const Options& options) {
  auto source = options.input.empty() ? Result<ItemSource>(ItemSource::random()) : ItemSource::file(options.input);
  if (!source) {
    fmt::print(stderr, "weft-bench: {}\n", source.error().message);
    return 1;
  }
  GpuConfig config;
  config.device = options.device;
  config.strategy = options.strategy;
  auto opened = Gpu::open(config);
  if (!opened) {
    fmt::print(stderr, "weft-bench: {}\n", opened.error().message);
    return 1;
  }
  for (const std::string& warning : opened->warnings()) fmt::print(stderr, "weft-bench: {}\n", warning);
  const uint32_t repeats = options.repeats ? options.repeats : options.quick ? kQuickRepeats : kRepeats;
  // What a CPU takes long for freezes no system. It is left out only where nobody asked for that size.
  const bool skips_long = opened->info().kind != GpuKind::software || options.sizes.empty();
  const double warm_up_ms = options.warm_up_ms.value_or(kWarmUpMs);
  std::function<void()> prepare_next;
  const SessionConfig session_config{repeats,
                                     warm_up_ms,
                                     skips_long ? kMaxCallMs : std::numeric_limits<double>::infinity(),
                                     options.verification,
                                     options.faulty_word,
                                     [&] { prepare_next(); }};
  Session session(std::move(opened).value(), *source, session_config);
  Gpu& gpu = session.gpu();

  Matrix matrix;
  matrix.source = &*source;
  matrix.sizes = options.sizes.empty() ? default_sizes(gpu) : options.sizes;
  std::sort(matrix.sizes.begin(), matrix.sizes.end());
  matrix.sizes.erase(std::unique(matrix.sizes.begin(), matrix.sizes.end()), matrix.sizes.end());
  matrix.every_size = !options.sizes.empty();
  matrix.essential = options.quick;
  matrix.strategy = options.strategy;
  if (options.strategy == Strategy::automatic) {
    matrix.other_strategy = other_than(gpu.context().strategy());
  }

  Cases primitives;
  for (const auto cases_of : {fill_cases,
                              scan_cases,
                              reduce_cases,
                              select_cases,
                              partition_cases,
                              run_length_encode_cases,
                              run_length_decode_cases,
                              load_balance_search_cases,
                              interval_expand_cases,
                              interval_move_cases,
                              transform_lbs_cases,
                              scan_by_key_cases,
                              reduce_by_key_cases,
                              segmented_reduce_cases,
                              segmented_scan_cases,
                              histogram_cases,
                              sorted_search_cases,
                              binary_search_cases,
                              merge_cases,
                              set_operation_cases,
                              merge_sort_cases,
                              radix_sort_cases,
                              segmented_sort_cases,
                              bulk_remove_cases,
                              bulk_insert_cases,
                              dispatch_arguments_cases,
                              fse_table_cases}) {
    for (auto& bench_case : cases_of(matrix)) primitives.push_back(std::move(bench_case));
  }
#ifdef WEFT_BENCH_CODEC
  for (auto& bench_case : rans_table_cases(matrix)) primitives.push_back(std::move(bench_case));
#endif
  select(primitives, options.filters, options.types);
  std::vector<uint64_t> moved;
  for (const auto& bench_case : primitives) {
    for (const uint64_t n : bench_case->sizes()) moved.push_back(bench_case->moved_bytes(n));
  }
  // A filter that names only the copy asks for it alone.
  if (primitives.empty()) {
    for (const uint64_t n : matrix.sizes) moved.push_back(n * 2 * sizeof(uint32_t));
  }
  Cases cases = empty_cases();
  select(cases, options.filters, options.types);
  Cases copies;
  copies.push_back(copy_case(moved));
  if (primitives.empty()) select(copies, options.filters, options.types);
  for (auto& bench_case : copies) cases.push_back(std::move(bench_case));
  for (auto& bench_case : primitives) cases.push_back(std::move(bench_case));
  if (cases.empty()) {
    fmt::print(stderr, "weft-bench: no row holds any of the --filter texts and --types\n");
    return 1;
  }

  // Whoever reads JSON or CSV from stdout wants nothing else there.
  std::FILE* const out = options.json == "-" || options.csv == "-" ? stderr : stdout;
  const GpuInfo& info = gpu.info();
  fmt::print(out, "weft-bench {}.{}.{} ({:.12})\n{}, {}, Vulkan {}.{}, subgroups of {}, {}\n", WEFT_VERSION_MAJOR,
             WEFT_VERSION_MINOR, WEFT_VERSION_PATCH, kGitCommit, info.name, info.driver,
             VK_API_VERSION_MAJOR(info.api_version), VK_API_VERSION_MINOR(info.api_version),
             gpu.context().subgroup_size(), name_of(info.kind));
  if (info.kind == GpuKind::software) {
    fmt::print(out, "This is a SOFTWARE device: the results are checked, but the times say nothing about any GPU.\n");
  }
  fmt::print(out,
             "Data: {}. Medians of {} calls on the same buffers; sizes that fit the device's cache are read from it.\n"
             "GB/s: 10^9 bytes a second, of the fewest that have to be read and written. "
             "Of copy: against a copy of as many bytes.\n\n",
             source->name(), repeats);

  double total = 0;
  for (const auto& bench_case : cases) {
    for (const uint64_t n : bench_case->sizes()) total += weight_of(*bench_case, n);
  }
  Progress progress(total);
  Table table(out);
  table.header();
  std::vector<Row> rows;
  std::map<uint64_t, double> copy_gbps;
  bool failed = false;
  bool timer_reported = false;
  const auto write = [&](const std::string& path, const std::string& text) {
    if (const Status status = write_text(path, text); !status) {
      fmt::print(stderr, "weft-bench: {}\n", status.error().message);
      failed = true;
    }
  };
  const auto write_json = [&] { write(options.json, report_json(gpu, session.timer(), rows).dump(1) + '\n'); };
  ReportClock clock;
  std::optional<Status> prepared = cases[0]->prepare(gpu);
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto& bench_case = cases[i];
    progress.show(bench_case->name());
    // Drivers compile the next case's pipelines while outputs are checked.
    std::optional<Status> next;
    prepare_next = [&] {
      if (!next && i + 1 < cases.size()) next = cases[i + 1]->prepare(gpu);
    };
    const Status status = session.run(*bench_case, *prepared, [&](const Row& measured) {
      Row row = measured;
      if (row.primitive == "copy" && row.ms) copy_gbps[row.n] = row.gbps;
      if (row.ms && row.gbps > 0 && !bench_case->is_on_host()) {
        const auto copy = copy_gbps.find(copy_items(bench_case->moved_bytes(row.n)));
        if (copy != copy_gbps.end() && copy->second > 0) row.copy_fraction = row.gbps / copy->second;
      }
      failed = failed || row.failed;
      rows.push_back(row);
      if (clock.is_due(options.json)) write_json();
      progress.clear();
      if (!timer_reported && !session.timer_problem().empty()) {
        fmt::print(out, "note: {}; times are the host's, from submission to completion\n", session.timer_problem());
        timer_reported = true;
      }
      table.row(row);
      progress.advance(weight_of(*bench_case, row.n));
      progress.show(bench_case->name());
    });
    if (!status) {
      progress.clear();
      fmt::print(stderr, "weft-bench: {}: {}\n", bench_case->name(), status.error().message);
      failed = true;
      break;
    }
    prepare_next();
    prepared = std::move(next);
  }
  progress.clear();
  fmt::print(out, "\n!: the 5th and 95th percentile lie more than {:.0f} % of the median apart.\n", kNoisy * 100);

  if (!options.json.empty()) write_json();
  if (!options.csv.empty()) write(options.csv, report_csv(rows));
  if (failed) fmt::print(stderr, "weft-bench: FAILED: see the rows marked WRONG or failed, or the error above\n");
  return failed ? 1 : 0;
}

}  // namespace weft::bench
