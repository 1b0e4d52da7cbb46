// SPDX-License-Identifier: MIT OR Apache-2.0
// The component `jit`: link weft::jit, which links shaderc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/status.hpp>

namespace weft::jit {

/// A user's snippet (docs/own-kernels.md) and the primitive it is compiled for.
struct Snippet {
  /// One of the names listed at KernelSet::primitive().
  std::string primitive;
  /// For messages: the compiler's have this name and the snippet's own line numbers.
  std::string name;
  /// GLSL. May include weft/*.glsl.
  std::string text;
  /// If set, compiles only what this Context uses: half of a scan's kernels or less.
  /// The set is then refused on Contexts that use something else.
  std::optional<Context> context{};
};

/// Options of a Compiler.
struct CompilerConfig {
  /// Directory of compiled sets that are kept between runs, one file each. Created if missing. Empty: none.
  /// Files that are damaged, foreign or not writable are harmless.
  std::string cache_directory;
};

/// Number of sets a Compiler returned, by source.
struct CompilerCounts {
  uint64_t compiled = 0;
  uint64_t from_memory = 0;
  uint64_t from_directory = 0;
};

/// Compiles snippets at run time, with the same templates as weft_add_kernel().
///
/// - Compiled sets are kept by content: snippet, templates and target.
/// - A handle: copies refer to the same state.
/// - Sets outlive it.
/// - May be used from many threads. Equal snippets are compiled once.
/// - Lifetime, threads: docs/integration.md.
class WEFT_API Compiler {
 public:
  /// Errors: not_found (shaderc does not start), out_of_host_memory, system_error.
  static Result<Compiler> create(const CompilerConfig& config = {}) noexcept;

  /// Compiles the snippet, or returns a kept set. Compiling takes from a tenth of a second to some seconds.
  /// Errors: compile_error (with the compiler's message), invalid_argument (unknown primitive), out_of_host_memory,
  /// system_error.
  Result<KernelSet> compile(const Snippet& snippet) const noexcept;

  CompilerCounts counts() const noexcept;

 private:
  struct State;
  explicit Compiler(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace weft::jit
