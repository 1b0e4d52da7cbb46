// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/pack.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gstd_tool {

/// A file that is written at any position, by one process at a time.
class PackFile {
 public:
  /// `create`: whether it need not be there. Errors: with the system's reason; invalid_argument if another process has
  /// it.
  static weft::Result<PackFile> open(const std::string& path, bool create);
  ~PackFile();
  PackFile(PackFile&& other) noexcept;
  PackFile& operator=(PackFile&&) = delete;

  weft::Result<uint64_t> size() const;
  weft::Status read_at(uint64_t position, std::span<std::byte> to) const;
  weft::Status write_at(uint64_t position, std::span<const std::byte> bytes);
  weft::Status truncate(uint64_t bytes);
  /// Returns when everything is on the disk.
  weft::Status sync();
  /// Windows renames and removes no open file.
  void close();
  /// Closes the file, and gives it another name and the mode of a new file.
  weft::Status rename(const std::string& from, const std::string& to);

 private:
  explicit PackFile(int file) : file_(file) {}
  int file_;
};

/// Payload that goes to a file, from a position on, after bytes that are there.
class FilePayload : public weft::pack::Payload {
 public:
  FilePayload(PackFile& file, uint64_t position, uint64_t bytes)
      : file_(file), begin_(position), end_(position + bytes) {}
  weft::Status write(std::span<const std::byte> bytes) override;
  weft::Status rewind(uint64_t bytes) override;

 private:
  PackFile& file_;
  uint64_t begin_, end_;
};

/// Payload that is kept.
class MemoryPayload : public weft::pack::Payload {
 public:
  weft::Status write(std::span<const std::byte> bytes) override;
  weft::Status rewind(uint64_t bytes) override;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// A file of the directory that is packed.
struct PackSource {
  std::string path;  ///< in the pack
  std::string file;
  uint64_t bytes = 0;
};

/// All regular files below a directory by their paths, but for those named. Links and devices are left out, which is
/// reported. Errors: paths that a pack cannot have, all of which are reported.
weft::Result<std::vector<PackSource>> pack_sources(
    const std::string& folder, std::span<const std::string> left_out,
    const std::function<void(const std::string&, const std::string&)>& say);

/// Calls task(item) for every item below `items` on so many threads. The first error ends it and is returned.
weft::Status in_parallel(uint32_t threads, size_t items, const std::function<weft::Status(size_t item)>& task);

/// A large asset that is not finished.
struct PackPart {
  uint64_t path_hash = 0, position = 0, content_bytes = 0;  ///< of all of it
  weft::pack::Checkpoint done;
};

/// What is done of an unfinished pack: assets in their order, appended in chunks, each with a hash.
class PackJournal {
 public:
  /// Reads what there is. A damaged end, or a journal of another `key`, counts as none.
  static weft::Result<PackJournal> open(const std::string& path, uint64_t key);

  std::vector<weft::pack::Asset> take_assets() { return std::move(assets_); }
  void close() { file_.close(); }
  /// What follows the last asset.
  const std::optional<PackPart>& part() const { return part_; }
  /// Drops everything and begins with these.
  weft::Status begin(std::span<const weft::pack::Asset> assets);
  /// Returns when they are on the disk.
  weft::Status append(std::span<const weft::pack::Asset> assets);
  weft::Status append(const PackPart& part);

 private:
  bool read_assets(uint64_t file_bytes, weft::Status& status);
  bool read_part(uint64_t file_bytes, weft::Status& status);
  PackJournal(PackFile file, uint64_t key) : file_(std::move(file)), key_(key) {}
  PackFile file_;
  uint64_t key_;
  uint64_t end_ = 0;
  std::vector<weft::pack::Asset> assets_;
  std::optional<PackPart> part_;
};

}  // namespace gstd_tool
