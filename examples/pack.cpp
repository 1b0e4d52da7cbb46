// SPDX-License-Identifier: MIT OR Apache-2.0
// Writes a pack of two assets to memory, finds one by its path, and reads it.
#include <weft/pack.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace {

void check(const weft::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

// Where an asset's stored bytes go: here a vector, usually a file.
struct Bytes : weft::pack::Payload {
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

}  // namespace

int main() {
  Bytes pack;
  std::vector<weft::pack::Asset> assets;
  auto encoder = weft::pack::AssetEncoder::create({.level = 9});
  check(encoder.status());
  for (const char letter : {'a', 'b'}) {
    const std::vector<std::byte> content(100000, static_cast<std::byte>(letter));
    const weft::pack::ReadAt read = [&](uint64_t at, std::span<std::byte> to) -> weft::Status {
      std::memcpy(to.data(), content.data() + at, to.size());
      return {};
    };
    pack.begin = (pack.bytes.size() + weft::pack::kBlockBytes - 1) / weft::pack::kBlockBytes * weft::pack::kBlockBytes;
    pack.bytes.resize(pack.begin);
    auto asset = encoder->encode(std::string("letters/") + letter, read, content.size(), pack);
    check(asset.status());
    asset->move_by(pack.begin);
    assets.push_back(*std::move(asset));
  }
  const auto end = weft::pack::end_pack(assets, pack.bytes.size());
  check(end.status());
  pack.bytes.resize(end->directory_position);
  pack.bytes.insert(pack.bytes.end(), end->directory.begin(), end->directory.end());
  std::copy(end->slot.begin(), end->slot.end(), pack.bytes.begin() + static_cast<std::ptrdiff_t>(end->slot_position));

  const auto reader = weft::pack::PackReader::open(pack.bytes);
  check(reader.status());
  const auto entry = reader->find("letters/b");
  if (!entry) return 1;
  const auto range = reader->range(*entry, 0);
  std::vector<std::byte> content(range.slice_bytes);
  check(reader->extract(*entry, range, content));
  std::printf("%s: %zu times %c, stored in less than a block: %s\n", std::string(entry->path).c_str(), content.size(),
              std::to_integer<char>(content.back()), entry->stored_bytes < weft::pack::kBlockBytes ? "yes" : "no");
  return 0;
}
