// SPDX-License-Identifier: MIT OR Apache-2.0
// weft_embed_kernels <header> <namespace> <list> <registry.cpp> words|text: writes the C++ source that defines
// <namespace>::kernel_registry(), sorted by name, from the SPIR-V files that <list> names one a line. A kernel's name is
// its file's without ".spv". <header> declares the function and the structure {name, words} it returns a span of.
// As text GCC and Clang compile it in a tenth of the time; other compilers limit the length of a literal.
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

// The bytes as literals, a line each, that together are one.
void append_text(std::string& out, const std::vector<uint32_t>& words) {
  constexpr size_t kBytesPerLine = 256;
  const auto* bytes = reinterpret_cast<const unsigned char*>(words.data());
  const size_t count = words.size() * sizeof(uint32_t);
  char text[8];
  for (size_t i = 0; i < count; ++i) {
    if (i % kBytesPerLine == 0) out += i == 0 ? "\"" : "\"\n\"";
    const unsigned char byte = bytes[i];
    // (No question marks, which could make trigraphs.)
    if (byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\' && byte != '?') {
      out += static_cast<char>(byte);
      continue;
    }
    // An octal number ends where the next character is no digit, or after three.
    const bool digit_follows =
        i + 1 < count && (i + 1) % kBytesPerLine != 0 && bytes[i + 1] >= '0' && bytes[i + 1] <= '7';
    std::snprintf(text, sizeof text, digit_follows ? "\\%03o" : "\\%o", static_cast<unsigned>(byte));
    out += text;
  }
  out += '"';
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view form = argc == 6 ? argv[5] : "";
  if (form != "words" && form != "text") {
    std::fputs("usage: weft_embed_kernels <header> <namespace> <list> <registry.cpp> words|text\n", stderr);
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
    table += "    {\"" + kernels[i].name + "\", ";
    if (form == "words") {
      out += "constexpr uint32_t " + id + "[] = {\n";
      append_words(out, words);
      out += "};\n";
      table += id + "},\n";
    } else {
      out += "alignas(uint32_t) constexpr char " + id + "[] =\n";
      append_text(out, words);
      out += ";\n";
      table += "{reinterpret_cast<const uint32_t*>(" + id + "), " + std::to_string(words.size()) + "}},\n";
    }
  }
  if (!kernels.empty()) out += "const Code kKernels[] = {\n" + table + "};\n";
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
