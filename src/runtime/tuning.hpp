// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/export.h>

#include "runtime/context_state.hpp"

namespace weft::runtime {

/// What a key may be set to.
struct TuningRange {
  std::string_view name;
  uint32_t min, max;
  bool swept;
};

/// A field of a struct of sizes, with its key's name: "rows" of "scan" is scan.rows in WEFT_TUNE.
template <class T>
struct TuningKey {
  std::string_view name;
  uint32_t T::*field;
  uint32_t min, max;
  bool swept = true;  ///< false: for tests, or no row measures it; no sweep tries it, no tuning file may set it
};

/// The most that a field may be set to.
template <class T, size_t kKeys>
constexpr uint32_t largest(const TuningKey<T> (&keys)[kKeys], uint32_t T::*field) {
  for (const TuningKey<T>& key : keys)
    if (key.field == field) return key.max;
  return ~0u;
}

/// What a primitive is tuned by. Each table adds itself to a list while the program starts, so that keys are known of
/// the primitives that a program links.
class TuningTableBase {
 public:
  TuningTableBase(const TuningTableBase&) = delete;
  TuningTableBase& operator=(const TuningTableBase&) = delete;

  static const TuningTableBase* first() noexcept;
  const TuningTableBase* next() const noexcept { return next_; }
  std::string_view name() const noexcept { return name_; }
  virtual size_t size() const noexcept = 0;
  virtual TuningRange key(size_t index) const noexcept = 0;
  virtual uint32_t value(size_t index, const DeviceTraits& traits,
                         std::span<const TuningOverride> overrides) const noexcept = 0;

 protected:
  WEFT_API explicit TuningTableBase(std::string_view name) noexcept;
  ~TuningTableBase() = default;

 private:
  std::string_view name_;
  const TuningTableBase* next_;
};

/// Sizes by class of device: a class names those that differ from the defaults. Measurements: docs/performance/.
template <class T>
struct TuningByClass {
  T cpu{};
  T nvidia{};
  T other{};
};

/// The sizes that a primitive is built with: everything that is chosen by measurement rather than by need.
template <class T>
class TuningTable final : public TuningTableBase {
 public:
  TuningTable(std::string_view name, std::span<const TuningKey<T>> keys, const TuningByClass<T>& values) noexcept
      : TuningTableBase(name), keys_(keys), values_(values) {}

  /// Those of the device's class, with the overrides of the Context.
  T of(const ContextState& state) const noexcept { return of(state.traits(), state.tuning_overrides()); }
  T of(const DeviceTraits& traits, std::span<const TuningOverride> overrides) const noexcept {
    const bool is_cpu = traits.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    T tuning = is_cpu ? values_.cpu : traits.vendor_id == kVendorNvidia ? values_.nvidia : values_.other;
    for (const TuningOverride& change : overrides)
      if (change.table == this) tuning.*keys_[change.key].field = change.value;
    return tuning;
  }

  size_t size() const noexcept override { return keys_.size(); }
  TuningRange key(size_t index) const noexcept override {
    return {keys_[index].name, keys_[index].min, keys_[index].max, keys_[index].swept};
  }
  uint32_t value(size_t index, const DeviceTraits& traits,
                 std::span<const TuningOverride> overrides) const noexcept override {
    return of(traits, overrides).*keys_[index].field;
  }

 private:
  std::span<const TuningKey<T>> keys_;
  TuningByClass<T> values_;
};

/// Reads overrides as WEFT_TUNE has them, e.g. "scan.rows=6,reduce.groups=512" (`weft-bench tune` sweeps them).
/// Errors: invalid_argument (an unknown key, a value out of range); `overrides` then has those before it.
Status read_tuning_overrides(std::string_view text, std::vector<TuningOverride>& overrides);

/// What a tuning file says.
struct TuningFile {
  std::string device;
  std::vector<TuningOverride> overrides;
  std::vector<std::string> unknown;  ///< keys that no table has
};

/// Reads the text of a file as ContextConfig::tuning describes it. Errors: invalid_argument, with the line.
Result<TuningFile> read_tuning_file(std::string_view text);

}  // namespace weft::runtime
