// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <set>
#include <string>

#include <weft/gpu.hpp>
#include <weft/radix_sort.hpp>
#include <weft/reduce.hpp>
#include <weft/reduce_by_key.hpp>
#include <weft/run_length_encode.hpp>
#include <weft/scan.hpp>
#include <weft/scan_by_key.hpp>
#include <weft/select.hpp>

#include "runtime/error.hpp"
#include "support/device.hpp"
#include "support/host_device.hpp"
#include "support/vulkan_shim.hpp"

namespace weft::test {
namespace {

constexpr ErrorCode kEveryCode[] = {
    ErrorCode::invalid_argument,   ErrorCode::missing_feature,      ErrorCode::unsupported,
    ErrorCode::out_of_host_memory, ErrorCode::out_of_device_memory, ErrorCode::device_lost,
    ErrorCode::not_found,          ErrorCode::driver_error,         ErrorCode::compile_error,
    ErrorCode::system_error,       ErrorCode::corrupt_stream,       ErrorCode::over_limit,
};

// What the driver is made to answer, and which function.
struct Failure {
  std::string function;
  VkResult result = VK_SUCCESS;
  int calls = 0;  // how often it answered so
};

// Replaces a function by one that fails when `failure` names it. One that ends something does so all the same: the
// command buffer is ended and the wait is over, only the answer is false, since the driver's state must stay what it
// claims to be.
enum class FailsBy { not_being_called, a_false_answer };

template <FunctionName name, class Function>
void make_fallible(VulkanShim& shim, Failure& failure, FailsBy how = FailsBy::not_being_called) {
  shim.replace<name, Function>([&failure, how](Function real, auto... args) {
    if (failure.function != name.text) return real(args...);
    ++failure.calls;
    if (how == FailsBy::a_false_answer) static_cast<void>(real(args...));
    return failure.result;
  });
}

// Every function of weft's that may fail while a Gpu is opened and used.
void make_everything_fallible(VulkanShim& shim, Failure& failure) {
#define WEFT_FALLIBLE(function, ...) make_fallible<#function, PFN_##function>(shim, failure, ##__VA_ARGS__);
  WEFT_FALLIBLE(vkEnumerateInstanceExtensionProperties)
  WEFT_FALLIBLE(vkCreateInstance)
  WEFT_FALLIBLE(vkEnumeratePhysicalDevices)
  WEFT_FALLIBLE(vkEnumerateDeviceExtensionProperties)
  WEFT_FALLIBLE(vkCreateDevice)
  WEFT_FALLIBLE(vkCreatePipelineLayout)
  WEFT_FALLIBLE(vkCreatePipelineCache)
  WEFT_FALLIBLE(vkCreateCommandPool)
  WEFT_FALLIBLE(vkAllocateCommandBuffers)
  WEFT_FALLIBLE(vkCreateFence)
  WEFT_FALLIBLE(vkCreateQueryPool)
  WEFT_FALLIBLE(vkCreateBuffer)
  WEFT_FALLIBLE(vkAllocateMemory)
  WEFT_FALLIBLE(vkBindBufferMemory)
  WEFT_FALLIBLE(vkMapMemory)
  WEFT_FALLIBLE(vkBeginCommandBuffer)
  WEFT_FALLIBLE(vkEndCommandBuffer, FailsBy::a_false_answer)
  WEFT_FALLIBLE(vkResetFences)
  WEFT_FALLIBLE(vkQueueSubmit)
  WEFT_FALLIBLE(vkWaitForFences, FailsBy::a_false_answer)
  WEFT_FALLIBLE(vkGetQueryPoolResults)
  WEFT_FALLIBLE(vkCreateShaderModule)
  WEFT_FALLIBLE(vkCreateComputePipelines)
  WEFT_FALLIBLE(vkGetPipelineCacheData)
#undef WEFT_FALLIBLE
}

// The functions above that are called while a Gpu is opened, and those that are called when it is used.
constexpr const char* kAtOpen[] = {
    "vkEnumerateInstanceExtensionProperties",
    "vkCreateInstance",
    "vkEnumeratePhysicalDevices",
    "vkEnumerateDeviceExtensionProperties",
    "vkCreateDevice",
    "vkCreatePipelineLayout",
    "vkCreatePipelineCache",
    "vkCreateCommandPool",
    "vkAllocateCommandBuffers",
    "vkCreateFence",
    "vkCreateQueryPool",
};
constexpr const char* kInUse[] = {
    "vkCreateBuffer",       "vkAllocateMemory",         "vkBindBufferMemory",
    "vkMapMemory",          "vkAllocateCommandBuffers", "vkCreateFence",
    "vkBeginCommandBuffer", "vkEndCommandBuffer",       "vkResetFences",
    "vkQueueSubmit",        "vkWaitForFences",          "vkGetQueryPoolResults",
    "vkCreateShaderModule", "vkCreateComputePipelines", "vkGetPipelineCacheData",
};

struct Answer {
  VkResult result;
  ErrorCode code;
};
constexpr Answer kAnswers[] = {
    {VK_ERROR_OUT_OF_HOST_MEMORY, ErrorCode::out_of_host_memory},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, ErrorCode::out_of_device_memory},
    {VK_ERROR_DEVICE_LOST, ErrorCode::device_lost},
    {VK_ERROR_UNKNOWN, ErrorCode::driver_error},
};

// Everything a program does with a Gpu, until something fails. Building pipelines takes most of the time.
enum class Pipelines { none, built };
Status use(Gpu& gpu, Pipelines pipelines = Pipelines::built) {
  auto buffer = gpu.create_buffer(4096);
  if (!buffer) return buffer.status();
  std::vector<std::byte> bytes(4096, std::byte{7});
  if (Status status = gpu.upload(buffer->range(), bytes); !status) return status;
  if (Status status = gpu.fill(buffer->range(0, 1024), 1); !status) return status;
  if (Status status = gpu.download(buffer->range(), bytes); !status) return status;
  const auto times = gpu.time(2, [](VkCommandBuffer, uint32_t) { return Status{}; });
  if (!times && times.error().code != ErrorCode::missing_feature) return times.status();
  if (pipelines == Pipelines::built) {
    const std::vector<uint32_t> items(100, 1);
    const auto scanned = gpu.exclusive_scan(items);
    if (!scanned) return scanned.status();
    if (scanned->back() != 99) return Error{ErrorCode::unsupported, "the scan is wrong"};
  }
  return gpu.context().pipeline_cache_data().status();
}

ErrorCode code_of(const Status& status) {
  REQUIRE_FALSE(status.ok());
  CHECK_FALSE(status.error().message.empty());
  return status.error().code;
}

}  // namespace

