// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/pack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "../ktx2/image_files.hpp"

namespace weft::test {

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
