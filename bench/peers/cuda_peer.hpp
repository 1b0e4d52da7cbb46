// SPDX-License-Identifier: MIT OR Apache-2.0
// What the peers that run by CUDA share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <cuda_runtime.h>
#include <nlohmann/json.hpp>

#define CUDA_CHECK(call)                                                                           \
  do {                                                                                             \
    const cudaError_t cuda_check_error = (call);                                                   \
    if (cuda_check_error != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s: %s: %s\n", __FILE__, #call, cudaGetErrorString(cuda_check_error)); \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

namespace weft::bench {

/// The device that CUDA runs on, as a report has it.
inline nlohmann::ordered_json cuda_device_json() {
  cudaDeviceProp properties{};
  int device = 0, driver = 0, runtime = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  CUDA_CHECK(cudaDriverGetVersion(&driver));
  CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  const auto version = [](int number) {
    return std::to_string(number / 1000) + '.' + std::to_string(number % 1000 / 10);
  };
  return {{"name", properties.name},
          {"vendor_id", 4318},
          {"driver", "CUDA driver " + version(driver)},
          {"api", "CUDA " + version(runtime)},
          {"subgroup_size", properties.warpSize},
          {"software", false}};
}

}  // namespace weft::bench
