// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Cases that nobody thought of. Case i of a seed is the same on every machine: primitive, configuration, size, data,
// offsets and counts are drawn by Draws(seed, i). A failure says how to have it alone:
//
//     WEFT_FUZZ_SEED=1 WEFT_FUZZ_CASES=1234-1234 weft_tests -ts=fuzz       (cases by default: the first kCases)
//
// Another primitive is a function that makes a Subject, and lines in subjects().
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

#include "support/bulk_run.hpp"
#include "support/device.hpp"
#include "support/draws.hpp"
#include "support/guarded_buffer.hpp"
#include "support/intervals.hpp"
#include "support/merge_run.hpp"
#include "support/merge_sort_run.hpp"
#include "support/oracle.hpp"
#include "support/run.hpp"
#include "support/run_select.hpp"
#include "support/search_run.hpp"
#include "support/segmented_run.hpp"
#include "support/segmented_sort_run.hpp"
#include "support/segments.hpp"
#include "support/set_operation_run.hpp"
#include "support/sort_run.hpp"
#include "support/top_k_run.hpp"

namespace weft::test {
namespace {

constexpr uint64_t kSeed = 1;
constexpr uint64_t kCases = 2400;  // of all processes together
constexpr int kMaxFailures = 5;

/// Draws a case, runs it and says what is wrong, or nothing.
using Check = std::function<std::string(Draws&)>;

/// A primitive in one configuration, so that cases share its pipelines.
struct Subject {
  std::string name;
  std::vector<Type> types;  ///< that the device must support
  const char* tuning;       ///< WEFT_TUNE while pipelines are built
  bool needs_look_back = false;
  std::function<Check(Backend&)> build;
};

template <class Primitive>
std::shared_ptr<Primitive> built(Result<Primitive> primitive) {
  if (!primitive) FAIL(primitive.error().message);
  return std::make_shared<Primitive>(std::move(*primitive));
}

RunOptions drawn_options(Draws& draw, uint64_t n, uint64_t item_bytes, uint64_t output_bytes) {
  RunOptions options;
  options.input_misalignment = draw.misalignment(item_bytes);
  options.output_misalignment = draw.misalignment(output_bytes);
  options.device_count = draw.device_count(n);
  options.dirt = draw.dirt();
  return options;
}

template <class T, class A = T>
Subject scan_subject(ScanKind kind, Op op, Strategy strategy, const char* tuning = "") {
  const ScanConfig config{kind, op, item_type<T>(), item_type<A>(), strategy};
  Subject subject;
  subject.name = std::string("scan ") + name_of(kind) + ' ' + name_of(op) + ' ' + name_of(config.item) + " to " +
                 name_of(config.accumulator) + ' ' + name_of(strategy) + ' ' + tuning;
  subject.types = {config.item, config.accumulator};
  subject.tuning = tuning;
  subject.needs_look_back = strategy == Strategy::look_back;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, scan = built(Scan::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(scan->tile_items());
      const std::vector<T> items = draw.items<T>(n);
      RunOptions options = drawn_options(draw, n, sizeof(T), sizeof(A));
      options.in_place = std::is_same_v<T, A> && draw.one_in(5);
      std::optional<A> initial;
      if (draw.one_in(4)) initial = distinct_initial<A>(op);
      if (initial) options.initial = Value::of(*initial);
      const uint64_t obeyed = options.device_count ? std::min(options.device_count->value, n) : n;
      std::vector<A> expected = dirty_items<A>(n, options.dirt);
      if constexpr (std::is_same_v<T, A>)
        if (options.in_place) expected = items;
      const auto scanned = scan_of<A>(std::span<const T>(items).first(obeyed), kind, op, initial);
      std::copy(scanned.begin(), scanned.end(), expected.begin());
      return difference(scan_on<A>(backend.gpu(), *scan, items, options), expected);
    };
  };
  return subject;
}

template <class T, class A = T>
Subject reduce_subject(Op op, const char* tuning = "") {
  const ReduceConfig config{op, item_type<T>(), item_type<A>()};
  Subject subject;
  subject.name = std::string("reduce ") + name_of(op) + ' ' + name_of(config.item) + " to " +
                 name_of(config.accumulator) + ' ' + tuning;
  subject.types = {config.item, config.accumulator};
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, reduce = built(Reduce::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(reduce->tile_items());
      const std::vector<T> items = draw.items<T>(n);
      RunOptions options = drawn_options(draw, n, sizeof(T), sizeof(A));
      const auto obeyed =
          std::span<const T>(items).first(options.device_count ? std::min(options.device_count->value, n) : n);
      if constexpr (!std::is_same_v<T, U32x2>) {
        if (op == Op::arg_min || op == Op::arg_max) {
          options.output_misalignment &= ~VkDeviceSize{3};
          const auto found = reduce_on<ArgResult>(backend.gpu(), *reduce, items, options);
          const auto expected = arg_reduce_of(obeyed, op);
          return difference(std::vector{found.index, found.value.bits},
                            std::vector{expected.index, expected.value.bits});
        }
      }
      std::optional<A> initial;
      if (draw.one_in(4)) initial = distinct_initial<A>(op);
      if (initial) options.initial = Value::of(*initial);
      return difference(std::vector{reduce_on<A>(backend.gpu(), *reduce, items, options)},
                        std::vector{reduce_of<A>(obeyed, op, initial)});
    };
  };
  return subject;
}

/// Whether the criterion holds for item `i`, whose tested bytes are `bytes` at `at`.
template <class T>
bool kept(Criterion criterion, std::span<const std::byte> items, uint64_t stride, uint64_t offset, uint64_t bytes,
          uint64_t i, T a, T b) {
  const std::byte* const at = items.data() + i * stride + offset;
  if (criterion == Criterion::run_head) return i == 0 || std::memcmp(at, at - stride, bytes) != 0;
  T x;
  std::memcpy(&x, at, sizeof(T));
  switch (criterion) {
    case Criterion::less: return x < a;
    case Criterion::not_equal: return !(x == a);
    case Criterion::inside: return a <= x && x <= b;
    case Criterion::nonzero: return !(x == 0);
    default: break;
  }
  if constexpr (std::integral<T>)
    if (criterion == Criterion::any_bit) return (x & a) != 0;
  FAIL("no oracle for this criterion");
  return false;
}

/// Primitive: Select or Partition, of the config's kind. T: of what is tested.
template <class Primitive, class T, class Config>
Subject compaction_subject(const char* name, Config config, Strategy strategy, const char* tuning = "") {
  config.strategy = strategy;
  uint32_t partitions = 1;
  if constexpr (std::is_same_v<Config, PartitionConfig>) partitions = config.partitions;
  const bool flagged = config.criterion == Criterion::flagged;
  const uint64_t stride = config.member.stride != 0 ? config.member.stride : sizeof(T);
  const uint64_t tested_bytes = config.member.bytes != 0 ? config.member.bytes : sizeof(T);
  Subject subject;
  subject.name = std::string(name) + ' ' + name_of(config.criterion) + ' ' + name_of(config.item) + " moving " +
                 std::to_string(config.moved_bytes) + ' ' + name_of(strategy) + ' ' + tuning;
  subject.tuning = tuning;
  subject.needs_look_back = strategy == Strategy::look_back;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, primitive = built(Primitive::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(primitive->tile_items());
      SelectRunOptions options;
      options.tested_misalignment = flagged ? draw.misalignment(4) : draw.misalignment(stride);
      options.moved_misalignment = draw.misalignment(std::max(config.moved_bytes, 1u));
      options.output_misalignment = draw.misalignment(config.moved_bytes != 0 ? config.moved_bytes : stride);
      // Tested items and moved ones go to outputs of one misalignment.
      if (config.items && config.moved_bytes != 0)
        options.output_misalignment &= ~(std::min<VkDeviceSize>(stride, 4) - 1);
      options.device_count = draw.device_count(n);
      options.wide_counts = draw.one_in(3);
      options.dirt = draw.dirt();
      const uint64_t obeyed = options.device_count ? std::min(options.device_count->value, n) : n;
      Selection selection;
      const auto items = draw.items<T>(flagged ? (n + 31) / 32 : n * stride / sizeof(T));
      const auto bytes = std::as_bytes(std::span(items));
      selection.tested = {bytes.begin(), bytes.end()};
      T a = Draws::item_of<T>(draw.word()), b = Draws::item_of<T>(draw.word());
      if (!items.empty() && draw.one_in(2)) a = items[draw.below(items.size())];
      if (a > b) std::swap(a, b);
      options.a = Value::of(a);
      options.b = Value::of(b);
      for (const uint8_t byte : draw.bytes(n * config.moved_bytes)) selection.moved.push_back(std::byte{byte});
      for (uint64_t i = 0; i < obeyed; ++i) {
        const auto holds = [&](Criterion criterion) {
          return kept<T>(criterion, selection.tested, stride, config.member.offset, tested_bytes, i, a, b);
        };
        if (flagged)
          selection.partitions.push_back((std::to_integer<uint32_t>(selection.tested[i / 8]) >> i % 8 & 1) != 0 ? 0
                                                                                                                : 1);
        else if (partitions == 3)
          selection.partitions.push_back(holds(Criterion::less) ? 0 : holds(Criterion::inside) ? 1 : 2);
        else
          selection.partitions.push_back(holds(config.criterion) ? 0 : 1);
      }
      return check_selection(backend.gpu(), *primitive, config, selection, options);
    };
  };
  return subject;
}

