// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/sound_calls.hpp"

namespace weft::test {
namespace {

// Of no buffer.
constexpr VkDeviceAddress kAddress = VkDeviceAddress{1} << 40;

template <class T>
std::span<const std::byte> bytes_of(const T& object) {
  return std::as_bytes(std::span(&object, 1));
}

// A sound call of a primitive, and the breaches of one of its ranges.
class Refusals {
 public:
  Refusals(const std::string& primitive, std::span<const std::byte> sound, const Ranges& ranges,
           const RecordBytes& record)
      : primitive_(primitive), sound_(sound), ranges_(ranges), record_(record) {}

  void check_bounds(const Ranges::Range& range) const;
  void check_sizes(const Ranges::Range& range) const;
  void check_overlaps(const Ranges::Range& range) const;

 private:
  template <class T>
  std::string error_with(const Ranges::Range& range, const T& changed, const std::string& what,
                         size_t before = 0) const {
    std::vector<std::byte> args(sound_.begin(), sound_.end());
    change(args, range, bytes_of(changed), before);
    const std::optional<Error> error = record_(args);
    REQUIRE_MESSAGE(error, range.name, " ", what, " is taken");
    CHECK(error->code == ErrorCode::invalid_argument);
    return error->message;
  }
  void refused(const Ranges::Range& range, const BufferRange& changed, const std::string& what,
               const std::string& words = "") const {
    const std::string message = error_with(range, changed, what);
    INFO(range.name, " ", what);
    CHECK_MESSAGE(message.starts_with(primitive_ + ": " + range.name + ' ' + words), message);
  }

  const std::string& primitive_;
  std::span<const std::byte> sound_;
  const Ranges& ranges_;
  const RecordBytes& record_;
};

void Refusals::check_bounds(const Ranges::Range& range) const {
  const BufferRange sound = range.range;
  const VkDeviceSize bytes = sound.size, whole = ranges_.buffer_bytes(sound.buffer);
  if (!range.may_be_null)
    refused(range, {VK_NULL_HANDLE, sound.offset, bytes}, "null", range.is_count ? "" : "has no buffer");
  refused(range, {sound.buffer, sound.offset, bytes, kAddress}, "with an address too", "has a buffer and an address");
  refused(range, {VK_NULL_HANDLE, ~kAddress - bytes / 2, bytes, kAddress}, "of addresses that wrap");
  refused(range, BufferRange::at(kAddress, VK_WHOLE_SIZE), "of VK_WHOLE_SIZE at an address");
  refused(range, {sound.buffer, sound.offset, VK_WHOLE_SIZE}, "of VK_WHOLE_SIZE");
  refused(range, {sound.buffer, 64, VK_WHOLE_SIZE}, "of VK_WHOLE_SIZE from 64 on");
  refused(range, {sound.buffer, ~VkDeviceSize{0} - bytes / 2 - 15, bytes}, "with an end that wraps");
  refused(range, {sound.buffer, VkDeviceSize{1} << 20, bytes}, "past the end");
  // By 256 bytes more than the buffer has: a driver may round its size up, and then weft cannot know better.
  refused(range, {sound.buffer, (whole + 511) / 256 * 256 - bytes, bytes}, "over the end");
}

void Refusals::check_sizes(const Ranges::Range& range) const {
  const BufferRange sound = range.range;
  const VkDeviceSize bytes = sound.size;
  if (!range.any_size)
    for (const VkDeviceSize fewer : {VkDeviceSize{1}, bytes})
      refused(range, {sound.buffer, sound.offset, bytes - fewer}, "of " + std::to_string(fewer) + " bytes fewer");
  if (range.is_count)
    for (const VkDeviceSize more : {VkDeviceSize{1}, 2 * bytes})
      refused(range, {sound.buffer, sound.offset, bytes + more}, "of " + std::to_string(more) + " bytes more");
  for (VkDeviceSize off = 1; off < range.alignment; off *= 2)
    for (const BufferRange& misaligned :
         {BufferRange{sound.buffer, sound.offset + off, bytes}, BufferRange::at(kAddress + off, bytes)})
      refused(range, misaligned, "off by " + std::to_string(off),
              "does not begin at a multiple of " + std::to_string(range.alignment));
  if (range.is_count && !range.written) {
    // Where a Count has its range: it is the first whose buffer is this one.
    const Count count = Count::on_device(sound, 1);
    const auto before =
        static_cast<size_t>(reinterpret_cast<const char*>(&count.range()) - reinterpret_cast<const char*>(&count));
    const std::string message = error_with(range, Count(~uint64_t{0}), "of all bits", before);
    CHECK_MESSAGE(message.starts_with(primitive_ + ": " + range.name + ' '), message);
  }
}

void Refusals::check_overlaps(const Ranges::Range& range) const {
  const VkDeviceSize bytes = range.range.size;
  for (const Ranges::Range& other : ranges_.all()) {
    if (&other == &range) continue;
    // Both from one byte on; over the other's last items; into the other's first ones.
    const VkDeviceSize last = (other.range.size - 1) / range.alignment * range.alignment;
    const VkDeviceSize first = (bytes - 1) / range.alignment * range.alignment;
    for (const VkDeviceSize offset : {other.range.offset, other.range.offset + last, other.range.offset - first}) {
      if (offset == other.range.offset && other.name == range.may_be) continue;
      const std::string message =
          error_with(range, BufferRange{other.range.buffer, offset, bytes}, "over " + other.name);
      const auto says = [&](const std::string& one, const std::string& another) {
        return (message + ' ').starts_with(primitive_ + ": " + one + " overlaps " + another + ' ');
      };
      CHECK_MESSAGE((says(range.name, other.name) || says(other.name, range.name)), message);
    }
  }
}

}  // namespace

void change(std::span<std::byte> args, const Ranges::Range& range, std::span<const std::byte> changed, size_t before) {
  for (size_t i = 0; i + sizeof(BufferRange) <= args.size(); i += alignof(BufferRange)) {
    if (std::memcmp(args.data() + i, &range.range.buffer, sizeof(VkBuffer)) != 0) continue;
    REQUIRE((i >= before && i - before + changed.size() <= args.size()));
    std::memcpy(args.data() + i - before, changed.data(), changed.size());
    return;
  }
  FAIL("the arguments have no ", range.name);
}

void check_standard_refusals(const std::string& primitive, std::span<const std::byte> sound, const Ranges& ranges,
                             const RecordBytes& record) {
  const Refusals refusals(primitive, sound, ranges, record);
  for (const Ranges::Range& range : ranges.all()) {
    refusals.check_bounds(range);
    refusals.check_sizes(range);
    if (range.written) refusals.check_overlaps(range);
  }
}

}  // namespace weft::test
