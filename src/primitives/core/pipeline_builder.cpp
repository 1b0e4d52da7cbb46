// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/core/pipeline_builder.hpp"

#include <algorithm>

#include "weft/subgroup.h"

namespace weft::primitives {

static_assert(shader::subgroup::kSumsByShuffles.id == runtime::kSumsByShuffles);

PipelineBuilder& PipelineBuilder::set(uint32_t id, uint32_t value) {
  const auto at = std::ranges::lower_bound(constants_, id, {}, &runtime::ConstantValue::id);
  if (at != constants_.end() && at->id == id)
    at->value = value;
  else
    constants_.insert(at, {id, value});
  return *this;
}

PipelineBuilder& PipelineBuilder::build(std::shared_ptr<const runtime::Pipeline>& pipeline, const std::string& kernel) {
  if (!status_) return *this;
  Result<std::shared_ptr<const runtime::Pipeline>> built =
      state_->pipeline(*kernels_, kernel, workgroup_size_, std::span<const runtime::ConstantValue>(constants_), own_);
  if (built)
    pipeline = *std::move(built);
  else
    status_ = built.error();
  return *this;
}

}  // namespace weft::primitives
