// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/item_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "support/half.hpp"
#include "support/parallel.hpp"

namespace weft::bench {
namespace {

// Signs come from a stream of their own: in a file the item's own bits would lean to one side and sums would grow.
constexpr uint32_t kSignSeed = 0x7369676e;
constexpr uint32_t kFlagSeed = 0x666c6167;
constexpr uint32_t kLengthSeed = 0x6c656e67;
constexpr uint32_t kSymbolSeed = 0x73796d62;
constexpr uint32_t kHighSymbolSeed = 0x68696768;
constexpr uint32_t kNoiseSeed = 0x6e6f6973;
constexpr uint32_t kStreamSeed = 0x77656674;

// Arrays grow by whole blocks, so that a block is made by one thread and is the same whatever the count asked for.
constexpr uint64_t kBlockItems = uint64_t{1} << 20;
constexpr uint64_t kBlockBytes = uint64_t{1} << 22;

constexpr uint32_t kMaxItemBytes = 64;
using Symbol = std::array<std::byte, kMaxItemBytes>;

// Symbols differ in their first 8 bytes.
uint64_t head_of(const std::byte* item, uint32_t item_bytes) {
  uint64_t head = 0;
  std::memcpy(&head, item, std::min<size_t>(item_bytes, sizeof head));
  return head;
}

uint64_t head_of(uint64_t symbol, uint32_t item_bytes) {
  return item_bytes >= 8 ? symbol : symbol & ((uint64_t{1} << 8 * item_bytes) - 1);
}

void fill_run(std::byte* first, uint64_t symbol, uint32_t item_bytes, uint64_t length) {
  const auto fill = [&]<class T>(T value) { std::fill_n(reinterpret_cast<T*>(first), length, value); };
  switch (item_bytes) {
    case 1: fill(static_cast<uint8_t>(symbol)); return;
    case 2: fill(static_cast<uint16_t>(symbol)); return;
    case 4: fill(static_cast<uint32_t>(symbol)); return;
    case 8: fill(symbol); return;
    default: break;
  }
  Symbol bytes{};
  std::memcpy(bytes.data(), &symbol, sizeof symbol);
  for (uint32_t at = sizeof symbol; at < item_bytes; at += sizeof(uint32_t)) {
    const uint32_t word = random_word(symbol, at);
    std::memcpy(&bytes[at], &word, sizeof word);
  }
  for (uint64_t i = 0; i < length; ++i) std::memcpy(first + i * item_bytes, bytes.data(), item_bytes);
}

void make_runs(std::byte* block_items, uint64_t block, const Data& data, uint32_t item_bytes) {
  uint64_t before = 0;
  for (uint64_t at = 0, run = block * kBlockItems; at < kBlockItems; ++run) {
    const uint64_t span = 2 * uint64_t{data.mean_run} - 1;
    const uint64_t drawn = 1 + ((random_word(run, kLengthSeed ^ data.seed) * span) >> 32);
    const uint64_t length = std::min(drawn, kBlockItems - at);
    uint64_t symbol =
        random_word(run, kSymbolSeed ^ data.seed) | uint64_t{random_word(run, kHighSymbolSeed ^ data.seed)} << 32;
    if (at > 0 && head_of(symbol, item_bytes) == head_of(before, item_bytes)) symbol ^= 1;
    fill_run(block_items + at * item_bytes, symbol, item_bytes, length);
    before = symbol;
    at += length;
  }
}

// Gives a block's first run another symbol if it has that of the run before, which lies in the block before.
void part_runs(std::byte* block_items, uint32_t item_bytes) {
  const uint64_t before = head_of(block_items - item_bytes, item_bytes);
  const uint64_t symbol = head_of(block_items, item_bytes);
  if (symbol != before) return;
  uint64_t length = 1;
  while (length < kBlockItems && head_of(block_items + length * item_bytes, item_bytes) == symbol) ++length;
  const bool taken = length < kBlockItems && head_of(block_items + length * item_bytes, item_bytes) == (symbol ^ 1);
  fill_run(block_items, symbol ^ (taken ? 2 : 1), item_bytes, length);
}

// Calls make(block) for each of the blocks that are missing of `bytes`, after it has made room for them.
template <class Make>
void extend(ByteArray& bytes, uint64_t block_bytes, uint64_t size, const Make& make) {
  const uint64_t first = bytes.size() / block_bytes, end = (size + block_bytes - 1) / block_bytes;
  if (end <= first) return;
  bytes.resize(end * block_bytes);
  for_each_block(end - first, [&](uint64_t block) { make(first + block); });
}

// Of words, each by itself.
template <class WordAt>
void extend_words(ByteArray& bytes, uint64_t size, const WordAt& word_at) {
  constexpr uint64_t kWords = kBlockBytes / sizeof(uint32_t);
  extend(bytes, kBlockBytes, size, [&](uint64_t block) {
    for (uint64_t i = block * kWords; i < (block + 1) * kWords; ++i) {
      const uint32_t word = word_at(i);
      std::memcpy(&bytes[i * sizeof word], &word, sizeof word);
    }
  });
}

void extend_runs(ByteArray& bytes, const Data& data, uint32_t item_bytes, uint64_t count) {
  const uint64_t block_bytes = kBlockItems * item_bytes, before = bytes.size();
  extend(bytes, block_bytes, count * item_bytes,
         [&](uint64_t block) { make_runs(&bytes[block * block_bytes], block, data, item_bytes); });
  for (uint64_t at = std::max(before, block_bytes); at < bytes.size(); at += block_bytes)
    part_runs(&bytes[at], item_bytes);
}

void extend_flags(ByteArray& bytes, const Data& data, uint64_t count) {
  const auto bound = static_cast<uint64_t>(std::llround(data.share * 0x1p32));
  extend(bytes, kBlockItems, count, [&](uint64_t block) {
    for (uint64_t i = block * kBlockItems; i < (block + 1) * kBlockItems; ++i)
      bytes[i] = static_cast<std::byte>(random_word(i, kFlagSeed ^ data.seed) < bound);
  });
}

void extend_noise(ByteArray& bytes, const Data& data, size_t size) {
  extend_words(bytes, size, [&](uint64_t i) { return random_word(i, kNoiseSeed ^ data.seed); });
}

void make_sorted(ByteArray& bytes, const Data& data, uint32_t item_bytes, size_t size) {
  extend_noise(bytes, data, size);
  bytes.resize(size);
  const auto sort = [&]<class T>(T* items) { sort_on_host(std::span(items, size / sizeof(T))); };
  if (item_bytes == 8)
    sort(reinterpret_cast<uint64_t*>(bytes.data()));
  else
    sort(reinterpret_cast<uint32_t*>(bytes.data()));
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::string& path, uint64_t most) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) return Error{ErrorCode::not_found, "cannot open " + path};
  const auto size = static_cast<uint64_t>(std::max<std::streamoff>(stream.tellg(), 0));
  std::vector<std::byte> bytes(std::min(size, most));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (stream.gcount() != static_cast<std::streamsize>(bytes.size()))
    return Error{ErrorCode::not_found, "cannot read " + path};
  return bytes;
}

