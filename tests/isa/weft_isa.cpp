// SPDX-License-Identifier: MIT OR Apache-2.0
// Tables of the machine code that weft's kernels become: AMD's by Mesa's RADV, which compiles without hardware, and
// Intel's by Mesa's ANV, which does where intel_stand_in.cpp answers for the kernel of Linux.
//
//   weft-isa [OPTIONS] DIRECTORY    writes DIRECTORY/kernels.csv, in which rows of what is not built stay
//     --check COMMITTED             also fails where a row differs from COMMITTED/kernels.csv
//     --family FAMILY               only this one
//     --primitive PRIMITIVE         only the kernels of this one, e.g. ScanByKey
//     --types TYPES                 only kernels of these types of items and accumulators, e.g. u8,u32, or of no type
//     --tune OVERRIDES              sets WEFT_TUNE, which otherwise has no effect here
//     --lanes SIZE                  of a subgroup, rather than what the library chooses
//     --family device               no family: the loader's first device. Writes DIRECTORY/device.csv, with whatever
//                                   statistics its driver has, and for NVIDIA's the machine code of each pipeline, for
//                                   nvdisasm -b SM90 or what the device is
//
// Fails where a kernel spills registers of AMD's or uses scratch memory there. The library itself builds the
// pipelines, through the public API: this program stands between it and the driver, asks for statistics, and notes
// what was asked for. So the rows are those of the constants and subgroup sizes that the library uses on such a
// device. What is built is what the primitives' tests say (<family>/<stem>_calls.hpp).
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <zstd.h>

#include <weft/weft.hpp>

#include "decode/kernel_families.hpp"
#include "every_call.hpp"
#include "runtime/kernel_families.hpp"
#include "runtime/packed_kernels.hpp"

namespace {

using weft::test::SoundCall;

// Column by column: what the driver calls it, and what the table does. Those marked must be 0.
struct Column {
  const char* statistic;  // null: the executable's subgroup size
  const char* title;
  bool must_be_zero;
};
constexpr Column kAmdColumns[] = {
    {"SGPRs", "sgprs", false},
    {"VGPRs", "vgprs", false},
    {"Spilled SGPRs", "spilled_sgprs", true},
    {"Spilled VGPRs", "spilled_vgprs", true},
    {"LDS size", "lds_bytes", false},
    {"Scratch size", "scratch_bytes", true},
    {"Code size", "code_bytes", false},
    {"Subgroups per SIMD", "subgroups_per_simd", false},
};
// A thread has 128 registers of 32 bytes whatever it is compiled to. What that leaves out is spilled.
constexpr Column kIntelColumns[] = {
    {nullptr, "simd", false},
    {"Instruction Count", "instructions", false},
    {"SEND Count", "sends", false},
    {"Loop Count", "loops", false},
    {"Cycle Count", "cycles", false},
    {"Spill Count", "spills", false},
    {"Fill Count", "fills", false},
    {"Scratch Memory Size", "scratch_bytes", false},
    {"Workgroup Memory Size", "slm_bytes", false},
};

struct Family {
  const char* name;
  const char* device;  // what the driver's variable names it by
};
constexpr Family kAmdFamilies[] = {{"polaris10", "polaris10"},
                                   {"vega10", "vega10"},
                                   {"navi10", "navi10"},
                                   {"navi21", "navi21"},
                                   {"gfx1100", "gfx1100"}};
constexpr Family kIntelFamilies[] = {{"tgl", "9a49"}, {"dg2", "56a0"}};

struct Driver {
  const char* name;
  const char* icd;  // that its file's name begins with
  const char* variable;
  std::span<const Family> families;
  std::span<const Column> columns;

