// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs GstdDecode on a table of tiles, in guarded buffers and on dirty scratch, and compares every status and every
// byte with the host's decoder that follows the document.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/gstd_decode.hpp>

#include "gstd/checksum.hpp"
#include "gstd/tile.hpp"
#include "support/config_text.hpp"
#include "support/primitive_call.hpp"

namespace weft::test {

/// What a call works on.
struct GstdBatch {
  std::vector<uint32_t> source;
  std::vector<GstdTile> tiles;
  uint64_t output_bytes = 0;

  /// A tile after all others, with words of its own, `gap` bytes after the last output. The
  /// reference holds until the next.
  GstdTile& add(std::span<const uint32_t> words, uint32_t bytes, uint64_t gap = 0,
                GstdTileKind kind = GstdTileKind::compressed) {
    const uint64_t at = 4 * source.size();
    source.insert(source.end(), words.begin(), words.end());
    return add_at(at, static_cast<uint32_t>(words.size()), bytes, gap, kind);
  }
  /// The same of words that are there.
  GstdTile& add_at(uint64_t at, uint32_t words, uint32_t bytes, uint64_t gap = 0,
                   GstdTileKind kind = GstdTileKind::compressed) {
    GstdTile tile;
    tile.source = at;
    tile.output = output_bytes + gap;
    tile.words = words;
    tile.bytes = tile.count = bytes;
    tile.kind = kind;
    output_bytes = tile.output + bytes;
    return tiles.emplace_back(tile);
  }
  /// Puts a stream after all words; the byte where it begins.
  uint64_t append(std::span<const std::byte> stream) {
    const uint64_t at = 4 * source.size();
    source.resize(source.size() + (stream.size() + 3) / 4);
    if (!stream.empty()) std::memcpy(source.data() + at / 4, stream.data(), stream.size());
    return at;
  }
};

struct GstdRunOptions {
  uint32_t tile_bytes = gstd::kMinTileBytes;
  bool verify = true;
  uint32_t tiles_in_flight = 256;
  VkDeviceSize tiles_misalignment = 8, source_misalignment = 4, output_misalignment = 0, status_misalignment = 4;
  std::optional<DeviceCount> device_count{};
  bool only_whole = false;
  bool by_value = false;  ///< the table is given when the call is recorded
  uint8_t dirt = 0xdb;
};

/// How many tiles had each verdict, none among them.
using GstdVerdicts = std::map<GstdRefusal, uint32_t>;

/// What a call has to come to.
struct GstdExpected {
  std::vector<uint32_t> status;       ///< of each tile
  std::vector<std::byte> output;      ///< with dirt where nothing is written
  std::vector<uint32_t> unspecified;  ///< the tiles whose bytes may be anything
  GstdVerdicts verdicts;
};

/// Whether an entry of the table is one, as docs of GstdTile have it, with no sum that could wrap.
inline bool is_entry(const GstdTile& tile, const GstdBatch& batch, uint32_t tile_bytes) {
  if (tile.bytes == 0 || tile.bytes > tile_bytes) return false;
  const uint32_t whole = (tile.bytes + 3) / 4;
  switch (tile.kind) {
    case GstdTileKind::raw:
      if (tile.words != whole) return false;
      break;
    case GstdTileKind::fill:
      if (tile.words != 1) return false;
      break;
    case GstdTileKind::compressed:
      if (tile.words == 0 || tile.words >= whole) return false;
      break;
    default: return false;
  }
  const uint64_t source_bytes = 4 * batch.source.size(), words_bytes = 4 * uint64_t{tile.words};
  return tile.first <= tile.bytes && tile.count <= tile.bytes - tile.first && tile.source % 4 == 0 &&
         words_bytes <= source_bytes && tile.source <= source_bytes - words_bytes && tile.count <= batch.output_bytes &&
         tile.output <= batch.output_bytes - tile.count;
}

/// The verdict on a tile whose entry is one, and its content.
inline uint32_t verdict_of(const GstdTile& tile, const GstdBatch& batch, bool verify, std::vector<std::byte>& content) {
  const auto words = std::span(batch.source).subspan(tile.source / 4, tile.words);
  const auto bytes = std::as_bytes(words);
  content.resize(tile.bytes);
  if (tile.kind == GstdTileKind::compressed) {
    const gstd::TileVerdict verdict = gstd::decode_tile_reference(words, content);
    if (!verdict) return static_cast<uint32_t>(verdict.reason) | verdict.word << 8;
  } else if (tile.kind == GstdTileKind::fill) {
    for (size_t i = 0; i < content.size(); ++i) content[i] = bytes[i % 4];
  } else {
    std::copy_n(bytes.begin(), content.size(), content.begin());
    if (std::any_of(bytes.begin() + tile.bytes, bytes.end(), [](std::byte byte) { return byte != std::byte{0}; }))
      return static_cast<uint32_t>(GstdRefusal::bad_padding) | (tile.words - 1) << 8;
  }
  if (verify && tile.has_checksum != 0 && gstd::checksum(content) != tile.checksum)
    return static_cast<uint32_t>(GstdRefusal::checksum);
  return 0;
}

/// What the first `obeyed` tiles of the table come to.
inline GstdExpected expected_of(const GstdBatch& batch, uint64_t obeyed, const GstdRunOptions& options) {
  GstdExpected expected;
  uint32_t dirty_word = 0;
  std::memset(&dirty_word, options.dirt, 4);
  expected.status.assign(batch.tiles.size(), dirty_word);
  expected.output.assign(batch.output_bytes, static_cast<std::byte>(options.dirt));
  std::vector<std::byte> content;
  for (uint32_t t = 0; t < obeyed; ++t) {
    const GstdTile& tile = batch.tiles[t];
    uint32_t& status = expected.status[t];
    const bool is_part =
        tile.kind == GstdTileKind::compressed &&
        (tile.count != tile.bytes || tile.bytes % 4 != 0 || (tile.output + options.output_misalignment) % 4 != 0);
    if (!is_entry(tile, batch, options.tile_bytes) || (is_part && options.only_whole)) {
      status = static_cast<uint32_t>(GstdRefusal::bad_entry);
    } else {
      status = verdict_of(tile, batch, options.verify, content);
      if (status != 0)
        expected.unspecified.push_back(t);
      else
        std::copy_n(content.begin() + tile.first, tile.count,
                    expected.output.begin() + static_cast<std::ptrdiff_t>(tile.output));
    }
    ++expected.verdicts[static_cast<GstdRefusal>(status & 255)];
  }
  return expected;
}

/// A call's buffers, each between guards, and what they have to hold after it.
class GstdCall {
 public:
  GstdCall(Backend& backend, const GstdBatch& batch, const GstdRunOptions& options)
      : batch_(batch),
        by_value_(options.by_value),
        decode_(
            create<GstdDecode>(backend, GstdDecodeConfig{options.tile_bytes, options.verify, options.tiles_in_flight})),
        expected_(expected_of(batch, obeyed(options.device_count, batch.tiles.size()), options)),
        call_(backend.gpu(), options.dirt) {
    // There is one table only.
    REQUIRE_FALSE((by_value_ && options.device_count));
    const uint64_t tiles = batch.tiles.size();
    args_.tiles = call_.input("tiles", batch.tiles, options.tiles_misalignment);
    args_.tile_count = call_.count(options.device_count, tiles);
    args_.source = call_.input("source", batch.source, options.source_misalignment);
    call_.output("output", batch.output_bytes, options.output_misalignment);
    args_.output = call_.expect_any("output", batch.output_bytes);
    std::vector<uint32_t> status(1 + tiles, options.dirt * 0x01010101u);
    status[0] = kRefusedBefore;
    call_.input("status", status, options.status_misalignment);
    args_.status = call_.expect_any("status", 4 * (1 + tiles));
    args_.scratch = call_.scratch(by_value_ ? decode_.scratch_size_by_value(tiles) : decode_.scratch_size(tiles));
    args_.only_whole = options.only_whole;
    if (by_value_) args_.tiles = {}, args_.tile_count = {};
  }

