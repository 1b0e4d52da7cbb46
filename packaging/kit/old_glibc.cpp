// SPDX-License-Identifier: MIT OR Apache-2.0
// What the host's static libstdc++ and libgcc_eh take of a C library newer than the kit is linked with. Hidden, so that
// libraries which the program loads, as drivers, find those of the system's C library.
#include <cstdint>
#include <cstdlib>

#include <link.h>
#include <sys/random.h>
#include <unistd.h>

#define WEFT_HIDDEN extern "C" __attribute__((visibility("hidden")))

/// struct dl_find_object of <dlfcn.h> in glibc 2.35, on x86-64.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame;  // the segment PT_GNU_EH_FRAME
  unsigned long long reserved[7];
};

namespace {

struct Search {
  uintptr_t address;
  FoundObject* found;
};

// Whether the object holds the address and says how its frames are unwound.
int look(dl_phdr_info* object, size_t, void* data) {
  const auto& search = *static_cast<const Search*>(data);
  const ElfW(Phdr)* frames = nullptr;
  const ElfW(Phdr)* segment = nullptr;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME) frames = &header;
    if (header.p_type == PT_LOAD && search.address - start < header.p_memsz) segment = &header;
  }
  if (segment == nullptr || frames == nullptr) return 0;
  const auto at = [&](uintptr_t offset) { return reinterpret_cast<void*>(object->dlpi_addr + offset); };
  *search.found = {0, at(segment->p_vaddr), at(segment->p_vaddr + segment->p_memsz), nullptr, at(frames->p_vaddr), {}};
  return 1;
}

}  // namespace

// exp, log and pow have had another version since glibc 2.29, which differs in how errors are reported alone. The
// program is linked with --wrap.
extern "C" double weft_old_exp(double);
extern "C" double weft_old_log(double);
extern "C" double weft_old_pow(double, double);
asm(".symver weft_old_exp,exp@GLIBC_2.2.5\n.symver weft_old_log,log@GLIBC_2.2.5\n.symver weft_old_pow,pow@GLIBC_2.2.5");
WEFT_HIDDEN double __wrap_exp(double x) { return weft_old_exp(x); }
WEFT_HIDDEN double __wrap_log(double x) { return weft_old_log(x); }
WEFT_HIDDEN double __wrap_pow(double x, double y) { return weft_old_pow(x, y); }

// Since glibc 2.32. Never true, so that reference counts are always atomic.
WEFT_HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

// Since glibc 2.35: finds how to unwind a frame.
WEFT_HIDDEN int _dl_find_object(void* address, FoundObject* found) noexcept {
  Search search{reinterpret_cast<uintptr_t>(address), found};
  return dl_iterate_phdr(look, &search) != 0 ? 0 : -1;
}

// Since glibc 2.36: std::random_device.
WEFT_HIDDEN uint32_t arc4random() noexcept {
  uint32_t word = 0;
  if (getentropy(&word, sizeof(word)) != 0) std::abort();
  return word;
}
