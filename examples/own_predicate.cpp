// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A predicate of one's own, compiled while the program runs, by weft::jit: own_predicate [CONDITION]
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <weft/jit.hpp>
#include <weft/weft.hpp>

namespace {

void check(const weft::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string condition = argc > 1 ? argv[1] : "x % 3u == 0u";
  auto gpu = weft::Gpu::open();
  check(gpu.status());
  const auto compiler = weft::jit::Compiler::create();
  check(compiler.status());
  weft::jit::Snippet snippet;
  snippet.primitive = "select";
  snippet.name = "condition";
  snippet.text = "#define Item uint\nbool keep(Item x) { return\n" + condition + ";\n}\n";
  snippet.context = gpu->context();
  const auto kernels = compiler->compile(snippet);
  check(kernels.status());

  weft::SelectConfig config;
  config.own_kernels = *kernels;
  const auto select = weft::Select::create(gpu->context(), config);
  check(select.status());
  std::vector<uint32_t> items{3, 1, 4, 1, 5, 9, 2, 6};
  const auto input = gpu->create_buffer(items.size() * sizeof(uint32_t));
  check(input.status());
  const auto output = gpu->create_buffer(items.size() * sizeof(uint32_t));
  check(output.status());
  const auto kept = gpu->create_buffer(sizeof(uint32_t));
  check(kept.status());
  const auto scratch = gpu->create_buffer(select->scratch_size(items.size()));
  check(scratch.status());
  check(gpu->upload(input->range(), std::as_bytes(std::span(items))));
  weft::SelectArgs args;
  args.input = input->range();
  args.output = output->range();
  args.kept = kept->range(0, sizeof(uint32_t));
  args.scratch = scratch->range();
  args.count = items.size();
  check(gpu->run([&](VkCommandBuffer commands) { return select->record(commands, args); }).status());
  uint32_t count = 0;
  check(gpu->download(args.kept, std::as_writable_bytes(std::span(&count, 1))));
  items.resize(count);
  check(gpu->download(output->range(), std::as_writable_bytes(std::span(items))));
  for (const uint32_t item : items) std::printf("%u ", item);
  std::printf("\n");
}
