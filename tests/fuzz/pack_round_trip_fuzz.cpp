// SPDX-License-Identifier: MIT OR Apache-2.0
// Any bytes as a file, an image among others: what is packed comes back.
#include <algorithm>
#include <vector>

#include <weft/pack.hpp>

#include "../pack/pack_image.hpp"
#include "fuzz_target.hpp"

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto given = std::as_bytes(std::span(data, size));
  const test::Bytes content(given.begin(), given.end());
  auto encoder = pack::AssetEncoder::create();
  fuzz::require(encoder.ok(), "an encoder is made");
  test::MemoryPack memory;
  fuzz::require(memory.add(*encoder, "a.gdeflate", content).ok(), "any file is packed");
  const auto bytes = memory.end();
  fuzz::require(bytes.ok(), "a pack is ended");
  const auto reader = pack::PackReader::open(*bytes);
  fuzz::require(reader.ok(), "a pack is opened");
  const auto back = test::content_of(*reader, reader->entry(0));
  fuzz::require(back.ok() && *back == content, "what was packed comes back");
  return 0;
}
