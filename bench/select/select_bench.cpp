// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/select.hpp>

#include <cstring>
#include <functional>

#include "support/bench_case.hpp"
#include "weft_kernels/below.hpp"

namespace weft::bench {
namespace {

/// Compares the kept items, or whatever a case writes, in the order of its outputs.
using Check = std::function<Verdict(const std::vector<HostArray>& inputs, const std::vector<FetchOutputs>& outputs,
                                    uint64_t found_count)>;

/// An array of a case, in bytes an item.
struct Array {
  Data data;
  uint32_t item_bytes = 4;
};

struct SelectSpec {
  std::string primitive;
  std::string variant;
  ItemType item;
  SelectConfig config;
  uint64_t bound = 0;           ///< SelectArgs::a
  std::vector<Array> inputs;    ///< what is tested, and what is moved beside it
  std::vector<uint32_t> moved;  ///< bytes an item of each output, in the order of SelectArgs
  double share = 0;             ///< of items kept, to be expected
  Check check;
};

class SelectCase : public CaseOf<SelectCase, Select> {
 public:
  SelectCase(const SelectSpec& spec, const Sizes& sizes, std::optional<Strategy> forced)
      : CaseOf(spec.primitive, spec.variant, spec.item, spec.config, sizes_for(sizes, spec.item.bytes), forced),
        spec_(spec) {}

  std::string data() const override { return spec_.inputs[0].data.kind == Data::Kind::runs ? "runs" : ""; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    std::vector<HostArray> arrays;
    for (const Array& input : spec_.inputs) {
      const bool is_bits = input.data.kind == Data::Kind::noise;
      arrays.push_back(source.array(input.data, input.item_bytes, is_bits ? (n + 31) / 32 : n));
    }
    return arrays;
  }
  Sizes outputs(uint64_t n) const override {
    Sizes bytes;
    for (const uint32_t item : spec_.moved) bytes.push_back(n * item);
    bytes.push_back(sizeof(uint32_t));
    return bytes;
  }
  uint64_t moved_bytes(uint64_t n) const override {
    uint64_t bytes = 0;
    for (const Array& input : spec_.inputs)
      bytes += input.data.kind == Data::Kind::noise ? (n + 7) / 8 : n * input.item_bytes;
    for (const uint32_t output : spec_.moved) bytes += share_of(spec_.share, n) * output;
    return bytes;
  }
  SelectArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    SelectArgs args;
    args.input = buffers.inputs[0];
    if (buffers.inputs.size() > 1) args.moved = buffers.inputs[1];
    size_t output = 0;
    if (config().items) args.output = buffers.outputs[output++];
    if (config().moved_bytes != 0) args.moved_output = buffers.outputs[output++];
    if (config().indices) args.indices = buffers.outputs[output++];
    args.kept = buffers.outputs[output];
    args.scratch = buffers.scratch;
    args.count = n;
    args.a.bits = spec_.bound;
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    std::vector<FetchOutputs> fetch;
    for (size_t i = 0; i < spec_.moved.size(); ++i) fetch.push_back(found.fetch(i, spec_.moved[i]));
    return spec_.check(inputs(source, n), fetch, found.count(spec_.moved.size()));
  }

