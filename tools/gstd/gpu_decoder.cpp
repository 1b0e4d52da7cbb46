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

constexpr uint64_t kBatchBytes = 64u << 20;  // of content, and of all that is read for it
constexpr uint32_t kNoVerdict = UINT32_MAX;

// A tile may have no verdict, as where a driver ends an invocation that it takes for hung.
std::string reason_of(uint32_t verdict) {
  return verdict == kNoVerdict ? "no verdict" : weft::name_of(static_cast<weft::GstdRefusal>(verdict & 0xff));
}

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

Status GpuDecoder::upload(std::span<const std::byte> stream, const Batch& batch) {
  if (Status status = ensure(source_, batch.source_bytes); !status) return status;
  if (Status status = ensure(output_, batch.output_bytes); !status) return status;
  if (Status status = ensure(status_, 4 * (1 + batch.end - batch.first)); !status) return status;
  if (Status status = gpu_.upload(source_->range(), stream.subspan(batch.source_at, batch.source_bytes)); !status)
    return status;
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

Result<std::optional<RefusedTile>> GpuDecoder::first_refused(const Batch& batch) {
  std::vector<uint32_t> verdicts(1 + batch.end - batch.first);
  const Status status = gpu_.download(status_->range(), std::as_writable_bytes(std::span(verdicts)));
  if (!status) return status.error();
  const auto refused =
      std::find_if(verdicts.begin() + 1, verdicts.end(), [](uint32_t verdict) { return verdict != 0; });
  if (refused == verdicts.end()) return std::optional<RefusedTile>();
  return std::optional(
      RefusedTile{batch.first + static_cast<size_t>(refused - verdicts.begin()) - 1, reason_of(*refused)});
}

Result<std::optional<RefusedTile>> GpuDecoder::decode(std::span<const std::byte> stream,
                                                      std::span<const GstdTile> tiles, uint32_t tile_bytes, bool verify,
                                                      const weft::gstd::Sink& sink) {
  const auto decoder = pipeline(tile_bytes, verify);
  if (!decoder) return decoder.error();
  std::vector<std::byte> content;
  for (size_t first = 0; first < tiles.size();) {
    const Batch batch = batch_at(tiles, first);
    if (const Status status = upload(stream, batch); !status) return status.error();
    if (const Status status = run(**decoder, tiles, batch); !status) return status.error();
    auto refused = first_refused(batch);
    if (!refused || *refused) return refused;
    content.resize(batch.output_bytes);
    if (const Status status = gpu_.download(output_->range(), content); !status) return status.error();
    if (const Status status = sink(content); !status) return status.error();
    first = batch.end;
  }
  return std::optional<RefusedTile>();
}

}  // namespace gstd_tool
