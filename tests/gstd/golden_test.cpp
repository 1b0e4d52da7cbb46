// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Streams of every version of the format from 2 on, as its encoder made them: golden/v2-CONTENT-HOW.gst. They decode
// for ever.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <weft/gstd.hpp>

#include "golden_contents.hpp"

namespace weft::gstd::test {
namespace {

struct Golden {
  std::string name, content;
  uint32_t version;
  std::vector<std::byte> stream;
};

std::vector<Golden> golden_streams() {
  std::vector<Golden> streams;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_GSTD_GOLDEN)) {
    const std::string name = entry.path().stem().string();
    const size_t first = name.find('-'), second = name.find('-', first + 1);
    REQUIRE_MESSAGE((name.starts_with('v') && second != std::string::npos), name);
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Golden& golden = streams.emplace_back();
    golden.name = name;
    golden.content = name.substr(first + 1, second - first - 1);
    golden.version = static_cast<uint32_t>(std::stoul(name.substr(1, first - 1)));
    for (const char byte : bytes) golden.stream.push_back(static_cast<std::byte>(byte));
  }
  std::ranges::sort(streams, {}, &Golden::name);
  return streams;
}

}  // namespace

TEST_SUITE("gstd golden streams") {
  TEST_CASE("streams of all versions from 2 on decode to what they were made of") {
    const std::vector<Golden> streams = golden_streams();
    std::map<uint32_t, uint32_t> of_version;
    for (const Golden& golden : streams) {
      CAPTURE(golden.name);
      const auto content = GoldenContent::of(golden.content);
      REQUIRE(content);
      REQUIRE(golden.stream.size() > 4);
      const bool is_small = golden.stream[3] != std::byte{'D'};
      CHECK((is_small ? 2 : static_cast<uint32_t>(golden.stream[4])) == golden.version);
      ++of_version[golden.version];
      for (const bool reference : {false, true}) {
        DecompressConfig config;
        config.reference = reference;
        const auto decoded = decompress(golden.stream, config);
        REQUIRE_MESSAGE(decoded, decoded.error().message);
        CHECK(*decoded == *content);
      }
    }
    for (uint32_t version = 2; version <= kFormatVersion; ++version) {
      CAPTURE(version);
      CHECK(of_version[version] >= 30);
    }
  }
}

}  // namespace weft::gstd::test