  bool has(const std::string& family) const {
    return std::ranges::any_of(families, [&](const Family& known) { return known.name == family; });
  }
};
constexpr Driver kDrivers[] = {
    {"RADV", "radeon_icd", "RADV_FORCE_FAMILY", kAmdFamilies, kAmdColumns},
    {"ANV", "intel_icd", "WEFT_INTEL_DEVICE", kIntelFamilies, kIntelColumns},
};
#ifdef WEFT_ISA_INTEL
constexpr std::span<const Driver> kUsedDrivers = kDrivers;
#else
constexpr std::span<const Driver> kUsedDrivers = std::span(kDrivers).first<1>();
#endif
constexpr const char* kTable = "kernels.csv";
constexpr const char* kDevice = "device";

struct Row {
  std::string kernel;
  std::string constants;
  std::vector<uint64_t> values{};
  bool operator<(const Row& other) const {
    return kernel != other.kernel ? kernel < other.kernel : constants < other.constants;
  }
};

// What the functions below, which stand in for the driver's, forward to and fill. One per process: Vulkan's entry
// points carry no pointer of ours.
struct Interception {
  const Driver* driver = nullptr;   // null: a device's own
  std::vector<std::string> titles;  // of its statistics
  std::filesystem::path code;       // where its machine code goes
  std::vector<std::byte> cached;    // of the pipeline made last
  weft::ContextConfig config;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
  PFN_vkCreateComputePipelines create_compute_pipelines = nullptr;
  PFN_vkCreatePipelineCache create_cache = nullptr;
  PFN_vkGetPipelineCacheData get_cache = nullptr;
  PFN_vkDestroyPipelineCache destroy_cache = nullptr;
  PFN_vkGetPipelineExecutablePropertiesKHR get_executables = nullptr;
  PFN_vkGetPipelineExecutableStatisticsKHR get_statistics = nullptr;
  std::map<VkPipeline, std::string> constants;
  std::set<Row> rows;
  weft::test::AmongTypes types;
  uint32_t lanes = 0;  // 0: as the library chooses
  bool has_float64 = true;
  std::string failure;
};
Interception interception;

std::string constants_of(const VkSpecializationInfo* info) {
  std::string text;
  for (uint32_t i = 0; info != nullptr && i < info->mapEntryCount; ++i) {
    const VkSpecializationMapEntry& entry = info->pMapEntries[i];
    uint32_t value = 0;
    std::memcpy(&value, static_cast<const std::byte*>(info->pData) + entry.offset, sizeof value);
    text += (i == 0 ? "" : " ") + std::to_string(entry.constantID) + "=" + std::to_string(value);
  }
  return text;
}

uint32_t word_at(std::span<const std::byte> bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

// The machine code in what NVIDIA's driver caches of a pipeline, or nothing. As found of driver 580: after the cache's
// header comes a frame of Zstandard, and in it, where it begins so, the code's length and place.
std::vector<std::byte> nvidia_code(std::span<const std::byte> cache) {
  constexpr std::array<std::byte, 4> kFrame{std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f}, std::byte{0xfd}};
  constexpr std::string_view kBegin = "NVDANVVMNVuc";
  constexpr size_t kLength = 76, kPlace = 80, kFrom = 24;
  const std::span frame = cache.subspan(std::ranges::search(cache, kFrame).begin() - cache.begin());
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size < kPlace + 4 || size > 1u << 26) return {};
  std::vector<std::byte> found(size);
  const size_t packed = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(packed) || ZSTD_decompress(found.data(), size, frame.data(), packed) != size) return {};
  if (std::memcmp(found.data(), kBegin.data(), kBegin.size()) != 0) return {};
  const uint64_t length = word_at(found, kLength), place = uint64_t{word_at(found, kPlace)} + kFrom;
  if (place + length > size) return {};
  return {found.begin() + static_cast<ptrdiff_t>(place), found.begin() + static_cast<ptrdiff_t>(place + length)};
}

