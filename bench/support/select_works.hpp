// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstring>

#include "support/work.hpp"

namespace weft::bench {

/// "kept=0.5": of a share in tenths.
inline std::string kept_name(double share) {
  const auto tenths = std::lround(10 * share);
  return "kept=" + std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "");
}

/// Of 1, 2, 4 or 8 bytes.
constexpr Type unsigned_type(uint32_t bytes) {
  return bytes == 1 ? Type::u8 : bytes == 2 ? Type::u16 : bytes == 4 ? Type::u32 : Type::u64;
}

/// What rows measure beside u32.
inline std::vector<ItemType> other_items() {
  return {Type::u8, Type::u16, Type::u64, ItemType::words(4), ItemType::words(12)};
}

/// Items below a bound with a share of about `kept` below it. Structs are tested by their first word.
struct BelowBound {
  BelowBound(const ItemSource& source, const ItemType& item, double kept)
      : tested_bytes(item.bytes > 8 ? 4 : item.bytes) {
    const ItemSource::Bound bound = source.bound_below(kept, tested_bytes, item.bytes);
    // Criteria take numbers of the item's type, which the bound of all is not.
    is_all = tested_bytes < 8 && bound.value >> 8 * tested_bytes != 0;
    value = is_all ? bound.value - 1 : bound.value;
    share = bound.share;
  }
  template <class T>
  bool operator()(const T& item) const {
    uint64_t number = 0;
    std::memcpy(&number, &item, std::min<size_t>(tested_bytes, sizeof(T)));
    return is_all ? number <= value : number < value;
  }

  uint32_t tested_bytes;
  bool is_all;  ///< `value` is the last, not one after it
  uint64_t value;
  double share;
};

/// Compares the kept items, or whatever a row writes, and their number.
using CheckKept = std::function<Verdict(const Inputs& in, Outputs& out, uint64_t found_count)>;

/// `moved`: bytes an item of each output, whose number follows them. `share`: of items kept, to be expected.
inline Work kept_work(const char* primitive, const std::string& variant, const ItemType& item,
                      const std::vector<Array>& arrays, const Sizes& moved, double share, const CheckKept& check) {
  return {primitive,
          variant,
          item,
          reads(arrays),
          writes(moved, {4}),
          [=](uint64_t n) {
            uint64_t bytes = 0;
            for (const Array& array : arrays) bytes += array.bytes(n);
            for (const uint64_t output : moved) bytes += share_of(share, n) * output;
            return bytes;
          },
          [=](const Inputs& in, Outputs& out) { return check(in, out, out.read(moved.size())); },
          RunData{arrays[0].data, {}}.row_data()};
}

inline Work select_if_work(const ItemType& item, double kept, const BelowBound& below) {
  return kept_work("select_if", kept_name(kept), item, {{Data::stream(), item.bytes}}, {item.bytes}, below.share,
                   [=](const Inputs& in, Outputs& out, uint64_t found) {
                     return with_item(item.bytes, [&]<class T>(T*) {
                       const auto items = in.as<T>();
                       return oracle::check_select(
                           items, [&](uint64_t i) { return below(items[i]); }, out.fetch(0, sizeof(T)), found);
                     });
                   });
}

/// Items of a workgroup that is dispatched for those kept.
constexpr uint32_t kDispatchedItems = 256;

/// The same, and the arguments of an indirect dispatch for what is kept.
inline Work select_chain_work(double kept, const BelowBound& below) {
  Work work = select_if_work(Type::u32, kept, below);
  work.variant += " chain";
  work.outputs = writes({4}, {4, 12});
  work.check = [check = work.check](const Inputs& in, Outputs& out) {
    return oracle::first_bad(
        check(in, out), oracle::check_dispatch(out.read(1), kDispatchedItems, out.read<std::array<uint32_t, 3>>(2)));
  };
  return work;
}

/// By a u8 flag each.
inline Work select_flagged_work(const ItemType& item, double kept) {
  return kept_work("select_flagged", kept_name(kept) + " u8 flags", item,
                   {{Data::flags(kept), 1}, {Data::stream(), item.bytes}}, {item.bytes}, kept,
                   [=](const Inputs& in, Outputs& out, uint64_t found) {
                     return with_item(item.bytes, [&]<class T>(T*) {
                       const auto flags = in.as<uint8_t>(0);
                       return oracle::check_select(
                           in.as<T>(1), [&](uint64_t i) { return flags[i] != 0; }, out.fetch(0, sizeof(T)), found);
                     });
                   });
}

inline Work unique_work(const ItemSource& source, const ItemType& item, const RunData& runs) {
  return kept_work("unique", runs.name, item, {{runs.data, item.bytes}}, {item.bytes},
                   source.run_share(runs.data, item.bytes), [=](const Inputs& in, Outputs& out, uint64_t found) {
                     return with_item(item.bytes, [&]<class T>(T*) {
                       return oracle::check_unique(in.as<T>(), out.fetch(0, sizeof(T)), found);
                     });
                   });
}

/// u32 values by u32 keys.
inline Work unique_by_key_work(const ItemSource& source, const RunData& runs) {
  return kept_work("unique_by_key", runs.name, Type::u32, {{runs.data}, {Data::stream()}}, {4, 4},
                   source.run_share(runs.data, 4), [](const Inputs& in, Outputs& out, uint64_t found) {
                     const auto keys = in.as(0);
                     const auto head = [&](uint64_t i) { return oracle::is_head(keys, i); };
                     return oracle::first_bad(oracle::check_select(keys, head, out.fetch(0), found),
                                              oracle::check_select(in.as(1), head, out.fetch(1), found));
                   });
}

