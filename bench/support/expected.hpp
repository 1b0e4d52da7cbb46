// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/status.hpp>
#include <weft/types.hpp>

#include "support/half.hpp"
#include "support/item_source.hpp"
#include "support/parallel.hpp"

// Expected outputs are made on all cores, block by block, and compared with those of the device: all of them, or those
// of some blocks.
namespace weft::bench {

/// The first output that differs.
struct Mismatch {
  uint64_t index = 0;
  std::string expected;
  std::string found;
};

using Verdict = Result<std::optional<Mismatch>>;

inline Verdict right() { return std::optional<Mismatch>(); }
inline Verdict wrong(uint64_t index, std::string expected, std::string found) {
  return std::optional(Mismatch{index, std::move(expected), std::move(found)});
}

/// Gives outputs [first, first + count) of the device. Valid until the next call.
class FetchOutputs {
 public:
  FetchOutputs() = default;
  /// `sampled`: only the outputs of some blocks are asked for.
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FetchOutputs>) FetchOutputs(F fetch, bool sampled = false)
      : fetch_(std::move(fetch)), sampled_(sampled) {}

  Result<std::span<const std::byte>> operator()(uint64_t first, uint64_t count) const { return fetch_(first, count); }
  bool sampled() const { return sampled_; }

 private:
  std::function<Result<std::span<const std::byte>>(uint64_t first, uint64_t count)> fetch_;
  bool sampled_ = false;
};

namespace oracle {

template <class T>
std::string text(const T& item) {
  if constexpr (std::is_same_v<T, Half>) {
    return std::to_string(to_float(item));
  } else if constexpr (std::is_same_v<T, U32x2>) {
    return '(' + std::to_string(item.x) + ", " + std::to_string(item.y) + ')';
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(item);
  } else {
    std::string words;
    for (const uint32_t word : item) words += (words.empty() ? "(" : ", ") + std::to_string(word);
    return words + ')';
  }
}

/// Equal in value. f16 may be off by one unit in the last place: Vulkan lets a device round conversions either way.
template <class T>
bool same(const T& expected, const T& found) noexcept {
  if constexpr (std::is_same_v<T, Half>) {
    const auto ordered = [](Half h) { return h.bits & 0x8000 ? -(h.bits & 0x7fff) : int{h.bits}; };
    return std::abs(ordered(expected) - ordered(found)) <= 1;
  } else {
    return expected == found;
  }
}

// Not `unsupported`: a row that cannot be checked is a fault of the bench and must not pass for a limit of the device.
inline Error no_oracle() { return Error{ErrorCode::invalid_argument, "no oracle for this operator on these types"}; }

/// The first and the last block, and about one in 64 at random.
inline bool is_sampled(uint64_t block, uint64_t blocks) {
  return block == 0 || block + 1 == blocks || random_word(block, 0x73616d70) % 64 == 0;
}

/// The first of several that is bad.
inline Verdict first_bad(Verdict verdict) { return verdict; }
template <class... More>
Verdict first_bad(Verdict verdict, const More&... more) {
  if (!verdict || *verdict) return verdict;
  return first_bad(more...);
}

inline Verdict same_count(uint64_t expected, uint64_t found) {
  return expected == found ? right() : wrong(0, "count " + std::to_string(expected), std::to_string(found));
}

/// Inputs of a block.
inline constexpr uint64_t kBlock = uint64_t{1} << 16;

/// How many outputs there are before a block, where nothing else matters of the inputs before it.
struct Position {
  uint64_t outputs = 0;
};
inline Position after(Position before, Position block) { return {before.outputs + block.outputs}; }

template <class T>
std::optional<Mismatch> mismatch_of(const char* what, const std::byte* expected, const std::byte* found,
                                    uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    T wanted, item;
    std::memcpy(&wanted, expected + i * sizeof(T), sizeof(T));
    std::memcpy(&item, found + i * sizeof(T), sizeof(T));
    if (!same(wanted, item)) return Mismatch{i, what + (' ' + text(wanted)), text(item)};
  }
  return std::nullopt;
}