void record_statistics(VkDevice device, VkPipeline pipeline, Row row) {
  VkPipelineInfoKHR pipeline_info{};
  pipeline_info.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR;
  pipeline_info.pipeline = pipeline;
  VkPipelineExecutablePropertiesKHR executable{};
  executable.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
  uint32_t executables = 0;
  interception.get_executables(device, &pipeline_info, &executables, nullptr);
  if (executables == 1) interception.get_executables(device, &pipeline_info, &executables, &executable);
  VkPipelineExecutableInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
  info.pipeline = pipeline;
  uint32_t count = 0;
  if (executables == 1) interception.get_statistics(device, &info, &count, nullptr);
  VkPipelineExecutableStatisticKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  std::vector<VkPipelineExecutableStatisticKHR> statistics(count, empty);
  if (count != 0) interception.get_statistics(device, &info, &count, statistics.data());

  if (interception.driver == nullptr) {
    interception.titles.clear();
    for (const VkPipelineExecutableStatisticKHR& statistic : statistics) {
      interception.titles.emplace_back(statistic.name);
      row.values.push_back(statistic.value.u64);
    }
    std::string name = row.kernel + ' ' + row.constants + ".bin";
    std::ranges::replace(name, ' ', '_');
    const std::vector<std::byte> code = nvidia_code(std::exchange(interception.cached, {}));
    if (!code.empty())
      std::ofstream(interception.code / name, std::ios::binary)
          .write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
    interception.rows.insert(std::move(row));
    return;
  }
  for (const Column& column : interception.driver->columns) {
    if (column.statistic == nullptr) {
      row.values.push_back(executable.subgroupSize);
      continue;
    }
    const auto found = std::find_if(statistics.begin(), statistics.end(), [&](const auto& statistic) {
      return std::strcmp(statistic.name, column.statistic) == 0;
    });
    if (found == statistics.end()) {
      interception.failure = std::string("the driver gives no statistic called ") + column.statistic;
      return;
    }
    row.values.push_back(found->format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR ? found->value.u64
                                                                                             : ~0ULL);
  }
  interception.rows.insert(std::move(row));
}

VkResult VKAPI_CALL create_compute_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                             const VkComputePipelineCreateInfo* infos,
                                             const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  std::vector<VkComputePipelineCreateInfo> with_statistics(infos, infos + count);
  for (VkComputePipelineCreateInfo& info : with_statistics) info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  // Of a device a cache of its own for each pipeline, so that what is cached is the pipeline's.
  const bool caches = interception.driver == nullptr && count == 1;
  VkPipelineCacheCreateInfo cache_info{};
  cache_info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  if (caches && interception.create_cache(device, &cache_info, nullptr, &cache) != VK_SUCCESS)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  const VkResult result =
      interception.create_compute_pipelines(device, cache, count, with_statistics.data(), allocator, pipelines);
  if (caches) {
    size_t size = 0;
    interception.get_cache(device, cache, &size, nullptr);
    interception.cached.resize(size);
    interception.get_cache(device, cache, &size, interception.cached.data());
    interception.destroy_cache(device, cache, nullptr);
  }
  for (uint32_t i = 0; result == VK_SUCCESS && i < count; ++i)
    interception.constants[pipelines[i]] = constants_of(infos[i].stage.pSpecializationInfo);
  return result;
}

// A Context names its pipelines after their kernels.
VkResult VKAPI_CALL set_object_name(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
  constexpr std::string_view kPrefix = "weft ";
  const std::string_view name = info->pObjectName;
  const auto pipeline = reinterpret_cast<VkPipeline>(info->objectHandle);
  if (info->objectType == VK_OBJECT_TYPE_PIPELINE && name.starts_with(kPrefix))
    record_statistics(device, pipeline,
                      {std::string(name.substr(kPrefix.size())), interception.constants[pipeline], {}});
  return VK_SUCCESS;
}

PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char* name) {
  const PFN_vkVoidFunction real = interception.get_device_proc_addr(device, name);
  if (std::strcmp(name, "vkSetDebugUtilsObjectNameEXT") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(&set_object_name);
  if (std::strcmp(name, "vkCreateComputePipelines") == 0) {
    interception.create_compute_pipelines = reinterpret_cast<PFN_vkCreateComputePipelines>(real);
    return reinterpret_cast<PFN_vkVoidFunction>(&create_compute_pipelines);
  }
  return real;
}

PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction real = interception.get_instance_proc_addr(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
    interception.get_device_proc_addr = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real);
    return reinterpret_cast<PFN_vkVoidFunction>(&get_device_proc_addr);
  }
  return real;
}

template <class Function>
Function load(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(interception.get_instance_proc_addr(instance, name));
}

template <class Primitive>
std::string build(const weft::Context& context) {
  if constexpr (requires { SoundCall<Primitive>::kernels; }) {
    for (const auto& config : SoundCall<Primitive>::kernels(interception.types)) {
      const auto created = Primitive::create(context, config);
      const bool lacks_type =
          !created && !interception.has_float64 && created.error().code == weft::ErrorCode::missing_feature;
      if (!created && !lacks_type && created.error().code != weft::ErrorCode::unsupported)
        return created.error().message;
    }
  }
  return {};
}

