// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/clocks.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/active_clock.hpp"

namespace weft::bench {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::optional<uint32_t> number_in(const std::filesystem::path& file) {
  const std::string text = text_of(file);
  uint32_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && number != 0 ? std::optional(number) : std::nullopt;
}

// "0000:65:00.0", as Linux and NVIDIA write it. Empty: the driver does not say it.
std::string pci_address(const Gpu& gpu) {
  const auto get = gpu.get_instance_proc_addr();
  const auto extensions = reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(
      get(gpu.instance(), "vkEnumerateDeviceExtensionProperties"));
  const auto properties_of =
      reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(get(gpu.instance(), "vkGetPhysicalDeviceProperties2"));
  if (extensions == nullptr || properties_of == nullptr) return {};
  uint32_t count = 0;
  extensions(gpu.physical_device(), nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  extensions(gpu.physical_device(), nullptr, &count, all.data());
  if (std::ranges::none_of(all, [](const VkExtensionProperties& one) {
        return std::string_view(one.extensionName) == VK_EXT_PCI_BUS_INFO_EXTENSION_NAME;
      }))
    return {};
  VkPhysicalDevicePCIBusInfoPropertiesEXT bus{};
  bus.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &bus;
  properties_of(gpu.physical_device(), &properties);
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", bus.pciDomain, bus.pciBus, bus.pciDevice, bus.pciFunction);
}

}  // namespace

void ClockRange::write(nlohmann::ordered_json& to) const {
  if (graphics_.min) to["graphics_mhz"] = {{"min", *graphics_.min}, {"max", *graphics_.max}};
  if (memory_.min) to["memory_mhz"] = {{"min", *memory_.min}, {"max", *memory_.max}};
}

/// NVML is part of NVIDIA's driver. Its functions are declared here, as its header comes with CUDA alone.
struct ClockReader::Nvml {
  static constexpr int kSuccess = 0, kSm = 1, kMemory = 2;

  void* library = nullptr;
  void* device = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_address)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;

  template <class F>
  bool load(F& function, const char* name) {
#ifdef _WIN32
    function = reinterpret_cast<F>(reinterpret_cast<void (*)()>(GetProcAddress(static_cast<HMODULE>(library), name)));
#else
    function = reinterpret_cast<F>(dlsym(library, name));
#endif
    return function != nullptr;
  }
  // The library stays in the process.
  bool open(const std::string& address) {
#ifdef _WIN32
    library = LoadLibraryA("nvml.dll");
#else
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
    return library != nullptr && load(init, "nvmlInit_v2") && load(shutdown, "nvmlShutdown") &&
           load(by_address, "nvmlDeviceGetHandleByPciBusId_v2") && load(clock, "nvmlDeviceGetClockInfo") &&
           init() == kSuccess && by_address(address.c_str(), &device) == kSuccess;
  }
  ~Nvml() {
    if (device != nullptr) shutdown();
  }
  std::optional<uint32_t> mhz(int of) const {
    unsigned value = 0;
    return clock(device, of, &value) == kSuccess ? std::optional<uint32_t>(value) : std::nullopt;
  }
};

ClockReader::ClockReader(const Gpu& gpu) {
  constexpr uint32_t kNvidia = 0x10de;
  const std::string address = pci_address(gpu);
  if (address.empty()) return;
  folder_ = "/sys/bus/pci/devices/" + address;
  if (gpu.info().vendor_id != kNvidia) return;
  nvml_ = std::make_unique<Nvml>();
  if (!nvml_->open(address)) nvml_.reset();
}

ClockReader::~ClockReader() = default;

Clocks ClockReader::read() const {
  if (nvml_) return {nvml_->mhz(Nvml::kSm), nvml_->mhz(Nvml::kMemory)};
  if (folder_.empty()) return {};
  const std::filesystem::path folder(folder_);
  Clocks clocks{active_mhz(text_of(folder / "pp_dpm_sclk")), active_mhz(text_of(folder / "pp_dpm_mclk"))};
  if (!clocks.graphics) clocks.graphics = number_in(folder / "tile0/gt0/freq0/act_freq");
  std::error_code error;
  for (const auto& card : std::filesystem::directory_iterator(folder / "drm", error))
    if (!clocks.graphics) clocks.graphics = number_in(card.path() / "gt_act_freq_mhz");
  return clocks;
}

}  // namespace weft::bench
