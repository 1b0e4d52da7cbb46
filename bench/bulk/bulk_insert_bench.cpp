// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_insert.hpp>

#include "support/bulk_case.hpp"

namespace weft::bench {
namespace {

class BulkInsertCase : public BulkCase<BulkInsertCase, BulkInsert> {
 public:
  using BulkCase::BulkCase;

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {items(source, n - quarter(n)), source.array(Data::noise(12), item_bytes(), quarter(n)),
            places(source, n).positions_array()};
  }
  uint64_t scratch_size(uint64_t n) const override { return call().scratch_size(n - quarter(n), quarter(n)); }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * item_bytes() + quarter(n) * sizeof(uint32_t); }
  BulkInsertArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {buffers.inputs[0],  buffers.inputs[1], buffers.inputs[2], buffers.outputs[0],
            buffers.outputs[1], buffers.scratch,   n - quarter(n),    quarter(n)};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      const auto arrays = inputs(source, n);
      const auto before = items_of<T>(arrays[0].bytes), inserted = items_of<T>(arrays[1].bytes);
      const std::span<const uint32_t> coming = places(source, n).places();
      const auto write = [&](uint64_t begin, uint64_t end, T* out) {
        uint64_t j = static_cast<uint64_t>(std::lower_bound(coming.begin(), coming.end(), begin) - coming.begin());
        for (uint64_t i = begin; i < end; ++i) {
          const bool comes = j < coming.size() && coming[j] == i;
          *out++ = comes ? inserted[j] : before[i - j];
          j += comes ? 1 : 0;
        }
      };
      return oracle::first_bad(oracle::same_count(n, found.count(1)),
                               oracle::check_ranges<T>("item", n, write, found.fetch(0, sizeof(T))));
    });
  }
};

const Rows bulk_insert_rows("bulk_insert", 81, [](const Matrix& matrix, Cases& cases) {
  add_quarters<BulkInsertCase>("bulk_insert", matrix, cases);
});

}  // namespace
}  // namespace weft::bench
