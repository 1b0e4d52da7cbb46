// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/context_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "runtime/default_strategy.hpp"
#include "runtime/enabled_features.hpp"
#include "runtime/packed_kernels.hpp"
#include "runtime/pipeline_cache_data.hpp"
#include "runtime/subgroup_choice.hpp"
#include "runtime/tuning.hpp"

namespace weft::runtime {
namespace {

Status check_arguments(const ContextConfig& config) {
  const auto null = [](const char* name) { return Error{ErrorCode::invalid_argument, std::string(name) + " is null"}; };
  if (config.instance == VK_NULL_HANDLE) return null("instance");
  if (config.physical_device == VK_NULL_HANDLE) return null("physical_device");
  if (config.device == VK_NULL_HANDLE) return null("device");
  if (config.get_instance_proc_addr == nullptr) return null("get_instance_proc_addr");
  if ((config.device_create_info != nullptr) == config.enabled.has_value()) {
    return Error{ErrorCode::invalid_argument,
                 config.enabled ? "device_create_info and enabled are both given, and one of them is taken"
                                : "neither device_create_info nor enabled is given"};
  }
  if (config.pipeline_cache_size != 0 && config.pipeline_cache_data == nullptr) return null("pipeline_cache_data");
  return {};
}

Status check_device(const DeviceFacts& facts) {
  const DeviceSupport support = support_of(facts);
  if (support.usable()) return {};
  std::string message = facts.name + " lacks ";
  for (size_t i = 0; i < support.missing.size(); ++i) message += (i == 0 ? "" : "; ") + support.missing[i];
  return Error{ErrorCode::missing_feature, message};
}

// The environment, where the host lets it speak. A value of no use is ignored, with a warning.
class Environment {
 public:
  explicit Environment(bool is_used, std::vector<std::string>& warnings) : is_used_(is_used), warnings_(warnings) {}

  // Null where the variable is unset, empty or not to be used.
  const char* value(const char* name) const {
    const char* value = is_used_ ? std::getenv(name) : nullptr;
    return value != nullptr && *value != '\0' ? value : nullptr;
  }
  void ignore(const char* name, const Error& why) {
    warnings_.push_back(std::string(name) + " is ignored: " + why.message);
  }

