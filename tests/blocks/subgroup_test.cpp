// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every operation of shaders/weft/subgroup.glsl, lanes.glsl and workgroup_scan.glsl against an oracle, on both backends
// and at every width that can be had: natively what the driver runs, emulated 4 to 128 on any driver.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shaders/self_test.h"
#include "support/device.hpp"
#include "support/guarded_buffer.hpp"
#include "support/kernel.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace weft::test::subgroup_tests {
namespace {

using shader::SelfTestPush;

/// What one position is given.
struct Input {
  uint32_t value, selector, flags;
  float summand, factor;

  bool predicate() const { return (flags & 1u) != 0; }
  bool takes_part() const { return (flags & 2u) != 0; }
};
static_assert(sizeof(Input) == 4 * kSelfTestInputWords);

/// A width to run at, and how.
struct Width {
  const char* backend;
  uint32_t size;
  Gpu* gpu;
};

std::vector<Width> every_width() {
  std::vector<Width> widths;
  for (Backend* backend : native_backends())
    if (!backend->is_emulated()) widths.push_back({".native", backend->context().subgroup_size(), &backend->gpu()});
  for (uint32_t size = 4; size <= 128; size *= 2)
    if (is_wanted("emulated" + std::to_string(std::max(size, 32u))))
      widths.push_back({".emulated", size, &first_backend().gpu()});
  return widths;
}

/// How the flags of a run's inputs are laid: random, or one of the shapes on which ballots and masks go wrong.
enum class Flags { random, none, all, first_lane, last_lane, every_other, one_random_lane };
constexpr std::array kEveryFlags{Flags::random,         Flags::none,      Flags::all,
                                 Flags::first_lane,     Flags::last_lane, Flags::every_other,
                                 Flags::one_random_lane};

bool flag_of(Flags flags, uint64_t seed, uint32_t position, uint32_t group) {
  const uint32_t lane = position % group;
  switch (flags) {
    case Flags::random: return random_word(seed, position) % 2 != 0;
    case Flags::none: return false;
    case Flags::all: return true;
    case Flags::first_lane: return lane == 0;
    case Flags::last_lane: return lane == group - 1;
    case Flags::every_other: return lane % 2 != 0;
    case Flags::one_random_lane: return lane == random_word(seed, position / group) % group;
  }
  return false;
}

/// Inputs for groups of `group` lanes.
std::vector<Input> inputs_of(uint32_t positions, uint32_t group, Flags predicate, Flags taking_part, uint64_t seed) {
  std::vector<Input> inputs(positions);
  for (uint32_t p = 0; p < positions; ++p) {
    const uint64_t word = random_word(seed, p);
    Input& input = inputs[p];
    // Every 16th run has extreme values, on which a wrong identity shows.
    input.value = seed % 16 == 0 ? ~0u : seed % 16 == 1 ? 0u : static_cast<uint32_t>(word);
    input.selector = static_cast<uint32_t>(word >> 40) % group;
    input.flags =
        (flag_of(predicate, seed + 1000, p, group) ? 1u : 0u) | (flag_of(taking_part, seed + 2000, p, group) ? 2u : 0u);
    input.summand = random_item<float>(positions, seed, Op::add, p);
    input.factor = random_item<float>(positions, seed, Op::multiply, p);
  }
  return inputs;
}

/// Collects what each result must be, in the order in which the kernel emits.
class Oracle {
 public:
  /// `group` lanes work together: a subgroup, or 32.
  Oracle(std::span<const Input> inputs, uint32_t group) : inputs_(inputs), group_(group) {}

  /// A result. `value_of(first, lane)`: what lane `lane` of the group whose first position is `first` must get; nothing
  /// where that is undefined.
  void word(std::string name, const std::function<std::optional<uint32_t>(uint32_t first, uint32_t lane)>& value_of) {
    names_.push_back(std::move(name));
    for (uint32_t p = 0; p < inputs_.size(); ++p) expected_.push_back(value_of(p - p % group_, p % group_));
  }

  /// The four words of a ballot.
  void ballot(const std::string& name,
              const std::function<std::array<uint32_t, 4>(uint32_t first, uint32_t lane)>& bits_of) {
    for (uint32_t i = 0; i < 4; ++i)
      word(name + '[' + std::to_string(i) + ']',
           [&](uint32_t first, uint32_t lane) { return std::optional(bits_of(first, lane)[i]); });
  }

