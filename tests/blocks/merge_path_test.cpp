// SPDX-License-Identifier: MIT OR Apache-2.0
//
// shaders/weft/merge_path.glsl, lanes_merge_path.glsl, merge_tile.glsl and subgroup_merge.glsl by themselves: a
// workgroup's merge, and a subgroup's, against the standard library's; and so the sorts of subgroup_sort.glsl and
// workgroup_sort.glsl.
#include <doctest/doctest.h>

#include <array>
#include <utility>

#include "shaders/self_test.h"
#include "support/kernel.hpp"
#include "support/search_run.hpp"
#include "support/sizes.hpp"

namespace weft::test::merge_path_tests {
namespace {

struct Shape {
  uint32_t workgroup, lane_keys;
  bool equal_from_a;
};

/// Merges once: `others` keys of each range lie on either side of its piece, at an address
/// that is `misalignment` modulo 16.
template <class T>
void check_merge(Backend& backend, const Kernel& kernel, const Shape& shape, const std::vector<T>& a,
                 const std::vector<T>& b, uint32_t others, VkDeviceSize misalignment) {
  CAPTURE(a.size());
  CAPTURE(b.size());
  CAPTURE(others);
  CAPTURE(misalignment);
  const std::vector<T> between = drawn_keys<T>(others, 99);
  std::vector<T> all;
  for (const auto* part : {&between, &a, &between, &between, &b, &between})
    all.insert(all.end(), part->begin(), part->end());
  const uint64_t total = a.size() + b.size();
  GuardedBuffer inputs(backend.gpu(), all.size() * sizeof(T), misalignment, std::as_bytes(std::span(all)));
  GuardedBuffer results(backend.gpu(), (2 * total + shape.workgroup) * 4, 0, {});
  shader::SelfTestPush push{};
  push.inputs = inputs.address();
  push.results = results.address();
  push.delta = static_cast<uint32_t>(a.size());
  push.lane = static_cast<uint32_t>(b.size());
  push.mask = others;
  const auto ran = run_timed(backend.gpu(), [&](VkCommandBuffer commands) {
    kernel.record(commands, push, 1);
    return Status{};
  });
  if (!ran) FAIL(ran.error().message);
  std::vector<std::byte> bytes;
  CHECK(results.read(bytes) == "");
  const std::vector<uint32_t> found = items_of<uint32_t>(bytes);

  std::vector<uint32_t> expected, taken_from_a;
  for (uint64_t i = 0, j = 0; i + j < total;) {
    taken_from_a.push_back(static_cast<uint32_t>(i));
    const bool from_a =
        j == b.size() || (i < a.size() && (shape.equal_from_a ? !key_less(b[j], a[i]) : key_less(a[i], b[j])));
    uint32_t word = 0;
    std::memcpy(&word, from_a ? &a[i] : &b[j], 4);
    expected.push_back(static_cast<uint32_t>(from_a ? i : 0x80000000u | j));
    expected.push_back(word);
    ++(from_a ? i : j);
  }
  taken_from_a.push_back(static_cast<uint32_t>(a.size()));
  for (uint32_t lane = 0; lane < shape.workgroup; ++lane)
    expected.push_back(taken_from_a[std::min<uint64_t>(uint64_t{lane} * shape.lane_keys, total)]);
  CHECK(std::ranges::mismatch(found, expected).in1 - found.begin() == static_cast<std::ptrdiff_t>(expected.size()));
}

}  // namespace

TEST_SUITE("merge_path") {
  TEST_CASE("a workgroup merges what the standard library merges, in order and with its ties [bounds]") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      for (const Shape& shape :
           {Shape{128, 15, true}, Shape{256, 4, false}, Shape{128, 1, true}, Shape{128, 8, false}}) {
        const auto of = [&]<class T>(uint32_t order) {
          const std::array constants{uint32_t{sizeof(T) / 4}, order, shape.lane_keys, shape.equal_from_a ? 1u : 0u};
          const Kernel kernel(backend->gpu(),
                              std::string("merge_path_self_test") + (backend->is_emulated() ? ".emulated" : ".native"),
                              shape.workgroup, backend->context().subgroup_size(), constants);
          const uint64_t most = uint64_t{shape.workgroup} * shape.lane_keys;
          for (const uint64_t total : {uint64_t{0}, uint64_t{1}, uint64_t{5}, most / 3, most - 1, most})
            for (const uint64_t a : {uint64_t{0}, total / 7, total / 2, total})
              for (const uint64_t values : {0, 3, 200})
                check_merge<T>(*backend, kernel, shape, sorted_keys<T>(a, total, values),
                               sorted_keys<T>(total - a, total + 1, values), static_cast<uint32_t>((a + values) % 6),
                               4 * ((a + values) % 4));
        };
        if (shape.lane_keys != 8) of.operator()<uint32_t>(0);
        if (shape.lane_keys != 15) of.operator()<double>(2);
        if (shape.lane_keys == 8) of.operator()<int32_t>(1);
      }
    }
  }

  TEST_CASE(
      "each diagonal has exactly one cut, which subgroups, one or two at once, lanes and four of them find, and "
      "subgroups merge what lies "
      "between two") {
    constexpr uint32_t kWorkgroup = 128, kKeys = 4;
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      const std::array constants{1u, 0u, kKeys};
      const Kernel kernel(backend->gpu(),
                          std::string("subgroup_merge_self_test") + (backend->is_emulated() ? ".emulated" : ".native"),
                          kWorkgroup, backend->context().subgroup_size(), constants);
      for (const uint64_t total :
           {uint64_t{0}, uint64_t{1}, uint64_t{90}, uint64_t{kWorkgroup * kKeys - 1}, uint64_t{kWorkgroup * kKeys}})
        for (const uint64_t count_a : {uint64_t{0}, total / 7, total / 2, total})
          for (const uint64_t values : {0, 1, 4, 60}) {
            CAPTURE(total);
            CAPTURE(count_a);
            CAPTURE(values);
            const auto a = sorted_keys<uint32_t>(count_a, total + values, values),
                       b = sorted_keys<uint32_t>(total - count_a, total + 1, values);
            std::vector<uint32_t> keys = a;
            keys.insert(keys.end(), b.begin(), b.end());
            GuardedBuffer inputs(backend->gpu(), total * 4, 4, std::as_bytes(std::span(keys)));
            GuardedBuffer results(backend->gpu(), (6 * total + 5) * 4, 0, {});
            shader::SelfTestPush push{};
            push.inputs = inputs.address();
            push.results = results.address();
            push.delta = static_cast<uint32_t>(a.size());
            push.lane = static_cast<uint32_t>(b.size());
            const auto ran = run_timed(backend->gpu(), [&](VkCommandBuffer commands) {
              kernel.record(commands, push, 1);
              return Status{};
            });
            if (!ran) FAIL(ran.error().message);

            std::vector<uint32_t> cuts;
            bool unique = true;
            for (uint64_t k = 0; k <= total; ++k) {
              uint64_t found = 0;
              for (uint64_t i = k - std::min<uint64_t>(k, b.size()); i <= std::min<uint64_t>(k, a.size()); ++i) {
                const uint64_t j = k - i;
                if ((i == 0 || j == b.size() || a[i - 1] <= b[j]) && (j == 0 || i == a.size() || b[j - 1] < a[i])) {
                  cuts.push_back(static_cast<uint32_t>(i));
                  ++found;
                }
              }
              unique = unique && found == 1;
            }
            REQUIRE(unique);
            std::vector<uint32_t> expected = cuts;
            for (int again = 0; again < 4; ++again) expected.insert(expected.end(), cuts.begin(), cuts.end());
            std::ranges::merge(a, b, std::back_inserter(expected));
            std::vector<std::byte> bytes;
            CHECK(results.read(bytes) == "");
            const auto found = items_of<uint32_t>(bytes);
            CHECK(std::ranges::mismatch(found, expected).in1 - found.begin() ==
                  static_cast<std::ptrdiff_t>(expected.size()));
          }
    }
  }

  TEST_CASE("subgroups and workgroups sort what they have") {
    for (Backend* backend : every_backend())
      for (const auto& [workgroup, keys_per_lane] : {std::pair{128u, 4u}, {256u, 1u}, {384u, 2u}, {128u, 16u}}) {
        // Half a minute of a software device's compiler: natively, at one width.
        if (keys_per_lane > 4 && (backend->is_emulated() || !takes_turn(1))) continue;
        CAPTURE(backend->name());
        const uint32_t subgroup = backend->context().subgroup_size(), lane_keys = keys_per_lane;
        CAPTURE(lane_keys);
        const std::array constants{1u, 0u, lane_keys};
        const Kernel kernel(backend->gpu(),
                            std::string("sort_self_test") + (backend->is_emulated() ? ".emulated" : ".native"),
                            workgroup, subgroup, constants);
        const uint64_t total = uint64_t{workgroup} * lane_keys;
        std::vector<std::vector<uint32_t>> inputs;
        for (const uint64_t values : {0, 1, 2, 40}) inputs.push_back(drawn_keys<uint32_t>(total, values, values));
        inputs.push_back(sorted_keys<uint32_t>(total, 7));
        inputs.push_back(inputs.back());
        std::ranges::reverse(inputs.back());
        // One key that is apart, at positions all over.
        for (const uint64_t at : {uint64_t{0}, total / 3, total - 1}) {
          inputs.emplace_back(total, 5u);
          inputs.back()[at] = at % 2 == 0 ? 9 : 1;
        }
        for (const auto& keys : inputs) {
          GuardedBuffer input(backend->gpu(), total * 4, 4, std::as_bytes(std::span(keys)));
          GuardedBuffer results(backend->gpu(), 3 * total * 4, 0, {});
          shader::SelfTestPush push{};
          push.inputs = input.address();
          push.results = results.address();
          const auto ran = run_timed(backend->gpu(), [&](VkCommandBuffer commands) {
            kernel.record(commands, push, 1);
            return Status{};
          });
          if (!ran) FAIL(ran.error().message);
          std::vector<uint32_t> expected = keys;
          const auto at = [&](uint64_t i) { return expected.begin() + static_cast<std::ptrdiff_t>(i); };
          for (uint64_t begin = 0; begin < total; begin += uint64_t{subgroup} * lane_keys)
            std::sort(at(begin), at(begin + uint64_t{subgroup} * lane_keys));
          const std::vector<uint32_t> order = sorted(keys);
          for (int turn = 0; turn < 2; ++turn) expected.insert(expected.end(), order.begin(), order.end());
          std::vector<std::byte> bytes;
          CHECK(results.read(bytes) == "");
          const auto found = items_of<uint32_t>(bytes);
          CHECK(std::ranges::mismatch(found, expected).in1 - found.begin() ==
                static_cast<std::ptrdiff_t>(expected.size()));
        }
      }
  }
}

}  // namespace weft::test::merge_path_tests
