// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What a source needs that is compiled for several sets of vector instructions, by Highway's headers. Highway's library
// would only choose among them: it is not linked.
#pragma once

#include "gstd/tile.hpp"

// GCC does not align the stack for wide vectors on Windows (its bug 54412).
#if defined(WEFT_GSTD_HIGHWAY) && defined(__GNUC__) && \
    ((defined(__x86_64__) && (defined(__clang__) || !defined(_WIN32))) || defined(__aarch64__))
#define WEFT_GSTD_VECTORS 1
#if defined(__x86_64__)
// Each set is compiled, whatever the compiler may assume of the processor; those before SSE4 are not.
#define HWY_BASELINE_TARGETS HWY_SSE4
#define HWY_DISABLED_TARGETS HWY_AVX3_DL
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLE_F16C
#else
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
// Every such processor has NEON: no attribute of functions, which constructors that a compiler makes would lack.
#define TOOLCHAIN_MISS_SYS_AUXV_H
#endif
// Its assertions would need the library.
#define HWY_IS_DEBUG_BUILD 0
#if !defined(__clang__) && __GNUC__ < 13
// GCC 12 reports undefined operands inside its own intrinsics (its bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace weft::gstd {

/// The widest that this processor has and that are not wider than `most`.
Vectors usable_vectors(Vectors most);

}  // namespace weft::gstd

#if defined(WEFT_GSTD_VECTORS)
#if defined(__x86_64__)
/// NAME of the namespace of each set of instructions, by Vectors.
#define WEFT_GSTD_OF_EACH(NAME) \
  { nullptr, &N_SSE4::NAME, &N_AVX2::NAME, &N_AVX3::NAME }
#else
#define WEFT_GSTD_OF_EACH(NAME) \
  { nullptr, &N_NEON::NAME, nullptr, nullptr }
#endif
#else
#define WEFT_GSTD_OF_EACH(NAME) \
  { nullptr, nullptr, nullptr, nullptr }
#endif
