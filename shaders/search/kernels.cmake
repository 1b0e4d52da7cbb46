# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(sorted_search)
weft_kernel(search/sorted_search_partition.comp)
weft_kernel(search/sorted_search_merge.comp)

weft_family(binary_search)
weft_kernel(search/binary_search.comp)
