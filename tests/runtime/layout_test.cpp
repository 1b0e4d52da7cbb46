// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel_families.hpp"
#include "runtime/packed_format.hpp"
#include "runtime/packed_kernels.hpp"
#include "test_kernels.hpp"

#ifdef WEFT_TEST_KERNELS_OF_weft_decode
#include "decode/kernel_families.hpp"
#endif

namespace weft::test {
namespace {

/// A member of a push-constant structure.
struct Member {
  std::string name;
  size_t offset;
  size_t size;
};

/// A specialization constant: "<id> <type> <name>".
using Constants = std::set<std::string>;

/// Those that the headers declare which GLSL and C++ share.
Constants declared_constants() {
  Constants constants;
  const std::regex declaration(R"(^WEFT_CONSTANT\((\d+), (uint|bool), (\w+), )");
  for (const auto& file : std::filesystem::recursive_directory_iterator(WEFT_TEST_SOURCES "/shaders")) {
    if (file.path().extension() != ".h") continue;
    std::ifstream stream(file.path());
    std::smatch match;
    for (std::string line; std::getline(stream, line);)
      if (std::regex_search(line, match, declaration))
        constants.insert(match[1].str() + ' ' + match[2].str() + ' ' + match[3].str());
  }
  return constants;
}

/// As much of a SPIR-V module as its push constants and specialization constants need.
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

  /// The specialization constants of weft's own, without the sizes of workgroup and subgroup, and snippets', each with
  /// all of its names: constants that are defined as another one are names of that.
  std::vector<Constants> constants() const {
    std::vector<Constants> constants;
    for (const auto& [constant, id] : constant_ids_) {
      if (id < 2 || id >= 100) continue;
      Constants& names = constants.emplace_back();
      for (const std::string& name : id_names_.at(constant))
        names.insert(std::to_string(id) + ' ' + constant_types_.at(constant) + ' ' + name);
    }
    return constants;
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
    kOpName = 5,
    kOpMemberName = 6,
    kOpTypeBool = 20,
    kOpTypeInt = 21,
    kOpTypeFloat = 22,
    kOpTypeVector = 23,
    kOpTypeStruct = 30,
    kOpTypePointer = 32,
    kOpSpecConstantTrue = 48,
    kOpSpecConstantFalse = 49,
    kOpSpecConstant = 50,
    kOpVariable = 59,
    kOpDecorate = 71,
    kOpMemberDecorate = 72,
    kSpecId = 1,
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
      case kOpName: id_names_[operands[0]].push_back(reinterpret_cast<const char*>(&operands[1])); break;
      case kOpDecorate:
        if (operands[1] == kSpecId) constant_ids_[operands[0]] = operands[2];
        break;
      case kOpSpecConstantTrue:
      case kOpSpecConstantFalse:
      case kOpSpecConstant: constant_types_[operands[1]] = opcode == kOpSpecConstant ? "uint" : "bool"; break;
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
  std::map<uint32_t, std::vector<std::string>> id_names_;
  std::map<uint32_t, uint32_t> constant_ids_;
  std::map<uint32_t, std::string> constant_types_;
  std::map<std::pair<uint32_t, uint32_t>, std::string> names_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> offsets_;
  uint32_t push_pointer_ = 0;
};

// C++ has the same members in the same order, of 4 and 8 bytes: each lies at a multiple of
// its size, and so does the whole.
void check_push_constants(const SpirvModule& module) {
  constexpr size_t kMaxBytes = 128;
  const auto members = module.push_constants();
  REQUIRE(members);
  size_t end = 0;
  for (const Member& member : *members) {
    CAPTURE(member.name);
    CHECK((member.size == 4 || member.size == 8));
    CHECK(member.offset == end);
    CHECK(member.offset % member.size == 0);
    end = member.offset + member.size;
  }
  CHECK(end != 0);
  CHECK(end % 8 == 0);
  CHECK(end <= kMaxBytes);
}

void check_constants(const SpirvModule& module) {
  static const Constants declared = declared_constants();
  for (const Constants& names : module.constants())
    CHECK_MESSAGE(std::ranges::any_of(names, [&](const std::string& name) { return declared.contains(name); }),
                  "no header declares WEFT_CONSTANT " << *names.begin());
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

/// Milliseconds of the processor that unpacking a kernel takes: the least of some.
double unpacking_ms(const PackedKernels& kernels, std::string_view name) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    REQUIRE(runtime::unpack(kernels, name));
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

void check_family(const PackedKernels& kernels, const std::filesystem::path& directory, bool has_declared_constants) {
  const std::vector<std::string_view> names = runtime::names_of(kernels);
  REQUIRE(!names.empty());
  CHECK(std::ranges::is_sorted(names));
  for (const std::string_view name : names) {
    CAPTURE(std::string(name));
    const std::vector<uint32_t> words = compiled(directory, name);
    REQUIRE(words.size() > 5);
    const SpirvModule module(words);
    check_push_constants(module);
    if (has_declared_constants) check_constants(module);
    const auto unpacked = runtime::unpack(kernels, name);
    REQUIRE(unpacked);
    CHECK(*unpacked == stripped(words));
    CHECK(unpacked->size() < words.size());
  }
}

}  // namespace

TEST_SUITE("host layout") {
  TEST_CASE(
      "every kernel of the library is packed whole and reads its push constants and specialization constants as the "
      "host has them") {
    for (const auto family : runtime::kernels::kFamilies) check_family(family(), WEFT_TEST_KERNELS_OF_weft, true);
#ifdef WEFT_TEST_KERNELS_OF_weft_decode
    for (const auto family : decode::kernels::kFamilies) check_family(family(), WEFT_TEST_KERNELS_OF_weft_decode, true);
#endif
  }

  TEST_CASE(
      "every kernel of the tests is packed whole and reads its push constants and specialization constants as the host "
      "has them") {
    check_family(kernels(), WEFT_TEST_KERNELS_OF_weft_subjects, false);
  }

  // What it takes is printed: machines differ.
  TEST_CASE("a kernel is unpacked from a block of at most 2 MiB") {
    double longest = 0;
    std::string name;
    const auto measure = [&](const PackedKernels& kernels) {
      const auto* entries = reinterpret_cast<const PackedKernel*>(&kernels + 1);
      const std::span blocks(reinterpret_cast<const PackedBlock*>(entries + kernels.kernels), kernels.blocks);
      for (const PackedBlock& block : blocks) CHECK(block.bytes <= 2u << 20);
      for (const std::string_view kernel : runtime::names_of(kernels)) {
        const double ms = unpacking_ms(kernels, kernel);
        if (ms <= longest) continue;
        longest = ms;
        name = kernel;
      }
    };
    for (const auto family : runtime::kernels::kFamilies) measure(family());
#ifdef WEFT_TEST_KERNELS_OF_weft_decode
    for (const auto family : decode::kernels::kFamilies) measure(family());
#endif
    MESSAGE("the longest, " << name << ", takes " << longest << " ms");
  }

  TEST_CASE("a kernel that a family lacks is empty") {
    const auto found = runtime::unpack(kernels(), "no_such_kernel.native");
    REQUIRE(found);
    CHECK(found->empty());
  }
}

}  // namespace weft::test
