// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GdeflateDecode against the decoder of the host: every status and every byte, of pages that encoders write, that no
// encoder writes, and that are none.
#include <weft/gdeflate_decode.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/gdeflate_decode_calls.hpp"
#include "gstd/gdeflate_maker.hpp"
#include "support/config_text.hpp"
#include "support/draws.hpp"
#include "support/fuzz_subject.hpp"
#include "support/primitive_call.hpp"
#include "support/refusals.hpp"

namespace weft::test::gdeflate_decode_tests {
namespace {

using gdeflate::kMaxBlocks;
using gdeflate::kMaxPageWords;
using gdeflate::kPageBytes;
using gdeflate::test::page_of;
using gdeflate::test::page_of_zeros;
using gdeflate::test::PageMaker;
using gstd::test::Random;
using gstd::test::Sample;
using gstd::test::samples_of;

/// All pages in one dispatch, or in two.
constexpr const char* kForms[] = {"gdeflate.few_pages=16777216", "gdeflate.few_pages=0"};

using Verdicts = std::map<gdeflate::Refusal, uint32_t>;

/// What a call works on.
struct PageBatch {
  std::vector<uint32_t> source;
  std::vector<GdeflatePage> pages;
  uint64_t output_bytes = 0;

  /// Adds a page after all others, `gap` bytes after the last output.
  void add(std::span<const uint32_t> words, uint32_t bytes, uint64_t gap = 0) {
    pages.push_back({4 * source.size(), output_bytes + gap, static_cast<uint32_t>(words.size()), bytes});
    source.insert(source.end(), words.begin(), words.end());
    output_bytes += gap + bytes;
  }
};

struct PageRunOptions {
  uint32_t pages_in_flight = 256;
  VkDeviceSize output_misalignment = 0;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

/// Whether an entry lies within the ranges and limits, with no sum that could wrap.
bool is_entry(const GdeflatePage& page, const PageBatch& batch) {
  const uint64_t source_bytes = 4 * batch.source.size(), words_bytes = 4 * uint64_t{page.words};
  return page.bytes != 0 && page.bytes <= kPageBytes && page.words <= kMaxPageWords && page.source % 4 == 0 &&
         words_bytes <= source_bytes && page.source <= source_bytes - words_bytes && page.bytes <= batch.output_bytes &&
         page.output <= batch.output_bytes - page.bytes;
}

struct ExpectedPages {
  std::vector<uint32_t> status;
  std::vector<std::byte> output;  // with dirt where nothing is written
  std::vector<size_t> refused;    // pages whose output is unspecified
  Verdicts verdicts;
};

ExpectedPages expected_of(const PageBatch& batch, uint64_t obeyed, uint8_t dirt) {
  ExpectedPages expected;
  expected.status.assign(batch.pages.size(), dirt * 0x01010101u);
  expected.output.assign(batch.output_bytes, static_cast<std::byte>(dirt));
  std::vector<std::byte> content;
  for (size_t p = 0; p < obeyed; ++p) {
    const GdeflatePage& page = batch.pages[p];
    gdeflate::Refusal refusal = gdeflate::Refusal::bad_entry;
    if (is_entry(page, batch)) {
      content.resize(page.bytes);
      refusal =
          gdeflate::decode_page(std::as_bytes(std::span(batch.source).subspan(page.source / 4, page.words)), content);
      if (refusal == gdeflate::Refusal::none)
        std::ranges::copy(content, expected.output.begin() + static_cast<std::ptrdiff_t>(page.output));
      else
        expected.refused.push_back(p);
    }
    expected.status[p] = static_cast<uint32_t>(refusal);
    ++expected.verdicts[refusal];
  }
  return expected;
}

/// Runs one call, in guarded buffers and on dirty scratch, and checks it; what verdicts there were.
Verdicts check_pages(Backend& backend, const PageBatch& batch, const PageRunOptions& options = {}) {
  constexpr uint32_t kRefusedBefore = 77;  // to which refusals are added
  const GdeflateDecode& decode = create<GdeflateDecode>(backend, GdeflateDecodeConfig{options.pages_in_flight});
  ExpectedPages expected = expected_of(batch, obeyed(options.device_count, batch.pages.size()), options.dirt);
  PrimitiveCall call(backend.gpu(), options.dirt);
  GdeflateDecodeArgs args;
  args.pages = call.input("pages", batch.pages, 8);
  args.page_count = call.count(options.device_count, batch.pages.size());
  args.source = call.input("source", batch.source, 4);
  call.output("output", batch.output_bytes, options.output_misalignment);
  args.output = call.expect_any("output", batch.output_bytes);
  std::vector<uint32_t> status(1 + batch.pages.size(), options.dirt * 0x01010101u);
  status[0] = kRefusedBefore;
  call.input("status", status, 4);
  args.status = call.expect_any("status", 4 * status.size());
  args.scratch = call.scratch(decode.scratch_size(batch.pages.size()));
  const auto ran = run_timed(backend.gpu(), [&](VkCommandBuffer commands) { return decode.record(commands, args); });
  if (!ran) FAIL(ran.error().message);
  CHECK(call.wrong_after() == "");

  const std::vector<uint32_t> found = items_of<uint32_t>(call.found("status"));
  uint32_t refused = kRefusedBefore;
  for (const auto& [verdict, pages] : expected.verdicts) refused += verdict == gdeflate::Refusal::none ? 0 : pages;
  CHECK(found[0] == refused);
  const auto statuses = std::span(found).subspan(1);
  const auto wrong = static_cast<size_t>(std::ranges::mismatch(statuses, expected.status).in1 - statuses.begin());
  if (wrong != batch.pages.size()) {
    CAPTURE(wrong);
    CAPTURE(current_tuning());
    CAPTURE(batch.pages[wrong].bytes);
    CHECK(std::string(name_of(static_cast<gdeflate::Refusal>(found[1 + wrong]))) ==
          name_of(static_cast<gdeflate::Refusal>(expected.status[wrong])));
  }
  const Bytes bytes = call.found("output");
  for (const size_t p : expected.refused) {
    const GdeflatePage& page = batch.pages[p];
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(page.output), page.bytes,
                expected.output.begin() + static_cast<std::ptrdiff_t>(page.output));
  }
  const auto position = static_cast<uint64_t>(std::ranges::mismatch(bytes, expected.output).in1 - bytes.begin());
  if (position != bytes.size()) {
    const auto page = std::ranges::find_if(batch.pages, [&](const GdeflatePage& one) {
      return position >= one.output && position - one.output < one.bytes;
    });
    CAPTURE(position);
    CAPTURE(page - batch.pages.begin());
    CHECK(static_cast<uint32_t>(bytes[position]) == static_cast<uint32_t>(expected.output[position]));
  }
  return expected.verdicts;
}

Verdicts all_good(const PageBatch& batch) {
  return {{gdeflate::Refusal::none, static_cast<uint32_t>(batch.pages.size())}};
}

/// Adds `count` pages of `bytes` bytes, with bits or words that are others, or with another's end.
void add_broken(PageBatch& batch, uint32_t bytes, uint64_t seed, uint32_t count) {
  Random random(seed);
  std::vector<std::vector<uint32_t>> pages;
  for (uint32_t turn = 0; turn < 3; ++turn)
    for (const Sample& sample : samples_of(bytes)) pages.push_back(page_of(sample.bytes, random));
  const auto any_below = [&](size_t end) { return random.below(static_cast<uint32_t>(end)); };
  for (uint32_t i = 0; i < count; ++i) {
    std::vector<uint32_t> words = pages[any_below(pages.size())];
    const auto flip = [&](size_t most) { words[any_below(std::min(most, words.size()))] ^= 1u << random.below(32); };
    switch (random.below(6)) {
      case 0: flip(words.size()); break;
      case 1:
        for (uint32_t bits = 0; bits < 5; ++bits) flip(words.size());
        break;
      case 2: flip(40); break;
      case 3:
        for (size_t word = any_below(words.size()); word < words.size(); ++word) words[word] = random.next();
        break;
      case 4: words.resize(any_below(words.size())); break;
      default: {
        const std::vector<uint32_t>& other = pages[any_below(pages.size())];
        words.resize(1 + any_below(words.size()));
        words.insert(words.end(), other.begin() + any_below(other.size()), other.end());
      }
    }
    batch.add(words, random.one_in(8) ? 1 + random.below(2 * bytes) : bytes, i % 4);
  }
}

// Subjects of the self-test.
void check_drawn_pages(Backend& backend, const GdeflateDecodeConfig& config, Draws& draw) {
  PageBatch batch;
  Random random(draw.word());
  for (uint64_t wanted = draw.at_most(1 + draw.below(40)); batch.pages.size() < wanted;)
    for (const Sample& sample : samples_of(draw.pick({1u, 100u, 1021u, 5000u})))
      if (batch.pages.size() < wanted)
        batch.add(page_of(sample.bytes, random), static_cast<uint32_t>(sample.bytes.size()), random.below(4));
  check_pages(backend, batch, {.pages_in_flight = config.pages_in_flight, .dirt = draw.dirt()});
}

void check_mutated_pages(Backend& backend, const GdeflateDecodeConfig& config, Draws& draw) {
  PageBatch batch;
  const uint32_t bytes = draw.pick({203u, 1000u, 3001u});
  const auto pages = static_cast<uint32_t>(draw.at_most(1 + draw.below(200)));
  add_broken(batch, bytes, draw.word(), pages);
  check_pages(backend, batch, {.pages_in_flight = config.pages_in_flight, .dirt = draw.dirt()});
}

const FuzzSubjects fuzzed("gdeflate_decode", [] {
  const GdeflateDecodeConfig config{256};
  std::vector<FuzzSubject> subjects;
  for (const char* form : kForms) {
    subjects.push_back({config, form, check_drawn_pages});
    subjects.push_back({config, form, check_mutated_pages, "mutated pages"});
  }
  return subjects;
});

}  // namespace

TEST_SUITE("gdeflate_decode") {
  TEST_CASE("pages in blocks of every type come back, at every byte of a word, of one byte to 64 KiB [widths]") {
    PageBatch batch, large;
    Random random(1);
    for (const uint32_t size : {1u, 2u, 3u, 4u, 31u, 32u, 33u, 127u, 128u, 129u, 895u, 896u, 897u, 4099u})
      for (const Sample& sample : samples_of(size))
        for (uint32_t turn = 0; turn < 2; ++turn) batch.add(page_of(sample.bytes, random), size, random.below(4));
    large.add(page_of_zeros(), kPageBytes, 1);
    for (const uint32_t size : {kPageBytes - 1, kPageBytes})
      for (const Sample& sample : samples_of(size)) large.add(page_of(sample.bytes, random), size, random.below(4));
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      for (const char* form : kForms) {
        const ScopedTuning tuning(form);
        for (const uint32_t misalignment : {0u, 3u})
          CHECK(check_pages(*backend, batch,
                            {.output_misalignment = misalignment,
                             .dirt = misalignment == 0 ? uint8_t{0xdb} : uint8_t{}}) == all_good(batch));
        if (!backend->is_emulated() || !backend->is_software()) CHECK(check_pages(*backend, large) == all_good(large));
      }
    }
  }

