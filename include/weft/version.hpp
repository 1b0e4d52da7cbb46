// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

// The one place where the version is written; CMakeLists.txt reads it from here.
#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0
