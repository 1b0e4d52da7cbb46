// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/session.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#ifndef _WIN32
#include <sys/utsname.h>
#endif

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weft/version.hpp>

#include "git_commit.hpp"
#include "support/output_reader.hpp"
#include "support/sampling.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr uint32_t kLargestBatch = 256;
constexpr uint32_t kWallRepeats = 5;
// A copy that caches hold, whose time shows the clocks.
constexpr uint64_t kPaceBytes = uint64_t{1} << 22;
constexpr uint32_t kPaceCalls = 32;
constexpr double kPaceTolerance = 1.25;
constexpr uint32_t kPoison = 0xa5c35a3c;
constexpr uint32_t kNoWord = ~uint32_t{0};
constexpr uint64_t kCompareWords = 256 * 16;  // of a workgroup of shaders/compare.comp
constexpr uint64_t kAlignment = 256;          // of every array
// Of the device's own memory; the rest is the driver's and other programs'.
constexpr double kUsableMemory = 0.9;

struct ComparePush {  // as in shaders/compare.comp
  VkDeviceAddress expected, found, first;
  uint32_t word_count;
  uint32_t padding;
};

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What 1- and 2-byte items and the copy's vectors may touch after a range.
uint64_t padded(uint64_t bytes) { return std::max<uint64_t>((bytes + 15) / 16 * 16, 16); }

// Where arrays of those sizes begin when they lie one after the other, and, last, where they end.
std::vector<uint64_t> offsets_of(const std::vector<uint64_t>& sizes) {
  std::vector<uint64_t> offsets{0};
  for (const uint64_t size : sizes)
    offsets.push_back((offsets.back() + size + kAlignment - 1) / kAlignment * kAlignment);
  return offsets;
}

uint64_t laid_out(const std::vector<uint64_t>& sizes) {
  return sizes.empty() ? 0 : offsets_of(sizes)[sizes.size() - 1] + sizes.back();
}

std::vector<BufferRange> ranges_of(const Buffer& buffer, const std::vector<uint64_t>& sizes) {
  std::vector<BufferRange> ranges;
  const auto offsets = offsets_of(sizes);
  for (size_t i = 0; i < sizes.size(); ++i) ranges.push_back(buffer.range(offsets[i], sizes[i]));
  return ranges;
}

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

// What the driver says of the device's subgroups and memory.
void add_physical_device(const Gpu& gpu, Json& device) {
  const auto get = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(gpu.get_instance_proc_addr()(gpu.instance(), name));
    return function != nullptr;
  };
  PFN_vkGetPhysicalDeviceProperties2 get_properties = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties get_memory = nullptr;
  if (!get(get_properties, "vkGetPhysicalDeviceProperties2") || !get(get_memory, "vkGetPhysicalDeviceMemoryProperties"))
    return;
  // A driver that does not know this structure skips it. Such a device has one size.
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &sizes;
  get_properties(gpu.physical_device(), &properties);
  const uint32_t size = gpu.info().subgroup_size;
  const bool varies = sizes.minSubgroupSize != 0;
  device["subgroup_sizes"] = {{"min", varies ? sizes.minSubgroupSize : size},
                              {"max", varies ? sizes.maxSubgroupSize : size},
                              {"default", size}};
  VkPhysicalDeviceMemoryProperties memory{};
  get_memory(gpu.physical_device(), &memory);
  Json& heaps = device["memory_heaps"] = Json::array();
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    heaps.push_back({{"size", memory.memoryHeaps[i].size},
                     {"device_local", (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0}});
}

Json system_json() {
#ifdef _WIN32
  const char* const machine = std::getenv("PROCESSOR_ARCHITECTURE");
  return {{"sysname", "Windows"}, {"machine", machine != nullptr ? machine : ""}};
#else
  utsname name{};
  uname(&name);
  return {{"sysname", name.sysname}, {"release", name.release}, {"machine", name.machine}};
#endif
}