  TEST_CASE("a page of matches of three bytes alone has room for its records, and one of literals for them") {
    PageBatch batch;
    Random random(2);
    std::vector<gdeflate::test::Token> matches = {{9, 0, 0}}, literals;
    for (uint32_t i = 0; i < kPageBytes / 3; ++i) matches.push_back({0, 3, 1});
    for (uint32_t i = 0; i < kPageBytes; ++i) literals.push_back({random.below(256), 0, 0});
    for (const auto* tokens : {&matches, &literals}) {
      PageMaker maker(random);
      maker.dynamic(*tokens, true);
      batch.add(maker.words(), kPageBytes, 1);
    }
    for (Backend* backend : native_backends())
      for (const char* form : kForms) {
        const ScopedTuning tuning(form);
        CHECK(check_pages(*backend, batch) == all_good(batch));
      }
  }

  TEST_CASE("a count on the device is obeyed, however many pages are in flight, and no pages are nothing") {
    PageBatch batch;
    Random random(3);
    for (uint32_t i = 0; i < 45; ++i) batch.add(page_of(samples_of(300 + i)[i % 5].bytes, random), 300 + i, i % 3);
    for (Backend* backend : native_backends()) {
      CAPTURE(backend->name());
      for (const uint32_t in_flight : {7u, 256u})
        for (const uint64_t count : {0ull, 14ull, 44ull, 1ull << 31}) {
          CAPTURE(in_flight);
          CAPTURE(count);
          const Verdicts verdicts =
              check_pages(*backend, batch, {.pages_in_flight = in_flight, .device_count = DeviceCount{count, 4}});
          const auto obeyed_pages = static_cast<uint32_t>(std::min<uint64_t>(count, 45));
          CHECK(verdicts == (count == 0 ? Verdicts{} : Verdicts{{gdeflate::Refusal::none, obeyed_pages}}));
        }
      CHECK(check_pages(*backend, PageBatch{}).empty());
    }
  }

