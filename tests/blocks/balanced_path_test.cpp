// SPDX-License-Identifier: MIT OR Apache-2.0
//
// shaders/weft/balanced_path.glsl by itself: the cut of every diagonal.
#include <doctest/doctest.h>

#include <array>

#include "shaders/self_test.h"
#include "support/kernel.hpp"
#include "support/search_run.hpp"

namespace weft::test::balanced_path_tests {
namespace {

template <class T>
void check_cuts(Backend& backend, const Kernel& kernel, const std::vector<T>& a, const std::vector<T>& b) {
  CAPTURE(a.size());
  CAPTURE(b.size());
  std::vector<T> keys = a;
  keys.insert(keys.end(), b.begin(), b.end());
  const uint64_t total = keys.size();
  GuardedBuffer inputs(backend.gpu(), total * sizeof(T), 4, std::as_bytes(std::span(keys)));
  GuardedBuffer results(backend.gpu(), (total + 1) * 8, 0, {});
  shader::SelfTestPush push{};
  push.inputs = inputs.address();
  push.results = results.address();
  push.delta = static_cast<uint32_t>(a.size());
  push.lane = static_cast<uint32_t>(b.size());
  const auto ran = run_timed(backend.gpu(), [&](VkCommandBuffer commands) {
    kernel.record(commands, push, 1);
    return Status{};
  });
  if (!ran) FAIL(ran.error().message);

  // The path itself: one key a step, or both of a pair. A diagonal between the ends of a step has the later.
  std::vector<uint32_t> expected;
  const auto passed = [&](uint64_t i, uint64_t j) {
    expected.push_back(static_cast<uint32_t>(i));
    expected.push_back(static_cast<uint32_t>(j));
  };
  passed(0, 0);
  for (uint64_t i = 0, j = 0; i + j < total;) {
    const bool of_a = j == b.size() || (i < a.size() && !key_less(b[j], a[i]));
    const bool of_b = i == a.size() || (j < b.size() && !key_less(a[i], b[j]));
    i += of_a ? 1 : 0;
    j += of_b ? 1 : 0;
    if (of_a && of_b) passed(i, j);
    passed(i, j);
  }
  std::vector<std::byte> bytes;
  CHECK(results.read(bytes) == "");
  const auto found = items_of<uint32_t>(bytes);
  CHECK(std::ranges::mismatch(found, expected).in1 - found.begin() == static_cast<std::ptrdiff_t>(expected.size()));
}

}  // namespace

TEST_SUITE("balanced_path") {
  TEST_CASE("cuts lie on the path, and no pair of equal keys is divided [bounds]") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      const auto of = [&]<class T>(uint32_t order) {
        const std::array constants{uint32_t{sizeof(T) / 4}, order};
        const Kernel kernel(backend->gpu(),
                            std::string("balanced_path_self_test") + (backend->is_emulated() ? ".emulated" : ".native"),
                            128, backend->context().subgroup_size(), constants);
        for (const uint64_t total : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{90}, uint64_t{701}})
          for (const uint64_t count_a : {uint64_t{0}, total / 7, total / 2, total})
            for (const uint64_t values : {0, 1, 4, 60, 500}) {
              CAPTURE(values);
              const auto a = sorted_keys<T>(count_a, total + values, values);
              check_cuts<T>(*backend, kernel, a, sorted_keys<T>(total - count_a, total + 1, values));
              if (values != 4) check_cuts<T>(*backend, kernel, a, a);
            }
      };
      of.operator()<uint32_t>(0);
      of.operator()<double>(2);
    }
  }

  TEST_CASE("the cut of runs of any two lengths takes pairs first, then what is left over") {
    Backend& backend = first_backend();
    const std::array constants{1u, 0u};
    const Kernel kernel(backend.gpu(),
                        std::string("balanced_path_self_test") + (backend.is_emulated() ? ".emulated" : ".native"), 128,
                        backend.context().subgroup_size(), constants);
    for (const uint64_t m : {0, 1, 2, 3, 5, 64, 300})
      for (const uint64_t n : {0, 1, 2, 4, 7, 129}) {
        std::vector<uint32_t> a{1, 3}, b{2, 3, 3};
        a.insert(a.end(), m, 5);
        b.insert(b.end(), n, 5);
        check_cuts<uint32_t>(backend, kernel, a, b);
        a.insert(a.end(), {6, 6, 9});
        b.insert(b.end(), {6, 8});
        check_cuts<uint32_t>(backend, kernel, a, b);
      }
  }
}

}  // namespace weft::test::balanced_path_tests
