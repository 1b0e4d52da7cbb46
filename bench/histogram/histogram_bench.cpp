// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/histogram.hpp>

#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

/// Bins of equal width over all values of an unsigned type.
class HistogramCase : public CaseOf<HistogramCase, Histogram> {
 public:
  HistogramCase(uint32_t bins, Type item, const Sizes& sizes, uint32_t mean_run)
      : CaseOf("histogram",
               "even bins=" + std::to_string(bins) + (mean_run != 0 ? " runs=" + std::to_string(mean_run) : ""), item,
               {HistogramKind::even, item, bins}, sizes_for(sizes, size_of(item))),
        data_(mean_run != 0 ? Data::runs(mean_run) : Data::stream()) {}

  std::string data() const override { return data_.kind == Data::Kind::runs ? "runs" : ""; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.array(data_, item_bytes(), n)};
  }
  Sizes outputs(uint64_t) const override { return {config().bins * sizeof(uint32_t)}; }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes(); }
  HistogramArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    HistogramArgs args;
    args.input = buffers.inputs[0];
    args.output = buffers.outputs[0];
    args.count = n;
    args.upper = std::ldexp(1.0, static_cast<int>(8 * item_bytes()));
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_small_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      if constexpr (sizeof(T) <= 4)
        return check_histogram(
            items_of<T>(inputs(source, n)[0].bytes), config().bins,
            [&](T item) { return uint64_t{item} * config().bins >> 8 * sizeof(T); }, found.fetch(0, sizeof(uint32_t)));
      else
        return oracle::no_oracle();
    });
  }

 private:
  Data data_;
};

const Rows histogram_rows("histogram", 50, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](uint32_t bins, Type item, const Sizes& sizes, uint32_t mean_run = 0) {
    cases.add<HistogramCase>(bins, item, sizes, mean_run);
  };
  const Sizes some = some_sizes(matrix);
  for (const Type item : {Type::u32, Type::u8}) add(256, item, matrix.sizes);
  if (matrix.essential) return;
  for (const Type item : {Type::u32, Type::u8}) add(256, item, some, 10000);
  add(256, Type::u16, some);
  for (const uint32_t bins : {100u, 4096u, 65536u}) add(bins, Type::u32, some);
});

}  // namespace
}  // namespace weft::bench
