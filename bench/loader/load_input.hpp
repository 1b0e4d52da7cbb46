// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/status.hpp>

namespace weft::bench {

/// A file, or a part of one.
struct Content {
  std::string path;
  uint64_t at = 0;  ///< in the bytes of all
  uint64_t bytes = 0;
};

/// What is loaded: one after the other in memory.
struct Contents {
  std::vector<std::byte> bytes;
  std::vector<Content> files;

  std::span<const std::byte> of(const Content& content) const {
    return std::span(bytes).subspan(content.at, content.bytes);
  }
  /// The same bytes, each file cut into parts of so many.
  Contents cut(uint64_t part_bytes) const;
};

/// Files, and those of directories, up to `most_bytes` together.
Result<Contents> read_contents(const std::vector<std::string>& paths, uint64_t most_bytes);

/// A file on the disk, removed with the object, and its bytes by parts.
class WorkFile {
 public:
  explicit WorkFile(std::string path) : path_(std::move(path)) {}
  ~WorkFile();
  WorkFile(WorkFile&& other) noexcept : path_(std::move(other.path_)), bytes_(other.bytes_) { other.path_.clear(); }
  WorkFile& operator=(WorkFile&&) = delete;

  const std::string& path() const { return path_; }
  uint64_t bytes() const { return bytes_; }
  Status write(std::span<const std::byte> bytes);
  /// So that the next read is the disk's.
  void forget() const;

 private:
  std::string path_;
  uint64_t bytes_ = 0;
};

/// A pack of the contents.
Result<WorkFile> write_pack(const Contents& contents, const std::string& path, int level);

/// Where a part is in a peer's file.
struct Chunk {
  uint64_t stored_at = 0, stored_bytes = 0;
  uint64_t at = 0, bytes = 0;  ///< of content
};
/// Parts of 1 MiB behind each other, compressed by libzstd, or as they are.
struct PeerFile {
  WorkFile file;
  std::vector<Chunk> chunks;
};
Result<PeerFile> write_peer(const Contents& contents, const std::string& path, int level, bool compresses);

}  // namespace weft::bench
