# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(intervals SOURCES interval/interval_plan.cpp)
weft_kernel(interval/interval_sums.comp)
weft_kernel(interval/interval_totals.comp)

weft_family(run_length_decode REQUIRES intervals SOURCES interval/expansion.cpp)
weft_kernel(interval/run_length_decode.comp)

weft_family(interval_expand REQUIRES intervals run_length_decode SOURCES interval/expansion.cpp)
weft_kernel(interval/interval_expand.comp)

weft_family(load_balance_search REQUIRES intervals)
weft_kernel(interval/load_balance_search.comp)

# All its last kernels are around the user's.
weft_family(transform_lbs REQUIRES intervals)

weft_family(interval_move REQUIRES intervals)
weft_kernel(interval/interval_gather.comp)
weft_kernel(interval/interval_move.comp)
weft_kernel(interval/interval_move_bytes.comp)
weft_kernel(interval/interval_move_lines_sums.comp)
weft_kernel(interval/interval_move_lines.comp)
