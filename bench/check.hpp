// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::bench {

/// Options of `weft-bench check`.
struct CheckOptions {
  std::string device;                   ///< as of Options
  double minutes = 5;                   ///< of the self-test
  std::vector<std::string> cases;       ///< of the self-test; empty: all
  std::vector<std::string> filters;     ///< of the quick bench
  std::vector<uint64_t> sizes;          ///< of the quick bench
  std::string folder = "weft-results";  ///< where results are written
};

/// Lists the devices, takes one through the self-test (where weft-bench has it), measures the essential rows, writes a
/// page of them, and says what to send.
/// Exit status: 0, or 1 if a step failed.
int run_check(const CheckOptions& options);

}  // namespace weft::bench
