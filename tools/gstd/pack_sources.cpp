// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "pack_file.hpp"
#include "system.hpp"

namespace gstd_tool {

namespace fs = std::filesystem;
using weft::Error;
using weft::ErrorCode;
using weft::Result;

Result<std::vector<PackSource>> pack_sources(const std::string& folder, std::span<const std::string> left_out,
                                             const std::function<void(const std::string&, const std::string&)>& say) {
  std::error_code error;
  std::vector<fs::path> own;
  for (const std::string& file : left_out) own.push_back(fs::weakly_canonical(file, error));
  const fs::path root = fs::canonical(folder, error);
  if (error) return Error{ErrorCode::not_found, error.message()};
  if (!fs::is_directory(root)) return Error{ErrorCode::invalid_argument, "is not a directory"};
  const std::string root_name = root.generic_string();
  const size_t prefix = root_name.size() + (root_name.ends_with('/') ? 0 : 1);

  std::vector<PackSource> sources;
  bool all = true;
  auto at = fs::recursive_directory_iterator(root, error);
  while (!error && at != fs::recursive_directory_iterator()) {
    const fs::file_status status = at->symlink_status(error);
    if (error) break;
    const fs::path& file = at->path();
    const std::string name = file.string();
    const bool is_link = system::is_link(name);
    const bool is_own = std::ranges::find(own, file) != own.end();
    if (is_link || is_own) at.disable_recursion_pending();
    if (!is_link && fs::is_regular_file(status) && !is_own) {
      const std::string path = file.generic_string().substr(prefix);
      if (const std::string fault = weft::pack::fault_of_path(path); !fault.empty()) {
        say(name, fault);
        all = false;
      }
      const uint64_t bytes = at->file_size(error);
      if (error) break;
      sources.push_back({path, name, bytes});
    } else if (is_link || (!fs::is_regular_file(status) && !fs::is_directory(status))) {
      say(name, is_link ? "is left out: a symbolic link" : "is left out: no regular file");
    }
    at.increment(error);
  }
  if (error) return Error{ErrorCode::system_error, error.message()};
  if (!all) return Error{ErrorCode::invalid_argument, "has files that no pack can have"};
  std::ranges::sort(sources, {}, &PackSource::path);
  return sources;
}

}  // namespace gstd_tool
