// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include <cstring>

#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

/// Runs, and a run of no length after each of them.
class HalfEmptyRuns {
 public:
  HalfEmptyRuns(const ItemSource::Runs& runs, uint32_t symbol_bytes)
      : id_(id_of(runs, symbol_bytes)),
        symbols_(2 * runs.symbols.bytes.size(), std::byte{0xa5}),
        lengths_(2 * runs.lengths.bytes.size()) {
    const auto copy = [&](const HostArray& from, std::vector<std::byte>& to, size_t bytes) {
      for (uint64_t r = 0; r < runs.count; ++r) std::memcpy(&to[2 * r * bytes], &from.bytes[r * bytes], bytes);
    };
    copy(runs.symbols, symbols_, symbol_bytes);
    copy(runs.lengths, lengths_, sizeof(uint32_t));
  }
  std::vector<HostArray> arrays() const { return {{symbols_, id_}, {lengths_, id_ + 1}}; }
  uint64_t bytes() const { return symbols_.size() + lengths_.size(); }
  /// No array of the source has this bit in its id.
  static uint64_t id_of(const ItemSource::Runs& runs, uint32_t) { return runs.symbols.id | uint64_t{1} << 63; }

 private:
  uint64_t id_;
  std::vector<std::byte> symbols_, lengths_;
};

/// Decodes what encoding runs of a mean length makes, so that the items themselves are the expected output.
class RunLengthDecodeCase : public CaseOf<RunLengthDecodeCase, RunLengthDecode> {
 public:
  RunLengthDecodeCase(uint32_t mean, bool half_empty, Type item, const Sizes& sizes)
      : CaseOf("run_length_decode", RunData::of(mean).name + (half_empty ? " half empty" : ""), item,
               {size_of(item), Type::u32}, sizes_for(sizes, size_of(item))),
        data_(Data::runs(mean)),
        half_empty_(half_empty) {}

  std::string data() const override { return "runs"; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    const ItemSource::Runs runs = source.runs_of(data_, item_bytes(), n);
    if (half_empty_) return source.cached<HalfEmptyRuns>(runs, item_bytes()).arrays();
    return {runs.symbols, runs.lengths};
  }
  Sizes outputs(uint64_t n) const override { return {n * item_bytes(), 8, 4}; }
  uint64_t scratch_size(uint64_t n) const override { return call().scratch_size(half_empty_ ? 2 * n : n); }
  uint64_t moved_bytes(uint64_t n) const override {
    return n * item_bytes() + n / data_.mean_run * (half_empty_ ? 2 : 1) * (item_bytes() + sizeof(uint32_t));
  }
  RunLengthDecodeArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    const uint64_t runs = buffers.inputs[1].size / sizeof(uint32_t);
    return {buffers.inputs[0],
            buffers.inputs[1],
            buffers.outputs[0],
            buffers.outputs[1],
            buffers.outputs[2],
            buffers.scratch,
            part_of(runs, n, buffers.outputs[0].size / item_bytes()),
            n};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    if (const auto total = found.read<uint64_t>(1); total != n)
      return std::optional(Mismatch{0, "a total of " + std::to_string(n), std::to_string(total)});
    if (const uint32_t status = found.count(2); status != 0)
      return std::optional(Mismatch{0, "status 0", std::to_string(status)});
    return with_small_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      const auto expected = items_of<T>(source.array(data_, item_bytes(), n).bytes);
      return oracle::check_each<T>(
          "item", n, [&](uint64_t i) { return expected[i]; }, found.fetch(0, item_bytes()));
    });
  }

 private:
  Data data_;
  bool half_empty_;
};

const Rows run_length_decode_rows("run_length_decode", 30, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](uint32_t mean, bool half_empty, Type item, const Sizes& sizes) {
    cases.add<RunLengthDecodeCase>(mean, half_empty, item, sizes);
  };
  const Sizes some = some_sizes(matrix);
  for (const Type item : {Type::u32, Type::u8}) add(8, false, item, matrix.sizes);
  if (matrix.essential) return;
  add(8, true, Type::u32, some);
  for (const uint32_t mean : {1u, 100u, 10000u})
    for (const Type item : {Type::u32, Type::u8}) add(mean, false, item, some);
});

}  // namespace
}  // namespace weft::bench
