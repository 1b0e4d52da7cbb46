// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, stage of tables: each group of 32 lanes builds the tables of one block, from what zstd_headers.glsl read.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#include "decode/zstd_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#define WEFT_FSE_SYMBOLS 53
#define WEFT_FSE_ACCURACY 9
#include "decode/zstd_sequences.glsl"
#include "weft/fse.glsl"

// ---- literals ----

const uint kHuffmanWeights = 16u;  // of which up to 12 occur, from 1 on
// Of a group: symbols by weight, then by number; of weights, how many symbols come before, and what follows their last
// index of the table.
const uint kHuffmanCounts = 256u, kHuffmanLimits = kHuffmanCounts + kHuffmanWeights,
           kHuffmanWords = kHuffmanLimits + kHuffmanWeights;
shared uint weft_zstd_huffman[kLanesGroupCount * kHuffmanWords];

// Sorts the symbols of each weight. Weights are bytes of 64 words.
void huffman_sort(Words weights, uint shared_at) {
  const uint lane = lanes_lane();
  for (uint base = 0u; base < 256u; base += 32u) {
    const uint symbol = base + lane;
    const uint weight = weights.at[symbol >> 2] >> (8u * (symbol & 3u)) & 15u;
    uint same = ~0u;
    [[unroll]] for (uint bit = 0u; bit < 4u; ++bit) {
      const bool has = (weight >> bit & 1u) != 0u;
      const uint with = lanes_ballot(has);
      same &= has ? with : ~with;
    }
    const uint rank = bitCount(same & lanes_mask_before());
    const uint at = weft_zstd_huffman[shared_at + kHuffmanCounts + weight];
    lanes_shared_barrier();
    if (weight != 0u) {
      weft_zstd_huffman[shared_at + min(at + rank, 255u)] = symbol;
      if (rank == 0u) weft_zstd_huffman[shared_at + kHuffmanCounts + weight] = at + bitCount(same);
    }
    lanes_shared_barrier();
  }
}

// Builds the table of 2^log entries: the longest codes, of weight 1, come first.
void huffman_build(Words tables, Words weights, uint log) {
  const uint lane = lanes_lane(), shared_at = lanes_group() * kHuffmanWords;
  if (lane < kHuffmanWeights) weft_zstd_huffman[shared_at + kHuffmanCounts + lane] = 0u;
  lanes_shared_barrier();
  for (uint symbol = lane; symbol < 256u; symbol += 32u) {
    const uint weight = weights.at[symbol >> 2] >> (8u * (symbol & 3u)) & 15u;
    if (weight != 0u) atomicAdd(weft_zstd_huffman[shared_at + kHuffmanCounts + weight], 1u);
  }
  lanes_shared_barrier();
  const uint count = lane < kHuffmanWeights ? weft_zstd_huffman[shared_at + kHuffmanCounts + lane] : 0u;
  const uint symbols = lanes_inclusive_add(count) - count;
  const uint limit = lanes_inclusive_add(lane == 0u ? 0u : count << (min(lane, kHuffmanWeights) - 1u));
  if (lane < kHuffmanWeights) {
    weft_zstd_huffman[shared_at + kHuffmanCounts + lane] = symbols;
    weft_zstd_huffman[shared_at + kHuffmanLimits + lane] = limit;
  }
  lanes_shared_barrier();
  huffman_sort(weights, shared_at);

  uint limits[13];
  [[unroll]] for (uint weight = 0u; weight < 13u; ++weight) limits[weight] =
      weft_zstd_huffman[shared_at + kHuffmanLimits + weight];
  for (uint word = lane; word < 1u << (log - 1u); word += 32u) {
    uint both = 0u;
    [[unroll]] for (uint i = 0u; i < 2u; ++i) {
      const uint index = 2u * word + i;
      uint weight = 1u, begin = 0u;
      [[unroll]] for (uint lighter = 1u; lighter < 12u; ++lighter) {
        weight += index >= limits[lighter] ? 1u : 0u;
        begin = max(begin, index >= limits[lighter] ? limits[lighter] : 0u);
      }
      // After the sort, counts are those of the symbols up to and with a weight.
      const uint before = weft_zstd_huffman[shared_at + kHuffmanCounts + weight - 1u];
      const uint position = before + ((index - begin) >> (weight - 1u));
      both |= (weft_zstd_huffman[shared_at + min(position, 255u)] << 4 | (log + 1u - weight)) << (16u * i);
    }
    tables.at[word] = both;
  }
}

// ---- sequences ----

