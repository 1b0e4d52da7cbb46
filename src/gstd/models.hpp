// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Distributions that are part of the format: what table descriptions are coded with, and the tables
// of blocks that describe none.
#pragma once

#include <array>
#include <cstdint>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"

namespace weft::gstd {

/// Models of code lengths. Those of tables that stand by themselves go by the length before in the same lane
/// (kLengthSymbols: none); those of tables relative to the one described last by this byte's length in that one, and
/// how the byte before in the lane compared.
constexpr uint32_t kOwnLengthModels = kLengthSymbols + 1, kRelativeLengthModels = kLengthSymbols * 3;
constexpr uint32_t kLengthModels = kOwnLengthModels + kRelativeLengthModels;
/// `before` and `before_reference`: of the byte before in the lane; kLengthSymbols: there is none.
constexpr uint32_t length_model(bool relative, uint32_t before, uint32_t before_reference, uint32_t reference) {
  if (!relative) return before;
  const uint32_t change = before == before_reference ? 0 : before < before_reference ? 1 : 2;
  return kOwnLengthModels + reference * 3 + change;
}

/// Models of weight classes: one for each symbol.
constexpr uint32_t weight_model(uint32_t field, uint32_t symbol) {
  uint32_t model = symbol;
  for (uint32_t f = 0; f < field; ++f) model += kFieldSymbols[f];
  return model;
}

extern const std::array<std::array<uint16_t, kLengthSymbols>, kLengthModels> kLengthFrequencies;
extern const std::array<std::array<uint16_t, kWeightClasses>, kAllFieldSymbols> kWeightFrequencies;
/// Of blocks that describe no table of a field. kLowBits has none.
extern const std::array<std::array<uint16_t, kMaxFieldSymbols>, kFields> kGivenFrequencies;

/// The same as tables; those of all models are one array.
const RansTable& length_table(uint32_t model);
const RansTable& weight_table(uint32_t model);
const RansTable& given_table(uint32_t field);

}  // namespace weft::gstd
