// SPDX-License-Identifier: MIT OR Apache-2.0
#include "decode_malformed.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/parallel.hpp"
// The reference decoder's: the public interface decodes streams, whose checksums would refuse what is mutated.
#include "tile.hpp"

namespace weft::bench {
namespace {

using Random = std::mt19937_64;

constexpr uint64_t kBatchBytes = uint64_t{64} << 20;  // of content
constexpr uint32_t kGuardBytes = 48;                  // beside each output, at the least
constexpr std::byte kPoison{0xa5};

struct Mutant {
  std::vector<uint32_t> words;
  uint32_t bytes = 0;
};

// [0, end) of equal chance but for what a remainder does.
uint64_t below(Random& random, uint64_t end) { return random() % end; }

Mutant tile_of(const DecodeInput& input, size_t tile) {
  const GstdTile& from = input.tiles[tile];
  Mutant mutant{std::vector<uint32_t>(from.words), from.bytes};
  std::memcpy(mutant.words.data(), &input.stream[from.source], 4 * mutant.words.size());
  return mutant;
}

// Of words from `begin` to `end`, up to eight bits.
void turn_bits(Random& random, std::vector<uint32_t>& words, size_t end) {
  for (uint64_t left = 1 + below(random, 8); left > 0; --left)
    words[below(random, std::min(end, words.size()))] ^= 1u << below(random, 32);
}

// What follows a word becomes that of another tile, whose words it replaces.
void join(Random& random, std::vector<uint32_t>& words, const std::vector<uint32_t>& other) {
  for (size_t at = below(random, words.size()); at < std::min(words.size(), other.size()); ++at) words[at] = other[at];
}

Mutant mutate(Random& random, const DecodeInput& input, const std::vector<size_t>& tiles) {
  constexpr size_t kHeadWords = 24;  // headers and tables: most of what there is to check
  Mutant mutant = tile_of(input, tiles[below(random, tiles.size())]);
  std::vector<uint32_t>& words = mutant.words;
  switch (below(random, 8)) {
    case 0: break;
    case 1: turn_bits(random, words, words.size()); break;
    case 2:
    case 3: turn_bits(random, words, kHeadWords); break;
    case 4: words.resize(1 + below(random, words.size())); break;
    case 5: std::swap(words[below(random, words.size())], words[below(random, words.size())]); break;
    case 6: words[below(random, std::min(words.size(), kHeadWords))] = static_cast<uint32_t>(random()); break;
    default: join(random, words, tile_of(input, tiles[below(random, tiles.size())]).words); break;
  }
  return mutant;
}

// Tiles of up to `most_bytes` decoded at once. Outputs begin at odd bytes, with bytes
// between them that nothing may touch.
class Batch {
 public:
  Batch(uint32_t most_bytes, std::vector<Mutant> mutants) : mutants_(std::move(mutants)) {
    stride_ = uint64_t{most_bytes} + 2 * kGuardBytes;
    for (size_t i = 0; i < mutants_.size(); ++i) {
      GstdTile tile;
      tile.source = 4 * source_.size();
      tile.output = i * stride_ + kGuardBytes + i % 13;
      tile.words = static_cast<uint32_t>(mutants_[i].words.size());
      tile.bytes = tile.count = mutants_[i].bytes;
      table_.push_back(tile);
      source_.insert(source_.end(), mutants_[i].words.begin(), mutants_[i].words.end());
    }
  }

  Status decode(Gpu& gpu, const GstdDecode& decoder);
  void compare(MalformedReport& report) const;

 private:
  std::optional<std::string> difference(size_t tile, bool& refused) const;

