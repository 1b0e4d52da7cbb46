// SPDX-License-Identifier: MIT OR Apache-2.0
// Packs in memory: what is written is read back, images by level, and everything else is refused with its position.
#include <weft/pack.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "pack/layout.hpp"
#include "pack/pack_image.hpp"

using namespace weft;
using pack::Fault;
using test::Bytes;

namespace {

pack::AssetEncoder encoder(uint32_t threads = 1) {
  gstd::CompressConfig config;
  config.tile_bytes = 1u << 14;
  config.segment_bytes = 1u << 20;
  config.threads = threads;
  auto created = pack::AssetEncoder::create(config);
  REQUIRE(created.ok());
  return *std::move(created);
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::map<std::string, Bytes> contents() {
  std::map<std::string, Bytes> files;
  for (const size_t size : {0u, 1u, 4095u, 4096u, 4097u, 16384u, 16385u, 100000u}) {
    files["slope/" + std::to_string(size)] = test::slope(size);
    files["noise/" + std::to_string(size)] = test::noise(size);
  }
  files["large"] = test::slope(5u << 20);
  files["größe/名"] = test::slope(9000);
  return files;
}

Bytes pack_of(const std::map<std::string, Bytes>& files, uint32_t threads = 1) {
  auto of_pack = encoder(threads);
  test::MemoryPack memory;
  for (const auto& [path, content] : files) REQUIRE(memory.add(of_pack, path, content).ok());
  const auto bytes = memory.end();
  REQUIRE(bytes.ok());
  return *bytes;
}

pack::PackReader opened(const Bytes& bytes) {
  auto reader = pack::PackReader::open(bytes);
  REQUIRE_MESSAGE(reader.ok(), (reader.ok() ? "" : reader.error().message));
  return *std::move(reader);
}

// The pack's directory, changed, with hashes that fit.
void mend(Bytes& bytes, size_t slot = 0) {
  const auto number = [&](size_t at) {
    uint64_t value = 0;
    for (size_t i = 8; i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[slot + at + i]);
    return value;
  };
  const uint64_t position = number(pack::HeaderAt::directory_position), size = number(pack::HeaderAt::directory_bytes);
  if (position <= bytes.size() && size <= bytes.size() - position)
    test::put_u64(bytes, slot + pack::HeaderAt::directory_hash,
                  pack::hash_of(std::span<const std::byte>(bytes).subspan(position, size)));
  test::put_u64(bytes, slot + pack::HeaderAt::header_hash,
                pack::hash_of(std::span<const std::byte>(bytes).subspan(slot, pack::HeaderAt::header_hash)));
}

void must_refuse(const Bytes& bytes, Fault fault, std::optional<uint64_t> position = std::nullopt) {
  pack::Verdict verdict;
  const auto reader = pack::PackReader::open(bytes, &verdict);
  REQUIRE_FALSE(reader.ok());
  CHECK_MESSAGE(verdict.fault == fault, pack::name_of(verdict.fault), ": ", reader.error().message);
  CHECK(reader.error().message.find("byte " + std::to_string(verdict.position)) != std::string::npos);
  if (position) CHECK(verdict.position == *position);
}

}  // namespace

TEST_CASE("a pack gives back every content, by path and by hash") {
  const auto files = contents();
  const Bytes bytes = pack_of(files);
  const pack::PackReader reader = opened(bytes);
  REQUIRE(reader.size() == files.size());
  for (const auto& [path, content] : files) {
    CAPTURE(path);
    const auto entry = reader.find(path);
    REQUIRE(entry);
    CHECK(reader.find_hash(pack::hash_of(path))->path == path);
    CHECK(entry->content_hash == pack::hash_of(content));
    CHECK(entry->position % (content.empty() ? 1 : pack::kBlockBytes) == 0);
    for (const uint32_t threads : {1u, 3u}) {
      const auto back = test::content_of(reader, *entry, threads);
      REQUIRE(back.ok());
      CHECK(*back == content);
    }
  }
  CHECK(reader.find("slope/100000")->kind == pack::Kind::gstd);
  CHECK(reader.find("slope/4096")->kind == pack::Kind::raw);
  CHECK(reader.find("noise/100000")->kind == pack::Kind::raw);
  CHECK_FALSE(reader.find("slope"));
  CHECK_FALSE(reader.find(""));
}

TEST_CASE("a pack does not depend on threads or on the order of its assets") {
  const auto files = contents();
  const Bytes bytes = pack_of(files);
  CHECK(pack_of(files, 4) == bytes);
  auto of_pack = encoder();
  test::MemoryPack memory;
  for (const auto& [path, content] : files) REQUIRE(memory.add(of_pack, path, content).ok());
  const auto before = pack::end_pack(memory.assets, bytes.size());
  std::ranges::reverse(memory.assets);
  const auto after = pack::end_pack(memory.assets, bytes.size());
  REQUIRE((before.ok() && after.ok()));
  CHECK(before->directory == after->directory);
  CHECK(before->slot == after->slot);
}

TEST_CASE("a range that is Gstd is a stream by itself") {
  const Bytes content = test::slope(300000);
  const Bytes bytes = pack_of({{"a", content}});
  const auto reader = opened(bytes);
  const auto entry = reader.find("a");
  const pack::Range range = reader.range(*entry, 0);
  CHECK(range.position == pack::kPayloadAt);
  const auto stream = std::span<const std::byte>(bytes).subspan(range.position, range.stored_bytes);
  const auto decoded = gstd::decompress(stream);
  REQUIRE(decoded.ok());
  CHECK(*decoded == content);
  CHECK(range.tile_bytes == 1u << 14);
  CHECK(range.table_bytes == 56 + 4 * (19 + 1) + 4 * 19);
}

TEST_CASE("files of compressed formats are kept") {
  const Bytes zst = joined({{std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f}, std::byte{0xfd}}, test::slope(50000)});
  const Bytes gdeflate = joined({{std::byte{4}, std::byte{0xfb}}, test::slope(50000)});
  const Bytes bytes = pack_of({{"a.zst", zst}, {"b.gdeflate", gdeflate}, {"c.bin", gdeflate}});
  const auto reader = opened(bytes);
  CHECK(reader.find("a.zst")->kind == pack::Kind::zst);
  CHECK(reader.find("b.gdeflate")->kind == pack::Kind::gdeflate);
  CHECK(reader.find("c.bin")->kind == pack::Kind::gstd);
  CHECK(reader.find("a.zst")->stored_bytes == zst.size());
}