  /// Inclusive and whole combinations of `item_of(position)`.
  template <class T>
  void inclusive(const char* name, Op op, const std::function<T(uint32_t position)>& item_of) {
    word(name, [&](uint32_t first, uint32_t lane) -> std::optional<uint32_t> {
      T running = item_of(first);
      for (uint32_t i = 1; i <= lane; ++i) running = combined(op, running, item_of(first + i));
      return std::bit_cast<uint32_t>(running);
    });
  }
  template <class T>
  void whole(const char* name, Op op, const std::function<T(uint32_t position)>& item_of) {
    std::vector<uint32_t> of_group;
    for (uint32_t first = 0; first < inputs_.size(); first += group_) {
      T running = item_of(first);
      for (uint32_t i = 1; i < group_; ++i) running = combined(op, running, item_of(first + i));
      of_group.push_back(std::bit_cast<uint32_t>(running));
    }
    word(name, [&](uint32_t first, uint32_t) { return std::optional(of_group[first / group_]); });
  }

  /// The bits of the lanes of a group for which `is_set(position)`.
  std::array<uint32_t, 4> bits(uint32_t first, const std::function<bool(uint32_t position)>& is_set) const {
    std::array<uint32_t, 4> ballot{};
    for (uint32_t i = 0; i < group_; ++i)
      if (is_set(first + i)) ballot[i / 32] |= 1u << (i % 32);
    return ballot;
  }

  size_t results() const { return names_.size(); }

  /// The first word that is wrong, in words; empty where all are right.
  std::string difference(std::span<const uint32_t> actual) const {
    for (size_t i = 0; i < expected_.size(); ++i) {
      if (!expected_[i] || *expected_[i] == actual[i]) continue;
      const size_t position = i % inputs_.size();
      return names_[i / inputs_.size()] + ", lane " + std::to_string(position % group_) + " of group " +
             std::to_string(position / group_) + ": " + std::to_string(actual[i]) + " instead of " +
             std::to_string(*expected_[i]);
    }
    return {};
  }

 private:
  std::span<const Input> inputs_;
  uint32_t group_;
  std::vector<std::string> names_;
  std::vector<std::optional<uint32_t>> expected_;
};

/// Runs `kernel` once and compares.
void check(Gpu& gpu, const Kernel& kernel, std::span<const Input> inputs, uint32_t workgroups, SelfTestPush push,
           const Oracle& oracle) {
  GuardedBuffer given(gpu, inputs.size_bytes(), 0, std::as_bytes(inputs));
  GuardedBuffer results(gpu, oracle.results() * inputs.size() * 4, 0, {});
  push.inputs = given.address();
  push.results = results.address();
  push.positions = static_cast<uint32_t>(inputs.size());
  const auto ran = run_timed(gpu, [&](VkCommandBuffer commands) {
    kernel.record(commands, push, workgroups);
    return Status{};
  });
  if (!ran) FAIL(ran.error().message);
  std::vector<std::byte> bytes;
  CHECK(results.read(bytes) == "");
  std::vector<uint32_t> actual(bytes.size() / 4);
  std::memcpy(actual.data(), bytes.data(), bytes.size());
  CHECK(oracle.difference(actual) == "");
}

/// Calls `test(width, workgroup_size)` for every width and some workgroup sizes, of one subgroup, of several, and of
/// more subgroups than a subgroup has lanes.
void for_every_shape(uint32_t least_workgroup, const std::function<void(const Width&, uint32_t)>& test) {
  for (const Width& width : every_width())
    for (const uint32_t workgroup : std::set{width.size, 96u, 256u}) {
      if (workgroup % width.size != 0 || workgroup % least_workgroup != 0) continue;
      CAPTURE(std::string(width.backend));
      CAPTURE(width.size);
      CAPTURE(workgroup);
      test(width, workgroup);
    }
}

SelfTestPush parameters(uint32_t group, uint64_t seed) {
  SelfTestPush push{};
  push.delta = seed % 3 == 0 ? 1 : static_cast<uint32_t>(random_word(seed, 1) % group);
  push.lane = seed % 3 == 0 ? group - 1 : static_cast<uint32_t>(random_word(seed, 2) % group);
  push.mask = seed % 3 == 0 ? group - 1 : static_cast<uint32_t>(random_word(seed, 3) % group);
  return push;
}

constexpr uint32_t kWorkgroups = 3;

/// Builds part `part` of kernel `stem` for every shape and runs it on every layout of flags; `expect` fills the oracle.
/// `fixed_group`: 32 for lanes, 0 for subgroups.
using Expect =
    std::function<void(Oracle&, std::span<const Input>, const SelfTestPush&, uint32_t workgroup, uint32_t group)>;
void run_part(const std::string& stem, uint32_t part, uint32_t fixed_group, std::span<const Flags> layouts,
              const Expect& expect) {
  for_every_shape(fixed_group != 0 ? fixed_group : 1, [&](const Width& width, uint32_t workgroup) {
    const uint32_t group = fixed_group != 0 ? fixed_group : width.size;
    const std::array constants{0u, part};
    const Kernel kernel(*width.gpu, stem + width.backend, workgroup, width.size, constants);
    uint64_t seed = 0;
    for (const Flags predicate : layouts)
      for (const Flags taking_part : layouts) {
        ++seed;
        CAPTURE(seed);
        const auto inputs = inputs_of(kWorkgroups * workgroup, group, predicate, taking_part, seed);
        const SelfTestPush push = parameters(group, seed);
        Oracle oracle(inputs, group);
        expect(oracle, inputs, push, workgroup, group);
        check(*width.gpu, kernel, inputs, kWorkgroups, push, oracle);
      }
  });
}

// Operations that read no flags need few layouts: the pairs of these give enough seeds.
constexpr std::array kFewFlags{Flags::random, Flags::all, Flags::none, Flags::every_other};

uint32_t ballot_bits_before(const std::array<uint32_t, 4>& ballot, uint32_t lane) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < lane; ++i) count += ballot[i / 32] >> (i % 32) & 1u;
  return count;
}