// The variables of docs/integration.md that are set. WEFT_DEVICE may be a UUID.
Json environment_json(bool with_uuid) {
  Json json = Json::object();
  for (const char* const name : {"WEFT_DEVICE", "WEFT_STRATEGY", "WEFT_SUBGROUPS", "WEFT_TUNE"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0' && (with_uuid || std::strcmp(name, "WEFT_DEVICE") != 0)) json[name] = value;
  }
  return json;
}

}  // namespace

Status Session::run(BenchCase& bench_case, const Status& prepared, const std::function<void(const Row&)>& on_row) {
  Row blank = row_of(bench_case.work(), source_);
  if (!prepared) {
    if (!concerns_row(prepared.error())) return prepared;
    blank.problem = row_problem(prepared.error());
    blank.failed = prepared.error().code == ErrorCode::invalid_argument;
    for (const uint64_t n : bench_case.sizes()) {
      blank.n = n;
      on_row(blank);
    }
    return {};
  }
  blank.strategy = bench_case.strategy();
  std::optional<CallSpeed> speed;
  for (const uint64_t n : bench_case.sizes()) {
    Row row = blank;
    row.n = n;
    if (const Status status = run_size(bench_case, n, speed, row); !status) {
      row.problem = row_problem(status.error());
      row.failed = !concerns_row(status.error()) || status.error().code == ErrorCode::invalid_argument;
      if (!concerns_row(status.error())) {
        on_row(row);
        bench_case.release();
        return status;
      }
    }
    on_row(row);
  }
  bench_case.release();
  return {};
}

Status Session::ensure(std::optional<Buffer>& buffer, uint64_t bytes) {
  if (buffer && buffer->size() >= padded(bytes)) return {};
  buffer.reset();
  return assign(buffer, gpu_.create_buffer(padded(bytes)));
}

Status Session::upload(const std::vector<HostArray>& arrays, const std::vector<BufferRange>& ranges) {
  std::vector<Held> wanted;
  for (size_t i = 0; i < arrays.size(); ++i) wanted.push_back({arrays[i].id, ranges[i].offset, arrays[i].bytes.size()});
  std::vector<Held> holding;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const auto held = std::find_if(held_.begin(), held_.end(), [&](const Held& h) {
      return h.id == wanted[i].id && h.offset == wanted[i].offset && h.bytes >= wanted[i].bytes;
    });
    if (held != held_.end()) {
      // Of a longer array only what no other array overwrites is still held.
      holding.push_back(arrays.size() == 1 ? *held : wanted[i]);
      continue;
    }
    // Whatever is written over is held no longer, also where the upload fails.
    std::erase_if(held_, [&](const Held& h) {
      return h.offset < wanted[i].offset + wanted[i].bytes && wanted[i].offset < h.offset + h.bytes;
    });
    const Status status = gpu_.upload(ranges[i], arrays[i].bytes);
    if (!status) return status;
    holding.push_back(wanted[i]);
  }
  held_ = std::move(holding);
  return {};
}

