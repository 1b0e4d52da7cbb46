// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The copy stage of a decoder of the LZ77 family: a group of 32 lanes writes what a batch of sequences, two a lane,
// makes of literals and of the output before them.
//   lz_begin()   once, before all others: clears the window
//   lz_copy()    writes a window's bytes of a batch
//   lz_end()     once, after all others: writes the last bytes, which fill no word
//
// Output goes through a window of shared memory, and every word of it is stored once. A window is a list of segments:
// literals, and matches. An item is a segment's share of one word of the window; there are about 1.3 a word. A lane
// finds its item's segment by the bits of the segments' first items, and merges the item's bytes into the word.
//   1. Items of literals, and of matches whose source was stored before the window: 32 at a time, in any order.
//   2. Items of near matches, whose source is in the window: 32 at a time, in turns. A search over the lanes finds the
//      items that have an item's source; it is copied when none of these is left. They are before it, so there are at
//      most 32 turns. Where a match overlaps itself, items have their source in its first period.
//
// The includer defines WEFT_LZ_LITERALS(word), the words that literals are read from. Positions are bytes from a word
// aligned to 4 on, the output's first or one before it; `first` is the position of the output's first byte. The first
// word and the last are merged into what others may be writing beside them.
//
// Matches may begin before the output's first byte if the includer defines WEFT_LZ_OUTPUT(words, word), which loads a
// word of the output or of what precedes it, and gives lz_begin_after() the two words that end with that byte.
//
// Preconditions: sequences lie one after the other; 1 <= offset <= match - first, or more where bytes precede the
// output; literals begin at byte 4 of their words or later, and have a word after their last, of any value.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow. With native subgroups of 32 lanes or
// more, each group may have a batch of its own. Shared memory of a group: 2 KiB.
#ifndef WEFT_LZ_COPY_GLSL
#define WEFT_LZ_COPY_GLSL

#include "weft/buffers.glsl"
#include "weft/lane_words.glsl"
#include "weft/lanes.glsl"

#ifndef WEFT_LZ_OUTPUT
#define WEFT_LZ_OUTPUT(WORDS, WORD) (WORDS).at[WORD]
#endif

// A multiple of 4, at most 1,020: a position in the window has 10 bits.
#ifndef WEFT_LZ_WINDOW_BYTES
#define WEFT_LZ_WINDOW_BYTES 896u
#endif
const uint kLzWindowBytes = WEFT_LZ_WINDOW_BYTES;
// Before the window's first word, the word stored last; after its last, one that is read and not used.
const uint kLzWindowWords = kLzWindowBytes / 4u + 2u;
// Of literals and matches of 64 sequences. A segment has one item more than whole words, and items of near matches
// begin a row of 32.
const uint kLzSegments = 128u;
const uint kLzStartWords = (kLzWindowBytes / 4u + kLzSegments + 31u) / 32u + 1u;

// Some compilers turn an atomic whose result nothing uses into a reduction over the subgroup, which takes longer.
uint weft_lz_used = 0u;

shared uint weft_lz_window[kLanesGroupCount * kLzWindowWords];
shared uvec2 weft_lz_segments[kLanesGroupCount * kLzSegments];
shared uint weft_lz_starts[kLanesGroupCount * kLzStartWords];

// A sequence: literals from `begin`, and from `match` to `end` the bytes `offset` before; either may be missing.
// The literal at position p is byte p + literals of WEFT_LZ_LITERALS.
struct LzSequence {
  uint begin, match, end, offset, literals;
};

uint lz_window_end(uint begin) { return (begin & ~3u) + kLzWindowBytes; }

// The window's word 0.
uint lz_window() { return lanes_group() * kLzWindowWords + 1u; }

// ---- segments ----

