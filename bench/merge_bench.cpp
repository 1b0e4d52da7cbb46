// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge.hpp>

#include "support/search_case.hpp"

namespace weft::bench {
namespace {

/// How the keys of two sequences lie among each other.
enum class Spread : uint8_t { random, interleaved, disjoint, one_sided, ties };

const char* name_of(Spread spread) {
  switch (spread) {
    case Spread::random: return "random";
    case Spread::interleaved: return "interleaved";
    case Spread::disjoint: return "disjoint";
    case Spread::one_sided: return "1:1000";
    case Spread::ties: return "ties";
  }
  return "?";
}

/// Of `n` keys in all, half are A's, but where it is one-sided.
class MergeCase : public BenchCase {
 public:
  MergeCase(Spread spread, Type key, std::vector<uint64_t> sizes)
      : BenchCase("merge_keys", name_of(spread), key, std::move(sizes)), spread_(spread), key_(key) {}

  Status prepare(Gpu& gpu) override {
    auto merge = Merge::create(gpu.context(), {.key = key_});
    if (!merge) return merge.error();
    merge_ = std::move(merge).value();
    return {};
  }
  void release() override {
    merge_.reset();
    made_ = {};
  }
  std::string data() const override { return "sorted"; }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {item_bytes() == 4 ? keys<uint32_t>(source, n, 0) : keys<uint64_t>(source, n, 0),
            item_bytes() == 4 ? keys<uint32_t>(source, n, 1) : keys<uint64_t>(source, n, 1)};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * item_bytes()}; }
  uint64_t scratch_bytes(uint64_t n) const override { return merge_->scratch_size(count_of(n, 0), count_of(n, 1)); }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * item_bytes(); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return merge_->record(commands, {.keys_a = buffers.inputs[0],
                                     .keys_b = buffers.inputs[1],
                                     .keys_out = buffers.outputs[0],
                                     .scratch = buffers.scratch,
                                     .count_a = count_of(n, 0),
                                     .count_b = count_of(n, 1)});
  }
  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    return item_bytes() == 4 ? check<uint32_t>(gpu, source, buffers, n) : check<uint64_t>(gpu, source, buffers, n);
  }

 private:
  struct Made {
    uint64_t id = 0;
    std::vector<std::byte> keys;
  };

  uint64_t count_of(uint64_t n, uint32_t sequence) const {
    const uint64_t a = spread_ == Spread::one_sided ? n / 1000 : n / 2;
    return sequence == 0 ? a : n - a;
  }

  template <class T>
  HostArray keys(ItemSource& source, uint64_t n, uint32_t sequence) const {
    const uint64_t count = count_of(n, sequence);
    // No array of the source has the highest bit in its id. Of each number of keys they begin differently.
    const uint64_t id = uint64_t{1} << 63 | uint64_t{sizeof(T)} << 56 | uint64_t{sequence} << 52 |
                        uint64_t{static_cast<uint8_t>(spread_)} << 48 | n;
    Made& made = made_[sequence];
    if (made.id == id) return {made.keys, id};
    made.id = id;
    if (spread_ == Spread::random || spread_ == Spread::one_sided) {
      const HostArray noise = source.array(Data::noise(sequence + 1), sizeof(T), count);
      sort_keys<T>({reinterpret_cast<const T*>(noise.bytes.data()), count}, made.keys);
      return {made.keys, id};
    }
    made.keys.resize(count * sizeof(T));
    T* const to = reinterpret_cast<T*>(made.keys.data());
    const uint64_t first = sequence == 0 ? 0 : count_of(n, 0);
    constexpr uint64_t kValues = 1000;
    for (uint64_t i = 0; i < count; ++i)
      to[i] = static_cast<T>(spread_ == Spread::interleaved ? 2 * i + sequence
                             : spread_ == Spread::disjoint  ? first + i
                                                            : i * kValues / count);
    return {made.keys, id};
  }

  template <class T>
  Result<std::optional<Mismatch>> check(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const {
    constexpr uint64_t kChunk = uint64_t{1} << 24;
    const std::vector<HostArray> arrays = inputs(source, n);
    const auto items_of = [](std::span<const std::byte> bytes) {
      return std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
    };
    const std::span<const T> a = items_of(arrays[0].bytes), b = items_of(arrays[1].bytes);
    OutputReader reader(gpu, buffers.outputs[0], sizeof(T));
    size_t i = 0, j = 0;
    for (uint64_t first = 0; first < n; first += kChunk) {
      const auto found = reader.fetch(first, std::min<uint64_t>(kChunk, n - first));
      if (!found) return found.error();
      const std::span<const T> outputs = items_of(*found);
      for (uint64_t k = 0; k < outputs.size(); ++k) {
        const T expected = j == b.size() || (i < a.size() && a[i] <= b[j]) ? a[i++] : b[j++];
        if (outputs[k] != expected)
          return std::optional(Mismatch{first + k, std::to_string(expected), std::to_string(outputs[k])});
      }
    }
    return std::optional<Mismatch>();
  }

  Spread spread_;
  Type key_;
  std::optional<Merge> merge_;
  mutable std::array<Made, 2> made_;
};

}  // namespace

Cases merge_cases(const Matrix& matrix) {
  Cases cases;
  // n: keys of both sequences together.
  const auto add = [&](Spread spread, Type key, std::vector<uint64_t> sizes) {
    cases.push_back(std::make_unique<MergeCase>(spread, key, std::move(sizes)));
  };
  add(Spread::random, Type::u32, matrix.sizes);
  if (matrix.essential) return cases;
  for (const Spread spread : {Spread::interleaved, Spread::disjoint, Spread::one_sided, Spread::ties})
    add(spread, Type::u32, some_sizes(matrix));
  add(Spread::random, Type::u64, some_sizes(matrix));
  return cases;
}

}  // namespace weft::bench
