// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/core/arguments.hpp"

#include <algorithm>

namespace weft::primitives {

Error argument_error(const char* primitive, const char* argument, const std::string& what) {
  return {ErrorCode::invalid_argument, std::string(primitive) + ": " + argument + " " + what};
}

Result<LocatedRange> locate(const runtime::ContextState& state, const char* primitive, const char* name,
                            const BufferRange& range, uint64_t bytes, uint64_t alignment) {
  if (range.size == VK_WHOLE_SIZE)
    return argument_error(primitive, name, "has the size VK_WHOLE_SIZE where a number of bytes is needed");
  if (!range.is_given()) return argument_error(primitive, name, "has no buffer");
  const bool by_address = range.address != 0;
  if (by_address && range.buffer != VK_NULL_HANDLE)
    return argument_error(primitive, name, "has a buffer and an address");
  const VkDeviceSize end = by_address ? UINT64_MAX - range.address : state.memory_size(range.buffer);
  if (range.offset > end || range.size > end - range.offset)
    return argument_error(primitive, name,
                          "has " + std::to_string(range.size) + " bytes from byte " + std::to_string(range.offset) +
                              " on, past the end of its buffer, whose memory has " + std::to_string(end));
  if (range.size < bytes)
    return argument_error(
        primitive, name, "has " + std::to_string(range.size) + " bytes where " + std::to_string(bytes) + " are needed");
  const VkDeviceAddress address = by_address ? range.address + range.offset : state.address_of(range);
  if (address % alignment != 0)
    return argument_error(primitive, name, "does not begin at a multiple of " + std::to_string(alignment) + " bytes");
  return LocatedRange{name, address, bytes};
}

bool overlap(const LocatedRange& a, const LocatedRange& b) {
  return a.bytes != 0 && b.bytes != 0 && a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

Status check_own_kernels(const char* primitive, const KernelSet& own, std::string_view wanted) {
  if (!own.ok()) return runtime::out_of_memory();
  const std::string name = std::string(primitive) + ": own_kernels '" + own.name() + "'";
  if (own.primitive() != wanted)
    return Error{ErrorCode::unsupported,
                 name + " are made for " + own.primitive() + ", and not for " + std::string(wanted)};
  constexpr uint32_t kMaxItemBytes = 16, kMaxAccumulatorBytes = 32;  // as in shaders/weft/own.glsl
  const bool has_results = wanted == "scan" || wanted == "scan_by_key" || wanted == "reduce" ||
                           wanted == "reduce_by_key" || wanted == "segmented_reduce";
  if (own.item_bytes() == 0 || own.item_bytes() > kMaxItemBytes || (own.accumulator_bytes() != 0) != has_results ||
      own.accumulator_bytes() > kMaxAccumulatorBytes)
    return Error{ErrorCode::unsupported, name + " were not made by weft_add_kernel() or weft::jit"};
  return {};
}

uint32_t own_vector_items(uint32_t item_bytes, uint32_t output_bytes) {
  const auto fills = [](uint32_t bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0; };
  return fills(item_bytes) && fills(output_bytes) ? 16 / std::max(item_bytes, output_bytes) : 1;
}

Status check_operator(const runtime::ContextState& state, const char* primitive, Op op, Type item, Type accumulator) {
  const std::string name = primitive;
  const auto refused = [&](const std::string& why) { return Error{ErrorCode::unsupported, name + ": " + why}; };
  if ((op == Op::affine) != (item == Type::u32x2))
    return refused("affine takes items of type u32x2, and these take no other operator");
  if (is_float(item) && (op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor))
    return refused(std::string(name_of(op)) + " takes integers, not " + name_of(item));
  if (item != accumulator && (op == Op::arg_min || op == Op::arg_max))
    return refused("arg_min and arg_max give the item itself; the accumulator is its type");
  constexpr std::pair<Type, Type> kWidenings[] = {
      {Type::u8, Type::u16},  {Type::u8, Type::u32},  {Type::u16, Type::u32}, {Type::u32, Type::u64},
      {Type::i32, Type::i64}, {Type::f16, Type::f32}, {Type::f32, Type::f64}};
  if (item != accumulator && std::ranges::find(kWidenings, std::pair(item, accumulator)) == std::end(kWidenings))
    return refused(std::string("items of type ") + name_of(item) + " do not accumulate in " + name_of(accumulator));
  if (Status status = state.check_type(item); !status) return status;
  return state.check_type(accumulator);
}

uint64_t identity_bits(Op op, Type type) {
  const uint64_t all = size_of(type) == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * size_of(type))) - 1;
  const uint64_t sign = (all >> 1) + 1;
  const bool is_signed = type == Type::i32 || type == Type::i64;
  switch (op) {
    case Op::multiply:
      switch (type) {
        case Type::f16: return 0x3c00;
        case Type::f32: return 0x3f800000;
        case Type::f64: return 0x3ff0000000000000;
        default: return 1;
      }
    case Op::min:
    case Op::max: {
      uint64_t infinity = 0;
      switch (type) {
        case Type::f16: infinity = 0x7c00; break;
        case Type::f32: infinity = 0x7f800000; break;
        case Type::f64: infinity = 0x7ff0000000000000; break;
        default: break;
      }
      if (infinity != 0) return op == Op::min ? infinity : infinity | sign;
      if (is_signed) return op == Op::min ? sign - 1 : sign;
      return op == Op::min ? all : 0;
    }
    case Op::bit_and: return all;
    case Op::affine: return 1;  // x -> 1*x + 0
    default: return 0;
  }
}

uint32_t groups_of(uint64_t parts, uint32_t groups) {
  constexpr uint64_t kMaxPartsOfGroup = 16384;
  const uint64_t wanted = std::clamp<uint64_t>(parts / kMaxPartsOfGroup + 1, groups, kMaxGroups);
  return static_cast<uint32_t>(std::clamp<uint64_t>(parts, 1, wanted));
}

uint32_t shared_bytes_of(const runtime::ContextState& state, uint32_t workgroup, uint32_t reserved) {
  if (state.subgroup_backend() == SubgroupBackend::emulated) reserved += 8 * workgroup;
  return std::max(state.traits().shared_memory_bytes, reserved) - reserved;
}

uint32_t register_bytes(Type accumulator) { return std::max(4u, size_of(accumulator)); }

DispatchSize dispatch_size(uint64_t groups, uint32_t max_x) {
  if (groups <= max_x) return {static_cast<uint32_t>(groups), 1};
  const uint64_t y = divided_up(groups, max_x);
  return {static_cast<uint32_t>(divided_up(groups, y)), static_cast<uint32_t>(y)};
}

uint32_t head_items(VkDeviceAddress address, uint32_t vector_bytes, uint32_t item_bytes) {
  return static_cast<uint32_t>(address % vector_bytes) / item_bytes;
}

}  // namespace weft::primitives