ItemSource ItemSource::random() {
  ItemSource source;
  source.name_ = "random";
  return source;
}

Result<ItemSource> ItemSource::file(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (bytes->empty()) return Error{ErrorCode::invalid_argument, path + " is empty"};
  ItemSource source;
  source.name_ = std::filesystem::path(path).filename().string();
  source.file_ = *std::move(bytes);
  return source;
}

ItemSource::Kept& ItemSource::kept(const Data& data, Type float_type, uint32_t item_bytes, uint64_t count) {
  auto at = std::find_if(arrays_.begin(), arrays_.end(), [&](const Kept& array) {
    return array.data == data && array.float_type == float_type && array.item_bytes == item_bytes &&
           array.count == count;
  });
  if (at == arrays_.end()) {
    arrays_.push_back({data, float_type, item_bytes, count, next_id_++, {}});
    at = arrays_.end() - 1;
  }
  std::rotate(at, at + 1, arrays_.end());
  drop_oldest(arrays_, kArrays, [](const Kept& array) { return array.bytes.size(); });
  return arrays_.back();
}

void ItemSource::extend_stream(ByteArray& bytes, uint32_t seed, size_t size) const {
  if (file_.empty()) {
    extend_words(bytes, size, [&](uint64_t i) { return random_word(i, kStreamSeed ^ seed); });
    return;
  }
  extend(bytes, kBlockBytes, size, [&](uint64_t block) {
    const uint64_t end = (block + 1) * kBlockBytes;
    for (uint64_t at = block * kBlockBytes; at < end;) {
      const uint64_t from = (at + seed) % file_.size();
      const uint64_t length = std::min<uint64_t>(file_.size() - from, end - at);
      std::memcpy(&bytes[at], &file_[from], length);
      at += length;
    }
  });
}

