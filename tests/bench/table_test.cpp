// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "support/report.hpp"

namespace weft::bench {
namespace {

std::string table_line(const Row& row) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  REQUIRE(file);
  Table(file.get()).row(row);
  std::rewind(file.get());
  std::string line;
  for (int c = std::fgetc(file.get()); c != EOF && c != '\n'; c = std::fgetc(file.get())) line += static_cast<char>(c);
  CHECK(std::fgetc(file.get()) == EOF);
  return line;
}

TEST_CASE("percentages are multiples where they would take more columns") {
  CHECK(percent_text(0.1234, 1) == "12.3 %");
  CHECK(percent_text(9.99, 1) == "999.0 %");
  CHECK(percent_text(9.9949, 0) == "999 %");
  CHECK(percent_text(9.995, 0) == "10 x");
  CHECK(percent_text(10.605, 1) == "10.6 x");
  CHECK(percent_text(99.9, 1) == "99.9 x");
  CHECK(percent_text(99.97, 1) == "100 x");
}

TEST_CASE("a row of the table has as many columns whatever was measured, and no more than a table has") {
  Row row;
  row.primitive = "set_symmetric_difference_keys";
  row.variant = "ties";
  row.type = "u32";
  row.n = 4294967295;
  row.verified = true;
  row.verification = Verification::sampled;
  row.gbps = 12345.6;
  for (const double fraction : {0.0, 0.001, 0.5, 9.994, 9.9951, 10.605, 99.94, 99.96, 998.7}) {
    row.copy_fraction = fraction;
    row.ms = Summary{.median = 1234567.8, .p5 = 0, .p95 = 1234567.8 * fraction, .min = 0, .samples = {}};
    CAPTURE(fraction);
    CHECK(table_line(row).size() == kTableColumns);
  }
}

}  // namespace
}  // namespace weft::bench
