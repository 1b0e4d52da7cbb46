// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "gstd/block_plan.hpp"
#include "gstd/coding.hpp"
#include "gstd/filter_choice.hpp"
#include "gstd/filters.hpp"
#include "gstd/format.hpp"
#include "gstd/greedy_parser.hpp"
#include "gstd/lane_writer.hpp"
#include "gstd/match_choice.hpp"
#include "gstd/models.hpp"
#include "gstd/parser.hpp"
#include "gstd/table_choice.hpp"
#include "gstd/tile.hpp"

namespace weft::gstd {

namespace {

constexpr int kFastLevels = 3;  // levels up to this
// Tiles up to this size get no tables of their own from fast levels: to choose them would take far longer than the rest
// of a stream of one such tile.
constexpr size_t kTinyBytes = 64;
constexpr size_t kSmallTile = 1u << 13;
// Other tiles up to this size are also tried in planes of even and odd bytes by fast levels, which choose no filter for
// so few bytes.
constexpr size_t kTriedInPlanes = 512;
// What a sequence costs a decoder, in bits. Files grow by 0.1 % or less: tables fit literals better that are more. This
// and the prices below are multiplied by config.decode_weight.
constexpr uint32_t kSequencePrice = 3u << kPriceLog;
// Tiles of many sequences bound a decoder's time: there one costs more, by how many there are of kDensityBytes. Beyond
// kManySequences the price grows by 2 bits for a thousand, by 6 bits at most.
constexpr uint64_t kDensityBytes = 1u << 16, kManySequences = 6000, kMostPriced = 3072, kPricedOfOne = 2;
// Text, that is a tile without bytes below, takes no more than zstd makes of it: few devices decode it. A sequence
// costs less, however many there are and wherever its source is.
constexpr std::byte kFirstOfText{9};
constexpr uint32_t kTextSequencePrice = 1u << kPriceLog;
// What a match costs more whose source may be written just before it, so that a device's lanes wait for each other.
constexpr uint32_t kNearPrice = 3u << (kPriceLog - 1);

constexpr uint32_t kCoarsest = 5;                       // table of a field that is tried
constexpr GreedySearch kSearchOfTrials = {true, 4, 8};  // for trials of filters
// Fast levels try these for small tiles, and code by the one of fewer bits: where bytes take few bits, a short match
// costs more than they do.
constexpr std::array<GreedySearch, 3> kSearchesOfSmall = {{{true, 4, 10}, {true, 5, 10}, {true, 7, 10}}};
// What text, which no filter helps, has more of than other tiles: positions that are compared, and rounds.
constexpr uint32_t kDepthOfText = 4, kRoundsOfText = 2;
// A tile has few matches if its literals are more than this part of its bytes. Choosing gains little there: unless a
// level is thorough, few positions are compared, and there is one round.
constexpr size_t kManyLiterals = 6;
// A tile is taken for sound whose literals are more eighths of it than these: one position is compared, no other filter
// is tried, and tables of literals are as they come.
constexpr uint32_t kNumbersOfSound = 4, kBytesOfSound = 5;
constexpr uint32_t kDepthOfFew = 2;
// Filters are not tried that take more than the best by this part of it. Estimates err by less.
constexpr uint64_t kSlack = 11, kThoroughSlack = 2;
// Matches are chosen for a filter if its trial takes at most this part more than the best.
constexpr uint64_t kRefinedSlack = 32;
// Matches are chosen again if that gained at least this part.
constexpr uint64_t kLeastGain = 512;
constexpr uint64_t kMostBits = uint64_t{1} << 40;  // more than a tile takes

// How filters are chosen.
enum class Trial : uint8_t {
  none,   // the tile as it is
  quick,  // by entropies of a few bytes, then a part of the tile
  scout,  // by estimates, then tables
};

// What a level tries. There is no level 0.
struct Effort {
  int parser;    // libzstd's level: of fast levels for small tiles' last attempts; of levels with rounds, if they are
                 // thorough, for the first prices, which are else those of the best trial
  int filtered;  // of filtered tiles: a longer search finds little more in them
  Trial trial;   // of filters
  uint32_t likely;   // filters to estimate, best by entropies of a few bytes
  uint32_t tried;    // of those, to try with a fast parser's matches and tables, best by the estimate
  uint32_t refined;  // of those, best by these, for which matches are chosen by their cost in this format:
  uint32_t depth;    // of its search
  uint32_t rounds;   // how often
  // Whether nothing is left out for speed: filters of poor estimates, new matches of three bytes, positions at which a
  // match is unlikely to gain, and rounds for tiles of few matches.
  bool is_thorough;
  GreedySearch search = {};  // of fast levels
};
constexpr std::array<Effort, kMaxLevel - kMinLevel> kEfforts = {{
    {5, 0, Trial::none, 1, 1, 1, 0, 0, false, {false, 7, 3}},
    {5, 0, Trial::none, 1, 1, 1, 0, 0, false, {false, 7, 4}},
    {5, 0, Trial::none, 1, 1, 1, 0, 0, false, {false, 7, 5}},
    {5, 0, Trial::none, 1, 1, 1, 0, 0, false, {false, 7, 6}},
    {5, 0, Trial::none, 1, 1, 1, 0, 0, false, {false, 7, 8}},  // level -1
    {5, 0, Trial::none, 1, 1, 1, 0, 0, false, {false, 6, 8}},
    {5, 0, Trial::quick, 1, 1, 1, 0, 0, false, {false, 6, 9}},
    {5, 0, Trial::quick, 1, 1, 1, 0, 0, false, {true, 5, 9}},
    {5, 5, Trial::quick, 1, 1, 1, 0, 0, false},
    {6, 6, Trial::quick, 1, 1, 1, 0, 0, false},
    {7, 7, Trial::quick, 1, 1, 1, 0, 0, false},
    {8, 8, Trial::quick, 1, 1, 1, 0, 0, false},
    {8, 8, Trial::scout, 8, 1, 1, 0, 0, false},
    {9, 8, Trial::scout, 8, 1, 1, 0, 0, false},
    {10, 9, Trial::scout, 8, 1, 1, 0, 0, false},
    {11, 9, Trial::scout, 8, 1, 1, 0, 0, false},
    {12, 9, Trial::scout, 8, 1, 1, 0, 0, false},
    {0, 0, Trial::scout, 8, 1, 1, 4, 1, false},
    {0, 0, Trial::scout, 12, 2, 1, 4, 1, false},
    {0, 0, Trial::scout, 12, 2, 1, 8, 1, false},
    {0, 0, Trial::scout, 16, 3, 1, 8, 1, false},
    {0, 0, Trial::scout, 16, 3, 1, 12, 1, false},
    {0, 0, Trial::scout, 16, 3, 1, 24, 1, false},
    {0, 0, Trial::scout, 16, 3, 1, 16, 2, false},
    {14, 14, Trial::scout, 32, 6, 1, 24, 2, true},
    {14, 14, Trial::scout, 56, 12, 2, 48, 4, true},
    {14, 14, Trial::scout, 56, 24, 3, 128, 6, true},
}};

const Effort& effort_of(int level) {
  const int of = std::clamp(level, kMinLevel, kMaxLevel);
  return kEfforts[static_cast<size_t>(of - kMinLevel - (of > 0 ? 1 : 0))];
}

// Small tiles take little time, and are poorly estimated: this is what all levels with rounds try.
constexpr Effort kEffortOfSmall = {18, 14, Trial::scout, 56, 48, 6, 128, 6, true};
// Levels that are not fast and have no rounds choose matches of small tiles once.
constexpr uint32_t kDepthOfSmall = 8;
// A small tile that takes over 12 bytes more than libzstd's frame of the same level, so that its stream takes over 20
// more, both with checksums, is encoded again for size alone: in one lane, by matches chosen from several first prices.
constexpr size_t kMoreThanLibzstd = 12;
constexpr Effort kEffortOfLast = {0, 0, Trial::scout, 56, 48, 6, 128, 4, true};
constexpr uint32_t kMostOfLiteral = 16, kLeastOfLiteral = 4;  // by first prices, in half bits
constexpr uint32_t kCheapSequence = 3u << kPriceLog;          // beside its symbols, which cost three quarters
constexpr uint32_t kLastStrides = 64;                         // of differences that are tried too
constexpr uint32_t kDescribedPrice = 4u << kPriceLog;         // of a symbol in a field's table

Effort small_effort_of(int level) {
  Effort effort = effort_of(level);
  if (effort.rounds != 0) return kEffortOfSmall;
  if (level <= kFastLevels) return effort;
  effort.depth = kDepthOfSmall;
  effort.rounds = 1;
  effort.is_thorough = true;
  return effort;
}

// Symbols of lengths, with a table of small values for the loop over sequences.
class LengthCoder {
 public:
  constexpr explicit LengthCoder(LengthSymbols symbols) : symbols_(symbols) {
    for (uint32_t value = 0; value < kSmall; ++value) {
      const Coded coded = symbols.code(value);
      of_small_[value] = {static_cast<uint8_t>(coded.symbol), static_cast<uint8_t>(coded.extra_bits)};
    }
  }
  Coded code(uint32_t value) const {
    if (value >= kSmall) return symbols_.code(value);
    const Small small = of_small_[value];
    return {small.symbol, small.bits, value & ((1u << small.bits) - 1)};
  }

