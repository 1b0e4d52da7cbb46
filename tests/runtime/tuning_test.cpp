// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include "runtime/tuning.hpp"

using weft::ErrorCode;
using weft::runtime::apply_tuning_overrides;
using weft::runtime::Tuning;

TEST_SUITE("host tuning") {
  TEST_CASE("overrides change the fields they name and no others") {
    Tuning tuning;
    const Tuning before = tuning;
    REQUIRE(apply_tuning_overrides(
                tuning,
                "scan.rows=5,reduce.groups=77,decode.vectors=2,histogram.groups=9,search.keys=3,"
                "bulk.words=2,merge.keys=8,merge.keys_wide=2,merge.keys_sides=4,merge.form=1,set_operation.keys=9,"
                "merge_sort.keys=3,merge_sort.few=0,merge_sort.direct_tiles=5,merge.few_keys=2,radix_sort.groups=5,"
                "radix_sort.tickets=0,segmented_sort.rows_wide=2,"
                "load_balance.direct_intervals=0,move.single_tiles=7")
                .ok());
    CHECK(tuning.scan.rows == 5);
    CHECK(tuning.reduce.groups == 77);
    CHECK(tuning.decode.vectors == 2);
    CHECK(tuning.histogram.groups == 9);
    CHECK(tuning.search.keys == 3);
    CHECK(tuning.bulk.words == 2);
    CHECK(tuning.merge.keys == 8);
    CHECK(tuning.merge.keys_wide == 2);
    CHECK(tuning.merge.keys_sides == 4);
    CHECK(tuning.set_operation.keys == 9);
    CHECK(tuning.merge_sort.keys == 3);
    CHECK(tuning.merge_sort.few == 0);
    CHECK(tuning.merge_sort.direct_tiles == 5);
    CHECK(tuning.merge.few_keys == 2);
    CHECK(tuning.merge.few == before.merge.few);
    CHECK(tuning.merge.form == 1);
    CHECK(tuning.load_balance.direct_intervals == 0);
    CHECK(tuning.decode.direct_intervals == before.decode.direct_intervals);
    CHECK(tuning.move.single_tiles == 7);
    CHECK(tuning.radix_sort.groups == 5);
    CHECK(tuning.radix_sort.tickets == 0);
    CHECK(tuning.segmented_sort.rows_wide == 2);
    CHECK(tuning.scan.workgroup == before.scan.workgroup);
    CHECK(tuning.reduce.rows == before.reduce.rows);
  }

  TEST_CASE("no overrides are no change") {
    Tuning tuning;
    REQUIRE(apply_tuning_overrides(tuning, "").ok());
    CHECK(tuning.scan.rows == Tuning{}.scan.rows);
  }

  TEST_CASE("an unknown key is refused and the known ones are listed") {
    Tuning tuning;
    const weft::Status status = apply_tuning_overrides(tuning, "scan.colour=3");
    REQUIRE(!status.ok());
    CHECK(status.error().code == ErrorCode::invalid_argument);
    CHECK(status.error().message.find("scan.colour") != std::string::npos);
    CHECK(status.error().message.find("scan.rows") != std::string::npos);
  }

  TEST_CASE("values that are no number or out of range are refused") {
    Tuning tuning;
    for (const char* text : {"scan.rows=", "scan.rows", "scan.rows=x", "scan.rows=0", "scan.rows=17", "scan.rows=4x",
                             "scan.rows=-1", "scan.rows=99999999999"}) {
      CAPTURE(text);
      CHECK(!apply_tuning_overrides(tuning, text).ok());
    }
  }

  TEST_CASE("every device class has sizes the kernels can be built with") {
    weft::runtime::DeviceTraits traits;
    for (const auto type :
         {VK_PHYSICAL_DEVICE_TYPE_CPU, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_OTHER})
      for (const uint32_t vendor : {0x10deu, 0x1002u, 0x8086u, 0u}) {
        traits.type = type;
        traits.vendor_id = vendor;
        const Tuning* tuning = &weft::runtime::tuning_of(traits);
        CHECK(tuning->scan.rows <= 8);
        CHECK(tuning->reduce.rows <= 8);
        for (const auto& by_key : {tuning->scan_by_key, tuning->reduce_by_key}) {
          CHECK(by_key.rows <= 8);
          CHECK(by_key.rows_wide <= 8);
          CHECK(by_key.small_rows <= 8);
          CHECK(by_key.workgroup % 128 == 0);
        }
        CHECK(tuning->scan.workgroup % 128 == 0);
        CHECK(tuning->reduce.workgroup % 128 == 0);
        CHECK(tuning->histogram.workgroup % 128 == 0);
        CHECK(tuning->histogram.rows <= 8);
        CHECK(tuning->decode.workgroup % 128 == 0);
        CHECK(tuning->decode.workgroup <= 256);
        CHECK(tuning->decode.rows <= 32);
        CHECK(tuning->decode.vectors <= 2);
        CHECK(tuning->decode.direct_intervals <= 1u << 20);
        CHECK(tuning->load_balance.workgroup % 128 == 0);
        CHECK(tuning->load_balance.workgroup <= 256);
        CHECK(tuning->load_balance.rows <= 32);
        CHECK(tuning->load_balance.vectors <= 2);
        CHECK(tuning->load_balance.direct_intervals <= 1u << 20);
        CHECK(tuning->move.workgroup % 128 == 0);
        CHECK(tuning->move.workgroup <= 256);
        CHECK(tuning->move.rows <= 32);
        CHECK(tuning->move.vectors <= 2);
        CHECK(tuning->move.direct_intervals <= 1u << 20);
        CHECK(tuning->segmented_reduce.workgroup % 128 == 0);
        CHECK(tuning->segmented_reduce.workgroup <= 256);
        CHECK(tuning->segmented_reduce.rows <= 8);
        CHECK(tuning->segmented_reduce.rows_wide <= 8);
        CHECK(tuning->search.workgroup % 128 == 0);
        CHECK(tuning->search.workgroup <= 256);
        CHECK(tuning->search.keys <= 31);
        CHECK(tuning->merge.workgroup % 128 == 0);
        CHECK(tuning->merge.workgroup <= 256);
        CHECK(tuning->merge.keys <= 32);
        CHECK(tuning->merge.keys_wide <= 32);
        CHECK(tuning->set_operation.workgroup % 128 == 0);
        CHECK(tuning->set_operation.workgroup <= 256);
        CHECK(tuning->set_operation.keys <= 31);
        CHECK(tuning->set_operation.keys_wide <= 31);
        CHECK(tuning->merge_sort.workgroup % 128 == 0);
        CHECK(tuning->merge_sort.workgroup <= 256);
        for (const uint32_t keys :
             {tuning->merge_sort.keys, tuning->merge_sort.keys_wide, tuning->merge_sort.merge_keys,
              tuning->merge_sort.merge_keys_wide, tuning->merge_sort.few_keys, tuning->merge_sort.few_keys_wide,
              tuning->merge.few_keys, tuning->merge.few_keys_wide})
          CHECK(keys <= 32);
        CHECK(tuning->merge.stream_keys <= 16);
        CHECK(tuning->merge.stream_steps <= 256);
        CHECK(tuning->bulk.workgroup % 128 == 0);
        CHECK(tuning->bulk.workgroup <= 256);
        CHECK(tuning->bulk.words <= 16);
        CHECK(tuning->radix_sort.workgroup % 128 == 0);
        CHECK(tuning->radix_sort.many_workgroup % 128 == 0);
        CHECK(tuning->radix_sort.rows <= 16);
        CHECK(tuning->radix_sort.count_workgroup % 128 == 0);
        CHECK(tuning->radix_sort.copies <= 8);
        CHECK(tuning->segmented_sort.workgroup % 128 == 0);
        CHECK(tuning->segmented_sort.rows <= 16);
        CHECK(tuning->segmented_sort.rows_wide <= 16);
        CHECK(tuning->segmented_sort.long_workgroup % 128 == 0);
        CHECK(tuning->segmented_sort.long_rows <= 16);
      }
  }
}
