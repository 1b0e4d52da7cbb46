// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/bulk_insert.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<BulkInsert> {
  static constexpr const char* name = "BulkInsert";
  static BulkInsertConfig config() { return {}; }
  static BulkInsertArgs args(const BulkInsert& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("items", 4 * n),   r.read("inserted", 4 * n),   r.read("positions", 4 * n),
            r.write("output", 8 * n), r.write("total", 8),         r.scratch(p.scratch_size(n, n)),
            r.count("count", n),      r.count("inserted_count", n)};
  }
  static std::vector<BulkInsertConfig> kernels(const AmongTypes&) {
    return {{1, Type::u32}, {4, Type::u32}, {16, Type::u32}, {12, Type::u32}};
  }
};

}  // namespace weft::test
