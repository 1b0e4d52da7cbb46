// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/item_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "support/bucket_sort.hpp"
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

void extend_runs(ByteArray& bytes, const Data& data, uint32_t item_bytes, uint64_t count) {
  const uint64_t block_bytes = kBlockItems * item_bytes;
  const uint64_t first = bytes.size() / block_bytes;
  const uint64_t last = (count + kBlockItems - 1) / kBlockItems;
  if (last <= first) return;
  bytes.resize(last * block_bytes);
  for_each_block(last - first, [&](uint64_t block) {
    make_runs(&bytes[(first + block) * block_bytes], first + block, data, item_bytes);
  });
  for (uint64_t block = std::max<uint64_t>(first, 1); block < last; ++block)
    part_runs(&bytes[block * block_bytes], item_bytes);
}

void extend_flags(ByteArray& bytes, const Data& data, uint64_t count) {
  const uint64_t first = bytes.size() / kBlockItems;
  const uint64_t last = (count + kBlockItems - 1) / kBlockItems;
  if (last <= first) return;
  bytes.resize(last * kBlockItems);
  const auto bound = static_cast<uint64_t>(std::llround(data.share * 0x1p32));
  for_each_block(last - first, [&](uint64_t block) {
    const uint64_t begin = (first + block) * kBlockItems;
    for (uint64_t i = begin; i < begin + kBlockItems; ++i)
      bytes[i] = static_cast<std::byte>(random_word(i, kFlagSeed ^ data.seed) < bound);
  });
}

void extend_noise(ByteArray& bytes, const Data& data, size_t size) {
  const uint64_t first = bytes.size() / kBlockBytes;
  const uint64_t last = (size + kBlockBytes - 1) / kBlockBytes;
  if (last <= first) return;
  bytes.resize(last * kBlockBytes);
  for_each_block(last - first, [&](uint64_t block) {
    constexpr uint64_t kWords = kBlockBytes / sizeof(uint32_t);
    for (uint64_t i = (first + block) * kWords; i < (first + block + 1) * kWords; ++i) {
      const uint32_t word = random_word(i, kNoiseSeed ^ data.seed);
      std::memcpy(&bytes[i * sizeof word], &word, sizeof word);
    }
  });
}

void make_sorted(ByteArray& bytes, const Data& data, uint32_t item_bytes, size_t size) {
  ByteArray noise;
  extend_noise(noise, data, size);
  bytes.resize(size);
  const auto sort = [&]<class T>(T* sorted) {
    sort_keys(std::span(reinterpret_cast<const T*>(noise.data()), size / sizeof(T)), sorted);
  };
  if (item_bytes == 8)
    sort(reinterpret_cast<uint64_t*>(bytes.data()));
  else
    sort(reinterpret_cast<uint32_t*>(bytes.data()));
}

// Calls f(differs), where differs(i) says whether item i > 0 has other bits than the one before it.
template <class F>
void with_comparison(const std::byte* items, uint32_t item_bytes, const F& f) {
  const auto typed = [&]<class T>(const T* item) { f([item](uint64_t i) { return item[i] != item[i - 1]; }); };
  switch (item_bytes) {
    case 1: typed(reinterpret_cast<const uint8_t*>(items)); break;
    case 2: typed(reinterpret_cast<const uint16_t*>(items)); break;
    case 4: typed(reinterpret_cast<const uint32_t*>(items)); break;
    case 8: typed(reinterpret_cast<const uint64_t*>(items)); break;
    default:
      f([=](uint64_t i) { return std::memcmp(items + i * item_bytes, items + (i - 1) * item_bytes, item_bytes) != 0; });
  }
}

// Heads are counted block by block, so that each block has where its runs go and where the last of them ends.
void collect_runs(std::span<const std::byte> items, uint32_t item_bytes, ByteArray& symbols,
                  std::vector<uint32_t>& lengths) {
  const uint64_t n = items.size() / item_bytes;
  const uint64_t blocks = (n + kBlockItems - 1) / kBlockItems;
  std::vector<uint64_t> first_run(blocks + 1);
  std::vector<uint64_t> end(blocks + 1, n);  // the first head from a block on
  with_comparison(items.data(), item_bytes, [&](const auto& differs) {
    const auto is_head = [&](uint64_t i) { return i == 0 || differs(i); };
    for_each_block(blocks, [&](uint64_t block) {
      const uint64_t last = std::min((block + 1) * kBlockItems, n);
      uint64_t heads = 0;
      for (uint64_t i = block * kBlockItems; i < last; ++i) heads += is_head(i);
      for (uint64_t i = block * kBlockItems; i < last && end[block] == n; ++i)
        if (is_head(i)) end[block] = i;
      first_run[block + 1] = heads;
    });
    for (uint64_t block = 0; block < blocks; ++block) first_run[block + 1] += first_run[block];
    for (uint64_t block = blocks; block-- > 0;) end[block] = std::min(end[block], end[block + 1]);
    symbols.resize(first_run[blocks] * item_bytes);
    lengths.resize(first_run[blocks]);
    for_each_block(blocks, [&](uint64_t block) {
      const uint64_t last = std::min((block + 1) * kBlockItems, n);
      uint64_t run = first_run[block];
      uint64_t start = end[block];
      if (start >= last) return;
      const auto finish = [&](uint64_t at) {
        std::memcpy(&symbols[run * item_bytes], &items[start * item_bytes], item_bytes);
        lengths[run++] = static_cast<uint32_t>(at - start);
        start = at;
      };
      for (uint64_t i = start + 1; i < last; ++i)
        if (is_head(i)) finish(i);
      finish(end[block + 1]);
    });
  });
}

}  // namespace

