// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/workers.hpp"

#include <algorithm>
#include <new>
#include <system_error>

namespace weft::gstd {

Workers::Workers(uint32_t threads) {
  constexpr uint32_t kMost = 256;
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  threads = std::min(threads, kMost);
  threads_.reserve(threads - 1);
  for (uint32_t worker = 1; worker < threads; ++worker) {
    try {
      threads_.emplace_back([this, worker] { serve(worker); });
    } catch (const std::system_error&) {
      break;  // what there is does the work
    }
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::run(size_t items, const std::function<void(size_t, uint32_t)>& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    items_ = items;
    next_ = 0;
    out_of_memory_ = false;
    if (items > 1 && !threads_.empty()) {
      ++round_;
      busy_ = threads_.size();
    }
  }
  if (items > 1) begin_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
  return !out_of_memory_;
}

void Workers::work(uint32_t worker) noexcept {
  for (size_t item = next_++; item < items_; item = next_++) {
    try {
      (*job_)(item, worker);
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;
      next_ = items_;
      return;
    }
  }
}

void Workers::serve(uint32_t worker) noexcept {
  uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    work(worker);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace weft::gstd
