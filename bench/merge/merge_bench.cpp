// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge.hpp>

#include "support/bench_case.hpp"
#include "support/merge_input.hpp"

namespace weft::bench {
namespace {

/// `n`: keys of both sequences together. Values, which pairs have beside keys, are u32.
class MergeCase : public CaseOf<MergeCase, Merge> {
 public:
  MergeCase(MergeOutput output, MergeSpread spread, Type key, const Sizes& sizes)
      : CaseOf(name_of(output), name_of(spread), key,
               {.key = key,
                .keys = output != MergeOutput::index,
                .value_bytes = output == MergeOutput::pairs ? kValueBytes : 0,
                .indices = output == MergeOutput::index},
               sizes),
        output_(output),
        spread_(spread) {}

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return merge_arrays(source, spread_, item_bytes(), n, output_ == MergeOutput::pairs);
  }
  Sizes outputs(uint64_t n) const override {
    if (output_ == MergeOutput::pairs) return {n * item_bytes(), n * kValueBytes};
    return {n * output_bytes()};
  }
  uint64_t scratch_size(uint64_t n) const override { return call().scratch_size(count_of(n, 0), count_of(n, 1)); }
  uint64_t moved_bytes(uint64_t n) const override {
    return n * (item_bytes() + output_bytes() + (output_ == MergeOutput::pairs ? 2 * kValueBytes : 0));
  }
  MergeArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    MergeArgs args{.keys_a = buffers.inputs[0],
                   .keys_b = buffers.inputs[1],
                   .scratch = buffers.scratch,
                   .count_a = count_of(n, 0),
                   .count_b = count_of(n, 1)};
    (output_ == MergeOutput::index ? args.indices_out : args.keys_out) = buffers.outputs[0];
    if (output_ == MergeOutput::pairs) {
      args.values_a = buffers.inputs[2];
      args.values_b = buffers.inputs[3];
      args.values_out = buffers.outputs[1];
    }
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_key(item_bytes(), [&]<class T>(T*) {
      return check_merge<T>(output_, inputs(source, n), found.fetch(0, output_bytes()),
                            output_ == MergeOutput::pairs ? found.fetch(1, kValueBytes) : FetchOutputs());
    });
  }

 private:
  static constexpr uint32_t kValueBytes = 4, kIndexBytes = 4;
  uint64_t count_of(uint64_t n, uint32_t sequence) const { return merge_count(spread_, n, sequence); }
  /// An item of the first output.
  uint32_t output_bytes() const { return output_ == MergeOutput::index ? kIndexBytes : item_bytes(); }

  MergeOutput output_;
  MergeSpread spread_;
};

const Rows merge_rows("merge", 70, [](const Matrix& matrix, Cases& cases) {
  const Sizes some = some_sizes(matrix);
  const auto add_others = [&](MergeOutput output) {
    for (const MergeSpread spread : {MergeSpread::interleaved, MergeSpread::disjoint, MergeSpread::one_sided,
                                     MergeSpread::ties, MergeSpread::reduced})
      cases.add<MergeCase>(output, spread, Type::u32, some);
  };
  cases.add<MergeCase>(MergeOutput::keys, MergeSpread::random, Type::u32, matrix.sizes);
  if (matrix.essential) return;
  add_others(MergeOutput::keys);
  cases.add<MergeCase>(MergeOutput::keys, MergeSpread::random, Type::u64, some);
  cases.add<MergeCase>(MergeOutput::pairs, MergeSpread::random, Type::u32, some);
  add_others(MergeOutput::pairs);
  cases.add<MergeCase>(MergeOutput::index, MergeSpread::random, Type::u32, some);
});

}  // namespace
}  // namespace weft::bench
