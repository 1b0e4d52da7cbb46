// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/loader.hpp>

#include <doctest/doctest.h>
#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "pack/pack_image.hpp"

namespace weft::test {

/// A file that is removed at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Bytes& bytes) {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("weft-loader-" + std::to_string(std::random_device{}()) + "-" + std::to_string(number++) + ".wpk"))
                .string();
    write(bytes);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(const Bytes& bytes) const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    REQUIRE(file.good());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline Bytes zstd_of(const Bytes& content, bool declares_size = true) {
  Bytes file(ZSTD_compressBound(content.size()));
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, declares_size ? 1 : 0);
  file.resize(ZSTD_compress2(context, file.data(), file.size(), content.data(), content.size()));
  ZSTD_freeCCtx(context);
  return file;
}

/// A KTX2 file of BC7 with levels of slope(4096) and slope(1024), each compressed by Zstandard, whatever the scheme's
/// number is. `content`: bytes of level 0, whatever the file says.
inline Bytes zstd_ktx2(uint32_t scheme = 2, size_t content = 4096, bool declares_size = true) {
  // BasisLZ has no VkFormat.
  return Ktx2File{.vk_format = scheme == 1 ? 0u : 145u,
                  .scheme = scheme,
                  .levels = {zstd_of(slope(content), declares_size), zstd_of(slope(1024), declares_size)}}
      .bytes();
}

/// A DDS cube of BC7, with levels down to 1 x 1.
inline Bytes cube_of(uint32_t size) {
  Bytes file = DdsHeader{size, size, 1, 1, "DX10", 98, 1, true}.bytes();
  uint32_t levels = 0;
  uint64_t bytes = 0;
  for (uint32_t side = size; side > 0; side /= 2, ++levels) bytes += uint64_t{(side + 3) / 4} * ((side + 3) / 4) * 16;
  file = DdsHeader{size, size, 1, levels, "DX10", 98, 1, true}.bytes();
  for (uint32_t face = 0; face < 6; ++face) {
    const Bytes pixels = slope(bytes, face + 1);
    file.insert(file.end(), pixels.begin(), pixels.end());
  }
  return file;
}

/// Files of every kind and of every way through the Loader.
inline std::map<std::string, Bytes> loader_files() {
  std::map<std::string, Bytes> files;
  for (const size_t size : {0u, 1u, 4096u, 4097u, 65536u, 300001u}) {
    files["slope/" + std::to_string(size)] = slope(size);
    files["noise/" + std::to_string(size)] = noise(size);
  }
  files["long/slope"] = slope(12u << 20);
  files["long/noise"] = noise((9u << 20) + 77);
  // Long in itself, of noise and zeros: a segment's tiles are of all types.
  Bytes mixed = noise(3u << 20);
  mixed.resize(7u << 20);
  const Bytes more = noise(2u << 20, 9);
  mixed.insert(mixed.end(), more.begin(), more.end());
  files["long/mixed"] = mixed;
  files["cube.dds"] = cube_of(256);
  files["plain.dds"] = DdsHeader{}.bytes();
  const Bytes pixels = slope(4096);
  files["plain.dds"].insert(files["plain.dds"].end(), pixels.begin(), pixels.end());
  files["a.ktx2"] =
      Ktx2File{
          .width = 256, .height = 256, .levels = {slope(65536), slope(16384), slope(4096), slope(1024), slope(256)}}
          .bytes();
  files["kept.ktx2"] = zstd_ktx2();
  files["text.zst"] = zstd_of(slope(700000, 5));
  files["data.gdeflate"] = noise(5000);
  files["data.gdeflate"][0] = std::byte{4};
  files["data.gdeflate"][1] = std::byte{251};
  return files;
}

inline Bytes pack_of_files(const std::map<std::string, Bytes>& files, bool checksums = true) {
  gstd::CompressConfig config;
  config.level = 1;
  config.segment_bytes = 4u << 20;
  config.tile_checksums = checksums;
  auto encoder = pack::AssetEncoder::create(config);
  REQUIRE(encoder.ok());
  MemoryPack memory;
  for (const auto& [path, content] : files) REQUIRE(memory.add(*encoder, path, content).ok());
  auto bytes = memory.end();
  REQUIRE(bytes.ok());
  return *std::move(bytes);
}

/// One pack of loader_files() for all tests of a program.
inline const Bytes& loader_pack() {
  static const Bytes bytes = pack_of_files(loader_files());
  return bytes;
}

/// The state of a test's only request.
inline RequestStatus load_one(Loader& loader, const LoadRequest& request, RequestReport* report = nullptr) {
  const auto batch = loader.submit({&request, 1});
  REQUIRE(batch.ok());
  REQUIRE(loader.wait(*batch, std::chrono::seconds(120)));
  if (report != nullptr) *report = batch->report(0);
  return batch->status(0);
}

}  // namespace weft::test
