// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ZstdDecode, stage of blocks: a lane reads what the tables of a block are made from, weights of literals and counts of
// sequences' symbols, and where its streams begin.
#ifndef WEFT_ZSTD_HEADERS_GLSL
#define WEFT_ZSTD_HEADERS_GLSL

#include "decode/zstd_bits.glsl"

const uint kZstdMaxWeight = 12u;  // as in libzstd; RFC 8878 has 11

// Counts of an FSE table as they are stored: 16 bits each, those of -1 as 0xffff.
void zstd_store_count(Words counts, uint symbol, uint count) {
  const uint word = symbol >> 1;
  if ((symbol & 1u) == 0u)
    counts.at[word] = count & 0xffffu;
  else
    counts.at[word] |= count << 16;
}

struct ZstdCounts {
  uint log, symbols, bytes;  // bytes: of the description; 0 if it is none
};

// Whether a description has gone on past its section. What a libzstd sees there is another matter.
bool weft_zstd_past_end = false;
uint zstd_table_fault() { return weft_zstd_past_end ? kZstdInexact : kZstdBadTable; }

// Reads the description of an FSE table of up to `symbols` symbols and 2^max_log states.
ZstdCounts zstd_read_counts(ZstdSection section, uint symbols, uint max_log, Words counts) {
  ZstdCounts result = ZstdCounts((zstd_bits(section, 0u) & 15u) + 5u, 0u, 0u);
  if (result.log > max_log) return result;
  uint bit = 4u, remaining = (1u << result.log) + 1u, symbol = 0u;
  while (remaining > 1u && symbol < symbols) {
    const uint width = uint(findMSB(remaining)) + 1u, threshold = 1u << (width - 1u);
    const uint most = 2u * threshold - 1u - remaining;
    const uint bits = zstd_bits(section, bit);
    uint value = bits & (threshold - 1u);
    if (value < most) {
      bit += width - 1u;
    } else {
      value = bits & (2u * threshold - 1u);
      if (value >= threshold) value -= most;
      bit += width;
    }
    // A value of 0 is a count of -1, which takes one state.
    zstd_store_count(counts, symbol, value - 1u);
    ++symbol;
    remaining -= value == 0u ? 1u : value - 1u;
    // After a count of 0 come numbers of further ones, of 2 bits each, up to one that is not 3.
    uint zeros = value == 1u ? 3u : 0u;
    while (zeros == 3u && symbol <= symbols) {
      zeros = zstd_bits(section, bit) & 3u;
      bit += 2u;
      for (uint i = 0u; i < zeros && symbol < symbols; ++i) zstd_store_count(counts, symbol + i, 0u);
      symbol += zeros;
    }
  }
  const uint bytes = (bit + 7u) >> 3;
  result.symbols = symbol;
  weft_zstd_past_end = bytes > section.bytes;
  if (remaining == 1u && symbol <= symbols && !weft_zstd_past_end) result.bytes = bytes;
  return result;
}

// ---- weights ----

// Builds the table of weights' own code, of up to 64 states, from counts: for each state a symbol, from bit 8 on the
// bits that are added to the next state, and from bit 16 on its least value.
void zstd_build_weight_table(Words table, Words counts, Words next, ZstdCounts code) {
  const uint size = 1u << code.log, step = (size >> 1) + (size >> 3) + 3u;
  uint high = size;
  for (uint symbol = 0u; symbol < code.symbols; ++symbol) {
    const uint count = counts.at[symbol >> 1] >> (16u * (symbol & 1u)) & 0xffffu;
    next.at[symbol] = count == 0xffffu ? 1u : count;
    if (count == 0xffffu) table.at[--high] = symbol;
  }
  uint state = 0u;
  for (uint symbol = 0u; symbol < code.symbols; ++symbol) {
    const uint count = counts.at[symbol >> 1] >> (16u * (symbol & 1u)) & 0xffffu;
    for (uint i = 0u; i < count && count != 0xffffu; ++i) {
      table.at[state] = symbol;
      state = (state + step) & (size - 1u);
      for (uint turn = 0u; turn < size && state >= high; ++turn) state = (state + step) & (size - 1u);
    }
  }
  for (state = 0u; state < size; ++state) {
    const uint symbol = table.at[state], value = next.at[symbol];
    next.at[symbol] = value + 1u;
    const uint bits = code.log - uint(findMSB(value));
    table.at[state] = symbol | bits << 8 | ((value << bits) - size) << 16;
  }
}

void zstd_store_weight(Words weights, uint symbol, uint weight) {
  weights.at[symbol >> 2] |= weight << (8u * (symbol & 3u));
}

// Decodes weights by two states in turn, until a state's next bits are not there: the other's symbol is the last.
// Returns how many there are; 0 if they are none.
uint zstd_decode_weights(Words weights, Words table, uint log, uvec2 source, uint bytes) {
  ZstdStream stream = zstd_stream(source, bytes);
  if (stream.left < int(2u * log)) return 0u;
  uint own = zstd_take(stream, log), other = zstd_take(stream, log);
  uint symbol = 0u;
  while (symbol <= 253u) {
    const uint entry = table.at[own];
    zstd_store_weight(weights, symbol++, entry & 255u);
    zstd_refill(stream);
    const uint next = (entry >> 16) + zstd_take(stream, entry >> 8 & 255u);
    if (stream.left < 0) {
      zstd_store_weight(weights, symbol++, table.at[other] & 255u);
      return symbol;
    }
    own = other;
    other = next;
  }
  return 0u;
}

