// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The encoder's tables: the best for given counts, with the costs of tables and descriptions.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "gstd/coding.hpp"
#include "gstd/costs.hpp"
#include "gstd/format.hpp"

namespace weft::gstd {

using Counts = std::array<uint32_t, 256>;

/// Lengths of the shortest code, if none is longer than kMaxCodeLength bits; otherwise of one that is nearly as short.
/// If all counts are 0, the code of byte 0 alone.
void choose_lengths(const Counts& counts, CodeLengths& lengths);
/// Changes the code of counted bytes to one that takes fewer bits with its description in `1 << lanes_log` lanes by a
/// set of models, if one is found. Bytes that are not counted may get a code. Tries lengths near those given, or all.
void fit_to_description(const Counts& counts, uint32_t lanes_log, uint32_t set, bool tries_all, CodeLengths& lengths);
Cost literals_cost(const Counts& counts, const CodeLengths& lengths);
/// Cost of a description in `1 << lanes_log` lanes, by each set of models.
using DescriptionCosts = std::array<uint32_t, kLengthSets>;
DescriptionCosts description_costs(const CodeLengths& lengths, uint32_t lanes_log);

/// A field's frequencies as its description has them. Not all counts are 0.
struct FieldChoice {
  std::array<Weight, kMaxFieldSymbols> weights{};
  std::array<uint16_t, kMaxFieldSymbols> frequencies{};
};
using Slots = std::array<uint32_t, kMaxFieldSymbols>;
/// The best frequencies for counts, which are not all 0.
Slots choose_slots(std::span<const uint32_t> counts);
/// Those nearest to `slots`. Weights lose the lowest `coarseness` bits, which shortens their description.
void choose_frequencies(std::span<const uint32_t> slots, uint32_t coarseness, FieldChoice& choice);
/// Changes weights, one symbol's after the other, while the table takes fewer bits with its description by a set of
/// models. Returns them.
Cost fit_to_description(uint32_t field, uint32_t set, std::span<const uint32_t> counts, FieldChoice& choice);
/// Returns ~0 if a counted symbol has frequency 0.
Cost field_cost(std::span<const uint32_t> counts, std::span<const uint16_t> frequencies);
Cost description_cost(uint32_t field, uint32_t set, const FieldChoice& choice);
/// Lower bound for descriptions of the field's tables, by any set.
Cost least_description_cost(uint32_t field);

}  // namespace weft::gstd
