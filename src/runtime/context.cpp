// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/context.hpp>

#include <utility>

#include "runtime/context_state.hpp"

namespace weft {

Result<Context> Context::create(const ContextConfig& config) {
  auto state = runtime::ContextState::create(config);
  if (!state) return state.error();
  return Context(*std::move(state));
}

Context::Context(std::shared_ptr<const runtime::ContextState> state) : state_(std::move(state)) {}

VkDevice Context::device() const noexcept { return state_->device(); }
SubgroupBackend Context::subgroup_backend() const noexcept { return state_->subgroup_backend(); }
uint32_t Context::subgroup_size() const noexcept { return state_->subgroup_size(); }
uint32_t Context::required_subgroup_size() const noexcept { return state_->required_subgroup_size(); }
Strategy Context::strategy() const noexcept { return state_->strategy(); }
bool Context::supports(Type type) const noexcept { return state_->check_type(type).ok(); }

Result<std::vector<std::byte>> Context::pipeline_cache_data() const { return state_->pipeline_cache_data(); }

}  // namespace weft
