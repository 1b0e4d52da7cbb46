// SPDX-License-Identifier: MIT OR Apache-2.0
// The component WEFT_JIT: link weft::jit, which brings shaderc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/status.hpp>

namespace weft::jit {

/// A snippet of the user's own, as in docs/own-kernels.md, and what it goes into.
struct Snippet {
  /// "scan", "scan_by_key", "reduce", "reduce_by_key", "segmented_reduce", "select", "partition", "unique",
  /// "run_length_encode", "transform_lbs", "merge", "merge_sort" or "set_operation"
  std::string primitive;
  std::string name;  ///< for messages: the compiler's carry it and the snippet's own line numbers
  std::string text;  ///< GLSL; may include weft/*.glsl
  /// Compile only what this Context uses, a third of a scan or less. Such a set is refused on Contexts that use something else.
  std::optional<Context> context{};
};

struct CompilerConfig {
  /// Where code is kept from run to run, a file for each set; made if it is not there. Files that are damaged, foreign, or cannot be
  /// written do no harm. Empty: nowhere.
  std::string cache_directory;
};

/// Where the sets that a Compiler gave out came from.
struct CompilerCounts {
  uint64_t compiled = 0;
  uint64_t from_memory = 0;
  uint64_t from_directory = 0;
};

/// Lifetime, threads: docs/integration.md.
/// Compiles snippets at run time, around the same templates as weft_add_kernel() does. What was compiled is kept, by content: snippet,
/// templates and target. A handle: copies share. May be used by many threads; equal snippets are compiled once. Sets outlive it.
class Compiler {
 public:
  /// Errors: not_found (shaderc does not start), out_of_host_memory, system_error.
  static Result<Compiler> create(const CompilerConfig& config = {}) noexcept;

  /// Takes from a tenth of a second to some seconds, where nothing is kept yet.
  /// Errors: compile_error, with the compiler's message, in which `snippet.name` and its lines are the user's; invalid_argument (no
  /// such primitive); out_of_host_memory, system_error.
  Result<KernelSet> compile(const Snippet& snippet) const noexcept;

  CompilerCounts counts() const noexcept;

 private:
  struct State;
  explicit Compiler(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace weft::jit
