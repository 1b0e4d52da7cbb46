// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What core/primitives_fuzz_test.cpp draws among. The test of a primitive registers its own subjects:
//
//     const FuzzSubjects fuzzed("scan", [] { return std::vector{subject_of<uint32_t>(Op::add), ...}; });
#pragma once

#include <doctest/doctest.h>

#include <any>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/config_text.hpp"
#include "support/draws.hpp"

namespace weft::test {

/// A primitive in one configuration, so that cases share its pipelines.
struct FuzzSubject {
  /// `draw_case(backend, config, draw)` draws a case, runs it, and fails the running test if anything is wrong.
  /// `kind`: of cases, where a configuration has several.
  template <class Config, class DrawCase>
  FuzzSubject(const Config& given, const char* tuned, DrawCase draw_case, const char* kind_of_cases = "")
      : name(config_text(given) + (*tuned != '\0' ? " " : "") + tuned + (*kind_of_cases != '\0' ? " " : "") +
             kind_of_cases),
        kind(kind_of_cases),
        tuning(tuned),
        config(given),
        run([=](Backend& backend, Draws& draw) { draw_case(backend, given, draw); }) {
    if constexpr (requires { given.accumulator; }) types = {given.item, given.accumulator};
    if constexpr (requires { given.strategy; }) strategy = given.strategy;
    needs_look_back = strategy == Strategy::look_back;
  }

  std::string name;  ///< of FuzzSubjects::all(): its first word is the primitive's
  std::string kind;
  std::string tuning;  ///< WEFT_TUNE while pipelines are built
  std::any config;
  std::vector<Type> types;                  ///< that the device must support
  Strategy strategy = Strategy::automatic;  ///< where the config has one
  bool needs_look_back = false;
  std::function<void(Backend&, Draws&)> run;
};

class FuzzSubjects {
 public:
  using Make = std::vector<FuzzSubject> (*)();

  FuzzSubjects(const char* primitive, Make make) { registry().emplace(primitive, make); }

  /// Of all primitives, by name, so that the order in which they are linked does not matter.
  static std::vector<FuzzSubject> all() {
    std::vector<FuzzSubject> subjects;
    for (const auto& [primitive, make] : registry())
      for (FuzzSubject& subject : make()) {
        subject.name = primitive + ' ' + subject.name;
        subjects.push_back(std::move(subject));
      }
    return subjects;
  }

 private:
  static std::map<std::string, Make>& registry() {
    static std::map<std::string, Make> makers;
    return makers;
  }
};

/// An accumulator before the first item, in one case of four.
template <class A>
std::optional<A> drawn_initial(Draws& draw, Op op) {
  if (!draw.one_in(4)) return std::nullopt;
  return distinct_initial<A>(op);
}

/// Of one call that takes items of T to an output of A.
template <class T, class A>
RunOptions drawn_options(Draws& draw, uint64_t n, std::optional<A> initial = {}) {
  RunOptions options{.input_misalignment = draw.misalignment(sizeof(T)),
                     .output_misalignment = draw.misalignment(sizeof(A)),
                     .device_count = draw.device_count(n),
                     .dirt = draw.dirt()};
  if constexpr (!std::is_same_v<A, ArgResult>)
    if (initial) options.initial = Value::of(*initial);
  return options;
}

/// Segments begin where drawn items change.
inline std::vector<bool> drawn_heads(Draws& draw, uint64_t n) {
  const std::vector<uint32_t> items = draw.items<uint32_t>(n);
  std::vector<bool> heads(n);
  for (uint64_t i = 0; i < n; ++i) heads[i] = i == 0 || items[i] != items[i - 1];
  return heads;
}

/// Keys to be sorted: as Draws has items, or, in one case of three, of any bits.
template <class T>
std::vector<T> drawn_sort_keys(Draws& draw, uint64_t n) {
  return draw.one_in(3) ? items_of<T>(bytes_of(draw.bytes(n * sizeof(T)))) : draw.items<T>(n);
}

/// Ends of segments of `n` items, mostly ascending: anywhere, at few positions, or evenly.
inline std::vector<uint64_t> drawn_offsets(Draws& draw, uint64_t n, uint64_t segments, bool ascending) {
  const uint64_t seed = draw.word();
  const uint64_t positions = draw.one_in(2) ? n + 1 : std::min(n + 1, draw.of_any_magnitude(50));
  const bool evenly = draw.one_in(3);
  const uint64_t beyond = draw.one_in(4) ? draw.below(2000) : 0;
  std::vector<uint64_t> offsets(segments + 1);
  for (uint64_t s = 0; s <= segments; ++s)
    offsets[s] =
        evenly ? (n + beyond) * s / (segments + 1) : random_word(seed, s) % positions * (n + beyond) / positions;
  if (ascending) std::ranges::sort(offsets);
  return offsets;
}

/// Lengths of `n` runs that come to some `total`: at random, equal, most of them 0, or all of it in one run. One list
/// in eight has a length of about `most`, for which there is no room.
inline std::vector<uint64_t> drawn_lengths(Draws& draw, uint64_t n, uint64_t total, uint64_t most) {
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

}  // namespace weft::test
