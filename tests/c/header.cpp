// SPDX-License-Identifier: MIT OR Apache-2.0
// The C header is C++ too.
#include <weft/weft.h>
