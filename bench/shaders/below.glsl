// SPDX-License-Identifier: MIT OR Apache-2.0
// Criterion::less, as a user would write it.
#define Item uint
bool keep(Item item) { return item < call_a().x; }