TEST_CASE("each level of a DDS file is read alone") {
  // Width, height, depth, levels, FourCC, DXGI_FORMAT, layers, cube; VkFormat, bytes of a block or pixel, block's side.
  struct Case {
    test::DdsHeader header;
    uint32_t vk_format, unit_bytes, side;
  };
  const Case cases[] = {
      {{256, 128, 1, 9, "DX10", 98, 1, false}, 145, 16, 4}, {{64, 64, 1, 7, "DX10", 71, 3, false}, 133, 8, 4},
      {{64, 64, 1, 7, "DX10", 95, 2, true}, 143, 16, 4},    {{100, 60, 1, 3, "DX10", 28, 1, false}, 37, 4, 1},
      {{64, 32, 16, 5, "DX10", 61, 1, false}, 9, 1, 1},     {{128, 128, 1, 1, "DXT1", 0, 1, false}, 133, 8, 4},
      {{128, 128, 1, 8, "DXT5", 0, 1, true}, 137, 16, 4},   {{50, 50, 1, 6, "", 0, 1, false}, 44, 4, 1},
      {{32, 32, 8, 6, "ATI2", 0, 1, false}, 141, 16, 4}};
  for (const Case& one : cases) {
    const auto& header = one.header;
    CAPTURE(header.width);
    CAPTURE(header.dxgi);
    const uint32_t slices = header.layers * (header.cube ? 6 : 1);
    Bytes file = header.bytes();
    std::vector<Bytes> levels(header.levels);
    for (uint32_t slice = 0; slice < slices; ++slice)
      for (uint32_t level = 0; level < header.levels; ++level) {
        const auto units = [&](uint32_t size) { return (std::max(size >> level, 1u) + one.side - 1) / one.side; };
        const size_t size =
            size_t{units(header.width)} * units(header.height) * std::max(header.depth >> level, 1u) * one.unit_bytes;
        const Bytes pixels = test::slope(size, slice * 100 + level);
        file.insert(file.end(), pixels.begin(), pixels.end());
        levels[level].insert(levels[level].end(), pixels.begin(), pixels.end());
      }
    const Bytes bytes = pack_of({{"a.dds", file}});
    const auto reader = opened(bytes);
    const auto entry = reader.find("a.dds");
    REQUIRE(entry);
    CHECK(entry->image == pack::Image{pack::ImageFile::dds, one.vk_format, header.width, header.height, header.depth,
                                      header.levels, header.layers, header.cube ? 6u : 1u});
    REQUIRE(entry->range_count == header.levels + 1);
    CHECK(entry->slices == slices);
    for (uint32_t i = 1; i < entry->range_count; ++i) {
      const pack::Range range = reader.range(*entry, i);
      CHECK(range.level == header.levels - i);
      Bytes level(range.slice_bytes * slices);
      REQUIRE(reader.extract(*entry, range, level).ok());
      CHECK(reader.extract(*entry, range, std::span(level).first(level.size() - 1)).error().code ==
            ErrorCode::invalid_argument);
      CHECK(level == levels[range.level]);
    }
    const auto back = test::content_of(reader, *entry);
    REQUIRE(back.ok());
    CHECK(*back == file);
  }
}

