// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The static models as shaders/decode/gstd_models.glsl has them, packed, beside those of the host.
// WEFT_GSTD_MODELS_GLSL is that file.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "gstd/models.hpp"

namespace weft::gstd::test {
namespace {

std::string shader_text() {
  std::ifstream file(WEFT_GSTD_MODELS_GLSL, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct ShaderArray {
  uint32_t declared = 0;  // items, as the brackets after its name have it
  std::vector<uint32_t> words;
};

// "const <type> <name>[<items>] = <type>[](<words in hexadecimal>);"
ShaderArray shader_array(const std::string& text, const std::string& type, const std::string& name) {
  ShaderArray array;
  const std::string head = "const " + type + " " + name + "[";
  const size_t begin = text.find(head);
  if (begin == std::string::npos) return array;
  const size_t end = text.find(';', begin);
  array.declared = static_cast<uint32_t>(std::strtoul(text.c_str() + begin + head.size(), nullptr, 10));
  for (size_t at = text.find("0x", begin); at < end; at = text.find("0x", at + 2))
    array.words.push_back(static_cast<uint32_t>(std::strtoul(text.c_str() + at, nullptr, 16)));
  return array;
}

// Three fields of 10 bits to a word; those after the last are 0.
std::vector<uint32_t> packed(const std::vector<uint32_t>& fields) {
  std::vector<uint32_t> words((fields.size() + 2) / 3);
  for (size_t i = 0; i < fields.size(); ++i) words[i / 3] |= fields[i] << (10 * (i % 3));
  return words;
}

// Twelve sums a model. Symbols that a model does not have begin where all slots are taken.
template <size_t Symbols, size_t Models>
std::vector<uint32_t> packed_models(const std::array<std::array<uint16_t, Symbols>, Models>& models) {
  std::vector<uint32_t> words;
  for (const auto& frequencies : models) {
    std::vector<uint32_t> sums(12, kRansSlots);
    std::partial_sum(frequencies.begin(), frequencies.end(), sums.begin());
    const std::vector<uint32_t> model = packed(sums);
    words.insert(words.end(), model.begin(), model.end());
  }
  return words;
}

TEST_CASE("the shader's models of code lengths and weights are the host's") {
  const std::string text = shader_text();
  REQUIRE_FALSE(text.empty());
  const ShaderArray lengths = shader_array(text, "uvec4", "kGstdLengthModels");
  CHECK(lengths.declared == kLengthModels);
  CHECK(lengths.words == packed_models(kLengthFrequencies));
  const ShaderArray weights = shader_array(text, "uvec4", "kGstdWeightModels");
  CHECK(weights.declared == kWeightModels);
  CHECK(weights.words == packed_models(kWeightFrequencies));
}

TEST_CASE("the shader's given tables are the host's") {
  std::vector<uint32_t> frequencies;
  for (const Field field : {kLiteralLength, kOffset, kMatchLength})
    frequencies.insert(frequencies.end(), kGivenFrequencies[field].begin(),
                       kGivenFrequencies[field].begin() + kFieldSymbols[field]);
  const ShaderArray given = shader_array(shader_text(), "uint", "kGstdGivenFrequencies");
  CHECK(given.words == packed(frequencies));
  CHECK(given.declared == given.words.size());
}

}  // namespace
}  // namespace weft::gstd::test
