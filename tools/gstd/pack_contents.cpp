// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

#include "files.hpp"
#include "folder.hpp"
#include "meter.hpp"
#include "pack_file.hpp"
#include "system.hpp"
#include "work.hpp"

namespace gstd_tool {
namespace {

namespace pack = weft::pack;
using pack::Entry;
using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

// Larger assets are decoded one by one, by all threads.
constexpr uint64_t kLargestSideBySide = 64u << 20;

/// An open pack with its file.
struct OpenPack {
  Input file;
  std::optional<pack::PackReader> reader;

  static Result<std::unique_ptr<OpenPack>> open(const std::string& name) {
    Result<Input> input = Input::open(name);
    if (!input) return input.error();
    const auto size = name == "-" ? std::nullopt : input->size();
    if (!size) return Error{ErrorCode::invalid_argument, "is not a regular file"};
    auto opened = std::unique_ptr<OpenPack>(new OpenPack{*std::move(input), std::nullopt});
    const Input& file = opened->file;
    auto reader =
        pack::PackReader::open([&file](uint64_t at, std::span<std::byte> to) { return file.read_at(at, to); }, *size);
    if (!reader) return Error{reader.error().code, reader.error().message.substr(sizeof "pack: " - 1)};
    opened->reader = *std::move(reader);
    return opened;
  }

  std::vector<Entry> by_path() const {
    std::vector<Entry> entries;
    for (uint32_t i = 0; i < reader->size(); ++i) entries.push_back(reader->entry(i));
    std::ranges::sort(entries, {}, &Entry::path);
    return entries;
  }
};

Status write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::ptrdiff_t done = system::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return system_error();
    if (done > 0) bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return {};
}

// A file gets its name when it is whole.
Status write_file(const Folder& folder, const std::string& name, const std::string& unfinished, const Options& options,
                  const std::function<Status(const pack::Sink&)>& fill) {
  const Result<int> file = folder.create(unfinished);
  if (!file) return file.status();
  Status status = fill([&](std::span<const std::byte> bytes) { return write_all(*file, bytes); });
  if (status && options.fsync && !system::sync(*file)) status = system_error();
  if (::close(*file) != 0 && status) status = system_error();
  if (status) status = folder.rename(unfinished, name, options.force);
  if (!status) folder.remove(unfinished);
  return status;
}

Status unpack_entry(const pack::PackReader& reader, const Entry& entry, const Folder& root, size_t number,
                    uint32_t threads, const Options& options) {
  std::optional<Folder> folder;
  std::string name(entry.path);
  for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/')) {
    Result<Folder> next = (folder ? *folder : root).below(name.substr(0, slash));
    if (!next) return next.status();
    if (folder)
      *folder = *std::move(next);
    else
      folder.emplace(*std::move(next));
    name.erase(0, slash + 1);
  }
  const std::string unfinished = ".gstd-" + std::to_string(::getpid()) + "-" + std::to_string(number) + ".unfinished";
  pack::ReadConfig config;
  config.threads = threads;
  return write_file(folder ? *folder : root, name, unfinished, options,
                    [&](const pack::Sink& sink) { return reader.extract(entry, sink, config); });
}

// Calls work(entry, number, threads) for all: small assets side by side, large ones by themselves. Reports each error.
bool for_each(const Options& options, std::span<const Entry> entries,
              const std::function<Status(const Entry&, size_t, uint32_t)>& work) {
  const uint32_t asked = options.compress.threads;
  const uint32_t threads = asked != 0 ? asked : std::max(std::thread::hardware_concurrency(), 1u);
  uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.content_bytes;
  Meter meter(options.progress.value_or(::isatty(STDERR_FILENO) != 0), options.inputs.front(), total);
  std::mutex mutex;
  uint64_t done = 0, stored = 0;
  bool good = true;
  const auto one = [&](size_t i, uint32_t of_threads) {
    const Entry& entry = entries[i];
    const Status status = entry.content_bytes > options.limit
                              ? Status(Error{ErrorCode::over_limit, "has more content than --limit allows"})
                              : work(entry, i, of_threads);
    const std::lock_guard lock(mutex);
    if (!status) {
      std::string reason = status.error().message;
      if (reason.starts_with("pack: ")) reason.erase(0, 6);
      tell_error(options, options.inputs.front() + ": " + std::string(entry.path), reason);
      good = false;
    }
    done += entry.content_bytes;
    stored += entry.stored_bytes;
    meter.update(done, done, stored);
  };
  const Status status = in_parallel(threads, entries.size(), [&](size_t i) -> Status {
    if (entries[i].content_bytes <= kLargestSideBySide) one(i, 1);
    return {};
  });
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].content_bytes > kLargestSideBySide) one(i, threads);
  return good && status.ok();
}

// The entries of the paths given, and of what is below them; all if none is.
bool choose_entries(const Options& options, const OpenPack& opened, std::vector<Entry>& chosen) {
  const std::vector<Entry> all = opened.by_path();
  if (options.inputs.size() == 1) {
    chosen = all;
    return true;
  }
  bool good = true;
  std::vector<bool> wanted(all.size());
  for (size_t i = 1; i < options.inputs.size(); ++i) {
    std::string path = options.inputs[i];
    while (path.ends_with('/')) path.pop_back();
    bool found = false;
    for (size_t at = 0; at < all.size(); ++at) {
      if (all[at].path != path && !all[at].path.starts_with(path + "/")) continue;
      wanted[at] = found = true;
    }
    if (!found) {
      tell_error(options, options.inputs.front() + ": " + path, "there is no such path");
      good = false;
    }
  }
  for (size_t at = 0; at < all.size(); ++at)
    if (wanted[at]) chosen.push_back(all[at]);
  return good;
}