Result<CaseBuffers> Session::buffers_for(const BenchCase& bench_case, uint64_t n) {
  const std::vector<HostArray> arrays = bench_case.inputs(source_, n);
  std::vector<uint64_t> input_sizes;
  for (const HostArray& array : arrays) input_sizes.push_back(array.bytes.size());
  const std::vector<uint64_t> output_sizes = bench_case.outputs(n);
  const uint64_t input = laid_out(input_sizes);
  const uint64_t output = laid_out(output_sizes);
  const uint64_t scratch = bench_case.scratch_size(n);
  const uint64_t total = padded(input) + padded(output) + padded(scratch);
  const auto usable = static_cast<uint64_t>(static_cast<double>(gpu_.info().device_local_bytes) * kUsableMemory);
  if (total > usable) {
    return Error{ErrorCode::out_of_device_memory,
                 fmt::format("needs {}, the device has {}", human_bytes(total), human_bytes(usable))};
  }

  const auto allocate = [&]() -> Status {
    const bool keeps_input = input_ && input_->size() >= padded(input);
    if (const Status status = ensure(input_, input); !status) return status;
    if (!keeps_input) held_.clear();
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
  CaseBuffers buffers{ranges_of(*input_, input_sizes), ranges_of(*output_, output_sizes), scratch_->range(0, scratch)};
  if (const Status status = upload(arrays, buffers.inputs); !status) return status.error();
  return buffers;
}

Result<double> Session::run_once(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n) {
  const auto time = gpu_.run([&](VkCommandBuffer commands) { return bench_case.record(commands, buffers, n); });
  if (!time) return time.error();
  return time->host_ms;
}

Result<std::vector<double>> Session::host_times(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n,
                                                uint32_t count) {
  std::vector<double> samples;
  while (samples.size() < count) {
    const auto ms = run_once(bench_case, buffers, n);
    if (!ms) return ms.error();
    samples.push_back(*ms);
  }
  return samples;
}

Result<std::vector<double>> Session::time(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n,
                                          uint32_t count) {
  if (!timer_problem_.empty()) return host_times(bench_case, buffers, n, count);
  const auto start = Clock::now();
  auto samples =
      gpu_.time(count, [&](VkCommandBuffer commands, uint32_t) { return bench_case.record(commands, buffers, n); });
  const double elapsed = milliseconds_since(start);
  if (!samples && samples.error().code != ErrorCode::missing_feature) return samples;
  const double sum = samples ? std::accumulate(samples->begin(), samples->end(), 0.0) : 0;
  if (!samples)
    timer_problem_ = samples.error().message;
  else if (!std::isfinite(sum) || std::any_of(samples->begin(), samples->end(), [](double ms) { return ms < 0; }))
    timer_problem_ = "device timestamps run backwards";
  else if (sum > elapsed * 1.05)
    timer_problem_ = fmt::format("device timestamps say {:.3f} ms of what took the host {:.3f} ms", sum, elapsed);
  else if (sum == 0 && bench_case.moved_bytes(n) > 0)
    timer_problem_ = "device timestamps stand still";
  else
    return samples;
  return host_times(bench_case, buffers, n, count);
}

bool Session::at_speed() {
  if (!timer_problem_.empty() || gpu_.info().kind == GpuKind::software) return true;
  if (!pace_ && !assign(pace_, create_copy(gpu_))) return true;
  if (!ensure(pace_buffer_, 2 * kPaceBytes)) return true;
  const auto samples = gpu_.time(kPaceCalls, [&](VkCommandBuffer commands, uint32_t) {
    record_copy(*pace_, commands, pace_buffer_->range(0, kPaceBytes), pace_buffer_->range(kPaceBytes, kPaceBytes),
                kPaceBytes);
    return Status{};
  });
  if (!samples) return true;
  const double ms = *std::min_element(samples->begin(), samples->end());
  best_pace_ms_ = std::min(best_pace_ms_, ms);
  return ms <= kPaceTolerance * best_pace_ms_;
}

Result<double> Session::predict_ms(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n,
                                   std::optional<CallSpeed>& speed) {
  std::optional<Error> error;
  const auto predicted = predict_call_ms(n, config_.max_call_ms, speed, [&](uint64_t items) -> std::optional<double> {
    // Twice: the first call of a pipeline is slow on some drivers.
    const auto samples = time(bench_case, buffers, items, 2);
    const uint64_t of_call = bench_case.items_of_call(items);
    if (samples && of_call == items) return samples->back();  // none, too
    if (samples) return samples->back() * static_cast<double>(items) / static_cast<double>(of_call);
    error = samples.error();
    return std::nullopt;
  });
  if (!predicted) return *error;
  return *predicted;
}

Result<bool> Session::compare_on_device(const BenchCase& bench_case, const CaseBuffers& buffers, uint64_t n, Row& row) {
  // Other means go on where they are supported; elsewhere the same call is made again.
  const auto other = bench_case.other_means();
  const bool has_other = other && other->prepare(gpu_);
  const BenchCase& second_case = has_other ? *other : bench_case;

  const std::vector<uint64_t> sizes = bench_case.outputs(n);
  const uint64_t scratch = second_case.scratch_size(n);
  auto second = gpu_.create_buffer(padded(laid_out(sizes)) + kAlignment);  // and where the outputs first differ
  auto second_scratch = gpu_.create_buffer(padded(scratch));
  for (const auto* buffer : {&second, &second_scratch}) {
    if (*buffer) continue;
    if (buffer->error().code == ErrorCode::out_of_device_memory) return false;
    return buffer->error();
  }
  if (!compare_)
    if (const Status status = assign(compare_, Kernel::create(gpu_, "compare", sizeof(ComparePush))); !status)
      return status.error();
  if (const Status status = gpu_.fill(second->range(), kPoison); !status) return status.error();
  const CaseBuffers again{buffers.inputs, ranges_of(*second, sizes), second_scratch->range(0, scratch)};
  if (const auto ran = run_once(second_case, again, n); !ran) return ran.error();

  const BufferRange first = second->range(second->size() - 16, 16);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const uint64_t words = sizes[i] / sizeof(uint32_t);  // up to three bytes after them are among the CPU's samples
    if (words == 0) continue;
    const ComparePush push{compare_->address_of(again.outputs[i]), compare_->address_of(buffers.outputs[i]),
                           compare_->address_of(first), static_cast<uint32_t>(words), 0};
    if (const Status status = gpu_.fill(first, kNoWord); !status) return status.error();
    const auto ran = gpu_.run([&](VkCommandBuffer commands) {
      compare_->record(commands, push, (words + kCompareWords - 1) / kCompareWords);
      return Status{};
    });
    if (!ran) return ran.error();
    const auto at = read_word(gpu_, first);
    if (!at) return at.error();
    if (*at == kNoWord) continue;
    const auto word_of = [&](const BufferRange& range) {
      const auto word = read_word(gpu_, range, *at);
      return word ? fmt::format("{:#x}", *word) : word.error().message;
    };
    row.failed = true;
    row.problem = fmt::format("WRONG in word {} of output {}: {} gives {}, found {}", *at, i,
                              has_other ? "by other means the device" : "called again it", word_of(again.outputs[i]),
                              word_of(buffers.outputs[i]));
    break;
  }
  return true;
}

