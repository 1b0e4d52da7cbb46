// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/context.hpp>

#include <utility>

#include "runtime/context_state.hpp"

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
const std::vector<std::string>& Context::warnings() const noexcept { return state_->warnings(); }

Result<std::vector<std::byte>> Context::pipeline_cache_data() const noexcept try {
  return state_->pipeline_cache_data();
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
