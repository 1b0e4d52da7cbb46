// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/status.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace gstd_tool {

/// A file, or standard input, that is read from its beginning.
class Input {
 public:
  /// `path` "-": standard input. Errors: with the system's reason.
  static weft::Result<Input> open(const std::string& path);
  ~Input();
  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;

  /// Fills `to` as far as there is something; fewer bytes only at the end.
  weft::Result<size_t> read(std::span<std::byte> to);
  /// Waits for something, and takes what is there. 0: the end.
  weft::Result<size_t> read_some(std::span<std::byte> to);
  /// Fills all of `to` from a place.
  weft::Status read_at(uint64_t position, std::span<std::byte> to) const;

  /// Of a regular file.
  std::optional<uint64_t> size() const;
  const struct stat& facts() const { return facts_; }
  bool is_terminal() const;
  /// Whether the path is that of this file.
  bool is_at(const std::string& path) const;
  /// Windows removes no open file. Nothing can be read any more.
  void close();

 private:
  Input(int file, const struct stat& facts) : file_(file), facts_(facts) {}
  int file_;
  struct stat facts_;
};

/// All of a file, or of standard input.
weft::Result<std::vector<std::byte>> read_all(const std::string& path);

/// Where output goes. A new file comes into being when it is finished: until then it has a name of its own, under which
/// it is removed on an error or a signal.
class Output {
 public:
  static weft::Result<Output> to_stdout();
  /// What is to be `path` in the end. `replace`: whether there may be such a file. What is no regular file, as
  /// /dev/null, is written to at once.
  static weft::Result<Output> create(const std::string& path, bool replace);
  ~Output();
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;

  weft::Status write(std::span<const std::byte> bytes);
  /// Whether what is written stays, as a file of its own.
  bool is_file() const { return !path_.empty(); }
  /// Gives the file its name, and its source's mode and times, if it has one. `sync`: all of it is on the disk then.
  weft::Status finish(const struct stat* source, bool sync);

 private:
  Output(int file, std::string path, std::string unfinished, bool replace);
  weft::Status close();
  weft::Status rename();

  int file_;
  std::string path_;        // empty: nothing to be renamed
  std::string unfinished_;  // its name until then
  bool replace_;
};

/// Whether a path's last part is a name that an unfinished file has.
bool is_unfinished_name(const std::string& path);

/// Has signals that end the process remove the unfinished file first.
void remove_unfinished_on_signals();

/// The system's words for its last error.
std::string system_reason();
weft::Error system_error();

}  // namespace gstd_tool
