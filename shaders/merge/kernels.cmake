# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(merge)
weft_kernel(merge/merge_partition.comp)
weft_kernel(merge/merge_tiles.comp)
weft_kernel(merge/merge_stream.comp)

weft_family(set_operation)
weft_kernel(merge/set_operation_partition.comp)
weft_kernel(merge/set_operation_count.comp)
weft_kernel(merge/set_operation_write.comp)
