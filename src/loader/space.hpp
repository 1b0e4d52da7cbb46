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

  std::optional<uint64_t> take(uint64_t bytes) {
    const uint64_t wanted = rounded(std::max<uint64_t>(bytes, 1));
    for (auto part = free_.begin(); part != free_.end(); ++part) {
      if (part->second < wanted) continue;
      const uint64_t at = part->first, left = part->second - wanted;
      free_.erase(part);
      if (left != 0) free_.emplace(at + wanted, left);
      used_ += wanted;
      peak_ = std::max(peak_, used_);
      return at;
    }
    return std::nullopt;
  }

  void give_back(uint64_t at, uint64_t bytes) {
    uint64_t size = rounded(std::max<uint64_t>(bytes, 1));
    used_ -= size;
    const auto next = free_.lower_bound(at);
    if (next != free_.end() && next->first == at + size) {
      size += next->second;
      free_.erase(next);
    }
    const auto after = free_.lower_bound(at);
    if (after != free_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == at) {
        before->second += size;
        return;
      }
    }
    free_.emplace(at, size);
  }

  uint64_t size() const noexcept { return size_; }
  uint64_t used() const noexcept { return used_; }
  uint64_t peak() const noexcept { return peak_; }

 private:
  std::map<uint64_t, uint64_t> free_;  // bytes by position
  uint64_t size_ = 0, used_ = 0, peak_ = 0;
};

}  // namespace weft::loader