std::array<uint32_t, 4> mask_before(uint32_t lane) {
  std::array<uint32_t, 4> mask{};
  for (uint32_t i = 0; i < lane; ++i) mask[i / 32] |= 1u << (i % 32);
  return mask;
}

template <class T>
void expect_arithmetic(Oracle& oracle, const std::function<T(uint32_t)>& item) {
  oracle.inclusive<T>("inclusive_add", Op::add, item);
  oracle.inclusive<T>("inclusive_min", Op::min, item);
  oracle.inclusive<T>("inclusive_max", Op::max, item);
  oracle.whole<T>("add", Op::add, item);
  oracle.whole<T>("min", Op::min, item);
  oracle.whole<T>("max", Op::max, item);
}

template <class T>
void expect_products(Oracle& oracle, const std::function<T(uint32_t)>& item) {
  oracle.inclusive<T>("inclusive_mul", Op::multiply, item);
  oracle.whole<T>("mul", Op::multiply, item);
}

template <class T>
void expect_bitwise(Oracle& oracle, const std::function<T(uint32_t)>& item) {
  oracle.inclusive<T>("inclusive_and", Op::bit_and, item);
  oracle.inclusive<T>("inclusive_or", Op::bit_or, item);
  oracle.inclusive<T>("inclusive_xor", Op::bit_xor, item);
  oracle.whole<T>("and", Op::bit_and, item);
  oracle.whole<T>("or", Op::bit_or, item);
  oracle.whole<T>("xor", Op::bit_xor, item);
}

/// A shuffle whose source is `lane + offset` where such a lane is in the group.
std::function<std::optional<uint32_t>(uint32_t, uint32_t)> shifted(uint32_t group, int64_t offset,
                                                                   std::function<uint32_t(uint32_t)> word_of) {
  return [=](uint32_t first, uint32_t lane) -> std::optional<uint32_t> {
    const int64_t source = int64_t{lane} + offset;
    if (source < 0 || source >= int64_t{group}) return std::nullopt;
    return word_of(first + static_cast<uint32_t>(source));
  };
}

/// The sum of the values of the positions [begin, end) that take part.
uint32_t sum_of_parts(std::span<const Input> inputs, uint32_t begin, uint32_t end) {
  uint32_t sum = 0;
  for (uint32_t p = begin; p < end; ++p) sum += inputs[p].takes_part() ? inputs[p].value : 0;
  return sum;
}

/// Outputs of a position, as load_balance_self_test.comp has them.
uint32_t outputs_of(const Input& input, const SelfTestPush& push) {
  return input.takes_part() ? 1 + input.value % (1 + push.mask) : 0;
}

}  // namespace

