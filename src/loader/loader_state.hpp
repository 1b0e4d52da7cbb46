// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/loader.hpp>

#include <memory>

#include "loader/engine.hpp"

namespace weft {

struct Loader::State {
  std::unique_ptr<loader::Engine> engine;
};

namespace loader {

constexpr uint64_t kLeastStaging = uint64_t{8} << 20;

Status check(const LoaderConfig& config);
/// Of the budget: decoders, and what is left for tables at least.
uint64_t fixed_bytes(const LoaderConfig& config) noexcept;
Result<std::unique_ptr<Engine>> open_engine(const LoaderConfig& config, std::unique_ptr<Device> device);

/// Fills a request by what the caller asks. Not ok: it ends so at once.
Outcome resolve(const Engine& engine, const LoadRequest& asked, Request& request);

}  // namespace loader
}  // namespace weft
