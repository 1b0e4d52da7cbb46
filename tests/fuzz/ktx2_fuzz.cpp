// SPDX-License-Identifier: MIT OR Apache-2.0
// Any bytes as a texture's file: what is accepted lies in the file, and both ways to read it agree.
#include <weft/ktx2.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

#include "../ktx2/sound_texture.hpp"
#include "fuzz_target.hpp"

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The first bytes are how many more the file has than are given.
  if (size < 4) return 0;
  uint32_t more = 0;
  std::memcpy(&more, data, 4);
  // An allocation of exactly what may be touched.
  const size_t bytes = std::min(size - 4, ktx2::kHeadBytes);
  const auto room = std::make_unique<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(room.get(), data + 4, bytes);
  const std::span<const std::byte> head(room.get(), bytes);
  const uint64_t file_bytes = bytes < ktx2::kHeadBytes ? bytes : size - 4 + uint64_t{more};

  const auto header = ktx2::read_header(head);
  const auto texture = ktx2::read(head, file_bytes);
  fuzz::require(header.ok() || !texture.ok(), "a texture has a header");
  if (!header) return 0;
  const auto levels = ktx2::read_levels(*header, head, file_bytes);
  fuzz::require(levels.ok() || !texture.ok(), "a texture has levels");
  if (!texture) return 0;
  const char* const fault = test::fault_of(*texture, file_bytes);
  fuzz::require(fault == nullptr, fault);
  return 0;
}
