// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Decompress: which path is taken, and what the driver is given. The driver's extension is a pretended one, which
// records its calls; the regions that it would decode are made by the device.
#include <weft/decompress.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "decode/decompress_calls.hpp"
#include "gstd/gdeflate_maker.hpp"
#include "support/device.hpp"

namespace weft::test {
namespace {

using gdeflate::kPageBytes;
using gdeflate::test::page_of;
using gstd::test::Random;

struct DriverCall {
  bool is_ext;
  VkDeviceAddress regions, count;
  uint32_t max_count, stride;
};

// What the device has, beside what it has.
struct Pretended {
  PFN_vkGetInstanceProcAddr real = nullptr;
  PFN_vkGetDeviceProcAddr real_of_device = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 real_properties = nullptr;
  bool has_ext = true, has_nv = true;
  uint64_t methods = 1, max_count = 1000;
  std::vector<DriverCall> calls;
} pretended;
DriverDecompression enabled;

VKAPI_ATTR void VKAPI_CALL decompress_ext(VkCommandBuffer, VkFlags64 method, VkDeviceAddress regions,
                                          VkDeviceAddress count, uint32_t max_count, uint32_t stride) {
  CHECK(method == 1);
  pretended.calls.push_back({true, regions, count, max_count, stride});
}
VKAPI_ATTR void VKAPI_CALL decompress_nv(VkCommandBuffer, VkDeviceAddress regions, VkDeviceAddress count,
                                         uint32_t stride) {
  pretended.calls.push_back({false, regions, count, 0, stride});
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_device(VkDevice device, const char* name) {
  if (std::string_view(name) == "vkCmdDecompressMemoryIndirectCountEXT")
    return pretended.has_ext ? reinterpret_cast<PFN_vkVoidFunction>(decompress_ext) : nullptr;
  if (std::string_view(name) == "vkCmdDecompressMemoryIndirectCountNV")
    return pretended.has_nv ? reinterpret_cast<PFN_vkVoidFunction>(decompress_nv) : nullptr;
  return pretended.real_of_device(device, name);
}

VKAPI_ATTR void VKAPI_CALL properties_of(VkPhysicalDevice device, VkPhysicalDeviceProperties2* all) {
  pretended.real_properties(device, all);
  for (auto* link = static_cast<VkBaseOutStructure*>(all->pNext); link != nullptr; link = link->pNext) {
    if (link->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_DECOMPRESSION_PROPERTIES_NV) continue;
    void* structure = link;
    auto* limits = static_cast<VkPhysicalDeviceMemoryDecompressionPropertiesNV*>(structure);
    limits->decompressionMethods = pretended.methods;
    limits->maxDecompressionIndirectCount = pretended.max_count;
  }
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_instance(VkInstance instance, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(of_device);
  if (std::string_view(name) == "vkGetPhysicalDeviceProperties2")
    return reinterpret_cast<PFN_vkVoidFunction>(properties_of);
  return pretended.real(instance, name);
}

/// A trusting config with both extensions in `enabled`.
DecompressConfig config_on(const Gpu& gpu) {
  pretended = {};
  pretended.real = gpu.get_instance_proc_addr();
  const auto real = [&](const char* name) { return pretended.real(gpu.instance(), name); };
  pretended.real_of_device = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real("vkGetDeviceProcAddr"));
  pretended.real_properties =
      reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(real("vkGetPhysicalDeviceProperties2"));
  DecompressConfig config;
  config.trusted = true;
  enabled = {gpu.instance(), gpu.physical_device(), of_instance, true, true};
  config.driver = &enabled;
  config.pages_in_flight = 16;
  return config;
}

Decompress created(const Gpu& gpu, const DecompressConfig& config) {
  auto decompress = Decompress::create(gpu.context(), config);
  REQUIRE_MESSAGE(decompress.ok(), (decompress.ok() ? "" : decompress.error().message));
  return *std::move(decompress);
}

/// Pages with their content, one after the other, all on the device.
struct PagesOnDevice {
  PagesOnDevice(Gpu& gpu, std::span<const GdeflatePage> table, std::span<const uint32_t> words, uint64_t output_bytes,
                uint64_t scratch_bytes)
      : pages(made(gpu, table.size_bytes())),
        source(made(gpu, words.size_bytes())),
        output(made(gpu, output_bytes)),
        status(made(gpu, 4 * (1 + table.size()))),
        scratch(made(gpu, scratch_bytes)) {
    REQUIRE(gpu.upload(pages.range(), std::as_bytes(table)).ok());
    REQUIRE(gpu.upload(source.range(), std::as_bytes(words)).ok());
    for (const Buffer* dirty : {&output, &status, &scratch}) REQUIRE(gpu.fill(dirty->range(), 0xdbdbdbdbu).ok());
    const std::array<uint32_t, 1> none{};
    REQUIRE(gpu.upload(status.range(0, 4), std::as_bytes(std::span(none))).ok());
    args.pages = pages.range(0, table.size_bytes());
    args.page_count = table.size();
    args.source = source.range(0, words.size_bytes());
    args.output = output.range(0, output_bytes);
    args.status = status.range(0, 4 * (1 + table.size()));
    args.scratch = scratch.range(0, scratch_bytes);
  }

  static Buffer made(Gpu& gpu, uint64_t bytes) {
    auto buffer = gpu.create_buffer(bytes);
    REQUIRE(buffer.ok());
    return *std::move(buffer);
  }

  template <class T>
  static std::vector<T> read(Gpu& gpu, const BufferRange& range) {
    std::vector<T> items(range.size / sizeof(T));
    REQUIRE(gpu.download(range, std::as_writable_bytes(std::span(items))).ok());
    return items;
  }

  Buffer pages, source, output, status, scratch;
  GdeflateDecodeArgs args;
};

using Region = std::array<uint64_t, 4>;

}  // namespace

TEST_SUITE("decompress") {
  TEST_CASE("the driver decodes what is trusted, if it can and its extension is enabled") {
    Backend& backend = *native_backends().front();
    const Gpu& gpu = backend.gpu();
    const auto path_of = [&](const auto& change) {
      DecompressConfig config = config_on(gpu);
      change(config);
      const DecompressPath path = created(gpu, config).path();
      CHECK(pretended.calls.empty());
      return path;
    };
    CHECK(path_of([](DecompressConfig&) {}) == DecompressPath::driver_ext);
    CHECK(path_of([](DecompressConfig&) { enabled.ext = false; }) == DecompressPath::driver_nv);
    CHECK(path_of([](DecompressConfig&) { pretended.has_ext = false; }) == DecompressPath::driver_nv);
    CHECK(path_of([](DecompressConfig&) { enabled.nv = false; }) == DecompressPath::driver_ext);
    // Everything else is weft's.
    const auto is_weft = [&](const auto& change) { return path_of(change) == DecompressPath::weft; };
    CHECK(is_weft([](DecompressConfig& config) { config.trusted = false; }));
    CHECK(is_weft([](DecompressConfig& config) { config.driver = nullptr; }));
    CHECK(is_weft([](DecompressConfig&) { enabled.ext = enabled.nv = false; }));
    CHECK(is_weft([](DecompressConfig&) { pretended.has_ext = pretended.has_nv = false; }));
    CHECK(is_weft([](DecompressConfig&) {
      enabled.nv = false;
      pretended.has_ext = false;
    }));
    CHECK(is_weft([](DecompressConfig&) { pretended.methods = 2; }));
    CHECK(is_weft([](DecompressConfig&) { pretended.max_count = 0; }));
    CHECK(is_weft([](DecompressConfig&) { enabled.instance = VK_NULL_HANDLE; }));
    CHECK(is_weft([](DecompressConfig&) { enabled.get_instance_proc_addr = nullptr; }));
    CHECK(is_weft([&](DecompressConfig&) {  // the real device, whose extensions are not enabled
      enabled.get_instance_proc_addr = gpu.get_instance_proc_addr();
    }));
    CHECK(created(gpu, {}).path() == DecompressPath::weft);
    CHECK(std::string(name_of(DecompressPath::driver_nv)) == "driver_nv");
  }

  TEST_CASE("the driver gets a region for each sound entry, in order, in calls of as many as it takes [widths]") {
    Random random(11);
    const std::vector<uint32_t> words(4000, 7);
    std::vector<GdeflatePage> table;
    for (uint32_t i = 0; i < 600; ++i)
      table.push_back({4 * uint64_t{random.below(3000)}, 4 * uint64_t{random.below(20000)}, 1 + random.below(900),
                       1 + random.below(kPageBytes / 4)});
    const uint64_t output_bytes = 4 * 20000 + kPageBytes;
    std::vector<uint32_t> expected(table.size());
    const auto spoil = [&](size_t page, auto GdeflatePage::*member, auto value, gdeflate::Refusal refusal) {
      table[page].*member = value;
      expected[page] = static_cast<uint32_t>(refusal);
    };
    spoil(0, &GdeflatePage::bytes, 0u, gdeflate::Refusal::bad_entry);
    spoil(3, &GdeflatePage::words, 0u, gdeflate::Refusal::truncated);
    spoil(64, &GdeflatePage::source, uint64_t{2}, gdeflate::Refusal::bad_entry);
    spoil(255, &GdeflatePage::output, uint64_t{5}, gdeflate::Refusal::bad_entry);
    spoil(256, &GdeflatePage::output, output_bytes, gdeflate::Refusal::bad_entry);
    spoil(599, &GdeflatePage::words, ~0u, gdeflate::Refusal::bad_entry);
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      Gpu& gpu = backend->gpu();
      for (const bool ext : {true, false})
        for (const uint64_t max_count : {1000u, 257u}) {
          CAPTURE(ext);
          CAPTURE(max_count);
          DecompressConfig config = config_on(gpu);
          enabled.ext = ext;
          pretended.max_count = max_count;
          const Decompress decompress = created(gpu, config);
          PagesOnDevice on(gpu, table, words, output_bytes, decompress.scratch_size(table.size()));
          REQUIRE(gpu.run([&](VkCommandBuffer commands) { return decompress.record(commands, on.args); }).ok());
          const size_t calls = (table.size() + max_count - 1) / max_count;
          REQUIRE(pretended.calls.size() == calls);
          const uint32_t stride = ext ? 32 : 40;
          const size_t last_first = table.size() - table.size() / calls;
          for (const DriverCall& call : pretended.calls) {
            CHECK(call.is_ext == ext);
            CHECK(call.stride == stride);
            CHECK(call.regions % 4 == 0);
            CHECK(call.count == on.scratch.address());
          }
          if (ext) CHECK(pretended.calls.back().max_count == table.size() - last_first);
          const auto status = PagesOnDevice::read<uint32_t>(gpu, on.args.status);
          CHECK(status[0] == 6);
          CHECK(std::equal(expected.begin(), expected.end(), status.begin() + 1));
          // What the last call has.
          const auto scratch = PagesOnDevice::read<uint64_t>(gpu, on.args.scratch);
          std::vector<Region> wanted, found;
          for (size_t i = last_first; i < table.size(); ++i)
            if (expected[i] == 0)
              wanted.push_back({on.source.address() + table[i].source, on.output.address() + table[i].output,
                                4 * uint64_t{table[i].words}, table[i].bytes});
          REQUIRE(static_cast<uint32_t>(scratch[0]) == wanted.size());
          for (size_t i = 0; i < wanted.size(); ++i) {
            const size_t at = (pretended.calls.back().regions - on.scratch.address() + stride * i) / 8;
            found.push_back({scratch[at], scratch[at + 1], scratch[at + 2], scratch[at + 3]});
            if (!ext) CHECK(scratch[at + 4] == 1);
          }
          CHECK(found == wanted);
        }
    }
  }