/// Compares the outputs of `n` inputs. A State has the number of `outputs` and whatever else of earlier inputs an
/// output depends on: summary(begin, end) is that of inputs by themselves, join(before, block) that after a block.
/// write(begin, end, before, out) makes the outputs of inputs. `what`: the array, as a Mismatch names it. `count`: how
/// many outputs there are in all.
template <class T, class State, class Summary, class Join, class Write>
Verdict check_blocks(const char* what, uint64_t n, State before, const Summary& summary, const Join& join,
                     const Write& write, const FetchOutputs& fetch, uint64_t* count = nullptr,
                     uint64_t block_items = kBlock) {
  constexpr uint64_t kChunkBlocks = 256;
  const uint64_t blocks = (n + block_items - 1) / block_items;
  Verdict verdict = right();
  ByteArray expected;
  std::vector<State> states;  // before each block of a chunk, and after the last

  for (uint64_t chunk = 0; chunk < blocks; chunk += kChunkBlocks) {
    const uint64_t number = std::min(kChunkBlocks, blocks - chunk);
    const auto begin = [&](uint64_t b) { return (chunk + b) * block_items; };
    const auto end = [&](uint64_t b) { return std::min(n, begin(b + 1)); };
    states.assign(number + 1, before);
    for_each_block(number, [&](uint64_t b) { states[b + 1] = summary(begin(b), end(b)); });
    for (uint64_t b = 0; b < number; ++b) states[b + 1] = join(states[b], states[b + 1]);
    before = states[number];

    const auto compare = [&](uint64_t from, uint64_t to) -> Verdict {
      const uint64_t first = states[from].outputs, size = states[to].outputs - first;
      if (size == 0) return right();
      expected.resize(size * sizeof(T));
      T* const out = reinterpret_cast<T*>(expected.data());
      for_each_block(to - from, [&](uint64_t b) {
        const State& state = states[from + b];
        write(begin(from + b), end(from + b), state, out + (state.outputs - first));
      });
      const auto found = fetch(first, size);
      if (!found) return found.error();
      if (std::memcmp(found->data(), expected.data(), expected.size()) == 0) return right();
      auto mismatch = mismatch_of<T>(what, expected.data(), found->data(), size);
      if (mismatch) mismatch->index += first;
      return mismatch;
    };
    // What is wrong is known by now, but not yet the count.
    if (!verdict || *verdict) continue;
    if (!fetch.sampled()) {
      verdict = compare(0, number);
      continue;
    }
    for (uint64_t b = 0; b < number && verdict && !*verdict; ++b)
      if (is_sampled(chunk + b, blocks)) verdict = compare(b, b + 1);
  }
  if (count) *count = before.outputs;
  return verdict;
}

/// Of `n` outputs, of which write(begin, end, out) makes some.
template <class T, class Write>
Verdict check_ranges(const char* what, uint64_t n, const Write& write, const FetchOutputs& fetch) {
  return check_blocks<T>(
      what, n, Position{}, [](uint64_t begin, uint64_t end) { return Position{end - begin}; }, after,
      [&](uint64_t begin, uint64_t end, Position, T* out) { write(begin, end, out); }, fetch);
}

/// Of `n` outputs value(i).
template <class T, class Value>
Verdict check_each(const char* what, uint64_t n, const Value& value, const FetchOutputs& fetch) {
  return check_ranges<T>(
      what, n,
      [&](uint64_t begin, uint64_t end, T* out) {
        for (uint64_t i = begin; i < end; ++i) *out++ = value(i);
      },
      fetch);
}

/// Of outputs that are these items.
template <class T>
Verdict check_items(const char* what, std::span<const T> items, const FetchOutputs& fetch) {
  return check_each<T>(
      what, items.size(), [&](uint64_t i) { return items[i]; }, fetch);
}

/// Of the outputs item(i) for which keep(i), in order.
template <class T, class Item, class Keep>
Verdict check_kept(const char* what, uint64_t n, const Item& item, const Keep& keep, const FetchOutputs& fetch,
                   uint64_t& count) {
  const auto kept = [&](uint64_t begin, uint64_t end) {
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; ++i) sum += keep(i) ? 1 : 0;
    return Position{sum};
  };
  const auto write = [&](uint64_t begin, uint64_t end, Position, T* out) {
    for (uint64_t i = begin; i < end; ++i)
      if (keep(i)) *out++ = item(i);
  };
  return check_blocks<T>(what, n, Position{}, kept, after, write, fetch, &count);
}

/// Of `pieces` of outputs, one after the other: piece k has size(k) of them, item(k, j).
template <class T, class Size, class Item>
Verdict check_pieces(const char* what, uint64_t pieces, const Size& size, const Item& item, const FetchOutputs& fetch) {
  constexpr uint64_t kPieces = uint64_t{1} << 10;
  const auto sizes = [&](uint64_t begin, uint64_t end) {
    uint64_t sum = 0;
    for (uint64_t k = begin; k < end; ++k) sum += size(k);
    return Position{sum};
  };
  const auto write = [&](uint64_t begin, uint64_t end, Position, T* out) {
    for (uint64_t k = begin; k < end; ++k)
      for (uint64_t j = 0, number = size(k); j < number; ++j) *out++ = item(k, j);
  };
  return check_blocks<T>(what, pieces, Position{}, sizes, after, write, fetch, nullptr, kPieces);
}

}  // namespace oracle
}  // namespace weft::bench
