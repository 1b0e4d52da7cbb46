// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/kernels.hpp>

#include <algorithm>
#include <vector>

#include "runtime/packed_kernels.hpp"
#include "runtime/sha256.hpp"

namespace weft {
namespace {

// Of shaders/weft/own.glsl: specialization constants that nothing specializes.
constexpr uint32_t kItemWordsId = 100;
constexpr uint32_t kAccumulatorWordsId = 101;

// The 32-bit default of a specialization constant; 0 where the code has none of that id, or is none.
uint32_t constant_of(std::span<const uint32_t> code, uint32_t id) {
  constexpr uint32_t kMagic = 0x07230203, kHeaderWords = 5;
  constexpr uint32_t kOpSpecConstant = 50, kOpDecorate = 71, kSpecId = 1;
  if (code.size() < kHeaderWords || code[0] != kMagic) return 0;
  uint32_t constant = 0;  // decorations come before constants
  for (size_t i = kHeaderWords; i < code.size();) {
    const uint32_t opcode = code[i] & 0xffff;
    const uint32_t length = code[i] >> 16;
    if (length == 0 || length > code.size() - i) return 0;
    const auto instruction = code.subspan(i, length);
    if (opcode == kOpDecorate && length == 4 && instruction[2] == kSpecId && instruction[3] == id)
      constant = instruction[1];
    if (opcode == kOpSpecConstant && length == 4 && constant != 0 && instruction[2] == constant) return instruction[3];
    i += length;
  }
  return 0;
}

}  // namespace

struct KernelSet::State {
  struct Copy {
    std::string name;
    std::vector<uint32_t> words;
  };

  std::string name;
  std::string primitive;
  std::vector<Copy> copies;
  std::vector<KernelCode> kernels;
  uint32_t item_bytes = 0;
  uint32_t accumulator_bytes = 0;
  std::string digest;
};

std::shared_ptr<const KernelSet::State> KernelSet::make_state(std::string_view name, std::string_view primitive,
                                                              std::span<const KernelCode> kernels) {
  auto state = std::make_shared<State>();
  state->name = name;
  state->primitive = primitive;
  for (const KernelCode& kernel : kernels)
    state->copies.push_back({std::string(kernel.name), {kernel.words.begin(), kernel.words.end()}});
  std::ranges::sort(state->copies, {}, &State::Copy::name);

  runtime::Sha256 sha;
  for (const State::Copy& copy : state->copies) {
    state->kernels.push_back({copy.name, copy.words});
    sha.add_text(copy.name);
    sha.add(std::as_bytes(std::span(copy.words)));
  }
  state->digest = sha.hexadecimal();
  // All kernels of a set were made of one snippet, so that the first speaks for all.
  if (!state->kernels.empty()) {
    state->item_bytes = 4 * constant_of(state->kernels[0].words, kItemWordsId);
    state->accumulator_bytes = 4 * constant_of(state->kernels[0].words, kAccumulatorWordsId);
  }
  return state;
}

KernelSet::KernelSet(std::string_view name, std::string_view primitive, std::span<const KernelCode> kernels) noexcept {
  try {
    state_ = make_state(name, primitive, kernels);
  } catch (...) {
    // Without memory: not ok().
  }
}

KernelSet::KernelSet(std::string_view name, std::string_view primitive, const PackedKernels& kernels) noexcept {
  try {
    std::vector<std::vector<uint32_t>> words;
    std::vector<KernelCode> codes;
    for (const std::string_view kernel : runtime::names_of(kernels)) {
      Result<std::vector<uint32_t>> unpacked = runtime::unpack(kernels, kernel);
      if (!unpacked) return;
      words.push_back(*std::move(unpacked));
      codes.push_back({kernel, words.back()});
    }
    state_ = make_state(name, primitive, codes);
  } catch (...) {
    // Without memory: not ok().
  }
}

// What is read of a set that is not ok.
const KernelSet::State& KernelSet::state() const noexcept {
  static const State empty;
  return ok() ? *state_ : empty;
}

const std::string& KernelSet::name() const noexcept { return state().name; }
const std::string& KernelSet::primitive() const noexcept { return state().primitive; }
std::span<const KernelCode> KernelSet::kernels() const noexcept { return state().kernels; }
uint32_t KernelSet::item_bytes() const noexcept { return state().item_bytes; }
uint32_t KernelSet::accumulator_bytes() const noexcept { return state().accumulator_bytes; }
const std::string& KernelSet::digest() const noexcept { return state().digest; }

std::span<const uint32_t> KernelSet::find(std::string_view kernel) const noexcept {
  const auto found = std::ranges::lower_bound(kernels(), kernel, {}, &KernelCode::name);
  return found != kernels().end() && found->name == kernel ? found->words : std::span<const uint32_t>{};
}

}  // namespace weft