// A segment in shared memory. x: the source of item i, if 4 i is added. y: its first position in the window, from bit
// 10 the position after its last, from bit 20 the word of item i, if i is added.
const uint kLzLiteral = 1u << 31;  // in x: a byte of literals; else a position, and 4
uvec2 lz_segment(uint source, uint first, uint last, uint item) {
  const uint word = (first >> 2) - item;
  return uvec2(source + 4u * word, first | last << 10 | word << 20);
}
uint lz_items(uint first, uint last) { return last > first ? ((last + 3u) >> 2) - (first >> 2) : 0u; }

const uint kLzNearAt = 9u, kLzSegmentsAt = 18u, kLzNearSegmentsAt = 26u;

// A window's items: of step 1, of step 2, and where the latter's segments begin.
struct LzItems {
  uint any_order, near, near_segments;
};

// A sequence's part of the window: positions in it, the items of its literals and of its match, and whether the match
// has sources in the window.
struct LzPart {
  uint begin, match, end;
  uint literal_items, match_items;
  bool near;
};
LzPart lz_part(LzSequence own, uint base, uint from, uint to) {
  LzPart part;
  part.begin = clamp(own.begin, from, to) - base;
  part.match = clamp(own.match, from, to) - base;
  part.end = clamp(own.end, from, to) - base;
  part.literal_items = lz_items(part.begin, part.match);
  part.match_items = lz_items(part.match, part.end);
  part.near = part.match_items != 0u && (int(part.end - own.offset) > 0 || own.offset < part.end - part.match);
  return part;
}

// Counts of items of steps 1 and 2 and of segments are summed in one word, of 9, 9, 8 and 6 bits. The sum before a
// segment fits.
uint lz_counts(bool there, bool near, uint items) {
  return near ? items << kLzNearAt | 1u << kLzNearSegmentsAt : there ? items | 1u << kLzSegmentsAt : 0u;
}
uint lz_literal_counts(LzPart part) { return lz_counts(part.literal_items != 0u, false, part.literal_items); }
uint lz_match_counts(LzPart part) { return lz_counts(part.match_items != 0u, part.near, part.match_items); }

// Puts a sequence's segments into the list, after those that `before` counts.
void lz_put(LzSequence own, LzPart part, LzItems items, uint base, inout uint before) {
  const uint starts = lanes_group() * kLzStartWords;
  const uint segments = lanes_group() * kLzSegments;
  if (part.literal_items != 0u) {
    const uint item = before & 511u;
    weft_lz_segments[segments + (before >> kLzSegmentsAt & 255u)] =
        lz_segment(kLzLiteral + own.literals + base, part.begin, part.match, item);
    weft_lz_used = atomicOr(weft_lz_starts[starts + (item >> 5)], 1u << (item & 31u));
  }
  before += lz_literal_counts(part);
  if (part.match_items != 0u) {
    const uint near_row = (items.any_order + 31u) & ~31u;
    const uint item = part.near ? near_row + (before >> kLzNearAt & 511u) : before & 511u;
    const uint slot = part.near ? items.near_segments + (before >> kLzNearSegmentsAt) : before >> kLzSegmentsAt & 255u;
    weft_lz_segments[segments + slot] =
        lz_segment((part.near ? 0u : base + 4u) - own.offset, part.match, part.end, item);
    weft_lz_used = atomicOr(weft_lz_starts[starts + (item >> 5)], 1u << (item & 31u));
  }
  before += lz_match_counts(part);
}

// Lists the segments of [from, to) in the window that begins at `base`.
LzItems lz_list(LzSequence one, LzSequence two, uint base, uint from, uint to) {
  const LzPart part_one = lz_part(one, base, from, to), part_two = lz_part(two, base, from, to);
  const uint own =
      lz_literal_counts(part_one) + lz_match_counts(part_one) + lz_literal_counts(part_two) + lz_match_counts(part_two);
  const uint inclusive = lanes_inclusive_add_unrolled(own);
  const uint total = lanes_broadcast(inclusive, 31u);
  LzItems items;
  items.any_order = total & 511u;
  items.near = total >> kLzNearAt & 511u;
  items.near_segments = total >> kLzSegmentsAt & 255u;
  for (uint word = lanes_lane(); word < kLzStartWords; word += 32u)
    weft_lz_starts[lanes_group() * kLzStartWords + word] = 0u;
  lanes_shared_barrier();
  uint before = inclusive - own;
  lz_put(one, part_one, items, base, before);
  lz_put(two, part_two, items, base, before);
  lanes_shared_barrier();
  return items;
}

