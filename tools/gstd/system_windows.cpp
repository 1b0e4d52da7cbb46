// SPDX-License-Identifier: MIT OR Apache-2.0
#include "system.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <io.h>
#include <sys/utime.h>
#include <unistd.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace gstd_tool::system {
namespace {

// As an unsigned int, which the C library's functions take.
unsigned at_most_1_gib(size_t bytes) { return static_cast<unsigned>(std::min(bytes, size_t{1} << 30)); }

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

// errno for Windows' last error; false.
bool failed() {
  switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND: errno = ENOENT; break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION: errno = EACCES; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_DISK_FULL: errno = ENOSPC; break;
    case ERROR_NOT_SAME_DEVICE: errno = EXDEV; break;
    default: errno = EIO; break;
  }
  return false;
}

}  // namespace

void set_streams_binary() {
  ::_setmode(STDIN_FILENO, O_BINARY);
  ::_setmode(STDOUT_FILENO, O_BINARY);
}

// Windows has a limit of a job's, which a process can be alone.
bool limit_memory(uint64_t bytes) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit = {};
  limit.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  limit.ProcessMemoryLimit = static_cast<SIZE_T>(bytes);
  // The job is there as long as the process: the handle is closed by neither.
  const HANDLE job = ::CreateJobObjectA(nullptr, nullptr);
  const bool limited = job != nullptr &&
                       ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limit, sizeof limit) != 0 &&
                       ::AssignProcessToJobObject(job, ::GetCurrentProcess()) != 0;
  return limited || failed();
}

void on_end(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGBREAK})
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

std::ptrdiff_t read(int file, void* to, size_t bytes) { return ::_read(file, to, at_most_1_gib(bytes)); }

std::ptrdiff_t write(int file, const void* from, size_t bytes) { return ::_write(file, from, at_most_1_gib(bytes)); }

std::ptrdiff_t read_at(int file, void* to, size_t bytes, uint64_t position) {
  OVERLAPPED at = {};
  at.Offset = static_cast<DWORD>(position);
  at.OffsetHigh = static_cast<DWORD>(position >> 32);
  DWORD done = 0;
  if (::ReadFile(handle_of(file), to, at_most_1_gib(bytes), &done, &at) != 0) return static_cast<std::ptrdiff_t>(done);
  if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
  failed();
  return -1;
}

std::ptrdiff_t write_at(int file, const void* from, size_t bytes, uint64_t position) {
  OVERLAPPED at = {};
  at.Offset = static_cast<DWORD>(position);
  at.OffsetHigh = static_cast<DWORD>(position >> 32);
  DWORD done = 0;
  if (::WriteFile(handle_of(file), from, at_most_1_gib(bytes), &done, &at) != 0)
    return static_cast<std::ptrdiff_t>(done);
  failed();
  return -1;
}

bool truncate(int file, uint64_t bytes) {
  FILE_END_OF_FILE_INFO end = {};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(bytes);
  return ::SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end) != 0 || failed();
}

// A byte far behind the file's end, which nobody reads.
bool lock(int file) {
  OVERLAPPED at = {};
  at.OffsetHigh = 0x40000000;
  if (::LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != 0)
    return true;
  const bool is_taken = ::GetLastError() == ERROR_LOCK_VIOLATION || ::GetLastError() == ERROR_IO_PENDING;
  failed();
  if (is_taken) errno = EWOULDBLOCK;
  return false;
}

bool has_changed(const std::string& path, const struct stat& before) {
  struct stat after;
  return ::stat(path.c_str(), &after) != 0 || after.st_size != before.st_size || after.st_mtime != before.st_mtime;
}

bool is_link(const std::string& path) {
  const DWORD attributes = ::GetFileAttributesA(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

// The C library says 0 for every file's index.
bool is_same(int file, const std::string& path) {
  const HANDLE other = ::CreateFileA(path.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                     OPEN_EXISTING, 0, nullptr);
  if (other == INVALID_HANDLE_VALUE) return false;
  BY_HANDLE_FILE_INFORMATION facts[2] = {};
  const bool known = ::GetFileInformationByHandle(handle_of(file), &facts[0]) != 0 &&
                     ::GetFileInformationByHandle(other, &facts[1]) != 0;
  ::CloseHandle(other);
  return known && facts[0].dwVolumeSerialNumber == facts[1].dwVolumeSerialNumber &&
         facts[0].nFileIndexHigh == facts[1].nFileIndexHigh && facts[0].nFileIndexLow == facts[1].nFileIndexLow;
}

// Rights are the folder's.
bool take_facts(int file, const struct stat* source) {
  if (source == nullptr || !S_ISREG(source->st_mode)) return true;
  __utimbuf64 times = {source->st_atime, source->st_mtime};
  return ::_futime64(file, &times) == 0;
}

bool rename(const std::string& from, const std::string& to, bool replace) {
  return ::MoveFileExA(from.c_str(), to.c_str(), replace ? MOVEFILE_REPLACE_EXISTING : 0) != 0 || failed();
}

// Pipes have nothing to be synced.
bool sync(int file) { return ::_commit(file) == 0 || errno == EBADF || errno == EINVAL; }

// NTFS has renames in its journal.
bool sync_folder(const std::string&) { return true; }

}  // namespace gstd_tool::system