/// Select with what its makers leave as it is changed by `change`.
template <class T, class Change>
Subject select_subject(SelectConfig config, const Change& change, Strategy strategy, const char* tuning = "") {
  change(config);
  return compaction_subject<Select, T>("select", config, strategy, tuning);
}
template <class T>
Subject select_subject(const SelectConfig& config, Strategy strategy, const char* tuning = "") {
  return compaction_subject<Select, T>("select", config, strategy, tuning);
}

template <class T>
Subject partition_subject(uint32_t partitions, Criterion criterion, uint32_t moved_bytes, Strategy strategy,
                          const char* tuning = "") {
  PartitionConfig config;
  config.partitions = partitions;
  config.criterion = criterion;
  config.item = item_type<T>();
  config.items = moved_bytes == 0;
  config.moved_bytes = moved_bytes;
  config.indices = partitions == 3;
  return compaction_subject<Partition, T>("partition", config, strategy, tuning);
}

/// What is wrong in a range between guards that must hold `expected`, or nothing.
template <class T>
std::string wrong_in(const char* what, GuardedBuffer& buffer, const std::vector<T>& expected) {
  std::vector<std::byte> bytes;
  if (const std::string spoilt = buffer.read(bytes); !spoilt.empty()) return std::string(what) + ": " + spoilt;
  const std::string wrong = difference(items_of<T>(bytes), expected);
  return wrong.empty() ? wrong : std::string(what) + ": " + wrong;
}

/// An output between guards, and what it must hold: `expected`, then dirt to its end.
class FuzzedOutput {
 public:
  FuzzedOutput(Gpu& gpu, Draws& draw, uint64_t count, uint64_t item_bytes, uint8_t dirt)
      : dirt_(dirt), buffer_(gpu, count * item_bytes, draw.misalignment(item_bytes), {}, dirt) {}

  BufferRange range() const { return buffer_.range(); }
  /// What is wrong, or nothing.
  template <class T>
  std::string compare(const char* what, const std::vector<T>& expected) {
    std::vector<T> all = dirty_items<T>(buffer_.range().size / sizeof(T), dirt_);
    std::copy(expected.begin(), expected.end(), all.begin());
    return wrong_in(what, buffer_, all);
  }

 private:
  uint8_t dirt_;
  GuardedBuffer buffer_;
};

/// A count on the device, or the number of items; the buffer lives as long.
class FuzzedCount {
 public:
  FuzzedCount(Gpu& gpu, Draws& draw, uint64_t n) : count_(n), obeyed_(n) {
    const auto on_device = draw.device_count(n);
    if (!on_device) return;
    obeyed_ = std::min(on_device->value, n);
    buffer_.emplace(gpu, on_device->bytes, 4, std::as_bytes(std::span(&on_device->value, 1)).first(on_device->bytes));
    count_ = Count::on_device(buffer_->range(), n);
  }
  const Count& count() const { return count_; }
  uint64_t obeyed() const { return obeyed_; }

 private:
  Count count_;
  uint64_t obeyed_;
  std::optional<GuardedBuffer> buffer_;
};

/// The first that is not empty.
std::string first_of(std::initializer_list<std::string> problems) {
  for (const std::string& problem : problems)
    if (!problem.empty()) return problem;
  return {};
}

/// L: of lengths and offsets.
template <class T, class L = uint32_t>
Subject run_length_encode_subject(bool offsets, Strategy strategy, const char* tuning = "", bool non_trivial = false) {
  RunLengthEncodeConfig config;
  config.non_trivial = non_trivial;
  config.symbol = item_type<T>();
  config.offsets = offsets;
  config.length = item_type<L>();
  config.strategy = strategy;
  Subject subject;
  subject.name = std::string("run_length_encode ") + name_of(config.symbol) + " lengths " + name_of(config.length) +
                 (offsets ? " offsets " : " ") + (non_trivial ? "non-trivial " : "") + name_of(strategy) + ' ' + tuning;
  subject.tuning = tuning;
  subject.needs_look_back = strategy == Strategy::look_back;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, encode = built(RunLengthEncode::create(backend.context(), config))](Draws& draw) {
      Gpu& gpu = backend.gpu();
      const uint64_t n = draw.count(encode->tile_items());
      const std::vector<T> items = draw.items<T>(n);
      const uint8_t dirt = draw.dirt();
      GuardedBuffer input(gpu, n * sizeof(T), draw.misalignment(sizeof(T)), std::as_bytes(std::span(items)));
      GuardedBuffer scratch(gpu, encode->scratch_size(n), 0, {}, dirt);
      const uint64_t room = non_trivial ? n / 2 : n;
      FuzzedOutput symbols(gpu, draw, room, sizeof(T), dirt), lengths(gpu, draw, room, sizeof(L), dirt),
          starts(gpu, draw, room, sizeof(L), dirt);
      const bool wide = draw.one_in(3);
      FuzzedOutput run_count(gpu, draw, 1, wide ? 8 : 4, dirt);
      const FuzzedCount count(gpu, draw, n);
      const RunLengthEncodeArgs args{input.range(),     symbols.range(), lengths.range(), starts.range(),
                                     run_count.range(), scratch.range(), count.count()};
      const auto ran = gpu.run([&](VkCommandBuffer commands) { return encode->record(commands, args); });
      if (!ran) return ran.error().message;

      std::vector<T> run_symbols;
      std::vector<L> run_lengths, run_starts;
      for (uint64_t i = 0; i < count.obeyed(); ++i) {
        uint64_t end = i + 1;
        while (end < count.obeyed() && same_bits(items[end], items[i])) ++end;
        if (end - i > 1 || !non_trivial) {
          run_symbols.push_back(items[i]);
          run_lengths.push_back(static_cast<L>(end - i));
          run_starts.push_back(static_cast<L>(i));
        }
        i = end - 1;
      }
      const uint64_t runs = run_symbols.size();
      return first_of({wide ? run_count.compare("run_count", std::vector{runs})
                            : run_count.compare("run_count", std::vector{static_cast<uint32_t>(runs)}),
                       symbols.compare("symbols", run_symbols), lengths.compare("lengths", run_lengths),
                       starts.compare("offsets", offsets ? run_starts : std::vector<L>{}), input.overwritten(),
                       scratch.overwritten()});
    };
  };
  return subject;
}

/// Lengths of `n` runs that come to some `total`: at random, equal, most of them 0, or all of it in one run. One list
/// in eight has a length of about `most`, for which there is no room.
std::vector<uint64_t> drawn_lengths(Draws& draw, uint64_t n, uint64_t total, uint64_t most) {
  std::vector<uint64_t> lengths(n);
  if (n == 0) return lengths;
  const uint64_t seed = draw.word(), kind = draw.below(4), mean = total / n;
  for (uint64_t r = 0; r < n; ++r) {
    const uint64_t word = random_word(seed, r);
    switch (kind) {
      case 0: lengths[r] = word % (2 * mean + 2); break;
      case 1: lengths[r] = std::max<uint64_t>(mean, 1); break;
      case 2: lengths[r] = word % 61 == 0 ? (word >> 8) % (122 * mean + 2) : 0; break;
      default: break;
    }
  }
  if (kind == 3) lengths[draw.below(n)] = total;
  if (draw.one_in(8)) lengths[draw.below(n)] = most - draw.below(3);
  return lengths;
}

