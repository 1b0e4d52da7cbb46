// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Arguments that break a precondition: refused by name, before anything is recorded.
#include <doctest/doctest.h>

#include "scan/reduce_calls.hpp"
#include "scan/scan_calls.hpp"
#include "support/host_device.hpp"
#include "support/refusals.hpp"

namespace weft::test::refusal_tests {

TEST_SUITE("refusal") {
  TEST_CASE("a scan refuses arguments by name and records nothing [refusal]") {
    check_refusals_of_strategies<Scan>({}, [](const Scan& scan) -> RefusalsOf<Scan> {
      return {{"count", "of more than 2^31 tiles", [&](auto& a) { a.count = uint64_t{scan.tile_items()} << 31; }}};
    });
  }

  TEST_CASE("a scan refuses to work in place where items and accumulators differ in size [refusal]") {
    RefusalTest<Scan> test({ScanKind::inclusive, Op::add, Type::u8, Type::u32});
    test.recording.check_refused<Scan, ScanArgs>(test.primitive, test.sound,
                                                 {{"output", "in place", [](ScanArgs& a) { a.input = a.output; }}});
  }

  TEST_CASE("ranges that touch without overlapping are taken") {
    RefusalTest<Scan>().check_taken([](ScanArgs& a) {
      a.output = {a.input.buffer, a.input.offset + 4 * kCalled, 4 * kCalled};
      a.scratch = {a.input.buffer, a.input.offset + 8 * kCalled, a.scratch.size};
    });
  }

  TEST_CASE("a reduction refuses arguments by name and records nothing [refusal]") {
    RefusalTest<Reduce> test;
    test.check({{"count", "of more than 2^31 tiles",
                 [&](auto& a) { a.count = uint64_t{test.primitive.tile_items()} << 31; }}});
  }

  TEST_CASE("arg_min and arg_max refuse an initial value and an output that holds no ArgResult [refusal]") {
    RefusalTest<Reduce> test({Op::arg_max, Type::u32, Type::u32});
    test.sound.output.size = 16;
    test.recording.check_refused<Reduce, ReduceArgs>(
        test.primitive, test.sound,
        {{"initial", "given", [](ReduceArgs& a) { a.initial = Value::of(uint32_t{1}); }},
         {"output", "of one accumulator", [](ReduceArgs& a) { a.output.size = 4; }},
         {"output", "off by 2", [](ReduceArgs& a) { a.output.offset += 2; }}});
  }

  TEST_CASE("arg_min and arg_max refuse more items than a workgroup can number [refusal]") {
    const ScopedVariable one_workgroup("WEFT_TUNE", "reduce.groups=1");
    RecordingGpu recording;
    for (const Op op : {Op::add, Op::arg_min}) {
      const Result<Reduce> reduce = Reduce::create(recording.context(), {op, Type::u32, Type::u32});
      REQUIRE(reduce);
      Ranges ranges(recording.gpu());
      const ReduceArgs args{
          ranges.read("input", 4 * kCalled), ranges.write("output", 16), ranges.scratch(64), uint64_t{1} << 32, {}};
      const auto error = recording.record(*reduce, args);
      REQUIRE(error);
      CHECK(error->message.find(op == Op::add ? "input" : "count") != std::string::npos);
    }
  }
}

}  // namespace weft::test::refusal_tests
