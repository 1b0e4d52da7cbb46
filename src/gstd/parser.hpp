// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::gstd {

/// Literals, then a match. Literals after a tile's last match belong to no sequence.
struct Match {
  uint32_t literals = 0, length = 0, offset = 0;

  bool operator==(const Match&) const = default;
};

/// Finds matches with libzstd. One a thread.
class Parser {
 public:
  explicit Parser(int level);
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  /// Finds valid matches of `bytes`, in order, each of at least kMinMatch bytes. Finds none if libzstd fails; throws
  /// std::bad_alloc if libzstd lacks memory. Slower if sizes differ from call to call.
  void parse(std::span<const std::byte> bytes, std::vector<Match>& matches);
  /// Size of libzstd's frame of `bytes`, without a checksum. Throws std::bad_alloc if libzstd lacks memory.
  size_t compressed_size(std::span<const std::byte> bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::gstd
