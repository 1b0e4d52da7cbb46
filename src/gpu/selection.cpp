// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <charconv>
#include <string>

#include "gpu/instance.hpp"

namespace weft {

const char* name_of(GpuKind kind) noexcept {
  switch (kind) {
    case GpuKind::discrete: return "discrete";
    case GpuKind::integrated: return "integrated";
    case GpuKind::virtual_gpu: return "virtual";
    case GpuKind::software: return "software";
    case GpuKind::other: return "other";
  }
  return "other";
}

std::array<char, 37> uuid_string(const GpuInfo& info) noexcept {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<char, 37> text{};
  size_t at = 0;
  for (size_t i = 0; i < info.uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[at++] = '-';
    text[at++] = kDigits[info.uuid[i] >> 4];
    text[at++] = kDigits[info.uuid[i] & 15];
  }
  return text;
}

namespace runtime {
namespace {

// A number of so many digits is an index even where the list is shorter: "4" does not mean some "RTX 4090".
constexpr size_t kIndexDigits = 2;

// ASCII only: device names and UUIDs hold nothing else.
std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

bool is_uuid(const std::string& text) {
  const std::string digits = without_dashes(text);
  return digits.size() == 2 * VK_UUID_SIZE && digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string describe(const std::vector<ListedGpu>& list) {
  std::string text;
  for (const ListedGpu& gpu : list) {
    text += (text.empty() ? "" : ", ") + std::to_string(gpu.info.index) + " " + gpu.info.name + " (" +
            name_of(gpu.info.kind) + (gpu.info.support.usable() ? ")" : ", cannot run weft)");
  }
  return text;
}

Error unusable(const GpuInfo& info) {
  std::string message = info.name + " cannot run weft: it lacks ";
  for (size_t i = 0; i < info.support.missing.size(); ++i) message += (i == 0 ? "" : "; ") + info.support.missing[i];
  return {ErrorCode::missing_feature, message};
}

}  // namespace

Result<uint32_t> select_gpu(const std::vector<ListedGpu>& list, std::string_view selection) {
  if (list.empty()) return Error{ErrorCode::not_found, "this machine has no Vulkan device"};

  std::vector<uint32_t> fitting;
  const std::string wanted = lower(selection);
  uint32_t index = 0;
  const auto [end, code] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  const bool is_number = code == std::errc{} && end == wanted.data() + wanted.size();
  if (is_number && (index < list.size() || wanted.size() <= kIndexDigits)) {
    if (index < list.size()) fitting.push_back(index);
  } else {
    for (const ListedGpu& gpu : list) {
      const bool fits = is_uuid(wanted) ? without_dashes(uuid_string(gpu.info).data()) == without_dashes(wanted)
                                        : lower(gpu.info.name).find(wanted) != std::string::npos;
      if (fits) fitting.push_back(gpu.info.index);
    }
  }
  if (fitting.empty()) {
    return Error{ErrorCode::not_found,
                 "no Vulkan device fits '" + std::string(selection) + "'; there are " + describe(list)};
  }
  const auto usable = std::ranges::find_if(fitting, [&](uint32_t i) { return list[i].info.support.usable(); });
  if (usable == fitting.end()) return unusable(list[fitting.front()].info);
  return *usable;
}

// The family for weft's queue. Timestamps come first, because figures depend on them; then graphics, because the
// universal family is the one every driver serves best and, unlike a compute-only one, is rarely narrowed in hardware.
uint32_t choose_queue_family(const std::vector<VkQueueFamilyProperties>& families) {
  uint32_t best = 0;
  int best_score = -1;
  for (uint32_t i = 0; i < families.size(); ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || families[i].queueCount == 0) continue;
    const int score =
        (families[i].timestampValidBits > 0 ? 2 : 0) + ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0 ? 1 : 0);
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

std::optional<uint32_t> choose_second_family(const std::vector<VkQueueFamilyProperties>& families, uint32_t first) {
  if (families[first].queueCount > 1) return first;
  for (uint32_t i = 0; i < families.size(); ++i)
    if (i != first && (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && families[i].queueCount > 0) return i;
  return std::nullopt;
}

std::optional<uint32_t> choose_copy_family(const std::vector<VkQueueFamilyProperties>& families) {
  constexpr VkQueueFlags kKinds = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  for (uint32_t i = 0; i < families.size(); ++i)
    if ((families[i].queueFlags & kKinds) == VK_QUEUE_TRANSFER_BIT && families[i].queueCount > 0) return i;
  return std::nullopt;
}

}  // namespace runtime
}  // namespace weft
