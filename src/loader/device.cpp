// SPDX-License-Identifier: MIT OR Apache-2.0
#include "loader/device.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <weft/gstd_decode.hpp>

#include "loader/loader_state.hpp"
#include "loader/recording.hpp"
#include "loader/space.hpp"
#include "runtime/caught.hpp"
#include "runtime/error.hpp"

namespace weft::loader {

namespace {

constexpr uint32_t kSlots = 3;
// Tables, of which GstdDecode's have the largest entries, statuses and sizes.
constexpr uint64_t kSlotControl = kMaxEntries * kTableBytes;
static_assert(sizeof(GstdTile) >= sizeof(ZstdFrame) && sizeof(GstdTile) >= sizeof(GdeflatePage));

class VulkanDevice final : public Device {
 public:
  explicit VulkanDevice(const Context& context, const LoaderDevice& device)
      : context_(context),
        state_(context.state()),
        device_(device),
        functions_(load_functions(context.device(), device)) {}

  ~VulkanDevice() override {
    for (Slot& slot : slots_) close_semaphore(slot);
  }
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;

  Status open(const Context& context, const LoaderConfig& config);

  std::span<std::byte> staging() const noexcept override { return staging_.bytes().subspan(control_bytes_); }
  bool imports_staging() const noexcept override { return staging_.is_imported(); }
  std::span<std::byte> window() const noexcept override { return window_.bytes(); }
  uint64_t bytes() const noexcept override { return staging_.bytes().size() + window_.bytes().size() + arena_.size; }
  bool can_decode(uint32_t tile_bytes) const noexcept override { return tile_bytes <= gstd::kDefaultTileBytes; }
  uint64_t decoded_at_once() const noexcept override { return decoded_at_once_; }
  bool fits(uint64_t stored_bytes, uint64_t image_bytes) const noexcept override {
    return stored_bytes + 2 * Space::kBlock + image_bytes + kImageAlignment <= slots_[0].temporary.size &&
           image_bytes / gstd::kMinTileBytes + 2 <= kMaxEntries;
  }
  bool has_queue() const noexcept override { return device_.queue != VK_NULL_HANDLE; }
  uint32_t pieces() const noexcept override {
    uint32_t count = 0;
    for (const Slot& slot : slots_) count += slot.pieces.size();
    return count;
  }
  bool has_room() const noexcept override {
    return lost_ || std::ranges::any_of(slots_, [](const Slot& slot) { return slot.pieces.empty(); });
  }
  void submit(PieceList& pieces, PieceList& ended) noexcept override;
  Result<uint64_t> record(VkCommandBuffer commands, PieceList& pieces, PieceList& ended) noexcept override;
  void retire(uint64_t number) noexcept override { retired_ = std::max(retired_, number); }
  void reap(PieceList& ended) noexcept override;
  bool signal(const LoadSignal& signal) const noexcept override;

 private:
  Status open_window(const LoaderConfig& config);
  Status open_slot(Slot& slot, uint32_t index);
  Slot& free_slot() {
    return *std::ranges::find_if(slots_, [](const Slot& slot) { return slot.pieces.empty(); });
  }
  Status open_commands(uint32_t family, vk::UniqueCommandPool& pool, VkCommandBuffer& commands);
  Status open_semaphore(Slot& slot);
  void close_semaphore(Slot& slot) noexcept;
  Status begin(const vk::UniqueCommandPool& pool, VkCommandBuffer commands);
  Status record_into(Slot& slot, VkCommandBuffer commands, const CopyLane* lane, PieceList& pieces, PieceList& ended);
  bool can_take(const Piece& piece);
  void give_back_files(PieceList& pieces, PieceList& ended);
  void take_back_copies(Slot& slot);
  Status submit_commands(Slot& slot, PieceList& pieces, PieceList& ended);
  void end(Slot& slot, RequestStatus status, PieceList& ended) noexcept;
  bool is_done(const Slot& slot, RequestStatus& status);

