// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Built with sanitizers only. Drivers stay loaded until the process ends, so that a report on one of them can name it,
// and sanitize_test.cmake distinguish it from ours: lavapipe leaks 128 bytes for every instance, and is unloaded
// before the leak check looks at who allocated them.
extern "C" int dlclose(void*) noexcept;

extern "C" int dlclose(void*) noexcept { return 0; }