  /// May be called by any thread.
  Status record(VkCommandBuffer commands) const {
    if (!by_value_) return decode_.record(commands, args_);
    // The values are gone before the commands are executed.
    std::vector<GstdTile> values = batch_.tiles;
    const Status status = decode_.record(commands, values, args_);
    std::memset(static_cast<void*>(values.data()), 0x5a, values.size() * sizeof(GstdTile));
    return status;
  }

  /// After it has run.
  GstdVerdicts check() {
    CHECK(call_.wrong_after() == "");
    check_status();
    check_output();
    return expected_.verdicts;
  }

 private:
  // Refusals are added to what the caller left there.
  static constexpr uint32_t kRefusedBefore = 77;

  void check_status() {
    const std::vector<uint32_t> found = items_of<uint32_t>(call_.found("status"));
    uint32_t refused = 0;
    for (const auto& [verdict, tiles] : expected_.verdicts) refused += verdict == GstdRefusal::none ? 0 : tiles;
    CHECK(found[0] == kRefusedBefore + refused);
    for (size_t tile = 0; tile < batch_.tiles.size(); ++tile) {
      if (found[1 + tile] == expected_.status[tile]) continue;
      CAPTURE(tile);
      CAPTURE(batch_.tiles[tile].bytes);
      CAPTURE(batch_.tiles[tile].words);
      CHECK(described(found[1 + tile]) == described(expected_.status[tile]));
      return;  // the first is enough
    }
  }

  void check_output() {
    Bytes bytes = call_.found("output");
    for (const uint32_t tile : expected_.unspecified) {
      const auto at = static_cast<std::ptrdiff_t>(batch_.tiles[tile].output);
      std::copy_n(expected_.output.begin() + at, batch_.tiles[tile].count, bytes.begin() + at);
    }
    const auto position = static_cast<uint64_t>(std::ranges::mismatch(bytes, expected_.output).in1 - bytes.begin());
    if (position == bytes.size()) return;
    for (size_t tile = 0; tile < batch_.tiles.size(); ++tile) {
      const GstdTile& of = batch_.tiles[tile];
      if (position < of.output || position - of.output >= of.count) continue;
      CAPTURE(tile);
      CAPTURE(of.bytes);
      CAPTURE(of.first);
      CAPTURE(of.count);
      const uint64_t byte_of_request = position - of.output;
      CAPTURE(byte_of_request);
      CHECK(static_cast<uint32_t>(bytes[position]) == static_cast<uint32_t>(expected_.output[position]));
      return;
    }
    CAPTURE(position);
    FAIL_CHECK("a byte that no tile has was written");
  }

  static std::string described(uint32_t status) {
    return std::string(name_of(static_cast<GstdRefusal>(status & 255))) + " at word " + std::to_string(status >> 8);
  }

  const GstdBatch& batch_;
  bool by_value_;
  const GstdDecode& decode_;
  GstdExpected expected_;
  PrimitiveCall call_;
  GstdDecodeArgs args_;
};

/// Runs one call and checks it; what verdicts there were.
inline GstdVerdicts check_decoded(Backend& backend, const GstdBatch& batch, const GstdRunOptions& options = {}) {
  GstdCall call(backend, batch, options);
  const auto ran = run_timed(backend.gpu(), [&](VkCommandBuffer commands) { return call.record(commands); });
  if (!ran) FAIL(ran.error().message);
  return call.check();
}

}  // namespace weft::test
