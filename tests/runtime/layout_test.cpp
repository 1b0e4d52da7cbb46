// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bulk/bulk.h"
#include "by_key/reduce_by_key.h"
#include "by_key/scan_by_key.h"
#include "core/dispatch_arguments.h"
#include "core/look_back.h"
#include "decode/gstd_decode.h"
#include "histogram/histogram.h"
#include "interval/interval.h"
#include "interval/interval_move.h"
#include "interval/load_balance_search.h"
#include "interval/run_length_decode.h"
#include "merge/merge.h"
#include "merge/set_operation.h"
#include "runtime/kernel_families.hpp"
#include "runtime/packed_kernels.hpp"
#include "scan/reduce.h"
#include "scan/scan.h"
#include "search/binary_search.h"
#include "search/sorted_search.h"
#include "segment/segmented_reduce.h"
#include "segment/segmented_scan.h"
#include "segment/segmented_sort.h"
#include "select/run_length_encode.h"
#include "select/select.h"
#include "shaders/planted.h"
#include "shaders/self_test.h"
#include "sort/merge_sort.h"
#include "sort/radix_sort.h"
#include "test_kernels.hpp"

#ifdef WEFT_TEST_KERNELS_OF_weft_decode
#include "decode/kernel_families.hpp"
#endif

namespace weft::test {
namespace {

/// A member of a push-constant structure, as one side sees it.
struct Member {
  std::string name;
  size_t offset;
  size_t size;
};

/// "name offset+size, ...": compared as text, so that a failure shows both layouts.
std::string text_of(const std::vector<Member>& members) {
  std::string text;
  for (const Member& member : members)
    text += (text.empty() ? "" : ", ") + member.name + ' ' + std::to_string(member.offset) + '+' +
            std::to_string(member.size);
  return text;
}

/// What C++ pushes.
struct HostStruct {
  size_t size;
  std::vector<Member> members;
};

#define MEMBER(STRUCT, NAME) \
  { #NAME, offsetof(shader::STRUCT, NAME), sizeof(shader::STRUCT::NAME) }

const HostStruct kSelectPush{
    sizeof(shader::SelectPush),
    {MEMBER(SelectPush, items), MEMBER(SelectPush, count), MEMBER(SelectPush, count_value), MEMBER(SelectPush, scratch),
     MEMBER(SelectPush, moved), MEMBER(SelectPush, out_0), MEMBER(SelectPush, out_1), MEMBER(SelectPush, out_2),
     MEMBER(SelectPush, indices_0), MEMBER(SelectPush, indices_1), MEMBER(SelectPush, indices_2),
     MEMBER(SelectPush, counts), MEMBER(SelectPush, low), MEMBER(SelectPush, span), MEMBER(SelectPush, flags),
     MEMBER(SelectPush, first_tile), MEMBER(SelectPush, chunk_tiles), MEMBER(SelectPush, tiles_or_lag)}};
const HostStruct kScanPush{
    sizeof(shader::ScanPush),
    {MEMBER(ScanPush, items), MEMBER(ScanPush, outputs), MEMBER(ScanPush, scratch), MEMBER(ScanPush, count),
     MEMBER(ScanPush, count_value), MEMBER(ScanPush, initial), MEMBER(ScanPush, count_words), MEMBER(ScanPush, head),
     MEMBER(ScanPush, tiles_per_workgroup), MEMBER(ScanPush, tile_capacity), MEMBER(ScanPush, lag),
     MEMBER(ScanPush, padding)}};
const HostStruct kReducePush{
    sizeof(shader::ReducePush),
    {MEMBER(ReducePush, items), MEMBER(ReducePush, result), MEMBER(ReducePush, partials), MEMBER(ReducePush, count),
     MEMBER(ReducePush, count_value), MEMBER(ReducePush, initial), MEMBER(ReducePush, count_words),
     MEMBER(ReducePush, head), MEMBER(ReducePush, tiles_per_workgroup), MEMBER(ReducePush, partial_count)}};
const HostStruct kScanByKeyPush{
    sizeof(shader::ScanByKeyPush),
    {MEMBER(ScanByKeyPush, keys), MEMBER(ScanByKeyPush, items), MEMBER(ScanByKeyPush, outputs),
     MEMBER(ScanByKeyPush, scratch), MEMBER(ScanByKeyPush, count), MEMBER(ScanByKeyPush, count_value),
     MEMBER(ScanByKeyPush, initial), MEMBER(ScanByKeyPush, count_words), MEMBER(ScanByKeyPush, head),
     MEMBER(ScanByKeyPush, tiles_per_workgroup), MEMBER(ScanByKeyPush, tile_capacity), MEMBER(ScanByKeyPush, lag),
     MEMBER(ScanByKeyPush, padding)}};
const HostStruct kReduceByKeyPush{
    sizeof(shader::ReduceByKeyPush),
    {MEMBER(ReduceByKeyPush, keys), MEMBER(ReduceByKeyPush, items), MEMBER(ReduceByKeyPush, keys_out),
     MEMBER(ReduceByKeyPush, values_out), MEMBER(ReduceByKeyPush, count_out), MEMBER(ReduceByKeyPush, scratch),
     MEMBER(ReduceByKeyPush, count), MEMBER(ReduceByKeyPush, count_value), MEMBER(ReduceByKeyPush, count_words),
     MEMBER(ReduceByKeyPush, count_out_words), MEMBER(ReduceByKeyPush, head),
     MEMBER(ReduceByKeyPush, tiles_per_workgroup), MEMBER(ReduceByKeyPush, tile_capacity),
     MEMBER(ReduceByKeyPush, lag)}};
const HostStruct kLookBackResetPush{
    sizeof(shader::LookBackResetPush),
    {MEMBER(LookBackResetPush, scratch), MEMBER(LookBackResetPush, vectors), MEMBER(LookBackResetPush, padding)}};
const HostStruct kDispatchArgumentsPush{
    sizeof(shader::DispatchArgumentsPush),
    {MEMBER(DispatchArgumentsPush, count), MEMBER(DispatchArgumentsPush, command),
     MEMBER(DispatchArgumentsPush, count_value), MEMBER(DispatchArgumentsPush, count_words),
     MEMBER(DispatchArgumentsPush, group_items), MEMBER(DispatchArgumentsPush, max_groups_x),
     MEMBER(DispatchArgumentsPush, padding)}};
const HostStruct kHistogramPush{
    sizeof(shader::HistogramPush),
    {MEMBER(HistogramPush, items), MEMBER(HistogramPush, outputs), MEMBER(HistogramPush, levels),
     MEMBER(HistogramPush, count), MEMBER(HistogramPush, count_value), MEMBER(HistogramPush, reciprocal),
     MEMBER(HistogramPush, count_words), MEMBER(HistogramPush, head), MEMBER(HistogramPush, tiles_per_workgroup),
     MEMBER(HistogramPush, bins), MEMBER(HistogramPush, first_key), MEMBER(HistogramPush, last),
     MEMBER(HistogramPush, multiple), MEMBER(HistogramPush, shift), MEMBER(HistogramPush, lower),
     MEMBER(HistogramPush, scale)}};
#define INTERVAL_MEMBERS(STRUCT)                                                                                   \
  MEMBER(STRUCT, counts), MEMBER(STRUCT, total), MEMBER(STRUCT, status), MEMBER(STRUCT, before),                   \
      MEMBER(STRUCT, count), MEMBER(STRUCT, count_value), MEMBER(STRUCT, max_output), MEMBER(STRUCT, count_words), \
      MEMBER(STRUCT, span_shift), MEMBER(STRUCT, spans), MEMBER(STRUCT, head)
const HostStruct kIntervalPush{sizeof(shader::IntervalPush), {INTERVAL_MEMBERS(IntervalPush)}};
const HostStruct kRunLengthDecodePush{sizeof(shader::RunLengthDecodePush),
                                      {INTERVAL_MEMBERS(RunLengthDecodePush), MEMBER(RunLengthDecodePush, symbols),
                                       MEMBER(RunLengthDecodePush, outputs)}};
const HostStruct kLoadBalanceSearchPush{sizeof(shader::LoadBalanceSearchPush),
                                        {INTERVAL_MEMBERS(LoadBalanceSearchPush),
                                         MEMBER(LoadBalanceSearchPush, sources), MEMBER(LoadBalanceSearchPush, ranks)}};
const HostStruct kIntervalMovePush{
    sizeof(shader::IntervalMovePush),
    {INTERVAL_MEMBERS(IntervalMovePush), MEMBER(IntervalMovePush, source_items),
     MEMBER(IntervalMovePush, destination_items), MEMBER(IntervalMovePush, gather), MEMBER(IntervalMovePush, scatter),
     MEMBER(IntervalMovePush, sources), MEMBER(IntervalMovePush, destinations)}};
const HostStruct kSegmentedReducePush{
    sizeof(shader::SegmentedReducePush),
    {MEMBER(SegmentedReducePush, items), MEMBER(SegmentedReducePush, offsets), MEMBER(SegmentedReducePush, outputs),
     MEMBER(SegmentedReducePush, cuts), MEMBER(SegmentedReducePush, carries), MEMBER(SegmentedReducePush, count),
     MEMBER(SegmentedReducePush, item_count), MEMBER(SegmentedReducePush, count_value),
     MEMBER(SegmentedReducePush, item_count_value), MEMBER(SegmentedReducePush, count_words),
     MEMBER(SegmentedReducePush, item_count_words), MEMBER(SegmentedReducePush, tiles_per_workgroup),
     MEMBER(SegmentedReducePush, groups)}};
const HostStruct kSegmentedScanPush{
    sizeof(shader::SegmentedScanPush),
    {MEMBER(SegmentedScanPush, offsets), MEMBER(SegmentedScanPush, heads), MEMBER(SegmentedScanPush, count),
     MEMBER(SegmentedScanPush, item_count), MEMBER(SegmentedScanPush, count_value),
     MEMBER(SegmentedScanPush, item_count_value), MEMBER(SegmentedScanPush, count_words),
     MEMBER(SegmentedScanPush, item_count_words)}};
const HostStruct kSortedSearchPush{
    sizeof(shader::SortedSearchPush),
    {MEMBER(SortedSearchPush, needles), MEMBER(SortedSearchPush, haystack), MEMBER(SortedSearchPush, outputs),
     MEMBER(SortedSearchPush, splits), MEMBER(SortedSearchPush, needle_count), MEMBER(SortedSearchPush, haystack_count),
     MEMBER(SortedSearchPush, needle_maximum), MEMBER(SortedSearchPush, haystack_maximum),
     MEMBER(SortedSearchPush, needle_count_words), MEMBER(SortedSearchPush, haystack_count_words)}};
const HostStruct kBinarySearchPush{
    sizeof(shader::BinarySearchPush),
    {MEMBER(BinarySearchPush, needles), MEMBER(BinarySearchPush, haystack), MEMBER(BinarySearchPush, outputs),
     MEMBER(BinarySearchPush, needle_count), MEMBER(BinarySearchPush, haystack_count),
     MEMBER(BinarySearchPush, needle_maximum), MEMBER(BinarySearchPush, haystack_maximum),
     MEMBER(BinarySearchPush, needle_count_words), MEMBER(BinarySearchPush, haystack_count_words)}};
const HostStruct kMergeSortPush{
    sizeof(shader::MergeSortPush),
    {MEMBER(MergeSortPush, keys), MEMBER(MergeSortPush, keys_out), MEMBER(MergeSortPush, carried),
     MEMBER(MergeSortPush, carried_out), MEMBER(MergeSortPush, values), MEMBER(MergeSortPush, values_out),
     MEMBER(MergeSortPush, splits), MEMBER(MergeSortPush, count), MEMBER(MergeSortPush, maximum),
     MEMBER(MergeSortPush, count_words), MEMBER(MergeSortPush, run), MEMBER(MergeSortPush, pair_shift)}};
const HostStruct kMergePush{
    sizeof(shader::MergePush),
    {MEMBER(MergePush, keys_a), MEMBER(MergePush, keys_b), MEMBER(MergePush, keys_out), MEMBER(MergePush, values_a),
     MEMBER(MergePush, values_b), MEMBER(MergePush, values_out), MEMBER(MergePush, indices_out),
     MEMBER(MergePush, splits), MEMBER(MergePush, count_a), MEMBER(MergePush, count_b), MEMBER(MergePush, maximum_a),
     MEMBER(MergePush, maximum_b), MEMBER(MergePush, count_a_words), MEMBER(MergePush, count_b_words)}};
const HostStruct kSetOperationPush{
    sizeof(shader::SetOperationPush),
    {MEMBER(SetOperationPush, keys_a), MEMBER(SetOperationPush, keys_b), MEMBER(SetOperationPush, keys_out),
     MEMBER(SetOperationPush, values_a), MEMBER(SetOperationPush, values_b), MEMBER(SetOperationPush, values_out),
     MEMBER(SetOperationPush, indices_out), MEMBER(SetOperationPush, total), MEMBER(SetOperationPush, status),
     MEMBER(SetOperationPush, scratch), MEMBER(SetOperationPush, count_a), MEMBER(SetOperationPush, count_b),
     MEMBER(SetOperationPush, maximum_a), MEMBER(SetOperationPush, maximum_b), MEMBER(SetOperationPush, max_output),
     MEMBER(SetOperationPush, group_tiles), MEMBER(SetOperationPush, words), MEMBER(SetOperationPush, kept)}};
const HostStruct kBulkPush{
    sizeof(shader::BulkPush),
    {MEMBER(BulkPush, items), MEMBER(BulkPush, inserted), MEMBER(BulkPush, indices), MEMBER(BulkPush, outputs),
     MEMBER(BulkPush, total), MEMBER(BulkPush, splits), MEMBER(BulkPush, count), MEMBER(BulkPush, index_count),
     MEMBER(BulkPush, count_value), MEMBER(BulkPush, index_count_value), MEMBER(BulkPush, count_words),
     MEMBER(BulkPush, index_count_words)}};
const HostStruct kRadixSortPush{
    sizeof(shader::RadixSortPush),
    {MEMBER(RadixSortPush, keys), MEMBER(RadixSortPush, values), MEMBER(RadixSortPush, keys_out),
     MEMBER(RadixSortPush, values_out), MEMBER(RadixSortPush, table), MEMBER(RadixSortPush, totals),
     MEMBER(RadixSortPush, count), MEMBER(RadixSortPush, count_maximum), MEMBER(RadixSortPush, count_words),
     MEMBER(RadixSortPush, shift), MEMBER(RadixSortPush, digit_mask), MEMBER(RadixSortPush, flip_high),
     MEMBER(RadixSortPush, flip_low), MEMBER(RadixSortPush, flip_negative_high),
     MEMBER(RadixSortPush, flip_negative_low), MEMBER(RadixSortPush, groups), MEMBER(RadixSortPush, table_row)}};
const HostStruct kRadixSortSweepPush{
    sizeof(shader::RadixSortSweepPush),
    {MEMBER(RadixSortSweepPush, keys), MEMBER(RadixSortSweepPush, values), MEMBER(RadixSortSweepPush, keys_out),
     MEMBER(RadixSortSweepPush, values_out), MEMBER(RadixSortSweepPush, states),
     MEMBER(RadixSortSweepPush, next_states), MEMBER(RadixSortSweepPush, totals), MEMBER(RadixSortSweepPush, ticket),
     MEMBER(RadixSortSweepPush, count), MEMBER(RadixSortSweepPush, count_maximum),
     MEMBER(RadixSortSweepPush, count_words), MEMBER(RadixSortSweepPush, shift), MEMBER(RadixSortSweepPush, digit_mask),
     MEMBER(RadixSortSweepPush, flip_high), MEMBER(RadixSortSweepPush, flip_low),
     MEMBER(RadixSortSweepPush, flip_negative_high), MEMBER(RadixSortSweepPush, flip_negative_low)}};
const HostStruct kSegmentedSortHeadsPush{
    sizeof(shader::SegmentedSortHeadsPush),
    {MEMBER(SegmentedSortHeadsPush, offsets), MEMBER(SegmentedSortHeadsPush, totals),
     MEMBER(SegmentedSortHeadsPush, heads), MEMBER(SegmentedSortHeadsPush, runs), MEMBER(SegmentedSortHeadsPush, count),
     MEMBER(SegmentedSortHeadsPush, key_count), MEMBER(SegmentedSortHeadsPush, count_value),
     MEMBER(SegmentedSortHeadsPush, key_count_value), MEMBER(SegmentedSortHeadsPush, count_words),
     MEMBER(SegmentedSortHeadsPush, key_count_words), MEMBER(SegmentedSortHeadsPush, short_keys),
     MEMBER(SegmentedSortHeadsPush, run_keys), MEMBER(SegmentedSortHeadsPush, max_runs),
     MEMBER(SegmentedSortHeadsPush, max_split), MEMBER(SegmentedSortHeadsPush, padding)}};
const HostStruct kSegmentedSortPush{
    sizeof(shader::SegmentedSortPush),
    {MEMBER(SegmentedSortPush, keys), MEMBER(SegmentedSortPush, values), MEMBER(SegmentedSortPush, keys_out),
     MEMBER(SegmentedSortPush, values_out), MEMBER(SegmentedSortPush, totals), MEMBER(SegmentedSortPush, heads),
     MEMBER(SegmentedSortPush, runs), MEMBER(SegmentedSortPush, table), MEMBER(SegmentedSortPush, shift),
     MEMBER(SegmentedSortPush, digit_mask), MEMBER(SegmentedSortPush, flip_high), MEMBER(SegmentedSortPush, flip_low),
     MEMBER(SegmentedSortPush, flip_negative_high), MEMBER(SegmentedSortPush, flip_negative_low),
     MEMBER(SegmentedSortPush, max_runs), MEMBER(SegmentedSortPush, max_split)}};
const HostStruct kGstdDecodePush{
    sizeof(shader::GstdDecodePush),
    {MEMBER(GstdDecodePush, tiles), MEMBER(GstdDecodePush, tile_count), MEMBER(GstdDecodePush, source),
     MEMBER(GstdDecodePush, source_bytes), MEMBER(GstdDecodePush, outputs), MEMBER(GstdDecodePush, output_bytes),
     MEMBER(GstdDecodePush, status), MEMBER(GstdDecodePush, scratch), MEMBER(GstdDecodePush, tile_maximum),
     MEMBER(GstdDecodePush, tile_count_words), MEMBER(GstdDecodePush, most_bytes), MEMBER(GstdDecodePush, first_tile),
     MEMBER(GstdDecodePush, slots), MEMBER(GstdDecodePush, reserved)}};
const HostStruct kSelfTestPush{
    sizeof(shader::SelfTestPush),
    {MEMBER(SelfTestPush, inputs), MEMBER(SelfTestPush, results), MEMBER(SelfTestPush, places),
     MEMBER(SelfTestPush, delta), MEMBER(SelfTestPush, lane), MEMBER(SelfTestPush, mask)}};
const HostStruct kPlantedPush{sizeof(shader::PlantedPush),
                              {MEMBER(PlantedPush, target), MEMBER(PlantedPush, first), MEMBER(PlantedPush, padding)}};

/// What each kernel is pushed, by the stem of its file.
const std::map<std::string_view, const HostStruct*> kPushedTo{
    {"run_length_encode_look_back", &kSelectPush},
    {"run_length_encode_upsweep", &kSelectPush},
    {"run_length_encode_downsweep", &kSelectPush},
    {"scan_look_back", &kScanPush},
    {"select_look_back", &kSelectPush},
    {"select_upsweep", &kSelectPush},
    {"select_downsweep", &kSelectPush},
    {"scan_downsweep", &kScanPush},
    {"scan_upsweep", &kReducePush},
    {"scan_by_key_look_back", &kScanByKeyPush},
    {"scan_by_key_upsweep", &kScanByKeyPush},
    {"scan_by_key_downsweep", &kScanByKeyPush},
    {"reduce_by_key_look_back", &kReduceByKeyPush},
    {"reduce_by_key_downsweep", &kReduceByKeyPush},
    {"reduce", &kReducePush},
    {"reduce_finish", &kReducePush},
    {"dispatch_arguments", &kDispatchArgumentsPush},
    {"histogram", &kHistogramPush},
    {"histogram_clear", &kHistogramPush},
    {"interval_sums", &kIntervalPush},
    {"interval_totals", &kIntervalPush},
    {"run_length_decode", &kRunLengthDecodePush},
    {"interval_expand", &kRunLengthDecodePush},
    {"load_balance_search", &kLoadBalanceSearchPush},
    {"interval_gather", &kIntervalMovePush},
    {"interval_move", &kIntervalMovePush},
    {"interval_move_bytes", &kIntervalMovePush},
    {"interval_move_lines", &kIntervalMovePush},
    {"interval_move_lines_sums", &kIntervalMovePush},
    {"segmented_reduce_cuts", &kSegmentedReducePush},
    {"segmented_reduce", &kSegmentedReducePush},
    {"segmented_reduce_direct", &kSegmentedReducePush},
    {"segmented_scan_heads", &kSegmentedScanPush},
    {"sorted_search_partition", &kSortedSearchPush},
    {"sorted_search_merge", &kSortedSearchPush},
    {"binary_search", &kBinarySearchPush},
    {"merge_partition", &kMergePush},
    {"merge_tiles", &kMergePush},
    {"merge_stream", &kMergePush},
    {"set_operation_partition", &kSetOperationPush},
    {"set_operation_count", &kSetOperationPush},
    {"set_operation_write", &kSetOperationPush},
    {"merge_sort_blocks", &kMergeSortPush},
    {"merge_sort_partition", &kMergeSortPush},
    {"merge_sort_merge", &kMergeSortPush},
    {"radix_sort_upsweep", &kRadixSortPush},
    {"radix_sort_scan", &kRadixSortPush},
    {"radix_sort_downsweep", &kRadixSortPush},
    {"radix_sort_totals", &kRadixSortPush},
    {"radix_sort_sweep", &kRadixSortSweepPush},
    {"segmented_sort_heads", &kSegmentedSortHeadsPush},
    {"segmented_sort_tiles", &kSegmentedSortPush},
    {"segmented_sort_upsweep", &kSegmentedSortPush},
    {"segmented_sort_scan", &kSegmentedSortPush},
    {"segmented_sort_downsweep", &kSegmentedSortPush},
    {"bulk_remove_partition", &kBulkPush},
    {"bulk_remove_tiles", &kBulkPush},
    {"bulk_insert_partition", &kBulkPush},
    {"bulk_insert_tiles", &kBulkPush},
    {"look_back_reset", &kLookBackResetPush},
    {"gstd_decode", &kGstdDecodePush},
    {"gstd_finish", &kGstdDecodePush},
    {"subgroup_self_test", &kSelfTestPush},
    {"compact_self_test", &kSelfTestPush},
    {"lanes_self_test", &kSelfTestPush},
    {"merge_path_self_test", &kSelfTestPush},
    {"balanced_path_self_test", &kSelfTestPush},
    {"subgroup_merge_self_test", &kSelfTestPush},
    {"sort_self_test", &kSelfTestPush},
    {"load_balance_self_test", &kSelfTestPush},
    {"fse_self_test", &kSelfTestPush},
    {"workgroup_self_test", &kSelfTestPush},
    {"workgroup_add_self_test", &kSelfTestPush},
    {"planted_shared_race", &kPlantedPush},
    {"planted_shared_race_planted", &kPlantedPush},
    {"planted_write", &kPlantedPush},
    {"planted_described_write", &kPlantedPush},
};

/// As much of a SPIR-V module as tells the layout of its push constants.
class SpirvModule {
 public:
  explicit SpirvModule(std::span<const uint32_t> words) {
    constexpr size_t kHeaderWords = 5;
    for (size_t i = kHeaderWords; i < words.size();) {
      const size_t length = words[i] >> 16;
      if (length == 0 || i + length > words.size()) return;
      read(words[i] & 0xffffu, words.subspan(i + 1, length - 1));
      i += length;
    }
  }

  /// The push constants' members, structures inside structures flattened; nothing where there are none.
  std::optional<std::vector<Member>> push_constants() const {
    if (push_pointer_ == 0) return std::nullopt;
    std::vector<Member> members;
    flatten(types_.at(types_.at(push_pointer_).operands[1]), 0, members);
    return members;
  }

 private:
  // Opcodes, decorations and storage classes of the SPIR-V specification.
  enum : uint32_t {
    kOpMemberName = 6,
    kOpTypeInt = 21,
    kOpTypeFloat = 22,
    kOpTypeVector = 23,
    kOpTypeStruct = 30,
    kOpTypePointer = 32,
    kOpVariable = 59,
    kOpMemberDecorate = 72,
    kOffset = 35,
    kPushConstant = 9,
  };
  struct Type {
    uint32_t id = 0;
    uint32_t opcode = 0;
    std::span<const uint32_t> operands;
  };

  void read(uint32_t opcode, std::span<const uint32_t> operands) {
    switch (opcode) {
      case kOpMemberName: names_[{operands[0], operands[1]}] = reinterpret_cast<const char*>(&operands[2]); break;
      case kOpMemberDecorate:
        if (operands[2] == kOffset) offsets_[{operands[0], operands[1]}] = operands[3];
        break;
      case kOpTypeInt:
      case kOpTypeFloat:
      case kOpTypeVector:
      case kOpTypeStruct:
      case kOpTypePointer: types_[operands[0]] = {operands[0], opcode, operands.subspan(1)}; break;
      case kOpVariable:
        if (operands[2] == kPushConstant) push_pointer_ = operands[0];
        break;
      default: break;
    }
  }

  size_t size_of(const Type& type) const {
    switch (type.opcode) {
      case kOpTypeInt:
      case kOpTypeFloat: return type.operands[0] / 8;
      case kOpTypeVector: return type.operands[1] * size_of(types_.at(type.operands[0]));
      default: return 0;
    }
  }

  void flatten(const Type& structure, size_t base, std::vector<Member>& members) const {
    for (uint32_t i = 0; i < structure.operands.size(); ++i) {
      const Type& member = types_.at(structure.operands[i]);
      const size_t offset = base + offsets_.at({structure.id, i});
      if (member.opcode == kOpTypeStruct)
        flatten(member, offset, members);
      else
        members.push_back({names_.at({structure.id, i}), offset, size_of(member)});
    }
  }

  std::map<uint32_t, Type> types_;
  std::map<std::pair<uint32_t, uint32_t>, std::string> names_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> offsets_;
  uint32_t push_pointer_ = 0;
};

void check_layout(std::string_view kernel, std::span<const uint32_t> words) {
  CAPTURE(std::string(kernel));
  const auto host = kPushedTo.find(kernel.substr(0, kernel.find('.')));
  REQUIRE_MESSAGE(host != kPushedTo.end(), "this test does not know what the kernel is pushed: add it to kPushedTo");
  const auto members = SpirvModule(words).push_constants();
  REQUIRE(members);
  CHECK(text_of(*members) == text_of(host->second->members));
  // No padding at the end that the shader does not declare, and no more than the layout's range.
  REQUIRE(!members->empty());
  CHECK(members->back().offset + members->back().size == host->second->size);
  CHECK(host->second->size <= 128);
}

/// The SPIR-V that a kernel was packed from, which has its names.
std::vector<uint32_t> compiled(const std::filesystem::path& directory, std::string_view kernel) {
  std::ifstream file(directory / (std::string(kernel) + ".spv"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return words;
}

/// OpSourceContinued to OpLine, OpNoLine and OpModuleProcessed: what a program needs no more.
std::vector<uint32_t> stripped(std::span<const uint32_t> words) {
  constexpr size_t kHeaderWords = 5;
  std::vector<uint32_t> left(words.begin(), words.begin() + kHeaderWords);
  for (size_t i = kHeaderWords; i < words.size(); i += words[i] >> 16) {
    const uint32_t opcode = words[i] & 0xffffu;
    if ((opcode >= 2 && opcode <= 8) || opcode == 317 || opcode == 330) continue;
    const auto instruction = words.subspan(i, words[i] >> 16);
    left.insert(left.end(), instruction.begin(), instruction.end());
  }
  return left;
}

void check_family(const PackedKernels& kernels, const std::filesystem::path& directory) {
  const std::vector<std::string_view> names = runtime::names_of(kernels);
  REQUIRE(!names.empty());
  CHECK(std::ranges::is_sorted(names));
  for (const std::string_view name : names) {
    CAPTURE(std::string(name));
    const std::vector<uint32_t> words = compiled(directory, name);
    REQUIRE(words.size() > 5);
    check_layout(name, words);
    const auto unpacked = runtime::unpack(kernels, name);
    REQUIRE(unpacked);
    CHECK(*unpacked == stripped(words));
    CHECK(unpacked->size() < words.size());
  }
}

}  // namespace

TEST_SUITE("host layout") {
  TEST_CASE("every kernel of the library is packed whole and reads its push constants where the host puts them") {
    for (const auto family : runtime::kernels::kFamilies) check_family(family(), WEFT_TEST_KERNELS_OF_weft);
#ifdef WEFT_TEST_KERNELS_OF_weft_decode
    for (const auto family : decode::kernels::kFamilies) check_family(family(), WEFT_TEST_KERNELS_OF_weft_decode);
#endif
  }

  TEST_CASE("every kernel of the tests is packed whole and reads its push constants where the host puts them") {
    check_family(kernels(), WEFT_TEST_KERNELS_OF_weft_tests);
  }

  TEST_CASE("a kernel that a family lacks is empty") {
    const auto found = runtime::unpack(kernels(), "no_such_kernel.native");
    REQUIRE(found);
    CHECK(found->empty());
  }
}

}  // namespace weft::test
