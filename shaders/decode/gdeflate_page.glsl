// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The entropy stage of GDeflate: a group of 32 lanes, one a bit stream, decodes a page to literals and records of its
// matches in scratch.
//   gdeflate_page_begin()   once
//   gdeflate_page_step()    decodes on, while gdeflate_page_runs()
//   gdeflate_page_end()     once; returns the verdict
//
// A round is a symbol of each lane. Its positions come from a sum over the lanes. A match is complete a round later,
// when its lane has its distance; then its record is stored, in the order of all matches. Literals are collected in
// shared memory and stored 32 words at a time.
//
// Any words are allowed: what is read past the last is 0, and nothing is stored of a round with a fault. A round gives
// each lane a symbol or ends the block, so that their number is bounded by the page's bytes and kGdeflateMaxBlocks.
// Faults are those of src/gstd/gdeflate.cpp, in its order.
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow. With native subgroups of 32 lanes or
// more, each group may have a page of its own. Shared memory of a group: 0.75 KiB.
#ifndef WEFT_GDEFLATE_PAGE_GLSL
#define WEFT_GDEFLATE_PAGE_GLSL

#include "weft/lane_words.glsl"
#include "weft/lanes.glsl"
#include "decode/gdeflate_codes.glsl"
#include "decode/page_table.glsl"

const uint kGdeflateMaxBlocks = 1024u;
const uint kGdeflateEndOfBlock = 256u, kGdeflateLastLength = 285u;

// Literals that are not yet stored: two halves of 32 words.
const uint kGdeflateStagedWords = 64u;
shared uint weft_gdeflate_staged[kLanesGroupCount * kGdeflateStagedWords];
// As weft_lz_used: an atomic whose result nothing uses becomes a reduction.
uint weft_gdeflate_used = 0u;

// Parts of a page: a block's header, bytes of a stored block, rounds of a coded one, the last of them, which has its
// last distances, and the end.
const uint kGdeflateHeader = 0u, kGdeflateStored = 1u, kGdeflateRounds = 2u, kGdeflateLastRound = 3u,
           kGdeflateFinished = 4u;

struct GdeflatePage {
  LaneWords words;
  // Of a lane: its next bits, the first lowest, 32 to 63 between steps; and the words it took past the last.
  uint low, high, count, past_end;
  uint bytes;    // of content
  uint reason;   // why the page is refused, or 0
  uint done, literals, records;
  uint part;  // what comes next: kGdeflateHeader and the following
  uint blocks, stored;  // blocks begun; bytes left of a stored one
  bool is_last, has_fixed;
  // Of a lane its last symbol, which has no position yet: a literal, or a length, whose distance is next.
  bool has_literal, has_match;
  uint literal, size;  // size: of its content
};

// Drops the lane's first `taken` bits, up to 31, and refills.
void gdeflate_take(inout GdeflatePage page, uint taken) {
  page.low = page.low >> taken | (page.high << 1) << (31u - taken);
  page.high >>= taken;
  page.count -= taken;
  const bool takes = page.count < 32u;
  uint position;
  const uint word = lane_words_take(page.words, takes, position);
  if (takes) {
    page.low |= word << page.count;
    page.high = (word >> 1) >> (31u - page.count);
    page.count += 32u;
    page.past_end += position >= page.words.count ? 1u : 0u;
  }
}

// Whether a lane used bits past the last word: only then does it take a second word there.
bool gdeflate_truncated(GdeflatePage page) {
  return lanes_uniform(lane_words_truncated(page.words)) && lanes_any(page.past_end > 1u);
}

uint gdeflate_peek(GdeflatePage page, uint first, uint count) { return page.low >> first & (1u << count) - 1u; }

// ---- headers ----

