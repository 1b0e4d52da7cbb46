// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Compiled as C++23, where the standard library has std::expected.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include <weft/status.hpp>

#ifdef __cpp_lib_expected

TEST_SUITE("host result") {
  TEST_CASE("a Result and a Status convert to std::expected") {
    using weft::Error;
    using weft::ErrorCode;
    using weft::Result;
    using weft::Status;
    const Result<int> value = 7;
    const std::expected<int, Error> seven = value;
    CHECK(seven == 7);
    const std::expected<int, Error> none = Result<int>(Error{ErrorCode::unsupported, "no"});
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code == ErrorCode::unsupported);
    CHECK(none.error().message == "no");
    const std::expected<std::unique_ptr<int>, Error> moved = Result<std::unique_ptr<int>>(std::make_unique<int>(3));
    CHECK(**moved == 3);
    const std::expected<void, Error> success = Status{};
    CHECK(success.has_value());
    const std::expected<void, Error> failure = Status{Error{ErrorCode::not_found, "where"}};
    CHECK(failure.error().message == "where");
  }
}

#endif
