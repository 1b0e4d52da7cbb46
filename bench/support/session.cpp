// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/session.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "support/sampling.hpp"

namespace weft::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kLargestBatch = 256;
// A copy that caches hold, whose time tells the clocks.
constexpr uint64_t kPaceBytes = uint64_t{1} << 22;
constexpr uint32_t kPaceCalls = 32;
constexpr double kPaceTolerance = 1.25;
constexpr uint64_t kFirstProbeItems = uint64_t{1} << 16;
constexpr uint64_t kProbeGrowth = 4;
constexpr uint32_t kPoison = 0xa5c35a3c;
// Of the device's own memory; the rest is the driver's and other programs'.
constexpr double kUsableMemory = 0.9;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What 1- and 2-byte items and the copy's vectors may touch behind a range.
uint64_t padded(uint64_t bytes) { return std::max<uint64_t>((bytes + 15) / 16 * 16, 16); }

std::string human_bytes(uint64_t bytes) {
  return bytes >= uint64_t{1} << 30 ? fmt::format("{:.1f} GiB", static_cast<double>(bytes) * 0x1p-30)
                                    : fmt::format("{:.1f} MiB", static_cast<double>(bytes) * 0x1p-20);
}

// Errors that concern one row; the device goes on.
bool concerns_row(const Error& error) {
  return error.code == ErrorCode::missing_feature || error.code == ErrorCode::unsupported ||
         error.code == ErrorCode::out_of_device_memory || error.code == ErrorCode::invalid_argument;
}

