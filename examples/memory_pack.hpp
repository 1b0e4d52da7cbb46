// SPDX-License-Identifier: MIT OR Apache-2.0
// A pack that is made in memory. `gstd pack` and larger programs write payloads to a file as they come.
#pragma once

#include <weft/pack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

class MemoryPack {
 public:
  explicit MemoryPack(int level) : encoder_(weft::pack::AssetEncoder::create({.level = level})) {}

  weft::Status add(const std::string& path, std::span<const std::byte> content) {
    if (!encoder_) return encoder_.error();
    std::vector<std::byte>& bytes = payload_.bytes;
    payload_.begin = (bytes.size() + weft::pack::kBlockBytes - 1) / weft::pack::kBlockBytes * weft::pack::kBlockBytes;
    bytes.resize(payload_.begin);
    const weft::pack::ReadAt read = [&](uint64_t at, std::span<std::byte> to) -> weft::Status {
      std::memcpy(to.data(), content.data() + at, to.size());
      return {};
    };
    auto asset = encoder_->encode(path, read, content.size(), payload_);
    if (!asset) return asset.error();
    asset->move_by(payload_.begin);
    assets_.push_back(*std::move(asset));
    return {};
  }

  /// Behind the payloads comes the directory, and the slot before them says where it is.
  weft::Result<std::vector<std::byte>> finish() {
    std::vector<std::byte> bytes = std::move(payload_.bytes);
    const auto end = weft::pack::end_pack(assets_, bytes.size());
    if (!end) return end.error();
    bytes.resize(end->directory_position);
    bytes.insert(bytes.end(), end->directory.begin(), end->directory.end());
    std::copy(end->slot.begin(), end->slot.end(), bytes.begin() + static_cast<std::ptrdiff_t>(end->slot_position));
    return bytes;
  }

  /// The same, to a file.
  weft::Status write(const std::string& path) {
    const auto bytes = finish();
    if (!bytes) return bytes.error();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes->data()), static_cast<std::streamsize>(bytes->size()));
    if (!file.flush()) return weft::Error{weft::ErrorCode::system_error, path + " cannot be written"};
    return {};
  }

 private:
  // Where an asset's stored bytes go.
  struct Payload : weft::pack::Payload {
    weft::Status write(std::span<const std::byte> more) override {
      bytes.insert(bytes.end(), more.begin(), more.end());
      return {};
    }
    weft::Status rewind(uint64_t count) override {
      bytes.resize(begin + count);
      return {};
    }

    std::vector<std::byte> bytes = std::vector<std::byte>(weft::pack::kPayloadAt);
    size_t begin = 0;
  };

  weft::Result<weft::pack::AssetEncoder> encoder_;
  Payload payload_;
  std::vector<weft::pack::Asset> assets_;
};
