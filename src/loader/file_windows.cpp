// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <utility>

#include <windows.h>

#include "loader/file.hpp"

namespace weft::loader {
namespace {

HANDLE handle_of(intptr_t handle) { return reinterpret_cast<HANDLE>(handle); }

}  // namespace

Result<File> File::open(const std::string& path, bool direct) {
  const auto open_with = [&](DWORD flags) {
    return reinterpret_cast<intptr_t>(CreateFileA(path.c_str(), GENERIC_READ,
                                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL | flags, nullptr));
  };
  File file;
  file.buffered_ = open_with(0);
  file.async_buffered_ = open_with(FILE_FLAG_OVERLAPPED);
  LARGE_INTEGER size;
  if (file.buffered_ == kNone || file.async_buffered_ == kNone || !GetFileSizeEx(handle_of(file.buffered_), &size)) {
    const DWORD why = GetLastError();
    return Error{
        why == ERROR_FILE_NOT_FOUND || why == ERROR_PATH_NOT_FOUND ? ErrorCode::not_found : ErrorCode::system_error,
        path + ": error " + std::to_string(why)};
  }
  file.size_ = static_cast<uint64_t>(size.QuadPart);
  if (!direct) return file;
  file.direct_ = open_with(FILE_FLAG_NO_BUFFERING);
  file.async_direct_ = open_with(FILE_FLAG_NO_BUFFERING | FILE_FLAG_OVERLAPPED);
  if (file.async_direct_ == kNone && file.direct_ != kNone) CloseHandle(handle_of(std::exchange(file.direct_, kNone)));
  return file;
}

File::File(File&& other) noexcept
    : buffered_(std::exchange(other.buffered_, kNone)),
      direct_(std::exchange(other.direct_, kNone)),
      async_buffered_(std::exchange(other.async_buffered_, kNone)),
      async_direct_(std::exchange(other.async_direct_, kNone)),
      size_(other.size_) {}

File::~File() {
  for (const intptr_t handle : {buffered_, direct_, async_buffered_, async_direct_})
    if (handle != kNone) CloseHandle(handle_of(handle));
}

int64_t File::read(uint64_t position, std::span<std::byte> to, bool direct) const noexcept {
  OVERLAPPED at{};
  at.Offset = static_cast<DWORD>(position);
  at.OffsetHigh = static_cast<DWORD>(position >> 32);
  DWORD done = 0;
  const auto bytes = static_cast<DWORD>(std::min<size_t>(to.size(), size_t{1} << 30));
  if (ReadFile(handle_of(direct ? direct_ : buffered_), to.data(), bytes, &done, &at)) return done;
  const DWORD why = GetLastError();
  return why == ERROR_HANDLE_EOF ? 0 : -int64_t{why};
}

int64_t File::read_cached(uint64_t, std::span<std::byte>) const noexcept { return kNotCached; }

bool is_refused_direct(int64_t result) noexcept {
  return result == -int64_t{ERROR_INVALID_PARAMETER} || result == -int64_t{ERROR_NOACCESS};
}

}  // namespace weft::loader
