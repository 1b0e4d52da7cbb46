// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The decode table of FSE, the entropy coder of Zstandard, exactly as RFC 8878 (section 4.1.1) builds it
// from normalized counts: for each state a symbol, a number of bits, and the baseline that those bits are
// added to for the next state. A group of 32 lanes builds a table; each group of a workgroup may build
// another, of its own size. In steps:
//   fse_set_count()       any invocation, for each symbol of each group's distribution
//   lanes_fse_build()     every invocation
//   fse_entry()           any invocation, any group's table, until the next build
// No barrier of the caller's is needed between them, nor between reading tables and the next counts.
//
// A distribution of accuracy a has 2^a states. A symbol has as many of them as its count says, and one if its count is
// -1, "less than one". Counts are used up by the build.
//
// Who calls lanes_fse_build(): every invocation of the workgroup, in workgroup-uniform control flow. A group that has
// nothing to build calls with accuracy 0 and keeps its table. In the others nothing crosses lanes.
//
// The includer defines, as constants,
//   WEFT_FSE_SYMBOLS    the most symbols of a distribution, 1 to 256
//   WEFT_FSE_ACCURACY   the greatest accuracy, 5 to 12
//   WEFT_FSE_TABLES     how many groups, the first ones, build tables; left out: all
// Each of these groups keeps 2^WEFT_FSE_ACCURACY + 2 WEFT_FSE_SYMBOLS + 97 words in shared memory, and for accuracy 11
// another 96, for 12 another 288.
//
// Cost: for each 32 states a round of as many ballots as WEFT_FSE_SYMBOLS has bits, at most 8; before them a sum,
// two scans and a broadcast over the group. All groups go through as many rounds as the greatest accuracy asks for. Two
// barriers of the workgroup; below 32 lanes a subgroup, and where subgroups are emulated, two more in all and two a
// round, besides those of the ballots.
//
// How: nothing is sorted, and no state is written twice. The walk through the table takes odd steps, and the step's
// inverse modulo 2^a says at which turn it comes to a state. Turns that come to states of symbols less than one are
// skipped, and each symbol begins where the counts before it end: both are marks, a bit each, whose number leads
// from a state to its symbol. States are taken in ascending order, 32 at a time; those of one symbol find each other by
// ballots, and each symbol counts on from one 32 to the next.
#ifndef WEFT_FSE_GLSL
#define WEFT_FSE_GLSL

#include "weft/lanes.glsl"

#ifdef WEFT_FSE_TABLES
const uint kFseTables = WEFT_FSE_TABLES;
#else
const uint kFseTables = kLanesGroupCount;
#endif
const uint kFseSymbols = WEFT_FSE_SYMBOLS;
const uint kFseStates = 1u << WEFT_FSE_ACCURACY;
const uint kFseSymbolBits = kFseSymbols > 128u  ? 8u
                            : kFseSymbols > 64u ? 7u
                            : kFseSymbols > 32u ? 6u
                            : kFseSymbols > 16u ? 5u
                                                : 4u;
const uint kFseLaneSymbols = (kFseSymbols + 31u) / 32u;
// Words of marks that a lane clears and counts: one for each 32 states.
const uint kFseLaneWords = (kFseStates + 1023u) / 1024u;
const uint kFseWords = 32u * kFseLaneWords;

shared uint weft_fse_table[kFseTables * kFseStates];
// Counts, and then for each symbol its count and how many of its states are done.
shared int weft_fse_counts[kFseTables * kFseSymbols];
// The symbols that have counts from the front on, and from the back those less than one, each in ascending order.
shared uint weft_fse_listed[kFseTables * kFseSymbols];
shared uint weft_fse_begins[kFseTables * kFseWords];  // where a symbol's turns begin, those skipped left out
shared uint weft_fse_skips[kFseTables * kFseWords];   // turns that come to states of symbols less than one
shared uint weft_fse_before[kFseTables * kFseWords];  // of both in the words before: of begins in the high half
shared uint weft_fse_sizes[kFseTables];

// Writes to shared memory by the group's lanes before it are seen by its lanes after it.
void weft_fse_barrier() {
  if (kSubgroupSize >= 32u)
    subgroup_shared_barrier();
  else
    barrier();
}

