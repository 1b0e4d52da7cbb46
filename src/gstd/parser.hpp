// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::gstd {

/// Literals, then a match. Literals behind a tile's last match belong to no sequence.
struct Match {
  uint32_t literals = 0, length = 0, offset = 0;
};

/// Finds matches with libzstd. One a thread.
class Parser {
 public:
  /// `least`: what length, up to 7, is looked for at least, where a level would look for shorter ones.
  explicit Parser(int level, uint32_t least = 0);
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  /// Matches of `bytes` in order, each of at least kMinMatch bytes, as they are in fact. Empty as well where libzstd
  /// fails, but for want of memory: throws std::bad_alloc. Sizes that differ from one time to the next cost time.
  void parse(std::span<const std::byte> bytes, std::vector<Match>& matches);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::gstd
