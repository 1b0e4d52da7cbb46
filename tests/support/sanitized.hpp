// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

namespace weft::test {

/// Whether this is built with a sanitizer, to which a further sample of a kind shows nothing new.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace weft::test
