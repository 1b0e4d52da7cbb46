// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Stores of keys and of values that go with them. The includer defines, as a constant, kValueBytes: 1, 2 or a multiple
// of 4, or 0 where there are no values; merge_key.glsl is included before.
#ifndef WEFT_PRIMITIVES_MERGE_STORE_GLSL
#define WEFT_PRIMITIVES_MERGE_STORE_GLSL

// Values of so many bytes fit registers.
const bool kValueInRegisters = kValueBytes <= 8u;

// Stores the low bits of `bits`, 1 or 2 bytes, as this lane's item `i` of `count` at `target`; lanes of a subgroup have
// neighbours. Items of one word go there together, from the first lane that has one.
void store_narrow(uvec2 target, uint bytes, uint i, uint count, uint bits) {
  const uint at = (target.x & 3u) + i * bytes;
  const uint begin = at & 3u;
  const uint item_mask = ~0u >> (32u - 8u * bytes);
  bits &= item_mask;
  uint word = bits << (8u * begin);
  uint mask = i < count ? item_mask << (8u * begin) : 0u;
  [[unroll]] for (uint k = 1u; k < 4u; ++k) {
    const uint next = subgroup_shuffle_down(bits, k);
    const uint byte = begin + k * bytes;
    if (byte < 4u && subgroup_lane() + k < kSubgroupSize && i + k < count) {
      word |= next << (8u * byte);
      mask |= item_mask << (8u * byte);
    }
  }
  if (begin < bytes || subgroup_lane() == 0u) merge_word(Words(uvec2(target.x & ~3u, target.y)), at >> 2, word, mask);
}

// Item i of 1 or 2 bytes of those that lie at `source`, in the low bits.
uint load_narrow(uvec2 source, uint bytes, uint i) {
  const uint byte = (source.x & 3u) + i * bytes;
  return Words(uvec2(source.x & ~3u, source.y)).at[byte >> 2] >> (8u * (byte & 3u));
}

// Stores one there, whatever other lanes do.
void store_narrow_alone(uvec2 target, uint bytes, uint bits) {
  const uint shift = 8u * (target.x & 3u);
  merge_word(Words(uvec2(target.x & ~3u, target.y)), 0u, bits << shift, (~0u >> (32u - 8u * bytes)) << shift);
}

// Stores a key as this lane's `i` of `count` at `target`; lanes of a subgroup have neighbours.
void store_key(uvec2 target, uint i, uint count, MergeKey key) {
#if WEFT_MERGE_OWN
  if (i < count) {
    [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w)
      Words(target).at[i * WEFT_ITEM_WORDS + w] = key.words[w];
  }
#else
  const uvec2 bits = merge_key_bits(key);
  if (kKeyBytes < 4u) {
    store_narrow(target, kKeyBytes, i, count, bits.x);
  } else if (i < count) {
    if (kKeyWords == 1u) {
      Words(target).at[i] = bits.x;
    } else if ((target.x & 7u) == 0u) {
      Words2(target).at[i] = bits;
    } else {
      Words(target).at[2u * i] = bits.x;
      Words(target).at[2u * i + 1u] = bits.y;
    }
  }
#endif
}

uvec2 value_address(uvec2 values, uint index) { return word64_add(values, word64_multiply(index, kValueBytes)); }

// Value j of those that lie at `source`, in the low bits.
uvec2 load_value(uvec2 source, uint j) {
  uvec2 value = uvec2(0u);
  if (kValueBytes < 4u) {
    value.x = load_narrow(source, kValueBytes, j);
  } else if (kValueBytes == 4u) {
    value.x = Words(source).at[j];
  } else if ((source.x & 7u) == 0u) {
    value = Words2(source).at[j];
  } else {
    value = uvec2(Words(source).at[2u * j], Words(source).at[2u * j + 1u]);
  }
  return value;
}

// Stores one as this lane's `i` of `count` at `target`; lanes of a subgroup have neighbours.
void store_value(uvec2 target, uint i, uint count, uvec2 value) {
  if (kValueBytes < 4u) {
    store_narrow(target, kValueBytes, i, count, value.x);
  } else if (i < count) {
    if (kValueBytes == 4u) {
      Words(target).at[i] = value.x;
    } else if ((target.x & 7u) == 0u) {
      Words2(target).at[i] = value;
    } else {
      Words(target).at[2u * i] = value.x;
      Words(target).at[2u * i + 1u] = value.y;
    }
  }
}

// Moves value j of `source`, of any size, to position i of `count`, if that is below.
void move_value(uvec2 source, uint j, uvec2 target, uint i, uint count) {
  if (kValueInRegisters) {
    uvec2 value = uvec2(0u);
    if (i < count) value = load_value(source, j);
    store_value(target, i, count, value);
    return;
  }
  if (i >= count) return;
  if (kValueBytes == 16u) {
    if (((source.x | target.x) & 15u) == 0u) {
      Words4(target).at[i] = Words4(source).at[j];
      return;
    }
  }
  const uint words = kValueBytes / 4u;
  for (uint w = 0; w < words; ++w) Words(target).at[i * words + w] = Words(source).at[j * words + w];
}

// Moves one value, whatever other lanes do.
void move_value_alone(uvec2 source, uvec2 target) {
  if (kValueBytes < 4u)
    store_narrow_alone(target, kValueBytes, load_narrow(source, kValueBytes, 0u));
  else
    move_value(source, 0u, target, 0u, 1u);
}

#endif
