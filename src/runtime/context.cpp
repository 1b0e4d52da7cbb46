// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/context.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/context_state.hpp"
#include "runtime/tuning.hpp"

namespace weft {

Result<Context> Context::create(const ContextConfig& config) noexcept try {
  auto state = runtime::ContextState::create(config);
  if (!state) return state.error();
  return Context(*std::move(state));
} catch (...) {
  return runtime::caught();
}

Context::Context(std::shared_ptr<const runtime::ContextState> state) : state_(std::move(state)) {}

VkDevice Context::device() const noexcept { return state_->device(); }
SubgroupBackend Context::subgroup_backend() const noexcept { return state_->subgroup_backend(); }
uint32_t Context::subgroup_size() const noexcept { return state_->subgroup_size(); }
uint32_t Context::required_subgroup_size() const noexcept { return state_->required_subgroup_size(); }
Strategy Context::strategy() const noexcept { return state_->strategy(); }
bool Context::supports(Type type) const noexcept { return state_->has_type(type); }
Result<std::vector<TuningValue>> Context::tuning() const noexcept try {
  std::vector<TuningValue> values;
  for (const auto* table = runtime::TuningTableBase::first(); table != nullptr; table = table->next())
    for (size_t i = 0; i < table->size(); ++i) {
      const runtime::TuningRange range = table->key(i);
      values.push_back({std::string(table->name()) + '.' + std::string(range.name), range.min, range.max,
                        table->value(i, state_->traits(), state_->tuning_overrides()), range.swept});
    }
  std::ranges::sort(values, {}, &TuningValue::key);
  return values;
} catch (...) {
  return runtime::caught();
}
const std::vector<std::string>& Context::warnings() const noexcept { return state_->warnings(); }

Status Context::prewarm(std::span<const Prewarm> work, const RunTasks& run) const noexcept try {
  std::vector<Status> done(work.size(), Error{ErrorCode::system_error, "prewarm: a task was not run"});
  const std::function<void(uint32_t)> task = [&](uint32_t i) {
    try {
      done[i] = work[i](*this);
    } catch (...) {
      done[i] = runtime::caught();
    }
  };
  const auto count = static_cast<uint32_t>(work.size());
  if (run)
    run(count, task);
  else
    for (uint32_t i = 0; i < count; ++i) task(i);
  const auto failed = std::ranges::find_if(done, [](const Status& status) { return !status; });
  return failed == done.end() ? Status{} : *failed;
} catch (...) {
  return runtime::caught();
}

Result<std::vector<std::byte>> Context::pipeline_cache_data() const noexcept try {
  return state_->pipeline_cache_data();
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
