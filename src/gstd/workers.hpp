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

/// Threads that divide work among themselves and the caller: its own, started on demand and kept, or the executor's.
class Workers {
 public:
  /// `threads` includes the caller; 0: one for each hardware thread. Runs with fewer if the system refuses more.
  Workers(uint32_t threads, Executor* executor) noexcept;
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Upper bound of the workers.
  uint32_t count() const noexcept { return most_; }
  /// The same for so many items.
  uint32_t count_for(size_t items) const noexcept { return items < most_ ? static_cast<uint32_t>(items) : most_; }

  /// Calls job(item, worker) once for every item below `items`, in any order, worker below count_for(items). Returns
  /// when all are done. Does not allocate unless it starts threads. Returns false if a job could not allocate; some are
  /// not called then.
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
  size_t wanted_ = 0;  // number of workers to begin; guarded by mutex_, like the following
  size_t busy_ = 0;
  bool stop_ = false;
  void (*call_)(const void*, size_t, uint32_t) = nullptr;  // of the run, like the following
  const void* job_ = nullptr;
  size_t items_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace weft::gstd
