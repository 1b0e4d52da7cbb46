// SPDX-License-Identifier: MIT OR Apache-2.0
#include "files.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "system.hpp"

namespace gstd_tool {
namespace {

using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

constexpr std::string_view kUnfinishedPrefix = ".gstd-", kUnfinishedSuffix = ".unfinished";

// What a signal's handler removes: one file at a time is made. The name is whole before the flag is set.
char unfinished_name[4096];
volatile std::sig_atomic_t is_unfinished = 0;
// Windows removes no open file. -1: it is closed.
volatile std::sig_atomic_t unfinished_file = -1;

void on_signal(int signal) {
  if (is_unfinished != 0) {
    if (unfinished_file >= 0) ::close(unfinished_file);
    ::unlink(unfinished_name);
  }
  // The handler was for once: this ends the process as the signal would have.
  ::raise(signal);
}

Error failed() { return {errno == ENOENT ? ErrorCode::not_found : ErrorCode::driver_error, system_reason()}; }

// With its separator at the end, or empty.
std::string folder_of(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return path.substr(0, path.size() - name.size());
}

}  // namespace

std::string system_reason() { return std::strerror(errno); }

Error system_error() { return {ErrorCode::driver_error, system_reason()}; }

bool is_unfinished_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.starts_with(kUnfinishedPrefix) && name.ends_with(kUnfinishedSuffix);
}

void remove_unfinished_on_signals() { system::on_end(on_signal); }

Result<Input> Input::open(const std::string& path) {
  const int file = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | system::kBytes);
  if (file < 0) return failed();
  struct stat facts;
  if (::fstat(file, &facts) != 0) {
    const Error error = failed();
    if (file != STDIN_FILENO) ::close(file);
    return error;
  }
  return Input(file, facts);
}

Input::~Input() { close(); }

void Input::close() {
  if (const int file = std::exchange(file_, -1); file > STDIN_FILENO) ::close(file);
}

Input::Input(Input&& other) noexcept : file_(std::exchange(other.file_, -1)), facts_(other.facts_) {}

Result<size_t> Input::read(std::span<std::byte> to) {
  size_t done = 0;
  while (done < to.size()) {
    const Result<size_t> more = read_some(to.subspan(done));
    if (!more) return more;
    if (*more == 0) break;
    done += *more;
  }
  return done;
}

Result<size_t> Input::read_some(std::span<std::byte> to) {
  for (;;) {
    const std::ptrdiff_t count = system::read(file_, to.data(), to.size());
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return failed();
  }
}

Status Input::read_at(uint64_t position, std::span<std::byte> to) const {
  for (size_t done = 0; done < to.size();) {
    const std::ptrdiff_t more = system::read_at(file_, to.data() + done, to.size() - done, position + done);
    if (more == 0) return Error{ErrorCode::driver_error, "the file became shorter"};
    if (more < 0) {
      if (errno == EINTR) continue;
      return failed();
    }
    done += static_cast<size_t>(more);
  }
  return {};
}

std::optional<uint64_t> Input::size() const {
  if (!S_ISREG(facts_.st_mode)) return std::nullopt;
  // Standard input may have been read from before.
  const off_t at = ::lseek(file_, 0, SEEK_CUR);
  if (at < 0 || at > facts_.st_size) return std::nullopt;
  return static_cast<uint64_t>(facts_.st_size - at);
}

bool Input::is_at(const std::string& path) const { return system::is_same(file_, path); }

bool Input::is_terminal() const { return ::isatty(file_) != 0; }

Result<std::vector<std::byte>> read_all(const std::string& path) {
  Result<Input> input = Input::open(path);
  if (!input) return input.error();
  if (S_ISDIR(input->facts().st_mode)) return Error{ErrorCode::invalid_argument, "is a directory"};
  std::vector<std::byte> bytes;
  for (size_t room = std::max<uint64_t>(input->size().value_or(0) + 1, 1u << 20);; room *= 2) {
    const size_t before = bytes.size();
    bytes.resize(before + room);
    const Result<size_t> count = input->read(std::span(bytes).subspan(before));
    if (!count) return count.error();
    bytes.resize(before + *count);
    if (*count < room) return bytes;
  }
}

Output::Output(int file, std::string path, std::string unfinished, bool replace)
    : file_(file), path_(std::move(path)), unfinished_(std::move(unfinished)), replace_(replace) {}

Output::Output(Output&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::exchange(other.path_, {})),
      unfinished_(std::exchange(other.unfinished_, {})),
      replace_(other.replace_) {}

Output::~Output() {
  if (file_ > STDERR_FILENO) ::close(file_);
  if (unfinished_.empty()) return;
  unfinished_file = -1;
  ::unlink(unfinished_.c_str());
  is_unfinished = 0;
}

Result<Output> Output::to_stdout() { return Output(STDOUT_FILENO, {}, {}, false); }

Result<Output> Output::create(const std::string& path, bool replace) {
  struct stat facts;
  if (::stat(path.c_str(), &facts) == 0) {
    if (S_ISDIR(facts.st_mode)) return Error{ErrorCode::invalid_argument, "is a directory"};
    if (!S_ISREG(facts.st_mode)) {
      const int file = ::open(path.c_str(), O_WRONLY | system::kBytes);
      if (file < 0) return failed();
      return Output(file, {}, {}, true);
    }
    if (!replace) return Error{ErrorCode::invalid_argument, "already exists; -f overwrites it"};
  }
  const std::string folder = folder_of(path);
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = folder;
    name.append(kUnfinishedPrefix).append(std::to_string(::getpid())).append("-").append(std::to_string(attempt));
    name += kUnfinishedSuffix;
    if (name.size() >= sizeof unfinished_name) {
      errno = ENAMETOOLONG;
      return failed();
    }
    std::memcpy(unfinished_name, name.c_str(), name.size() + 1);
    is_unfinished = 1;
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | system::kBytes, 0600);
    unfinished_file = file;
    if (file >= 0) return Output(file, path, name, replace);
    is_unfinished = 0;
    if (errno != EEXIST) return failed();
  }
  return failed();
}

Status Output::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::ptrdiff_t done = system::write(file_, bytes.data(), bytes.size());
    if (done < 0) {
      if (errno == EINTR) continue;
      return failed();
    }
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return {};
}

Status Output::close() {
  const int file = std::exchange(file_, -1);
  unfinished_file = -1;
  if (file <= STDERR_FILENO || ::close(file) == 0) return {};
  return failed();
}

Status Output::rename() {
  if (!system::rename(unfinished_, path_, replace_)) {
    if (!replace_ && errno == EEXIST) return Error{ErrorCode::invalid_argument, "already exists; -f overwrites it"};
    return failed();
  }
  unfinished_.clear();
  is_unfinished = 0;
  return {};
}

Status Output::finish(const struct stat* source, bool sync) {
  const bool is_named = is_file();
  if (is_named && !system::take_facts(file_, source)) return failed();
  if (sync && !system::sync(file_)) return failed();
  if (Status status = close(); !status || !is_named) return status;
  if (Status status = rename(); !status || !sync) return status;
  if (!system::sync_folder(folder_of(path_))) return failed();
  return {};
}

}  // namespace gstd_tool