 private:
  bool is_used_;
  std::vector<std::string>& warnings_;
};

Result<SubgroupChoice> chosen_subgroups(const ContextConfig& config, const DeviceFacts& facts,
                                        const FeatureSet& enabled, Environment& environment) {
  constexpr const char* kVariable = "WEFT_SUBGROUPS";
  const SubgroupRequest request{config.subgroup_backend, config.subgroup_size};
  const char* value = request.backend == SubgroupBackend::automatic ? environment.value(kVariable) : nullptr;
  if (value != nullptr) {
    auto choice = parse_subgroup_request(value).and_then([&](SubgroupRequest wanted) {
      if (wanted.size == 0) wanted.size = request.size;
      return choose_subgroups(facts, enabled, wanted);
    });
    if (choice) return choice;
    environment.ignore(kVariable, choice.error());
  }
  return choose_subgroups(facts, enabled, request);
}

Error no_look_back() {
  return {
      ErrorCode::missing_feature,
      "look_back needs shaderBufferInt64Atomics with shaderInt64, which the device lacks or the host did not enable"};
}

// What automatic means by the host or the environment.
std::optional<Strategy> forced_strategy(const ContextConfig& config, const FeatureSet& enabled,
                                        Environment& environment) {
  constexpr const char* kVariable = "WEFT_STRATEGY";
  if (config.strategy != Strategy::automatic) return config.strategy;
  const char* value = environment.value(kVariable);
  if (value == nullptr) return std::nullopt;
  const auto parsed = parse_strategy(value).and_then([&](Strategy strategy) -> Result<Strategy> {
    if (strategy == Strategy::look_back && !enabled.buffer_int64_atomics) return no_look_back();
    return strategy;
  });
  if (parsed) return *parsed;
  environment.ignore(kVariable, parsed.error());
  return std::nullopt;
}

// Ids from here on are a snippet's own, whose default is meant where none is given.
constexpr uint32_t kFirstOwnConstant = 100;

struct SubgroupTuning {
  uint32_t shuffled_sums = 0;
};
constexpr TuningKey<SubgroupTuning> kSubgroupTuningKeys[] = {
    {"shuffled_sums", &SubgroupTuning::shuffled_sums, 0, 1, false},
};
const TuningTable<SubgroupTuning> subgroup_tuning("subgroup", kSubgroupTuningKeys, {.nvidia = {.shuffled_sums = 1}});

// The ids of a module's specialization constants, ascending. Decorations come before functions.
std::vector<uint32_t> constants_of(std::span<const uint32_t> code) {
  constexpr uint32_t kHeaderWords = 5, kOpFunction = 54, kOpDecorate = 71, kSpecId = 1;
  std::vector<uint32_t> ids;
  for (size_t i = kHeaderWords; i < code.size() && (code[i] & 0xffff) != kOpFunction;) {
    const size_t words = std::max(1u, code[i] >> 16);
    if ((code[i] & 0xffff) == kOpDecorate && words == 4 && i + 3 < code.size() && code[i + 2] == kSpecId)
      ids.push_back(code[i + 3]);
    i += words;
  }
  std::ranges::sort(ids);
  return ids;
}

// What the host's tuning file sets on this device.
Result<std::vector<TuningOverride>> tuning_of_file(std::string_view text, const std::string& device,
                                                   std::vector<std::string>& warnings) {
  if (text.empty()) return std::vector<TuningOverride>{};
  auto file = read_tuning_file(text);
  if (!file) return file.error();
  if (file->device != device) {
    warnings.push_back("the tuning is ignored: it is of '" + file->device + "', and this is '" + device + "'");
    return std::vector<TuningOverride>{};
  }
  if (!file->unknown.empty())
    warnings.push_back("the tuning has " + std::to_string(file->unknown.size()) +
                       " keys that are ignored: no primitive of this program has " + file->unknown.front());
  return std::move(file->overrides);
}

// Of several overrides of a key the last counts, so the environment's come after the file's.
void add_environment(Environment& environment, std::vector<TuningOverride>& overrides) {
  constexpr const char* kVariable = "WEFT_TUNE";
  const char* value = environment.value(kVariable);
  if (value == nullptr) return;
  std::vector<TuningOverride> changes;
  const Status status = read_tuning_overrides(value, changes);
  if (status)
    overrides.insert(overrides.end(), changes.begin(), changes.end());
  else
    environment.ignore(kVariable, status.error());
}

}  // namespace

Pipeline::Pipeline(std::shared_ptr<const ContextState> context, vk::UniquePipeline pipeline,
                   std::string kernel) noexcept
    : context_(std::move(context)), pipeline_(std::move(pipeline)), kernel_(std::move(kernel)) {}

VkPipelineLayout Pipeline::layout() const noexcept { return context_->layout(); }

ContextState::ContextState() = default;
ContextState::~ContextState() = default;

Result<std::shared_ptr<const ContextState>> ContextState::create(const ContextConfig& config) {
  if (Status status = check_arguments(config); !status) return status.error();
  auto facts =
      query_device_facts(config.instance, config.physical_device, config.get_instance_proc_addr, config.api_version);
  if (!facts) return facts.error();
  if (Status status = check_device(*facts); !status) return status.error();
  const auto found =
      config.enabled ? stated_features(*config.enabled, *facts) : enabled_features(*config.device_create_info);
  if (!found) return found.error();
  const FeatureSet& enabled = *found;
  if (!enabled.buffer_device_address) {
    return Error{
        ErrorCode::missing_feature,
        "bufferDeviceAddress is not enabled on the VkDevice; weft::DeviceFeatures::extend enables what weft needs"};
  }

  const std::shared_ptr<ContextState> state(new ContextState);
  Environment environment(config.use_environment, state->warnings_);
  const auto subgroups = chosen_subgroups(config, *facts, enabled, environment);
  if (!subgroups) return subgroups.error();
  const std::optional<Strategy> strategy = forced_strategy(config, enabled, environment);
  state->device_ = config.device;
  if (config.allocator != nullptr) {
    state->allocator_copy_ = *config.allocator;
    state->allocator_ = &state->allocator_copy_;
  }
  state->subgroup_backend_ = subgroups->backend;
  state->subgroup_size_ = subgroups->size;
  state->pin_subgroup_size_ = subgroups->pin;
  state->require_full_subgroups_ = subgroups->full;
  state->strategy_ = strategy.value_or(default_strategy(*facts, enabled));
  state->strategy_is_forced_ = strategy.has_value();

  DeviceTraits& traits = state->traits_;
  traits.vendor_id = facts->vendor_id;
  traits.type = facts->type;
  traits.driver_id = facts->driver_id;
  traits.int64 = enabled.int64;
  traits.float64 = enabled.float64;
  traits.buffer_int64_atomics = enabled.buffer_int64_atomics;
  traits.max_workgroup_invocations =
      std::min(facts->limits.maxComputeWorkGroupInvocations, facts->limits.maxComputeWorkGroupSize[0]);
  if (subgroups->pin) {
    const uint64_t pinned = uint64_t{subgroups->size} * facts->subgroups.max_workgroup_subgroups;
    traits.max_workgroup_invocations =
        static_cast<uint32_t>(std::min<uint64_t>(traits.max_workgroup_invocations, pinned));
  }
  traits.max_workgroup_count_x = facts->limits.maxComputeWorkGroupCount[0];
  traits.shared_memory_bytes = facts->limits.maxComputeSharedMemorySize;
  auto tuning = tuning_of_file(config.tuning, facts->name, state->warnings_);
  if (!tuning) return tuning.error();
  state->tuning_ = *std::move(tuning);
  add_environment(environment, state->tuning_);
  state->facts_ = *std::move(facts);

  if (Status status = state->create_objects(config); !status) return status.error();
  return std::shared_ptr<const ContextState>(state);
}

Status ContextState::create_objects(const ContextConfig& config) {
  const auto get_device_proc_addr =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(config.get_instance_proc_addr(config.instance, "vkGetDeviceProcAddr"));
  if (get_device_proc_addr == nullptr || !vk::load_device_table(table_, device_, get_device_proc_addr)) {
    return Error{ErrorCode::invalid_argument,
                 "get_instance_proc_addr and vkGetDeviceProcAddr do not find every function of Vulkan 1.2"};
  }
  // Only where the host says so: layers hand the function out whether or not the extension is enabled.
  if (config.debug_utils) {
    set_object_name_ = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
        get_device_proc_addr(device_, "vkSetDebugUtilsObjectNameEXT"));
    begin_label_ = reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(
        get_device_proc_addr(device_, "vkCmdBeginDebugUtilsLabelEXT"));
    end_label_ =
        reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(get_device_proc_addr(device_, "vkCmdEndDebugUtilsLabelEXT"));
  }