 private:
  SelectSpec spec_;
};

/// Items below a bound with a share of about `share` below it. Structs are tested by their first word.
SelectSpec select_if(const ItemSource& source, const ItemType& item, double share) {
  const bool is_struct = item.bytes > 8;
  const uint32_t tested = is_struct ? 4 : item.bytes;
  const ItemSource::Bound bound = source.bound_below(share, tested, item.bytes);
  // Criteria take numbers of the item's type, which the bound of all is not.
  const bool all = tested < 8 && bound.value >> 8 * tested != 0;
  const uint64_t value = all ? bound.value - 1 : bound.value;
  SelectSpec spec{"select_if",  kept_name(share), item, {}, value, {{Data::stream(), item.bytes}},
                  {item.bytes}, bound.share,      {}};
  spec.config = SelectConfig::select_if(is_struct ? Type::u32 : unsigned_type(tested),
                                        all ? Criterion::less_equal : Criterion::less);
  if (is_struct) spec.config.member.stride = item.bytes;
  spec.check = [=](const auto& inputs, const auto& outputs, uint64_t found) {
    return with_item(item.bytes, [&]<class T>(T*) {
      const auto items = items_of<T>(inputs[0].bytes);
      const auto keep = [&](uint64_t i) {
        uint64_t number = 0;
        std::memcpy(&number, &items[i], std::min<size_t>(tested, sizeof(T)));
        return all ? number <= value : number < value;
      };
      return check_select(items, keep, outputs[0], found);
    });
  };
  return spec;
}

/// u32 items below a bound by a snippet, to be as fast as the built-in criterion.
SelectSpec select_if_own(const ItemSource& source, double share) {
  SelectSpec spec = select_if(source, Type::u32, share);
  spec.variant = "own " + spec.variant;
  spec.config.own_kernels = own::below();
  return spec;
}

/// The indices of u32 items below a bound, without the items.
SelectSpec select_indices(const ItemSource& source, double share) {
  SelectSpec spec = select_if(source, Type::u32, share);
  spec.variant += " indices";
  spec.config.items = false;
  spec.config.indices = true;
  spec.check = [bound = spec.bound](const auto& inputs, const auto& outputs, uint64_t found) -> Verdict {
    const auto items = items_of<uint32_t>(inputs[0].bytes);
    uint64_t count = 0;
    const Verdict indices = oracle::check_kept<uint32_t>(
        "index", items.size(), [](uint64_t i) { return static_cast<uint32_t>(i); },
        [&](uint64_t i) { return items[i] < bound; }, outputs[0], count);
    return oracle::first_bad(oracle::same_count(count, found), indices);
  };
  return spec;
}

SelectSpec select_flagged(const ItemType& item, double share) {
  SelectSpec spec{"select_flagged",
                  kept_name(share) + " u8 flags",
                  item,
                  SelectConfig::select_flagged(item.bytes, Type::u8),
                  0,
                  {{Data::flags(share), 1}, {Data::stream(), item.bytes}},
                  {item.bytes},
                  share,
                  {}};
  spec.check = [=](const auto& inputs, const auto& outputs, uint64_t found) {
    return with_item(item.bytes, [&]<class T>(T*) {
      const auto flags = items_of<uint8_t>(inputs[0].bytes);
      return check_select(
          items_of<T>(inputs[1].bytes), [&](uint64_t i) { return flags[i] != 0; }, outputs[0], found);
    });
  };
  return spec;
}

SelectSpec select_flagged_by_bits() {
  constexpr uint32_t kSeed = 1;
  SelectSpec spec{"select_flagged",
                  "kept=0.5 bit flags",
                  Type::u32,
                  SelectConfig::select_flagged(4),
                  0,
                  {{Data::noise(kSeed), 4}, {Data::stream(), 4}},
                  {4},
                  0.5,
                  {}};
  spec.check = [](const auto& inputs, const auto& outputs, uint64_t found) {
    const auto words = items_of<uint32_t>(inputs[0].bytes);
    return check_select(
        items_of<uint32_t>(inputs[1].bytes), [&](uint64_t i) { return (words[i / 32] >> i % 32 & 1) != 0; }, outputs[0],
        found);
  };
  return spec;
}

SelectSpec unique(const ItemSource& source, const ItemType& item, const RunData& runs) {
  SelectSpec spec{"unique",
                  runs.name,
                  item,
                  {},
                  0,
                  {{runs.data, item.bytes}},
                  {item.bytes},
                  source.run_share(runs.data, item.bytes),
                  {}};
  if (item.bytes > 8) {
    spec.config = SelectConfig::unique(Type::u32);
    spec.config.member = {item.bytes, 0, item.bytes};
  } else {
    spec.config = SelectConfig::unique(unsigned_type(item.bytes));
  }
  spec.check = [=](const auto& inputs, const auto& outputs, uint64_t found) {
    return with_item(item.bytes,
                     [&]<class T>(T*) { return check_unique(items_of<T>(inputs[0].bytes), outputs[0], found); });
  };
  return spec;
}

SelectSpec unique_by_key(const ItemSource& source, const RunData& runs) {
  SelectSpec spec{"unique_by_key",
                  runs.name,
                  Type::u32,
                  SelectConfig::unique_by_key(Type::u32, 4),
                  0,
                  {{runs.data, 4}, {Data::stream(), 4}},
                  {4, 4},
                  source.run_share(runs.data, 4),
                  {}};
  spec.check = [](const auto& inputs, const auto& outputs, uint64_t found) {
    return check_unique_by_key(items_of<uint32_t>(inputs[0].bytes), items_of<uint32_t>(inputs[1].bytes), outputs[0],
                               outputs[1], found);
  };
  return spec;
}

const Rows select_rows("select", 20, [](const Matrix& matrix, Cases& cases) {
  const ItemSource& source = *matrix.source;
  const auto add = [&](const SelectSpec& spec, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    cases.add<SelectCase>(spec, sizes, forced);
  };
  const Sizes &sizes = matrix.sizes, some = some_sizes(matrix);
  const ItemType u32 = Type::u32;

  add(select_if(source, u32, 0.5), sizes);
  if (matrix.other_strategy) add(select_if(source, u32, 0.5), sizes, matrix.other_strategy);
  add(unique(source, u32, RunData::of(8)), sizes);
  if (matrix.essential) return;

  for (const double share : {0.0, 0.1, 0.9, 1.0}) add(select_if(source, u32, share), some);
  for (const ItemType& item : other_items()) add(select_if(source, item, 0.5), some);
  add(select_if_own(source, 0.5), sizes);
  add(select_indices(source, 0.5), some);
  add(select_flagged(u32, 0.5), sizes);
  for (const ItemType& item : other_items()) add(select_flagged(item, 0.5), some);
  add(select_flagged_by_bits(), some);
  for (const uint32_t mean : {1u, 100u, 10000u}) add(unique(source, u32, RunData::of(mean)), some);
  for (const ItemType& item : other_items()) add(unique(source, item, RunData::of(8)), some);
  add(unique_by_key(source, RunData::of(8)), sizes);
  if (source.is_file()) {
    for (const Type item : {Type::u32, Type::u8}) add(unique(source, item, RunData::of(source)), some);
    add(unique_by_key(source, RunData::of(source)), some);
  }
});

}  // namespace
}  // namespace weft::bench
