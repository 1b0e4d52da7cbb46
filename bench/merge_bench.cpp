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

/// What is written of a merge; each row has one.
enum class Wanted : uint8_t { keys, pairs, index };

const char* name_of(Wanted wanted) {
  switch (wanted) {
    case Wanted::keys: return "merge_keys";
    case Wanted::pairs: return "merge_pairs";
    case Wanted::index: return "merge_index";
  }
  return "?";
}

/// Of `n` keys in all, half are A's, but where it is one-sided. Values, which pairs have beside keys, are u32.
class MergeCase : public BenchCase {
 public:
  MergeCase(Wanted wanted, Spread spread, Type key, std::vector<uint64_t> sizes)
      : BenchCase(name_of(wanted), name_of(spread), key, std::move(sizes)),
        wanted_(wanted),
        spread_(spread),
        key_(key) {}

  Status prepare(Gpu& gpu) override {
    auto merge = Merge::create(gpu.context(), {.key = key_,
                                               .keys = wanted_ != Wanted::index,
                                               .value_bytes = wanted_ == Wanted::pairs ? kValueBytes : 0,
                                               .indices = wanted_ == Wanted::index});
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
    std::vector<HostArray> arrays;
    for (const uint32_t sequence : {0, 1})
      arrays.push_back(item_bytes() == 4 ? keys<uint32_t>(source, n, sequence) : keys<uint64_t>(source, n, sequence));
    if (wanted_ != Wanted::pairs) return arrays;
    for (const uint32_t sequence : {0, 1})
      arrays.push_back(source.array(Data::noise(sequence + 3), kValueBytes, count_of(n, sequence)));
    return arrays;
  }
  std::vector<uint64_t> outputs(uint64_t n) const override {
    switch (wanted_) {
      case Wanted::keys: return {n * item_bytes()};
      case Wanted::pairs: return {n * item_bytes(), n * kValueBytes};
      case Wanted::index: return {n * kIndexBytes};
    }
    return {};
  }
  uint64_t scratch_bytes(uint64_t n) const override { return merge_->scratch_size(count_of(n, 0), count_of(n, 1)); }
  uint64_t moved_bytes(uint64_t n) const override {
    switch (wanted_) {
      case Wanted::keys: return 2 * n * item_bytes();
      case Wanted::pairs: return 2 * n * (item_bytes() + kValueBytes);
      case Wanted::index: return n * (item_bytes() + kIndexBytes);
    }
    return 0;
  }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    MergeArgs args{.keys_a = buffers.inputs[0],
                   .keys_b = buffers.inputs[1],
                   .scratch = buffers.scratch,
                   .count_a = count_of(n, 0),
                   .count_b = count_of(n, 1)};
    (wanted_ == Wanted::index ? args.indices_out : args.keys_out) = buffers.outputs[0];
    if (wanted_ == Wanted::pairs) {
      args.values_a = buffers.inputs[2];
      args.values_b = buffers.inputs[3];
      args.values_out = buffers.outputs[1];
    }
    return merge_->record(commands, args);
  }
  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    return item_bytes() == 4 ? check<uint32_t>(gpu, source, buffers, n) : check<uint64_t>(gpu, source, buffers, n);
  }

 private:
  static constexpr uint32_t kValueBytes = 4, kIndexBytes = 4;
  struct Made {
    uint64_t id = 0;
    std::vector<std::byte> keys;
  };

  uint64_t count_of(uint64_t n, uint32_t sequence) const {
    const uint64_t a = spread_ == Spread::one_sided ? n / 1000 : n / 2;
    return sequence == 0 ? a : n - a;
  }

  template <class T>
  static std::span<const T> items_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
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
    const std::span<const T> a = items_of<T>(arrays[0].bytes), b = items_of<T>(arrays[1].bytes);
    std::vector<std::span<const uint32_t>> values;
    for (size_t i = 2; i < arrays.size(); ++i) values.push_back(items_of<uint32_t>(arrays[i].bytes));
    OutputReader first_output(gpu, buffers.outputs[0], wanted_ == Wanted::index ? kIndexBytes : sizeof(T));
    OutputReader value_output(gpu, buffers.outputs.back(), kValueBytes);
    size_t i = 0, j = 0;
    for (uint64_t first = 0; first < n; first += kChunk) {
      const uint64_t count = std::min<uint64_t>(kChunk, n - first);
      const auto found = first_output.fetch(first, count);
      if (!found) return found.error();
      std::span<const uint32_t> found_values;
      if (wanted_ == Wanted::pairs) {
        const auto bytes = value_output.fetch(first, count);
        if (!bytes) return bytes.error();
        found_values = items_of<uint32_t>(*bytes);
      }
      for (uint64_t k = 0; k < count; ++k) {
        const bool from_a = j == b.size() || (i < a.size() && a[i] <= b[j]);
        const size_t place = from_a ? i++ : j++;
        const uint64_t expected = wanted_ == Wanted::index ? place + (from_a ? 0 : a.size()) : (from_a ? a : b)[place];
        const uint64_t output = wanted_ == Wanted::index ? items_of<uint32_t>(*found)[k] : items_of<T>(*found)[k];
        if (output != expected)
          return std::optional(Mismatch{first + k, std::to_string(expected), std::to_string(output)});
        if (wanted_ == Wanted::pairs && found_values[k] != values[from_a ? 0 : 1][place])
          return std::optional(Mismatch{first + k, "value " + std::to_string(values[from_a ? 0 : 1][place]),
                                        std::to_string(found_values[k])});
      }
    }
    return std::optional<Mismatch>();
  }

  Wanted wanted_;
  Spread spread_;
  Type key_;
  std::optional<Merge> merge_;
  mutable std::array<Made, 2> made_;
};

}  // namespace

Cases merge_cases(const Matrix& matrix) {
  Cases cases;
  // n: keys of both sequences together.
  const auto add = [&](Wanted wanted, Spread spread, Type key, std::vector<uint64_t> sizes) {
    cases.push_back(std::make_unique<MergeCase>(wanted, spread, key, std::move(sizes)));
  };
  add(Wanted::keys, Spread::random, Type::u32, matrix.sizes);
  if (matrix.essential) return cases;
  for (const Spread spread : {Spread::interleaved, Spread::disjoint, Spread::one_sided, Spread::ties})
    add(Wanted::keys, spread, Type::u32, some_sizes(matrix));
  add(Wanted::keys, Spread::random, Type::u64, some_sizes(matrix));
  add(Wanted::pairs, Spread::random, Type::u32, some_sizes(matrix));
  for (const Spread spread : {Spread::interleaved, Spread::ties})
    add(Wanted::pairs, spread, Type::u32, some_sizes(matrix));
  add(Wanted::index, Spread::random, Type::u32, some_sizes(matrix));
  return cases;
}

}  // namespace weft::bench