// Adds the weight that the others leave to the last symbol. Returns the logarithm of the table's size, or 0.
uint zstd_last_weight(Words weights, uint symbols) {
  uint total = 0u, of_one = 0u, most = 0u;
  for (uint symbol = 0u; symbol < symbols; ++symbol) {
    const uint weight = weights.at[symbol >> 2] >> (8u * (symbol & 3u)) & 255u;
    most = max(most, weight);
    total += (1u << min(weight, 16u)) >> 1;
    of_one += weight == 1u ? 1u : 0u;
  }
  if (most > kZstdMaxWeight || total == 0u) return 0u;
  const uint log = uint(findMSB(total)) + 1u;
  if (log > kZstdMaxWeight) return 0u;
  const uint rest = (1u << log) - total, last = uint(findMSB(rest));
  if (rest != 1u << last) return 0u;
  of_one += last == 0u ? 1u : 0u;
  if (of_one < 2u || (of_one & 1u) != 0u) return 0u;
  zstd_store_weight(weights, symbols, last + 1u);
  return log;
}

// Reads the weights of a block's literals. Returns how many bytes they take, or 0.
uint zstd_read_weights(Words block, Words tables, uvec2 tables_at, uvec2 source, uint bytes) {
  Words weights = Words(word64_add(tables_at, uvec2(4u * kTableWeights, 0u)));
  for (uint word = 0u; word < 64u; ++word) weights.at[word] = 0u;
  const ZstdSection section = zstd_section(source, bytes);
  if (bytes == 0u) return 0u;
  const uint header = zstd_bytes(section, 0u) & 255u;
  const uint stored = header < 128u ? header : (header - 126u) >> 1;
  if (stored >= bytes) return 0u;
  uint symbols = 0u;
  if (header >= 128u) {
    symbols = header - 127u;
    for (uint symbol = 0u; symbol < symbols; ++symbol)
      zstd_store_weight(weights, symbol,
                        zstd_bytes(section, 1u + (symbol >> 1)) >> ((symbol & 1u) == 0u ? 4u : 0u) & 15u);
  } else if (header != 0u) {
    // In the room for the table of literals, which is built later: the weights' table, counts, and next states.
    Words counts = Words(word64_add(tables_at, uvec2(4u * 64u, 0u)));
    Words next = Words(word64_add(tables_at, uvec2(4u * 192u, 0u)));
    const ZstdSection description = zstd_section(word64_add(source, uvec2(1u, 0u)), stored);
    const ZstdCounts code = zstd_read_counts(description, 256u, 6u, counts);
    if (code.bytes == 0u || code.bytes >= stored) return 0u;
    zstd_build_weight_table(tables, counts, next, code);
    symbols = zstd_decode_weights(weights, tables, code.log, word64_add(source, uvec2(1u + code.bytes, 0u)),
                                  stored - code.bytes);
  }
  if (symbols == 0u) return 0u;
  const uint log = zstd_last_weight(weights, symbols);
  block.at[kBlockLogs] = log;
  return log == 0u ? 0u : 1u + stored;
}

// ---- sequences ----

uint zstd_symbols_of(uint table) { return table == 0u ? 36u : table == 1u ? 32u : 53u; }

// Reads one of the three tables. Returns false if there is none.
bool zstd_read_table(Words block, uvec2 tables_at, uvec2 source, uint bytes, uint table, inout uint at) {
  const uint mode = block.at[kBlockModes] >> (6u - 2u * table) & 3u;
  if (mode == kZstdRaw || mode == kZstdRepeated) return true;
  const uint symbols = zstd_symbols_of(table);
  Words counts = Words(word64_add(tables_at, uvec2(4u * kTableCounts + 2u * zstd_count_at(table), 0u)));
  Words all = Words(tables_at);
  const ZstdSection section = zstd_section(word64_add(source, uvec2(at, 0u)), bytes - at);
  if (mode == kZstdRle) {
    // Of one state, whose symbol takes the place of the number of symbols.
    const uint symbol = zstd_bytes(section, 0u) & 255u;
    if (section.bytes == 0u || symbol >= symbols) return false;
    all.at[kTableCounts + kCountsSymbols] |= symbol << (8u * table);
    at += 1u;
    return true;
  }
  const ZstdCounts read = zstd_read_counts(section, symbols, table == 1u ? 8u : 9u, counts);
  if (read.bytes == 0u) return false;
  all.at[kTableCounts + kCountsSymbols] |= read.symbols << (8u * table);
  block.at[kBlockLogs + 1u + table] = read.log;
  at += read.bytes;
  return true;
}

void zstd_read_headers(uint index) {
  const uvec2 tables_at = zstd_tables_at(index);
  Words block = Words(zstd_block_at(index)), tables = Words(tables_at);
  const uvec2 source = uvec2(block.at[kBlockSource], block.at[kBlockSourceHigh]);
  const uint bytes = block.at[kBlockBytes];
  uint fault = 0u;
  if (block.at[kBlockLiteralKind] == kZstdCompressed) {
    const uint literals_at = block.at[kBlockLiteralsAt];
    const uint taken = zstd_read_weights(block, tables, tables_at, word64_add(source, uvec2(literals_at, 0u)),
                                         block.at[kBlockLiteralsEnd] - literals_at);
    if (taken == 0u) fault = zstd_table_fault();
    block.at[kBlockLiteralsAt] = literals_at + taken;
  }
  if (block.at[kBlockSequences] != 0u) {
    uint at = block.at[kBlockSequencesAt];
    tables.at[kTableCounts + kCountsSymbols] = 0u;
    for (uint table = 0u; table < 3u && fault == 0u; ++table)
      if (!zstd_read_table(block, tables_at, source, bytes, table, at)) fault = zstd_table_fault();
    block.at[kBlockSequencesAt] = at;
  }
  block.at[kBlockFault] = fault;
}

#endif
