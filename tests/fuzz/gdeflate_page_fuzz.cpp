// SPDX-License-Identifier: MIT OR Apache-2.0
// Any bytes as a page of GDeflate, and as a tile stream: decoding stays within both spans.
#include <weft/gdeflate.hpp>

#include <cstring>
#include <memory>

#include "fuzz_target.hpp"

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The first two bytes are the number of bytes of the page.
  if (size < 2) return 0;
  const uint32_t bytes = 1u + data[0] + 256u * data[1];
  // Allocations of exactly what may be touched.
  const size_t rest = size - 2;
  const auto page = std::make_unique<std::byte[]>(rest), output = std::make_unique<std::byte[]>(bytes);
  if (rest > 0) std::memcpy(page.get(), data + 2, rest);
  const auto verdict = gdeflate::decode_page({page.get(), rest}, {output.get(), bytes});
  fuzz::require(verdict != gdeflate::Refusal::bad_entry || rest > 4 * size_t{gdeflate::kMaxPageWords},
                "a page within its limits is decoded");
  if (const auto pages = gdeflate::pages({page.get(), rest}))
    for (const gdeflate::Page& one : *pages)
      fuzz::require(one.first <= rest && one.size <= rest - one.first && one.bytes <= gdeflate::kPageBytes,
                    "pages lie in their stream");
  return 0;
}