 private:
  static constexpr uint32_t kSmall = 256;
  struct Small {
    uint8_t symbol, bits;
  };
  LengthSymbols symbols_;
  std::array<Small, kSmall> of_small_{};
};
struct LengthCoders {
  LengthCoder literals, match;
};
template <bool fine>
constexpr LengthCoders kLengthCoders = {LengthCoder(literal_length_symbols(fine)),
                                        LengthCoder(match_length_symbols(fine))};

// A candidate for a block's tables of literals.
struct LiteralChoice {
  uint32_t tables = 1;
  uint32_t map = 0;  // as in the block's header
  uint32_t set = 0;  // likewise
  std::array<CodeLengths, kMaxLiteralTables> lengths{};

  // The bits of all tables by the set that takes the fewest, which becomes theirs.
  Cost describe(uint32_t lanes_log) {
    DescriptionCosts costs{};
    for (uint32_t t = 0; t < tables; ++t)
      std::ranges::transform(costs, description_costs(lengths[t], lanes_log), costs.begin(), std::plus{});
    set = static_cast<uint32_t>(std::ranges::min_element(costs) - costs.begin());
    return costs[set];
  }
};

using ContextCounts = std::array<Counts, kLiteralContexts>;

using FieldChoices = std::array<FieldChoice, kFields>;

// Of a block's sequences.
struct FieldCounts {
  std::array<std::array<uint32_t, kMaxFieldSymbols>, kFields> symbols{};
  std::array<std::array<uint32_t, 8>, 2> low{};  // the lowest 2 and 3 bits of offsets
  uint64_t extra_bits = 0;
};

// The cheapest of `given`, an own table if that is tried, and `before` unless that is null. `in_force`: whether the
// field has a table. `fits`: own tables to their descriptions. Returns the cost.
Cost choose_field(uint32_t field, std::span<const uint32_t> counts, Cost given, const FieldChoice* before,
                  bool in_force, bool tries_own, bool fits, uint32_t coarsest, TableMode& mode, FieldChoice& table) {
  Cost best = given;
  if (tries_own && best > least_description_cost(field)) {
    const Slots slots = choose_slots(counts);
    for (uint32_t coarseness = 0; coarseness <= coarsest; ++coarseness) {
      FieldChoice own;
      choose_frequencies(std::span(slots).first(counts.size()), coarseness, own);
      for (const TableMode of : {TableMode::own, TableMode::own_sparse, TableMode::own_rare}) {
        if (of == TableMode::own_rare && in_force) continue;
        FieldChoice fitted = own;
        const Cost cost = fits ? fit_to_description(field, set_of(of), counts, fitted)
                               : field_cost(counts, own.frequencies) + description_cost(field, set_of(of), own);
        if (cost >= best) continue;
        best = cost;
        mode = of;
        table = fitted;
      }
    }
  }
  if (before == nullptr) return best;
  if (const Cost cost = field_cost(counts, before->frequencies); cost < best) {
    best = cost;
    mode = TableMode::previous;
    table = *before;
  }
  return best;
}

uint16_t symbol_price(uint16_t frequency) {
  return static_cast<uint16_t>(frequency == 0 ? kRarePrice : rans_cost(frequency) >> (kCostLog - kPriceLog));
}

// No symbol costs more than by the given tables: what the parser left out may be worth it.
void cap_prices(std::span<BlockPrices> prices) {
  for (BlockPrices& of : prices)
    for (uint32_t f = 0; f < kLowBits; ++f)
      for (uint32_t symbol = 0; symbol < kFieldSymbols[f]; ++symbol)
        of.fields[f][symbol] = std::min(of.fields[f][symbol], symbol_price(kGivenFrequencies[f][symbol]));
}

// By given tables.
BlockPrices first_prices(uint32_t half_bits_of_literals, bool cheap_symbols) {
  BlockPrices prices;
  for (auto& literals : prices.literals) literals.fill(static_cast<uint16_t>(half_bits_of_literals << (kPriceLog - 1)));
  for (uint32_t f = 0; f < kLowBits; ++f)
    for (uint32_t symbol = 0; symbol < kFieldSymbols[f]; ++symbol) {
      const uint32_t price = symbol_price(kGivenFrequencies[f][symbol]);
      prices.fields[f][symbol] = static_cast<uint16_t>(cheap_symbols ? price * 3 / 4 : price);
    }
  if (cheap_symbols) prices.sequence = kCheapSequence;
  return prices;
}

// Whether a tiny tile is too short or too random for libzstd's fast levels to code its bytes in much fewer bits.
bool is_dense(std::span<const std::byte> tile) {
  Counts counts{};
  for (const std::byte byte : tile) ++counts[static_cast<uint8_t>(byte)];
  return tile.size() < kTinyBytes || entropy_cost(counts) > tile.size() * 4 * kBit;
}

}  // namespace

struct TileEncoder::Work {
  TileEncoderConfig config;
  Effort effort_of_large, effort_of_small;
  Effort effort;  // of the tile
  Parser parser, filtered_parser, level_itself;
  GreedyParser greedy_parser;  // of fast levels and of trials
  BlockPlanner planner;
  LaneWriter writer;
  std::vector<Match> matches, matches_before, best_matches, sequences;
  std::vector<BlockPlan> blocks;
  CodedSequences coded;
  std::vector<FieldCodes> field_codes;  // of blocks
  Buffer<uint8_t> literal_bytes;        // of a tile
  std::span<const uint8_t> bytes_of_literals;
  std::vector<uint8_t> literal_contexts;  // of these, if contexts are tried
  Counts literal_counts{};
  ContextCounts counts_by_context{};
  std::vector<std::array<uint32_t, 256>> byte_codes;  // of blocks with one table of literals
  Buffer<uint32_t> literal_codes;                     // of literals, of the other blocks
  FilterScout scout;
  std::vector<FilterChoice> choices;
  std::vector<std::byte> filtered, scratch;
  std::vector<uint32_t> attempt;
  MatchFinder finder;
  MatchChooser chooser;
  std::vector<BlockPrices> prices, last_prices;  // of the blocks of the last attempt, and of those it was chosen by

