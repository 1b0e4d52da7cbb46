// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A plugin of qemu-user that counts a program's instructions: docs/performance/gstd-cpu.md. Debian has no header of
// version 1 of that interface, so that it is declared here.
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>

extern "C" {
struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t id, qemu_plugin_tb* block));
size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb* block);
void qemu_plugin_register_vcpu_tb_exec_inline(qemu_plugin_tb* block, int add_u64, void* to, uint64_t number);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ends)(uint64_t id, void* with), void* with);

extern int qemu_plugin_version;
int qemu_plugin_version = 1;
int qemu_plugin_install(uint64_t id, const void* info, int count, char** arguments);
}

namespace {
uint64_t instructions = 0;
}

int qemu_plugin_install(uint64_t id, const void*, int, char**) {
  qemu_plugin_register_vcpu_tb_trans_cb(id, [](uint64_t, qemu_plugin_tb* block) {
    qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &instructions, qemu_plugin_tb_n_insns(block));
  });
  const auto print = [](uint64_t, void*) { std::fprintf(stderr, "%" PRIu64 " instructions\n", instructions); };
  qemu_plugin_register_atexit_cb(id, print, nullptr);
  return 0;
}
