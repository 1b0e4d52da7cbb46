// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A pack's work as jobs of any runner. PACK.jobs has for each a file NAME.list, with the hash, size and path of each of
// its files, and, when it is done, a pack NAME.wpk of these. The name is a hash of the list and of the options: a job
// that is done is never done again, and what is done for other contents or options counts as nothing.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "files.hpp"
#include "meter.hpp"
#include "pack_file.hpp"
#include "work.hpp"

namespace gstd_tool {
namespace {

namespace fs = std::filesystem;
namespace pack = weft::pack;
using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

constexpr const char* kListSuffix = ".list";
constexpr const char* kPackSuffix = ".wpk";
constexpr size_t kMaxFiles = 4096;  // of a job
// A job ends after a path of which this many are one, so that a new file changes few jobs.
constexpr uint64_t kPathsOfJob = 1024;

std::string hex(uint64_t number) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, number);
  return digits;
}

std::string name_of_list(const Options& options, const std::string& list) {
  const std::string text = hex(key_of(options.compress)) + list;
  return hex(pack::hash_of(std::as_bytes(std::span(text))));
}

std::string path_of(const Options& options, const std::string& name, const char* suffix) {
  return (fs::path(jobs_folder(options)) / (name + suffix)).string();
}

bool exists(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

Error damaged() { return {ErrorCode::invalid_argument, "its list is damaged, or of other options"}; }

// Takes a number and the character after it.
bool take_number(std::string_view& line, int base, char after, uint64_t& number) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, base);
  if (error != std::errc{} || end == line.data() + line.size() || *end != after) return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return true;
}

// The files of a job of that name.
Result<std::vector<PackSource>> read_list(const Options& options, const std::string& name) {
  const auto bytes = read_all(path_of(options, name, kListSuffix));
  if (!bytes) return bytes.error();
  const std::string list(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  if (name_of_list(options, list) != name) return damaged();
  std::vector<PackSource> sources;
  for (std::string_view rest = list; !rest.empty();) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return damaged();
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    PackSource source;
    if (!take_number(line, 16, ' ', source.content_hash.emplace()) || !take_number(line, 10, ' ', source.bytes) ||
        !pack::fault_of_path(line).empty())
      return damaged();
    source.path = line;
    source.file = (fs::path(options.inputs.front()) / source.path).string();
    sources.push_back(std::move(source));
  }
  if (sources.empty()) return damaged();
  return sources;
}

std::string line_of(const PackSource& source) {
  return hex(*source.content_hash) + " " + std::to_string(source.bytes) + " " + source.path + "\n";
}

Status hash_sources(const Options& options, std::span<PackSource> sources) {
  const uint32_t threads =
      options.compress.threads != 0 ? options.compress.threads : std::max(std::thread::hardware_concurrency(), 1u);
  return in_parallel(threads, sources.size(), [&](size_t i) {
    return with_source(sources[i], [&](const pack::ReadAt& read) -> Status {
      const Result<uint64_t> hash = pack::hash_of(read, sources[i].bytes);
      if (hash) sources[i].content_hash = *hash;
      return hash.status();
    });
  });
}

// The lists of jobs that share the sources out, in order.
std::vector<std::string> cut(std::span<const PackSource> sources, uint64_t most) {
  std::vector<std::string> lists;
  uint64_t bytes = 0;
  size_t files = kMaxFiles;
  for (const PackSource& source : sources) {
    if (files == kMaxFiles || source.bytes > most - std::min(most, bytes)) {
      lists.emplace_back();
      bytes = files = 0;
    }
    lists.back() += line_of(source);
    bytes += source.bytes;
    files = pack::hash_of(source.path) % kPathsOfJob == 0 ? kMaxFiles : files + 1;
  }
  return lists;
}

