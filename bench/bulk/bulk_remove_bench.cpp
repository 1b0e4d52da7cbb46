// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_remove.hpp>

#include "support/bulk_case.hpp"

namespace weft::bench {
namespace {

class BulkRemoveCase : public BulkCase {
 public:
  BulkRemoveCase(const ItemType& item, bool clustered, std::vector<uint64_t> sizes)
      : BulkCase("bulk_remove", item, clustered, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto remove = BulkRemove::create(gpu.context(), {item_bytes(), Type::u32});
    if (!remove) return remove.error();
    remove_ = std::move(remove).value();
    return {};
  }
  void release() override {
    BulkCase::release();
    remove_.reset();
  }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.array(kItems, item_bytes(), n), places(n).array()};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * item_bytes(), sizeof(uint64_t)}; }
  uint64_t scratch_bytes(uint64_t n) const override { return remove_->scratch_size(n); }
  uint64_t moved_bytes(uint64_t n) const override {
    return (2 * n - quarter(n)) * item_bytes() + quarter(n) * sizeof(uint32_t);
  }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return remove_->record(commands, {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.outputs[1],
                                      buffers.scratch, n, quarter(n)});
  }

  Verdict verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const override {
    const HostArray array = source.array(kItems, item_bytes(), n);
    const auto kept = read_count(gpu, buffers.outputs[1]);
    if (!kept) return kept.error();
    return with_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      const auto items = items_of<T>(array.bytes);
      OutputReader reader(gpu, buffers.outputs[0], sizeof(T), buffers.sampled);
      const std::span<const uint32_t> removed = places(n).places();
      const auto before = [&](uint64_t i) {
        return static_cast<uint64_t>(std::lower_bound(removed.begin(), removed.end(), i) - removed.begin());
      };
      const auto staying = [&](uint64_t begin, uint64_t end) {
        return oracle::Position{end - begin - (before(end) - before(begin))};
      };
      const auto write = [&](uint64_t begin, uint64_t end, oracle::Position, T* out) {
        for (uint64_t i = begin, j = before(begin); i < end; ++i) {
          const bool goes = j < removed.size() && removed[j] == i;
          if (!goes) *out++ = items[i];
          j += goes ? 1 : 0;
        }
      };
      return oracle::first_bad(
          oracle::same_count(n - quarter(n), *kept),
          oracle::check_blocks<T>("item", n, oracle::Position{}, staying, oracle::behind, write, reader.fetcher()));
    });
  }

 private:
  std::optional<BulkRemove> remove_;
};

}  // namespace

Cases bulk_remove_cases(const Matrix& matrix) {
  Cases cases;
  add_quarters(matrix, [&](const ItemType& item, bool clustered, const std::vector<uint64_t>& sizes) {
    cases.push_back(std::make_unique<BulkRemoveCase>(item, clustered, sizes));
  });
  return cases;
}

}  // namespace weft::bench
