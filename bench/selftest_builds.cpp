// SPDX-License-Identifier: MIT OR Apache-2.0
#include "selftest_builds.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace weft::bench {
namespace {

bool is_ready(const std::future<SelftestBuilds::HandOver>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

SelftestBuilds::SelftestBuilds() : threads_(std::max(2U, std::thread::hardware_concurrency()) - 1) {}

bool SelftestBuilds::has_room() const {
  const auto running = std::ranges::count_if(builds_, [](const auto& build) { return !is_ready(build.second.future); });
  return static_cast<size_t>(running) < threads_ && builds_.size() < 2 * threads_;
}

void SelftestBuilds::begin(const std::string& name, std::function<HandOver()> build) {
  builds_[name].future = std::async(std::launch::async, std::move(build));
}

void SelftestBuilds::take(const std::string& name) {
  const auto found = builds_.find(name);
  const HandOver hand_over = found->second.future.get();
  builds_.erase(found);
  hand_over();
}

std::vector<std::string> SelftestBuilds::ended() {
  std::vector<std::string> names;
  for (auto& [name, build] : builds_)
    if (!build.is_ended && is_ready(build.future)) {
      build.is_ended = true;
      names.push_back(name);
    }
  return names;
}

std::vector<std::string> SelftestBuilds::finish() {
  for (const auto& [name, build] : builds_) build.future.wait();
  std::vector<std::string> names = ended();
  builds_.clear();
  return names;
}

}  // namespace weft::bench
