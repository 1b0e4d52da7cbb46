// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/select.hpp>

#include <algorithm>

#include "primitives/core/arguments.hpp"
#include "primitives/select/select_plan.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::SelectPlan;

namespace primitives {
namespace {

using shader::kMoveGathered;
using shader::kMoveTested;
using shader::kOrderFloat;
using shader::kOrderSigned;
using shader::kOrderUnsigned;
using shader::kTestBits;
using shader::kTestRange;
using shader::kTestRunHead;

constexpr uint32_t kSelectMaxItemBytes = 1024;

uint32_t order_of(Type type) {
  if (is_float(type)) return kOrderFloat;
  return type == Type::i32 || type == Type::i64 ? kOrderSigned : kOrderUnsigned;
}

uint64_t mask_of(Type type) { return size_of(type) == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * size_of(type))) - 1; }

uint64_t sign_of(Type type) { return (mask_of(type) >> 1) + 1; }

/// Bits of +infinity.
uint64_t infinity_of(Type type) {
  return type == Type::f16 ? 0x7c00 : type == Type::f32 ? 0x7f800000 : 0x7ff0000000000000;
}

/// As key_of() in select_tile.glsl: keys order as unsigned numbers as items do.
uint64_t key_of(Type type, uint64_t bits) {
  bits &= mask_of(type);
  const uint64_t sign = sign_of(type);
  switch (order_of(type)) {
    case kOrderUnsigned: return bits;
    case kOrderSigned: return bits ^ sign;
    case kOrderFloat: return (bits & sign) != 0 ? bits ^ mask_of(type) : bits ^ sign;
  }
  return bits;
}

bool is_nan(Type type, uint64_t bits) {
  return is_float(type) && (bits & mask_of(type) & ~sign_of(type)) > infinity_of(type);
}

bool is_zero(Type type, uint64_t bits) {
  return (bits & mask_of(type) & ~(is_float(type) ? sign_of(type) : uint64_t{0})) == 0;
}

/// What the kernel tests: low <= key <= low + span, or not so.
struct KeyRange {
  uint64_t low, span;
  bool inverted;
};

/// The range of keys for a comparison. NaN lies outside of those of the infinities, and both zeros count as one.
KeyRange key_range(Criterion criterion, Type type, uint64_t a, uint64_t b) {
  const uint64_t all = mask_of(type);
  const uint64_t lowest = is_float(type) ? key_of(type, infinity_of(type) | sign_of(type)) : 0;
  const uint64_t highest = is_float(type) ? key_of(type, infinity_of(type)) : all;
  const auto first_key = [&](uint64_t bits) {
    return key_of(type, is_float(type) && is_zero(type, bits) ? sign_of(type) : bits);
  };
  const auto last_key = [&](uint64_t bits) { return key_of(type, is_float(type) && is_zero(type, bits) ? 0 : bits); };
  if (criterion == Criterion::zero || criterion == Criterion::nonzero) a = 0;
  const bool inverted =
      criterion == Criterion::not_equal || criterion == Criterion::outside || criterion == Criterion::nonzero;
  bool empty = is_nan(type, a);
  uint64_t low = lowest, high = highest;
  switch (criterion) {
    case Criterion::less:
      empty = empty || first_key(a) == lowest;
      high = first_key(a) - 1;
      break;
    case Criterion::less_equal: high = last_key(a); break;
    case Criterion::greater:
      empty = empty || last_key(a) == highest;
      low = last_key(a) + 1;
      break;
    case Criterion::greater_equal: low = first_key(a); break;
    case Criterion::inside:
    case Criterion::outside:
      empty = empty || is_nan(type, b);
      low = first_key(a);
      high = last_key(b);
      break;
    default:
      low = first_key(a);
      high = last_key(a);
      break;
  }
  if (empty || low > high) return {0, all, !inverted};
  return {low, high - low, inverted};
}

Error refused(const char* primitive, const std::string& why) {
  return {ErrorCode::unsupported, std::string(primitive) + ": " + why};
}

