// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/guarded_buffer.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace weft::test {

namespace {

// No two neighbouring words are equal, and no byte repeats within a vector.
std::byte pattern(VkDeviceSize position) { return static_cast<std::byte>(position * 37 + (position >> 8) * 11 + 0x5a); }

Buffer create(Gpu& gpu, VkDeviceSize bytes) {
  Result<Buffer> buffer = gpu.create_buffer(bytes);
  if (!buffer) FAIL("a buffer of ", bytes, " bytes: ", buffer.error().message);
  return std::move(*buffer);
}

}  // namespace

GuardedBuffer::GuardedBuffer(Gpu& gpu, VkDeviceSize bytes, VkDeviceSize misalignment,
                             std::span<const std::byte> contents, uint8_t dirt)
    : gpu_(&gpu),
      first_(kGuard + misalignment),
      bytes_(bytes),
      image_((first_ + bytes + kGuard + 15) / 16 * 16),
      buffer_(create(gpu, image_.size())) {
  REQUIRE(buffer_.address() % 16 == 0);
  REQUIRE(contents.size() <= bytes);
  for (VkDeviceSize position = 0; position < first_; ++position) image_[position] = pattern(position);
  std::copy(contents.begin(), contents.end(), image_.begin() + static_cast<std::ptrdiff_t>(first_));
  std::fill_n(image_.begin() + static_cast<std::ptrdiff_t>(first_ + contents.size()), bytes - contents.size(),
              static_cast<std::byte>(dirt));
  for (VkDeviceSize position = first_ + bytes; position < image_.size(); ++position)
    image_[position] = pattern(position);
  const Status uploaded = gpu.upload(buffer_.range(), image_);
  if (!uploaded) FAIL(uploaded.error().message);
}

std::string GuardedBuffer::read(std::vector<std::byte>& contents) {
  const Status downloaded = gpu_->download(buffer_.range(), image_);
  if (!downloaded) FAIL(downloaded.error().message);
  const auto begin = image_.begin() + static_cast<std::ptrdiff_t>(first_);
  contents.assign(begin, begin + static_cast<std::ptrdiff_t>(bytes_));
  for (VkDeviceSize position = first_; position-- > 0;)
    if (image_[position] != pattern(position)) return "byte " + std::to_string(first_ - position) + " before the range";
  for (VkDeviceSize position = first_ + bytes_; position < image_.size(); ++position)
    if (image_[position] != pattern(position))
      return "byte " + std::to_string(position - first_ - bytes_) + " after the range";
  return {};
}

std::string GuardedBuffer::overwritten() {
  std::vector<std::byte> contents;
  return read(contents);
}

}  // namespace weft::test
