// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/run.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "support/guarded_buffer.hpp"

namespace weft::test {

namespace {

// What scans and reductions share: their arguments have the same members.
template <class Args, class Primitive>
std::vector<std::byte> run(Gpu& gpu, const Primitive& primitive, std::span<const std::byte> items, uint64_t count,
                           VkDeviceSize output_bytes, const RunOptions& options) {
  GuardedBuffer input(gpu, items.size(), options.input_misalignment, items);
  std::optional<GuardedBuffer> apart;
  if (!options.in_place)
    apart.emplace(gpu, output_bytes, options.output_misalignment, std::span<const std::byte>{}, options.dirt);
  GuardedBuffer scratch(gpu, primitive.scratch_size(count), 0, {}, options.dirt);
  std::optional<GuardedBuffer> count_buffer;

  Args args;
  args.input = input.range();
  args.output = options.in_place ? input.range() : apart->range();
  args.scratch = scratch.range();
  args.count = count;
  args.initial = options.initial;
  if (options.device_count) {
    // At any multiple of 4, so not always of 8.
    const uint64_t value = options.device_count->value;
    count_buffer.emplace(gpu, options.device_count->bytes, 4,
                         std::as_bytes(std::span(&value, 1)).first(options.device_count->bytes));
    args.count = Count::on_device(count_buffer->range(), count);
  }

  const Result<RunTime> ran = gpu.run([&](VkCommandBuffer commands) { return primitive.record(commands, args); });
  if (!ran) FAIL(ran.error().message);

  std::vector<std::byte> output;
  if (options.in_place) {
    CHECK(input.read(output) == "");
  } else {
    std::vector<std::byte> left;
    CHECK(input.read(left) == "");
    CHECK_MESSAGE(std::ranges::equal(left, items), "the input was written to");
    CHECK(apart->read(output) == "");
  }
  CHECK(scratch.overwritten() == "");
  return output;
}

}  // namespace

std::vector<std::byte> run_scan(Gpu& gpu, const Scan& scan, std::span<const std::byte> items, uint64_t count,
                                uint32_t accumulator_bytes, const RunOptions& options) {
  return run<ScanArgs>(gpu, scan, items, count, count * accumulator_bytes, options);
}

std::vector<std::byte> run_reduce(Gpu& gpu, const Reduce& reduce, std::span<const std::byte> items, uint64_t count,
                                  uint32_t result_bytes, const RunOptions& options) {
  return run<ReduceArgs>(gpu, reduce, items, count, result_bytes, options);
}

}  // namespace weft::test
