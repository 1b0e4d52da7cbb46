// SPDX-License-Identifier: MIT OR Apache-2.0
#include "folder.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.hpp"

namespace gstd_tool {

using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

namespace {

int file_of(intptr_t handle) { return static_cast<int>(handle); }

}  // namespace

Result<Folder> Folder::open(const std::string& name) {
  if (::mkdir(name.c_str(), 0777) != 0 && errno != EEXIST) return system_error();
  const int file = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return system_error();
  return Folder(file);
}

Folder::~Folder() {
  if (handle_ >= 0) ::close(file_of(handle_));
}

Folder::Folder(Folder&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

Folder& Folder::operator=(Folder&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Result<Folder> Folder::below(const std::string& name) const {
  if (::mkdirat(file_of(handle_), name.c_str(), 0777) != 0 && errno != EEXIST) return system_error();
  const int file = ::openat(file_of(handle_), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file >= 0) return Folder(file);
  if (errno == ELOOP || errno == ENOTDIR)
    return Error{ErrorCode::invalid_argument, name + " is no directory, or a link to one"};
  return system_error();
}

Result<int> Folder::create(const std::string& name) const {
  const int file =
      ::openat(file_of(handle_), name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0) return system_error();
  return file;
}

Status Folder::rename(const std::string& from, const std::string& to, bool replace) const {
  const int folder = file_of(handle_);
  if (replace) {
    if (::renameat(folder, from.c_str(), folder, to.c_str()) != 0) return system_error();
    return {};
  }
  // A link does not replace what has come into being meanwhile.
  if (::linkat(folder, from.c_str(), folder, to.c_str(), 0) != 0) {
    if (errno == EEXIST) return Error{ErrorCode::invalid_argument, "already exists; -f overwrites it"};
    return system_error();
  }
  remove(from);
  return {};
}

void Folder::remove(const std::string& name) const { ::unlinkat(file_of(handle_), name.c_str(), 0); }

}  // namespace gstd_tool
