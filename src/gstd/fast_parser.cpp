// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/fast_parser.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "gstd/format.hpp"
#include "gstd/little_endian.hpp"

namespace weft::gstd {

namespace {

constexpr uint32_t kLongBytes = 8, kShortBytes = 5;
constexpr uint32_t kLeastFound = 4;                    // bytes a match has at least where it is found
constexpr uint32_t kHashLog = 16, kSmallHashLog = 13;  // of bytes up to kSmallBytes: tables are cleared each time
constexpr size_t kSmallBytes = 8192;
constexpr uint64_t kSpread = 0x9e3779b97f4a7c15u;

template <uint32_t bytes, uint32_t log>
uint32_t hash(uint64_t eight) {
  return static_cast<uint32_t>(((eight << (64 - 8 * bytes)) * kSpread) >> (64 - log));
}

// How many bytes from a and b on are equal; b is the later. 16 at a time: most matches end in the first, which nobody can foretell of 8.
size_t common_bytes(const std::byte* a, const std::byte* b, const std::byte* end) {
  const std::byte* const begin = b;
  while (end - b >= 16) {
    const uint64_t first = load_u64(a) ^ load_u64(b), second = load_u64(a + 8) ^ load_u64(b + 8);
    if ((first | second) != 0) {
      const uint64_t apart = first != 0 ? first : second;
      return static_cast<size_t>(b - begin) + (first != 0 ? 0 : 8) + static_cast<size_t>(std::countr_zero(apart)) / 8;
    }
    a += 16;
    b += 16;
  }
  while (b != end && *a == *b) ++a, ++b;
  return static_cast<size_t>(b - begin);
}

// How many bytes in front of a and b are equal, at most `most`, which are there.
size_t common_bytes_before(const std::byte* a, const std::byte* b, size_t most) {
  size_t length = 0;
  for (; most - length >= 8; length += 8) {
    const uint64_t apart = load_u64(a - length - 8) ^ load_u64(b - length - 8);
    if (apart != 0) return length + static_cast<size_t>(std::countl_zero(apart)) / 8;
  }
  while (length != most && a[-1 - static_cast<std::ptrdiff_t>(length)] == b[-1 - static_cast<std::ptrdiff_t>(length)])
    ++length;
  return length;
}

}  // namespace

FastParser::FastParser(int level) : patience_log_(level >= 2 ? 8 : 7) {}

// A table's entry is a place that was visited, or 0, which is a place too: whatever is there is before the place that asks.
template <bool only_long, uint32_t log>
void FastParser::parse_for(std::span<const std::byte> bytes, std::vector<Match>& matches) {
  using Place = uint16_t;
  matches.clear();
  if (bytes.size() < 16 || bytes.size() > kMaxFastBytes) return;
  places_.assign(size_t{only_long ? 1 : 2} << log, 0);
  Place* const longs = places_.data();
  [[maybe_unused]] Place* const shorts = longs + (size_t{1} << log);
  const std::byte* const begin = bytes.data();
  const std::byte* const end = begin + bytes.size();
  const std::byte* const last = end - kLongBytes - 1;  // of those that are looked up

  uint32_t repeat = kFirstRepeats[0], repeat_before = kFirstRepeats[1];
  const std::byte* anchor = begin;  // what literals begin at
  const std::byte* at = begin + 1;
  while (at <= last) {
    const uint64_t eight = load_u64(at);
    const uint32_t place = static_cast<uint32_t>(at - begin);
    Place& long_entry = longs[hash<kLongBytes, log>(eight)];
    Place& short_entry = only_long ? long_entry : shorts[hash<kShortBytes, log>(eight)];
    const std::byte* candidate = begin + long_entry;
    const std::byte* const short_candidate = begin + short_entry;
    long_entry = short_entry = static_cast<Place>(place);

    // The offset used last, one byte on.
    if (repeat <= place + 1 && load_u32(at + 1) == load_u32(at + 1 - repeat) &&
        (!only_long || load_u32(at + 5) == load_u32(at + 5 - repeat))) {
      ++at;
      const size_t length = kLeastFound + common_bytes(at + kLeastFound - repeat, at + kLeastFound, end);
      matches.push_back({static_cast<uint32_t>(at - anchor), static_cast<uint32_t>(length), repeat});
      at += length;
    } else {
      if (load_u64(candidate) != eight) {
        if (only_long || load_u32(short_candidate) != static_cast<uint32_t>(eight)) {
          at += ((at - anchor) >> patience_log_) + 1;
          continue;
        }
        candidate = short_candidate;
        // A long match one byte on is worth a literal.
        const uint64_t next = load_u64(at + 1);
        Place& next_entry = longs[hash<kLongBytes, log>(next)];
        const std::byte* const next_candidate = begin + next_entry;
        next_entry = static_cast<Place>(place + 1);
        if (load_u64(next_candidate) == next) {
          candidate = next_candidate;
          ++at;
        }
      }
      const uint32_t offset = static_cast<uint32_t>(at - candidate);
      const size_t behind = common_bytes(candidate + kLeastFound, at + kLeastFound, end);
      const size_t before =
          common_bytes_before(candidate, at, static_cast<size_t>(std::min(at - anchor, candidate - begin)));
      const size_t length = before + kLeastFound + behind;
      at -= before;
      matches.push_back({static_cast<uint32_t>(at - anchor), static_cast<uint32_t>(length), offset});
      at += length;
      if (offset != repeat) repeat_before = std::exchange(repeat, offset);
    }
    anchor = at;
    if (at > last) break;
    // Two places within the match, and two at its end.
    const uint64_t inner = load_u64(begin + place + 2), outer = load_u64(at - 2);
    longs[hash<kLongBytes, log>(inner)] = static_cast<Place>(place + 2);
    longs[hash<kLongBytes, log>(outer)] = static_cast<Place>(at - 2 - begin);
    if constexpr (only_long) continue;
    shorts[hash<kShortBytes, log>(inner)] = static_cast<Place>(place + 2);
    shorts[hash<kShortBytes, log>(load_u64(at - 1))] = static_cast<Place>(at - 1 - begin);
    // The offset before, at once.
    while (at <= last && repeat_before <= static_cast<size_t>(at - begin) &&
           load_u32(at) == load_u32(at - repeat_before)) {
      const uint64_t here = load_u64(at);
      longs[hash<kLongBytes, log>(here)] = shorts[hash<kShortBytes, log>(here)] = static_cast<Place>(at - begin);
      const size_t length = kLeastFound + common_bytes(at + kLeastFound - repeat_before, at + kLeastFound, end);
      std::swap(repeat, repeat_before);
      matches.push_back({0, static_cast<uint32_t>(length), repeat});
      anchor = at += length;
    }
  }
}

void FastParser::parse(std::span<const std::byte> bytes, bool only_long, std::vector<Match>& matches) {
  if (bytes.size() <= kSmallBytes) {
    only_long ? parse_for<true, kSmallHashLog>(bytes, matches) : parse_for<false, kSmallHashLog>(bytes, matches);
  } else {
    only_long ? parse_for<true, kHashLog>(bytes, matches) : parse_for<false, kHashLog>(bytes, matches);
  }
}

}  // namespace weft::gstd
