// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/run_select.hpp"

#include <array>

#include "support/config_text.hpp"
#include "support/oracle.hpp"

namespace weft::test {
namespace {

struct Shape {
  uint32_t partitions;
  uint32_t tested_bytes;  // of an item or struct
  bool items, indices;
  uint32_t moved_bytes;
  Type index;
};

template <class Config>
Shape shape_of(uint32_t partitions, const Config& config) {
  return {partitions,         config.member.stride != 0 ? config.member.stride : size_of(config.item),
          config.items,       config.indices,
          config.moved_bytes, config.index};
}

class Run : public PrimitiveCall {
 public:
  template <class Primitive>
  Run(Gpu& gpu, const Primitive& primitive, const Shape& shape, const Selection& selection,
      const SelectRunOptions& options)
      : PrimitiveCall(gpu, options.dirt), shape_(shape), selection_(selection), options_(options) {
    maximum_ = shape.moved_bytes != 0 ? selection.moved.size() / shape.moved_bytes
               : shape.items          ? selection.tested.size() / shape.tested_bytes
                                      : selection.partitions.size();
    args.input = input("input", selection.tested, options.tested_misalignment);
    args.moved = input("moved", selection.moved, options.moved_misalignment);
    args.scratch = scratch(primitive.scratch_size(maximum_));
    args.count = count(options.device_count, maximum_);
    args.a = options.a;
    args.b = options.b;
    dispatch = expect_dispatch(positions_of(0).size(), options.items_per_workgroup);
    std::vector<uint64_t> counts;
    for (uint8_t partition = 0; partition < shape.partitions; ++partition) {
      counts.push_back(positions_of(partition).size());
      if (shape.items) args.outputs[partition] = add("items", partition, selection.tested, shape.tested_bytes);
      if (shape.moved_bytes != 0) moved[partition] = add("moved items", partition, selection.moved, shape.moved_bytes);
      if (shape.indices) {
        const std::vector<uint32_t> positions = positions_of(partition);
        args.indices[partition] =
            add("indices", partition,
                bytes_of_lengths(std::vector<uint64_t>(positions.begin(), positions.end()), shape.index));
      }
    }
    const Bytes count_bytes = bytes_of_lengths(counts, options.wide_counts ? Type::u64 : Type::u32);
    output("counts", count_bytes.size(), 4);
    args.counts = expect("counts", count_bytes);
  }

  PartitionArgs args;
  std::array<BufferRange, 3> moved;
  BufferRange dispatch;

 private:
  std::vector<uint32_t> positions_of(uint8_t partition) const {
    std::vector<uint32_t> positions;
    for (uint32_t i = 0; i < selection_.partitions.size(); ++i)
      if (selection_.partitions[i] == partition) positions.push_back(i);
    return positions;
  }
  /// Of so many bytes each, which come out as they are; or the items that go to the partition.
  BufferRange add(const char* what, uint8_t partition, const Bytes& expected) {
    return add(what, partition, expected, size_of(shape_.index), options_.output_misalignment / 4 * 4);
  }
  BufferRange add(const char* what, uint8_t partition, const Bytes& from, uint32_t bytes) {
    return add(what, partition, gathered(from, bytes, positions_of(partition)), bytes, options_.output_misalignment);
  }
  BufferRange add(const char* what, uint8_t partition, const Bytes& expected, uint32_t bytes,
                  VkDeviceSize misalignment) {
    const std::string name = std::string(what) + " of partition " + std::to_string(partition);
    output(name.c_str(), maximum_ * bytes, misalignment);
    return expect(name.c_str(), expected, bytes);
  }

  Shape shape_;
  const Selection& selection_;
  SelectRunOptions options_;
  uint64_t maximum_ = 0;
};

}  // namespace

std::string check_selection(Gpu& gpu, const Select& select, const SelectConfig& config, const Selection& selection,
                            const SelectRunOptions& options) {
  Run run(gpu, select, shape_of(1, config), selection, options);
  const PartitionArgs& args = run.args;
  return run.wrong(select,
                   SelectArgs{args.input, args.moved, args.outputs[0], run.moved[0], args.indices[0], args.counts,
                              args.scratch, args.count, args.a, args.b, run.dispatch, options.items_per_workgroup});
}

std::string check_selection(Gpu& gpu, const Partition& partition, const PartitionConfig& config,
                            const Selection& selection, const SelectRunOptions& options) {
  Shape shape = shape_of(config.partitions, config);
  shape.items = shape.items && shape.moved_bytes == 0;
  SelectRunOptions of_partition = options;
  of_partition.items_per_workgroup = 0;
  Run run(gpu, partition, shape, selection, of_partition);
  if (shape.moved_bytes != 0) run.args.outputs = run.moved;
  return run.wrong(partition, run.args);
}

}  // namespace weft::test
