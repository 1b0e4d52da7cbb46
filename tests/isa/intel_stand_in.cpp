// SPDX-License-Identifier: MIT OR Apache-2.0
// What Mesa's ANV asks of Linux before it compiles, answered without hardware. These functions stand before those of
// libc and libdrm, because a program's own symbols are found first; the program must export them.
//
// WEFT_INTEL_DEVICE is the PCI device id of the GPU that is claimed, in hexadecimal; without it there is no device. The
// render node is /dev/zero, whose shared mappings are memory of their own. Every ioctl on it succeeds, and does nothing
// but what is here; nothing is ever executed. ANV knows sizes by the device's id, if INTEL_NO_HW is set.
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <i915_drm.h>
#include <xf86drm.h>

namespace {

int claimed_device() {
  const char* const id = std::getenv("WEFT_INTEL_DEVICE");
  return id != nullptr ? static_cast<int>(std::strtol(id, nullptr, 16)) : 0;
}

bool is_node(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 5);
}

int version(drm_version& version) {
  constexpr char kName[] = "i915";
  if (version.name != nullptr && version.name_len >= sizeof kName - 1)
    std::memcpy(version.name, kName, sizeof kName - 1);
  version.version_major = 1;
  version.version_minor = 6;
  version.name_len = sizeof kName - 1;
  version.date_len = version.desc_len = 0;
  return 0;
}

int parameter(const drm_i915_getparam& request) {
  switch (request.param) {
    case I915_PARAM_CHIPSET_ID: *request.value = claimed_device(); break;
    case I915_PARAM_REVISION: *request.value = 0; break;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY: *request.value = 19'200'000; break;
    case I915_PARAM_MMAP_GTT_VERSION: *request.value = 4; break;
    case I915_PARAM_HAS_ALIASING_PPGTT: *request.value = 3; break;  // all of 48 bits
    default: *request.value = 1; break;
  }
  return 0;
}

int context_parameter(drm_i915_gem_context_param& request) {
  if (request.param == I915_CONTEXT_PARAM_GTT_SIZE) request.value = uint64_t{1} << 48;
  return 0;
}

// Each item is asked for twice: with length 0 for its length, then for itself.
int query_item(drm_i915_query_item& item) {
  const auto give = [&](const void* data, int32_t bytes) {
    if (item.length >= bytes)
      std::memcpy(std::bit_cast<void*>(uintptr_t{item.data_ptr}), data, static_cast<size_t>(bytes));
    item.length = bytes;
  };
  if (item.query_id == DRM_I915_QUERY_ENGINE_INFO) {
    alignas(8) std::byte reply[sizeof(drm_i915_query_engine_info) + sizeof(drm_i915_engine_info)]{};
    auto& engines = *reinterpret_cast<drm_i915_query_engine_info*>(reply);
    engines.num_engines = 1;
    engines.engines[0].engine.engine_class = I915_ENGINE_CLASS_RENDER;
    give(reply, sizeof reply);
  } else if (item.query_id == DRM_I915_QUERY_MEMORY_REGIONS) {
    constexpr uint16_t kRegions = 2;  // the system's, and the device's
    alignas(8)
        std::byte reply[sizeof(drm_i915_query_memory_regions) + kRegions * sizeof(drm_i915_memory_region_info)]{};
    auto& memory = *reinterpret_cast<drm_i915_query_memory_regions*>(reply);
    memory.num_regions = kRegions;
    for (uint16_t i = 0; i < kRegions; ++i) {
      memory.regions[i].region.memory_class = i;
      memory.regions[i].probed_size = memory.regions[i].unallocated_size = uint64_t{8} << 30;
    }
    give(reply, sizeof reply);
  } else {
    item.length = -EINVAL;
  }
  return 0;
}

int answer(unsigned long request, void* data) {
  static uint32_t next_handle = 0;
  // By number: sizes in a request's code differ between versions of the kernel.
  switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION): return version(*static_cast<drm_version*>(data));
    case _IOC_NR(DRM_IOCTL_GET_CAP): static_cast<drm_get_cap*>(data)->value = 1; return 0;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE): static_cast<drm_syncobj_create*>(data)->handle = ++next_handle; return 0;
    case _IOC_NR(DRM_IOCTL_I915_GETPARAM): return parameter(*static_cast<drm_i915_getparam*>(data));
    case _IOC_NR(DRM_IOCTL_I915_GEM_CREATE): static_cast<drm_i915_gem_create*>(data)->handle = ++next_handle; return 0;
    case _IOC_NR(DRM_IOCTL_I915_GEM_CONTEXT_CREATE):
      static_cast<drm_i915_gem_context_create*>(data)->ctx_id = ++next_handle;
      return 0;
    case _IOC_NR(DRM_IOCTL_I915_GEM_VM_CREATE):
      static_cast<drm_i915_gem_vm_control*>(data)->vm_id = ++next_handle;
      return 0;
    case _IOC_NR(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM):
      return context_parameter(*static_cast<drm_i915_gem_context_param*>(data));
    case _IOC_NR(DRM_IOCTL_I915_GEM_MMAP_OFFSET): static_cast<drm_i915_gem_mmap_offset*>(data)->offset = 0; return 0;
    case _IOC_NR(DRM_IOCTL_I915_GEM_USERPTR):
      static_cast<drm_i915_gem_userptr*>(data)->handle = ++next_handle;
      return 0;
    case _IOC_NR(DRM_IOCTL_I915_QUERY): {
      const auto& query = *static_cast<drm_i915_query*>(data);
      for (uint32_t i = 0; i < query.num_items; ++i)
        query_item(std::bit_cast<drm_i915_query_item*>(uintptr_t{query.items_ptr})[i]);
      return 0;
    }
    default: return 0;
  }
}

drmDevicePtr device() {
  static char node[] = "/dev/zero";
  static char* nodes[DRM_NODE_MAX] = {node, node, node};
  static drmPciBusInfo bus{0, 0, 2, 0};
  static drmPciDeviceInfo info{};
  info.vendor_id = 0x8086;
  info.device_id = static_cast<uint16_t>(claimed_device());
  static drmDevice device{};
  device.nodes = nodes;
  device.available_nodes = 1 << DRM_NODE_RENDER;
  device.bustype = DRM_BUS_PCI;
  device.businfo.pci = &bus;
  device.deviceinfo.pci = &info;
  return &device;
}

}  // namespace

extern "C" {

int ioctl(int fd, unsigned long request, ...) {
  std::va_list arguments;
  va_start(arguments, request);
  void* const data = va_arg(arguments, void*);
  va_end(arguments);
  if (claimed_device() != 0 && is_node(fd)) return answer(request, data);
  static const auto real = reinterpret_cast<int (*)(int, unsigned long, void*)>(dlsym(RTLD_NEXT, "ioctl"));
  return real(fd, request, data);
}

int drmGetDevices2(uint32_t, drmDevicePtr devices[], int max_devices) {
  if (claimed_device() == 0) return 0;
  if (devices != nullptr && max_devices > 0) devices[0] = device();
  return 1;
}
int drmGetDevice2(int, uint32_t, drmDevicePtr* found) {
  if (claimed_device() == 0) return -ENODEV;
  *found = device();
  return 0;
}
void drmFreeDevices(drmDevicePtr[], int) {}
void drmFreeDevice(drmDevicePtr*) {}
}
