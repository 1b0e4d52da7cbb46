// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

// The version is defined here alone. CMakeLists.txt reads it. Rules for every header: docs/integration.md.
#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 2
#define WEFT_VERSION_PATCH 0
