// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/status.hpp>
#include <weft/types.hpp>

#include "support/bench_case.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {

/// A tuning key and the values to try of it.
using Tuning = std::pair<std::string, std::vector<uint32_t>>;

/// What the command line says that measuring and tuning share.
struct Options {
  std::string device;
  bool quick = false;
  std::vector<std::string> filters;
  std::vector<uint64_t> sizes;  ///< empty: the default ones
  std::vector<Type> types;      ///< empty: all
  std::string input;            ///< a file's name; empty: random data
  std::string json;             ///< a file's name, "-" or empty
  bool uuid = true;             ///< whether that has the device's UUID
  std::string csv;
  Strategy strategy = Strategy::automatic;
  uint32_t repeats = 0;  ///< 0: the default
  /// A case is run for at least so long before it is timed. None: the default.
  std::optional<double> warm_up_ms;
  Verification verification = Verification::automatic;
  std::optional<uint64_t> faulty_word;  ///< see SessionConfig
  std::string tuning;                   ///< a tuning file's text, or empty
  std::vector<Tuning> try_only;         ///< tune: these keys alone; empty: all
  double minutes = 10;                  ///< tune: that it takes at most
  std::string tuning_output;            ///< tune: the file that it writes
};

// Errors: invalid_argument.
Result<Type> parse_type(const std::string& text);
Result<Strategy> parse_strategy(const std::string& text);
Result<Verification> parse_verification(const std::string& text);
/// "scan.rows=2,4,8".
Result<Tuning> parse_tuning(const std::string& text);

/// A tuning file's text. Errors: invalid_argument.
Result<std::string> read_tuning_text(const std::string& path);

/// The data that is measured on. None: stderr says why.
std::optional<ItemSource> source_of(const Options& options);
Result<Gpu> open_gpu(const Options& options);
SessionConfig session_config(const Options& options);

/// Takes out the cases whose name holds none of the filters or whose items are of none of the types.
void select(Cases& cases, const std::vector<std::string>& filters, const std::vector<Type>& types);

/// Options of `weft-bench codec`: each file by gstd at each level, tile and choice of filters, and by the peers at each
/// tile and each level that they have.
struct CodecOptions {
  std::vector<std::string> files;
  uint64_t most_bytes = UINT64_MAX;  ///< of each file, from its beginning
  std::vector<int> levels = {3, 12, 19};
  std::vector<uint32_t> tiles = {1u << 16};
  std::vector<std::string> filters = {"auto", "none"};  ///< "auto": filters and contexts, "none": neither
  uint32_t threads = 1;                                 ///< of gstd alone; peers take one
  uint32_t repeats = 5;                                 ///< of decoding; encoding is timed once
  bool peers = true;
  std::string ratios;  ///< a CSV file's name for gstd's sizes, which are the same on every machine, or empty
  std::string json;
};

inline constexpr uint32_t kRepeats = 30;
inline constexpr uint32_t kQuickRepeats = 11;
inline constexpr double kWarmUpMs = 200;

/// The exit status: 0, or 1 where a result was wrong or nothing could be measured.
int run_measure(const Options& options);
int run_tune(const Options& options);
/// `percent`: rows of the second that are slower by more are marked.
/// Exit status: 1 if a row is slower or, with `fail_unsure`, unsure; 2 if a report cannot be used. `page`: empty for
/// none.
int run_compare(const std::string& first, const std::string& second, double percent, bool fail_unsure,
                const std::string& page);
/// Writes a page that shows the reports of `paths`.
int run_report(const std::vector<std::string>& paths, const std::string& page);
int run_list();
int run_codec(const CodecOptions& options);

}  // namespace weft::bench
