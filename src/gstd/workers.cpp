// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/workers.hpp"

#include <algorithm>
#include <new>
#include <system_error>

namespace weft::gstd {

Workers::Workers(uint32_t threads, Executor* executor) noexcept : executor_(executor) {
  constexpr uint32_t kMax = 256;
  most_ = std::clamp(threads == 0 ? std::thread::hardware_concurrency() : threads, 1u, kMax);
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Existing threads do the work if no more can be started.
void Workers::start(uint32_t threads) noexcept {
  try {
    threads_.reserve(threads);
    while (threads_.size() < threads) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

bool Workers::run(size_t items) {
  items_ = items;
  next_ = 0;
  out_of_memory_ = false;
  const uint32_t workers = count_for(items);
  if (workers > 1 && executor_ != nullptr) {
    executor_->run(workers, [this](uint32_t task) { work(task); });
  } else if (workers > 1) {
    start(workers - 1);
    {
      const std::lock_guard lock(mutex_);
      wanted_ = std::min<size_t>(threads_.size(), workers - 1);
    }
    begin_.notify_all();
  }
  if (items != 0) work(0);
  if (workers > 1 && executor_ == nullptr) {
    std::unique_lock lock(mutex_);
    wanted_ = 0;  // threads that have not begun need not
    end_.wait(lock, [this] { return busy_ == 0; });
  }
  return !out_of_memory_;
}

void Workers::work(uint32_t worker) noexcept {
  for (size_t item = next_++; item < items_; item = next_++) {
    try {
      call_(job_, item, worker);
    } catch (...) {  // only allocation throws
      out_of_memory_ = true;
      next_ = items_;
      return;
    }
  }
}

void Workers::serve() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    begin_.wait(lock, [&] { return stop_ || wanted_ != 0; });
    if (stop_) return;
    const auto worker = static_cast<uint32_t>(wanted_--);
    ++busy_;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace weft::gstd
