// SPDX-License-Identifier: MIT OR Apache-2.0
#include "load_input.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <weft/pack.hpp>

namespace weft::bench {
namespace {

namespace fs = std::filesystem;

Error system_error(const std::string& what) { return {ErrorCode::system_error, what}; }

/// A pack's stored bytes, in memory until it is whole.
class Payload : public pack::Payload {
 public:
  Status write(std::span<const std::byte> piece) override {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return {};
  }
  Status rewind(uint64_t count) override {
    bytes.resize(begin + count);
    return {};
  }
  void begin_asset() {
    bytes.resize((bytes.size() + pack::kBlockBytes - 1) / pack::kBlockBytes * pack::kBlockBytes);
    begin = bytes.size();
  }

  std::vector<std::byte> bytes = std::vector<std::byte>(pack::kPayloadAt);
  uint64_t begin = 0;
};

}  // namespace

Contents Contents::cut(uint64_t part_bytes) const {
  Contents parts;
  parts.bytes = bytes;
  for (const Content& file : files)
    for (uint64_t at = 0; at < file.bytes; at += part_bytes)
      parts.files.push_back(
          {file.path + "/" + std::to_string(at), file.at + at, std::min(part_bytes, file.bytes - at)});
  return parts;
}

Result<Contents> read_contents(const std::vector<std::string>& paths, uint64_t most_bytes) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Contents contents;
  for (const fs::path& path : files) {
    std::error_code error;
    const uint64_t size = fs::file_size(path, error);
    const uint64_t bytes = std::min(size, most_bytes - contents.bytes.size());
    if (error) return system_error(path.string() + ": " + error.message());
    if (bytes == 0) continue;
    const uint64_t at = contents.bytes.size();
    contents.bytes.resize(at + bytes);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(contents.bytes.data() + at), static_cast<std::streamsize>(bytes)))
      return system_error(path.string() + " cannot be read");
    contents.files.push_back({std::to_string(contents.files.size()) + "-" + path.filename().string(), at, bytes});
  }
  if (contents.files.empty()) return system_error("there are no files with content");
  return contents;
}

WorkFile::~WorkFile() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
}

Status WorkFile::write(std::span<const std::byte> bytes) {
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return system_error(path_ + " cannot be written");
  bytes_ = bytes.size();
  return {};
}

void WorkFile::forget() const {
  const int file = ::open(path_.c_str(), O_RDONLY);
  if (file < 0) return;
  // Dirty pages are not dropped.
  ::fdatasync(file);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

Result<WorkFile> write_pack(const Contents& contents, const std::string& path, int level) {
  gstd::CompressConfig config;
  config.level = level;
  config.threads = 0;
  auto encoder = pack::AssetEncoder::create(config);
  if (!encoder) return encoder.error();
  Payload payload;
  std::vector<pack::Asset> assets;
  for (const Content& content : contents.files) {
    const auto bytes = contents.of(content);
    payload.begin_asset();
    const pack::ReadAt read = [&](uint64_t position, std::span<std::byte> to) -> Status {
      std::memcpy(to.data(), bytes.data() + position, to.size());
      return {};
    };
    auto asset = encoder->encode(content.path, read, bytes.size(), payload);
    if (!asset) return asset.error();
    asset->move_by(payload.begin);
    assets.push_back(*std::move(asset));
  }
  const auto end = pack::end_pack(assets, payload.bytes.size());
  if (!end) return end.error();
  payload.bytes.resize(end->directory_position);
  payload.bytes.insert(payload.bytes.end(), end->directory.begin(), end->directory.end());
  std::copy(end->slot.begin(), end->slot.end(),
            payload.bytes.begin() + static_cast<std::ptrdiff_t>(end->slot_position));
  WorkFile file(path);
  if (Status status = file.write(payload.bytes); !status) return status.error();
  return file;
}

Result<PeerFile> write_peer(const Contents& contents, const std::string& path, int level, bool compresses) {
  constexpr uint64_t kChunk = 1 << 20;
  PeerFile peer{WorkFile(path), {}};
  std::vector<std::byte> stored;
  for (uint64_t at = 0; at < contents.bytes.size(); at += kChunk) {
    const auto chunk = std::span(contents.bytes).subspan(at, std::min(kChunk, contents.bytes.size() - at));
    const uint64_t stored_at = stored.size();
    if (compresses) {
      stored.resize(stored_at + ZSTD_compressBound(chunk.size()));
      const size_t size =
          ZSTD_compress(stored.data() + stored_at, stored.size() - stored_at, chunk.data(), chunk.size(), level);
      if (ZSTD_isError(size)) return system_error(ZSTD_getErrorName(size));
      stored.resize(stored_at + size);
    } else {
      stored.insert(stored.end(), chunk.begin(), chunk.end());
    }
    peer.chunks.push_back({stored_at, stored.size() - stored_at, at, chunk.size()});
  }
  if (Status status = peer.file.write(stored); !status) return status.error();
  return peer;
}

}  // namespace weft::bench
