// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/run_select.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "support/guarded_buffer.hpp"

namespace weft::test {
namespace {

struct Shape {
  uint32_t sides;
  uint32_t tested_bytes;  // of an item or struct
  bool items, indices;
  uint32_t moved_bytes;
  Type index;
};

struct Written {
  std::string name;
  std::unique_ptr<GuardedBuffer> buffer;
  std::vector<std::byte> expected;
};

template <class Config>
Shape shape_of(uint32_t sides, const Config& config) {
  return {sides,
          config.member.stride != 0 ? config.member.stride : size_of(config.item),
          config.items,
          config.indices,
          config.moved_bytes,
          config.index};
}

// The items of one side, in order.
std::vector<std::byte> gathered(std::span<const std::byte> items, uint32_t bytes, const std::vector<uint8_t>& sides,
                                uint8_t side) {
  std::vector<std::byte> result;
  for (size_t i = 0; i < sides.size(); ++i)
    if (sides[i] == side) {
      const auto item = items.subspan(i * bytes, bytes);
      result.insert(result.end(), item.begin(), item.end());
    }
  return result;
}

std::vector<std::byte> indices_of(const std::vector<uint8_t>& sides, uint8_t side, uint32_t bytes) {
  std::vector<std::byte> result;
  for (uint64_t i = 0; i < sides.size(); ++i)
    if (sides[i] == side) {
      const auto index = std::as_bytes(std::span(&i, 1)).first(bytes);
      result.insert(result.end(), index.begin(), index.end());
    }
  return result;
}

class Run {
 public:
  Run(Gpu& gpu, const Shape& shape, const Selection& selection, const SelectRunOptions& options, uint64_t scratch_bytes,
      uint64_t maximum)
      : gpu_(gpu),
        shape_(shape),
        selection_(selection),
        options_(options),
        maximum_(maximum),
        tested_(gpu, selection.tested.size(), options.tested_misalignment, selection.tested),
        moved_(gpu, selection.moved.size(), options.moved_misalignment, selection.moved),
        scratch_(gpu, scratch_bytes, 0, {}, options.dirt) {
    args_.input = tested_.range();
    args_.moved = moved_.range();
    args_.scratch = scratch_.range();
    args_.count = maximum;
    args_.a = options.a;
    args_.b = options.b;
    if (options.device_count) {
      const uint64_t value = options.device_count->value;
      count_.emplace(gpu, options.device_count->bytes, 4,
                     std::as_bytes(std::span(&value, 1)).first(options.device_count->bytes));
      args_.count = Count::on_device(count_->range(), maximum);
    }
  }

  BufferRange add(std::string name, uint64_t bytes, uint64_t misalignment, std::vector<std::byte> expected) {
    auto buffer =
        std::make_unique<GuardedBuffer>(gpu_, bytes, misalignment, std::span<const std::byte>{}, options_.dirt);
    expected.resize(bytes, static_cast<std::byte>(options_.dirt));
    const BufferRange range = buffer->range();
    written_.push_back({std::move(name), std::move(buffer), std::move(expected)});
    return range;
  }

  BufferRange add_items(uint8_t side, const std::vector<std::byte>& from, uint32_t bytes) {
    return add("items of side " + std::to_string(side), maximum_ * bytes, options_.output_misalignment,
               gathered(from, bytes, selection_.sides, side));
  }

  BufferRange add_indices(uint8_t side) {
    const uint32_t bytes = size_of(shape_.index);
    return add("indices of side " + std::to_string(side), maximum_ * bytes, options_.output_misalignment / 4 * 4,
               indices_of(selection_.sides, side, bytes));
  }

  BufferRange add_counts() {
    std::vector<std::byte> expected;
    for (uint8_t side = 0; side < shape_.sides; ++side) {
      const uint64_t count = static_cast<uint64_t>(std::ranges::count(selection_.sides, side));
      const auto bytes = std::as_bytes(std::span(&count, 1)).first(options_.wide_counts ? 8 : 4);
      expected.insert(expected.end(), bytes.begin(), bytes.end());
    }
    const size_t size = expected.size();
    return add("counts", size, 4, std::move(expected));
  }

  PartitionArgs& args() { return args_; }