Subject run_length_decode_subject(uint32_t symbol_bytes, Type length, const char* tuning = "") {
  const RunLengthDecodeConfig config{symbol_bytes, length};
  Subject subject;
  subject.name =
      "run_length_decode " + std::to_string(symbol_bytes) + " bytes lengths " + name_of(length) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, decode = built(RunLengthDecode::create(backend.context(), config))](Draws& draw) {
      Gpu& gpu = backend.gpu();
      const uint64_t n = draw.count(decode->tile_runs());
      const uint64_t most = length == Type::u64 ? ~uint64_t{0} : 0xffffffff;
      const auto lengths = drawn_lengths(draw, n, draw.count(decode->segment_outputs()), most);
      const FuzzedCount count(gpu, draw, n);
      const auto obeyed = std::span<const uint64_t>(lengths).first(count.obeyed());
      const uint64_t total = total_of(obeyed);
      uint64_t room = total;
      if (total > 1'000'000)
        room = draw.below(30'000);
      else if (draw.one_in(2))
        room = draw.one_in(2) ? draw.below(total + 1) : total + draw.below(2000);

      const std::vector<uint8_t> symbols = draw.bytes(n * symbol_bytes);
      const std::vector<std::byte> length_bytes = bytes_of_lengths(lengths, length);
      const uint8_t dirt = draw.dirt();
      GuardedBuffer symbols_in(gpu, symbols.size(), draw.misalignment(symbol_bytes), std::as_bytes(std::span(symbols)));
      GuardedBuffer lengths_in(gpu, length_bytes.size(), draw.misalignment(4), length_bytes);
      FuzzedOutput output(gpu, draw, room, symbol_bytes, dirt), sum(gpu, draw, 1, 8, dirt),
          status(gpu, draw, 1, 4, dirt);
      GuardedBuffer scratch(gpu, decode->scratch_size(n), 0, {}, dirt);
      const RunLengthDecodeArgs args{symbols_in.range(), lengths_in.range(), output.range(), sum.range(),
                                     status.range(),     scratch.range(),    count.count(),  room};
      const auto ran = gpu.run([&](VkCommandBuffer commands) { return decode->record(commands, args); });
      if (!ran) return ran.error().message;
      const auto decoded = decode_of(std::as_bytes(std::span(symbols)), symbol_bytes, obeyed, room);
      return first_of({sum.compare("total", std::vector{total}),
                       status.compare("status", std::vector{total > room ? 1u : 0u}),
                       output.compare("output", items_of<uint8_t>(decoded)), wrong_in("symbols", symbols_in, symbols),
                       wrong_in("lengths", lengths_in, items_of<uint8_t>(length_bytes)), scratch.overwritten()});
    };
  };
  return subject;
}

Subject load_balance_search_subject(const LoadBalanceSearchConfig& config, const char* tuning = "") {
  Subject subject;
  subject.name = std::string("load_balance_search ") + name_of(config.by) + ' ' + name_of(config.count) + " to " +
                 name_of(config.index) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, search = built(LoadBalanceSearch::create(backend.context(), config))](Draws& draw) {
      Gpu& gpu = backend.gpu();
      const uint64_t n = draw.count(search->tile_sources());
      const uint64_t most = config.by == IntervalsBy::offsets ? 100'000 : 0xffffffff;
      const auto counts = drawn_lengths(draw, n, draw.count(search->segment_outputs()), most);
      const FuzzedCount count(gpu, draw, n);
      const auto obeyed = std::span<const uint64_t>(counts).first(count.obeyed());
      const uint64_t total = total_of(obeyed);
      const uint64_t room = total > 1'000'000 ? draw.below(30'000) : draw.below(total + 2000);

      std::vector<uint64_t> sources, ranks;
      for (uint64_t s = 0; s < obeyed.size(); ++s)
        for (uint64_t rank = 0; rank < obeyed[s] && sources.size() < room; ++rank) {
          sources.push_back(s);
          ranks.push_back(rank);
        }
      const uint32_t index_bytes = size_of(config.index);
      const std::vector<std::byte> count_bytes = bytes_of_intervals(counts, config.by, config.count);
      const uint8_t dirt = draw.dirt();
      GuardedBuffer counts_in(gpu, count_bytes.size(), draw.misalignment(4), count_bytes);
      FuzzedOutput found_sources(gpu, draw, room, index_bytes, dirt), found_ranks(gpu, draw, room, index_bytes, dirt),
          sum(gpu, draw, 1, 8, dirt), status(gpu, draw, 1, 4, dirt);
      GuardedBuffer scratch(gpu, search->scratch_size(n), 0, {}, dirt);
      const LoadBalanceSearchArgs args{counts_in.range(), found_sources.range(), found_ranks.range(), sum.range(),
                                       status.range(),    scratch.range(),       count.count(),       room};
      const auto ran = gpu.run([&](VkCommandBuffer commands) { return search->record(commands, args); });
      if (!ran) return ran.error().message;
      const auto bytes_of = [&](const std::vector<uint64_t>& indices) {
        return items_of<uint8_t>(bytes_of_lengths(indices, config.index));
      };
      return first_of(
          {sum.compare("total", std::vector{total}), status.compare("status", std::vector{total > room ? 1u : 0u}),
           found_sources.compare("sources", bytes_of(sources)), found_ranks.compare("ranks", bytes_of(ranks)),
           wrong_in("counts", counts_in, items_of<uint8_t>(count_bytes)), scratch.overwritten()});
    };
  };
  return subject;
}

/// Intervals that may overlap at the source, and do not at the destination; now and then one out of range.
Subject interval_move_subject(const IntervalMoveConfig& config, const char* tuning = "") {
  Subject subject;
  subject.name = std::string("interval_move ") + name_of(config.by) + ' ' + name_of(config.count) + ' ' +
                 name_of(config.offset) + ' ' + std::to_string(config.item_bytes) + (config.gather ? 'g' : '-') +
                 (config.scatter ? 's' : '-') + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, move = built(IntervalMove::create(backend.context(), config))](Draws& draw) {
      Gpu& gpu = backend.gpu();
      const uint64_t n = draw.count(move->tile_intervals()), bytes = config.item_bytes;
      const auto counts = drawn_lengths(draw, n, draw.count(1 + 60'000 / bytes), 100'000 / bytes);
      const FuzzedCount count(gpu, draw, n);
      const auto obeyed = std::span<const uint64_t>(counts).first(count.obeyed());
      const uint64_t total = total_of(obeyed);
      // Of what there is no room for, some may be moved between offsets.
      const uint64_t room = config.gather && config.scatter ? total + draw.below(100) : draw.below(total + 2000);
      uint64_t most = 0;
      for (const uint64_t one : counts) most = std::max(most, one);
      const uint64_t sources = config.gather ? most + draw.below(5000) : room;
      std::vector<uint64_t> gather, scatter;
      uint64_t end = 0;
      for (uint64_t i = 0; i < n; ++i) {
        const bool is_bad = draw.below(1000) == 0;
        if (config.gather) gather.push_back(is_bad ? sources - counts[i] + 1 : draw.below(sources - counts[i] + 1));
        end += draw.below(3);
        if (config.scatter) scatter.push_back(end);
        end += counts[i];
      }
      // From the last on to the first, so that neighbours in the table are none in memory.
      if (config.scatter && draw.below(2) == 0)
        for (uint64_t i = 0; i < n; ++i) scatter[i] = end - scatter[i] - counts[i];
      if (config.scatter && n != 0 && draw.below(8) == 0) scatter[draw.below(n)] = end + 1;
      const uint64_t destinations = config.scatter ? end : room;

      const uint8_t dirt = draw.dirt();
      std::vector<uint8_t> input(sources * bytes), output(destinations * bytes, dirt);
      for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<uint8_t>(random_word(n, i));
      uint32_t first_bad = ~uint32_t{0};
      uint64_t first = 0;
      for (uint64_t i = 0; i < obeyed.size(); first += obeyed[i++]) {
        if (obeyed[i] == 0 || room == 0) continue;
        const uint64_t from = config.gather ? gather[i] : first, to = config.scatter ? scatter[i] : first;
        const bool is_bad = (config.gather && (from > sources || obeyed[i] > sources - from)) ||
                            (config.scatter && (to > destinations || obeyed[i] > destinations - to));
        if (is_bad) first_bad = std::min(first_bad, static_cast<uint32_t>(i));
        if (is_bad || first >= room) continue;
        std::memcpy(output.data() + to * bytes, input.data() + from * bytes, std::min(obeyed[i], room - first) * bytes);
      }

      const auto buffer_of = [&](const std::vector<std::byte>& content, uint64_t alignment) {
        return GuardedBuffer(gpu, content.size(), draw.misalignment(alignment), content);
      };
      const uint64_t alignment = std::min<uint64_t>(bytes, 4);
      GuardedBuffer counts_in = buffer_of(bytes_of_intervals(counts, config.by, config.count), 4),
                    gather_in = buffer_of(bytes_of_lengths(gather, config.offset), 4),
                    scatter_in = buffer_of(bytes_of_lengths(scatter, config.offset), 4);
      const auto input_bytes = std::as_bytes(std::span(input));
      GuardedBuffer items = buffer_of({input_bytes.begin(), input_bytes.end()}, alignment);
      GuardedBuffer found(gpu, output.size(), draw.misalignment(alignment), {}, dirt);
      FuzzedOutput sum(gpu, draw, 1, 8, dirt), status(gpu, draw, 2, 4, dirt);
      GuardedBuffer scratch(gpu, move->scratch_size(n), 0, {}, dirt);
      const IntervalMoveArgs args{
          items.range(), counts_in.range(), gather_in.range(), scatter_in.range(), found.range(),
          sum.range(),   status.range(),    scratch.range(),   count.count(),      room};
      const auto ran = gpu.run([&](VkCommandBuffer commands) { return move->record(commands, args); });
      if (!ran) return ran.error().message;
      const uint32_t bits = (total > room ? 1u : 0u) + (first_bad != ~uint32_t{0} ? 2u : 0u);
      return first_of({sum.compare("total", std::vector{total}), status.compare("status", std::vector{bits, first_bad}),
                       wrong_in("output", found, output), wrong_in("input", items, input), scratch.overwritten()});
    };
  };
  return subject;
}

