// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cerrno>

#include <liburing.h>

#include "loader/async_reads.hpp"

namespace weft::loader {
namespace {

// A read of cached bytes is a copy: from this size on by the kernel's threads, side by side.
constexpr size_t kCopiedInline = 64 << 10;

class UringReads final : public AsyncReads {
 public:
  UringReads(uint32_t depth, std::span<std::byte> memory) : depth_(depth), memory_(memory) {}
  ~UringReads() override {
    if (opened_) io_uring_queue_exit(&ring_);
  }
  UringReads(const UringReads&) = delete;
  UringReads& operator=(const UringReads&) = delete;

  bool open() {
    // EPERM or ENOSYS if it is forbidden or missing.
    if (io_uring_queue_init(depth_, &ring_, 0) != 0) return false;
    opened_ = true;
    const iovec whole{memory_.data(), memory_.size()};
    // Refused where memory may not be locked, or is a device's; reads then name their memory.
    registered_ = memory_.size() <= (size_t{1} << 30) && io_uring_register_buffers(&ring_, &whole, 1) == 0;
    return true;
  }

  bool start(AsyncRead& read) override {
    if (in_flight_ == depth_) return false;
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) return false;
    const auto bytes = static_cast<unsigned>(read.to.size());
    const int handle = static_cast<int>(read.handle);
    if (registered_ && read.to.data() >= memory_.data() && read.to.data() < memory_.data() + memory_.size())
      io_uring_prep_read_fixed(entry, handle, read.to.data(), bytes, read.position, 0);
    else
      io_uring_prep_read(entry, handle, read.to.data(), bytes, read.position);
    if (!read.direct && read.to.size() > kCopiedInline) io_uring_sqe_set_flags(entry, IOSQE_ASYNC);
    io_uring_sqe_set_data(entry, &read);
    ++in_flight_;
    unsubmitted_ = true;
    return true;
  }

  void flush() override {
    // What EAGAIN or EBUSY leave is submitted next time.
    if (unsubmitted_ && io_uring_submit(&ring_) >= 0) unsubmitted_ = io_uring_sq_ready(&ring_) != 0;
  }

  size_t reap(std::span<AsyncRead*> room) override {
    flush();
    size_t count = 0;
    io_uring_cqe* entry = nullptr;
    while (count < room.size() && io_uring_peek_cqe(&ring_, &entry) == 0) {
      auto* const read = static_cast<AsyncRead*>(io_uring_cqe_get_data(entry));
      read->result = entry->res == -EINTR || entry->res == -EAGAIN ? -EINTR : entry->res;
      io_uring_cqe_seen(&ring_, entry);
      --in_flight_;
      room[count++] = read;
    }
    return count;
  }

  ReadBackend backend() const noexcept override { return ReadBackend::io_uring; }
  Result<bool> attach(const File&) override { return false; }

 private:
  uint32_t depth_;
  std::span<std::byte> memory_;
  io_uring ring_{};
  bool opened_ = false, registered_ = false, unsubmitted_ = false;
  uint32_t in_flight_ = 0;
};

}  // namespace

std::unique_ptr<AsyncReads> open_async_reads(uint32_t depth, std::span<std::byte> memory) {
  auto reads = std::make_unique<UringReads>(depth, memory);
  if (!reads->open()) return nullptr;
  return reads;
}

}  // namespace weft::loader
