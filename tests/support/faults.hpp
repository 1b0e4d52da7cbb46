// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "support/device.hpp"

namespace weft::test {

/// A fault planted in look-back: some tiles are published late or never, as on a device that does not run every
/// workgroup on.
struct LookBackFault {
  enum class Kind : uint32_t {
    delay = 1,  ///< the tile waits before it is published
    omit = 2,   ///< the tile is not published, and its outputs are stored all the same: not to be used in place
    open = 3    ///< the block's last tile does not publish the block, so that tiles after it are deferred
  };
  Kind kind;
  uint32_t every;  ///< tiles, or blocks, whose index is a multiple of this; at least 1
};

/// The primitive with Strategy::look_back and the fault, beside what the innermost ScopedTuning says. If that does
/// not say how, tiles go by ticket where `every` is odd, else by number.
template <class Primitive, class Config>
Primitive with_fault(const Backend& backend, Config config, const LookBackFault& fault) {
  const uint32_t value = static_cast<uint32_t>(fault.kind) | fault.every << 8;
  const std::string tickets = "look_back.tickets=" + std::to_string(fault.every % 2);
  const std::string others = current_tuning().empty() ? "" : "," + current_tuning();
  const ScopedTuning planted(tickets + others + ",look_back.fault=" + std::to_string(value));
  config.strategy = Strategy::look_back;
  Result<Primitive> created = Primitive::create(backend.context(), config);
  if (!created) FAIL(created.error().message);
  return *std::move(created);
}

}  // namespace weft::test