// Reads the lengths of both codes, `count` in total, by a code that is in the place of that of distances.
void gdeflate_lengths_read(Words scratch, inout GdeflatePage page, uint count) {
  const uint kNone = 16u;
  uint last = kNone;
  for (uint word = lanes_lane(); word < kGdeflateLengthWords; word += 32u)
    weft_gdeflate_shared[gdeflate_shared() + word] = 0u;
  lanes_shared_barrier();
  for (uint done = 0u; lanes_uniform(done < count && page.reason == 0u);) {
    const uint entry = gdeflate_code_find(scratch, true, page.low);
    const uint bits = entry & 15u, symbol = entry >> 4;
    const uint extra = symbol < 16u ? 0u : symbol == 16u ? 2u : symbol == 17u ? 3u : 7u;
    const uint least = symbol < 16u ? 1u : symbol == 18u ? 11u : 3u;
    const uint repeats = least + gdeflate_peek(page, bits, extra);
    const uint end = done + lanes_inclusive_add(repeats);
    const uint begin = end - repeats;
    const bool has = begin < count;
    gdeflate_take(page, has ? bits + extra : 0u);

    // A repeated length is that of the last lane before with another symbol.
    const uint values = lanes_ballot(symbol != 16u);
    const uint own = symbol < 16u ? symbol : 0u;
    const uint before = values & lanes_mask_before();
    const uint earlier = lanes_shuffle(own, uint(max(findMSB(before), 0)));
    const uint length = symbol != 16u ? own : before != 0u ? earlier : last;
    const bool bad = has && (bits == 0u || end > count || length == kNone);
    page.reason = gdeflate_truncated(page) ? kGdeflateTruncated : lanes_any(bad) ? kGdeflateBadTable : 0u;
    if (lanes_uniform(page.reason == 0u)) {
      // Zeros are there already; others are at most 6, in two words.
      if (has && length != 0u) {
        const uint nibbles = length * 0x111111u & (1u << (4u * repeats)) - 1u;
        const uint shift = 4u * (begin & 7u), at = gdeflate_shared() + (begin >> 3);
        atomicOr(weft_gdeflate_shared[at], nibbles << shift);
        if ((nibbles >> 1) >> (31u - shift) != 0u)
          atomicOr(weft_gdeflate_shared[at + 1u], (nibbles >> 1) >> (31u - shift));
      }
      done = lanes_uniform(lanes_broadcast(end, 31u));
      last = lanes_broadcast(length, 31u);
    }
  }
  lanes_shared_barrier();
}

// Reads the codes of a block that describes them.
void gdeflate_codes_read(Words scratch, inout GdeflatePage page) {
  const uint lane = lanes_lane();
  const uint sizes = lanes_uniform(lanes_broadcast(page.low & 0x3fffu, 0u));
  gdeflate_take(page, lane == 0u ? 14u : 0u);
  const uint literals = (sizes & 31u) + 257u, distances = (sizes >> 5 & 31u) + 1u;
  const bool described = lane < (sizes >> 10) + 4u;
  const uint length = described ? page.low & 7u : 0u;
  gdeflate_take(page, described ? 3u : 0u);
  // The symbol of lane i: 16, 17, 18, 0, 8, then 7, 9, 6, 10, and so on to 15.
  const uint step = lane - 4u;
  const uint symbol = lane < 3u             ? 16u + lane
                      : lane == 3u          ? 0u
                      : (step & 1u) != 0u ? 8u - (step + 1u) / 2u
                                            : 8u + step / 2u;
  const uint lengths_at = gdeflate_shared() + kGdeflateHeaderLengths / 8u;
  if (lane < 3u) weft_gdeflate_shared[lengths_at + lane] = 0u;
  lanes_shared_barrier();
  if (length != 0u) atomicOr(weft_gdeflate_shared[lengths_at + (symbol >> 3)], length << (4u * (symbol & 7u)));
  lanes_shared_barrier();
  if (gdeflate_truncated(page)) page.reason = kGdeflateTruncated;
  if (lanes_uniform(page.reason != 0u)) return;
  if (lanes_uniform(!gdeflate_code_build(scratch, true, kGdeflateHeaderLengths, 19u))) page.reason = kGdeflateBadTable;
  if (lanes_uniform(page.reason != 0u)) return;
  gdeflate_lengths_read(scratch, page, literals + distances);
  if (lanes_uniform(page.reason != 0u)) return;
  if (lanes_uniform(!gdeflate_code_build(scratch, false, 0u, literals))) {
    page.reason = kGdeflateBadTable;
  } else if (lanes_uniform(!gdeflate_code_build(scratch, true, literals, distances))) {
    page.reason = kGdeflateBadTable;
  }
}

// Builds DEFLATE's fixed codes: literals up to 143 have 8 bits, up to 255 9, up to 279 7, and the last 8; distances 5.
void gdeflate_codes_fixed(Words scratch) {
  for (uint word = lanes_lane(); word < kGdeflateLengthWords; word += 32u)
    weft_gdeflate_shared[gdeflate_shared() + word] = word < 18u   ? 0x88888888u
                                                     : word < 32u ? 0x99999999u
                                                     : word < 35u ? 0x77777777u
                                                     : word < 36u ? 0x88888888u
                                                                  : 0x55555555u;
  lanes_shared_barrier();
  gdeflate_code_build(scratch, false, 0u, kGdeflateSymbols);
  gdeflate_code_build(scratch, true, kGdeflateSymbols, 32u);
}

// ---- literals ----