/// Items as Draws has them, half of the floats with fractions, and with NaN and infinities among them.
template <class T>
std::vector<T> drawn_to_count(Draws& draw, uint64_t n) {
  std::vector<T> items = draw.items<T>(n);
  if constexpr (std::floating_point<T>) {
    if (draw.one_in(2)) return items;
    const std::vector<uint32_t> words = draw.items<uint32_t>(n);
    for (uint64_t i = 0; i < n; ++i)
      items[i] =
          words[i] % 5 == 0 ? std::bit_cast<T>(words[i]) : static_cast<T>(static_cast<int32_t>(words[i])) * T{0x1p-28};
  }
  return items;
}

template <class T>
Bins<T> drawn_bounds(Draws& draw) {
  using Limits = std::numeric_limits<T>;
  Bins<T> by;
  if constexpr (std::floating_point<T>) {
    by.lower = (static_cast<double>(draw.below(2001)) - 1000) / 128;
    by.upper = by.lower + static_cast<double>(draw.of_any_magnitude(1 << 20)) / 64;
  } else if (draw.one_in(4)) {
    by.lower = static_cast<double>(Limits::min());
    by.upper = static_cast<double>(Limits::max()) + 1;
  } else {
    by.lower = static_cast<double>(Draws::item_of<T>(draw.word()));
    const double widest = static_cast<double>(Limits::max()) + 1 - by.lower;
    by.upper = by.lower + static_cast<double>(draw.of_any_magnitude(static_cast<uint64_t>(widest)));
  }
  return by;
}

/// Some of them equal, more often the narrower the items are.
template <class T>
Bins<T> drawn_levels(Draws& draw, uint32_t bins) {
  Bins<T> by;
  for (const T level : drawn_to_count<T>(draw, bins + 1))
    by.levels.push_back(level == level ? static_cast<Level<T>>(level) : Level<T>{});
  std::ranges::sort(by.levels);
  return by;
}

template <class T>
Subject histogram_subject(HistogramKind kind, uint32_t bins, const char* tuning = "") {
  const HistogramConfig config{kind, item_type<T>(), bins};
  Subject subject;
  subject.name = std::string("histogram ") + name_of(kind) + ' ' + name_of(config.item) + ' ' + std::to_string(bins) +
                 " bins " + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, histogram = built(Histogram::create(backend.context(), config))](Draws& draw) {
      Gpu& gpu = backend.gpu();
      const uint64_t n = draw.count(histogram->tile_items());
      const std::vector<T> items = drawn_to_count<T>(draw, n);
      const Bins<T> by = kind == HistogramKind::even ? drawn_bounds<T>(draw) : drawn_levels<T>(draw, bins);
      GuardedBuffer input(gpu, n * sizeof(T), draw.misalignment(sizeof(T)), std::as_bytes(std::span(items)));
      GuardedBuffer levels(gpu, by.levels.size() * 4, draw.misalignment(4), std::as_bytes(std::span(by.levels)));
      FuzzedOutput output(gpu, draw, bins, 4, draw.dirt());
      const FuzzedCount count(gpu, draw, n);
      const HistogramArgs args{input.range(), output.range(), count.count(), by.lower, by.upper, levels.range()};
      const auto ran = gpu.run([&](VkCommandBuffer commands) { return histogram->record(commands, args); });
      if (!ran) return ran.error().message;
      return first_of({output.compare("output", counted(std::span<const T>(items).first(count.obeyed()), bins, by)),
                       wrong_in("input", input, items), wrong_in("levels", levels, by.levels)});
    };
  };
  return subject;
}

/// Segments begin where drawn items change.
std::vector<bool> drawn_heads(Draws& draw, uint64_t n) {
  const std::vector<uint32_t> items = draw.items<uint32_t>(n);
  std::vector<bool> heads(n);
  for (uint64_t i = 0; i < n; ++i) heads[i] = i == 0 || items[i] != items[i - 1];
  return heads;
}

/// `key` is of keys alone.
template <class T, class A = T>
Subject scan_by_key_subject(ScanKind kind, Op op, SegmentsBy segments, Type key, Strategy strategy,
                            const char* tuning = "") {
  const ScanByKeyConfig config{kind, op, segments, key, item_type<T>(), item_type<A>(), strategy};
  Subject subject;
  subject.name = std::string("scan_by_key ") + name_of(kind) + ' ' + name_of(op) + ' ' + name_of(config.item) + " to " +
                 name_of(config.accumulator) + " by " + name_of(segments) + ' ' + name_of(key) + ' ' +
                 name_of(strategy) + ' ' + tuning;
  subject.types = {config.item, config.accumulator};
  subject.tuning = tuning;
  subject.needs_look_back = strategy == Strategy::look_back;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, scan = built(ScanByKey::create(backend.context(), config))](Draws& draw) {
      Gpu& gpu = backend.gpu();
      const uint64_t n = draw.count(scan->tile_items());
      const std::vector<T> items = draw.items<T>(n);
      const std::vector<bool> heads = drawn_heads(draw, n);
      const std::vector<std::byte> marks = marks_of(heads, segments, size_of(key));
      const uint64_t mark_bytes = segments == SegmentsBy::keys         ? size_of(key)
                                  : segments == SegmentsBy::head_bytes ? 1
                                                                       : 4;
      const uint8_t dirt = draw.dirt();
      GuardedBuffer keys(gpu, marks.size(), draw.misalignment(mark_bytes), marks);
      GuardedBuffer values(gpu, n * sizeof(T), draw.misalignment(sizeof(T)), std::as_bytes(std::span(items)));
      FuzzedOutput apart(gpu, draw, n, sizeof(A), dirt);
      GuardedBuffer scratch(gpu, scan->scratch_size(n), 0, {}, dirt);
      const bool in_place = std::is_same_v<T, A> && draw.one_in(5);
      std::optional<A> initial;
      if (draw.one_in(4)) initial = distinct_initial<A>(op);
      const FuzzedCount count(gpu, draw, n);
      const ScanByKeyArgs args{
          keys.range(),    values.range(), in_place ? values.range() : apart.range(),
          scratch.range(), count.count(),  initial ? std::optional(Value::of(*initial)) : std::nullopt};
      const auto ran = gpu.run([&](VkCommandBuffer commands) { return scan->record(commands, args); });
      if (!ran) return ran.error().message;

      std::vector<A> scanned = scan_by_key_of<A>(items, heads, kind, op, initial);
      scanned.resize(count.obeyed());
      std::vector<T> left = items;
      if constexpr (std::is_same_v<T, A>) {
        if (in_place) {
          std::ranges::copy(scanned, left.begin());
          scanned.clear();
        }
      }
      return first_of({wrong_in("values", values, left), apart.compare("output", scanned),
                       wrong_in("keys", keys, items_of<uint8_t>(marks)), scratch.overwritten()});
    };
  };
  return subject;
}

