// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <weft/export.h>

#include "runtime/context_state.hpp"

namespace weft::primitives {

/// `bytes`, rounded up to whole vectors of 16: what follows is aligned to as much.
constexpr uint64_t in_vectors(uint64_t bytes) { return (bytes + 15) / 16 * 16; }

/// `by`: not 0.
constexpr uint64_t divided_up(uint64_t n, uint64_t by) {
  return n / by + (n % by != 0 ? 1 : 0);  // NOLINT(clang-analyzer-core.DivideZero)
}

/// The bytes by which an item has to be aligned.
constexpr uint32_t alignment_of(uint32_t item_bytes) { return std::min(item_bytes, 4u); }

/// Tiles of a call.
inline constexpr uint64_t kMaxTiles = uint64_t{1} << 31;

/// What a device has of maxComputeWorkGroupCount at least.
constexpr uint32_t kMaxGroups = 65535;
/// Workgroups that have shares of so many parts. They take turns of a bounded length, whatever the tuning says.
uint32_t groups_of(uint64_t parts, uint32_t groups);

/// Bytes of shared memory for a workgroup. Emulated subgroups and the driver take some, and `reserved` has room for
/// what is small.
uint32_t shared_bytes_of(const runtime::ContextState& state, uint32_t workgroup, uint32_t reserved = 2048);

/// A range of an args struct, located: what the checks and the kernels work with.
struct LocatedRange {
  const char* name = "";
  VkDeviceAddress address = 0;
  uint64_t bytes = 0;  ///< in use, not as declared
};

/// Refuses ranges that are null, of VK_WHOLE_SIZE, past their buffer's end, smaller than `bytes` or not aligned to
/// `alignment`: every range of every primitive comes through here. Errors carry `primitive` and `name`.
Result<LocatedRange> locate(const runtime::ContextState& state, const char* primitive, const char* name,
                            const BufferRange& range, uint64_t bytes, uint64_t alignment);

bool overlap(const LocatedRange& a, const LocatedRange& b);

WEFT_API Error argument_error(const char* primitive, const char* argument, const std::string& what);

/// Refuses a set that is made for another primitive, named as in KernelSet::primitive(), or
/// does not say what it works on.
Status check_own_kernels(const char* primitive, const KernelSet& own, std::string_view wanted);

/// Items of a vector, as in shaders/weft/item.glsl: as many as fill 16 bytes with the wider of item and output, or 1.
uint32_t own_vector_items(uint32_t item_bytes, uint32_t output_bytes);

/// Refuses operators that do not go with the item, accumulators that are neither it nor a wider one, and types that the
/// device cannot compute with.
Status check_operator(const runtime::ContextState& state, const char* primitive, Op op, Type item, Type accumulator);

/// The bits of the operator's identity as a stored accumulator.
uint64_t identity_bits(Op op, Type accumulator);

/// Bytes one accumulator takes in partials and tile states, where narrow ones are widened.
uint32_t register_bytes(Type accumulator);

/// x · y ≥ groups, x within the device's limit.
struct DispatchSize {
  uint32_t x, y;
};
WEFT_API DispatchSize dispatch_size(uint64_t groups, uint32_t max_x);

/// Items absent before a range, so that vectors of `vector_bytes` lie on their boundaries.
uint32_t head_items(VkDeviceAddress address, uint32_t vector_bytes, uint32_t item_bytes);

}  // namespace weft::primitives
