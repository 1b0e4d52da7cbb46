// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Contents of many kinds, drawn by a seed, which files at hand may not have.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sample_tiles.hpp"

namespace weft::gstd::test {

class ContentMaker {
 public:
  using Bytes = std::vector<std::byte>;

  explicit ContentMaker(uint64_t seed) : random_(seed) {}

  /// A content of a kind, or one of the first seven by chance. None: there is no such kind.
  std::optional<Bytes> make(size_t size, std::string_view kind = "made") {
    struct Kind {
      std::string_view name;
      void (ContentMaker::*make)(size_t);
    };
    constexpr size_t kDrawn = 7;
    constexpr std::array<Kind, 8> kKinds = {{
        {"noise", &ContentMaker::noise},
        {"matches", &ContentMaker::matches},
        {"records", &ContentMaker::records},
        {"words", &ContentMaker::words},
        {"numbers", &ContentMaker::numbers},
        {"chain", &ContentMaker::chain},
        {"image", &ContentMaker::image},
        {"recurring", &ContentMaker::recurring},
    }};
    const auto named = std::ranges::find(kKinds, kind, &Kind::name);
    if (named == kKinds.end() && kind != "made") return std::nullopt;
    bytes_.clear();
    (this->*(named != kKinds.end() ? *named : kKinds[random_.below(kDrawn)]).make)(size);
    bytes_.resize(size);
    return bytes_;
  }

 private:
  // Bytes that may occur, all or by steps, chance or range, and how often: even, falling, round a centre or by chance.
  class Bag {
   public:
    explicit Bag(Random& random) {
      const uint32_t which = random.below(6), step = 2 + random.below(6), chance = 1 + random.below(16);
      const uint32_t from = random.below(200), to = from + 1 + random.below(256 - from);
      const uint32_t shape = random.below(5), spread = 3 + random.below(80), centre = random.below(256);
      uint32_t sum = 0;
      for (uint32_t byte = 0; byte < 256; ++byte) {
        bool is_in = which == 0 || byte == from;
        if (which == 1 || which == 4) is_in |= byte % step == from % step;
        if (which == 2 || which == 5) is_in |= random.below(16) < chance;
        if (which >= 3) is_in = (which == 3 || is_in) && byte >= from && byte < to;
        const uint32_t far = byte > centre ? byte - centre : centre - byte;
        const uint32_t of_shape[] = {1000, 4000 / (1 + byte), 4000u >> std::min(12u, 4 * far / spread),
                                     4000u >> std::min(12u, far * far / (spread * spread)), random.below(4000)};
        if (is_in) sum += 1 + of_shape[shape];
        ends_[byte] = sum;
      }
    }
    std::byte draw(Random& random) const {
      return static_cast<std::byte>(std::ranges::upper_bound(ends_, random.below(ends_[255])) - ends_.begin());
    }

   private:
    std::array<uint32_t, 256> ends_;
  };

  void add(Bag& bag, size_t count) {
    while (count-- != 0) bytes_.push_back(bag.draw(random_));
  }
  template <class T>
  void add_value(T value) {
    for (const std::byte byte : std::bit_cast<std::array<std::byte, sizeof(T)>>(value)) bytes_.push_back(byte);
  }

  void noise(size_t size) {
    Bag bag(random_);
    add(bag, size);
  }

  // Literals and matches of a few lengths, from a few offsets or from anywhere.
  void matches(size_t size) {
    Bag bag(random_);
    const auto few = [&](uint32_t least, uint32_t most) {
      std::vector<uint32_t> values(1 + random_.below(12));
      for (uint32_t& value : values) value = least + random_.below(most >> random_.below(4));
      return values;
    };
    const std::vector<uint32_t> runs = few(0, 16 + random_.below(40)), lengths = few(3, 32 + random_.below(60)),
                                offsets = few(1, 16 + random_.below(2000));
    const auto one_of = [&](const std::vector<uint32_t>& values) {
      return values[random_.below(static_cast<uint32_t>(values.size()))];
    };
    const bool is_anywhere = random_.one_in(2);
    while (bytes_.size() < size) {
      add(bag, one_of(runs) + (bytes_.empty() ? 1 : 0));
      const auto done = static_cast<uint32_t>(bytes_.size());
      const uint32_t offset = is_anywhere ? 1 + random_.below(done) : std::min(one_of(offsets), done);
      for (uint32_t i = one_of(lengths); i != 0; --i) bytes_.push_back(bytes_[bytes_.size() - offset]);
    }
  }

