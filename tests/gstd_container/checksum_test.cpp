// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/checksum.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

#include "content.hpp"

namespace weft::test {

TEST_SUITE("gstd checksum") {
  // The document's definition, a byte at a time.
  uint32_t plain_checksum(Span bytes) {
    uint32_t sum = gstd::mix(static_cast<uint32_t>(bytes.size()));
    uint32_t word = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      word |= std::to_integer<uint32_t>(bytes[i]) << 8 * (i % 4);
      if (i % 4 != 3 && i + 1 != bytes.size()) continue;
      sum += gstd::mix(word + 0x9e3779b9u * static_cast<uint32_t>(i / 4 + 1));
      word = 0;
    }
    return sum;
  }

  uint32_t checksum_of(std::string_view text) { return gstd::checksum(std::as_bytes(std::span(text))); }

  TEST_CASE("the document's vectors") {
    CHECK(gstd::mix(0) == 0);
    CHECK(gstd::mix(1) == 0x688990c0);
    CHECK(gstd::mix(0x9e3779b9) == 0x01fce552);
    CHECK(checksum_of("") == 0);
    CHECK(checksum_of("a") == 0xc979f28d);
    CHECK(checksum_of("abcd") == 0x465b0e5e);
    CHECK(checksum_of("abcde") == 0x92cc5d6c);
    CHECK(gstd::checksum(Bytes(65536)) == 0xbc7019d2);
  }

  TEST_CASE("every length and alignment") {
    const Bytes bytes = random_bytes(600);
    for (size_t size = 0; size <= 500; ++size) {
      CAPTURE(size);
      const size_t skip = size % 7;
      for (const auto most :
           {gstd::Vectors::none, gstd::Vectors::up_to_128, gstd::Vectors::up_to_256, gstd::Vectors::all})
        CHECK(gstd::checksum(Exact(Span(bytes).subspan(skip, size)), most) ==
              plain_checksum(Span(bytes).subspan(skip, size)));
    }
  }

  TEST_CASE("words one by one make the same") {
    const Bytes bytes = random_bytes(4 * 1000);
    gstd::WordSum sum;
    CHECK(sum.value() == 0);
    for (size_t word = 0; word < 1000; ++word) {
      sum.add(gstd::load_u32(&bytes[4 * word]));
      REQUIRE(sum.value() == plain_checksum(Span(bytes).first(4 * (word + 1))));
    }
  }

  TEST_CASE("a bit, an exchange, and zeros at the end are seen") {
    Bytes bytes = record_bytes(4096);
    const uint32_t before = gstd::checksum(bytes);
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= std::byte{1} << bit % 8;
      REQUIRE(gstd::checksum(bytes) != before);
      bytes[bit / 8] ^= std::byte{1} << bit % 8;
    }
    for (size_t i = 0; i + 1 < bytes.size(); ++i) {
      if (bytes[i] == bytes[i + 1]) continue;
      std::swap(bytes[i], bytes[i + 1]);
      REQUIRE(gstd::checksum(bytes) != before);
      std::swap(bytes[i], bytes[i + 1]);
    }
    for (int i = 0; i < 8; ++i) {
      bytes.push_back(std::byte{0});
      CHECK(gstd::checksum(bytes) != before);
    }
  }
}

}  // namespace weft::test
