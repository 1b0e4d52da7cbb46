// SPDX-License-Identifier: MIT OR Apache-2.0
#include "folder.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "files.hpp"
#include "system.hpp"

namespace gstd_tool {

using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

namespace {

Error failed(DWORD why = ::GetLastError()) { return {ErrorCode::driver_error, "error " + std::to_string(why)}; }

// Windows takes these names for devices, with any ending, and drops dots and spaces at a name's end.
bool is_special(std::string_view name) {
  std::string stem(name.substr(0, name.find('.')));
  while (stem.ends_with(' ')) stem.pop_back();
  std::ranges::transform(stem, stem.begin(), [](unsigned char letter) { return std::toupper(letter); });
  const bool is_port = stem.size() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT"));
  return is_port || stem == "CON" || stem == "PRN" || stem == "AUX" || stem == "NUL" || name.ends_with('.') ||
         name.ends_with(' ') || name.find_first_of("<>:\"|?*\\/") != std::string_view::npos;
}

Error refuse(const std::string& name) {
  return {ErrorCode::invalid_argument, name + " is no name of a file on Windows"};
}

// Nobody renames or removes a folder that is open so: its path stays what it is.
Result<intptr_t> open_folder(const std::string& path, bool follows) {
  if (::CreateDirectoryA(path.c_str(), nullptr) == 0 && ::GetLastError() != ERROR_ALREADY_EXISTS) return failed();
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follows ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
  const HANDLE handle = ::CreateFileA(path.c_str(), FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                      OPEN_EXISTING, flags, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return failed();
  BY_HANDLE_FILE_INFORMATION facts = {};
  const bool known = ::GetFileInformationByHandle(handle, &facts) != 0;
  const bool is_folder = known && (facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
                         (facts.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0;
  if (is_folder) return reinterpret_cast<intptr_t>(handle);
  ::CloseHandle(handle);
  return Error{ErrorCode::invalid_argument, path + " is no directory, or a link to one"};
}

}  // namespace

Result<Folder> Folder::open(const std::string& name) {
  const Result<intptr_t> handle = open_folder(name, true);
  if (!handle) return handle.error();
  return Folder(*handle, name + "/");
}

Folder::~Folder() {
  if (handle_ != -1) ::CloseHandle(reinterpret_cast<HANDLE>(handle_));
}

Folder::Folder(Folder&& other) noexcept : handle_(std::exchange(other.handle_, -1)), path_(std::move(other.path_)) {}

Folder& Folder::operator=(Folder&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Result<Folder> Folder::below(const std::string& name) const {
  if (is_special(name)) return refuse(name);
  const Result<intptr_t> handle = open_folder(path_ + name, false);
  if (!handle) return handle.error();
  return Folder(*handle, path_ + name + "/");
}

Result<int> Folder::create(const std::string& name) const {
  // What is there may be a link.
  ::DeleteFileA((path_ + name).c_str());
  const int file = ::open((path_ + name).c_str(), O_WRONLY | O_CREAT | O_EXCL | system::kBytes, 0666);
  if (file < 0) return system_error();
  return file;
}

Status Folder::rename(const std::string& from, const std::string& to, bool replace) const {
  if (is_special(to)) return refuse(to);
  if (system::rename(path_ + from, path_ + to, replace)) return {};
  if (errno == EEXIST) return Error{ErrorCode::invalid_argument, "already exists; -f overwrites it"};
  return system_error();
}

void Folder::remove(const std::string& name) const { ::DeleteFileA((path_ + name).c_str()); }

}  // namespace gstd_tool