// Removes what is of no job of these names.
Status remove_others(const Options& options, std::span<const std::string> sorted) {
  std::error_code error;
  for (auto at = fs::directory_iterator(jobs_folder(options), error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string file = at->path().filename().string(), name = file.substr(0, file.find('.'));
    if (!std::ranges::binary_search(sorted, name)) fs::remove(at->path(), error);
    if (error) break;
  }
  if (error) return Error{ErrorCode::driver_error, shown_name(jobs_folder(options)) + ": " + error.message()};
  return {};
}

Status write_list(const Options& options, const std::string& name, const std::string& list) {
  const std::string path = path_of(options, name, kListSuffix);
  if (exists(path) && read_list(options, name)) return {};
  Result<Output> output = Output::create(path, true);
  if (!output) return Error{output.error().code, shown_name(path) + ": " + output.error().message};
  if (Status status = output->write(std::as_bytes(std::span(list))); !status) return status;
  return output->finish(nullptr, true);
}

}  // namespace

std::string jobs_folder(const Options& options) { return options.output + ".jobs"; }

Status list_jobs(const Options& options, std::span<const PackSource> sources) {
  std::vector<PackSource> hashed(sources.begin(), sources.end());
  if (Status status = hash_sources(options, hashed); !status) return status;
  std::error_code error;
  fs::create_directories(jobs_folder(options), error);
  if (error) return Error{ErrorCode::driver_error, shown_name(jobs_folder(options)) + ": " + error.message()};
  const std::vector<std::string> lists = cut(hashed, *options.jobs_bytes);
  std::vector<std::string> names;
  names.reserve(lists.size());
  for (const std::string& list : lists) names.push_back(name_of_list(options, list));
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  if (Status status = remove_others(options, sorted); !status) return status;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (Status status = write_list(options, names[i], lists[i]); !status) return status;
    if (!exists(path_of(options, names[i], kPackSuffix))) std::printf("%s\n", names[i].c_str());
  }
  return {};
}

// Another process may do the same job, whose runner was taken for dead.
Status do_job(const Options& options) {
  if (options.job.find_first_not_of("0123456789abcdef") != std::string::npos)
    return Error{ErrorCode::invalid_argument, "is no name that --jobs-list prints"};
  const auto sources = read_list(options, options.job);
  if (!sources) return sources.error();
  Options of_job = options;
  of_job.output = path_of(options, options.job, kPackSuffix);
  of_job.verbosity = std::min(options.verbosity, 1);
  while (!exists(of_job.output)) {
    const Status free = PackFile::open(of_job.output + ".unfinished", true).status();
    if (free || free.error().code != ErrorCode::invalid_argument) return write_new_pack(of_job, *sources, {});
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return {};
}

Result<OldPacks> done_jobs(const Options& options) {
  std::error_code error;
  std::vector<std::pair<std::string, std::string>> done;  // first paths and names
  for (auto at = fs::directory_iterator(jobs_folder(options), error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (at->path().extension() != kPackSuffix) continue;
    const std::string name = at->path().stem().string();
    const auto sources = read_list(options, name);
    if (sources) done.emplace_back(sources->front().path, name);
  }
  OldPacks packs;
  if (error) return packs;  // there are none
  std::ranges::sort(done);
  for (auto& [first_path, name] : done) {
    // Opened for each read: there may be more packs than files that a process may open.
    const std::string file = path_of(options, name, kPackSuffix);
    const pack::ReadAt read = [file](uint64_t at, std::span<std::byte> to) -> Status {
      const Result<Input> input = Input::open(file);
      return input ? input->read_at(at, to) : Status(input.error());
    };
    const Result<Input> input = Input::open(file);
    if (!input) return input.error();
    auto reader = pack::PackReader::open(read, static_cast<uint64_t>(input->facts().st_size));
    if (!reader) return Error{reader.error().code, shown_name(file) + ": " + without_prefix(reader.error().message)};
    packs.add(std::move(first_path), *std::move(reader));
  }
  return packs;
}

Status remove_jobs(const Options& options) {
  if (!exists(jobs_folder(options))) return {};
  if (Status status = remove_others(options, {}); !status) return status;
  std::error_code error;
  fs::remove(jobs_folder(options), error);
  if (error) return Error{ErrorCode::driver_error, shown_name(jobs_folder(options)) + ": " + error.message()};
  return {};
}

}  // namespace gstd_tool
