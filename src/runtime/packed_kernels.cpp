// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/packed_kernels.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "runtime/packed_format.hpp"

namespace weft::runtime {
namespace {

const char* at(const PackedKernels& kernels, size_t offset) { return reinterpret_cast<const char*>(&kernels) + offset; }

std::span<const PackedKernel> entries(const PackedKernels& kernels) {
  return {reinterpret_cast<const PackedKernel*>(at(kernels, sizeof(PackedKernels))), kernels.kernels};
}

const PackedBlock& block_of(const PackedKernels& kernels, const PackedKernel& kernel) {
  const auto* blocks = at(kernels, sizeof(PackedKernels) + kernels.kernels * sizeof(PackedKernel));
  return reinterpret_cast<const PackedBlock*>(blocks)[kernel.block];
}

// Fills `out` from the beginning of a frame.
bool decompress(ZSTD_inBuffer in, ZSTD_outBuffer out) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  while (context != nullptr && out.pos < out.size) {
    const size_t before = out.pos;
    if (ZSTD_isError(ZSTD_decompressStream(context.get(), &out, &in)) != 0 || out.pos == before) return false;
  }
  return out.pos == out.size;
}

}  // namespace

std::vector<std::string_view> names_of(const PackedKernels& kernels) {
  std::vector<std::string_view> names;
  for (const PackedKernel& kernel : entries(kernels)) names.emplace_back(at(kernels, kernel.name), kernel.name_bytes);
  return names;
}

Result<std::vector<uint32_t>> unpack(const PackedKernels& kernels, std::string_view name) {
  const std::span<const PackedKernel> all = entries(kernels);
  const auto name_in = [&](const PackedKernel& kernel) {
    return std::string_view(at(kernels, kernel.name), kernel.name_bytes);
  };
  const auto found = std::ranges::lower_bound(all, name, {}, name_in);
  if (found == all.end() || name_in(*found) != name) return std::vector<uint32_t>{};

  const PackedBlock& block = block_of(kernels, *found);
  const char* const data = at(kernels, block.data);
  // The block up to the kernel's end.
  std::vector<uint32_t> words(size_t{found->first_word} + found->words);
  const size_t bytes = words.size() * sizeof(uint32_t);
  if (block.packed_bytes == block.bytes) {
    std::memcpy(words.data(), data, bytes);
  } else if (!decompress({data, block.packed_bytes, 0}, {words.data(), bytes, 0})) {
    // What is embedded is whole: only memory can be missing.
    return Error{ErrorCode::out_of_host_memory, "unpacking the kernel " + std::string(name)};
  }
  words.erase(words.begin(), words.begin() + found->first_word);
  return words;
}

}  // namespace weft::runtime