  TEST_CASE("bad entries of the table have their verdict, and nothing is written for them") {
    PageBatch batch;
    Random random(4);
    const std::vector<uint32_t> words = page_of(samples_of(500)[5].bytes, random);
    for (uint32_t i = 0; i < 16; ++i) batch.add(words, 500, 1);
    batch.source.resize(batch.source.size() + kMaxPageWords + 1);
    batch.pages[0].bytes = 0;
    batch.pages[1].bytes = kPageBytes + 1;
    batch.pages[2].words = kMaxPageWords + 1;
    batch.pages[3].source += 2;
    batch.pages[4].source = 4 * batch.source.size() - 4;
    batch.pages[5].source = ~uint64_t{3};
    batch.pages[6].output = batch.output_bytes - 499;
    batch.pages[7].output = ~uint64_t{0} - 100;
    batch.pages[8].words = ~0u;
    batch.pages[9].bytes = ~0u;
    for (Backend* backend : every_backend())
      for (const char* form : kForms) {
        const ScopedTuning tuning(form);
        CHECK(check_pages(*backend, batch) ==
              Verdicts{{gdeflate::Refusal::none, 6}, {gdeflate::Refusal::bad_entry, 10}});
      }
  }

  TEST_CASE("every truncation has the host's verdict, and so has a page of the most blocks") {
    PageBatch batch;
    Random random(5);
    for (const size_t kind : {2u, 5u, 6u}) {
      const std::vector<uint32_t> words = page_of(samples_of(300)[kind].bytes, random);
      for (size_t count = 0; count <= words.size(); ++count) batch.add(std::span(words).first(count), 300);
    }
    for (Backend* backend : every_backend())
      for (const char* form : kForms) {
        const ScopedTuning tuning(form);
        CHECK(check_pages(*backend, batch).at(gdeflate::Refusal::none) == 3);
      }
    PageBatch most;
    for (const uint32_t blocks : {kMaxBlocks - 1, kMaxBlocks}) {
      PageMaker maker(random);
      for (uint32_t i = 0; i < blocks; ++i) maker.fixed({}, false);
      maker.stored(samples_of(77)[2].bytes, true);
      most.add(maker.words(), 77);
    }
    for (Backend* backend : native_backends())
      for (const char* form : kForms) {
        // (lavapipe stops at 65,535 iterations of loops, which emulation in one dispatch takes.)
        if (backend->is_emulated() && backend->is_software() && form == kForms[0]) continue;
        const ScopedTuning tuning(form);
        CHECK(check_pages(*backend, most) == Verdicts{{gdeflate::Refusal::none, 1}, {gdeflate::Refusal::bad_block, 1}});
      }
  }

