// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weft::gstd {

/// Threads that share work out among themselves and the caller.
class Workers {
 public:
  /// `threads` with the caller's, 0: as many as the machine runs at once. Fewer where the system gives no more.
  explicit Workers(uint32_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  uint32_t count() const noexcept { return static_cast<uint32_t>(threads_.size()) + 1; }

  /// Calls job(item, worker) once for every item below `items`, in any order, worker below count(); returns when all are done. False: a
  /// job could not allocate, and some were not called.
  bool run(size_t items, const std::function<void(size_t item, uint32_t worker)>& job);

 private:
  void work(uint32_t worker) noexcept;
  void serve(uint32_t worker) noexcept;

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  uint64_t round_ = 0;  // counts runs; guarded by mutex_, as what follows
  size_t busy_ = 0;
  bool stop_ = false;
  const std::function<void(size_t, uint32_t)>* job_ = nullptr;  // of the run, as what follows
  size_t items_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace weft::gstd
