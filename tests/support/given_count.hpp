// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include <weft/types.hpp>

#include "support/guarded_buffer.hpp"
#include "support/run.hpp"

namespace weft::test {

/// A count as the call is given it; the buffer lives as long.
class GivenCount {
 public:
  GivenCount(Gpu& gpu, const std::optional<DeviceCount>& on_device, uint64_t maximum)
      : count_(maximum), obeyed_(on_device ? std::min(on_device->value, maximum) : maximum) {
    if (!on_device) return;
    buffer_.emplace(gpu, on_device->bytes, 4, std::as_bytes(std::span(&on_device->value, 1)).first(on_device->bytes));
    count_ = Count::on_device(buffer_->range(), maximum);
  }
  const Count& count() const { return count_; }
  uint64_t obeyed() const { return obeyed_; }

 private:
  Count count_;
  uint64_t obeyed_;
  std::optional<GuardedBuffer> buffer_;
};

}  // namespace weft::test
