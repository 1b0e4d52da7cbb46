// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/status.hpp>

#include <cstdint>
#include <string>

namespace gstd_tool {

/// A directory that paths of a pack are below. Links in it are not followed. folder_posix.cpp, folder_windows.cpp.
class Folder {
 public:
  /// Made if it is not there.
  static weft::Result<Folder> open(const std::string& name);
  ~Folder();
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept;

  /// The folder of that name in this one; made if it is not there.
  weft::Result<Folder> below(const std::string& name) const;
  /// An empty file, to be written to.
  weft::Result<int> create(const std::string& name) const;
  /// `replace`: whether there may be a file of that name, or a link, which is replaced.
  weft::Status rename(const std::string& from, const std::string& to, bool replace) const;
  void remove(const std::string& name) const;

 private:
  explicit Folder(intptr_t handle, std::string path = {}) : handle_(handle), path_(std::move(path)) {}
  intptr_t handle_ = -1;
  std::string path_;  ///< Windows', with a separator at its end
};

}  // namespace gstd_tool
