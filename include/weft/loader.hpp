// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/pack.hpp>
#include <weft/status.hpp>
#include <weft/types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

/// From packs to device memory: reads, decodes and copies assets, many at once. How an engine links it: docs/loader.md.
///
/// - No call throws. Results, errors, lifetime, threads: docs/integration.md.
/// - Safe for untrusted packs, as weft::pack and GstdDecode are.
namespace weft {

namespace loader {
struct Hooks;
}

/// How a request has ended.
enum class RequestStatus : uint8_t {
  pending,           ///< it has not
  ok,                ///< the destination has the content
  cancelled,         ///< by cancel(), or because the Loader was destroyed
  expired,           ///< its deadline passed before its first byte was read
  invalid_argument,  ///< level, range, destination or pack do not fit
  not_found,         ///< the pack has no such asset
  io_error,          ///< the system refused a read: RequestReport::system_error
  short_read,        ///< the file ends before the asset does: it was truncated after it was opened
  corrupt,           ///< a checksum does not match, or a stream is invalid
  unsupported,       ///< no decoder for this kind of asset or destination
  over_limit,        ///< content does not fit the destination, or staging memory
  out_of_memory,     ///< an allocation failed, or the budget is too small
  device_lost,       ///< the VkDevice is lost, or refused a submission
};
/// The enumerator's name.
WEFT_API const char* name_of(RequestStatus status) noexcept;

/// What took a request's bytes to their destination.
enum class LoadPath : uint8_t {
  none,
  copy,           ///< stored as they are
  host_decode,    ///< at least a part was decoded on the CPU
  device_decode,  ///< all that is compressed was decoded on the device
};
/// The enumerator's name.
WEFT_API const char* name_of(LoadPath path) noexcept;

/// Requests of a higher priority begin first; those that have begun go on.
enum class LoadPriority : uint8_t { high, normal, low };

/// How files are read.
enum class ReadBackend : uint8_t {
  automatic,   ///< asynchronous if the system allows it, else threads
  io_uring,    ///< Linux
  overlapped,  ///< Windows, with an I/O completion port
  threads,     ///< plain reads by the threads that run the Loader
};
/// The enumerator's name.
WEFT_API const char* name_of(ReadBackend backend) noexcept;

/// Memory that files are read to, as the device sees it.
enum class StagingMemory : uint8_t {
  /// imported, if the host allows it; else device, if the host sees more than 256 MiB of a discrete device's memory and
  /// reads are not direct; else host.
  automatic,
  host,      ///< the driver's, of the host
  imported,  ///< of the process, by VK_EXT_external_memory_host
  /// Of the device: for what only the device reads. The rest is read to the driver's memory of the host.
  device,
};
/// The enumerator's name.
WEFT_API const char* name_of(StagingMemory memory) noexcept;

/// A level, or a part of one, of an image. Its commands end in `layout`.
struct ImageDestination {
  VkImage image = VK_NULL_HANDLE;
  /// Of the image. Its texel blocks say how many bytes of content a copy takes.
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  uint32_t level = 0, base_layer = 0, layers = 1;
  VkOffset3D offset{};
  VkExtent3D extent{};
  /// UNDEFINED discards what the level and layers had.
  VkImageLayout old_layout = VK_IMAGE_LAYOUT_UNDEFINED;
  VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
};

/// Host memory; a buffer with TRANSFER_DST, and STORAGE_BUFFER and SHADER_DEVICE_ADDRESS for decoding on the device; or
/// an image with TRANSFER_DST.
using LoadDestination = std::variant<std::span<std::byte>, BufferRange, ImageDestination>;

/// A pack that a Loader reads. Copies share; the last one closes the file.
class WEFT_API LoaderPack {
 public:
  LoaderPack() = default;
  /// The directory. Precondition: not default-constructed. Calls that read assets return errors.
  const pack::PackReader& directory() const noexcept;

