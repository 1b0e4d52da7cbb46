// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gpu_decoder.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace gstd_tool {
namespace {

using weft::GstdTile;
using weft::Result;
using weft::Status;

constexpr uint32_t kNoVerdict = UINT32_MAX;

}  // namespace

Result<GpuDecoder> GpuDecoder::open(const std::string& device) {
  weft::GpuConfig config;
  config.device = device;
  Result<weft::Gpu> gpu = weft::Gpu::open(config);
  if (!gpu) return gpu.error();
  for (const std::string& warning : gpu->warnings()) std::fprintf(stderr, "gstd: %s\n", warning.c_str());
  return GpuDecoder(*std::move(gpu));
}

Result<const weft::GstdDecode*> GpuDecoder::pipeline(uint32_t tile_bytes, bool verify) {
  const std::pair key(tile_bytes, verify);
  auto found = pipelines_.find(key);
  if (found == pipelines_.end()) {
    weft::GstdDecodeConfig config;
    config.tile_bytes = tile_bytes;
    config.verify = verify;
    Result<weft::GstdDecode> created = weft::GstdDecode::create(gpu_.context(), config);
    if (!created) return created.error();
    found = pipelines_.emplace(key, *std::move(created)).first;
  }
  return &found->second;
}

// One tile at least. Tiles follow each other in stream and content, but headers and tables may lie between them.
GpuDecoder::Batch GpuDecoder::batch_at(std::span<const GstdTile> tiles, size_t first) {
  Batch batch{first, first, tiles[first].source, tiles[first].output, 0, 0};
  for (; batch.end < tiles.size(); ++batch.end) {
    const GstdTile& tile = tiles[batch.end];
    const uint64_t source_bytes = tile.source + 4 * uint64_t{tile.words} - batch.source_at;
    const uint64_t output_bytes = tile.output + tile.count - batch.output_at;
    if (batch.end > first && std::max(source_bytes, output_bytes) > kBatchBytes) break;
    if (batch.end - first == weft::GstdDecode::kMaxTilesByValue) break;
    batch.source_bytes = source_bytes;
    batch.output_bytes = output_bytes;
  }
  return batch;
}

Status GpuDecoder::ensure(std::optional<weft::Buffer>& buffer, uint64_t bytes) {
  if (buffer && buffer->size() >= bytes) return {};
  buffer.reset();
  Result<weft::Buffer> created = gpu_.create_buffer(bytes);
  if (!created) return created.error();
  buffer = *std::move(created);
  return {};
}

Status GpuDecoder::upload(std::span<const std::byte> source, uint64_t output_bytes, size_t entries) {
  if (Status status = ensure(source_, source.size()); !status) return status;
  if (Status status = ensure(output_, output_bytes); !status) return status;
  if (Status status = ensure(status_, 4 * (1 + entries)); !status) return status;
  if (Status status = gpu_.upload(source_->range(), source); !status) return status;
  return gpu_.fill(status_->range(), kNoVerdict);
}

Status GpuDecoder::run(const weft::GstdDecode& decoder, std::span<const GstdTile> tiles, const Batch& batch) {
  const auto of_batch = tiles.subspan(batch.first, batch.end - batch.first);
  std::vector<GstdTile> table(of_batch.begin(), of_batch.end());
  for (GstdTile& tile : table) {
    tile.source -= batch.source_at;
    tile.output -= batch.output_at;
  }
  if (Status status = ensure(scratch_, decoder.scratch_size_by_value(table.size())); !status) return status;
  weft::GstdDecodeArgs args;
  args.source = source_->range(0, batch.source_bytes);
  args.output = output_->range(0, batch.output_bytes);
  args.status = status_->range(0, 4 * (1 + table.size()));
  args.scratch = scratch_->range();
  return gpu_.run([&](VkCommandBuffer commands) { return decoder.record(commands, table, args); }).status();
}

Result<std::vector<uint32_t>> GpuDecoder::verdicts(size_t entries) {
  std::vector<uint32_t> words(1 + entries);
  const Status status = gpu_.download(status_->range(), std::as_writable_bytes(std::span(words)));
  if (!status) return status.error();
  words.erase(words.begin());
  return words;
}