// Again, with a tuning that alone chooses some kernels.
template <class Primitive>
std::string build_tuned() {
  const char* const set = std::getenv("WEFT_TUNE");
  const std::string before = set != nullptr ? set : "";
  setenv("WEFT_TUNE", ((before.empty() ? "" : before + ",") + SoundCall<Primitive>::kernels_tuning).c_str(), 1);
  const auto context = weft::Context::create(interception.config);
  before.empty() ? unsetenv("WEFT_TUNE") : setenv("WEFT_TUNE", before.c_str(), 1);
  return context ? build<Primitive>(*context) : context.error().message;
}

std::string build_all(const weft::Context& context, const std::string& only) {
  std::string failure;
  weft::test::for_each_primitive([&]<class Primitive>() {
    if (!failure.empty() || (!only.empty() && only != SoundCall<Primitive>::name)) return;
    failure = build<Primitive>(context);
    if constexpr (requires { SoundCall<Primitive>::kernels_tuning; })
      if (failure.empty()) failure = build_tuned<Primitive>();
  });
  return failure;
}

std::string build_on(VkInstance instance, VkPhysicalDevice physical_device, const std::string& primitive) {
  auto features = weft::DeviceFeatures::query(instance, physical_device, &get_instance_proc_addr, VK_API_VERSION_1_3);
  if (!features) return features.error().message;
  if (!features->support().usable()) return "the device lacks " + features->support().missing.front();

  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{};
  executables.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  executables.pipelineExecutableInfo = VK_TRUE;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  std::vector<const char*> extensions = features->support().extensions;
  extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &executables;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  features->extend(info);
  VkDevice device = VK_NULL_HANDLE;
  if (load<PFN_vkCreateDevice>(instance, "vkCreateDevice")(physical_device, &info, nullptr, &device) != VK_SUCCESS) {
    return "vkCreateDevice failed";
  }
  const auto get_proc = load<PFN_vkGetDeviceProcAddr>(instance, "vkGetDeviceProcAddr");
  interception.create_cache = reinterpret_cast<PFN_vkCreatePipelineCache>(get_proc(device, "vkCreatePipelineCache"));
  interception.get_cache = reinterpret_cast<PFN_vkGetPipelineCacheData>(get_proc(device, "vkGetPipelineCacheData"));
  interception.destroy_cache = reinterpret_cast<PFN_vkDestroyPipelineCache>(get_proc(device, "vkDestroyPipelineCache"));
  interception.get_executables = reinterpret_cast<PFN_vkGetPipelineExecutablePropertiesKHR>(
      get_proc(device, "vkGetPipelineExecutablePropertiesKHR"));
  interception.get_statistics = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
      get_proc(device, "vkGetPipelineExecutableStatisticsKHR"));

  std::string failure;
  {
    weft::ContextConfig& config = interception.config = {};
    config.instance = instance;
    config.physical_device = physical_device;
    config.device = device;
    config.get_instance_proc_addr = &get_instance_proc_addr;
    config.device_create_info = &info;
    config.subgroup_backend = weft::SubgroupBackend::native;
    config.subgroup_size = interception.lanes;
    config.use_environment = true;
    config.debug_utils = true;
    const auto context = weft::Context::create(config);
    if (context) interception.has_float64 = context->supports(weft::Type::f64);
    failure = context ? build_all(*context, primitive) : context.error().message;
    if (context && !context->warnings().empty()) failure = context->warnings().front();
  }
  if (failure.empty()) failure = interception.failure;
  // RADV aborts at exit, output and all, where a device is left.
  reinterpret_cast<PFN_vkDestroyDevice>(get_proc(device, "vkDestroyDevice"))(device, nullptr);
  return failure;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

int fail(const std::string& family, const std::string& message) {
  std::fprintf(stderr, "%s: %s\n", family.c_str(), message.c_str());
  return 1;
}

// The parts of a text between separators.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text + separator);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Of a line "# <family> (<device>), compiled by ...".
std::string family_of_device(const std::string& line) { return line.substr(2, line.find(' ', 2) - 2); }

// The table, or the part of it that a family's process has found: lines that say which compiler made a family's code,
// and rows "kernel,constants,family,values". Another compiler makes other code, which says nothing about weft's
// kernels. In the file, rows of each driver are together. A row has the families of a pipeline side by side, with the
// values of each in a cell.
struct Table {
  std::set<std::string> devices, rows;

