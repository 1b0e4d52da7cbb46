// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/histogram.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "histogram/histogram.h"
#include "histogram/histogram_table.h"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "primitives/histogram/histogram_tuning.hpp"
#include "runtime/kernel_families.hpp"
#include "weft/tile.h"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct Histogram::Plan {
  std::shared_ptr<const ContextState> state;
  HistogramConfig config;
  uint32_t groups = 0;
  uint32_t tile_items = 0;
  std::shared_ptr<const Pipeline> clear, count;

  uint32_t vector_items() const { return 16 / size_of(config.item); }
};

namespace {

constexpr const char* kHistogramName = "Histogram";
constexpr uint64_t kHistogramMaxTiles = uint64_t{1} << 31;
constexpr uint32_t kMaxBins = 65536;
constexpr uint32_t kClearWorkgroup = 128;
constexpr uint32_t kByteValues = 256;
constexpr uint32_t kMaxCopies = 32;
// More levels than these are searched in the device's cache instead of shared memory.
constexpr uint32_t kMaxTableLevels = 1025;

/// The kernel's table, in words of shared memory.
struct Table {
  uint32_t rows = 0, copies = 1, levels = 0;
};

Table table_of(const ContextState& state, const HistogramConfig& config, const primitives::HistogramTuning& tuning,
               uint32_t workgroup) {
  const uint32_t words = primitives::shared_bytes_of(state, workgroup, 512) / 4;
  Table table;
  const uint32_t most = std::bit_floor(std::min(words, tuning.table_words));
  // Powers of two, so that numbers of bins share pipelines.
  const uint32_t rows = config.item == Type::u8 ? kByteValues : std::max(kByteValues, std::bit_ceil(config.bins));
  if (rows <= most) {
    table.rows = rows;
    table.copies = std::min(kMaxCopies, std::bit_floor(most / rows));
  }
  const uint32_t levels = std::max(kByteValues, std::bit_ceil(config.bins)) + 1;
  if (config.kind == HistogramKind::levels && levels <= kMaxTableLevels && table.rows * table.copies + levels <= words)
    table.levels = levels;
  return table;
}

/// As the kernel's key_of().
uint32_t key_of(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value == 0 ? 0.0f : value);
  return bits ^ (bits >> 31 != 0 ? ~uint32_t{0} : 0x80000000u);
}

Error bound_error(const char* bound, double value, const std::string& what) {
  return primitives::argument_error(kHistogramName, bound, "is " + std::to_string(value) + ", " + what);
}

Status set_even_bins(const HistogramConfig& config, double lower, double upper, shader::HistogramPush& push) {
  // Also where one is NaN.
  if (!(lower < upper)) return bound_error("upper", upper, "not above lower, " + std::to_string(lower));
  push.shift = 32;
  if (config.item == Type::f32) {
    // Out of range they would not be floats.
    if (!(std::abs(lower) <= std::numeric_limits<float>::max())) return bound_error("lower", lower, "not an f32");
    if (!(std::abs(upper) <= std::numeric_limits<float>::max())) return bound_error("upper", upper, "not an f32");
    const float first = static_cast<float>(lower), end = static_cast<float>(upper);
    const double span = static_cast<double>(end) - static_cast<double>(first);
    const double width = span / config.bins;
    if (!(width >= 0x1p-100 && width <= 0x1p100))
      return bound_error("upper", upper, "which makes bins of " + std::to_string(width));
    push.first_key = key_of(first);
    push.last = key_of(end) - 1 - push.first_key;
    push.lower = std::bit_cast<uint32_t>(first);
    push.scale = std::bit_cast<uint32_t>(static_cast<float>(config.bins / span));
    return {};
  }
  const bool is_signed = config.item == Type::i32;
  const double least = is_signed ? -0x1p31 : 0;
  const double most = is_signed ? 0x1p31 : std::ldexp(1.0, static_cast<int>(8 * size_of(config.item)));
  if (lower < least || lower != std::trunc(lower))
    return bound_error("lower", lower, std::string("no number of type ") + name_of(config.item));
  if (upper > most || upper != std::trunc(upper))
    return bound_error("upper", upper, std::string("above all numbers of type ") + name_of(config.item) + " or none");
  const auto width = static_cast<uint64_t>(upper - lower);
  push.first_key = static_cast<uint32_t>(static_cast<int64_t>(lower - least));
  push.last = static_cast<uint32_t>(width - 1);
  push.multiple = static_cast<uint32_t>(config.bins / width);
  // The remainder is below 2^16: a long division in two steps of 32 bits.
  const uint64_t high = (config.bins % width) << 32;
  const uint64_t low = (high % width) << 32;
  push.reciprocal = ((high / width) << 32) + low / width + (low % width != 0 ? 1 : 0);
  const uint64_t bin = width / config.bins;
  if (width % config.bins == 0 && std::has_single_bit(bin)) push.shift = static_cast<uint32_t>(std::countr_zero(bin));
  return {};
}

}  // namespace

