// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GstdDecode against the decoder of the host that follows the document: every status and every byte, of tiles that
// encoders write, that no encoder writes, and that are none.
#include <weft/gstd_decode.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "decode/gstd_decode_calls.hpp"
#include "gstd/filters.hpp"
#include "gstd/sample_tiles.hpp"
#include "gstd/stream_maker.hpp"
#include "gstd_container/content.hpp"
#include "runtime/context_state.hpp"
#include "runtime/device_facts.hpp"
#include "support/draws.hpp"
#include "support/fuzz_subject.hpp"
#include "support/gstd_run.hpp"
#include "support/recorder.hpp"
#include "support/refusals.hpp"
#include "support/vulkan_shim.hpp"

namespace weft::test {
namespace {

constexpr GstdDecodeConfig kFourInFlight{.tile_bytes = gstd::kMinTileBytes, .tiles_in_flight = 4};

using gstd::test::Sample;
using gstd::test::samples_of;

/// lavapipe ends an invocation after 65,535 iterations of loops, which large tiles take.
bool is_lavapipe(const Backend& backend) { return backend.name().find("llvmpipe") != std::string::npos; }

/// How much of something: software devices take a part, and emulated ones a part of that.
uint32_t scaled(const Backend& backend, uint32_t hardware, uint32_t software, uint32_t emulated) {
  if (!backend.is_software()) return hardware;
  return backend.is_emulated() ? emulated : software;
}

/// Whether a tile of so many lanes is decoded within lavapipe's iterations: few lanes take many rounds, emulated ones
/// loop themselves.
bool is_short_enough(const Backend& backend, uint32_t bytes, uint32_t lanes) {
  return !is_lavapipe(backend) || bytes / lanes <= (backend.is_emulated() ? 3000u : 8000u);
}

/// The words of a tile; empty where they would not be smaller.
std::vector<uint32_t> encoded(std::span<const std::byte> tile, const gstd::TileEncoderConfig& config = {}) {
  gstd::TileEncoder encoder(config);
  std::vector<uint32_t> words;
  if (!encoder.encode(tile, words)) words.clear();
  return words;
}

/// The sample of a name.
std::vector<std::byte> sample(size_t size, std::string_view name) {
  for (Sample& one : samples_of(size))
    if (one.name == name) return std::move(one.bytes);
  FAIL("no such sample: ", std::string(name));
  return {};
}

std::vector<std::byte> compressed(std::span<const std::byte> content, const gstd::CompressConfig& config) {
  auto stream = gstd::compress(content, config);
  if (!stream) FAIL(stream.error().message);
  return std::move(*stream);
}

/// Content of all samples in turn, in pieces of `piece` bytes, so that a stream has raw, repeated and compressed tiles.
std::vector<std::byte> mixed_content(size_t size, size_t piece) {
  const std::vector<Sample> samples = samples_of(piece);
  std::vector<std::byte> content;
  for (size_t i = 0; content.size() < size; ++i) {
    const std::vector<std::byte>& bytes = samples[i % samples.size()].bytes;
    content.insert(content.end(), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(std::min(piece, size - content.size())));
  }
  return content;
}

/// Appends a stream and all of its tiles, `gap` bytes after the last output; what it holds.
std::vector<std::byte> add_stream(GstdBatch& batch, std::span<const std::byte> stream, uint64_t gap = 0) {
  const uint64_t at = batch.append(stream);
  const auto tiles = gstd_tiles(stream, at, batch.output_bytes + gap);
  if (!tiles) FAIL(tiles.error().message);
  auto content = gstd::decompress(stream);
  if (!content) FAIL(content.error().message);
  uint64_t bytes = 0;
  for (const GstdTile& tile : *tiles) bytes += tile.count;
  REQUIRE(bytes == content->size());
  batch.tiles.insert(batch.tiles.end(), tiles->begin(), tiles->end());
  batch.output_bytes += gap + bytes;
  return std::move(*content);
}

uint32_t tiles_of_kind(const GstdBatch& batch, GstdTileKind kind) {
  return static_cast<uint32_t>(std::ranges::count(batch.tiles, kind, &GstdTile::kind));
}

/// Two small tiles that between them have tables of every kind, sequences, literals and more than one context.
struct Small {
  uint32_t bytes;
  std::vector<uint32_t> words;
};
std::vector<Small> small_tiles() {
  std::vector<Small> tiles;
  const auto add = [&](uint32_t bytes, const char* name, int level) {
    gstd::TileEncoderConfig config;
    config.level = level;
    std::vector<uint32_t> words = encoded(sample(bytes, name), config);
    REQUIRE(!words.empty());
    REQUIRE(words.size() < 400);
    tiles.push_back({bytes, std::move(words)});
  };
  add(600, "text", 12);
  add(601, "vertices", 3);
  return tiles;
}

/// Compressed tiles of all samples of so many bytes.
std::vector<std::vector<uint32_t>> tiles_of_samples(uint32_t bytes) {
  std::vector<std::vector<uint32_t>> tiles;
  for (const int level : {1, 12})
    for (const Sample& one : samples_of(bytes)) {
      gstd::TileEncoderConfig config;
      config.level = level;
      if (std::vector<uint32_t> words = encoded(one.bytes, config); !words.empty()) tiles.push_back(std::move(words));
      // The same with rows, of a filter of each kind in turn.
      constexpr std::array<std::pair<int, uint32_t>, 5> kFilters = {{{0, 1}, {3, 3}, {4, 8}, {1, 6}, {5, 2}}};
      std::tie(config.forced_filter, config.forced_stride) = kFilters[tiles.size() % kFilters.size()];
      config.forced_row_words = 1 + static_cast<uint32_t>(tiles.size()) * 7 % (bytes / 8);
      if (std::vector<uint32_t> words = encoded(one.bytes, config); !words.empty()) tiles.push_back(std::move(words));
    }
  return tiles;
}

/// Adds the tiles [first, first + count) of a series: one of `tiles`, of `bytes` bytes each, with bits or words that
/// are others, or with another's end.
void add_broken(GstdBatch& batch, const std::vector<std::vector<uint32_t>>& tiles, uint32_t bytes, uint64_t seed,
                uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; ++i) {
    Draws draws(seed, i);
    std::vector<uint32_t> words = tiles[draws.below(tiles.size())];
    const auto bit_of = [&](size_t most) { words[draws.below(std::min(most, words.size()))] ^= 1u << draws.below(32); };
    switch (draws.below(6)) {
      case 0: bit_of(words.size()); break;
      case 1:
        for (uint32_t bits = 0; bits < 5; ++bits) bit_of(words.size());
        break;
      case 2: bit_of(12); break;
      case 3:
        for (size_t word = draws.below(words.size()); word < words.size(); ++word)
          words[word] = static_cast<uint32_t>(draws.word());
        break;
      case 4: std::swap(words[draws.below(words.size())], words[draws.below(words.size())]); break;
      default: {
        // The end of another tile.
        const std::vector<uint32_t>& other = tiles[draws.below(tiles.size())];
        words.resize(1 + draws.below(words.size()));
        words.insert(words.end(), other.begin() + static_cast<std::ptrdiff_t>(draws.below(other.size())), other.end());
        words.resize(std::min<size_t>(words.size(), bytes / 4));
      }
    }
    batch.add(words, draws.one_in(8) ? 1 + static_cast<uint32_t>(draws.below(2 * bytes)) : bytes, i % 4);
  }
}

/// What GstdDecode's second dispatch takes of a queue; the third has the rest. Software devices run dispatches one
/// after another, so that by itself it takes everything.
enum class Takes { everything, nothing, half, before_decoding };

/// The first device, which passes for one of a vendor and a type.
class Disguised {
 public:
  Disguised(uint32_t vendor, VkPhysicalDeviceType type) {
    WEFT_REPLACE(shim_, vkGetPhysicalDeviceProperties,
                 [=](auto real, VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
                   real(device, properties);
                   properties->vendorID = vendor;
                   properties->deviceType = type;
                 });
    WEFT_REPLACE(shim_, vkCmdBeginDebugUtilsLabelEXT, [this](auto real, VkCommandBuffer commands, auto* label) {
      kernels_.emplace_back(label->pLabelName);
      real(commands, label);
    });
    WEFT_REPLACE(shim_, vkCmdBindPipeline,
                 [this](auto real, VkCommandBuffer commands, auto point, VkPipeline pipeline) {
                   bind_ = [=] { real(commands, point, pipeline); };
                   bind_();
                 });
    WEFT_REPLACE(shim_, vkCmdDispatch, [this](auto real, VkCommandBuffer commands, auto x, auto y, auto z) {
      const Takes takes = std::exchange(takes_, Takes::everything);
      if (!second_dispatches_.empty() && kernels_.back().starts_with("weft GstdDecode: gstd_decode")) {
        takes_ = second_dispatches_.front();
        second_dispatches_.pop_front();
        decode_ = [=, bind = bind_] {
          bind();
          real(commands, x, y, z);
        };
        if (takes_ == Takes::before_decoding) return;
      } else {
        real(commands, takes == Takes::nothing ? 0 : takes == Takes::half ? x / 2 : x, y, z);
      }
      if (decode_) std::exchange(decode_, nullptr)();
    });
    GpuConfig config;
    config.get_instance_proc_addr = shim_.get_instance_proc_addr();
    config.on_message = messages_.sink();
    config.subgroup_backend = first_backend().gpu().context().subgroup_backend();
    auto gpu = Gpu::open(config);
    if (!gpu) FAIL(gpu.error().message);
    backend_.emplace(*std::move(gpu));
  }
  ~Disguised() { CHECK(messages_.all().empty()); }
  Disguised(const Disguised&) = delete;
  Disguised& operator=(const Disguised&) = delete;

