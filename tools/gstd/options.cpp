// SPDX-License-Identifier: MIT OR Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace gstd_tool {
namespace {

using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;
using weft::gstd::TileFilter;

// Takes digits from the front of `text`, if there are any.
std::optional<uint64_t> take_number(std::string_view& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// A number of bytes, e.g. 65536, 64K, 64KiB, 1M.
std::optional<uint64_t> size_of(std::string_view text) {
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  if (text.empty()) return number;
  static constexpr std::string_view kUnits = "KMGT";
  const size_t unit = kUnits.find(text.front());
  if (unit == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  if (!text.empty() && text != "B" && text != "iB") return std::nullopt;
  const int shift = 10 * (static_cast<int>(unit) + 1);
  if (*number > UINT64_MAX >> shift) return std::nullopt;
  return *number << shift;
}

// A whole text that is a number from `least` to `most`.
std::optional<uint64_t> whole_number(std::string_view text, uint64_t least, uint64_t most) {
  const auto number = take_number(text);
  if (!number || !text.empty() || *number < least || *number > most) return std::nullopt;
  return number;
}

// False: there is no option of that name that has no value.
bool set_flag(std::string_view option, Options& options) {
  struct Flag {
    std::string_view name;
    void (*set)(Options&);
  };
  static constexpr Flag kFlags[] = {
      {"--compress", [](Options& o) { o.mode = Mode::compress; }},
      {"--decompress", [](Options& o) { o.mode = Mode::decompress; }},
      {"--uncompress", [](Options& o) { o.mode = Mode::decompress; }},
      {"--test", [](Options& o) { o.mode = Mode::test; }},
      {"--list", [](Options& o) { o.mode = Mode::list; }},
      {"--help", [](Options& o) { o.mode = Mode::help; }},
      {"--version", [](Options& o) { o.mode = Mode::version; }},
      {"--stdout", [](Options& o) { o.to_stdout = true; }},
      {"--force", [](Options& o) { o.force = true; }},
      {"--keep", [](Options& o) { o.remove_sources = false; }},
      {"--rm", [](Options& o) { o.remove_sources = true; }},
      {"--fsync", [](Options& o) { o.fsync = true; }},
      {"--recursive", [](Options& o) { o.recursive = true; }},
      {"--exclude-compressed", [](Options& o) { o.exclude_compressed = true; }},
      {"--quiet", [](Options& o) { --o.verbosity; }},
      {"--verbose", [](Options& o) { ++o.verbosity; }},
      {"--json", [](Options& o) { o.json = true; }},
      {"--gpu", [](Options& o) { o.gpu.emplace(); }},
      {"--from-zst", [](Options& o) { o.from_zst = true; }},
      {"--check", [](Options& o) { o.compress.tile_checksums = o.compress.stream_checksum = o.verify = true; }},
      {"--no-check", [](Options& o) { o.compress.tile_checksums = o.compress.stream_checksum = o.verify = false; }},
      {"--contexts", [](Options& o) { o.compress.contexts = true; }},
      {"--no-contexts", [](Options& o) { o.compress.contexts = false; }},
      {"--progress", [](Options& o) { o.progress = true; }},
      {"--no-progress", [](Options& o) { o.progress = false; }},
      {"--pass-through", [](Options& o) { o.pass_through = true; }},
      {"--no-pass-through", [](Options& o) { o.pass_through = false; }},
      {"--compact", [](Options& o) { o.compact = true; }},
      {"--ultra", [](Options&) {}},  // zstd asks for it from level 20 on
  };
  for (const Flag& flag : kFlags)
    if (option == flag.name) {
      flag.set(options);
      return true;
    }
  return false;
}

constexpr uint64_t kMaxThreads = 256;

class Parser {
 public:
  explicit Parser(std::span<const char* const> arguments) : arguments_(arguments) {}

  Result<Options> parse();

 private:
  Status parse_long(std::string_view option);
  Status parse_short(std::string_view letters);
  Status set_value(std::string_view name, std::string_view value);
  Status set_filter(std::string_view name);
  // The work on packs that the first argument names, if it does.
  std::optional<Mode> take_pack_mode();
  Status check_pack_options() const;
  template <typename Number>
  Status set_size(std::string_view option, std::string_view text, Number& to);
  // An option's value: after its "=", or the next argument.
  std::optional<std::string_view> next_argument();

  std::span<const char* const> arguments_;
  size_t at_ = 0;
  Options options_;
  bool threads_given_ = false;
};

std::optional<std::string_view> Parser::next_argument() {
  if (at_ == arguments_.size()) return std::nullopt;
  return arguments_[at_++];
}

Status Parser::set_filter(std::string_view name) {
  auto& config = options_.compress;
  const std::string given(name);
  config.stride = 0;
  if (const size_t colon = name.find(':'); colon != std::string_view::npos) {
    const auto stride = whole_number(name.substr(colon + 1), 1, 128);
    if (!stride) return refuse("--filter=" + given + ": the stride is a number from 1 to 128");
    config.stride = static_cast<uint32_t>(*stride);
    name = name.substr(0, colon);
  }
  std::string names;
  for (int value = 0; weft::gstd::name_of(static_cast<TileFilter>(value)) != nullptr; ++value) {
    const auto filter = static_cast<TileFilter>(value);
    if (name == weft::gstd::name_of(filter)) {
      config.filter = filter;
      return {};
    }
    names += (value == 0 ? "" : ", ") + std::string(weft::gstd::name_of(filter));
  }
  return refuse("--filter=" + given + ": filters are " + names);
}

template <typename Number>
Status Parser::set_size(std::string_view option, std::string_view text, Number& to) {
  const auto size = size_of(text);
  if (!size || *size > std::numeric_limits<Number>::max())
    return refuse(std::string(option) + std::string(text) + ": not a size, such as 65536, 64K or 1M");
  to = static_cast<Number>(*size);
  return {};
}

Status Parser::parse_long(std::string_view option) {
  if (set_flag(option, options_)) return {};
  const size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  static constexpr std::string_view kWithValue[] = {
      "--threads",    "--tile", "--segment",  "--filter",          "--limit",
      "--memory",     "--fast", "--job",      "--jobs-list",       "--long",
      "--output",     "--gpu",  "--filelist", "--output-dir-flat", "--output-dir-mirror",
      "--fast-decode"};
  if (std::ranges::find(kWithValue, name) == std::end(kWithValue))
    return refuse(std::string(option) + ": no such option (gstd -h lists them)");
  std::string_view value;
  if (equals != std::string_view::npos) {
    value = option.substr(equals + 1);
  } else if (name == "--long") {
    value = "31";
  } else if (name == "--fast") {
    value = "1";
  } else if (name == "--fast-decode") {
    value = "2";
  } else if (name == "--jobs-list") {
    value = "64M";
  } else if (const auto next = next_argument()) {
    value = *next;
  } else {
    return refuse(std::string(option) + " has no value");
  }

  return set_value(name, value);
}

Status Parser::set_value(std::string_view name, std::string_view value) {
  if (name == "--fast") {
    const auto number = whole_number(value, 1, UINT32_MAX);
    if (!number) return refuse("--fast=" + std::string(value) + ": not a number from 1 on");
    options_.compress.level = std::max(-static_cast<int>(std::min<uint64_t>(*number, 99)), weft::gstd::kMinLevel);
    return {};
  }
  if (name == "--fast-decode") {
    const auto number = whole_number(value, 0, weft::gstd::kMaxDecodeWeight);
    if (!number) return refuse("--fast-decode=" + std::string(value) + ": not a number from 0 to 16");
    options_.compress.decode_weight = static_cast<uint32_t>(*number);
    return {};
  }
  if (name == "--tile") return set_size("--tile=", value, options_.compress.tile_bytes);
  if (name == "--segment") options_.segment_default = false;
  if (name == "--segment") return set_size("--segment=", value, options_.compress.segment_bytes);
  if (name == "--limit") return set_size("--limit=", value, options_.limit);
  if (name == "--memory") return set_size("--memory=", value, options_.memory);
  if (name == "--filter") return set_filter(value);
  if (name == "--jobs-list") return set_size("--jobs-list=", value, options_.jobs_bytes.emplace());
  if (name == "--job") {
    options_.job = value;
    return value.empty() ? Status(refuse("--job has no name")) : Status();
  }
  if (name == "--output") {
    options_.output = value;
    return value.empty() ? Status(refuse("--output has no name")) : Status();
  }
  if (name.starts_with("--output-dir-")) {
    options_.output_directory = value;
    options_.mirror = name == "--output-dir-mirror";
    return value.empty() ? Status(refuse(std::string(name) + " has no name")) : Status();
  }
  if (name == "--filelist") {
    options_.filelists.emplace_back(value);
    return {};
  }
  if (name == "--gpu") {
    options_.gpu = value;
    return value.empty() ? Status(refuse("--gpu= names no device")) : Status();
  }
  const bool threads = name == "--threads";
  const auto number = threads ? whole_number(value, 0, kMaxThreads) : whole_number(value, 10, 31);
  if (!number)
    return refuse(std::string(name) + "=" + std::string(value) +
                  (threads ? ": not a number from 0 to 256" : ": not a number from 10 to 31"));
  if (threads) {
    options_.compress.threads = static_cast<uint32_t>(*number);
    threads_given_ = true;
  } else {
    options_.window_log = static_cast<int>(*number);
  }
  return {};
}

Status Parser::parse_short(std::string_view letters) {
  const std::string all = "-" + std::string(letters);
  while (!letters.empty()) {
    const char letter = letters.front();
    if (letter >= '0' && letter <= '9') {
      const auto level = take_number(letters);
      if (!level || *level < 1 || *level > weft::gstd::kMaxLevel) return refuse(all + ": levels are 1 to 22");
      options_.compress.level = static_cast<int>(*level);
      continue;
    }
    letters.remove_prefix(1);
    switch (letter) {
      case 'z': options_.mode = Mode::compress; break;
      case 'd': options_.mode = Mode::decompress; break;
      case 't': options_.mode = Mode::test; break;
      case 'l': options_.mode = Mode::list; break;
      case 'h':
      case 'H': options_.mode = Mode::help; break;
      case 'V': options_.mode = Mode::version; break;
      case 'c': options_.to_stdout = true; break;
      case 'f': options_.force = true; break;
      case 'k': options_.remove_sources = false; break;
      case 'r': options_.recursive = true; break;
      case 'q': --options_.verbosity; break;
      case 'v': ++options_.verbosity; break;
      case 'C': options_.compress.tile_checksums = options_.compress.stream_checksum = options_.verify = true; break;
      case 'T': {
        const auto threads = take_number(letters);
        if (!threads || *threads > kMaxThreads) return refuse(all + ": -T takes a number from 0 to 256");
        options_.compress.threads = static_cast<uint32_t>(*threads);
        threads_given_ = true;
        break;
      }
      case 'b':
      case 'e': {
        options_.mode = Mode::benchmark;
        const auto level = take_number(letters);
        if (!level && letter == 'b') break;
        if (!level || *level < 1 || *level > weft::gstd::kMaxLevel) return refuse(all + ": levels are 1 to 22");
        (letter == 'b' ? options_.compress.level : options_.last_level) = static_cast<int>(*level);
        break;
      }
      case 'i': {
        const auto seconds = take_number(letters);
        if (!seconds || *seconds > 3600) return refuse(all + ": -i takes a number of seconds");
        options_.seconds = static_cast<double>(*seconds);
        break;
      }
      case 'M': return set_size("-M", letters, options_.memory);
      case 'o': {
        const auto name = letters.empty() ? next_argument() : std::optional(letters);
        if (!name || name->empty()) return refuse("-o takes a name");
        options_.output = *name;
        letters = {};
        break;
      }
      default: return refuse(all + ": no such option: -" + std::string(1, letter) + " (gstd -h lists them)");
    }
  }
  return {};
}

std::optional<Mode> Parser::take_pack_mode() {
  static constexpr std::pair<std::string_view, Mode> kWords[] = {{"pack", Mode::pack},
                                                                 {"list", Mode::list_pack},
                                                                 {"unpack", Mode::unpack},
                                                                 {"verify", Mode::verify_pack},
                                                                 {"update", Mode::update_pack}};
  for (const auto& [word, mode] : kWords)
    if (!arguments_.empty() && arguments_.front() == word) {
      ++at_;
      return mode;
    }
  return std::nullopt;
}

Status Parser::check_pack_options() const {
  const Options& options = options_;
  const Mode mode = options.mode;
  const bool writes = mode == Mode::pack || mode == Mode::update_pack;
  const std::string word = arguments_.front();
  if (options.to_stdout || options.from_zst || options.gpu || options.remove_sources || options.exclude_compressed ||
      options.recursive || options.pass_through || !options.output_directory.empty() || !options.filelists.empty())
    return refuse(word + " takes -o, -T, -f, -q, -v, -M, --fsync, --progress, and options of compression");
  if (options.limit != UINT64_MAX && mode != Mode::unpack && mode != Mode::verify_pack)
    return refuse("--limit goes with unpack and verify, and with no other work on packs");
  if (options.json && mode != Mode::list_pack) return refuse("--json goes with --list and with list");
  if (options.compact && mode != Mode::update_pack) return refuse("--compact goes with update");
  if ((options.jobs_bytes || !options.job.empty()) && mode != Mode::pack)
    return refuse("--jobs-list and --job go with pack");
  if (options.jobs_bytes && !options.job.empty()) return refuse("--jobs-list and --job are different work");
  if (writes && (options.inputs.size() != 1 || options.output.empty()))
    return refuse(word + " takes a directory, and the pack's name after -o");
  if (mode == Mode::unpack && options.inputs.empty()) return refuse("unpack takes a pack, and paths in it if not all");
  if ((mode == Mode::list_pack || mode == Mode::verify_pack) && (options.inputs.size() != 1 || !options.output.empty()))
    return refuse(word + " takes a pack");
  if (!writes) return {};
  return weft::gstd::compress_bound(0, options.compress).status();
}

Result<Options> Parser::parse() {
  bool only_names = false;
  const std::optional<Mode> pack_mode = take_pack_mode();
  if (pack_mode) options_.mode = *pack_mode;
  while (const auto argument = next_argument()) {
    Status status;
    if (only_names || *argument == "-" || argument->empty() || argument->front() != '-')
      options_.inputs.emplace_back(*argument);
    else if (*argument == "--")
      only_names = true;
    else
      status = argument->starts_with("--") ? parse_long(*argument) : parse_short(argument->substr(1));
    if (!status) return status.error();
  }
  Options& options = options_;
  if (options.mode == Mode::help || options.mode == Mode::version) return options;

  if (pack_mode && options.mode != *pack_mode)
    return refuse(std::string(arguments_.front()) + " goes with no other work (a file of that name: ./" +
                  arguments_.front() + ")");
  // Without -T every core works, but a benchmark compares single ones, and a memory limit leaves no room for stacks.
  const bool one_thread = options.mode == Mode::benchmark || options.memory != UINT64_MAX;
  if (!threads_given_) options.compress.threads = one_thread ? 1 : 0;
  if (pack_mode) {
    if (Status status = check_pack_options(); !status) return status.error();
    return options;
  }
  if (options.compact) return refuse("--compact goes with update");
  if (options.jobs_bytes || !options.job.empty()) return refuse("--jobs-list and --job go with pack");
  if (options.json && options.mode != Mode::list) return refuse("--json goes with --list and with list");
  if (options.from_zst && options.mode != Mode::compress)
    return refuse("--from-zst compresses, and goes with no other work");
  if (options.exclude_compressed && (options.mode != Mode::compress || options.from_zst))
    return refuse("--exclude-compressed goes with compressing files as they are");
  if (options.pass_through.value_or(false) && options.mode != Mode::decompress)
    return refuse("--pass-through goes with -d");
  if (options.gpu && options.mode != Mode::decompress && options.mode != Mode::test)
    return refuse("--gpu goes with -d and -t: compressing is the CPU's work");
  if (options.to_stdout + !options.output.empty() + !options.output_directory.empty() > 1)
    return refuse("-c, -o and --output-dir-* name different outputs");
  if (options.output == "-") {
    options.output.clear();
    options.to_stdout = true;
  }
  if (!options.output.empty() && options.recursive) return refuse("-o names one output, and -r makes many");
  if (options.last_level != 0 && options.last_level < options.compress.level)
    return refuse("the last level of a benchmark is below its first");
  if (options.mode == Mode::compress || options.mode == Mode::benchmark)
    if (const auto bound = weft::gstd::compress_bound(0, options.compress); !bound) return bound.error();
  return options;
}

}  // namespace

Error refuse(std::string what) { return {ErrorCode::invalid_argument, std::move(what)}; }

const char* const kUsage = R"(usage: gstd [OPTIONS] [--] [FILES]
       gstd pack|update DIR -o PACK | list|verify PACK | unpack PACK [-o DIR] [PATHS]

Compresses FILES to FILES.gst, or with -d restores FILES.gst and FILES.zst; without FILES, or for -, standard input
to standard output. Sources are kept.

  -1 ... -22       level, fast to small (3)
  --fast[=#]       faster than -1, and larger: 1 to 5 (1)
  -d  -z           decompress; compress (the default)
  -t               test the integrity of compressed files
  -l               list sizes and checksums of compressed files, and their totals; --json for programs
  -o FILE          the output's name
  -c               write to standard output
  -f               overwrite files, and write to a terminal
  -k  --rm         keep sources (the default); remove them after success
  -r               work on all files of directories
  -T#              threads; 0: as many as there are cores (the default)
  -M#              memory that may be taken, as -M64M; --memory=SIZE
  -q  -v           print less, print more; -qq: not even errors
  -h  -V           this text; the version
  --output-dir-flat=DIR, --output-dir-mirror=DIR
                   write to DIR, or to the inputs' directories below it
  --filelist=FILE  work on the files that FILE names, one a line
  --exclude-compressed
                   skip files whose names end as those of compressed formats do: .gst, .zst, .gz, .png, .mp4 ...

  --tile=SIZE      unit of independent decoding: 16K to 1M (64K)
  --segment=SIZE   content that is compressed before any of it is written: 1M to 1G (64M)
  --filter=NAME    auto, none, delta, planes, delta-planes, zigzag-planes, zigzag2-planes, zigzag3-planes,
                   colour-planes, bc1 to bc5, bc7; NAME:STRIDE for elements of so many bytes
  --fast-decode[=#]
                   from -14 on, weigh decoding time against size: 0 to 16 (1; without #: 2)
  --[no-]contexts  codes of literals by context (on)
  --[no-]check     checksums (on)
  --[no-]progress  a line that reports progress (on a terminal)
  --[no-]pass-through
                   with -d, copy inputs that are not compressed by gstd (with -d -c -f)
  --fsync          have each output on the disk before its source is removed
  --limit=SIZE     refuse inputs whose content is larger
  --gpu[=DEVICE]   -d and -t on a Vulkan device: the best, or the one with this index, part of a name, or UUID
  --from-zst       compress the content of .zst files
  --long[=#]       allow windows of .zst files of up to 2^# bytes (27; without #: 31)

  pack DIR -o PACK     write the files of DIR to one file; begun again, it goes on where it was interrupted
  pack DIR -o PACK --jobs-list[=SIZE]
                       print the names of jobs, of SIZE bytes of content (64M) each, that are not done yet
  pack DIR -o PACK --job=NAME
                       do one of them, in any process that sees DIR and PACK; pack then takes what they did
  update DIR -o PACK   write what changed since, at the pack's end; --compact: write the pack anew, without gaps
  list PACK            list paths, kinds, sizes and images; --json for programs
  unpack PACK          write the files, or those of PATHS, to the directory of -o (the current one)
  verify PACK          check everything in it

  -b[#] -e# -i#    benchmark beside zstd at levels # to #, for # seconds a figure (-b3 -i2, one thread)
)";

Result<Options> parse_options(std::span<const char* const> arguments) { return Parser(arguments).parse(); }

}  // namespace gstd_tool