  // The decoder's tables from the blocks before.
  std::optional<LiteralChoice> before_literals;
  std::array<std::optional<FieldChoice>, kFields> before_fields;
  uint32_t before_low_bits = 0;
  Cost spent = 0, limit = 0;  // estimate of the tile so far; from `limit` on it is stored raw

  uint64_t kept_price = 0;  // of the attempt that is kept
  size_t tile_bytes = 0;
  bool is_text = false;
  bool own_tables = true;          // whether they are tried
  bool is_sound = false;           // by the best filter's trial
  Cost trial_limit = 0;            // not 0: tables are chosen for what they cost, up to this, and nothing is written
  size_t most_words = 0;           // not 0: the tile is encoded again, until it takes no more
  bool tries_all_lengths = false;  // in descriptions of literal tables
  bool fine_lengths = false;       // of the tile
  TileHeader header;
  uint32_t lanes = 1;

  explicit Work(const TileEncoderConfig& of)
      : config(of),
        effort_of_large(effort_of(of.level)),
        effort_of_small(small_effort_of(of.level)),
        parser(effort_of_small.parser),
        filtered_parser(effort_of_small.filtered),
        level_itself(of.level),
        writer(of.vectors) {
    if (effort_of_large.rounds == 0) config.decode_weight = 1;
  }

