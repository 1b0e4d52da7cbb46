// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <weft/gpu.hpp>

#include "support/bench_case.hpp"
#include "support/call_bound.hpp"
#include "support/item_source.hpp"
#include "support/kernel.hpp"
#include "support/row.hpp"

namespace weft::bench {

/// The first line of what is printed of one.
inline constexpr const char* kSoftwareDevice =
    "This is a SOFTWARE device, no GPU: results are checked, but times say nothing about any GPU.";

/// Inputs and outputs up to which all outputs are compared with the CPU's, unless it is said
/// how; kQuickBytes: of --quick.
inline constexpr uint64_t kFullBytes = uint64_t{1} << 29;
inline constexpr uint64_t kQuickBytes = uint64_t{1} << 26;

struct SessionConfig {
  uint32_t repeats = 0;
  double warm_up_ms = 0;
  double max_call_ms = kMaxCallMs;
  Verification verification = Verification::automatic;
  uint64_t full_bytes = kFullBytes;
  /// Of `warm_up_ms`, for further sizes of a case.
  double further_warm_up = 1;
  /// Of the first output, changed before verification, which has to find it.
  std::optional<uint64_t> faulty_word{};
};

/// Verifies and times cases on one Gpu. Buffers for inputs, outputs and scratch are kept and grow, one each, in which a
/// case's arrays lie one after the other; repetitions work on the same ones.
class Session {
 public:
  Session(Gpu gpu, ItemSource& source, const SessionConfig& config)
      : gpu_(std::move(gpu)), source_(source), config_(config) {}

  Gpu& gpu() noexcept { return gpu_; }
  /// "device", or "wall" once device timestamps were found missing or wrong; `timer_problem` then says how.
  const char* timer() const noexcept { return timer_problem_.empty() ? "device" : "wall"; }
  const std::string& timer_problem() const noexcept { return timer_problem_; }

  /// Of a case that has been prepared on this session's Gpu, gives a row for each size to `on_row`, ascending, and
  /// releases the case. A row that cannot be had says why and costs nothing. Errors: the device is lost, or another
  /// error after which nothing more can be measured; the row in which it happened says so, too.
  Status run(BenchCase& bench_case, const Status& prepared, const std::function<void(const Row&)>& on_row);

 private:
  Status upload(const std::vector<HostArray>& arrays, const std::vector<BufferRange>& ranges);
  Status verify(const BenchCase& bench_case, CaseBuffers& buffers, uint64_t n, Row& row);
  /// Compares the whole output with that of other means, on the device. False: there is no room for that.
  Result<bool> compare_on_device(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n, Row& row);
  Status run_host_size(BenchCase& bench_case, uint64_t n, Row& row);
  /// `speed`: of the case in hand, at the largest size run so far.
  Status run_size(BenchCase& bench_case, uint64_t n, std::optional<CallSpeed>& speed, Row& row);
  Result<CaseBuffers> buffers_for(const BenchCase& bench_case, uint64_t n);
  Status ensure(std::optional<Buffer>& buffer, uint64_t bytes);
  /// predict_call_ms of the case.
  Result<double> predict_ms(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n,
                            std::optional<CallSpeed>& speed);
  Result<std::vector<double>> time(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n, uint32_t count);
  /// Whether the device's clocks are up: a fixed short copy takes about as long as it took at best. Devices that idle
  /// for seconds, while the CPU checks a row, slow down, and need up to seconds of work to come back.
  bool at_speed();
  /// Milliseconds from before a submission until the host saw it complete.
  Result<double> run_once(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n);
  Result<std::vector<double>> host_times(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n,
                                         uint32_t count);

  Gpu gpu_;
  ItemSource& source_;
  SessionConfig config_;
  std::string timer_problem_;
  std::optional<Buffer> input_;
  std::optional<Buffer> output_;
  std::optional<Buffer> scratch_;
  std::optional<Kernel> compare_, pace_;
  std::optional<Buffer> pace_buffer_;
  double best_pace_ms_ = std::numeric_limits<double>::infinity();
  struct Held {  // an array in input_
    uint64_t id = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;
  };
  std::vector<Held> held_;
};

/// What reports begin with: schema, weft_version, commit, device, system and environment. Without `with_uuid`
/// nothing in it distinguishes a card from others of its model.
nlohmann::ordered_json report_head(const Gpu& gpu, bool with_uuid);

/// Prints a message on stderr. Returns false.
bool print_message(const std::string& what);

}  // namespace weft::bench
