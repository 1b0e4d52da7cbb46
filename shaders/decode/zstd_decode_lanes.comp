// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, the stages in which a lane works alone: a pipeline for each.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#include "decode/zstd_blocks.glsl"
#include "decode/zstd_checksum.glsl"
#include "decode/zstd_decode_lanes.h"
#include "decode/zstd_dictionary.glsl"
#include "decode/zstd_streams.glsl"

void main() {
  const uint number = workgroup_number() * kWorkgroupSize + gl_LocalInvocationIndex;
  const uint block = workgroup_number() * WEFT_ZSTD_BLOCKS_TOGETHER + gl_LocalInvocationIndex;
  const bool has_block = gl_LocalInvocationIndex < WEFT_ZSTD_BLOCKS_TOGETHER && zstd_is_slot(block);
  if (kStage == WEFT_ZSTD_CLEAR) {
    Words counters = Words(push.scratch);
    if (number < WEFT_ZSTD_COUNTER_WORDS) counters.at[number] = 0u;
    if (number == 0u && zstd_has_dictionary()) zstd_begin_dictionary();
  } else if (kStage == WEFT_ZSTD_BLOCKS) {
    if (entry_is_there(number)) zstd_list_frame(number);
  } else if (kStage == WEFT_ZSTD_HEADERS) {
    if (has_block && block != push.blocks) zstd_read_headers(block);
    if (has_block && block == push.blocks) zstd_read_dictionary();
  } else if (kStage == WEFT_ZSTD_LITERALS) {
    if (number >> 2 < zstd_blocks()) zstd_decode_literals(number);
  } else if (kStage == WEFT_ZSTD_WALK) {
    if (has_block && block != push.blocks) zstd_walk(block);
  } else {
    zstd_check_frame(number >> 2, number & 3u, entry_is_there(number >> 2));
  }
}
