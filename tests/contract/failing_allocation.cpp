// SPDX-License-Identifier: MIT OR Apache-2.0
#include "failing_allocation.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

thread_local bool is_watched = false;
thread_local uint64_t made = 0;
thread_local uint64_t failing = 0;
std::atomic<int64_t> live_allocations = 0;

void* allocate(std::size_t bytes) noexcept {
  if (is_watched && ++made == failing) return nullptr;
  ++live_allocations;
  return std::malloc(bytes != 0 ? bytes : 1);
}

void release(void* memory) noexcept {
  if (memory != nullptr) --live_allocations;
  std::free(memory);
}

void* allocate_or_throw(std::size_t bytes) {
  if (void* memory = allocate(bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace weft::test {

FailingAllocation::FailingAllocation(uint64_t n) noexcept {
  made = 0;
  failing = n;
  is_watched = true;
}

FailingAllocation::~FailingAllocation() { is_watched = false; }

AllocationsPaused::AllocationsPaused() noexcept : was_watched_(is_watched) { is_watched = false; }
AllocationsPaused::~AllocationsPaused() { is_watched = was_watched_; }

uint64_t FailingAllocation::allocations() noexcept { return made; }
int64_t FailingAllocation::live() noexcept { return live_allocations; }

}  // namespace weft::test
