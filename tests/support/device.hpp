// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include <weft/gpu.hpp>

#include "support/capture.hpp"
#include "support/config_text.hpp"

namespace weft::test {

/// Sizes of tiles as WEFT_TUNE has them, for Backend::context() until the end of the scope. Checks that fail name them.
class ScopedTuning final : public doctest::detail::ContextScopeBase {
 public:
  explicit ScopedTuning(const std::string& overrides);
  ~ScopedTuning() override;
  ScopedTuning(const ScopedTuning&) = delete;
  ScopedTuning& operator=(const ScopedTuning&) = delete;

  void stringify(std::ostream* out) const override;

 private:
  const std::string before_, overrides_;
};

/// What the innermost ScopedTuning says; empty: the built-in sizes.
const std::string& current_tuning();

template <class Primitive, class Config>
Config created_from(Result<Primitive> (*create)(const Context&, const Config&) noexcept);
template <class Primitive>
using ConfigOf = decltype(created_from(&Primitive::create));

/// A Gpu with one subgroup backend and width, and the primitives built on it so far. Opening and building are slow, so
/// both last until close_devices().
class Backend {
 public:
  explicit Backend(Gpu gpu) : gpu_(std::move(gpu)) {}

  Gpu& gpu() noexcept { return gpu_; }
  /// The Gpu's, or one on the same device with current_tuning().
  const Context& context() const;
  bool is_software() const noexcept { return gpu_.info().kind == GpuKind::software; }
  bool is_emulated() const noexcept { return gpu_.context().subgroup_backend() == SubgroupBackend::emulated; }
  std::string name() const;  ///< e.g. "llvmpipe (LLVM 15.0.6, 256 bits), native 8"

  /// The primitive, built at the first request with current_tuning() and kept. A failure fails the running test and
  /// ends it.
  template <class Primitive>
  const Primitive& primitive(const ConfigOf<Primitive>& config) {
    const std::string key = key_of<Primitive>(config);
    std::shared_ptr<const void>& kept = primitives_[key];
    if (kept == nullptr) {
      Result<Primitive> created = Primitive::create(context(), config);
      if (!created) fail(key + ": " + created.error().message);
      kept = std::make_shared<const Primitive>(std::move(*created));
    }
    return *static_cast<const Primitive*>(kept.get());
  }
  /// What primitive() takes next for that config, if it was built elsewhere. With current_tuning().
  template <class Primitive>
  void keep(const ConfigOf<Primitive>& config, std::shared_ptr<const Primitive> built) {
    primitives_[key_of<Primitive>(config)] = std::move(built);
  }
  /// Destroys what primitive() has built.
  void release_primitives() { primitives_.clear(); }

 private:
  template <class Primitive>
  static std::string key_of(const ConfigOf<Primitive>& config) {
    return typeid(Primitive).name() + (' ' + config_text(config)) + ' ' + current_tuning();
  }
  [[noreturn]] static void fail(const std::string& message);  ///< the running test, and ends it

  Gpu gpu_;
  mutable std::map<std::string, Context> tuned_;
  std::map<std::string, std::shared_ptr<const void>> primitives_;
};

/// One point of the matrix: a backend and a strategy to force.
class Device {
 public:
  Device(Backend& backend, Strategy strategy) : backend_(&backend), strategy_(strategy) {}

  Backend& backend() const noexcept { return *backend_; }
  Gpu& gpu() const noexcept { return backend_->gpu(); }
  const Context& context() const { return backend_->context(); }
  Strategy strategy() const noexcept { return strategy_; }
  std::string name() const { return backend_->name() + ", " + name_of(strategy_); }

  /// Whether items of all these types can be computed with.
  bool supports(std::initializer_list<Type> types) const {
    return std::ranges::all_of(types, [&](Type type) { return context().supports(type); });
  }

 private:
  Backend* backend_;
  Strategy strategy_;
};

/// The primitive, built at the first request with current_tuning() and kept.
template <class Primitive>
const Primitive& create(Backend& backend, const ConfigOf<Primitive>& config = {}) {
  return backend.primitive<Primitive>(config);
}
/// With the device's strategy instead of the config's.
template <class Primitive>
const Primitive& create(const Device& device, ConfigOf<Primitive> config = {}) {
  config.strategy = device.strategy();
  return device.backend().primitive<Primitive>(config);
}

/// The backends of this process's driver: native where the driver has what it takes, at its own subgroup size and at
/// every other that a pipeline may require, and emulated at 32, 64 and 128. The
/// environment's WEFT_TEST_BACKENDS, e.g. "native,emulated64", keeps those it lists. Any message of a validation layer
/// fails the running test. Never empty: where nothing opens, the running test fails and ends.
std::vector<Backend*> every_backend();

/// The native ones of every_backend(), or the first where there is none; the others are not opened for it.
std::vector<Backend*> native_backends();

/// What the Context's device can do: reduce_then_scan, and look_back where it has 64-bit atomics.
std::vector<Strategy> strategies_of(const Context& context);
bool has_look_back(const Context& context);

/// every_backend(), each with all of its strategies.
std::vector<Device> every_device();

/// every_backend(), each with look-back. Empty where the device has none: SwiftShader has no 64-bit integers.
std::vector<Device> every_look_back();

/// Whether WEFT_TEST_BACKENDS is unset or lists `backend`, e.g. "emulated32".
bool is_wanted(std::string_view backend);

/// Whether this process runs combination `index` of a large cross product. WEFT_TEST_SHARE, e.g. "5/27", makes it take
/// every 27th, from the fifth on: processes on drivers that differ in little share the work. Unset: all.
bool is_in_share(uint32_t index);

/// Whether this process runs variant `index` of something that has few, where WEFT_TEST_SHARE is set: processes whose
/// shares begin at 1, 2 and 3, counted modulo 3, have all of them together. Unset: all.
bool takes_turn(uint32_t index);

/// The first of every_backend(), for what does not depend on the backend; the others are not opened for it.
Backend& first_backend();

/// Destroys all devices, which drivers insist on before exit. Returns how many messages of validation layers arrived
/// outside of tests, after printing them.
int close_devices();

/// Gpu::run, whose time counts for longest_ms().
Result<RunTime> run_timed(Gpu& gpu, const std::function<Status(VkCommandBuffer)>& record);
/// The longest that run_timed has taken since forget_longest().
double longest_ms();
void forget_longest();

/// The loader's entry point, as weft::Gpu uses it; null where there is no loader.
PFN_vkGetInstanceProcAddr loader_entry_point();

/// A device function of the Gpu's device, e.g. device_function<PFN_vkCreateFence>(gpu, "vkCreateFence").
template <class Function>
Function device_function(const Gpu& gpu, const char* name) {
  const auto get_device_proc_addr =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(gpu.get_instance_proc_addr()(gpu.instance(), "vkGetDeviceProcAddr"));
  return reinterpret_cast<Function>(get_device_proc_addr(gpu.context().device(), name));
}

/// Whether a message is about how a layer has set itself up rather than about the program.
bool is_layer_setup(std::string_view message);

/// What the validation layers said about something done on purpose, from any thread, their own setup left out.
class Messages {
 public:
  Messages();
  ~Messages();
  std::function<void(std::string_view)> sink();  ///< for GpuConfig::on_message; may outlive this object
  std::vector<std::string> all() const;
  bool mention(std::string_view words) const;  ///< whether some message holds `words`

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weft::test