template <class T, class A = T>
Subject reduce_by_key_subject(Op op, Type key, Strategy strategy, const char* tuning = "") {
  const ReduceByKeyConfig config{op, key, item_type<T>(), item_type<A>(), strategy};
  Subject subject;
  subject.name = std::string("reduce_by_key ") + name_of(op) + ' ' + name_of(config.item) + " to " +
                 name_of(config.accumulator) + " by " + name_of(key) + ' ' + name_of(strategy) + ' ' + tuning;
  subject.types = {config.item, config.accumulator};
  subject.tuning = tuning;
  subject.needs_look_back = strategy == Strategy::look_back;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, reduce = built(ReduceByKey::create(backend.context(), config))](Draws& draw) {
      Gpu& gpu = backend.gpu();
      const uint64_t n = draw.count(reduce->tile_items());
      const uint32_t key_bytes = size_of(key);
      const std::vector<T> items = draw.items<T>(n);
      const std::vector<bool> heads = drawn_heads(draw, n);
      const std::vector<std::byte> item_keys = keys_of(heads, key_bytes, draw.word());
      const uint8_t dirt = draw.dirt();
      GuardedBuffer keys(gpu, n * key_bytes, draw.misalignment(key_bytes), item_keys);
      GuardedBuffer values(gpu, n * sizeof(T), draw.misalignment(sizeof(T)), std::as_bytes(std::span(items)));
      FuzzedOutput keys_out(gpu, draw, n, key_bytes, dirt), values_out(gpu, draw, n, sizeof(A), dirt);
      GuardedBuffer scratch(gpu, reduce->scratch_size(n), 0, {}, dirt);
      const bool wide = draw.one_in(3);
      FuzzedOutput count_out(gpu, draw, 1, wide ? 8 : 4, dirt);
      const FuzzedCount count(gpu, draw, n);
      const ReduceByKeyArgs args{keys.range(),      values.range(),  keys_out.range(), values_out.range(),
                                 count_out.range(), scratch.range(), count.count()};
      const auto ran = gpu.run([&](VkCommandBuffer commands) { return reduce->record(commands, args); });
      if (!ran) return ran.error().message;

      const Reduced<A> expected = reduce_by_key_of<A>(items, heads, item_keys, key_bytes, op, count.obeyed(), dirt);
      return first_of({wide ? count_out.compare("count_out", std::vector{expected.count})
                            : count_out.compare("count_out", std::vector{static_cast<uint32_t>(expected.count)}),
                       keys_out.compare("keys_out", items_of<uint8_t>(expected.keys)),
                       values_out.compare("values_out", expected.values),
                       wrong_in("keys", keys, items_of<uint8_t>(item_keys)), wrong_in("values", values, items),
                       scratch.overwritten()});
    };
  };
  return subject;
}

/// Ends of segments of `n` items, mostly ascending: anywhere, at few places, or evenly.
Offsets drawn_offsets(Draws& draw, uint64_t n, uint64_t segments, bool ascending) {
  const uint64_t seed = draw.word();
  const uint64_t places = draw.one_in(2) ? n + 1 : std::min(n + 1, draw.of_any_magnitude(50));
  const bool evenly = draw.one_in(3);
  const uint64_t beyond = draw.one_in(4) ? draw.below(2000) : 0;
  Offsets offsets(segments + 1);
  for (uint64_t s = 0; s <= segments; ++s)
    offsets[s] = evenly ? (n + beyond) * s / (segments + 1) : random_word(seed, s) % places * (n + beyond) / places;
  if (ascending) std::ranges::sort(offsets);
  return offsets;
}

SegmentedOptions drawn_segmented_options(Draws& draw, uint64_t n, uint64_t segments, uint64_t item_bytes,
                                         uint64_t output_bytes) {
  SegmentedOptions options;
  options.items_misalignment = draw.misalignment(item_bytes);
  options.offsets_misalignment = draw.misalignment(4);
  options.output_misalignment = draw.misalignment(output_bytes);
  options.count = draw.device_count(segments);
  options.item_count = draw.device_count(n);
  options.dirt = draw.dirt();
  return options;
}

template <class T, class A = T>
Subject segmented_reduce_subject(Op op, Type offset, const char* tuning = "") {
  const SegmentedReduceConfig config{op, offset, item_type<T>(), item_type<A>(), {}};
  Subject subject;
  subject.name = std::string("segmented_reduce ") + name_of(op) + ' ' + name_of(config.item) + " to " +
                 name_of(config.accumulator) + " by " + name_of(offset) + ' ' + tuning;
  subject.types = {config.item, config.accumulator};
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, reduce = built(SegmentedReduce::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(reduce->tile_items());
      const uint64_t segments =
          draw.one_in(2) ? draw.count(reduce->tile_items() / 4) : draw.of_any_magnitude(n / 9 + 1);
      const std::vector<T> items = draw.items<T>(n);
      SegmentedOptions options = drawn_segmented_options(draw, n, segments, sizeof(T), sizeof(A));
      options.ascending = !draw.one_in(10);
      const Offsets offsets = drawn_offsets(draw, n, segments, options.ascending);
      return wrong_segmented_reduce<A>(backend.gpu(), *reduce, config, items, offsets, options);
    };
  };
  return subject;
}

template <class T, class A = T>
Subject segmented_scan_subject(ScanKind kind, Op op, Type offset, Strategy strategy, const char* tuning = "") {
  const SegmentedScanConfig config{kind, op, offset, item_type<T>(), item_type<A>(), strategy, {}};
  Subject subject;
  subject.name = std::string("segmented_scan ") + name_of(kind) + ' ' + name_of(op) + ' ' + name_of(config.item) +
                 " to " + name_of(config.accumulator) + " by " + name_of(offset) + ' ' + name_of(strategy) + ' ' +
                 tuning;
  subject.types = {config.item, config.accumulator};
  subject.tuning = tuning;
  subject.needs_look_back = strategy == Strategy::look_back;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, scan = built(SegmentedScan::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(scan->tile_items());
      const uint64_t segments = draw.one_in(2) ? draw.count(1000) : draw.of_any_magnitude(n / 9 + 1);
      const std::vector<T> items = draw.items<T>(n);
      SegmentedOptions options = drawn_segmented_options(draw, n, segments, sizeof(T), sizeof(A));
      options.in_place = std::is_same_v<T, A> && draw.one_in(5);
      const Offsets offsets = drawn_offsets(draw, n, segments, !draw.one_in(10));
      std::optional<A> initial;
      if (draw.one_in(4)) initial = distinct_initial<A>(op);
      return wrong_segmented_scan<A>(backend.gpu(), *scan, config, items, offsets, options, initial);
    };
  };
  return subject;
}

template <class T>
Subject merge_subject(MergeConfig config, const char* tuning = "") {
  config.key = item_type<T>();
  Subject subject;
  subject.name = "merge " + text_of(config) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, merge = built(Merge::create(backend.context(), config))](Draws& draw) {
      const uint64_t total = draw.count(draw.one_in(2) ? merge->tile_keys() : merge->subgroup_keys());
      const uint64_t n = draw.below(total + 1);
      std::vector<T> a = draw.items<T>(n), b = draw.items<T>(total - n);
      // Some of the other's.
      for (uint64_t i = 0; i < n && !b.empty(); i += 3) a[i] = b[draw.below(b.size())];
      MergeOptions options;
      options.sorted = !draw.one_in(10);
      if (options.sorted) a = in_merge_order(std::move(a), config.order == SortOrder::descending);
      if (options.sorted || draw.one_in(2)) b = in_merge_order(std::move(b), config.order == SortOrder::descending);
      options.a_misalignment = draw.misalignment(sizeof(T));
      options.b_misalignment = draw.misalignment(sizeof(T));
      options.out_misalignment = draw.misalignment(sizeof(T));
      if (config.value_bytes != 0) options.values_misalignment = draw.misalignment(config.value_bytes);
      options.count_a = draw.device_count(n);
      options.count_b = draw.device_count(total - n);
      options.dirt = draw.dirt();
      return wrong_merge(backend.gpu(), *merge, config, a, b, options);
    };
  };
  return subject;
}

template <class T>
Subject set_operation_subject(SetOperationConfig config, const char* tuning = "") {
  config.key = item_type<T>();
  Subject subject;
  subject.name = text_of(config) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, operation = built(SetOperation::create(backend.context(), config))](Draws& draw) {
      const uint64_t total = draw.count(operation->tile_keys());
      const uint64_t n = draw.below(total + 1);
      std::vector<T> a = draw.items<T>(n), b = draw.items<T>(total - n);
      // Many of the other's.
      const uint64_t step = 1 + draw.below(3);
      for (uint64_t i = 0; i < n && !b.empty(); i += step) a[i] = b[draw.below(b.size())];
      SetOptions options;
      options.sorted = !draw.one_in(10);
      if (options.sorted) a = in_merge_order(std::move(a), config.order == SortOrder::descending);
      if (options.sorted || draw.one_in(2)) b = in_merge_order(std::move(b), config.order == SortOrder::descending);
      options.a_misalignment = draw.misalignment(sizeof(T));
      options.b_misalignment = draw.misalignment(sizeof(T));
      options.out_misalignment = draw.misalignment(sizeof(T));
      if (config.value_bytes != 0) options.values_misalignment = draw.misalignment(config.value_bytes);
      options.count_a = draw.device_count(n);
      options.count_b = draw.device_count(total - n);
      if (draw.one_in(3)) options.max_output = draw.below(total + 1);
      options.total_bytes = draw.one_in(2) ? 8 : 4;
      options.dirt = draw.dirt();
      return wrong_set_operation(backend.gpu(), *operation, config, a, b, options);
    };
  };
  return subject;
}

