// SPDX-License-Identifier: MIT OR Apache-2.0

#include "gpu/state.hpp"
#include "runtime/error.hpp"

namespace weft {

Result<Scan> Gpu::State::scan_of(const ScanConfig& config) {
  const auto key = std::tuple(config.kind, config.op, config.item, config.accumulator, config.strategy);
  if (const auto found = calls.scans.find(key); found != calls.scans.end()) return found->second;
  auto scan = Scan::create(*context, config);
  if (scan) calls.scans.emplace(key, *scan);
  return scan;
}

Status Gpu::scan_bytes(const ScanConfig& config, std::span<const std::byte> items, uint64_t count,
                       std::span<std::byte> result) noexcept try {
  runtime::OneLineCalls& calls = state_->calls;
  const std::lock_guard lock(calls.mutex);
  const auto scan = state_->scan_of(config);
  if (!scan) return scan.status();
  if (count == 0) return {};
  if (Status status = runtime::grow(*this, calls.items, items.size()); !status) return status;
  if (Status status = runtime::grow(*this, calls.result, result.size()); !status) return status;
  if (Status status = runtime::grow(*this, calls.scratch, scan->scratch_size(count)); !status) return status;
  if (Status status = upload(calls.items->range(), items); !status) return status;
  ScanArgs args;
  args.input = calls.items->range();
  args.output = calls.result->range();
  args.scratch = calls.scratch->range();
  args.count = count;
  const auto done = run([&](VkCommandBuffer commands) { return scan->record(commands, args); });
  if (!done) return done.status();
  return download(calls.result->range(), result);
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
