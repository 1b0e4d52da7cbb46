// SPDX-License-Identifier: MIT OR Apache-2.0
#include "pack_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.hpp"
#include "system.hpp"

namespace gstd_tool {
namespace {

using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

}  // namespace

Result<PackFile> PackFile::open(const std::string& path, bool create) {
  const int flags = O_RDWR | system::kBytes | (create ? O_CREAT : 0);
  PackFile file(::open(path.c_str(), flags, 0600));
  if (file.file_ < 0) return system_error();
  struct stat facts;
  if (::fstat(file.file_, &facts) != 0) return system_error();
  if (!S_ISREG(facts.st_mode)) return Error{ErrorCode::invalid_argument, "is not a regular file"};
  if (!system::lock(file.file_)) {
    if (errno == EWOULDBLOCK) return Error{ErrorCode::invalid_argument, "is being written by another process"};
    return system_error();
  }
  return file;
}

PackFile::~PackFile() { close(); }

void PackFile::close() {
  if (const int file = std::exchange(file_, -1); file >= 0) ::close(file);
}

PackFile::PackFile(PackFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

Result<uint64_t> PackFile::size() const {
  struct stat facts;
  if (::fstat(file_, &facts) != 0) return system_error();
  return static_cast<uint64_t>(facts.st_size);
}

Status PackFile::read_at(uint64_t position, std::span<std::byte> to) const {
  while (!to.empty()) {
    const std::ptrdiff_t done = system::read_at(file_, to.data(), to.size(), position);
    if (done == 0) return Error{ErrorCode::driver_error, "the file became shorter"};
    if (done < 0) {
      if (errno == EINTR) continue;
      return system_error();
    }
    position += static_cast<uint64_t>(done);
    to = to.subspan(static_cast<size_t>(done));
  }
  return {};
}

Status PackFile::write_at(uint64_t position, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::ptrdiff_t done = system::write_at(file_, bytes.data(), bytes.size(), position);
    if (done < 0) {
      if (errno == EINTR) continue;
      return system_error();
    }
    position += static_cast<uint64_t>(done);
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return {};
}

Status PackFile::truncate(uint64_t bytes) { return system::truncate(file_, bytes) ? Status() : Status(system_error()); }

Status PackFile::sync() { return system::sync(file_) ? Status() : Status(system_error()); }

Status PackFile::rename(const std::string& from, const std::string& to) {
  const bool has_mode = system::take_facts(file_, nullptr);
  close();
  if (!has_mode || !system::rename(from, to, true)) return system_error();
  return system::sync_folder(to.substr(0, to.rfind('/') + 1)) ? Status() : Status(system_error());
}

Status FilePayload::write(std::span<const std::byte> bytes) {
  Status status = file_.write_at(end_, bytes);
  end_ += bytes.size();
  return status;
}

Status FilePayload::rewind(uint64_t bytes) {
  end_ = begin_ + bytes;
  return file_.truncate(end_);
}

Status MemoryPayload::write(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return {};
}

Status MemoryPayload::rewind(uint64_t bytes) {
  bytes_.resize(bytes);
  return {};
}

Status in_parallel(uint32_t threads, size_t items, const std::function<Status(size_t)>& task) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Status first;
  const auto work = [&] {
    for (size_t item = next++; item < items; item = next++) {
      const Status status = task(item);
      if (status) continue;
      next = items;
      const std::lock_guard lock(mutex);
      if (first) first = status;
    }
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min<size_t>(threads, items); ++i) others.emplace_back(work);
  work();
  others.clear();
  return first;
}

}  // namespace gstd_tool