template <class T>
Subject merge_sort_subject(MergeSortConfig config, const char* tuning = "") {
  config.key = item_type<T>();
  Subject subject;
  subject.name = "merge_sort " + text_of(config) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, sort = built(MergeSort::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(draw.one_in(2) ? sort->block_keys() : sort->subgroup_keys());
      std::vector<T> keys = draw.items<T>(n);
      // Some come again.
      for (uint64_t i = 0; i < n; i += 3) keys[i] = keys[draw.below(n)];
      MergeSortOptions options;
      options.keys_misalignment = draw.misalignment(sizeof(T));
      options.out_misalignment = draw.misalignment(sizeof(T));
      if (config.value_bytes != 0) options.values_misalignment = draw.misalignment(config.value_bytes);
      options.device_count = draw.device_count(n);
      options.dirt = draw.dirt();
      return wrong_merge_sort(backend.gpu(), *sort, config, keys, options);
    };
  };
  return subject;
}

template <class T>
Subject radix_sort_subject(RadixSortConfig config, const char* tuning = "") {
  config.key = type_of<T>;
  Subject subject;
  subject.name = std::string("radix_sort ") + name_of(config.key) + ' ' + std::to_string(config.value_bytes) + ' ' +
                 name_of(config.order) + ' ' + name_of(config.strategy) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, sort = built(RadixSort::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(sort->tile_keys());
      std::vector<T> keys = draw.items<T>(n);
      if (draw.one_in(3)) {
        const std::vector<uint8_t> bytes = draw.bytes(n * sizeof(T));
        if (n != 0) std::memcpy(keys.data(), bytes.data(), bytes.size());
      }
      SortOptions options;
      options.keys_misalignment = draw.misalignment(sizeof(T));
      options.values_misalignment = draw.misalignment(4);
      options.keys_out_misalignment = draw.misalignment(sizeof(T));
      options.values_out_misalignment = draw.misalignment(4);
      options.device_count = draw.device_count(n);
      options.dirt = draw.dirt();
      return wrong_sort(backend.gpu(), *sort, config, keys, options);
    };
  };
  return subject;
}

template <class T>
Subject top_k_subject(TopKConfig config, const char* tuning = "") {
  config.key = type_of<T>;
  Subject subject;
  subject.name = std::string("top_k ") + name_of(config.key) + ' ' + std::to_string(config.value_bytes) + ' ' +
                 name_of(config.order) + ' ' + name_of(config.strategy) + ' ' + tuning;
  subject.tuning = tuning;
  subject.needs_look_back = config.strategy == Strategy::look_back;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, top_k = built(TopK::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(top_k->tile_keys());
      std::vector<T> keys = draw.items<T>(n);
      if (draw.one_in(3)) {
        const std::vector<uint8_t> bytes = draw.bytes(n * sizeof(T));
        if (n != 0) std::memcpy(keys.data(), bytes.data(), bytes.size());
      }
      const auto k = static_cast<uint32_t>(draw.one_in(4) ? draw.word() : draw.below(n + 2));
      TopKOptions options;
      options.keys_misalignment = draw.misalignment(sizeof(T));
      options.values_misalignment = draw.misalignment(4);
      options.keys_out_misalignment = draw.misalignment(sizeof(T));
      options.values_out_misalignment = draw.misalignment(4);
      options.device_count = draw.device_count(n);
      options.dirt = draw.dirt();
      return wrong_top_k(backend.gpu(), *top_k, config, keys, k, options);
    };
  };
  return subject;
}

template <class T>
Subject segmented_sort_subject(SegmentedSortConfig config, const char* tuning = "") {
  config.key = type_of<T>;
  Subject subject;
  subject.name = std::string("segmented_sort ") + name_of(config.key) + ' ' + std::to_string(config.value_bytes) + ' ' +
                 name_of(config.order) + " by " + name_of(config.offset) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, sort = built(SegmentedSort::create(backend.context(), config))](Draws& draw) {
      const uint64_t n = draw.count(draw.one_in(2) ? sort->tile_keys() : sort->short_keys());
      const uint64_t segments = draw.one_in(2) ? draw.count(1000) : draw.of_any_magnitude(n / 9 + 1);
      std::vector<T> keys = draw.items<T>(n);
      if (draw.one_in(3)) {
        const std::vector<uint8_t> bytes = draw.bytes(n * sizeof(T));
        if (n != 0) std::memcpy(keys.data(), bytes.data(), bytes.size());
      }
      SegmentedSortOptions options;
      options.keys_misalignment = draw.misalignment(sizeof(T));
      options.values_misalignment = draw.misalignment(4);
      options.offsets_misalignment = draw.misalignment(4);
      options.keys_out_misalignment = draw.misalignment(sizeof(T));
      options.values_out_misalignment = draw.misalignment(4);
      options.count = draw.device_count(segments);
      options.key_count = draw.device_count(n);
      options.ascending = !draw.one_in(10);
      options.dirt = draw.dirt();
      const Offsets offsets = drawn_offsets(draw, n, segments, options.ascending);
      return wrong_segmented_sort(backend.gpu(), *sort, config, keys, offsets, options);
    };
  };
  return subject;
}

/// Primitive: SortedSearch or BinarySearch.
template <class Primitive, class T>
Subject search_subject(Bound bound, const char* tuning = "") {
  constexpr bool kSorted = std::is_same_v<Primitive, SortedSearch>;
  Subject subject;
  subject.name = std::string(kSorted ? "sorted_search " : "binary_search ") + name_of(bound) + ' ' +
                 name_of(item_type<T>()) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, search = built(Primitive::create(backend.context(), {item_type<T>(), bound}))](Draws& draw) {
      uint64_t tile = 0;
      if constexpr (kSorted)
        tile = search->tile_keys();
      else
        tile = search->tile_needles();
      const uint64_t total = draw.count(tile);
      const uint64_t n = draw.below(total + 1);
      std::vector<T> needles = draw.items<T>(n);
      const std::vector<T> haystack = sorted(draw.items<T>(total - n));
      // Some of the haystack's own.
      for (uint64_t i = 0; i < n && !haystack.empty(); i += 3) needles[i] = haystack[draw.below(haystack.size())];
      SearchOptions options;
      options.sorted = !kSorted || !draw.one_in(10);
      if (kSorted && options.sorted) needles = sorted(std::move(needles));
      options.needles_misalignment = draw.misalignment(sizeof(T));
      options.haystack_misalignment = draw.misalignment(sizeof(T));
      options.output_misalignment = draw.misalignment(4);
      options.needle_count = draw.device_count(n);
      options.haystack_count = draw.device_count(total - n);
      options.dirt = draw.dirt();
      return wrong_search(backend.gpu(), *search, bound, needles, haystack, options);
    };
  };
  return subject;
}

/// Primitive: BulkRemove or BulkInsert.
template <class Primitive, class Config>
Subject bulk_subject(uint32_t item_bytes, Type index, const char* tuning = "") {
  constexpr bool kRemoves = std::is_same_v<Primitive, BulkRemove>;
  Subject subject;
  subject.name = std::string(kRemoves ? "bulk_remove " : "bulk_insert ") + std::to_string(item_bytes) +
                 " bytes, indices " + name_of(index) + ' ' + tuning;
  subject.tuning = tuning;
  subject.build = [=](Backend& backend) -> Check {
    return [=, &backend, bulk = built(Primitive::create(backend.context(), Config{item_bytes, index}))](Draws& draw) {
      const uint64_t total = draw.count(bulk->tile_items()), seed = draw.word();
      const uint64_t m = kRemoves ? 0 : draw.below(total + 1), n = total - m;
      const Spread spread = kEverySpread[draw.below(std::size(kEverySpread))];
      Indices indices = kRemoves ? spread_indices(n, spread, seed) : spread_positions(n, m, spread, seed);
      BulkOptions options;
      options.ordered = !draw.one_in(10);
      if (!options.ordered)
        for (uint64_t& i : indices) i = draw.word() % (2 * n + 1);
      options.items_misalignment = draw.misalignment(item_bytes);
      options.inserted_misalignment = draw.misalignment(item_bytes);
      options.indices_misalignment = draw.misalignment(4);
      options.output_misalignment = draw.misalignment(item_bytes);
      options.count = draw.device_count(n);
      options.index_count = draw.device_count(indices.size());
      options.dirt = draw.dirt();
      if constexpr (kRemoves)
        return wrong_removal(backend.gpu(), *bulk, item_bytes, index, random_bytes(n * item_bytes, seed), indices,
                             options);
      else
        return wrong_insertion(backend.gpu(), *bulk, item_bytes, index, random_bytes(n * item_bytes, seed),
                               random_bytes(m * item_bytes, ~seed), indices, options);
    };
  };
  return subject;
}