  std::vector<Mutant> mutants_;
  uint64_t stride_ = 0;
  std::vector<uint32_t> source_;
  std::vector<GstdTile> table_;
  std::vector<uint32_t> status_;
  std::vector<std::byte> output_;
};

Status Batch::decode(Gpu& gpu, const GstdDecode& decoder) {
  status_.assign(1 + table_.size(), UINT32_MAX);  // no verdict is a mismatch
  status_[0] = 0;
  output_.assign(table_.size() * stride_, kPoison);
  const auto table = std::as_bytes(std::span(table_)), source = std::as_bytes(std::span(source_));
  const auto status = std::as_writable_bytes(std::span(status_));
  auto tiles = gpu.create_buffer(table.size());
  auto words = gpu.create_buffer(source.size());
  auto output = gpu.create_buffer(output_.size());
  auto verdicts = gpu.create_buffer(status.size());
  auto scratch = gpu.create_buffer(decoder.scratch_size(table_.size()));
  for (const auto* buffer : {&tiles, &words, &output, &verdicts, &scratch})
    if (!*buffer) return buffer->error();
  if (Status done = gpu.upload(tiles->range(), table); !done) return done;
  if (Status done = gpu.upload(words->range(), source); !done) return done;
  if (Status done = gpu.upload(output->range(), output_); !done) return done;
  if (Status done = gpu.upload(verdicts->range(), status); !done) return done;
  const GstdDecodeArgs args{tiles->range(0, table.size()),     table_.size(),
                            words->range(0, source.size()),    output->range(0, output_.size()),
                            verdicts->range(0, status.size()), scratch->range()};
  const auto ran = gpu.run([&](VkCommandBuffer commands) { return decoder.record(commands, args); });
  if (!ran) return ran.error();
  if (Status done = gpu.download(verdicts->range(), status); !done) return done;
  return gpu.download(output->range(), output_);
}

std::optional<std::string> Batch::difference(size_t tile, bool& refused) const {
  const Mutant& mutant = mutants_[tile];
  std::vector<std::byte> content(mutant.bytes);
  const gstd::TileVerdict verdict = gstd::decode_tile_reference(mutant.words, content);
  refused = !verdict;
  const uint32_t expected = static_cast<uint32_t>(verdict.reason) | verdict.word << 8;
  const uint32_t wanted = refused ? expected : 0, found = status_[1 + tile];
  if (found != wanted)
    return fmt::format("status {} at word {}, not {} at word {}", found & 0xff, found >> 8, wanted & 0xff, wanted >> 8);
  const auto room = std::span(output_).subspan(tile * stride_, stride_);
  const uint64_t begin = table_[tile].output - tile * stride_;
  const auto output = room.subspan(begin, mutant.bytes);
  const auto differs = std::mismatch(content.begin(), content.end(), output.begin());
  if (!refused && differs.first != content.end())
    return fmt::format("byte {} of {} differs", differs.first - content.begin(), content.size());
  const auto is_poison = [](std::byte byte) { return byte == kPoison; };
  const bool kept = std::ranges::all_of(room.first(begin), is_poison) &&
                    std::ranges::all_of(room.subspan(begin + mutant.bytes), is_poison);
  if (!kept) return std::string("bytes beside the output were written");
  return std::nullopt;
}

void Batch::compare(MalformedReport& report) const {
  std::vector<std::optional<std::string>> differences(table_.size());
  std::vector<uint8_t> refused(table_.size());
  for_each_block(table_.size(), [&](uint64_t tile) {
    bool is_refused = false;
    differences[tile] = difference(tile, is_refused);
    refused[tile] = is_refused;
  });
  for (size_t tile = 0; tile < table_.size(); ++tile) {
    if (differences[tile] && report.mismatches++ == 0)
      report.first_mismatch = fmt::format("mutated tile {}: {}", report.tiles, *differences[tile]);
    report.refused += refused[tile];
    ++report.tiles;
  }
  const auto count = static_cast<uint32_t>(std::count(refused.begin(), refused.end(), uint8_t{1}));
  if (status_[0] != count && report.mismatches++ == 0)
    report.first_mismatch = fmt::format("{} tiles are counted as refused, not {}", status_[0], count);
}

}  // namespace

Result<MalformedReport> run_malformed(Gpu& gpu, const DecodeInput& input, uint64_t count, uint64_t seed,
                                      uint32_t in_flight) {
  std::vector<size_t> tiles;
  uint32_t most_bytes = 0;
  for (size_t tile = 0; tile < input.tiles.size(); ++tile) {
    if (input.tiles[tile].kind != GstdTileKind::compressed) continue;
    tiles.push_back(tile);
    most_bytes = std::max(most_bytes, input.tiles[tile].bytes);
  }
  if (tiles.empty()) return Error{ErrorCode::invalid_argument, input.name + ": no tile of it is compressed"};
  GstdDecodeConfig config;
  config.tile_bytes = input.tile_bytes;
  config.verify = false;
  config.tiles_in_flight = in_flight;
  const auto decoder = GstdDecode::create(gpu.context(), config);
  if (!decoder) return decoder.error();

  Random random(seed);
  MalformedReport report;
  while (report.tiles < count) {
    const uint64_t left = count - report.tiles;
    std::vector<Mutant> mutants(std::min(left, std::max<uint64_t>(kBatchBytes / most_bytes, 1)));
    for (Mutant& mutant : mutants) mutant = mutate(random, input, tiles);
    Batch batch(most_bytes, std::move(mutants));
    if (const Status status = batch.decode(gpu, *decoder); !status) return status.error();
    batch.compare(report);
  }
  return report;
}

}  // namespace weft::bench
