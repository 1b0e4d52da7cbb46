// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The tests as weft-bench's self-test runs them: one at a time, on whatever device WEFT_DEVICE names, with what is
// wrong as a text. Needs no doctest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simpler.hpp"

namespace weft {
class Gpu;
}

namespace weft::test {

/// What became of one trial.
struct Outcome {
  bool passed = true;
  bool lost = false;       ///< the device
  bool held_back = false;  ///< something that is probed, and not required, is not so
  std::string problem;     ///< what failed first
  std::string note;        ///< what the test says besides
  uint64_t items = 0;      ///< the largest number of anything that was drawn
  double longest_ms = 0;   ///< of a submission
};

/// Something that is tried on a device.
struct Trial {
  std::string name;
  bool is_random = false;  ///< takes a seed, and can be made simpler
  /// Among those without which nothing is said of the device: messages and progress between workgroups, and every
  /// primitive in both strategies, natively and on emulated subgroups.
  bool is_essential = false;
  /// What look-back stands on.
  bool concerns_look_back = false;
  Gpu* gpu = nullptr;  ///< that it runs on; of several the first
  std::function<Outcome(uint64_t seed, const Simpler& simpler)> run;
  /// Builds the pipelines of `run`, on any thread and beside others, and gives what hands them over: to be called on
  /// the thread of `run`, before it. Null: `run` builds its own.
  std::function<std::function<void()>()> build;
};

/// First the essential ones, then every block of the shader library at every width, then the other subjects of the fuzz
/// test, each on every backend of the device, primitives in turn. Opens the device. None: `problem` says why.
std::vector<Trial> every_trial(std::string& problem);

/// Destroys what `run` and `build` have left, but for what is not handed over yet.
void release_pipelines();

/// Changes what every random trial finds at item `item` of an output, which has to fail it.
void plant_fault(const std::optional<uint64_t>& item);

/// Destroys the device. Trials must be gone.
void end_trials();

}  // namespace weft::test
