// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "converter.hpp"
#include "files.hpp"
#include "gpu_converter.hpp"
#include "gpu_zst_converter.hpp"
#include "meter.hpp"
#include "work.hpp"
#include "zst_decoder.hpp"

namespace gstd_tool {
namespace {

namespace fs = std::filesystem;
namespace gstd = weft::gstd;
using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

struct Sizes {
  uint64_t read = 0;
  uint64_t written = 0;
};

class CompressConverter final : public Converter {
 public:
  explicit CompressConverter(gstd::Compressor compressor) : compressor_(std::move(compressor)) {}
  Status write(std::span<const std::byte> bytes, const gstd::Sink& sink) override {
    return compressor_.write(bytes, sink);
  }
  Status flush(const gstd::Sink& sink) override { return compressor_.flush(sink); }
  Status finish(const gstd::Sink& sink) override { return compressor_.finish(sink); }

 private:
  gstd::Compressor compressor_;
};

class DecompressConverter final : public Converter {
 public:
  explicit DecompressConverter(gstd::Decompressor decompressor) : decompressor_(std::move(decompressor)) {}
  Status write(std::span<const std::byte> bytes, const gstd::Sink& sink) override {
    return decompressor_.write(bytes, sink);
  }
  Status finish(const gstd::Sink& sink) override { return decompressor_.finish(sink); }

 private:
  gstd::Decompressor decompressor_;
};

// What is no stream, as it is.
class PassThroughConverter final : public Converter {
 public:
  explicit PassThroughConverter(uint64_t limit) : left_(limit) {}
  Status write(std::span<const std::byte> bytes, const gstd::Sink& sink) override {
    if (bytes.size() > left_) return refuse("there is more content than --limit allows");
    left_ -= bytes.size();
    return sink(bytes);
  }
  Status finish(const gstd::Sink&) override { return {}; }

 private:
  uint64_t left_;
};

// What frames of Zstandard hold, compressed.
class FromZstConverter final : public Converter {
 public:
  FromZstConverter(gstd::Compressor compressor, const Options& options)
      : compressor_(std::move(compressor)), frames_(options) {}

  Status write(std::span<const std::byte> bytes, const gstd::Sink& sink) override {
    return frames_.write(bytes, [&](std::span<const std::byte> content) { return compressor_.write(content, sink); });
  }
  Status finish(const gstd::Sink& sink) override {
    if (Status status = frames_.finish(sink); !status) return status;
    return compressor_.finish(sink);
  }

 private:
  gstd::Compressor compressor_;
  ZstConverter frames_;
};

constexpr size_t kBeginning = kFrameBytes;  // bytes of an input that show its format, or a skippable frame before it

// A run of one kind over inputs.
struct Work {
  const Options& options;
  bool compresses;  // or decompresses
  std::function<Result<std::unique_ptr<Converter>>(std::optional<uint64_t> size, Format format)> make;
  std::set<std::string> outputs = {};  // in the output directory

