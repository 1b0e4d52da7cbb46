// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "gpu/state.hpp"
#include "runtime/context_state.hpp"
#include "runtime/error.hpp"

namespace weft {
namespace {

using runtime::record_barrier;
using runtime::Staging;
using runtime::Submission;

Status check_range(const Context& context, const BufferRange& range, const char* name, uint64_t bytes) {
  if (range.buffer == VK_NULL_HANDLE) return Error{ErrorCode::invalid_argument, std::string(name) + ".buffer is null"};
  if (range.size == VK_WHOLE_SIZE)
    return Error{ErrorCode::invalid_argument, std::string(name) + ".size is VK_WHOLE_SIZE, and no number of bytes"};
  if (range.size < bytes) {
    return Error{ErrorCode::invalid_argument, std::string(name) + ".size is " + std::to_string(range.size) +
                                                  " bytes, less than the " + std::to_string(bytes) + " to copy"};
  }
  const VkDeviceSize end = context.state()->memory_size(range.buffer);
  if (range.offset > end || range.size > end - range.offset)
    return Error{ErrorCode::invalid_argument, std::string(name) + " reaches past the end of its buffer"};
  return {};
}

// Part `i` of a transfer that goes through half i % 2 of the staging buffer.
struct Part {
  VkDeviceSize offset;
  VkDeviceSize size;
};

Part part_of(VkDeviceSize total, VkDeviceSize i) {
  const VkDeviceSize offset = i * Staging::kHalfBytes;
  return {offset, std::min(Staging::kHalfBytes, total - offset)};
}

VkDeviceSize part_count(VkDeviceSize total) { return (total + Staging::kHalfBytes - 1) / Staging::kHalfBytes; }

VkDeviceSize half_offset(VkDeviceSize i) { return i % 2 * Staging::kHalfBytes; }

}  // namespace

Status Gpu::upload(const BufferRange& to, std::span<const std::byte> bytes) noexcept try {
  if (bytes.empty()) return {};
  if (Status status = check_range(context(), to, "to", bytes.size()); !status) return status;
  const std::lock_guard lock(state_->mutex);
  if (Status status = state_->prepare_staging(); !status) return status;
  Status status = state_->upload_staged(to, bytes);
  if (!status) state_->settle_staging();
  return status;
} catch (...) {
  return runtime::caught();
}

Status Gpu::download(const BufferRange& from, std::span<std::byte> bytes) noexcept try {
  if (bytes.empty()) return {};
  if (Status status = check_range(context(), from, "from", bytes.size()); !status) return status;
  const std::lock_guard lock(state_->mutex);
  if (Status status = state_->prepare_staging(); !status) return status;
  Status status = state_->download_staged(from, bytes);
  if (!status) state_->settle_staging();
  return status;
} catch (...) {
  return runtime::caught();
}

Status Gpu::fill(const BufferRange& range, uint32_t word) noexcept try {
  if (range.offset % 4 != 0) return Error{ErrorCode::invalid_argument, "range.offset is not a multiple of 4"};
  if (range.size % 4 != 0) return Error{ErrorCode::invalid_argument, "range.size is not a multiple of 4"};
  if (range.size == 0) return {};
  if (Status status = check_range(context(), range, "range", 0); !status) return status;
  State& state = *state_;
  const auto done = run([&](VkCommandBuffer commands) {
    state.table.vkCmdFillBuffer(commands, range.buffer, range.offset, range.size, word);
    return Status{};
  });
  return done.status();
} catch (...) {
  return runtime::caught();
}

Status Gpu::State::prepare_staging() {
  if (staging.buffer.mapped != nullptr) return {};
  for (Submission& half : staging.halves) {
    if (half.fence) continue;
    if (Status status = create_submission(half); !status) return status;
  }
  const VkResult result = vk::create_bound_buffer(ref(), memory, 2 * Staging::kHalfBytes,
                                                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                  vk::MemoryUse::staging, staging.buffer);
  if (result != VK_SUCCESS) {
    return runtime::error_of(result,
                             ("a staging buffer of " + runtime::bytes_in_words(2 * Staging::kHalfBytes)).c_str());
  }
  return {};
}

// After a failure: nothing may still be reading or writing the staging buffer when the next transfer starts.
void Gpu::State::settle_staging() noexcept {
  for (Submission& half : staging.halves) static_cast<void>(wait(half));
}

Status Gpu::State::upload_staged(const BufferRange& to, std::span<const std::byte> bytes) noexcept try {
  for (VkDeviceSize i = 0; i < part_count(bytes.size()); ++i) {
    const Part part = part_of(bytes.size(), i);
    Submission& half = staging.halves[i % 2];
    if (Status status = wait(half); !status) return status;
    std::memcpy(static_cast<std::byte*>(staging.buffer.mapped) + half_offset(i), bytes.data() + part.offset, part.size);

    if (Status status = begin(half); !status) return status;
    record_barrier(table, half.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                   VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    const VkBufferCopy copy{half_offset(i), to.offset + part.offset, part.size};
    table.vkCmdCopyBuffer(half.commands, staging.buffer.buffer.get(), to.buffer, 1, &copy);
    record_barrier(table, half.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    if (Status status = submit(half); !status) return status;
  }
  for (Submission& half : staging.halves) {
    if (Status status = wait(half); !status) return status;
  }
  return {};
} catch (...) {
  return runtime::caught();
}

Status Gpu::State::download_staged(const BufferRange& from, std::span<std::byte> bytes) noexcept try {
  const VkDeviceSize count = part_count(bytes.size());
  for (VkDeviceSize i = 0; i <= count; ++i) {
    if (i < count) {
      const Part part = part_of(bytes.size(), i);
      Submission& half = staging.halves[i % 2];
      if (Status status = begin(half); !status) return status;
      record_barrier(table, half.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                     VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
      const VkBufferCopy copy{from.offset + part.offset, half_offset(i), part.size};
      table.vkCmdCopyBuffer(half.commands, from.buffer, staging.buffer.buffer.get(), 1, &copy);
      record_barrier(table, half.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                     VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
      if (Status status = submit(half); !status) return status;
    }
    if (i == 0) continue;
    // While the device copies part i, the host takes part i - 1.
    const Part part = part_of(bytes.size(), i - 1);
    if (Status status = wait(staging.halves[(i - 1) % 2]); !status) return status;
    std::memcpy(bytes.data() + part.offset, static_cast<const std::byte*>(staging.buffer.mapped) + half_offset(i - 1),
                part.size);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

namespace runtime {

Status grow(Gpu& gpu, std::optional<Buffer>& buffer, VkDeviceSize bytes) {
  if (buffer && buffer->size() >= bytes) return {};
  buffer.reset();
  auto created = gpu.create_buffer(bytes);
  if (!created) return created.error();
  buffer.emplace(*std::move(created));
  return {};
}

}  // namespace runtime
}  // namespace weft
