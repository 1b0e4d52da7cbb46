// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <span>

#include "gstd/format.hpp"
#include "gstd/parser.hpp"

namespace weft::gstd::test {

/// How many bytes matches make, each of which is one.
inline size_t check_matches(std::span<const std::byte> bytes, std::span<const Match> matches) {
  size_t position = 0, matched = 0;
  bool are_matches = true;
  for (const Match& match : matches) {
    are_matches = match.literals <= bytes.size() - position;
    if (!are_matches) break;
    position += match.literals;
    are_matches = match.length <= bytes.size() - position && match.length >= kMinMatch && match.offset >= 1 &&
                  match.offset <= position;
    for (size_t end = position + match.length; are_matches && position < end; ++position)
      are_matches = bytes[position] == bytes[position - match.offset];
    if (!are_matches) break;
    matched += match.length;
  }
  CHECK(are_matches);
  return matched;
}

}  // namespace weft::gstd::test
