// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gdeflate.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "gstd/gdeflate_maker.hpp"

namespace weft::gdeflate::test {
namespace {

using gstd::test::Sample;
using gstd::test::samples_of;

/// Decodes from and to allocations of exactly what may be touched.
Refusal decoded(std::span<const uint32_t> words, size_t bytes, std::vector<std::byte>& content) {
  const auto page = std::make_unique<std::byte[]>(4 * words.size());
  if (!words.empty()) std::memcpy(page.get(), words.data(), 4 * words.size());
  const auto output = std::make_unique<std::byte[]>(bytes);
  const Refusal refusal = decode_page({page.get(), 4 * words.size()}, {output.get(), bytes});
  content.assign(output.get(), output.get() + bytes);
  return refusal;
}
Refusal verdict(std::span<const uint32_t> words, size_t bytes) {
  std::vector<std::byte> content;
  return decoded(words, bytes, content);
}

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// A tile stream of pages, each with its words.
std::vector<std::byte> tile_stream(const std::vector<std::vector<uint32_t>>& pages, uint32_t last_bytes) {
  std::vector<uint32_t> words = {0xfb04u | static_cast<uint32_t>(pages.size()) << 16, 1u | last_bytes << 2};
  uint32_t at = 0;
  for (const auto& page : pages) {
    words.push_back(at);
    at += static_cast<uint32_t>(4 * page.size());
  }
  words[2] = static_cast<uint32_t>(4 * pages.back().size());
  for (const auto& page : pages) words.insert(words.end(), page.begin(), page.end());
  std::vector<std::byte> stream(4 * words.size());
  std::memcpy(stream.data(), words.data(), stream.size());
  return stream;
}

}  // namespace

TEST_SUITE("gdeflate") {
  TEST_CASE("pages in blocks of every type come back, and their lengths and distances to the largest") {
    Random random(29);
    std::vector<std::byte> content;
    for (const size_t size : {1u, 2u, 3u, 31u, 32u, 33u, 1000u, 4099u, 65535u, 65536u})
      for (const Sample& sample : samples_of(size))
        for (uint32_t turn = 0; turn < (weft::test::kSanitized ? 1 : 4); ++turn) {
          CAPTURE(sample.name);
          CAPTURE(size);
          REQUIRE(decoded(page_of(sample.bytes, random), size, content) == Refusal::none);
          REQUIRE(content == sample.bytes);
        }
    // Every length up to 300, and each end of a distance symbol, after 40 KiB that do not repeat.
    std::vector<Token> tokens;
    std::vector<std::byte> expected;
    for (uint32_t i = 0; i < 57'400; ++i) {
      tokens.push_back({random.below(256), 0, 0});
      expected.push_back(static_cast<std::byte>(tokens.back().literal));
    }
    const auto match = [&](uint32_t length, uint32_t distance) {
      tokens.push_back({0, length, distance});
      for (uint32_t i = 0; i < length; ++i) expected.push_back(expected[expected.size() - distance]);
    };
    for (uint32_t bits = 0; bits < 16; ++bits)
      for (const uint32_t distance : {(1u << bits), (1u << bits) + 1, (3u << bits) / 2, (3u << bits) / 2 + 1})
        if (distance <= expected.size()) match(3 + random.below(4), distance);
    for (uint32_t length = 3; length <= 300 && expected.size() + length <= 65'536; length += length < 20 ? 1 : 7)
      match(length, 1 + random.below(40'000));
    for (const bool skewed : {false, true}) {
      PageMaker maker(random);
      maker.dynamic(tokens, true, skewed);
      CHECK(decoded(maker.words(), expected.size(), content) == Refusal::none);
      CHECK(content == expected);
    }
  }

  TEST_CASE("a page of another encoder decodes") {
    std::vector<std::byte> content;
    REQUIRE(decoded(page_of_zeros(), kPageBytes, content) == Refusal::none);
    CHECK(content == std::vector<std::byte>(kPageBytes));
  }

  TEST_CASE("each fault has its verdict") {
    Random random(5);
    const std::vector<std::byte> text = bytes_of("warp and weft, warp and weft, warp and weft");
    const std::vector<Token> tokens = tokens_of(text);
    const auto made = [&](const auto& make) {
      PageMaker maker(random);
      make(maker);
      return maker.words();
    };
    const auto good = made([&](PageMaker& page) { page.fixed(tokens, true); });
    CHECK(verdict(good, text.size()) == Refusal::none);
    std::vector<uint32_t> more = good;
    more.insert(more.end(), {0xffffffffu, 7u});  // are ignored
    CHECK(verdict(more, text.size()) == Refusal::none);
    CHECK(verdict(good, text.size() - 1) == Refusal::bad_length);
    CHECK(verdict(good, text.size() + 1) == Refusal::bad_length);
    CHECK(verdict(good, 0) == Refusal::bad_entry);
    CHECK(verdict(good, kPageBytes + 1) == Refusal::bad_entry);
    CHECK(verdict({}, 1) == Refusal::truncated);
    CHECK(verdict(std::vector<uint32_t>(kMaxPageWords + 1), 1) == Refusal::bad_entry);
    CHECK(verdict(made([](PageMaker& page) { page.put(0, 7, 3); }), 1) == Refusal::bad_block);
    CHECK(verdict(made([&](PageMaker& page) {
                    page.fixed(std::vector<Token>{{7, 0, 0}, {0, 3, 2}}, true);
                  }),
                  4) == Refusal::bad_offset);
    const auto before_last = [&](uint32_t blocks) {
      return made([&](PageMaker& page) {
        for (uint32_t i = 0; i < blocks; ++i) page.fixed({}, false);
        page.stored(text, true);
      });
    };
    CHECK(verdict(before_last(kMaxBlocks - 1), text.size()) == Refusal::none);
    CHECK(verdict(before_last(kMaxBlocks), text.size()) == Refusal::bad_block);
    CHECK(verdict(made([&](PageMaker& page) { page.stored(text, true); }), text.size() - 1) == Refusal::bad_length);
    // Length symbols 286 and 287 of the fixed codes: 8 bits, 0b11000110 and one more, first bit lowest.
    for (const uint32_t symbol : {6u, 7u})
      CHECK(verdict(made([&](PageMaker& page) {
                      page.put(0, 3, 3);
                      page.put(0, symbol == 6 ? 0x63u : 0xe3u, 8);
                      for (uint32_t lane = 0; lane < 32; ++lane) page.put(lane, 0, 31);
                    }),
                    1) == Refusal::bad_symbol);
    // Code lengths: none is incomplete without one; all of 1 bit are too many; a repeat needs one before it.
    const auto table = [&](std::array<uint32_t, 4> lengths, std::initializer_list<std::array<uint32_t, 2>> symbols) {
      return made([&](PageMaker& page) {
        page.put(0, 5, 3);
        page.put(0, 0, 14);
        for (uint32_t i = 0; i < 4; ++i) page.put(i, lengths[i], 3);
        uint32_t lane = 0;
        for (const auto& [bits, count] : symbols) page.put(lane++ % 32, bits, count);
        for (lane = 0; lane < 32; ++lane) page.put(lane, 0, 31);
      });
    };
    CHECK(verdict(table({1, 1, 1, 0}, {}), 1) == Refusal::bad_table);
    CHECK(verdict(table({2, 2, 0, 0}, {}), 1) == Refusal::bad_table);
    CHECK(verdict(table({1, 0, 1, 0}, {{0, 3}}), 1) == Refusal::bad_table);
    CHECK(verdict(table({0, 0, 1, 0}, {{0x7f << 1, 8}, {0x7f << 1, 8}}), 1) ==
          Refusal::bad_table);  // 276 lengths of 258
    CHECK(verdict(table({0, 0, 1, 0}, {{0x7f << 1, 8}, {0x6d << 1, 8}}), 1) == Refusal::bad_symbol);  // no code at all
    CHECK(verdict(table({0, 0, 1, 0}, {{1, 1}}), 1) == Refusal::bad_table);                           // 1 is no code
  }

  TEST_CASE("every truncation is refused, and pages broken by chance stay within their bounds") {
    Random random(11);
    std::map<Refusal, uint32_t> verdicts;
    std::vector<std::byte> content;
    for (const Sample& sample : samples_of(1000)) {
      const std::vector<uint32_t> words = page_of(sample.bytes, random);
      for (size_t count = 0; count < words.size(); ++count)
        REQUIRE(verdict(std::span(words).first(count), 1000) != Refusal::none);
      for (uint32_t turn = 0; turn < 400; ++turn) {
        std::vector<uint32_t> broken = words;
        for (uint32_t bits = 1 + random.below(3); bits > 0; --bits)
          broken[random.below(static_cast<uint32_t>(broken.size()))] ^= 1u << random.below(32);
        ++verdicts[verdict(broken, 1000)];
      }
    }
    for (const Refusal refusal : {Refusal::truncated, Refusal::bad_table, Refusal::bad_symbol, Refusal::bad_offset,
                                  Refusal::bad_length, Refusal::bad_block})
      CHECK(verdicts[refusal] > 0);
  }

  TEST_CASE("tile streams have their pages, and bad ones are refused") {
    Random random(3);
    const std::vector<std::byte> whole = samples_of(kPageBytes)[5].bytes, rest = samples_of(777)[6].bytes;
    std::vector<std::byte> stream = tile_stream({page_of(whole, random), page_of_zeros(), page_of(rest, random)}, 777);
    std::vector<std::byte> expected = whole;
    expected.resize(2 * size_t{kPageBytes});
    expected.insert(expected.end(), rest.begin(), rest.end());
    std::vector<std::byte> content(expected.size());
    REQUIRE(decompress(stream, content).ok());
    CHECK(content == expected);
    CHECK(decompress(stream, std::span(content).first(5)).error().code == ErrorCode::invalid_argument);
    const auto refuses = [&](std::span<const std::byte> bytes) {
      const Status status = decompress(bytes, content);
      return !status.ok() && status.error().code == ErrorCode::corrupt_stream;
    };
    for (size_t size = 0; size < stream.size(); size += size < 40 ? 1 : 97)
      REQUIRE(refuses(std::span(stream).first(size)));
    for (const size_t byte : {0u, 1u, 4u, 8u, 12u, 15u, 19u, 150u}) {
      CAPTURE(byte);
      std::vector<std::byte> broken = stream;
      broken[byte] ^= std::byte{0x42};
      CHECK(refuses(broken));
    }
    const auto empty = pages(std::array{std::byte{4}, std::byte{0xfb}, std::byte{0}, std::byte{0}, std::byte{1},
                                        std::byte{0}, std::byte{0}, std::byte{0}});
    CHECK((empty.ok() && empty->empty()));
  }
}

}  // namespace weft::gdeflate::test