  bool tests() const { return options.mode == Mode::test; }
  bool writes_stdout(const std::string& name) const {
    return !tests() && (options.to_stdout || (name == "-" && options.output.empty()));
  }
  bool passes_through(const std::string& name) const {
    return !compresses && !tests() && options.pass_through.value_or(options.force && writes_stdout(name));
  }
  bool meters() const { return options.progress.value_or(options.verbosity >= 2 && ::isatty(STDERR_FILENO) != 0); }
  // With a tile that waits for what comes after it, at most 256 KiB are held back of content in tiles of 64 KiB.
  size_t piece_of_pipe() const { return std::max(size_t{192} << 10, 3 * size_t{options.compress.tile_bytes}); }
  Status convert(Input& input, const std::string& name, const gstd::Sink& sink, Sizes& sizes) const;
  Status run(const std::string& name);
  Result<Output> open_output(const std::string& name, const Input& input, bool to_stdout);
  Result<std::string> output_name(const std::string& name);
  Result<std::string> name_beside(const std::string& name) const;
};

Status Work::convert(Input& input, const std::string& name, const gstd::Sink& sink, Sizes& sizes) const {
  const std::optional<uint64_t> size = input.size();
  // What comes from a pipe goes on soon: content in small pieces, compressed bytes as they come.
  const bool passes_on = !size && writes_stdout(name);
  const bool in_pieces = passes_on && compresses && options.segment_default;
  const bool as_they_come = passes_on && !compresses;
  std::vector<std::byte> piece(in_pieces ? piece_of_pipe() : size_t{4} << 20);
  size_t wanted = as_they_come ? kBeginning : piece.size();
  Result<size_t> count = input.read(std::span(piece).first(wanted));
  if (!count) return count.error();
  for (uint64_t shown; *count == wanted; wanted = static_cast<size_t>(shown)) {
    shown = after_frames(std::span(piece).first(wanted)) + kBeginning;
    if (shown <= wanted || shown > piece.size()) break;
    const Result<size_t> more = input.read(std::span(piece).subspan(wanted, static_cast<size_t>(shown) - wanted));
    if (!more) return more.error();
    count = *count + *more;
  }
  const Format begun = format_of(std::span(piece).first(*count));
  const bool copies = passes_through(name) && begun == Format::unknown;
  // What begins as neither is refused as what its name says, and frames alone are read so.
  const Format format = begun == Format::unknown && name.ends_with(kZstSuffix) ? Format::zst
                        : begun == Format::frames && !name.ends_with(kSuffix)  ? Format::zst
                                                                               : begun;
  // What ends in the first piece has a size that is known, whatever the file's facts say.
  Result<std::unique_ptr<Converter>> converter =
      copies ? Result<std::unique_ptr<Converter>>(std::make_unique<PassThroughConverter>(options.limit))
             : make(*count < wanted ? *count : size, format);
  if (!converter) return converter.error();
  Meter meter(meters(), name == "-" ? "standard input" : name, size);
  const gstd::Sink counted = [&](std::span<const std::byte> bytes) -> Status {
    sizes.written += bytes.size();
    return sink(bytes);
  };
  while (*count != 0) {
    sizes.read += *count;
    if (Status status = (*converter)->write(std::span(piece).first(*count), counted); !status) return status;
    meter.update(sizes.read, compresses ? sizes.read : sizes.written, compresses ? sizes.written : sizes.read);
    if (*count < wanted) break;
    if (in_pieces)
      if (Status status = (*converter)->flush(counted); !status) return status;
    if (as_they_come) wanted = 0;
    count = as_they_come ? input.read_some(piece) : input.read(piece);
    if (!count) return count.error();
  }
  return (*converter)->finish(counted);
}

// Whether nothing is left of a file's name, without its suffix.
bool names_nothing(const std::string& path) { return !fs::path(path).has_filename(); }

// Empty, if a name has none of the suffixes.
std::string without_suffix(const std::string& name, std::initializer_list<std::string_view> suffixes) {
  for (const std::string_view suffix : suffixes)
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  return {};
}

Result<std::string> Work::name_beside(const std::string& name) const {
  if (compresses) {
    if (!options.from_zst) return name + kSuffix;
    const std::string stem = without_suffix(name, {kZstSuffix});
    if (names_nothing(stem)) return refuse("its name does not end in .zst; -o names the output");
    return stem + kSuffix;
  }
  std::string stem = without_suffix(name, {kSuffix, kZstSuffix});
  if (names_nothing(stem)) return refuse("its name does not end in .gst or .zst; -o or -c say where to write");
  return stem;
}

// Makes the output's directories, if there is an output directory.
Result<std::string> Work::output_name(const std::string& name) {
  if (!options.output.empty()) return options.output;
  Result<std::string> beside = name_beside(name);
  if (!beside || options.output_directory.empty()) return beside;
  const fs::path whole = fs::path(*beside).lexically_normal().relative_path();
  if (options.mirror && *whole.begin() == "..")
    return refuse("begins with \"..\", which --output-dir-mirror cannot keep");
  const fs::path path = options.output_directory / (options.mirror ? whole : whole.filename());
  if (!outputs.insert(path.string()).second) return refuse("another input has the output " + shown_name(path.string()));
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return refuse("cannot make " + shown_name(path.parent_path().string()) + ": " + error.message());
  return path.string();
}

// Asks whoever started this whether a file is to be overwritten, where there is one to answer.
bool agrees_to_overwrite(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 || ::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
  std::fprintf(stderr, "gstd: %s already exists; overwrite (y/N)? ", shown_name(path).c_str());
  const int answer = std::getchar();
  for (int rest = answer; rest != '\n' && rest != EOF;) rest = std::getchar();
  return answer == 'y' || answer == 'Y';
}

Result<Output> Work::open_output(const std::string& name, const Input& input, bool to_stdout) {
  if (to_stdout) {
    // Content may be asked for on a terminal, compressed bytes only by force.
    const bool asked = options.force || (!compresses && options.to_stdout);
    if (!asked && ::isatty(STDOUT_FILENO) != 0)
      return refuse(compresses ? "standard output is a terminal; -f writes to it all the same"
                               : "standard output is a terminal; -c writes to it all the same");
    return Output::to_stdout();
  }
  const Result<std::string> path = output_name(name);
  if (!path) return path.error();
  const bool replace = options.force || (name != "-" && agrees_to_overwrite(*path));
  if (input.is_at(*path)) return refuse("the output is the input");
  Result<Output> output = Output::create(*path, replace);
  if (!output) return Error{output.error().code, "cannot write " + shown_name(*path) + ": " + output.error().message};
  return output;
}

Status Work::run(const std::string& name) {
  const bool is_stdin = name == "-";
  const bool to_stdout = writes_stdout(name);
  const bool beside = !tests() && !to_stdout && options.output.empty();
  if (beside && !options.force) {
    std::error_code error;
    if (fs::is_symlink(name, error)) return refuse("is a symbolic link; -f follows it");
  }
  Result<Input> input = Input::open(name);
  if (!input) return input.error();
  if (S_ISDIR(input->facts().st_mode)) return refuse("is a directory");
  if (beside && !options.force && !S_ISREG(input->facts().st_mode)) return refuse("is not a regular file");
  if (is_stdin && input->is_terminal() && !options.force) return refuse("is a terminal; -f reads it all the same");

  Sizes sizes;
  if (tests()) {
    const gstd::Sink nowhere = [](std::span<const std::byte>) -> Status { return {}; };
    if (Status status = convert(*input, name, nowhere, sizes); !status) return status;
    if (options.verbosity >= 2)
      std::fprintf(stderr, "%s: good, %llu bytes of content\n", shown_name(name).c_str(),
                   static_cast<unsigned long long>(sizes.written));
    return {};
  }

  Result<Output> output = open_output(name, *input, to_stdout);
  if (!output) return output.error();
  const bool is_kept = output->is_file();
  const gstd::Sink sink = [&](std::span<const std::byte> bytes) -> Status {
    const Status status = output->write(bytes);
    if (status) return {};
    return Error{status.error().code, "cannot write: " + status.error().message};
  };
  if (Status status = convert(*input, name, sink, sizes); !status) return status;
  if (const Status status = output->finish(is_stdin ? nullptr : &input->facts(), options.fsync); !status)
    return Error{status.error().code, "cannot finish its output: " + status.error().message};
  if (options.verbosity >= (to_stdout ? 3 : 2)) {
    const uint64_t content = compresses ? sizes.read : sizes.written;
    const uint64_t compressed = compresses ? sizes.written : sizes.read;
    std::fprintf(stderr, "%s: %llu => %llu bytes, ratio %s\n", is_stdin ? "standard input" : shown_name(name).c_str(),
                 static_cast<unsigned long long>(sizes.read), static_cast<unsigned long long>(sizes.written),
                 shown_ratio(content, compressed).c_str());
  }
  input->close();
  if (options.remove_sources && !is_stdin && is_kept && ::unlink(name.c_str()) != 0)
    return Error{ErrorCode::driver_error, "cannot remove it: " + system_reason()};
  return {};
}

bool run_all(Work work, std::span<const char* const> suffixes, bool without) {
  const Options& options = work.options;
  std::vector<std::string> names;
  bool good = collect_inputs(options, suffixes, without, names);
  if (!options.output.empty() && names.size() != 1) {
    tell_error(options, options.output,
               "-o names one output, and there are " + std::to_string(names.size()) + " inputs");
    return false;
  }
  for (const std::string& name : names) {
    const Status status = work.run(name);
    if (status) continue;
    const bool is_short = options.memory != UINT64_MAX && status.error().code == ErrorCode::out_of_host_memory;
    tell_error(options, name == "-" ? "standard input" : name,
               is_short ? "needs more memory than -M allows" : status.error().message);
    good = false;
  }
  return good;
}

}  // namespace

bool compress_files(const Options& options) {
  const auto make = [&](std::optional<uint64_t> size, Format) -> Result<std::unique_ptr<Converter>> {
    auto compressor = gstd::Compressor::create(options.compress, options.from_zst ? std::nullopt : size);
    if (!compressor) return compressor.error();
    if (options.from_zst) return std::unique_ptr<Converter>(new FromZstConverter(*std::move(compressor), options));
    return std::unique_ptr<Converter>(new CompressConverter(*std::move(compressor)));
  };
  const Work work{options, true, make};
  return options.from_zst ? run_all(work, {&kZstSuffix, 1}, false) : run_all(work, {&kSuffix, 1}, true);
}

bool decompress_files(const Options& options) {
  std::optional<GpuDecoder> gpu;
  if (options.gpu) {
    Result<GpuDecoder> opened = GpuDecoder::open(*options.gpu);
    if (!opened) {
      tell_error(options, "--gpu", opened.error().message);
      return false;
    }
    gpu = *std::move(opened);
    if (options.verbosity >= 3) std::fprintf(stderr, "decoding by %s\n", gpu->name().c_str());
  }
  const auto make = [&](std::optional<uint64_t> size, Format format) -> Result<std::unique_ptr<Converter>> {
    if (format == Format::zst && gpu) return std::unique_ptr<Converter>(new GpuZstConverter(*gpu, options));
    if (format == Format::zst) return std::unique_ptr<Converter>(new ZstConverter(options));
    gstd::DecompressConfig config;
    config.max_content = options.limit;
    config.verify = options.verify;
    config.threads = options.compress.threads;
    if (gpu) return std::unique_ptr<Converter>(new GpuConverter(*gpu, config, size, options.memory));
    auto decompressor = gstd::Decompressor::create(config);
    if (!decompressor) return decompressor.error();
    return std::unique_ptr<Converter>(new DecompressConverter(*std::move(decompressor)));
  };
  return run_all({options, false, make}, kSuffixes, false);
}

}  // namespace gstd_tool
