// SPDX-License-Identifier: MIT OR Apache-2.0
#include "loader/engine.hpp"

#include <algorithm>
#include <new>

#include "runtime/caught.hpp"

namespace weft::loader {

namespace {

constexpr std::chrono::microseconds kPoll{50}, kMaxPoll{1000}, kSpin{300};

// How long to sleep with no event to wait for: reads of the system, and the device. The longer nothing has come, the
// longer, so that a thread that waits for a slow device takes it no time.
std::chrono::nanoseconds poll_after(std::chrono::nanoseconds idle) {
  return std::clamp<std::chrono::nanoseconds>(idle / 32, kPoll, kMaxPoll);
}

// What keeps a device busy by itself: of content that is copied; and of what it decodes at once the half, so that the
// other half is read, and copied by a queue for that, meanwhile.
constexpr double kWorthCopying = 16 << 20;
constexpr double kWorthDecoding = 0.5;

}  // namespace

Engine::Engine(const LoaderConfig& config, std::unique_ptr<Device> device)
    : config_(config), device_(std::move(device)) {}

Engine::~Engine() {
  {
    const std::unique_lock lock(mutex_);
    stopping_ = true;
    fail_all({RequestStatus::cancelled, "the Loader was destroyed"}, [](const Request&) { return true; });
  }
  if (device_ != nullptr) {
    const std::unique_lock device(device_mutex_);
    device_->retire(UINT64_MAX);
  }
  for (;;) {
    while (step()) {
    }
    {
      const std::unique_lock lock(mutex_);
      if (live_.empty()) break;
    }
    std::this_thread::yield();
  }
  {
    const std::unique_lock lock(mutex_);
    ++events_;
  }
  work_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  async_ = nullptr;
  device_ = nullptr;
  if (allocated_ != nullptr && config_.free)
    config_.free(allocated_);
  else if (allocated_ != nullptr)
    ::operator delete (allocated_, std::align_val_t{kStagingAlignment});
}

Status Engine::open() {
  const uint64_t bytes = Space::rounded(config_.staging_bytes);
  if (device_ != nullptr) {
    staging_ = device_->staging();
    window_ = device_->window();
  } else {
    allocated_ = config_.allocate ? config_.allocate(bytes, kStagingAlignment)
                                  : ::operator new (bytes, std::align_val_t{kStagingAlignment}, std::nothrow);
    if (allocated_ == nullptr) return Error{ErrorCode::out_of_host_memory, "Loader: no memory for staging"};
    staging_ = {static_cast<std::byte*>(allocated_), bytes};
  }
  space_ = Space(staging_.size());
  window_space_ = Space(window_.size());
  piece_bytes_ = std::clamp<uint64_t>(staging_.size() / 16, 1 << 20, 2 << 20);
  piece_content_ = 4 * piece_bytes_;
  if (config_.reads != ReadBackend::threads) async_ = open_async_reads(config_.queue_depth, staging_);
  if (config_.reads != ReadBackend::automatic && config_.reads != backend())
    return Error{ErrorCode::system_error,
                 std::string("Loader: ") + name_of(config_.reads) + " is missing or forbidden"};
  if (config_.reads == ReadBackend::automatic && async_ == nullptr)
    log("Loader: asynchronous reads are missing or forbidden; threads read");
  for (uint32_t i = 0; i < config_.threads + 1; ++i) decoders_.push_back(std::make_unique<Decoder>());
  used_ = peak_ = (device_ != nullptr ? device_->bytes() : bytes) + decoders_.size() * kDecoderBytes;
  if (used_ > config_.budget_bytes || config_.budget_bytes - used_ < kLeastFree)
    return Error{ErrorCode::invalid_argument,
                 "Loader: budget_bytes is too small: staging, device memory and decoders take " +
                     std::to_string(used_) + " bytes, and tables need " + std::to_string(kLeastFree)};
  for (uint32_t i = 0; i < config_.threads; ++i) workers_.emplace_back([this] { work(); });
  return {};
}

Status Engine::attach(LoaderPack::State& pack) const {
  if (async_ == nullptr) return {};
  const Result<bool> attached = async_->attach(pack.file);
  if (attached && *attached) pack.attached = async_.get();
  return attached.status();
}

// Takes all of them or, if memory runs out, none.
void Engine::submit(std::vector<std::shared_ptr<Request>> requests) {
  uint64_t sequence = sequence_.fetch_add(requests.size());
  std::map<Order, std::shared_ptr<Request>> queue;
  std::map<uint64_t, std::shared_ptr<Request>> live;
  for (std::shared_ptr<Request>& request : requests) {
    request->sequence = sequence++;
    request->queued = true;
    queue.emplace(Order(request->priority, request->deadline, request->sequence), request);
    live.emplace(request->sequence, std::move(request));
  }
  {
    const std::unique_lock lock(mutex_);
    queue_.merge(queue);
    live_.merge(live);
  }
  wake();
}

uint32_t Engine::cancel(uint64_t tag) {
  uint32_t count = 0;
  {
    const std::unique_lock lock(mutex_);
    count = fail_all({RequestStatus::cancelled, "cancelled by its tag"},
                     [&](const Request& request) { return request.tag == tag; });
  }
  wake();
  return count;
}

// Does one thing of each kind. Returns whether there was one.
bool Engine::step() {
  bool any = admit();
  any |= run_reads();
  any |= run_task();
  any |= run_device();
  return any;
}

bool Engine::run_task() {
  std::unique_lock lock(mutex_);
  if (decoders_.empty() || (to_plan_.empty() && to_process_.empty() && to_read_.empty())) return false;
  std::shared_ptr<Request> request;
  PiecePtr piece;
  const bool is_read = to_plan_.empty() && to_process_.empty();
  if (!to_plan_.empty()) {
    request = std::move(to_plan_.front());
    to_plan_.pop_front();
  } else {
    piece = (is_read ? to_read_ : to_process_).pop_front();
  }
  std::unique_ptr<Decoder> decoder = std::move(decoders_.back());
  decoders_.pop_back();
  decoder->is_soon = is_read && is_for_device_alone(*piece);
  soon_ += decoder->is_soon ? 1 : 0;
  // While this thread is busy, another one takes the next task, and looks after reads and device.
  if ((!is_polled_ && pieces_ > 1) || !to_plan_.empty() || !to_process_.empty() || !to_read_.empty()) wake_one();
  lock.unlock();
  if (request != nullptr)
    plan(request);
  else if (is_read)
    read(std::move(piece), *decoder);
  else
    process(std::move(piece), *decoder);
  lock.lock();
  soon_ -= decoder->is_soon ? 1 : 0;
  decoders_.push_back(std::move(decoder));
  return true;
}

// A submission takes as long as its slowest tile, however little it has, and each waits for the one before it. So
// pieces wait for each other: while the device is busy for all that come, else for those that threads bring now.
bool Engine::is_worth_a_submission() const {
  if (device_load_ >= 1) return true;
  const uint32_t on_device = device_->pieces();
  return on_device == 0 ? soon_ == 0 : queue_.empty() && for_device_.size() + on_device == pieces_;
}

double Engine::load_of(const Piece& piece) const {
  double load = 0;
  for (const Part& part : piece.parts)
    load += static_cast<double>(part.content.count) /
            (part.on_device ? kWorthDecoding * static_cast<double>(device_->decoded_at_once()) : kWorthCopying);
  return load;
}

void Engine::give_device(PiecePtr piece) {
  device_load_ += load_of(*piece);
  for_device_.push_back(std::move(piece));
}

void Engine::take_for_device(PieceList& pieces) noexcept {
  pieces.swap(for_device_);
  device_load_ = 0;
}

bool Engine::run_device() {
  if (device_ == nullptr) return false;
  const std::unique_lock device(device_mutex_, std::try_to_lock);
  if (!device) return false;
  PieceList ended;
  device_->reap(ended);
  bool any = !ended.empty();
  if (device_->has_queue() && device_->has_room()) {
    PieceList pieces;
    {
      const std::unique_lock lock(mutex_);
      if (is_worth_a_submission()) take_for_device(pieces);
    }
    if (!pieces.empty()) {
      any = true;
      device_->submit(pieces, ended);
      take_back(pieces);
    }
  } else if (!device_->has_queue()) {
    // What was cancelled needs no commands.
    const std::unique_lock lock(mutex_);
    PieceList pieces;
    take_for_device(pieces);
    while (!pieces.empty()) {
      PiecePtr piece = pieces.pop_front();
      if (piece->request->failure == RequestStatus::ok)
        give_device(std::move(piece));
      else
        ended.push_back(std::move(piece));
    }
    any |= !ended.empty();
  }
  finish_all(ended);
  return any;
}

Result<uint64_t> Engine::record(VkCommandBuffer commands) {
  if (device_ == nullptr || device_->has_queue())
    return Error{ErrorCode::invalid_argument, "Loader::record: the Loader has a queue, or no device"};
  const std::unique_lock device(device_mutex_);
  PieceList pieces, ended;
  {
    const std::unique_lock lock(mutex_);
    take_for_device(pieces);
  }
  Result<uint64_t> number = uint64_t{0};
  if (!pieces.empty() && device_->has_room()) number = device_->record(commands, pieces, ended);
  take_back(pieces);
  finish_all(ended);
  return number;
}

// What had no room goes before what came meanwhile.
void Engine::take_back(PieceList& pieces) {
  const std::unique_lock lock(mutex_);
  PieceList later;
  take_for_device(later);
  pieces.append(later);
  while (!pieces.empty()) give_device(pieces.pop_front());
}

void Engine::retire(uint64_t number) {
  if (device_ == nullptr) return;
  {
    const std::unique_lock device(device_mutex_);
    device_->retire(number);
  }
  wake();
}

void Engine::finish_all(PieceList& ended) {
  while (!ended.empty()) {
    PiecePtr piece = ended.pop_front();
    const RequestStatus status = piece->status;
    if (status == RequestStatus::ok && piece->is_refused) {
      decode_on_host_after_all(std::move(piece));
      continue;
    }
    constexpr auto reason_of = [](RequestStatus ended_as) -> std::string_view {
      switch (ended_as) {
        case RequestStatus::ok: return {};
        case RequestStatus::corrupt: return "the device refused a tile";
        case RequestStatus::device_lost: return "the device is lost, or refused commands";
        default: return "the device has no memory";
      }
    };
    finish(std::move(piece), {status, reason_of(status)});
  }
}

// A file that the device has no room for, or refuses, has the CPU's verdict.
void Engine::decode_on_host_after_all(PiecePtr piece) {
  piece->is_refused = false;
  piece->frames.clear();
  piece->bounds.clear();
  piece->pages.clear();
  piece->parts.front().on_device = false;
  const std::unique_lock lock(mutex_);
  to_process_.push_back(std::move(piece));
  wake_one();
}

void Engine::finish(PiecePtr piece, const Outcome& outcome) {
  bool has_more;
  {
    const std::unique_lock lock(mutex_);
    const std::shared_ptr<Request> request = piece->request;
    for (const Part& part : piece->parts) {
      const LoadPath path = part.range.coding == pack::Coding::raw && !request->decoded_whole ? LoadPath::copy
                            : part.on_device                                                  ? LoadPath::device_decode
                                                                                              : LoadPath::host_decode;
      LoadPath& so_far = request->report.path;
      // What was decoded on the CPU counts most, what was copied least.
      const auto weight = [](LoadPath p) {
        return p == LoadPath::host_decode ? 3 : p == LoadPath::device_decode ? 2 : p == LoadPath::copy ? 1 : 0;
      };
      if (weight(path) > weight(so_far)) so_far = path;
    }
    if (!piece->is_for_device()) request->report.decoded = Clock::now();
    if (piece->is_file() && outcome.ok()) request->report.bytes = piece->output_bytes;
    if (request->report.staging != StagingMemory::device) request->report.staging = staging_of(*piece);
    give_room(piece->staging);
    give_budget(piece->table_bytes);
    piece = nullptr;
    --request->pieces;
    --pieces_;
    if (!outcome.ok()) fail(*request, outcome);
    end_if_done(request);
    has_more = !queue_.empty() || !to_process_.empty();
  }
  if (has_more) wake();
}

StagingMemory Engine::staging_of(const Piece& piece) const noexcept {
  if (is_in_window(piece.staging)) return StagingMemory::device;
  return device_ != nullptr && device_->imports_staging() ? StagingMemory::imported : StagingMemory::host;
}

void Engine::fail(Request& request, const Outcome& outcome) {
  if (request.failure != RequestStatus::ok) return;
  request.failure = outcome.status;
  request.report.reason = outcome.reason;
  request.report.system_error = outcome.system_error;
  dequeue(request);
  request.all_cut = true;
  request.next_piece = nullptr;
  for (auto& [turn, piece] : request.waiting) to_process_.push_back(std::move(piece));
  request.waiting.clear();
}

template <class Which>
uint32_t Engine::fail_all(const Outcome& outcome, const Which& which) {
  uint32_t count = 0;
  for (auto next = live_.begin(); next != live_.end();) {
    const std::shared_ptr<Request> request = next->second;
    ++next;
    if (request->failure != RequestStatus::ok || !which(*request)) continue;
    fail(*request, outcome);
    end_if_done(request);
    ++count;
  }
  return count;
}

void Engine::end_if_done(const std::shared_ptr<Request>& request) {
  if (request->ended || request->pieces != 0 || request->planning || !request->all_cut ||
      request->next_piece != nullptr)
    return;
  if (request->long_range != nullptr) {
    plans_ -= request->long_range->budget;
    give_budget(request->long_range->budget);
    request->long_range = nullptr;
  }
  live_.erase(request->sequence);
  publish(*request);
}

// The status comes after the report, and the signal after the last status.
void Engine::publish(Request& request) {
  request.ended = true;
  request.report.done = Clock::now();
  const RequestStatus status = request.failure;
  if (status != RequestStatus::ok) request.report.bytes = 0;
  LoadBatch::State& batch = *request.batch;
  batch.items[request.index].report = request.report;
  batch.items[request.index].status.store(status, std::memory_order_release);
  if (batch.pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (batch.signal.semaphore != VK_NULL_HANDLE && device_ != nullptr && !device_->signal(batch.signal))
    log("Loader: a batch's semaphore could not be signalled");
  ended_.notify_all();
}

void Engine::end_at_once(const std::shared_ptr<Request>& request, RequestStatus status, std::string_view reason) {
  const std::unique_lock lock(mutex_);
  request->failure = status;
  request->report.reason = reason;
  publish(*request);
}

void Engine::dequeue(Request& request) {
  if (!request.queued) return;
  request.queued = false;
  queue_.erase(Order(request.priority, request.deadline, request.sequence));
}

bool Engine::take_budget(uint64_t bytes) noexcept {
  if (bytes > config_.budget_bytes - used_) return false;
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return true;
}

void Engine::give_budget(uint64_t bytes) noexcept { used_ -= bytes; }

LoaderUsage Engine::usage() const {
  const std::unique_lock lock(mutex_);
  return {config_.budget_bytes,
          used_,
          peak_,
          space_.used() + window_space_.used(),
          space_.peak() + window_space_.peak(),
          reads_,
          system_reads_.load()};
}

void Engine::log(std::string_view message) const {
  if (config_.log) config_.log(message);
}

void Engine::wake() {
  {
    const std::unique_lock lock(mutex_);
    wake_one();
  }
  if (config_.on_work) config_.on_work();
}

// One worker is enough: who takes a task and leaves another wakes the next.
void Engine::wake_one() {
  ++events_;
  if (idle_ != 0) work_.notify_one();
}

// One of the idle workers looks after what no event reports: reads of the system, and the device.
void Engine::work() {
  Clock::time_point idle_since = Clock::now();
  for (;;) {
    uint64_t events;
    {
      const std::unique_lock lock(mutex_);
      events = events_;
    }
    if (step()) {
      idle_since = Clock::now();
      continue;
    }
    std::unique_lock lock(mutex_);
    if (stopping_ && live_.empty()) return;
    const auto changed = [&] { return events_ != events; };
    ++idle_;
    if (pieces_ != 0 && !is_polled_) {
      is_polled_ = true;
      work_.wait_for(lock, poll_after(Clock::now() - idle_since), changed);
      is_polled_ = false;
    } else {
      work_.wait(lock, changed);
      idle_since = Clock::now();
    }
    --idle_;
  }
}

bool Engine::wait(const LoadBatch::State& batch, std::chrono::nanoseconds timeout) {
  const auto done = [&] { return batch.pending.load(std::memory_order_acquire) == 0; };
  const Clock::time_point begin = Clock::now();
  Clock::time_point idle_since = begin;
  while (!done()) {
    if (step()) {
      idle_since = Clock::now();
      continue;
    }
    const Clock::time_point now = Clock::now();
    if (now - begin >= timeout) return done();
    if (now - idle_since < kSpin) {
      std::this_thread::yield();
      continue;
    }
    std::unique_lock lock(mutex_);
    if (!done()) ended_.wait_for(lock, std::min(poll_after(now - idle_since), timeout - (now - begin)));
  }
  return true;
}

}  // namespace weft::loader