  static Table read(const std::filesystem::path& file) {
    Table table;
    std::istringstream text(read_text(file));
    std::vector<std::string> head;
    for (std::string line; std::getline(text, line);) {
      if (line.find(", compiled by ") != std::string::npos) table.devices.insert(line);
      if (line.starts_with('#')) continue;
      std::vector<std::string> cells = split(line, ',');
      if (cells[0] == "kernel") head = cells;
      for (size_t i = 2; cells[0] != "kernel" && i < std::min(cells.size(), head.size()); ++i) {
        std::ranges::replace(cells[i], ' ', ',');
        if (!cells[i].empty()) table.rows.insert(cells[0] + ',' + cells[1] + ',' + head[i] + ',' + cells[i]);
      }
    }
    return table;
  }
  void write(const std::filesystem::path& file) const {
    std::ofstream text(file, std::ios::binary);
    text << "# SPDX-License-Identifier: MIT OR Apache-2.0\n# ./run isa renews this file.\n"
         << "# Native variants, exclusive scans, operator add (affine for u32x2, arg_min for arg): the other operators "
            "take\n"
         << "# the same code but for a few instructions, and emulated variants are not meant for this hardware.\n"
         << "# constants: specialization constants by id; 0 is the workgroup's size, 1 the subgroup's.\n";
    for (const Driver& driver : kDrivers) {
      for (const std::string& device : devices)
        if (driver.has(family_of_device(device))) text << device << '\n';
      text << "# A cell:";
      for (const Column& column : driver.columns) text << ' ' << column.title;
      text << "\nkernel,constants";
      for (const Family& family : driver.families) text << ',' << family.name;
      text << '\n';
      std::map<std::string, std::map<std::string, std::string>> cells;  // by kernel and constants, and by family
      for (const std::string& row : rows) {
        const std::vector<std::string> values = split(row, ',');
        if (!driver.has(values[2])) continue;
        std::string& cell = cells[values[0] + ',' + values[1]][values[2]];
        for (size_t i = 3; i < values.size(); ++i) cell += (i == 3 ? "" : " ") + values[i];
      }
      for (auto& [pipeline, by_family] : cells) {
        text << pipeline;
        for (const Family& family : driver.families) text << ',' << by_family[family.name];
        text << '\n';
      }
    }
  }
  void add(const Table& other) {
    devices.insert(other.devices.begin(), other.devices.end());
    rows.insert(other.rows.begin(), other.rows.end());
  }
};

std::string family_of(const std::string& row) {
  const size_t begin = row.find(',', row.find(',') + 1) + 1;
  return row.substr(begin, row.find(',', begin) - begin);
}
/// Kernel, constants and family.
std::string pipeline_of(const std::string& row) {
  return row.substr(0, row.find(',', row.find(',', row.find(',') + 1) + 1));
}

// Where not all types were built, the committed table stands for the others.
std::string kernels_not_built(const std::filesystem::path& committed) {
  // Decompress runs its kernel beside an extension that these drivers do not have; the others are for NVIDIA's devices.
  std::set<std::string> built{"decompress.native", "gstd_decode_optimized.native",
                              "gstd_decode_regions_optimized.native"};
  for (const Row& row : interception.rows) built.insert(row.kernel);
  if (!interception.types.all())
    for (const std::string& row : Table::read(committed).rows)
      if (interception.driver->has(family_of(row))) built.insert(row.substr(0, row.find(',')));
  std::string missing;
  const auto check = [&](const weft::PackedKernels& family) {
    for (const std::string_view kernel : weft::runtime::names_of(family))
      if (kernel.ends_with(".native") && built.count(std::string(kernel)) == 0 &&
          (interception.has_float64 || kernel.find(".f64") == std::string_view::npos))
        missing += " " + std::string(kernel);
  };
  for (const auto family : weft::runtime::kernels::kFamilies) check(family());
  for (const auto family : weft::decode::kernels::kFamilies) check(family());
  return missing;
}

