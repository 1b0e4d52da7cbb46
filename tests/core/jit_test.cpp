// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/jit.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <weft/merge.hpp>
#include <weft/merge_sort.hpp>
#include <weft/set_operation.hpp>
#include <weft/transform_lbs.hpp>

#include "support/device.hpp"
#include "support/run.hpp"
#include "weft_kernels/by_key_tally.hpp"
#include "weft_kernels/encode_near.hpp"
#include "weft_kernels/merge_by_score.hpp"
#include "weft_kernels/partition_order.hpp"
#include "weft_kernels/reduce_best.hpp"
#include "weft_kernels/scan_triangle.hpp"
#include "weft_kernels/select_residue.hpp"
#include "weft_kernels/set_operation_by_score.hpp"
#include "weft_kernels/sort_by_score.hpp"
#include "weft_kernels/transform_tally_ranks.hpp"
#include "weft_kernels/unique_near.hpp"

namespace weft::test::jit_tests {
namespace {

std::string contents_of(const std::string& file) {
  std::ifstream stream(std::string(WEFT_TEST_SOURCES) + "/" + file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  REQUIRE(!text.empty());
  return text;
}

jit::Compiler compiler_with(const std::string& directory = {}) {
  Result<jit::Compiler> compiler = jit::Compiler::create({directory});
  if (!compiler) FAIL(compiler.error().message);
  return *std::move(compiler);
}

// A sum that is quick to compile; `tag` makes it another.
jit::Snippet quick(const std::string& tag = {}) {
  return {"reduce", "quick.glsl",
          "// " + tag +
              "\n#define Item uint\nItem identity() { return 0u; }\nItem combine(Item a, Item b) { return a + b; }\n"};
}

KernelSet compile(const jit::Compiler& compiler, const jit::Snippet& snippet) {
  Result<KernelSet> set = compiler.compile(snippet);
  if (!set) FAIL(set.error().message);
  return *std::move(set);
}

std::string message_of(const jit::Compiler& compiler, const jit::Snippet& snippet) {
  const Result<KernelSet> set = compiler.compile(snippet);
  REQUIRE(!set);
  CHECK(set.error().code == ErrorCode::compile_error);
  return set.error().message;
}

/// A folder that is empty, and gone at the end.
class ScopedDirectory {
 public:
  ScopedDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weft-jit-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~ScopedDirectory() { std::filesystem::remove_all(path_); }
  ScopedDirectory(const ScopedDirectory&) = delete;
  ScopedDirectory& operator=(const ScopedDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_SUITE("jit") {
  TEST_CASE("a set compiled at run time has the kernels of one compiled at build time, and gives its results [forms]") {
    Result<KernelSet> scan = Error{ErrorCode::not_found, ""};
    {
      const jit::Compiler compiler = compiler_with();
      scan = compiler.compile({"scan", "triangle.glsl", contents_of("tests/shaders/own/triangle.glsl")});
      if (!scan) FAIL(scan.error().message);
      const KernelSet reduce = compile(compiler, {"reduce", "best.glsl", contents_of("tests/shaders/own/best.glsl")});
      CHECK(reduce.kernels().size() == own::reduce_best().kernels().size());
      for (const KernelCode& kernel : own::reduce_best().kernels()) CHECK(!reduce.find(kernel.name).empty());
      CHECK(reduce.item_bytes() == 8);
      const KernelSet select =
          compile(compiler, {"select", "residue.glsl", contents_of("tests/shaders/own/residue.glsl")});
      CHECK(select.kernels().size() == own::select_residue().kernels().size());
      for (const KernelCode& kernel : own::select_residue().kernels()) CHECK(!select.find(kernel.name).empty());
      const KernelSet unique = compile(compiler, {"unique", "near.glsl", contents_of("tests/shaders/own/near.glsl")});
      CHECK(unique.kernels().size() == own::unique_near().kernels().size());
      for (const KernelCode& kernel : own::unique_near().kernels()) CHECK(!unique.find(kernel.name).empty());
      const KernelSet partition =
          compile(compiler, {"partition", "order.glsl", contents_of("tests/shaders/own/order.glsl")});
      CHECK(partition.kernels().size() == own::partition_order().kernels().size());
      for (const KernelCode& kernel : own::partition_order().kernels()) CHECK(!partition.find(kernel.name).empty());
      const KernelSet by_key =
          compile(compiler, {"scan_by_key", "tally.glsl", contents_of("tests/shaders/own/tally.glsl")});
      CHECK(by_key.kernels().size() == own::by_key_tally().kernels().size());
      for (const KernelCode& kernel : own::by_key_tally().kernels()) CHECK(!by_key.find(kernel.name).empty());
      CHECK(by_key.accumulator_bytes() == 32);
      const KernelSet encode =
          compile(compiler, {"run_length_encode", "near.glsl", contents_of("tests/shaders/own/near.glsl")});
      CHECK(encode.kernels().size() == own::encode_near().kernels().size());
      for (const KernelCode& kernel : own::encode_near().kernels()) CHECK(!encode.find(kernel.name).empty());
      const KernelSet body =
          compile(compiler, {"transform_lbs", "tally_ranks.glsl", contents_of("tests/shaders/own/tally_ranks.glsl")});
      CHECK(body.kernels().size() == own::transform_tally_ranks().kernels().size());
      for (const KernelCode& kernel : own::transform_tally_ranks().kernels()) CHECK(!body.find(kernel.name).empty());
      CHECK(TransformLbs::create(first_backend().context(), {.own_kernels = body}));
      const KernelSet merge =
          compile(compiler, {"merge", "by_score.glsl", contents_of("tests/shaders/own/by_score.glsl")});
      CHECK(merge.kernels().size() == own::merge_by_score().kernels().size());
      for (const KernelCode& kernel : own::merge_by_score().kernels()) CHECK(!merge.find(kernel.name).empty());
      for (const char* form : {"merge.form=0", "merge.form=1"}) {
        const ScopedTuning overrides(form);
        CHECK(Merge::create(first_backend().context(), {.own_kernels = merge}));
      }
      const KernelSet sets =
          compile(compiler, {"set_operation", "by_score.glsl", contents_of("tests/shaders/own/by_score.glsl")});
      CHECK(sets.kernels().size() == own::set_operation_by_score().kernels().size());
      for (const KernelCode& kernel : own::set_operation_by_score().kernels()) CHECK(!sets.find(kernel.name).empty());
      CHECK(SetOperation::create(first_backend().context(), {.own_kernels = sets}));
      const KernelSet sort =
          compile(compiler, {"merge_sort", "by_score.glsl", contents_of("tests/shaders/own/by_score.glsl")});
      CHECK(sort.kernels().size() == own::sort_by_score().kernels().size());
      for (const KernelCode& kernel : own::sort_by_score().kernels()) CHECK(!sort.find(kernel.name).empty());
      CHECK(MergeSort::create(first_backend().context(), {.own_kernels = sort}));
    }
    // From here on without the compiler.
    CHECK(scan->name() == "triangle.glsl");
    CHECK(scan->primitive() == "scan");
    CHECK(scan->item_bytes() == 12);
    CHECK(scan->kernels().size() == own::scan_triangle().kernels().size());
    for (const KernelCode& kernel : own::scan_triangle().kernels()) CHECK(!scan->find(kernel.name).empty());

    std::vector<uint32_t> words(3 * 5000);
    for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761u) | 1;
    struct Item {
      uint32_t a, b, c;
      bool operator==(const Item&) const = default;
    };
    const std::vector<Item> items = items_of<Item>(std::as_bytes(std::span(words)));
    std::vector<std::vector<Item>> results;
    for (const KernelSet& set : {own::scan_triangle(), *scan}) {
      ScanConfig config;
      config.own_kernels = set;
      const Result<Scan> created = Scan::create(first_backend().context(), config);
      REQUIRE(created);
      results.push_back(scan_on<Item>(first_backend().gpu(), *created, items));
    }
    CHECK(results[0] == results[1]);
  }

  TEST_CASE("an error comes with the compiler's message, the user's name for the snippet and the user's line") {
    const jit::Compiler compiler = compiler_with();
    jit::Snippet snippet{"scan", "my sums.glsl",
                         "#define Item uint\n\nItem identity() { return 0u; }\n"
                         "Item combine(Item a, Item b) {\n  return a + nonsense;\n}\n"};
    CHECK(message_of(compiler, snippet).find("my sums.glsl:5: error: 'nonsense' : undeclared identifier") == 0);
    snippet.primitive = "reduce";
    CHECK(message_of(compiler, snippet).find("my sums.glsl:5: error: 'nonsense'") == 0);
    snippet.name.clear();
    CHECK(message_of(compiler, snippet).find("snippet:5: error: 'nonsense'") == 0);

    // What is wrong shows elsewhere.
    snippet.text = "#define Item uint\nItem identity() { return 0u; }\n";
    CHECK(message_of(compiler, snippet).find("'combine'") != std::string::npos);
    snippet.text = "#include \"elsewhere.glsl\"\n";
    CHECK(message_of(compiler, snippet).find("elsewhere.glsl, which is none of weft's files") != std::string::npos);
    snippet.text =
        "#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(uint, a) MEMBER(uint, b) MEMBER(uint, c) MEMBER(uint, d) "
        "MEMBER(uint, e)\n"
        "WEFT_DECLARE_ITEM\n";
    CHECK(message_of(compiler, snippet).find("lists 1 to 4 members") != std::string::npos);
    CHECK(compiler.counts().compiled == 0);

    const Result<KernelSet> none = compiler.compile({"sort", "", ""});
    REQUIRE(!none);
    CHECK(none.error().code == ErrorCode::invalid_argument);
    CHECK(none.error().message ==
          "primitive is scan, scan_by_key, reduce, reduce_by_key, segmented_reduce, select, partition, unique, "
          "run_length_encode, transform_lbs, merge, merge_sort or set_operation, not 'sort'");
  }

  TEST_CASE("what the manual shows compiles") {
    const std::string manual = contents_of("docs/own-kernels.md");
    const std::string begin = "```glsl\n", end = "```\n";
    std::vector<std::string> shown;
    for (size_t at = manual.find(begin); at != std::string::npos; at = manual.find(begin, at)) {
      at += begin.size();
      shown.push_back(manual.substr(at, manual.find(end, at) - at));
    }
    REQUIRE(shown.size() == 5);
    const jit::Compiler compiler = compiler_with();
    for (size_t i = 0; i < 2; ++i) {
      static_cast<void>(compile(compiler, {"select", "manual", shown[i] + "bool keep(Item item) { return true; }\n"}));
      for (const char* primitive : {"unique", "run_length_encode"})
        static_cast<void>(
            compile(compiler, {primitive, "manual", shown[i] + "bool same(Item a, Item b) { return true; }\n"}));
      static_cast<void>(
          compile(compiler, {"partition", "manual", shown[i] + "uint partition_index(Item item) { return 1u; }\n"}));
    }
    for (const char* primitive : {"scan", "scan_by_key", "reduce_by_key", "segmented_reduce"})
      static_cast<void>(compile(compiler, {primitive, "manual", shown[2]}));
    static_cast<void>(compile(compiler, {"transform_lbs", "manual", shown[4]}));
    static_cast<void>(compile(compiler, {"select", "manual", "#define Item float\n" + shown[3]}));
  }

  TEST_CASE("equal snippets are compiled once, whatever their names, and others apart") {
    const jit::Compiler compiler = compiler_with();
    const KernelSet first = compile(compiler, quick());
    jit::Snippet renamed = quick();
    renamed.name = "another name";
    const KernelSet second = compile(compiler, renamed);
    CHECK(second.name() == "another name");
    CHECK(second.digest() == first.digest());
    CHECK(compiler.counts().compiled == 1);
    CHECK(compiler.counts().from_memory == 1);
    static_cast<void>(compile(compiler, quick("x")));
    CHECK(compiler.counts().compiled == 2);
    const jit::Compiler copy = compiler;
    static_cast<void>(compile(copy, quick("x")));
    CHECK(compiler.counts().from_memory == 2);
  }

  TEST_CASE("for one Context only what it uses is compiled") {
    const jit::Compiler compiler = compiler_with();
    for (Backend* backend : every_backend()) {
      jit::Snippet snippet = quick();
      snippet.context = backend->context();
      const KernelSet set = compile(compiler, snippet);
      CHECK(set.kernels().size() == 1);
      ReduceConfig config;
      config.own_kernels = set;
      const Result<Reduce> reduce = Reduce::create(backend->context(), config);
      REQUIRE(reduce);
      CHECK(reduce_on<uint32_t>(backend->gpu(), *reduce, std::vector<uint32_t>(1000, 3)) == 3000);
      for (Backend* other : every_backend()) {
        if (other->is_emulated() == backend->is_emulated()) continue;
        const Result<Reduce> refused = Reduce::create(other->context(), config);
        REQUIRE(!refused);
        CHECK(refused.error().message.find("own_kernels 'quick.glsl' have no kernel reduce.own.own.") == 0);
      }
    }
  }

  TEST_CASE("for one Context half of a scan is compiled, or less") {
    const jit::Compiler compiler = compiler_with();
    jit::Snippet snippet = quick();
    snippet.primitive = "scan";
    const size_t all = compile(compiler, snippet).kernels().size();
    for (Backend* backend : every_backend()) {
      snippet.context = backend->context();
      const size_t used = compile(compiler, snippet).kernels().size();
      CHECK(used > 0);
      CHECK(2 * used <= all);
    }
  }

  TEST_CASE("code is kept in a directory from one compiler to the next, and what is damaged there is compiled again") {
    const ScopedDirectory scoped;
    const std::filesystem::path directory = scoped.path() / "made" / "when needed";
    const KernelSet compiled = compile(compiler_with(directory.string()), quick());
    std::vector<std::filesystem::path> files{std::filesystem::directory_iterator(directory), {}};
    REQUIRE(files.size() == 1);

    const auto counts_of_another = [&] {
      const jit::Compiler another = compiler_with(directory.string());
      CHECK(compile(another, quick()).digest() == compiled.digest());
      return another.counts();
    };
    CHECK(counts_of_another().from_directory == 1);

    std::ifstream stream(files[0], std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(stream), {}};
    const auto replace_by = [&](const std::string& contents) {
      std::ofstream(files[0], std::ios::binary | std::ios::trunc) << contents;
    };
    std::string flipped = whole;
    flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 1);
    std::string longer = whole;
    longer.replace(19 + 64, 4, "\xff\xff\xff\xff");  // the length of the first name
    for (const std::string& damaged : {std::string{}, std::string("weft-own-kernels-1\n"), whole.substr(0, 100),
                                       whole.substr(0, whole.size() - 4), whole + "more", flipped, longer}) {
      CAPTURE(damaged.size());
      replace_by(damaged);
      const jit::CompilerCounts counts = counts_of_another();
      CHECK(counts.from_directory == 0);
      CHECK(counts.compiled == 1);
      CHECK(counts_of_another().from_directory == 1);
    }

    // One that cannot be written to.
    const jit::Compiler compiler = compiler_with((files[0] / "below a file").string());
    CHECK(compile(compiler, quick()).digest() == compiled.digest());
    CHECK(compiler.counts().compiled == 1);
  }

  TEST_CASE("many threads may compile at once") {
    const jit::Compiler compiler = compiler_with();
    std::vector<std::string> digests(8);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < digests.size(); ++i)
      threads.emplace_back([&, i] {
        const Result<KernelSet> set = compiler.compile(quick(i % 2 == 0 ? "even" : "odd"));
        if (set) digests[i] = set->digest();
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(!digests[0].empty());
    for (const std::string& digest : digests) CHECK(digest == digests[0]);  // a comment is no code
    CHECK(compiler.counts().compiled == 2);
    CHECK(compiler.counts().from_memory == 6);
  }
}

}  // namespace weft::test::jit_tests