  TEST_CASE("thousands of pages that are broken by chance have the host's verdict") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      Verdicts verdicts;
      const uint32_t count = !backend->is_software() ? 100'000 : backend->is_emulated() ? 150 : 550;
      for (const uint32_t bytes : {203u, 211u, 3001u, 3003u}) {
        const ScopedTuning tuning(kForms[bytes % 4 / 3]);
        PageBatch batch;
        add_broken(batch, bytes, bytes, bytes < 1000 ? count : count / 4);
        for (const auto& [verdict, pages] : check_pages(*backend, batch)) verdicts[verdict] += pages;
      }
      for (const auto refusal : {gdeflate::Refusal::none, gdeflate::Refusal::truncated, gdeflate::Refusal::bad_block,
                                 gdeflate::Refusal::bad_table, gdeflate::Refusal::bad_symbol,
                                 gdeflate::Refusal::bad_offset, gdeflate::Refusal::bad_length})
        CHECK(verdicts[refusal] > 0);
    }
  }

  TEST_CASE("a tile stream has its table") {
    const std::vector<uint32_t> page = page_of_zeros();
    const auto size = static_cast<uint32_t>(4 * page.size());
    std::vector<uint32_t> words = {0x0002fb04u, 1u | 777u << 2, size, size};
    for (uint32_t i = 0; i < 2; ++i) words.insert(words.end(), page.begin(), page.end());
    const auto table = gdeflate_pages(std::as_bytes(std::span(words)), 8, 5);
    REQUIRE(table);
    REQUIRE(table->size() == 2);
    CHECK((*table)[1].source == 8 + 16 + size);
    CHECK((*table)[1].output == 5 + kPageBytes);
    CHECK((*table)[1].words == page.size());
    CHECK((*table)[1].bytes == 777);
    CHECK(gdeflate_pages(std::as_bytes(std::span(words)), 6, 0).error().code == ErrorCode::invalid_argument);
    words[3] += 2;
    CHECK(gdeflate_pages(std::as_bytes(std::span(words)), 8, 0).error().code == ErrorCode::corrupt_stream);
  }
}

}  // namespace weft::test::gdeflate_decode_tests
