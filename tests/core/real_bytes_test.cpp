// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Content that nobody made up for a test: the WAD of the game Freedoom 2, of maps, sounds and pictures, and single
// pictures out of its directory. Named by WEFT_TEST_WAD, or else where the build found it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <weft/interval_move.hpp>
#include <weft/run_length_decode.hpp>
#include <weft/run_length_encode.hpp>
#include <weft/select.hpp>

#include "support/device.hpp"
#include "support/guarded_buffer.hpp"
#include "support/run.hpp"
#include "support/segmented_sort_run.hpp"
#include "support/sort_run.hpp"

namespace weft::test::real_bytes_tests {
namespace {

using Content = std::vector<uint8_t>;

/// A WAD and its directory: a magic word, the number of lumps and where their list begins; of each lump where it lies,
/// its size, and its name in 8 bytes.
class Wad {
 public:
  explicit Wad(Content bytes) : bytes_(std::move(bytes)) {
    REQUIRE(bytes_.size() > kHeaderBytes);
    REQUIRE(std::memcmp(bytes_.data(), "IWAD", 4) == 0);
    lumps_ = word_at(4);
    list_ = word_at(8);
    REQUIRE(uint64_t{list_} + uint64_t{lumps_} * kEntryBytes <= bytes_.size());
  }

  const Content& bytes() const { return bytes_; }

  uint32_t lumps() const { return lumps_; }
  /// Of lump i, in bytes.
  uint32_t offset(uint64_t i) const { return word_at(list_ + i * kEntryBytes); }
  uint32_t size(uint64_t i) const { return word_at(list_ + i * kEntryBytes + 4); }

  /// The first lump of that name.
  Content lump(std::string_view name) const { return contents(index_of(name)); }

 private:
  static constexpr uint64_t kHeaderBytes = 12, kEntryBytes = 16;

  uint32_t word_at(uint64_t at) const {
    uint32_t word;
    std::memcpy(&word, bytes_.data() + at, sizeof word);
    return word;
  }
  uint64_t index_of(std::string_view name) const {
    for (uint64_t i = 0; i < lumps_; ++i) {
      const char* of_lump = reinterpret_cast<const char*>(bytes_.data()) + list_ + i * kEntryBytes + 8;
      if (std::string_view(of_lump, strnlen(of_lump, 8)) == name) return i;
    }
    FAIL("the WAD has no lump " << name);
    return 0;
  }
  Content contents(uint64_t index) const {
    REQUIRE(index < lumps_);
    REQUIRE(uint64_t{offset(index)} + size(index) <= bytes_.size());
    const auto begin = bytes_.begin() + static_cast<ptrdiff_t>(offset(index));
    return {begin, begin + static_cast<ptrdiff_t>(size(index))};
  }