  VkPushConstantRange push_constants{};
  push_constants.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  push_constants.size = kPushConstantBytes;
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push_constants;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkResult result = table_.vkCreatePipelineLayout(device_, &layout_info, allocator_, &layout);
  if (result != VK_SUCCESS) return error_of(result, "vkCreatePipelineLayout");
  layout_ = vk::UniquePipelineLayout(ref(), layout);

  if (config.pipeline_cache != VK_NULL_HANDLE) {
    cache_ = config.pipeline_cache;
    return {};
  }
  const std::span<const std::byte> contents = unwrap_pipeline_cache(
      {static_cast<const std::byte*>(config.pipeline_cache_data), config.pipeline_cache_size}, facts_);
  VkPipelineCacheCreateInfo cache_info{};
  cache_info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  cache_info.initialDataSize = contents.size();
  cache_info.pInitialData = contents.empty() ? nullptr : contents.data();
  result = table_.vkCreatePipelineCache(device_, &cache_info, allocator_, &cache_);
  if (result != VK_SUCCESS && !contents.empty()) {
    cache_info.initialDataSize = 0;
    cache_info.pInitialData = nullptr;
    result = table_.vkCreatePipelineCache(device_, &cache_info, allocator_, &cache_);
  }
  if (result != VK_SUCCESS) return error_of(result, "vkCreatePipelineCache");
  owned_cache_ = vk::UniquePipelineCache(ref(), cache_);
  return {};
}

bool ContextState::has_type(Type type) const noexcept {
  if (type == Type::u64 || type == Type::i64) return traits_.int64;
  return type != Type::f64 || traits_.float64;
}