  // Literals and matches of a few lengths, each from one of the last three offsets, a fixed one, or anywhere.
  void recurring(size_t size) {
    const uint32_t bytes = 1 + random_.below(256), step = 1 + random_.below(4),
                   fixed = 1 + random_.below(2u << random_.below(10));
    const bool has_fixed = random_.one_in(3);
    const auto few = [&](uint32_t least, uint32_t most) {
      std::vector<uint32_t> values(1 + random_.below(4));
      for (uint32_t& value : values) value = least + random_.below(most);
      return values;
    };
    const std::vector<uint32_t> runs = few(random_.below(3), 1 + random_.below(12)),
                                lengths = few(3 + random_.below(4), 1 + random_.below(20));
    const auto one_of = [&](const std::vector<uint32_t>& values) {
      return values[random_.below(static_cast<uint32_t>(values.size()))];
    };
    const auto literals = [&](uint32_t count) {
      while (count-- != 0) bytes_.push_back(static_cast<std::byte>(random_.below(bytes) * step));
    };
    // How often each is drawn; the last is anywhere.
    std::array<uint32_t, 4> ends;
    uint32_t sum = 0;
    for (uint32_t& end : ends) end = sum += 1 + random_.below(10);
    std::array<uint32_t, 4> last = {1 + random_.below(300), 1 + random_.below(300), 1 + random_.below(300), 0};
    for (literals(40 + random_.below(600)); bytes_.size() < size;) {
      literals(one_of(runs));
      const auto done = static_cast<uint32_t>(bytes_.size());
      last[3] = 1 + random_.below(done);
      auto which = std::ranges::upper_bound(ends, random_.below(sum)) - ends.begin();
      if (has_fixed && random_.one_in(2)) {
        which = std::ranges::find(last.begin(), last.begin() + 3, fixed) - last.begin();
        last[3] = which == 3 ? fixed : last[3];
      }
      std::rotate(last.begin(), last.begin() + which, last.begin() + which + 1);
      const uint32_t offset = std::min(last[0], done);
      for (uint32_t i = one_of(lengths); i != 0; --i) bytes_.push_back(bytes_[bytes_.size() - offset]);
    }
  }

  // Rows of columns: the same, counters, noise, few values, steps.
  void records(size_t size) {
    struct Column {
      uint32_t kind, value, step;
      Bag bag;
    };
    std::vector<Column> columns;
    for (uint32_t c = 1 + random_.below(40); c != 0; --c)
      columns.push_back({random_.below(5), random_.below(256), random_.below(20), Bag(random_)});
    for (uint32_t row = 0; bytes_.size() < size; ++row)
      for (Column& of : columns) {
        if (of.kind == 1) of.value += of.step;
        const uint32_t few = of.value * (1 + random_.below(1 + of.step % 5)), slow = of.value + row / 8;
        const uint32_t value = of.kind < 2 ? of.value : of.kind == 3 ? few : slow;
        bytes_.push_back(of.kind == 2 ? of.bag.draw(random_) : static_cast<std::byte>(value));
      }
  }

  void words(size_t size) {
    Bag letters(random_);
    std::vector<Bytes> all(4 + random_.below(400));
    for (Bytes& word : all)
      for (uint32_t i = 1 + random_.below(9); i != 0; --i) word.push_back(letters.draw(random_));
    const bool has_spaces = random_.one_in(2), are_alike = random_.one_in(2);
    while (bytes_.size() < size) {
      const auto count = static_cast<uint32_t>(all.size());
      const Bytes& word = all[are_alike ? random_.below(count) : random_.below(1 + random_.below(count))];
      bytes_.insert(bytes_.end(), word.begin(), word.end());
      if (has_spaces) bytes_.push_back(std::byte{' '});
    }
  }

  // Floats that wander, growing integers, decimals, digits of one base, UTF-16.
  void numbers(size_t size) {
    const uint32_t kind = random_.below(6), range = 2 + random_.below(5000), base = 2 + random_.below(63);
    float wandering = 0;
    for (uint32_t growing = random_.next(); bytes_.size() < size; growing += random_.below(range)) {
      wandering += (static_cast<float>(random_.below(1000)) - 500) * 0.01f;
      if (kind == 0) add_value(wandering);
      if (kind == 1) add_value(double{wandering});
      if (kind == 2) add_value(growing);
      if (kind == 3)
        for (const char digit : std::to_string(random_.below(range)) + ',')
          bytes_.push_back(static_cast<std::byte>(digit));
      if (kind == 4) bytes_.push_back(static_cast<std::byte>('0' + random_.below(base)));
      if (kind == 5) add_value(static_cast<uint16_t>('a' + random_.below(26)));
    }
  }

  // Each byte depends on the one before.
  void chain(size_t size) {
    const uint32_t states = 2 + random_.below(60), likely = 1 + random_.below(6), step = 1 + 2 * random_.below(100);
    std::vector<uint32_t> after(size_t{states} * likely);
    for (uint32_t& state : after) state = random_.below(states);
    for (uint32_t state = 0; bytes_.size() < size; bytes_.push_back(static_cast<std::byte>(state * step)))
      state = random_.one_in(8) ? random_.below(states) : after[size_t{state} * likely + random_.below(likely)];
  }

  void image(size_t size) {
    const uint32_t channels = 1 + random_.below(4), width = 8 + random_.below(60), grain = 1 + random_.below(30);
    const uint32_t mask = 0xffu << random_.below(5), slope = random_.below(8), fall = random_.below(8);
    for (uint32_t pixel = 0; bytes_.size() < size; ++pixel)
      for (uint32_t c = 0; c < channels; ++c)
        bytes_.push_back(static_cast<std::byte>(
            (pixel % width * slope + pixel / width * fall + random_.below(grain) + 40 * c) & mask));
  }

  Random random_;
  Bytes bytes_;
};

/// The same for the same seed and size, on every machine.
inline std::vector<std::byte> made_content(uint64_t seed, size_t size, std::string_view kind = "made") {
  return ContentMaker(seed).make(size, kind).value();
}

}  // namespace weft::gstd::test
