// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/bulk_remove.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<BulkRemove> {
  static constexpr const char* name = "BulkRemove";
  static BulkRemoveConfig config() { return {}; }
  static BulkRemoveArgs args(const BulkRemove& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("items", 4 * n),       r.read("indices", 4 * n), r.write("output", 4 * n), r.write("kept", 8),
            r.scratch(p.scratch_size(n)), r.count("count", n),      r.count("index_count", n)};
  }
  static std::vector<BulkRemoveConfig> kernels(const AmongTypes&) {
    return {{1, Type::u32}, {4, Type::u32}, {16, Type::u32}, {12, Type::u32}};
  }
};

}  // namespace weft::test