TEST_CASE("a file with a DDS header that does not fit it is one range") {
  const test::DdsHeader good{64, 64, 1, 7, "DX10", 98, 1, false};
  const Bytes fits = joined({good.bytes(), test::slope(5488)});
  REQUIRE(opened(pack_of({{"a", fits}})).find("a")->range_count == 8);
  Bytes short_one = fits, long_one = fits, unknown = fits, no_size = fits, levels = fits, header = fits, layers = fits;
  short_one.pop_back();
  long_one.push_back(std::byte{0});
  test::put_u32(unknown, 128, 3);
  test::put_u32(no_size, 16, 0);
  test::put_u32(levels, 28, 40);
  test::put_u32(layers, 140, 0xffffffff);
  header.resize(140);
  const std::map<std::string, Bytes> files = {{"short", short_one}, {"long", long_one}, {"unknown", unknown},
                                              {"no_size", no_size}, {"levels", levels}, {"header", header},
                                              {"layers", layers}};
  const Bytes bytes = pack_of(files);
  const auto reader = opened(bytes);
  for (const auto& [path, content] : files) {
    CAPTURE(path);
    const auto entry = reader.find(path);
    CHECK(entry->range_count == 1);
    CHECK(entry->slices == 0);
    const auto back = test::content_of(reader, *entry);
    REQUIRE(back.ok());
    CHECK(*back == content);
  }
  CHECK(reader.find("short")->image.width == 64);
  CHECK(reader.find("unknown")->image.vk_format == 0);
  CHECK(reader.find("levels")->image == pack::Image{});
}

TEST_CASE("each level of a KTX2 file is read alone") {
  const auto slopes = [](std::initializer_list<size_t> sizes) {
    std::vector<Bytes> levels;
    for (const size_t size : sizes) levels.push_back(test::slope(size));
    return levels;
  };
  test::Ktx2File blocks{.width = 256, .height = 256, .levels = slopes({65536, 16384, 4096, 1024, 256})};
  test::Ktx2File compressed = blocks, bytes{.vk_format = 9,
                                            .width = 20,
                                            .height = 20,
                                            .color_model = 1,
                                            .block = {},
                                            .plane = 1,
                                            .levels = slopes({400, 100, 25, 4, 1})};
  compressed.scheme = 2;
  compressed.levels = slopes({40000, 16400, 4097, 20, 3});
  const std::map<std::string, test::Ktx2File> files = {{"a.ktx2", blocks}, {"bytes", bytes}, {"kept", compressed}};
  std::map<std::string, Bytes> contents;
  for (const auto& [path, file] : files) contents[path] = file.bytes();
  const Bytes packed = pack_of(contents);
  const auto reader = opened(packed);
  for (const auto& [path, file] : files) {
    CAPTURE(path);
    const auto entry = reader.find(path);
    CHECK(entry->image == pack::Image{pack::ImageFile::ktx2, file.vk_format, file.width, file.height, 1, 5, 1, 1});
    CHECK(entry->kind == (path == "kept" ? pack::Kind::ktx2 : path == "bytes" ? pack::Kind::raw : pack::Kind::gstd));
    REQUIRE(entry->range_count == 6);
    for (uint32_t i = 1; i < entry->range_count; ++i) {
      const pack::Range range = reader.range(*entry, i);
      const Bytes& expected = file.levels[range.level];
      Bytes level(range.slice_bytes);
      REQUIRE(reader.extract(*entry, range, level).ok());
      // What follows is padding before the next level.
      REQUIRE(level.size() >= expected.size());
      CHECK(level.size() < expected.size() + 16);
      level.resize(expected.size());
      CHECK(level == expected);
    }
    const auto back = test::content_of(reader, *entry);
    REQUIRE(back.ok());
    CHECK(*back == contents[path]);
  }
  // Small levels share a block.
  const auto entry = reader.find("a.ktx2");
  CHECK(reader.range(*entry, 2).position < entry->position + pack::kBlockBytes);
}

