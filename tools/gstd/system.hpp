// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What POSIX and Windows do differently: system_posix.cpp and system_windows.cpp. Functions fail as those of POSIX do,
// with -1 or false, and with errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>

namespace gstd_tool::system {

/// For open(): bytes as they are, in a file that no other process inherits.
#ifdef _WIN32
inline constexpr int kBytes = O_BINARY | O_NOINHERIT;
#else
inline constexpr int kBytes = O_CLOEXEC;
#endif

/// Has standard input and output pass bytes as they are.
void set_streams_binary();
/// Allocations beyond the limit fail, those of libzstd too.
bool limit_memory(uint64_t bytes);
/// Has signals that end the process call the handler once; those that are ignored, as by nohup, stay so.
void on_end(void (*handler)(int));

/// As read() and write(), of at most 1 GiB.
std::ptrdiff_t read(int file, void* to, size_t bytes);
std::ptrdiff_t write(int file, const void* from, size_t bytes);
std::ptrdiff_t read_at(int file, void* to, size_t bytes, uint64_t position);
std::ptrdiff_t write_at(int file, const void* from, size_t bytes, uint64_t position);
bool truncate(int file, uint64_t bytes);
/// Keeps the file from other processes that ask for the same. errno is EWOULDBLOCK if one has it.
bool lock(int file);
/// Whether the file of that name may have been written since.
bool has_changed(const std::string& path, const struct stat& before);
/// Whether it is a link, or Windows' junction.
bool is_link(const std::string& path);
/// Whether the path is that of the open file.
bool is_same(int file, const std::string& path);
/// Gives the file its source's times and, where there are such, rights. Null: those of a new file.
bool take_facts(int file, const struct stat* source);
/// Renames, but does not replace an existing file if not asked to: errno is EEXIST then.
bool rename(const std::string& from, const std::string& to, bool replace);
/// Has what was written on the disk.
bool sync(int file);
/// Has the names of a folder, "" or with a separator at its end, on the disk.
bool sync_folder(const std::string& folder);

}  // namespace gstd_tool::system