  Backend& backend() { return *backend_; }
  const std::vector<std::string>& kernels() const { return kernels_; }  ///< of recorded dispatches, by their labels
  /// For the batches that are recorded next, one each; for later ones, everything.
  void second_dispatches(std::initializer_list<Takes> of_batches) { second_dispatches_ = of_batches; }

 private:
  VulkanShim shim_;
  std::vector<std::string> kernels_;
  std::deque<Takes> second_dispatches_;
  Takes takes_ = Takes::everything;      // what the next dispatch does
  std::function<void()> bind_, decode_;  // bind the last pipeline; record a dispatch that was held back
  Messages messages_;
  std::optional<Backend> backend_;
};

// Subjects of the self-test: streams with every choice by chance, or tiles of samples, broken.
void check_drawn_streams(Backend& backend, const GstdDecodeConfig& config, Draws& draw) {
  GstdBatch batch;
  std::map<std::string, int> reached;
  const uint64_t wanted = draw.at_most(1 + draw.below(40)), seed = draw.word();
  for (uint64_t i = 0; batch.tiles.size() < wanted && i < 20 * wanted; ++i) {
    gstd::test::StreamMaker maker(random_word(seed, i), reached);
    maker.make();
    const auto size = static_cast<uint32_t>(maker.output.size());
    if (maker.words.empty() || size > config.tile_bytes || maker.words.size() >= (size + 3) / 4) continue;
    if (is_short_enough(backend, size, 1u << (maker.words[0] & 7))) batch.add(maker.words, size, i % 4);
  }
  check_decoded(backend, batch, {.tile_bytes = config.tile_bytes, .dirt = draw.dirt()});
}

void check_mutated_tiles(Backend& backend, const GstdDecodeConfig& config, Draws& draw) {
  const uint32_t bytes = draw.pick({203u, 1000u, 3001u});
  GstdBatch batch;
  const auto tiles = static_cast<uint32_t>(draw.at_most(1 + draw.below(200)));
  add_broken(batch, tiles_of_samples(bytes), bytes, draw.word(), 0, tiles);
  check_decoded(backend, batch, {.tile_bytes = config.tile_bytes, .dirt = draw.dirt()});
}

const FuzzSubjects fuzzed("gstd_decode", [] {
  const GstdDecodeConfig config{gstd::kMinTileBytes, true, 256};
  return std::vector<FuzzSubject>{{config, "", check_drawn_streams},
                                  {config, "", check_mutated_tiles, "mutated tiles"}};
});

}  // namespace

