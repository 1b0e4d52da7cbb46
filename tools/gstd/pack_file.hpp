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

#include "options.hpp"

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
  std::optional<uint64_t> content_hash = {};  ///< what it is to have
};

/// Packs that hold assets as they were encoded before. Each holds those of its paths that are not in another, from its
/// first on.
class OldPacks {
 public:
  struct Found {
    const weft::pack::PackReader* pack;
    weft::pack::Entry entry;
  };

  /// In the order of first paths.
  void add(std::string first_path, weft::pack::PackReader pack) {
    packs_.push_back({std::move(first_path), std::move(pack)});
  }
  size_t size() const { return packs_.size(); }
  std::optional<Found> find(const std::string& path) const;

 private:
  struct Old {
    std::string first_path;
    weft::pack::PackReader pack;
  };
  std::vector<Old> packs_;
};

/// All regular files below a directory by their paths, but for those named. Links and devices are left out, which is
/// reported. Errors: paths that a pack cannot have, all of which are reported.
weft::Result<std::vector<PackSource>> pack_sources(
    const std::string& folder, std::span<const std::string> left_out,
    const std::function<void(const std::string&, const std::string&)>& say);

/// Calls use(read) with an opened source. Errors: what it returns, and that the file changed meanwhile.
weft::Status with_source(const PackSource& source, const std::function<weft::Status(const weft::pack::ReadAt&)>& use);

/// What two runs must share for one to go on with the other's work.
uint64_t key_of(const weft::gstd::CompressConfig& config);

/// Writes a new pack beside the options' output, which then takes its name. An interrupted run's work is gone on with.
weft::Status write_new_pack(const Options& options, std::span<const PackSource> sources, const OldPacks& old);

/// Of a pack's jobs, each of which encodes some of its files: lists of these, and the packs that are made of them.
std::string jobs_folder(const Options& options);
/// The packs of jobs that were done with these options.
weft::Result<OldPacks> done_jobs(const Options& options);
weft::Status remove_jobs(const Options& options);
/// Writes the lists of jobs, and says the names of those that are not done.
weft::Status list_jobs(const Options& options, std::span<const PackSource> sources);
/// Does the job of that name, unless it is done.
weft::Status do_job(const Options& options);

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