TEST_SUITE("subgroup") {
  TEST_CASE("ballots, their bit counts and votes see exactly the lanes of the subgroup") {
    run_part("subgroup_self_test", 0, 0, kEveryFlags,
             [](Oracle& oracle, std::span<const Input> in, const SelfTestPush&, uint32_t workgroup, uint32_t group) {
               const auto ballot = [&](uint32_t first) {
                 return oracle.bits(first, [&](uint32_t p) { return in[p].predicate(); });
               };
               const auto count = [&](uint32_t first) { return ballot_bits_before(ballot(first), 128); };
               oracle.word("lane", [](uint32_t, uint32_t lane) { return std::optional(lane); });
               oracle.word("index", [&](uint32_t first, uint32_t) { return std::optional(first % workgroup / group); });
               oracle.ballot("ballot", [&](uint32_t first, uint32_t) { return ballot(first); });
               oracle.word("bit_count", [&](uint32_t first, uint32_t) { return std::optional(count(first)); });
               oracle.word("bit", [&](uint32_t first, uint32_t lane) {
                 return std::optional(in[first + in[first + lane].selector].predicate() ? 1u : 0u);
               });
               oracle.ballot("mask_before",
                             [&](uint32_t first, uint32_t lane) { return mask_before(in[first + lane].selector); });
               oracle.ballot("mask_before(128)", [&](uint32_t, uint32_t) { return mask_before(128); });
               oracle.word("exclusive_bit_count", [&](uint32_t first, uint32_t lane) {
                 return std::optional(ballot_bits_before(ballot(first), in[first + lane].selector));
               });
               oracle.word("lowest_bit", [&](uint32_t first, uint32_t) {
                 for (uint32_t i = 0; i < group; ++i)
                   if (in[first + i].predicate()) return std::optional(i);
                 return std::optional(128u);
               });
               oracle.word("highest_bit", [&](uint32_t first, uint32_t) {
                 for (uint32_t i = group; i-- > 0;)
                   if (in[first + i].predicate()) return std::optional(i);
                 return std::optional(128u);
               });
               oracle.word("run_start", [&](uint32_t first, uint32_t lane) {
                 for (uint32_t i = lane; i != 0; --i)
                   if (in[first + i].predicate()) return std::optional(i);
                 return std::optional(0u);
               });
               oracle.word("rank", [&](uint32_t first, uint32_t lane) {
                 return std::optional(ballot_bits_before(ballot(first), lane));
               });
               oracle.word("is_last", [&](uint32_t first, uint32_t lane) {
                 return std::optional(ballot_bits_before(ballot(first), lane + 1) == count(first) ? 1u : 0u);
               });
               oracle.word("any", [&](uint32_t first, uint32_t) { return std::optional(count(first) != 0 ? 1u : 0u); });
               oracle.word("all",
                           [&](uint32_t first, uint32_t) { return std::optional(count(first) == group ? 1u : 0u); });
             });
  }

  TEST_CASE("shuffles and broadcasts hand over the value of the lane that is named") {
    run_part(
        "subgroup_self_test", 1, 0, kFewFlags,
        [](Oracle& oracle, std::span<const Input> in, const SelfTestPush& push, uint32_t, uint32_t group) {
          const int64_t delta = push.delta;
          const auto value = [in](uint32_t p) { return in[p].value; };
          const auto summand = [in](uint32_t p) { return std::bit_cast<uint32_t>(in[p].summand); };
          const auto selector = [in](uint32_t p) { return in[p].selector; };
          const auto selected = [in](auto word_of) {
            return [in, word_of](uint32_t first, uint32_t lane) {
              return std::optional(word_of(first + in[first + lane].selector));
            };
          };
          oracle.word("shuffle", selected(value));
          oracle.word("shuffle_up", shifted(group, -delta, value));
          oracle.word("shuffle_down", shifted(group, delta, value));
          oracle.word("shuffle_xor",
                      [&](uint32_t first, uint32_t lane) { return std::optional(value(first + (lane ^ push.mask))); });
          oracle.word("broadcast", [&](uint32_t first, uint32_t) { return std::optional(value(first + push.lane)); });
          oracle.word("shuffle of int", selected(value));
          oracle.word("shuffle_up of int", shifted(group, -delta, value));
          oracle.word("shuffle of float", selected(summand));
          oracle.word("shuffle_up of float", shifted(group, -delta, summand));
          oracle.word("shuffle of uvec2, x", selected(value));
          oracle.word("shuffle of uvec2, y", selected(selector));
          oracle.word("shuffle_up of uvec2, x", shifted(group, -delta, value));
          oracle.word("shuffle_up of uvec2, y", shifted(group, -delta, selector));
        });
  }

  TEST_CASE("u32 combine in every operator, inclusive and whole") {
    run_part("subgroup_self_test", 2, 0, kFewFlags,
             [](Oracle& oracle, std::span<const Input> in, const SelfTestPush&, uint32_t, uint32_t) {
               const std::function item = [in](uint32_t p) { return in[p].value; };
               expect_arithmetic<uint32_t>(oracle, item);
               expect_products<uint32_t>(oracle, item);
               expect_bitwise<uint32_t>(oracle, item);
               oracle.word("exclusive_add", [&](uint32_t first, uint32_t lane) {
                 uint32_t sum = 0;
                 for (uint32_t i = 0; i < lane; ++i) sum += in[first + i].value;
                 return std::optional(sum);
               });
             });
  }

  TEST_CASE("i32 combine in every operator, inclusive and whole") {
    run_part("subgroup_self_test", 3, 0, kFewFlags,
             [](Oracle& oracle, std::span<const Input> in, const SelfTestPush&, uint32_t, uint32_t) {
               const std::function item = [in](uint32_t p) { return static_cast<int32_t>(in[p].value); };
               expect_arithmetic<int32_t>(oracle, item);
               expect_products<int32_t>(oracle, item);
               expect_bitwise<int32_t>(oracle, item);
             });
  }

  TEST_CASE("f32 combine in every operator, inclusive and whole") {
    run_part("subgroup_self_test", 4, 0, kFewFlags,
             [](Oracle& oracle, std::span<const Input> in, const SelfTestPush&, uint32_t, uint32_t) {
               expect_arithmetic<float>(oracle, [in](uint32_t p) { return in[p].summand; });
               expect_products<float>(oracle, [in](uint32_t p) { return in[p].factor; });
             });
  }

  TEST_CASE("lanes that take no part contribute nothing and receive nothing") {
    run_part("subgroup_self_test", 5, 0, kEveryFlags,
             [](Oracle& oracle, std::span<const Input> in, const SelfTestPush&, uint32_t, uint32_t group) {
               const auto ballot = [&](uint32_t first) {
                 return oracle.bits(first, [&](uint32_t p) { return in[p].takes_part() && in[p].predicate(); });
               };
               const auto dissent = [&](uint32_t first) {
                 return oracle.bits(first, [&](uint32_t p) { return in[p].takes_part() && !in[p].predicate(); });
               };
               const std::array<uint32_t, 4> nothing{};
               oracle.ballot("ballot_where", [&](uint32_t first, uint32_t lane) {
                 return in[first + lane].takes_part() ? ballot(first) : nothing;
               });
               oracle.word("any_where", [&](uint32_t first, uint32_t lane) {
                 return std::optional(in[first + lane].takes_part() && ballot(first) != nothing ? 1u : 0u);
               });
               oracle.word("all_where", [&](uint32_t first, uint32_t lane) {
                 return std::optional(in[first + lane].takes_part() && dissent(first) == nothing ? 1u : 0u);
               });
               oracle.word("add_where", [&](uint32_t first, uint32_t lane) {
                 return std::optional(in[first + lane].takes_part() ? sum_of_parts(in, first, first + group) : 0u);
               });
               oracle.word("exclusive_add_where", [&](uint32_t first, uint32_t lane) {
                 return std::optional(in[first + lane].takes_part() ? sum_of_parts(in, first, first + lane) : 0u);
               });
               oracle.ballot("ballot afterwards", [&](uint32_t first, uint32_t) {
                 return oracle.bits(first, [&](uint32_t p) { return in[p].predicate(); });
               });
             });
  }
}