Status ContextState::check_type(Type type) const {
  if (has_type(type)) return {};
  const char* const feature = type == Type::f64 ? "shaderFloat64" : "shaderInt64";
  return Error{ErrorCode::missing_feature, std::string("items of type ") + name_of(type) + " need " + feature +
                                               ", which the device lacks or the host did not enable"};
}

Status ContextState::check_look_back() const {
  if (traits_.buffer_int64_atomics) return {};
  return no_look_back();
}

Result<std::shared_ptr<const Pipeline>> ContextState::pipeline(const PackedKernels& kernels, const std::string& kernel,
                                                               uint32_t workgroup_size,
                                                               std::span<const ConstantValue> constants,
                                                               const KernelSet* own) const {
  const std::string name = kernel + (subgroup_backend_ == SubgroupBackend::native ? ".native" : ".emulated");
  const std::string own_name = own != nullptr ? ' ' + own->digest() : "";

  std::vector<uint32_t> unpacked;
  std::span<const uint32_t> code;
  const auto find_code = [&]() -> Status {
    if (own != nullptr) {
      code = own->find(name);
      if (code.empty())
        return Error{ErrorCode::unsupported, "own_kernels '" + own->name() + "' have no kernel " + name};
      return {};
    }
    Result<std::vector<uint32_t>> found = unpack(kernels, name);
    if (!found) return found.error();
    unpacked = *std::move(found);
    code = unpacked;
    if (code.empty()) return Error{ErrorCode::unsupported, "weft has no kernel " + name};
    return {};
  };

  const std::vector<uint32_t>* ids = nullptr;
  {
    const std::lock_guard lock(slots_mutex_);
    const auto at = kernel_constants_.find(name + own_name);
    if (at != kernel_constants_.end()) ids = &at->second;
  }
  if (ids == nullptr) {
    if (const Status status = find_code(); !status) return status.error();
    std::vector<uint32_t> found = constants_of(code);
    const std::lock_guard lock(slots_mutex_);
    ids = &kernel_constants_.emplace(name + own_name, std::move(found)).first->second;
  }
  std::vector<ConstantValue> values;
  for (const uint32_t id : *ids) {
    if (id < 2) continue;
    const auto given = std::ranges::find(constants, id, &ConstantValue::id);
    if (given != constants.end())
      values.push_back(*given);
    else if (id == kSumsByShuffles) {
      if (subgroup_tuning.of(*this).shuffled_sums != 0) values.push_back({id, 1});
    } else if (id < kFirstOwnConstant)
      return Error{ErrorCode::unsupported,
                   name + " has no value for its specialization constant " + std::to_string(id)};
  }

  std::string key = name + ' ' + std::to_string(workgroup_size);
  for (const ConstantValue& value : values) key += ' ' + std::to_string(value.id) + '=' + std::to_string(value.value);
  key += own_name;
  PipelineSlot* slot = nullptr;
  {
    const std::lock_guard lock(slots_mutex_);
    slot = &slots_[key];
  }
  const std::lock_guard lock(slot->building);
  if (auto pipeline = slot->pipeline.lock()) return pipeline;
  if (code.empty())
    if (const Status status = find_code(); !status) return status.error();
  auto built = build_pipeline(code, name, workgroup_size, values);
  if (built) slot->pipeline = *built;
  return built;
}

uint32_t ContextState::subgroup_size_in(uint32_t workgroup_size) const noexcept {
  if (workgroup_size >= subgroup_size_) return subgroup_size_;
  const bool narrows =
      subgroup_backend_ == SubgroupBackend::emulated ||
      (pin_subgroup_size_ && std::has_single_bit(workgroup_size) && workgroup_size >= facts_.subgroups.min_size);
  return narrows ? workgroup_size : subgroup_size_;
}

