// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The static models of Gstd are the codec's, in src/gstd/models.cpp. This writes their copies, or reports where they
// differ: shaders/decode/gstd_models.glsl and the appendices of docs/gstd-format.md.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The codec's own: no public header has them.
#include "models.hpp"

namespace weft::gstd {
namespace {

constexpr const char* kFieldNames[kFields] = {"LL", "OF", "ML", "LB"};

/// printf's, with numbers alone.
template <class... Numbers>
std::string formatted(const char* form, Numbers... numbers) {
  char text[128];
  const int length = std::snprintf(text, sizeof text, form, numbers...);
  return std::string(text, static_cast<size_t>(length));
}

// ---- shaders/decode/gstd_models.glsl ----

constexpr uint32_t kPackedBits = 10, kPackedFields = 3, kModelWords = 4;

/// Fields of 10 bits, three to a word; those after the last are 0.
std::vector<uint32_t> packed(std::span<const uint32_t> fields) {
  std::vector<uint32_t> words((fields.size() + kPackedFields - 1) / kPackedFields);
  for (size_t i = 0; i < fields.size(); ++i)
    words[i / kPackedFields] |= fields[i] << (kPackedBits * (i % kPackedFields));
  return words;
}

/// The sums of a model up to and with each of 12 symbols. Those that it does not have end where all slots are taken.
std::string model_vector(std::span<const uint16_t> frequencies) {
  std::vector<uint32_t> sums;
  uint32_t sum = 0;
  for (const uint16_t frequency : frequencies) sums.push_back(sum += frequency);
  sums.resize(kPackedFields * kModelWords, kRansSlots);
  const std::vector<uint32_t> words = packed(sums);
  return formatted("uvec4(0x%xu, 0x%xu, 0x%xu, 0x%xu)", words[0], words[1], words[2], words[3]);
}

template <class Models>
std::string model_array(const char* name, const Models& models) {
  std::string text = std::string("const uvec4 ") + name + formatted("[%zu] = uvec4[](", models.size());
  const char* before = "\n    ";
  for (const auto& frequencies : models) {
    text += before + model_vector(frequencies);
    before = ",\n    ";
  }
  return text + ");\n";
}

std::string given_array() {
  constexpr size_t kWordsInLine = 8;
  std::vector<uint32_t> frequencies;
  for (const Field field : {kLiteralLength, kOffset, kMatchLength})
    for (uint32_t symbol = 0; symbol < kFieldSymbols[field]; ++symbol)
      frequencies.push_back(kGivenFrequencies[field][symbol]);
  const std::vector<uint32_t> words = packed(frequencies);
  std::string text = formatted("const uint kGstdGivenFrequencies[%zu] = uint[](", words.size());
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "\n    " : i % kWordsInLine == 0 ? ",\n    " : ", ") + formatted("0x%xu", words[i]);
  return text + ");\n";
}

std::string shader_text() {
  return std::string(R"(// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Gstd's static models (docs/gstd-format.md, appendices A to C), written by `./run models` from src/gstd/models.cpp.
// Packed, a vector a model: fields of 10 bits, three to a word, are the sums of the frequencies of symbols 0 to 11.
#ifndef WEFT_GSTD_MODELS_GLSL
#define WEFT_GSTD_MODELS_GLSL

// Of code lengths, by the set and, in the first eight, the length before.
)") + model_array("kGstdLengthModels", kLengthFrequencies) +
         "\n// Of classes of weights, by the set: one for each symbol of LL, OF, ML and LB; of the third, for any.\n" +
         model_array("kGstdWeightModels", kWeightFrequencies) +
         "\n// Frequencies of the given tables, of LL, OF and ML one after the other, three to a word.\n" +
         given_array() + "\n#endif\n";
}

// ---- docs/gstd-format.md ----

/// A row of an appendix: what it is of, filled up to `width`, and its frequencies, in more lines if one is too long.
std::string row(std::string name, size_t width, std::span<const uint16_t> frequencies) {
  constexpr size_t kColumns = 120;
  name.resize(width, ' ');
  size_t line = 0;  // where it begins
  for (const uint16_t frequency : frequencies) {
    const std::string number = formatted("%u", unsigned{frequency});
    if (name.size() - line + 1 + number.size() > kColumns) {
      name += '\n';
      line = name.size();
      name.append(width, ' ');
    } else if (name.size() != line + width) {
      name += ' ';
    }
    name += number;
  }
  return name + '\n';
}

constexpr size_t kNameWidth = 9;

std::string lengths() {
  std::string text;
  for (uint32_t set = 0; set < kLengthSets; ++set)
    for (uint32_t before = 0; before < (set < kSetsByLength ? kSetModels : 1); ++before)
      text += row(formatted("%u ", set) + (set >= kSetsByLength  ? "any"
                                           : before == kNoLength ? "none"
                                                                 : formatted("%u", before)),
                  kNameWidth, kLengthFrequencies[length_model(set, before)]);
  return text;
}

std::string weights() {
  std::string text;
  for (uint32_t set = 0; set < kSetsBySymbol; ++set)
    for (uint32_t field = 0; field < kFields; ++field)
      for (uint32_t symbol = 0; symbol < kFieldSymbols[field]; ++symbol)
        text += row(formatted("%u ", set) + kFieldNames[field] + formatted(" %u", symbol), kNameWidth,
                    kWeightFrequencies[weight_model(set, field, symbol)]);
  text += row(formatted("%u any", kSetsBySymbol), kNameWidth, kWeightFrequencies[weight_model(kSetsBySymbol, 0, 0)]);
  return text;
}

std::string given() {
  std::string text;
  for (const Field field : {kLiteralLength, kOffset, kMatchLength})
    text +=
        row(std::string(kFieldNames[field]) + ' ', 3, std::span(kGivenFrequencies[field]).first(kFieldSymbols[field]));
  return text;
}

/// The document with the block of code after each appendix's heading replaced. None: there is no such block.
std::optional<std::string> document_text(std::string document) {
  struct Appendix {
    std::string_view heading;
    std::string (*rows)();
  };
  for (const Appendix& appendix : {Appendix{"\n### Appendix A.", lengths}, Appendix{"\n### Appendix B.", weights},
                                   Appendix{"\n### Appendix C.", given}}) {
    constexpr std::string_view kFence = "\n```\n";
    const size_t heading = document.find(appendix.heading);
    const size_t open = heading == std::string::npos ? heading : document.find(kFence, heading);
    if (open == std::string::npos || document.find("\n### ", heading + 1) < open) return std::nullopt;
    const size_t begin = open + kFence.size();
    // The fence's line end may be that of the line above.
    const size_t close = document.find(kFence, begin - 1);
    if (close == std::string::npos) return std::nullopt;
    document.replace(begin, close + 1 - begin, appendix.rows());
  }
  return document;
}

// ---- the files ----

std::optional<std::string> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "gstd_models: cannot write %s\n", path.c_str());
  return !file.fail();
}