  void choose_filters(std::span<const std::byte> tile);
  /// Adds the tile as it is to `choices`, unless they have it.
  void keep_unfiltered();
  std::span<const std::byte> filter_tile(const FilterChoice& choice, std::span<const std::byte> tile);
  /// Plans blocks of `matches`.
  void plan(std::span<const std::byte> bytes, const FilterChoice& choice);
  /// Writes the words of `attempt`, by `matches`. Returns false if they are not smaller than the tile.
  bool write(std::span<const std::byte> bytes, const FilterChoice& choice);
  /// Bits of the tile by `matches`. More than `most` may be returned as ~0.
  uint64_t trial_bits(std::span<const std::byte> bytes, const FilterChoice& choice, uint64_t most);
  /// Keeps one of `choices`, and sets `best_matches` to its.
  void try_searches(std::span<const std::byte> tile);
  /// Keeps those of `choices` to choose matches for, and sets `last_prices` to those of the first one's trial.
  void try_filters(std::span<const std::byte> tile);
  /// Writes `attempt` by the parser's matches.
  bool try_parser(std::span<const std::byte> bytes, const FilterChoice& choice);
  /// Searches, and chooses matches by `last_prices`, then by theirs, while attempts become cheaper by enough. Returns
  /// whether the tile takes most_words at most.
  bool refine(std::span<const std::byte> bytes, const FilterChoice& choice, std::vector<uint32_t>& words,
              size_t before);
  void keep_cheaper(std::vector<uint32_t>& words, size_t before);
  /// Encodes a small tile again if libzstd makes less of it.
  void compare(std::span<const std::byte> tile, std::vector<uint32_t>& words, size_t before);
  /// Encodes the tile again by all of `choices`. Returns whether it takes most_words at most.
  bool try_last(std::span<const std::byte> tile, std::vector<uint32_t>& words, size_t before);
  /// Does so without fine lengths, then with them.
  bool try_both_lengths(std::span<const std::byte> tile, std::vector<uint32_t>& words, size_t before);
  bool encodes_again() const { return most_words != 0; }
  void code_sequences();
  /// Small tiles of levels from 1 on: descriptions are much of them.
  bool is_small() const { return config.level > 0 && tile_bytes <= kSmallTile; }
  /// Repeats move in tiles of one lane alone, which those have that are encoded again.
  bool moves_repeats() const { return encodes_again(); }
  /// Whether tables are tried that are a little worse and described in fewer bits.
  bool tries_cheap_tables() const { return trial_limit == 0 && (effort.rounds != 0 || is_small()); }
  uint32_t coarsest() const { return tries_cheap_tables() ? kCoarsest : 0; }
  bool tries_contexts() const { return config.contexts && (config.level > kFastLevels || encodes_again()); }
  /// The tile's sequences beyond kManySequences, as of kDensityBytes.
  uint64_t excess() const {
    const uint64_t of_tile = sequences.size() * kDensityBytes / std::max<size_t>(tile_bytes, kMinTileBytes);
    return effort.rounds == 0 || is_text || encodes_again() ? 0 : std::max(of_tile, kManySequences) - kManySequences;
  }
  uint32_t sequence_price() const { return encodes_again() ? 0 : is_text ? kTextSequencePrice : kSequencePrice; }
  /// What is compared of attempts: bits, the sum of what each of these sequences costs more than the one before, and
  /// what they all cost more than by a weight of 1, which tables of more literals bring in.
  uint64_t price_of_attempt() const {
    const uint64_t all = excess(), priced = std::min(all, kMostPriced), weight = config.decode_weight;
    const uint64_t of_excess = priced * (2 * all - priced) * tile_bytes / (2 * kPricedOfOne * kDensityBytes);
    const uint64_t of_all = effort.rounds == 0 || weight == 0 ? 0 : (weight - 1) * sequence_price() * sequences.size();
    const uint64_t price = (uint64_t{attempt.size()} * 32 << kPriceLog) + weight * of_excess + of_all;
    return with_price_of_rows(price, header.row_words);
  }
  /// Returns false if the words will not be smaller than the tile. Only fast levels estimate that.
  bool write_tile(std::span<const std::byte> bytes, bool releases);
  bool write_block(std::span<const std::byte> bytes, size_t number);
  LiteralChoice choose_block_literals(BlockHeader& block);
  FieldCounts count_fields(const BlockPlan& plan);
  void choose_fields(const BlockPlan& plan, BlockHeader& block, FieldChoices& tables);
  void set_field_codes(const BlockHeader& block, const FieldChoices& tables, FieldCodes& codes);
  void write_field_tables(const BlockHeader& block, const FieldChoices& tables);
  BlockLiterals code_literals(const LiteralChoice& choice, bool is_coded, size_t block);
  void collect_literals(std::span<const std::byte> bytes, const BlockPlan& block);
  void count_literals();
  Cost choose_literals(LiteralChoice& choice) const;
  Cost choose_tables(const ContextCounts& counts, LiteralChoice& choice) const;
  void write_literal_tables(const LiteralChoice& choice);
  void add_prices(const BlockPlan& plan, const BlockHeader& block, const LiteralChoice& choice,
                  const FieldChoices& tables);
};

// Collects the block's literals.
void TileEncoder::Work::collect_literals(std::span<const std::byte> bytes, const BlockPlan& block) {
  constexpr size_t kRun = 16;  // bytes copied at once, unless the end is nearer: most runs are shorter
  static_assert(kRun <= kLiteralReadSlack);
  const auto* from = reinterpret_cast<const uint8_t*>(bytes.data()) + block.begin;
  const auto* const end = reinterpret_cast<const uint8_t*>(bytes.data()) + bytes.size();
  uint8_t* const first = literal_bytes.items.get() + literal_bytes.size;
  uint8_t* to = first;
  for (uint32_t s = block.first; s < block.first + block.count; ++s) {
    const uint32_t run = sequences[s].literals;
    if (run <= kRun && static_cast<size_t>(end - from) >= kRun)
      std::memcpy(to, from, kRun);
    else
      std::copy_n(from, run, to);
    to += run;
    from += run + sequences[s].length;
  }
  to = std::copy_n(from, block.trailing, to);
  bytes_of_literals = {first, to};
  literal_bytes.size += bytes_of_literals.size();
  if (!tries_contexts()) return;
  const size_t count = bytes_of_literals.size();
  literal_contexts.resize(count);
  for (size_t i = 1; i < count; ++i) literal_contexts[i] = kContextOfNext[bytes_of_literals[i - 1]];
  // A lane's first literal of a round has none before it.
  for (size_t round = 0; round < count;) {
    const uint32_t size = literals_of_round(count - round, header.lanes_log);
    const uint32_t per_lane = literals_per_lane(size, header.lanes_log);
    for (uint32_t i = 0; i < size; i += per_lane) literal_contexts[round + i] = 0;
    round += size;
  }
}

// Counts the block's literals, by context too if contexts are tried.
void TileEncoder::Work::count_literals() {
  // Equal bytes come in a row: with four tables in turn, no increment waits for the one before.
  std::array<Counts, 4> turns{};
  const size_t fours = bytes_of_literals.size() / 4;
  const uint8_t* byte = bytes_of_literals.data();
  for (size_t i = 0; i < fours; ++i, byte += 4)
    for (uint32_t turn = 0; turn < 4; ++turn) ++turns[turn][byte[turn]];
  for (size_t i = 4 * fours; i < bytes_of_literals.size(); ++i) ++turns[0][bytes_of_literals[i]];
  for (uint32_t s = 0; s < 256; ++s) literal_counts[s] = turns[0][s] + turns[1][s] + turns[2][s] + turns[3][s];
  if (!tries_contexts()) return;
  for (Counts& counts : counts_by_context) counts.fill(0);
  for (size_t i = 0; i < literal_contexts.size(); ++i) ++counts_by_context[literal_contexts[i]][bytes_of_literals[i]];
}

// Merges contexts' tables while the total shrinks, then sets the tables. Returns the bits of tables and literals.
Cost TileEncoder::Work::choose_tables(const ContextCounts& counts, LiteralChoice& choice) const {
  constexpr Cost kTable = 24 * kBit, kPresent = 2 * kBit;  // estimates for a table
  ContextCounts groups;
  std::array<Cost, kLiteralContexts> costs{};
  std::array<bool, kLiteralContexts> is_used{};
  std::array<uint8_t, kLiteralContexts> group_of{};
  const auto cost_of = [&](const Counts& of) { return kTable + entropy_cost(of) + count_present(of) * kPresent; };
  uint32_t used = 0;
  for (uint32_t c = 0; c < kLiteralContexts; ++c) {
    groups[c] = counts[c];
    group_of[c] = static_cast<uint8_t>(c);
    is_used[c] = std::any_of(counts[c].begin(), counts[c].end(), [](uint32_t n) { return n != 0; });
    costs[c] = cost_of(counts[c]);
    used += is_used[c] ? 1 : 0;
  }
  std::array<std::array<Cost, kLiteralContexts>, kLiteralContexts> joined{};
  Counts both;
  const auto join = [&](uint32_t a, uint32_t b) {
    for (uint32_t s = 0; s < 256; ++s) both[s] = groups[a][s] + groups[b][s];
    joined[a][b] = cost_of(both);
  };
  for (uint32_t a = 0; a < kLiteralContexts; ++a)
    for (uint32_t b = a + 1; b < kLiteralContexts; ++b)
      if (is_used[a] && is_used[b]) join(a, b);
  while (used > 1) {
    uint32_t best_a = 0, best_b = 0;
    int64_t best = INT64_MIN;
    for (uint32_t a = 0; a < kLiteralContexts; ++a)
      for (uint32_t b = a + 1; b < kLiteralContexts; ++b) {
        if (!is_used[a] || !is_used[b]) continue;
        const int64_t gain = static_cast<int64_t>(costs[a] + costs[b]) - static_cast<int64_t>(joined[a][b]);
        if (gain > best) best = gain, best_a = a, best_b = b;
      }
    if (best < 0 && used <= kMaxLiteralTables) break;
    for (uint32_t s = 0; s < 256; ++s) groups[best_a][s] += groups[best_b][s];
    costs[best_a] = joined[best_a][best_b];
    is_used[best_b] = false;
    --used;
    for (uint32_t c = 0; c < kLiteralContexts; ++c) {
      if (group_of[c] == best_b) group_of[c] = static_cast<uint8_t>(best_a);
      if (is_used[c] && c != best_a) join(std::min(c, best_a), std::max(c, best_a));
    }
  }
  // Numbers tables; contexts that never occur get the first.
  std::array<uint32_t, kLiteralContexts> number{};
  choice.tables = choice.map = 0;
  Cost cost = 0;
  for (uint32_t c = 0; c < kLiteralContexts; ++c) {
    if (!is_used[c]) continue;
    const uint32_t t = choice.tables++;
    number[c] = t;
    choose_lengths(groups[c], choice.lengths[t]);
    cost += literals_cost(groups[c], choice.lengths[t]);
  }
  for (uint32_t c = 0; c < kLiteralContexts; ++c)
    if (is_used[group_of[c]]) choice.map |= number[group_of[c]] << (2 * c);
  return cost + choice.describe(header.lanes_log);
}

Cost TileEncoder::Work::choose_literals(LiteralChoice& choice) const {
  choice = {};
  choose_lengths(literal_counts, choice.lengths[0]);
  Cost best = literals_cost(literal_counts, choice.lengths[0]) + choice.describe(header.lanes_log);
  if (tries_contexts() && literal_contexts.size() >= 256) {
    LiteralChoice by_context;
    if (const Cost cost = choose_tables(counts_by_context, by_context); cost < best && by_context.tables != 1) {
      best = cost;
      choice = by_context;
    }
  }
  if (!tries_cheap_tables() || is_sound) return best;
  const LiteralChoice shortest = choice;
  const uint32_t first = tries_all_lengths ? 0 : choice.set, end = tries_all_lengths ? kLengthSets : first + 1;
  for (uint32_t set = first; set < end; ++set) {
    LiteralChoice fitted = shortest;
    Cost cost = 0;
    for (uint32_t t = 0; t < fitted.tables; ++t) {
      Counts counts = fitted.tables == 1 ? literal_counts : Counts{};
      for (uint32_t c = 0; c < kLiteralContexts && fitted.tables != 1; ++c)
        if (BlockHeader::table_of(fitted.map, c) == t)
          std::ranges::transform(counts, counts_by_context[c], counts.begin(), std::plus{});
      fit_to_description(counts, header.lanes_log, set, tries_all_lengths, fitted.lengths[t]);
      cost += literals_cost(counts, fitted.lengths[t]);
    }
    cost += fitted.describe(header.lanes_log);
    if (cost > best) continue;
    best = cost;
    choice = fitted;
  }
  return best;
}

void TileEncoder::Work::write_literal_tables(const LiteralChoice& choice) {
  const uint32_t steps = 256 / lanes;
  for (uint32_t t = 0; t < choice.tables; ++t) {
    const CodeLengths& lengths = choice.lengths[t];
    for (uint32_t step = 0; step < steps; ++step) {
      const uint32_t need = step % 3 == 0 ? kRansLog * std::min(3u, steps - step) : 0;
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        const uint32_t byte = lane * steps + step;
        const uint32_t before = step == 0 ? kNoLength : lengths[byte - 1];
        writer.symbols(lane, need, LaneWriter::pack(length_table(length_model(choice.set, before)), lengths[byte]));
      }
    }
  }
}