Status Session::verify(const BenchCase& bench_case, CaseBuffers& buffers, uint64_t n, Row& row) {
  uint64_t bytes = 0;
  for (const auto* ranges : {&buffers.inputs, &buffers.outputs})
    for (const BufferRange& range : *ranges) bytes += range.size;
  Verification verification = config_.verification;
  if (verification == Verification::automatic)
    verification = bytes <= config_.full_bytes ? Verification::full : Verification::sampled;
  if (verification == Verification::none) return {};
  if (config_.faulty_word && !buffers.outputs.empty() && !bench_case.is_on_host()) {
    const BufferRange& output = buffers.outputs[0];
    const uint64_t offset = *config_.faulty_word * sizeof(uint32_t);
    if (offset + sizeof(uint32_t) > output.size)
      return Error{ErrorCode::invalid_argument, "the first output has no word " + std::to_string(*config_.faulty_word)};
    if (const Status status = gpu_.fill({output.buffer, output.offset + offset, sizeof(uint32_t)}, ~kPoison); !status)
      return status;
  }
  if (verification == Verification::sampled && !bench_case.is_on_host() && !buffers.outputs.empty()) {
    const auto compared = compare_on_device(bench_case, buffers, n, row);
    if (!compared) return compared.error();
    if (row.failed) return {};
    buffers.sampled = *compared;
  }
  row.verification = buffers.sampled ? Verification::sampled : Verification::full;
  GpuOutputs found(gpu_, buffers);
  const Verdict mismatch = bench_case.verify(found, source_, n);
  if (found.error()) return *found.error();
  if (!mismatch) return mismatch.error();
  row.verified = !*mismatch;
  if (row.verified) return {};
  const Mismatch& at = **mismatch;
  row.failed = true;
  row.problem = fmt::format("WRONG at {}: expected {}, found {}", at.index, at.expected, at.found);
  return {};
}