std::vector<Subject> subjects() {
  constexpr auto kExclusive = ScanKind::exclusive;
  constexpr auto kInclusive = ScanKind::inclusive;
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan;
  constexpr auto kLookBack = Strategy::look_back;
  return {
      scan_subject<uint32_t>(kExclusive, Op::add, kReduceThenScan),
      scan_subject<uint32_t>(kExclusive, Op::add, kLookBack),
      scan_subject<uint32_t>(kInclusive, Op::max, kReduceThenScan, "scan.groups=3"),
      scan_subject<uint32_t>(kInclusive, Op::add, kLookBack, "scan.rows=1,scan.lag_kib=1"),
      scan_subject<uint8_t>(kInclusive, Op::add, kLookBack, "scan.spin_limit=1"),
      scan_subject<uint8_t>(kExclusive, Op::bit_xor, kReduceThenScan, "scan.workgroup=256"),
      scan_subject<uint8_t, uint32_t>(kInclusive, Op::add, kLookBack),
      scan_subject<uint16_t, uint32_t>(kExclusive, Op::add, kReduceThenScan, "scan.rows_wide=3"),
      scan_subject<uint16_t>(kInclusive, Op::min, kLookBack, "scan.rows=3"),
      scan_subject<uint64_t>(kExclusive, Op::add, kLookBack, "scan.rows_wide=1"),
      scan_subject<float>(kExclusive, Op::add, kReduceThenScan),
      scan_subject<F16, float>(kInclusive, Op::add, kLookBack),
      scan_subject<U32x2>(kInclusive, Op::affine, kLookBack, "scan.rows_wide=2"),
      scan_subject<U32x2>(kExclusive, Op::affine, kReduceThenScan, "scan.groups=7"),
      reduce_subject<uint32_t>(Op::add),
      reduce_subject<uint8_t, uint32_t>(Op::add, "reduce.rows=1"),
      reduce_subject<uint16_t>(Op::bit_or, "reduce.groups=2"),
      reduce_subject<float>(Op::min),
      reduce_subject<U32x2>(Op::affine, "reduce.groups=3"),
      reduce_subject<uint32_t>(Op::arg_min),
      reduce_subject<uint8_t>(Op::arg_max, "reduce.rows=2"),
      select_subject<uint32_t>(SelectConfig::select_if(Type::u32, Criterion::less), kLookBack),
      select_subject<uint8_t>(SelectConfig::select_if(Type::u8, Criterion::inside), kReduceThenScan, "select.rows=1"),
      select_subject<int32_t>(
          SelectConfig::select_if(Type::i32, Criterion::less), [](auto& config) { config.indices = true; },
          kReduceThenScan, "select.groups=3"),
      select_subject<float>(SelectConfig::select_if(Type::f32, Criterion::not_equal), kLookBack, "select.lag_kib=1"),
      select_subject<uint16_t>(SelectConfig::unique(Type::u16), kLookBack, "select.chunk_tiles=3"),
      select_subject<uint32_t>(SelectConfig::unique_by_key(Type::u32, 2), kReduceThenScan),
      select_subject<uint8_t>(SelectConfig::select_flagged(12, Type::u8), kLookBack, "select.spin_limit=1"),
      select_subject<uint32_t>(SelectConfig::select_flagged(1), kReduceThenScan, "select.workgroup=256"),
      select_subject<uint32_t>(
          SelectConfig::select_if(Type::u32, Criterion::any_bit),
          [](auto& config) {
            config.member = {20, 8, 0};
          },
          kLookBack),
      select_subject<uint16_t>(
          SelectConfig::unique(Type::u16),
          [](auto& config) {
            config.member = {12, 2, 2};
          },
          kReduceThenScan),
      partition_subject<uint32_t>(2, Criterion::less, 0, kLookBack),
      partition_subject<uint8_t>(2, Criterion::nonzero, 16, kReduceThenScan, "select.chunk_tiles=2"),
      partition_subject<uint16_t>(3, Criterion::inside, 0, kLookBack),
      partition_subject<uint32_t>(3, Criterion::inside, 0, kReduceThenScan, "select.rows=2"),
      run_length_encode_subject<uint32_t>(false, kLookBack),
      run_length_encode_subject<uint8_t>(true, kLookBack, "select.rows=1,select.lag_kib=1"),
      run_length_encode_subject<uint16_t, uint64_t>(true, kReduceThenScan, "select.chunk_tiles=2"),
      run_length_encode_subject<U32x2>(false, kReduceThenScan, "select.groups=3"),
      run_length_encode_subject<uint32_t>(true, kLookBack, "select.chunk_tiles=2", true),
      run_length_encode_subject<uint8_t>(true, kReduceThenScan, "select.groups=3", true),
      run_length_encode_subject<uint16_t, uint64_t>(true, kLookBack, "select.rows=1,select.spin_limit=1", true),
      run_length_encode_subject<U32x2, uint64_t>(false, kLookBack, "", true),
      run_length_decode_subject(1, Type::u32),
      run_length_decode_subject(2, Type::u64, "decode.workgroup=256,decode.rows=8,decode.vectors=2"),
      run_length_decode_subject(16, Type::u32, "decode.rows=1,decode.groups=3"),
      load_balance_search_subject({IntervalsBy::counts, Type::u32, Type::u32, true, true}),
      load_balance_search_subject({IntervalsBy::offsets, Type::u64, Type::u32, true, true},
                                  "load_balance.direct_intervals=50000"),
      load_balance_search_subject({IntervalsBy::offsets, Type::u64, Type::u64, true, true},
                                  "load_balance.rows=4,load_balance.vectors=2"),
      interval_move_subject({.item_bytes = 1}),
      interval_move_subject({.by = IntervalsBy::offsets, .offset = Type::u64, .item_bytes = 12}, "move.vectors=2"),
      interval_move_subject({.count = Type::u64, .item_bytes = 4, .scatter = false}, "move.rows=1,move.groups=3"),
      interval_move_subject({.item_bytes = 2, .gather = false}),
      histogram_subject<uint32_t>(HistogramKind::even, 256),
      histogram_subject<uint8_t>(HistogramKind::levels, 20, "histogram.rows=1,histogram.groups=1"),
      histogram_subject<float>(HistogramKind::even, 1000, "histogram.table_words=256"),
      histogram_subject<int32_t>(HistogramKind::levels, 5000),
      scan_by_key_subject<uint32_t>(kExclusive, Op::add, SegmentsBy::keys, Type::u32, kLookBack),
      scan_by_key_subject<uint16_t>(kInclusive, Op::bit_xor, SegmentsBy::keys, Type::u8, kReduceThenScan,
                                    "scan_by_key.groups=3"),
      scan_by_key_subject<uint8_t, uint32_t>(kInclusive, Op::add, SegmentsBy::head_bits, Type::u32, kLookBack,
                                             "scan_by_key.rows=1,scan_by_key.spin_limit=1"),
      scan_by_key_subject<uint64_t>(kExclusive, Op::max, SegmentsBy::head_bytes, Type::u32, kReduceThenScan),
      reduce_by_key_subject<uint32_t>(Op::add, Type::u32, kReduceThenScan, "reduce_by_key.groups=3"),
      reduce_by_key_subject<uint8_t>(Op::max, Type::u16, kLookBack),
      reduce_by_key_subject<uint16_t, uint32_t>(Op::add, Type::u64, kReduceThenScan,
                                                "reduce_by_key.workgroup=256,reduce_by_key.rows=4"),
      reduce_by_key_subject<float>(Op::add, Type::u8, kLookBack, "reduce_by_key.rows=1,reduce_by_key.spin_limit=1"),
      segmented_reduce_subject<uint32_t>(Op::add, Type::u32, "segmented_reduce.groups=3"),
      segmented_reduce_subject<uint8_t, uint32_t>(Op::add, Type::u64, "segmented_reduce.rows=1"),
      segmented_reduce_subject<uint16_t>(Op::max, Type::u32, "segmented_reduce.workgroup=256"),
      segmented_reduce_subject<int64_t>(Op::add, Type::u32, "segmented_reduce.groups=7"),
      segmented_scan_subject<uint32_t>(kInclusive, Op::add, Type::u32, kReduceThenScan),
      segmented_scan_subject<uint8_t, uint32_t>(kExclusive, Op::add, Type::u64, kLookBack),
      search_subject<SortedSearch, uint32_t>(Bound::lower),
      search_subject<SortedSearch, float>(Bound::upper, "search.workgroup=256,search.keys=3"),
      search_subject<SortedSearch, int64_t>(Bound::lower, "search.keys=15"),
      search_subject<BinarySearch, int32_t>(Bound::upper),
      search_subject<BinarySearch, double>(Bound::lower),
      merge_subject<uint32_t>({}),
      merge_subject<float>({.value_bytes = 4}, "merge.few=4294967295,merge.few_keys=4"),
      merge_subject<uint64_t>({.indices = true},
                              "merge.few=700,merge.direct_tiles=4294967295,merge.direct_tiles_wide=4294967295"),
      merge_subject<float>({.order = SortOrder::descending}, "merge.workgroup=256,merge.keys=1"),
      merge_subject<int64_t>({.value_bytes = 4}, "merge.keys_wide=16"),
      merge_subject<uint8_t>({.order = SortOrder::descending, .value_bytes = 1, .indices = true}, "merge.keys_sides=2"),
      set_operation_subject<uint32_t>({.operation = SetOperator::set_union}),
      set_operation_subject<uint8_t>({.operation = SetOperator::set_intersection, .value_bytes = 4},
                                     "set_operation.groups=3"),
      set_operation_subject<float>({.operation = SetOperator::set_difference, .order = SortOrder::descending},
                                   "set_operation.workgroup=256,set_operation.keys=3"),
      set_operation_subject<int64_t>(
          {.operation = SetOperator::set_symmetric_difference, .value_bytes = 1, .indices = true},
          "set_operation.keys_wide=2"),
      merge_sort_subject<uint32_t>({}),
      merge_sort_subject<int32_t>({.value_bytes = 4}, "merge_sort.few=4294967295,merge_sort.few_keys=4"),
      merge_sort_subject<uint64_t>(
          {.order = SortOrder::descending, .indices = true},
          "merge_sort.few=700,merge_sort.direct_tiles=4294967295,merge_sort.direct_tiles_wide=4294967295"),
      merge_sort_subject<float>({.order = SortOrder::descending, .value_bytes = 4}, "merge_sort.merge_keys_wide=8"),
      merge_sort_subject<uint16_t>({.keys = false, .value_bytes = 2, .indices = true}, "merge_sort.keys=8"),
      merge_subject<uint16_t>({.value_bytes = 12}, "merge.form=1"),
      merge_subject<double>({.indices = true}, "merge.form=1,merge.stream_keys=3,merge.stream_steps=2"),
      radix_sort_subject<uint32_t>({.strategy = kReduceThenScan}, "radix_sort.groups=3"),
      radix_sort_subject<float>({.value_bytes = 4, .order = SortOrder::descending, .strategy = kReduceThenScan},
                                "radix_sort.direct_groups=2"),
      radix_sort_subject<int64_t>({.value_bytes = 8, .strategy = kReduceThenScan},
                                  "radix_sort.rows=16,radix_sort.part_words=700"),
      radix_sort_subject<uint64_t>({.begin_bit = 27, .end_bit = 44, .strategy = kReduceThenScan}, "radix_sort.rows=3"),
      radix_sort_subject<int32_t>({.strategy = kLookBack}, "radix_sort.spin_limit=1"),
      radix_sort_subject<uint32_t>({.value_bytes = 4, .order = SortOrder::descending, .strategy = kLookBack},
                                   "radix_sort.sweep_pairs_workgroup=256,radix_sort.sight=1"),
      radix_sort_subject<double>({.value_bytes = 8, .strategy = kLookBack},
                                 "radix_sort.sweep_pairs_rows=16,radix_sort.sweep_pairs_part_words=700"),
      radix_sort_subject<uint64_t>({.begin_bit = 27, .end_bit = 44, .strategy = kLookBack},
                                   "radix_sort.sweep_rows=3,radix_sort.sight=8,radix_sort.sweep_groups=2"),
      top_k_subject<uint32_t>({.strategy = kReduceThenScan}, "top_k.groups=3"),
      top_k_subject<int64_t>({.value_bytes = 8, .order = SortOrder::ascending, .strategy = kReduceThenScan}),
      top_k_subject<float>({.value_bytes = 4, .positions = true, .strategy = kLookBack}, "top_k.spin_limit=1"),
      top_k_subject<double>({.value_bytes = 4, .strategy = kLookBack}, "top_k.copies=4"),
      segmented_sort_subject<uint32_t>({}),
      segmented_sort_subject<double>({.value_bytes = 4, .order = SortOrder::descending, .offset = Type::u64},
                                     "segmented_sort.long_rows=3,radix_sort.groups=2"),
      bulk_subject<BulkRemove, BulkRemoveConfig>(1, Type::u32),
      bulk_subject<BulkRemove, BulkRemoveConfig>(4, Type::u64, "bulk.workgroup=256,bulk.words=5"),
      bulk_subject<BulkRemove, BulkRemoveConfig>(16, Type::u32, "bulk.words=16"),
      bulk_subject<BulkInsert, BulkInsertConfig>(2, Type::u32),
      bulk_subject<BulkInsert, BulkInsertConfig>(4, Type::u32, "bulk.workgroup=256,bulk.words=5"),
      bulk_subject<BulkInsert, BulkInsertConfig>(12, Type::u64),
  };
}