TEST_SUITE("lanes") {
  TEST_CASE("a group of 32 votes and shuffles alike on subgroups of any width [bounds]") {
    run_part(
        "lanes_self_test", 0, 32, kEveryFlags,
        [](Oracle& oracle, std::span<const Input> in, const SelfTestPush& push, uint32_t workgroup, uint32_t) {
          const int64_t delta = push.delta;
          const auto value = [in](uint32_t p) { return in[p].value; };
          const auto ballot = [&](uint32_t first) {
            return oracle.bits(first, [&](uint32_t p) { return in[p].predicate(); })[0];
          };
          const auto selected = [&](uint32_t first, uint32_t lane) {
            return std::optional(value(first + in[first + lane].selector));
          };
          oracle.word("lane", [](uint32_t, uint32_t lane) { return std::optional(lane); });
          oracle.word("group", [&](uint32_t first, uint32_t) { return std::optional(first % workgroup / 32); });
          oracle.word("group_count", [&](uint32_t, uint32_t) { return std::optional(workgroup / 32); });
          oracle.word("mask_before", [&](uint32_t, uint32_t lane) { return std::optional((1u << lane) - 1); });
          oracle.word("ballot", [&](uint32_t first, uint32_t) { return std::optional(ballot(first)); });
          oracle.word("any", [&](uint32_t first, uint32_t) { return std::optional(ballot(first) != 0 ? 1u : 0u); });
          oracle.word("all", [&](uint32_t first, uint32_t) { return std::optional(ballot(first) == ~0u ? 1u : 0u); });
          oracle.word("shuffle", selected);
          oracle.word("shuffle modulo 32", selected);
          oracle.word("shuffle_up", shifted(32, -delta, value));
          oracle.word("shuffle_down", shifted(32, delta, value));
          oracle.word("shuffle_xor",
                      [&](uint32_t first, uint32_t lane) { return std::optional(value(first + (lane ^ push.mask))); });
          oracle.word("broadcast", [&](uint32_t first, uint32_t) { return std::optional(value(first + push.lane)); });
          oracle.word("broadcast by group", [&](uint32_t first, uint32_t) {
            return std::optional(value(first + (push.lane + first % workgroup / 32) % 32));
          });
        });
  }

  TEST_CASE("a group of 32 adds and compares alike on subgroups of any width [bounds]") {
    run_part("lanes_self_test", 1, 32, kFewFlags,
             [](Oracle& oracle, std::span<const Input> in, const SelfTestPush&, uint32_t, uint32_t) {
               const std::function item = [in](uint32_t p) { return in[p].value; };
               oracle.whole<uint32_t>("add", Op::add, item);
               oracle.whole<uint32_t>("min", Op::min, item);
               oracle.whole<uint32_t>("max", Op::max, item);
               oracle.inclusive<uint32_t>("inclusive_add", Op::add, item);
               oracle.word("exclusive_add", [&](uint32_t first, uint32_t lane) {
                 uint32_t sum = 0;
                 for (uint32_t i = 0; i < lane; ++i) sum += item(first + i);
                 return std::optional(sum);
               });
             });
  }

  TEST_CASE("of a group of 32, lanes that take no part contribute nothing and receive nothing [bounds]") {
    run_part("lanes_self_test", 2, 32, kEveryFlags,
             [](Oracle& oracle, std::span<const Input> in, const SelfTestPush&, uint32_t, uint32_t) {
               const auto bits = [&](uint32_t first, bool predicate) {
                 return oracle.bits(
                     first, [&](uint32_t p) { return in[p].takes_part() && in[p].predicate() == predicate; })[0];
               };
               const auto taking_part = [&](const char* name,
                                            const std::function<uint32_t(uint32_t, uint32_t)>& value_of) {
                 oracle.word(name, [&](uint32_t first, uint32_t lane) {
                   return std::optional(in[first + lane].takes_part() ? value_of(first, lane) : 0u);
                 });
               };
               const auto extreme = [&](uint32_t first, uint32_t start, auto better) {
                 for (uint32_t p = first; p < first + 32; ++p)
                   if (in[p].takes_part() && better(in[p].value, start)) start = in[p].value;
                 return start;
               };
               taking_part("ballot_where", [&](uint32_t first, uint32_t) { return bits(first, true); });
               taking_part("any_where", [&](uint32_t first, uint32_t) { return bits(first, true) != 0 ? 1u : 0u; });
               taking_part("all_where", [&](uint32_t first, uint32_t) { return bits(first, false) == 0 ? 1u : 0u; });
               taking_part("add_where", [&](uint32_t first, uint32_t) { return sum_of_parts(in, first, first + 32); });
               taking_part("inclusive_add_where",
                           [&](uint32_t first, uint32_t lane) { return sum_of_parts(in, first, first + lane + 1); });
               taking_part("exclusive_add_where",
                           [&](uint32_t first, uint32_t lane) { return sum_of_parts(in, first, first + lane); });
               taking_part("min_where", [&](uint32_t first, uint32_t) { return extreme(first, ~0u, std::less<>{}); });
               taking_part("max_where", [&](uint32_t first, uint32_t) { return extreme(first, 0u, std::greater<>{}); });
               oracle.word("ballot afterwards", [&](uint32_t first, uint32_t) {
                 return std::optional(oracle.bits(first, [&](uint32_t p) { return in[p].predicate(); })[0]);
               });
             });
  }

  TEST_CASE("of a group of 32, each lane finds the source of an output and its rank there [bounds]") {
    run_part("load_balance_self_test", 0, 32, kFewFlags,
             [](Oracle& oracle, std::span<const Input> in, const SelfTestPush& push, uint32_t, uint32_t) {
               // `output_of(first, lane)`: what the lane asks for.
               const auto found = [&](const std::function<uint32_t(uint32_t first, uint32_t lane)>& output_of) {
                 for (const bool rank : {false, true})
                   oracle.word(rank ? "rank" : "source", [&](uint32_t first, uint32_t lane) {
                     uint32_t left = output_of(first, lane);
                     for (uint32_t source = 0; source < 32; ++source) {
                       const uint32_t count = outputs_of(in[first + source], push);
                       if (left < count) return std::optional(rank ? left : source);
                       left -= count;
                     }
                     return std::optional<uint32_t>();
                   });
               };
               for (const uint32_t outputs : {0u, 32u, 64u, 96u})
                 found([&](uint32_t, uint32_t lane) { return outputs + lane; });
               found([&](uint32_t first, uint32_t lane) { return in[first + lane].selector * push.delta; });
             });
  }
}

