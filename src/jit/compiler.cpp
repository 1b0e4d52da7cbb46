// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/jit.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include <shaderc/shaderc.hpp>

#include "jit/code_file.hpp"
#include "jit/templates.hpp"
#include "runtime/context_state.hpp"
#include "runtime/error.hpp"
#include "runtime/sha256.hpp"

namespace weft::jit {
namespace {

// What the templates include in place of the user's file (shaders/weft/own.glsl).
constexpr std::string_view kSnippetPath = "weft/own_snippet.glsl";

// Serves the embedded templates and the snippet. A source's name is what the compiler's messages call it.
class Includer : public shaderc::CompileOptions::IncluderInterface {
 public:
  /// `failed` is set where there is no memory for an answer.
  Includer(const Snippet& snippet, bool& failed) : snippet_(snippet), failed_(failed) {}

  // No exception may pass through shaderc.
  shaderc_include_result* GetInclude(const char* requested, shaderc_include_type, const char* requesting,
                                     size_t) noexcept override try {
    Answer* answer = answers_.emplace_back(std::make_unique<Answer>()).get();
    const std::string_view path = requested;
    if (path == kSnippetPath) {
      answer->name = snippet_.name;
      answer->text = snippet_.text;
    } else if (const std::string_view text = find_template(path); !text.empty()) {
      answer->name = path;
      answer->text = text;
    } else {
      // An empty name says that there is none; the text is then the message.
      answer->text = std::string(requesting) + " includes " + requested + ", which is none of weft's files";
    }
    answer->result = {answer->name.data(), answer->name.size(), answer->text.data(), answer->text.size(), nullptr};
    return &answer->result;
  } catch (...) {
    failed_ = true;
    static shaderc_include_result none{"", 0, "", 0, nullptr};
    return &none;
  }

  // They live as long as the includer, which is one compilation.
  void ReleaseInclude(shaderc_include_result*) override {}

 private:
  struct Answer {
    std::string name, text;
    shaderc_include_result result;
  };
  const Snippet& snippet_;
  bool& failed_;
  std::vector<std::unique_ptr<Answer>> answers_;
};

Result<std::vector<uint32_t>> compile_variant(const shaderc::Compiler& compiler, const Snippet& snippet,
                                              const Variant& variant) {
  shaderc::CompileOptions options;
  options.SetTargetEnvironment(shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_2);
  bool without_memory = false;
  options.SetIncluder(std::make_unique<Includer>(snippet, without_memory));
  for (const auto& [define, value] : variant.defines) options.AddMacroDefinition(define, value);
  const std::string_view text = find_template(variant.path);
  const auto result =
      compiler.CompileGlslToSpv(text.data(), text.size(), shaderc_glsl_compute_shader, variant.path.c_str(), options);
  // The second is what shaderc makes of its own exceptions.
  if (without_memory || result.GetCompilationStatus() == shaderc_compilation_status_null_result_object)
    return runtime::out_of_memory();
  if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
    std::string message = result.GetErrorMessage();
    while (message.ends_with('\n')) message.pop_back();
    return Error{ErrorCode::compile_error, message};
  }
  return std::vector<uint32_t>(result.begin(), result.end());
}

// Whether a Context uses the variant.
bool is_used_by(const Context& context, std::string_view variant) {
  const bool native = context.subgroup_backend() == SubgroupBackend::native;
  if (variant.ends_with(native ? ".emulated" : ".native")) return false;
  return variant.find("_look_back.") == std::string_view::npos || context.state()->check_look_back();
}

}  // namespace

struct Compiler::State {
  struct Slot {
    std::mutex compiling;  // held while one thread compiles and others wait for its code
    std::optional<KernelSet> set;
  };

  CompilerConfig config;
  shaderc::Compiler shaderc;
  std::string templates_digest;
  std::mutex slots_mutex;
  std::map<std::string, Slot> slots;  // only grows: references to slots stay good
  std::atomic<uint64_t> compiled = 0;
  std::atomic<uint64_t> from_memory = 0;
  std::atomic<uint64_t> from_directory = 0;
};

Compiler::Compiler(std::shared_ptr<State> state) : state_(std::move(state)) {}

Result<Compiler> Compiler::create(const CompilerConfig& config) noexcept try {
  auto state = std::make_shared<State>();
  if (!state->shaderc.IsValid()) return Error{ErrorCode::not_found, "shaderc does not start"};
  state->config = config;
  runtime::Sha256 sha;
  for (const TemplateSource& source : template_sources()) {
    sha.add_text(source.path);
    sha.add_text(source.text);
  }
  unsigned version = 0, revision = 0;
  shaderc_get_spv_version(&version, &revision);
  sha.add_text(std::to_string(version) + "." + std::to_string(revision));
  state->templates_digest = sha.hexadecimal();
  return Compiler(std::move(state));
} catch (...) {
  return runtime::caught();
}

Result<KernelSet> Compiler::compile(const Snippet& original) const noexcept try {
  Snippet snippet = original;
  if (snippet.name.empty()) snippet.name = "snippet";
  std::vector<Variant> variants = variants_of(snippet.primitive);
  if (variants.empty())
    return Error{ErrorCode::invalid_argument,
                 "primitive is scan, scan_by_key, reduce, reduce_by_key, segmented_reduce, select, partition, unique, "
                 "run_length_encode, transform_lbs, merge, merge_sort or set_operation, not '" +
                     snippet.primitive + "'"};
  if (snippet.context)
    std::erase_if(variants, [&](const Variant& variant) { return !is_used_by(*snippet.context, variant.name); });

  // The name is left out: it is in messages only.
  runtime::Sha256 sha;
  sha.add_text(state_->templates_digest);
  sha.add_text(snippet.primitive);
  sha.add_text(snippet.text);
  for (const Variant& variant : variants) sha.add_text(variant.name);
  const std::string key = sha.hexadecimal();

  State::Slot* slot = nullptr;
  {
    const std::lock_guard lock(state_->slots_mutex);
    slot = &state_->slots[key];
  }
  const std::lock_guard lock(slot->compiling);
  if (slot->set) {
    ++state_->from_memory;
    KernelSet renamed(snippet.name, snippet.primitive, slot->set->kernels());
    if (!renamed.ok()) return runtime::out_of_memory();
    return renamed;
  }
  std::filesystem::path file;
  if (!state_->config.cache_directory.empty()) {
    file = std::filesystem::path(state_->config.cache_directory) / (key + ".kernels");
    slot->set = read_code_file(file, snippet.name, snippet.primitive);
    if (slot->set) {
      ++state_->from_directory;
      return *slot->set;
    }
  }

  std::vector<std::vector<uint32_t>> code;
  std::vector<KernelCode> kernels;
  for (const Variant& variant : variants) {
    Result<std::vector<uint32_t>> compiled = compile_variant(state_->shaderc, snippet, variant);
    if (!compiled) return compiled.error();
    code.push_back(*std::move(compiled));
    kernels.push_back({variant.name, code.back()});
  }
  const KernelSet set(snippet.name, snippet.primitive, kernels);
  if (!set.ok()) return runtime::out_of_memory();
  slot->set = set;
  ++state_->compiled;
  if (!file.empty()) write_code_file(file, set);
  return set;
} catch (...) {
  return runtime::caught();
}

CompilerCounts Compiler::counts() const noexcept {
  return {state_->compiled, state_->from_memory, state_->from_directory};
}

}  // namespace weft::jit
