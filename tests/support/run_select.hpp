// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs a Select or a Partition once, in guarded buffers and on dirty scratch, and compares all that it writes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/select.hpp>

#include "support/primitive_call.hpp"

namespace weft::test {

/// What is selected from, as bytes, and which partition each item goes to by the oracle: of one partition, 0 is kept.
struct Selection {
  std::vector<std::byte> tested;
  std::vector<std::byte> moved;
  std::vector<uint8_t> partitions;
};

struct SelectRunOptions {
  VkDeviceSize tested_misalignment = 0;  ///< of addresses, modulo 16
  VkDeviceSize moved_misalignment = 0;
  VkDeviceSize output_misalignment = 0;
  std::optional<DeviceCount> device_count{};  ///< its value is the items that count; partitions has as many
  bool wide_counts = false;                   ///< written counts are u64
  Value a{};
  Value b{};
  uint32_t items_per_workgroup = 64;  ///< of what Select's count dispatches; 0: nothing
  uint8_t dirt = 0xdb;
};

/// The first thing that is not as expected; empty where all is.
std::string check_selection(Gpu& gpu, const Select& select, const SelectConfig& config, const Selection& selection,
                            const SelectRunOptions& options = {});
std::string check_selection(Gpu& gpu, const Partition& partition, const PartitionConfig& config,
                            const Selection& selection, const SelectRunOptions& options = {});

}  // namespace weft::test