template <class T>
void ItemSource::extend_floats(ByteArray& floats, std::span<const std::byte> stream, size_t size) const {
  constexpr uint64_t kBlockFloats = kBlockBytes / sizeof(T);
  extend(floats, kBlockBytes, size, [&](uint64_t block) {
    for (uint64_t i = block * kBlockFloats; i < (block + 1) * kBlockFloats; ++i) {
      const auto low = std::to_integer<int>(stream[i * sizeof(T)]);
      int value = low & (sizeof(T) == 2 ? 1 : 7);
      if (random_word(i, kSignSeed) & 1) value = -value;
      T item;
      if constexpr (sizeof(T) == 2)
        item = to_half(static_cast<float>(value));
      else
        item = static_cast<T>(value);
      std::memcpy(&floats[i * sizeof(T)], &item, sizeof item);
    }
  });
}

HostArray ItemSource::items(Type type, uint64_t count) {
  if (!is_float(type)) return array(Data::stream(), size_of(type), count);
  const size_t size = static_cast<size_t>(count) * size_of(type);
  Kept& floats = kept(Data::stream(), type, size_of(type), 0);
  if (floats.bytes.size() < size) {
    // Whole blocks of both, which are not kept beside each other: the stream is soon made again.
    ByteArray stream;
    extend_stream(stream, 0, size);
    switch (type) {
      case Type::f16: extend_floats<Half>(floats.bytes, stream, size); break;
      case Type::f64: extend_floats<double>(floats.bytes, stream, size); break;
      default: extend_floats<float>(floats.bytes, stream, size); break;
    }
  }
  return {std::span(floats.bytes).first(size), floats.id};
}

HostArray ItemSource::array(const Data& data, uint32_t item_bytes, uint64_t count) {
  const size_t size = static_cast<size_t>(count) * item_bytes;
  const bool is_sorted = data.kind == Data::Kind::sorted;
  const bool of_items = data.kind == Data::Kind::runs || is_sorted;
  Kept& array = kept(data, Type::u32, of_items ? item_bytes : 1, is_sorted ? count : 0);
  switch (data.kind) {
    case Data::Kind::stream: extend_stream(array.bytes, data.seed, size); break;
    case Data::Kind::runs: extend_runs(array.bytes, data, item_bytes, count); break;
    case Data::Kind::flags: extend_flags(array.bytes, data, count); break;
    case Data::Kind::noise: extend_noise(array.bytes, data, size); break;
    case Data::Kind::sorted:
      if (array.bytes.size() != size) make_sorted(array.bytes, data, item_bytes, size);
      break;
  }
  return {std::span(array.bytes).first(size), array.id};
}

double ItemSource::run_share(const Data& data, uint32_t item_bytes) const {
  if (data.kind == Data::Kind::runs) return 1.0 / data.mean_run;
  if (data.kind == Data::Kind::flags) return 2 * data.share * (1 - data.share);
  if (file_.empty() || data.kind == Data::Kind::noise)
    return item_bytes >= 8 ? 1 : 1 - std::ldexp(1.0, -8 * static_cast<int>(item_bytes));
  const uint64_t count = file_.size() / item_bytes;
  uint64_t heads = 1;
  for (uint64_t i = 1; i < count; ++i)
    heads += std::memcmp(&file_[i * item_bytes], &file_[(i - 1) * item_bytes], item_bytes) != 0;
  return static_cast<double>(heads) / static_cast<double>(std::max<uint64_t>(count, 1));
}

ItemSource::Bound ItemSource::bound_below(double share, uint32_t bytes, uint32_t stride) const {
  const double values = std::ldexp(1.0, 8 * static_cast<int>(bytes));
  if (share <= 0) return {0, 0};
  if (share >= 1 && bytes < 8) return {uint64_t{1} << 8 * bytes, 1};
  if (file_.size() < stride) {
    const auto value = static_cast<uint64_t>(std::min(share, 0.999) * values);
    return {value, static_cast<double>(value) / values};
  }
  std::vector<uint64_t> numbers(file_.size() / stride);
  for (size_t i = 0; i < numbers.size(); ++i) std::memcpy(&numbers[i], &file_[i * stride], bytes);
  const auto count = static_cast<double>(numbers.size());
  const auto share_below = [&](uint64_t bound) {
    const auto below = std::count_if(numbers.begin(), numbers.end(), [&](uint64_t number) { return number < bound; });
    return static_cast<double>(below) / count;
  };
  const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(share * count, count - 1));
  std::nth_element(numbers.begin(), at, numbers.end());
  // Files have numbers that are frequent, 0 above all: the bound goes before or after them, whichever is nearer.
  const uint64_t number = *at;
  const Bound before{number, share_below(number)};
  const Bound after{number + 1, number == ~uint64_t{0} ? 0 : share_below(number + 1)};
  return std::abs(before.share - share) <= std::abs(after.share - share) ? before : after;
}

}  // namespace weft::bench