  Context context_;
  std::shared_ptr<const runtime::ContextState> state_;
  LoaderDevice device_;
  Functions functions_;
  Staging staging_, window_;
  uint64_t control_bytes_ = 0, decoded_at_once_ = 0;
  vk::BoundBuffer arena_;
  Decoders decoders_;
  BufferRange scratch_;
  std::array<Slot, kSlots> slots_;
  uint64_t number_ = 0, retired_ = 0;
  bool lost_ = false;
  bool copies_source_ = false;
};

Status VulkanDevice::open(const Context& context, const LoaderConfig& config) {
  const bool has_semaphores = functions_.create_semaphore != nullptr && functions_.destroy_semaphore != nullptr &&
                              functions_.queue_wait_idle != nullptr;
  if (functions_.copy_to_image == nullptr || functions_.reset_pool == nullptr ||
      (has_copy_queue(device_) && !has_semaphores))
    return Error{ErrorCode::driver_error, "Loader: the device lacks functions of Vulkan 1.0"};
  // Over a bus, tiles are read many times slower than they are copied.
  const VkPhysicalDeviceType type = state_->traits().type;
  copies_source_ = (type != VK_PHYSICAL_DEVICE_TYPE_CPU && type != VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU) ||
                   (config.hooks != nullptr && config.hooks->copies_source);
  control_bytes_ = Space::rounded(kSlots * kSlotControl);
  const uint64_t staging_bytes = Space::rounded(config.staging_bytes);
  if (Status status = staging_.create(*state_, device_, config, staging_bytes); !status) return status;
  if (Status status = open_window(config); !status) return status;

  GstdDecodeConfig decode;
  decode.verify = config.verify;
  decode.tiles_in_flight = std::max(config.tiles_in_flight, 1u);
  if (config.tiles_in_flight == 0) {
    // As many as half of the memory holds: scratch grows by tiles.
    decode.tiles_in_flight = 1;
    const auto one = GstdDecode::create(context, decode);
    if (!one) return one.error();
    decode.tiles_in_flight =
        static_cast<uint32_t>(std::clamp<uint64_t>(config.device_bytes / 2 / one->scratch_size(1), 1, kMaxEntries));
  }
  auto decoder = GstdDecode::create(context, decode);
  if (!decoder) return decoder.error();
  const uint64_t scratch = Space::rounded(decoder->scratch_size(kMaxEntries));
  const uint64_t temporary = config.device_bytes > scratch ? (config.device_bytes - scratch) / kSlots : 0;
  if (temporary < (uint64_t{4} << 20))
    return Error{ErrorCode::invalid_argument, "Loader: device_bytes is too small: scratch takes " +
                                                  std::to_string(scratch) + " bytes, and submissions 4 MiB each"};
  const VkResult result = vk::create_bound_buffer(
      {&state_->vk(), state_->device(), state_->allocator()}, memory_of(device_), config.device_bytes,
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
          VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
      vk::MemoryUse::device, arena_);
  if (result != VK_SUCCESS) return runtime::error_of(result, "device memory of Loader");
  decoders_.gstd = *std::move(decoder);
  decoded_at_once_ = uint64_t{decode.tiles_in_flight} * gstd::kDefaultTileBytes;
  scratch_ = {arena_.buffer.get(), 0, scratch};
  for (uint32_t i = 0; i < kSlots; ++i) {
    slots_[i].temporary = {arena_.buffer.get(), scratch + i * (temporary / 192 * 192), temporary / 192 * 192};
    if (Status status = open_slot(slots_[i], i); !status) return status;
  }
  return {};
}

// Of the budget it takes what others leave.
Status VulkanDevice::open_window(const LoaderConfig& config) {
  constexpr uint64_t kSmallHeap = uint64_t{256} << 20;  // of devices whose memory the host sees but a part of
  const bool is_asked = config.staging == StagingMemory::device;
  const bool is_usual = config.staging == StagingMemory::automatic && copies_source_ && !config.direct &&
                        config.decode_on_device && !staging_.is_imported();
  if (!is_asked && !is_usual) return {};
  const uint64_t heap = window_bytes(memory_of(device_));
  const uint64_t taken = staging_.bytes().size() + config.device_bytes + fixed_bytes(config);
  const uint64_t left = config.budget_bytes - std::min(taken, config.budget_bytes);
  const uint64_t bytes = std::min({staging_.bytes().size(), heap / 4, left}) / Space::kBlock * Space::kBlock;
  const bool has_heap = heap > kSmallHeap;
  if (has_heap && bytes >= kLeastStaging) {
    Status status = window_.create_window(*state_, device_, bytes);
    // What was not asked for need not be there.
    if (status || is_asked) return status;
  }
  if (!is_asked) return {};
  if (!has_heap) return Error{ErrorCode::unsupported, "Loader: the host sees no more than 256 MiB of device memory"};
  return Error{ErrorCode::invalid_argument, "Loader: budget_bytes leaves no 8 MiB of device memory for staging"};
}

Status VulkanDevice::open_slot(Slot& slot, uint32_t index) {
  slot.control = {staging_.buffer(), index * kSlotControl, kSlotControl};
  slot.mapped = staging_.bytes().data() + slot.control.offset;
  if (!has_queue()) return {};
  if (Status status = open_commands(device_.queue_family, slot.pool, slot.commands); !status) return status;
  const vk::DeviceRef ref{&state_->vk(), state_->device(), state_->allocator()};
  VkFenceCreateInfo fence_info{};
  fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  const VkResult result = state_->vk().vkCreateFence(ref.device, &fence_info, ref.allocator, &fence);
  if (result != VK_SUCCESS) return runtime::error_of(result, "vkCreateFence");
  slot.fence = vk::UniqueFence(ref, fence);
  if (!has_copy_queue(device_)) return {};
  if (Status status = open_commands(device_.copy_queue_family, slot.copy_pool, slot.copy_commands); !status)
    return status;
  return open_semaphore(slot);
}

Status VulkanDevice::open_commands(uint32_t family, vk::UniqueCommandPool& pool, VkCommandBuffer& commands) {
  const vk::DeviceRef ref{&state_->vk(), state_->device(), state_->allocator()};
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = family;
  VkCommandPool created = VK_NULL_HANDLE;
  VkResult result = state_->vk().vkCreateCommandPool(ref.device, &pool_info, ref.allocator, &created);
  if (result != VK_SUCCESS) return runtime::error_of(result, "vkCreateCommandPool");
  pool = vk::UniqueCommandPool(ref, created);
  VkCommandBufferAllocateInfo commands_info{};
  commands_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands_info.commandPool = created;
  commands_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands_info.commandBufferCount = 1;
  result = state_->vk().vkAllocateCommandBuffers(ref.device, &commands_info, &commands);
  if (result != VK_SUCCESS) return runtime::error_of(result, "vkAllocateCommandBuffers");
  return {};
}

Status VulkanDevice::open_semaphore(Slot& slot) {
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  const VkResult result = functions_.create_semaphore(state_->device(), &info, state_->allocator(), &slot.copied);
  if (result != VK_SUCCESS) return runtime::error_of(result, "vkCreateSemaphore");
  return {};
}

void VulkanDevice::close_semaphore(Slot& slot) noexcept {
  if (slot.copied != VK_NULL_HANDLE) functions_.destroy_semaphore(state_->device(), slot.copied, state_->allocator());
  slot.copied = VK_NULL_HANDLE;
}

Status VulkanDevice::begin(const vk::UniqueCommandPool& pool, VkCommandBuffer commands) {
  VkResult result = functions_.reset_pool(state_->device(), pool.get(), 0);
  if (result != VK_SUCCESS) return runtime::error_of(result, "vkResetCommandPool");
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  result = state_->vk().vkBeginCommandBuffer(commands, &info);
  if (result != VK_SUCCESS) return runtime::error_of(result, "vkBeginCommandBuffer");
  return {};
}

// Whether a submission can decode the piece. Pipelines for frames and pages are built when the first one comes.
bool VulkanDevice::can_take(const Piece& piece) {
  if (!piece.is_file()) return true;
  const bool is_image = std::holds_alternative<ImageDestination>(piece.request->to);
  const uint64_t copied = copies_source_ ? piece.read_bytes : 0, image = is_image ? piece.output_bytes : 0;
  if (copied + image + 2 * kImageAlignment > slots_[0].temporary.size) return false;
  if (!piece.frames.empty()) {
    if (!decoders_.zstd)
      if (auto created = ZstdDecode::create(context_)) decoders_.zstd = *std::move(created);
    return decoders_.zstd && std::ranges::all_of(piece.bounds, [&](const ZstdBounds& bounds) {
             return decoders_.zstd->scratch_size(1, bounds) <= scratch_.size;
           });
  }
  if (!decoders_.gdeflate) {
    GdeflateDecodeConfig config;
    config.pages_in_flight = 1;
    auto created = GdeflateDecode::create(context_, config);
    if (created && created->scratch_size(1) <= scratch_.size) {
      config.pages_in_flight =
          static_cast<uint32_t>(std::min<uint64_t>(scratch_.size / created->scratch_size(1), kMaxEntries));
      created = GdeflateDecode::create(context_, config);
      if (created) decoders_.gdeflate = *std::move(created);
    }
  }
  return decoders_.gdeflate.has_value();
}

// Files that the CPU is to decode after all.
void VulkanDevice::give_back_files(PieceList& pieces, PieceList& ended) {
  PieceList others;
  while (!pieces.empty()) {
    Piece& piece = *pieces.begin();
    piece.is_refused = !can_take(piece);
    (piece.is_refused ? ended : others).push_back(pieces.pop_front());
  }
  pieces.swap(others);
}

Status VulkanDevice::record_into(Slot& slot, VkCommandBuffer commands, const CopyLane* lane, PieceList& pieces,
                                 PieceList& ended) {
  give_back_files(pieces, ended);
  Recording recording(*state_, functions_, decoders_, slot,
                      {staging_.buffer(), control_bytes_, staging_.bytes().size() - control_bytes_},
                      {window_.buffer(), 0, window_.bytes().size()}, scratch_, copies_source_);
  recording.take(pieces, ended);
  return recording.record(commands, lane);
}

Status VulkanDevice::submit_commands(Slot& slot, PieceList& pieces, PieceList& ended) {
  const auto& vk = state_->vk();
  const bool has_lane = has_copy_queue(device_);
  const CopyLane lane{slot.copy_commands, device_.copy_queue_family, device_.queue_family};
  if (Status status = begin(slot.pool, slot.commands); !status) return status;
  if (has_lane)
    if (Status status = begin(slot.copy_pool, slot.copy_commands); !status) return status;
  if (Status status = record_into(slot, slot.commands, has_lane ? &lane : nullptr, pieces, ended); !status)
    return status;
  VkResult result = vk.vkEndCommandBuffer(slot.commands);
  if (result == VK_SUCCESS && has_lane) result = vk.vkEndCommandBuffer(slot.copy_commands);
  if (result != VK_SUCCESS) return runtime::error_of(result, "vkEndCommandBuffer");
  if (slot.pieces.empty()) return {};
  const VkFence fence = slot.fence.get();
  result = vk.vkResetFences(state_->device(), 1, &fence);
  if (result != VK_SUCCESS) return runtime::error_of(result, "vkResetFences");
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  const bool waits = has_lane && slot.has_copies;
  if (waits) {
    info.pCommandBuffers = &slot.copy_commands;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &slot.copied;
    if (device_.copy_lock) device_.copy_lock();
    result = vk.vkQueueSubmit(device_.copy_queue, 1, &info, VK_NULL_HANDLE);
    if (device_.copy_unlock) device_.copy_unlock();
    if (result != VK_SUCCESS) return runtime::error_of(result, "vkQueueSubmit");
    info.signalSemaphoreCount = 0;
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &slot.copied;
  }
  const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  info.pWaitDstStageMask = &all;
  info.pCommandBuffers = &slot.commands;
  if (device_.lock) device_.lock();
  result = vk.vkQueueSubmit(device_.queue, 1, &info, fence);
  if (device_.unlock) device_.unlock();
  if (result == VK_SUCCESS) return {};
  if (waits) take_back_copies(slot);
  return runtime::error_of(result, "vkQueueSubmit");
}

// Copies run that nothing waits for: their memory is used until they end, and their semaphore is of no use any more.
void VulkanDevice::take_back_copies(Slot& slot) {
  if (device_.copy_lock) device_.copy_lock();
  const VkResult result = functions_.queue_wait_idle(device_.copy_queue);
  if (device_.copy_unlock) device_.copy_unlock();
  close_semaphore(slot);
  lost_ = result != VK_SUCCESS || !open_semaphore(slot);
}

void VulkanDevice::submit(PieceList& pieces, PieceList& ended) noexcept {
  if (lost_) {
    for (Piece& piece : pieces) piece.status = RequestStatus::device_lost;
    ended.append(pieces);
    return;
  }
  Slot& slot = free_slot();
  Status status;
  try {
    status = submit_commands(slot, pieces, ended);
  } catch (...) {
    status = runtime::caught();
  }
  if (status) return;
  const ErrorCode code = status.error().code;
  lost_ = lost_ || code == ErrorCode::device_lost || code == ErrorCode::driver_error;
  if (slot.pieces.empty()) {
    // Nothing was recorded: these would be tried for ever.
    slot.pieces.append(pieces);
  }
  end(slot, lost_ ? RequestStatus::device_lost : RequestStatus::out_of_memory, ended);
}

Result<uint64_t> VulkanDevice::record(VkCommandBuffer commands, PieceList& pieces, PieceList& ended) noexcept {
  Slot& slot = free_slot();
  try {
    const Status status = record_into(slot, commands, nullptr, pieces, ended);
    if (status && !slot.pieces.empty()) slot.number = ++number_;
    if (status) return slot.pieces.empty() ? 0 : slot.number;
    end(slot, RequestStatus::out_of_memory, ended);
    return status.error();
  } catch (...) {
    end(slot, RequestStatus::out_of_memory, ended);
    return runtime::caught();
  }
}

bool VulkanDevice::is_done(const Slot& slot, RequestStatus& status) {
  if (!has_queue()) return slot.number <= retired_;
  const VkFence fence = slot.fence.get();
  const VkResult result = state_->vk().vkWaitForFences(state_->device(), 1, &fence, VK_TRUE, 0);
  if (result == VK_TIMEOUT) return false;
  if (result != VK_SUCCESS) {
    lost_ = true;
    status = RequestStatus::device_lost;
  }
  return true;
}

void VulkanDevice::reap(PieceList& ended) noexcept {
  for (Slot& slot : slots_) {
    if (slot.pieces.empty()) continue;
    RequestStatus status = lost_ && has_queue() ? RequestStatus::device_lost : RequestStatus::ok;
    if (status == RequestStatus::ok && !is_done(slot, status)) continue;
    end(slot, status, ended);
  }
}

// Of frames and pages the CPU may think otherwise.
void refuse(Piece& piece) {
  if (piece.is_file())
    piece.is_refused = true;
  else
    piece.status = RequestStatus::corrupt;
}

// The size of the piece's last frame is known.
void close(Piece& piece, uint32_t bytes) {
  const uint32_t capacity = piece.frames.back().capacity;
  if (piece.is_exact && bytes != capacity) refuse(piece);
  piece.output_bytes -= capacity - bytes;
}

// Gives the slot's pieces back, those with refused tiles as corrupt.
void VulkanDevice::end(Slot& slot, RequestStatus status, PieceList& ended) noexcept {
  for (Piece& piece : slot.pieces) piece.status = status;
  for (const Decoding& decoding : slot.decodings) {
    if (status != RequestStatus::ok) break;
    const auto word = [&](const BufferRange& range, size_t index) {
      uint32_t value = 0;
      std::memcpy(&value, slot.mapped + (range.offset - slot.control.offset) + 4 * index, 4);
      return value;
    };
    const bool any = word(decoding.status, 0) != 0;
    for (size_t entry = 0; any && entry < decoding.owners.size(); ++entry)
      if (word(decoding.status, 1 + entry) != 0) refuse(*decoding.owners[entry]);
    for (const size_t entry : decoding.open) close(*decoding.owners[entry], word(decoding.sizes, entry));
  }
  ended.append(slot.pieces);
  slot.decodings.clear();
}

bool VulkanDevice::signal(const LoadSignal& signal) const noexcept {
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = signal.semaphore;
  info.value = signal.value;
  return functions_.signal_semaphore != nullptr && functions_.signal_semaphore(state_->device(), &info) == VK_SUCCESS;
}

}  // namespace

Result<std::unique_ptr<Device>> open_device(const Context& context, const LoaderDevice& device,
                                            const LoaderConfig& config) {
  auto opened = std::make_unique<VulkanDevice>(context, device);
  if (Status status = opened->open(context, config); !status) return status.error();
  return std::unique_ptr<Device>(std::move(opened));
}

}  // namespace weft::loader

namespace weft {

Result<Loader> Loader::create(const Context& context, const LoaderDevice& device, const LoaderConfig& config) noexcept
    try {
  if (Status status = loader::check(config); !status) return status.error();
  if (device.instance == VK_NULL_HANDLE || device.physical_device == VK_NULL_HANDLE ||
      device.get_instance_proc_addr == nullptr)
    return Error{ErrorCode::invalid_argument, "Loader: a handle or function of the device is null"};
  auto opened = loader::open_device(context, device, config);
  if (!opened) return opened.error();
  auto engine = loader::open_engine(config, *std::move(opened));
  if (!engine) return engine.error();
  return Loader(std::make_unique<State>(State{*std::move(engine)}));
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
