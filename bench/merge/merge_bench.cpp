// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge.hpp>

#include "support/bench_case.hpp"
#include "support/merge_input.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

/// `n`: keys of both sequences together. Values, which pairs have beside keys, are u32.
class MergeCase : public BenchCase {
 public:
  MergeCase(MergeOutput output, MergeSpread spread, Type key, std::vector<uint64_t> sizes)
      : BenchCase(name_of(output), name_of(spread), key, std::move(sizes)),
        output_(output),
        spread_(spread),
        key_(key) {}

  Status prepare(Gpu& gpu) override {
    auto merge = Merge::create(gpu.context(), {.key = key_,
                                               .keys = output_ != MergeOutput::index,
                                               .value_bytes = output_ == MergeOutput::pairs ? kValueBytes : 0,
                                               .indices = output_ == MergeOutput::index});
    if (!merge) return merge.error();
    merge_ = std::move(merge).value();
    return {};
  }
  void release() override {
    merge_.reset();
    made_ = {};
  }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    std::vector<HostArray> arrays;
    for (const uint32_t sequence : {0, 1})
      arrays.push_back(item_bytes() == 4 ? made_.keys<uint32_t>(source, spread_, n, sequence)
                                         : made_.keys<uint64_t>(source, spread_, n, sequence));
    if (output_ == MergeOutput::pairs)
      for (const uint32_t sequence : {0, 1})
        arrays.push_back(source.array(merge_values(sequence), kValueBytes, count_of(n, sequence)));
    return arrays;
  }
  std::vector<uint64_t> outputs(uint64_t n) const override {
    if (output_ == MergeOutput::index) return {n * kIndexBytes};
    if (output_ == MergeOutput::pairs) return {n * item_bytes(), n * kValueBytes};
    return {n * item_bytes()};
  }
  uint64_t scratch_bytes(uint64_t n) const override { return merge_->scratch_size(count_of(n, 0), count_of(n, 1)); }
  uint64_t moved_bytes(uint64_t n) const override {
    if (output_ == MergeOutput::index) return n * (item_bytes() + kIndexBytes);
    return 2 * n * (item_bytes() + (output_ == MergeOutput::pairs ? kValueBytes : 0));
  }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
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
    return merge_->record(commands, args);
  }
  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    OutputReader reader(gpu, buffers.outputs[0], output_ == MergeOutput::index ? kIndexBytes : item_bytes(),
                        buffers.sampled);
    OutputReader values(gpu, buffers.outputs.back(), kValueBytes, buffers.sampled);
    const auto arrays = inputs(source, n);
    return item_bytes() == 4 ? check_merge<uint32_t>(output_, arrays, reader.fetcher(), values.fetcher())
                             : check_merge<uint64_t>(output_, arrays, reader.fetcher(), values.fetcher());
  }

 private:
  static constexpr uint32_t kValueBytes = 4, kIndexBytes = 4;
  uint64_t count_of(uint64_t n, uint32_t sequence) const { return merge_count(spread_, n, sequence); }

  MergeOutput output_;
  MergeSpread spread_;
  Type key_;
  std::optional<Merge> merge_;
  mutable MergeInput made_;
};

}  // namespace

Cases merge_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](MergeOutput output, MergeSpread spread, Type key, std::vector<uint64_t> sizes) {
    cases.push_back(std::make_unique<MergeCase>(output, spread, key, std::move(sizes)));
  };
  add(MergeOutput::keys, MergeSpread::random, Type::u32, matrix.sizes);
  if (matrix.essential) return cases;
  for (const MergeSpread spread : {MergeSpread::interleaved, MergeSpread::disjoint, MergeSpread::one_sided,
                                   MergeSpread::ties, MergeSpread::reduced})
    add(MergeOutput::keys, spread, Type::u32, some_sizes(matrix));
  add(MergeOutput::keys, MergeSpread::random, Type::u64, some_sizes(matrix));
  for (const MergeSpread spread : {MergeSpread::random, MergeSpread::interleaved, MergeSpread::disjoint,
                                   MergeSpread::one_sided, MergeSpread::ties, MergeSpread::reduced})
    add(MergeOutput::pairs, spread, Type::u32, some_sizes(matrix));
  add(MergeOutput::index, MergeSpread::random, Type::u32, some_sizes(matrix));
  return cases;
}

}  // namespace weft::bench
