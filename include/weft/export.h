// SPDX-License-Identifier: MIT OR Apache-2.0
// WEFT_API: what weft's shared libraries export, for C and C++. WEFT_SHARED and, inside them, WEFT_BUILDING are defined
// by their CMake targets and pkg-config files.
#ifndef WEFT_EXPORT_H
#define WEFT_EXPORT_H

#if !defined(WEFT_SHARED)
#define WEFT_API
#elif !defined(_WIN32)
#define WEFT_API __attribute__((visibility("default")))
#elif defined(WEFT_BUILDING)
#define WEFT_API __declspec(dllexport)
#else
#define WEFT_API __declspec(dllimport)
#endif

#endif
