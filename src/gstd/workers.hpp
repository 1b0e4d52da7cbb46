// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace weft::gstd {

/// Threads that share work out among themselves and the caller: started when there is work for them, and kept; or the
/// executor's.
class Workers {
 public:
  /// `threads` with the caller's, 0: as many as the machine runs at once. Fewer where the system gives no more.
  Workers(uint32_t threads, Executor* executor) noexcept;
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Upper bound of those that work at once.
  uint32_t count() const noexcept { return most_; }
  /// The same for so many items.
  uint32_t count_for(size_t items) const noexcept { return items < most_ ? static_cast<uint32_t>(items) : most_; }

  /// Calls job(item, worker) once for every item below `items`, in any order, worker below count_for(items); returns
  /// when all are done.
  /// Does not allocate unless it starts threads. False: a job could not allocate, and some were not called.
  template <class Job>
  bool run(size_t items, const Job& job) {
    call_ = [](const void* of, size_t item, uint32_t worker) { (*static_cast<const Job*>(of))(item, worker); };
    job_ = &job;
    return run(items);
  }

 private:
  bool run(size_t items);
  void start(uint32_t threads) noexcept;
  void work(uint32_t worker) noexcept;
  void serve() noexcept;

  uint32_t most_;
  Executor* executor_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  size_t wanted_ = 0;  // threads that shall begin, as workers of these numbers; guarded by mutex_, as what follows
  size_t busy_ = 0;
  bool stop_ = false;
  void (*call_)(const void*, size_t, uint32_t) = nullptr;  // of the run, as what follows
  const void* job_ = nullptr;
  size_t items_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace weft::gstd