Result<std::optional<RefusedTile>> GpuDecoder::decode(std::span<const std::byte> stream,
                                                      std::span<const GstdTile> tiles, uint32_t tile_bytes, bool verify,
                                                      const weft::gstd::Sink& sink) {
  const auto decoder = pipeline(tile_bytes, verify);
  if (!decoder) return decoder.error();
  std::vector<std::byte> content;
  for (size_t first = 0; first < tiles.size();) {
    const Batch batch = batch_at(tiles, first);
    const auto source = stream.subspan(batch.source_at, batch.source_bytes);
    const size_t count = batch.end - batch.first;
    if (const Status status = upload(source, batch.output_bytes, count); !status) return status.error();
    if (const Status status = run(**decoder, tiles, batch); !status) return status.error();
    const auto words = verdicts(count);
    if (!words) return words.error();
    const auto refused = std::ranges::find_if(*words, [](uint32_t verdict) { return verdict != 0; });
    if (refused != words->end())
      return std::optional(RefusedTile{batch.first + static_cast<size_t>(refused - words->begin()),
                                       reason_of<weft::GstdRefusal>(*refused)});
    content.resize(batch.output_bytes);
    if (const Status status = gpu_.download(output_->range(), content); !status) return status.error();
    if (const Status status = sink(content); !status) return status.error();
    first = batch.end;
  }
  return std::optional<RefusedTile>();
}

Result<const weft::ZstdDecode*> GpuDecoder::frame_pipeline(bool verify) {
  auto found = frame_pipelines_.find(verify);
  if (found == frame_pipelines_.end()) {
    weft::ZstdDecodeConfig config;
    config.verify = verify;
    Result<weft::ZstdDecode> created = weft::ZstdDecode::create(gpu_.context(), config);
    if (!created) return created.error();
    found = frame_pipelines_.emplace(verify, *std::move(created)).first;
  }
  return &found->second;
}

Result<uint64_t> GpuDecoder::memory_for(uint64_t frames, const weft::ZstdBounds& bounds, uint64_t bytes, bool verify) {
  const auto decoder = frame_pipeline(verify);
  if (!decoder) return decoder.error();
  return bytes + (*decoder)->scratch_size(frames, bounds);
}

Result<DecodedFrames> GpuDecoder::decode(std::span<const std::byte> stream, const weft::ZstdTable& table, bool verify) {
  const auto found = frame_pipeline(verify);
  if (!found) return found.error();
  const weft::ZstdDecode& decoder = **found;
  const size_t count = table.frames.size();
  const auto entries = std::as_bytes(std::span(table.frames));
  if (const Status status = upload(stream, table.output_bytes, count); !status) return status.error();
  if (const Status status = ensure(frames_, entries.size()); !status) return status.error();
  if (const Status status = ensure(sizes_, 4 * count); !status) return status.error();
  if (const Status status = ensure(scratch_, decoder.scratch_size(count, table.bounds)); !status) return status.error();
  if (const Status status = gpu_.upload(frames_->range(), entries); !status) return status.error();
  weft::ZstdDecodeArgs args;
  args.frames = frames_->range(0, entries.size());
  args.frame_count = count;
  args.source = source_->range(0, (stream.size() + 3) / 4 * 4);
  args.output = output_->range(0, table.output_bytes);
  args.status = status_->range(0, 4 * (1 + count));
  args.sizes = sizes_->range(0, 4 * count);
  args.scratch = scratch_->range();
  args.bounds = table.bounds;
  const auto ran = gpu_.run([&](VkCommandBuffer commands) { return decoder.record(commands, args); });
  if (!ran) return ran.error();
  DecodedFrames decoded;
  auto words = verdicts(count);
  if (!words) return words.error();
  decoded.verdicts = *std::move(words);
  // A damaged frame may claim any size.
  if (std::ranges::find(decoded.verdicts, 0u) == decoded.verdicts.end()) return decoded;
  decoded.sizes.resize(count);
  decoded.content.resize(table.output_bytes);
  Status status = gpu_.download(sizes_->range(), std::as_writable_bytes(std::span(decoded.sizes)));
  if (status) status = gpu_.download(output_->range(), decoded.content);
  if (!status) return status.error();
  return decoded;
}

}  // namespace gstd_tool
