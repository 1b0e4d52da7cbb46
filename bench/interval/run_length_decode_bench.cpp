// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

/// The runs of u8 or u32 items, a symbol and a u32 length each: what run-length encoding makes of them. Half empty: a
/// run of no length after each of them.
class EncodedRuns {
 public:
  EncodedRuns(uint64_t id, const HostArray& items, uint32_t item_bytes, bool half_empty) : id_(id) {
    item_bytes == 1 ? encode(items_of<uint8_t>(items.bytes), half_empty)
                    : encode(items_of<uint32_t>(items.bytes), half_empty);
  }
  Arrays arrays() const { return {{symbols_, id_}, {std::as_bytes(std::span(lengths_)), id_ + 1}}; }
  uint64_t bytes() const { return symbols_.size() + lengths_.size() * sizeof(uint32_t); }

 private:
  template <class T>
  void encode(std::span<const T> items, bool half_empty) {
    const auto bytes = std::as_bytes(items);
    for (uint64_t i = 0, begin = 0; i < items.size(); ++i) {
      if (!oracle::is_end(items, i)) continue;
      symbols_.insert(symbols_.end(), &bytes[i * sizeof(T)], &bytes[i * sizeof(T)] + sizeof(T));
      lengths_.push_back(static_cast<uint32_t>(i + 1 - begin));
      begin = i + 1;
      if (!half_empty) continue;
      symbols_.insert(symbols_.end(), sizeof(T), std::byte{0xa5});
      lengths_.push_back(0);
    }
  }

  uint64_t id_;
  std::vector<std::byte> symbols_;
  std::vector<uint32_t> lengths_;
};

/// Decodes what encoding runs of a mean length makes, so that the items themselves are the expected output.
Work run_length_decode_work(uint32_t mean, bool half_empty, Type item) {
  const RunData runs = RunData::of(mean);
  const uint32_t bytes = size_of(item);
  return {"run_length_decode",
          runs.name + (half_empty ? " half empty" : ""),
          item,
          [=](ItemSource& source, uint64_t n) {
            return source.cached<EncodedRuns>(source.array(runs.data, bytes, n), bytes, half_empty).arrays();
          },
          writes({bytes}, {8, 4}),
          [=](uint64_t n) { return n * bytes + n / mean * (half_empty ? 2 : 1) * (bytes + 4); },
          [=](const Inputs& in, Outputs& out) {
            return oracle::first_bad(oracle::same_count(in.n, out.read<uint64_t>(1)),
                                     oracle::same_count(0, out.read(2)), with_item(bytes, [&]<class T>(T*) {
                                       const auto expected = items_of<T>(in.source.array(runs.data, bytes, in.n).bytes);
                                       return oracle::check_items("item", expected, out.fetch(0, bytes));
                                     }));
          },
          "runs"};
}

const Rows run_length_decode_rows("run_length_decode", 30, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](uint32_t mean, bool half_empty, Type item, const Sizes& sizes) {
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) -> RunLengthDecodeArgs {
      const auto& [inputs, outputs, scratch, sampled] = buffers;
      const uint64_t runs = part_of(inputs[1].size / sizeof(uint32_t), n, outputs[0].size / size_of(item));
      return {inputs[0], inputs[1], outputs[0], outputs[1], outputs[2], scratch, runs, n};
    };
    const auto scratch = [=](const RunLengthDecode& call, uint64_t n) {
      return call.scratch_size(half_empty ? 2 * n : n);
    };
    cases.add<RunLengthDecode>(run_length_decode_work(mean, half_empty, item),
                               {{size_of(item), Type::u32}, arguments, scratch}, sizes);
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