// An item: its word of the window, the bits of it that it has, from `low` to `high`, and its segment.
struct LzItem {
  uvec2 segment;
  int word;
  uint source;
  int low, high;
};

uint lz_mask(LzItem item) { return ~0u << (item.low & 31) & ~0u >> ((32 - item.high) & 31); }

// Of row `row` this lane's item. `before`: the slot before the row's first segment, and becomes that of the next row.
LzItem lz_item(uint row, inout uint before) {
  const uint starts = weft_lz_starts[lanes_group() * kLzStartWords + row];
  LzItem item;
  item.segment = weft_lz_segments[before + bitCount(starts & (2u << lanes_lane()) - 1u)];
  before += bitCount(starts);
  const uint index = 32u * row + lanes_lane();
  item.word = (int(item.segment.y) >> 20) + int(index);
  item.source = item.segment.x + 4u * index;
  item.low = max(8 * int(item.segment.y & 1023u) - 32 * item.word, 0);
  item.high = min(8 * int(item.segment.y >> 10 & 1023u) - 32 * item.word, 32);
  return item;
}

// ---- step 1 ----

// Loads the two words that hold an item's bytes. Those without any are in the output too, or else 0.
uvec2 lz_load(Words words, uint source) {
  if (source >= kLzLiteral) {
    const uint word = (source & ~kLzLiteral) >> 2;
    return uvec2(WEFT_LZ_LITERALS(word), WEFT_LZ_LITERALS(word + 1u));
  }
  const uint word = source >> 2;
  return uvec2(word == 0u ? 0u : WEFT_LZ_OUTPUT(words, word - 1u), WEFT_LZ_OUTPUT(words, word));
}

uint lz_shift(uvec2 pair, uint byte) {
  return words_shifted_right(pair, 8u * (byte & 3u));
}

void lz_merge(LzItem item, uint bytes) {
  weft_lz_used = atomicOr(weft_lz_window[lz_window() + item.word], bytes & lz_mask(item));
}

void lz_copy_any_order(Words words, uint items) {
  const uint rows = (items + 31u) >> 5;
  uint before = lanes_group() * kLzSegments - 1u;
  // Two rows at a time: the loads of both are on their way together. After the last row comes one of step 2, or 0.
  for (uint row = 0u; lanes_uniform(row < rows); row += 2u) {
    const bool has_first = 32u * row + lanes_lane() < items;
    const bool has_second = 32u * row + 32u + lanes_lane() < items;
    const LzItem first = lz_item(row, before);
    const LzItem second = lz_item(row + 1u, before);
    uvec2 first_pair = uvec2(0u), second_pair = uvec2(0u);
    if (has_first) first_pair = lz_load(words, first.source);
    if (has_second) second_pair = lz_load(words, second.source);
    if (has_first) lz_merge(first, lz_shift(first_pair, first.source));
    if (has_second) lz_merge(second, lz_shift(second_pair, second.source));
  }
}

// ---- step 2 ----

// How the bytes of a period below 4 are repeated: those that `mask` keeps, times `factor`, and above these, `above`
// bits shifted down, from bit `phase` on.
struct LzPeriod {
  uint mask, factor, above, phase;
};

uint lz_repeat(LzPeriod period, uint bytes) {
  const uint kept = bytes & period.mask;
  return words_shifted_right(uvec2(kept * period.factor, kept >> period.above), period.phase);
}

