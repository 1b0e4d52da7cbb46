// SPDX-License-Identifier: MIT OR Apache-2.0
#include <utility>

#include "runtime/gpu_state.hpp"

namespace weft {
namespace {

// `buffer` with room for `bytes`: kept where it has it, else freed before a larger one is made.
Status grow(Gpu& gpu, std::optional<Buffer>& buffer, VkDeviceSize bytes) {
  if (buffer && buffer->size() >= bytes) return {};
  buffer.reset();
  auto created = gpu.create_buffer(bytes);
  if (!created) return created.error();
  buffer.emplace(*std::move(created));
  return {};
}

}  // namespace

Result<Scan> Gpu::State::scan_of(const ScanConfig& config) {
  const auto key = std::tuple(config.kind, config.op, config.item, config.accumulator, config.strategy);
  if (const auto found = calls.scans.find(key); found != calls.scans.end()) return found->second;
  auto scan = Scan::create(*context, config);
  if (scan) calls.scans.emplace(key, *scan);
  return scan;
}

Result<Reduce> Gpu::State::reduce_of(const ReduceConfig& config) {
  const auto key = std::tuple(config.op, config.item, config.accumulator);
  if (const auto found = calls.reduces.find(key); found != calls.reduces.end()) return found->second;
  auto reduce = Reduce::create(*context, config);
  if (reduce) calls.reduces.emplace(key, *reduce);
  return reduce;
}

Status Gpu::scan_bytes(const ScanConfig& config, std::span<const std::byte> items, uint64_t count,
                       std::span<std::byte> result) {
  runtime::OneLineCalls& calls = state_->calls;
  const std::lock_guard lock(calls.mutex);
  const auto scan = state_->scan_of(config);
  if (!scan) return scan.status();
  if (count == 0) return {};
  if (Status status = grow(*this, calls.items, items.size()); !status) return status;
  if (Status status = grow(*this, calls.result, result.size()); !status) return status;
  if (Status status = grow(*this, calls.scratch, scan->scratch_size(count)); !status) return status;
  if (Status status = upload(calls.items->range(), items); !status) return status;
  ScanArgs args;
  args.input = calls.items->range();
  args.output = calls.result->range();
  args.scratch = calls.scratch->range();
  args.count = count;
  const auto done = run([&](VkCommandBuffer commands) { return scan->record(commands, args); });
  if (!done) return done.status();
  return download(calls.result->range(), result);
}

Status Gpu::reduce_bytes(const ReduceConfig& config, std::span<const std::byte> items, uint64_t count,
                         std::span<std::byte> result) {
  runtime::OneLineCalls& calls = state_->calls;
  const std::lock_guard lock(calls.mutex);
  const auto reduce = state_->reduce_of(config);
  if (!reduce) return reduce.status();
  if (Status status = grow(*this, calls.items, items.size()); !status) return status;
  if (Status status = grow(*this, calls.result, result.size()); !status) return status;
  if (Status status = grow(*this, calls.scratch, reduce->scratch_size(count)); !status) return status;
  if (Status status = upload(calls.items->range(), items); !status) return status;
  ReduceArgs args;
  args.input = calls.items->range();
  args.output = calls.result->range();
  args.scratch = calls.scratch->range();
  args.count = count;
  const auto done = run([&](VkCommandBuffer commands) { return reduce->record(commands, args); });
  if (!done) return done.status();
  return download(calls.result->range(), result);
}

}  // namespace weft