// If not all was built, what the committed table has besides is not missed.
int compare(const std::filesystem::path& file, const Table& built, bool all) {
  Table committed = Table::read(file);
  if (committed.rows.empty()) return fail("weft-isa", "there is no " + file.string() + "; ./run isa makes it");
  for (const std::string& device : built.devices)
    if (committed.devices.count(device) == 0) {
      std::printf("not compared with the committed table, which does not have\n  %s\n", device.c_str());
      return 0;
    }
  std::set<std::string> families;
  bool differs = false;
  for (const std::string& row : built.rows) {
    families.insert(family_of(row));
    if (committed.rows.erase(row) != 0) continue;
    std::printf("now: %s\n", row.c_str());
    differs = true;
  }
  for (const std::string& row : committed.rows) {
    if (!all || families.count(family_of(row)) == 0) continue;
    std::printf("was: %s\n", row.c_str());
    differs = true;
  }
  return differs ? fail("weft-isa", file.string() + " is out of date; ./run isa renews it") : 0;
}

struct Options {
  std::filesystem::path directory;
  std::filesystem::path committed;  // the directory of the table to compare with
  std::string primitive;
  std::string types;
  std::string tuning;
  std::string lanes;

  // Of a family's process.
  std::filesystem::path part(const std::string& family) const { return directory / (family + ".part"); }
};

// Builds on the first device that the loader has. Returns what went wrong, and in `compiled` the device and its driver.
std::string build_on_first(const Options& options, std::string& compiled) {
  if (!options.tuning.empty()) setenv("WEFT_TUNE", options.tuning.c_str(), 1);
  interception.lanes = static_cast<uint32_t>(std::strtoul(options.lanes.c_str(), nullptr, 10));

  void* loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (loader == nullptr) return "there is no Vulkan loader";
  interception.get_instance_proc_addr =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instance_info{};
  instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance_info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  if (load<PFN_vkCreateInstance>(nullptr, "vkCreateInstance")(&instance_info, nullptr, &instance) != VK_SUCCESS)
    return "vkCreateInstance failed";
  uint32_t count = 1;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  load<PFN_vkEnumeratePhysicalDevices>(instance, "vkEnumeratePhysicalDevices")(instance, &count, &physical_device);
  VkPhysicalDeviceDriverProperties compiler{};
  compiler.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &compiler;
  std::string failure = "the driver offers no such device";
  if (count == 1) {
    load<PFN_vkGetPhysicalDeviceProperties2>(instance, "vkGetPhysicalDeviceProperties2")(physical_device, &properties);
    compiled = '(' + std::string(properties.properties.deviceName) + "), compiled by " + compiler.driverName + ' ' +
               compiler.driverInfo;
    failure = build_on(instance, physical_device, options.primitive);
  }
  load<PFN_vkDestroyInstance>(instance, "vkDestroyInstance")(instance, nullptr);
  return failure;
}

// Runs in a process of its own, because drivers read the family from the environment.
int run_family(const Driver& driver, const Family& chosen, const Options& options) {
  interception.driver = &driver;
  const std::string family = chosen.name;
  const std::string icd = [&] {
    for (const auto& entry : std::filesystem::directory_iterator("/usr/share/vulkan/icd.d")) {
      if (entry.path().filename().string().starts_with(driver.icd)) return entry.path().string();
    }
    return std::string();
  }();
  if (icd.empty()) return fail(family, std::string(driver.name) + " (" + driver.icd + "*.json) is not installed");
  setenv(driver.variable, chosen.device, 1);
  setenv("INTEL_NO_HW", "1", 1);
  setenv("VK_DRIVER_FILES", icd.c_str(), 1);
  setenv("VK_ICD_FILENAMES", icd.c_str(), 1);
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  for (const char* variable :
       {"RADV_DEBUG", "RADV_PERFTEST", "ACO_DEBUG", "INTEL_DEBUG", "WEFT_TUNE", "WEFT_SUBGROUPS", "WEFT_STRATEGY"}) {
    unsetenv(variable);
  }
  std::string compiled;
  const std::string failure = build_on_first(options, compiled);
  if (!failure.empty()) return fail(family, failure);

  if (const std::string missing = options.primitive.empty() ? kernels_not_built(options.committed / kTable) : "";
      !missing.empty()) {
    return fail(family, "no primitive in its <stem>_calls.hpp uses" + missing);
  }
  if (interception.rows.empty()) return fail(family, "there is no primitive " + options.primitive);
  Table part;
  part.devices.insert("# " + family + ' ' + compiled);
  for (const Row& row : interception.rows) {
    std::string text = row.kernel + ',' + row.constants + ',' + family;
    for (const uint64_t value : row.values) text += ',' + std::to_string(value);
    part.rows.insert(std::move(text));
  }
  part.write(options.part(family));

  int result = 0;
  for (const Row& row : interception.rows) {
    for (size_t column = 0; column < driver.columns.size(); ++column) {
      if (driver.columns[column].must_be_zero && row.values[column] != 0) {
        result = fail(family, row.kernel + " (" + row.constants + "): " + driver.columns[column].title + " " +
                                  std::to_string(row.values[column]));
      }
    }
  }
  std::printf("%s: %zu pipelines\n", family.c_str(), interception.rows.size());
  std::fflush(stdout);
  return result;
}

