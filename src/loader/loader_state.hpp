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

Status check(const LoaderConfig& config);
Result<std::unique_ptr<Engine>> open_engine(const LoaderConfig& config, std::unique_ptr<Device> device);

/// Fills a request by what the caller asks. Not ok: it ends so at once.
Outcome resolve(const Engine& engine, const LoadRequest& asked, Request& request);

}  // namespace loader
}  // namespace weft