  /// Internal.
  struct State;
  explicit LoaderPack(std::shared_ptr<const State> state) noexcept;
  const std::shared_ptr<const State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

constexpr uint64_t kToEnd = UINT64_MAX;

/// Bytes of an asset to a destination.
struct LoadRequest {
  LoaderPack pack;
  /// The asset's path or, if that is empty, its index in the directory.
  std::string_view path{};
  uint32_t asset = 0;
  /// One mip level of an image, layers tightly packed. Else the file's content.
  std::optional<uint32_t> level{};
  /// Bytes [first, first + count) of these. kToEnd: what follows `first`.
  uint64_t first = 0;
  uint64_t count = kToEnd;
  /// Whether .zst and GDeflate files, and levels of supercompressed KTX2 files, are loaded as they are.
  bool stored = false;
  LoadDestination to{};
  LoadPriority priority = LoadPriority::normal;
  /// For cancel().
  uint64_t tag = 0;
  /// Earlier ones go first within a priority. A request that has not begun by then ends as expired.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
};

struct RequestReport {
  LoadPath path = LoadPath::none;
  /// Where at least a part was read to.
  StagingMemory staging = StagingMemory::host;
  /// Of content in the destination.
  uint64_t bytes = 0;
  /// Read from the file, in whole blocks.
  uint64_t read_bytes = 0;
  /// errno or GetLastError of an io_error.
  int system_error = 0;
  /// A reason in words, of static duration. Empty if the request is ok.
  std::string_view reason{};
  /// Times that were not reached are those of the epoch.
  std::chrono::steady_clock::time_point submitted{}, read_begun{}, read_done{}, decoded{}, done{};
};

/// A timeline semaphore's value that is signalled, on the host, when all requests of a batch have ended.
///
/// - Their writes are complete then.
/// - Values of one semaphore must increase in the order in which batches end: with several batches pending, give each
///   priority its own semaphore, or each batch.
struct LoadSignal {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  uint64_t value = 0;
};

/// Requests that were submitted together. Copies share. Safe to use from many threads.
class WEFT_API LoadBatch {
 public:
  LoadBatch() = default;
  uint32_t size() const noexcept;
  /// Whether all requests have ended.
  bool done() const noexcept;
  RequestStatus status(uint32_t request) const noexcept;
  /// Precondition: status(request) is not pending.
  const RequestReport& report(uint32_t request) const noexcept;

