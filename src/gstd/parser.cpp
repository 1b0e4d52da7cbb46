// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/parser.hpp"

#include <algorithm>
#include <new>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "gstd/equal_bytes.hpp"
#include "gstd/format.hpp"

namespace weft::gstd {

namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// Uses the program's operator new, like everything else.
constexpr ZSTD_customMem kMemory = {[](void*, size_t bytes) { return ::operator new(bytes, std::nothrow); },
                                    [](void*, void* memory) { ::operator delete(memory); }, nullptr};

using Context = std::unique_ptr<ZSTD_CCtx, FreeContext>;

void create(Context& context) {
  if (!context) context.reset(ZSTD_createCCtx_advanced(kMemory));
  if (!context) throw std::bad_alloc();
}

}  // namespace

struct Parser::State {
  int level;
  Context context = {}, context_of_sizes = {};  // created on demand: it takes long
  size_t configured_for = 0;
  std::vector<ZSTD_Sequence> sequences = {};
  std::vector<std::byte> frame = {};

  void configure(size_t size);
};

// Parameters depend on the size, like libzstd's own.
void Parser::State::configure(size_t size) {
  create(context);
  if (size == configured_for) return;
  configured_for = size;
  ZSTD_CCtx* c = context.get();
  ZSTD_CCtx_reset(c, ZSTD_reset_session_and_parameters);
  const ZSTD_compressionParameters p = ZSTD_getCParams(level, size, 0);
  ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, static_cast<int>(p.windowLog));
  ZSTD_CCtx_setParameter(c, ZSTD_c_hashLog, static_cast<int>(p.hashLog));
  ZSTD_CCtx_setParameter(c, ZSTD_c_chainLog, static_cast<int>(p.chainLog));
  ZSTD_CCtx_setParameter(c, ZSTD_c_searchLog, static_cast<int>(p.searchLog));
  ZSTD_CCtx_setParameter(c, ZSTD_c_minMatch, static_cast<int>(p.minMatch));
  ZSTD_CCtx_setParameter(c, ZSTD_c_targetLength, static_cast<int>(p.targetLength));
  ZSTD_CCtx_setParameter(c, ZSTD_c_strategy, static_cast<int>(p.strategy));
  // libzstd does not return the sequences of blocks that it splits.
  ZSTD_CCtx_setParameter(c, ZSTD_c_useBlockSplitter, ZSTD_ps_disable);
}

Parser::Parser(int level) : state_(new State{level}) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

void Parser::parse(std::span<const std::byte> bytes, std::vector<Match>& matches) {
  matches.clear();
  if (bytes.size() < 8) return;
  state_->configure(bytes.size());
  std::vector<ZSTD_Sequence>& sequences = state_->sequences;
  const size_t blocks = (bytes.size() >> kMaxBlockLog) + 2;
  sequences.resize(std::max(sequences.size(), bytes.size() / kMinMatch + blocks));
  const size_t found =
      ZSTD_generateSequences(state_->context.get(), sequences.data(), sequences.size(), bytes.data(), bytes.size());
  // If they cannot allocate, some versions return no sequence, not even the one that ends the only block.
  if (found == 0 || ZSTD_getErrorCode(found) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (ZSTD_isError(found) != 0) return;
  // Every match is verified; an invalid one becomes literals.
  const std::byte* const begin = bytes.data();
  const std::byte* const end = begin + bytes.size();
  const std::byte* at = begin;
  uint32_t literals = 0;
  for (size_t i = 0; i < found; ++i) {
    const ZSTD_Sequence& s = sequences[i];
    if (s.litLength > static_cast<size_t>(end - at)) return;
    at += s.litLength;
    literals += s.litLength;
    if (s.matchLength > static_cast<size_t>(end - at)) return;
    if (s.matchLength == 0) continue;
    const bool matches_there = s.offset != 0 && s.offset <= static_cast<size_t>(at - begin) &&
                               s.matchLength >= kMinMatch && equal_bytes(at - s.offset, at, s.matchLength, end);
    if (matches_there) {
      matches.push_back({literals, s.matchLength, s.offset});
      literals = 0;
    } else {
      literals += s.matchLength;
    }
    at += s.matchLength;
  }
}

size_t Parser::compressed_size(std::span<const std::byte> bytes) {
  Context& context = state_->context_of_sizes;
  create(context);
  std::vector<std::byte>& frame = state_->frame;
  frame.resize(std::max(frame.size(), ZSTD_compressBound(bytes.size())));
  const size_t size =
      ZSTD_compressCCtx(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size(), state_->level);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  return size;
}

}  // namespace weft::gstd
