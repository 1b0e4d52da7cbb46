// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Ranges of a segmented reduction's items, loaded in vectors of 4 wherever they begin. After weft/tile.glsl and
// segmented_path.glsl.
#ifndef WEFT_SEGMENTED_ITEMS_GLSL
#define WEFT_SEGMENTED_ITEMS_GLSL

#if WEFT_VECTOR_INPUT_WORDS == 3
#error "vectors of 4 items have other lengths"
#endif

// Positions of items count from a vector's boundary in memory.
struct ItemRange {
  uvec2 source;   // of position 0
  uvec2 present;  // positions of the range's items
  bool loadable;  // its vectors are aligned, and the call's items, of other ranges too, fill them
};

// How many items before the one at an address begin its vector, if any number aligns it.
uint items_before(uvec2 address) {
#if WEFT_ITEM_BYTES == 1
  return address.x & 3u;
#elif WEFT_ITEM_BYTES == 2
  return (address.x >> 1) & 3u;
#elif WEFT_ITEM_BYTES == 4
  return (address.x >> 2) & 3u;
#elif WEFT_ITEM_BYTES == 8
  return (address.x >> 3) & 1u;
#elif WEFT_ITEM_BYTES == 12
  return ((address.x >> 2) * 3u) & 3u;
#else
  return 0u;
#endif
}

// a - b, clamped to [0, most].
uint difference_up_to(uvec2 a, uvec2 b, uint most) {
  const uvec2 difference = word64_subtract(word64_max(a, b), b);
  return difference.y != 0u ? most : min(difference.x, most);
}

// `items` items from the first on, of `all` that the call has.
ItemRange item_range(uvec2 first, uint items, uvec2 all) {
  ItemRange range;
  const uvec2 address = word64_add(push.items, word64_times(first, WEFT_ITEM_BYTES));
  const uint before = items_before(address);
  range.source = word64_subtract(address, uvec2(before * WEFT_ITEM_BYTES, 0u));
  range.present = uvec2(before, before + items);
  const uint after = (0u - range.present.y) & 3u;
  const uvec2 filled = word64_add(first, items + after);
  range.loadable = items != 0u && (range.source.x & (min(WEFT_VECTOR_INPUT_WORDS * 4u, 16u) - 1u)) == 0u &&
                   !word64_less(first, uvec2(before, 0u)) && !word64_less(all, filled);
  return range;
}

// Vector `v` of a loadable range; vectors after its last are that one.
TileVector item_range_load(ItemRange range, uint v) {
  return TileVectors(range.source).at[min(v, (range.present.y - 1u) / WEFT_VECTOR_ITEMS)];
}

// Word `i` of vector `v`; only words that have items of the range are read.
uint item_range_word(ItemRange range, uint v, uint i) {
  const uint first = range.present.x * WEFT_ITEM_BYTES / 4u;
  const uint last = (range.present.y * WEFT_ITEM_BYTES - 1u) / 4u;
  return Words(range.source).at[clamp(v * WEFT_VECTOR_INPUT_WORDS + i, first, last)];
}

// Vector `v` of any range that has items.
TileVector item_range_load_present(ItemRange range, uint v) {
#define WEFT_WORD(i) item_range_word(range, v, i)
#define WEFT_WORDS4(i) uvec4(WEFT_WORD(i), WEFT_WORD(i + 1), WEFT_WORD(i + 2), WEFT_WORD(i + 3))
#if WEFT_VECTOR_INPUT_WORDS == 16
  return TileVector(WEFT_WORDS4(0), WEFT_WORDS4(4), WEFT_WORDS4(8), WEFT_WORDS4(12));
#elif WEFT_VECTOR_INPUT_WORDS == 12
  return TileVector(WEFT_WORDS4(0), WEFT_WORDS4(4), WEFT_WORDS4(8));
#elif WEFT_VECTOR_INPUT_WORDS == 8
  return TileVector(WEFT_WORDS4(0), WEFT_WORDS4(4));
#elif WEFT_VECTOR_INPUT_WORDS == 4
  return WEFT_WORDS4(0);
#elif WEFT_VECTOR_INPUT_WORDS == 2
  return uvec2(WEFT_WORD(0), WEFT_WORD(1));
#else
  return WEFT_WORD(0);
#endif
#undef WEFT_WORDS4
#undef WEFT_WORD
}

#endif