bool is_item_size(uint32_t bytes) {
  return bytes == 1 || bytes == 2 || (bytes != 0 && bytes % 4 == 0 && bytes <= kSelectMaxItemBytes);
}

bool tests_bits(Criterion criterion) {
  return criterion == Criterion::any_bit || criterion == Criterion::no_bit || criterion == Criterion::all_bits;
}

bool is_flagged(Criterion criterion) { return criterion == Criterion::flagged || criterion == Criterion::not_flagged; }

// What is compared of a struct: an item, or where runs are found any bytes.
uint32_t member_bytes_of(const SelectConfig& config) {
  const bool is_given = config.criterion == Criterion::run_head && config.member.bytes != 0;
  return is_given ? config.member.bytes : size_of(config.item);
}

Status check_config(const char* name, uint32_t partitions, const SelectConfig& config) {
  const bool flagged = is_flagged(config.criterion), run_head = config.criterion == Criterion::run_head;
  const bool is_member = config.member.stride != 0;
  if (flagged && is_member) return refused(name, "flags are no member of a struct");
  if (flagged && config.items) return refused(name, "flags themselves are not moved: items is false with flagged");
  if (!flagged && !run_head && config.item == Type::u32x2)
    return refused(name, "items of type u32x2 have no order; run_head takes them");
  if (tests_bits(config.criterion) && is_float(config.item))
    return refused(name, std::string(name_of(config.criterion)) + " takes integers, not " + name_of(config.item));
  if (config.index != Type::u32 && config.index != Type::u64) return refused(name, "indices are u32 or u64");
  if (!config.items && config.moved_bytes == 0 && !config.indices && partitions > 1)
    return refused(name, "neither items nor indices are wanted");
  if (config.moved_bytes != 0 && !is_item_size(config.moved_bytes))
    return refused(name, "moved items have 1, 2 or a multiple of 4 bytes, at most 1024, not " +
                             std::to_string(config.moved_bytes));
  if (config.items && config.moved_bytes != 0 && (partitions > 1 || is_member))
    return refused(name, "items of one kind are moved at a time");

  if (!is_member) return {};
  const uint32_t member_bytes = member_bytes_of(config);
  if (!is_item_size(config.member.stride) || config.member.stride % 4 != 0)
    return refused(name,
                   "structs have a multiple of 4 bytes, at most 1024, not " + std::to_string(config.member.stride));
  if (!is_item_size(member_bytes) || config.member.offset % alignment_of(member_bytes) != 0 ||
      uint64_t{config.member.offset} + member_bytes > config.member.stride)
    return refused(name, "the member does not lie in the struct, or not at a multiple of its size");
  return {};
}

}  // namespace

