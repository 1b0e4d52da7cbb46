// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Scan in one dispatch. Workgroup number k combines tile k and publishes its aggregate; then it scans tile k - lag,
// whose predecessors have published theirs by then, so that it rarely waits. Its words are read a second time for
// that, but from the device's cache, since the host chooses the lag to fit it: memory is read once. Both reads are
// under way together.
//
// Holding tiles in registers until their predecessors are published instead reads nothing twice, but then what is in
// flight is bounded by registers, all workgroups wait for each other in step, and memory idles meanwhile
// (docs/performance/scan.md).
//
// The fallback pass scans deferred tiles row by row.
//
// A call whose items fit one tile has no scratch and no look-back.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/look_back.glsl"
#include "weft/tile_scan.glsl"
#include "scan/scan.h"

layout(push_constant, std430) uniform Push { ScanPush push; };

TileRange scan_range() { return tile_range(count_of(push.count, push.count_words, push.count_value), push.head); }

Accumulator look_back_aggregate(uint tile) {
  return tile_aggregate_by_rows(tile_scan_of(push.items, push.outputs, scan_range(), tile), 1u);
}

void look_back_finish(uint tile, Accumulator prefix) {
  const TileScan scan = tile_scan_of(push.items, push.outputs, scan_range(), tile);
  Accumulator aggregate;
  const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(tile_total_by_rows(scan), 0u, aggregate);
  tile_scan_store_by_rows(scan, combine(prefix, subgroups_before));
}

// The first pass stands in main: as a function of its own it was up to 7 % slower.
void main() {
  if (kFallbackPass) {
    look_back_fallback(LookBack(push.scratch, push.tile_capacity), accumulator_of_bits(push.initial));
    return;
  }
  const TileRange range = scan_range();
  const Accumulator initial = accumulator_of_bits(push.initial);
  const LookBack state = LookBack(push.scratch, push.tile_capacity);
  const bool alone = push.scratch == uvec2(0u);
  const uint lag = alone ? 0u : push.lag;

  const uint ticket = alone ? 0u : look_back_ticket(state);
  const bool scans = ticket >= lag && tile_exists(range, ticket - lag);
  const TileScan scan = tile_scan_of(push.items, push.outputs, range, ticket - lag);
  TileWords words;
  if (scans) tile_scan_fetch(scan, words);

  const bool combines = !alone && tile_exists(range, ticket);
  if (combines)
    look_back_publish_tile(state, ticket,
                           tile_aggregate(tile_scan_of(push.items, push.outputs, range, ticket), 1u));
  if (!scans) {
    if (combines) look_back_close_block(state, ticket);
    return;
  }

  TileHeld held;
  Accumulator aggregate;
  const Accumulator own_total = scan.fast ? tile_scan_total(words, held) : tile_total_by_rows(scan);
  const Accumulator subgroups_before = workgroup_exclusive_of_subgroups(own_total, 0u, aggregate);
  if (combines) look_back_close_block(state, ticket);
  Accumulator prefix = initial;
  if (!alone && !look_back_prefix(state, ticket - lag, initial, prefix)) return;
  prefix = combine(prefix, subgroups_before);
  if (scan.fast)
    tile_scan_store(scan, held, prefix);
  else
    tile_scan_store_by_rows(scan, prefix);
}