uint64_t number_in(const char* variable, const char* text) {
  char* end = nullptr;
  const uint64_t number = std::strtoull(text, &end, 10);
  REQUIRE_MESSAGE((end != text && *end == '\0'), variable, "=", text);
  return number;
}

/// What WEFT_FUZZ_CASES asks for: a number of cases from the first on, or "first-last".
struct Cases {
  uint64_t first = 0;
  uint64_t end = kCases;
  bool all = false;  ///< whatever WEFT_TEST_SHARE says

  static Cases wanted() {
    const char* text = std::getenv("WEFT_FUZZ_CASES");
    if (text == nullptr) return {};
    unsigned long long first = 0, last = 0;
    if (std::sscanf(text, "%llu-%llu", &first, &last) == 2) return {first, last + 1, true};
    return {0, number_in("WEFT_FUZZ_CASES", text), false};
  }
};
}  // namespace

TEST_SUITE("fuzz") {
  TEST_CASE("whatever is drawn, results are the oracle's") {
    const char* seed_text = std::getenv("WEFT_FUZZ_SEED");
    const uint64_t seed = seed_text != nullptr ? number_in("WEFT_FUZZ_SEED", seed_text) : kSeed;
    const Cases cases = Cases::wanted();
    const std::vector<Backend*> backends = every_backend();
    const std::vector<Subject> all = subjects();
    std::map<std::pair<size_t, size_t>, Check> checks;  // by subject and backend
    int failures = 0;
    uint64_t run = 0;
    for (uint64_t i = cases.first; i < cases.end && failures < kMaxFailures; ++i) {
      Draws draw(seed, i);
      const size_t s = draw.below(all.size());
      const Subject& subject = all[s];
      // Pipelines take longest: each subject has the first backend of one of the processes that share the subjects out,
      // and every other one an emulated backend, which is slower and so takes fewer cases, in another process.
      const size_t b = backends.size() > 1 && draw.one_in(5) && s % 2 == 0 ? 1 + s / 2 % (backends.size() - 1) : 0;
      if (!cases.all && !takes_turn(static_cast<uint32_t>(b == 0 ? s : s + 1))) continue;
      Backend& backend = *backends[b];
      if (!std::ranges::all_of(subject.types, [&](Type type) { return backend.context().supports(type); })) continue;
      if (subject.needs_look_back && !has_look_back(backend.context())) continue;
      INFO("WEFT_FUZZ_SEED=", seed, " WEFT_FUZZ_CASES=", i, '-', i, " on ", backend.name(), ": ", subject.name);
      Check& check = checks[{s, b}];
      if (!check) {
        const ScopedTuning tuned(subject.tuning);
        check = subject.build(backend);
      }
      const std::string wrong = check(draw);
      CHECK(wrong == "");
      failures += !wrong.empty();
      ++run;
    }
    MESSAGE(run, " cases of seed ", seed);
    CHECK((run > 0 || cases.first >= cases.end));
  }

  TEST_CASE("a case is the same whenever it is drawn") {
    for (const uint64_t i : {0, 1, 77}) {
      Draws a(kSeed, i), b(kSeed, i), other(kSeed + 1, i);
      CHECK(a.items<uint32_t>(1000) == b.items<uint32_t>(1000));
      CHECK(a.count(512) == b.count(512));
      CHECK(a.word() == b.word());
      CHECK(a.word() != other.word());
    }
  }
}
}  // namespace weft::test
