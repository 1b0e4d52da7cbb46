// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/table_case.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "support/parallel.hpp"

namespace weft::bench {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kDistributions = 4096;  // a power of two
// Groups at work at once: twice what a large device holds, so that those that are done early make room.
constexpr uint64_t kMaxGroups = 8192;

struct Push {
  VkDeviceAddress described, places, sums;
  uint32_t tables, distribution_mask, place_bytes, padding;
};

/// The weight that Gstd's descriptions have room for: its highest four bits.
int32_t rounded(double weight) {
  const auto whole = static_cast<uint32_t>(weight);
  const int dropped = std::max(static_cast<int>(std::bit_width(whole)) - 4, 0);
  return static_cast<int32_t>(whole >> dropped << dropped);
}

void draw_weights(std::span<int32_t> weights, uint32_t most_present, uint32_t distribution) {
  uint64_t next = uint64_t{distribution} << 10;
  const auto share = [&] { return random_word(next++) * 0x1p-32; };
  const auto symbols = static_cast<uint32_t>(weights.size());
  const double pace = 0.03 + 0.12 * share();
  // Lengths have the shortest most often; offsets those of some distance.
  const double peak = symbols > 64 ? 8 + 40 * share() : 4 * share();
  uint32_t present = 0;
  for (uint32_t symbol = 0; symbol < symbols; ++symbol) {
    const double weight = 511 * std::exp(-pace * std::abs(symbol - peak)) * (0.3 + 0.7 * share());
    const bool is_there = share() < 0.6;
    weights[symbol] = weight >= 1 ? rounded(weight) : is_there ? 0 : kNoWeight;
    present += weights[symbol] != kNoWeight ? 1 : 0;
  }
  for (uint32_t symbol = symbols; present > most_present; --symbol) {
    present -= weights[symbol - 1] != kNoWeight ? 1 : 0;
    weights[symbol - 1] = kNoWeight;
  }
}

}  // namespace

std::vector<uint32_t> shared_out(std::span<const int32_t> weights, uint32_t total) {
  uint32_t sum = 0;
  for (const int32_t weight : weights) {
    total -= weight != kNoWeight ? 1 : 0;
    sum += static_cast<uint32_t>(std::max(weight, 0));
  }
  std::vector<uint32_t> counts;
  uint64_t before = 0;
  for (const int32_t weight : weights) {
    const uint64_t after = before + static_cast<uint32_t>(std::max(weight, 0));
    const uint64_t share = after * total / sum - before * total / sum;
    counts.push_back(static_cast<uint32_t>(share) + (weight != kNoWeight ? 1 : 0));
    before = after;
  }
  return counts;
}

TableCase::TableCase(TableKind kind, Sizes sizes)
    : BenchCase({kind.primitive,
                 "symbols=" + std::to_string(kind.symbols) + " accuracy=" + std::to_string(kind.accuracy),
                 {"table", kind.table_bytes},
                 reads({}),
                 writes({kLanes * sizeof(uint32_t)}),
                 moves(kind.symbols * sizeof(uint32_t) + kind.table_bytes),
                 {},
                 "tile-like"},
                std::move(sizes)),
      kind_(std::move(kind)) {}

Status TableCase::prepare(Gpu& gpu) {
  workgroup_ = std::max(kLanes, gpu.context().subgroup_size());
  if (const Status status = assign(kernel_, kind_.create(gpu, sizeof(Push), workgroup_)); !status) return status;

  std::vector<int32_t> weights(size_t{kDistributions} * kind_.symbols);
  const auto weights_of = [&](uint64_t d) { return std::span(weights).subspan(d * kind_.symbols, kind_.symbols); };
  sums_.assign(size_t{kDistributions} * kLanes, 0);
  described_.clear();
  for (uint32_t d = 0; d < kDistributions; ++d) {
    draw_weights(weights_of(d), kind_.most_present, d);
    const std::vector<uint32_t> words = kind_.described(weights_of(d));
    described_.insert(described_.end(), words.begin(), words.end());
  }
  const auto sum = [&](uint64_t begin, uint64_t end) {
    for (uint64_t d = begin; d < end; ++d) {
      const std::vector<uint32_t> table = kind_.table(weights_of(d));
      // As weighted() of shaders/table_build.glsl.
      for (uint32_t i = 0; i < table.size(); ++i) sums_[d * kLanes + i % kLanes] += table[i] * (i * 0x9e3779b9u | 1u);
    }
  };
  for_each_range(kDistributions, sum, 64);
  return {};
}

void TableCase::release() {
  kernel_.reset();
  described_ = {};
  sums_ = {};
}

uint64_t TableCase::workgroups(uint64_t n) const {
  const uint64_t groups = workgroup_ / kLanes;
  return (std::clamp<uint64_t>(n, 1, kMaxGroups) + groups - 1) / groups;
}

Arrays TableCase::inputs(ItemSource&, uint64_t) const {
  const uint64_t id = uint64_t{1} << 57 | std::hash<std::string>{}(name()) >> 8;
  return {{std::as_bytes(std::span(described_)), id}};
}

uint64_t TableCase::scratch_size(uint64_t n) const { return workgroups(n) * (workgroup_ / kLanes) * kind_.group_bytes; }

Status TableCase::record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const {
  Push push{};
  push.described = kernel_->address_of(buffers.inputs[0]);
  push.sums = kernel_->address_of(buffers.outputs[0]);
  if (kind_.group_bytes != 0) push.places = kernel_->address_of(buffers.scratch);
  push.tables = static_cast<uint32_t>(n);
  push.distribution_mask = kDistributions - 1;
  push.place_bytes = kind_.group_bytes;
  kernel_->record(commands, push, workgroups(n));
  return {};
}

Verdict TableCase::verify(GpuOutputs& found, ItemSource&, uint64_t n) const {
  return oracle::check_each<uint32_t>(
      "sum", n * kLanes, [&](uint64_t i) { return sums_[i % sums_.size()]; }, found.fetch(0));
}

Sizes table_counts(const Matrix& matrix) {
  Sizes counts = matrix.sizes;
  for (uint64_t& n : counts) n = std::max<uint64_t>(n >> 10, 1);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

}  // namespace weft::bench