// The count of a symbol of a group's next distribution: -1, less than one, or how many states it has. Of symbols from
// WEFT_FSE_SYMBOLS on, and of groups without a table, it is dropped.
void fse_set_count(uint group, uint symbol, int count) {
  if (group < kFseTables && symbol < kFseSymbols) weft_fse_counts[group * kFseSymbols + symbol] = count;
}

// What a group's table has for a state, which is below 2^accuracy. What is not there is answered by any entry.
uint fse_entry(uint group, uint state) {
  return weft_fse_table[min(group, kFseTables - 1u) * kFseStates + (state & (kFseStates - 1u))];
}

uint fse_symbol(uint entry) { return entry & 255u; }
uint fse_bits(uint entry) { return (entry >> 8) & 255u; }
uint fse_baseline(uint entry) { return entry >> 16; }

// How many marks a word has: of skips, and of begins in the high half.
uint weft_fse_marks_of(uint word) {
  return uint(bitCount(weft_fse_skips[word])) | uint(bitCount(weft_fse_begins[word])) << 16;
}

// The symbol of a state of a table of `size` states, whose marks have been counted. `inverse`: of the walk's step. From
// `high` on states are those of symbols less than one.
uint weft_fse_symbol_of(uint group, uint state, uint size, uint inverse, uint high) {
  const uint first_word = group * kFseWords;
  const uint turn = (state * inverse) & (size - 1u);
  const uint turn_word = first_word + (turn >> 5);
  const uint skipped = (weft_fse_before[turn_word] & 0xffffu) +
                       uint(bitCount(weft_fse_skips[turn_word] & ((1u << (turn & 31u)) - 1u)));
  // Symbols that begin up to and with this turn, one at least: the first begins with turn 0. 2 << 31 is 0.
  const uint kept = turn - skipped;
  const uint kept_word = first_word + (kept >> 5);
  const uint begun = (weft_fse_before[kept_word] >> 16) +
                     uint(bitCount(weft_fse_begins[kept_word] & ((2u << (kept & 31u)) - 1u)));
  return weft_fse_listed[group * kFseSymbols + (state < high ? begun - 1u : kFseSymbols - (size - state))];
}

// Counts the marks before each of a lane's words.
void weft_fse_count_marks(uint lane_word, bool valid) {
  uint marks = 0u;
  if (valid) {
    [[unroll]] for (uint i = 0; i < kFseLaneWords; ++i) marks += weft_fse_marks_of(lane_word + i);
  }
  uint marks_before = lanes_exclusive_add(marks);
  if (valid) {
    [[unroll]] for (uint i = 0; i < kFseLaneWords; ++i) {
      weft_fse_before[lane_word + i] = marks_before;
      marks_before += weft_fse_marks_of(lane_word + i);
    }
  }
  weft_fse_barrier();
}

// Sets the entry of a lane's state of this group, if `has_state`. Every lane calls, with ascending states.
void weft_fse_set_state(uint group, uint state, bool has_state, uint size, uint accuracy, uint inverse, uint high) {
  const uint first_count = group * kFseSymbols;
  uint symbol = 0u;
  if (has_state) symbol = weft_fse_symbol_of(group, state, size, inverse, high);

  // The lanes whose states are the same symbol's.
  uint same = ~0u;
  [[unroll]] for (uint i = 0; i < kFseSymbolBits; ++i) {
    const bool is_set = ((symbol >> i) & 1u) != 0u;
    const uint set = lanes_ballot(is_set);
    same &= is_set ? set : ~set;
  }

  // The k-th of a symbol's states, in ascending order, takes its count and k; the last of these counts on.
  uint next = 1u;
  if (has_state) next = uint(weft_fse_counts[first_count + symbol]) + uint(bitCount(same & lanes_mask_before()));
  weft_fse_barrier();
  if (has_state) {
    if (same >> lanes_lane() == 1u) weft_fse_counts[first_count + symbol] = int(next + 1u);
    const uint bits = accuracy - uint(findMSB(next));
    weft_fse_table[group * kFseStates + state] = symbol | bits << 8 | ((next << bits) - size) << 16;
  }
  weft_fse_barrier();
}

