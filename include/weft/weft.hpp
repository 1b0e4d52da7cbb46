// SPDX-License-Identifier: MIT OR Apache-2.0
// All headers but those of the components gstd, decode and jit. Their common rules: docs/integration.md.
#pragma once

#include <weft/adjacent_difference.hpp>
#include <weft/binary_search.hpp>
#include <weft/bulk_insert.hpp>
#include <weft/bulk_remove.hpp>
#include <weft/context.hpp>
#include <weft/dispatch_arguments.hpp>
#include <weft/gpu.hpp>
#include <weft/histogram.hpp>
#include <weft/interval_expand.hpp>
#include <weft/interval_move.hpp>
#include <weft/kernels.hpp>
#include <weft/load_balance_search.hpp>
#include <weft/merge.hpp>
#include <weft/merge_sort.hpp>
#include <weft/radix_sort.hpp>
#include <weft/reduce.hpp>
#include <weft/reduce_by_key.hpp>
#include <weft/run_length_decode.hpp>
#include <weft/run_length_encode.hpp>
#include <weft/scan.hpp>
#include <weft/scan_by_key.hpp>
#include <weft/segmented_reduce.hpp>
#include <weft/segmented_scan.hpp>
#include <weft/segmented_sort.hpp>
#include <weft/select.hpp>
#include <weft/set_operation.hpp>
#include <weft/sorted_search.hpp>
#include <weft/status.hpp>
#include <weft/top_k.hpp>
#include <weft/transform_lbs.hpp>
#include <weft/types.hpp>
#include <weft/version.hpp>