  Content bytes_;
  uint32_t lumps_ = 0, list_ = 0;
};

/// Null where there is none, which continuous integration takes for a failure: `./run test` installs it.
const Wad* wad() {
  static const std::optional<Wad> found = []() -> std::optional<Wad> {
    const char* named = std::getenv("WEFT_TEST_WAD");
    const std::string path = named != nullptr ? named : WEFT_TEST_WAD;
    std::ifstream file(path, std::ios::binary);
    if (!file) return {};
    return Wad(Content{std::istreambuf_iterator<char>(file), {}});
  }();
  if (found) return &*found;
  const char* ci = std::getenv("CI");
  if (std::getenv("WEFT_TEST_WAD") != nullptr || (ci != nullptr && std::string_view(ci) == "true"))
    FAIL("there is no Freedoom WAD (Debian: freedoom)");
  MESSAGE("no Freedoom WAD (Debian: freedoom): real bytes are left out");
  return nullptr;
}

/// How many of its bytes a device takes: software devices need long for all.
uint64_t share_of(const Device& device) {
  if (device.backend().is_emulated()) return 96 << 10;
  return device.name().find("SwiftShader") != std::string::npos ? 512 << 10 : 4 << 20;
}

Content first_of(const Content& bytes, uint64_t count) {
  return {bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(count, bytes.size()))};
}

template <class T>
std::vector<T> read(GuardedBuffer& buffer) {
  std::vector<std::byte> bytes;
  CHECK(buffer.read(bytes) == "");
  return items_of<T>(bytes);
}

/// Encodes the bytes as items of type T, compares the runs with the host's, decodes them by the count on the device,
/// and compares with the bytes.
template <class T>
void check_runs(const Device& device, const Content& bytes, bool non_trivial_too) {
  CAPTURE(device.name());
  CAPTURE(std::string(name_of(type_of<T>)));
  const std::vector<T> items = items_of<T>(std::as_bytes(std::span(bytes)));
  const uint64_t n = items.size();
  REQUIRE(n > 1000);
  std::vector<T> symbols;
  std::vector<uint32_t> lengths, long_offsets, long_lengths;
  for (uint64_t i = 0, end = 0; i < n; i = end) {
    for (end = i + 1; end < n && items[end] == items[i];) ++end;
    symbols.push_back(items[i]);
    lengths.push_back(static_cast<uint32_t>(end - i));
    if (end - i < 2) continue;
    long_offsets.push_back(static_cast<uint32_t>(i));
    long_lengths.push_back(static_cast<uint32_t>(end - i));
  }
  REQUIRE(symbols.size() < n);
  REQUIRE(symbols.size() > 1);

  RunLengthEncodeConfig config;
  config.symbol = type_of<T>;
  config.strategy = device.strategy();
  const Result<RunLengthEncode> encode = RunLengthEncode::create(device.context(), config);
  REQUIRE(encode);
  const Result<RunLengthDecode> decode = RunLengthDecode::create(device.context(), {sizeof(T), Type::u32});
  REQUIRE(decode);
  Gpu& gpu = device.gpu();
  GuardedBuffer input(gpu, n * sizeof(T), 0, std::as_bytes(std::span(items)));
  GuardedBuffer run_symbols(gpu, n * sizeof(T), 8, {}, 0xdb), run_lengths(gpu, n * 4, 4, {}, 0xdb),
      run_count(gpu, 4, 0, {}, 0xdb), output(gpu, n * sizeof(T), 4, {}, 0xdb), total(gpu, 8, 0, {}, 0xdb),
      status(gpu, 4, 0, {}, 0xdb);
  GuardedBuffer scratch(gpu, std::max(encode->scratch_size(n), decode->scratch_size(n)), 0, {}, 0xdb);
  RunLengthEncodeArgs args{
      input.range(), run_symbols.range(), run_lengths.range(), {}, run_count.range(), scratch.range(), n};
  const Result<RunTime> encoded = gpu.run([&](VkCommandBuffer commands) { return encode->record(commands, args); });
  REQUIRE(encoded);
  CHECK(read<uint32_t>(run_count) == std::vector{static_cast<uint32_t>(symbols.size())});
  auto found_symbols = read<T>(run_symbols);
  auto found_lengths = read<uint32_t>(run_lengths);
  found_symbols.resize(symbols.size());
  found_lengths.resize(lengths.size());
  CHECK((found_symbols == symbols));
  CHECK((found_lengths == lengths));

  const RunLengthDecodeArgs back{run_symbols.range(),
                                 run_lengths.range(),
                                 output.range(),
                                 total.range(),
                                 status.range(),
                                 scratch.range(),
                                 Count::on_device(run_count.range(), n),
                                 n};
  const Result<RunTime> decoded = gpu.run([&](VkCommandBuffer commands) { return decode->record(commands, back); });
  REQUIRE(decoded);
  CHECK(read<uint64_t>(total) == std::vector{n});
  CHECK(read<uint32_t>(status) == std::vector{0u});
  CHECK((read<T>(output) == items));
  if (!non_trivial_too) return;

  config.symbols = false;
  config.offsets = true;
  config.non_trivial = true;
  const Result<RunLengthEncode> longer = RunLengthEncode::create(device.context(), config);
  REQUIRE(longer);
  GuardedBuffer run_offsets(gpu, n / 2 * 4, 8, {}, 0xdb), longer_lengths(gpu, n / 2 * 4, 12, {}, 0xdb);
  args.offsets = run_offsets.range();
  args.lengths = longer_lengths.range();
  REQUIRE(gpu.run([&](VkCommandBuffer commands) { return longer->record(commands, args); }));
  CHECK(read<uint32_t>(run_count) == std::vector{static_cast<uint32_t>(long_offsets.size())});
  auto found_offsets = read<uint32_t>(run_offsets);
  found_lengths = read<uint32_t>(longer_lengths);
  found_offsets.resize(long_offsets.size());
  found_lengths.resize(long_lengths.size());
  CHECK((found_offsets == long_offsets));
  CHECK((found_lengths == long_lengths));
}

/// Selects the bytes that are not 0, and their indices.
void check_nonzero(const Device& device, const Content& bytes) {
  CAPTURE(device.name());
  const uint64_t n = bytes.size();
  Content kept;
  std::vector<uint32_t> kept_at;
  for (uint64_t i = 0; i < n; ++i) {
    if (bytes[i] == 0) continue;
    kept.push_back(bytes[i]);
    kept_at.push_back(static_cast<uint32_t>(i));
  }
  REQUIRE(!kept.empty());
  REQUIRE(kept.size() < n);
  SelectConfig config = SelectConfig::select_if(Type::u8, Criterion::nonzero);
  config.indices = true;
  config.strategy = device.strategy();
  const Result<Select> select = Select::create(device.context(), config);
  REQUIRE(select);
  Gpu& gpu = device.gpu();
  GuardedBuffer input(gpu, n, 0, std::as_bytes(std::span(bytes))), output(gpu, n, 4, {}, 0xdb),
      indices(gpu, n * 4, 4, {}, 0xdb), count(gpu, 4, 0, {}, 0xdb), scratch(gpu, select->scratch_size(n), 0, {}, 0xdb);
  SelectArgs args;
  args.input = input.range();
  args.output = output.range();
  args.indices = indices.range();
  args.kept = count.range();
  args.scratch = scratch.range();
  args.count = n;
  REQUIRE(gpu.run([&](VkCommandBuffer commands) { return select->record(commands, args); }));
  CHECK(read<uint32_t>(count) == std::vector{static_cast<uint32_t>(kept.size())});
  auto found = read<uint8_t>(output);
  auto found_indices = read<uint32_t>(indices);
  CHECK(std::ranges::all_of(found.begin() + static_cast<ptrdiff_t>(kept.size()), found.end(),
                            [](uint8_t byte) { return byte == 0xdb; }));
  found.resize(kept.size());
  found_indices.resize(kept_at.size());
  CHECK((found == kept));
  CHECK((found_indices == kept_at));
}

/// Intervals of bytes from `input` to `output`, which starts out as 0xdb. Returns the output.
Content moved(const Device& device, GuardedBuffer& input, uint64_t output_bytes, const std::vector<uint32_t>& sizes,
              const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
  IntervalMoveConfig config{.item_bytes = 1};
  config.gather = !from.empty();
  config.scatter = !to.empty();
  const Result<IntervalMove> move = IntervalMove::create(device.context(), config);
  REQUIRE(move);
  Gpu& gpu = device.gpu();
  const auto uploaded = [&](const std::vector<uint32_t>& words) {
    return GuardedBuffer(gpu, words.size() * 4, 0, std::as_bytes(std::span(words)));
  };
  GuardedBuffer counts = uploaded(sizes), gather = uploaded(from), scatter = uploaded(to);
  GuardedBuffer output(gpu, output_bytes, 0, {}, 0xdb), total(gpu, 8, 0, {}, 0xdb), status(gpu, 8, 0, {}, 0xdb),
      scratch(gpu, move->scratch_size(sizes.size()), 0, {}, 0xdb);
  const uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
  const IntervalMoveArgs args{input.range(), counts.range(), gather.range(),  scatter.range(),        output.range(),
                              total.range(), status.range(), scratch.range(), uint64_t{sizes.size()}, sum};
  REQUIRE(gpu.run([&](VkCommandBuffer commands) { return move->record(commands, args); }));
  CHECK(read<uint64_t>(total) == std::vector{sum});
  CHECK(read<uint32_t>(status) == std::vector{0u, ~0u});
  return read<uint8_t>(output);
}

/// What an asset loader does with the WAD's directory: lumps packed, lumps at addresses
/// that an allocator gave; and back.
void check_lumps(const Device& device, const Wad& file) {
  CAPTURE(device.name());
  const Content& bytes = file.bytes();
  std::vector<uint32_t> offsets, sizes, packed, placed;
  uint32_t packed_end = 0, placed_end = 0;
  // Of a part of the lumps, small ones.
  const bool takes_all = !device.backend().is_software();
  const uint64_t share = takes_all ? bytes.size() : std::max<uint64_t>(share_of(device), 512 << 10);
  for (uint64_t i = 0; i < file.lumps() && packed_end < share; ++i) {
    if (!takes_all && file.size(i) > share / 64) continue;
    REQUIRE(uint64_t{file.offset(i)} + file.size(i) <= bytes.size());
    offsets.push_back(file.offset(i));
    sizes.push_back(file.size(i));
    packed.push_back(packed_end);
    placed.push_back(placed_end);
    packed_end += file.size(i);
    placed_end += (file.size(i) + 255) / 256 * 256;
  }
  REQUIRE(sizes.size() > 64);
  const auto place = [&](const std::vector<uint32_t>& at, uint64_t end) {
    Content output(end, 0xdb);
    for (size_t i = 0; i < sizes.size(); ++i) std::copy_n(bytes.begin() + offsets[i], sizes[i], output.begin() + at[i]);
    return output;
  };
  GuardedBuffer input(device.gpu(), bytes.size(), 0, std::as_bytes(std::span(bytes)));
  const Content gathered = moved(device, input, packed_end, sizes, offsets, {});
  CHECK((gathered == place(packed, packed_end)));
  CHECK((moved(device, input, placed_end, sizes, offsets, placed) == place(placed, placed_end)));
  GuardedBuffer packed_input(device.gpu(), gathered.size(), 0, std::as_bytes(std::span(gathered)));
  CHECK((moved(device, packed_input, bytes.size(), sizes, {}, offsets) == place(offsets, bytes.size())));
}

/// A hash of each word of the licence's text; and where its lines begin, and the last one ends.
std::vector<uint64_t> hashed_words(Offsets* lines = nullptr) {
  std::ifstream file(WEFT_TEST_TEXT);
  std::vector<uint64_t> hashes;
  for (std::string line; std::getline(file, line);) {
    if (lines != nullptr) lines->push_back(hashes.size());
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
      for (const char letter : word) hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001b3;
      hashes.push_back(hash);
    }
  }
  if (lines != nullptr) lines->push_back(hashes.size());
  return hashes;
}

}  // namespace

