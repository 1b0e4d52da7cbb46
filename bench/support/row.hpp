// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "support/statistics.hpp"
#include "support/work.hpp"

namespace weft::bench {

/// How outputs are verified before they are timed.
enum class Verification : uint8_t {
  automatic,  ///< full up to kFullBytes of inputs and outputs, else sampled
  full,       ///< all are compared with what the CPU says
  sampled,    ///< all are compared on the device with those of other means or another call, and some with the CPU's
  none,
};
const char* name_of(Verification verification) noexcept;

/// What became of one call at one size.
struct Row {
  std::string primitive;
  std::string variant;
  std::string type;
  uint64_t n = 0;
  std::string data;
  std::string strategy;
  bool verified = false;
  Verification verification = Verification::none;  ///< never automatic
  bool failed = false;                             ///< a wrong result, or a call refused; `problem` says which
  std::optional<Summary> ms;                       ///< by the session's timer; none: `problem` says why
  double wall_ms = 0;                              ///< median, from before a submission until the host saw it complete
  double gbps = 0;                                 ///< moved bytes over the median, in 10^9 bytes a second
  std::optional<double> copy_fraction;             ///< of what a copy of as many bytes reaches
  std::string problem;
};

/// A row of a Work that says nothing of its results yet.
inline Row row_of(const Work& work, const ItemSource& source) {
  Row row;
  row.primitive = work.primitive;
  row.variant = work.variant;
  row.type = work.item.name;
  row.data = work.data.empty() ? source.name() : work.data;
  return row;
}

}  // namespace weft::bench
