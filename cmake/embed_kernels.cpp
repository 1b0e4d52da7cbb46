// SPDX-License-Identifier: MIT OR Apache-2.0
// weft_embed_kernels <output> bytes|text <kernel>...: packs the SPIR-V files <kernel>.spv, as runtime/packed_format.hpp
// has it. Names and source texts inside the code are left out. "text" writes the bytes as numbers for a C array. The
// output depends on what the files <kernel>.spv.d name, which glslc has written: <output>.d says so.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "packed_format.hpp"

#ifdef WEFT_WITH_ZSTD
#include <zstd.h>
#endif

namespace {

constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;

// A kernel is unpacked with what stands before it in its block: the larger that is, the better it compresses, and the
// longer unpacking takes, about 1 ms a MiB.
constexpr size_t kBlockBytes = size_t{2} << 20;

// SPIR-V files have the byte order of the machine that wrote them, which is this one.
bool read_words(const std::filesystem::path& file, std::vector<uint32_t>& words) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return false;
  const auto bytes = static_cast<std::streamsize>(stream.tellg());
  if (bytes < static_cast<std::streamsize>(4 * kHeaderWords) || bytes % 4 != 0) return false;
  words.resize(static_cast<size_t>(bytes) / 4);
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(words.data()), bytes);
  return stream.good() && words[0] == kSpirvMagic;
}

// OpSourceContinued, OpSource, OpSourceExtension, OpName, OpMemberName, OpString, OpLine; OpNoLine; OpModuleProcessed.
bool is_debug(uint32_t opcode) { return (opcode >= 2 && opcode <= 8) || opcode == 317 || opcode == 330; }

bool append_stripped(const std::vector<uint32_t>& words, std::vector<uint32_t>& out) {
  out.insert(out.end(), words.begin(), words.begin() + kHeaderWords);
  for (size_t i = kHeaderWords; i < words.size();) {
    const size_t length = words[i] >> 16;
    if (length == 0 || length > words.size() - i) return false;
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    if (!is_debug(words[i] & 0xffff)) out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    i += length;
  }
  return true;
}

template <class T>
void append(std::vector<char>& out, const T* values, size_t count) {
  const auto* bytes = reinterpret_cast<const char*>(values);
  out.insert(out.end(), bytes, bytes + count * sizeof(T));
}

// One block's data; as it is where there is no compressor.
std::vector<char> packed(const std::vector<uint32_t>& words) {
  std::vector<char> data;
#ifdef WEFT_WITH_ZSTD
  const size_t bytes = words.size() * sizeof(uint32_t);
  data.resize(ZSTD_compressBound(bytes));
  const size_t size = ZSTD_compress(data.data(), data.size(), words.data(), bytes, 19);
  if (ZSTD_isError(size) == 0 && size < bytes) {
    data.resize(size);
    return data;
  }
  data.clear();
#endif
  append(data, words.data(), words.size());
  return data;
}

bool write(const std::string& file, const char* data, size_t size) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(data, static_cast<std::streamsize>(size));
  stream.close();
  return stream.good();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view form = argc >= 3 ? argv[2] : "";
  if (form != "bytes" && form != "text") {
    std::fputs("usage: weft_embed_kernels <output> bytes|text <kernel>...\n", stderr);
    return 2;
  }
  std::vector<std::string> kernels(argv + 3, argv + argc);
  std::ranges::sort(kernels);
  // Kernels of one backend, which ends their names, are more alike: their code stands together.
  std::vector<size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return kernels[i].substr(kernels[i].rfind('.') + 1); });

  std::vector<weft::PackedKernel> entries;
  std::vector<weft::PackedBlock> blocks;
  std::vector<char> names, data;
  for (const std::string& kernel : kernels) {
    entries.push_back({static_cast<uint32_t>(names.size()), static_cast<uint32_t>(kernel.size()), 0, 0, 0});
    names.insert(names.end(), kernel.begin(), kernel.end());
  }
  std::vector<uint32_t> words, block, code;
  const auto finish_block = [&] {
    if (block.empty()) return;
    const std::vector<char> bytes = packed(block);
    blocks.push_back({static_cast<uint32_t>(data.size()), static_cast<uint32_t>(bytes.size()),
                      static_cast<uint32_t>(block.size() * sizeof(uint32_t))});
    data.insert(data.end(), bytes.begin(), bytes.end());
    block.clear();
  };
  const std::string output = argv[1];
  std::string dependencies = output + ":";
  for (const size_t i : order) {
    const std::string& kernel = kernels[i];
    code.clear();
    if (!read_words(kernel + ".spv", words) || !append_stripped(words, code)) {
      std::fprintf(stderr, "weft_embed_kernels: %s.spv is not a SPIR-V file\n", kernel.c_str());
      return 1;
    }
    if ((block.size() + code.size()) * sizeof(uint32_t) > kBlockBytes) finish_block();
    entries[i].block = static_cast<uint32_t>(blocks.size());
    entries[i].first_word = static_cast<uint32_t>(block.size());
    entries[i].words = static_cast<uint32_t>(code.size());
    block.insert(block.end(), code.begin(), code.end());
    std::ifstream rule(kernel + ".spv.d");
    std::string target, prerequisites;
    rule >> target;
    std::getline(rule, prerequisites);
    dependencies += prerequisites;
  }
  finish_block();

  const auto names_at =
      static_cast<uint32_t>(sizeof(weft::PackedKernels) + entries.size() * sizeof(weft::PackedKernel) +
                            blocks.size() * sizeof(weft::PackedBlock));
  for (weft::PackedKernel& entry : entries) entry.name += names_at;
  for (weft::PackedBlock& one : blocks) one.data += names_at + static_cast<uint32_t>(names.size());
  const weft::PackedKernels header{static_cast<uint32_t>(entries.size()), static_cast<uint32_t>(blocks.size())};
  std::vector<char> out;
  append(out, &header, 1);
  append(out, entries.data(), entries.size());
  append(out, blocks.data(), blocks.size());
  append(out, names.data(), names.size());
  append(out, data.data(), data.size());

  if (form == "text") {
    std::string text;
    for (size_t i = 0; i < out.size(); ++i)
      text += std::to_string(static_cast<unsigned char>(out[i])) + (i % 32 == 31 ? ",\n" : ",");
    out.assign(text.begin(), text.end());
  }
  dependencies += '\n';
  if (!write(output + ".d", dependencies.data(), dependencies.size()) || !write(output, out.data(), out.size())) {
    std::fprintf(stderr, "weft_embed_kernels: cannot write %s\n", output.c_str());
    std::filesystem::remove(output);
    return 1;
  }
  return 0;
}
