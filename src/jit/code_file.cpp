// SPDX-License-Identifier: MIT OR Apache-2.0
#include "jit/code_file.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <system_error>
#include <vector>

#include "runtime/sha256.hpp"

namespace weft::jit {
namespace {

// Magic, then the set's digest, then for each kernel the lengths of name (in bytes) and code (in words),
// name and code. The digest is of names and code, so that nothing of a damaged file is believed. Byte
// order and all are this machine's.
constexpr std::string_view kMagic = "weft-own-kernels-1\n";
constexpr size_t kDigestBytes = 64;

void append(std::string& out, uint32_t number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); }

// The next `size` bytes; empty where there are fewer.
std::string_view take(std::string_view& rest, size_t size) {
  if (size > rest.size()) {
    rest = {};
    return {};
  }
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(size);
  return taken;
}

}  // namespace

std::optional<KernelSet> read_code_file(const std::filesystem::path& file, const std::string& name,
                                        const std::string& primitive) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  const std::string contents{std::istreambuf_iterator<char>(stream), {}};
  std::string_view rest = contents;
  if (take(rest, kMagic.size()) != kMagic) return {};
  const std::string_view digest = take(rest, kDigestBytes);

  struct Copy {
    std::string_view name;
    std::vector<uint32_t> words;
  };
  std::vector<Copy> copies;
  while (!rest.empty()) {
    uint32_t lengths[2];
    const std::string_view header = take(rest, sizeof lengths);
    if (header.empty()) return {};
    std::memcpy(lengths, header.data(), sizeof lengths);
    const std::string_view kernel_name = take(rest, lengths[0]);
    const std::string_view code = take(rest, size_t{lengths[1]} * sizeof(uint32_t));
    if (kernel_name.empty() || code.empty()) return {};
    Copy copy{kernel_name, std::vector<uint32_t>(lengths[1])};
    std::memcpy(copy.words.data(), code.data(), code.size());
    copies.push_back(std::move(copy));
  }
  std::vector<KernelCode> kernels;
  kernels.reserve(copies.size());
  for (const Copy& copy : copies) kernels.push_back({copy.name, copy.words});
  KernelSet set(name, primitive, kernels);
  if (!set.ok() || kernels.empty() || set.digest() != digest) return {};
  return set;
}

void write_code_file(const std::filesystem::path& file, const KernelSet& set) noexcept try {
  std::string contents(kMagic);
  contents += set.digest();
  for (const KernelCode& kernel : set.kernels()) {
    append(contents, static_cast<uint32_t>(kernel.name.size()));
    append(contents, static_cast<uint32_t>(kernel.words.size()));
    contents += kernel.name;
    contents.append(reinterpret_cast<const char*>(kernel.words.data()), kernel.words.size_bytes());
  }
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  // Other processes may be writing the same file.
  std::filesystem::path unfinished = file;
  unfinished += "." + std::to_string(std::random_device{}()) + ".new";
  std::ofstream stream(unfinished, std::ios::binary);
  stream << contents;
  stream.close();
  if (stream) std::filesystem::rename(unfinished, file, error);
  if (!stream || error) std::filesystem::remove(unfinished, error);
} catch (...) {
  // Without memory there is no file.
}

}  // namespace weft::jit
