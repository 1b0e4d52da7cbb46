// SPDX-License-Identifier: MIT OR Apache-2.0
//
// This program's operator new, which a test can make fail.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/status.hpp>

namespace weft::test {

/// While it lives, the calling thread's n-th allocation by operator new throws std::bad_alloc, and no other. n = 0:
/// none does.
class FailingAllocation {
 public:
  explicit FailingAllocation(uint64_t n) noexcept;
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  static uint64_t allocations() noexcept;  ///< of the calling thread since it began
  static int64_t live() noexcept;          ///< of all threads: made and not freed
};

/// While it lives, the calling thread's allocations are neither counted nor made to fail.
class AllocationsPaused {
 public:
  AllocationsPaused() noexcept;
  ~AllocationsPaused();
  AllocationsPaused(const AllocationsPaused&) = delete;
  AllocationsPaused& operator=(const AllocationsPaused&) = delete;

 private:
  bool was_watched_;
};

/// Calls `call` with its first allocation failing, then with its second, and so on until it makes fewer. Each time it
/// must return out_of_host_memory, or what it returns when none fails: what it can do without, as an error without its
/// sentence. Returns the last.
template <class Call>
auto with_each_allocation_failing(const Call& call) {
  std::optional<decltype(call())> returned;
  std::vector<ErrorCode> errors;
  for (uint64_t n = 1;; ++n) {
    uint64_t allocations = 0;
    {
      const FailingAllocation failing(n);
      returned.emplace(call());
      allocations = FailingAllocation::allocations();
    }
    if (allocations < n) break;
    if (!returned->ok()) errors.push_back(returned->error().code);
  }
  CHECK(!errors.empty());
  size_t without_memory = 0;
  for (const ErrorCode error : errors) {
    without_memory += error == ErrorCode::out_of_host_memory;
    CHECK((error == ErrorCode::out_of_host_memory || (!returned->ok() && error == returned->error().code)));
  }
  CHECK(without_memory > 0);
  return *std::move(returned);
}

}  // namespace weft::test
