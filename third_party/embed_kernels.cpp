// SPDX-License-Identifier: MIT OR Apache-2.0
// weft_embed_kernels <header> <namespace> <list> <registry.cpp>: writes the C++ source that defines
// <namespace>::kernel_registry(), sorted by name, from the SPIR-V files that <list> names one a line. A kernel's name is
// its file's without ".spv". <header> declares the function and the structure {name, words} it returns a span of.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr uint32_t kSpirvMagic = 0x07230203;

struct Kernel {
  std::string name;
  std::filesystem::path file;
};

// SPIR-V files have the byte order of the machine that wrote them, which is this one.
bool read_words(const std::filesystem::path& file, std::vector<uint32_t>& words) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return false;
  const auto bytes = static_cast<std::streamsize>(stream.tellg());
  if (bytes < 20 || bytes % 4 != 0) return false;
  words.resize(static_cast<size_t>(bytes) / 4);
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(words.data()), bytes);
  return stream.good() && words[0] == kSpirvMagic;
}

void append_words(std::string& out, const std::vector<uint32_t>& words) {
  constexpr size_t kWordsPerLine = 16;
  char text[16];
  for (size_t i = 0; i < words.size(); ++i) {
    const int length = std::snprintf(text, sizeof text, "0x%x,", words[i]);
    out.append(text, static_cast<size_t>(length));
    if (i % kWordsPerLine == kWordsPerLine - 1) out += '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: weft_embed_kernels <header> <namespace> <list> <registry.cpp>\n", stderr);
    return 2;
  }
  const std::string header = argv[1];
  const std::string name_space = argv[2];
  const std::filesystem::path registry_file = argv[4];
  std::ifstream list(argv[3]);
  std::vector<Kernel> kernels;
  for (std::string line; std::getline(list, line);) {
    if (line.empty()) continue;
    const std::filesystem::path file(line);
    kernels.push_back({file.stem().string(), file});
  }
  std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) { return a.name < b.name; });

  std::string out = "// Generated from the kernel manifest.\n#include \"" + header +
                    "\"\n\n#include <type_traits>\n\n" + "namespace {\n" +
                    "using Code = std::remove_const_t<decltype(" + name_space +
                    "::kernel_registry())::element_type>;\n";
  std::string table;
  std::vector<uint32_t> words;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!read_words(kernels[i].file, words)) {
      std::fprintf(stderr, "weft_embed_kernels: %s is not a SPIR-V file\n", kernels[i].file.string().c_str());
      return 1;
    }
    const std::string id = "kKernel" + std::to_string(i);
    out += "constexpr uint32_t " + id + "[] = {\n";
    append_words(out, words);
    out += "};\n";
    table += "    {\"" + kernels[i].name + "\", " + id + "},\n";
  }
  if (!kernels.empty()) out += "constexpr Code kKernels[] = {\n" + table + "};\n";
  out += "}  // namespace\n\nnamespace " + name_space +
         " {\nstd::span<const Code> kernel_registry() noexcept { return " + (kernels.empty() ? "{}" : "kKernels") +
         "; }\n}\n";

  std::ofstream registry(registry_file, std::ios::binary);
  registry << out;
  registry.close();
  if (!registry) {
    std::fprintf(stderr, "weft_embed_kernels: cannot write %s\n", registry_file.string().c_str());
    std::filesystem::remove(registry_file);
    return 1;
  }
  return 0;
}
