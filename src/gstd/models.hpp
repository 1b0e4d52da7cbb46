// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Distributions that are part of the format: models of table descriptions, and tables of blocks without descriptions.
#pragma once

#include <array>
#include <cstdint>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"

namespace weft::gstd {

/// Models of code lengths: in each of the first sets one for each length of the byte before in the lane, and one for
/// none before; in the others one.
constexpr uint32_t kSetModels = kLengthSymbols + 1;
constexpr uint32_t kLengthModels = kSetsByLength * kSetModels + kLengthSets - kSetsByLength;
constexpr uint32_t length_model(uint32_t set, uint32_t before) {
  return set < kSetsByLength ? set * kSetModels + before : kSetsByLength * kSetModels + set - kSetsByLength;
}
constexpr uint32_t kNoLength = kLengthSymbols;  ///< `before`, where there is none

/// Models of weight classes: in the first two sets one for each symbol, in the third one for all. The second is of
/// tables of few symbols, the third of fewer.
constexpr uint32_t kWeightSets = 3, kSetsBySymbol = 2, kWeightModels = kSetsBySymbol * kAllFieldSymbols + 1;
constexpr uint32_t weight_model(uint32_t set, uint32_t field, uint32_t symbol) {
  if (set == kSetsBySymbol) return set * kAllFieldSymbols;
  uint32_t model = set * kAllFieldSymbols + symbol;
  for (uint32_t f = 0; f < field; ++f) model += kFieldSymbols[f];
  return model;
}

extern const std::array<std::array<uint16_t, kLengthSymbols>, kLengthModels> kLengthFrequencies;
extern const std::array<std::array<uint16_t, kWeightClasses>, kWeightModels> kWeightFrequencies;
/// Frequencies of fields without a table in the tile. kLowBits has none.
extern const std::array<std::array<uint16_t, kMaxFieldSymbols>, kFields> kGivenFrequencies;

/// The same as tables, all models in one array.
const RansTable& length_table(uint32_t model);
const RansTable& weight_table(uint32_t model);
const RansTable& given_table(uint32_t field);

}  // namespace weft::gstd
