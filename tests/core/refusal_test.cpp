// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Arguments that break a precondition: refused by name, before anything is recorded.
#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>

#include <weft/gpu.hpp>
#include <weft/reduce.hpp>
#include <weft/scan.hpp>

#include "support/device.hpp"
#include "support/host_device.hpp"
#include "support/recorded_commands.hpp"
#include "support/run.hpp"

namespace weft::test {
namespace {

constexpr uint64_t kCount = 10000;

/// One breach: what to do to sound arguments, and the name the error must hold.
template <class Args>
struct Breach {
  const char* name;
  const char* description;
  std::function<void(Args&)> commit;
};

/// A device on which recorded commands are noted, and buffers for sound calls.
struct Bench {
  explicit Bench(Gpu opened)
      : gpu(std::move(opened)),
        input(made(16 * kCount)),
        output(made(16 * kCount)),
        scratch(made(1 << 20)),
        count(made(64)) {}

  static Gpu open(Messages& messages) {
    GpuConfig config;
    config.get_instance_proc_addr = noting_entry_point();
    config.on_message = messages.sink();
    Result<Gpu> gpu = Gpu::open(config);
    if (!gpu) FAIL(gpu.error().message);
    return std::move(*gpu);
  }

  Buffer made(VkDeviceSize bytes) {
    Result<Buffer> buffer = gpu.create_buffer(bytes);
    if (!buffer) FAIL(buffer.error().message);
    return std::move(*buffer);
  }

