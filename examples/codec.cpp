// SPDX-License-Identifier: MIT OR Apache-2.0
// Compresses a table of positions on the CPU, and reads a few of them back without decoding the rest.
#include <weft/gstd.hpp>

#include <cstdio>
#include <span>
#include <vector>

int main() {
  std::vector<float> positions(300000);
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<float>(i / 3) * 0.25f;

  weft::gstd::CompressConfig config;
  config.level = 9;
  const auto stream = weft::gstd::compress(std::as_bytes(std::span(positions)), config);
  if (!stream) {
    std::fprintf(stderr, "%s\n", stream.error().message.c_str());
    return 1;
  }

  std::vector<float> few(4);
  const auto status =
      weft::gstd::decompress_range(*stream, 200000 * sizeof(float), std::as_writable_bytes(std::span(few)));
  if (!status) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 1;
  }
  const bool smaller = stream->size() * 10 < positions.size() * sizeof(float);
  std::printf("%s: %g %g %g %g\n", smaller ? "a tenth or less" : "more than a tenth", few[0], few[1], few[2], few[3]);
  return 0;
}
