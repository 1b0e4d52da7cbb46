// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/device.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include "runtime/context_state.hpp"
#include "runtime/device_facts.hpp"
#include "runtime/loader.hpp"
#include "runtime/subgroup_choice.hpp"
#include "support/host_device.hpp"

namespace weft::test {

namespace {

std::string& tuning() {
  static std::string overrides;
  return overrides;
}

// A Context on the Gpu's device, with everything enabled that the device has, as the Gpu enables it.
Context tuned_context(const Gpu& gpu, const std::string& overrides) {
  const ScopedVariable variable("WEFT_TUNE", overrides.c_str());
  const auto facts = runtime::query_device_facts(gpu.instance(), gpu.physical_device(), gpu.get_instance_proc_addr(),
                                                 VK_API_VERSION_1_3);
  if (!facts) FAIL(facts.error().message);
  const char* const extensions[] = {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME};
  const runtime::FeatureSet& has = facts->features;
  ContextConfig config;
  config.instance = gpu.instance();
  config.physical_device = gpu.physical_device();
  config.device = gpu.context().device();
  config.get_instance_proc_addr = gpu.get_instance_proc_addr();
  config.enabled = EnabledFeatures{has.buffer_device_address, has.int64,          has.float64, has.buffer_int64_atomics,
                                   has.subgroup_size_control, has.full_subgroups, extensions};
  config.subgroup_backend = gpu.context().subgroup_backend();
  config.subgroup_size = gpu.context().subgroup_size();
  config.use_environment = true;
  Result<Context> context = Context::create(config);
  if (!context) FAIL(context.error().message);
  for (const std::string& warning : context->warnings()) FAIL(warning);
  return *std::move(context);
}

struct Stray {
  std::mutex mutex;
  int count = 0;
};

Stray& stray() {
  static Stray messages;
  return messages;
}

// Layers speak from whatever thread calls them; doctest's assertions may be made on any thread of a running test.
void fail_on_message(std::string_view message) {
  if (is_layer_setup(message)) return;
  if (doctest::is_running_in_test) {
    ADD_FAIL_CHECK_AT(__FILE__, __LINE__, std::string(message));
    return;
  }
  const std::scoped_lock lock(stray().mutex);
  ++stray().count;
  std::cerr << "validation, outside of a test: " << message << '\n';
}

struct BackendConfig {
  SubgroupBackend kind;
  uint32_t subgroup_size;
};

struct Matrix {
  std::vector<BackendConfig> configs;
  size_t tried = 0;  // of the configs, the first ones
  std::vector<std::unique_ptr<Backend>> backends;
};

Matrix& matrix() {
  static Matrix backends = [] {
    Matrix wanted;
    if (is_wanted("native")) wanted.configs.push_back({SubgroupBackend::native, 0});
    for (const uint32_t width : {32u, 64u, 128u})
      if (is_wanted("emulated" + std::to_string(width))) wanted.configs.push_back({SubgroupBackend::emulated, width});
    return wanted;
  }();
  return backends;
}

// The sizes that a pipeline may require natively, but for the one that is in use.
std::vector<BackendConfig> other_sizes(const Gpu& gpu) {
  const auto facts = runtime::query_device_facts(gpu.instance(), gpu.physical_device(), gpu.get_instance_proc_addr(),
                                                 VK_API_VERSION_1_3);
  if (!facts) FAIL(facts.error().message);
  std::vector<BackendConfig> sizes;
  for (uint32_t size = runtime::kMinSubgroupSize; size <= runtime::kMaxSubgroupSize; size *= 2) {
    const runtime::SubgroupRequest request{SubgroupBackend::native, size};
    if (size != gpu.context().subgroup_size() && runtime::choose_subgroups(*facts, facts->features, request))
      sizes.push_back({SubgroupBackend::native, size});
  }
  return sizes;
}

// Opens until there are `count` backends, or all.
void open(size_t count) {
  Matrix& devices = matrix();
  while (devices.backends.size() < count && devices.tried < devices.configs.size()) {
    const BackendConfig backend = devices.configs[devices.tried++];
    GpuConfig config;
    config.on_message = fail_on_message;
    config.subgroup_backend = backend.kind;
    config.subgroup_size = backend.subgroup_size;
    config.second_queue = true;
    Result<Gpu> gpu = Gpu::open(config);
    // A driver without native subgroup operations is a legitimate part of the matrix; every driver can emulate them.
    if (!gpu && backend.kind == SubgroupBackend::native && gpu.error().code == ErrorCode::missing_feature) {
      MESSAGE("no native backend: ", gpu.error().message);
      continue;
    }
    if (!gpu) FAIL(gpu.error().message);
    for (const std::string& warning : gpu->warnings()) MESSAGE(warning);
    if (backend.kind == SubgroupBackend::native && backend.subgroup_size == 0) {
      const std::vector<BackendConfig> sizes = other_sizes(*gpu);
      devices.configs.insert(devices.configs.begin() + 1, sizes.begin(), sizes.end());
    }
    devices.backends.push_back(std::make_unique<Backend>(std::move(*gpu)));
  }
  REQUIRE_MESSAGE(!devices.backends.empty(), "no device to test");
}

}  // namespace

bool is_wanted(std::string_view backend) {
  const char* wanted = std::getenv("WEFT_TEST_BACKENDS");
  if (wanted == nullptr) return true;
  std::string_view list = wanted;
  while (!list.empty()) {
    const size_t end = list.find(',');
    if (list.substr(0, end) == backend) return true;
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
  return false;
}

namespace {

/// WEFT_TEST_SHARE: the first combination that this process takes, and how many there are from
/// one that it takes to the next.
struct Share {
  unsigned first = 0, step = 1;
};

std::optional<Share> wanted_share() {
  const char* text = std::getenv("WEFT_TEST_SHARE");
  if (text == nullptr) return std::nullopt;
  Share share;
  REQUIRE_MESSAGE(
      (std::sscanf(text, "%u/%u", &share.first, &share.step) == 2 && share.first >= 1 && share.first <= share.step),
      "WEFT_TEST_SHARE=", text);
  --share.first;
  return share;
}

}  // namespace

bool is_in_share(uint32_t index) {
  const std::optional<Share> share = wanted_share();
  return !share || index % share->step == share->first;
}

bool takes_turn(uint32_t index) {
  const std::optional<Share> share = wanted_share();
  return !share || index % 3 == share->first % 3;
}

ScopedTuning::ScopedTuning(const std::string& overrides)
    : before_(std::exchange(tuning(), overrides)), overrides_(overrides) {}
ScopedTuning::~ScopedTuning() {
  if (need_to_destroy) destroy();
  tuning() = before_;
}
void ScopedTuning::stringify(std::ostream* out) const { *out << "tuning := " << overrides_; }

const std::string& current_tuning() { return tuning(); }

const Context& Backend::context() const {
  const std::string& overrides = current_tuning();
  if (overrides.empty()) return gpu_.context();
  auto found = tuned_.find(overrides);
  if (found == tuned_.end()) found = tuned_.emplace(overrides, tuned_context(gpu_, overrides)).first;
  return found->second;
}

std::string Backend::name() const {
  return gpu_.info().name + (is_emulated() ? ", emulated " : ", native ") + std::to_string(context().subgroup_size());
}

void Backend::fail(const std::string& message) {
  FAIL(message);
  std::abort();  // FAIL throws
}

std::vector<Backend*> every_backend() {
  open(matrix().configs.size());
  std::vector<Backend*> backends;
  for (const auto& backend : matrix().backends) backends.push_back(backend.get());
  return backends;
}

std::vector<Backend*> native_backends() {
  std::vector<Backend*> backends{&first_backend()};
  for (size_t i = 1; i < matrix().configs.size() && matrix().configs[i].kind == SubgroupBackend::native; ++i) {
    open(i + 1);
    backends.push_back(matrix().backends[i].get());
  }
  return backends;
}

bool has_look_back(const Context& context) { return context.state()->check_look_back().ok(); }

std::vector<Strategy> strategies_of(const Context& context) {
  if (has_look_back(context)) return {Strategy::reduce_then_scan, Strategy::look_back};
  return {Strategy::reduce_then_scan};
}

std::vector<Device> every_look_back() {
  std::vector<Device> devices;
  for (Backend* backend : every_backend())
    if (has_look_back(backend->context())) devices.emplace_back(*backend, Strategy::look_back);
  return devices;
}

std::vector<Device> every_device() {
  std::vector<Device> devices;
  for (Backend* backend : every_backend())
    for (const Strategy strategy : strategies_of(backend->context())) devices.emplace_back(*backend, strategy);
  return devices;
}

Backend& first_backend() {
  open(1);
  return *matrix().backends.front();
}

int close_devices() {
  matrix().backends.clear();
  const std::scoped_lock lock(stray().mutex);
  return stray().count;
}

namespace {

double& longest() {
  static double ms = 0;
  return ms;
}

}  // namespace

Result<RunTime> run_timed(Gpu& gpu, const std::function<Status(VkCommandBuffer)>& record) {
  Result<RunTime> ran = gpu.run(record);
  if (ran) longest() = std::max(longest(), ran->device_ms.value_or(ran->host_ms));
  return ran;
}
double longest_ms() { return longest(); }
void forget_longest() { longest() = 0; }

PFN_vkGetInstanceProcAddr loader_entry_point() { return runtime::system_get_instance_proc_addr(); }

bool is_layer_setup(std::string_view message) {
  return message.find("validation is adjusting settings") != std::string_view::npos ||
         message.find("Information with the layer settings provided") != std::string_view::npos;
}

struct Messages::State {
  std::mutex mutex;
  std::vector<std::string> messages;
};

Messages::Messages() : state_(std::make_shared<State>()) {}
Messages::~Messages() = default;

std::function<void(std::string_view)> Messages::sink() {
  return [state = state_](std::string_view message) {
    if (is_layer_setup(message)) return;
    const std::scoped_lock lock(state->mutex);
    state->messages.emplace_back(message);
  };
}

std::vector<std::string> Messages::all() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->messages;
}

bool Messages::mention(std::string_view words) const {
  for (const std::string& message : all())
    if (message.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace weft::test
