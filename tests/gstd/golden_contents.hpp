// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::gstd::test {

/// The contents of the golden streams (golden/), by integers alone, so that they are the same everywhere. Nothing here
/// may ever change: streams that were made of it are to decode to it for ever. New contents get new names.
class GoldenContent {
 public:
  /// None: there is no content of that name.
  static std::optional<std::vector<std::byte>> of(std::string_view name) {
    GoldenContent content;
    if (name == "example")
      content.text("weft and warp, weft and warp, weft!");
    else if (name == "byte")
      content.byte(0x5a);
    else if (name == "zeros")
      content.repeat(0, 40000);
    else if (name == "noise")
      content.noise(20000);
    else if (name == "words")
      content.words(40000);
    else if (name == "few")
      content.words(700);
    else if (name == "some")
      content.words(3000);
    else if (name == "records")
      content.records(909);
    else if (name == "waves")
      content.waves(12000);
    else if (name == "pixels")
      content.pixels(8000);
    else if (name == "blocks")
      content.blocks(1501);
    else if (name == "frames")
      content.frames(403, 9);
    else if (name == "mixed")
      content.mixed();
    else if (name == "steps")
      content.steps(6000);
    else if (name == "copies")
      content.copies(4096);
    else if (name == "recurring")
      content.recurring(4096);
    else if (name == "scattered")
      content.scattered(6000);
    else
      return std::nullopt;
    return std::move(content.bytes_);
  }

 private:
  uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  void byte(uint32_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void number(uint32_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; ++i) byte(value >> (8 * i));
  }
  void text(std::string_view characters) {
    for (const char character : characters) byte(static_cast<unsigned char>(character));
  }
  void repeat(uint32_t value, size_t count) {
    for (size_t i = 0; i < count; ++i) byte(value);
  }
  void noise(size_t count) {
    for (size_t i = 0; i < count; ++i) byte(next());
  }
  void words(size_t count) {
    constexpr std::array<std::string_view, 12> kWords{"loom ", "shuttle ",   "warp ",   "weft ", "over ",   "under ",
                                                      "the ",  "selvedge, ", "heddle ", "and ",  "reed.\n", "a "};
    const size_t end = bytes_.size() + count;
    while (bytes_.size() < end) text(kWords[next() % kWords.size()]);
    bytes_.resize(end);
  }
  // 44 bytes each, as models and maps have them.
  void records(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      number(i * 3, 4);
      number(0x3f800000 + next() % 4096 * 16, 4);
      number(0xbf000000 + i * 257, 4);
      number(next() % 7, 2);
      number(i / 13, 2);
      text("brick/");
      number('a' + next() % 5, 1);
      repeat(0, 17);
      number(0xffffffff - i, 4);
    }
  }
  // 16 bits a sample.
  void waves(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t phase = i * 37 % 2048;
      const uint32_t triangle = phase < 1024 ? phase : 2048 - phase;
      number(triangle * 24 + next() % 64, 2);
    }
  }
  // 3 bytes each.
  void pixels(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t grey = (i % 128 + i / 128 * 2 + next() % 6) & 255;
      number(grey, 1);
      number(grey + 9, 1);
      number(grey / 2 + 40, 1);
    }
  }
  // Vertices of 8 bytes, each near its own of the frame before.
  void frames(uint32_t vertices, uint32_t frames) {
    std::vector<uint32_t> numbers(vertices * 4);
    for (uint32_t& of : numbers) of = next();
    for (uint32_t frame = 0; frame < frames; ++frame)
      for (uint32_t& of : numbers) number(of += next() % 16, 2);
  }
  // 16 bytes each, as blocks of textures, and some that are none after them.
  void blocks(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      number(0xff00 + next() % 4, 2);
      number(next() % 16 * 4369, 4);
      number(0x1234 + i % 40, 2);
      number(0x4321 + i % 20, 2);
      number(next() % 3 * 0x55555555, 4);
      number(0, 2);
    }
    number(0x010203, 3);
  }
  // Noise of every second to fifth number, each with copies from one place before.
  void steps(uint32_t size) {
    for (uint32_t step = 2; step <= 5; ++step)
      for (const size_t end = bytes_.size() + size; bytes_.size() < end;)
        if (next() % 24 == 0 && bytes_.size() > 512)
          for (uint32_t i = 0; i < 12; ++i) bytes_.push_back(bytes_[bytes_.size() - 100 * step]);
        else
          byte(step * (next() % (256 / step)));
  }
  // Runs of 16 bytes of noise, each with 35 or 70 bytes from 115 before.
  void copies(size_t size) {
    noise(200);
    while (bytes_.size() < size) {
      noise(16);
      for (uint32_t i = 35 + next() % 2 * 35; i != 0; --i) bytes_.push_back(bytes_[bytes_.size() - 115]);
    }
    bytes_.resize(size);
  }
  // Short runs of noise, each with a copy from one of the last three distances, mostly, or from anywhere.
  void recurring(size_t size) {
    std::array<size_t, 4> last = {40, 90, 150};
    noise(200);
    while (bytes_.size() < size) {
      noise(1 + next() % 2);
      const size_t which = next() % 4;
      last[3] = 1 + next() % bytes_.size();
      std::rotate(last.begin(), last.begin() + which, last.begin() + which + 1);
      for (uint32_t i = 5 + next() % 3 * 4; i != 0; --i) bytes_.push_back(bytes_[bytes_.size() - last[0]]);
    }
    bytes_.resize(size);
  }
  // Some bytes anywhere are often there, the others not, in three parts of different numbers.
  void scattered(size_t size) {
    for (const uint32_t common : {16, 64, 128})
      for (const size_t end = bytes_.size() + size; bytes_.size() < end;) {
        const uint32_t number = next();
        byte(number % 5 == 0 ? (number >> 8) % 251 : (number >> 8) % common * 167);
      }
  }
  void mixed() {
    words(9000);
    records(150);
    repeat(7, 5000);
    waves(4000);
    noise(3001);
    pixels(2000);
    words(9000);
  }

  uint32_t state_ = 12345;
  std::vector<std::byte> bytes_;
};

}  // namespace weft::gstd::test