/// What Select and Partition have in common.
Result<std::shared_ptr<const SelectPlan>> SelectPlan::create(const Context& context, const char* name,
                                                             uint32_t partitions, const SelectConfig& wanted) {
  SelectConfig config = wanted;
  const KernelSet* own = config.own_kernels ? &*config.own_kernels : nullptr;
  if (own != nullptr) {
    const bool unique = partitions == 1 && own->primitive() == "unique";
    const char* const made_for = unique ? "unique" : partitions == 3 ? "partition" : "select";
    if (const Status status = check_own_kernels(name, *own, made_for); !status) return status.error();
    // As shaders/weft/own.glsl has it: items of one or two words are those of these types, larger ones are structs.
    const uint32_t bytes = own->item_bytes();
    config.criterion = unique ? Criterion::run_head : Criterion::nonzero;
    config.item = bytes == 8 && unique ? Type::u32x2 : bytes == 8 ? Type::u64 : Type::u32;
    config.member = bytes > 8 ? Member{.stride = bytes} : Member{};
  }
  if (const Status status = check_config(name, partitions, config); !status) return status.error();
  const bool flagged = is_flagged(config.criterion);
  const bool run_head = config.criterion == Criterion::run_head;
  const bool is_member = config.member.stride != 0;
  auto plan = std::make_shared<SelectPlan>();
  plan->state = context.state();
  plan->name = name;
  plan->partitions = partitions;
  plan->config = config;
  plan->flagged = flagged;

  const uint32_t item_bytes = size_of(config.item);
  std::string item;
  uint32_t vector_items = 0;
  if (flagged) {
    item = "bits";
    vector_items = 32;
  } else if (is_member) {
    item = "struct";
    vector_items = 1;
    plan->item_bytes = config.member.stride;
  } else {
    item = item_bytes == 1 ? "u8" : item_bytes == 2 ? "u16" : item_bytes == 4 ? "u32" : "u32x2";
    vector_items = 16 / item_bytes;
    plan->vector_bytes = 16;
    plan->item_bytes = item_bytes;
  }
  if (own != nullptr) item = "own";

  uint32_t moves = 0;
  if (config.items) moves |= is_member ? kMoveGathered : kMoveTested;
  if (config.moved_bytes != 0) moves |= kMoveGathered;
  plan->moves_tested = (moves & kMoveTested) != 0;
  plan->gathers = (moves & kMoveGathered) != 0;
  plan->gathered_bytes = config.moved_bytes != 0 ? config.moved_bytes : config.member.stride;
  plan->index_words = !config.indices ? 0 : config.index == Type::u64 ? 2 : 1;

  const runtime::ContextState& state = *context.state();
  const uint32_t test = tests_bits(config.criterion) ? kTestBits : run_head ? kTestRunHead : kTestRange;
  PipelineBuilder builder(state, runtime::kernels::select(), 0, own);
  builder.set(shader::select::kTest, test)
      .set(shader::select::kOrder, order_of(config.item))
      .set(shader::select::kMove, moves)
      .set(shader::select::kMovedBytes, plan->gathers ? plan->gathered_bytes : 4)
      .set(shader::select::kIndexWords, plan->index_words)
      .set(shader::select::kTwoPartitions, partitions == 2)
      .set(shader::select::kStride, is_member ? config.member.stride : 4)
      .set(shader::select::kMember, config.member.offset)
      .set(shader::select::kMemberBytes, member_bytes_of(config));
  const bool native = context.subgroup_backend() == SubgroupBackend::native;
  Result<Compaction> pass =
      Compaction::create(context, builder,
                         {.stem = "select",
                          .types = "." + item + (partitions == 3 ? ".counts" : ".u32"),
                          .strategy = config.strategy,
                          .vector_items = vector_items,
                          .vector_bytes = flagged     ? 4
                                          : is_member ? std::min(config.member.stride, 32u)
                                                      : 16,
                          // As select_is_direct() in shaders/select/select_move.glsl.
                          .direct = native && !flagged && !is_member && item_bytes >= 4 &&
                                    (!plan->gathers || (plan->gathered_bytes % 4 == 0 && plan->gathered_bytes <= 16)),
                          .accumulator_words = partitions == 3 ? 2u : 1u});
  if (!pass) return pass.error();
  plan->pass = *std::move(pass);
  return std::shared_ptr<const SelectPlan>(std::move(plan));
}