// Appends a byte of each lane that `has` one.
void gdeflate_literals_append(Words scratch, inout GdeflatePage page, bool has, uint byte) {
  const uint lanes = lanes_ballot(has);
  const uint staged = lanes_group() * kGdeflateStagedWords;
  if (has) {
    const uint at = page.literals + bitCount(lanes & lanes_mask_before());
    weft_gdeflate_used =
        atomicOr(weft_gdeflate_staged[staged + (at >> 2 & kGdeflateStagedWords - 1u)], byte << (8u * (at & 3u)));
  }
  const uint before = page.literals >> 7;
  page.literals += bitCount(lanes);
  if (lanes_uniform(page.literals >> 7 != before)) {
    lanes_shared_barrier();
    const uint word = 32u * before + lanes_lane(), slot = staged + (word & kGdeflateStagedWords - 1u);
    scratch.at[kGdeflateLiteralsAt + word] = weft_gdeflate_staged[slot];
    weft_gdeflate_staged[slot] = 0u;
    lanes_shared_barrier();
  }
}

// Stores the literals that are left, fewer than 128. More may follow.
void gdeflate_literals_store(Words scratch, GdeflatePage page) {
  lanes_shared_barrier();
  const uint word = (page.literals >> 7 << 5) + lanes_lane();
  if (4u * word < page.literals)
    scratch.at[kGdeflateLiteralsAt + word] =
        weft_gdeflate_staged[lanes_group() * kGdeflateStagedWords + (word & kGdeflateStagedWords - 1u)];
}

// ---- blocks ----

// Reads the header of a block, with its codes or its size, or ends the page.
void gdeflate_header(Words scratch, inout GdeflatePage page) {
  if (lanes_uniform(page.is_last)) {
    page.part = kGdeflateFinished;
    return;
  }
  const uint lane = lanes_lane();
  const uint header = lanes_uniform(lanes_broadcast(page.low & 7u, 0u)), type = header >> 1;
  gdeflate_take(page, lane == 0u ? 3u : 0u);
  page.is_last = (header & 1u) != 0u;
  page.reason = gdeflate_truncated(page)                               ? kGdeflateTruncated
                : page.blocks == kGdeflateMaxBlocks || type == 3u ? kGdeflateBadBlock
                                                                       : 0u;
  ++page.blocks;
  if (lanes_uniform(page.reason != 0u)) return;
  page.part = type == 0u ? kGdeflateStored : kGdeflateRounds;
  if (lanes_uniform(type == 0u)) {
    page.stored = lanes_uniform(lanes_broadcast(page.low & 0xffffu, 0u));
    gdeflate_take(page, lane == 0u ? 16u : 0u);
    page.reason = gdeflate_truncated(page)                   ? kGdeflateTruncated
                  : page.stored > page.bytes - page.done ? kGdeflateBadLength
                                                             : 0u;
  } else if (lanes_uniform(type == 2u)) {
    page.has_fixed = false;
    gdeflate_codes_read(scratch, page);
  } else if (lanes_uniform(!page.has_fixed)) {
    page.has_fixed = true;
    gdeflate_codes_fixed(scratch);
  }
}

// Reads up to 32 bytes of a stored block.
void gdeflate_stored_bytes(Words scratch, inout GdeflatePage page) {
  const uint count = min(page.stored, 32u);
  const bool has = lanes_lane() < count;
  const uint byte = page.low & 255u;
  gdeflate_take(page, has ? 8u : 0u);
  if (gdeflate_truncated(page)) page.reason = kGdeflateTruncated;
  gdeflate_literals_append(scratch, page, has, byte);
  page.done += count;
  page.stored -= count;
  if (page.stored == 0u) page.part = kGdeflateHeader;
}

