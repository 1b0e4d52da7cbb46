// SPDX-License-Identifier: MIT OR Apache-2.0

#include "gpu/state.hpp"
#include "runtime/error.hpp"

namespace weft {

Result<Reduce> Gpu::State::reduce_of(const ReduceConfig& config) {
  const auto key = std::tuple(config.op, config.item, config.accumulator);
  if (const auto found = calls.reduces.find(key); found != calls.reduces.end()) return found->second;
  auto reduce = Reduce::create(*context, config);
  if (reduce) calls.reduces.emplace(key, *reduce);
  return reduce;
}

Status Gpu::reduce_bytes(const ReduceConfig& config, std::span<const std::byte> items, uint64_t count,
                         std::span<std::byte> result) noexcept try {
  runtime::OneLineCalls& calls = state_->calls;
  const std::lock_guard lock(calls.mutex);
  const auto reduce = state_->reduce_of(config);
  if (!reduce) return reduce.status();
  if (Status status = runtime::grow(*this, calls.items, items.size()); !status) return status;
  if (Status status = runtime::grow(*this, calls.result, result.size()); !status) return status;
  if (Status status = runtime::grow(*this, calls.scratch, reduce->scratch_size(count)); !status) return status;
  if (Status status = upload(calls.items->range(), items); !status) return status;
  ReduceArgs args;
  args.input = calls.items->range();
  args.output = calls.result->range();
  args.scratch = calls.scratch->range();
  args.count = count;
  const auto done = run([&](VkCommandBuffer commands) { return reduce->record(commands, args); });
  if (!done) return done.status();
  return download(calls.result->range(), result);
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
