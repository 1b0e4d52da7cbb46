// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/coding.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::gstd {

void RansTable::set(std::span<const uint16_t> frequencies) {
  frequency.fill(0);
  base.fill(0);
  uint32_t slot = 0;
  for (uint32_t s = 0; s < frequencies.size(); ++s) {
    frequency[s] = frequencies[s];
    base[s] = static_cast<uint16_t>(slot);
    const uint32_t end = std::min<uint32_t>(slot + frequencies[s], kRansSlots);
    std::fill(symbol.begin() + slot, symbol.begin() + end, static_cast<uint8_t>(s));
    slot = end;
  }
}

uint32_t value_of(Weight weight) {
  if (weight.weight_class < 2) return 0;
  const uint32_t octave = weight.weight_class - 2u, extra = weight_extra_bits(weight.weight_class);
  return 1u << octave | uint32_t{weight.extra} << (octave - extra);
}

Weight weight_of(uint32_t value) {
  if (value == 0) return {1, 0};
  value = std::min(value, 511u);
  const uint32_t octave = static_cast<uint32_t>(std::bit_width(value)) - 1;
  const uint32_t extra = weight_extra_bits(octave + 2);
  const uint32_t step = 1u << (octave - extra);
  const uint32_t rounded = std::clamp((value + step / 2) / step * step, 1u, 512 - (1u << (8 - kWeightBits)));
  const uint32_t position = static_cast<uint32_t>(std::bit_width(rounded)) - 1;
  const uint32_t bits = std::min(weight_extra_bits(position + 2), position);
  return {static_cast<uint8_t>(position + 2),
          static_cast<uint8_t>((rounded >> (position - bits)) & ((1u << bits) - 1))};
}

bool frequencies_of(std::span<const Weight> weights, std::span<uint16_t> frequencies) {
  uint32_t present = 0, sum = 0;
  for (const Weight& weight : weights) {
    present += weight.weight_class != 0 ? 1 : 0;
    sum += value_of(weight);
  }
  if (sum == 0) return false;
  // One slot for each present symbol; the others in proportion to the weights.
  const uint32_t slots = kRansSlots - present;
  // Instead of divisions by `sum`: exact, since it is below 2^15 and products are below 2^24.
  constexpr uint32_t kReciprocalLog = 52;
  const uint64_t reciprocal = (uint64_t{1} << kReciprocalLog) / sum + 1;
  uint32_t before = 0, slots_before = 0;
  for (uint32_t s = 0; s < weights.size(); ++s) {
    before += value_of(weights[s]);
    const uint32_t slots_after = static_cast<uint32_t>(before * slots * reciprocal >> kReciprocalLog);
    frequencies[s] = static_cast<uint16_t>(slots_after - slots_before + (weights[s].weight_class != 0 ? 1 : 0));
    slots_before = slots_after;
  }
  return true;
}

uint32_t single_symbol(const CodeLengths& lengths) {
  uint32_t single = 256;
  for (uint32_t s = 0; s < 256; ++s) {
    if (lengths[s] == 0) continue;
    if (single != 256 || lengths[s] != 1) return 256;
    single = s;
  }
  return single;
}

bool is_complete(const CodeLengths& lengths) {
  uint32_t sum = 0;
  for (const uint8_t length : lengths)
    if (length != 0) sum += 1u << (kMaxCodeLength - length);
  return sum == 1u << kMaxCodeLength || single_symbol(lengths) != 256;
}

void assign_codes(const CodeLengths& lengths, std::array<uint16_t, 256>& codes) {
  std::array<uint32_t, kLengthSymbols> counts{}, next{};
  for (const uint8_t length : lengths) ++counts[length];
  for (uint32_t length = 2; length <= kMaxCodeLength; ++length)
    next[length] = (next[length - 1] + counts[length - 1]) << 1;
  for (uint32_t s = 0; s < 256; ++s) codes[s] = lengths[s] == 0 ? 0 : static_cast<uint16_t>(next[lengths[s]]++);
}

namespace {

LiteralTable::Entry entry_of(uint32_t byte, uint32_t length, uint32_t map) {
  return LiteralTable::Entry::of(byte, length, BlockHeader::table_of(map, literal_context(byte)));
}

}  // namespace

bool LiteralTable::set(const CodeLengths& of, uint32_t map) {
  // Equal lengths come in a row: with bytes in quarters, few increments wait for the one before.
  constexpr uint32_t kQuarter = 64;
  std::array<std::array<uint32_t, kLengthSymbols>, 4> first{};  // of each length's bytes, after all absent ones
  for (uint32_t s = 0; s < kQuarter; ++s)
    for (uint32_t quarter = 0; quarter < 4; ++quarter) ++first[quarter][of[quarter * kQuarter + s]];
  uint32_t counted = 0, sum = 0, at = 0;
  for (uint32_t length = 0; length <= kMaxCodeLength; ++length) {
    const uint32_t before = counted;
    for (auto& quarter : first) counted += std::exchange(quarter[length], counted);
    if (length == 0)
      at = counted;
    else
      sum += (counted - before) << (kMaxCodeLength - length);
  }
  if (sum != 1u << kMaxCodeLength) {
    const uint32_t single = single_symbol(of);
    if (single == 256) return false;
    entries.fill(entry_of(single, 0, map));
    return true;
  }
  // By length, then by byte, the order of the entries: each may overwrite later ones.
  std::array<uint8_t, 256> bytes;
  for (uint32_t s = 0; s < kQuarter; ++s)
    for (uint32_t quarter = 0; quarter < 4; ++quarter) {
      const uint32_t byte = quarter * kQuarter + s;
      bytes[first[quarter][of[byte]]++] = static_cast<uint8_t>(byte);
    }
  Entry* to = entries.data();
  for (; at < 256; ++at) {
    const Entry entry = entry_of(bytes[at], of[bytes[at]], map);
    const std::array<Entry, kSlack> several = {entry, entry, entry, entry, entry, entry, entry, entry};
    const uint32_t count = 1u << (kMaxCodeLength - entry.length());
    for (uint32_t i = 0; i < count; i += kSlack) std::memcpy(to + i, several.data(), sizeof several);
    to += count;
  }
  return true;
}

}  // namespace weft::gstd
