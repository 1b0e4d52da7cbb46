// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/radix_sort.hpp>
#include <weft/reduce_by_key.hpp>
#include <weft/run_length_encode.hpp>
#include <weft/scan.hpp>
#include <weft/scan_by_key.hpp>
#include <weft/select.hpp>

#include "primitives/select/select_plan.hpp"

namespace weft::primitives {

/// A fault planted in look-back, for tests: some tiles' posts come late or never, as on a device that does not run every
/// workgroup on.
struct LookBackFault {
  enum class Kind : uint32_t {
    delay = 1,  ///< the tile waits before it posts
    omit = 2,   ///< the tile posts nothing, and stores its outputs all the same: not to be used in place
    open = 3,   ///< the block's last tile does not post the block, so that tiles after it are given up
    shares =
        4,  ///< compaction: the tile's subgroups do not post their shares of it, so that whoever moves it gives it up
  };
  Kind kind;
  uint32_t every;  ///< tiles, or blocks, whose index is a multiple of this; at least 1
};

/// The fault as the specialization constant kFault.
constexpr uint32_t bits_of(const LookBackFault& fault) { return static_cast<uint32_t>(fault.kind) | fault.every << 8; }

/// A Scan with Strategy::look_back and the fault.
Result<Scan> create_scan_with_fault(const Context& context, const ScanConfig& config, const LookBackFault& fault);
/// Likewise.
Result<ScanByKey> create_scan_by_key_with_fault(const Context& context, const ScanByKeyConfig& config,
                                                const LookBackFault& fault);
Result<ReduceByKey> create_reduce_by_key_with_fault(const Context& context, const ReduceByKeyConfig& config,
                                                    const LookBackFault& fault);

Result<RunLengthEncode> create_run_length_encode_with_fault(const Context& context, const RunLengthEncodeConfig& config,
                                                            const LookBackFault& fault);

struct RunLengthEncodeWithFault {
  static Result<RunLengthEncode> create(const Context& context, RunLengthEncodeConfig config, uint32_t fault) {
    config.strategy = Strategy::look_back;
    return RunLengthEncode::create(context, config, fault);
  }
};

/// Likewise; the posts of a tile of RadixSort come late, or never but from others.
Result<RadixSort> create_radix_sort_with_fault(const Context& context, const RadixSortConfig& config,
                                               const LookBackFault& fault);

struct RadixSortWithFault {
  static Result<RadixSort> create(const Context& context, RadixSortConfig config, uint32_t fault) {
    config.strategy = Strategy::look_back;
    return RadixSort::create(context, config, fault);
  }
};

Result<Select> create_select_with_fault(const Context& context, const SelectConfig& config, const LookBackFault& fault);

struct SelectWithFault {
  static Result<Select> create(const Context& context, SelectConfig config, uint32_t fault) {
    config.strategy = Strategy::look_back;
    Result<std::shared_ptr<const SelectPlan>> plan = SelectPlan::create(context, "Select", 1, config, fault);
    if (!plan) return plan.error();
    return Select(*std::move(plan));
  }
};

struct ScanWithFault {
  static Result<Scan> create(const Context& context, const ScanConfig& config, uint32_t fault) {
    ScanConfig with_look_back = config;
    with_look_back.strategy = Strategy::look_back;
    return Scan::create(context, with_look_back, fault);
  }
};

struct ByKeyWithFault {
  template <class Primitive, class Config>
  static Result<Primitive> create(const Context& context, Config config, const LookBackFault& fault) {
    config.strategy = Strategy::look_back;
    return Primitive::create(context, config, bits_of(fault));
  }
};

}  // namespace weft::primitives
