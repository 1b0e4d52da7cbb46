// SPDX-License-Identifier: MIT OR Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "selftest.hpp"
#include "support/options.hpp"
#include "support/report.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

namespace fs = std::filesystem;

// "NVIDIA GeForce RTX 4090 (AD102)" becomes "nvidia-geforce-rtx-4090-ad102".
std::string file_stem(const std::string& device) {
  std::string stem;
  for (const char c : device) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    if (is_capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      stem += is_capital ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  while (stem.ends_with('-')) stem.pop_back();
  return stem.empty() ? "device" : stem;
}

// Before anything is measured, which would be lost.
bool is_writable(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path trial = folder / "trial";
  if (!error && write_text(trial.string(), "")) {
    fs::remove(trial, error);
    return true;
  }
  print_message(
      fmt::format("cannot write to {}{}{}\nChange to a folder that you can write to and start weft-bench from "
                  "there, or name one: weft-bench check --output FOLDER",
                  fs::absolute(folder, error).string(), error ? ": " : "", error ? error.message() : ""));
  return false;
}

// Lists the devices, and returns the name of the one that is measured; empty if there is none, which it has said.
std::string device_name(const Options& options) {
  if (run_list() == 0) {
    const auto gpu = open_gpu(options);
    if (gpu) return gpu->info().name;
    print_message(gpu.error().message);
  }
  print_message("weft needs a device with Vulkan 1.2: install or renew the driver of your graphics card");
  return {};
}

void print_step(const char* title) {
  fmt::print("\n== {}\n\n", title);
  std::fflush(stdout);
}

void print_end(const std::vector<fs::path>& to_send, const fs::path& page, bool passed) {
  print_step("Done");
  if (!passed)
    fmt::print("Something FAILED, as said above. That is a result too, the more so as nobody knows of it yet.\n\n");
  std::error_code error;
  fmt::print("Look at   {}\n", fs::absolute(page, error).string());
  for (const fs::path& file : to_send) fmt::print("Send      {}\n", fs::absolute(file, error).string());
  fmt::print(
      "\nSend them as an issue of the project, or as CONTRIBUTING.md says under \"Results of your device\".\n"
      "They name the device, its driver, and the kind and version of the system; no UUID, user, computer or folder.\n");
}

}  // namespace

int run_check(const CheckOptions& given) {
  Options options;
  options.device = given.device;
  options.filters = given.filters;
  options.sizes = given.sizes;
  options.quick = true;
  options.uuid = false;

  print_step("Devices");
  const std::string device = device_name(options);
  const fs::path folder(given.folder);
  if (device.empty() || !is_writable(folder)) return 1;
  fmt::print("\nThis run takes {}. Another: weft-bench check --device INDEX\n", device);
  bool passed = true;
  std::vector<fs::path> to_send;

  const std::string stem = file_stem(device);
#ifdef WEFT_BENCH_SELFTEST
  print_step("Self-test");
  SelftestOptions selftest;
  selftest.device = given.device;
  selftest.minutes = given.minutes;
  selftest.filters = given.cases;
  selftest.uuid = false;
  to_send.push_back(folder / (stem + ".selftest.jsonl"));
  selftest.file = to_send.back().string();
  passed = run_selftest(selftest) == 0;
#endif

  print_step("Quick bench: every row is compared with what the CPU computes");
  const fs::path report = folder / (stem + ".json"), page = folder / (stem + ".html");
  options.json = report.string();
  // A report of an earlier run is not taken for this one's.
  std::error_code error;
  fs::remove(report, error);
  passed = run_measure(options) == 0 && passed;
  if (!fs::exists(report, error)) return 1;

  const bool shown = run_report({report.string()}, page.string()) == 0;
  to_send.push_back(report);
  print_end(to_send, page, passed);
  return passed && shown ? 0 : 1;
}

}  // namespace weft::bench