TEST_CASE("a file with a KTX2 header that does not fit it is one range") {
  const Bytes good = test::Ktx2File{.levels = {test::slope(4096), test::slope(1024)}}.bytes();
  REQUIRE(opened(pack_of({{"a", good}})).find("a")->range_count == 3);
  std::map<std::string, Bytes> files;
  const std::pair<const char*, std::pair<size_t, uint64_t>> changes[] = {{"before the index", {80, 40}},
                                                                         {"beyond the end", {80, good.size()}},
                                                                         {"far", {80, UINT64_MAX}},
                                                                         {"too long", {88, 4097}},
                                                                         {"empty", {88, 0}},
                                                                         {"content", {96, 4095}},
                                                                         {"order", {104, good.size() - 1}}};
  for (const auto& [name, change] : changes) {
    files[name] = good;
    test::put_u64(files[name], change.first, change.second);
  }
  files["levels"] = files["faces"] = files["short"] = good;
  test::put_u32(files["levels"], 40, 33);
  test::put_u32(files["faces"], 36, 2);
  files["short"].resize(100);
  const Bytes bytes = pack_of(files);
  const auto reader = opened(bytes);
  for (const auto& [path, content] : files) {
    CAPTURE(path);
    CHECK(reader.find(path)->range_count == 1);
    const auto back = test::content_of(reader, *reader.find(path));
    REQUIRE(back.ok());
    CHECK(*back == content);
  }
}

TEST_CASE("names are of enumerators alone") {
  CHECK(std::string(pack::name_of(pack::Kind::gdeflate)) == "gdeflate");
  CHECK(std::string(pack::name_of(pack::ImageFile::dds)) == "dds");
  CHECK(pack::name_of(static_cast<pack::Kind>(200)) == nullptr);
  CHECK(pack::name_of(static_cast<pack::ImageFile>(200)) == nullptr);
}

TEST_CASE("stored bytes come as they lie in the pack, with zeros between ranges") {
  const test::DdsHeader header{64, 64, 1, 7, "DX10", 98, 1, false};
  const Bytes bytes = pack_of({{"a", joined({header.bytes(), test::slope(5488)})}, {"b", test::noise(3u << 20)}});
  const auto reader = opened(bytes);
  for (const char* const path : {"a", "b"}) {
    const auto entry = reader.find(path);
    Bytes stored;
    REQUIRE(reader
                .read_stored(*entry,
                             [&](std::span<const std::byte> piece) -> Status {
                               CHECK(piece.size() <= 1u << 20);
                               stored.insert(stored.end(), piece.begin(), piece.end());
                               return {};
                             })
                .ok());
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(entry->position);
    CHECK(stored == Bytes(first, first + static_cast<std::ptrdiff_t>(entry->stored_bytes)));
  }
}

TEST_CASE("a pack is read from its slots and its directory, and content is read once or twice") {
  const test::DdsHeader header{64, 64, 1, 7, "DX10", 98, 1, false};
  const Bytes image = joined({header.bytes(), test::slope(5488)});
  std::vector<std::pair<uint64_t, size_t>> reads;
  const auto counted = [&](const Bytes& bytes) -> pack::ReadAt {
    return [&reads, read = test::reading(bytes)](uint64_t at, std::span<std::byte> to) {
      reads.emplace_back(at, to.size());
      return read(at, to);
    };
  };
  const auto bytes_read = [&] {
    size_t sum = 0;
    for (const auto& [at, size] : reads) sum += size;
    reads.clear();
    return sum;
  };
  const Bytes bytes = pack_of(contents());
  {
    const auto reader = pack::PackReader::open(counted(bytes), bytes.size());
    REQUIRE(reader.ok());
    const size_t directory = reader->directory_bytes();
    CHECK(reads ==
          std::vector<std::pair<uint64_t, size_t>>{{0, pack::kPayloadAt}, {bytes.size() - directory, directory}});
    CHECK(reader->pack_bytes() == bytes.size());
  }
  bytes_read();
  // What a file begins with is looked at before.
  constexpr size_t kHead = 516;
  auto of_pack = encoder();
  const auto encodes = [&](const Bytes& content, size_t times) {
    test::MemoryPack memory;
    REQUIRE(of_pack.encode("a", counted(content), content.size(), memory).ok());
    const size_t read = bytes_read();
    CHECK(read >= times * content.size());
    CHECK(read <= times * content.size() + kHead);
  };
  encodes(test::slope(3u << 20), 1);
  encodes(test::noise(3u << 20), 2);
  encodes(image, 2);
  // The hash of what is read in pieces of 1 MiB.
  const Bytes large = test::slope((2u << 20) + 5);
  const auto hash = pack::hash_of(counted(large), large.size());
  REQUIRE(hash.ok());
  CHECK(*hash == pack::hash_of(large));
  CHECK(reads == std::vector<std::pair<uint64_t, size_t>>{{0, 1u << 20}, {1u << 20, 1u << 20}, {2u << 20, 5}});
}