TEST_SUITE("workgroup") {
  TEST_CASE(
      "a workgroup scans and reduces in the order of its indices, in calls that follow without a barrier [bounds]") {
    const auto expect = [](auto item_of, auto words_of, Op op, Oracle& oracle, uint32_t workgroup, uint32_t subgroup) {
      using T = decltype(item_of(0u));
      // Of positions [begin, end), into as many results as the item has words.
      const auto result = [&](const char* name, auto begin_and_end) {
        for (uint32_t word = 0; word < words_of(T{}).size(); ++word)
          oracle.word(name, [&](uint32_t first, uint32_t lane) {
            const auto [begin, end] = begin_and_end(first, first + lane);
            T running = identity_of<T>(op);
            for (uint32_t p = begin; p < end; ++p) running = combined(op, running, item_of(p));
            return std::optional(words_of(running)[word]);
          });
      };
      const auto before = [](uint32_t first, uint32_t position) { return std::pair(first, position); };
      const auto through = [](uint32_t first, uint32_t position) { return std::pair(first, position + 1); };
      const auto all = [&](uint32_t first, uint32_t) { return std::pair(first, first + workgroup); };
      const auto subgroups_before = [&](uint32_t first, uint32_t position) {
        return std::pair(first, position - (position - first) % subgroup);
      };
      result("exclusive", before);
      result("exclusive's aggregate", all);
      result("inclusive", through);
      result("inclusive's aggregate", all);
      result("reduce", all);
      result("exclusive_of_subgroups", subgroups_before);
      result("exclusive_of_subgroups' aggregate", all);
    };
    for_every_shape(1, [&](const Width& width, uint32_t workgroup) {
      for (const Op op : {Op::min, Op::affine}) {
        CAPTURE(std::string(name_of(op)));
        const std::array constants{static_cast<uint32_t>(op)};
        const std::string types = op == Op::affine ? ".u32x2.u32x2" : ".u32.u32";
        const Kernel kernel(*width.gpu, "workgroup_self_test" + types + width.backend, workgroup, width.size,
                            constants);
        for (uint64_t seed = 1; seed < 3; ++seed) {
          const auto in = inputs_of(kWorkgroups * workgroup, workgroup, Flags::random, Flags::random, seed);
          Oracle oracle(in, workgroup);
          if (op == Op::affine)
            expect(
                [&](uint32_t p) {
                  return U32x2{in[p].value, in[p].selector};
                },
                [](U32x2 v) {
                  return std::array{v.x, v.y};
                },
                op, oracle, workgroup, width.size);
          else
            expect([&](uint32_t p) { return in[p].value; }, [](uint32_t v) { return std::array{v}; }, op, oracle,
                   workgroup, width.size);
          check(*width.gpu, kernel, in, kWorkgroups, SelfTestPush{}, oracle);
        }
      }
    });
  }

  TEST_CASE("a workgroup adds up numbers and pairs of them, in calls that follow without a barrier") {
    for_every_shape(1, [&](const Width& width, uint32_t workgroup) {
      const Kernel kernel(*width.gpu, std::string("workgroup_add_self_test") + width.backend, workgroup, width.size,
                          std::span<const uint32_t>{});
      for (uint64_t seed = 1; seed < 3; ++seed) {
        const auto in = inputs_of(kWorkgroups * workgroup, workgroup, Flags::random, Flags::random, seed);
        Oracle oracle(in, workgroup);
        const auto value = [&](uint32_t p) { return in[p].value; };
        const auto selector = [&](uint32_t p) { return in[p].selector; };
        const auto expect = [&](const char* name, const std::function<uint32_t(uint32_t)>& item, bool all) {
          oracle.word(name, [&, item, all](uint32_t first, uint32_t lane) {
            uint32_t sum = 0;
            for (uint32_t p = first; p < first + (all ? workgroup : lane + 1); ++p) sum += item(p);
            return std::optional(sum);
          });
        };
        expect("sum", value, false);
        expect("total", value, true);
        for (const bool all : {false, true}) {
          expect(all ? "first total" : "first sum", selector, all);
          expect(all ? "second total" : "second sum", value, all);
        }
        expect("sum again", selector, false);
        expect("total again", selector, true);
        check(*width.gpu, kernel, in, kWorkgroups, SelfTestPush{}, oracle);
      }
    });
  }

  TEST_CASE("a subgroup and a workgroup compact in order and find runs, in calls that follow without a barrier") {
    for_every_shape(1, [&](const Width& width, uint32_t workgroup) {
      const Kernel kernel(*width.gpu, std::string("compact_self_test") + width.backend, workgroup, width.size,
                          std::span<const uint32_t>{});
      for (const Flags flags : kEveryFlags) {
        const auto in = inputs_of(kWorkgroups * workgroup, workgroup, flags, Flags::random, 3);
        Oracle oracle(in, workgroup);
        const uint32_t size = width.size;
        const auto keeps = [&](uint32_t p) { return in[p].predicate(); };
        const auto item = [&](uint32_t p) { return (keeps(p) ? 1u : 0u) | (in[p].takes_part() ? 2u : 0u); };
        const auto kept = [&](uint32_t begin, uint32_t end, bool wanted) {
          uint32_t count = 0;
          for (uint32_t p = begin; p < end; ++p) count += keeps(p) == wanted ? 1 : 0;
          return std::optional(count);
        };
        // Where the subgroup or the workgroup of a position begins.
        const auto start_of_subgroup = [size](uint32_t first, uint32_t lane) { return first + lane - lane % size; };
        oracle.word("subgroup rank", [&](uint32_t first, uint32_t lane) {
          return kept(start_of_subgroup(first, lane), first + lane, true);
        });
        oracle.word("subgroup kept", [&](uint32_t first, uint32_t lane) {
          const uint32_t begin = start_of_subgroup(first, lane);
          return kept(begin, begin + size, true);
        });
        for (const bool wanted : {true, false}) {
          oracle.word("rank", [&](uint32_t first, uint32_t lane) { return kept(first, first + lane, wanted); });
          oracle.word("kept", [&](uint32_t first, uint32_t) { return kept(first, first + workgroup, wanted); });
        }
        // Whether a run begins at p of the group that begins at `begin`, before which `before` stands.
        const auto head = [&](uint32_t begin, uint32_t p, std::optional<uint32_t> before) {
          return p == begin ? !before || item(p) != *before : item(p) != item(p - 1);
        };
        const auto start = [&](uint32_t begin, uint32_t p, uint32_t none, const auto& is_head) {
          for (uint32_t i = p + 1; i-- > begin;)
            if (is_head(i)) return std::optional(i - begin);
          return std::optional(none);
        };
        for (const std::optional<uint32_t> before : {std::optional(1u), std::optional<uint32_t>{}})
          oracle.word("subgroup head", [&, before](uint32_t first, uint32_t lane) {
            return std::optional(head(start_of_subgroup(first, lane), first + lane, before) ? 1u : 0u);
          });
        oracle.word("subgroup start", [&](uint32_t first, uint32_t lane) {
          const uint32_t begin = start_of_subgroup(first, lane);
          return start(begin, first + lane, 128, [&](uint32_t p) { return head(begin, p, 1u); });
        });
        oracle.word("head", [&](uint32_t first, uint32_t lane) {
          return std::optional(head(first, first + lane, 2u) ? 1u : 0u);
        });
        oracle.word("start", [&](uint32_t first, uint32_t lane) {
          return start(first, first + lane, ~0u, [&](uint32_t p) { return head(first, p, 2u); });
        });
        oracle.word("head with nothing before", [&](uint32_t first, uint32_t lane) {
          return std::optional(head(first, first + lane, std::nullopt) ? 1u : 0u);
        });
        oracle.word("start by flags",
                    [&](uint32_t first, uint32_t lane) { return start(first, first + lane, ~0u, keeps); });
        check(*width.gpu, kernel, in, kWorkgroups, SelfTestPush{}, oracle);
      }
    });
  }

  TEST_CASE("a workgroup scans counts, and finds the source of each output and its rank there [bounds]") {
    for_every_shape(32, [&](const Width& width, uint32_t workgroup) {
      const std::array constants{0u, 1u};
      const Kernel kernel(*width.gpu, std::string("load_balance_self_test") + width.backend, workgroup, width.size,
                          constants);
      for (const Flags flags : kEveryFlags) {
        const auto in = inputs_of(kWorkgroups * workgroup, workgroup, Flags::random, flags, 5);
        SelfTestPush push = parameters(workgroup, 5);
        // Of one source alone, outputs of many segments.
        const bool is_one = flags == Flags::first_lane || flags == Flags::last_lane || flags == Flags::one_random_lane;
        push.mask = is_one ? 4000 : 6;
        Oracle oracle(in, workgroup);
        const auto balanced = [&](const std::function<uint32_t(const Input&)>& count_of) {
          // Of each workgroup the total, where sources begin, and the sums over outputs on the lanes that look at them.
          std::vector<uint32_t> totals, begins, sums(in.size());
          for (uint32_t first = 0; first < in.size(); first += workgroup) {
            uint32_t output = 0;
            for (uint32_t source = 0; source < workgroup; ++source) {
              begins.push_back(output);
              for (uint32_t rank = 0; rank < count_of(in[first + source]); ++rank, ++output)
                sums[first + output % 96 % workgroup] += (source + 1) * (2 * output + 1) + rank * 65537;
            }
            totals.push_back(output);
          }
          oracle.word("total", [&](uint32_t first, uint32_t) { return std::optional(totals[first / workgroup]); });
          oracle.word("begin", [&](uint32_t first, uint32_t lane) { return std::optional(begins[first + lane]); });
          oracle.word("sources and ranks",
                      [&](uint32_t first, uint32_t lane) { return std::optional(sums[first + lane]); });
        };
        balanced([&](const Input& input) { return outputs_of(input, push); });
        balanced([&](const Input& input) { return input.predicate() ? 3u : 0u; });
        check(*width.gpu, kernel, in, kWorkgroups, push, oracle);
      }
    });
  }
}

}  // namespace weft::test::subgroup_tests