  TEST_CASE("without the driver pages are decoded by weft, with its verdicts") {
    Random random(12);
    std::vector<uint32_t> words;
    std::vector<GdeflatePage> table;
    std::vector<std::byte> content;
    for (uint32_t i = 0; i < 20; ++i) {
      const std::vector<std::byte> bytes = gstd::test::samples_of(500 + i)[i % 5].bytes;
      const std::vector<uint32_t> page = page_of(bytes, random);
      table.push_back({4 * words.size(), content.size(), static_cast<uint32_t>(page.size()), 500 + i});
      words.insert(words.end(), page.begin(), page.end());
      content.insert(content.end(), bytes.begin(), bytes.end());
    }
    table[7].words = 3;
    for (Backend* backend : native_backends()) {
      Gpu& gpu = backend->gpu();
      DecompressConfig config = config_on(gpu);
      config.trusted = false;
      const Decompress decompress = created(gpu, config);
      PagesOnDevice on(gpu, table, words, content.size(), decompress.scratch_size(table.size()));
      REQUIRE(gpu.run([&](VkCommandBuffer commands) { return decompress.record(commands, on.args); }).ok());
      CHECK(pretended.calls.empty());
      const auto status = PagesOnDevice::read<uint32_t>(gpu, on.args.status);
      const auto found = PagesOnDevice::read<std::byte>(gpu, on.args.output);
      CHECK(status[0] == 1);
      for (size_t i = 0; i < table.size(); ++i) {
        CAPTURE(i);
        CHECK(status[1 + i] == static_cast<uint32_t>(i == 7 ? gdeflate::Refusal::truncated : gdeflate::Refusal::none));
        const auto at = static_cast<std::ptrdiff_t>(table[i].output);
        CHECK((i == 7 || std::equal(found.begin() + at, found.begin() + at + table[i].bytes, content.begin() + at)));
      }
    }
  }
}

}  // namespace weft::test

// Faults that these tests catch: tests/mutants.
// why: the driver decodes what nobody vouches for
// file: src/decode/decompress.cpp
// find: config.trusted && config.driver != nullptr
// with: config.driver != nullptr
// run: native --test-suite=decompress
//
// why: the driver gets pages whose output is at no multiple of 4
// file: shaders/decode/decompress.comp
// find: if (!page.valid || (page.target.x & 3u) != 0u)
// with: if (!page.valid)
// run: native --test-suite=decompress
