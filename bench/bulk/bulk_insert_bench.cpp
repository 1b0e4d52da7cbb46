// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/bulk_insert.hpp>

#include "support/bulk_case.hpp"

namespace weft::bench {
namespace {

class BulkInsertCase : public BulkCase {
 public:
  BulkInsertCase(const ItemType& item, bool clustered, std::vector<uint64_t> sizes)
      : BulkCase("bulk_insert", item, clustered, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto insert = BulkInsert::create(gpu.context(), {item_bytes(), Type::u32});
    if (!insert) return insert.error();
    insert_ = std::move(insert).value();
    return {};
  }
  void release() override {
    BulkCase::release();
    insert_.reset();
    positions_ = {};
  }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    // Where item i of those that come in ends up, less the i in front of it.
    positions_ = places(n).places();
    for (uint32_t i = 0; i < positions_.size(); ++i) positions_[i] -= i;
    return {source.array(kItems, item_bytes(), n - quarter(n)),
            source.array(kInserted, item_bytes(), quarter(n)),
            {std::as_bytes(std::span(positions_)), places(n).id() | kPositions}};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * item_bytes(), sizeof(uint64_t)}; }
  uint64_t scratch_bytes(uint64_t n) const override { return insert_->scratch_size(n - quarter(n), quarter(n)); }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * item_bytes() + quarter(n) * sizeof(uint32_t); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return insert_->record(commands, {buffers.inputs[0], buffers.inputs[1], buffers.inputs[2], buffers.outputs[0],
                                      buffers.outputs[1], buffers.scratch, n - quarter(n), quarter(n)});
  }

  Verdict verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const override {
    const HostArray array = source.array(kItems, item_bytes(), n - quarter(n));
    const HostArray inserted_array = source.array(kInserted, item_bytes(), quarter(n));
    const auto total = read_count(gpu, buffers.outputs[1]);
    if (!total) return total.error();
    return with_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      const auto items = items_of<T>(array.bytes), inserted = items_of<T>(inserted_array.bytes);
      OutputReader reader(gpu, buffers.outputs[0], sizeof(T), buffers.sampled);
      const std::span<const uint32_t> coming = places(n).places();
      const auto write = [&](uint64_t begin, uint64_t end, T* out) {
        uint64_t j = static_cast<uint64_t>(std::lower_bound(coming.begin(), coming.end(), begin) - coming.begin());
        for (uint64_t i = begin; i < end; ++i) {
          const bool comes = j < coming.size() && coming[j] == i;
          *out++ = comes ? inserted[j] : items[i - j];
          j += comes ? 1 : 0;
        }
      };
      return oracle::first_bad(oracle::same_count(n, *total),
                               oracle::check_ranges<T>("item", n, write, reader.fetcher()));
    });
  }

 private:
  static constexpr uint64_t kPositions = uint64_t{1} << 58;
  std::optional<BulkInsert> insert_;
  mutable std::vector<uint32_t> positions_;
};

}  // namespace

Cases bulk_insert_cases(const Matrix& matrix) {
  Cases cases;
  add_quarters(matrix, [&](const ItemType& item, bool clustered, const std::vector<uint64_t>& sizes) {
    cases.push_back(std::make_unique<BulkInsertCase>(item, clustered, sizes));
  });
  return cases;
}

}  // namespace weft::bench