/// Compares the items for which part(i) is `part`, and the count of them.
template <class T, class Part>
Verdict check_part(std::span<const T> items, const Part& part_of, uint32_t part, const FetchOutputs& fetch,
                   uint64_t found_count) {
  return oracle::check_select(
      items, [&](uint64_t i) { return part_of(items[i]) == part; }, fetch, found_count);
}

/// Two parts by one bound, or three by two.
struct Bounds {
  uint32_t parts;
  BelowBound low, high;

  /// 0, 1 or 2.
  template <class T>
  uint32_t operator()(const T& item) const {
    return low(item) ? 0 : parts == 2 || high(item) ? 1 : 2;
  }
};

/// `counts`: how many of the parts' are written after them.
inline Work partition_work(const std::string& variant, const ItemType& item, const Bounds& bounds, uint32_t counts) {
  return {"partition",
          variant,
          item,
          reads_items(item),
          writes(Sizes(bounds.parts, item.bytes), {4 * counts}),
          moves(2 * item.bytes),
          [=](const Inputs& in, Outputs& out) {
            auto found = out.read<std::array<uint32_t, 3>>(bounds.parts);
            if (counts < bounds.parts) found[counts] = static_cast<uint32_t>(in.n) - found[0] - found[1];
            return with_item(item.bytes, [&]<class T>(T*) {
              Verdict verdict = right();
              for (uint32_t part = 0; part < bounds.parts && verdict && !*verdict; ++part)
                verdict = check_part(in.as<T>(), bounds, part, out.fetch(part, sizeof(T)), found[part]);
              return verdict;
            });
          }};
}

/// Items to a symbol and a u32 length for each run.
inline Work run_length_encode_work(const ItemSource& source, Type symbol, const RunData& runs) {
  const uint32_t bytes = size_of(symbol);
  return {"run_length_encode",
          runs.name,
          symbol,
          reads({{runs.data, bytes}}),
          writes({bytes, 4}, {4}),
          [=, share = source.run_share(runs.data, bytes)](uint64_t n) {
            return n * bytes + share_of(share, n) * (bytes + 4);
          },
          [=](const Inputs& in, Outputs& out) {
            return with_item(bytes, [&]<class T>(T*) {
              const auto items = in.as<T>();
              const auto all = [](uint64_t) { return true; };
              const auto length = [](uint64_t first, uint64_t end) { return static_cast<uint32_t>(end - first); };
              return oracle::first_bad(
                  oracle::check_unique(items, out.fetch(0, sizeof(T)), out.read(2)),
                  oracle::check_runs<uint32_t>("length", items, all, length, out.fetch(1), out.read(2)));
            });
          },
          runs.row_data()};
}

/// The same, where each run begins, and the arguments of an indirect dispatch for the runs.
inline Work run_ranges_work(const ItemSource& source, const RunData& runs) {
  Work work = run_length_encode_work(source, Type::u32, runs);
  work.variant += " chain";
  work.outputs = [](uint64_t n) { return Sizes{4 * n, 4 * n, 4, 4 * n, 12}; };
  work.moved_bytes = [share = source.run_share(runs.data, 4)](uint64_t n) { return n * 4 + share_of(share, n) * 12; };
  work.check = [check = work.check](const Inputs& in, Outputs& out) {
    const auto all = [](uint64_t) { return true; };
    const auto offset = [](uint64_t first, uint64_t) { return static_cast<uint32_t>(first); };
    return oracle::first_bad(
        check(in, out), oracle::check_runs<uint32_t>("offset", in.as(), all, offset, out.fetch(3), out.read(2)),
        oracle::check_dispatch(out.read(2), kDispatchedItems, out.read<std::array<uint32_t, 3>>(4)));
  };
  return work;
}

/// Mean lengths of the runs of rows on chains.
inline std::vector<RunData> chain_runs() { return {RunData::of(2), RunData::of(8), RunData::of(100)}; }

/// Where the runs of two or more items begin, and how long they are; what CUB gives of them.
inline Work non_trivial_runs_work(const ItemSource& source, Type symbol, uint32_t mean) {
  const uint32_t bytes = size_of(symbol);
  Work work = run_length_encode_work(source, symbol, RunData::of(mean));
  work.variant = "nontrivial " + work.variant;
  work.outputs = [](uint64_t n) { return Sizes{n / 2 * 4, n / 2 * 4, 4}; };
  // Lengths are uniform in [1, 2 * mean - 1].
  const double share = (2.0 * mean - 2) / (2.0 * mean - 1) * source.run_share(Data::runs(mean), bytes);
  work.moved_bytes = [=](uint64_t n) { return n * bytes + share_of(share, n) * 8; };
  work.check = [=](const Inputs& in, Outputs& out) {
    return with_item(bytes, [&]<class T>(T*) {
      const auto items = in.as<T>();
      const auto is_long = [&](uint64_t last) { return !oracle::is_head(items, last); };
      const auto offset = [](uint64_t first, uint64_t) { return static_cast<uint32_t>(first); };
      const auto length = [](uint64_t first, uint64_t end) { return static_cast<uint32_t>(end - first); };
      return oracle::first_bad(
          oracle::check_runs<uint32_t>("offset", items, is_long, offset, out.fetch(0), out.read(2)),
          oracle::check_runs<uint32_t>("length", items, is_long, length, out.fetch(1), out.read(2)));
    });
  };
  return work;
}

}  // namespace weft::bench
