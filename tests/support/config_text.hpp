// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Configs in words, member by member.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include <weft/kernels.hpp>
#include <weft/select.hpp>

namespace weft::test {

inline std::string member_text(bool value) { return value ? "yes" : "no"; }
inline std::string member_text(uint32_t value) { return std::to_string(value); }
inline std::string member_text(const void* given) { return given != nullptr ? "given" : "none"; }
inline std::string member_text(const Member& member) {
  return std::to_string(member.stride) + '+' + std::to_string(member.offset) + '+' + std::to_string(member.bytes);
}
inline std::string member_text(const std::optional<KernelSet>& own) { return own ? own->name() : "built-in"; }
template <class T>
requires std::is_enum_v<T> std::string member_text(T value) { return name_of(value); }

/// What any member can be made of.
struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT: implicit is what it is for
};

/// How many members the config has. own_kernels, where it is there, is the last, and the
/// one that std::nullopt can make.
template <class Config, class... Members>
consteval size_t member_count() {
  if constexpr (requires(const Config& config) { config.own_kernels; }) {
    if constexpr (requires { Config{Members{}..., std::nullopt}; })
      return sizeof...(Members) + 1;
    else
      return member_count<Config, Members..., AnyMember>();
  } else if constexpr (requires { Config{Members{}..., AnyMember{}}; }) {
    return member_count<Config, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

template <class Config>
std::string config_text(const Config& config) {
  const auto words = [](const auto&... members) {
    std::string text;
    ((text += member_text(members) + ' '), ...);
    text.pop_back();
    return text;
  };
  constexpr size_t kMembers = member_count<Config>();
  static_assert(kMembers <= 10);
  // clang-format off
  if constexpr (kMembers == 0) { return {}; }
  else if constexpr (kMembers == 1) { const auto& [a] = config; return words(a); }
  else if constexpr (kMembers == 2) { const auto& [a, b] = config; return words(a, b); }
  else if constexpr (kMembers == 3) { const auto& [a, b, c] = config; return words(a, b, c); }
  else if constexpr (kMembers == 4) { const auto& [a, b, c, d] = config; return words(a, b, c, d); }
  else if constexpr (kMembers == 5) { const auto& [a, b, c, d, e] = config; return words(a, b, c, d, e); }
  else if constexpr (kMembers == 6) { const auto& [a, b, c, d, e, f] = config; return words(a, b, c, d, e, f); }
  else if constexpr (kMembers == 7) { const auto& [a, b, c, d, e, f, g] = config; return words(a, b, c, d, e, f, g); }
  else if constexpr (kMembers == 8) {
    const auto& [a, b, c, d, e, f, g, h] = config;
    return words(a, b, c, d, e, f, g, h);
  } else if constexpr (kMembers == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = config;
    return words(a, b, c, d, e, f, g, h, i);
  } else {
    const auto& [a, b, c, d, e, f, g, h, i, j] = config;
    return words(a, b, c, d, e, f, g, h, i, j);
  }
  // clang-format on
}

}  // namespace weft::test