TEST_CASE("every changed byte and every missing one is refused") {
  const Bytes bytes = pack_of({{"a", test::slope(20000)}, {"b.dds", test::DdsHeader{}.bytes()}});
  const uint64_t directory = opened(bytes).entry(0).position;
  CHECK(directory >= pack::kPayloadAt);
  for (size_t at = 0; at < pack::kHeaderBytes; ++at) {
    Bytes changed = bytes;
    changed[at] ^= std::byte{1};
    CHECK_FALSE(pack::PackReader::open(changed).ok());
  }
  const size_t end = bytes.size();
  for (size_t at = end - opened(bytes).directory_bytes(); at < end; ++at) {
    Bytes changed = bytes;
    changed[at] ^= std::byte{1};
    must_refuse(changed, Fault::directory_checksum, end - opened(bytes).directory_bytes());
  }
  for (const size_t size : {size_t{0}, size_t{8191}, end - 1}) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    must_refuse(part, Fault::truncated, size);
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{1});
  CHECK(opened(longer).size() == 2);
  must_refuse(Bytes(10000), Fault::not_pack, 0);
}

TEST_CASE("damaged content is refused at its position") {
  const Bytes bytes = pack_of({{"raw", test::noise(5000)}, {"gstd", test::slope(50000)}});
  for (const char* const path : {"raw", "gstd"}) {
    CAPTURE(path);
    const auto entry = opened(bytes).find(path);
    Bytes changed = bytes;
    changed[entry->position + entry->stored_bytes / 2] ^= std::byte{4};
    const auto reader = opened(changed);
    pack::Verdict verdict;
    pack::ReadConfig config;
    config.verdict = &verdict;
    const pack::Sink nowhere = [](std::span<const std::byte>) -> Status { return {}; };
    CHECK_FALSE(reader.read_stored(*entry, nowhere, config).ok());
    CHECK(verdict == pack::Verdict{Fault::stored_hash, entry->position});
    // A range by itself has the checksums of Gstd's tiles alone.
    Bytes range(entry->content_bytes);
    CHECK(reader.extract(*entry, reader.range(*entry, 0), range).ok() == (entry->kind == pack::Kind::raw));
    const Status status = reader.extract(*entry, nowhere, config);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().message.find(path) != std::string::npos);
    CHECK(verdict.fault == (path[0] == 'r' ? Fault::content_hash : Fault::bad_stream));
    CHECK(verdict.position >= entry->position);
    CHECK(verdict.position <= entry->position + entry->stored_bytes);
  }
}

TEST_CASE("invalid headers are refused at their field") {
  using At = pack::HeaderAt;
  const Bytes bytes = pack_of({{"a", test::slope(20000)}});
  const std::pair<size_t, uint64_t> changes[] = {{At::generation, 0},
                                                 {At::directory_position, 4096},
                                                 {At::directory_position, 8193},
                                                 {At::directory_position, uint64_t{1} << 63},
                                                 {At::directory_bytes, 1},
                                                 {At::pack_bytes, 8192},
                                                 {At::entries, 2},
                                                 {At::entries, uint64_t{1} << 60},
                                                 {At::ranges, UINT64_MAX},
                                                 {At::name_bytes, UINT64_MAX},
                                                 {At::reserved_bytes + 8, 1}};
  for (const auto& [at, value] : changes) {
    CAPTURE(at);
    Bytes changed = bytes;
    test::put_u64(changed, at, value);
    mend(changed);
    pack::Verdict verdict;
    CHECK_FALSE(pack::PackReader::open(changed, &verdict).ok());
    CHECK(verdict.fault == Fault::bad_header);
  }
  Bytes changed = bytes;
  test::put_u32(changed, At::version, 2);
  mend(changed);
  must_refuse(changed, Fault::unknown_version, At::version);
  CHECK(pack::PackReader::open(changed).error().code == ErrorCode::unsupported);
}

