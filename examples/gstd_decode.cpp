// SPDX-License-Identifier: MIT OR Apache-2.0
// Compresses a table of positions on the CPU, decodes it on the best Vulkan device there is, and compares.
#include <weft/gpu.hpp>
#include <weft/gstd.hpp>
#include <weft/gstd_decode.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

void check(const weft::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

weft::Buffer create_buffer(weft::Gpu& gpu, uint64_t bytes) {
  auto buffer = gpu.create_buffer(bytes);
  check(buffer.status());
  return *std::move(buffer);
}

}  // namespace

int main() {
  std::vector<float> positions(300000);
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<float>(i / 3) * 0.25f;
  const auto content = std::as_bytes(std::span(positions));
  weft::gstd::CompressConfig config;
  config.level = 9;
  const auto stream = weft::gstd::compress(content, config);
  check(stream.status());

  auto gpu = weft::Gpu::open();
  check(gpu.status());
  // README
  // Where the stream's tiles are, and where each one's content goes: byte 0 of the source, and of the output.
  const auto tiles = weft::gstd_tiles(*stream, 0, 0);
  check(tiles.status());
  const auto decoder = weft::GstdDecode::create(gpu->context());
  check(decoder.status());
  // README end

  const weft::Buffer source = create_buffer(*gpu, stream->size());
  const weft::Buffer output = create_buffer(*gpu, content.size());
  const weft::Buffer status = create_buffer(*gpu, 4 * (1 + tiles->size()));
  const weft::Buffer scratch = create_buffer(*gpu, decoder->scratch_size_by_value(tiles->size()));
  check(gpu->upload(source.range(), *stream));
  check(gpu->fill(status.range(), 0));

  // README
  weft::GstdDecodeArgs args;
  args.source = source.range();  // the stream as it is
  args.output = output.range();
  args.status = status.range();  // cleared: then how many tiles were refused, and of each why
  args.scratch = scratch.range();
  check(gpu->run([&](VkCommandBuffer commands) { return decoder->record(commands, *tiles, args); }).status());
  // README end

  std::vector<uint32_t> verdicts(1 + tiles->size());
  check(gpu->download(status.range(), std::as_writable_bytes(std::span(verdicts))));
  std::vector<float> decoded(positions.size());
  check(gpu->download(output.range(), std::as_writable_bytes(std::span(decoded))));
  const bool same = std::equal(positions.begin(), positions.end(), decoded.begin());
  std::printf("%zu tiles, %u refused, %s\n", tiles->size(), verdicts[0],
              same ? "the content is what was compressed" : "the content is another");
  return 0;
}
