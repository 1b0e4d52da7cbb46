// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

namespace weft::test {

/// What makes a case simpler than it was drawn, one choice each, so that all the others stay as they were.
struct Simpler {
  uint64_t items = ~uint64_t{0};  ///< the most there are of anything
  bool plain = false;             ///< items are equal
  bool aligned = false;           ///< no misalignment
  bool host_count = false;        ///< no count on the device
  bool clean = false;             ///< outputs and scratch are zero before

  bool operator==(const Simpler&) const = default;
};

}  // namespace weft::test
