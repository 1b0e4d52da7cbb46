// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "files.hpp"
#include "meter.hpp"
#include "work.hpp"

namespace gstd_tool {
namespace {

namespace fs = std::filesystem;

// Files below a directory, in the order of their names, so that runs are the same. Links are not followed.
bool collect_below(const Options& options, const std::string& folder, std::span<const char* const> suffixes,
                   bool without, std::vector<std::string>& names) {
  const auto has_suffix = [&](const std::string& name) {
    return std::ranges::any_of(suffixes, [&](const char* suffix) { return name.ends_with(suffix); });
  };
  std::error_code error;
  std::vector<std::string> found;
  auto at = fs::recursive_directory_iterator(folder, error);
  while (!error && at != fs::recursive_directory_iterator()) {
    std::error_code skipped;
    const std::string name = at->path().string();
    const bool is_file = fs::is_regular_file(at->symlink_status(skipped));
    if (is_file && is_unfinished_name(name)) {
      if (options.verbosity >= 2) tell_error(options, name, "is skipped: gstd writes it, or was killed before its end");
    } else if (is_file && has_suffix(name) != without) {
      found.push_back(name);
    }
    at.increment(error);
  }
  std::sort(found.begin(), found.end());
  names.insert(names.end(), found.begin(), found.end());
  if (error) tell_error(options, folder, error.message());
  return !error;
}

// Appends the lines of a file.
bool append_lines(const Options& options, const std::string& list, std::vector<std::string>& names) {
  const auto bytes = read_all(list);
  if (!bytes) {
    tell_error(options, list, bytes.error().message);
    return false;
  }
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) names.push_back(line);
  return true;
}

bool is_compressed(const std::string& name) {
  static constexpr std::string_view kSuffixes[] = {
      ".gst", ".zst", ".tzst", ".gz",   ".tgz", ".xz",   ".txz", ".bz2", ".lzma", ".lz",  ".lz4",  ".br",  ".7z",
      ".zip", ".rar", ".jpg",  ".jpeg", ".png", ".webp", ".gif", ".mp3", ".mp4",  ".mkv", ".webm", ".ogg", ".flac"};
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) { return name.ends_with(suffix); });
}

}  // namespace

std::string without_prefix(const std::string& message) {
  return message.starts_with("gstd: ") ? message.substr(6) : message;
}

void tell_error(const Options& options, const std::string& name, const std::string& reason) {
  if (options.verbosity >= 1)
    std::fprintf(stderr, "gstd: %s: %s\n", shown_name(name).c_str(), without_prefix(reason).c_str());
}

bool collect_inputs(const Options& options, std::span<const char* const> suffixes, bool without,
                    std::vector<std::string>& names) {
  bool all = true;
  std::vector<std::string> inputs = options.inputs;
  for (const std::string& list : options.filelists) all = append_lines(options, list, inputs) && all;
  for (const std::string& name : inputs) {
    std::error_code error;
    if (name == "-" || !fs::is_directory(name, error)) {
      names.push_back(name);
    } else if (options.recursive) {
      all = collect_below(options, name, suffixes, without, names) && all;
    } else {
      tell_error(options, name, "is a directory; -r works on what is in it");
      all = false;
    }
  }
  if (inputs.empty() && options.filelists.empty()) names.emplace_back("-");
  if (options.exclude_compressed) std::erase_if(names, is_compressed);
  return all;
}

}  // namespace gstd_tool