int run_device(const Options& options) {
  interception.code = options.directory;
  std::string compiled;
  const std::string failure = build_on_first(options, compiled);
  if (!failure.empty()) return fail(kDevice, failure);
  std::ofstream text(options.directory / (std::string(kDevice) + ".csv"), std::ios::binary);
  text << "# " << kDevice << ' ' << compiled << "\nkernel,constants";
  for (const std::string& title : interception.titles) text << ',' << title;
  text << '\n';
  for (const Row& row : interception.rows) {
    text << row.kernel << ',' << row.constants;
    for (const uint64_t value : row.values) text << ',' << value;
    text << '\n';
  }
  std::printf("%s: %zu pipelines\n", kDevice, interception.rows.size());
  return text.flush() ? 0 : fail(kDevice, "cannot write the table");
}

// Renews the rows of these families, of the driver's.
int run_driver(const Driver& driver, std::span<const Family> chosen, const Options& options) {
  int result = 0;
  std::map<std::string, pid_t> children;
  for (const Family& family : chosen) {
    std::filesystem::remove(options.part(family.name));
    const pid_t child = fork();
    if (child == 0) {
      const int status = run_family(driver, family, options);
      std::fflush(nullptr);
      std::exit(status);
    }
    children[family.name] = child;
  }
  Table built;
  std::set<std::string> families;  // that have been built: the rows of others stay
  for (const auto& [family, child] : children) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) result = 1;
    if (std::filesystem::exists(options.part(family))) families.insert(family);
    built.add(Table::read(options.part(family)));
    std::filesystem::remove(options.part(family));
  }
  std::set<std::string> pipelines;
  for (const std::string& row : built.rows) pipelines.insert(pipeline_of(row));
  const bool all = options.primitive.empty() && options.types.empty();
  const std::filesystem::path file = options.directory / kTable;
  Table table = Table::read(file);
  std::erase_if(table.rows, [&](const std::string& row) {
    return families.count(family_of(row)) != 0 && (all || pipelines.count(pipeline_of(row)) != 0);
  });
  std::erase_if(table.devices,
                [&](const std::string& device) { return families.count(family_of_device(device)) != 0; });
  table.add(built);
  table.write(file);
  if (!options.committed.empty() && compare(options.committed / kTable, built, all) != 0) result = 1;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::string committed, only;
  const std::map<std::string, std::string*> named{
      {"--check", &committed},     {"--family", &only},         {"--primitive", &options.primitive},
      {"--types", &options.types}, {"--tune", &options.tuning}, {"--lanes", &options.lanes}};
  int next = 1;
  for (; next + 2 < argc && named.count(argv[next]) != 0; next += 2) *named.at(argv[next]) = argv[next + 1];
  if (next + 1 != argc || *argv[next] == '-') {
    std::fputs(
        "usage: weft-isa [--check COMMITTED] [--family FAMILY] [--primitive PRIMITIVE] [--types TYPES] "
        "[--tune OVERRIDES] [--lanes SIZE] DIRECTORY\n",
        stderr);
    return 2;
  }
  options.directory = argv[next];
  options.committed = committed;
  std::istringstream list(options.types);
  std::set<std::string> types;
  for (std::string type; std::getline(list, type, ',');) types.insert(type);
  interception.types = weft::test::AmongTypes(types);
  std::filesystem::create_directories(options.directory);

  if (only == kDevice) return run_device(options);
  bool found = false;
  int result = 0;
  for (const Driver& driver : kUsedDrivers) {
    std::vector<Family> families;
    for (const Family& family : driver.families)
      if (only.empty() || only == family.name) families.push_back(family);
    found = found || !families.empty();
    if (!families.empty() && run_driver(driver, families, options) != 0) result = 1;
  }
  return found ? result : fail(only, "is not one of the families");
}