// As long as its table: a row for each field and way of being wrong.
TEST_CASE("invalid entries and ranges are refused at their field") {
  using At = pack::EntryAt;
  using Of = pack::RangeAt;
  Bytes image = test::DdsHeader{64, 64, 1, 7, "DX10", 98, 2, false}.bytes();
  const Bytes pixels = test::slope(5488 * 2);
  image.insert(image.end(), pixels.begin(), pixels.end());
  const std::map<std::string, Bytes> files = {
      {"a", test::slope(20000)}, {"b", test::slope(30000)}, {"c", {}}, {"image", image}};
  const Bytes bytes = pack_of(files);
  const auto reader = opened(bytes);
  const size_t directory = bytes.size() - reader.directory_bytes();
  const auto index_of = [&](const char* path) {
    for (uint32_t i = 0; i < reader.size(); ++i)
      if (reader.entry(i).path == path) return i;
    return UINT32_MAX;
  };
  const auto entry_at = [&](const char* path) { return directory + pack::kEntryBytes * index_of(path); };
  const auto range_at = [&](const char* path, uint32_t i) {
    return directory + pack::kEntryBytes * reader.size() + pack::kRangeBytes * (reader.find(path)->first_range + i);
  };
  struct Change {
    size_t at;
    int bytes;  // 1, 4 or 8
    uint64_t value;
    Fault fault;
  };
  const size_t a = entry_at("a"), image_entry = entry_at("image"), empty = entry_at("c");
  const size_t first = range_at("a", 0), level = range_at("image", 3), last = range_at("image", 7);
  const uint64_t b_position = reader.find("b")->position;
  const Change changes[] = {{a + At::path_hash, 8, 7, Fault::bad_entry},
                            {a + At::path_bytes, 4, 0, Fault::bad_path},
                            {a + At::path_bytes, 4, 1000, Fault::bad_entry},
                            {a + At::path_offset, 8, 1, Fault::bad_entry},
                            {a + At::path_offset, 8, UINT64_MAX, Fault::bad_entry},
                            {a + At::content_bytes, 8, 0, Fault::bad_entry},
                            {a + At::content_bytes, 8, 19999, Fault::bad_range},
                            {a + At::content_bytes, 8, UINT64_MAX, Fault::bad_range},
                            {a + At::position, 8, 0, Fault::bad_entry},
                            {a + At::position, 8, 8193, Fault::bad_entry},
                            {a + At::position, 8, uint64_t{1} << 63, Fault::bad_entry},
                            {a + At::stored_bytes, 8, 0, Fault::bad_entry},
                            {a + At::stored_bytes, 8, UINT64_MAX, Fault::bad_entry},
                            {a + At::stored_bytes, 8, 1, Fault::bad_range},
                            {a + At::first_range, 4, 5, Fault::bad_entry},
                            {a + At::ranges, 4, 0, Fault::bad_entry},
                            {a + At::ranges, 4, 34, Fault::bad_entry},
                            {a + At::kind, 1, 5, Fault::bad_entry},
                            {a + At::kind, 1, 0, Fault::bad_range},
                            {a + At::image_file, 1, 1, Fault::bad_entry},
                            {a + At::image_file, 1, 3, Fault::bad_entry},
                            {a + At::reserved, 1, 1, Fault::bad_entry},
                            {a + At::slices, 4, 1, Fault::bad_entry},
                            {a + At::width, 4, 1, Fault::bad_entry},
                            {empty + At::content_bytes, 8, 1, Fault::bad_entry},
                            {empty + At::position, 8, 8192, Fault::bad_entry},
                            {empty + At::kind, 1, 2, Fault::bad_entry},
                            {image_entry + At::levels, 4, 6, Fault::bad_entry},
                            {image_entry + At::levels, 4, 33, Fault::bad_entry},
                            {image_entry + At::slices, 4, 0, Fault::bad_entry},
                            {image_entry + At::slices, 4, 3, Fault::bad_range},
                            {image_entry + At::slices, 4, UINT32_MAX, Fault::bad_range},
                            {image_entry + At::depth, 4, 0, Fault::bad_entry},
                            {image_entry + At::faces, 4, 2, Fault::bad_entry},
                            {first + Of::position, 8, 0, Fault::bad_range},
                            {first + Of::position, 8, b_position, Fault::bad_range},
                            {first + Of::stored_bytes, 8, UINT64_MAX, Fault::bad_range},
                            {first + Of::content_offset, 8, 1, Fault::bad_range},
                            {first + Of::slice_bytes, 8, 0, Fault::bad_range},
                            {first + Of::slice_bytes, 8, UINT64_MAX, Fault::bad_range},
                            {first + Of::level, 4, 0, Fault::bad_range},
                            {first + Of::coding, 1, 2, Fault::bad_range},
                            {first + Of::coding, 1, 0, Fault::bad_range},
                            {first + Of::reserved, 1, 1, Fault::bad_range},
                            {first + Of::table_bytes, 4, 7, Fault::bad_range},
                            {first + Of::table_bytes, 4, UINT32_MAX, Fault::bad_range},
                            {first + Of::tile_bytes, 4, 0, Fault::bad_range},
                            {first + Of::tile_bytes, 4, 20000, Fault::bad_range},
                            {level + Of::level, 4, 6, Fault::bad_range},
                            {level + Of::content_offset, 8, 200, Fault::bad_range},
                            {level + Of::content_offset, 8, UINT64_MAX, Fault::bad_range},
                            {level + Of::position, 8, 8193, Fault::bad_range},
                            {last + Of::position, 8, 8192, Fault::bad_range}};
  for (const Change& change : changes) {
    CAPTURE(change.at - directory);
    CAPTURE(change.value);
    Bytes changed = bytes;
    if (change.bytes == 1) changed[change.at] = static_cast<std::byte>(change.value);
    if (change.bytes == 4) test::put_u32(changed, change.at, static_cast<uint32_t>(change.value));
    if (change.bytes == 8) test::put_u64(changed, change.at, change.value);
    mend(changed);
    must_refuse(changed, change.fault);
  }
  // Two assets on the same bytes.
  Bytes changed = bytes;
  test::put_u64(changed, a + At::position, b_position);
  test::put_u64(changed, first + Of::position, b_position);
  mend(changed);
  pack::Verdict verdict;
  CHECK_FALSE(pack::PackReader::open(changed, &verdict).ok());
  CHECK(verdict.fault == Fault::overlap);
}

