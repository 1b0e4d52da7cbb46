// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/pack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace weft::test {

using Bytes = std::vector<std::byte>;

/// Bytes that compress: pixels of a slope with some noise.
inline Bytes slope(size_t bytes, uint32_t seed = 1) {
  Bytes result(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    seed = seed * 1664525u + 1013904223u;
    result[i] = static_cast<std::byte>(i / 64 + (seed >> 31));
  }
  return result;
}

/// Bytes that do not.
inline Bytes noise(size_t bytes, uint32_t seed = 1) {
  Bytes result(bytes);
  for (std::byte& byte : result) {
    seed = seed * 1664525u + 1013904223u;
    byte = static_cast<std::byte>(seed >> 24);
  }
  return result;
}

inline void put_u32(Bytes& bytes, size_t at, uint32_t word) {
  for (size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::byte>(word >> 8 * i);
}

inline void put_u64(Bytes& bytes, size_t at, uint64_t word) {
  put_u32(bytes, at, static_cast<uint32_t>(word));
  put_u32(bytes, at + 4, static_cast<uint32_t>(word >> 32));
}

/// The header of a DDS file; dxgi 0: without the DX10 part.
struct DdsHeader {
  uint32_t width = 64, height = 64, depth = 1, levels = 1;
  const char* four_cc = "DX10";
  uint32_t dxgi = 98, layers = 1;
  bool cube = false;

  Bytes bytes() const {
    const bool has_dx10 = std::strcmp(four_cc, "DX10") == 0;
    Bytes header(has_dx10 ? 148 : 128);
    put_u32(header, 0, 0x20534444);
    put_u32(header, 4, 124);
    put_u32(header, 8, 0x1007u | (levels > 1 ? 0x20000u : 0u) | (depth > 1 ? 0x800000u : 0u));
    put_u32(header, 12, height);
    put_u32(header, 16, width);
    put_u32(header, 24, depth);
    put_u32(header, 28, levels);
    put_u32(header, 76, 32);
    put_u32(header, 80, *four_cc == 0 ? 0x41 : 4);
    for (size_t i = 0; four_cc[i] != 0; ++i) header[84 + i] = static_cast<std::byte>(four_cc[i]);
    if (*four_cc == 0) {
      put_u32(header, 88, 32);
      put_u32(header, 92, 0xff0000);
      put_u32(header, 96, 0xff00);
      put_u32(header, 100, 0xff);
      put_u32(header, 104, 0xff000000);
    }
    if (!has_dx10 && cube) put_u32(header, 112, 0xfe00);
    if (!has_dx10 && depth > 1) put_u32(header, 112, 0x200000);
    if (has_dx10) {
      put_u32(header, 128, dxgi);
      put_u32(header, 132, depth > 1 ? 4 : 3);
      put_u32(header, 136, cube ? 4 : 0);
      put_u32(header, 140, layers);
    }
    return header;
  }
};

/// A KTX2 file with levels of these bytes, the largest first; each begins at a multiple of 16.
inline Bytes ktx2(uint32_t width, uint32_t height, const std::vector<Bytes>& levels, uint32_t supercompression = 0) {
  Bytes file(80 + 24 * levels.size() + 20);
  const unsigned char identifier[] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};
  std::memcpy(file.data(), identifier, sizeof identifier);
  put_u32(file, 12, 145);
  put_u32(file, 16, 1);
  put_u32(file, 20, width);
  put_u32(file, 24, height);
  put_u32(file, 36, 1);
  put_u32(file, 40, static_cast<uint32_t>(levels.size()));
  put_u32(file, 44, supercompression);
  for (size_t level = levels.size(); level-- > 0;) {
    file.resize((file.size() + 15) / 16 * 16);
    put_u64(file, 80 + 24 * level, file.size());
    put_u64(file, 80 + 24 * level + 8, levels[level].size());
    file.insert(file.end(), levels[level].begin(), levels[level].end());
  }
  return file;
}

inline pack::ReadAt reading(const Bytes& bytes) {
  return [&bytes](uint64_t position, std::span<std::byte> to) -> Status {
    if (position > bytes.size() || to.size() > bytes.size() - position)
      return Error{ErrorCode::system_error, "read beyond the end"};
    if (!to.empty()) std::memcpy(to.data(), bytes.data() + position, to.size());
    return {};
  };
}

/// A pack in memory that grows.
class MemoryPack : public pack::Payload {
 public:
  MemoryPack() : bytes_(pack::kPayloadAt) {}

  Status write(std::span<const std::byte> piece) override {
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    return {};
  }
  Status rewind(uint64_t bytes) override {
    bytes_.resize(begin_ + bytes);
    return {};
  }

  /// Appends an asset, of which `stored` is there already. Returns what encode returned.
  Status add(pack::AssetEncoder& encoder, const std::string& path, const Bytes& content,
             const pack::Resume& resume = {}, const Bytes& stored = {}) {
    bytes_.resize((bytes_.size() + pack::kBlockBytes - 1) / pack::kBlockBytes * pack::kBlockBytes);
    begin_ = bytes_.size();
    bytes_.insert(bytes_.end(), stored.begin(), stored.end());
    auto asset = encoder.encode(path, reading(content), content.size(), *this, resume);
    if (!asset) return asset.status();
    asset->move_by(begin_);
    assets.push_back(*std::move(asset));
    return {};
  }
  /// Of the last asset.
  Bytes stored() const { return Bytes(bytes_.begin() + static_cast<std::ptrdiff_t>(begin_), bytes_.end()); }
  /// Ends the pack as it is.
  Result<Bytes> end(uint64_t generation = 1) {
    const auto tail = pack::end_pack(assets, bytes_.size(), generation);
    if (!tail) return tail.error();
    bytes_.resize(tail->directory_position);
    bytes_.insert(bytes_.end(), tail->directory.begin(), tail->directory.end());
    std::ranges::copy(tail->slot, bytes_.begin() + static_cast<std::ptrdiff_t>(tail->slot_position));
    return bytes_;
  }

  std::vector<pack::Asset> assets;

 private:
  Bytes bytes_;
  uint64_t begin_ = 0;
};

inline Result<Bytes> content_of(const pack::PackReader& reader, const pack::Entry& entry, uint32_t threads = 1) {
  Bytes content;
  const pack::Sink sink = [&](std::span<const std::byte> piece) -> Status {
    content.insert(content.end(), piece.begin(), piece.end());
    return {};
  };
  pack::ReadConfig config;
  config.threads = threads;
  if (Status status = reader.extract(entry, sink, config); !status) return status.error();
  return content;
}

}  // namespace weft::test