Status SelectPlan::record(VkCommandBuffer commands, const PartitionArgs& args, const SelectArgs& one) const {
  const uint64_t maximum = args.count.maximum();
  const uint64_t tested_bytes = flagged ? (maximum + 31) / 32 * 4 : maximum * item_bytes;
  const uint64_t gathered = gathers ? maximum * gathered_bytes : 0;
  const uint64_t index_bytes = maximum * 4 * index_words;
  const bool is_moved = config.moved_bytes != 0;

  shader::SelectPush push{};
  uint32_t count_words = 0;
  RecordCall call(*state, name, commands);
  pass.check_count(call, maximum);
  if (index_words == 1 && maximum > uint64_t{1} << 32)
    call.refuse("count", "is more than u32 indices reach: " + std::to_string(maximum));
  call.count("count", args.count, push.count, push.count_value, count_words)
      .dispatch_arguments("dispatch", one.dispatch, maximum, one.items_per_workgroup, push.indices_2, push.out_2)
      .read("input", args.input, tested_bytes, flagged ? 4 : alignment_of(item_bytes), push.items)
      .read("moved", args.moved, is_moved ? gathered : 0, alignment_of(gathered_bytes), push.moved)
      .counts(partitions == 1 ? "kept" : "counts", args.counts, partitions, push.counts)
      .scratch(args.scratch, scratch_size(maximum), push.scratch);
  if (gathers && !is_moved) push.moved = push.items;
  const uint64_t moved_tested = moves_tested ? maximum * item_bytes : 0;
  if (partitions == 1) {
    call.write("output", one.output, moved_tested, alignment_of(item_bytes), push.out_0)
        // Beside tested items gathered ones go to the second output.
        .write(is_moved ? "moved_output" : "output", is_moved ? args.outputs[0] : one.output, gathered,
               alignment_of(gathered_bytes), moves_tested ? push.out_1 : push.out_0)
        .write("indices", args.indices[0], index_bytes, 4, push.indices_0);
  } else {
    struct Side {
      const char* output;
      const char* index;
      uint64_t &out, &indices;
    };
    const Side all[] = {{"outputs[0]", "indices[0]", push.out_0, push.indices_0},
                        {"outputs[1]", "indices[1]", push.out_1, push.indices_1},
                        {"outputs[2]", "indices[2]", push.out_2, push.indices_2}};
    for (uint32_t partition = 0; partition < partitions; ++partition)  // 2 or 3
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
      call.write(all[partition].output, args.outputs[partition], gathered + moved_tested,
                 alignment_of(gathers ? gathered_bytes : item_bytes), all[partition].out)
          .write(all[partition].index, args.indices[partition], index_bytes, 4, all[partition].indices);
  }
  if (!call.accepted()) return call.status();

  bool inverted = false;
  if (config.own_kernels) {
    push.low = args.a.bits;
    push.span = args.b.bits;
  } else if (flagged) {
    inverted = config.criterion == Criterion::not_flagged;
  } else if (partitions == 3) {
    push.low = key_of(config.item, args.a.bits);
    push.span = key_of(config.item, args.b.bits);
  } else if (tests_bits(config.criterion)) {
    push.low = args.a.bits & mask_of(config.item);
    push.span = config.criterion == Criterion::all_bits ? push.low : 0;
    inverted = config.criterion == Criterion::any_bit;
  } else if (config.criterion != Criterion::run_head) {
    const KeyRange range = key_range(config.criterion, config.item, args.a.bits, args.b.bits);
    push.low = range.low;
    push.span = range.span;
    inverted = range.inverted;
  }
  const uint32_t head = vector_bytes == 0 ? 0 : head_items(push.items, vector_bytes, item_bytes);
  push.flags = (count_words == 2 ? shader::kSelectCountIsWide : 0) |
               (args.counts.size == 8 * partitions ? shader::kSelectCountsAreWide : 0) |
               (inverted ? shader::kSelectInverted : 0) | head << 8;
  pass.record(call, push, maximum, head);
  return {};
}

}  // namespace primitives

const char* name_of(Criterion criterion) noexcept {
  switch (criterion) {
    case Criterion::less: return "less";
    case Criterion::less_equal: return "less_equal";
    case Criterion::greater: return "greater";
    case Criterion::greater_equal: return "greater_equal";
    case Criterion::equal: return "equal";
    case Criterion::not_equal: return "not_equal";
    case Criterion::inside: return "inside";
    case Criterion::outside: return "outside";
    case Criterion::any_bit: return "any_bit";
    case Criterion::no_bit: return "no_bit";
    case Criterion::all_bits: return "all_bits";
    case Criterion::nonzero: return "nonzero";
    case Criterion::zero: return "zero";
    case Criterion::flagged: return "flagged";
    case Criterion::not_flagged: return "not_flagged";
    case Criterion::run_head: return "run_head";
  }
  return "unknown";
}

