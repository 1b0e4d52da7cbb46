// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, the stages in which a lane works alone: a pipeline for each.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "decode/zstd_blocks.glsl"
#include "decode/zstd_checksum.glsl"
#include "decode/zstd_decode_lanes.h"
#include "decode/zstd_headers.glsl"
#include "decode/zstd_streams.glsl"

void main() {
  const uint number = workgroup_number() * kWorkgroupSize + gl_LocalInvocationIndex;
  if (kStage == WEFT_ZSTD_CLEAR) {
    Words counters = Words(push.scratch);
    if (number < WEFT_ZSTD_COUNTER_WORDS) counters.at[number] = 0u;
  } else if (kStage == WEFT_ZSTD_BLOCKS) {
    if (entry_is_there(number)) zstd_list_frame(number);
  } else if (kStage == WEFT_ZSTD_HEADERS) {
    if (number < zstd_blocks()) zstd_read_headers(number);
  } else if (kStage == WEFT_ZSTD_LITERALS) {
    if (number >> 2 < zstd_blocks()) zstd_decode_literals(number);
  } else if (kStage == WEFT_ZSTD_SEQUENCES) {
    if (number < zstd_blocks()) zstd_decode_sequences(number);
  } else {
    zstd_check_frame(number >> 2, number & 3u, entry_is_there(number >> 2));
  }
}
