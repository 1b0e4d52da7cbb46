// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/status.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace weft::loader {

/// What tests change.
struct Hooks {
  /// Results of reads, as if the system had given them. Negative ones are errors.
  std::function<int64_t(uint64_t position, size_t bytes, int64_t result)> read{};
  /// Results of File::read_cached.
  std::function<int64_t(int64_t result)> read_cached{};
  /// Compressed bytes are copied to device memory, as on a discrete device.
  bool copies_source = false;
};

/// A file that is read at positions, from many threads.
class File {
 public:
  /// `direct`: also opens it to bypass the page cache, if the file system allows that.
  static Result<File> open(const std::string& path, bool direct);
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  uint64_t size() const noexcept { return size_; }
  bool has_direct() const noexcept { return direct_ != kNone; }
  /// Where asynchronous reads go.
#ifdef _WIN32
  intptr_t handle(bool direct) const noexcept { return direct ? async_direct_ : async_buffered_; }
#else
  intptr_t handle(bool direct) const noexcept { return direct ? direct_ : buffered_; }
#endif
  /// Bytes read, 0 at the end of the file, or the negative number of an error.
  int64_t read(uint64_t position, std::span<std::byte> to, bool direct) const noexcept;
  /// The same of what the page cache has, without waiting for the disk. kNotCached: it has none of it, or does not say.
  int64_t read_cached(uint64_t position, std::span<std::byte> to) const noexcept;
  static constexpr int64_t kNotCached = INT64_MIN;

 private:
  static constexpr intptr_t kNone = -1;
  File() = default;

  intptr_t buffered_ = kNone, direct_ = kNone;
#ifdef _WIN32
  intptr_t async_buffered_ = kNone, async_direct_ = kNone;
#endif
  uint64_t size_ = 0;
};

/// Whether an error of a direct read says that it must be an ordinary one: memory or file system do not allow it.
bool is_refused_direct(int64_t result) noexcept;

}  // namespace weft::loader