// Codes of a block's literals for the writer; raw bytes, and single symbols, are codes, too.
BlockLiterals TileEncoder::Work::code_literals(const LiteralChoice& choice, bool is_coded, size_t block) {
  const uint32_t longest = is_coded ? kMaxCodeLength : 8;
  const uint32_t count = static_cast<uint32_t>(bytes_of_literals.size());
  const bool is_last = block + 1 == blocks.size();
  const auto set_codes = [&](const CodeLengths& lengths, std::array<uint32_t, 256>& codes) {
    std::array<uint16_t, 256> canonical;
    assign_codes(lengths, canonical);
    const bool is_single = single_symbol(lengths) != 256;
    for (uint32_t s = 0; s < 256; ++s) codes[s] = is_single ? 0 : canonical[s] | uint32_t{lengths[s]} << 16;
  };
  if (!is_coded || choice.tables == 1) {
    std::array<uint32_t, 256>& codes = byte_codes[block];
    if (is_coded)
      set_codes(choice.lengths[0], codes);
    else
      for (uint32_t s = 0; s < 256; ++s) codes[s] = s | 8u << 16;
    return {bytes_of_literals.data(), codes.data(), count, longest, is_last};
  }
  std::array<std::array<uint32_t, 256>, kMaxLiteralTables> codes;
  for (uint32_t t = 0; t < choice.tables; ++t) set_codes(choice.lengths[t], codes[t]);
  uint32_t* const first = literal_codes.more(count);
  std::array<const uint32_t*, kLiteralContexts> of_context;
  for (uint32_t c = 0; c < kLiteralContexts; ++c) of_context[c] = codes[BlockHeader::table_of(choice.map, c)].data();
  for (size_t i = 0; i < count; ++i) first[i] = of_context[literal_contexts[i]][bytes_of_literals[i]];
  return {nullptr, first, count, longest, is_last};
}

void TileEncoder::Work::add_prices(const BlockPlan& plan, const BlockHeader& block, const LiteralChoice& choice,
                                   const FieldChoices& tables) {
  BlockPrices& of = prices.emplace_back();
  of.begin = plan.begin;
  of.fine_lengths = fine_lengths;
  of.moves_repeats = moves_repeats();
  const uint32_t of_excess = static_cast<uint32_t>(std::min(excess(), kMostPriced) / kPricedOfOne);
  of.sequence = config.decode_weight * (sequence_price() + of_excess);
  of.of_near = config.decode_weight * (is_text || encodes_again() ? 0 : kNearPrice);
  const auto set = [](std::span<const uint16_t> frequencies, std::span<uint16_t> to) {
    std::transform(frequencies.begin(), frequencies.end(), to.begin(), symbol_price);
  };
  const std::span given(kGivenFrequencies);
  for (uint32_t f = 0; f < kLowBits; ++f)
    set(std::span(plan.count != 0 ? tables[f].frequencies : given[f]).first(kFieldSymbols[f]), of.fields[f]);
  if (plan.count != 0 && block.fields[kLowBits] != TableMode::given) {
    of.low_bits = block.low_bits;
    set(std::span(tables[kLowBits].frequencies).first(kFieldSymbols[kLowBits]), of.low_bits_prices);
  }
  // What describes a symbol is part of the price of each: of the last of them it is all.
  if (encodes_again() && plan.count != 0) {
    const FieldCounts counts = count_fields(plan);
    for (uint32_t f = 0; f < kLowBits; ++f)
      for (uint32_t s = 0; s < kFieldSymbols[f] && is_own(block.fields[f]); ++s)
        if (counts.symbols[f][s] != 0)
          of.fields[f][s] = static_cast<uint16_t>(of.fields[f][s] + kDescribedPrice / counts.symbols[f][s]);
  }
  for (uint32_t context = 0; context < kLiteralContexts; ++context) {
    if (block.literals == TableMode::given) {
      of.literals[context].fill(8 << kPriceLog);
      continue;
    }
    const CodeLengths& lengths = choice.lengths[BlockHeader::table_of(choice.map, context)];
    for (uint32_t byte = 0; byte < 256; ++byte)
      of.literals[context][byte] =
          static_cast<uint16_t>(lengths[byte] == 0 ? kRarePrice : uint32_t{lengths[byte]} << kPriceLog);
  }
}

// The cheapest of own tables, those of the block before, and none, for `bytes_of_literals`.
LiteralChoice TileEncoder::Work::choose_block_literals(BlockHeader& block) {
  LiteralChoice choice;
  if (bytes_of_literals.empty()) return choice;
  count_literals();
  Cost best = Cost{bytes_of_literals.size()} * 8 * kBit;
  LiteralChoice own;
  if (const Cost cost = own_tables ? choose_literals(own) : best; cost < best) {
    best = cost;
    choice = own;
    block.literals = TableMode::own;
  }
  if (before_literals) {
    Cost cost = before_literals->tables > 1 ? 0 : literals_cost(literal_counts, before_literals->lengths[0]);
    for (uint32_t c = 0; c < kLiteralContexts && before_literals->tables > 1; ++c) {
      const Cost of_context =
          literals_cost(counts_by_context[c], before_literals->lengths[BlockHeader::table_of(before_literals->map, c)]);
      cost = of_context == ~Cost{0} || cost == ~Cost{0} ? ~Cost{0} : cost + of_context;
    }
    if (cost <= best) {
      best = cost;
      choice = *before_literals;
      block.literals = TableMode::previous;
    }
  }
  spent += best;
  if (block.literals == TableMode::own) {
    block.tables = choice.tables;
    block.map = choice.map;
    block.set = choice.set;
  }
  return choice;
}

FieldCounts TileEncoder::Work::count_fields(const BlockPlan& plan) {
  FieldCounts counts;
  constexpr uint32_t kOffsetBits = 32;  // more than those of any offset
  std::array<std::array<uint32_t, 8>, kOffsetBits> low_by_bits{};
  const uint8_t* const literal_symbols = coded.symbols[kLiteralLength].items.get();
  const uint8_t* const offset_symbols = coded.symbols[kOffset].items.get();
  const uint8_t* const match_symbols = coded.symbols[kMatchLength].items.get();
  const uint8_t* const offset_bits = coded.offset_bits.items.get();
  const uint8_t* const length_bits = coded.length_bits.items.get();
  const uint32_t* const offset_extra = coded.offset_extra.items.get();
  for (uint32_t s = plan.first; s < plan.first + plan.count; ++s) {
    ++counts.symbols[kLiteralLength][literal_symbols[s]];
    ++counts.symbols[kOffset][offset_symbols[s]];
    ++counts.symbols[kMatchLength][match_symbols[s]];
    ++low_by_bits[offset_bits[s]][offset_extra[s] & 7];
    counts.extra_bits += uint32_t{offset_bits[s]} + length_bits[s];
  }
  for (const uint32_t low : {2u, 3u})
    for (uint32_t bits = low; bits < kOffsetBits; ++bits)
      for (uint32_t extra = 0; extra < 8; ++extra)
        counts.low[low - 2][extra & ((1u << low) - 1)] += low_by_bits[bits][extra];
  return counts;
}