  /// Internal.
  struct State;
  explicit LoadBatch(std::shared_ptr<State> state) noexcept;
  const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// The device's part of a Loader. Without `queue`, the host calls record() and retire().
struct LoaderDevice {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  /// A queue with COMPUTE. Destinations must belong to its family, or be CONCURRENT.
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t queue_family = 0;
  /// Called around each submission to `queue`. May be empty if nobody else submits to it.
  std::function<void()> lock, unlock;
  /// Another queue, with TRANSFER, of the same family or of one of its own: copies from staging run there, beside what
  /// `queue` does. Buffers must then not be in use on the device while a request writes to them: their ranges pass from
  /// its family to `queue_family`. Without it, or without `queue`, copies run where the decoding does.
  VkQueue copy_queue = VK_NULL_HANDLE;
  uint32_t copy_queue_family = 0;
  std::function<void()> copy_lock{}, copy_unlock{};
  /// Whether VK_EXT_debug_utils is enabled: commands then have labels.
  bool debug_utils = false;
  /// Whether VK_EXT_external_memory_host is enabled: for StagingMemory::imported, which files are read to directly.
  bool external_memory_host = false;
};

struct LoaderConfig {
  ReadBackend reads = ReadBackend::automatic;
  /// Reads in flight: 1 to 4,096.
  /// Assets that lie next to each other in the pack, and are requested so, come by one read.
  uint32_t queue_depth = 32;
  /// Whether reads bypass the page cache where the file system allows it (O_DIRECT): for packs that are not in it. Else
  /// what the page cache has is copied from it, and the rest read through it.
  bool direct = false;
  /// Upper bound of staging, device memory, tables and decoders together. Never exceeded.
  uint64_t budget_bytes = uint64_t{256} << 20;
  /// Memory that files are read to: at least 8 MiB. An image level, with what it is decoded from, must fit.
  uint64_t staging_bytes = uint64_t{64} << 20;
  /// Loader::create returns unsupported if the device has no such memory. `device` takes up to staging_bytes more of
  /// the budget, at least 8 MiB.
  StagingMemory staging = StagingMemory::automatic;
  /// Device memory for decoding: half of it is scratch or, if `tiles_in_flight` is given, what so many tiles take.
  /// The rest must be at least 12 MiB: compressed bytes, and content of images, of three submissions.
  uint64_t device_bytes = uint64_t{128} << 20;
  /// As GstdDecodeConfig has it. 0: what half of device_bytes holds.
  uint32_t tiles_in_flight = 0;
  /// If false, everything is decoded on the CPU. Results are the same.
  bool decode_on_device = true;
  /// A request for at most so many bytes is decoded on the CPU if there are no more pending ones than threads that work
  /// (`threads` and one that waits): a device needs longer for few tiles.
  uint64_t host_decode_bytes = 64 << 10;
  /// Whether checksums are compared: those of Gstd tiles; and of raw ranges that are read as a whole.
  bool verify = true;
  /// Threads that the Loader may start: at most 1,024. 0: everything runs in pump() and wait().
  uint32_t threads = 0;
  /// Called if pump() has something to do, from threads that call the Loader, with no lock held: a host with a thread
  /// pool queues a job that calls pump().
  std::function<void()> on_work{};
  /// For staging of the host. Both or none. Alignment is at most 64 KiB.
  std::function<void*(size_t bytes, size_t alignment)> allocate{};
  std::function<void(void* memory)> free{};
  /// What goes another way than the best one, once: from any thread that calls or runs the Loader. Must not call it.
  std::function<void(std::string_view message)> log{};
  /// Internal: for tests.
  const loader::Hooks* hooks = nullptr;
};

/// Memory of a Loader, in bytes.
struct LoaderUsage {
  uint64_t budget = 0;
  uint64_t now = 0;
  uint64_t peak = 0;
  /// Of staging: parts that reads and decoded bytes occupy.
  uint64_t staging_now = 0, staging_peak = 0;
  uint32_t reads_in_flight = 0;
  /// That the system was asked for so far, those of the page cache included.
  uint64_t reads = 0;
};

/// Loads assets of packs. Movable.
///
/// - Every request ends exactly once, with its own status.
/// - An error never affects other requests.
/// - A destination must outlive its request.
/// - Content is the same by every path, of reads and of decoding, with any number of threads.
/// - After another status than ok, the destination's bytes are unspecified.
/// - Bytes around a destination keep their values.
/// - .zst and GDeflate files are decoded as a whole, and so are levels of KTX2 files with Zstandard's supercompression.
///   Levels with another one are unsupported.
/// - The CPU decodes what the device cannot, or refuses: RequestReport::path. docs/loader.md has which files those are,
///   such as those with a frame of Zstandard after one that does not declare the size of its content.
/// - All calls are safe from many threads at once, but record() as recording is.
/// - Barriers, cost, and what an engine must do: docs/loader.md.
class WEFT_API Loader {
 public:
  /// For host memory alone: needs no device. Errors: invalid_argument, out_of_host_memory, system_error (a backend that
  /// is required and missing).
  static Result<Loader> create(const LoaderConfig& config) noexcept;
  /// Further errors: out_of_device_memory, device_lost, driver_error.
  static Result<Loader> create(const Context& context, const LoaderDevice& device,
                               const LoaderConfig& config = {}) noexcept;
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  /// Cancels what is pending, and waits for what runs: reads, and submissions to the queue. Commands of record() must
  /// have been executed.
  ~Loader();

  /// Opens a file and reads its directory, on the calling thread. The directory is not part of the budget.
  /// Errors: those of PackReader::open; not_found; system_error.
  Result<LoaderPack> open_pack(const std::string& path) noexcept;

  /// Takes requests; never waits. Those that cannot begin end at once, with their status.
  /// Errors: out_of_host_memory; then no request was taken.
  Result<LoadBatch> submit(std::span<const LoadRequest> requests, const LoadSignal& signal = {}) noexcept;

  /// Cancels requests with the tag. Those that run end as soon as what runs of them does. Returns their number.
  uint32_t cancel(uint64_t tag) noexcept;

  /// Does what can be done without waiting. Returns whether there may be more to do at once. A host without threads
  /// calls it at least once a frame.
  bool pump() noexcept;
  /// Works, then sleeps, until the batch has ended or the time has passed. Returns whether it has ended.
  bool wait(const LoadBatch& batch, std::chrono::nanoseconds timeout = std::chrono::hours(24)) noexcept;

  /// Without a queue: records the device's work that is ready, outside of a render pass, and returns its number: 0 if
  /// there is none. Commands must be executed in the order of their numbers, once, on one queue.
  /// Errors: invalid_argument (the Loader has a queue or no device), those of GstdDecode::record.
  Result<uint64_t> record(VkCommandBuffer commands) noexcept;
  /// Commands up to this number have been executed: their fence or semaphore is signalled.
  void retire(uint64_t number) noexcept;

  LoaderUsage usage() const noexcept;
  /// None of them is automatic.
  ReadBackend backend() const noexcept;

 private:
  struct State;
  explicit Loader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace weft
