// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_remove.hpp>

#include "support/bulk_case.hpp"

namespace weft::bench {
namespace {

Work bulk_remove_work(const ItemType& item, bool clustered) {
  const uint32_t bytes = item.bytes;
  return {"bulk_remove",
          quarter_variant(clustered),
          item,
          [=](ItemSource& source, uint64_t n) {
            return Arrays{source.array(Data::noise(11), bytes, n), source.cached<QuarterIndices>(clustered, n).array()};
          },
          writes({bytes}, {8}),
          [=](uint64_t n) { return (2 * n - n / 4) * bytes + n / 4 * 4; },
          [=](const Inputs& in, Outputs& out) {
            return with_item(bytes, [&]<class T>(T*) {
              const auto items = in.as<T>(0);
              const auto removed = in.as(1);
              const auto before = [&](uint64_t i) {
                return static_cast<uint64_t>(std::lower_bound(removed.begin(), removed.end(), i) - removed.begin());
              };
              const auto staying = [&](uint64_t begin, uint64_t end) {
                return oracle::Position{end - begin - (before(end) - before(begin))};
              };
              const auto write = [&](uint64_t begin, uint64_t end, oracle::Position, T* to) {
                for (uint64_t i = begin, j = before(begin); i < end; ++i) {
                  const bool goes = j < removed.size() && removed[j] == i;
                  if (!goes) *to++ = items[i];
                  j += goes ? 1 : 0;
                }
              };
              return oracle::first_bad(oracle::same_count(in.n - in.n / 4, out.read<uint64_t>(1)),
                                       oracle::check_blocks<T>("item", in.n, oracle::Position{}, staying, oracle::after,
                                                               write, out.fetch(0, sizeof(T))));
            });
          },
          "random"};
}

const Rows bulk_remove_rows("bulk_remove", 80, [](const Matrix& matrix, Cases& cases) {
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> BulkRemoveArgs {
    return {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.outputs[1], buffers.scratch, n, n / 4};
  };
  add_quarters(matrix, [&](const ItemType& item, bool clustered, const Sizes& sizes) {
    cases.add<BulkRemove>(bulk_remove_work(item, clustered), {{item.bytes, Type::u32}, arguments}, sizes);
  });
});

}  // namespace
}  // namespace weft::bench