// Tables of fields of a block that has sequences.
void TileEncoder::Work::choose_fields(const BlockPlan& plan, BlockHeader& block, FieldChoices& tables) {
  const FieldCounts counts = count_fields(plan);
  spent += counts.extra_bits * kBit;
  for (uint32_t f = 0; f < kLowBits; ++f) {
    const std::span<const uint32_t> of(counts.symbols[f].data(), kFieldSymbols[f]);
    const FieldChoice* const before = before_fields[f] ? &*before_fields[f] : nullptr;
    spent += choose_field(f, of, field_cost(of, kGivenFrequencies[f]), before, before != nullptr, own_tables,
                          encodes_again(), coarsest(), block.fields[f], tables[f]);
    if (block.fields[f] == TableMode::given)
      std::copy(kGivenFrequencies[f].begin(), kGivenFrequencies[f].end(), tables[f].frequencies.begin());
  }
  // Low bits of offsets: a table against raw bits.
  Cost saved = 0;
  for (const uint32_t low : {2u, 3u}) {
    const std::span<const uint32_t> of(counts.low[low - 2].data(), kFieldSymbols[kLowBits]);
    const Cost raw = std::accumulate(of.begin(), of.end(), Cost{0}) * low * kBit;
    if (raw == 0) continue;
    const FieldChoice* const before =
        before_fields[kLowBits] && before_low_bits == low ? &*before_fields[kLowBits] : nullptr;
    TableMode mode = TableMode::given;
    FieldChoice table;
    const Cost cost = choose_field(kLowBits, of, raw, before, before_fields[kLowBits].has_value(), own_tables,
                                   encodes_again(), coarsest(), mode, table);
    if (raw - cost <= saved) continue;
    saved = raw - cost;
    block.low_bits = low;
    block.fields[kLowBits] = mode;
    tables[kLowBits] = table;
  }
  spent -= saved;
}

void TileEncoder::Work::set_field_codes(const BlockHeader& block, const FieldChoices& tables, FieldCodes& codes) {
  for (uint32_t f = 0; f < kFields; ++f) {
    if (f == kLowBits && block.fields[f] == TableMode::given) continue;
    for (uint32_t symbol = 0, base = 0; symbol < kFieldSymbols[f]; base += tables[f].frequencies[symbol++])
      codes.packed[f][symbol] = LaneWriter::pack(tables[f].frequencies[symbol], base);
    before_fields[f] = tables[f];
  }
  if (block.fields[kLowBits] != TableMode::given) before_low_bits = block.low_bits;
}

void TileEncoder::Work::write_field_tables(const BlockHeader& block, const FieldChoices& tables) {
  uint32_t described = 0;
  for (uint32_t f = 0; f < kFields; ++f) {
    if (!is_own(block.fields[f])) continue;
    for (uint32_t s = 0; s < kFieldSymbols[f]; ++s, ++described) {
      const Weight weight = tables[f].weights[s];
      // Lanes take turns.
      const uint32_t lane = described % lanes;
      writer.symbols(lane, kRansLog + kWeightBits,
                     LaneWriter::pack(weight_table(weight_model(set_of(block.fields[f]), f, s)), weight.weight_class));
      writer.bits(lane, 0, weight.extra, weight_extra_bits(weight.weight_class));
    }
  }
}

bool TileEncoder::Work::write_block(std::span<const std::byte> bytes, size_t number) {
  const BlockPlan& plan = blocks[number];
  BlockHeader block;
  block.size = plan.size;
  block.sequences = plan.count;
  collect_literals(bytes, plan);
  const LiteralChoice choice = choose_block_literals(block);
  header.is_short = blocks.size() == 1 && block.fits_short();
  spent += (header.is_short ? 32 : 64) * kBit;
  if (spent >= limit) return false;
  FieldChoices tables;
  FieldCodes& codes = field_codes[number];
  if (plan.count != 0) {
    choose_fields(plan, block, tables);
    if (spent >= limit) return false;
    set_field_codes(block, tables, codes);
  }
  if (block.literals == TableMode::own) before_literals = choice;
  if (effort.rounds != 0) add_prices(plan, block, choice, tables);
  if (trial_limit != 0) return true;
  codes.low_bits = block.fields[kLowBits] != TableMode::given ? block.low_bits : FieldCodes::kNone;

  writer.uniform(header.is_short ? block.pack_short() : block.pack_first());
  if (!header.is_short) writer.uniform(block.pack_second());
  if (block.literals == TableMode::own) write_literal_tables(choice);
  write_field_tables(block, tables);
  for (uint32_t batch = 0; batch < plan.count; batch += lanes)
    writer.sequences({&coded, &codes, plan.first + batch, std::min(plan.count - batch, lanes)});
  if (number + 1 == blocks.size() && header.states_released) writer.release();
  if (!bytes_of_literals.empty()) writer.literals(code_literals(choice, block.literals != TableMode::given, number));
  return true;
}

bool TileEncoder::Work::write_tile(std::span<const std::byte> bytes, bool releases) {
  header.states_released = releases;
  header.blocks = static_cast<uint32_t>(blocks.size());
  before_literals.reset();
  before_fields = {};
  before_low_bits = 0;
  prices.clear();
  writer.clear();
  writer.states();
  literal_bytes.clear();
  literal_bytes.more(bytes.size() + kLiteralReadSlack);  // so that no reallocation moves bytes
  literal_bytes.clear();
  literal_codes.clear();
  literal_codes.more(tries_contexts() ? bytes.size() : 0);
  literal_codes.clear();
  field_codes.resize(std::max(field_codes.size(), blocks.size()));
  byte_codes.resize(std::max(byte_codes.size(), blocks.size()));
  // The header, and states that are not released.
  spent = (32 + (releases ? 0 : lanes * kStateLog)) * kBit;
  const bool is_estimated = config.level <= kFastLevels && !encodes_again();
  limit = trial_limit != 0 ? trial_limit : is_estimated ? Cost{bytes.size()} * 8 * kBit : ~Cost{0};
  for (size_t block = 0; block < blocks.size(); ++block)
    if (!write_block(bytes, block)) return false;
  return true;
}

