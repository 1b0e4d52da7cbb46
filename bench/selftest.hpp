// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::bench {

/// What `weft-bench selftest` is asked for.
struct SelftestOptions {
  std::string device;  ///< as of Options
  double minutes = 5;
  std::string file = "weft-selftest.jsonl";  ///< of results; a run goes on after what it has
  std::vector<std::string> filters;          ///< only cases whose name holds one of them; empty: all
  uint64_t seed = 1;                         ///< of the first round of random cases
  std::string only;                          ///< one case alone, with `seed` and `simpler`; nothing is written
  std::string simpler;                       ///< how it differs from what the seed draws, as a failure says it
  bool uuid = true;                          ///< whether results have the device's
  std::optional<uint64_t> faulty_item;       ///< changed in every output before it is compared
  std::string die_in;                        ///< killed in a case whose name holds that; empty: in none
};

/// Tries everything on the device, random cases until the time is over, and writes each result before the next begins.
/// Exit status: 0, 1 if a case failed or there is no device, 2 if the options or the file cannot be used.
int run_selftest(const SelftestOptions& options);

}  // namespace weft::bench
