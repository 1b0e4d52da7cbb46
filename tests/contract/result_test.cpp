// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <string>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <weft/status.hpp>

#include "failing_allocation.hpp"

namespace weft::test {
namespace {

const Error kError{ErrorCode::unsupported, "a sentence that is too long for a short string"};

#ifndef _WIN32
// How `call` ends in a process of its own: the signal, and what it wrote to stderr.
struct Death {
  int signal = 0;
  std::string words;
};

template <class Call>
Death death_of(const Call& call) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // not doctest's
    dup2(ends[1], STDERR_FILENO);
    call();
    _exit(0);
  }
  close(ends[1]);
  Death death;
  char buffer[256];
  for (ssize_t bytes; (bytes = read(ends[0], buffer, sizeof buffer)) > 0;)
    death.words.append(buffer, static_cast<size_t>(bytes));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) death.signal = WTERMSIG(status);
  return death;
}
#endif

}  // namespace

TEST_SUITE("host result") {
#ifndef _WIN32  // it has no fork
  TEST_CASE("reading the side that is not there aborts with a message") {
    Result<int> value = 7;
    Result<int> error = kError;
    const Result<int>& const_error = error;
    Result<std::string> text = kError;
    const Status success;

    const std::string words = "unsupported: " + kError.message;
    for (const Death& death : {
             death_of([&] { static_cast<void>(error.value()); }),
             death_of([&] { static_cast<void>(*error); }),
             death_of([&] { static_cast<void>(const_error.value()); }),
             death_of([&] { static_cast<void>(*const_error); }),
             death_of([&] { static_cast<void>(std::move(error).value()); }),
             death_of([&] { static_cast<void>(text->size()); }),
         }) {
      CHECK(death.signal == SIGABRT);
      CHECK(death.words.find(words) != std::string::npos);
    }
    for (const Death& death : {
             death_of([&] { static_cast<void>(value.error()); }),
             death_of([&] { static_cast<void>(success.error()); }),
         }) {
      CHECK(death.signal == SIGABRT);
      CHECK(death.words.find("the error of a Result or Status was read that holds none") != std::string::npos);
    }
    CHECK(death_of([&] { static_cast<void>(value.value()); }).signal == 0);
    CHECK(death_of([&] { static_cast<void>(error.error()); }).signal == 0);
  }
#endif

  TEST_CASE("value_or gives the value or the other") {
    const Result<int> value = 7;
    const Result<int> error = kError;
    CHECK(value.value_or(3) == 7);
    CHECK(error.value_or(3) == 3);
    CHECK(Result<std::unique_ptr<int>>(std::make_unique<int>(5)).value_or(nullptr) != nullptr);
    CHECK(Result<std::unique_ptr<int>>(kError).value_or(nullptr) == nullptr);
  }

  TEST_CASE("and_then goes on with the value and stops at the error") {
    int calls = 0;
    const auto half = [&](int number) -> Result<double> {
      ++calls;
      if (number % 2 != 0) return Error{ErrorCode::invalid_argument, "odd"};
      return number / 2.0;
    };
    Result<int> value = 6;
    CHECK(*value.and_then(half) == 3);
    CHECK(*std::as_const(value).and_then(half) == 3);
    CHECK(Result<int>(5).and_then(half).error().message == "odd");
    CHECK(calls == 3);
    const Result<double> stopped = Result<int>(kError).and_then(half);
    CHECK(stopped.error().code == ErrorCode::unsupported);
    CHECK(stopped.error().message == kError.message);
    CHECK(calls == 3);

    const auto check = [](const std::unique_ptr<int>& pointer) { return *pointer == 1 ? Status{} : Status{kError}; };
    CHECK(Result<std::unique_ptr<int>>(std::make_unique<int>(1)).and_then(check).ok());
    CHECK_FALSE(Result<std::unique_ptr<int>>(std::make_unique<int>(2)).and_then(check).ok());
    CHECK_FALSE(Result<std::unique_ptr<int>>(kError).and_then(check).ok());
    // The value of a temporary is moved on.
    const auto taken = Result<std::unique_ptr<int>>(std::make_unique<int>(3))
                           .and_then([](std::unique_ptr<int>&& pointer) -> Result<int> { return *std::move(pointer); });
    CHECK(*taken == 3);
  }

  TEST_CASE("an Error's copy keeps its code without memory for its message") {
    const FailingAllocation failing(1);
    const Error copy = kError;
    const uint64_t allocations = FailingAllocation::allocations();
    CHECK(allocations == 1);
    CHECK(copy.code == ErrorCode::unsupported);
    CHECK(copy.message.empty());
  }
}

}  // namespace weft::test
