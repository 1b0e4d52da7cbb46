// SPDX-License-Identifier: MIT OR Apache-2.0
// doctest's own code, which sanitized builds need without the self-test.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
