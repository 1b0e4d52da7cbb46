// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <ostream>

#include <doctest/doctest.h>

namespace weft::test {

/// What CAPTURE, INFO and CHECK_MESSAGE hold until the end of a scope. doctest makes a class of each use, of which
/// there are seven hundred: half a megabyte of tables and destructors in weft-bench.
class Captured final : public doctest::detail::ContextScopeBase {
 public:
  /// `says` must outlive this object.
  template <class Says>
  explicit Captured(const Says& says)
      : says_(&says), call_([](const void* it, std::ostream* out) { (*static_cast<const Says*>(it))(out); }) {}
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() override {
    if (need_to_destroy) destroy();
  }

  void stringify(std::ostream* out) const override { call_(says_, out); }

 private:
  const void* says_;
  void (*call_)(const void*, std::ostream*);
};

}  // namespace weft::test

#undef DOCTEST_INFO_IMPL
#define DOCTEST_INFO_IMPL(builder, says, ...)                                                  \
  const auto says = [&](std::ostream* weft_out) {                                              \
    doctest::detail::MessageBuilder builder(__FILE__, __LINE__, doctest::assertType::is_warn); \
    builder.m_stream = weft_out;                                                               \
    builder* __VA_ARGS__;                                                                      \
  };                                                                                           \
  const ::weft::test::Captured DOCTEST_ANONYMOUS(weft_captured)(says)