const char* name_of(HistogramKind kind) noexcept { return kind == HistogramKind::even ? "even" : "levels"; }

Result<Histogram> Histogram::create(const Context& context, const HistogramConfig& config) noexcept try {
  const ContextState& state = *context.state();
  constexpr Type kTypes[] = {Type::u8, Type::u16, Type::u32, Type::i32, Type::f32};
  if (std::ranges::find(kTypes, config.item) == std::end(kTypes))
    return Error{ErrorCode::unsupported,
                 std::string("Histogram: items are u8, u16, u32, i32 or f32, not ") + name_of(config.item)};
  if (config.bins == 0 || config.bins > kMaxBins)
    return Error{ErrorCode::unsupported, "Histogram: there are 1 to 65536 bins, not " + std::to_string(config.bins)};
  const primitives::HistogramTuning tuning = primitives::histogram_tuning.of(state);

  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->config = config;
  plan->groups = tuning.groups;
  const uint32_t workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  plan->tile_items = workgroup * tuning.rows * plan->vector_items();

  const Table table = table_of(state, config, tuning, workgroup);
  primitives::PipelineBuilder builder(state, runtime::kernels::histogram(), kClearWorkgroup);
  builder.build(plan->clear, "histogram_clear")
      .workgroup(workgroup)
      .set(shader::histogram_table::kTableRows, table.rows)
      .set(shader::tile::kRows, tuning.rows)
      .set(shader::histogram_table::kCopies, table.copies)
      .set(shader::histogram_table::kByLevels, config.kind == HistogramKind::levels)
      .set(shader::histogram_table::kTableLevels, table.levels)
      .build(plan->count, std::string("histogram.") + name_of(config.item) + ".u32");
  if (!builder.status()) return builder.status().error();
  return Histogram(std::move(plan));
} catch (...) {
  return runtime::caught();
}

Histogram::Histogram(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

uint32_t Histogram::tile_items() const noexcept { return plan_->tile_items; }

Status Histogram::record(VkCommandBuffer commands, const HistogramArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const HistogramConfig& config = plan.config;
  const uint32_t item_bytes = size_of(config.item);
  const uint64_t maximum = args.count.maximum();

  shader::HistogramPush push{};
  primitives::RecordCall call(*plan.state, kHistogramName, commands);
  if (maximum / plan.tile_items >= kHistogramMaxTiles)
    call.refuse("count", "is more than 2^31 tiles hold: " + std::to_string(maximum));
  call.count("count", args.count, push.count, push.count_value, push.count_words)
      .read("input", args.input, maximum * item_bytes, item_bytes, push.items)
      .read("levels", args.levels, config.kind == HistogramKind::levels ? (uint64_t{config.bins} + 1) * 4 : 0, 4,
            push.levels)
      .write("output", args.output, uint64_t{config.bins} * 4, 4, push.outputs);
  if (config.kind == HistogramKind::even && call.status())
    call.require(set_even_bins(config, args.lower, args.upper, push));
  if (!call.accepted()) return call.status();

  push.head = primitives::head_items(push.items, 16, item_bytes);
  push.bins = config.bins;
  const uint64_t tiles = primitives::divided_up(maximum + push.head, plan.tile_items);
  const uint64_t workgroups = std::min<uint64_t>(tiles, plan.groups);
  if (maximum != 0) push.tiles_per_workgroup = static_cast<uint32_t>(primitives::divided_up(tiles, workgroups));
  call.dispatch(*plan.clear, push, primitives::divided_up(config.bins, kClearWorkgroup));
  if (maximum == 0) return {};
  call.barrier();
  call.dispatch(*plan.count, push, workgroups);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
