// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/running_sums.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "gstd/vectors.hpp"

#if defined(WEFT_GSTD_VECTORS)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gstd/running_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::gstd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Of 16 bytes at a time: their own sums by doubling distances, then those before. If the stride divides 16, only one
// addition waits for the 16 before.
template <class Item, uint32_t doublings, bool divides>
void add_up(std::byte* bytes, size_t size, uint32_t stride) {
  constexpr uint32_t kBytes = 16;
  const hn::Full128<uint8_t> all;
  const hn::Full128<Item> items;
  // By doubling: the byte that is added to each, if any. And the byte of its sum in the 16 before.
  alignas(kBytes) std::array<std::array<uint8_t, kBytes>, doublings + 1> from;
  for (uint32_t i = 0; i < kBytes; ++i) {
    for (uint32_t d = 0; d < doublings; ++d)
      from[d][i] = static_cast<uint8_t>(i >= stride << d ? i - (stride << d) : 0x80);
    from[doublings][i] = static_cast<uint8_t>(kBytes - stride + i % std::max<size_t>(stride, 1));
  }
  uint8_t* const to = reinterpret_cast<uint8_t*>(bytes);
  auto before = hn::Zero(items);
  size_t at = 0;
  for (; at + kBytes <= size; at += kBytes) {
    auto sums = hn::BitCast(items, hn::LoadU(all, to + at));
    for (uint32_t d = 0; d < doublings; ++d)
      sums = hn::Add(
          sums, hn::BitCast(items, hn::TableLookupBytesOr0(hn::BitCast(all, sums), hn::Load(all, from[d].data()))));
    const auto last = [&](auto of) HWY_ATTR {
      return hn::BitCast(items, hn::TableLookupBytes(hn::BitCast(all, of), hn::Load(all, from[doublings].data())));
    };
    const auto result = hn::Add(sums, before);
    hn::StoreU(hn::BitCast(all, result), all, to + at);
    before = divides ? hn::Add(before, last(sums)) : last(result);
  }
  for (at = std::max<size_t>(at, stride); at < size; at += sizeof(Item)) {
    Item item, sum;
    std::memcpy(&item, to + at, sizeof item);
    std::memcpy(&sum, to + at - stride, sizeof sum);
    sum = static_cast<Item>(sum + item);
    std::memcpy(to + at, &sum, sizeof sum);
  }
}

template <class Item>
void add_up(std::byte* bytes, size_t size, uint32_t stride) {
  if constexpr (sizeof(Item) == 1)
    if (stride == 1) return add_up<Item, 4, true>(bytes, size, stride);
  if (stride == 2) return add_up<Item, 3, true>(bytes, size, stride);
  if constexpr (sizeof(Item) == 1)
    if (stride == 3) return add_up<Item, 3, false>(bytes, size, stride);
  if (stride == 4) return add_up<Item, 2, true>(bytes, size, stride);
  if (stride < 8) return add_up<Item, 2, false>(bytes, size, stride);
  if (stride == 8) return add_up<Item, 1, true>(bytes, size, stride);
  if (stride < 16) return add_up<Item, 1, false>(bytes, size, stride);
  return add_up<Item, 0, true>(bytes, size, stride);
}

constexpr VectorSums kSums = {add_up<uint8_t>, add_up<uint16_t>};

}  // namespace weft::gstd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if !defined(WEFT_GSTD_VECTORS) || HWY_ONCE
namespace weft::gstd {

const VectorSums* vector_sums(Vectors most) {
  static constexpr const VectorSums* kOfEach[] = WEFT_GSTD_OF_EACH(kSums);
  return kOfEach[static_cast<size_t>(usable_vectors(most))];
}

}  // namespace weft::gstd
#endif
