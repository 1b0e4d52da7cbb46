// SPDX-License-Identifier: MIT OR Apache-2.0
// Overlapped reads of Windows, whose ends an I/O completion port reports.
#include <algorithm>
#include <array>
#include <vector>

#include <windows.h>

#include "loader/async_reads.hpp"

namespace weft::loader {
namespace {

HANDLE handle_of(intptr_t handle) { return reinterpret_cast<HANDLE>(handle); }

// As File::read has it.
int64_t result_of(BOOL done, DWORD bytes) {
  if (done) return bytes;
  const DWORD why = GetLastError();
  return why == ERROR_HANDLE_EOF ? 0 : -int64_t{why};
}

class OverlappedReads final : public AsyncReads {
 public:
  explicit OverlappedReads(uint32_t depth) : slots_(depth) {
    for (Slot& slot : slots_) free_.push_back(&slot);
    ended_.reserve(depth);
  }
  ~OverlappedReads() override {
    if (port_ != nullptr) CloseHandle(port_);
  }
  OverlappedReads(const OverlappedReads&) = delete;
  OverlappedReads& operator=(const OverlappedReads&) = delete;

  bool open() {
    port_ = CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 0);
    return port_ != nullptr;
  }

  bool start(AsyncRead& read) override {
    if (free_.empty()) return false;
    Slot& slot = *free_.back();
    free_.pop_back();
    slot.overlapped = {};
    slot.overlapped.Offset = static_cast<DWORD>(read.position);
    slot.overlapped.OffsetHigh = static_cast<DWORD>(read.position >> 32);
    slot.read = &read;
    const auto bytes = static_cast<DWORD>(std::min<size_t>(read.to.size(), size_t{1} << 30));
    // Its end comes by the port, even if it is there at once. A refusal does not.
    if (ReadFile(handle_of(read.handle), read.to.data(), bytes, nullptr, &slot.overlapped)) return true;
    const int64_t refusal = result_of(FALSE, 0);
    if (refusal == -int64_t{ERROR_IO_PENDING}) return true;
    read.result = refusal;
    ended_.push_back(&slot);
    return true;
  }

  void flush() override {}

  size_t reap(std::span<AsyncRead*> room) override {
    size_t count = 0;
    for (; count < room.size() && !ended_.empty(); ended_.pop_back()) room[count++] = give_back(*ended_.back());
    std::array<OVERLAPPED_ENTRY, 64> entries;
    ULONG got = 0;
    const auto most = static_cast<ULONG>(std::min(entries.size(), room.size() - count));
    if (most == 0 || !GetQueuedCompletionStatusEx(port_, entries.data(), most, &got, 0, FALSE)) return count;
    for (ULONG i = 0; i < got; ++i) {
      Slot& slot = *reinterpret_cast<Slot*>(entries[i].lpOverlapped);
      DWORD bytes = 0;
      const BOOL done = GetOverlappedResult(handle_of(slot.read->handle), &slot.overlapped, &bytes, FALSE);
      slot.read->result = result_of(done, bytes);
      room[count++] = give_back(slot);
    }
    return count;
  }

  ReadBackend backend() const noexcept override { return ReadBackend::overlapped; }

  Result<bool> attach(const File& file) override {
    for (const bool direct : {false, true}) {
      if (direct && !file.has_direct()) continue;
      if (CreateIoCompletionPort(handle_of(file.handle(direct)), port_, 0, 0) == nullptr)
        return Error{ErrorCode::system_error,
                     "a completion port refuses the file: error " + std::to_string(GetLastError())};
    }
    return true;
  }

 private:
  struct Slot {
    OVERLAPPED overlapped;  // first: the port returns its address
    AsyncRead* read;
  };

  AsyncRead* give_back(Slot& slot) {
    free_.push_back(&slot);
    return slot.read;
  }

  HANDLE port_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<Slot*> free_, ended_;
};

}  // namespace

std::unique_ptr<AsyncReads> open_async_reads(uint32_t depth, std::span<std::byte>) {
  auto reads = std::make_unique<OverlappedReads>(depth);
  if (!reads->open()) return nullptr;
  return reads;
}

}  // namespace weft::loader
