// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <weft/export.h>

namespace weft {

/// SPIR-V of one kernel variant.
struct KernelCode {
  /// `<stem>[.<item>.<accumulator>].native` or `.emulated`.
  std::string_view name;
  std::span<const uint32_t> words;
};

/// Compressed SPIR-V of a set, as embedded by weft_add_kernel().
struct PackedKernels;

/// A primitive's kernels compiled with a user's snippet: an item type with an operator, a predicate, a partition
/// function, an equality or an order, or a transform (docs/own-kernels.md).
///
/// - Built by the CMake function weft_add_kernel() or, at run time, by weft::jit::Compiler.
/// - Assigned to a config's `own_kernels`.
/// - An immutable handle: copies are cheap and refer to the same state.
/// - Sets outlive the Compiler.
/// - Sets with equal code use the same pipelines of a Context, whatever their names. Others never mix.
/// - Lifetime, threads: docs/integration.md.
class WEFT_API KernelSet {
 public:
  /// Copies name, primitive and kernels. `name` is for messages.
  /// Code that was not built from weft's templates is refused by the primitives, not here.
  /// If memory runs out, ok() is false.
  KernelSet(std::string_view name, std::string_view primitive, std::span<const KernelCode> kernels) noexcept;

  /// Unpacks a set embedded by weft_add_kernel(), whose generated function calls this.
  /// If memory runs out, ok() is false.
  KernelSet(std::string_view name, std::string_view primitive, const PackedKernels& kernels) noexcept;

  /// Whether there was memory for the set. If not, it is empty, and primitives refuse it with out_of_host_memory.
  bool ok() const noexcept { return state_ != nullptr; }

  const std::string& name() const noexcept;
  /// "scan", "scan_by_key", "reduce", "reduce_by_key", "segmented_reduce", "select", "partition", "unique",
  /// "run_length_encode", "transform_lbs", "merge", "merge_sort" or "set_operation".
  const std::string& primitive() const noexcept;
  /// Sorted by name.
  std::span<const KernelCode> kernels() const noexcept;
  /// Size of an item in a buffer. 0 if the kernels do not declare it or have none.
  uint32_t item_bytes() const noexcept;
  /// Size of a result. 0 except for scans and reductions.
  uint32_t accumulator_bytes() const noexcept;

  /// SPIR-V of the kernel with this name. Empty if there is none.
  std::span<const uint32_t> find(std::string_view kernel) const noexcept;
  /// SHA-256 of all kernels and their names, in hexadecimal.
  const std::string& digest() const noexcept;

 private:
  struct State;
  static std::shared_ptr<const State> make_state(std::string_view name, std::string_view primitive,
                                                 std::span<const KernelCode> kernels);
  const State& state() const noexcept;
  std::shared_ptr<const State> state_;
};

}  // namespace weft