TEST_SUITE("gstd_decode") {
  TEST_CASE("every filter gives the bytes of the host, at every byte of a word and of any part of a tile") {
    // Of each filter the strides that have a code of their own, the edges, and one that divides nothing.
    constexpr std::array<uint32_t, 10> kStrides = {1, 2, 3, 4, 6, 8, 13, 44, 64, 128};
    constexpr std::array<const char*, 4> kNames = {"vertices", "pixels", "few values", "sound"};
    GstdBatch batch;
    Draws draws(14, 0);
    std::array<uint32_t, static_cast<size_t>(gstd::Filter::count)> tiles_of{};
    const std::array<uint32_t, 3> sizes = {1021, 4099, 9002};
    for (uint32_t filter = 0; filter < tiles_of.size(); ++filter)
      for (const uint32_t stride : kStrides) {
        if (!gstd::is_filter(filter, stride)) continue;
        // Blocks of textures have no stride to vary.
        const uint32_t variants = filter >= static_cast<uint32_t>(gstd::Filter::bc1) ? 4 : 1;
        for (uint32_t variant = 0; variant < kNames.size() * variants; ++variant) {
          const uint32_t size = sizes[(filter + stride + variant) % sizes.size()] + (stride + variant / 4) % 4;
          gstd::TileEncoderConfig config;
          config.forced_filter = static_cast<int>(filter);
          config.forced_stride = stride;
          const std::vector<std::byte> content = sample(size, kNames[variant % kNames.size()]);
          const std::vector<uint32_t> words = encoded(content, config);
          if (words.empty()) continue;
          CHECK((words[0] >> 4 & 15) == filter);
          const uint64_t at = 4 * batch.source.size();
          // Outputs begin at each byte of a word in turn; up to 3 bytes of nobody's are in between.
          const uint32_t turn = tiles_of[filter]++;
          const auto gap_to = [&](uint32_t byte) { return (byte - batch.output_bytes) & 3; };
          GstdTile whole = batch.add(words, size, gap_to(turn));
          whole.has_checksum = 1;
          whole.checksum = gstd::checksum(content);
          batch.tiles.back() = whole;
          // A part, with the sum of the whole.
          GstdTile part = whole;
          part.first = static_cast<uint32_t>(draws.below(size));
          part.count = static_cast<uint32_t>(draws.below(std::min(size - part.first, 700u) + 1));
          part.output = batch.output_bytes + gap_to(turn / 4 + 1);
          part.source = at;
          batch.output_bytes = part.output + part.count;
          batch.tiles.push_back(part);
        }
      }
    for (const uint32_t tiles : tiles_of) CHECK(tiles >= 4);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdRunOptions options;
      for (const uint32_t misalignment : {0u, 3u}) {
        options.output_misalignment = misalignment;
        options.dirt = misalignment == 0 ? 0xdb : 0;
        const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
        CHECK(verdicts == GstdVerdicts{{GstdRefusal::none, static_cast<uint32_t>(batch.tiles.size())}});
        if (backend->is_emulated() && backend->is_software()) break;
      }
    }
  }

  TEST_CASE("rows of every filter and of any length give the bytes of the host, and any part of them [widths]") {
    // Strides of elements that are narrow, of whole words and neither; rows of fewer words than lanes, and of more.
    constexpr std::array<uint32_t, 7> kStrides = {1, 2, 3, 4, 6, 8, 44};
    constexpr std::array<uint32_t, 10> kRows = {1, 3, 64, 85, 128, 200, 255, 256, 257, 1030};
    constexpr std::array<uint32_t, 5> kSizes = {1021, 4100, 9003, 20'482, 41'001};
    constexpr std::array<const char*, 4> kNames = {"vertices", "pixels", "few values", "sound"};
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch batch;
      Draws draws(15, 0);
      std::array<uint32_t, 8> tiles_of{};
      uint32_t turn = 0;
      const auto add = [&](uint32_t filter, uint32_t stride, uint32_t row_words, uint32_t size, const char* name) {
        gstd::TileEncoderConfig config;
        config.level = 1;
        config.forced_filter = static_cast<int>(filter);
        config.forced_stride = stride;
        config.forced_row_words = row_words;
        const std::vector<std::byte> content = sample(size, name);
        const std::vector<uint32_t> words = encoded(content, config);
        if (words.empty()) return;
        CHECK(words[1] == row_words);
        ++tiles_of.at(filter);
        // Outputs begin at each byte of a word in turn, most at its first.
        const auto gap_to = [&](uint32_t byte) { return (byte - batch.output_bytes) & 3; };
        const uint64_t at = 4 * batch.source.size();
        GstdTile& whole = batch.add(words, size, gap_to(turn % 5 == 0 ? turn / 5 : 0));
        whole.has_checksum = 1;
        whole.checksum = gstd::checksum(content);
        if (++turn % 3 != 0) return;
        GstdTile part = whole;
        part.first = static_cast<uint32_t>(draws.below(size));
        part.count = static_cast<uint32_t>(draws.below(std::min(size - part.first, 700u) + 1));
        part.output = batch.output_bytes + turn % 2;
        part.source = at;
        batch.output_bytes = part.output + part.count;
        batch.tiles.push_back(part);
      };
      // Of software a part, which has every filter and every length.
      const uint32_t step = scaled(*backend, 1, 3, 11);
      uint32_t number = 0;
      for (uint32_t filter = 0; filter < tiles_of.size(); ++filter)
        for (const uint32_t stride : kStrides)
          for (const uint32_t row_words : kRows) {
            if (!gstd::is_filter(filter, stride, true) || ++number % step != 0) continue;
            const uint32_t size = kSizes[number / step % kSizes.size()] + number / 7 % 4;
            add(filter, stride, std::min(row_words, (size - 1) / 4), size, kNames[number / 5 % kNames.size()]);
          }
      // The longest rows: all but the last bytes.
      for (uint32_t size = 4093; size < 4097; ++size)
        add(size % 4, size % 4 == 0 ? 1 : 3, (size - 1) / 4, size, "sound");
      add(4, 8, 2500, 65'535, "vertices");
      add(7, 3, 768, 65'534, "pixels");
      CHECK(std::ranges::min(tiles_of) >= 1);
      GstdRunOptions options;
      options.tile_bytes = 1u << 16;
      const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
      CHECK(verdicts == GstdVerdicts{{GstdRefusal::none, static_cast<uint32_t>(batch.tiles.size())}});
    }
  }

  TEST_CASE(
      "rows and short headers that a tile may not have are a bad header, at the word where the host has it [widths]") {
    // The first word, the second, their number, bytes of the tile.
    struct Header {
      uint32_t first, second, words, bytes;
      GstdRefusal verdict;
      uint32_t position;
    };
    constexpr uint32_t kRows = 1u << 25, kShort = 1u << 26;
    constexpr std::array<Header, 14> kHeaders = {{
        {kRows, 0, 3, 100, GstdRefusal::bad_header, 2},
        {kRows, 25, 3, 100, GstdRefusal::bad_header, 2},
        {kRows, 24, 2, 100, GstdRefusal::truncated, 2},
        {kRows, 25, 2, 101, GstdRefusal::truncated, 2},
        {kRows, 26, 3, 101, GstdRefusal::bad_header, 2},
        {kRows, 0x40000001, 3, 100, GstdRefusal::bad_header, 2},
        {kRows, ~0u, 3, 100, GstdRefusal::bad_header, 2},
        {kRows, 1, 1, 100, GstdRefusal::truncated, 1},
        {kRows | 8u << 4, 1, 3, 100, GstdRefusal::bad_header, 1},
        {kRows | 13u << 4, 0, 1, 100, GstdRefusal::bad_header, 1},
        {kShort | 1u << 15, 0, 3, 100, GstdRefusal::bad_header, 1},
        {kShort, 0, 2, 100, GstdRefusal::truncated, 2},
        {kShort, 0, 3, 100, GstdRefusal::truncated, 3},
        {1u << 31, 1, 3, 100, GstdRefusal::bad_header, 1},
    }};
    GstdBatch batch;
    GstdVerdicts verdicts;
    for (const Header& header : kHeaders) {
      const std::array<uint32_t, 3> words = {header.first, header.second, 0};
      batch.add(std::span(words).first(header.words), header.bytes);
      ++verdicts[header.verdict];
    }
    const GstdExpected expected = expected_of(batch, batch.tiles.size(), {});
    for (size_t i = 0; i < kHeaders.size(); ++i) {
      CAPTURE(i);
      CHECK(expected.status[i] == (static_cast<uint32_t>(kHeaders[i].verdict) | kHeaders[i].position << 8));
    }
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      CHECK(check_decoded(*backend, batch) == verdicts);
    }
  }

  TEST_CASE("streams of tiles of 16 to 64 KiB with raw, repeated and compressed tiles come back [widths]") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      for (const uint32_t tile_bytes : {1u << 14, 1u << 15, 1u << 16}) {
        CAPTURE(tile_bytes);
        if (backend->is_software() && backend->is_emulated() && tile_bytes == 1u << 15) continue;
        // A sample to a tile, so that one is random and one repeats; the last tile is odd.
        const std::vector<std::byte> content = mixed_content(10 * size_t{tile_bytes} + 12'345, tile_bytes);
        GstdBatch batch;
        gstd::CompressConfig config;
        config.tile_bytes = tile_bytes;
        config.level = tile_bytes == 1u << 14 ? 12 : 3;
        CHECK(add_stream(batch, compressed(content, config), 1) == content);
        for (const GstdTileKind kind : {GstdTileKind::raw, GstdTileKind::fill, GstdTileKind::compressed})
          CHECK(tiles_of_kind(batch, kind) > 0);
        const auto has_filter = [&](const GstdTile& tile) {
          return tile.kind == GstdTileKind::compressed && (batch.source[tile.source / 4] >> 4 & 15) != 0;
        };
        CHECK(std::ranges::any_of(batch.tiles, has_filter));
        GstdRunOptions options;
        options.tile_bytes = tile_bytes;
        const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
        CHECK(verdicts == GstdVerdicts{{GstdRefusal::none, static_cast<uint32_t>(batch.tiles.size())}});
      }
    }
  }

  TEST_CASE("tiles of 128 KiB to 1 MiB come back") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      if (is_lavapipe(*backend)) continue;
      for (const uint32_t tile_bytes : {1u << 17, 1u << 18, 1u << 19, 1u << 20}) {
        CAPTURE(tile_bytes);
        // SwiftShader: the largest alone, of few sequences.
        if (backend->is_software() && (tile_bytes != 1u << 20 || backend->is_emulated())) continue;
        const std::vector<std::byte> content = backend->is_software()
                                                   ? sample(tile_bytes - 3, "period of 7")
                                                   : mixed_content(11 * size_t{tile_bytes} - 3, tile_bytes);
        GstdBatch batch;
        gstd::CompressConfig config;
        config.tile_bytes = tile_bytes;
        CHECK(add_stream(batch, compressed(content, config), 3) == content);
        CHECK(tiles_of_kind(batch, GstdTileKind::compressed) > 0);
        GstdRunOptions options;
        options.tile_bytes = tile_bytes;
        options.tiles_in_flight = 8;
        const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
        CHECK(verdicts == GstdVerdicts{{GstdRefusal::none, static_cast<uint32_t>(batch.tiles.size())}});
      }
    }
  }

  TEST_CASE("a count on the device is obeyed, however many tiles are in flight, and no tiles are nothing") {
    GstdBatch batch;
    const std::vector<Small> small = small_tiles();
    for (uint32_t i = 0; i < 45; ++i) batch.add(small[i % 2].words, small[i % 2].bytes, i % 3);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      uint32_t bytes_of_count = 4;
      for (const uint32_t in_flight : {1u, 7u, 45u, 64u})
        for (const uint64_t count : {0ull, 1ull, 14ull, 44ull, 45ull, 46ull, 1ull << 31}) {
          if (in_flight == 1 && count != 14) continue;
          CAPTURE(in_flight);
          CAPTURE(count);
          GstdRunOptions options;
          options.tiles_in_flight = in_flight;
          options.device_count = DeviceCount{count, bytes_of_count};
          bytes_of_count = 12 - bytes_of_count;
          options.tiles_misalignment = 0;
          options.status_misalignment = 12;
          const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
          const auto obeyed = static_cast<uint32_t>(std::min<uint64_t>(count, 45));
          CHECK(verdicts == (obeyed == 0 ? GstdVerdicts{} : GstdVerdicts{{GstdRefusal::none, obeyed}}));
        }
      GstdRunOptions above;
      above.device_count = DeviceCount{(uint64_t{1} << 32) + 3, 8};
      CHECK(check_decoded(*backend, batch, above) == GstdVerdicts{{GstdRefusal::none, 45}});
      CHECK(check_decoded(*backend, GstdBatch{}).empty());
    }
  }

  TEST_CASE(
      "two streams at sources of their own, and ranges of them that begin and end within tiles, come in one call") {
    constexpr uint32_t kTile = 1u << 14;
    GstdBatch batch;
    gstd::CompressConfig config;
    config.tile_bytes = kTile;
    const std::vector<std::byte> one = mixed_content(4 * kTile + 77, 9000), other = mixed_content(3 * kTile - 1, 5001);
    const std::vector<std::byte> first = compressed(one, config);
    config.tile_checksums = false;
    const std::vector<std::byte> second = compressed(other, config);
    CHECK(add_stream(batch, first) == one);
    batch.source.resize(batch.source.size() + 5, 0xffffffffu);
    CHECK(add_stream(batch, second, 2) == other);
    Draws draws(20, 1);
    const auto add_range = [&](std::span<const std::byte> stream, uint64_t content, uint64_t begin, uint64_t count) {
      REQUIRE(begin + count <= content);
      const auto tiles = gstd_tiles_of_range(stream, batch.append(stream), begin, count, batch.output_bytes);
      if (!tiles) FAIL(tiles.error().message);
      uint64_t bytes = 0;
      for (const GstdTile& tile : *tiles) bytes += tile.count;
      CHECK(bytes == count);
      batch.tiles.insert(batch.tiles.end(), tiles->begin(), tiles->end());
      batch.output_bytes += count;
      // What the tiles are to give is a part of the content: see below.
      return std::pair(batch.output_bytes - count, begin);
    };
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    std::vector<uint64_t> counts;
    for (uint32_t i = 0; i < 12; ++i) {
      const uint64_t begin = draws.below(one.size()),
                     count = i == 0 ? 0 : 1 + draws.below(std::min<uint64_t>(one.size() - begin, 40'000));
      ranges.push_back(add_range(first, one.size(), begin, count));
      counts.push_back(count);
    }
    ranges.push_back(add_range(first, one.size(), kTile, kTile));
    counts.push_back(kTile);
    // The table says what the host's range does.
    const GstdExpected expected = expected_of(batch, batch.tiles.size(), {});
    for (size_t i = 0; i < ranges.size(); ++i) {
      std::vector<std::byte> bytes(counts[i]);
      REQUIRE(gstd::decompress_range(first, ranges[i].second, bytes).ok());
      CHECK(std::equal(bytes.begin(), bytes.end(),
                       expected.output.begin() + static_cast<std::ptrdiff_t>(ranges[i].first)));
    }
    CHECK_FALSE(gstd_tiles_of_range(first, 0, one.size(), 1, 0));
    CHECK_FALSE(gstd_tiles_of_range(first, 0, UINT64_MAX, 2, 0));
    CHECK_FALSE(gstd_tiles(first, 2, 0));
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdRunOptions options;
      options.output_misalignment = 1;
      options.tiles_in_flight = 5;
      for (const bool by_value : {false, true}) {
        options.by_value = by_value;
        const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
        CHECK(verdicts == GstdVerdicts{{GstdRefusal::none, static_cast<uint32_t>(batch.tiles.size())}});
      }
    }
  }

  TEST_CASE("tiles of most words come first, and equal ones stay in order") {
    std::vector<GstdTile> tiles(200);
    for (uint32_t i = 0; i < tiles.size(); ++i) {
      tiles[i].words = i * 7 % 20;
      tiles[i].output = i;
    }
    std::vector<GstdTile> sorted = tiles;
    gstd_largest_first(sorted);
    REQUIRE(sorted.size() == tiles.size());
    for (size_t i = 1; i < sorted.size(); ++i) {
      CHECK(sorted[i - 1].words >= sorted[i].words);
      if (sorted[i - 1].words == sorted[i].words) CHECK(sorted[i - 1].output < sorted[i].output);
    }
    for (const GstdTile& tile : sorted) CHECK(tiles[tile.output].words == tile.words);
    gstd_largest_first({});
  }

  TEST_CASE("thousands of small files come back in one call") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      const uint32_t files = scaled(*backend, 5000, 500, 100);
      GstdBatch batch;
      Draws draws(3000, 1);
      const std::vector<Sample> samples = samples_of(4096);
      gstd::CompressConfig config;
      config.level = 1;
      for (uint32_t i = 0; i < files; ++i) {
        const std::vector<std::byte>& bytes = samples[draws.below(samples.size())].bytes;
        const size_t size = draws.of_any_magnitude(bytes.size() - 1), at = draws.below(bytes.size() - size);
        config.tile_checksums = !draws.one_in(3);
        add_stream(batch, compressed(std::span(bytes).subspan(at, size), config), draws.below(3));
      }
      CHECK(batch.tiles.size() == files);
      gstd_largest_first(batch.tiles);
      GstdRunOptions options;
      options.tile_bytes = gstd::kDefaultTileBytes;
      const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
      CHECK(verdicts == GstdVerdicts{{GstdRefusal::none, files}});
    }
  }

  TEST_CASE("a table by value gives what a table in a buffer does, however many tiles it has") {
    const std::vector<Small> small = small_tiles();
    const std::array<uint32_t, 8> repeated = {1, 2, 3, 4, 5, 6, 7, 8};
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      // An update takes 65,536 bytes, which are 1,638 entries and the better part of another.
      const auto counts =
          backend->is_software() && backend->is_emulated()
              ? std::vector<uint32_t>{0, 1, 1639}
              : std::vector<uint32_t>{0, 1, 2, 1638, 1639, 3276, 3277, scaled(*backend, 65'536, 5000, 0)};
      for (const uint32_t tiles : counts) {
        CAPTURE(tiles);
        GstdBatch batch;
        uint32_t decoded = 0, refused = 0;
        // Most are short, so that the table is what takes long; some are bad, and none is like the one before it.
        for (uint32_t i = 0; i < tiles; ++i) {
          if (i % 101 == 0) {
            batch.add(small[i % 2].words, small[i % 2].bytes, i % 3);
          } else {
            GstdTile& tile = batch.add(std::span(repeated).subspan(i % 8, 1), 5 + i % 7, i % 2, GstdTileKind::fill);
            if (i % 1638 == 1637) tile.words = 2 + i;
          }
          const bool is_bad = i % 1638 == 1637 && i % 101 != 0;
          ++(is_bad ? refused : decoded);
        }
        GstdVerdicts wanted;
        if (decoded != 0) wanted[GstdRefusal::none] = decoded;
        if (refused != 0) wanted[GstdRefusal::bad_entry] = refused;
        GstdRunOptions options;
        options.tiles_in_flight = 1024;
        options.by_value = true;
        CHECK(check_decoded(*backend, batch, options) == wanted);
        if (tiles == 1639) {
          options.by_value = false;
          CHECK(check_decoded(*backend, batch, options) == wanted);
        }
      }
    }
  }

  TEST_CASE(
      "calls by value follow each other on one scratch, and a command buffer's table is there each time it runs") {
    const std::vector<Small> small = small_tiles();
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      Gpu& gpu = backend->gpu();
      GstdDecodeConfig config;
      config.tile_bytes = gstd::kMinTileBytes;
      config.tiles_in_flight = 1024;
      const GstdDecode& decode = create<GstdDecode>(*backend, config);
      // Two tables of different lengths, so that scratch of tiles lies where the other call has its table.
      constexpr std::array<uint32_t, 2> kTiles = {300, 7};
      std::array<GstdBatch, 2> batches;
      std::array<std::optional<GuardedBuffer>, 2> sources, outputs, statuses;
      const uint32_t none = 0;
      for (size_t b = 0; b < 2; ++b) {
        for (uint32_t i = 0; i < kTiles[b]; ++i)
          batches[b].add(small[(i + b) % 2].words, small[(i + b) % 2].bytes, i % 3);
        sources[b].emplace(gpu, batches[b].source.size() * 4, 4, std::as_bytes(std::span(batches[b].source)));
        outputs[b].emplace(gpu, batches[b].output_bytes, 1, std::span<const std::byte>(), uint8_t{0xdb});
        statuses[b].emplace(gpu, 4 * (1 + kTiles[b]), 4, std::as_bytes(std::span(&none, 1)), uint8_t{0xdb});
      }
      GuardedBuffer scratch(gpu, decode.scratch_size_by_value(kTiles[0]), 0, {}, 0xdb);
      const auto record = [&](VkCommandBuffer commands) -> Status {
        for (const size_t b : {0, 1, 0, 1}) {
          GstdDecodeArgs args;
          args.source = sources[b]->range();
          args.output = outputs[b]->range();
          args.status = statuses[b]->range();
          args.scratch = scratch.range();
          if (const Status status = decode.record(commands, batches[b].tiles, args); !status) return status;
          // As the library's rule has it: what comes next waits as a shader.
          const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                       VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
          device_function<PFN_vkCmdPipelineBarrier>(gpu, "vkCmdPipelineBarrier")(
              commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &memory, 0,
              nullptr, 0, nullptr);
        }
        return {};
      };
      const auto ran = gpu.run(record);
      if (!ran) FAIL(ran.error().message);
      CHECK(scratch.overwritten() == "");
      for (size_t b = 0; b < 2; ++b) {
        GstdRunOptions options;
        const GstdExpected expected = expected_of(batches[b], kTiles[b], options);
        std::vector<std::byte> bytes;
        CHECK(outputs[b]->read(bytes) == "");
        CHECK(bytes == expected.output);
        CHECK(statuses[b]->read(bytes) == "");
        CHECK(std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; }));
      }
    }
  }

  TEST_CASE("a checksum that is not the content's has its verdict, where it is there") {
    GstdBatch batch;
    const std::vector<std::byte> noise = sample(1503, "random"), text = sample(2501, "text"),
                                 planar = sample(3002, "vertices");
    for (uint32_t turn = 0; turn < 3; ++turn) {
      const auto add = [&](std::span<const std::byte> content, std::span<const uint32_t> words, GstdTileKind kind) {
        REQUIRE(!words.empty());
        GstdTile& tile = batch.add(words, static_cast<uint32_t>(content.size()), turn, kind);
        // Right, of one bit too many, and not there.
        tile.checksum = gstd::checksum(content) ^ (turn == 0 ? 0u : 1u << (7 * batch.tiles.size() % 32));
        tile.has_checksum = turn == 2 ? 0 : 1;
      };
      std::vector<uint32_t> raw((noise.size() + 3) / 4);
      std::memcpy(raw.data(), noise.data(), noise.size());
      add(noise, raw, GstdTileKind::raw);
      const std::array<uint32_t, 1> word = {0x04030201};
      std::vector<std::byte> fill(999);
      for (size_t i = 0; i < fill.size(); ++i) fill[i] = static_cast<std::byte>(1 + i % 4);
      add(fill, word, GstdTileKind::fill);
      gstd::TileEncoderConfig config;
      config.filters = false;
      add(text, encoded(text, config), GstdTileKind::compressed);
      config.forced_filter = static_cast<int>(gstd::Filter::delta_planes);
      config.forced_stride = 8;
      add(planar, encoded(planar, config), GstdTileKind::compressed);
      // Of a part, the sum is the whole's.
      GstdTile part = batch.tiles.back();
      part.first = 100;
      part.count = 33;
      part.output = batch.output_bytes;
      batch.output_bytes += part.count;
      batch.tiles.push_back(part);
      // The bytes after a stored tile's last one are zeros.
      raw.back() |= 0x80000000u;
      add(noise, raw, GstdTileKind::raw);
    }
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      CHECK(check_decoded(*backend, batch) ==
            GstdVerdicts{{GstdRefusal::none, 10}, {GstdRefusal::bad_padding, 3}, {GstdRefusal::checksum, 5}});
      // Other pipelines, which take long to build on software.
      if (backend->is_software() && (backend->is_emulated() || !takes_turn(1))) continue;
      GstdRunOptions options;
      options.verify = false;
      CHECK(check_decoded(*backend, batch, options) ==
            GstdVerdicts{{GstdRefusal::none, 15}, {GstdRefusal::bad_padding, 3}});
    }
  }

  TEST_CASE("tiles that are exchanged in a stream, with their checksums, have a checksum's verdict") {
    gstd::CompressConfig config;
    config.tile_bytes = gstd::kMinTileBytes;
    // All but the last tile are stored.
    std::vector<std::byte> stream = compressed(sample(4 * gstd::kMinTileBytes + 100, "random"), config);
    exchange_tiles(stream, 1, 3);
    GstdBatch batch;
    const auto tiles = gstd_tiles(stream, batch.append(stream), 0);
    REQUIRE(tiles);
    batch.tiles = *tiles;
    batch.output_bytes = 5 * uint64_t{gstd::kMinTileBytes};
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      CHECK(check_decoded(*backend, batch) == GstdVerdicts{{GstdRefusal::none, 3}, {GstdRefusal::checksum, 2}});
    }
  }

  TEST_CASE("bad entries of the table have their verdict, and nothing is written for them") {
    GstdBatch batch;
    const std::vector<Small> small = small_tiles();
    constexpr uint32_t kTile = gstd::kMinTileBytes;
    const std::vector<uint32_t> raw(kTile / 4 + 1);
    // A large tile of which everything fits, so that no range ends where the entries' own bytes do.
    const GstdTile last = batch.add(std::span(raw).first(kTile / 4), kTile, 0, GstdTileKind::raw);
    const GstdTile sound = batch.add(small[0].words, small[0].bytes, 5);
    const GstdTile stored = batch.add(std::span(raw).first(16), 64, 3, GstdTileKind::raw);
    const GstdTile filled = batch.add(std::span(raw).first(1), 100, 3, GstdTileKind::fill);
    batch.output_bytes += 1000;
    const uint64_t source_bytes = 4 * batch.source.size(), output_bytes = batch.output_bytes;
    std::vector<GstdTile> bad;
    const auto spoil = [&](const GstdTile& from, const auto& change) {
      bad.push_back(from);
      change(bad.back());
    };
    for (const GstdTile& tile : {sound, stored, filled}) {
      const uint64_t words_bytes = 4 * uint64_t{tile.words};
      for (const uint64_t source : {source_bytes - words_bytes + 4, source_bytes, source_bytes + 4, uint64_t{1} << 32,
                                    (uint64_t{1} << 32) + tile.source, uint64_t{1} << 63, ~uint64_t{3},
                                    uint64_t{0} - words_bytes, tile.source + 1, tile.source + 2, tile.source + 3})
        spoil(tile, [&](GstdTile& entry) { entry.source = source; });
      for (const uint64_t output : {output_bytes - tile.count + 1, output_bytes, output_bytes + 1, uint64_t{1} << 32,
                                    (uint64_t{1} << 32) + tile.output, uint64_t{1} << 63, ~uint64_t{0},
                                    uint64_t{0} - tile.count, uint64_t{0} - tile.count + 1})
        spoil(tile, [&](GstdTile& entry) { entry.output = output; });
      for (const uint32_t words : {0u, (tile.bytes + 3) / 4 + 1, 1u << 30, 1u << 31, ~0u})
        spoil(tile, [&](GstdTile& entry) { entry.words = words; });
      for (const uint32_t bytes : {0u, kTile + 1, 1u << 20, 1u << 31, ~0u, ~0u - 2})
        spoil(tile, [&](GstdTile& entry) { entry.bytes = bytes; });
      for (const uint16_t kind : {uint16_t{3}, uint16_t{4}, uint16_t{256}, uint16_t{0xffff}})
        spoil(tile, [&](GstdTile& entry) { entry.kind = static_cast<GstdTileKind>(kind); });
      for (const uint32_t first : {1u, tile.bytes, tile.bytes + 1, 1u << 31, ~0u})
        spoil(tile, [&](GstdTile& entry) { entry.first = first; });
      for (const uint32_t count : {tile.bytes + 1, 1u << 31, ~0u})
        spoil(tile, [&](GstdTile& entry) { entry.count = count; });
      // A sum that wraps to what is there.
      spoil(tile, [&](GstdTile& entry) {
        entry.first = ~0u;
        entry.count = 2;
      });
    }
    // As many words as a tile that is stored, and another number than one that is.
    spoil(sound, [&](GstdTile& entry) { entry.words = (entry.bytes + 3) / 4; });
    spoil(stored, [&](GstdTile& entry) { --entry.words; });
    spoil(stored, [&](GstdTile& entry) { entry.bytes = 65; });
    spoil(filled, [&](GstdTile& entry) { entry.words = 2; });
    batch.tiles.insert(batch.tiles.end(), bad.begin(), bad.end());
    // None of the changes may be none; those that are sound, or compressed, are in the front.
    for (const GstdTile& entry : bad) CHECK_FALSE(is_entry(entry, batch, kTile));
    // Nothing of a tile asked for, at the end of the output, is an entry.
    GstdTile nothing = sound;
    nothing.output = output_bytes;
    nothing.count = 0;
    nothing.first = nothing.bytes;
    batch.tiles.push_back(nothing);
    CHECK(last.bytes == kTile);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      for (const uint8_t dirt : {uint8_t{0xdb}, uint8_t{0}}) {
        GstdRunOptions options;
        options.dirt = dirt;
        options.by_value = dirt == 0;
        CHECK(check_decoded(*backend, batch, options) ==
              GstdVerdicts{{GstdRefusal::none, 5}, {GstdRefusal::bad_entry, static_cast<uint32_t>(bad.size())}});
      }
    }
  }

  TEST_CASE("every truncation and every bit turned over has the host's verdict") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdVerdicts all;
      for (const Small& small : small_tiles()) {
        GstdBatch batch;
        // Truncated tiles have words of their own: after them are the next tile's.
        for (uint32_t words = 1; words <= small.words.size(); ++words)
          batch.add(std::span(small.words).first(words), small.bytes, words % 2);
        std::vector<uint32_t> more = small.words;
        more.push_back(0);
        batch.add(more, small.bytes);
        for (const uint32_t bytes : {small.bytes - 1, small.bytes + 1, gstd::kMinTileBytes})
          batch.add(small.words, bytes);
        const uint32_t step = is_lavapipe(*backend) || !backend->is_software() ? scaled(*backend, 1, 1, 5) : 5;
        for (uint32_t bit = static_cast<uint32_t>(all.size()) % step; bit < 32 * small.words.size(); bit += step) {
          std::vector<uint32_t> words = small.words;
          words[bit / 32] ^= 1u << bit % 32;
          batch.add(words, small.bytes, bit % 3);
        }
        GstdRunOptions options;
        options.tiles_in_flight = 1024;
        for (const auto& [verdict, tiles] : check_decoded(*backend, batch, options)) all[verdict] += tiles;
      }
      CHECK(all.size() >= 8);
      for (const GstdRefusal refusal :
           {GstdRefusal::none, GstdRefusal::truncated, GstdRefusal::bad_header, GstdRefusal::bad_table,
            GstdRefusal::bad_offset, GstdRefusal::bad_length, GstdRefusal::bad_padding})
        CHECK_MESSAGE(all.contains(refusal), name_of(refusal));
    }
  }

  TEST_CASE("what fuzzers found in tiles has the host's verdict") {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(WEFT_TEST_TILE_CORPUS))
      if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    REQUIRE(files.size() > 100);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch batch;
      const uint32_t most = is_lavapipe(*backend) ? 1u << 16 : 1u << 17;
      for (size_t i = 0; i < files.size(); i += scaled(*backend, 1, 1, 3)) {
        std::ifstream stream(files[i], std::ios::binary);
        const std::vector<char> bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        if (bytes.size() < 8) continue;
        std::vector<uint32_t> words(bytes.size() / 4);
        std::memcpy(words.data(), bytes.data(), 4 * words.size());
        const uint32_t size = 1 + words[0] % (1u << 17);
        if (size <= most) batch.add(std::span(words).subspan(1), size, i % 4);
      }
      GstdRunOptions options;
      options.tile_bytes = most;
      options.tiles_in_flight = 32;
      const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
      CHECK(verdicts.size() >= 8);
    }
  }

  TEST_CASE("tiles that are broken by chance have the host's verdict [widths]") {
    constexpr uint32_t kBytes = 3001;
    const std::vector<std::vector<uint32_t>> tiles = tiles_of_samples(kBytes);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch batch;
      add_broken(batch, tiles, kBytes, 77, 0, scaled(*backend, 20'000, 1500, 300));
      GstdRunOptions options;
      options.tiles_in_flight = 1024;
      const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
      CHECK(verdicts.size() >= 8);
    }
  }

  TEST_CASE("the kernel for NVIDIA's devices has the host's verdict and bytes where another device passes for one") {
    if (first_backend().is_emulated()) return;
    Disguised disguised(runtime::kVendorNvidia, VK_PHYSICAL_DEVICE_TYPE_CPU);
    constexpr uint32_t kTile = 1u << 16;
    GstdBatch batch;
    gstd::CompressConfig compression;
    compression.tile_bytes = kTile;
    compression.level = 3;
    add_stream(batch, compressed(mixed_content(10 * size_t{kTile} + 12'345, kTile), compression), 1);
    add_broken(batch, tiles_of_samples(3001), 3001, 78, 0, 600);
    GstdRunOptions options;
    options.tile_bytes = kTile;
    options.tiles_in_flight = 1024;
    CHECK(check_decoded(disguised.backend(), batch, options).size() >= 8);
    const bool has_int64 = disguised.backend().context().state()->traits().int64;
    CHECK(std::ranges::count(disguised.kernels(), "weft GstdDecode: gstd_decode_optimized.native") == has_int64);
    CHECK(std::ranges::count(disguised.kernels(), "weft GstdDecode: gstd_decode.native") == !has_int64);
  }

  TEST_CASE("a queue of decoded tiles, as on NVIDIA's devices, has the host's verdict and bytes") {
    if (first_backend().is_emulated()) return;
    Disguised disguised(runtime::kVendorNvidia, VK_PHYSICAL_DEVICE_TYPE_CPU);
    constexpr uint32_t kBytes = 203, kBatch = 2100;  // more than few
    const std::vector<std::vector<uint32_t>> tiles = tiles_of_samples(kBytes);
    GstdBatch batch;
    std::vector<std::byte> content;
    for (uint32_t i = 0; i < 2 * kBatch - 100; ++i) {
      const std::span<const uint32_t> words = tiles[i / 8 % tiles.size()];
      switch (i % 8) {
        case 0: add_broken(batch, tiles, kBytes, 80, i, 1); continue;
        case 1:
        case 2: batch.add(words, kBytes, i % 4); break;
        case 3: batch.add(words.first(1), kBytes, i % 4, GstdTileKind::fill); break;
        // Its last byte is padding, which is refused if it is not 0.
        default: batch.add(words, 4 * static_cast<uint32_t>(words.size()) - 1, i % 3, GstdTileKind::raw);
      }
      GstdTile& tile = batch.tiles.back();
      if (i % 3 == 0) {
        tile.first = tile.bytes / 3;
        tile.count = tile.bytes / 2;
      }
      // A wrong one is counted twice if the tile is finished twice, even if its bytes are right.
      tile.has_checksum = i % 5 < 3;
      verdict_of(tile, batch, false, content);
      tile.checksum = gstd::checksum(content) + (i % 5 == 0);
    }
    for (const Small& small : small_tiles()) batch.add(small.words, small.bytes, 16 - batch.output_bytes % 16);
    GstdRunOptions options;
    options.tiles_in_flight = kBatch;  // a second batch finds the entries of the first
    for (const bool on_device : {false, true}) {
      disguised.second_dispatches(
          {on_device ? Takes::half : Takes::everything, on_device ? Takes::before_decoding : Takes::nothing});
      if (on_device) options.device_count = DeviceCount{batch.tiles.size() - 9, 4};
      CHECK(check_decoded(disguised.backend(), batch, options).size() >= 8);
    }
    CHECK(std::ranges::count(disguised.kernels(), "weft GstdDecode: gstd_finish_early.native") == 2 * 2 * 2);
  }

  TEST_CASE("tiles in regions of scratch come to what they do with scratch of their own, parts of tiles among them") {
    if (first_backend().is_emulated()) return;
    Disguised disguised(runtime::kVendorAmd, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    GstdBatch batch;
    Draws draws(41, 0);
    for (const uint32_t bytes : {1003u, 1004u}) {
      const std::vector<std::vector<uint32_t>> tiles = tiles_of_samples(bytes);
      for (uint32_t i = 0; i < 4; ++i) {
        add_broken(batch, tiles, bytes, 79, 6 * i, 6);
        const std::vector<uint32_t>& words = tiles[draws.below(tiles.size())];
        GstdTile& whole = batch.add(words, bytes, i % 4);
        if (i % 4 == 0) continue;
        whole.first = static_cast<uint32_t>(draws.below(bytes));
        whole.count = static_cast<uint32_t>(draws.below(bytes - whole.first));
      }
      for (const std::vector<uint32_t>& words : tiles) batch.add(words, bytes, (4 - batch.output_bytes % 4) % 4);
    }
    for (const Small& small : small_tiles()) batch.add(small.words, small.bytes, 16 - batch.output_bytes % 16);
    // Four vectors for each invocation of the second dispatch: what it copies at a time, where vectors begin and not.
    for (const uint32_t at : {0u, 4u}) {
      gstd::TileEncoderConfig config;
      std::tie(config.forced_filter, config.forced_stride) = std::pair(3, 4u);
      batch.add(encoded(sample(gstd::kMinTileBytes, "vertices"), config), gstd::kMinTileBytes,
                16 - batch.output_bytes % 16 + at);
    }
    const uint64_t all = batch.tiles.size();
    // A tile takes a region of 16 KiB, or four of 64 KiB. One group may take all tiles, as on one processor: lavapipe
    // has iterations for few more.
    for (const uint32_t tile_bytes : {gstd::kMinTileBytes, gstd::kDefaultTileBytes})
      for (const uint32_t in_flight : {3u, 7u, 31u})
        for (const bool by_value : {false, true}) {
          CAPTURE(tile_bytes);
          CAPTURE(in_flight);
          CAPTURE(by_value);
          GstdRunOptions options;
          options.tile_bytes = tile_bytes;
          options.tiles_in_flight = in_flight;
          options.by_value = by_value;
          options.only_whole = in_flight == 31;
          if (in_flight == 7 && !by_value) options.device_count = DeviceCount{all - 5, 4};
          if (in_flight != 3) disguised.second_dispatches({by_value ? Takes::half : Takes::nothing});
          CHECK(check_decoded(disguised.backend(), batch, options).size() >= 5);
        }
    CHECK(std::ranges::count(disguised.kernels(), "weft GstdDecode: gstd_decode_regions.native") == 2 * 3 * 2);
  }

  TEST_CASE("tiles that are requested in part are refused where the caller says that there are none") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch batch;
      const std::vector<std::vector<uint32_t>> tiles = tiles_of_samples(1004);
      for (uint32_t i = 0; i < 12; ++i) {
        GstdTile& tile = batch.add(tiles[i % tiles.size()], 1004, i < 8 ? 0 : i % 4);
        if (i % 4 == 1) tile.first = 4, tile.count = 1000;
      }
      GstdRunOptions options;
      options.only_whole = true;
      CHECK(check_decoded(*backend, batch, options)[GstdRefusal::bad_entry] >= 3);
    }
  }

  // So many in sum: lavapipe of 8 and of 16 lanes has half of them each (tests/devices.cmake). Few are in flight: it
  // would take long to fill more scratch.
  TEST_CASE("a hundred thousand small tiles that are broken by chance have the host's verdict [widths]") {
    constexpr uint32_t kBatch = 16'384;
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      if (backend->is_emulated()) continue;
      const uint32_t wanted = !backend->is_software() ? 100'000 : is_lavapipe(*backend) ? 25'000 : 500;
      const uint64_t seed = 1000 + backend->gpu().info().subgroup_size;
      GstdVerdicts all;
      for (const uint32_t bytes : {100u, 203u}) {
        const std::vector<std::vector<uint32_t>> tiles = tiles_of_samples(bytes);
        REQUIRE(tiles.size() >= 8);
        for (uint32_t first = 0; first < wanted; first += kBatch) {
          GstdBatch batch;
          add_broken(batch, tiles, bytes, seed, first, std::min(kBatch, wanted - first));
          GstdRunOptions options;
          options.tiles_in_flight = 512;
          for (const auto& [verdict, count] : check_decoded(*backend, batch, options)) all[verdict] += count;
        }
      }
      CHECK(all.size() >= 8);
      CHECK(all[GstdRefusal::none] > wanted / 50);
    }
  }

  TEST_CASE("tiles of more than 16 KiB that are broken by chance have the host's verdict") {
    constexpr uint32_t kBytes = 20'011;
    const std::vector<std::vector<uint32_t>> tiles = tiles_of_samples(kBytes);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch all, batch;
      add_broken(all, tiles, kBytes, 81, 0, scaled(*backend, 20'000, 1200, 100));
      for (const GstdTile& tile : all.tiles) {
        const auto words = std::span(all.source).subspan(tile.source / 4, tile.words);
        if (is_short_enough(*backend, tile.bytes, 1u << (words[0] & 7)))
          batch.add(words, tile.bytes, batch.tiles.size() % 4);
      }
      CHECK(batch.tiles.size() > all.tiles.size() / 2);
      GstdRunOptions options;
      options.tile_bytes = 1u << 16;
      options.tiles_in_flight = 64;
      CHECK(check_decoded(*backend, batch, options).size() >= 8);
    }
  }

  // It took 11 to 12 on a busy machine.
  TEST_CASE("SwiftShader builds the kernels in less than 30 seconds of the processor's time [widths]") {
    if (first_backend().name().find("SwiftShader") == std::string::npos) return;
    // A device of its own has no pipelines yet.
    const auto gpu = Gpu::open({});
    REQUIRE(gpu);
    const std::clock_t begin = std::clock();
    REQUIRE(GstdDecode::create(gpu->context(), GstdDecodeConfig{}));
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    CHECK(seconds < 30);
    CHECK(seconds > 1);  // they were built
  }

  TEST_CASE("streams with every choice by chance, of 1 to 32 lanes, come to their output [widths]") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch batch;
      std::map<std::string, int> reached;
      std::array<uint32_t, 6> of_lanes{};
      std::array<uint32_t, static_cast<size_t>(gstd::Filter::count)> of_filter{};
      // Those that are no smaller than what they decode to are no tiles of a table.
      const uint32_t wanted = scaled(*backend, 1500, 150, 60);
      std::vector<std::byte> expected;
      for (uint64_t seed = 1; batch.tiles.size() < wanted && seed < 20 * uint64_t{wanted}; ++seed) {
        gstd::test::StreamMaker maker(seed, reached);
        maker.make();
        const auto size = static_cast<uint32_t>(maker.output.size());
        if (maker.words.empty() || size > 1u << 16 || maker.words.size() >= (size + 3) / 4) continue;
        if (!is_short_enough(*backend, size, 1u << (maker.words[0] & 7))) continue;
        const GstdTile& tile = batch.add(maker.words, size, seed % 4);
        ++of_lanes.at(maker.words[0] & 7);
        ++of_filter.at(maker.words[0] >> 4 & 15);
        expected.resize(tile.output);
        expected.insert(expected.end(), maker.output.begin(), maker.output.end());
      }
      CHECK(batch.tiles.size() == wanted);
      CHECK(std::ranges::min(of_lanes) > 0);
      if (wanted >= 150) CHECK(std::ranges::min(of_filter) > 0);
      // The oracle says what the maker does.
      GstdRunOptions options;
      options.tile_bytes = 1u << 16;
      options.tiles_in_flight = 64;
      options.dirt = 0;
      CHECK(expected_of(batch, batch.tiles.size(), options).output == expected);
      CHECK(check_decoded(*backend, batch, options) == GstdVerdicts{{GstdRefusal::none, wanted}});
    }
  }

  TEST_CASE("streams with every choice by chance, broken, have the host's verdict") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch batch;
      std::map<std::string, int> reached;
      const uint32_t wanted = scaled(*backend, 10'000, 600, 120);
      for (uint64_t seed = 5000; batch.tiles.size() < wanted && seed < 5000 + 20 * uint64_t{wanted}; ++seed) {
        gstd::test::StreamMaker maker(seed, reached);
        maker.make();
        const auto size = static_cast<uint32_t>(maker.output.size());
        if (maker.words.empty() || size > gstd::kMinTileBytes || maker.words.size() >= (size + 3) / 4) continue;
        if (!is_short_enough(*backend, size, 1u << (maker.words[0] & 7))) continue;
        Draws draws(5, seed);
        for (uint32_t run = 0; run < 10; ++run) {
          std::vector<uint32_t> words = maker.words;
          for (uint64_t bits = draws.below(3) + 1; bits > 0; --bits)
            words[draws.below(draws.one_in(2) ? std::min<size_t>(words.size(), 40) : words.size())] ^=
                1u << draws.below(32);
          if (draws.one_in(10)) words.resize(1 + draws.below(words.size()));
          // Lanes end elsewhere: the header has it otherwise whether states are released, or one
          // of the last words is another.
          if (run < 2) words = maker.words;
          if (run == 0) words[0] ^= 8;
          if (run == 1)
            words[words.size() - 1 - draws.below(std::min<size_t>(words.size(), 8))] ^= 1u << draws.below(32);
          batch.add(words, size, run % 4);
        }
      }
      CHECK(batch.tiles.size() >= wanted);
      GstdRunOptions options;
      options.dirt = 0xff;
      const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
      CHECK(verdicts.size() >= 8);
      CHECK(verdicts.contains(GstdRefusal::bad_final_state));
    }
  }

  TEST_CASE("a block with one literal more than a decoder keeps is refused, though it decodes otherwise") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch batch;
      std::map<std::string, int> reached;
      constexpr uint32_t kWanted = 3;
      for (uint64_t seed = 1; batch.tiles.size() < kWanted && seed < 3000; ++seed) {
        gstd::test::StreamMaker maker(seed, reached, 1);
        maker.make();
        const auto size = static_cast<uint32_t>(maker.output.size());
        if (maker.words.empty() || size > 1u << 17 || maker.words.size() >= (size + 3) / 4) continue;
        if (!is_short_enough(*backend, size, 1u << (maker.words[0] & 7))) continue;
        std::vector<std::byte> output(size);
        if (gstd::decode_tile(maker.words, output).reason == gstd::Reason::bad_length)
          batch.add(maker.words, size, seed % 4);
      }
      GstdRunOptions options;
      options.tile_bytes = 1u << 17;
      CHECK(check_decoded(*backend, batch, options) == GstdVerdicts{{GstdRefusal::bad_length, kWanted}});
    }
  }

  TEST_CASE("a stream that is written down here, and the document's example, decode to what they always did") {
    const std::string text = "weft and warp, weft and warp, weft!";
    const std::vector<uint32_t> example = {0x00000008, 0x5ac8c55d, 0x00000022, 0x00000001,
                                           0xaacce840, 0xc2dcc840, 0xe0e4c2ee, 0x00424058};
    const std::string_view hex =
        "475354638200b402edba8cf5080000007f89bde6b4028a0020000000140863320dbf1238fa8fbaee98fa01a43e"
        "55d520e41afafc807e8fa93fd013ce89efeb4798fce91306c6fdc181ed4325822133a1692b8b04f7c1d67d291c8aaccfed"
        "e13720efb0f4919ce865b2211885a7ee76d72ae277bd176dcd7dab6c08a4bc761c6924ab208553b062790a000000";
    std::vector<std::byte> stream;
    for (size_t i = 0; i < hex.size(); i += 2)
      stream.push_back(static_cast<std::byte>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
    std::string written;
    for (uint32_t i = 0; i < 40; ++i)
      written += "thread " + std::to_string(i * i % 17) + " over " + std::to_string(i % 3) + ", ";
    GstdBatch batch;
    const std::vector<std::byte> content = add_stream(batch, stream, 1);
    REQUIRE(content.size() == written.size());
    CHECK(std::memcmp(content.data(), written.data(), written.size()) == 0);
    const GstdTile tile = batch.add(example, static_cast<uint32_t>(text.size()), 2);
    CHECK(tiles_of_kind(batch, GstdTileKind::compressed) == 2);
    CHECK(batch.tiles[0].has_checksum == 1);
    // The oracle is held to the text too.
    GstdRunOptions options;
    options.tile_bytes = gstd::kDefaultTileBytes;
    const GstdExpected expected = expected_of(batch, 2, options);
    CHECK(std::memcmp(expected.output.data() + 1, written.data(), written.size()) == 0);
    CHECK(std::memcmp(expected.output.data() + tile.output, text.data(), text.size()) == 0);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      CHECK(check_decoded(*backend, batch, options) == GstdVerdicts{{GstdRefusal::none, 2}});
    }
  }

  TEST_CASE("golden streams of all versions decode as on the host") {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(WEFT_TEST_GOLDEN)) files.push_back(entry.path());
    std::ranges::sort(files);
    REQUIRE(files.size() >= 30);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      GstdBatch batch;
      for (size_t i = 0; i < files.size(); i += scaled(*backend, 1, 1, 3)) {
        std::ifstream file(files[i], std::ios::binary);
        const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        add_stream(batch, std::as_bytes(std::span(bytes)), i % 4);
      }
      GstdRunOptions options;
      options.tile_bytes = 1u << 16;
      options.tiles_in_flight = 64;
      const GstdVerdicts verdicts = check_decoded(*backend, batch, options);
      CHECK(verdicts == GstdVerdicts{{GstdRefusal::none, static_cast<uint32_t>(batch.tiles.size())}});
    }
  }

  TEST_CASE("two threads record at once, and both command buffers may run at once") {
    const std::vector<Small> small = small_tiles();
    std::array<GstdBatch, 2> batches;
    for (uint32_t i = 0; i < 200; ++i) {
      std::vector<uint32_t> broken = small[i % 2].words;
      broken[i % broken.size()] ^= 1u << i % 32;
      batches[0].add(small[i % 2].words, small[i % 2].bytes, i % 3);
      batches[1].add(broken, small[i % 2].bytes, i % 4);
    }
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      Gpu& gpu = backend->gpu();
      std::vector<std::unique_ptr<GstdCall>> calls;
      for (const GstdBatch& batch : batches)
        calls.push_back(std::make_unique<GstdCall>(*backend, batch, GstdRunOptions{}));
      const auto record = [&](size_t i) {
        return [&, i](VkCommandBuffer commands) { return calls[i]->record(commands); };
      };
      REQUIRE(run_at_once(gpu, {record(0), record(1)}) == "");
      CHECK(calls[0]->check() == GstdVerdicts{{GstdRefusal::none, 200}});
      CHECK(calls[1]->check().size() > 2);
    }
  }

  TEST_CASE("tiles of other sizes are refused, and scratch grows with what is in flight [refusal]") {
    for (const uint32_t tile_bytes : {0u, 1u << 13, (1u << 14) + 1, 3u << 14, 1u << 21, ~0u}) {
      const auto created = GstdDecode::create(first_backend().context(), {.tile_bytes = tile_bytes});
      REQUIRE_FALSE(created);
      CHECK(created.error().code == ErrorCode::invalid_argument);
      CHECK(created.error().message.find("tile_bytes") != std::string::npos);
    }
    if (first_backend().is_software() && !takes_turn(1)) return;
    const GstdDecode& decode = create<GstdDecode>(first_backend(), kFourInFlight);
    CHECK(decode.scratch_size(0) == 0);
    CHECK(decode.scratch_size(3) < decode.scratch_size(4));
    CHECK(decode.scratch_size(4) == decode.scratch_size(1u << 24));
    CHECK(decode.scratch_size_by_value(0) == 0);
    CHECK(decode.scratch_size_by_value(10) == decode.scratch_size(10) + 400);
    CHECK(decode.scratch_size_by_value(11) == decode.scratch_size(11) + 448);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    if (first_backend().is_software() && !takes_turn(1)) return;
    RefusalTest<GstdDecode> test(kFourInFlight);
    test.check({{"tiles", "fewer than the count", [](auto& a) { a.tile_count = 21; }},
                {"tile_count", "more than 2^24", [](auto& a) { a.tile_count = (1u << 24) + 1; }},
                {"tile_count", "more than 2^32", [](auto& a) { a.tile_count = (uint64_t{1} << 32) + 1; }}});
    // Where there can be no tiles, nothing else is looked at.
    test.check_taken([](auto& a) { a = {}; });
    // Inputs may be the same range.
    test.check_taken([](auto& a) { a.source = a.tiles; });
  }

  TEST_CASE("with tiles by value there is no other table, and updates take 65,536 bytes each [refusal]") {
    if (first_backend().is_software() && !takes_turn(1)) return;
    RefusalTest<GstdDecode> test(kFourInFlight);
    RecordingGpu& recording = test.recording;
    const GstdDecode& decode = test.primitive;
    const GstdDecodeArgs& sound = test.sound;
    constexpr uint64_t kTiles = 20;  // as SoundCall<GstdDecode>
    struct ByValue {
      const GstdDecode& decode;
      Status record(VkCommandBuffer commands, const std::pair<std::vector<GstdTile>, GstdDecodeArgs>& call) const {
        return decode.record(commands, call.first, call.second);
      }
    };
    using Call = std::pair<std::vector<GstdTile>, GstdDecodeArgs>;
    const uint64_t by_value_bytes = decode.scratch_size_by_value(kTiles);
    const Buffer scratch_by_value = recording.create(by_value_bytes + 64);
    Call sound_call{std::vector<GstdTile>(kTiles), sound};
    sound_call.second.tiles = {};
    sound_call.second.tile_count = {};
    sound_call.second.scratch = scratch_by_value.range(16, by_value_bytes);
    const std::vector<Refusal<Call>> by_value_refusals = {
        {"tiles", "in a buffer too", [&](Call& call) { call.second.tiles = sound.tiles; }},
        {"tiles", "more than 2^16", [&](Call& call) { call.first.resize((1u << 16) + 1); }},
        {"tile_count", "given too", [&](Call& call) { call.second.tile_count = kTiles; }},
        {"tile_count", "on the device too", [&](Call& call) { call.second.tile_count = sound.tile_count; }},
        {"tile_count", "on the device, of none at most",
         [&](Call& call) { call.second.tile_count = Count::on_device(sound.tile_count.range(), 0); }},
        {"status", "too small", [&](Call& call) { call.first.emplace_back(); }},
        {"source", "null", [&](Call& call) { call.second.source = {}; }},
        {"scratch", "null", [&](Call& call) { call.second.scratch = {}; }},
        {"scratch", "misaligned", [&](Call& call) { call.second.scratch = scratch_by_value.range(8, by_value_bytes); }},
        {"scratch", "without the table's bytes", [&](Call& call) { call.second.scratch.size = sound.scratch.size; }},
        {"scratch", "too small", [&](Call& call) { --call.second.scratch.size; }},
        {"scratch", "overlaps the output", [&](Call& call) { call.second.output = scratch_by_value.range(16, 2); }},
    };
    recording.check_refused(ByValue{decode}, sound_call, by_value_refusals);
    Call no_tiles;
    CHECK_FALSE(recording.record(ByValue{decode}, no_tiles));
    // Updates of 65,536 bytes, between barriers.
    for (const auto& [tiles_of, updates] : {std::pair(1u, 1), {1638u, 1}, {1639u, 2}, {3276u, 2}, {3277u, 3}}) {
      CAPTURE(tiles_of);
      Call many{std::vector<GstdTile>(tiles_of), sound_call.second};
      const Buffer statuses = recording.create(4 * (1 + tiles_of)),
                   large = recording.create(decode.scratch_size_by_value(tiles_of));
      many.second.status = statuses.range();
      many.second.scratch = large.range();
      const auto ran = recording.gpu().run([&](VkCommandBuffer commands) {
        take_recorded();
        const Status recorded_well = decode.record(commands, many.first, many.second);
        const std::string recorded = take_recorded();
        CHECK(recorded.starts_with('t' + std::string(static_cast<size_t>(updates), 'u') + 'v'));
        CHECK(std::ranges::count(recorded, 'u') == updates);
        CHECK_FALSE(lacks_barrier(recorded));
        return recorded_well;
      });
      CHECK(ran.ok());
    }
  }
}

}  // namespace weft::test