SelectConfig SelectConfig::select_if(Type item, Criterion criterion) noexcept {
  SelectConfig config;
  config.criterion = criterion;
  config.item = item;
  return config;
}

SelectConfig SelectConfig::select_flagged(uint32_t item_bytes, std::optional<Type> flags) noexcept {
  SelectConfig config;
  config.criterion = flags ? Criterion::nonzero : Criterion::flagged;
  config.item = flags.value_or(Type::u32);
  config.items = false;
  config.moved_bytes = item_bytes;
  return config;
}

SelectConfig SelectConfig::unique(Type item) noexcept { return select_if(item, Criterion::run_head); }

SelectConfig SelectConfig::unique_by_key(Type key, uint32_t value_bytes) noexcept {
  SelectConfig config = unique(key);
  config.moved_bytes = value_bytes;
  return config;
}

Result<Select> Select::create(const Context& context, const SelectConfig& config) noexcept try {
  Result<std::shared_ptr<const SelectPlan>> plan = SelectPlan::create(context, "Select", 1, config);
  if (!plan) return plan.error();
  return Select(*std::move(plan));
} catch (...) {
  return runtime::caught();
}

Select::Select(std::shared_ptr<const SelectPlan> plan) : plan_(std::move(plan)) {}

VkDeviceSize Select::scratch_size(uint64_t max_count) const noexcept { return plan_->scratch_size(max_count); }

Status Select::record(VkCommandBuffer commands, const SelectArgs& args) const noexcept try {
  PartitionArgs all;
  all.input = args.input;
  all.moved = args.moved;
  all.outputs[0] = args.moved_output;
  all.indices[0] = args.indices;
  all.counts = args.kept;
  all.scratch = args.scratch;
  all.count = args.count;
  all.a = args.a;
  all.b = args.b;
  return plan_->record(commands, all, args);
} catch (...) {
  return runtime::caught();
}

Strategy Select::strategy() const noexcept { return plan_->pass.strategy(); }

uint32_t Select::tile_items() const noexcept { return plan_->pass.tile_items(); }

Result<Partition> Partition::create(const Context& context, const PartitionConfig& config) noexcept try {
  if (config.partitions != 2 && config.partitions != 3)
    return primitives::refused("Partition", "partitions must be 2 or 3");
  if (config.criterion == Criterion::run_head)
    return primitives::refused("Partition", "run_head is a criterion of Select");
  if (config.partitions == 3 && config.criterion != Criterion::inside && !config.own_kernels)
    return primitives::refused("Partition", "3 partitions need Criterion::inside or own_kernels");
  SelectConfig select;
  select.criterion = config.criterion;
  select.item = config.item;
  select.member = config.member;
  select.items = config.items && config.moved_bytes == 0;
  select.moved_bytes = config.moved_bytes;
  select.indices = config.indices;
  select.index = config.index;
  select.strategy = config.strategy;
  select.own_kernels = config.own_kernels;
  Result<std::shared_ptr<const SelectPlan>> plan = SelectPlan::create(context, "Partition", config.partitions, select);
  if (!plan) return plan.error();
  return Partition(*std::move(plan));
} catch (...) {
  return runtime::caught();
}

Partition::Partition(std::shared_ptr<const SelectPlan> plan) : plan_(std::move(plan)) {}

VkDeviceSize Partition::scratch_size(uint64_t max_count) const noexcept { return plan_->scratch_size(max_count); }

Status Partition::record(VkCommandBuffer commands, const PartitionArgs& args) const noexcept try {
  return plan_->record(commands, args);
} catch (...) {
  return runtime::caught();
}

Strategy Partition::strategy() const noexcept { return plan_->pass.strategy(); }

uint32_t Partition::tile_items() const noexcept { return plan_->pass.tile_items(); }

}  // namespace weft
