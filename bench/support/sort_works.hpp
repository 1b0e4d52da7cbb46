// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sorts: keys alone, or with values of 4 bytes, of any distribution.
#pragma once

#include "support/sort_keys.hpp"
#include "support/work.hpp"

namespace weft::bench {

inline Work sort_work(const char* primitive, Type key, Keys kind, bool pairs) {
  const uint32_t key_bytes = size_of(key);
  return {primitive,
          std::string(pairs ? "pairs" : "keys") + (kind == Keys::random ? "" : std::string(" ") + name_of(kind)), key,
          [=](ItemSource& source, uint64_t n) {
            SortInput& input = source.cached<SortInput>(kind, key_bytes, n);
            Arrays arrays{input.keys()};
            if (pairs) arrays.push_back(input.values());
            return arrays;
          },
          writes(pairs ? Sizes{key_bytes, 4} : Sizes{key_bytes}),
          // Of one pass; a sort makes more.
          moves(2 * (key_bytes + (pairs ? 4 : 0))),
          [=](const Inputs& in, Outputs& out) {
            return with_key(key_bytes, [&]<class T>(T*) {
              SortInput& input = in.source.cached<SortInput>(kind, key_bytes, in.n);
              const FetchOutputs keys = out.fetch(0, sizeof(T));
              return pairs ? input.check_pairs<T>(keys, out.fetch(1)) : input.check_keys<T>(keys);
            });
          },
          name_of(kind)};
}

/// The rows that both sorts have: add(key, kind, pairs, sizes).
template <class Add>
void add_sorts(const Matrix& matrix, const Add& add) {
  const auto both = [&](Type key, Keys kind, const Sizes& sizes) {
    for (const bool pairs : {false, true}) add(key, kind, pairs, sizes);
  };
  both(Type::u32, Keys::random, matrix.sizes);
  if (matrix.essential) return;
  both(Type::u64, Keys::random, some_sizes(matrix));
  for (const Keys kind : kSkewedKeys) both(Type::u32, kind, some_sizes(matrix));
}

}  // namespace weft::bench