std::unique_ptr<OpenPack> open_pack(const Options& options) {
  Result<std::unique_ptr<OpenPack>> opened = OpenPack::open(options.inputs.front());
  if (opened) return *std::move(opened);
  tell_error(options, options.inputs.front(), opened.error().message);
  return nullptr;
}

void print_json(const Entry& entry, bool first) {
  std::printf("%s\n  {\"path\": %s, \"kind\": \"%s\", \"content_bytes\": %" PRIu64 ", \"stored_bytes\": %" PRIu64
              ", \"position\": %" PRIu64 ", \"ranges\": %" PRIu32 ", \"content_hash\": \"%016" PRIx64 "\"",
              first ? "" : ",", json_string(std::string(entry.path)).c_str(), pack::name_of(entry.kind),
              entry.content_bytes, entry.stored_bytes, entry.position, entry.range_count, entry.content_hash);
  const pack::Image& image = entry.image;
  if (image.file != pack::ImageFile::none)
    std::printf(", \"image\": {\"file\": \"%s\", \"vk_format\": %" PRIu32 ", \"width\": %" PRIu32
                ", \"height\": %" PRIu32 ", \"depth\": %" PRIu32 ", \"levels\": %" PRIu32 ", \"layers\": %" PRIu32
                ", \"faces\": %" PRIu32 "}",
                pack::name_of(image.file), image.vk_format, image.width, image.height, image.depth, image.levels,
                image.layers, image.faces);
  std::printf("}");
}

std::string shown_image(const pack::Image& image) {
  if (image.file == pack::ImageFile::none) return "-";
  std::string text = std::to_string(image.width) + "x" + std::to_string(image.height);
  if (image.depth > 1) text += "x" + std::to_string(image.depth);
  text += "/" + std::to_string(image.levels);
  if (image.layers * image.faces > 1) text += "*" + std::to_string(image.layers * image.faces);
  return text;
}

void print_totals(const OpenPack& opened) {
  uint64_t content = 0, used = opened.reader->directory_bytes() + pack::kPayloadAt;
  for (const Entry& entry : opened.by_path()) {
    content += entry.content_bytes;
    used += entry.stored_bytes;
  }
  const uint64_t bytes = opened.reader->pack_bytes();
  std::printf("%u files, %s of content in %s, of which %s are padding or replaced; state %" PRIu64 "\n",
              opened.reader->size(), shown_bytes(content).c_str(), shown_bytes(bytes).c_str(),
              shown_bytes(bytes - std::min(bytes, used)).c_str(), opened.reader->generation());
}

}  // namespace

bool list_pack(const Options& options) {
  const auto opened = open_pack(options);
  if (!opened) return false;
  bool first = true;
  if (options.json)
    std::printf("[");
  else
    std::printf("%-8s %11s %11s %8s  %-18s %s\n", "kind", "content", "stored", "ratio", "image", "path");
  for (const Entry& entry : opened->by_path()) {
    if (options.json)
      print_json(entry, first);
    else
      std::printf("%-8s %11s %11s %8s  %-18s %s\n", pack::name_of(entry.kind), shown_bytes(entry.content_bytes).c_str(),
                  shown_bytes(entry.stored_bytes).c_str(), shown_ratio(entry.content_bytes, entry.stored_bytes).c_str(),
                  shown_image(entry.image).c_str(), shown_name(std::string(entry.path)).c_str());
    first = false;
  }
  if (options.json)
    std::printf("%s]\n", first ? "" : "\n");
  else
    print_totals(*opened);
  return true;
}

bool unpack_pack(const Options& options) {
  const auto opened = open_pack(options);
  if (!opened) return false;
  std::vector<Entry> entries;
  bool good = choose_entries(options, *opened, entries);
  const std::string name = options.output.empty() ? "." : options.output;
  const Result<Folder> root = Folder::open(name);
  if (!root) {
    tell_error(options, name, root.error().message);
    return false;
  }
  return for_each(options, entries,
                  [&](const Entry& entry, size_t number, uint32_t threads) {
                    return unpack_entry(*opened->reader, entry, *root, number, threads, options);
                  }) &&
         good;
}

bool verify_pack(const Options& options) {
  const auto opened = open_pack(options);
  if (!opened) return false;
  const pack::Sink nowhere = [](std::span<const std::byte>) -> Status { return {}; };
  const bool good = for_each(options, opened->by_path(), [&](const Entry& entry, size_t, uint32_t threads) -> Status {
    if (Status status = opened->reader->read_stored(entry, nowhere); !status) return status;
    pack::ReadConfig config;
    config.threads = threads;
    return opened->reader->extract(entry, nowhere, config);
  });
  if (good && options.verbosity >= 2)
    std::fprintf(stderr, "%s: good, %u files\n", shown_name(options.inputs.front()).c_str(), opened->reader->size());
  return good;
}

}  // namespace gstd_tool