ItemSource ItemSource::random() {
  ItemSource source;
  source.name_ = "random";
  return source;
}

Result<ItemSource> ItemSource::file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) return Error{ErrorCode::not_found, "cannot open " + path};
  const std::streamoff size = stream.tellg();
  if (size <= 0) return Error{ErrorCode::invalid_argument, path + " is empty"};
  ItemSource source;
  source.name_ = std::filesystem::path(path).filename().string();
  source.file_.resize(static_cast<size_t>(size));
  stream.seekg(0);
  if (!stream.read(reinterpret_cast<char*>(source.file_.data()), size)) {
    return Error{ErrorCode::not_found, "cannot read " + path};
  }
  return source;
}

ItemSource::Array& ItemSource::kept(const Data& data, Type float_type, uint32_t item_bytes, uint64_t count) {
  auto at = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& array) {
    return array.data == data && array.float_type == float_type && array.item_bytes == item_bytes &&
           array.count == count;
  });
  if (at == arrays_.end()) {
    arrays_.push_back({data, float_type, item_bytes, count, next_id_++, {}});
    at = arrays_.end() - 1;
  }
  std::rotate(at, at + 1, arrays_.end());
  drop_oldest(arrays_, kArrays, [](const Array& array) { return array.bytes.size(); });
  return arrays_.back();
}

void ItemSource::extend_stream(ByteArray& bytes, uint32_t seed, size_t size) const {
  const uint64_t first = bytes.size() / kBlockBytes;
  const uint64_t last = (size + kBlockBytes - 1) / kBlockBytes;
  if (last <= first) return;
  bytes.resize(last * kBlockBytes);
  for_each_block(last - first, [&](uint64_t block) {
    uint64_t at = (first + block) * kBlockBytes;
    const uint64_t end = at + kBlockBytes;
    if (file_.empty()) {
      for (; at < end; at += sizeof(uint32_t)) {
        const uint32_t word = random_word(at / sizeof(uint32_t), kStreamSeed ^ seed);
        std::memcpy(&bytes[at], &word, sizeof word);
      }
    }
    while (at < end) {
      const uint64_t from = (at + seed) % file_.size();
      const uint64_t length = std::min<uint64_t>(file_.size() - from, end - at);
      std::memcpy(&bytes[at], &file_[from], length);
      at += length;
    }
  });
}

template <class T>
void ItemSource::extend_floats(ByteArray& floats, std::span<const std::byte> stream, size_t size) const {
  const uint64_t first = floats.size() / kBlockBytes;
  const uint64_t last = (size + kBlockBytes - 1) / kBlockBytes;
  if (last <= first) return;
  floats.resize(last * kBlockBytes);
  for_each_block(last - first, [&](uint64_t block) {
    const uint64_t begin = (first + block) * kBlockBytes / sizeof(T);
    for (uint64_t i = begin; i < begin + kBlockBytes / sizeof(T); ++i) {
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
  Array& floats = kept(Data::stream(), type, size_of(type), 0);
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
  Array& array = kept(data, Type::u32, of_items ? item_bytes : 1, is_sorted ? count : 0);
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

ItemSource::Runs ItemSource::runs_of(const Data& data, uint32_t item_bytes, uint64_t count) {
  if (!encoded_ || encoded_->data != data || encoded_->item_bytes != item_bytes || encoded_->count != count) {
    encoded_.reset();
    const HostArray items = array(data, item_bytes, count);
    Encoded encoded{data, item_bytes, count, {}, {}, next_id_};
    next_id_ += 2;
    collect_runs(items.bytes, item_bytes, encoded.symbols, encoded.lengths);
    encoded_ = std::move(encoded);
  }
  return {{encoded_->symbols, encoded_->id},
          {std::as_bytes(std::span(encoded_->lengths)), encoded_->id + 1},
          encoded_->lengths.size()};
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
  const Bound behind{number + 1, number == ~uint64_t{0} ? 0 : share_below(number + 1)};
  return std::abs(before.share - share) <= std::abs(behind.share - share) ? before : behind;
}

}  // namespace weft::bench