// The Vulkan feature that an error's sentence names: its first word in camel case, as shaderInt64. A table has no room
// for the sentence.
std::string feature_in(const std::string& message) {
  const auto letter_or_digit = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (auto word = message.begin(); word != message.end();) {
    const auto end = std::find_if_not(word, message.end(), letter_or_digit);
    const bool camel = word != end && std::islower(static_cast<unsigned char>(*word)) != 0 &&
                       std::any_of(word, end, [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
    if (camel) return {word, end};
    word = end == message.end() ? end : end + 1;
  }
  return message;
}

std::string row_problem(const Error& error) {
  switch (error.code) {
    case ErrorCode::missing_feature: return "unsupported (missing " + feature_in(error.message) + ')';
    case ErrorCode::unsupported: return "unsupported (" + error.message + ')';
    case ErrorCode::out_of_device_memory: return "skipped: out of device memory";
    default: return "failed: " + error.message;
  }
}

}  // namespace

Status Session::run(BenchCase& bench_case, const std::function<void(const Row&)>& on_row) {
  Row blank;
  blank.primitive = bench_case.primitive();
  blank.variant = bench_case.variant();
  blank.type = name_of(bench_case.item());
  blank.data = source_.name();
  if (const Status status = bench_case.prepare(gpu_); !status) {
    if (!concerns_row(status.error())) return status;
    blank.problem = row_problem(status.error());
    blank.failed = status.error().code == ErrorCode::invalid_argument;
    for (const uint64_t n : bench_case.sizes()) {
      blank.n = n;
      on_row(blank);
    }
    return {};
  }
  blank.strategy = bench_case.strategy();
  std::optional<Speed> speed;
  for (const uint64_t n : bench_case.sizes()) {
    Row row = blank;
    row.n = n;
    if (const Status status = run_size(bench_case, n, speed, row); !status) {
      if (!concerns_row(status.error())) {
        bench_case.release();
        return status;
      }
      row.problem = row_problem(status.error());
      row.failed = status.error().code == ErrorCode::invalid_argument;
    }
    on_row(row);
  }
  bench_case.release();
  return {};
}

Status Session::ensure(std::optional<Buffer>& buffer, uint64_t bytes) {
  if (buffer && buffer->size() >= padded(bytes)) return {};
  buffer.reset();
  auto created = gpu_.create_buffer(padded(bytes));
  if (!created) return created.error();
  buffer = std::move(created).value();
  return {};
}

Result<CaseBuffers> Session::buffers_for(const BenchCase& bench_case, uint64_t n) {
  const uint64_t input = bench_case.input_bytes(n);
  const uint64_t output = bench_case.output_bytes(n);
  const uint64_t scratch = bench_case.scratch_bytes(n);
  const uint64_t total = padded(input) + padded(output) + padded(scratch);
  const auto usable = static_cast<uint64_t>(static_cast<double>(gpu_.info().device_local_bytes) * kUsableMemory);
  if (total > usable) {
    return Error{ErrorCode::out_of_device_memory,
                 fmt::format("needs {}, the device has {}", human_bytes(total), human_bytes(usable))};
  }

  const Type type = is_float(bench_case.item()) ? bench_case.item() : Type::u32;
  const auto allocate = [&]() -> Status {
    const bool keeps_input = input_ && input_->size() >= padded(input);
    if (const Status status = ensure(input_, input); !status) return status;
    if (!keeps_input) input_filled_ = 0;
    if (const Status status = ensure(output_, output); !status) return status;
    return ensure(scratch_, scratch);
  };
  if (Status status = allocate(); !status) {
    // Buffers that are longer than this row needs may stand in the way.
    if (status.error().code != ErrorCode::out_of_device_memory) return status.error();
    input_.reset();
    output_.reset();
    scratch_.reset();
    status = allocate();
    if (!status) return status.error();
  }
  if (input_type_ != type) {
    input_type_ = type;
    input_filled_ = 0;
  }
  if (input_filled_ < input) {
    const Status status = gpu_.upload(input_->range(0, input), source_.items(bench_case.item(), n));
    if (!status) return status.error();
    input_filled_ = input;
  }
  return CaseBuffers{input_->range(0, input), output_->range(0, output), scratch_->range(0, scratch)};
}

Result<std::vector<double>> Session::time(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n,
                                          uint32_t count) {
  if (timer_problem_.empty()) {
    const auto start = Clock::now();
    auto samples =
        gpu_.time(count, [&](VkCommandBuffer commands, uint32_t) { return bench_case.record(commands, buffers, n); });
    const double elapsed = milliseconds_since(start);
    if (!samples) {
      if (samples.error().code != ErrorCode::missing_feature) return samples;
      timer_problem_ = samples.error().message;
    } else {
      const double sum = std::accumulate(samples->begin(), samples->end(), 0.0);
      const bool ordered = std::all_of(samples->begin(), samples->end(), [](double ms) { return ms >= 0; });
      if (!ordered || !std::isfinite(sum)) {
        timer_problem_ = "device timestamps run backwards";
      } else if (sum > elapsed * 1.05) {
        timer_problem_ = fmt::format("device timestamps say {:.3f} ms of what took the host {:.3f} ms", sum, elapsed);
      } else if (sum == 0 && bench_case.moved_bytes(n) > 0) {
        timer_problem_ = "device timestamps stand still";
      } else {
        return samples;
      }
    }
  }
  std::vector<double> samples;
  for (uint32_t i = 0; i < count; ++i) {
    const auto time = gpu_.run([&](VkCommandBuffer commands) { return bench_case.record(commands, buffers, n); });
    if (!time) return time.error();
    samples.push_back(time->host_ms);
  }
  return samples;
}

bool Session::at_speed() {
  if (!timer_problem_.empty() || gpu_.info().kind == GpuKind::software) return true;
  if (!pace_) {
    auto kernel = CopyKernel::create(gpu_);
    auto buffer = gpu_.create_buffer(2 * kPaceBytes);
    if (!kernel || !buffer) return true;
    pace_.emplace(std::move(buffer).value(), std::move(kernel).value());
  }
  const auto samples = gpu_.time(kPaceCalls, [&](VkCommandBuffer commands, uint32_t) {
    pace_->kernel.record(commands, pace_->buffer.range(0, kPaceBytes), pace_->buffer.range(kPaceBytes, kPaceBytes),
                         kPaceBytes);
    return Status{};
  });
  if (!samples) return true;
  const double ms = *std::min_element(samples->begin(), samples->end());
  pace_->best_ms = std::min(pace_->best_ms, ms);
  return ms <= kPaceTolerance * pace_->best_ms;
}

Result<double> Session::wall_ms(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n) {
  constexpr uint32_t kRuns = 5;
  std::vector<double> samples;
  for (uint32_t i = 0; i < std::min(kRuns, repeats_); ++i) {
    const auto time = gpu_.run([&](VkCommandBuffer commands) { return bench_case.record(commands, buffers, n); });
    if (!time) return time.error();
    samples.push_back(time->host_ms);
  }
  return summarize(std::move(samples)).median;
}

Result<double> Session::predict_ms(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n,
                                   std::optional<Speed>& speed) {
  const auto probe = [&](uint64_t items) -> Status {
    // Twice: the first call of a pipeline is slow on some drivers.
    const auto samples = time(bench_case, buffers, items, 2);
    if (!samples) return samples.error();
    speed = Speed{items, samples->back()};
    return {};
  };
  if (!speed) {
    if (const Status status = probe(std::min(n, kFirstProbeItems)); !status) return status.error();
  }
  for (;;) {
    const auto at = [&](uint64_t items) {
      return speed->ms * static_cast<double>(items) / static_cast<double>(std::max<uint64_t>(speed->n, 1));
    };
    // A short call's overhead makes it look slower an item than a long one is, so a longer one may still show that n
    // fits.
    if (at(n) <= kMaxCallMs || speed->n >= n) return at(n);
    const uint64_t next = std::min(n, speed->n * kProbeGrowth);
    if (next == n || at(next) > kMaxCallMs) return at(n);
    if (const Status status = probe(next); !status) return status.error();
  }
}

Status Session::run_size(BenchCase& bench_case, uint64_t n, std::optional<Speed>& speed, Row& row) {
  const auto buffers = buffers_for(bench_case, n);
  if (!buffers) return buffers.error();
  const auto predicted = predict_ms(bench_case, *buffers, n, speed);
  if (!predicted) return predicted.error();
  if (*predicted > kMaxCallMs) {
    row.problem = fmt::format("skipped: would take ~{:.0f} ms in one dispatch", *predicted);
    return {};
  }

  // What an earlier row left in the output must not pass for this one's.
  if (bench_case.output_bytes(n) > 0) {
    if (const Status status = gpu_.fill(output_->range(), kPoison); !status) return status;
  }
  if (const auto ran = gpu_.run([&](VkCommandBuffer c) { return bench_case.record(c, *buffers, n); }); !ran) {
    return ran.error();
  }
  const auto mismatch = bench_case.verify(gpu_, source_, *buffers, n);
  if (!mismatch) return mismatch.error();
  if (*mismatch) {
    const Mismatch& at = **mismatch;
    row.failed = true;
    row.problem = fmt::format("WRONG at {}: expected {}, found {}", at.index, at.expected, at.found);
    return {};
  }
  row.verified = true;

  std::optional<Error> error;
  const auto time_batch = [&](uint32_t count) -> std::optional<std::vector<double>> {
    auto timed = time(bench_case, *buffers, n, count);
    if (timed) return std::move(timed).value();
    error = timed.error();
    return std::nullopt;
  };
  const Sampling sampling{repeats_, warm_up_ms_, kLargestBatch};
  const char* const timer_before = timer();
  auto samples = take_samples(sampling, *predicted, time_batch, [&] { return at_speed(); });
  // The two kinds of time do not mix.
  if (samples && timer() != timer_before)
    samples = take_samples(sampling, *predicted, time_batch, [&] { return at_speed(); });
  if (!samples) return *error;
  row.ms = summarize(std::move(*samples));
  speed = Speed{n, row.ms->median};
  const auto wall = wall_ms(bench_case, *buffers, n);
  if (!wall) return wall.error();
  row.wall_ms = *wall;
  if (row.ms->median > 0) row.gbps = static_cast<double>(bench_case.moved_bytes(n)) / row.ms->median * 1e-6;
  return {};
}

}  // namespace weft::bench
