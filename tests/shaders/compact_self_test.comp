// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Every function of compact.glsl and run_heads.glsl, for tests/blocks/subgroup_test.cpp. Calls follow one another
// without a barrier between, as `slot` allows.
#version 460
#include "weft/compact.glsl"
#include "weft/run_heads.glsl"
#include "self_test.glsl"

void main() {
  const bool keep = (input_word(kSelfTestFlags) & 1u) != 0u;
  // Of few values, so that there are runs.
  const uint item = input_word(kSelfTestFlags) & 3u;

  uint kept;
  emit_result(subgroup_compact(keep, kept));
  emit_result(kept);
  emit_result(workgroup_compact(keep, 0u, kept));
  emit_result(kept);
  emit_result(workgroup_compact(!keep, 1u, kept));
  emit_result(kept);

  const bool head = subgroup_run_head(item, 1u, true);
  emit_result(head);
  emit_result(subgroup_run_head(item, 1u, false));
  emit_result(subgroup_run_start(head));
  const bool workgroup_head = workgroup_run_head(item, 2u, true, 0u);
  emit_result(workgroup_head);
  emit_result(workgroup_run_start(workgroup_head, 0u));
  emit_result(workgroup_run_head(item, 2u, false, 1u));
  emit_result(workgroup_run_start(keep, 1u));
}
