// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace weft::loader {

constexpr size_t kStagingAlignment = 64 << 10;  ///< what LoaderConfig::allocate is asked for at most

/// Shares out one piece of memory, first fit, in blocks. Unlike a ring it gives room back in any order, so that a
/// large read that is waited for does not hold up what was finished behind it.
class Space {
 public:
  static constexpr uint64_t kBlock = 4096;  // of direct reads, and of packs

  explicit Space(uint64_t bytes = 0) : size_(bytes / kBlock * kBlock) {
    if (size_ != 0) free_.emplace(0, size_);
  }

  static constexpr uint64_t rounded(uint64_t bytes) noexcept { return (bytes + kBlock - 1) / kBlock * kBlock; }

  /// If there is one, from a part with room for `with_more` bytes, so that neighbours may follow.
  std::optional<uint64_t> take(uint64_t bytes, uint64_t with_more = 0) {
    const uint64_t wanted = rounded(std::max<uint64_t>(bytes, 1));
    const auto has = [&](uint64_t least) {
      return std::ranges::find_if(free_, [least](const auto& free) { return free.second >= least; });
    };
    auto part = has(std::max(wanted, with_more));
    if (part == free_.end()) part = has(wanted);
    if (part == free_.end()) return std::nullopt;
    return take_from(part, wanted);
  }
  /// The same at a position, if it is free from there on.
  bool take_at(uint64_t at, uint64_t bytes) {
    const uint64_t wanted = rounded(std::max<uint64_t>(bytes, 1));
    const auto part = free_.find(at);
    if (part == free_.end() || part->second < wanted) return false;
    take_from(part, wanted);
    return true;
  }

  /// Allocates nothing.
  void give_back(uint64_t at) noexcept {
    auto part = taken_.extract(at);
    used_ -= part.mapped();
    auto next = free_.lower_bound(at);
    if (next != free_.end() && next->first == at + part.mapped()) {
      part.mapped() += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == at) {
        before->second += part.mapped();
        return;
      }
    }
    free_.insert(std::move(part));
  }

  uint64_t size() const noexcept { return size_; }
  uint64_t used() const noexcept { return used_; }
  uint64_t peak() const noexcept { return peak_; }

 private:
  uint64_t take_from(std::map<uint64_t, uint64_t>::iterator part, uint64_t wanted) {
    const uint64_t at = part->first;
    taken_.emplace(at, wanted);
    auto rest = free_.extract(part);
    rest.key() += wanted;
    rest.mapped() -= wanted;
    if (rest.mapped() != 0) free_.insert(std::move(rest));
    used_ += wanted;
    peak_ = std::max(peak_, used_);
    return at;
  }

  std::map<uint64_t, uint64_t> free_, taken_;  // bytes by position
  uint64_t size_ = 0, used_ = 0, peak_ = 0;
};

}  // namespace weft::loader
