// SPDX-License-Identifier: MIT OR Apache-2.0
// From structs of C to those of C++, by what src/c/translate.py writes of each: Tagged.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>

#include "handles.hpp"

struct weft_kernel_set {
  weft::KernelSet value;
};

struct weft_gstd_executor final : weft::gstd::Executor {
  weft_gstd_executor(weft_run_tasks with, void* of_caller) : call(with), user(of_caller) {}
  void run(uint32_t count, const std::function<void(uint32_t)>& task) override;

  weft_run_tasks call;
  void* user;
};

/// Where a member ends, for Tagged::kEnds.
#define WEFT_END(type, member) (offsetof(type, member) + weft::c::kSize<decltype(type::member)>)

namespace weft::c {

template <class T>
inline constexpr size_t kSize = sizeof(T);

// A caller's struct_size that is larger was not set.
constexpr size_t kMostStructBytes = 1 << 16;

/// Of a C struct with a struct_size: Cpp, kName, kEnds (where its members end), defaults(c, from), convert(c, to).
template <class C>
struct Tagged;

inline BufferRange cpp_of(const weft_buffer_range& range) noexcept {
  return {range.buffer, range.offset, range.size, range.address};
}
inline Count cpp_of(const weft_count& count) noexcept {
  return count.on_device ? Count::on_device(cpp_of(count.range), count.maximum) : Count(count.maximum);
}
inline Value cpp_of(const weft_value& value) noexcept { return {value.bits}; }

/// Whether a C enumeration's value is one of the first `count`, which are all there are.
template <class C>
bool is_enumerator(C value, uint32_t count) noexcept {
  return static_cast<uint32_t>(value) < count;
}

template <class C, class Cpp>
Status enumerator(C value, uint32_t count, const char* member, Cpp& to) {
  if (!is_enumerator(value, count)) {
    return Error{ErrorCode::invalid_argument,
                 std::string(member) + " is " + std::to_string(static_cast<uint32_t>(value)) + ", no enumerator"};
  }
  to = static_cast<Cpp>(value);
  return {};
}

/// All members as C++ has them by default; as many bytes of them as the caller's struct has.
template <class C>
void init_sized(C* to, size_t struct_size) noexcept {
  if (to == nullptr || struct_size < sizeof(size_t)) return;
  C all;
  std::memset(&all, 0, sizeof(all));  // padding too: a later version may have a member there
  Tagged<C>::defaults(all, typename Tagged<C>::Cpp{});
  all.struct_size = struct_size;
  std::memset(static_cast<void*>(to), 0, struct_size);
  std::memcpy(static_cast<void*>(to), &all, std::min(struct_size, sizeof(all)));
}

/// The members that the caller's struct has, and the defaults of the others. Null: all defaults.
template <class C>
Status read(const C* given, typename Tagged<C>::Cpp& to) {
  using Of = Tagged<C>;
  if (given == nullptr) return {};
  const size_t size = given->struct_size;
  const auto refuse = [size](const char* why) {
    return Error{ErrorCode::invalid_argument, std::string(Of::kName) + ".struct_size is " + std::to_string(size) + why};
  };
  if (size < sizeof(size_t) || size > kMostStructBytes) return refuse(": the struct was not set by its _init");
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(C) && std::any_of(bytes + sizeof(C), bytes + size, [](unsigned char byte) { return byte != 0; }))
    return refuse(", of a later version, with members that this one does not know and that are not 0");
  C known;
  init_sized(&known, sizeof(known));
  const auto last = std::find_if(std::rbegin(Of::kEnds), std::rend(Of::kEnds), [=](size_t end) { return end <= size; });
  std::memcpy(static_cast<void*>(&known), bytes, *last);
  if (Status status = Of::convert(known, to); !status) {
    return Error{status.error().code, std::string(Of::kName) + "." + status.error().message};
  }
  return {};
}

}  // namespace weft::c