  Gpu gpu;
  Buffer input, output, scratch, count;
};

/// Records with `args`; the error, if any. Checks that a refusal leaves nothing in the command buffer.
template <class Primitive, class Args>
std::optional<Error> recorded(Bench& bench, const Primitive& primitive, const Args& args, bool null_commands = false) {
  std::optional<Error> error;
  std::string commands_recorded;
  const auto ran = bench.gpu.run([&](VkCommandBuffer commands) {
    take_recorded();
    const Status status = primitive.record(null_commands ? VK_NULL_HANDLE : commands, args);
    commands_recorded = take_recorded();
    if (!status) error = status.error();
    return Status{};
  });
  if (!ran) FAIL(ran.error().message);
  if (error)
    CHECK(commands_recorded == "");
  else
    CHECK(commands_recorded.find('d') != std::string::npos);
  return error;
}

template <class Primitive, class Args>
void check_refused(Bench& bench, const Primitive& primitive, const Args& sound,
                   const std::vector<Breach<Args>>& breaches) {
  CHECK(!recorded(bench, primitive, sound));
  for (const Breach<Args>& breach : breaches) {
    CAPTURE(std::string(breach.name));
    CAPTURE(std::string(breach.description));
    Args args = sound;
    breach.commit(args);
    const auto error = recorded(bench, primitive, args);
    REQUIRE(error);
    CHECK(error->code == ErrorCode::invalid_argument);
    CHECK(error->message.find(breach.name) != std::string::npos);
  }
  const auto error = recorded(bench, primitive, sound, true);
  REQUIRE(error);
  CHECK(error->code == ErrorCode::invalid_argument);
  CHECK(error->message.find("commands") != std::string::npos);
}

/// Breaches that scans and reductions share: both have an input, an output, scratch and a count.
template <class Args>
std::vector<Breach<Args>> shared_breaches(Bench& b, uint64_t tile_items) {
  return {
      {"input", "null", [](Args& a) { a.input.buffer = VK_NULL_HANDLE; }},
      {"output", "null", [](Args& a) { a.output.buffer = VK_NULL_HANDLE; }},
      {"scratch", "null", [](Args& a) { a.scratch.buffer = VK_NULL_HANDLE; }},
      {"input", "a byte too small", [](Args& a) { --a.input.size; }},
      {"output", "a byte too small", [](Args& a) { --a.output.size; }},
      {"scratch", "a byte too small", [](Args& a) { --a.scratch.size; }},
      {"input", "of no size", [](Args& a) { a.input.size = 0; }},
      {"input", "off by 1", [](Args& a) { a.input.offset += 1; }},
      {"input", "off by 2", [](Args& a) { a.input.offset += 2; }},
      {"output", "off by 1", [](Args& a) { a.output.offset += 1; }},
      {"output", "off by 2", [](Args& a) { a.output.offset += 2; }},
      {"scratch", "off by 4", [](Args& a) { a.scratch.offset += 4; }},
      {"scratch", "off by 8", [](Args& a) { a.scratch.offset += 8; }},
      {"output", "over the input, from inside",
       [](Args& a) { a.output.buffer = a.input.buffer, a.output.offset = a.input.offset + 4; }},
      {"output", "over the input's last item",
       [](Args& a) { a.output.buffer = a.input.buffer, a.output.offset = a.input.offset + 4 * (kCount - 1); }},
      {"scratch", "over the input",
       [](Args& a) { a.scratch.buffer = a.input.buffer, a.scratch.offset = a.input.offset; }},
      {"scratch", "over the output",
       [](Args& a) { a.scratch.buffer = a.output.buffer, a.scratch.offset = a.output.offset; }},
      {"count", "a byte on the device", [&](Args& a) { a.count = Count::on_device(b.count.range(0, 1), kCount); }},
      {"count", "12 bytes on the device", [&](Args& a) { a.count = Count::on_device(b.count.range(0, 12), kCount); }},
      {"count", "off by 2 on the device", [&](Args& a) { a.count = Count::on_device(b.count.range(2, 4), kCount); }},
      {"count", "in the output",
       [](Args& a) {
         a.count = Count::on_device({a.output.buffer, a.output.offset, 4}, kCount);
       }},
      {"count", "in the scratch",
       [](Args& a) {
         a.count = Count::on_device({a.scratch.buffer, a.scratch.offset, 4}, kCount);
       }},
      {"count", "of more than 2^31 tiles", [=](Args& a) { a.count = tile_items << 31; }},
      {"count", "of all bits", [](Args& a) { a.count = ~uint64_t{0}; }},
  };
}

}  // namespace

TEST_SUITE("refusal") {
  TEST_CASE("a scan refuses arguments by name and records nothing [refusal]") {
    Messages messages;
    Bench b(Bench::open(messages));
    for (const Strategy strategy : strategies_of(b.gpu.context())) {
      const Result<Scan> scan =
          Scan::create(b.gpu.context(), {ScanKind::exclusive, Op::add, Type::u32, Type::u32, strategy});
      REQUIRE(scan);
      const ScanArgs sound{b.input.range(16, 4 * kCount),
                           b.output.range(16, 4 * kCount),
                           b.scratch.range(0, scan->scratch_size(kCount)),
                           kCount,
                           {}};
      auto breaches = shared_breaches<ScanArgs>(b, scan->tile_items());
      breaches.push_back({"output", "over the input, from in front",
                          [](ScanArgs& a) { a.output.buffer = a.input.buffer, a.output.offset = a.input.offset - 4; }});
      check_refused(b, *scan, sound, breaches);
    }
    CHECK(messages.all().empty());
  }

  TEST_CASE("a scan refuses to work in place where items and accumulators differ in size [refusal]") {
    Messages messages;
    Bench b(Bench::open(messages));
    const Result<Scan> scan =
        Scan::create(b.gpu.context(), {ScanKind::inclusive, Op::add, Type::u8, Type::u32, Strategy::automatic});
    REQUIRE(scan);
    const auto error = recorded(b, *scan,
                                ScanArgs{b.input.range(0, kCount),
                                         b.input.range(0, 4 * kCount),
                                         b.scratch.range(0, scan->scratch_size(kCount)),
                                         kCount,
                                         {}});
    REQUIRE(error);
    CHECK(error->code == ErrorCode::invalid_argument);
    CHECK(error->message.find("output") != std::string::npos);
  }

  TEST_CASE("ranges that touch without overlapping are taken") {
    Messages messages;
    Bench b(Bench::open(messages));
    const Result<Scan> scan = Scan::create(b.gpu.context(), {});
    REQUIRE(scan);
    CHECK(!recorded(b, *scan,
                    ScanArgs{b.input.range(0, 4 * kCount),
                             b.input.range(4 * kCount, 4 * kCount),
                             b.input.range(8 * kCount, scan->scratch_size(kCount)),
                             kCount,
                             {}}));
    CHECK(messages.all().empty());
  }

  TEST_CASE("a reduction refuses arguments by name and records nothing [refusal]") {
    Messages messages;
    Bench b(Bench::open(messages));
    const Result<Reduce> reduce = Reduce::create(b.gpu.context(), {});
    REQUIRE(reduce);
    const ReduceArgs sound{b.input.range(16, 4 * kCount),
                           b.output.range(16, 4),
                           b.scratch.range(0, reduce->scratch_size(kCount)),
                           kCount,
                           {}};
    check_refused(b, *reduce, sound, shared_breaches<ReduceArgs>(b, reduce->tile_items()));
    CHECK(messages.all().empty());
  }

  TEST_CASE("arg_min and arg_max refuse an initial value and an output that holds no ArgResult [refusal]") {
    Messages messages;
    Bench b(Bench::open(messages));
    const Result<Reduce> reduce = Reduce::create(b.gpu.context(), {Op::arg_max, Type::u32, Type::u32});
    REQUIRE(reduce);
    const ReduceArgs sound{b.input.range(0, 4 * kCount),
                           b.output.range(4, 16),
                           b.scratch.range(0, reduce->scratch_size(kCount)),
                           kCount,
                           {}};
    check_refused(b, *reduce, sound,
                  {{"initial", "given", [](ReduceArgs& a) { a.initial = Value::of(uint32_t{1}); }},
                   {"output", "of one accumulator", [](ReduceArgs& a) { a.output.size = 4; }},
                   {"output", "off by 2", [](ReduceArgs& a) { a.output.offset += 2; }}});
  }

  TEST_CASE("arg_min and arg_max refuse more items than a workgroup can number [refusal]") {
    const ScopedVariable one_workgroup("WEFT_TUNE", "reduce.groups=1");
    Messages messages;
    Bench b(Bench::open(messages));
    for (const Op op : {Op::add, Op::arg_min}) {
      const Result<Reduce> reduce = Reduce::create(b.gpu.context(), {op, Type::u32, Type::u32});
      REQUIRE(reduce);
      ReduceArgs args{b.input.range(0, 4 * kCount), b.output.range(0, 16), b.scratch.range(0, 64), kCount, {}};
      args.count = Count(uint64_t{1} << 32);
      const auto error = recorded(b, *reduce, args);
      REQUIRE(error);
      CHECK(error->message.find(op == Op::add ? "input" : "count") != std::string::npos);
    }
  }
}

}  // namespace weft::test