// Bytes of the window. Those of lanes' items ascend.
struct LzSpan {
  int begin, end;
};
const int kLzNowhere = 0x7fff;

// 1 if lane `lane` begins before `end`, else 0.
uint lz_begins_before(uint spans, uint lane, int end) { return uint(int(lanes_shuffle(spans, lane) & 0xffffu) < end); }

// The lanes before this one whose spans have one of up to four bytes.
uint lz_lanes_of(LzSpan bytes, LzSpan own) {
  const uint spans = uint(own.begin) | uint(own.end) << 16;
  // Lanes that begin up to the first byte. Steps by hand, as above.
  uint count = 16u * lz_begins_before(spans, 15u, bytes.begin + 1);
  count += 8u * lz_begins_before(spans, count + 7u, bytes.begin + 1);
  count += 4u * lz_begins_before(spans, count + 3u, bytes.begin + 1);
  count += 2u * lz_begins_before(spans, count + 1u, bytes.begin + 1);
  count += lz_begins_before(spans, count, bytes.begin + 1);
  const uint before = lanes_shuffle(spans, count - 1u) >> 16;
  const bool has_before = count != 0u && int(before) > bytes.begin;
  // Up to three more begin before the last byte's end.
  const uint more = lz_begins_before(spans, count, bytes.end) + lz_begins_before(spans, count + 1u, bytes.end) +
                    lz_begins_before(spans, count + 2u, bytes.end);
  return ~0u << (has_before ? count - 1u : count) & ~(~0u << min(count + more, 31u)) & lanes_mask_before();
}

void lz_copy_near(Words words, LzItems items, uint base) {
  const uint window = lz_window();
  const uint first_row = (items.any_order + 31u) >> 5;
  uint before = lanes_group() * kLzSegments + items.near_segments - 1u;
  const uint rows = (items.near + 31u) >> 5;
  for (uint row = 0u; lanes_uniform(row < rows); ++row) {
    const LzItem item = lz_item(first_row + row, before);
    const bool has = 32u * row + lanes_lane() < items.near;
    // Positions in the window, of bytes.
    const int segment_begin = int(item.segment.y & 1023u), segment_end = int(item.segment.y >> 10 & 1023u);
    int source = int(item.source);
    const int offset = 4 * item.word - source;
    LzPeriod period = LzPeriod(~0u, 1u, 0u, 0u);  // as they are
    int needed_end = source + (item.high >> 3);
    const bool overlaps = has && offset < segment_end - segment_begin;
    if (overlaps) {
      const int skipped = 4 * item.word + (item.low >> 3) - segment_begin;
      if (offset >= 4) {
        const int periods = int((float(skipped) + 0.5) / float(offset)) * offset;
        source -= periods;
        needed_end -= periods;
      } else {
        // The period before the match's first byte, from the byte that the word begins with on.
        const uint ahead = uint(4 * item.word - segment_begin + 12);
        const uint phase = offset == 2 ? ahead & 1u : offset == 3 ? ahead % 3u : 0u;
        source = segment_begin - offset;
        needed_end = segment_begin;
        period = LzPeriod(~0u >> (32 - 8 * offset),
                          offset == 1   ? 0x01010101u
                          : offset == 2 ? 0x00010001u
                                        : 0x01000001u,
                          offset == 3 ? 8u : 0u, 8u * phase);
      }
    }
    // Bytes before the window's, but for the last word of them, are in device memory.
    bool left = has;
    if (has && source < -4) {
      lz_merge(item, lz_shift(lz_load(words, uint(int(base + 4u) + source)), uint(source)));
      left = false;
    }
    const uint source_word = left ? uint(int(window) + (source >> 2)) : window;
    const bool repeats = lanes_any(period.factor != 1u);
    // A word may be merged into while it is read: of its bytes, those that are read are there already.
    const int begin = 4 * item.word + (item.low >> 3);
    const bool precedes = needed_end <= int(lanes_broadcast(uint(begin), 0u));  // all items of the row
    uint waits_for = 0u;
    if (lanes_any(left && !precedes)) {
      const int needed_begin = needed_end - (period.factor != 1u ? offset : (item.high - item.low) >> 3);
      waits_for = lz_lanes_of(LzSpan(needed_begin, needed_end),
                              LzSpan(has ? begin : kLzNowhere, 4 * item.word + (item.high >> 3)));
    }
    bool ready = left && waits_for == 0u;
    for (;;) {
      if (ready) {
        uint bytes = lz_shift(uvec2(weft_lz_window[source_word], weft_lz_window[source_word + 1u]), uint(source));
        if (repeats) bytes = lz_repeat(period, bytes);
        lz_merge(item, bytes);
        left = false;
      }
      if (kSubgroupSize >= 32u) lanes_shared_barrier();  // else the ballot is one
      const uint all_left = lanes_ballot(left);
      if (lanes_uniform(all_left == 0u)) break;
      ready = left && (waits_for & all_left) == 0u;
    }
  }
}