// `__restrict`: otherwise stores of bytes could alias anything.
void TileEncoder::Work::code_sequences() {
  coded.resize(sequences.size());
  uint8_t* __restrict const literal_symbols = coded.symbols[kLiteralLength].items.get();
  uint8_t* __restrict const offset_symbols = coded.symbols[kOffset].items.get();
  uint8_t* __restrict const match_symbols = coded.symbols[kMatchLength].items.get();
  uint8_t* __restrict const offset_bits = coded.offset_bits.items.get();
  uint8_t* __restrict const length_bits = coded.length_bits.items.get();
  uint32_t* __restrict const offset_extra = coded.offset_extra.items.get();
  uint32_t* __restrict const length_extra = coded.length_extra.items.get();
  const Match* __restrict const from = sequences.data();
  const size_t count = sequences.size();
  const LengthCoders& lengths = fine_lengths ? kLengthCoders<true> : kLengthCoders<false>;
  History history(moves_repeats());
  for (size_t s = 0; s < count; ++s) {
    const Match sequence = from[s];
    const Coded run = lengths.literals.code(sequence.literals);
    const Coded match = lengths.match.code(sequence.length - kMinMatch);
    const uint32_t repeat = history.repeat(sequence.offset, sequence.literals);
    const Coded offset = code_offset(sequence.offset);
    const uint32_t is_new = repeat < kRepeats ? 0 : ~0u;
    literal_symbols[s] = static_cast<uint8_t>(run.symbol);
    offset_symbols[s] = static_cast<uint8_t>((offset.symbol & is_new) | (repeat & ~is_new));
    match_symbols[s] = static_cast<uint8_t>(match.symbol);
    offset_bits[s] = static_cast<uint8_t>(offset.extra_bits & is_new);
    length_bits[s] = static_cast<uint8_t>(run.extra_bits + match.extra_bits);
    offset_extra[s] = offset.extra & is_new;
    length_extra[s] = run.extra << match.extra_bits | match.extra;
  }
}

// Chooses the filters to try with the level's own matches.
void TileEncoder::Work::choose_filters(std::span<const std::byte> tile) {
  choices.assign(1, FilterChoice{});
  if (config.forced_filter >= 0) {
    const uint32_t filter = static_cast<uint32_t>(config.forced_filter);
    const uint32_t stride = std::max(config.forced_stride, 1u);
    const uint32_t row_words = TileHeader::is_row(config.forced_row_words, tile.size()) ? config.forced_row_words : 0;
    if (is_filter(filter, stride, row_words != 0)) choices[0] = {{static_cast<Filter>(filter), stride, row_words}};
    return;
  }
  if (!config.filters) return;
  if (effort.rounds == 0 && is_small() && own_tables && tile.size() <= kTriedInPlanes)
    choices.push_back({{Filter::planes, 2}});
  if (effort.trial == Trial::none || choices.size() != 1) return;
  if (effort.trial == Trial::quick)
    choices[0] = scout.choose_quickly(tile);
  else
    scout.choose(tile,
                 {.likely = effort.likely,
                  .narrowed = effort.tried * (effort.is_thorough || effort.tried == 1 ? 3u : 2u),
                  .most = effort.tried,
                  .slack = effort.is_thorough ? kThoroughSlack : kSlack},
                 choices);
  // Estimates of small tiles are poor.
  if (is_small()) keep_unfiltered();
}

void TileEncoder::Work::keep_unfiltered() {
  if (std::ranges::none_of(choices, [](const FilterChoice& choice) { return choice == FilterSteps{}; }))
    choices.emplace_back();
}

std::span<const std::byte> TileEncoder::Work::filter_tile(const FilterChoice& choice, std::span<const std::byte> tile) {
  if (choice == FilterSteps{}) return tile;
  filtered.resize(tile.size());
  scratch.resize(tile.size());
  apply_filter(choice, tile, filtered, scratch);
  return filtered;
}

void TileEncoder::Work::plan(std::span<const std::byte> bytes, const FilterChoice& choice) {
  const uint64_t bits = config.level > kFastLevels
                            ? planner.plan(bytes, matches, segment_bytes_of(bytes.size()), sequences, blocks)
                            : planner.plan_fast(bytes, matches, plane_bytes(choice, bytes.size()), sequences, blocks);
  // A lane's end takes about 4 bytes, little of a tile. A small tile's lanes have no more work than those of others.
  const uint64_t bits_per_lane = bytes.size() <= kSmallTile ? 4096 : 256;
  header = {};
  header.lanes_log =
      std::min<uint32_t>(kMaxLanesLog, static_cast<uint32_t>(std::bit_width(bits / bits_per_lane + 1)) - 1);
  if (encodes_again()) header.lanes_log = 0;
  header.filter = static_cast<uint32_t>(choice.filter);
  header.stride = choice.stride;
  header.row_words = choice.row_words;
  header.fine_lengths = fine_lengths;
  header.moves_repeats = moves_repeats();
  lanes = 1u << header.lanes_log;
  code_sequences();
}

bool TileEncoder::Work::write(std::span<const std::byte> bytes, const FilterChoice& choice) {
  plan(bytes, choice);
  attempt.clear();
  if (!write_tile(bytes, true)) return false;
  if (!writer.finish(header, attempt)) {
    attempt.clear();
    if (!write_tile(bytes, false)) return false;
    writer.finish(header, attempt);
  }
  return attempt.size() * 4 < bytes.size();
}

uint64_t TileEncoder::Work::trial_bits(std::span<const std::byte> bytes, const FilterChoice& choice, uint64_t most) {
  plan(bytes, choice);
  trial_limit = (std::min(most, kMostBits) + 1) << kCostLog;
  const bool is_whole = write_tile(bytes, true);
  trial_limit = 0;
  return is_whole ? with_price_of_rows(spent >> kCostLog, choice.row_words) : ~uint64_t{0};
}

void TileEncoder::Work::try_searches(std::span<const std::byte> tile) {
  if (!own_tables) return greedy_parser.parse(filter_tile(choices[0], tile), kSearchesOfSmall[0], best_matches);
  uint64_t least = kMostBits;
  FilterChoice best;
  for (const FilterChoice& choice : choices) {
    const std::span<const std::byte> bytes = filter_tile(choice, tile);
    for (const GreedySearch& search : kSearchesOfSmall) {
      greedy_parser.parse(bytes, search, matches);
      // Few matches are mostly the same.
      if (&search != kSearchesOfSmall.data() && matches == matches_before) continue;
      matches_before = matches;
      const uint64_t bits = trial_bits(bytes, choice, least);
      if (bits >= least) continue;
      least = std::min(bits, uint64_t{tile.size()} * 8);
      best = choice;
      best_matches = matches;
    }
  }
  choices.assign(1, best);
}

void TileEncoder::Work::try_filters(std::span<const std::byte> tile) {
  const auto with_slack = [&](uint64_t bits) { return effort.refined == 1 ? bits : bits + bits / kRefinedSlack; };
  uint64_t least = kMostBits;
  is_sound = false;
  size_t tried = 0;
  while (tried < choices.size() && !is_sound) {
    FilterChoice& choice = choices[tried++];
    const std::span<const std::byte> bytes = filter_tile(choice, tile);
    greedy_parser.parse(bytes, kSearchOfTrials, matches);
    choice.bits = trial_bits(bytes, choice, with_slack(least));
    choice.has_few_matches = literal_bytes.size > tile.size() / kManyLiterals;
    if (choice.bits >= least) continue;
    least = choice.bits;
    const uint32_t of_sound = is_of_numbers(choice.filter) ? kNumbersOfSound : kBytesOfSound;
    is_sound = !effort.is_thorough && uint64_t{literal_bytes.size} * 8 > tile.size() * of_sound;
    std::swap(prices, last_prices);
  }
  choices.resize(tried);
  keep_cheapest(choices, effort.refined);
  std::erase_if(choices, [&](const FilterChoice& choice) { return choice.bits > with_slack(least); });
  if (is_small() && config.forced_filter < 0) keep_unfiltered();
}