size_t first_line_that_differs(std::string_view a, std::string_view b) {
  size_t line = 1;
  for (size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) line += a[i] == '\n' ? 1 : 0;
  return line;
}

bool is_same(const std::string& path, const std::string& found, const std::string& wanted) {
  if (found == wanted) return true;
  std::fprintf(stderr, "gstd_models: %s:%zu: not what src/gstd/models.cpp has; ./run models writes it anew\n",
               path.c_str(), first_line_that_differs(found, wanted));
  return false;
}

int run(bool check, const std::string& tree) {
  const std::string shader = tree + "/shaders/decode/gstd_models.glsl", document = tree + "/docs/gstd-format.md";
  const auto document_found = read(document);
  const auto wanted = document_text(document_found.value_or(""));
  if (!wanted) {
    std::fprintf(stderr, "gstd_models: %s has not the three appendices, with a block of code each\n", document.c_str());
    return 1;
  }
  if (check) {
    const bool shader_is_same = is_same(shader, read(shader).value_or(""), shader_text());
    return is_same(document, *document_found, *wanted) && shader_is_same ? 0 : 1;
  }
  return write(shader, shader_text()) && write(document, *wanted) ? 0 : 1;
}

}  // namespace
}  // namespace weft::gstd

int main(int argc, char** argv) {
  const std::string_view command = argc == 3 ? argv[1] : "";
  if (command != "write" && command != "check") {
    std::fprintf(
        stderr,
        "usage: gstd_models write|check DIRECTORY\n"
        "Writes the static models of Gstd to a source tree's shaders/decode/gstd_models.glsl and docs/gstd-format.md,\n"
        "or compares what is there.\n");
    return 2;
  }
  return weft::gstd::run(command == "check", argv[2]);
}
