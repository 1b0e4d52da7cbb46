// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_decode.hpp>

#include <array>
#include <cstring>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

/// Decodes what encoding runs of a mean length makes, so that the items themselves are the expected output.
class RunLengthDecodeCase : public BenchCase {
 public:
  /// `empty`: a run of no length behind each of the others.
  RunLengthDecodeCase(std::string variant, uint32_t mean, bool empty, Type item, std::vector<uint64_t> sizes)
      : BenchCase("run_length_decode", std::move(variant), item, std::move(sizes)),
        data_(Data::runs(mean)),
        mean_(mean),
        empty_(empty) {}

  Status prepare(Gpu& gpu) override {
    auto decode = RunLengthDecode::create(gpu.context(), {item_bytes(), Type::u32});
    if (!decode) return decode.error();
    decode_ = std::move(decode).value();
    return {};
  }
  void release() override {
    decode_.reset();
    with_empty_ = {};
  }

  std::string data() const override { return "runs"; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    const ItemSource::Runs runs = source.runs_of(data_, item_bytes(), n);
    if (!empty_) return {runs.symbols, runs.lengths};
    // No array of the source has this bit in its id.
    constexpr uint64_t kOwn = uint64_t{1} << 63;
    WithEmpty& own = with_empty_;
    if (own.of != runs.symbols.id) {
      own.of = runs.symbols.id;
      own.symbols.assign(2 * runs.symbols.bytes.size(), std::byte{0xa5});
      own.lengths.assign(2 * runs.lengths.bytes.size(), std::byte{0});
      for (uint64_t r = 0; r < runs.count; ++r) {
        std::memcpy(&own.symbols[2 * r * item_bytes()], &runs.symbols.bytes[r * item_bytes()], item_bytes());
        std::memcpy(&own.lengths[2 * r * kLengthBytes], &runs.lengths.bytes[r * kLengthBytes], kLengthBytes);
      }
    }
    return {{own.symbols, runs.symbols.id | kOwn}, {own.lengths, runs.lengths.id | kOwn}};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * item_bytes(), 8, 4}; }
  uint64_t scratch_bytes(uint64_t n) const override { return decode_->scratch_size(empty_ ? 2 * n : n); }
  uint64_t moved_bytes(uint64_t n) const override {
    return n * item_bytes() + n / mean_ * (empty_ ? 2 : 1) * (item_bytes() + kLengthBytes);
  }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    // The runs at hand make as many items as the buffers have room for: of fewer items, a part of the runs.
    const uint64_t items = buffers.outputs[0].size / item_bytes();
    const uint64_t runs = buffers.inputs[1].size / kLengthBytes;
    const auto share = static_cast<double>(n) / static_cast<double>(std::max<uint64_t>(items, 1));
    const uint64_t count = n == items ? runs : static_cast<uint64_t>(static_cast<double>(runs) * share);
    return decode_->record(commands, {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.outputs[1],
                                      buffers.outputs[2], buffers.scratch, count, n});
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    std::array<std::byte, 12> found_counts{};
    const auto counts = std::span(found_counts);
    for (const auto& [range, into] :
         {std::pair(buffers.outputs[1], counts.first(8)), std::pair(buffers.outputs[2], counts.subspan(8))})
      if (const Status status = gpu.download(range, into); !status) return status.error();
    std::array<uint32_t, 3> found_words{};
    std::memcpy(found_words.data(), found_counts.data(), found_counts.size());
    if (const uint64_t total = found_words[0] | uint64_t{found_words[1]} << 32; total != n)
      return std::optional(Mismatch{0, "a total of " + std::to_string(n), std::to_string(total)});
    if (found_words[2] != 0) return std::optional(Mismatch{0, "status 0", std::to_string(found_words[2])});

    OutputReader reader(gpu, buffers.outputs[0], item_bytes(), buffers.sampled);
    return with_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      const auto expected = items_of<T>(source.array(data_, item_bytes(), n).bytes);
      return oracle::check_each<T>(
          "item", n, [&](uint64_t i) { return expected[i]; }, reader.fetcher());
    });
  }

 private:
  static constexpr uint64_t kLengthBytes = 4;
  struct WithEmpty {
    uint64_t of = 0;
    std::vector<std::byte> symbols, lengths;
  };

  Data data_;
  uint32_t mean_;
  bool empty_;
  std::optional<RunLengthDecode> decode_;
  mutable WithEmpty with_empty_;
};

}  // namespace

Cases run_length_decode_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](uint32_t mean, bool empty, Type item, std::vector<uint64_t> sizes) {
    std::string variant = "runs=" + std::to_string(mean) + (empty ? " half empty" : "");
    cases.push_back(std::make_unique<RunLengthDecodeCase>(std::move(variant), mean, empty, item, std::move(sizes)));
  };
  const auto& sizes = matrix.sizes;
  const auto some = some_sizes(matrix);

  add(8, false, Type::u32, sizes);
  add(8, false, Type::u8, scaled_sizes(sizes, 4));
  if (matrix.essential) return cases;
  add(8, true, Type::u32, some);
  for (const uint32_t mean : {1u, 100u, 10000u}) {
    add(mean, false, Type::u32, some);
    add(mean, false, Type::u8, scaled_sizes(some, 4));
  }
  return cases;
}

}  // namespace weft::bench