// ---- the window ----

// Stores the whole words before `to` and keeps the bytes after them.
void lz_store(Words words, uint first, uint base, uint to) {
  const uint window = lz_window();
  const uint count = (to - base) >> 2;
  const uint last = weft_lz_window[window + count - 1u];
  const uint begun = weft_lz_window[window + count];
  lanes_shared_barrier();
  uint word = lanes_lane();
  if (base == (first & ~3u) && word == 0u && (first & 3u) != 0u && count != 0u) {
    merge_word(words, base >> 2, weft_lz_window[window], ~0u << (8u * (first & 3u)));
    weft_lz_window[window] = 0u;
    word = 32u;
  }
  for (; word < count; word += 32u) {
    words.at[(base >> 2) + word] = weft_lz_window[window + word];
    weft_lz_window[window + word] = 0u;
  }
  lanes_shared_barrier();
  if (lanes_lane() == 0u) {
    weft_lz_window[window + count] = 0u;
    weft_lz_window[window - 1u] = last;
    weft_lz_window[window] = begun;
  }
  lanes_buffer_barrier();
}

void lz_begin() {
  for (uint word = lanes_lane(); word < kLzWindowWords; word += 32u)
    weft_lz_window[lanes_group() * kLzWindowWords + word] = 0u;
  lanes_shared_barrier();
}

// The same where bytes precede the output: those of the word before its first word, and of that one.
void lz_begin_after(uint before, uint begun) {
  lz_begin();
  if (lanes_lane() == 0u) {
    weft_lz_window[lz_window() - 1u] = before;
    weft_lz_window[lz_window()] = begun;
  }
  lanes_shared_barrier();
}

// Writes bytes [begin, end) of a batch, at most as many as a window has: up to lz_window_end(begin). Each lane has two
// sequences, one after the other. A call goes on where the one before ended; the first begins at `first`.
void lz_copy(Words words, uint first, LzSequence one, LzSequence two, uint begin, uint end) {
  const uint base = begin & ~3u;
  const LzItems items = lz_list(one, two, base, begin, end);
  lz_copy_any_order(words, items.any_order);
  lanes_shared_barrier();
  lz_copy_near(words, items, base);
  lz_store(words, first, base, end);
}

// `end`: the position after the last byte.
void lz_end(Words words, uint first, uint end) {
  if (lanes_lane() == 0u && (end & 3u) != 0u) {
    uint mask = ~0u >> (32u - 8u * (end & 3u));
    if (end >> 2 == first >> 2) mask &= ~0u << (8u * (first & 3u));
    merge_word(words, end >> 2, weft_lz_window[lz_window()], mask);
  }
  if (end < first) words.at[0] = weft_lz_used;  // never
  lanes_buffer_barrier();
}

#endif
