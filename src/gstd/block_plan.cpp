// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/block_plan.hpp"

#include <algorithm>

namespace weft::gstd {

namespace {

constexpr uint32_t kMaxMatch = kMaxBlockBytes / 2;  // match of a sequence
constexpr uint32_t kFastBlockWork = 1u << 15;       // of a block that is planned fast
constexpr Cost kBlockCost = 680 * kBit;             // headers, and what descriptions of tables take beyond the estimate

}  // namespace

// Entropies, and an estimate of descriptions: a few bits for each present symbol.
Cost BlockPlanner::cost_of(const Segment& segment) {
  Cost cost = kBlockCost + entropy_cost(segment.literals);
  const uint32_t present = count_present(segment.literals);
  cost += Cost{present} * 2 * kBit + (present < 128 ? 48 : 16) * kBit;
  for (uint32_t f = 0; f < kLowBits; ++f) {
    const std::span<const uint32_t> counts(segment.fields[f].data(), kFieldSymbols[f]);
    cost += entropy_cost(counts);
    cost += counts.size() * (kBit / 2) + count_present(counts) * (4 * kBit - kBit / 2);
  }
  return cost;
}

void BlockPlanner::add(Segment& to, const Segment& more) {
  to.size += more.size;
  to.sequences += more.sequences;
  for (uint32_t s = 0; s < 256; ++s) to.literals[s] += more.literals[s];
  for (uint32_t f = 0; f < kLowBits; ++f)
    for (uint32_t s = 0; s < kFieldSymbols[f]; ++s) to.fields[f][s] += more.fields[f][s];
}

void BlockPlanner::measure(std::span<const std::byte> bytes, std::span<const Match> matches, uint32_t target) {
  segments_.clear();
  segments_.emplace_back();
  History history(false);
  uint32_t position = 0;
  const auto cut = [&] {
    if (segments_.back().size < target) return;
    segments_.emplace_back();
    segments_.back().begin = position;
  };
  const auto literals = [&](uint32_t count) {
    while (count != 0) {
      cut();
      Segment& segment = segments_.back();
      const uint32_t now = std::min(count, target - segment.size);
      for (uint32_t i = 0; i < now; ++i) ++segment.literals[static_cast<uint8_t>(bytes[position++])];
      segment.size += now;
      count -= now;
    }
  };
  for (const Match& match : matches) {
    literals(match.literals);
    cut();
    Segment& segment = segments_.back();
    ++segment.fields[kLiteralLength][literal_length_symbols(false).code(match.literals).symbol];
    ++segment.fields[kOffset][history.push(match.offset, match.literals)];
    ++segment.fields[kMatchLength][match_length_symbols(false).code(match.length - kMinMatch).symbol];
    segment.size += match.length;
    ++segment.sequences;
    position += match.length;
  }
  literals(static_cast<uint32_t>(bytes.size()) - position);
}

// Merges the pair with the largest gain until no pair gains.
void BlockPlanner::merge() {
  const auto with_next = [&](size_t i) {
    Segment& segment = segments_[i];
    segment.merged_cost = ~Cost{0};
    if (i + 1 >= segments_.size() || segment.size + segments_[i + 1].size > kMaxBlockBytes ||
        segment.sequences + segments_[i + 1].sequences > kMaxBlockSequences)
      return;
    both_ = segment;
    add(both_, segments_[i + 1]);
    segment.merged_cost = cost_of(both_);
  };
  for (Segment& segment : segments_) segment.cost = cost_of(segment);
  for (size_t i = 0; i < segments_.size(); ++i) with_next(i);
  for (;;) {
    size_t best = segments_.size();
    Cost gain = 0;
    for (size_t i = 0; i + 1 < segments_.size(); ++i) {
      const Cost apart = segments_[i].cost + segments_[i + 1].cost;
      if (segments_[i].merged_cost >= apart || apart - segments_[i].merged_cost <= gain) continue;
      gain = apart - segments_[i].merged_cost;
      best = i;
    }
    if (best == segments_.size()) return;
    add(segments_[best], segments_[best + 1]);
    segments_[best].cost = segments_[best].merged_cost;
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    with_next(best);
    if (best != 0) with_next(best - 1);
  }
}

uint64_t BlockPlanner::plan(std::span<const std::byte> bytes, std::span<const Match> matches, uint32_t segment_bytes,
                            std::vector<Match>& sequences, std::vector<BlockPlan>& blocks) {
  measure(bytes, matches, segment_bytes);
  merge();
  Cost cost = 0;
  for (const Segment& segment : segments_) cost += segment.cost;
  cut(bytes, matches, sequences, blocks);
  return cost >> kCostLog;
}

uint64_t BlockPlanner::plan_fast(std::span<const std::byte> bytes, std::span<const Match> matches, uint32_t block_bytes,
                                 std::vector<Match>& sequences, std::vector<BlockPlan>& blocks) {
  // The cost matters for tiny tiles only.
  size_t trailing = bytes.size(), literals = bytes.size();
  uint32_t longest = 0;
  for (const Match& match : matches) {
    trailing -= match.literals + match.length;
    literals -= match.length;
    longest = std::max(longest, match.length);
  }
  const uint64_t bits = literals * 6 + matches.size() * 20;
  segments_.clear();
  // A block of much work is worth several: their tables fit better.
  const size_t parts = (literals + kSequenceWork * matches.size() + kFastBlockWork - 1) / kFastBlockWork;
  if (block_bytes == 0 && parts > 1) block_bytes = static_cast<uint32_t>(bytes.size() / parts + 1);
  if (block_bytes == 0 && bytes.size() <= kMaxBlockBytes && longest <= kMaxMatch &&
      matches.size() <= kMaxBlockSequences &&
      has_room_for(static_cast<uint32_t>(literals), static_cast<uint32_t>(matches.size()),
                   static_cast<uint32_t>(bytes.size()))) {
    sequences.assign(matches.begin(), matches.end());
    BlockPlan block;
    block.size = static_cast<uint32_t>(bytes.size());
    block.count = static_cast<uint32_t>(matches.size());
    block.trailing = static_cast<uint32_t>(trailing);
    blocks.assign(1, block);
    return bits;
  }
  for (size_t begin = 0; block_bytes != 0 && begin < bytes.size(); begin += block_bytes) {
    segments_.emplace_back();
    segments_.back().begin = static_cast<uint32_t>(begin);
  }
  cut(bytes, matches, sequences, blocks);
  return bits;
}

// Splits sequences at ends of blocks and where a length is too long.
void BlockPlanner::cut(std::span<const std::byte> bytes, std::span<const Match> matches, std::vector<Match>& sequences,
                       std::vector<BlockPlan>& blocks) const {
  sequences.clear();
  blocks.clear();
  size_t segment = 1;
  uint32_t position = 0;
  const auto begin_block = [&] {
    blocks.emplace_back();
    blocks.back().begin = position;
    blocks.back().first = static_cast<uint32_t>(sequences.size());
  };
  // Literals since the last match; at a block's end, its last ones. And all of the block.
  uint32_t pending = 0, of_block = 0;
  const auto end_block = [&] {
    blocks.back().trailing = pending;
    blocks.back().size = position - blocks.back().begin;
    pending = 0;
    of_block = 0;
  };
  begin_block();
  const auto divide = [&] {
    if (position == blocks.back().begin) return;
    end_block();
    begin_block();
  };
  const auto at_segment = [&] {
    if (segment >= segments_.size() || segments_[segment].begin > position) return;
    ++segment;
    divide();
  };
  const auto room = [&] { return kMaxBlockBytes - (position - blocks.back().begin); };
  // What literals and sequences may still take.
  const auto work = [&] {
    const uint32_t size = position - blocks.back().begin;
    return of_block + kInPlaceMatches <= size ? kMaxBlockBytes
                                              : kMaxBlockWork - of_block - kSequenceWork * blocks.back().count;
  };
  const auto literals = [&](uint32_t count) {
    while (count != 0) {
      at_segment();
      if (work() == 0 || room() == 0) divide();
      uint32_t now = std::min({count, work(), room()});
      if (segment < segments_.size()) now = std::min(now, std::max(segments_[segment].begin, position + 1) - position);
      position += now;
      pending += now;
      of_block += now;
      count -= now;
    }
  };
  const auto split = [&](const Match& match) {
    literals(match.literals);
    uint32_t left = match.length;
    while (left != 0) {
      at_segment();
      // The rest of a long match is a match.
      const uint32_t now = left <= kMaxMatch ? left : left - kMaxMatch < kMinMatch ? kMaxMatch - kMinMatch : kMaxMatch;
      if (now > room() || work() < kSequenceWork || blocks.back().count == kMaxBlockSequences) divide();
      sequences.push_back({pending, now, match.offset});
      ++blocks.back().count;
      pending = 0;
      position += now;
      left -= now;
    }
  };
  // Adds the sequences that the block takes as they are, from `first` on, and returns the one after them.
  const auto take = [&](size_t first) {
    const uint32_t limit = segment < segments_.size() ? segments_[segment].begin : ~0u;
    const uint32_t end = blocks.back().begin + kMaxBlockBytes;
    uint32_t at = position, literals_of = of_block;
    size_t next = first;
    for (; next < matches.size(); ++next) {
      const auto [run, length, offset] = matches[next];
      const uint32_t count = blocks.back().count + static_cast<uint32_t>(next - first) + 1;
      if (at + run >= limit || at + run + length > end || length > kMaxMatch || count > kMaxBlockSequences ||
          !has_room_for(literals_of + run, count, at + run + length - blocks.back().begin))
        break;
      at += run + length;
      literals_of += run;
    }
    if (next == first) return next;
    const size_t of_first = sequences.size();
    sequences.insert(sequences.end(), matches.begin() + static_cast<std::ptrdiff_t>(first),
                     matches.begin() + static_cast<std::ptrdiff_t>(next));
    sequences[of_first].literals += pending;
    blocks.back().count += static_cast<uint32_t>(next - first);
    pending = 0;
    position = at;
    of_block = literals_of;
    return next;
  };
  for (size_t next = take(0); next < matches.size(); next = take(next + 1)) split(matches[next]);
  literals(static_cast<uint32_t>(bytes.size()) - position);
  end_block();
}

}  // namespace weft::gstd