// A round. `reads`: lanes without a match read a literal or a length. Returns whether one of them was the block's end.
// The last round's symbols have their slots here, while this round's are looked up.
bool gdeflate_round(Words scratch, inout GdeflatePage page, bool reads) {
  const bool distance = page.has_match;
  const uint entry = gdeflate_code_find(scratch, distance, page.low);
  const uint bits = entry & 15u, symbol = entry >> 4;
  const uint ends = lanes_ballot(reads && !distance && symbol == kGdeflateEndOfBlock);
  const bool takes_part = distance || (reads && (ends & lanes_mask_before()) == 0u);
  const bool bad_symbol = takes_part && (bits == 0u || (!distance && symbol > kGdeflateLastLength));
  const bool sound = takes_part && !bad_symbol;
  const bool is_literal = sound && !distance && symbol < kGdeflateEndOfBlock;
  const bool is_length = sound && !distance && symbol > kGdeflateEndOfBlock;

  // Of a length or a distance the least, and its extra bits: a step of 2 or 4 symbols has a bit more.
  const uint number = distance ? symbol : symbol - 257u;
  const uint step_log = distance ? 1u : 2u;
  const uint steps = number >> step_log;
  uint extra = max(steps, 1u) - 1u;
  uint least = (number & (1u << step_log) - 1u | (steps != 0u ? 1u << step_log : 0u)) << (extra & 31u);
  if (!distance && symbol == kGdeflateLastLength) {
    extra = 16u;
    least = 0u;
  }
  if (!is_length && !(sound && distance)) extra = 0u;
  const uint value = least + (distance ? 1u : 3u) + gdeflate_peek(page, bits, extra);

  const uint end = page.done + lanes_inclusive_add_unrolled(page.size);
  const uint done = lanes_uniform(lanes_broadcast(end, 31u));
  const uint lengths = lanes_ballot(distance), literals = lanes_ballot(page.has_literal);
  gdeflate_take(page, sound ? bits + extra : 0u);
  const bool bad_offset = distance && !bad_symbol && value > end - page.size;
  if (lanes_uniform(lanes_any(bad_symbol || bad_offset || page.past_end > 1u || done > page.bytes))) {
    const bool any_symbol = lanes_any(bad_symbol);
    page.reason = done > page.bytes           ? kGdeflateBadLength
                  : gdeflate_truncated(page) ? kGdeflateTruncated
                  : any_symbol               ? kGdeflateBadSymbol
                                             : kGdeflateBadOffset;
    return true;
  }
  if (distance) {
    const uint before = lanes_mask_before();
    gdeflate_record_store(scratch, page.records + bitCount(lengths & before),
                          GdeflateRecord(page.literals + bitCount(literals & before), end, value));
  }
  page.records += bitCount(lengths);
  page.done = done;
  if (lanes_uniform(literals != 0u)) gdeflate_literals_append(scratch, page, page.has_literal, page.literal);
  page.has_literal = is_literal;
  page.has_match = is_length;
  page.literal = symbol;
  page.size = is_literal ? 1u : is_length ? value : 0u;
  return ends != 0u;
}

// ---- a page ----

// A page that is no entry is refused before its first step.
GdeflatePage gdeflate_page_begin(PageEntry entry) {
  GdeflatePage page;
  page.words = lane_words_begin(entry.source, entry.valid ? entry.words : 0u);
  page.low = page.high = page.count = page.past_end = 0u;
  page.bytes = entry.bytes;
  page.reason = entry.valid ? 0u : kGdeflateBadEntry;
  page.done = page.literals = page.records = 0u;
  page.part = kGdeflateHeader;
  page.blocks = page.stored = 0u;
  page.is_last = page.has_fixed = false;
  page.has_literal = page.has_match = false;
  page.literal = page.size = 0u;
  for (uint word = lanes_lane(); word < kGdeflateStagedWords; word += 32u)
    weft_gdeflate_staged[lanes_group() * kGdeflateStagedWords + word] = 0u;
  lanes_shared_barrier();
  gdeflate_take(page, 0u);
  return page;
}

bool gdeflate_page_runs(GdeflatePage page) { return page.part != kGdeflateFinished && page.reason == 0u; }

// Goes on by up to `count` steps: a block's header, up to 32 bytes of a stored block, or a round of a coded one.
void gdeflate_page_step(Words scratch, inout GdeflatePage page, uint count) {
  for (uint step = 0u; lanes_uniform(step < count && gdeflate_page_runs(page)); ++step) {
    if (lanes_uniform(page.part == kGdeflateHeader)) {
      gdeflate_header(scratch, page);
    } else if (lanes_uniform(page.part == kGdeflateStored)) {
      gdeflate_stored_bytes(scratch, page);
    } else {
      for (; lanes_uniform(step < count && page.part != kGdeflateHeader && page.reason == 0u); ++step) {
        // (Without a vote whether there is anything for the last round to do, with which NVIDIA's compiler takes half
        // more time for two groups a page.)
        const bool reads = page.part == kGdeflateRounds;
        const bool ended = gdeflate_round(scratch, page, reads);
        page.part = !reads ? kGdeflateHeader : ended ? kGdeflateLastRound : kGdeflateRounds;
      }
    }
  }
}

// Stores what a finished page still holds, and returns the verdict.
uint gdeflate_page_end(Words scratch, inout GdeflatePage page) {
  if (page.reason == 0u && page.done != page.bytes) page.reason = kGdeflateBadLength;
  if (lanes_uniform(page.reason != 0u)) return page.reason;
  gdeflate_literals_store(scratch, page);
  if (lanes_lane() == 0u) {
    scratch.at[0] = page.records;
    gdeflate_record_store(scratch, page.records, GdeflateRecord(page.literals, page.bytes, 1u));
    if (page.literals > page.bytes) scratch.at[1] = weft_gdeflate_used;  // never
  }
  return 0u;
}

void report_page(uint index, uint verdict) {
  Words status = Words(push.status);
  status.at[1u + index] = verdict;
  if (verdict != 0u) atomicAdd(status.at[0], 1u);
}

#endif
