# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Kernels of the tests' own (tests/shaders/), named as in shaders/kernels.cmake. They are embedded in weft_tests
# and weft-bench only.

weft_kernel(subgroup_self_test.comp)
weft_kernel(lanes_self_test.comp)
weft_kernel(compact_self_test.comp)
weft_kernel(merge_path_self_test.comp)
weft_kernel(subgroup_merge_self_test.comp)
weft_kernel(balanced_path_self_test.comp)
weft_kernel(sort_self_test.comp)
weft_kernel(load_balance_self_test.comp)
weft_kernel(fse_self_test.comp)
weft_kernel(lz_copy_self_test.comp)
weft_kernel(workgroup_self_test.comp TYPES u32:u32 u32x2:u32x2)
weft_kernel(workgroup_add_self_test.comp)
weft_kernel(litmus.comp)
weft_kernel(litmus.comp DEFINES WEFT_LITMUS_64=1 SUFFIX _64)

# Each fault beside the same kernel without it, so that a net that always rings is found out too.
weft_kernel(planted_shared_race.comp)
weft_kernel(planted_shared_race.comp DEFINES WEFT_PLANTED=1 SUFFIX _planted)
weft_kernel(planted_write.comp)
weft_kernel(planted_described_write.comp)
