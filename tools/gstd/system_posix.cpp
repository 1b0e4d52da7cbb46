// SPDX-License-Identifier: MIT OR Apache-2.0
#include "system.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

namespace gstd_tool::system {
namespace {

constexpr size_t kMostBytes = size_t{1} << 30;

}  // namespace

void set_streams_binary() {}

bool limit_memory(uint64_t bytes) {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes);
  return ::setrlimit(RLIMIT_DATA, &limit) == 0;
}

void on_end(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ}) {
    struct sigaction before;
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

std::ptrdiff_t read(int file, void* to, size_t bytes) { return ::read(file, to, std::min(bytes, kMostBytes)); }

std::ptrdiff_t write(int file, const void* from, size_t bytes) {
  return ::write(file, from, std::min(bytes, kMostBytes));
}

std::ptrdiff_t read_at(int file, void* to, size_t bytes, uint64_t position) {
  return ::pread(file, to, std::min(bytes, kMostBytes), static_cast<off_t>(position));
}

std::ptrdiff_t write_at(int file, const void* from, size_t bytes, uint64_t position) {
  return ::pwrite(file, from, std::min(bytes, kMostBytes), static_cast<off_t>(position));
}

bool truncate(int file, uint64_t bytes) { return ::ftruncate(file, static_cast<off_t>(bytes)) == 0; }

bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

bool has_changed(const std::string& path, const struct stat& before) {
  struct stat after;
  return ::stat(path.c_str(), &after) != 0 || after.st_ino != before.st_ino || after.st_size != before.st_size ||
         after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec;
}

bool is_link(const std::string& path) {
  struct stat facts;
  return ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
}

bool is_same(int file, const std::string& path) {
  struct stat one, other;
  return ::fstat(file, &one) == 0 && ::stat(path.c_str(), &other) == 0 && S_ISREG(other.st_mode) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool take_facts(int file, const struct stat* source) {
  if (source == nullptr || !S_ISREG(source->st_mode)) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return ::fchmod(file, 0666 & ~mask) == 0;
  }
  // Who may not give files away keeps them; then nobody gains rights that the source's group has not.
  const bool same_group = ::fchown(file, source->st_uid, source->st_gid) == 0;
  const mode_t mode = source->st_mode & (same_group ? 0777u : 0707u);
  if (::fchmod(file, mode) != 0) return false;
  const struct timespec times[2] = {source->st_atim, source->st_mtim};
  return ::futimens(file, times) == 0;
}

bool rename(const std::string& from, const std::string& to, bool replace) {
  // A link does not replace what has come into being meanwhile; where there are no links, a look has to do.
  if (!replace) {
    if (::link(from.c_str(), to.c_str()) == 0) {
      ::unlink(from.c_str());
      return true;
    }
    if (errno == EEXIST) return false;
    if (::access(to.c_str(), F_OK) == 0) {
      errno = EEXIST;
      return false;
    }
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

// A pipe has nothing to be synced.
bool sync(int file) { return ::fsync(file) == 0 || errno == EINVAL; }

bool sync_folder(const std::string& folder) {
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool synced = ::fsync(file) == 0;
  const int error = errno;
  ::close(file);
  errno = error;
  return synced;
}

}  // namespace gstd_tool::system
