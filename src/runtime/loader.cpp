// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/loader.hpp"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace weft::runtime {

PFN_vkGetInstanceProcAddr system_get_instance_proc_addr() noexcept {
  constexpr const char* kFunction = "vkGetInstanceProcAddr";
#if defined(_WIN32)
  const HMODULE library = LoadLibraryA("vulkan-1.dll");
  if (library == nullptr) return nullptr;
  // Through void(*)(): FARPROC and Vulkan's function types are unrelated.
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(reinterpret_cast<void (*)()>(GetProcAddress(library, kFunction)));
#else
#if defined(__APPLE__)
  constexpr const char* kLibraries[] = {"libvulkan.1.dylib", "libMoltenVK.dylib"};
#else
  constexpr const char* kLibraries[] = {"libvulkan.so.1", "libvulkan.so"};  // the second is Android's
#endif
  for (const char* name : kLibraries) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, kFunction));
  }
  return nullptr;
#endif
}

}  // namespace weft::runtime