TEST_CASE("the later of two valid headers counts, and a torn one is not missed") {
  auto of_pack = encoder();
  test::MemoryPack memory;
  REQUIRE(memory.add(of_pack, "a", test::slope(9000)).ok());
  REQUIRE(memory.end(1).ok());
  REQUIRE(memory.add(of_pack, "b", test::slope(9000)).ok());
  const auto bytes = memory.end(2);
  REQUIRE(bytes.ok());
  CHECK(opened(*bytes).generation() == 2);
  CHECK(opened(*bytes).size() == 2);
  for (const size_t at : {size_t{4096}, size_t{4096 + 60}}) {
    Bytes torn = *bytes;
    torn[at] ^= std::byte{1};
    CHECK(opened(torn).generation() == 1);
    CHECK(opened(torn).size() == 1);
  }
  // A header that is whole but for its bytes is not torn: the pack is.
  const Bytes part(bytes->begin(), bytes->end() - 1);
  must_refuse(part, Fault::truncated, part.size());
}

TEST_CASE("paths that leave a directory, or that some system reads otherwise, are refused") {
  for (const char* const path : {"a", "a/b", "a.b/c..d", "...", "ä/名", "a b"})
    CHECK(pack::fault_of_path(path).empty());
  for (const std::string path : {"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a/..", "a\\b",
                                 "C:a", "a\nb", "a\x7f", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    CAPTURE(path);
    CHECK_FALSE(pack::fault_of_path(path).empty());
    pack::Asset asset;
    asset.path = path;
    CHECK_FALSE(pack::end_pack(std::span(&asset, 1), 0).ok());
  }
  CHECK_FALSE(pack::fault_of_path(std::string("a\0b", 3)).empty());
  CHECK_FALSE(pack::fault_of_path(std::string(4096, 'a')).empty());
  CHECK(pack::fault_of_path(std::string(4095, 'a')).empty());
  std::vector<pack::Asset> twice(2);
  twice[0].path = twice[1].path = "a";
  CHECK(pack::end_pack(twice, 0).error().message.find("same path") != std::string::npos);
}

TEST_CASE("an asset is gone on with from every checkpoint, and encoded anew if something has changed") {
  // Segments of tiles that get smaller, and some that do not; a part of a segment at the end.
  const Bytes mixed = joined({test::slope((2u << 20) + 5000), test::noise(1u << 20), test::slope((1u << 20) + 77, 5)});
  for (const Bytes& content : {mixed, test::noise((3u << 20) + 1), test::slope(2u << 20)}) {
    for (const bool stream_checksum : {false, true}) {
      gstd::CompressConfig config;
      config.level = 1;
      config.segment_bytes = (1u << 20) + (1u << 16);
      config.stream_checksum = stream_checksum;
      auto of_pack = *pack::AssetEncoder::create(config);
      test::MemoryPack whole;
      std::vector<std::pair<pack::Checkpoint, Bytes>> reached;
      pack::Resume resume;
      resume.reached = [&](const pack::Checkpoint& done) -> Status {
        reached.emplace_back(done, whole.stored());
        return {};
      };
      REQUIRE(whole.add(of_pack, "a", content, resume).ok());
      REQUIRE(reached.size() >= 1);
      const Bytes expected = *whole.end();
      const auto gone_on = [&](const pack::Checkpoint& from, const Bytes& stored, const Bytes& now) {
        test::MemoryPack memory;
        pack::Resume later;
        later.from = from;
        later.stored = test::reading(stored);
        uint64_t encoded_from = UINT64_MAX;
        later.reached = [&](const pack::Checkpoint& done) -> Status {
          encoded_from = std::min(encoded_from, done.content_bytes);
          return {};
        };
        REQUIRE(memory.add(of_pack, "a", now, later, stored).ok());
        if (now == content) CHECK(encoded_from > from.content_bytes);
        return *memory.end();
      };
      for (const auto& [from, stored] : reached) {
        CHECK(from.stored_bytes == stored.size());
        CHECK(gone_on(from, stored, content) == expected);
        Bytes other = content;
        other[from.content_bytes / 2] ^= std::byte{1};
        test::MemoryPack anew;
        REQUIRE(anew.add(of_pack, "a", other).ok());
        CHECK(gone_on(from, stored, other) == *anew.end());
        if (stored.empty()) continue;
        Bytes damaged = stored;
        damaged.back() ^= std::byte{1};
        test::MemoryPack memory;
        pack::Resume later;
        later.from = from;
        later.stored = test::reading(damaged);
        REQUIRE(memory.add(of_pack, "a", content, later, damaged).ok());
        CHECK(*memory.end() == expected);
      }
    }
  }
}

TEST_CASE("an error or exception of a callback is returned") {
  auto of_pack = encoder();
  test::MemoryPack memory;
  const pack::ReadAt broken = [](uint64_t, std::span<std::byte>) -> Status {
    return Error{ErrorCode::system_error, "the disk is gone"};
  };
  CHECK(of_pack.encode("a", broken, 10000, memory).error().message == "the disk is gone");
  const pack::ReadAt throwing = [](uint64_t, std::span<std::byte>) -> Status { throw std::runtime_error("thrown"); };
  CHECK(of_pack.encode("a", throwing, 10000, memory).error().code == ErrorCode::system_error);
  CHECK(pack::PackReader::open(broken, 10000).error().message == "the disk is gone");
  CHECK_FALSE(of_pack.encode("../a", broken, 0, memory).ok());
  // And the encoder works afterwards.
  CHECK(memory.add(of_pack, "a", test::slope(10000)).ok());
}

TEST_CASE("a header and a directory that the caller read are enough to look up") {
  const Bytes bytes = pack_of(contents());
  const auto whole = opened(bytes);
  const auto all = std::span<const std::byte>(bytes);
  const size_t at = bytes.size() - whole.directory_bytes();
  const auto reader = pack::PackReader::open(all.first(4096), all.subspan(at), bytes.size());
  REQUIRE(reader.ok());
  CHECK(reader->find("large")->position == whole.find("large")->position);
  CHECK(test::content_of(*reader, *reader->find("large")).error().code == ErrorCode::invalid_argument);
  CHECK_FALSE(pack::PackReader::open(all.first(4096), all.subspan(at + 1), bytes.size()).ok());
  CHECK_FALSE(pack::PackReader::open(all.first(100), all.subspan(at), bytes.size()).ok());
}
