// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/tuning.hpp"

using weft::ErrorCode;
using weft::runtime::DeviceTraits;
using weft::runtime::read_tuning_overrides;
using weft::runtime::TuningOverride;
using weft::runtime::TuningRange;
using weft::runtime::TuningTableBase;

namespace {

struct Key {
  const TuningTableBase* table;
  size_t index;

  std::string name() const { return std::string(table->name()) + "." + std::string(table->key(index).name); }
  TuningRange range() const { return table->key(index); }
  uint32_t value(const DeviceTraits& traits, const std::vector<TuningOverride>& overrides = {}) const {
    return table->value(index, traits, overrides);
  }
};

std::vector<Key> every_key() {
  std::vector<Key> keys;
  for (const TuningTableBase* table = TuningTableBase::first(); table != nullptr; table = table->next())
    for (size_t i = 0; i < table->size(); ++i) keys.push_back({table, i});
  return keys;
}

std::vector<DeviceTraits> every_class() {
  std::vector<DeviceTraits> classes;
  for (const auto type :
       {VK_PHYSICAL_DEVICE_TYPE_CPU, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_OTHER})
    for (const uint32_t vendor : {0x10deu, 0x1002u, 0x8086u, 0u}) {
      classes.emplace_back();
      classes.back().type = type;
      classes.back().vendor_id = vendor;
    }
  return classes;
}

}  // namespace

