// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/vectors.hpp"

#include <algorithm>

namespace weft::gstd {

namespace {

Vectors widest() {
#if !defined(WEFT_GSTD_VECTORS)
  return Vectors::none;
#elif defined(__x86_64__)
  const auto has = [](auto... of) { return (... && of); };
  if (!has(__builtin_cpu_supports("sse4.2"), __builtin_cpu_supports("popcnt"))) return Vectors::none;
  if (!has(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("bmi"), __builtin_cpu_supports("bmi2"),
           __builtin_cpu_supports("fma")))
    return Vectors::up_to_128;
  if (!has(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"), __builtin_cpu_supports("avx512vl"),
           __builtin_cpu_supports("avx512dq")))
    return Vectors::up_to_256;
  return Vectors::all;
#else
  return Vectors::up_to_128;
#endif
}

}  // namespace

Vectors usable_vectors(Vectors most) {
  static const Vectors has = widest();
  return std::min(most, has);
}

}  // namespace weft::gstd