TEST_SUITE("host errors") {
  TEST_CASE("codes and their names are distinct") {
    std::set<std::string> names;
    for (const ErrorCode code : kEveryCode) CHECK(names.insert(name_of(code)).second);
    CHECK(names.size() == std::size(kEveryCode));
    CHECK(std::string(name_of(ErrorCode::device_lost)) == "device_lost");
  }

  TEST_CASE("a VkResult becomes a code and a sentence that names the call") {
    for (const Answer& answer : kAnswers) {
      const Error error = runtime::error_of(answer.result, "vkCreateBuffer");
      CHECK(error.code == answer.code);
      CHECK(error.message.find("vkCreateBuffer") != std::string::npos);
    }
    CHECK(runtime::error_of(VK_ERROR_FEATURE_NOT_PRESENT, "vkCreateDevice").code == ErrorCode::missing_feature);
    CHECK(runtime::error_of(VK_ERROR_TOO_MANY_OBJECTS, "x").message == "x failed with VK_ERROR_TOO_MANY_OBJECTS");
    CHECK(runtime::error_of(static_cast<VkResult>(-12345), "x").message == "x failed with VkResult -12345");
  }

  TEST_CASE("Status and Result hold one side or the other") {
    const Status good;
    CHECK(good.ok());
    const Status bad = Error{ErrorCode::not_found, "none"};
    CHECK_FALSE(bad);
    CHECK(bad.error().message == "none");
    Result<std::string> value = std::string("text");
    REQUIRE(value);
    CHECK(*value == "text");
    CHECK(value->size() == 4);
    CHECK(value.status().ok());
    CHECK((*std::move(value)) == "text");
    const Result<std::string> error = Error{ErrorCode::unsupported, "why"};
    CHECK_FALSE(error.ok());
    CHECK(error.status().error().code == ErrorCode::unsupported);
  }

  TEST_CASE("missing_feature: bufferDeviceAddress is not enabled") {
    const HostInstance host;
    const DeviceRequest request(host);
    const HostDevice device(host, request.info);
    const auto context = Context::create(device.config(request.info));
    REQUIRE_FALSE(context.ok());
    CHECK(context.error().code == ErrorCode::missing_feature);
    CHECK(context.error().message.starts_with("bufferDeviceAddress is not enabled"));
  }

  TEST_CASE("missing_feature: the instance is too old") {
    const HostInstance host;
    DeviceRequest request(host);
    DeviceFeatures features = host.query();
    features.extend(request.info);
    const HostDevice device(host, request.info);
    ContextConfig config = device.config(request.info);
    config.api_version = VK_API_VERSION_1_1;
    const auto context = Context::create(config);
    REQUIRE_FALSE(context.ok());
    CHECK(context.error().code == ErrorCode::missing_feature);
    CHECK(context.error().message.find("Vulkan 1.2: the instance was created for 1.1") != std::string::npos);
  }

  TEST_CASE("missing_feature: 64-bit items without shaderInt64 or shaderFloat64") {
    const HostInstance host;
    DeviceRequest request(host);
    VkPhysicalDeviceBufferDeviceAddressFeatures address{};
    address.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    address.bufferDeviceAddress = VK_TRUE;
    request.info.pNext = &address;
    const HostDevice device(host, request.info);
    const auto context = Context::create(device.config(request.info));
    REQUIRE_MESSAGE(context.ok(), context.error().message);
    for (const Type type : {Type::u64, Type::i64, Type::f64}) {
      CAPTURE(std::string(name_of(type)));
      const std::string feature = type == Type::f64 ? "shaderFloat64" : "shaderInt64";
      CHECK_FALSE(context->supports(type));
      ScanConfig scan_config;
      scan_config.item = scan_config.accumulator = type;
      const auto scan = Scan::create(*context, scan_config);
      REQUIRE_FALSE(scan.ok());
      CHECK(scan.error().code == ErrorCode::missing_feature);
      CHECK(scan.error().message.find(feature) != std::string::npos);
      ReduceConfig reduce_config;
      reduce_config.item = reduce_config.accumulator = type;
      const auto reduce = Reduce::create(*context, reduce_config);
      REQUIRE_FALSE(reduce.ok());
      CHECK(reduce.error().code == ErrorCode::missing_feature);
      CHECK(reduce.error().message.find(feature) != std::string::npos);
    }
    for (const Type type : {Type::u8, Type::u16, Type::u32, Type::i32, Type::f16, Type::f32, Type::u32x2})
      CHECK(context->supports(type));
  }

  TEST_CASE("missing_feature: look_back without 64-bit atomics") {
    const HostInstance host;
    DeviceRequest request(host);
    VkPhysicalDeviceBufferDeviceAddressFeatures address{};
    address.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    address.bufferDeviceAddress = VK_TRUE;
    request.info.pNext = &address;
    const HostDevice device(host, request.info);
    const auto check_every = [](const Context& context, Strategy asked, Strategy expected) {
      const auto check = [&](const auto& primitive) {
        if (expected == Strategy::look_back) {
          REQUIRE_FALSE(primitive.ok());
          CHECK(primitive.error().code == ErrorCode::missing_feature);
          CHECK(primitive.error().message.starts_with("look_back needs shaderBufferInt64Atomics"));
        } else {
          REQUIRE_MESSAGE(primitive.ok(), primitive.error().message);
          CHECK(primitive->strategy() == Strategy::reduce_then_scan);
        }
      };
      check(Scan::create(context, {ScanKind::exclusive, Op::add, Type::u32, Type::u32, asked}));
      ScanByKeyConfig scan_by_key;
      scan_by_key.strategy = asked;
      check(ScanByKey::create(context, scan_by_key));
      ReduceByKeyConfig reduce_by_key;
      reduce_by_key.strategy = asked;
      check(ReduceByKey::create(context, reduce_by_key));
      SelectConfig select = SelectConfig::select_if(Type::u32, Criterion::less);
      select.strategy = asked;
      check(Select::create(context, select));
      RunLengthEncodeConfig encode;
      encode.strategy = asked;
      check(RunLengthEncode::create(context, encode));
    };
    // The sort's states are 32-bit words.
    const auto sorts = [](const Context& context) {
      const auto sort = RadixSort::create(context, {.strategy = Strategy::look_back});
      return sort.ok() && sort->strategy() == Strategy::look_back;
    };
    ContextConfig config = device.config(request.info);
    {
      const ScopedVariable unset("WEFT_STRATEGY", nullptr);
      const auto context = Context::create(config);
      REQUIRE_MESSAGE(context.ok(), context.error().message);
      CHECK(context->strategy() == Strategy::reduce_then_scan);
      check_every(*context, Strategy::automatic, Strategy::reduce_then_scan);
      check_every(*context, Strategy::look_back, Strategy::look_back);
      CHECK(sorts(*context));
    }
    config.strategy = Strategy::look_back;
    const auto forced = Context::create(config);
    REQUIRE_MESSAGE(forced.ok(), forced.error().message);
    check_every(*forced, Strategy::automatic, Strategy::look_back);
    check_every(*forced, Strategy::reduce_then_scan, Strategy::reduce_then_scan);
  }

  TEST_CASE("unsupported: a combination weft does not have") {
    ScanConfig config;
    config.item = Type::f32;
    config.accumulator = Type::f32;
    config.op = Op::bit_xor;
    const auto scan = Scan::create(first_backend().context(), config);
    REQUIRE_FALSE(scan.ok());
    CHECK(scan.error().code == ErrorCode::unsupported);
  }

  TEST_CASE("not_found: a loader without entry points, and a machine without a driver") {
    const auto empty_loader = [](VkInstance, const char*) -> PFN_vkVoidFunction { return nullptr; };
    const auto list = Gpu::list(empty_loader);
    REQUIRE_FALSE(list.ok());
    CHECK(list.error().code == ErrorCode::not_found);

    Failure failure{"vkCreateInstance", VK_ERROR_INCOMPATIBLE_DRIVER};
    VulkanShim shim;
    make_everything_fallible(shim, failure);
    const auto none = Gpu::list(shim.get_instance_proc_addr());
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == ErrorCode::not_found);
    CHECK(none.error().message.find("no Vulkan driver") != std::string::npos);
  }

  TEST_CASE("whatever fails while a Gpu is opened is reported by its code, and nothing is left behind") {
    VulkanShim shim;
    Failure failure;
    make_everything_fallible(shim, failure);
    GpuConfig config;
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    config.device = first_backend().gpu().info().name;
    for (const std::string function : kAtOpen) {
      for (const Answer& answer : kAnswers) {
        CAPTURE(function);
        CAPTURE(std::string(name_of(answer.code)));
        failure = {function, answer.result};
        const auto gpu = Gpu::open(config);
        CHECK(code_of(gpu.ok() ? Status{} : gpu.status()) == answer.code);
        CHECK(failure.calls > 0);
      }
    }
    failure = {};
    auto gpu = Gpu::open(config);
    REQUIRE_MESSAGE(gpu.ok(), gpu.error().message);
    const Status used = use(*gpu);
    CHECK_MESSAGE(used.ok(), used.error().message);
  }

  TEST_CASE("whatever fails while a Gpu is used is reported by its code, and the Gpu goes on when the driver does") {
    VulkanShim shim;
    Failure failure;
    make_everything_fallible(shim, failure);
    GpuConfig config;
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    config.device = first_backend().gpu().info().name;
    for (const Answer& answer : kAnswers) {
      for (const std::string function : kInUse) {
        CAPTURE(function);
        CAPTURE(std::string(name_of(answer.code)));
        failure = {};
        auto gpu = Gpu::open(config);  // a new one each time, since pipelines and the staging buffer are kept
        REQUIRE_MESSAGE(gpu.ok(), gpu.error().message);
        failure = {function, answer.result};
        const bool builds = function == "vkCreateShaderModule" || function == "vkCreateComputePipelines";
        const Pipelines pipelines = builds ? Pipelines::built : Pipelines::none;
        CHECK(code_of(use(*gpu, pipelines)) == answer.code);
        CHECK(failure.calls > 0);
        failure = {};
        const Status used = use(*gpu, pipelines);
        CHECK_MESSAGE(used.ok(), used.error().message);
      }
    }
  }

  TEST_CASE("an adopted device: what the host's driver refuses") {
    const HostInstance host;
    VulkanShim shim;
    Failure failure;
    make_everything_fallible(shim, failure);
    DeviceRequest request(host);
    DeviceFeatures features = host.query();
    features.extend(request.info);
    const HostDevice device(host, request.info);
    ContextConfig config = device.config(request.info);
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    for (const Answer& answer : kAnswers) {
      for (const std::string function : {"vkCreatePipelineLayout", "vkCreatePipelineCache"}) {
        CAPTURE(function);
        failure = {function, answer.result};
        const auto context = Context::create(config);
        CHECK(code_of(context.ok() ? Status{} : context.status()) == answer.code);
      }
      for (const std::string function : {"vkCreateShaderModule", "vkCreateComputePipelines"}) {
        CAPTURE(function);
        failure = {};
        const auto context = Context::create(config);
        REQUIRE_MESSAGE(context.ok(), context.error().message);
        failure = {function, answer.result};
        const auto scan = Scan::create(*context, ScanConfig{});
        REQUIRE_FALSE(scan.ok());
        CHECK(scan.error().code == answer.code);
        CHECK(scan.error().message.find(function) != std::string::npos);
        failure = {};
        CHECK(Scan::create(*context, ScanConfig{}).ok());
      }
    }
  }

  TEST_CASE("invalid_argument: a function table without Vulkan's functions") {
    const HostInstance host;
    DeviceRequest request(host);
    DeviceFeatures features = host.query();
    features.extend(request.info);
    const HostDevice device(host, request.info);
    ContextConfig config = device.config(request.info);
    config.get_instance_proc_addr = [](VkInstance, const char*) -> PFN_vkVoidFunction { return nullptr; };
    const auto context = Context::create(config);
    REQUIRE_FALSE(context.ok());
    CHECK(context.error().code == ErrorCode::invalid_argument);
    CHECK(context.error().message.find("get_instance_proc_addr") != std::string::npos);
  }
}

}  // namespace weft::test