TEST_SUITE("host tuning") {
  TEST_CASE("an override changes the field that it names and no other") {
    const DeviceTraits traits;
    const std::vector<Key> keys = every_key();
    REQUIRE(keys.size() > 60);  // sanitized builds link some primitives only
    for (const Key& changed : keys) {
      const uint32_t before = changed.value(traits);
      const uint32_t after = before == changed.range().max ? changed.range().min : changed.range().max;
      std::vector<TuningOverride> overrides;
      REQUIRE(read_tuning_overrides(changed.name() + "=" + std::to_string(after), overrides).ok());
      for (const Key& key : keys) {
        CAPTURE(key.name());
        CHECK(key.value(traits, overrides) == (key.name() == changed.name() ? after : key.value(traits)));
      }
    }
  }

  TEST_CASE("of several overrides the last of a key counts, and none is no change") {
    std::vector<TuningOverride> overrides;
    REQUIRE(read_tuning_overrides("", overrides).ok());
    CHECK(overrides.empty());
    REQUIRE(read_tuning_overrides("scan.rows=5,reduce.groups=77,scan.rows=2", overrides).ok());
    CHECK(overrides.size() == 3);
    for (const Key& key : every_key()) {
      if (key.name() == "scan.rows") CHECK(key.value({}, overrides) == 2);
      if (key.name() == "reduce.groups") CHECK(key.value({}, overrides) == 77);
    }
  }

  TEST_CASE("an unknown key is refused and the known ones are listed") {
    for (const char* text : {"scan.colour=3", "colour.rows=3", "rows=3", "scan=3", "=3", ".rows=3"}) {
      CAPTURE(text);
      std::vector<TuningOverride> overrides;
      const weft::Status status = read_tuning_overrides(text, overrides);
      REQUIRE(!status.ok());
      CHECK(status.error().code == ErrorCode::invalid_argument);
      CHECK(status.error().message.find(std::string(text).substr(0, std::string(text).find('='))) != std::string::npos);
      CHECK(status.error().message.find("scan.rows, scan.small_kib") != std::string::npos);
    }
  }

  TEST_CASE("values that are no number or out of range are refused") {
    for (const char* text : {"scan.rows=", "scan.rows", "scan.rows=x", "scan.rows=0", "scan.rows=17", "scan.rows=4x",
                             "scan.rows=-1", "scan.rows=99999999999"}) {
      CAPTURE(text);
      std::vector<TuningOverride> overrides;
      CHECK(!read_tuning_overrides(text, overrides).ok());
    }
  }

  TEST_CASE("a tuning file is read: line ends, comments, unknown keys") {
    const auto file = weft::runtime::read_tuning_file(
        "weft-tuning 1\r\n# made by hand\n\ndevice=A = B\ndriver=1.2\nuuid=0\nscan.rows=5\ncolour.rows=3\n"
        "scan.colour=3\nreduce.groups=77");
    REQUIRE(file.ok());
    CHECK(file->device == "A = B");
    CHECK(file->unknown == std::vector<std::string>{"'colour.rows'", "'scan.colour'"});
    for (const Key& key : every_key()) {
      CAPTURE(key.name());
      const uint32_t expected = key.name() == "scan.rows" ? 5 : key.name() == "reduce.groups" ? 77 : key.value({});
      CHECK(key.value({}, file->overrides) == expected);
    }
  }

  TEST_CASE("a malformed tuning file is refused with the line and the reason") {
    const std::string head = "weft-tuning 1\ndevice=A\n";
    const std::pair<std::string, std::string> cases[] = {
        {"", "line 1: '' is not 'weft-tuning 1'"},
        {"\n", "line 1: '' is not 'weft-tuning 1'"},
        {"weft-tuning 2\ndevice=A\n", "line 1: 'weft-tuning 2' is not"},
        {std::string("weft-tuning 1\0", 14) + "\ndevice=A\n", "line 1: 'weft-tuning 1?' is not"},
        {"weft-tuning 1\n", "no line says device="},
        {"weft-tuning 1\ndevice=\n", "line 2: the device has no name"},
        {head + "device=A\n", "line 3: 'device' is given twice"},
        {head + "scan.rows=5\n\nscan.rows=5\n", "line 5: 'scan.rows' is given twice"},
        {head + "scan.rows\n", "line 3: 'scan.rows' is no key=value"},
        {head + "=3\n", "line 3: '=3' is no key=value"},
        {head + "scan.rows=\n", "line 3: scan.rows takes a number from 1 to 8, not ''"},
        {head + "scan.rows=9\n", "line 3: scan.rows takes a number from 1 to 8, not '9'"},
        {head + "scan.rows=-1\n", "line 3: scan.rows takes a number from 1 to 8, not '-1'"},
        {head + "scan.rows= 5\n", "line 3: scan.rows takes a number from 1 to 8, not ' 5'"},
        {head + "scan.rows=99999999999\n", "line 3: scan.rows takes a number"},
        {head + "scan.rows=5,reduce.rows=2\n", "line 3: scan.rows takes a number"},
        {head + "look_back.fault=1\n", "line 3: look_back.fault is for tests"},
        {head + std::string(100, 'x') + "\n", "line 3: '" + std::string(40, 'x') + "...' is no key=value"},
        {head + std::string(1 << 16, '\n'), "more than 64 KiB"},
    };
    for (const auto& [text, reason] : cases) {
      CAPTURE(text.substr(0, 100));
      const auto file = weft::runtime::read_tuning_file(text);
      REQUIRE(!file.ok());
      CHECK(file.error().code == ErrorCode::invalid_argument);
      CAPTURE(file.error().message);
      CHECK(file.error().message.starts_with("tuning, line "));
      CHECK(file.error().message.find(reason) != std::string::npos);
    }
  }

  TEST_CASE("every truncation and every changed byte of a tuning file is read or refused") {
    const std::string whole = "weft-tuning 1\ndevice=A\nscan.rows=5\nreduce.groups=77\n";
    for (size_t i = 0; i < whole.size(); ++i) {
      (void)weft::runtime::read_tuning_file(std::string_view(whole).substr(0, i));
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = whole;
        changed[i] = static_cast<char>(byte);
        const auto file = weft::runtime::read_tuning_file(changed);
        for (const TuningOverride& change : file ? file->overrides : std::vector<TuningOverride>{}) {
          REQUIRE(change.value >= change.table->key(change.key).min);
          REQUIRE(change.value <= change.table->key(change.key).max);
        }
      }
    }
  }

  TEST_CASE("every device class has sizes the kernels can be built with") {
    for (const DeviceTraits& traits : every_class())
      for (const Key& key : every_key()) {
        CAPTURE(key.name());
        CHECK(key.value(traits) >= key.range().min);
        CHECK(key.value(traits) <= key.range().max);
        // (Workgroups of segmented_sort are at least a subgroup.)
        if (key.name().ends_with("workgroup") && key.range().min >= 128) CHECK(key.value(traits) % 128 == 0);
      }
  }
}
