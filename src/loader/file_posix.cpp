// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "loader/file.hpp"

namespace weft::loader {

Result<File> File::open(const std::string& path, bool direct) {
  File file;
  file.buffered_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts;
  if (file.buffered_ < 0 || ::fstat(static_cast<int>(file.buffered_), &facts) != 0) {
    const int why = errno;
    return Error{why == ENOENT ? ErrorCode::not_found : ErrorCode::system_error, path + ": " + std::strerror(why)};
  }
  if (!S_ISREG(facts.st_mode)) return Error{ErrorCode::system_error, path + ": no regular file"};
  file.size_ = static_cast<uint64_t>(facts.st_size);
#ifdef O_DIRECT
  if (direct) file.direct_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  struct stat again;
  // Replaced in between: another file.
  if (file.direct_ >= 0 && (::fstat(static_cast<int>(file.direct_), &again) != 0 || again.st_ino != facts.st_ino ||
                            again.st_dev != facts.st_dev)) {
    ::close(static_cast<int>(file.direct_));
    file.direct_ = kNone;
  }
#else
  static_cast<void>(direct);
#endif
  return file;
}

File::File(File&& other) noexcept
    : buffered_(std::exchange(other.buffered_, kNone)),
      direct_(std::exchange(other.direct_, kNone)),
      size_(other.size_) {}

File::~File() {
  for (const intptr_t handle : {buffered_, direct_})
    if (handle >= 0) ::close(static_cast<int>(handle));
}

int64_t File::read(uint64_t position, std::span<std::byte> to, bool direct) const noexcept {
  for (;;) {
    const ssize_t result =
        ::pread(static_cast<int>(handle(direct)), to.data(), to.size(), static_cast<off_t>(position));
    if (result >= 0) return result;
    if (errno != EINTR) return -int64_t{errno};
  }
}

int64_t File::read_cached(uint64_t position, std::span<std::byte> to) const noexcept {
#ifdef RWF_NOWAIT
  const iovec part{to.data(), to.size()};
  const ssize_t result = ::preadv2(static_cast<int>(buffered_), &part, 1, static_cast<off_t>(position), RWF_NOWAIT);
  // Whatever was wrong, an ordinary read reports.
  if (result >= 0) return result;
#else
  static_cast<void>(position);
  static_cast<void>(to);
#endif
  return kNotCached;
}

bool is_refused_direct(int64_t result) noexcept { return result == -EFAULT || result == -EINVAL; }

}  // namespace weft::loader
