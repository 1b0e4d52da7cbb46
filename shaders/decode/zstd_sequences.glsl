// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, a block's sequences: what its stages of tables, walks and records agree on.
#ifndef WEFT_ZSTD_SEQUENCES_GLSL
#define WEFT_ZSTD_SEQUENCES_GLSL

#include "decode/zstd_bits.glsl"

const uint kLiteralLengths = 0u, kOffsets = 1u, kMatchLengths = 2u;

// The least value of a code, and from bit 18 on, how many extra bits it has (RFC 8878, section 3.1.1.3.2.1.1). Of
// offsets, the latter alone.
const uint kZstdExtraAt = 18u;
uint zstd_value_of(uint table, uint code) {
  if (table == kOffsets) return code << kZstdExtraAt;
  const bool is_match = table == kMatchLengths;
  // From `first` on, codes have extra bits: 4 codes one, 2 codes two, 2 codes three, then fewer codes a step.
  const uint first = is_match ? 32u : 16u;
  const uint step = code - first;
  uint bits = 0u, least = code;
  if (code >= first) {
    if (step < 4u) {
      bits = 1u, least = first + 2u * step;
    } else if (step < 6u) {
      bits = 2u, least = first + 8u + 4u * (step - 4u);
    } else if (step < 8u) {
      bits = 3u, least = first + 16u + 8u * (step - 6u);
    } else if (is_match) {
      bits = step < 10u ? 4u : step == 10u ? 5u : step - 4u;
      least = step < 10u ? 64u + 16u * (step - 8u) : step == 10u ? 96u : 1u << bits;
    } else {
      bits = step == 8u ? 4u : step - 3u;
      least = step == 8u ? 48u : 1u << bits;
    }
  }
  return bits << kZstdExtraAt | (least + (is_match ? 3u : 0u));
}

ZstdSpan zstd_sequence_span(Words block) {
  const uint at = block.at[kBlockSequencesAt];
  const uvec2 source = uvec2(block.at[kBlockSource], block.at[kBlockSourceHigh]);
  return zstd_span(word64_add(source, at), block.at[kBlockBytes] - at);
}

// Bits of the first states, in their order: of literal lengths, offsets and match lengths.
ivec3 zstd_sequence_logs(Words block) {
  ivec3 logs;
  [[unroll]] for (uint table = 0u; table < 3u; ++table) {
    Words owner = Words(zstd_block_at(block.at[kBlockTables + table]));
    logs[table] = int(owner.at[kBlockLogs + 1u + table]);
  }
  return logs;
}

// A sequence that is walked through, from the entries of its states: from bit 0 on the offset's code, from bit 13 on
// that of the literals' length, from bit 19 on of the match's, and from bit 25 on how many bits it has.
uint zstd_walked(uint length, uint match, uint offset) {
  return ((length + match + offset) & 0xfe000000u) | (length & 0x7e000u) | (match & 0x1f80000u) | (offset >> 13 & 31u);
}

// They are at the end of the room for records, in eights: each is read before a record is written there.
uvec2 zstd_walked_at(Words block) {
  const uint sequences = block.at[kBlockSequences];
  const uint eights = (sequences + 7u) & ~7u, room = 2u * ((sequences + 63u) & ~63u);
  return word64_add(zstd_records_at(block.at[kBlockRecords]), word64_multiply(room - eights, 4u));
}

#endif
