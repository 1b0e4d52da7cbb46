// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_insert.hpp>

#include "support/bulk_case.hpp"

namespace weft::bench {
namespace {

Work bulk_insert_work(const ItemType& item, bool clustered) {
  const uint32_t bytes = item.bytes;
  return {"bulk_insert",
          quarter_variant(clustered),
          item,
          [=](ItemSource& source, uint64_t n) {
            return Arrays{source.array(Data::noise(11), bytes, n - n / 4), source.array(Data::noise(12), bytes, n / 4),
                          source.cached<QuarterIndices>(clustered, n).positions_array()};
          },
          writes({bytes}, {8}),
          [=](uint64_t n) { return 2 * n * bytes + n / 4 * 4; },
          [=](const Inputs& in, Outputs& out) {
            const auto coming = in.source.cached<QuarterIndices>(clustered, in.n).indices();
            return with_item(bytes, [&]<class T>(T*) {
              const auto before = in.as<T>(0), inserted = in.as<T>(1);
              const auto write = [&](uint64_t begin, uint64_t end, T* to) {
                auto j = static_cast<uint64_t>(std::lower_bound(coming.begin(), coming.end(), begin) - coming.begin());
                for (uint64_t i = begin; i < end; ++i) {
                  const bool comes = j < coming.size() && coming[j] == i;
                  *to++ = comes ? inserted[j] : before[i - j];
                  j += comes ? 1 : 0;
                }
              };
              return oracle::first_bad(oracle::same_count(in.n, out.read<uint64_t>(1)),
                                       oracle::check_ranges<T>("item", in.n, write, out.fetch(0, sizeof(T))));
            });
          },
          "random"};
}

const Rows bulk_insert_rows("bulk_insert", 81, [](const Matrix& matrix, Cases& cases) {
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> BulkInsertArgs {
    const auto& [inputs, outputs, scratch, sampled] = buffers;
    return {inputs[0], inputs[1], inputs[2], outputs[0], outputs[1], scratch, n - n / 4, n / 4};
  };
  const auto scratch = [](const BulkInsert& call, uint64_t n) { return call.scratch_size(n - n / 4, n / 4); };
  add_quarters(matrix, [&](const ItemType& item, bool clustered, const Sizes& sizes) {
    cases.add<BulkInsert>(bulk_insert_work(item, clustered), {{item.bytes, Type::u32}, arguments, scratch}, sizes);
  });
});

}  // namespace
}  // namespace weft::bench
