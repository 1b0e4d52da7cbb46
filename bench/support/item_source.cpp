// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/item_source.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "support/half.hpp"

namespace weft::bench {
namespace {

// Signs come from a stream of their own: in a file the item's own bits would lean to one side and sums would grow.
constexpr uint32_t kSignSeed = 0x7369676e;

constexpr size_t kStreamAlignment = 8;  // the widest item

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

void ItemSource::extend_bytes(size_t size) {
  size = (size + kStreamAlignment - 1) / kStreamAlignment * kStreamAlignment;
  size_t at = bytes_.size();
  if (at >= size) return;
  bytes_.resize(size);
  if (file_.empty()) {
    for (; at < size; at += sizeof(uint32_t)) {
      const uint32_t word = random_word(at / sizeof(uint32_t));
      std::memcpy(&bytes_[at], &word, sizeof word);
    }
  } else {
    while (at < size) {
      const size_t from = at % file_.size();
      const size_t length = std::min(file_.size() - from, size - at);
      std::memcpy(&bytes_[at], &file_[from], length);
      at += length;
    }
  }
}

template <class T>
void ItemSource::extend_floats(size_t size) {
  const size_t first = floats_.size() / sizeof(T);
  if (floats_.size() >= size) return;
  floats_.resize(size);
  for (size_t i = first; i < size / sizeof(T); ++i) {
    const auto low = std::to_integer<int>(bytes_[i * sizeof(T)]);
    int value = low & (sizeof(T) == 2 ? 1 : 7);
    if (random_word(i, kSignSeed) & 1) value = -value;
    T item;
    if constexpr (sizeof(T) == 2)
      item = to_half(static_cast<float>(value));
    else
      item = static_cast<T>(value);
    std::memcpy(&floats_[i * sizeof(T)], &item, sizeof item);
  }
}

std::span<const std::byte> ItemSource::items(Type type, uint64_t count) {
  const size_t size = static_cast<size_t>(count) * size_of(type);
  extend_bytes(size);
  if (!is_float(type)) return std::span(bytes_).first(size);
  if (type != float_type_) {
    floats_ = {};
    float_type_ = type;
  }
  switch (type) {
    case Type::f16: extend_floats<Half>(size); break;
    case Type::f64: extend_floats<double>(size); break;
    default: extend_floats<float>(size); break;
  }
  return std::span(floats_).first(size);
}

}  // namespace weft::bench