void TileEncoder::Work::keep_cheaper(std::vector<uint32_t>& words, size_t before) {
  const uint64_t price = price_of_attempt();
  if (words.size() != before && price >= kept_price) return;
  kept_price = price;
  words.resize(before);
  words.insert(words.end(), attempt.begin(), attempt.end());
}

bool TileEncoder::Work::try_parser(std::span<const std::byte> bytes, const FilterChoice& choice) {
  if (config.level <= kFastLevels && is_small()) {
    matches = best_matches;
  } else if (config.level <= kFastLevels) {
    const bool is_enough = choice.has_few_matches || plane_bytes(choice, bytes.size()) != 0;
    const GreedySearch& search = own_tables ? effort.search : kSearchesOfSmall[0];  // nothing is skipped in tiny ones
    greedy_parser.parse(bytes, is_enough ? kSearchOfFew : search, matches);
  } else {
    const bool is_other = choice.filter != Filter::none || (effort.rounds != 0 && !is_small());
    const bool searches_less = is_other && effort_of_small.filtered != effort_of_small.parser;
    (searches_less ? filtered_parser : parser).parse(bytes, matches);
  }
  return write(bytes, choice);
}

bool TileEncoder::Work::refine(std::span<const std::byte> bytes, const FilterChoice& choice,
                               std::vector<uint32_t>& words, size_t before) {
  const bool is_hasty = !is_text && !effort.is_thorough, is_short = is_hasty && choice.has_few_matches;
  const uint32_t depth = is_text ? effort.depth * kDepthOfText : is_sound ? 1 : is_short ? kDepthOfFew : effort.depth;
  const uint32_t rounds = is_text ? effort.rounds * kRoundsOfText : is_short ? 1 : effort.rounds;
  if (!encodes_again()) finder.find(bytes, is_hasty ? kMinMatch + 1 : kMinMatch, depth);
  cap_prices(last_prices);
  uint64_t best = ~uint64_t{0};
  for (uint32_t round = 0; round < rounds; ++round) {
    chooser.choose(bytes, finder, last_prices, is_hasty, matches);
    if (write(bytes, choice)) keep_cheaper(words, before);
    if (words.size() != before && words.size() - before <= most_words) return true;
    const uint64_t before_round = std::exchange(best, price_of_attempt());
    if (!encodes_again() && best >= before_round - before_round / kLeastGain) break;
    std::swap(prices, last_prices);
  }
  return false;
}

bool TileEncoder::Work::try_last(std::span<const std::byte> tile, std::vector<uint32_t>& words, size_t before) {
  for (const FilterChoice& choice : choices) {
    const std::span<const std::byte> bytes = filter_tile(choice, tile);
    finder.find(bytes, kMinMatch, effort.depth);
    const auto refine_priced = [&](uint32_t half_bits, bool cheap_symbols) {
      last_prices.assign(1, first_prices(half_bits, cheap_symbols));
      last_prices[0].fine_lengths = fine_lengths;
      last_prices[0].moves_repeats = moves_repeats();
      return refine(bytes, choice, words, before);
    };
    for (uint32_t half_bits = kMostOfLiteral; half_bits >= kLeastOfLiteral; half_bits -= 2)
      if (refine_priced(half_bits, false)) return true;
    const auto refine_parsed = [&] {
      if (write(bytes, choice)) keep_cheaper(words, before);
      std::swap(prices, last_prices);
      return refine(bytes, choice, words, before);
    };
    for (Parser* of : {&level_itself, &parser}) {
      of->parse(bytes, matches);
      if (refine_parsed()) return true;
    }
    for (const GreedySearch& search : kSearchesOfSmall) {
      greedy_parser.parse(bytes, search, matches);
      if (refine_parsed()) return true;
    }
    for (uint32_t half_bits = kMostOfLiteral; half_bits >= kLeastOfLiteral; --half_bits)
      if (refine_priced(half_bits, true)) return true;
  }
  return false;
}

bool TileEncoder::Work::try_both_lengths(std::span<const std::byte> tile, std::vector<uint32_t>& words, size_t before) {
  static_assert(kSmallTile <= kMostFineLength + 1);
  if (try_last(tile, words, before)) return true;
  fine_lengths = true;
  const bool is_small_enough = try_last(tile, words, before);
  fine_lengths = false;
  return is_small_enough;
}

void TileEncoder::Work::compare(std::span<const std::byte> tile, std::vector<uint32_t>& words, size_t before) {
  if (!own_tables && is_dense(tile)) return;
  const size_t most = (level_itself.compressed_size(tile) + kMoreThanLibzstd) / 4;
  const size_t now = words.size() == before ? (tile.size() + 3) / 4 : words.size() - before;
  if (now <= most) return;
  most_words = most;
  kept_price = uint64_t{now} * 32 << kPriceLog;
  own_tables = true;
  effort = kEffortOfLast;
  choices.resize(1);
  if (try_both_lengths(tile, words, before)) return;
  tries_all_lengths = true;
  choose_filters(tile);
  if (config.filters)
    for (uint32_t stride = 1; stride <= kLastStrides; ++stride) choices.push_back({{Filter::delta, stride}});
  try_filters(tile);
  try_both_lengths(tile, words, before);
}

TileEncoder::TileEncoder(const TileEncoderConfig& config) : work_(std::make_unique<Work>(config)) {}
TileEncoder::~TileEncoder() = default;
TileEncoder::TileEncoder(TileEncoder&&) noexcept = default;
TileEncoder& TileEncoder::operator=(TileEncoder&&) noexcept = default;

bool TileEncoder::encode(std::span<const std::byte> tile, std::vector<uint32_t>& words) {
  if (tile.empty() || tile.size() > kMaxTileBytes) return false;
  Work& work = *work_;
  work.most_words = 0;
  work.tries_all_lengths = false;
  work.own_tables = work.config.level > kFastLevels || tile.size() > kTinyBytes;
  work.tile_bytes = tile.size();
  work.effort = work.is_small() ? work.effort_of_small : work.effort_of_large;
  work.is_text = std::ranges::min(tile) >= kFirstOfText;
  work.choose_filters(tile);
  const size_t before = words.size();
  // Estimates leave out tables, and more matches than a fast search finds.
  if (work.effort.rounds != 0) work.try_filters(tile);
  if (work.config.level <= kFastLevels && work.is_small()) work.try_searches(tile);
  for (size_t i = 0; i < work.choices.size(); ++i) {
    const FilterChoice choice = work.choices[i];
    const std::span<const std::byte> bytes = work.filter_tile(choice, tile);
    if (work.effort.rounds == 0 || work.effort.is_thorough) {
      if (work.try_parser(bytes, choice)) work.keep_cheaper(words, before);
      std::swap(work.prices, work.last_prices);
    } else if (i != 0) {
      work.greedy_parser.parse(bytes, kSearchOfTrials, work.matches);
      work.trial_bits(bytes, choice, kMostBits);
      std::swap(work.prices, work.last_prices);
    }
    if (work.effort.rounds != 0) work.refine(bytes, choice, words, before);
  }
  const bool is_for_size = work.config.decode_weight <= 1 && work.config.forced_filter < 0;
  if (tile.size() <= kSmallTile && is_for_size) work.compare(tile, words, before);
  return words.size() != before;
}

}  // namespace weft::gstd