Result<std::shared_ptr<const Pipeline>> ContextState::build_pipeline(std::span<const uint32_t> code,
                                                                     const std::string& name, uint32_t workgroup_size,
                                                                     std::span<const ConstantValue> constants) const {
  if (workgroup_size > traits_.max_workgroup_invocations) {
    return Error{ErrorCode::missing_feature,
                 name + " was asked to run in workgroups of " + std::to_string(workgroup_size) +
                     " invocations; the device's hold at most " + std::to_string(traits_.max_workgroup_invocations)};
  }

  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = code.size_bytes();
  module_info.pCode = code.data();
  VkShaderModule module_handle = VK_NULL_HANDLE;
  VkResult result = table_.vkCreateShaderModule(device_, &module_info, allocator_, &module_handle);
  if (result != VK_SUCCESS) return error_of(result, ("vkCreateShaderModule for " + name).c_str());
  const vk::UniqueShaderModule module(ref(), module_handle);

  const uint32_t subgroup_size = subgroup_size_in(workgroup_size);
  std::vector<ConstantValue> values{{0, workgroup_size}, {1, subgroup_size}};
  values.insert(values.end(), constants.begin(), constants.end());
  std::vector<VkSpecializationMapEntry> entries;
  for (size_t i = 0; i < values.size(); ++i)
    entries.push_back({values[i].id, static_cast<uint32_t>(i * sizeof(ConstantValue) + offsetof(ConstantValue, value)),
                       sizeof(uint32_t)});
  VkSpecializationInfo specialization{};
  specialization.mapEntryCount = static_cast<uint32_t>(entries.size());
  specialization.pMapEntries = entries.data();
  specialization.dataSize = values.size() * sizeof(ConstantValue);
  specialization.pData = values.data();

  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required_size{};
  required_size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  required_size.requiredSubgroupSize = subgroup_size;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.layout = layout_.get();
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  if (pin_subgroup_size_) info.stage.pNext = &required_size;
  if (require_full_subgroups_ && workgroup_size % subgroup_size == 0)
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  VkPipeline handle = VK_NULL_HANDLE;
  result = table_.vkCreateComputePipelines(device_, cache_, 1, &info, allocator_, &handle);
  if (result != VK_SUCCESS) return error_of(result, ("vkCreateComputePipelines for " + name).c_str());
  vk::UniquePipeline owned(ref(), handle);
  auto pipeline = std::make_shared<const Pipeline>(shared_from_this(), std::move(owned),
                                                   begin_label_ != nullptr ? name : std::string());

  if (set_object_name_ != nullptr) {
    const std::string label = "weft " + name;
    VkDebugUtilsObjectNameInfoEXT name_info{};
    name_info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
    name_info.objectType = VK_OBJECT_TYPE_PIPELINE;
    name_info.objectHandle = reinterpret_cast<uint64_t>(handle);
    name_info.pObjectName = label.c_str();
    // A name is for tools: without it everything works.
    static_cast<void>(set_object_name_(device_, &name_info));
  }
  return pipeline;
}

void ContextState::begin_label(VkCommandBuffer commands, const char* primitive,
                               const std::string& kernel) const noexcept {
  if (begin_label_ == nullptr || end_label_ == nullptr) return;
  std::array<char, 256> text;  // what does not fit is cut off
  std::snprintf(text.data(), text.size(), "weft %s: %s", primitive, kernel.c_str());
  VkDebugUtilsLabelEXT label{};
  label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  label.pLabelName = text.data();
  begin_label_(commands, &label);
}

void ContextState::end_label(VkCommandBuffer commands) const noexcept {
  if (begin_label_ != nullptr && end_label_ != nullptr) end_label_(commands);
}

VkDeviceSize ContextState::memory_size(VkBuffer buffer) const noexcept {
  VkMemoryRequirements requirements{};
  table_.vkGetBufferMemoryRequirements(device_, buffer, &requirements);
  return requirements.size;
}

VkDeviceAddress ContextState::address_of(const BufferRange& range) const noexcept {
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = range.buffer;
  return table_.vkGetBufferDeviceAddress(device_, &info) + range.offset;
}

Result<std::vector<std::byte>> ContextState::pipeline_cache_data() const {
  std::vector<std::byte> contents;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {  // another thread's pipelines may enlarge it between the two calls
    size_t size = 0;
    result = table_.vkGetPipelineCacheData(device_, cache_, &size, nullptr);
    if (result != VK_SUCCESS) break;
    contents.resize(size);
    result = table_.vkGetPipelineCacheData(device_, cache_, &size, contents.data());
    contents.resize(size);
  }
  if (result != VK_SUCCESS) return error_of(result, "vkGetPipelineCacheData");
  return wrap_pipeline_cache(contents, facts_);
}

}  // namespace weft::runtime
