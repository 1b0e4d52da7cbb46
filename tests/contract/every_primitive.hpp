// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One call of every primitive on the null driver.
#pragma once

#include "every_call.hpp"
#include "null_driver.hpp"

namespace weft::test {

/// The null driver does not look at it.
inline const VkCommandBuffer kCommands = reinterpret_cast<VkCommandBuffer>(uintptr_t{64});

/// A Gpu of the null driver.
inline Gpu open_null_gpu() {
  GpuConfig config;
  config.get_instance_proc_addr = null_driver::get_instance_proc_addr;
  Result<Gpu> gpu = Gpu::open(config);
  if (!gpu) FAIL(gpu.error().message);
  return *std::move(gpu);
}

/// For a Context of its own on that Gpu's device.
inline ContextConfig null_context_config(const Gpu& gpu) {
  ContextConfig config;
  config.instance = gpu.instance();
  config.physical_device = gpu.physical_device();
  config.device = gpu.context().device();
  config.get_instance_proc_addr = null_driver::get_instance_proc_addr;
  config.enabled =
      EnabledFeatures{.buffer_device_address = true, .shader_int64 = true, .shader_buffer_int64_atomics = true};
  return config;
}

/// Calls visit.operator()<Primitive>(name, config, args_of) for each; args_of(primitive, ranges) makes sound arguments,
/// and args_of(primitive, ranges, n) those of n items.
template <class Visit>
void for_every_primitive(const Visit& visit) {
  for_each_primitive([&]<class Primitive>() {
    visit.template operator()<Primitive>(
        SoundCall<Primitive>::name, SoundCall<Primitive>::config(),
        [](const Primitive& p, Ranges& ranges, auto... n) { return SoundCall<Primitive>::args(p, ranges, n...); });
  });
}

/// Calls visit(name, primitive, ranges, args_of) for each, created on `gpu`, and with no ranges yet.
template <class Visit>
void for_every_primitive(Gpu& gpu, const Visit& visit) {
  for_every_primitive([&]<class Primitive>(const char* name, const auto& config, const auto& args_of) {
    CAPTURE(std::string(name));
    const Result<Primitive> primitive = Primitive::create(gpu.context(), config);
    REQUIRE_MESSAGE(primitive.ok(), primitive.error().message);
    Ranges ranges(gpu);
    visit(name, *primitive, ranges, args_of);
  });
}

}  // namespace weft::test
