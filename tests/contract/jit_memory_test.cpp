// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/jit.hpp>

#include <filesystem>
#include <string>

#include <shaderc/shaderc.h>
#include <unistd.h>

#include "every_primitive.hpp"
#include "failing_allocation.hpp"

// The linker sends weft's calls of shaderc here (-Wl,--wrap): it ends the program where it finds no memory.
#define WRAP(Returned, name, parameters, arguments) \
  extern "C" Returned __real_##name parameters;     \
  extern "C" Returned __wrap_##name parameters;     \
  Returned __wrap_##name parameters {               \
    const weft::test::AllocationsPaused paused;     \
    return __real_##name arguments;                 \
  }

WRAP(shaderc_compiler_t, shaderc_compiler_initialize, (), ())
WRAP(shaderc_compile_options_t, shaderc_compile_options_initialize, (), ())
WRAP(void, shaderc_compile_options_set_include_callbacks,
     (shaderc_compile_options_t options, shaderc_include_resolve_fn resolve, shaderc_include_result_release_fn release,
      void* data),
     (options, resolve, release, data))
WRAP(void, shaderc_compile_options_add_macro_definition,
     (shaderc_compile_options_t options, const char* name, size_t name_length, const char* value, size_t value_length),
     (options, name, name_length, value, value_length))
WRAP(shaderc_compilation_result_t, shaderc_compile_into_spv,
     (shaderc_compiler_t compiler, const char* text, size_t size, shaderc_shader_kind kind, const char* name,
      const char* entry, shaderc_compile_options_t options),
     (compiler, text, size, kind, name, entry, options))

namespace weft::test {

TEST_SUITE("host memory") {
  TEST_CASE("a snippet is compiled or there is no memory") {
    const Gpu gpu = open_null_gpu();
    const std::filesystem::path directory =
        std::filesystem::temp_directory_path() / ("weft_jit_memory." + std::to_string(getpid()));
    jit::CompilerConfig config;
    config.cache_directory = directory.string();
    const auto compiler = with_each_allocation_failing([&]() noexcept { return jit::Compiler::create(config); });
    REQUIRE_MESSAGE(compiler.ok(), compiler.error().message);
    jit::Snippet snippet;
    snippet.primitive = "reduce";
    snippet.name = "a snippet with a long name.glsl";
    snippet.text =
        "#define Item uint\nItem identity() { return 0u; }\nItem combine(Item a, Item b) { return a + b; }\n";
    snippet.context = gpu.context();
    const auto compiled = with_each_allocation_failing([&]() noexcept { return compiler->compile(snippet); });
    REQUIRE_MESSAGE(compiled.ok(), compiled.error().message);
    CHECK(compiler->counts().compiled == 1);
    const auto again = with_each_allocation_failing([&]() noexcept { return compiler->compile(snippet); });
    REQUIRE(again.ok());
    CHECK(again->digest() == compiled->digest());

    // From the directory, where a compiler with memory has left the code.
    const auto writer = jit::Compiler::create(config);
    REQUIRE(writer.ok());
    CHECK(writer->compile(snippet).ok());
    const auto reader = jit::Compiler::create(config);
    REQUIRE(reader.ok());
    const auto read = with_each_allocation_failing([&]() noexcept { return reader->compile(snippet); });
    REQUIRE(read.ok());
    CHECK(read->digest() == compiled->digest());
    CHECK(reader->counts().from_directory + reader->counts().compiled == 1);
    ReduceConfig reduce;
    reduce.own_kernels = *read;
    CHECK(Reduce::create(gpu.context(), reduce).ok());
    std::filesystem::remove_all(directory);
  }
}

}  // namespace weft::test