TEST_SUITE("real bytes") {
  TEST_CASE("the WAD comes back from its runs, as bytes and as words") {
    const Wad* const file = wad();
    if (file == nullptr) return;
    for (const Device& device : every_device()) {
      const Content bytes = first_of(file->bytes(), share_of(device));
      check_runs<uint8_t>(device, bytes, true);
      check_runs<uint32_t>(device, bytes, true);
    }
  }

  TEST_CASE("the WAD's bytes that are not zero are selected") {
    const Wad* const file = wad();
    if (file == nullptr) return;
    for (const Device& device : every_device()) check_nonzero(device, first_of(file->bytes(), share_of(device)));
  }

  TEST_CASE("the lumps of the WAD's directory are gathered into one buffer, and scattered back to where they lay") {
    const Wad* const file = wad();
    if (file == nullptr) return;
    for (const Device& device : every_device()) check_lumps(device, *file);
  }

  TEST_CASE("hashes of the words of a text are sorted, with where they stand, and the WAD's words are") {
    const std::vector<uint64_t> hashes = hashed_words();
    REQUIRE(hashes.size() > 1000);
    for (Backend* backend : every_backend()) check_sort<uint64_t>(*backend, {.value_bytes = 4}, hashes);
    const Wad* const file = wad();
    if (file == nullptr) return;
    for (Backend* backend : every_backend()) {
      const uint64_t bytes = backend->is_emulated() ? 16 << 10 : 256 << 10;
      const auto begin = file->bytes().size() / 2;  // pictures, mostly
      const auto words = std::as_bytes(std::span(file->bytes()).subspan(begin, std::min(bytes, begin)));
      check_sort<uint32_t>(*backend, {.value_bytes = 4}, items_of<uint32_t>(words));
    }
  }

  TEST_CASE("the words of each line of a text are sorted by their hashes, and the words of each of the WAD's lumps") {
    Offsets lines;
    const std::vector<uint64_t> hashes = hashed_words(&lines);
    REQUIRE(lines.size() > 100);
    for (Backend* backend : every_backend())
      check_segmented_sort<uint64_t>(*backend, {.value_bytes = 4}, hashes, lines);
    const Wad* const file = wad();
    if (file == nullptr) return;
    for (Backend* backend : every_backend()) {
      // Whole words of lumps in the directory's order, and as many lumps as fit: none have
      // no bytes at all, some are long.
      const uint64_t most = backend->is_emulated() ? 6000 : 100000;
      std::vector<uint32_t> words;
      Offsets offsets = {0};
      for (uint32_t i = 0; i < file->lumps(); ++i) {
        const uint64_t count = file->size(i) / 4;
        if (words.size() + count > most) continue;
        const auto bytes = std::as_bytes(std::span(file->bytes()).subspan(file->offset(i), 4 * count));
        const std::vector<uint32_t> lump = items_of<uint32_t>(bytes);
        words.insert(words.end(), lump.begin(), lump.end());
        offsets.push_back(words.size());
      }
      check_segmented_sort<uint32_t>(*backend, {.order = SortOrder::descending}, words, offsets);
    }
  }

  TEST_CASE("pictures out of the WAD's directory: a floor's 64 by 64 texels, and the title's columns") {
    const Wad* const file = wad();
    if (file == nullptr) return;
    const Content palette = file->lump("PLAYPAL");
    CHECK(palette.size() % 768 == 0);  // colours that texels point at, of 3 bytes
    const Content floor = file->lump("FLOOR0_1");
    REQUIRE(floor.size() == 64 * 64);
    const Content title = file->lump("TITLEPIC");
    REQUIRE(title.size() > 10'000);
    for (const Device& device : every_device())
      for (const Content& picture : {floor, title}) {
        check_runs<uint8_t>(device, picture, false);
        check_runs<uint32_t>(device, picture, false);
      }
    for (const Device& device : every_device()) check_nonzero(device, title);
  }
}

}  // namespace weft::test::real_bytes_tests
