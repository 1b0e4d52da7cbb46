// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft {

/// SPIR-V of one kernel variant.
struct KernelCode {
  std::string_view name;  ///< "<stem>[.<item>.<accumulator>].native|.emulated"
  std::span<const uint32_t> words;
};

/// SPIR-V as weft_add_kernel() puts it into a program: compressed, a set at a time.
struct PackedKernels;

/// A primitive's kernels around a snippet of the user's own: an item type with an operator, a predicate, a choice of sides or an
/// equality (docs/own-kernels.md). The CMake function weft_add_kernel() makes sets at build time, weft::jit::Compiler at run time; both go
/// into a config's `own_kernels`.
///
/// Lifetime, threads: docs/integration.md.
/// Immutable; a handle: copies are cheap and share. Outlives what made it. Sets of equal code are the same to a Context, whatever
/// their names, and share its pipelines; others never mix.
class KernelSet {
 public:
  /// Copies name, primitive and kernels. `name` is for messages. Code that did not come from weft's templates is refused by the
  /// primitives, not here. If there is no memory, ok() is false.
  KernelSet(std::string_view name, std::string_view primitive, std::span<const KernelCode> kernels) noexcept;

  /// Unpacks what weft_add_kernel() made; its generated function calls this. If there is no memory, ok() is false.
  KernelSet(std::string_view name, std::string_view primitive, const PackedKernels& kernels) noexcept;

  /// Whether there was memory for the set. One that is not ok is empty, and primitives refuse it with
  /// out_of_host_memory.
  bool ok() const noexcept { return state_ != nullptr; }

  const std::string& name() const noexcept;
  /// What the kernels are for: "scan", "scan_by_key", "reduce", "reduce_by_key", "segmented_reduce", "select",
  /// "partition", "unique", "run_length_encode", "transform_lbs", "merge", "merge_sort" or "set_operation".
  const std::string& primitive() const noexcept;
  std::span<const KernelCode> kernels() const noexcept;  ///< sorted by name
  uint32_t item_bytes() const noexcept;  ///< of one item in a buffer; 0 where the kernels do not say, or have none
  uint32_t accumulator_bytes() const noexcept;  ///< of one result; 0 but for scans and reductions

  std::span<const uint32_t> find(std::string_view kernel) const noexcept;  ///< empty where there is none of that name
  const std::string& digest() const noexcept;  ///< SHA-256 of all kernels and their names, in hexadecimal

 private:
  struct State;
  static std::shared_ptr<const State> make_state(std::string_view name, std::string_view primitive,
                                                 std::span<const KernelCode> kernels);
  const State& state() const noexcept;
  std::shared_ptr<const State> state_;
};

}  // namespace weft
