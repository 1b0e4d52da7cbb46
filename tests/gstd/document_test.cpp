// SPDX-License-Identifier: MIT OR Apache-2.0
//
// docs/gstd-format.md: what becomes of its test vectors, and its codes of faults. The document alone has them.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <weft/gstd.hpp>

#include "gstd/container.hpp"
#include "gstd_container/content.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

using weft::test::Bytes;
using weft::test::Exact;

struct Vector {
  std::string name;
  Bytes stream, content;
  Verdict verdict;
  std::string reason;  // of a bad tile
};

std::vector<std::string> lines_of_document() {
  std::ifstream file(WEFT_GSTD_DOCUMENT);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string spaced(std::string name) {
  for (char& c : name) c = c == '_' ? ' ' : c;
  return name;
}

Fault fault_of(const std::string& name) {
  for (uint32_t code = 1; code < 256; ++code)
    if (name == name_of(Fault{static_cast<uint8_t>(code)})) return Fault{static_cast<uint8_t>(code)};
  FAIL("no such fault: ", name);
  return Fault::none;
}

// Strings in quotes, and "N x HH".
void add_content(std::istringstream in, Bytes& content) {
  for (char c = 0; in >> c;) {
    std::string text;
    if (c == '"') {
      REQUIRE(!std::getline(in, text, '"').fail());
      for (const char byte : text) content.push_back(static_cast<std::byte>(byte));
      continue;
    }
    in.unget();
    size_t count = 0;
    REQUIRE(!(in >> count >> c >> text).fail());
    REQUIRE(c == 'x');
    content.insert(content.end(), count, static_cast<std::byte>(std::stoul(text, nullptr, 16)));
  }
}

// A line of a vector's block.
void add_line(const std::string& line, Vector& vector) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::string word;
  while (in >> word) {
    if (word == "content") return add_content(std::move(in), vector.content);
    if (word == "fault") {
      std::string name, at, position;
      REQUIRE(!(in >> name >> at >> position).fail());
      REQUIRE(at == "at");
      vector.verdict = {fault_of(name), std::stoull(position)};
      if (position.ends_with(':')) std::getline(in >> std::ws, vector.reason);
      return;
    }
    REQUIRE(word.size() == 2);
    vector.stream.push_back(static_cast<std::byte>(std::stoul(word, nullptr, 16)));
  }
}

std::vector<Vector> vectors_of_document() {
  constexpr std::string_view kFence = "```gstd ";
  std::vector<Vector> vectors;
  bool inside = false;
  for (const std::string& line : lines_of_document()) {
    if (line.starts_with(kFence)) {
      vectors.emplace_back().name = line.substr(kFence.size());
      inside = true;
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      CAPTURE(line);
      add_line(line, vectors.back());
    }
  }
  return vectors;
}

// The first rows "| CODE | **NAME** |" after a heading.
std::map<uint32_t, std::string> codes_after(const std::string& heading) {
  std::map<uint32_t, std::string> codes;
  bool found = false;
  for (const std::string& line : lines_of_document()) {
    if (line.starts_with("#")) found = line == heading;
    const size_t begin = line.find("| **"), end = line.find("** |");
    if (found && begin != std::string::npos && end != std::string::npos && begin > 2)
      codes[static_cast<uint32_t>(std::stoul(line.substr(2)))] = line.substr(begin + 4, end - begin - 4);
  }
  return codes;
}

}  // namespace

TEST_SUITE("gstd document") {
  TEST_CASE("test vectors decode to their content or are refused with their fault") {
    uint32_t good = 0, bad = 0;
    for (const Vector& vector : vectors_of_document()) {
      CAPTURE(vector.name);
      const bool is_good = vector.verdict.fault == Fault::none;
      ++(is_good ? good : bad);
      const Exact stream(vector.stream);
      for (const bool reference : {false, true}) {
        Verdict verdict;
        DecompressConfig config;
        config.reference = reference;
        config.verdict = &verdict;
        const auto content = decompress(stream, config);
        CHECK(verdict == vector.verdict);
        REQUIRE(content.ok() == is_good);
        if (is_good) CHECK(*content == vector.content);
        if (!is_good) CHECK(content.error().message.ends_with(vector.reason));
      }
      for (const size_t piece : {size_t{1}, size_t{1000}}) {
        Bytes content;
        CHECK(weft::test::streamed_verdict_of(stream, piece, &content) == vector.verdict);
        if (is_good) CHECK(content == vector.content);
      }
    }
    CHECK(good >= 12);
    CHECK(bad >= 14);
  }

  TEST_CASE("test vectors without compressed tiles are what compress makes") {
    uint32_t made = 0;
    for (const Vector& vector : vectors_of_document()) {
      CAPTURE(vector.name);
      if (vector.name != "stored" && vector.name != "empty" && vector.name != "fill" && vector.name != "segments")
        continue;
      CompressConfig config;
      if (vector.name == "segments") config.tile_bytes = config.segment_bytes = 1u << 20;
      CHECK(weft::test::stream_of(vector.content, config) == vector.stream);
      ++made;
    }
    CHECK(made == 4);
  }

  TEST_CASE("tiles of test vectors come to the same by every decoder") {
    uint32_t tiles = 0;
    for (const Vector& vector : vectors_of_document()) {
      CAPTURE(vector.name);
      SegmentHeader header;
      if (load_header(vector.stream, 0, header) || header.tiles() != 1 || header.segment_bytes != vector.stream.size())
        continue;
      const Tables tables(header, std::span(vector.stream).subspan(kHeaderBytes, header.tables_bytes()));
      if (tables.type(0) != TileType::compressed || vector.verdict.fault == Fault::bad_table) continue;
      std::vector<uint32_t> words(tables.words(0));
      for (size_t i = 0; i < words.size(); ++i) words[i] = load_u32(&vector.stream[header.data_at() + 4 * i]);
      ++tiles;
      std::vector<std::byte> output(header.content_bytes);
      for (const TileDecoder decoder : kDecoders) {
        const TileVerdict verdict = decode(decoder, words, output);
        CHECK(name_of(verdict.reason) == (vector.reason.empty() ? "none" : vector.reason));
        if (verdict) CHECK(output == vector.content);
      }
    }
    CHECK(tiles >= 6);
  }

  TEST_CASE("codes of faults and reasons are the document's") {
    const auto faults = codes_after("### 7. Faults and the order of checks");
    CHECK(faults.size() == static_cast<size_t>(Fault::over_limit));
    for (const auto& [code, name] : faults) CHECK(spaced(name_of(Fault{static_cast<uint8_t>(code)})) == name);
    const auto reasons = codes_after("### 11. Faults and the order of checks");
    CHECK(reasons.size() == static_cast<size_t>(Reason::bad_padding));
    for (const auto& [code, name] : reasons) CHECK(name_of(Reason{static_cast<uint8_t>(code)}) == name);
  }
}

}  // namespace weft::gstd::test