  template <class Record>
  std::string execute(const Record& record) {
    const Result<RunTime> ran = gpu_.run(record);
    if (!ran) return ran.error().message;
    for (Written& written : written_) {
      std::vector<std::byte> actual;
      if (std::string spoilt = written.buffer->read(actual); !spoilt.empty()) return written.name + ": " + spoilt;
      const auto [a, e] = std::ranges::mismatch(actual, written.expected);
      if (a != actual.end())
        return written.name + ": byte " + std::to_string(a - actual.begin()) + " is " +
               std::to_string(std::to_integer<int>(*a)) + " and not " + std::to_string(std::to_integer<int>(*e));
    }
    std::vector<std::byte> left;
    if (std::string spoilt = tested_.read(left); !spoilt.empty()) return "input: " + spoilt;
    if (!std::ranges::equal(left, selection_.tested)) return "the input was written to";
    if (std::string spoilt = moved_.read(left); !spoilt.empty()) return "moved: " + spoilt;
    if (!std::ranges::equal(left, selection_.moved)) return "what is moved was written to";
    return scratch_.overwritten();
  }

 private:
  Gpu& gpu_;
  Shape shape_;
  const Selection& selection_;
  SelectRunOptions options_;
  uint64_t maximum_;
  GuardedBuffer tested_, moved_, scratch_;
  std::optional<GuardedBuffer> count_;
  std::vector<Written> written_;
  PartitionArgs args_;
};

uint64_t maximum_of(const Shape& shape, const Selection& selection) {
  if (shape.moved_bytes != 0) return selection.moved.size() / shape.moved_bytes;
  if (shape.items) return selection.tested.size() / shape.tested_bytes;
  return selection.sides.size();
}

}  // namespace

std::string check_selection(Gpu& gpu, const Select& select, const SelectConfig& config, const Selection& selection,
                            const SelectRunOptions& options) {
  const Shape shape = shape_of(1, config);
  const uint64_t maximum = maximum_of(shape, selection);
  Run run(gpu, shape, selection, options, select.scratch_size(maximum), maximum);
  SelectArgs args;
  args.input = run.args().input;
  args.moved = run.args().moved;
  if (shape.items) args.output = run.add_items(0, selection.tested, shape.tested_bytes);
  if (shape.moved_bytes != 0) args.moved_output = run.add_items(0, selection.moved, shape.moved_bytes);
  if (shape.indices) args.indices = run.add_indices(0);
  args.kept = run.add_counts();
  args.scratch = run.args().scratch;
  args.count = run.args().count;
  args.a = options.a;
  args.b = options.b;
  return run.execute([&](VkCommandBuffer commands) { return select.record(commands, args); });
}

std::string check_selection(Gpu& gpu, const Partition& partition, const PartitionConfig& config,
                            const Selection& selection, const SelectRunOptions& options) {
  const Shape shape = shape_of(config.sides, config);
  const uint64_t maximum = maximum_of(shape, selection);
  Run run(gpu, shape, selection, options, partition.scratch_size(maximum), maximum);
  PartitionArgs& args = run.args();
  for (uint8_t side = 0; side < config.sides; ++side) {
    if (shape.moved_bytes != 0)
      args.outputs[side] = run.add_items(side, selection.moved, shape.moved_bytes);
    else if (shape.items)
      args.outputs[side] = run.add_items(side, selection.tested, shape.tested_bytes);
    if (shape.indices) args.indices[side] = run.add_indices(side);
  }
  args.counts = run.add_counts();
  return run.execute([&](VkCommandBuffer commands) { return partition.record(commands, args); });
}

namespace {

std::string key_of(uint32_t sides, Criterion criterion, Type item, const Member& member, bool items,
                   uint32_t moved_bytes, bool indices, Type index, Strategy strategy) {
  std::string key = "select";
  for (const uint32_t part : {sides, static_cast<uint32_t>(criterion), static_cast<uint32_t>(item), member.stride,
                              member.offset, member.bytes, items ? 1u : 0u, moved_bytes, indices ? 1u : 0u,
                              static_cast<uint32_t>(index), static_cast<uint32_t>(strategy)})
    key += ' ' + std::to_string(part);
  return key;
}

}  // namespace

const Select& select_of(const Device& device, SelectConfig config) {
  config.strategy = device.strategy();
  return device.backend().primitive<Select>(key_of(1, config.criterion, config.item, config.member, config.items,
                                                   config.moved_bytes, config.indices, config.index, config.strategy),
                                            config);
}

const Partition& partition_of(const Device& device, PartitionConfig config) {
  config.strategy = device.strategy();
  return device.backend().primitive<Partition>(
      key_of(config.sides, config.criterion, config.item, config.member, config.items, config.moved_bytes,
             config.indices, config.index, config.strategy),
      config);
}

}  // namespace weft::test