Status Session::run_host_size(BenchCase& bench_case, uint64_t n, Row& row) {
  constexpr uint32_t kHostRepeats = 5;  // after a first, which also meets fresh memory
  std::vector<double> samples;
  for (uint32_t i = 0; i <= std::min(kHostRepeats, config_.repeats); ++i) {
    const double ms = bench_case.run_on_host(source_, n);
    if (i > 0) samples.push_back(ms);
  }
  CaseBuffers none;
  if (const Status status = verify(bench_case, none, n, row); !status || row.failed) return status;
  row.ms = summarize(std::move(samples));
  row.wall_ms = row.ms->median;
  row.gbps = gbps_of(bench_case.moved_bytes(n), row.ms->median);
  return {};
}

Status Session::run_size(BenchCase& bench_case, uint64_t n, std::optional<CallSpeed>& speed, Row& row) {
  if (bench_case.is_on_host()) return run_host_size(bench_case, n, row);
  auto buffers = buffers_for(bench_case, n);
  if (!buffers) return buffers.error();
  const double warm_up_ms = config_.warm_up_ms * (speed ? config_.further_warm_up : 1);
  const auto predicted = predict_ms(bench_case, *buffers, n, speed);
  if (!predicted) return predicted.error();
  if (*predicted > config_.max_call_ms) {
    row.problem = fmt::format("skipped: would take ~{:.0f} ms in one dispatch", *predicted);
    return {};
  }

  // What an earlier row left in the output must not pass for this one's.
  if (!buffers->outputs.empty()) {
    if (const Status status = gpu_.fill(output_->range(), kPoison); !status) return status;
  }
  if (const auto ran = run_once(bench_case, *buffers, n); !ran) return ran.error();
  if (const Status status = verify(bench_case, *buffers, n, row); !status || row.failed) return status;

  std::optional<Error> error;
  const auto time_batch = [&](uint32_t count) -> std::optional<std::vector<double>> {
    auto timed = time(bench_case, *buffers, n, count);
    if (timed) return std::move(timed).value();
    error = timed.error();
    return std::nullopt;
  };
  const Sampling sampling{config_.repeats, warm_up_ms, kLargestBatch};
  const char* const timer_before = timer();
  auto samples = take_samples(sampling, *predicted, time_batch, [&] { return at_speed(); });
  // The two kinds of time do not mix.
  if (samples && timer() != timer_before)
    samples = take_samples(sampling, *predicted, time_batch, [&] { return at_speed(); });
  if (!samples) return *error;
  row.ms = summarize(std::move(*samples));
  speed = CallSpeed{n, row.ms->median};
  auto walls = host_times(bench_case, *buffers, n, std::min(kWallRepeats, config_.repeats));
  if (!walls) return walls.error();
  row.wall_ms = summarize(*std::move(walls)).median;
  row.gbps = gbps_of(bench_case.moved_bytes(n), row.ms->median);
  return {};
}

nlohmann::ordered_json report_head(const Gpu& gpu, bool with_uuid) {
  const GpuInfo& info = gpu.info();
  const Context& context = gpu.context();
  const uint32_t api = info.api_version;
  Json device{
      {"name", info.name}, {"kind", name_of(info.kind)}, {"vendor_id", info.vendor_id}, {"device_id", info.device_id}};
  if (with_uuid) device["uuid"] = uuid_string(info).data();
  device["driver"] = info.driver;
  device["api"] =
      fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(api), VK_API_VERSION_MINOR(api), VK_API_VERSION_PATCH(api));
  device["subgroup_size"] = context.subgroup_size();
  device["subgroup_backend"] = context.subgroup_backend() == SubgroupBackend::native ? "native" : "emulated";
  add_physical_device(gpu, device);
  device["software"] = info.kind == GpuKind::software;
  return {{"schema", 1},
          {"weft_version", fmt::format("{}.{}.{}", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH)},
          {"commit", kGitCommit},
          {"device", std::move(device)},
          {"system", system_json()},
          {"environment", environment_json(with_uuid)}};
}

bool print_message(const std::string& what) {
  fmt::print(stderr, "weft-bench: {}\n", what);
  return false;
}

}  // namespace weft::bench
