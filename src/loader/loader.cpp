// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/loader.hpp>

#include <algorithm>
#include <utility>

#include "loader/engine.hpp"
#include "loader/loader_state.hpp"
#include "runtime/caught.hpp"

namespace weft {

using loader::Engine;
using loader::Request;
using runtime::caught;

const char* name_of(RequestStatus status) noexcept {
  switch (status) {
    case RequestStatus::pending: return "pending";
    case RequestStatus::ok: return "ok";
    case RequestStatus::cancelled: return "cancelled";
    case RequestStatus::expired: return "expired";
    case RequestStatus::invalid_argument: return "invalid_argument";
    case RequestStatus::not_found: return "not_found";
    case RequestStatus::io_error: return "io_error";
    case RequestStatus::short_read: return "short_read";
    case RequestStatus::corrupt: return "corrupt";
    case RequestStatus::unsupported: return "unsupported";
    case RequestStatus::over_limit: return "over_limit";
    case RequestStatus::out_of_memory: return "out_of_memory";
    case RequestStatus::device_lost: return "device_lost";
  }
  return "?";
}

const char* name_of(LoadPath path) noexcept {
  switch (path) {
    case LoadPath::none: return "none";
    case LoadPath::copy: return "copy";
    case LoadPath::host_decode: return "host_decode";
    case LoadPath::device_decode: return "device_decode";
  }
  return "?";
}

const char* name_of(ReadBackend backend) noexcept {
  switch (backend) {
    case ReadBackend::automatic: return "automatic";
    case ReadBackend::io_uring: return "io_uring";
    case ReadBackend::overlapped: return "overlapped";
    case ReadBackend::threads: return "threads";
  }
  return "?";
}

const char* name_of(StagingMemory memory) noexcept {
  switch (memory) {
    case StagingMemory::automatic: return "automatic";
    case StagingMemory::host: return "host";
    case StagingMemory::imported: return "imported";
    case StagingMemory::device: return "device";
  }
  return "?";
}

LoaderPack::LoaderPack(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}
const pack::PackReader& LoaderPack::directory() const noexcept { return state_->directory; }

LoadBatch::LoadBatch(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
uint32_t LoadBatch::size() const noexcept { return state_ ? static_cast<uint32_t>(state_->items.size()) : 0; }
bool LoadBatch::done() const noexcept { return !state_ || state_->pending.load(std::memory_order_acquire) == 0; }
RequestStatus LoadBatch::status(uint32_t request) const noexcept {
  return state_->items[request].status.load(std::memory_order_acquire);
}
const RequestReport& LoadBatch::report(uint32_t request) const noexcept { return state_->items[request].report; }

namespace loader {

Status check(const LoaderConfig& config) {
  const auto refuse = [](const char* what) {
    return Error{ErrorCode::invalid_argument, std::string("Loader: ") + what};
  };
  if (config.staging_bytes < kLeastStaging) return refuse("staging_bytes is less than 8 MiB");
  if (config.queue_depth == 0 || config.queue_depth > 4096) return refuse("queue_depth is not 1 to 4096");
  if (config.threads > 1024) return refuse("threads is more than 1024");
  if (static_cast<bool>(config.allocate) != static_cast<bool>(config.free))
    return refuse("allocate and free are to be given together");
  return {};
}

uint64_t fixed_bytes(const LoaderConfig& config) noexcept {
  return (uint64_t{config.threads} + 1) * kDecoderBytes + kLeastFree;
}

Result<std::unique_ptr<Engine>> open_engine(const LoaderConfig& config, std::unique_ptr<Device> device) {
  auto engine = std::make_unique<Engine>(config, std::move(device));
  if (Status status = engine->open(); !status) return status.error();
  return engine;
}

}  // namespace loader

Result<Loader> Loader::create(const LoaderConfig& config) noexcept try {
  if (Status status = loader::check(config); !status) return status.error();
  auto engine = loader::open_engine(config, nullptr);
  if (!engine) return engine.error();
  return Loader(std::make_unique<State>(State{*std::move(engine)}));
} catch (...) {
  return caught();
}

Loader::Loader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() = default;

Result<LoaderPack> Loader::open_pack(const std::string& path) noexcept try {
  auto file = loader::File::open(path, state_->engine->config().direct);
  if (!file) return file.error();
  const loader::File& opened = *file;
  const pack::ReadAt read = [&](uint64_t position, std::span<std::byte> to) -> Status {
    while (!to.empty()) {
      const int64_t result = opened.read(position, to, false);
      if (result <= 0)
        return Error{ErrorCode::system_error,
                     path + (result == 0 ? ": the file became shorter" : ": error " + std::to_string(-result))};
      position += static_cast<uint64_t>(result);
      to = to.subspan(static_cast<size_t>(result));
    }
    return {};
  };
  auto reader = pack::PackReader::open(read, opened.size());
  if (!reader) return Error{reader.error().code, path + ": " + reader.error().message};
  auto state = std::make_shared<LoaderPack::State>(*std::move(file), *std::move(reader));
  if (Status status = state_->engine->attach(*state); !status)
    return Error{status.error().code, path + ": " + status.error().message};
  return LoaderPack(std::move(state));
} catch (...) {
  return caught();
}

Result<LoadBatch> Loader::submit(std::span<const LoadRequest> requests, const LoadSignal& signal) noexcept try {
  auto batch = std::make_shared<LoadBatch::State>(requests.size());
  batch->signal = signal;
  std::vector<std::shared_ptr<Request>> taken, refused;
  std::vector<loader::Outcome> why;
  taken.reserve(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    auto request = std::make_shared<Request>();
    request->batch = batch;
    request->index = static_cast<uint32_t>(i);
    request->report.submitted = loader::Clock::now();
    const loader::Outcome outcome = loader::resolve(*state_->engine, requests[i], *request);
    const bool is_empty = outcome.ok() && request->count == 0;
    if (outcome.ok() && !is_empty) {
      taken.push_back(std::move(request));
    } else {
      refused.push_back(std::move(request));
      why.push_back(outcome);
    }
  }
  if (requests.empty() && signal.semaphore != VK_NULL_HANDLE && state_->engine->device() != nullptr)
    static_cast<void>(state_->engine->device()->signal(signal));
  state_->engine->submit(std::move(taken));
  for (size_t i = 0; i < refused.size(); ++i) state_->engine->end_at_once(refused[i], why[i].status, why[i].reason);
  return LoadBatch(std::move(batch));
} catch (...) {
  return caught();
}

uint32_t Loader::cancel(uint64_t tag) noexcept try { return state_->engine->cancel(tag); } catch (...) {
  return 0;
}

bool Loader::pump() noexcept try { return state_->engine->step(); } catch (...) {
  return false;
}

bool Loader::wait(const LoadBatch& batch, std::chrono::nanoseconds timeout) noexcept try {
  return batch.state() == nullptr || state_->engine->wait(*batch.state(), timeout);
} catch (...) {
  return batch.done();
}

Result<uint64_t> Loader::record(VkCommandBuffer commands) noexcept try {
  return state_->engine->record(commands);
} catch (...) {
  return caught();
}

void Loader::retire(uint64_t number) noexcept try { state_->engine->retire(number); } catch (...) {
}

LoaderUsage Loader::usage() const noexcept { return state_->engine->usage(); }
ReadBackend Loader::backend() const noexcept { return state_->engine->backend(); }

}  // namespace weft
