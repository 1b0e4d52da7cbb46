// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>

#include "runtime/context_state.hpp"
#include "weft/interop.h"

namespace weft::primitives {

/// Builds the pipelines of a primitive: first the values of specialization constants, then kernels. A kernel takes the
/// values of the constants that it has; one that is given none is an error. The first error stays, and nothing is built
/// after it. Copies may be given other values.
class PipelineBuilder {
 public:
  /// `own`: the set to find kernels in, instead of `kernels`.
  PipelineBuilder(const runtime::ContextState& state, const PackedKernels& kernels, uint32_t workgroup_size,
                  const KernelSet* own = nullptr)
      : state_(&state), kernels_(&kernels), own_(own), workgroup_size_(workgroup_size) {}

  template <class T>
  PipelineBuilder& set(shader::Constant<T> constant, std::type_identity_t<T> value) {
    return set(constant.id, static_cast<uint32_t>(value));
  }
  PipelineBuilder& workgroup(uint32_t size) {
    workgroup_size_ = size;
    return *this;
  }
  /// Another family's kernels.
  PipelineBuilder& from(const PackedKernels& kernels) {
    kernels_ = &kernels;
    own_ = nullptr;
    return *this;
  }

  /// `kernel`: without the backend's suffix, e.g. "scan_look_back.u8.u32". Errors: those of ContextState::pipeline().
  WEFT_API PipelineBuilder& build(std::shared_ptr<const runtime::Pipeline>& pipeline, const std::string& kernel);
  const Status& status() const noexcept { return status_; }

 private:
  WEFT_API PipelineBuilder& set(uint32_t id, uint32_t value);

  const runtime::ContextState* state_;
  const PackedKernels* kernels_;
  const KernelSet* own_;
  uint32_t workgroup_size_;
  std::vector<runtime::ConstantValue> constants_;  // by id
  Status status_;
};

}  // namespace weft::primitives
