// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gstd_tool {

enum class Mode {
  compress,
  decompress,
  test,
  list,
  benchmark,
  help,
  version,
  pack,
  list_pack,
  unpack,
  verify_pack,
  update_pack
};

struct Options {
  Mode mode = Mode::compress;
  weft::gstd::CompressConfig compress;  ///< threads for everything
  bool segment_default = true;          ///< whether no size of segments is given
  bool from_zst = false;
  bool to_stdout = false;
  bool force = false;
  bool recursive = false;
  bool exclude_compressed = false;
  bool remove_sources = false;
  bool fsync = false;
  bool json = false;
  bool verify = true;
  bool compact = false;                ///< whether an update writes the pack anew
  std::optional<uint64_t> jobs_bytes;  ///< content of a job, if jobs are to be listed
  std::string job;                     ///< the name of the one that is to be done
  std::optional<std::string> gpu;      ///< the device that decodes, as weft::GpuConfig has it; none: the CPU
  std::optional<bool> pass_through;    ///< none: by force to standard output
  std::optional<bool> progress;        ///< none: on a terminal
  int verbosity = 2;                   ///< 0: nothing but the exit status; 1: errors; 2: and a line a file; 3: more
  std::string output;                  ///< empty: named after the input
  std::string output_directory;        ///< empty: beside the input
  bool mirror = false;                 ///< whether the output directory gets the directories of the inputs' names
  std::vector<std::string> inputs;
  std::vector<std::string> filelists;  ///< files with the names of more inputs
  uint64_t limit = UINT64_MAX;         ///< bytes of content of an input
  uint64_t memory = UINT64_MAX;        ///< bytes that the command may take, or with a GPU, of an input's stream
  int window_log = 27;                 ///< the largest of a .zst
  int last_level = 0;                  ///< of a benchmark
  double seconds = 2;                  ///< of each of its measurements, at least
};

/// Of what the user asks for: invalid_argument, with a sentence.
weft::Error refuse(std::string what);

/// Reads the arguments after the program's name. Errors: those of refuse().
weft::Result<Options> parse_options(std::span<const char* const> arguments);

extern const char* const kUsage;

}  // namespace gstd_tool