// Builds the table of this group's distribution: counts of symbols 0 to symbols - 1, all of which have been set.
// `symbols` and `accuracy` are the same on all lanes of a group. The result is too: whether there is such a table.
// There is none, and the one before stays as it was, if the group is none of WEFT_FSE_TABLES, the accuracy is not 5 to
// WEFT_FSE_ACCURACY, there are more symbols than WEFT_FSE_SYMBOLS, a count is below -1, or the states of all symbols
// are not 2^accuracy. One symbol may have them all, in a table of no bits: that RFC 8878 wants two at least is for
// those who read counts.
bool lanes_fse_build(uint symbols, uint accuracy) {
  const uint group = lanes_group();
  const uint lane = lanes_lane();
  const bool has_table = group < kFseTables;
  const bool fits = has_table && accuracy >= 5u && accuracy <= WEFT_FSE_ACCURACY && symbols <= kFseSymbols;
  const uint size = fits ? 1u << accuracy : 0u;
  const uint first_count = group * kFseSymbols;
  const uint first_word = group * kFseWords;
  const uint lane_word = first_word + lane * kFseLaneWords;

  if (has_table) {
    [[unroll]] for (uint i = 0; i < kFseLaneWords; ++i) {
      weft_fse_skips[lane_word + i] = 0u;
      weft_fse_begins[lane_word + i] = 0u;
    }
    if (lane == 0u) weft_fse_sizes[group] = size;
  }
  barrier();

  // A count that is out of range is one state too many, so that no sum wraps.
  const uint first_symbol = lane * kFseLaneSymbols;
  uint end_symbol = min(first_symbol + kFseLaneSymbols, fits ? symbols : 0u);
  uint states = 0u;
  for (uint symbol = first_symbol; symbol < end_symbol; ++symbol) {
    const int count = weft_fse_counts[first_count + symbol];
    states += count == -1 ? 1u : min(uint(count), size + 1u);
  }
  const bool valid = lanes_add(states) == size && fits;
  if (!valid) end_symbol = 0u;

  // Three sums in one: turns that are kept in bits 0 to 12, then symbols less than one in 9
  // bits, and symbols with counts.
  const uint one_less = 1u << 13;
  const uint one_listed = 1u << 22;
  uint own = 0u;
  for (uint symbol = first_symbol; symbol < end_symbol; ++symbol) {
    const int count = weft_fse_counts[first_count + symbol];
    own += count == -1 ? one_less : (count != 0 ? one_listed + uint(count) : 0u);
  }
  const uint through = lanes_inclusive_add(own);
  const uint high = lanes_broadcast(through, 31u) & (one_less - 1u);

  // An odd number is its own inverse modulo 8, and each of Newton's steps doubles the bits: 6, 12.
  const uint walk = (size >> 1) + (size >> 3) + 3u;
  uint inverse = walk * (2u - walk * walk);
  inverse *= 2u - walk * inverse;

  uint before = through - own;
  for (uint symbol = first_symbol; symbol < end_symbol; ++symbol) {
    const int count = weft_fse_counts[first_count + symbol];
    if (count == -1) {
      const uint rank = (before >> 13) & 511u;
      const uint turn = ((size - 1u - rank) * inverse) & (size - 1u);
      atomicOr(weft_fse_skips[first_word + (turn >> 5)], 1u << (turn & 31u));
      weft_fse_listed[first_count + kFseSymbols - 1u - rank] = symbol;
      weft_fse_counts[first_count + symbol] = 1;
      before += one_less;
    } else if (count != 0) {
      const uint begin = before & (one_less - 1u);
      atomicOr(weft_fse_begins[first_word + (begin >> 5)], 1u << (begin & 31u));
      weft_fse_listed[first_count + (before >> 22)] = symbol;
      before += one_listed + uint(count);
    }
  }
  weft_fse_barrier();

  weft_fse_count_marks(lane_word, valid);

  uint most_states = 0u;
  for (uint i = 0u; i < min(kFseTables, kLanesGroupCount); ++i) most_states = max(most_states, weft_fse_sizes[i]);
  for (uint first = 0u; first < most_states; first += 32u) {
    // A group without a table, or with a smaller one, goes along.
    const uint state = first + lane;
    weft_fse_set_state(group, state, valid && state < size, size, accuracy, inverse, high);
  }
  barrier();
  return valid;
}

#endif
