// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <weft/gstd.hpp>
#include <weft/version.hpp>

#include "check.hpp"
#include "git_commit.hpp"
#include "gstd/decode.hpp"
#include "loader/load.hpp"
#include "selftest.hpp"
#include "support/options.hpp"

namespace weft::bench {
namespace {

// Without arguments the kit's weft-bench does all that a newcomer wants of it.
#ifdef WEFT_KIT
constexpr bool kIsKit = true;
#else
constexpr bool kIsKit = false;
#endif

constexpr const char* kNoUuid = "leave out of the JSON the device's UUID, and WEFT_DEVICE, which may be one";

// What CLI11 calls to check an argument: the error's sentence, or nothing.
template <class F>
CLI::Validator checked_by(F parse) {
  return CLI::Validator(
      [parse](std::string& text) {
        const auto result = parse(text);
        return result ? std::string() : result.error().message;
      },
      "");
}

/// An option that is parsed from a text.
template <class T, class F>
CLI::Option* add_parsed(CLI::App& app, const char* name, T& value, F parse, const char* description) {
  const auto set = [&value, parse](const std::string& text) { value = *parse(text); };
  return app.add_option_function<std::string>(name, set, description)->check(checked_by(parse));
}
/// Several of them.
template <class T, class F>
CLI::Option* add_parsed(CLI::App& app, const char* name, std::vector<T>& values, F parse, const char* description) {
  const auto set = [&values, parse](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) values.push_back(*parse(text));
  };
  return app.add_option_function<std::vector<std::string>>(name, set, description)->check(checked_by(parse));
}

void add_shared_options(CLI::App& app, Options& options) {
  app.add_option("--device", options.device,
                 "index in --list, part of a name, or UUID (default: WEFT_DEVICE, or the best)");
  app.add_option("--filter", options.filters,
                 "only rows whose 'primitive variant type' holds TEXT; several: any of them")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  add_parsed(app, "--sizes", options.sizes, parse_size,
             "items, as 2^16,2^20,1000000; rows of 1-byte items have four times as many, those of tables a 1,024th")
      ->delimiter(',')
      ->type_name("N,...");
  add_parsed(app, "--types", options.types, parse_type, "only items of these types, as u8,u32,f32")
      ->delimiter(',')
      ->type_name("TYPE,...");
  app.add_option("--input", options.input, "a file whose words are the data (default: random data)")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  app.add_option("--json", options.json, "write the results as JSON to FILE, or to stdout for -")->type_name("FILE");
  app.add_flag("!--no-uuid", options.uuid, kNoUuid);
  add_parsed(app, "--strategy", options.strategy, parse_strategy,
             "automatic, reduce_then_scan or look_back for every row")
      ->type_name("NAME");
  add_parsed(app, "--verify", options.verification, parse_verification,
             "full: all outputs are compared with what the CPU says; sampled: all on the device with those of another "
             "strategy or call, and samples with what the CPU says; none (default: full up to 512 MiB, else sampled)")
      ->type_name("HOW");
  app.add_option("--faulty-word", options.faulty_word,
                 "change word N of each first output before it is verified, which has to find it")
      ->type_name("N");
  add_parsed(app, "--tuning", options.tuning, read_tuning_text, "a tuning file, as tune writes it")->type_name("FILE");
  app.add_option("--warm-up", options.warm_up_ms,
                 "milliseconds a call runs before it is timed, longer while it still gets "
                 "faster (default: 200)")
      ->check(CLI::Range(0.0, 60000.0));
  app.add_option("--repeats", options.repeats,
                 fmt::format("timed calls a row (default: {}, --quick: {})", kRepeats, kQuickRepeats))
      ->type_name("N")
      ->check(CLI::Range(1u, 100000u));
  app.add_flag(
      "--quick", options.quick,
      "the essential rows up to 2^24 items, in less than a minute on a large GPU; on a software device the default, "
      "unless --filter or --sizes choose rows");
}

CLI::App* add_check_options(CLI::App& app, CheckOptions& options) {
  CLI::App* const check = app.add_subcommand(
      "check", "Lists the devices, tries and measures one, shows the results, and says what to send.");
  check->add_option("--device", options.device,
                    "index in --list, or part of a name (default: WEFT_DEVICE, or the best)");
  check->add_option("--filter", options.filters, "only rows whose 'primitive variant type' holds TEXT")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  add_parsed(*check, "--sizes", options.sizes, parse_size, "items, as 2^16,2^20 (default: those of --quick)")
      ->delimiter(',')
      ->type_name("N,...");
#ifdef WEFT_BENCH_SELFTEST
  check->add_option("--minutes", options.minutes, "of the self-test (default: 5)")
      ->type_name("N")
      ->check(CLI::Range(0.0, 10000.0));
  check->add_option("--try", options.cases, "only cases of the self-test whose name holds TEXT")
      ->type_name("TEXT")
      ->allow_extra_args(false);
#endif
  check->add_option("-o,--output", options.folder, "where results are written (default: weft-results)")
      ->type_name("FOLDER");
  return check;
}

#ifdef WEFT_BENCH_CODEC
CLI::App* add_decode_options(CLI::App& app, DecodeOptions& options) {
  CLI::App* const decode = app.add_subcommand(
      "decode", "Decodes files by gstd and zstd on the device, beside a copy, the driver's GDeflate and the CPU.");
  decode->add_option("files", options.files, "content, or .gst and .zst files, which are taken as they are")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE...");
  decode->add_option("--device", options.device,
                     "index in --list, part of a name, or UUID (default: WEFT_DEVICE, or the best)");
  decode->add_option("--bytes,--first-bytes", options.first_bytes, "of each file's content only the first N")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  decode->add_option("--level", options.level, "that files are compressed at (default: 19)")->check(CLI::Range(1, 22));
  decode->add_option("--tile-bytes", options.tile_bytes, "bytes a tile, a power of two (default: 65536)")
      ->type_name("N")
      ->check(CLI::Range(gstd::kMinTileBytes, gstd::kMaxTileBytes));
  decode->add_option("--filters", options.filters, "auto or none (default: auto)")
      ->check(CLI::IsMember({"auto", "none"}));
  decode->add_flag("!--no-checksums", options.checksums, "do not compare those of tiles on the device");
  decode->add_option("--copies", options.copies, "copies of a file that are decoded at once (default: 1,8)")
      ->delimiter(',')
      ->type_name("N,...")
      ->check(CLI::Range(1u, 1024u));
  decode
      ->add_option("--in-flight", options.in_flight,
                   "tiles decoded at once, which scratch is for, 0: gstd's number (default); for gstd several")
      ->delimiter(',')
      ->type_name("N,...");
  decode->add_flag("--content-order{false}", options.largest_first,
                   "give tiles in the content's order, not the largest first, to gstd and to the driver alike");
  decode
      ->add_option("--gd", options.gd,
                   "the same data as FILE's NAME for the driver's decoder; shortens FILE to as much")
      ->type_name("NAME=FILE.gd")
      ->allow_extra_args(false);
  decode->add_option("--stage", options.stages, "also entropy or copy by itself, of gstd's first dispatch")
      ->delimiter(',')
      ->check(CLI::IsMember({"entropy", "copy"}));
  decode->add_option("--zstd", options.zstd, "also frames of zstd, one a tile, compressed at these levels")
      ->delimiter(',')
      ->check(CLI::Range(-7, 22));
  decode->add_flag("--single-tile", options.single_tile, "also one tile alone");
  decode->add_flag("--size-sweep", options.size_sweep, "also the first 64 KiB, 1 MiB and 10 MB, and all");
  decode->add_flag("!--no-cpu", options.cpu, "no rows of the CPU's decoders");
  decode
      ->add_option("--malformed", options.malformed, "compare N mutated tiles of each file with the reference decoder")
      ->type_name("N");
  decode->add_option("--seed", options.seed, "of the mutations (default: 1)")->type_name("N");
  decode->add_option("--repeats", options.repeats, "timed calls a row (default: 30)")
      ->type_name("N")
      ->check(CLI::Range(1u, 100000u));
  decode->add_option("--warm-up", options.warm_up_ms, "milliseconds a row runs before it is timed (default: 200)")
      ->check(CLI::Range(0.0, 60000.0));
  decode->add_option("--json", options.json, "write the results as JSON to FILE, or to stdout for -")
      ->type_name("FILE");
  decode->add_flag("!--no-uuid", options.uuid, kNoUuid);
  return decode;
}
#endif

#ifdef WEFT_BENCH_LOADER
CLI::App* add_load_options(CLI::App& app, LoadOptions& options) {
  CLI::App* const load = app.add_subcommand(
      "load", "Brings files as a pack from disk and page cache to device memory, beside other ways to do it.");
  load->add_option("files", options.files, "files, and directories, of which all files are taken")
      ->required()
      ->check(CLI::ExistingPath)
      ->type_name("PATH...");
  load->add_option("--device", options.device,
                   "index in --list, part of a name, or UUID (default: WEFT_DEVICE, or the best)");
  load->add_option("--folder", options.folder, "where packs are written, on the disk to measure (default: .)")
      ->check(CLI::ExistingDirectory)
      ->type_name("FOLDER");
  load->add_option("--bytes", options.first_bytes, "of all files together only the first N (default: 2^28)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  load->add_option("--level", options.level, "that packs and libzstd's file are made at (default: 3)")
      ->check(CLI::Range(1, 19));
  load->add_option("--depths", options.depths, "reads in flight (default: 1,8,32,128)")
      ->delimiter(',')
      ->type_name("N,...")
      ->check(CLI::Range(1u, 4096u));
  add_parsed(*load, "--stagings", options.stagings, parse_size, "bytes of staging (default: 2^24,2^26,2^28)")
      ->delimiter(',')
      ->type_name("N,...");
  add_parsed(*load, "--assets", options.assets, parse_size, "bytes of assets (default: 2^16,2^20,2^24)")
      ->delimiter(',')
      ->type_name("N,...");
  load->add_option("--device-bytes", options.device_bytes,
                   "device memory for decoding (default: 768 MiB, on a software device 64 MiB)")
      ->type_name("N");
  load->add_option("--threads", options.threads, "of the loader and of peers (default: all there are)")
      ->check(CLI::Range(1u, 1024u));
  load->add_option("--repeats", options.repeats, "timed loads a row (default: 10)")->check(CLI::Range(1u, 1000u));
  load->add_option("--latencies", options.latencies, "assets loaded one by one (default: 1000)")->type_name("N");
  load->add_option("--json", options.json, "write the results as JSON to FILE, or to stdout for -")->type_name("FILE");
  load->add_flag("!--no-uuid", options.uuid, kNoUuid);
  return load;
}
#endif

#ifdef WEFT_BENCH_SELFTEST
CLI::App* add_selftest_options(CLI::App& app, SelftestOptions& options) {
  CLI::App* const selftest =
      app.add_subcommand("selftest", "Tries every primitive, decoder and block of weft on a device, by random cases.");
  selftest->add_option("--device", options.device,
                       "index in --list, part of a name, or UUID (default: WEFT_DEVICE, or the best)");
  selftest->add_option("--minutes", options.minutes, "for random cases (default: 5)")->check(CLI::Range(0.0, 1e6));
  selftest->add_option("--file", options.file, "of results; goes on after it (default: weft-selftest.jsonl)")
      ->type_name("FILE");
  selftest->add_option("--filter", options.filters, "only cases whose name holds TEXT; several: any of them")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  selftest->add_option("--seed", options.seed, "of the first random cases (default: 1)")->type_name("N");
  selftest->add_option("--case", options.only, "one case alone, of --seed and --simpler")->type_name("NAME");
  selftest->add_option("--simpler", options.simpler, "how it is simpler than drawn, as items=17,plain,aligned")
      ->type_name("HOW");
  selftest->add_flag("!--no-uuid", options.uuid, kNoUuid);
  selftest->add_option("--faulty-item", options.faulty_item, "change item N of each output, which has to be found")
      ->type_name("N");
  selftest->add_option("--die-in", options.die_in, "be killed in a case whose name holds TEXT, to try what comes next")
      ->type_name("TEXT");
  selftest->footer(
      "The last line begins with PASS or FAIL. Exit status: 0, 1 if a case failed or there is no device, 2 for a "
      "wrong\n"
      "command line or a file of another device.");
  return selftest;
}
#endif

struct CompareOptions {
  std::string first, second, html;
  double percent = 2;
  bool fail_unsure = false;
};

CLI::App* add_compare_options(CLI::App& app, CompareOptions& options) {
  CLI::App* const compare = app.add_subcommand("compare", "Compares two JSON reports row by row.");
  compare->add_option("a", options.first, "a report of weft-bench or of a peer")->required()->type_name("A.json");
  compare->add_option("b", options.second, "another")->required()->type_name("B.json");
  compare->add_option("--percent", options.percent, "a smaller difference is none (default: 2)")
      ->check(CLI::Range(0.0, 1000.0));
  compare->add_flag("--fail-unsure", options.fail_unsure, "exit status 1 also if a row is unsure");
  compare->add_option("--html", options.html, "write a page, too, or to stdout for -")->type_name("FILE.html");
  compare->footer(
      "A row of B is slower or faster if a rank test of all samples finds that it is so by more than the percentage, "
      "and\n"
      "the same if it finds that it is not, each with a chance below 1 % to be wrong; else unsure. Reports without "
      "samples\n"
      "are compared by medians.\n\nExit status: 0, 1 if a row of B is slower or, with --fail-unsure, unsure, 2 if a "
      "report cannot be used.");
  return compare;
}

CLI::App* add_report_options(CLI::App& app, std::vector<std::string>& reports, std::string& page) {
  CLI::App* const report = app.add_subcommand("report", "Writes a page that shows reports, of one device or several.");
  report->add_option("reports", reports, "reports of weft-bench, and of peers, which are marks beside a device's rows")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE.json...");
  report->add_option("-o,--output", page, "the page, one file, or - for stdout (default: report.html)")
      ->type_name("FILE.html");
  return report;
}

CLI::App* add_tune_options(CLI::App& app, Options& options) {
  CLI::App* const tune =
      app.add_subcommand("tune", "Tries values of every tuning key, and writes those that win to a tuning file.");
  add_shared_options(*tune, options);
  tune->add_option("--minutes", options.minutes, "that the sweep takes at most (default: 10)")
      ->type_name("N")
      ->check(CLI::Range(0.01, 10000.0));
  tune->add_option("-o,--output", options.tuning_output, "the tuning file (default: weft-tuning.txt; - for stdout)")
      ->type_name("FILE");
  add_parsed(*tune, "--set", options.try_only, parse_tuning,
             "values to try of a key, as scan.rows=2,4,8; then no other key is tried but those of --set")
      ->type_name("KEY=N,...")
      ->allow_extra_args(false);
  return tune;
}

#ifdef WEFT_BENCH_CODEC
CLI::App* add_codec_options(CLI::App& app, CodecOptions& options) {
  CLI::App* const codec = app.add_subcommand(
      "codec", "Compresses files by gstd and, in chunks of its tiles, by zstd, lz4 and libdeflate; on the CPU.");
  codec->add_option("files", options.files, "files to compress")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE...");
  codec
      ->add_option("--levels", options.levels, "levels, as --levels=-5,3,19; of a peer those it has (default: 3,12,19)")
      ->delimiter(',')
      ->type_name("N,...")
      ->check(CLI::Range(gstd::kMinLevel, gstd::kMaxLevel));
  codec->add_option("--tiles", options.tiles, "bytes a tile, powers of two (default: 65536)")
      ->delimiter(',')
      ->type_name("N,...")
      ->check(CLI::Range(1u << 14, 1u << 20));
  codec->add_option("--filters", options.filters, "auto, none (default: both)")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->check(CLI::IsMember({"auto", "none"}));
  codec->add_option("--bytes", options.most_bytes, "of each file only its first N")->type_name("N");
  codec->add_option("--threads", options.threads, "of gstd; 0: all there are (default: 1)")->type_name("N");
  codec->add_option("--repeats", options.repeats, "times a file is decoded (default: 5)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1000u));
  codec->add_flag("!--no-peers", options.peers, "gstd alone");
  codec->add_option("--ratios", options.ratios, "write gstd's sizes as CSV to FILE")->type_name("FILE");
  codec->add_option("--json", options.json, "write everything as JSON to FILE")->type_name("FILE");
  return codec;
}
#endif

int run(int argc, char** argv) {
  CLI::App app("Verifies and times weft's primitives on any Vulkan device.", "weft-bench");
  Options options;
  bool list = false;
  app.set_version_flag("--version", fmt::format("weft-bench {}.{}.{} ({})", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR,
                                                WEFT_VERSION_PATCH, kGitCommit));
  app.add_flag("--list", list, "list the Vulkan devices and stop");
  add_shared_options(app, options);
  app.add_option("--csv", options.csv, "write the results as CSV to FILE, or to stdout for -")->type_name("FILE");
  app.require_subcommand(0, 1);
  app.footer("Exit status: 0, 1 if a result was wrong or not available, 2 for a wrong command line.");

  CompareOptions compare_options;
  CLI::App* const compare = add_compare_options(app, compare_options);
  std::vector<std::string> reports;
  std::string page = "report.html";
  CLI::App* const report = add_report_options(app, reports, page);
  CLI::App* const tune = add_tune_options(app, options);
  CheckOptions check_options;
  CLI::App* const check = add_check_options(app, check_options);
#ifdef WEFT_BENCH_CODEC
  CodecOptions codec_options;
  CLI::App* const codec = add_codec_options(app, codec_options);
  DecodeOptions decode_options;
  CLI::App* const decode = add_decode_options(app, decode_options);
#endif
#ifdef WEFT_BENCH_LOADER
  LoadOptions load_options;
  CLI::App* const load = add_load_options(app, load_options);
#endif

#ifdef WEFT_BENCH_SELFTEST
  SelftestOptions selftest_options;
  CLI::App* const selftest = add_selftest_options(app, selftest_options);
#endif

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
#ifdef WEFT_BENCH_CODEC
  if (*codec) return run_codec(codec_options);
  if (*decode) return run_decode(decode_options);
#endif
#ifdef WEFT_BENCH_LOADER
  if (*load) return run_load(load_options);
#endif
  if (*check || (kIsKit && argc == 1)) return run_check(check_options);
#ifdef WEFT_BENCH_SELFTEST
  if (*selftest) return run_selftest(selftest_options);
#endif
  if (*compare)
    return run_compare(compare_options.first, compare_options.second, compare_options.percent,
                       compare_options.fail_unsure, compare_options.html);
  if (*report) return run_report(reports, page);
  if (*tune) return run_tune(options);
  if (list) return run_list();
  return run_measure(options);
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) { return weft::bench::run(argc, argv); }