// The distributions that RFC 8878 defines (section 3.1.1.3.2.2).
int default_count(uint table, uint symbol) {
  if (table == kOffsets) return symbol >= 24u ? -1 : symbol >= 6u && symbol < 9u ? 2 : 1;
  if (table == kMatchLengths)
    return symbol >= 46u ? -1 : symbol == 1u ? 4 : symbol == 2u ? 3 : symbol == 0u ? 1 : symbol < 9u ? 2 : 1;
  return symbol >= 32u                   ? -1
         : symbol == 0u                  ? 4
         : symbol == 1u || symbol == 25u ? 3
         : symbol < 13u                  ? 2
         : symbol < 16u                  ? 1
         : symbol < 27u                  ? 2
                                         : 1;
}
uint default_symbols(uint table) { return table == kOffsets ? 29u : table == kMatchLengths ? 53u : 36u; }

// What a block has of one of its tables: the accuracy, 0 if it is of one state, whose symbol is in place of `symbols`.
struct TableOf {
  bool there;
  uint mode, accuracy, symbols;
};

TableOf table_of(Words block, Words tables, bool there, uint table) {
  TableOf result = TableOf(false, 0u, 0u, 0u);
  if (there) {
    result.mode = block.at[kBlockModes] >> (6u - 2u * table) & 3u;
    result.there = result.mode != kZstdRepeated;
    result.accuracy = result.mode == kZstdRaw          ? (table == kOffsets ? 5u : 6u)
                      : result.mode == kZstdCompressed ? block.at[kBlockLogs + 1u + table]
                                                       : 0u;
    result.symbols = result.mode == kZstdRaw ? default_symbols(table)
                                             : tables.at[kTableCounts + kCountsSymbols] >> (8u * table) & 255u;
  }
  return result;
}

// Builds a table of the group's block. Every invocation of the workgroup calls.
void sequences_build(Words block, uvec2 tables_at, bool there, uint table) {
  const uint lane = lanes_lane(), group = lanes_group();
  Words tables = Words(tables_at);
  const TableOf own = table_of(block, tables, there, table);
  const bool builds = own.there && own.accuracy != 0u;
  if (builds) {
    for (uint symbol = lane; symbol < own.symbols; symbol += 32u) {
      int count = default_count(table, symbol);
      if (own.mode == kZstdCompressed) {
        const uint at = zstd_count_at(table) + symbol;
        count = int(tables.at[kTableCounts + (at >> 1)] << (16u * (1u - (at & 1u)))) >> 16;
      }
      fse_set_count(group, symbol, count);
    }
  }
  lanes_fse_build(builds ? own.symbols : 0u, builds ? own.accuracy : 0u);
  if (own.there) {
    const uint first = table == kLiteralLengths ? kTableLiteralLengths
                       : table == kOffsets      ? kTableOffsets
                                                : kTableMatchLengths;
    for (uint state = lane; state < 1u << own.accuracy; state += 32u) {
      uint symbol = own.symbols, least = 0u, bits = 0u;
      if (builds) {
        const uint entry = fse_entry(group, state);
        symbol = fse_symbol(entry);
        least = fse_baseline(entry);
        bits = fse_bits(entry);
      }
      const uint all_bits = bits + (zstd_value_of(table, symbol) >> kZstdExtraAt);
      tables.at[first + state] =
          least | bits << 9 | symbol << (table == kMatchLengths ? 19u : 13u) | all_bits << 25;
    }
    if (lane == 0u && own.mode == kZstdRaw) block.at[kBlockLogs + 1u + table] = own.accuracy;
  }
}

void main() {
  const uint index = workgroup_number() * lanes_group_count() + lanes_group();
  bool there = zstd_is_slot(index);
  const uint number = there ? index : 0u;
  const uvec2 tables_at = zstd_tables_at(number);
  Words block = Words(zstd_block_at(number));
  if (there) there = block.at[kBlockFault] == 0u;
  bool has_literals = false, has_sequences = false;
  uint log = 1u;
  if (there) {
    has_literals = block.at[kBlockLiteralKind] == kZstdCompressed;
    has_sequences = block.at[kBlockSequences] != 0u;
    log = clamp(block.at[kBlockLogs], 1u, 12u);
  }
  if (lanes_uniform(has_literals))
    huffman_build(Words(tables_at), Words(word64_add(tables_at, uvec2(4u * kTableWeights, 0u))), log);
  for (uint table = 0u; table < 3u; ++table) sequences_build(block, tables_at, has_sequences, table);
}
